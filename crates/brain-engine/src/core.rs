//! The synchronous core of a node: inputs in, commits and actions out. It owns only the runs it works on, and
//! everything it drops can be rebuilt from the log.

mod committed;
mod compose;
mod live;
mod loaded;
mod messages;
mod next;
mod parent;
mod park;
mod slots;
mod unstarted;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use brain_core::{Millis, NodeId, Random, RunId, RunStatus, Timestamp, planted};
use brain_store::{RunRow, Scope, Store};
use brain_vm::{JobId, State};

use self::compose::Undecided;
pub(crate) use self::live::lost_jobs;
use self::live::{InFlight, Live, Queued, Work};
pub use self::messages::{
    Action, CheckAction, Command, CoreInput, HandoverAction, Load, Loaded, Reply, StepOutput, Submission, ToJob,
    TurnInput,
};
use self::next::Next;
pub use self::parent::{CHILD_FAILED, ChildStart, child_key, child_signal, last_child};
pub(crate) use self::parent::{CHILD_IN_DOUBT, child_start, never_started};
pub(crate) use self::park::move_unread;
use crate::data::RunData;
use crate::engine::EngineError;
use crate::flow::{Flow, FlowConfig, InUse};
use crate::host::Host;
use crate::reads::Read;
use crate::run_state::Programs;
use crate::turn::Handover;
use crate::watchers::RunNews;

/// How often a turn is decided again after conflicts before it backs off.
const MAX_REDECISIONS: u32 = 50;
/// Backoff after a store failure or too many conflicts.
const BACK_OFF: Millis = Millis(500);
/// Maximum number of consecutive unfinished turns before a run counts as looping. More than the largest run that
/// `max_steps` allows could take.
const MAX_UNFINISHED: u32 = 20_000;
/// Maximum number of queued runs that one step calls.
const MAX_CALLS: usize = 256;
/// The queue of runs whose limit is not known yet.
const ANY: &str = "any";
/// Page size when fetching queued runs.
const REFILL: usize = 256;
/// Queued runs of a tenant that a full node fetches; several, as the first may need something else.
const PEEK: usize = 16;
/// How long runs that were fetched for one node are hidden from others.
pub(crate) const CLAIM: Millis = Millis(5_000);
/// The weight of one priority step in the order of external jobs.
pub(crate) const PRIORITY_STEP: i64 = 30_000;

/// The core of one node (or of one of its shards).
pub struct Core {
    node: NodeId,
    store: Arc<dyn Store>,
    host: Arc<dyn Host>,
    random: Box<dyn Random>,
    live: HashMap<RunId, Live>,
    commits: HashMap<u64, RunId>,
    next_commit: u64,
    programs: Arc<Programs>,
    /// Runs being loaded from the store.
    loads: usize,
    /// Calls and checks in flight here: from the commit that starts them to that of their answer.
    in_hand: HashSet<(RunId, JobId, u32)>,
    /// Calls whose start is durable and that are about to be made.
    calls: VecDeque<Handover>,
    flow: Arc<Mutex<Flow>>,
    /// The index of this deciding thread, and the number of threads.
    shard: (usize, usize),
}

impl Core {
    /// An idle core.
    pub(crate) fn new(
        node: NodeId,
        store: Arc<dyn Store>,
        host: Arc<dyn Host>,
        random: Box<dyn Random>,
        flow: Arc<Mutex<Flow>>,
        programs: Arc<Programs>,
        shard: (usize, usize),
    ) -> Self {
        Self {
            node,
            store,
            host,
            random,
            live: HashMap::new(),
            commits: HashMap::new(),
            next_commit: 0,
            programs,
            loads: 0,
            in_hand: HashSet::new(),
            calls: VecDeque::new(),
            flow,
            shard,
        }
    }

    /// The only core of a node, idle.
    pub fn alone(
        node: NodeId,
        store: Arc<dyn Store>,
        host: Arc<dyn Host>,
        random: Box<dyn Random>,
        flow: FlowConfig,
    ) -> Self {
        Self::new(node, store, host, random, Arc::new(Mutex::new(Flow::new(flow))), Arc::default(), (0, 1))
    }

    /// Performs an [`Action::Load`] synchronously.
    pub fn load(&self, load: &Load) -> CoreInput {
        CoreInput::Loaded(vec![load.perform(self.store.as_ref(), &self.programs)])
    }

