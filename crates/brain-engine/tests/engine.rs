//! The engine over a store, driven by hand on a virtual clock.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use brain_core::{Failure, Millis, RunStatus};
use brain_engine::{Driver, EngineError, FlowConfig, LetterDecision, NewEvent, PipeEvent};
use brain_lang::plan::{Idempotency, OnFailure, Place};
use brain_store::{MemoryStore, RecordFilter, Store};
use common::{CallFate, TestHost, clock, each, program, random, scope, step, submission, with_undo};

const KEY: Place = Place::Outside(Idempotency::Key);
const NONE: Place = Place::Outside(Idempotency::None);

fn world(host: TestHost) -> (Driver, Arc<dyn Store>, Arc<TestHost>) {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let host = Arc::new(host);
    let driver = Driver::new(store.clone(), host.clone(), host.clone(), clock(), random(1));
    (driver, store, host)
}

fn start(driver: &mut Driver, steps: Vec<brain_lang::plan::PlanStep>) -> brain_core::RunId {
    let program = program(steps);
    let submission = submission(&program, 1);
    let run = submission.run;
    let engine = driver.engine().clone();
    driver.block_on(engine.submit(submission), None).unwrap().unwrap();
    run
}

fn finish(driver: &mut Driver, run: brain_core::RunId) -> RunStatus {
    let engine = driver.engine().clone();
    driver.block_on(engine.wait(&scope(), run), None).unwrap().unwrap().status
}

#[test]
fn a_run_of_inline_steps_is_accepted_and_done_in_one_commit() {
    let (mut driver, store, _) = world(TestHost::new(|_| CallFate::Done));
    let before = store.stats().commits;
    let steps = (0..5).map(|n| {
        let after = if n == 0 { vec![] } else { vec![format!("s{}", n - 1)] };
        let after: Vec<&str> = after.iter().map(String::as_str).collect();
        step(&format!("s{n}"), &after, Place::Inline)
    });
    let run = start(&mut driver, steps.collect());
    assert_eq!(store.run(&scope(), run).unwrap().unwrap().status, RunStatus::Completed);
    assert_eq!(store.stats().commits - before, 1);
    let marks = store.records(&scope(), "mark", &RecordFilter::default(), 10, None).unwrap().items;
    assert_eq!(marks.len(), 5);
    let order: Vec<&str> = marks.iter().map(|mark| mark.body["step"].as_str().unwrap()).collect();
    assert_eq!(order, ["s0", "s1", "s2", "s3", "s4"], "records of one run sort in order of creation");
}

#[test]
fn completing_a_step_and_starting_the_next_share_one_commit() {
    let (mut driver, store, _) = world(TestHost::new(|_| CallFate::Done));
    let before = store.stats().commits;
    let run = start(&mut driver, vec![step("a", &[], KEY), step("b", &["a"], KEY), step("c", &["b"], KEY)]);
    assert_eq!(finish(&mut driver, run), RunStatus::Completed);
    assert_eq!(store.stats().commits - before, 4, "accept, and one after each step");
}

#[test]
fn a_failed_inline_step_leaves_nothing_behind() {
    let mut host = TestHost::new(|_| CallFate::Done);
    host.inline_fails = Box::new(|job| job.step == "b");
    let (mut driver, store, _) = world(host);
    let run = start(&mut driver, vec![step("a", &[], Place::Inline), step("b", &["a"], Place::Inline)]);
    assert_eq!(finish(&mut driver, run), RunStatus::Failed);
    let marks = store.records(&scope(), "mark", &RecordFilter::default(), 10, None).unwrap().items;
    assert_eq!(marks.len(), 1, "the write of `a` stays, that of `b` is dropped");
}

