//! Writes that the database rejects: the caller gets an error, a run that cannot go on is parked, all others go on.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use brain_core::{Clock, Failure, Millis, NodeId, RunId, RunStatus, SeededRandom, Timestamp};
use brain_engine::core::{Action, Command, Core, CoreInput, Reply, StepOutput, TurnInput};
use brain_engine::log::entries;
use brain_engine::{Driver, EngineError, FlowConfig, JobOutcome, NewEvent, PipeEvent, RunNews};
use brain_lang::plan::{Idempotency, Place};
use brain_registry::ToolResult;
use brain_store::{LogEvent, LogRow, Member, MemoryStore, Outcome, SqliteStore, Store, SystemScope, Write};
use brain_vm::{Input, JobId, JobStatus};
use common::{CallFate, TestHost, clock, program, random, scope, step, submission};
use serde_json::json;

const KEY: Place = Place::Outside(Idempotency::Key);
const NONE: Place = Place::Outside(Idempotency::None);

/// Works until nothing more happens at this time. The store commits on its own thread, in order, so an extra commit
/// ends after all others.
fn settle(driver: &mut Driver, store: &dyn Store) {
    while driver.pump() {
        store.commit_now(vec![]).unwrap();
    }
}

fn ask<T>(driver: &mut Driver, store: &dyn Store, future: impl Future<Output = T>) -> T {
    let mut future: Pin<Box<dyn Future<Output = T> + '_>> = Box::pin(future);
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..10 {
        if let Poll::Ready(answer) = future.as_mut().poll(&mut context) {
            return answer;
        }
        settle(driver, store);
    }
    panic!("no answer came")
}

#[test]
fn a_rejected_run_is_parked_and_the_others_complete() {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.path().join("refused.db")).unwrap());
    // No call is answered the first time: the timeouts of all runs share one step and one commit.
    let host = Arc::new(TestHost::new(|job| if job.attempt == 1 { CallFate::NoAnswer } else { CallFate::Done }));
    let clock = clock();
    let mut driver = Driver::new(store.clone(), host.clone(), host, clock.clone(), random(1));
    let engine = driver.engine().clone();
    let program = program(vec![step("a", &[], KEY)]);
    let runs: Vec<RunId> = (0..5)
        .map(|n| {
            let submission = submission(&program, n);
            let run = submission.run;
            ask(&mut driver, store.as_ref(), engine.submit(submission)).unwrap();
            run
        })
        .collect();
    settle(&mut driver, store.as_ref());
    // The next log row of one run exists already, so the database rejects the run's own.
    let bad = runs[2];
    let row = store.run(&scope(), bad).unwrap().unwrap();
    let alien = LogRow {
        run: bad,
        seq: row.schedule.seq,
        at: row.updated_at,
        events: vec![LogEvent::new(1, 1, &json!({}), None)],
        payloads: vec![],
    };
    let member = Member { scope: scope(), preconditions: vec![], writes: vec![Write::Append(alien.into())] };
    assert_eq!(store.commit_now(vec![member]).unwrap(), [Outcome::Committed]);

    let ours = scope();
    let mut waiting = Box::pin(engine.wait(&ours, bad));
    let mut context = Context::from_waker(Waker::noop());
    assert!(waiting.as_mut().poll(&mut context).is_pending());
    for _ in 0..20 {
        clock.advance(Millis(1_000));
        driver.keep().unwrap();
        settle(&mut driver, store.as_ref());
    }
    let status = |run: &RunId| store.run(&scope(), *run).unwrap().unwrap();
    let statuses: Vec<RunStatus> = runs.iter().map(|run| status(run).status).collect();
    assert_eq!(
        statuses,
        [RunStatus::Completed, RunStatus::Completed, RunStatus::Parked, RunStatus::Completed, RunStatus::Completed]
    );
    let Poll::Ready(answer) = waiting.as_mut().poll(&mut context) else { panic!("the waiting caller gets an answer") };
    assert_eq!(answer.unwrap().status, RunStatus::Parked);
    let aside = status(&bad).schedule;
    assert_eq!((aside.owner, aside.wake_at, aside.queued), (None, None, None), "it is not scheduled");
    let commits = store.stats().commits;
    clock.advance(Millis(60_000));
    settle(&mut driver, store.as_ref());
    assert!(store.stats().commits <= commits + 1, "it is not retried forever");
}

