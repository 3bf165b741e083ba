//! Properties under any interleaving of completions, failures, timers, cancels and late answers: replay reproduces the
//! state; a job that succeeded is never done again; compensation is complete and in reverse order, or its gaps are
//! listed; a job that may have happened is never forgotten; and a cancelled run ends, whatever fails on the way.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use brain_core::{Failure, Millis};
use brain_lang::plan::{Idempotency, OnFailure, Place, Plan, PlanStep};
use brain_vm::{Delegate, End, Event, Happened, Input, JobId, JobStatus, Opener, Phase};
use common::{World, each, plan, step, undoable, when};
use proptest::prelude::*;

fn any_step(number: usize) -> impl Strategy<Value = PlanStep> {
    let earlier = proptest::collection::vec(0..number.max(1), 0..3);
    (earlier, 0..4_u8, 0..3_u8, 0..8_u8, any::<bool>(), any::<bool>(), 0..8_u8).prop_map(
        move |(after, on_failure, idempotency, has_undo, has_when, has_each, kind)| {
            let after: BTreeSet<String> = after.into_iter().filter(|n| *n < number).map(|n| format!("s{n}")).collect();
            let after: Vec<&str> = after.iter().map(String::as_str).collect();
            let mut one = step(&format!("s{number}"), &after);
            one.on_failure =
                [OnFailure::Stop, OnFailure::Continue, OnFailure::Undo, OnFailure::Letter][usize::from(on_failure)];
            one.place = Place::Outside(match idempotency {
                0 => Idempotency::Key,
                1 => Idempotency::None,
                _ => {
                    one.check = Some(common::check());
                    Idempotency::Check("t.check".into())
                }
            });
            if kind == 0 {
                one.place = Place::Worker { topic: "t".into(), lease: Millis(500) };
                one.check = None;
            }
            one.gate = kind == 1;
            if has_undo < 6 {
                one = undoable(one);
                let undo = one.undo.as_mut().unwrap();
                undo.place = match has_undo {
                    0 | 1 => Place::Outside(Idempotency::Key),
                    2 => Place::Outside(Idempotency::None),
                    3 => Place::Outside(Idempotency::Check("t.check".into())),
                    4 => Place::Worker { topic: "u".into(), lease: Millis(500) },
                    _ => Place::Inline,
                };
                undo.check = (has_undo == 3).then(common::check);
            }
            if has_when {
                one = when(one);
            }
            if has_each {
                one = each(one, 2);
            }
            one
        },
    )
}

fn any_plan() -> impl Strategy<Value = Plan> {
    (1_usize..7).prop_flat_map(|count| (0..count).map(any_step).collect::<Vec<_>>()).prop_map(plan)
}

/// One move of the world: which job is answered, and how.
fn any_moves() -> impl Strategy<Value = Vec<(u8, usize, u8)>> {
    proptest::collection::vec((0..20_u8, any::<usize>(), 0..3_u8), 1..60)
}

fn failure(kind: u8) -> Failure {
    match kind {
        0 => Failure::transient("t", "t"),
        1 => Failure::business("b", "b"),
        _ => Failure::contract("c", "c"),
    }
}