#[test]
fn retries_wait_and_keep_their_key_and_their_arguments() {
    let attempts = AtomicU32::new(0);
    let (mut driver, _, host) = world(TestHost::new(move |_| {
        if attempts.fetch_add(1, Ordering::Relaxed) < 2 { CallFate::Busy } else { CallFate::Done }
    }));
    let run = start(&mut driver, vec![step("a", &[], KEY)]);
    assert_eq!(finish(&mut driver, run), RunStatus::Completed);
    let state = driver.engine().run_state(&scope(), run).unwrap();
    let list = state.receipts().unwrap();
    assert_eq!(list.iter().map(|one| one.attempt).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(list.windows(2).all(|two| two[0].key == two[1].key && two[0].args == two[1].args));
    let wait = list[1].finished_at.since(list[0].finished_at);
    assert!((80..=100).contains(&wait.0), "{wait}");
    assert_eq!(host.seen.lock().unwrap().calls.len(), 1, "one key");
}

#[test]
fn out_of_attempts_is_a_dead_letter_that_can_be_retried() {
    let attempts = AtomicU32::new(0);
    let (mut driver, store, _) = world(TestHost::new(move |_| {
        if attempts.fetch_add(1, Ordering::Relaxed) < 3 { CallFate::Busy } else { CallFate::Done }
    }));
    let run = start(&mut driver, vec![step("a", &[], KEY), step("b", &["a"], Place::Inline)]);
    assert_eq!(finish(&mut driver, run), RunStatus::Waiting);
    let letter = store.dead_letters(&scope(), Some(true), 10, None).unwrap().items.remove(0);
    assert_eq!((letter.run, letter.body["attempts"].as_u64()), (run, Some(3)));
    let engine = driver.engine().clone();
    let decided =
        driver.block_on(engine.decide_letter(&scope(), letter.id, LetterDecision::Retry, "me", "fixed"), None);
    decided.unwrap().unwrap();
    assert_eq!(finish(&mut driver, run), RunStatus::Completed);
    let letter = store.dead_letter(&scope(), letter.id).unwrap().unwrap();
    assert!(!letter.open);
    assert_eq!(letter.body["resolution"]["outcome"], "retried");
    let again = driver.block_on(engine.decide_letter(&scope(), letter.id, LetterDecision::Retry, "me", ""), None);
    assert!(matches!(again.unwrap(), Err(EngineError::AlreadyDecided)));
}

#[test]
fn an_unknown_outcome_without_a_key_waits_for_a_person_and_is_never_called_again() {
    let (mut driver, store, host) = world(TestHost::new(|_| CallFate::LostAfter));
    let run = start(&mut driver, vec![step("a", &[], NONE)]);
    assert_eq!(finish(&mut driver, run), RunStatus::Waiting);
    let letter = store.dead_letters(&scope(), Some(true), 10, None).unwrap().items.remove(0);
    assert_eq!(letter.body["happened"], "maybe");
    let engine = driver.engine().clone();
    let result = Some(serde_json::json!({"id": 7}));
    let decided = driver
        .block_on(engine.decide_letter(&scope(), letter.id, LetterDecision::Resolve(result), "me", "seen it"), None);
    decided.unwrap().unwrap();
    assert_eq!(finish(&mut driver, run), RunStatus::Completed);
    assert_eq!(driver.engine().run_state(&scope(), run).unwrap().data.state["id"], 7);
    assert_eq!(host.seen.lock().unwrap().calls.values().sum::<u32>(), 1);
}

#[test]
fn escalating_a_letter_keeps_it_open() {
    let (mut driver, store, _) = world(TestHost::new(|_| CallFate::LostAfter));
    start(&mut driver, vec![step("a", &[], NONE)]);
    driver.pump();
    let letter = store.dead_letters(&scope(), Some(true), 10, None).unwrap().items.remove(0);
    let engine = driver.engine().clone();
    let decision = LetterDecision::Escalate("support".into());
    driver.block_on(engine.decide_letter(&scope(), letter.id, decision, "me", "help"), None).unwrap().unwrap();
    let letter = store.dead_letter(&scope(), letter.id).unwrap().unwrap();
    assert!(letter.open);
    assert_eq!(letter.body["escalated"]["to"], "support");
}

#[test]
fn a_lost_call_with_a_check_is_checked_and_not_repeated() {
    for (fate, calls) in [(CallFate::LostAfter, 1), (CallFate::LostBefore, 2)] {
        let first = AtomicU32::new(0);
        let (mut driver, _, host) =
            world(TestHost::new(
                move |_| if first.fetch_add(1, Ordering::Relaxed) == 0 { fate } else { CallFate::Done },
            ));
        let run = start(&mut driver, vec![step("a", &[], Place::Outside(Idempotency::Check("t.do".into())))]);
        assert_eq!(finish(&mut driver, run), RunStatus::Completed, "{fate:?}");
        let seen = host.seen.lock().unwrap();
        assert_eq!(seen.calls.values().sum::<u32>(), calls, "{fate:?}");
        assert_eq!(seen.effects.values().sum::<u32>(), 1, "{fate:?}");
    }
}

#[test]
fn a_failure_undoes_finished_steps_in_reverse_order() {
    let (mut driver, store, _) =
        world(TestHost::new(|job| if job.step == "c" { CallFate::Refused } else { CallFate::Done }));
    let mut last = step("c", &["b"], KEY);
    last.on_failure = OnFailure::Undo;
    let steps = vec![
        with_undo(step("a", &[], Place::Inline), Place::Inline),
        with_undo(step("b", &["a"], KEY), Place::Inline),
        last,
    ];
    let run = start(&mut driver, steps);
    assert_eq!(finish(&mut driver, run), RunStatus::Compensated);
    let state = driver.engine().run_state(&scope(), run).unwrap();
    let list = state.receipts().unwrap();
    let order: Vec<(String, bool)> = list.iter().map(|one| (one.step.clone(), one.job.undo)).collect();
    let expected = [("a", false), ("b", false), ("c", false), ("b", true), ("a", true)];
    assert_eq!(order, expected.map(|(step, undo)| (step.to_owned(), undo)));
    assert_eq!(state.state.unwrap().failure(), Some(&Failure::business("refused", "no")));
    assert_eq!(store.records(&scope(), "mark", &RecordFilter::default(), 10, None).unwrap().items.len(), 3);
}

#[test]
fn a_foreach_gives_an_ordered_list_of_results() {
    let (mut driver, _, _) = world(TestHost::new(|_| CallFate::Done));
    let run = start(&mut driver, vec![each(step("a", &[], KEY))]);
    assert_eq!(finish(&mut driver, run), RunStatus::Completed);
    let data = driver.engine().run_state(&scope(), run).unwrap().data;
    let said: Vec<bool> = data.steps["a"]
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
        .map(|(n, result)| result["said"].as_str().unwrap().starts_with(&format!("a {n} ")))
        .collect();
    assert_eq!(said, [true, true, true]);
}

#[test]
fn cancelling_waits_for_the_call_under_way() {
    let (mut driver, _, host) =
        world(TestHost::new(|job| if job.step == "a" { CallFate::Busy } else { CallFate::Done }));
    let run = start(&mut driver, vec![step("a", &[], KEY), step("b", &["a"], KEY)]);
    driver.pump();
    let engine = driver.engine().clone();
    driver.block_on(engine.cancel(&scope(), run, vec![], vec![]), None).unwrap().unwrap();
    assert_eq!(finish(&mut driver, run), RunStatus::Cancelled);
    driver.advance_to(driver.engine().clock().now().plus(Millis(60_000)));
    assert_eq!(host.seen.lock().unwrap().calls.len(), 1, "b never started");
}

#[test]
fn another_node_takes_over_the_runs_of_a_dead_node() {
    for (place, status, calls) in [(KEY, RunStatus::Completed, 2), (NONE, RunStatus::Waiting, 1)] {
        let first = AtomicU32::new(0);
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let host = Arc::new(TestHost::new(move |_| {
            if first.fetch_add(1, Ordering::Relaxed) == 0 { CallFate::NoAnswer } else { CallFate::Done }
        }));
        let clock = clock();
        let mut one = Driver::new(store.clone(), host.clone(), host.clone(), clock.clone(), random(1));
        let run = start(&mut one, vec![step("a", &[], place), step("b", &["a"], Place::Inline)]);
        one.pump();
        assert_eq!(store.run(&scope(), run).unwrap().unwrap().schedule.owner, Some(one.engine().node()));
        let dead = one.engine().node();
        drop(one);
        let mut two = Driver::new(store.clone(), host.clone(), host.clone(), clock, random(2));
        two.take_over(dead);
        assert_eq!(finish(&mut two, run), status);
        let asked = host.seen.lock().unwrap().calls.values().sum::<u32>();
        assert_eq!(asked, calls, "{status}");
        let log = store.log(&scope(), run).unwrap();
        assert!(brain_engine::log::entries(&log).any(|entry| entry.name() == "TakenOver"));
    }
}

#[test]
fn a_node_whose_runs_were_taken_over_cannot_write_to_them() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let host = Arc::new(TestHost::new(|job| if job.attempt == 1 { CallFate::NoAnswer } else { CallFate::Done }));
    let clock = clock();
    let mut one = Driver::new(store.clone(), host.clone(), host.clone(), clock.clone(), random(1));
    let run = start(&mut one, vec![step("a", &[], KEY)]);
    one.pump();
    let mut two = Driver::new(store.clone(), host.clone(), host, clock, random(2));
    two.take_over(one.engine().node());
    assert_eq!(finish(&mut two, run), RunStatus::Completed);
    // It still believes that it owns the run and that its call is under way.
    let engine = one.engine().clone();
    drop(one.block_on(engine.cancel(&scope(), run, vec![], vec![]), None));
    let log = store.log(&scope(), run).unwrap();
    assert_eq!(store.run(&scope(), run).unwrap().unwrap().status, RunStatus::Completed);
    let count = |name: &str| brain_engine::log::entries(&log).filter(|entry| entry.name() == name).count();
    assert_eq!((count("ScopeStopped"), count("JobStarted"), count("JobDone")), (0, 2, 1), "nothing it decided counts");
    let ended = count("RunEnded");
    assert_eq!(ended, 1);
}