#[test]
fn a_stopped_node_stays_known_while_a_commit_of_it_may_still_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stops.db");
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&path).unwrap());
    let host = Arc::new(TestHost::new(|_| CallFate::NoAnswer));
    let mut driver = Driver::new(store.clone(), host.clone(), host, clock(), random(1));
    let engine = driver.engine().clone();
    // Another process holds the write lock for a while.
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let submission = submission(&program(vec![step("a", &[], KEY)]), 1);
    let run = submission.run;
    let mut asked = Box::pin(engine.submit(submission));
    assert!(asked.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    driver.pump();
    std::thread::scope(|scope| {
        let stopping = scope.spawn(|| engine.stop());
        for _ in 0..100_000 {
            std::thread::yield_now();
        }
        other.execute_batch("ROLLBACK").unwrap();
        stopping.join().unwrap();
    });
    store.commit_now(vec![]).unwrap();
    let owner = store.run(&scope(), run).unwrap().unwrap().schedule.owner;
    assert_eq!(owner, Some(engine.node()), "it was written after the node had ended");
    let known = store.nodes(SystemScope, Timestamp::default()).unwrap();
    assert!(known.iter().any(|node| node.id == engine.node()), "others find its runs");
}

/// A core without threads: the test executes its commits or injects their results.
struct Bench {
    core: Core,
    store: Arc<dyn Store>,
    clock: Arc<brain_core::VirtualClock>,
    heard: Arc<Mutex<Vec<Result<RunNews, EngineError>>>>,
    /// Number of calls made.
    calls: usize,
}

impl Bench {
    fn new() -> Self {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let host = Arc::new(TestHost::new(|_| CallFate::Done));
        let clock = clock();
        let node = NodeId::generate(clock.now(), &mut SeededRandom::new(1));
        let core = Core::alone(node, store.clone(), host, random(1), FlowConfig::default());
        Self { core, store, clock, heard: Arc::default(), calls: 0 }
    }

    fn reply(&self) -> Reply {
        let heard = self.heard.clone();
        Box::new(move |result| heard.lock().unwrap().push(result))
    }

    fn heard(&self) -> Result<RunNews, EngineError> {
        self.heard.lock().unwrap().remove(0)
    }

    fn act(&mut self, output: StepOutput) -> Vec<(u64, Member)> {
        let mut commits = output.commits;
        for action in output.actions {
            match action {
                Action::Reply(reply, result) => reply(result),
                Action::Perform(_) => self.calls += 1,
                Action::Load(load) => {
                    let loaded = self.core.load(&load);
                    commits.extend(self.step(loaded));
                }
                _ => {}
            }
        }
        commits
    }

    /// Runs one step and returns its commits.
    fn step(&mut self, input: CoreInput) -> Vec<(u64, Member)> {
        let output = self.core.step(self.clock.now(), [input]);
        self.act(output)
    }

    /// Commits until nothing is left to commit.
    fn commit(&mut self, mut commits: Vec<(u64, Member)>) {
        while let Some((number, member)) = commits.pop() {
            let outcome = self.store.commit_now(vec![member]).unwrap().remove(0);
            commits.extend(self.step(CoreInput::Committed(number, Ok(outcome))));
        }
    }

    /// Rejects the only commit and returns what the core commits instead.
    fn refuse(&mut self, commits: Vec<(u64, Member)>) -> Vec<(u64, Member)> {
        let [(number, _)] = commits.as_slice() else { panic!("one commit: {}", commits.len()) };
        self.step(CoreInput::Committed(*number, Ok(Outcome::Refused("it is too large".into()))))
    }

