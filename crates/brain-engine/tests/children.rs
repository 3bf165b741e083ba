//! A run that is stopped while it starts a child run stops the child too, whatever happens to the answer of that call.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use brain_core::{Digest, Failure, RunId, RunStatus};
use brain_engine::core::Submission;
use brain_engine::{CheckAnswer, Driver, EngineError, HostFuture, JobContext, JobOutcome, Outside, Starts, child_key};
use brain_lang::plan::{Idempotency, OnFailure, Place, PlanStep, RetryPolicy, ToolRef};
use brain_registry::{ToolResult, ValidatedCall};
use brain_store::{MemoryStore, Store};
use common::{CallFate, TestHost, clock, program, random, scope, step, submission};
use serde_json::{Value, json};

const KEY: Place = Place::Outside(Idempotency::Key);

/// Where the answer to a call is put.
type Cell = Arc<Mutex<Option<JobOutcome>>>;

/// Calls that are answered when the test says so.
#[derive(Default)]
struct Calls {
    made: Mutex<Vec<(JobContext, Cell)>>,
}

impl Calls {
    fn last(&self) -> JobContext {
        self.made.lock().unwrap().last().unwrap().0.clone()
    }

    fn count(&self) -> usize {
        self.made.lock().unwrap().len()
    }

    /// Answers the latest call.
    fn answer(&self, outcome: JobOutcome) {
        *self.made.lock().unwrap().last().unwrap().1.lock().unwrap() = Some(outcome);
    }
}

impl Outside for Calls {
    fn perform(&self, _: ValidatedCall, job: JobContext) -> HostFuture<JobOutcome> {
        let cell = Cell::default();
        self.made.lock().unwrap().push((job, cell.clone()));
        Box::pin(poll_fn(move |_| cell.lock().unwrap().take().map_or(Poll::Pending, Poll::Ready)))
    }

    fn check(&self, _: &ToolRef, _: Value, _: JobContext) -> HostFuture<CheckAnswer> {
        Box::pin(std::future::pending())
    }
}

/// A parent whose only step is about to start a child run.
struct World {
    store: Arc<dyn Store>,
    host: Arc<TestHost>,
    calls: Arc<Calls>,
    clock: Arc<brain_core::VirtualClock>,
    driver: Driver,
    parent: RunId,
}

impl World {
    fn new(starts: Starts, change: impl FnOnce(&mut PlanStep)) -> Self {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let mut host = TestHost::new(|_| CallFate::Done);
        host.starts = starts;
        let (host, calls, clock) = (Arc::new(host), Arc::new(Calls::default()), clock());
        let mut driver = Driver::new(store.clone(), host.clone(), calls.clone(), clock.clone(), random(1));
        let mut spawn = step("spawn", &[], KEY);
        change(&mut spawn);
        let submission = submission(&program(vec![spawn]), 1);
        let parent = submission.run;
        let engine = driver.engine().clone();
        driver.block_on(engine.submit(submission), None).unwrap().unwrap();
        driver.pump();
        assert_eq!(calls.count(), 1);
        Self { store, host, calls, clock, driver, parent }
    }

    /// The child run of the call: it waits for a worker.
    fn child(&self) -> Submission {
        let job = self.calls.last();
        let worker = Place::Worker { topic: "t".into(), lease: brain_core::Millis(1_000) };
        let child = submission(&program(vec![step("work", &[], worker), step("then", &["work"], KEY)]), 2);
        let key = child_key(self.store.as_ref(), &scope(), self.parent, job.key).unwrap();
        let request = json!({"message": "child", "parent": {"run": self.parent, "job": job.key}});
        Submission { key: Some((key, Digest::of(b"child"))), request, ..child }
    }

    fn submit(&mut self, child: Submission) -> Result<RunId, EngineError> {
        let engine = self.driver.engine().clone();
        let news = self.driver.block_on(engine.submit(child), None).unwrap();
        self.driver.pump();
        news.map(|news| news.run)
    }

