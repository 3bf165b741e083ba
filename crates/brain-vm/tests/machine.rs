//! The machine's behaviour, one case per test.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use brain_core::{Failure, Millis};
use brain_lang::plan::{Idempotency, OnFailure, Place};
use brain_vm::{Armed, Delegate, Event, Happened, Input, JobId, JobStatus, Machine, PlanError, StepId, Wait, compile};
use common::{World, each, job, plan, step, undoable, when};

fn transient() -> Failure {
    Failure::transient("http_503", "busy")
}

fn business() -> Failure {
    Failure::business("no", "no")
}

/// Whether the run is blocked until a person decides.
fn awaits_person(world: &World) -> bool {
    let state = &world.state;
    let is_timer = |arm: &Armed| matches!(arm, Armed::Timer(_));
    let mut waits = state.fibers.values().map(|fiber| &fiber.wait);
    !state.is_ended()
        && state.jobs.values().any(|job| job.status.is_for_person())
        && state.jobs.values().all(|job| job.status.is_for_person() || job.status.is_growing())
        && !waits.any(|wait| matches!(wait, Wait::Armed(arms) if arms.iter().any(is_timer)))
}

#[test]
fn steps_run_one_after_the_other() {
    let mut world = World::new(&plan(vec![step("a", &[]), step("b", &["a"])]));
    assert_eq!(world.open_steps(), ["a"]);
    world.done("a");
    assert_eq!(world.open_steps(), ["b"]);
    world.done("b");
    assert_eq!(world.status(), "completed");
    world.assert_replays();
}

#[test]
fn branches_run_at_the_same_time_and_join() {
    let steps = vec![step("a", &[]), step("b", &["a"]), step("c", &["a"]), step("d", &["b", "c"]), step("e", &[])];
    let mut world = World::new(&plan(steps));
    assert_eq!(world.open_steps(), ["a", "e"]);
    world.done("a");
    assert_eq!(world.open_steps(), ["e", "b", "c"]);
    world.done("c");
    assert_eq!(world.open_steps(), ["e", "b"], "the join waits for both");
    world.done("b");
    world.done("e");
    world.done("d");
    assert_eq!(world.status(), "completed");
    world.assert_replays();
}

#[test]
fn a_step_whose_condition_does_not_hold_is_skipped() {
    let mut world = World::new(&plan(vec![step("a", &[]), when(step("b", &["a"])), step("c", &["b"])]));
    world.flag = false;
    world.done("a");
    assert_eq!(world.open_steps(), ["c"]);
    world.done("c");
    assert_eq!(world.status(), "completed");
    assert!(world.log.contains(&Event::StepSkipped { at: StepId { scope: 0, step: 1 } }));
    world.assert_replays();
}

#[test]
fn a_list_is_worked_on_a_few_at_a_time() {
    let mut world = World::new(&plan(vec![step("z", &[]), each(step("a", &["z"]), 2), step("b", &["a"])]));
    world.items = 3;
    world.done("z");
    assert_eq!(world.open_steps(), ["a", "a#1"]);
    world.answer("a", 1, Input::Done);
    assert_eq!(world.open_steps(), ["a", "a#2"]);
    world.answer("a", 0, Input::Done);
    world.answer("a", 2, Input::Done);
    assert_eq!(world.open_steps(), ["b"]);
    world.assert_replays();
    let mut world = World::new(&plan(vec![step("z", &[]), each(step("a", &["z"]), 2)]));
    world.items = 0;
    world.done("z");
    assert_eq!(world.status(), "completed", "an empty list is done at once");
}

#[test]
fn a_transient_failure_is_retried_by_the_policy_and_then_waits_for_a_person() {
    let mut world = World::new(&plan(vec![step("a", &[])]));
    world.fail("a", transient());
    assert_eq!(world.status(), "waiting");
    assert_eq!(world.state.wake_at(), Some(world.now.plus(Millis(100))));
    world.tick(99);
    assert!(world.open.is_empty(), "not before its time");
    world.tick(1);
    world.fail("a", transient());
    assert_eq!(world.state.wake_at(), Some(world.now.plus(Millis(200))), "the wait doubles");
    world.tick(200);
    world.fail("a", transient());
    assert!(awaits_person(&world));
    assert_eq!(world.status(), "waiting");
    let first = job(0);
    world.input(Input::Retry(first));
    assert_eq!(world.open, [(first, 4)]);
    world.done("a");
    assert_eq!(world.status(), "completed");
    world.assert_replays();
}