    /// Takes inputs and decides everything that can be decided now.
    pub fn step(&mut self, now: Timestamp, inputs: impl IntoIterator<Item = CoreInput>) -> StepOutput {
        let mut output = StepOutput::default();
        let mut touched = Vec::new();
        for input in inputs {
            touched.extend(self.take(now, input, &mut output));
        }
        for run in touched {
            self.decide(now, run, &mut output);
        }
        self.call_next(now, &mut output);
        self.hand_over(&mut output);
        output
    }

    /// The number of commits in flight.
    pub fn commits_under_way(&self) -> usize {
        self.commits.len()
    }

    /// The number of runs being loaded.
    pub fn loads_under_way(&self) -> usize {
        self.loads
    }

    /// A run in memory without a commit in flight: what its log must fold to.
    pub fn at_hand(&self, run: RunId) -> Option<(&RunRow, &State, &RunData)> {
        let live = self.live.get(&run).filter(|live| live.in_flight.is_none() && !live.loading)?;
        Some((live.row.as_ref()?, live.state.as_ref()?, &live.data))
    }

    /// The slots of the node, shared by all its deciding threads.
    fn flow(&self) -> MutexGuard<'_, Flow> {
        self.flow.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Each tenant's use of this node.
    pub fn in_use(&self) -> Vec<InUse> {
        self.flow().in_use()
    }

    /// The number of external jobs in flight.
    pub fn running_jobs(&self) -> usize {
        self.flow().running()
    }

    /// Takes one input; returns the run that is to be decided after all inputs were taken.
    fn take(&mut self, now: Timestamp, input: CoreInput, output: &mut StepOutput) -> Option<RunId> {
        match input {
            CoreInput::Submit(_, reply, Some(gone)) if gone.load(Ordering::Relaxed) => {
                output.actions.push(Action::Reply(reply, Err(EngineError::Busy)));
                None
            }
            CoreInput::Submit(submission, reply, _) => {
                let run = submission.run;
                let live = Live::new(submission.scope.clone(), Work::Start(Arc::from(submission)), reply);
                self.live.insert(run, live);
                Some(run)
            }
            CoreInput::Command(scope, run, command, reply) => {
                let live = self.live.entry(run).or_insert_with(|| Live::empty(scope));
                live.queue.push_back(Queued::with_reply(Work::Command(Arc::from(command)), reply));
                Some(run)
            }
            CoreInput::Loaded(results) => {
                for loaded in results {
                    let run = loaded.run;
                    let next = self.loaded(now, loaded, output);
                    if self.follow(run, next, output) {
                        self.decide(now, run, output);
                    }
                }
                None
            }
            CoreInput::Job(scope, run, job, attempt, outcome) => {
                self.flow().release((run, job, attempt), true);
                self.enqueue(&scope, run, Work::Job(job, attempt, outcome))
            }
            CoreInput::Check(scope, run, job, attempt, answer, asked) => {
                self.enqueue(&scope, run, Work::Check(job, attempt, answer, asked))
            }
            CoreInput::NotMade(scope, run, job, attempt) => {
                self.flow().release((run, job, attempt), false);
                self.enqueue(&scope, run, Work::NotMade(job, attempt))
            }
            CoreInput::Wake(scope, run) => self.enqueue(&scope, run, Work::Tick),
            CoreInput::Signal(scope, run) => {
                // Another process may have written to the run: it is loaded again.
                self.evict(run);
                self.enqueue(&scope, run, Work::Signals)
            }
            CoreInput::TakeOver(scope, run, from) => self.enqueue(&scope, run, Work::TakeOver(from)),
            CoreInput::Committed(commit, result) => {
                let run = self.commits.remove(&commit)?;
                let next = self.committed(now, run, result, output);
                self.follow(run, next, output).then_some(run)
            }
            CoreInput::Slot(scope, run) => self.enqueue(&scope, run, Work::Slot),
            CoreInput::Call => None,
            CoreInput::WakeAt(scope, run, at) => {
                output.actions.push(Action::WakeAt(scope, run, at));
                None
            }
            CoreInput::Look(share, elsewhere) => {
                self.flow().set_share(share, elsewhere);
                self.refill(now);
                None
            }
            CoreInput::Pause(paused) => {
                self.flow().pause(paused);
                self.refill(now);
                None
            }
        }
    }