#[test]
fn an_unreadable_run_does_not_affect_others() {
    let (mut driver, store, _) = world(TestHost::new(|_| CallFate::Busy));
    let bad = start(&mut driver, vec![step("a", &[], KEY)]);
    driver.pump();
    // An event of a build that does not exist yet.
    let row = store.run(&scope(), bad).unwrap().unwrap();
    let mut schedule = row.schedule.clone();
    schedule.seq += 1;
    let alien = brain_store::LogRow {
        run: bad,
        seq: row.schedule.seq,
        at: row.updated_at,
        events: vec![brain_store::LogEvent::new(150, 9, &serde_json::json!({}), None)],
        payloads: vec![],
    };
    let update =
        brain_store::Write::UpdateRun { run: bad, status: row.status, at: row.updated_at, schedule, program: None };
    let writes = vec![update, brain_store::Write::Append(alien.into())];
    let member = brain_store::Member { scope: scope(), preconditions: vec![], writes };
    store.commit_now(vec![member]).unwrap();
    let good = program(vec![step("a", &[], Place::Inline)]);
    let submission = submission(&good, 2);
    let (run, engine) = (submission.run, driver.engine().clone());
    driver.block_on(engine.submit(submission), None).unwrap().unwrap();
    assert_eq!(finish(&mut driver, run), RunStatus::Completed);
    assert!(matches!(engine.run_state(&scope(), bad), Err(EngineError::Unreadable(..))));

    // It is parked visibly and not retried automatically; a person decides.
    driver.advance_to(row.updated_at.plus(Millis(60_000)));
    let aside = store.run(&scope(), bad).unwrap().unwrap();
    assert_eq!((aside.status.as_str(), aside.schedule.wake_at, aside.schedule.owner), ("parked", None, None));
    let last = store.log(&scope(), bad).unwrap().pop().unwrap();
    assert_eq!(last.events[0].number, 12, "the feed has an event");
    let again = driver.block_on(engine.unpark(&scope(), bad, "ann"), None).unwrap();
    assert!(matches!(again, Err(EngineError::Unreadable(..))), "this build still cannot read it");
    let event = NewEvent::pipe(PipeEvent::Aborted, serde_json::json!({"by": "ann"}), None);
    engine.abort_unread(&scope(), bad, event).unwrap();
    assert_eq!(store.run(&scope(), bad).unwrap().unwrap().status, RunStatus::Cancelled);
}