#[test]
fn being_blocked_is_not_an_attempt_that_failed() {
    let mut world = World::new(&plan(vec![step("a", &[])]));
    for _ in 0..10 {
        world.fail("a", Failure::blocked("not yet", Millis(500)));
        assert_eq!(world.state.wake_at(), Some(world.now.plus(Millis(500))));
        world.tick(500);
    }
    world.fail("a", transient());
    assert_eq!(world.state.wake_at(), Some(world.now.plus(Millis(100))), "the policy begins at its beginning");
    world.tick(100);
    world.done("a");
    assert_eq!((world.status().as_str(), world.state.started), ("completed", 1));
    world.assert_replays();
}

#[test]
fn only_the_codes_of_the_policy_are_retried() {
    let mut picky = step("a", &[]);
    picky.retry.on = vec!["timeout".into()];
    let mut world = World::new(&plan(vec![picky]));
    world.fail("a", transient());
    assert!(awaits_person(&world));
}

#[test]
fn a_business_failure_is_never_retried() {
    let mut world = World::new(&plan(vec![step("a", &[]), step("b", &["a"])]));
    world.fail("a", business());
    assert_eq!(world.status(), "failed");
    assert_eq!(world.state.failure(), Some(&business()));
    world.assert_replays();
}

#[test]
fn a_contract_failure_waits_for_a_person_at_once() {
    let mut world = World::new(&plan(vec![step("a", &[])]));
    world.fail("a", Failure::contract("bad_output", "bug"));
    assert!(awaits_person(&world));
    world.input(Input::Abandon(job(0), business()));
    assert_eq!(world.status(), "failed");
    world.assert_replays();
}

#[test]
fn on_failure_continue_goes_on_with_null() {
    let mut tolerant = step("a", &[]);
    tolerant.on_failure = OnFailure::Continue;
    let mut world = World::new(&plan(vec![tolerant, step("b", &["a"])]));
    world.fail("a", business());
    assert_eq!(world.open_steps(), ["b"]);
    world.done("b");
    assert_eq!(world.status(), "completed");
    world.assert_replays();
}

#[test]
fn on_failure_undo_undoes_in_reverse_order() {
    let mut last = step("d", &["b", "c"]);
    last.on_failure = OnFailure::Undo;
    let steps = vec![undoable(step("a", &[])), undoable(step("b", &["a"])), step("c", &["b"]), last];
    let mut world = World::new(&plan(steps));
    for id in ["a", "b", "c"] {
        world.done(id);
    }
    world.fail("d", business());
    assert_eq!(world.open_steps(), ["-b"], "c has no undo");
    assert_eq!(world.status(), "compensating");
    world.done("b");
    assert_eq!(world.open_steps(), ["-a"]);
    world.done("a");
    assert_eq!(world.status(), "compensated");
    assert_eq!(world.state.failure(), Some(&business()));
    world.assert_replays();
}

#[test]
fn compensation_waits_for_jobs_under_way_and_undoes_them_too() {
    let mut failing = step("a", &[]);
    failing.on_failure = OnFailure::Undo;
    let mut world = World::new(&plan(vec![failing, undoable(step("b", &[]))]));
    world.fail("a", business());
    assert_eq!(world.open_steps(), ["b"], "nothing is undone while b may still happen");
    world.done("b");
    assert_eq!(world.open_steps(), ["-b"]);
    world.done("b");
    assert_eq!(world.status(), "compensated");
    world.assert_replays();
}

#[test]
fn a_compensation_that_fails_waits_for_a_person() {
    let mut last = step("b", &["a"]);
    last.on_failure = OnFailure::Undo;
    let mut world = World::new(&plan(vec![undoable(step("a", &[])), last]));
    world.done("a");
    world.fail("b", business());
    world.fail("a", transient());
    world.tick(100);
    world.fail("a", transient());
    assert!(awaits_person(&world));
    world.input(Input::Dismiss(JobId { undo: true, ..job(0) }));
    assert_eq!(world.status(), "failed");
    world.assert_replays();
}