    fn started(child: RunId) -> JobOutcome {
        let mut result = ToolResult::ok(json!({"run_id": child}));
        result.delegate = Some(json!({"child_run": child}));
        JobOutcome::Done(result)
    }

    fn cancel(&mut self) {
        let engine = self.driver.engine().clone();
        self.driver.block_on(engine.cancel(&scope(), self.parent, vec![], vec![]), None).unwrap().unwrap();
        self.driver.pump();
    }

    /// The node dies, and another takes over its runs.
    fn die(&mut self) {
        let dead = self.driver.engine().node();
        let (store, host, calls, clock) =
            (self.store.clone(), self.host.clone(), self.calls.clone(), self.clock.clone());
        self.driver = Driver::new(store, host, calls, clock, random(2));
        self.driver.take_over(dead);
        self.look();
    }

    /// What the keeper does every second.
    fn look(&mut self) {
        self.driver.keep().unwrap();
        self.driver.pump();
    }

    fn status(&self, run: RunId) -> RunStatus {
        self.store.run(&scope(), run).unwrap().unwrap().status
    }

    fn events(&self) -> Vec<String> {
        let log = self.store.log(&scope(), self.parent).unwrap();
        brain_engine::log::entries(&log).map(|entry| entry.name().to_owned()).collect()
    }

    fn open_letters(&self) -> usize {
        self.store.dead_letters(&scope(), Some(true), 10, None).unwrap().items.len()
    }

    fn both_are_cancelled(&self, child: RunId) {
        assert_eq!(self.status(child), RunStatus::Cancelled, "{:?}", self.events());
        assert_eq!(self.status(self.parent), RunStatus::Cancelled, "{:?}", self.events());
        assert_eq!((self.open_letters(), self.calls.count()), (0, 1), "{:?}", self.events());
    }
}

#[test]
fn a_child_whose_start_is_reported_after_its_parent_was_cancelled_is_cancelled() {
    let mut world = World::new(Starts::Child, |_| ());
    let child = world.child();
    let child = world.submit(child).unwrap();
    world.cancel();
    assert_eq!((world.status(world.parent), world.status(child)), (RunStatus::Stopping, RunStatus::Waiting));
    world.calls.answer(World::started(child));
    world.driver.pump();
    world.both_are_cancelled(child);
}

#[test]
fn a_child_of_a_parent_that_was_cancelled_and_whose_node_died_is_found_and_cancelled() {
    let mut world = World::new(Starts::Child, |_| ());
    let child = world.child();
    let child = world.submit(child).unwrap();
    world.cancel();
    world.die();
    world.both_are_cancelled(child);
    assert!(!world.events().contains(&"LetterOpened".to_owned()), "{:?}", world.events());
}

#[test]
fn a_child_that_was_not_started_when_its_parent_was_taken_over_is_never_started() {
    let mut world = World::new(Starts::Child, |_| ());
    let child = world.child();
    world.cancel();
    world.die();
    assert_eq!((world.status(world.parent), world.open_letters()), (RunStatus::Cancelled, 0), "{:?}", world.events());
    // The old node wakes up and starts it after all.
    let late = world.submit(child);
    assert!(matches!(late, Err(EngineError::KeyTaken(_))), "{late:?}");
    assert_eq!(brain_engine::last_child(world.store.as_ref(), &scope(), world.calls.last().key).unwrap(), None);
}

#[test]
fn a_child_whose_start_is_repeated_when_its_parent_is_cancelled_is_cancelled() {
    for exists in [true, false] {
        let mut world = World::new(Starts::Child, |_| ());
        let child = world.child();
        let run = child.run;
        let late = if exists { world.submit(child).map(drop) } else { Ok(()) };
        late.unwrap();
        world.calls.answer(JobOutcome::Unknown(Failure::transient("child_unknown", "cut")));
        world.driver.pump();
        assert!(world.events().contains(&"JobRetrying".to_owned()), "{:?}", world.events());
        world.cancel();
        match exists {
            true => world.both_are_cancelled(run),
            false => {
                assert_eq!((world.status(world.parent), world.open_letters()), (RunStatus::Cancelled, 0));
                let child = world.child();
                assert!(matches!(world.submit(child), Err(EngineError::KeyTaken(_))));
            }
        }
    }
}