fn play(world: &mut World, (kind, pick, how): (u8, usize, u8)) {
    let parked: Vec<_> =
        world.state.jobs.iter().filter(|(_, job)| job.status.is_stuck()).map(|(id, job)| (*id, job.attempt)).collect();
    let checking: Vec<_> = world
        .state
        .jobs
        .iter()
        .filter(|(_, job)| matches!(job.status, JobStatus::Checking { .. }))
        .map(|(id, job)| (*id, job.attempt))
        .collect();
    match kind {
        0..=6 if !world.open.is_empty() => {
            let at = pick % world.open.len();
            let (job, attempt) = world.open.remove(at);
            world.input(match kind {
                0..=2 => Input::Done(job, attempt),
                3 => Input::DoneBadly(job, attempt, failure(2)),
                4 | 5 => Input::Failed(job, attempt, failure(how)),
                _ => Input::Unknown(job, attempt, failure(0)),
            });
        }
        7 => world.tick(250),
        8 if !parked.is_empty() => {
            let (job, attempt) = parked[pick % parked.len()];
            world.input(match (how, pick % 4) {
                (0, _) => Input::Retry(job),
                (1, _) => Input::Dismiss(job),
                // The answer of an abandoned call arrives after all.
                (_, 0) => Input::Failed(job, attempt, failure(pick as u8 % 3)),
                (_, 1) => Input::Unknown(job, attempt, failure(0)),
                (_, 2) if world.state.scopes.len() < 6 => {
                    return world.inject(job, attempt, &plan(vec![step("a", &[]), undoable(step("b", &["a"]))]));
                }
                _ => Input::Done(job, attempt),
            });
        }
        9 if !checking.is_empty() => {
            let (job, attempt) = checking[pick % checking.len()];
            let asked = world.now;
            world.input(match how {
                0 => Input::DidNotHappen(job, attempt, asked),
                1 => Input::Done(job, attempt),
                _ => Input::Unknown(job, attempt, failure(0)),
            });
        }
        10 if how == 0 => world.input(Input::Cancel),
        12 | 13 if !world.open.is_empty() => {
            let at = pick % world.open.len();
            let (job, attempt) = world.open.remove(at);
            match (kind, how) {
                (12, _) if world.state.scopes.len() < 6 => {
                    let steps = match how {
                        0 => vec![step("a", &[])],
                        1 => vec![step("a", &[]), undoable(step("b", &[])), when(step("c", &["a"]))],
                        _ => vec![each(step("a", &[]), 2), step("b", &["a"])],
                    };
                    world.bad_close = pick % 3 == 0;
                    world.inject(job, attempt, &plan(steps));
                }
                (_, 0) => {
                    world.input(Input::Delegated(job, attempt, Some(world.now.plus(Millis(600))), Delegate::Other))
                }
                (_, 1) => world.input(Input::Delegated(
                    job,
                    attempt,
                    None,
                    if pick % 2 == 0 { Delegate::Child } else { Delegate::Other },
                )),
                _ => world.input(Input::Review(job, attempt)),
            }
        }
        14 => {
            let others = world.jobs_that(|status| matches!(status, JobStatus::Delegated { .. } | JobStatus::Reviewing));
            if let Some((job, attempt)) = others.get(pick % others.len().max(1)).copied() {
                world.input(match how {
                    0 => Input::Done(job, attempt),
                    1 => Input::Failed(job, attempt, failure(1)),
                    _ => Input::Deny(job, failure(1)),
                });
            }
        }
        15 => {
            let offered = world.jobs_that(|status| *status == JobStatus::Offered);
            if let Some((job, _)) = offered.get(pick % offered.len().max(1)).copied() {
                world.input(Input::Lease(job, world.now.plus(Millis(300))));
            }
        }
        16 => {
            let leased = world.jobs_that(|status| matches!(status, JobStatus::Leased { .. }));
            if let Some((job, attempt)) = leased.get(pick % leased.len().max(1)).copied() {
                world.input(match how {
                    0 => Input::Done(job, attempt),
                    1 => Input::Extend(job, attempt, world.now.plus(Millis(400))),
                    _ => Input::Failed(job, attempt, failure(0)),
                });
            }
        }
        17 => {
            let held = world.jobs_that(|status| matches!(status, JobStatus::Held { .. }));
            if let Some((job, _)) = held.get(pick % held.len().max(1)).copied() {
                world.input(if how == 0 { Input::Deny(job, failure(1)) } else { Input::Grant(job) });
            }
        }
        18 => world.tick(12_000),
        19 => {
            // A person or a late callback settles a dead letter of an ended scope.
            let left: Vec<_> = world.state.left.iter().map(|(id, job)| (*id, job.attempt)).collect();
            if let Some((job, attempt)) = left.get(pick % left.len().max(1)).copied() {
                world.input(match how {
                    0 => Input::Done(job, attempt),
                    1 => Input::Dismiss(job),
                    _ => Input::Abandon(job, failure(1)),
                });
            }
        }
        11 => {
            // An answer that the run does not wait for.
            let known = world.log.iter().rev().find_map(|event| match event {
                Event::JobDone { job, attempt } => Some((*job, *attempt)),
                _ => None,
            });
            if let Some((job, attempt)) = known {
                world.input(Input::Done(job, attempt));
            }
        }
        _ => {}
    }
}