#[test]
fn an_undo_is_not_retried_while_one_of_its_steps_is_in_doubt() {
    let mut last = step("b", &["a"]);
    last.on_failure = OnFailure::Undo;
    let mut world = World::new(&plan(vec![undoable(step("a", &[])), last]));
    world.done("a");
    world.fail("b", business());
    // The undo of `a` is a playbook of two steps.
    let undo = JobId { undo: true, ..job(0) };
    world.open.clear();
    let mut both = plan(vec![step("tell", &[]), step("other", &[])]);
    both.steps[0].place = Place::Outside(Idempotency::None);
    world.inject(undo, 1, &both);
    world.answer("a:undo/tell", 0, |job, attempt| Input::Unknown(job, attempt, transient()));
    world.fail("a:undo/other", business());
    assert_eq!(world.state.left.len(), 1, "the other step failed, so this undo has ended");
    let may_retry = |world: &World| Machine::new(&world.code).may_retry(&world.state, undo);
    assert!(!may_retry(&world), "another attempt would do the step in doubt again, under the same key");
    let in_doubt = world.state.left.keys().next().copied().unwrap();
    assert_eq!(Machine::new(&world.code).doubt_within(&world.state, undo), Some(in_doubt));
    world.input(Input::Dismiss(in_doubt));
    assert!(may_retry(&world), "somebody has seen to it");
    world.input(Input::Retry(undo));
    assert_eq!(world.open_steps(), ["-a"]);
    world.done("a");
    assert_eq!(world.status(), "compensated");
    world.assert_replays();
}

#[test]
fn a_job_found_done_after_compensation_becomes_a_dead_letter() {
    let mut doubtful = undoable(step("a", &[]));
    doubtful.place = Place::Outside(Idempotency::None);
    let mut last = step("b", &[]);
    last.on_failure = OnFailure::Undo;
    let mut world = World::new(&plan(vec![doubtful, last]));
    world.answer("a", 0, |job, attempt| Input::Unknown(job, attempt, transient()));
    world.fail("b", business());
    world.input(Input::Cancel);
    assert_eq!(world.status(), "failed", "nobody waits for the one who knows");
    world.input(Input::Done(job(0), 1));
    let undo = JobId { undo: true, ..job(0) };
    let stuck = |event: &Event| matches!(event, Event::JobStuck { job, happened: Happened::No, .. } if *job == undo);
    assert!(stuck(world.log.last().unwrap()), "{:?}", world.log.last());
    assert!(world.state.left.contains_key(&undo) && world.state.jobs.is_empty());
    assert!(world.state.done.contains(&job(0)) && world.state.not_undone.contains(&job(0)));
    world.assert_replays();
    world.input(Input::Dismiss(undo));
    assert!(world.state.left.is_empty(), "somebody has seen to it");
    world.assert_replays();
}

#[test]
fn a_refusal_by_the_run_does_not_settle_an_earlier_attempt() {
    let mut world = World::new(&plan(vec![step("a", &[])]));
    world.answer("a", 0, |job, attempt| Input::Unknown(job, attempt, transient()));
    let events = {
        let mut state = world.state.clone();
        state.apply(&world.code, &Event::JobReopened { job: job(0) });
        Machine::new(&world.code).decide(&state, Input::Refused(job(0), 2, business()), world.now, 0)
    };
    let [Event::JobStuck { happened: Happened::Maybe, attempt: 1, .. }] = events[..] else { panic!("{events:?}") };
    let first = World::new(&plan(vec![step("a", &[])]));
    let mut state = first.state.clone();
    state.apply(
        &first.code,
        &Event::JobRetrying { job: job(0), attempt: 1, failure: transient(), at: first.now, unsettled: false },
    );
    state.apply(&first.code, &Event::JobReopened { job: job(0) });
    let events = Machine::new(&first.code).decide(&state, Input::Refused(job(0), 2, business()), first.now, 0);
    assert!(matches!(events[0], Event::JobFailed { .. }), "nothing is in doubt: {events:?}");
}