#[test]
fn a_child_behind_a_dead_letter_is_cancelled_with_its_parent() {
    for exists in [true, false] {
        let mut world =
            World::new(Starts::Child, |step| step.retry = RetryPolicy { attempts: 1, ..step.retry.clone() });
        let child = world.child();
        let run = child.run;
        let late = if exists { world.submit(child).map(drop) } else { Ok(()) };
        late.unwrap();
        world.calls.answer(JobOutcome::Unknown(Failure::transient("child_unknown", "cut")));
        world.driver.pump();
        assert_eq!(world.open_letters(), 1);
        world.cancel();
        match exists {
            true => world.both_are_cancelled(run),
            false => assert_eq!((world.status(world.parent), world.open_letters()), (RunStatus::Cancelled, 0)),
        }
    }
}

#[test]
fn a_child_in_doubt_whose_parent_fails_is_cancelled_and_its_end_is_awaited() {
    let mut world = World::new(Starts::Child, |step| step.on_failure = OnFailure::Undo);
    let child = world.child();
    let child = world.submit(child).unwrap();
    world.calls.answer(JobOutcome::Unknown(Failure::transient("child_unknown", "cut")));
    world.driver.pump();
    world.cancel();
    world.both_are_cancelled(child);
    assert!(world.events().contains(&"JobDelegated".to_owned()), "{:?}", world.events());
}

#[test]
fn a_forced_stop_forces_the_stop_of_a_child_that_it_finds_late() {
    let mut world = World::new(Starts::Child, |_| ());
    let child = world.child();
    let child = world.submit(child).unwrap();
    world.cancel();
    world.cancel();
    world.calls.answer(World::started(child));
    world.driver.pump();
    assert_eq!((world.status(world.parent), world.status(child)), (RunStatus::Cancelled, RunStatus::Cancelled));
}

#[test]
fn a_child_that_nobody_waits_for_goes_on_and_is_no_dead_letter() {
    let mut world = World::new(Starts::Detached, |_| ());
    let child = Submission { request: json!({"message": "child"}), ..world.child() };
    let child = world.submit(child).unwrap();
    world.cancel();
    world.die();
    assert_eq!((world.status(world.parent), world.status(child)), (RunStatus::Cancelled, RunStatus::Waiting));
    assert_eq!(world.open_letters(), 0, "{:?}", world.events());
}

#[test]
fn a_child_that_ended_in_doubt_keeps_the_dead_letter_of_its_parent() {
    let mut world = World::new(Starts::Child, |_| ());
    let child = world.child();
    let child = world.submit(child).unwrap();
    world.calls.answer(World::started(child));
    world.driver.pump();
    // A worker takes the job, and the stop is forced while it has it.
    let engine = world.driver.engine().clone();
    let offer = world.store.offers(&scope(), &["t".to_owned()], 1).unwrap().remove(0);
    let lease = brain_engine::core::ToJob::Lease { until: None, worker: "w".into() };
    world.driver.block_on(engine.tell_job(&scope(), child, offer.key, lease), None).unwrap().unwrap();
    for _ in 0..2 {
        let engine = world.driver.engine().clone();
        world.driver.block_on(engine.cancel(&scope(), child, vec![], vec![]), None).unwrap().unwrap();
    }
    world.look();
    assert_eq!((world.status(child), world.open_letters()), (RunStatus::Cancelled, 2), "{:?}", world.events());
    world.cancel();
    assert_eq!((world.status(world.parent), world.open_letters()), (RunStatus::Cancelled, 2), "{:?}", world.events());
}
