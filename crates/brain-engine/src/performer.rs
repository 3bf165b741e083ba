//! Feeds a core and performs its output. The deciding threads of a server and the [`crate::Driver`] of a virtual world
//! differ only in their [`Tasks`]: where and when external work runs.

use std::collections::BinaryHeap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Instant;

use brain_core::{Clock, Failure, Millis, NodeId, RunId, Timestamp, planted};
use brain_store::{Scope, Store, StoreError};
use brain_vm::{GRACE, MAX_DELAY};

use crate::core::{Action, CheckAction, Core, CoreInput, HandoverAction, Load, StepOutput};
use crate::host::{CheckAnswer, JobContext, JobOutcome, Outside};
use crate::inbox::Inbox;
use crate::run_state::Programs;
use crate::shards::Shards;
use crate::turn::Handover;
use crate::watchers::Hub;

/// Maximum number of inputs per step.
const MAX_INPUTS: usize = 512;
/// Number of commits in flight above which nothing new is decided.
const MAX_COMMITS: usize = 4_096;
/// Number of runs being loaded above which nothing new is decided.
const MAX_LOADS: usize = 256;
/// Runs that one task loads in sequence, because one task per run would cause contention.
const LOADS_TOGETHER: usize = 64;
/// Timers further ahead than this are not kept in memory.
const FAR: Millis = Millis(60_000);

/// A future whose result is an input of the core.
pub(crate) type Work = Pin<Box<dyn Future<Output = CoreInput> + Send>>;

/// Why a task gave no input.
pub(crate) enum Lost {
    /// It timed out.
    Late,
    /// It panicked.
    Panicked,
}

/// Runs tasks that must not block a deciding thread.
pub(crate) trait Tasks {
    /// Runs a task. If it does not end within `limit`, or panics, `lost` makes the input for the core.
    fn spawn(&mut self, work: Work, limit: Millis, lost: Box<dyn FnOnce(Lost) -> CoreInput + Send>);

    /// Runs a blocking function, such as a read of the store, off the deciding thread.
    fn blocking<R: Send + 'static>(
        &self,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Pin<Box<dyn Future<Output = Option<R>> + Send>>;
}

/// A timer of a run. Orders so that the earliest comes first.
#[derive(PartialEq, Eq)]
struct Alarm {
    at: Timestamp,
    run: RunId,
    scope: Scope,
}

impl Ord for Alarm {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (other.at, other.run).cmp(&(self.at, self.run))
    }
}

impl PartialOrd for Alarm {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// A core with its inputs and tasks.
pub(crate) struct Performer<T> {
    pub(crate) node: NodeId,
    pub(crate) core: Core,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) programs: Arc<Programs>,
    pub(crate) outside: Arc<dyn Outside>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) hub: Arc<Hub>,
    pub(crate) inputs: Receiver<CoreInput>,
    /// Where answers are sent.
    pub(crate) shards: Shards,
    /// Inputs that wait to be taken.
    pub(crate) inbox: Inbox,
    pub(crate) tasks: T,
    alarms: BinaryHeap<Alarm>,
    /// When a rate limit next allows waiting jobs to start.
    look_at: Option<Timestamp>,
}

impl<T: Tasks> Performer<T> {
    #[expect(clippy::too_many_arguments, reason = "each argument is a separate dependency")]
    pub(crate) fn new(
        node: NodeId,
        core: Core,
        store: Arc<dyn Store>,
        programs: Arc<Programs>,
        outside: Arc<dyn Outside>,
        clock: Arc<dyn Clock>,
        hub: Arc<Hub>,
        inputs: Receiver<CoreInput>,
        shards: Shards,
        inbox: Inbox,
        tasks: T,
    ) -> Self {
        let (alarms, look_at) = (BinaryHeap::new(), None);
        Self { node, core, store, programs, outside, clock, hub, inputs, shards, inbox, tasks, alarms, look_at }
    }

    /// Whether the store lags so far behind that only results of commits and loads are taken.
    fn is_behind(&self) -> bool {
        self.core.commits_under_way() >= MAX_COMMITS || self.core.loads_under_way() >= MAX_LOADS
    }

    /// Whether a step could take something without waiting for an input.
    pub(crate) fn has_some(&self) -> bool {
        self.inbox.has_some(self.is_behind())
    }