#[test]
fn offered_jobs_count_against_max_steps() {
    let work = |id: &str| {
        let mut one = step(id, &[]);
        one.place = Place::Worker { topic: "t".into(), lease: Millis(1_000) };
        one
    };
    let mut three = plan(vec![work("a"), work("b"), work("c")]);
    three.max_steps = 2;
    let world = World::new(&three);
    let offered = world.log.iter().filter(|event| matches!(event, Event::JobOffered { .. })).count();
    assert_eq!(offered, 2, "a third would exceed the plan's limit");
    assert_eq!((world.status().as_str(), world.state.failure().unwrap().code.as_str()), ("failed", "max_steps"));
}

#[test]
fn after_twenty_lost_leases_a_person_is_asked() {
    let mut one = step("a", &[]);
    one.place = Place::Worker { topic: "t".into(), lease: Millis(1_000) };
    let mut world = World::new(&plan(vec![one]));
    for lost in 1..=20 {
        assert!(
            world.state.jobs[&job(0)].status == JobStatus::Offered,
            "it is offered again after {} leases",
            lost - 1
        );
        world.input(Input::Lease(job(0), world.now.plus(Millis(1_000))));
        world.tick(1_000);
    }
    assert_eq!(world.state.jobs[&job(0)].status, JobStatus::Stuck { happened: Happened::Maybe });
    assert!(awaits_person(&world));
    world.input(Input::Retry(job(0)));
    assert_eq!(world.state.jobs[&job(0)].status, JobStatus::Offered, "a person may have it offered again");
    world.assert_replays();
}

#[test]
fn an_unknown_outcome_follows_what_the_tool_declares() {
    let with = |idempotency: Idempotency| {
        let mut one = step("a", &[]);
        if let Idempotency::Check(_) = idempotency {
            one.check = Some(common::check());
        }
        one.place = Place::Outside(idempotency);
        let mut world = World::new(&plan(vec![one]));
        world.answer("a", 0, |job, attempt| Input::Unknown(job, attempt, transient()));
        world
    };
    let mut world = with(Idempotency::Key);
    world.tick(100);
    assert_eq!(world.open_steps(), ["a"], "the same key again");

    let world = with(Idempotency::None);
    assert!(awaits_person(&world), "a person decides");
    assert!(matches!(world.log.last(), Some(Event::JobStuck { happened: Happened::Maybe, .. })));

    let first = job(0);
    let mut world = with(Idempotency::Check("t.check".into()));
    assert!(matches!(world.log.last(), Some(Event::JobChecking { .. })));
    let asked = world.now;
    world.input(Input::DidNotHappen(first, 1, asked));
    assert!(world.open.is_empty(), "the call may still land");
    assert_eq!(world.state.wake_at(), Some(world.now.plus(Millis(11_000))), "delay, timeout and grace");
    world.tick(11_000);
    assert!(matches!(world.log.last(), Some(Event::JobChecking { .. })), "it is asked once more");
    world.input(Input::DidNotHappen(first, 1, asked));
    assert!(world.open.is_empty(), "an answer that took long to arrive says what was so when it was asked for");
    world.tick(0);
    assert!(matches!(world.log.last(), Some(Event::JobChecking { .. })), "it is asked again");
    world.input(Input::DidNotHappen(first, 1, world.now));
    assert!(matches!(world.log.last(), Some(Event::JobRetrying { unsettled: false, .. })), "the attempt has failed");
    world.tick(100);
    assert_eq!(world.open, [(first, 2)]);
    world.assert_replays();

    // It is not repeated for ever: the retry policy counts these attempts too.
    let mut world = with(Idempotency::Check("t.check".into()));
    let mut attempt = 1;
    while world.state.jobs[&first].status != (JobStatus::Stuck { happened: Happened::No }) {
        assert!(attempt <= 4, "a person decides after as many attempts as the policy allows");
        world.tick(30_000);
        world.input(Input::DidNotHappen(first, attempt, world.now));
        world.tick(30_000);
        if let Some((_, next)) = world.open.pop() {
            attempt = next;
            world.input(Input::Unknown(first, attempt, transient()));
        }
    }
    assert!(attempt > 1 && awaits_person(&world));
    world.assert_replays();

    let mut world = with(Idempotency::Check("t.check".into()));
    world.input(Input::Done(first, 1));
    assert_eq!(world.status(), "completed", "it had happened");

    let mut world = with(Idempotency::Check("t.check".into()));
    world.input(Input::Unknown(first, 1, transient()));
    assert_eq!(world.state.wake_at(), Some(world.now.plus(Millis(100))), "no answer: it is asked again by its policy");
    world.tick(100);
    assert!(matches!(world.log.last(), Some(Event::JobChecking { .. })));
    world.input(Input::Unknown(first, 1, transient()));
    assert!(awaits_person(&world), "the check gave no answer as often as its policy allows");
    world.assert_replays();
}