#[test]
fn urgent_jobs_are_handed_over_first() {
    let order = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = order.clone();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let host = Arc::new(TestHost::new(move |job| {
        seen.lock().unwrap().push(job.run);
        CallFate::Done
    }));
    let clock = clock();
    // One external job at a time: the others wait in order of priority.
    let mut driver = Driver::with_flow(
        store,
        host.clone(),
        host,
        clock,
        random(1),
        FlowConfig { slots: 1, ..FlowConfig::default() },
    );
    let program = program(vec![step("a", &[], KEY)]);
    let mut runs = Vec::new();
    let engine = driver.engine().clone();
    let mut answers = Vec::new();
    for (n, priority) in [(1, 1), (2, 1), (3, 10), (4, 5)] {
        let submission = brain_engine::core::Submission { priority, ..submission(&program, n) };
        runs.push(submission.run);
        answers.push(Box::pin(engine.submit(submission)));
    }
    // Submit all before the core works.
    let all = std::future::poll_fn(|context| {
        answers.retain_mut(|answer| std::future::Future::poll(answer.as_mut(), context).is_pending());
        if answers.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    });
    driver.block_on(all, None).unwrap();
    for run in &runs {
        finish(&mut driver, *run);
    }
    // The first one found a free slot.
    assert_eq!(*order.lock().unwrap(), [runs[0], runs[2], runs[3], runs[1]]);
}

