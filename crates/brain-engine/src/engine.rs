//! The engine's public interface.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use brain_core::{Clock, Digest, Failure, JobKey, Millis, NodeId, Random, RunId, RunStatus, SeededRandom, Timestamp};
use brain_lang::plan::{Idempotency, Place};
use brain_store::{
    Backlog, Lane, LogRow, Member, Outcome, Precondition, RunRow, RunSchedule, Scope, SignalRow, Store, StoreError,
    SystemScope, Write,
};
use brain_vm::{Code, GRACE, Happened, Input, JobId, JobStatus, Program, StepId, StepMap};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::core::{
    CHILD_IN_DOUBT, Command, Core, CoreInput, PRIORITY_STEP, Submission, ToJob, TurnInput, last_child, lost_jobs,
    move_unread,
};
use crate::data::Moved;
use crate::flow::{Flow, FlowConfig, Uses};
use crate::host::{Host, JobOutcome, Outside};
use crate::inbox::Inbox;
use crate::input::RunInput;
use crate::intake::Intake;
use crate::log::{NewEvent, PipeEvent, entries};
use crate::node::{Keeper, Liveness};
use crate::operator_events::{Happening, Observer, Slow, happenings};
use crate::performer::Performer;
use crate::run_state::{Programs, RunState};
use crate::shards::Shards;
use crate::shell::{KeeperNews, TokioTasks, decide_forever, keep_forever};
use crate::watchers::{Hub, RunNews};

/// Polling interval of [`Engine::drain`].
const DRAIN_POLL: Duration = Duration::from_millis(25);

/// An error of the engine.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EngineError {
    /// There is no such run in this scope.
    #[error("there is no run {0}")]
    NoSuchRun(RunId),
    /// There is no such dead letter in this scope.
    #[error("there is no dead letter {0}")]
    NoSuchLetter(JobKey),
    /// A run with this id already exists.
    #[error("run {0} already exists")]
    RunExists(RunId),
    /// Another request was accepted with this key.
    #[error("the idempotency key `{0}` has been used")]
    KeyTaken(String),
    /// The decision was already made.
    #[error("this has already been decided")]
    AlreadyDecided,
    /// A precondition failed because of a concurrent change.
    #[error("a concurrent change made this request stale; nothing was done. Read the run again and repeat the request")]
    Moved,
    /// A run that is stopping retries nothing.
    #[error("run {0} is stopping, so its steps cannot be retried; resolve or abandon the letter")]
    Stopping(RunId),
    /// A call that took effect is not repeated.
    #[error(
        "this step of run {0} took effect, but its answer could not be used. Resolve the dead letter (with a result, \
         if later steps need one) or abandon it"
    )]
    Happened(RunId),
    /// A call of the child run may have happened, which must be decided first.
    #[error("step {1} of run {0} may have happened; decide its dead letter first")]
    InDoubt(RunId, String),
    /// The request has no effect.
    #[error("no decision is pending for run {0}")]
    NothingToDo(RunId),
    /// The log was written by a newer build, or is damaged.
    #[error("run {0} cannot be read: {1}")]
    Unreadable(RunId, String),
    /// The database rejected the write. Nothing was written.
    #[error("the database rejected the write for run {0}; nothing was changed: {1}")]
    Refused(RunId, String),
    /// The run is parked.
    #[error("run {0} is parked; a retry resumes it, an abort ends it")]
    Parked(RunId),
    /// A call that must not be repeated may be in flight.
    #[error("a call of run {0} may still be in flight and must not be repeated; try again after {1}")]
    UnderWay(RunId, Timestamp),
    /// A program is missing from the store.
    #[error("program {0} is not in the store")]
    NoProgram(Digest),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The run cannot be migrated to another program, and why.
    #[error("run {0} cannot be migrated: {list}", list = .1.join("; "))]
    NotMovable(RunId, Vec<String>),
    /// Too many requests are waiting to be written.
    #[error("too many requests are waiting to be written; nothing was done. Try again in a moment")]
    Busy,
    /// The engine is shutting down.
    #[error("the engine has been stopped")]
    Stopped,
}