#[test]
fn a_refusal_after_an_unanswered_attempt_leaves_it_in_doubt() {
    let twice = |second: Failure| {
        let mut one = step("a", &[]);
        one.place = Place::Outside(Idempotency::Key);
        let mut world = World::new(&plan(vec![one]));
        world.answer("a", 0, |job, attempt| Input::Unknown(job, attempt, transient()));
        world.tick(100);
        world.fail("a", second);
        world.assert_replays();
        world
    };
    let mut world = twice(business());
    assert!(
        matches!(world.log.last(), Some(Event::JobStuck { happened: Happened::Maybe, .. })),
        "{:?}",
        world.log.last()
    );
    world.input(Input::Retry(job(0)));
    world.fail("a", business());
    assert!(awaits_person(&world), "trying again and being refused again changes nothing");
    assert_eq!(twice(business().settled()).status(), "failed", "the other side says that none had an effect");
}

#[test]
fn a_refusal_that_settles_ends_the_doubt_for_later_attempts() {
    let mut one = step("a", &[]);
    one.place = Place::Outside(Idempotency::Key);
    let mut world = World::new(&plan(vec![one]));
    world.answer("a", 0, |job, attempt| Input::Unknown(job, attempt, transient()));
    world.tick(100);
    world.fail("a", transient().settled());
    world.tick(200);
    world.fail("a", business());
    assert_eq!(world.status(), "failed");
    world.assert_replays();
}

#[test]
fn a_person_settles_a_call_in_doubt() {
    let mut one = step("a", &[]);
    one.place = Place::Outside(Idempotency::None);
    let mut world = World::new(&plan(vec![one]));
    world.answer("a", 0, |job, attempt| Input::Unknown(job, attempt, transient()));
    world.input(Input::Done(job(0), 1));
    assert_eq!(world.status(), "completed");
    world.assert_replays();
}

#[test]
fn a_late_completion_changes_nothing() {
    let mut world = World::new(&plan(vec![step("a", &[]), step("b", &["a"])]));
    let (open, attempt) = world.open[0];
    world.done("a");
    let before = world.state.clone();
    world.input(Input::Done(open, attempt));
    world.input(Input::Failed(open, attempt, transient()));
    world.input(Input::Done(job(1), 7));
    assert_eq!(world.state, before);
    assert_eq!(world.log.iter().filter(|event| matches!(event, Event::SignalIgnored { .. })).count(), 3);
    world.assert_replays();
}

#[test]
fn cancelling_waits_for_jobs_under_way_and_starts_nothing_new() {
    let mut world = World::new(&plan(vec![step("a", &[]), step("b", &["a"])]));
    world.input(Input::Cancel);
    assert_eq!(world.status(), "stopping");
    world.done("a");
    assert_eq!(world.status(), "cancelled");
    assert!(world.open.is_empty());
    world.input(Input::Cancel);
    assert!(matches!(world.log.last(), Some(Event::SignalIgnored { .. })));
    world.assert_replays();
}

#[test]
fn cancelling_a_run_that_waits_ends_it_at_once() {
    let mut world = World::new(&plan(vec![step("a", &[])]));
    world.fail("a", transient());
    world.input(Input::Cancel);
    assert_eq!(world.status(), "cancelled");
    assert_eq!(world.state.wake_at(), None);
    world.assert_replays();
}