    fn start(&mut self, n: u64, place: Place) -> RunId {
        let submission = submission(&program(vec![step("a", &[], place), step("b", &["a"], KEY)]), n);
        let run = submission.run;
        let reply = self.reply();
        let commits = self.step(CoreInput::Submit(Box::new(submission), reply, None));
        self.commit(commits);
        self.heard().unwrap();
        run
    }

    fn status(&self, run: RunId) -> RunStatus {
        self.store.run(&scope(), run).unwrap().unwrap().status
    }

    fn command(&mut self, run: RunId, prelude: Vec<NewEvent>, inputs: Vec<TurnInput>) -> Vec<(u64, Member)> {
        let (preconditions, writes) = (Vec::new(), Vec::new());
        let command = Command { prelude, preconditions, writes, inputs, status: None, program: None };
        let reply = self.reply();
        self.step(CoreInput::Command(scope(), run, Box::new(command), reply))
    }
}

const FIRST: JobId = JobId { scope: 0, step: 0, item: 0, undo: false };

fn done(run: RunId) -> CoreInput {
    CoreInput::Job(scope(), run, FIRST, 1, JobOutcome::Done(ToolResult::ok(json!({"said": "yes"}))))
}

#[test]
fn a_rejected_new_run_leaves_nothing() {
    let mut bench = Bench::new();
    let submission = submission(&program(vec![step("a", &[], KEY)]), 1);
    let run = submission.run;
    let reply = bench.reply();
    let commits = bench.step(CoreInput::Submit(Box::new(submission), reply, None));
    assert!(bench.refuse(commits).is_empty());
    let answer = bench.heard();
    assert!(matches!(&answer, Err(EngineError::Refused(of, why)) if *of == run && why.contains("too large")));
    assert_eq!(bench.store.run(&scope(), run).unwrap(), None);
    assert_eq!((bench.calls, bench.core.running_jobs(), bench.core.commits_under_way()), (0, 0, 0));
    assert!(bench.step(CoreInput::Wake(scope(), run)).is_empty());
}

#[test]
fn a_request_whose_caller_has_gone_is_not_started() {
    let mut bench = Bench::new();
    let submission = submission(&program(vec![step("a", &[], KEY)]), 1);
    let reply = bench.reply();
    let gone = Some(Arc::new(std::sync::atomic::AtomicBool::new(true)));
    assert!(bench.step(CoreInput::Submit(Box::new(submission), reply, gone)).is_empty());
    assert!(matches!(bench.heard(), Err(EngineError::Busy)));
}

#[test]
fn a_rejected_command_affects_only_its_caller() {
    let mut bench = Bench::new();
    let run = bench.start(1, KEY);
    let commits = bench.command(run, vec![], vec![TurnInput::Input(Input::Cancel, None)]);
    let next = bench.refuse(commits);
    assert!(next.is_empty());
    assert!(matches!(bench.heard(), Err(EngineError::Refused(..))));
    let commits = bench.step(done(run));
    bench.commit(commits);
    assert_eq!((bench.status(run).as_str(), bench.calls), ("running", 2), "the run goes on");
}