/// The last event of the log about each job.
fn last_words(log: &[Event]) -> BTreeMap<JobId, &Event> {
    log.iter().filter_map(|event| Some((event.job()?, event))).collect()
}

/// Invariants of every log, however far the run has come.
fn audit(world: &World) -> Result<(), TestCaseError> {
    let (log, state) = (&world.log, &world.state);
    let done: Vec<JobId> = log
        .iter()
        .filter_map(|event| match event {
            Event::JobDone { job, .. } => Some(*job),
            _ => None,
        })
        .collect();
    let once: BTreeSet<_> = done.iter().copied().collect();
    prop_assert_eq!(done.len(), once.len(), "a job that succeeded is not done again");
    let unique: BTreeSet<_> = state.done.iter().copied().collect();
    prop_assert_eq!(unique.len(), state.done.len(), "what happened is noted once");
    for undone in &state.undone {
        prop_assert!(unique.contains(undone), "only finished jobs are undone");
    }
    // An ended run stays ended.
    let mut over = BTreeSet::new();
    for event in log {
        let Some(job) = event.job() else { continue };
        prop_assert!(!over.contains(&job), "{job:?} was over: {event:?}");
        if matches!(event, Event::JobDone { .. } | Event::JobFailed { .. } | Event::JobDismissed { .. }) {
            over.insert(job);
        }
    }
    // Undos run in reverse order, except those that became dead letters, or whose steps did.
    let opener = |scope| if let Opener::Job(job) = state.scope(scope).opener { Some(job.forward()) } else { None };
    let stuck: BTreeSet<JobId> = log
        .iter()
        .filter_map(|event| match event {
            Event::JobStuck { job, .. } | Event::JobDoneBadly { job, .. } => Some(*job),
            _ => None,
        })
        .flat_map(|job| state.outward(job.scope).filter_map(opener).chain([job.forward()]))
        .collect();
    let place = |job: &JobId| state.done.iter().position(|one| *one == job.forward());
    let taken_back: Vec<_> = done.iter().filter(|job| job.undo && !stuck.contains(&job.forward())).map(place).collect();
    prop_assert!(taken_back.is_sorted_by(|a, b| a > b), "undone in reverse: {:?}", taken_back);
    let Phase::Ended(end) = state.phase() else { return Ok(()) };
    prop_assert!(state.jobs.is_empty() && state.fibers.is_empty());
    if end == End::Compensated {
        for job in &state.done {
            let undoable = state.step(&world.code, job.at()).undo.is_some();
            let part_of_undo = in_undo(world, *job);
            let told = state.undone.contains(job)
                || log.iter().any(|event| matches!(event, Event::RunEnded { .. })) && late(log, *job);
            prop_assert!(!undoable || part_of_undo || told, "{job:?} was not undone");
        }
    }
    // No job that may have happened is forgotten.
    for (job, last) in last_words(log) {
        let open = match last {
            Event::JobStarted { .. } | Event::JobLeased { .. } | Event::LeaseExtended { .. } => true,
            Event::JobDelegated { .. } | Event::JobChecking { .. } | Event::CheckPostponed { .. } => true,
            Event::JobRetrying { unsettled, .. } => *unsettled,
            _ => false,
        };
        prop_assert!(!open, "{job:?} was under way when the run ended: {last:?}");
        if let Event::JobStuck { happened: Happened::Maybe, .. } = last {
            prop_assert!(state.left.contains_key(&job), "{job:?} is in doubt and not listed");
        }
    }
    Ok(())
}

fn in_undo(world: &World, job: JobId) -> bool {
    let mut scope = Some(job.scope);
    while let Some(id) = scope {
        if world.state.scope(id).is_undo() {
            return true;
        }
        scope = world.state.scope(id).parent;
    }
    false
}