/// Configuration of an engine.
#[derive(Clone, Debug)]
pub struct EngineConfig {
    /// Slots and limits of external jobs.
    pub flow: FlowConfig,
    /// Whether to start paused: no external calls, timers or take-overs until [`Engine::pause`] resumes.
    pub paused: bool,
    /// Whether this process also fires timers and takes over runs of dead nodes.
    pub keep: bool,
    /// The number of deciding threads, each with its shard of the runs.
    pub deciders: usize,
    /// Called after a thread of the engine has panicked. By default the process aborts: a core that has lost its
    /// invariants must not keep its lease, or its runs would never be taken over.
    pub panicked: fn(),
    /// Thresholds of the slow log.
    pub slow: Slow,
}

impl Default for EngineConfig {
    fn default() -> Self {
        Self {
            flow: FlowConfig::default(),
            keep: true,
            paused: false,
            deciders: 1,
            panicked: || std::process::abort(),
            slow: Slow::default(),
        }
    }
}

/// A person's decision about a dead letter.
#[derive(Clone, Debug)]
pub enum LetterDecision {
    /// Retry with the same key.
    Retry,
    /// Continue without it; or, with a result, as if it had succeeded.
    Resolve(Option<Value>),
    /// Fail the step: `on_failure` applies.
    Abandon,
    /// Assign it to someone; nothing else changes.
    Escalate(String),
    /// Nobody decided in time. The step fails, and `on_failure` applies. If it may have happened, it stays in doubt in
    /// the log, and a run that waits for it is stopped.
    Expire,
}

/// Decides, commits and carries out the runs of a store, on threads of its own. Callers share it.
pub struct Engine {
    node: NodeId,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    hub: Arc<Hub>,
    shards: Mutex<Shards>,
    threads: Mutex<Threads>,
    stop: Arc<AtomicBool>,
    paused: Arc<AtomicBool>,
    programs: Arc<Programs>,
    intake: Intake,
    retiring: tokio::sync::watch::Sender<bool>,
}

#[derive(Default)]
struct Threads {
    keeper: Option<Sender<KeeperNews>>,
    handles: Vec<std::thread::JoinHandle<()>>,
}