#[test]
fn a_failure_after_cancelling_is_not_retried() {
    let mut world = World::new(&plan(vec![step("a", &[])]));
    world.input(Input::Cancel);
    world.fail("a", transient());
    assert_eq!(world.status(), "cancelled");
    world.assert_replays();
}

#[test]
fn a_run_that_takes_too_long_fails() {
    let mut slow = plan(vec![step("a", &[])]);
    slow.timeout = Some(Millis(500));
    let mut world = World::new(&slow);
    assert_eq!(world.state.wake_at(), Some(world.now.plus(Millis(500))));
    world.tick(500);
    world.done("a");
    assert_eq!(world.status(), "failed");
    assert_eq!(world.state.failure().unwrap().code, "run_timeout");
    world.assert_replays();
}

#[test]
fn a_runaway_list_stops_at_max_steps() {
    let mut bounded = plan(vec![each(step("a", &[]), 8)]);
    bounded.max_steps = 5;
    let mut world = World::new(&plan(vec![step("z", &[])]));
    world.done("z");
    let mut world = World::new(&bounded);
    while let Some((job, attempt)) = world.open.pop() {
        world.input(Input::Done(job, attempt));
    }
    assert_eq!(world.status(), "completed", "three items fit");
    bounded.max_steps = 2;
    let mut world = World::new(&bounded);
    while let Some((job, attempt)) = world.open.pop() {
        world.input(Input::Done(job, attempt));
    }
    assert_eq!(world.status(), "failed");
    assert_eq!(world.state.failure().unwrap().code, "max_steps");
}

#[test]
fn bad_plans_are_rejected_with_the_names_of_their_steps() {
    assert_eq!(compile(&plan(vec![])), Err(PlanError::Empty));
    assert_eq!(compile(&plan(vec![step("a", &[]), step("a", &[])])), Err(PlanError::DuplicateStep("a".into())));
    let unknown = PlanError::UnknownStep { step: "a".into(), after: "x".into() };
    assert_eq!(compile(&plan(vec![step("a", &["x"])])), Err(unknown));
    let loops = compile(&plan(vec![step("r", &[]), step("a", &["r", "c"]), step("b", &["a"]), step("c", &["b"])]));
    assert_eq!(loops.unwrap_err().to_string(), "these steps wait for each other: a → b → c → a");
    let long: Vec<_> = (0..10_001).map(|n| step(&n.to_string(), &[])).collect();
    assert_eq!(compile(&plan(long)), Err(PlanError::TooLong(10_001)));
}

#[test]
fn a_program_is_addressed_by_its_content() {
    let one = compile(&plan(vec![step("a", &[])])).unwrap();
    let same = compile(&plan(vec![step("a", &[])])).unwrap();
    let other = compile(&plan(vec![step("b", &[])])).unwrap();
    assert_eq!(one.id(), same.id());
    assert_ne!(one.id(), other.id());
    let stored = serde_json::to_value(&one).unwrap();
    assert_eq!(serde_json::from_value::<brain_vm::Program>(stored).unwrap().id(), one.id());
}

#[test]
fn the_listing_of_a_program_is_frozen() {
    let steps = vec![step("a", &[]), when(step("b", &["a"])), each(step("c", &["a"]), 2), step("d", &["b", "c"])];
    let program = compile(&plan(steps)).unwrap();
    let golden = "  0  jump  1\n  1  job   a = t.a\n  2  fork  [3, 6]\n  3  when  b else 5\n  4  job   b = t.b\n  5  jump  8\n  6  each  c = t.c\n  7  jump  8\n  8  join  j0 x2\n  9  job   d = t.d\n 10  end\n";
    assert_eq!(program.listing(), golden);
}

#[test]
fn a_child_that_reported_its_end_is_not_awaited_again() {
    let mut world = World::new(&plan(vec![step("a", &[])]));
    let (a, attempt) = (job(0), 1);
    world.input(Input::Delegated(a, attempt, None, Delegate::Child));
    world.input(Input::Unknown(a, attempt, Failure::business("child_in_doubt", "some of it")));
    let stuck = world.state.clone();
    assert!(stuck.jobs[&a].status.is_stuck());
    // The node that started the child missed the confirmation of this write and sends it again.
    world.input(Input::Delegated(a, attempt, None, Delegate::Child));
    assert_eq!(world.state, stuck);
    assert!(matches!(world.log.last(), Some(Event::SignalIgnored { .. })));
    world.assert_replays();
}

