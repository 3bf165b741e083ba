//! The threads around the core: one decides, one looks after the node; Tokio does what is outside.

use std::collections::BinaryHeap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use brain_core::{Clock, Failure, Millis, RunId, Timestamp};
use brain_store::{Scope, Store, StoreError};

use crate::core::{Action, CheckAction, Core, CoreInput, HandoverAction, StepOutput};
use crate::host::{CheckAnswer, JobOutcome, Outside};
use crate::hub::Hub;
use crate::inbox::Inbox;
use crate::node::{HEARTBEAT, Keeper};

/// Inputs that one step takes at most.
const MAX_INPUTS: usize = 512;
/// Commits under way above which nothing new is decided.
const MAX_COMMITS: usize = 4_096;
/// Timers further off than this are left to the store.
const FAR: Millis = Millis(60_000);
/// News from other processes are looked at this often at most.
const BREATH: Duration = Duration::from_millis(20);
/// Those who wait here for what other processes do look for themselves this often at most.
const TELL: Duration = Duration::from_millis(250);
/// How often the store is asked for runs whose time has come: the safety net behind the timers in memory.
const POLL: Duration = Duration::from_millis(1000);
/// How much longer than its own time-out an outside job may take before it counts as lost.
pub(crate) const GRACE: Duration = Duration::from_secs(5);

/// What the deciding thread needs.
pub(crate) struct Deciding {
    pub(crate) core: Core,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) outside: Arc<dyn Outside>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) hub: Arc<Hub>,
    pub(crate) tokio: tokio::runtime::Handle,
    pub(crate) inputs: Receiver<CoreInput>,
    /// How answers come back; `stop` ends the thread, since this sender keeps the channel open.
    pub(crate) send: Sender<CoreInput>,
    pub(crate) stop: Arc<AtomicBool>,
    /// What has come and was not taken yet.
    pub(crate) inbox: Inbox,
    /// When a rate lets those go on that wait for it.
    pub(crate) look_at: Option<Timestamp>,
}

/// A run to look at again; the earliest comes first.
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