/// Whether a job was found to have happened only after the end.
fn late(log: &[Event], job: JobId) -> bool {
    let end = log.iter().position(|event| matches!(event, Event::RunEnded { .. }));
    let done = log.iter().rposition(|event| matches!(event, Event::JobDone { job: one, .. } if *one == job));
    done > end
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn replay_equals_live(plan in any_plan(), moves in any_moves(), flag: bool, items in 0_u32..4) {
        let mut world = World::new(&plan);
        world.flag = flag;
        world.items = items;
        for one in moves {
            play(&mut world, one);
            world.assert_replays();
        }
        audit(&world)?;
    }

    #[test]
    fn every_run_can_be_brought_to_an_end(plan in any_plan(), moves in any_moves()) {
        let mut world = World::new(&plan);
        for one in moves {
            play(&mut world, one);
        }
        // From here on everything succeeds and every stuck job is dismissed.
        for _ in 0..2_000 {
            if world.state.is_ended() {
                break;
            }
            if let Some((job, attempt)) = world.open.pop() {
                world.input(Input::Done(job, attempt));
                continue;
            }
            let mut jobs = world.state.jobs.iter().filter(|(_, job)| !matches!(job.status, JobStatus::Growing { .. }));
            let waiting = jobs.next().map(|(id, job)| (*id, job.clone()));
            match waiting {
                Some((id, job)) => match job.status {
                    JobStatus::Stuck { .. } => world.input(Input::Dismiss(id)),
                    JobStatus::Checking { .. }
                    | JobStatus::Delegated { .. }
                    | JobStatus::Reviewing
                    | JobStatus::Leased { .. } => world.input(Input::Done(id, job.attempt)),
                    JobStatus::Offered => world.input(Input::Lease(id, world.now.plus(Millis(300)))),
                    JobStatus::Held { .. } => world.input(Input::Grant(id)),
                    _ => world.tick(2_000),
                },
                None => world.tick(2_000),
            }
        }
        prop_assert!(world.state.is_ended(), "stuck: {:#?}", world.state);
        audit(&world)?;
    }

    /// Without help: no person decides, no worker takes a job, and calls answer at random.
    #[test]
    fn a_cancelled_run_ends_whatever_fails(
        plan in any_plan(),
        moves in any_moves(),
        answers in proptest::collection::vec((0..5_u8, 0..3_u8), 64),
    ) {
        let mut world = World::new(&plan);
        for one in moves {
            play(&mut world, one);
        }
        world.bad_close = true;
        if !world.state.is_ended() {
            world.input(Input::Cancel);
        }
        let mut answers = answers.iter().cycle();
        let mut turns = 0;
        while !world.state.is_ended() {
            turns += 1;
            prop_assert!(turns < 400, "it does not end: {:#?}", world.state);
            let (how, kind) = answers.next().copied().unwrap();
            if let Some((job, attempt)) = world.open.pop() {
                world.input(match how {
                    0 => Input::Done(job, attempt),
                    1 => Input::DoneBadly(job, attempt, failure(2)),
                    2 | 3 => Input::Failed(job, attempt, failure(kind)),
                    _ => Input::Unknown(job, attempt, failure(0)),
                });
                continue;
            }
            // Checks are answered, and cancelled child runs end.
            let asked = world.jobs_that(|status| matches!(status, JobStatus::Checking { again: None }));
            let children = world.jobs_that(|status| matches!(status, JobStatus::Delegated { child: true, .. }));
            let now = world.now;
            match (asked.first().copied(), children.first().copied()) {
                (Some((job, attempt)), _) => world.input(match how {
                    0 | 1 => Input::Done(job, attempt),
                    2 => Input::Unknown(job, attempt, failure(0)),
                    _ => Input::DidNotHappen(job, attempt, now),
                }),
                (_, Some((job, attempt))) => world.input(Input::Failed(job, attempt, failure(1))),
                _ => world.tick(12_000),
            }
        }
        world.assert_replays();
        audit(&world)?;
    }
}