/// A plan of undos in sequence.
fn undos(ids: [&str; 3]) -> brain_lang::plan::Plan {
    let [first, second, third] = ids;
    let mut plan = plan(vec![step(first, &[]), step(second, &[first]), step(third, &[second])]);
    plan.steps.iter_mut().for_each(|step| step.on_failure = OnFailure::Letter);
    plan
}

#[test]
fn a_planned_undo_that_fails_is_a_dead_letter_and_the_others_go_on() {
    let mut world = World::new(&undos(["a", "b", "c"]));
    world.fail("a", business());
    assert_eq!(world.open_steps(), ["b"]);
    world.answer("b", 0, |job, attempt| Input::DoneBadly(job, attempt, business()));
    assert_eq!(world.open_steps(), ["c"]);
    world.done("c");
    assert_eq!(world.status(), "waiting", "a person decides about `a` and `b`");
    let stuck: Vec<_> = world.state.jobs.values().map(|job| job.status.clone()).collect();
    assert_eq!(stuck, [Happened::No, Happened::Yes].map(|happened| JobStatus::Stuck { happened }));
    world.assert_replays();
    // What `b` did is known, so dismissing its letter leaves nothing undone.
    world.input(Input::Dismiss(job(1)));
    world.input(Input::Retry(job(0)));
    world.done("a");
    assert_eq!(world.status(), "completed");
    world.assert_replays();
}

#[test]
fn a_planned_undo_that_a_person_gives_up_makes_the_run_fail_at_its_end() {
    for give_up in [Input::Dismiss(job(0)), Input::Abandon(job(0), business())] {
        let mut world = World::new(&undos(["a", "b", "c"]));
        world.fail("a", business());
        world.input(give_up);
        assert_eq!(world.open_steps(), ["b"], "the others go on");
        world.done("b");
        world.done("c");
        assert_eq!(world.status(), "failed");
        assert_eq!(world.state.failure().unwrap().message, "Step a was not done.");
        assert_eq!(world.state.done, [job(1), job(2)]);
        world.assert_replays();
    }
}

#[test]
fn a_failure_inside_a_planned_undo_stops_that_undo_alone() {
    let mut world = World::new(&undos(["a", "b", "c"]));
    let (first, attempt) = world.open.remove(0);
    world.inject(first, attempt, &plan(vec![step("x", &[]), step("y", &["x"])]));
    world.fail("a/x", business());
    assert_eq!(world.open_steps(), ["b"]);
    // The call that injected the steps was made outside.
    assert_eq!(world.state.jobs[&first].status, JobStatus::Stuck { happened: Happened::Maybe });
    world.done("b");
    world.done("c");
    world.input(Input::Dismiss(first));
    assert_eq!(world.status(), "failed");
    world.assert_replays();
}

#[test]
fn an_undo_whose_own_steps_wait_for_a_person_does_not_hold_up_the_others() {
    let grown = plan(vec![step("x", &[])]);
    let fail_for_good = |world: &mut World, step: &str| {
        for _ in 0..3 {
            world.fail(step, transient());
            world.tick(1_000);
        }
    };
    let mut world = World::new(&undos(["a", "b", "c"]));
    let (first, attempt) = world.open.remove(0);
    world.inject(first, attempt, &grown);
    fail_for_good(&mut world, "a/x");
    assert_eq!(world.open_steps(), ["b"]);
    world.assert_replays();
    // The same in a compensation.
    let mut last = step("z", &["y"]);
    last.on_failure = OnFailure::Undo;
    let mut world = World::new(&plan(vec![undoable(step("x", &[])), undoable(step("y", &["x"])), last]));
    world.done("x");
    world.done("y");
    world.fail("z", business());
    let (undo, attempt) = world.open.remove(0);
    world.inject(undo, attempt, &grown);
    fail_for_good(&mut world, "y:undo/x");
    assert_eq!(world.open_steps(), ["-x"]);
    world.done("x");
    assert_eq!(world.status(), "compensating");
    world.assert_replays();
}