#[test]
fn a_run_whose_result_is_rejected_is_parked_and_a_person_resumes_it() {
    let mut bench = Bench::new();
    let run = bench.start(1, NONE);
    assert_eq!((bench.calls, bench.core.running_jobs()), (1, 1));
    let commits = bench.step(done(run));
    let parking = bench.refuse(commits);
    assert_eq!(bench.core.running_jobs(), 0, "the next call has no slot");
    // If parking fails too, nothing is lost: the turn is decided, rejected and parked again.
    let [(number, _)] = parking.as_slice() else { panic!("one commit") };
    let failed = Err(brain_store::StoreError::Failed("the disk is full".into()));
    assert!(bench.step(CoreInput::Committed(*number, failed)).is_empty());
    bench.clock.advance(Millis(500));
    let commits = bench.step(CoreInput::Wake(scope(), run));
    let parking = bench.refuse(commits);
    bench.commit(parking);
    assert_eq!(bench.status(run), RunStatus::Parked);
    let log = bench.store.log(&scope(), run).unwrap();
    let said = entries(&log).last().unwrap();
    assert!(said.is(PipeEvent::Parked) && said.value()["why"] == "it is too large" && said.value()["was"] == "running");

    // Only a person resumes it.
    for input in [done(run), CoreInput::Wake(scope(), run), CoreInput::Signal(scope(), run)] {
        assert!(bench.step(input).is_empty());
    }
    assert!(bench.command(run, vec![], vec![TurnInput::Input(Input::Cancel, None)]).is_empty());
    assert!(matches!(bench.heard(), Err(EngineError::Parked(_))));

    let unparked = NewEvent::pipe(PipeEvent::Unparked, json!({"by": "ann"}), None);
    let lost = TurnInput::Input(Input::Unknown(FIRST, 1, Failure::transient("node_lost", "lost")), None);
    let commits = bench.command(run, vec![unparked], vec![lost]);
    bench.commit(commits);
    bench.heard().unwrap();
    assert_eq!(
        (bench.status(run).as_str(), bench.calls),
        ("waiting", 1),
        "the outcome is unknown, so it is not repeated"
    );
    assert_eq!(bench.store.dead_letters(&scope(), Some(true), 10, None).unwrap().items.len(), 1);
}

#[test]
fn unparking_waits_for_a_call_that_must_not_be_repeated() {
    let (store, clock): (Arc<dyn Store>, _) = (Arc::new(MemoryStore::new()), clock());
    let host = Arc::new(TestHost::new(|_| CallFate::NoAnswer));
    let mut driver = Driver::new(store.clone(), host.clone(), host, clock.clone(), random(1));
    let engine = driver.engine().clone();
    let submission = submission(&program(vec![step("a", &[], NONE)]), 1);
    let run = submission.run;
    driver.block_on(engine.submit(submission), None).unwrap().unwrap();
    driver.pump();
    let row = store.run(&scope(), run).unwrap().unwrap();
    let mut schedule = row.schedule.clone();
    (schedule.fence, schedule.owner) = (schedule.fence + 1, None);
    let (status, at): (RunStatus, Timestamp) = (RunStatus::Parked, clock.now());
    let writes = vec![Write::UpdateRun { run, status, at, schedule, program: None }];
    store.commit_now(vec![Member { scope: scope(), preconditions: vec![], writes }]).unwrap();

    let ours = scope();
    let early = driver.block_on(engine.unpark(&ours, run, "ann"), None).unwrap();
    let Err(EngineError::UnderWay(_, until)) = early else { panic!("{early:?}") };
    assert_eq!(until.since(at), Millis(6_000), "its timeout and the grace period");
    // Its time has passed: its answer changes nothing.
    driver.advance_to(until);
    assert_eq!(store.run(&scope(), run).unwrap().unwrap().status, RunStatus::Parked);
    driver.block_on(engine.unpark(&ours, run, "ann"), None).unwrap().unwrap();
    let state = engine.run_state(&scope(), run).unwrap();
    let job = &state.state.unwrap().jobs[&FIRST];
    assert!(matches!(job.status, JobStatus::Stuck { happened: brain_vm::Happened::Maybe }), "{job:?}");
    // A person may also abort it.
    let event = NewEvent::pipe(PipeEvent::Aborted, json!({"by": "ann"}), None);
    let again = driver.block_on(engine.abort_parked(&ours, run, "ann", event), None).unwrap();
    assert!(matches!(again, Err(EngineError::NothingToDo(_))), "it is not parked any more");
}