    /// When the next timer or rate limit is due.
    pub(crate) fn next_at(&self) -> Option<Timestamp> {
        self.alarms.peek().map(|alarm| alarm.at).into_iter().chain(self.look_at).min()
    }

    /// Sets timers aside; queues all other inputs.
    pub(crate) fn arrived(&mut self, input: CoreInput) {
        match input {
            CoreInput::WakeAt(scope, run, at) => self.alarms.push(Alarm { at, run, scope }),
            input => {
                if matches!(input, CoreInput::Job(..) | CoreInput::NotMade(..)) {
                    self.hub.job_over();
                }
                self.inbox.put(input);
            }
        }
    }

    /// Takes all inputs that have arrived, decides a batch and performs its output. Returns whether there was any
    /// input.
    pub(crate) fn step(&mut self) -> bool {
        while let Ok(input) = self.inputs.try_recv() {
            self.arrived(input);
        }
        let now = self.clock.now();
        while self.alarms.peek().is_some_and(|alarm| alarm.at <= now)
            && let Some(alarm) = self.alarms.pop()
        {
            self.inbox.put(CoreInput::Wake(alarm.scope, alarm.run));
        }
        if self.look_at.is_some_and(|at| at <= now) {
            self.look_at = None;
            self.inbox.put(CoreInput::Call);
        }
        let mut batch = Vec::new();
        self.inbox.take(MAX_INPUTS, self.is_behind(), &mut batch);
        if batch.is_empty() {
            return false;
        }
        let output = self.core.step(now, batch);
        self.perform(now, output);
        true
    }

    fn perform(&mut self, now: Timestamp, output: StepOutput) {
        if !output.commits.is_empty() {
            let (numbers, members): (Vec<u64>, Vec<_>) = output.commits.into_iter().unzip();
            let (send, hub) = (self.shards.own(), self.hub.clone());
            hub.commit_began();
            let began = Instant::now();
            let done = move |result: brain_store::CommitResult| {
                // Rows that another session has locked say nothing about the store. Nothing was written.
                let locked = matches!(result, Err(StoreError::Locked(_)));
                let failed = result.is_err() && !locked;
                hub.observers.commit(began.elapsed(), !failed);
                if !locked {
                    hub.wrote(!failed);
                }
                // A failed commit may have been written, or may still be.
                if !failed {
                    hub.commit_over();
                }
                tell_committed(&send, numbers, result);
            };
            self.store.commit(members, Box::new(done));
        }
        let mut loads = Vec::new();
        for action in output.actions {
            match action {
                Action::Reply(reply, result) => reply(result),
                Action::Notify(news) => self.hub.tell(&news),
                Action::Happened(all) => all.iter().for_each(|one| self.hub.observers.happened(one)),
                // Timers further ahead are found in the store when they are near.
                Action::WakeAt(scope, run, at) if (at.since(now) <= FAR) != planted("far-timers") => {
                    self.alarms.push(Alarm { at, run, scope })
                }
                Action::WakeAt(..) => {}
                Action::LookAt(at) => self.look_at = Some(self.look_at.map_or(at, |known| known.min(at))),
                Action::Signal(..) if planted("dropped-signal") => {}
                Action::Signal(scope, run) => self.shards.send(CoreInput::Signal(scope, run)),
                Action::Slot(scope, run) => self.shards.send(CoreInput::Slot(scope, run)),
                Action::Load(load) => loads.push(load),
                Action::Perform(handover) => self.hand_over(*handover),
                Action::Check(check) => self.check(*check),
            }
        }
        while !loads.is_empty() {
            let rest = loads.split_off(loads.len().min(LOADS_TOGETHER));
            self.load(std::mem::replace(&mut loads, rest));
        }
    }

    fn load(&mut self, loads: Vec<Load>) {
        let (store, programs, wanted) = (self.store.clone(), self.programs.clone(), loads.clone());
        let read = self
            .tasks
            .blocking(move || loads.iter().map(|load| load.perform(store.as_ref(), &programs)).collect::<Vec<_>>());
        let failed = move |why: &str| CoreInput::Loaded(wanted.iter().map(|load| load.failed(why)).collect());
        let lost = failed.clone();
        let work = async move {
            match read.await {
                Some(results) => CoreInput::Loaded(results),
                None => failed("loading runs panicked"),
            }
        };
        self.tasks.spawn(Box::pin(work), FAR, Box::new(move |_| lost("loading runs timed out")));
    }