/// The deciding thread: takes what has come, decides it as one batch, hands the batch to the store, and goes on while
/// the disk works.
pub(crate) fn decide_forever(mut shell: Deciding) {
    let mut alarms: BinaryHeap<Alarm> = BinaryHeap::new();
    let mut batch = Vec::new();
    while !shell.stop.load(Ordering::Relaxed) {
        // While the disk is far behind, only what it has done is taken: what has come waits its turn, by tenant.
        let behind = shell.core.commits_under_way() >= MAX_COMMITS;
        if !shell.inbox.has_some(behind) {
            let next = alarms.peek().map(|alarm| alarm.at).into_iter().chain(shell.look_at).min();
            let pause = next.map_or(POLL, |at| at.since(shell.clock.now()).as_std().min(POLL));
            match shell.inputs.recv_timeout(pause) {
                Ok(input) => shell.arrived(input, &mut alarms),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        while let Ok(input) = shell.inputs.try_recv() {
            shell.arrived(input, &mut alarms);
        }
        let now = shell.clock.now();
        while alarms.peek().is_some_and(|alarm| alarm.at <= now)
            && let Some(alarm) = alarms.pop()
        {
            shell.inbox.put(CoreInput::Wake(alarm.scope, alarm.run));
        }
        if shell.look_at.is_some_and(|at| at <= now) {
            shell.look_at = None;
            shell.inbox.put(CoreInput::Call);
        }
        shell.inbox.take(MAX_INPUTS, behind, &mut batch);
        let output = shell.core.step(now, batch.drain(..));
        shell.perform(now, output, &mut alarms);
    }
}

impl Deciding {
    /// What is for later is kept apart; all else waits its turn.
    fn arrived(&mut self, input: CoreInput, alarms: &mut BinaryHeap<Alarm>) {
        match input {
            CoreInput::WakeAt(scope, run, at) => alarms.push(Alarm { at, run, scope }),
            input => self.inbox.put(input),
        }
    }

    fn perform(&mut self, now: Timestamp, output: StepOutput, alarms: &mut BinaryHeap<Alarm>) {
        if !output.commits.is_empty() {
            let (numbers, members): (Vec<u64>, Vec<_>) = output.commits.into_iter().unzip();
            let send = self.send.clone();
            self.store.commit(members, Box::new(move |result| tell_committed(&send, numbers, result)));
        }
        for action in output.actions {
            match action {
                Action::Reply(reply, result) => reply(result),
                Action::Notify(news) => self.hub.tell(&news),
                // What is far off is found in the store when its time is near.
                Action::WakeAt(scope, run, at) if at.since(now) <= FAR => alarms.push(Alarm { at, run, scope }),
                Action::WakeAt(..) => {}
                Action::LookAt(at) => self.look_at = Some(self.look_at.map_or(at, |known| known.min(at))),
                Action::Signal(scope, run) => drop(self.send.send(CoreInput::Signal(scope, run))),
                Action::Perform(handover) => self.hand_over(*handover),
                Action::Check(check) => self.check(*check),
            }
        }
    }

    fn hand_over(&self, HandoverAction(handover): HandoverAction) {
        let context = handover.context.clone();
        let limit = handover.context.timeout.as_std() + GRACE;
        let work = self.outside.perform(handover.call, handover.context);
        let send = self.send.clone();
        let hub = self.hub.clone();
        hub.job_began();
        // A task of its own, so that a panic in a tool is that job's failure and nobody else's.
        let task = self.tokio.spawn(async move { tokio::time::timeout(limit, work).await });
        self.tokio.spawn(async move {
            let outcome = match task.await {
                Ok(Ok(outcome)) => outcome,
                Ok(Err(_)) => JobOutcome::Unknown(Failure::transient("timeout", "No answer came in time.")),
                Err(error) => {
                    tracing::error!(%error, "a tool panicked");
                    JobOutcome::Unknown(Failure::contract("internal", "Brain made a mistake in this call."))
                }
            };
            hub.job_over();
            let answer = CoreInput::Job(context.scope, context.run, context.job, context.attempt, outcome);
            drop(send.send(answer));
        });
    }

    fn check(&self, CheckAction(check): CheckAction) {
        let context = check.context.clone();
        let limit = check.context.timeout.as_std() + GRACE;
        let work = self.outside.check(&check.tool, check.args, check.context);
        let send = self.send.clone();
        self.tokio.spawn(async move {
            let answer = tokio::time::timeout(limit, work).await.unwrap_or_else(|_| {
                CheckAnswer::Unclear(Failure::transient("timeout", "The check gave no answer in time."))
            });
            let answer = CoreInput::Check(context.scope, context.run, context.job, context.attempt, answer);
            drop(send.send(answer));
        });
    }
}

/// Passes the outcome of a batch back, member by member.
pub(crate) fn tell_committed(send: &Sender<CoreInput>, numbers: Vec<u64>, result: brain_store::CommitResult) {
    match result {
        Ok(outcomes) => {
            for (number, outcome) in numbers.into_iter().zip(outcomes) {
                drop(send.send(CoreInput::Committed(number, Ok(outcome))));
            }
        }
        Err(error) => {
            for number in numbers {
                let error: StoreError = error.clone();
                drop(send.send(CoreInput::Committed(number, Err(error))));
            }
        }
    }
}

/// What the thread that looks after the node is told.
pub(crate) enum KeeperNews {
    /// Another process may have changed something.
    Heard,
    /// It is over.
    Stop,
}

/// The thread that looks after the node. `paused`: it says that it is alive and does nothing else.
pub(crate) fn keep_forever(
    mut keeper: Keeper,
    hub: &Hub,
    send: &dyn Fn(CoreInput),
    news: &Receiver<KeeperNews>,
    paused: &AtomicBool,
) {
    let mut heartbeat = Instant::now();
    let mut told = Instant::now();
    let mut polled: Option<Instant> = None;
    loop {
        if !paused.load(Ordering::Relaxed) {
            let poll = polled.is_none_or(|at| at.elapsed() >= POLL);
            if poll {
                polled = Some(Instant::now());
            }
            if let Err(error) = keeper.look(poll, send) {
                tracing::warn!(%error, "the store could not be asked for work; asking again");
            }
        }
        if told.elapsed() >= TELL {
            told = Instant::now();
            hub.look_again();
        }
        if heartbeat.elapsed() >= HEARTBEAT.as_std() {
            heartbeat = Instant::now();
            if let Err(error) = keeper.heartbeat() {
                tracing::warn!(%error, "the heartbeat could not be written");
            }
        }
        std::thread::sleep(BREATH);
        match news.recv_timeout(POLL - BREATH) {
            Ok(KeeperNews::Heard) | Err(RecvTimeoutError::Timeout) => {}
            Ok(KeeperNews::Stop) | Err(RecvTimeoutError::Disconnected) => return,
        }
        while let Ok(more) = news.try_recv() {
            if matches!(more, KeeperNews::Stop) {
                return;
            }
        }
    }
}