#[test]
fn a_long_run_is_compacted_and_continues() {
    let mut host = TestHost::new(|job| if job.step == "last" { CallFate::LostAfter } else { CallFate::Done });
    host.sequel = Box::new(|job| if job.step == "s7" { common::Sequel::Grow } else { common::Sequel::Nothing });
    let (mut driver, store, _) = world(host);
    let mut steps: Vec<_> = (0..40)
        .map(|n| {
            let after = if n == 0 { vec![] } else { vec![format!("s{}", n - 1)] };
            let after: Vec<&str> = after.iter().map(String::as_str).collect();
            step(&format!("s{n}"), &after, KEY)
        })
        .collect();
    steps.push(step("last", &["s39"], NONE));
    let run = start(&mut driver, steps);
    driver.pump();
    let engine = driver.engine().clone();
    // The growing step injected one that needs an approval.
    for approval in store.approvals_of(&scope(), run).unwrap() {
        let key = approval.body["job"].as_str().unwrap().parse().unwrap();
        let ours = scope();
        let granted = engine.tell_job(&ours, run, key, brain_engine::core::ToJob::Grant);
        driver.block_on(granted, None).unwrap().unwrap();
    }
    driver.pump();
    let before = engine.run_state(&scope(), run).unwrap();
    assert_eq!(before.row.status, RunStatus::Waiting, "its last step is in doubt");
    let keep = brain_engine::Keep { payloads: None, runs: None, blobs: Millis(0), long: 50 };
    let seen = brain_engine::sweep(store.as_ref(), &scope(), before.row.updated_at, keep, true).unwrap();
    assert_eq!((seen.runs_compacted, store.log(&scope(), run).unwrap().len()), (1, before.log.len()), "a dry run");
    let swept = brain_engine::sweep(store.as_ref(), &scope(), before.row.updated_at, keep, false).unwrap();
    assert_eq!(swept.runs_compacted, 1);
    let after = engine.run_state(&scope(), run).unwrap();
    assert!(after.log.len() <= 5 && before.log.len() > 40, "{} rows of {}", after.log.len(), before.log.len());
    assert_eq!((&after.state, &after.data, after.program()), (&before.state, &before.data, before.program()));
    assert_eq!(after.receipts().unwrap(), before.receipts().unwrap());
    let again = brain_engine::sweep(store.as_ref(), &scope(), before.row.updated_at, keep, false).unwrap();
    assert_eq!(again.runs_compacted, 0, "there is nothing more to compact");

    // After another event it is compacted again: the previous checkpoint is deleted, the receipts are not copied.
    let ours = scope();
    let stray = engine.tell_job(&ours, run, before.receipts().unwrap()[0].key, brain_engine::core::ToJob::Grant);
    driver.block_on(stray, None).unwrap().unwrap();
    let keep = brain_engine::Keep { long: 1, ..keep };
    let swept = brain_engine::sweep(store.as_ref(), &scope(), before.row.updated_at, keep, false).unwrap();
    assert_eq!(swept.runs_compacted, 1);
    let twice = engine.run_state(&scope(), run).unwrap();
    let points = brain_engine::log::entries(&twice.log).filter(|entry| entry.name() == "Checkpoint").count();
    assert_eq!((points, &twice.state), (1, &before.state));
    assert_eq!(twice.receipts().unwrap(), before.receipts().unwrap());

    let letter = store.dead_letters(&scope(), Some(true), 10, None).unwrap().items.remove(0);
    let ours = scope();
    let decided = engine.decide_letter(&ours, letter.id, LetterDecision::Resolve(None), "ann", "it is there");
    driver.block_on(decided, None).unwrap().unwrap();
    assert_eq!(finish(&mut driver, run), RunStatus::Completed);
    let over = engine.run_state(&scope(), run).unwrap();
    assert_eq!(over.receipts().unwrap().len(), before.receipts().unwrap().len());
}