    /// Queues work for a run; returns the run if it can be decided.
    fn enqueue(&mut self, scope: &Scope, run: RunId, work: Work) -> Option<RunId> {
        let node = self.node;
        let live = self.live.entry(run).or_insert_with(|| Live::empty(scope.clone()));
        let item = Queued::without_reply(work);
        if live.owned_by_other(node) && !item.concerns_everybody() {
            // The owner of the run handles this.
            let waits = !live.queue.is_empty();
            if !planted("answered-forgotten") {
                self.answered(run, std::slice::from_ref(&item));
            }
            self.evict(run);
            return waits.then_some(run);
        }
        live.queue.push_back(item);
        Some(run)
    }

    fn evict(&mut self, run: RunId) {
        if self.live.get(&run).is_some_and(|live| live.in_flight.is_none() && live.queue.is_empty()) {
            self.live.remove(&run);
        }
    }

    /// Decides everything queued for one run, one commit at a time.
    fn decide(&mut self, now: Timestamp, run: RunId, output: &mut StepOutput) {
        while self.decide_once(now, run, output) {}
    }

    /// Decides as much for one run as fits in one commit; returns whether more can be decided now.
    fn decide_once(&mut self, now: Timestamp, run: RunId, output: &mut StepOutput) -> bool {
        let Some(live) = self.live.remove(&run) else { return false };
        let next = self.next_for(now, run, live, output);
        self.follow(run, next, output)
    }

    /// Decides as much of the queue as fits in one commit.
    fn next_for(&mut self, now: Timestamp, run: RunId, mut live: Live, output: &mut StepOutput) -> Next {
        if live.in_flight.is_some() || live.queue.is_empty() || live.loading {
            return Next::Keep(live);
        }
        if live.row.is_none() && !live.is_new() {
            // The inbox is fetched together with the run; other reads show when the turn is decided.
            let inbox = self.store.reads_wait() && live.queue.iter().any(Queued::is_signal);
            return Next::Load(live, inbox.then_some(Read::Signals).into_iter().collect());
        }
        let work = live.take_work();
        if live.is_parked() && !work.iter().any(Queued::unparks) {
            self.leave_parked(run, work, output);
            return self.unchanged(live);
        }
        let turn = self.compose(now, run, &mut live, &work);
        if !matches!(turn, Err(Undecided::Unread(_))) {
            live.known.clear();
        }
        match turn {
            Ok((member, in_flight)) => {
                live.in_flight = Some(InFlight { work, ..in_flight });
                Next::Commit(live, member)
            }
            Err(Undecided::Unread(reads)) => Next::Load(live.before_turn(work), reads),
            Err(Undecided::Away(error)) => {
                tracing::warn!(%run, %error, "a read of a turn failed; the turn will be decided again");
                self.again(now, live, work, Some(error), output)
            }
            Err(Undecided::Refused(error)) => self.refuse(now, live, work, &error, output),
            Err(Undecided::Nothing(answer)) => {
                self.answered(run, &work);
                // Nothing to commit: only the callers get an answer.
                for reply in work.into_iter().filter_map(|item| item.reply) {
                    let result = if answer.is_null() {
                        Err(EngineError::NothingToDo(run))
                    } else {
                        let status = live.row.as_ref().map_or(RunStatus::Running, |row| row.status);
                        Ok(RunNews { answer: answer.clone(), ..RunNews::of(run, status) })
                    };
                    output.actions.push(Action::Reply(reply, result));
                }
                self.unchanged(live)
            }
        }
    }

    /// An unchanged run stays in memory while work is queued for it or this node owns it.
    fn unchanged(&self, live: Live) -> Next {
        let owner = live.row.as_ref().filter(|row| row.status != RunStatus::Parked).and_then(|row| row.schedule.owner);
        match (live.queue.is_empty(), owner == Some(self.node)) {
            (false, _) => Next::Decide(live),
            (true, true) => Next::Keep(live),
            (true, false) => Next::Forget,
        }
    }

    /// The number of calls and checks in flight.
    pub(crate) fn in_hand(&self) -> usize {
        self.in_hand.len()
    }

    /// Marks answers as written, or as no longer expected.
    fn answered(&mut self, run: RunId, work: &[Queued]) {
        for item in work {
            if let Work::Job(job, attempt, _) | Work::Check(job, attempt, ..) | Work::NotMade(job, attempt) = &item.work
            {
                self.in_hand.remove(&(run, *job, *attempt));
            }
            if matches!(item.work, Work::Slot) {
                self.flow().release_reserved_slot(run);
            }
        }
    }
}