impl Engine {
    /// Starts the threads. Must be called inside a Tokio runtime, which executes external calls.
    pub fn start(
        config: &EngineConfig,
        store: Arc<dyn Store>,
        host: Arc<dyn Host>,
        outside: Arc<dyn Outside>,
        clock: Arc<dyn Clock>,
        mut random: Box<dyn Random>,
        liveness: Arc<dyn Liveness>,
    ) -> Result<Arc<Self>, EngineError> {
        let node = NodeId::generate(clock.now(), random.as_mut());
        let hub = Arc::new(Hub::new(config.slow));
        let programs = Arc::new(Programs::default());
        let stop = Arc::new(AtomicBool::new(false));
        let keep = config.keep;
        let kept = store.clone().lane(Lane::Keeping);
        let keeper = Keeper { node, store: kept, clock: clock.clone(), liveness, keep, looked: None };
        keeper.heartbeat(config.paused.then(Uses::new).as_ref())?;
        let paused = Arc::new(AtomicBool::new(config.paused));
        let mut threads = Threads::default();
        let panicked = config.panicked;
        let spawn = |name: &str, work: Box<dyn FnOnce() + Send>| {
            let thread = name.to_owned();
            std::thread::Builder::new()
                .name(name.to_owned())
                .spawn(move || {
                    if std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err() {
                        tracing::error!(thread, "a thread of the engine panicked; the process ends");
                        panicked();
                    }
                })
                .map_err(|error| EngineError::Store(StoreError::Failed(error.to_string())))
        };
        let count = config.deciders.max(1);
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..count).map(|_| channel()).unzip();
        let shards = Shards::new(senders.clone(), 0);
        if config.paused {
            shards.send(CoreInput::Pause(true));
        }
        let flow = Arc::new(Mutex::new(Flow::new(config.flow.clone())));
        let read = store.clone().lane(Lane::Deciding);
        for (number, inputs) in receivers.into_iter().enumerate() {
            let seeded = Box::new(SeededRandom::new(random.next_u64()));
            let (store, programs, hub) = (read.clone(), programs.clone(), hub.clone());
            let (host, flow) = (host.clone(), flow.clone());
            let core = Core::new(node, store.clone(), host, seeded, flow, programs.clone(), (number, count));
            let shards = Shards::new(senders.clone(), number);
            let tasks = TokioTasks { runtime: tokio::runtime::Handle::current(), send: shards.own() };
            let inbox = Inbox::new(config.flow.clone());
            let (outside, clock) = (outside.clone(), clock.clone());
            let performer =
                Performer::new(node, core, store, programs, outside, clock, hub, inputs, shards, inbox, tasks);
            let stop = stop.clone();
            let work = Box::new(move || decide_forever(performer, &stop));
            threads.handles.push(spawn(&format!("brain-decide-{number}"), work)?);
        }
        let (to_keeper, news) = channel();
        let sender = Mutex::new(to_keeper.clone());
        store.watch(Box::new(move || {
            if let Ok(keeper) = sender.lock() {
                drop(keeper.send(KeeperNews::Changed));
            }
        }));
        let to_core = shards.clone();
        // A short-lived process leaves the work of other nodes alone.
        let idle = Arc::new(AtomicBool::new(true));
        let (resting, of_node) = (if keep { paused.clone() } else { idle }, hub.clone());
        let uses = move || flow.lock().unwrap_or_else(PoisonError::into_inner).uses();
        threads.handles.push(spawn(
            "brain-keep",
            Box::new(move || {
                let send = move |input| to_core.send(input);
                keep_forever(keeper, &of_node, &send, &news, &resting, &uses);
            }),
        )?);
        threads.keeper = Some(to_keeper);
        Ok(Arc::new(Self {
            node,
            store,
            clock,
            hub,
            shards: Mutex::new(shards),
            threads: Mutex::new(threads),
            stop,
            paused,
            programs,
            intake: Intake::new(config.flow.waiting_of_tenant, config.flow.waiting),
            retiring: tokio::sync::watch::Sender::new(false),
        }))
    }

    /// Whether the last commit or heartbeat reached the store. Checked again with every heartbeat.
    pub fn can_write(&self) -> bool {
        self.hub.can_write()
    }

    /// An engine without threads: a [`crate::Driver`] moves it.
    pub(crate) fn by_hand(
        node: NodeId,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        hub: Arc<Hub>,
        (shards, programs): (Shards, Arc<Programs>),
    ) -> Arc<Self> {
        let threads = Mutex::new(Threads::default());
        let stop = Arc::new(AtomicBool::new(false));
        let shards = Mutex::new(shards);
        let (paused, intake) = (Arc::default(), Intake::new(usize::MAX, usize::MAX));
        let retiring = tokio::sync::watch::Sender::new(false);
        Arc::new(Self { node, store, clock, hub, shards, threads, stop, paused, programs, intake, retiring })
    }

    /// This node.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// The store.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The clock.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// Whether the engine is paused.
    pub fn is_paused(&self) -> bool {
        self.paused.load(Ordering::Relaxed)
    }

    /// Pauses or resumes the engine.
    pub fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::Relaxed);
        self.send(CoreInput::Pause(paused));
    }

    /// The backlog of all tenants: runs that wait for people or for slots.
    pub fn backlog(&self) -> Result<Backlog, StoreError> {
        self.store.backlog(SystemScope, PRIORITY_STEP)
    }

    /// The happenings in a row of a run's log.
    pub fn happenings(&self, scope: &Scope, row: &LogRow) -> Result<Vec<Happening>, EngineError> {
        if happenings(row, RunStatus::Running, None, None).is_empty() {
            return Ok(Vec::new());
        }
        let state = self.run_state(scope, row.run)?;
        let all = happenings(row, state.row.status, state.code.as_ref(), state.state.as_ref());
        let trace = state.row.request["trace_id"].as_str().map(str::to_owned);
        let (tenant, run, at) = (scope.tenant(), row.run, row.at);
        let each =
            all.into_iter().map(|what| Happening { tenant: tenant.clone(), run, trace: trace.clone(), at, what });
        Ok(each.collect())
    }

    /// Adds an observer.
    pub fn observe(&self, observer: Arc<dyn Observer>) {
        self.hub.observers.add(observer);
    }

    /// The number of external jobs in flight in this process.
    pub fn outside_jobs(&self) -> usize {
        self.hub.outside_jobs()
    }

    /// Stops starting external calls and waits until those in flight have ended and their outcomes are durable, for at
    /// most `limit`. Returns whether that was reached. Runs whose next step is external go back to the queue, where any
    /// node may take them.
    pub async fn drain(&self, limit: Duration) -> bool {
        self.pause(true);
        let over = async {
            // This node owns a run as long as a call of it is in flight or its outcome is not committed.
            while self.outside_jobs() > 0
                || self.store.owned_by(SystemScope, self.node, 1).is_ok_and(|owned| !owned.is_empty())
            {
                tokio::time::sleep(DRAIN_POLL).await;
            }
        };
        tokio::time::timeout(limit, over).await.is_ok()
    }

    /// Announces that this process is about to stop, so that long polls return.
    pub fn retire(&self) {
        self.retiring.send_replace(true);
    }

    /// Waits until [`Engine::retire`] is called.
    pub async fn retired(&self) {
        drop(self.retiring.subscribe().wait_for(|retiring| *retiring).await);
    }

    fn send(&self, input: CoreInput) {
        if let Ok(shards) = self.shards.lock() {
            shards.send(input);
        }
    }

    /// Writes a run and starts it if it may start. Returns when that is durable and its inline steps are done.
    pub async fn submit(&self, submission: Submission) -> Result<RunNews, EngineError> {
        let place = self.intake.enter(submission.scope.tenant()).ok_or(EngineError::Busy)?;
        // A request without a key whose caller has gone is not started.
        let gone = submission.key.is_none().then(|| place.gone());
        let (send, receive) = oneshot::channel();
        let reply = Box::new(move |result| drop(send.send(result)));
        self.send(CoreInput::Submit(Box::new(submission), reply, gone));
        receive.await.unwrap_or(Err(EngineError::Stopped))
    }

    /// Sends a command to a run. Returns when its commit is durable.
    pub async fn command(&self, scope: &Scope, run: RunId, command: Command) -> Result<RunNews, EngineError> {
        let (send, receive) = oneshot::channel();
        let reply = Box::new(move |result| drop(send.send(result)));
        self.send(CoreInput::Command(scope.clone(), run, Box::new(command), reply));
        receive.await.unwrap_or(Err(EngineError::Stopped))
    }

    /// The next time that this process settles a run. Ends without an answer when the store should be checked, because
    /// another process may have moved the run.
    pub fn next_rest(&self, run: RunId) -> oneshot::Receiver<RunNews> {
        self.hub.wait(run)
    }

    /// Waits until a run settles: it has ended, or only a person can resume it.
    pub async fn wait(&self, scope: &Scope, run: RunId) -> Result<RunNews, EngineError> {
        loop {
            // Subscribe before reading, so that nothing is missed in between.
            let news = self.hub.wait(run);
            let row = self.store.run(scope, run)?.ok_or(EngineError::NoSuchRun(run))?;
            if let Some(news) = self.at_rest(scope, &row)? {
                return Ok(news);
            }
            if let Ok(news) = news.await {
                return Ok(news);
            }
        }
    }

    fn at_rest(&self, scope: &Scope, row: &RunRow) -> Result<Option<RunNews>, EngineError> {
        let news = |at_rest| RunNews { at_rest, ..RunNews::of(row.id, row.status) };
        match row.status.as_str() {
            "running" => {}
            "waiting" | "delegated" | "stopping" | "compensating" => {
                let run = self.run_state(scope, row.id)?;
                if run.state.is_some_and(|state| run.data.is_at_rest(&state)) {
                    return Ok(Some(news(true)));
                }
            }
            _ => return Ok(Some(news(true))),
        }
        Ok(None)
    }

    /// Cancels a run, with additional events and writes in the same commit. Finished steps are not undone.
    pub async fn cancel(
        &self,
        scope: &Scope,
        run: RunId,
        prelude: Vec<NewEvent>,
        writes: Vec<Write>,
    ) -> Result<RunNews, EngineError> {
        let command = Command {
            prelude,
            preconditions: Vec::new(),
            writes,
            inputs: vec![TurnInput::Input(Input::Cancel, None)],
            status: None,
            program: None,
        };
        self.command(scope, run, command).await
    }

    /// Waits until something became durable, here or possibly elsewhere. Subscribes at the call.
    pub fn changed(&self) -> impl Future<Output = ()> + '_ {
        self.hub.changes().notified()
    }

    /// Waits until there may be new offers for workers.
    pub async fn offers(&self) {
        self.hub.offers().notified().await;
    }

    /// Sends a message to the open job with this key; the answer of the news holds the outcome.
    pub async fn tell_job(
        &self,
        scope: &Scope,
        run: RunId,
        key: JobKey,
        message: ToJob,
    ) -> Result<RunNews, EngineError> {
        let inputs = vec![TurnInput::Job(key, message)];
        let (prelude, preconditions, writes) = (Vec::new(), Vec::new(), Vec::new());
        self.command(scope, run, Command { prelude, preconditions, writes, inputs, status: None, program: None }).await
    }

    /// Leaves the outcome of a job in the inbox of its run until the job waits for it.
    pub async fn leave_answer(
        &self,
        scope: &Scope,
        run: RunId,
        key: JobKey,
        outcome: JobOutcome,
    ) -> Result<RunNews, EngineError> {
        let body = match outcome {
            JobOutcome::Done(result) => json!({"job": key, "result": result}),
            JobOutcome::Failed(failure) | JobOutcome::Unknown(failure) | JobOutcome::DoneBadly(_, failure) => {
                json!({"job": key, "failure": failure})
            }
        };
        let signal = SignalRow { run, id: format!("callback {key}"), at: self.clock.now(), body };
        let command = Command {
            prelude: Vec::new(),
            preconditions: Vec::new(),
            writes: vec![Write::Signal(signal)],
            inputs: vec![TurnInput::Input(Input::Tick, None)],
            status: None,
            program: None,
        };
        self.command(scope, run, command).await
    }

    /// Unparks a run. Calls that were in flight then count as unknown; those that must not be repeated must have ended
    /// first.
    pub async fn unpark(&self, scope: &Scope, run: RunId, by: &str) -> Result<RunNews, EngineError> {
        let state = self.run_state(scope, run)?;
        if state.row.status != RunStatus::Parked {
            return Err(EngineError::NothingToDo(run));
        }
        let until = state.row.updated_at.plus(longest_call(&state));
        if until > self.clock.now() {
            return Err(EngineError::UnderWay(run, until));
        }
        let mut inputs = lost_jobs(state.state.as_ref());
        inputs.push(TurnInput::Input(Input::Tick, None));
        // The offers were read earlier, so the run must not have changed since.
        let RunSchedule { seq, fence, .. } = state.row.schedule;
        let command = Command {
            prelude: vec![NewEvent::pipe(PipeEvent::Unparked, json!({"by": by}), None)],
            preconditions: vec![Precondition::RunAt { run, seq, fence }],
            writes: state.offers().into_iter().map(Write::Offer).collect(),
            inputs,
            status: None,
            program: None,
        };
        self.command(scope, run, command).await
    }

    /// Ends a parked run like a cancellation; if that is not possible, because it cannot be read or the database
    /// rejects it, like [`Engine::abort_unread`].
    pub async fn abort_parked(&self, scope: &Scope, run: RunId, by: &str, event: NewEvent) -> Result<(), EngineError> {
        let state = match self.run_state(scope, run) {
            Err(EngineError::Unreadable(..) | EngineError::NoProgram(_)) => {
                return self.abort_unread(scope, run, event);
            }
            state => state?,
        };
        if state.row.status != RunStatus::Parked {
            return Err(EngineError::NothingToDo(run));
        }
        let mut inputs = lost_jobs(state.state.as_ref());
        inputs.push(TurnInput::Input(Input::Cancel, None));
        let command = Command {
            prelude: vec![NewEvent::pipe(PipeEvent::Unparked, json!({"by": by}), None), event.clone()],
            preconditions: Vec::new(),
            writes: Vec::new(),
            inputs,
            status: None,
            program: None,
        };
        match self.command(scope, run, command).await {
            Err(EngineError::Refused(..) | EngineError::Unreadable(..)) => self.abort_unread(scope, run, event),
            other => other.map(drop),
        }
    }

    /// Ends a parked run without executing or undoing anything.
    pub fn abort_unread(&self, scope: &Scope, run: RunId, event: NewEvent) -> Result<(), EngineError> {
        let row = self.store.run(scope, run)?.ok_or(EngineError::NoSuchRun(run))?;
        if row.status != RunStatus::Parked {
            return Err(EngineError::NothingToDo(run));
        }
        let log = self.store.log(scope, run).ok();
        let (precondition, writes) = move_unread(&row, log.as_deref(), self.clock.now(), RunStatus::Cancelled, event);
        let member = Member { scope: scope.clone(), preconditions: vec![precondition], writes };
        match self.store.commit_now(vec![member])?.as_slice() {
            [Outcome::Committed] => Ok(()),
            [Outcome::Refused(why)] => Err(EngineError::Refused(run, why.clone())),
            _ => Err(EngineError::Moved),
        }
    }

    /// The state of a run in another program, or every reason why it cannot be migrated.
    pub fn migration(
        state: &RunState,
        to: &(Digest, Arc<Program>),
        map: &StepMap,
    ) -> Result<brain_vm::Migration, Vec<String>> {
        let (Some(program), Some(machine)) = (state.program(), &state.state) else {
            return Err(vec!["it has no program".into()]);
        };
        let reused = reused_names(state, map, &to.1);
        if !reused.is_empty() {
            return Err(reused);
        }
        let list = |step| state.data.items.get(&StepId { scope: 0, step });
        let to = Code::new(to.0, to.1.clone());
        brain_vm::migrate(program, machine, &to, map, |step| list(step).map_or(0, |list| list.len() as u32))
    }

    /// Migrates a run to another program with a new input. Steps in progress continue there; finished steps are not
    /// repeated.
    #[expect(clippy::too_many_arguments, reason = "all of it belongs to one commit")]
    pub async fn migrate(
        &self,
        scope: &Scope,
        run: RunId,
        (hash, program): (Digest, Arc<Program>),
        map: &StepMap,
        input: RunInput,
        writes: Vec<Write>,
        by: &str,
    ) -> Result<RunNews, EngineError> {
        let state = self.run_state(scope, run)?;
        let migration = Self::migration(&state, &(hash, program.clone()), map)
            .map_err(|problems| EngineError::NotMovable(run, problems))?;
        let RunSchedule { seq, fence, .. } = state.row.schedule;
        let from = state.row.program.ok_or(EngineError::NothingToDo(run))?;
        let moved = Moved {
            from,
            to: hash,
            by: by.to_owned(),
            map: map.clone(),
            steps: migration.steps,
            state: migration.state,
        };
        let command = Command {
            prelude: vec![NewEvent::pipe(PipeEvent::Migrated, &moved, Some(json!({"input": input})))],
            preconditions: vec![Precondition::RunAt { run, seq, fence }],
            writes,
            inputs: vec![TurnInput::Input(Input::Tick, None)],
            status: None,
            program: Some((hash, program, Box::new(moved), input)),
        };
        self.command(scope, run, command).await
    }

    /// Refuses a decision about a step whose child run has undecided letters.
    fn refuse_while_child_in_doubt(&self, scope: &Scope, child: Option<RunId>, job: JobKey) -> Result<(), EngineError> {
        let child = match child {
            Some(child) => Some(child),
            None => last_child(self.store.as_ref(), scope, job)?,
        };
        let Some(child) = child else { return Ok(()) };
        let state = self.run_state(scope, child)?;
        let (Some(code), Some(machine)) = (&state.code, &state.state) else { return Ok(()) };
        for (left, open) in &machine.left {
            let letter = state.job_key(*left).map(|key| self.store.dead_letter(scope, key)).transpose()?.flatten();
            if open.status == (JobStatus::Stuck { happened: Happened::Maybe }) && letter.is_some_and(|row| row.open) {
                return Err(EngineError::InDoubt(child, machine.step_path(code, left.at())));
            }
        }
        Ok(())
    }

    /// Decides about a dead letter.
    pub async fn decide_letter(
        &self,
        scope: &Scope,
        id: JobKey,
        decision: LetterDecision,
        by: &str,
        note: &str,
    ) -> Result<RunNews, EngineError> {
        let mut letter = self.store.dead_letter(scope, id)?.ok_or(EngineError::NoSuchLetter(id))?;
        if !letter.open {
            return Err(EngineError::AlreadyDecided);
        }
        let run_state = self.run_state(scope, letter.run)?;
        let (Some(code), Some(machine)) = (&run_state.code, &run_state.state) else {
            return Err(EngineError::NoSuchLetter(id));
        };
        let at = letter.body["step"].as_str().and_then(|step| machine.find_step(code, step));
        let StepId { scope: inside, step } = at.ok_or(EngineError::NoSuchLetter(id))?;
        let job = JobId {
            scope: inside,
            step,
            item: u32::try_from(letter.body["item"].as_u64().unwrap_or(0)).unwrap_or(0),
            undo: letter.body["undo"].as_bool().unwrap_or(false),
        };
        // The decision about the child says what the step did: whether it would be repeated, and what there is to undo.
        let depends_on_child = matches!(decision, LetterDecision::Retry | LetterDecision::Abandon);
        if depends_on_child && letter.body["failure"]["code"] == CHILD_IN_DOUBT {
            let pending = run_state.data.pending.get(&job);
            let child = pending.and_then(|it| it["delegate"]["child_run"].as_str()?.parse().ok());
            self.refuse_while_child_in_doubt(scope, child, id)?;
        }
        let seen = letter.body.clone();
        let attempts = u32::try_from(letter.body["attempts"].as_u64().unwrap_or(1)).unwrap_or(1);
        let at = self.clock.now();
        let expired = matches!(decision, LetterDecision::Expire);
        let (outcome, input) = match decision {
            LetterDecision::Retry => ("retried", Some((Input::Retry(job), None))),
            // The run goes on, but that says nothing about the call.
            LetterDecision::Resolve(None) if letter.body["happened"] == "maybe" && !job.undo => {
                ("never_decided", Some((Input::Dismiss(job), None)))
            }
            LetterDecision::Resolve(None) => ("resolved", Some((Input::Dismiss(job), None))),
            LetterDecision::Resolve(Some(data)) => {
                let payload = json!({"result": {"success": true, "data": data, "summary": note}});
                ("resolved", Some((Input::Done(job, attempts), Some(payload))))
            }
            LetterDecision::Abandon => {
                let failure = serde_json::from_value(letter.body["failure"].clone())
                    .unwrap_or_else(|_| Failure::business("abandoned", "The step was abandoned."));
                ("abandoned", Some((Input::Abandon(job, failure), None)))
            }
            LetterDecision::Expire => {
                let said = letter.body["failure"]["message"].as_str().unwrap_or_default();
                let failure = |code| Failure::business(code, format!("{note} {said}").trim().to_owned());
                if letter.body["happened"] != "maybe" {
                    ("expired", Some((Input::Abandon(job, failure("letter_expired")), None)))
                } else if machine.jobs.contains_key(&job) {
                    ("never_decided", Some((Input::Halt(job.scope, failure("never_decided")), None)))
                } else {
                    ("never_decided", None)
                }
            }
            LetterDecision::Escalate(ref to) => {
                letter.body["escalated"] = json!({"to": to, "at": at, "by": by, "note": note});
                ("escalated", None)
            }
        };
        if outcome != "escalated" {
            letter.open = false;
            letter.body["resolution"] = json!({"outcome": outcome, "at": at, "by": by, "note": note});
            if expired {
                letter.body["resolution"]["by_time"] = json!(true);
            }
        }
        let event = json!({"letter": id, "outcome": outcome, "by": by});
        let run = letter.run;
        let command = Command {
            prelude: vec![NewEvent::pipe(PipeEvent::LetterDecided, event, Some(json!({"note": note})))],
            preconditions: vec![Precondition::LetterOpen(id)],
            writes: vec![Write::PutLetter(letter)],
            inputs: vec![TurnInput::Letter(job, attempts, seen, input)],
            status: None,
            program: None,
        };
        self.command(scope, run, command).await
    }

    /// The state of a run, folded from its log. Executes nothing.
    pub fn run_state(&self, scope: &Scope, run: RunId) -> Result<RunState, EngineError> {
        RunState::load(self.store.as_ref(), &self.programs, scope, run).map_err(|failed| failed.error)
    }

    /// A program by its hash.
    pub fn program(&self, hash: Digest) -> Result<Arc<Program>, EngineError> {
        self.programs.get(self.store.as_ref(), hash)
    }

    /// Caches a program that was just compiled.
    pub fn cache_program(&self, hash: Digest, program: &Arc<Program>) {
        self.programs.cache(hash, program);
    }

    /// Stops the threads. Commits stay; the next node takes over external jobs in flight.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        let Ok(mut threads) = self.threads.lock() else { return };
        if let Some(keeper) = threads.keeper.take() {
            drop(keeper.send(KeeperNews::Stop));
        }
        // Wakes the deciding threads with a no-op.
        if let Ok(shards) = self.shards.lock() {
            shards.wake_all();
        }
        for handle in threads.handles.drain(..) {
            drop(handle.join());
        }
        let owns_nothing = self.store.owned_by(SystemScope, self.node, 1).is_ok_and(|owned| owned.is_empty());
        // A commit with an unknown outcome may still be written in the name of this node. Others can take it over only
        // while they know the node.
        if owns_nothing && self.hub.commits_open() == 0 {
            drop(self.store.forget_node(SystemScope, self.node));
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Problems with steps of a new program that have the name of a step that a migration dropped or renamed. The keys of
/// calls derive from names, so such a step would be taken for the old one.
fn reused_names(state: &RunState, map: &StepMap, to: &Program) -> Vec<String> {
    let migrations =
        entries(&state.log).filter(|entry| entry.is(PipeEvent::Migrated)).filter_map(|entry| Moved::read(&entry));
    let maps: Vec<StepMap> = migrations.map(|moved| moved.map).chain([map.clone()]).collect();
    let names = maps.iter().flatten().filter(|(old, new)| new.as_ref() != Some(old)).map(|(old, _)| old);
    let mut names: Vec<&String> = names.filter(|name| to.step_index(name).is_some()).collect();
    names.sort();
    names.dedup();
    let problem = |name| {
        format!(
            "the new version has a step `{name}`, the name of a step that was dropped or renamed; give it another name"
        )
    };
    names.into_iter().map(problem).collect()
}

/// The longest timeout of a non-repeatable call in flight; zero without one.
fn longest_call(state: &RunState) -> Millis {
    let (Some(code), Some(machine)) = (&state.code, &state.state) else { return Millis(0) };
    let running = machine.jobs.iter().filter(|(_, job)| job.status == JobStatus::Running);
    let calls = running.map(|(id, _)| machine.step(code, id.at()).call(id.undo));
    let single = calls.filter(|call| *call.place != Place::Outside(Idempotency::Key));
    Millis(single.map(|call| call.timeout.0.saturating_add(GRACE.0)).max().unwrap_or(0))
}