    fn hand_over(&mut self, HandoverAction(handover): HandoverAction) {
        self.hub.job_began();
        let Handover { call, context, repeatable, fence } = handover;
        let watch = Stopwatch {
            hub: self.hub.clone(),
            run: context.run,
            tool: call.tool().def.name.clone(),
            began: Instant::now(),
        };
        let JobContext { scope, run, job, attempt, timeout, now: decided, .. } = context.clone();
        let lost = {
            let (scope, watch) = (scope.clone(), watch.clone());
            move |lost: Lost| {
                watch.ended("unknown");
                let failure = match lost {
                    Lost::Late => Failure::transient("timeout", "No answer came in time."),
                    Lost::Panicked => Failure::contract(
                        "internal",
                        "An internal error occurred in this call; the server log has the details.",
                    ),
                };
                CoreInput::Job(scope, run, job, attempt, JobOutcome::Unknown(failure))
            }
        };
        let limit = Millis(timeout.0.saturating_add(GRACE.0));
        if repeatable {
            let answer = self.outside.perform(call, context);
            let work = async move {
                let answer = answer.await;
                watch.ended(answer.name());
                CoreInput::Job(scope, run, job, attempt, answer)
            };
            return self.tasks.spawn(Box::pin(work), limit, Box::new(lost));
        }
        // Time may have passed since the start was decided: a slow commit, a suspended process. If another node has
        // taken the run over meanwhile, it may have found that the call was not made, and made it.
        let (store, node) = (self.store.clone(), self.node);
        let of = scope.clone();
        let owned = self.tasks.blocking(move || {
            let row = store.run(&of, run).ok().flatten();
            row.is_some_and(|row| row.schedule.owner == Some(node) && row.schedule.fence == fence)
        });
        let (outside, clock) = (self.outside.clone(), self.clock.clone());
        let work = async move {
            let owned = owned.await == Some(true);
            if !owned || clock.now() > decided.plus(MAX_DELAY) {
                tracing::info!(%run, "a call was skipped: another node owns its run, or its deadline has passed");
                return CoreInput::NotMade(scope, run, job, attempt);
            }
            let answer = outside.perform(call, context).await;
            watch.ended(answer.name());
            CoreInput::Job(scope, run, job, attempt, answer)
        };
        self.tasks.spawn(Box::pin(work), Millis(limit.0.saturating_add(MAX_DELAY.0)), Box::new(lost));
    }

    fn check(&mut self, CheckAction(check): CheckAction) {
        let JobContext { scope, run, job, attempt, timeout, now: asked, .. } = check.context.clone();
        let limit = Millis(timeout.0.saturating_add(GRACE.0));
        let answer = self.outside.check(&check.tool, check.args, check.context);
        let lost = {
            let scope = scope.clone();
            move |_| {
                let failure = Failure::transient("timeout", "The check gave no answer in time.");
                CoreInput::Check(scope, run, job, attempt, CheckAnswer::Unclear(failure), asked)
            }
        };
        let work = async move { CoreInput::Check(scope, run, job, attempt, answer.await, asked) };
        self.tasks.spawn(Box::pin(work), limit, Box::new(lost));
    }
}

/// Measures an external call.
#[derive(Clone)]
struct Stopwatch {
    hub: Arc<Hub>,
    run: RunId,
    tool: String,
    began: Instant,
}

impl Stopwatch {
    fn ended(&self, outcome: &'static str) {
        self.hub.observers.outside_call(self.run, &self.tool, outcome, self.began.elapsed());
    }
}

/// Sends the outcome of each member of a batch to the core.
fn tell_committed(send: &std::sync::mpsc::Sender<CoreInput>, numbers: Vec<u64>, result: brain_store::CommitResult) {
    match result {
        Ok(outcomes) => {
            for (number, outcome) in numbers.into_iter().zip(outcomes) {
                drop(send.send(CoreInput::Committed(number, Ok(outcome))));
            }
        }
        Err(error) => {
            for number in numbers {
                drop(send.send(CoreInput::Committed(number, Err(error.clone()))));
            }
        }
    }
}
