//! The synchronous core of a node: inputs in, commits and actions out. It owns only the runs it works on, and
//! everything it drops can be rebuilt from the log.

mod live;
mod messages;
mod parent;
mod park;
mod slots;
mod unstarted;

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use brain_core::{Digest, Failure, Millis, NodeId, Random, RunId, RunStatus, Timestamp, planted};
use brain_store::{
    Conflict, Member, Outcome, Precondition, QueuePlace, RunRow, RunSchedule, Scope, SignalRow, Store, StoreError,
    Write,
};
use brain_vm::{Code, Input, JobId, JobStatus, Machine, Need, Phase, State};
use serde_json::{Value, json};

pub(crate) use self::live::lost_jobs;
use self::live::{InFlight, Live, Queued, Work, lost_checks, never_made, not_made};
pub use self::messages::{
    Action, CheckAction, Command, CoreInput, HandoverAction, Load, Loaded, Reply, StepOutput, Submission, ToJob, Told,
};
pub use self::parent::child_key;
pub(crate) use self::parent::{CHILD_IN_DOUBT, last_child};
pub(crate) use self::park::move_unread;
use crate::data::RunData;
use crate::engine::EngineError;
use crate::flow::{Flow, FlowConfig, InUse};
use crate::host::Host;
use crate::hub::RunNews;
use crate::log::{NewEvent, PipeEvent, pack};
use crate::overlay::RecordView;
use crate::reads::{Answers, Read, Reader};
use crate::run_state::{NotLoaded, Programs, RunState};
use crate::turn::{Finished, Handover, Turn};

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
            if let Some(run) = self.take(now, input, &mut output) {
                touched.push(run);
            }
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
                live.queue.push_back(Queued::asked(Work::Command(Arc::from(command)), reply));
                Some(run)
            }
            CoreInput::Loaded(results) => {
                for Loaded { run, state, answers } in results {
                    if let Some(run) = self.loaded(now, run, state, answers, output) {
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
            CoreInput::Committed(commit, result) => self.committed(now, commit, result, output),
            CoreInput::Slot(scope, run) => self.enqueue(&scope, run, Work::Slot),
            CoreInput::Call => None,
            CoreInput::WakeAt(scope, run, at) => {
                output.actions.push(Action::WakeAt(scope, run, at));
                None
            }
            CoreInput::Look(share) => {
                self.flow().set_share(share);
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
        let item = Queued::told(work);
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

    /// Handles a run that was loaded, or could not be.
    fn loaded(
        &mut self,
        now: Timestamp,
        run: RunId,
        result: Option<Result<RunState, NotLoaded>>,
        answers: Answers,
        output: &mut StepOutput,
    ) -> Option<RunId> {
        self.loads = self.loads.saturating_sub(1);
        let mut live = self.live.remove(&run)?;
        live.loading = false;
        // Reads for an earlier state of the run are stale: its inbox has changed with it.
        if let Some(Ok(state)) = &result {
            let seq = Some(state.row.schedule.seq);
            if live.known_at != seq {
                live.known.clear();
            }
            live.known_at = seq;
        }
        live.known.extend(answers);
        let Some(result) = result else {
            self.live.insert(run, live);
            return Some(run);
        };
        match result {
            Ok(state) => {
                let waiting = std::mem::take(&mut live.queue);
                live.fill(state);
                self.requeue(run, &mut live, waiting);
                if live.queue.is_empty() {
                    return None;
                }
                let pauses = live.redecided > MAX_REDECISIONS && !live.is_atomic();
                if pauses {
                    output.actions.push(Action::WakeAt(live.scope.clone(), run, now.plus(BACK_OFF)));
                }
                self.live.insert(run, live);
                (!pauses).then_some(run)
            }
            Err(NotLoaded { error, row, log }) => {
                let mut kept = VecDeque::new();
                for mut item in std::mem::take(&mut live.queue) {
                    match item.reply.take() {
                        Some(reply) => output.actions.push(Action::Reply(reply, Err(error.clone()))),
                        None => kept.push_back(item),
                    }
                }
                match error {
                    // The store is unavailable: external outcomes must not be lost.
                    EngineError::Store(error @ StoreError::Failed(_)) if !kept.is_empty() => {
                        tracing::warn!(%run, %error, "the store is unavailable; this run will be retried");
                        output.actions.push(Action::WakeAt(live.scope.clone(), run, now.plus(BACK_OFF)));
                        live.queue = kept;
                        self.live.insert(run, live);
                    }
                    EngineError::Store(StoreError::Failed(_)) | EngineError::NoSuchRun(_) => {
                        if matches!(error, EngineError::NoSuchRun(_)) && kept.iter().any(Queued::is_signal) {
                            // The run was deleted, and then a child of it ended: nobody will read its inbox.
                            let preconditions = vec![Precondition::RunAbsent(run)];
                            let writes = vec![Write::DropRun(run)];
                            self.next_commit += 1;
                            let member = Member { scope: live.scope.clone(), preconditions, writes };
                            output.commits.push((self.next_commit, member));
                        }
                        kept.iter().for_each(|item| self.answered(run, std::slice::from_ref(item)));
                    }
                    error => match row.filter(|row| row.status != RunStatus::Parked) {
                        Some(row) => {
                            let why = error.to_string();
                            self.park(now, live, &row, log.as_deref(), (kept.into(), &why), output);
                        }
                        None => kept.iter().for_each(|item| self.answered(run, std::slice::from_ref(item))),
                    },
                }
                None
            }
        }
    }

    /// Decides everything queued for one run, one commit at a time.
    fn decide(&mut self, now: Timestamp, run: RunId, output: &mut StepOutput) {
        while self.decide_once(now, run, output) {}
    }

    /// Decides as much for one run as fits in one commit; returns whether more can be decided now.
    fn decide_once(&mut self, now: Timestamp, run: RunId, output: &mut StepOutput) -> bool {
        let Some(mut live) = self.live.remove(&run) else { return false };
        if live.in_flight.is_some() || live.queue.is_empty() || live.loading {
            self.live.insert(run, live);
            return false;
        }
        if live.row.is_none() && !live.queue.iter().any(|item| matches!(item.work, Work::Start(_))) {
            live.loading = true;
            self.loads += 1;
            // Its reads are often prefetched; the rest shows when it is decided.
            let waits = self.store.reads_wait();
            let reads = waits.then_some(Read::Signals).filter(|_| live.queue.iter().any(Queued::is_signal));
            let reads = reads.into_iter().collect();
            output.actions.push(Action::Load(Load { scope: live.scope.clone(), run, exists: true, reads }));
            self.live.insert(run, live);
            return false;
        }
        let mut work = Vec::new();
        let mut requests = 0;
        while let Some(item) = live.queue.front() {
            requests += usize::from(item.is_request());
            if requests > 1 {
                break;
            }
            work.extend(live.queue.pop_front());
        }
        if live.is_parked() && !work.iter().any(Queued::unparks) {
            self.leave_parked(run, work, output);
            return self.keep_while_queued(run, live);
        }
        let turn = self.turn(now, run, &mut live, &work);
        if !matches!(turn, Err(Undecided::Unread(_))) {
            live.known.clear();
        }
        let (member, parts) = match turn {
            Ok(decided) => decided,
            Err(Undecided::Unread(reads)) => {
                self.read_first(run, live, work, reads, output);
                return false;
            }
            Err(Undecided::Away(error)) => {
                tracing::warn!(%run, %error, "a read of a turn failed; the turn will be decided again");
                return self.again(now, run, live, work, Some(error), output).is_some();
            }
            Err(Undecided::Refused(error)) => {
                return self.refuse(now, run, live, work, &error, output).is_some();
            }
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
                return self.keep_while_queued(run, live);
            }
        };
        live.in_flight = Some(InFlight { work, ..parts });
        self.next_commit += 1;
        self.commits.insert(self.next_commit, run);
        output.commits.push((self.next_commit, member));
        self.live.insert(run, live);
        false
    }

    /// Starts reads for a run and reloads it, because the dropped turn has changed it.
    fn read_first(&mut self, run: RunId, live: Live, work: Vec<Queued>, reads: Vec<Read>, output: &mut StepOutput) {
        let Live { scope, queue, redecided, at_cap, unfinished, known, known_at, .. } = live;
        let is_new = work.iter().any(|item| matches!(item.work, Work::Start(_)));
        let queue = work.into_iter().chain(queue).collect();
        let fresh =
            Live { queue, redecided, at_cap, unfinished, known, known_at, loading: true, ..Live::empty(scope.clone()) };
        self.live.insert(run, fresh);
        self.loads += 1;
        output.actions.push(Action::Load(Load { scope, run, exists: !is_new, reads }));
    }

    /// Keeps an unchanged run in memory while work is queued for it or this node owns it; returns whether work is
    /// queued.
    fn keep_while_queued(&mut self, run: RunId, live: Live) -> bool {
        let waits = !live.queue.is_empty();
        let owned = live
            .row
            .as_ref()
            .is_some_and(|row| row.schedule.owner == Some(self.node) && row.status != RunStatus::Parked);
        if waits || owned {
            self.live.insert(run, live);
        }
        waits
    }

    /// One turn as one member of a commit; without changes, the answer to the callers instead.
    fn turn(
        &mut self,
        now: Timestamp,
        run: RunId,
        live: &mut Live,
        work: &[Queued],
    ) -> Result<(Member, InFlight), Undecided> {
        let mut preconditions = Vec::new();
        let mut writes = Vec::new();
        let mut prelude = Vec::new();
        let mut status = live.row.as_ref().map_or(RunStatus::Running, |row| row.status);
        let mut schedule = live.row.as_ref().map(|row| row.schedule.clone()).unwrap_or_default();
        let mut program_hash = None;
        let mut new_row = None;
        let mut inputs: Vec<Told> = Vec::new();
        let mut rechecks = Vec::new();
        for item in work {
            match &item.work {
                Work::Start(submission) => {
                    preconditions.push(Precondition::RunAbsent(run));
                    if let Some((key, digest)) = &submission.key {
                        preconditions.push(Precondition::KeyFree(key.clone()));
                        writes.push(Write::TakeKey { key: key.clone(), digest: *digest, run });
                    }
                    writes.extend(submission.writes.iter().cloned());
                    prelude.extend(submission.prelude.iter().cloned());
                    status = submission.status;
                    schedule.priority = submission.priority;
                    schedule.wake_at = submission.expires_at.filter(|_| !submission.start);
                    live.data = RunData { input: submission.input.clone(), ..RunData::default() };
                    if let Some((hash, program)) = &submission.program {
                        program_hash = Some(*hash);
                        let code = Code::new(*hash, program.clone());
                        live.state = Some(State::new(&code));
                        live.code = Some(code);
                        self.programs.keep(*hash, program);
                        if submission.start {
                            inputs.push(Told::Input(Input::Start, None));
                        }
                    }
                    new_row = Some(submission.clone());
                }
                Work::Command(command) => {
                    preconditions.extend(command.preconditions.iter().cloned());
                    writes.extend(command.writes.iter().cloned());
                    prelude.extend(command.prelude.iter().cloned());
                    inputs.extend(command.inputs.iter().cloned());
                    if item.unparks() {
                        rechecks.extend(lost_checks(live.state.as_ref()));
                    }
                    if let Some((hash, program, moved, input)) = &command.program {
                        program_hash = Some(*hash);
                        live.code = Some(Code::new(*hash, program.clone()));
                        live.state = Some(moved.state.clone());
                        live.data.migrate(&moved.map, &moved.steps);
                        live.data.input = input.clone();
                        self.programs.keep(*hash, program);
                    }
                    status = command.status.unwrap_or(status);
                }
                Work::Job(job, attempt, outcome) => inputs.push(Told::Outcome(*job, *attempt, outcome.clone())),
                Work::NotMade(job, attempt) => inputs.push(not_made(*job, *attempt)),
                Work::Check(job, attempt, answer, asked) => {
                    inputs.push(Told::Check(*job, *attempt, answer.clone(), *asked));
                }
                Work::Tick => inputs.push(Told::Input(Input::Tick, None)),
                Work::Signals => inputs.push(Told::Signals),
                Work::Slot => {}
                Work::TakeOver(from) => {
                    // The run may have changed concurrently; and a run that is taken over did not belong to this node
                    // before.
                    let owner = live.row.as_ref().and_then(|row| row.schedule.owner);
                    if schedule.owner != Some(*from) || owner != Some(*from) {
                        continue;
                    }
                    let jobs = if *from == self.node {
                        let in_hand = |job, attempt| self.in_hand.contains(&(run, job, attempt));
                        let checks = lost_checks(live.state.as_ref()).into_iter();
                        rechecks.extend(checks.filter(|(job, attempt)| !in_hand(*job, *attempt)));
                        never_made(live.state.as_ref(), in_hand)
                    } else {
                        schedule.fence += 1;
                        schedule.owner = Some(self.node);
                        rechecks.extend(lost_checks(live.state.as_ref()));
                        lost_jobs(live.state.as_ref())
                    };
                    if *from != self.node || !rechecks.is_empty() {
                        let data = json!({"from": from, "to": self.node});
                        prelude.push(NewEvent::pipe(PipeEvent::TakenOver, data, None));
                    }
                    inputs.extend(jobs);
                    inputs.push(Told::Input(Input::Tick, None));
                }
            }
        }
        if let Some(row) = &live.row {
            let RunSchedule { seq, fence, .. } = row.schedule;
            preconditions.push(Precondition::RunAt { run, seq, fence });
            if live.state.as_ref().is_none_or(|state| state.phase() == Phase::New) {
                let has_machine = live.state.is_some();
                prelude.extend(unstarted::end(&mut status, &mut schedule, &mut inputs, has_machine, now));
            }
        }
        // Another node owns the run: the request is decided here, external calls start there.
        let guest = schedule.owner.is_some_and(|owner| owner != self.node);
        if live.redecided > MAX_REDECISIONS && live.is_atomic() {
            let message = "Others kept changing the same records; nothing was done. Try again in a moment.";
            let failure = Failure { retry_after: Some(BACK_OFF), ..Failure::transient("contention", message) };
            inputs.push(Told::Input(Input::Halt(0, failure), None));
        }
        let runs_away = work.iter().all(|item| matches!(item.work, Work::Tick)) && live.unfinished > MAX_UNFINISHED;
        let mut finished = match (&mut live.code, &mut live.state) {
            (Some(code), Some(state)) => {
                let mut turn = Turn {
                    scope: &live.scope,
                    run,
                    code,
                    state,
                    data: &mut live.data,
                    host: &self.host,
                    random: self.random.as_mut(),
                    now,
                    records: RecordView::over(Reader::of_turn(self.store.as_ref(), &live.scope, run, &live.known)),
                    events: prelude,
                    writes,
                    preconditions: Vec::new(),
                    handovers: Vec::new(),
                    checks: Vec::new(),
                    unfinished: false,
                    priority: schedule.priority,
                    batch: None,
                    answer: Value::Null,
                    offered: false,
                    delegated: false,
                    flow: (!guest).then_some(self.flow.as_ref()),
                    later: BTreeSet::new(),
                    limit: None,
                    away: None,
                    refused: None,
                    answered: None,
                    bytes: 0,
                    signalled: Vec::new(),
                    at_cap: &live.at_cap,
                };
                for told in inputs {
                    turn.told(told);
                }
                for (job, attempt) in rechecks {
                    turn.request_check(job, attempt);
                }
                if runs_away {
                    turn.run_away();
                } else {
                    turn.advance();
                }
                turn.finish()
            }
            _ => Finished { events: prelude, writes, ..Finished::default() },
        };
        if work.iter().any(|item| matches!(item.work, Work::Slot)) {
            let tenant = live.scope.tenant();
            // A pending read keeps its turn open; otherwise those who wait would overtake it.
            if finished.missed.is_empty() {
                self.flow().uncall(run);
            } else {
                let limit = schedule.queued.as_ref().map_or(ANY, |place| place.limit.as_str());
                self.flow().call(tenant, run, limit);
            }
        }
        let missed = std::mem::take(&mut finished.missed);
        let undecided = (!missed.is_empty())
            .then_some(Undecided::Unread(missed))
            .or_else(|| finished.away.take().map(Undecided::Away))
            .or_else(|| finished.refused.take().map(Undecided::Refused));
        if let Some(undecided) = undecided {
            for Handover { context, .. } in &finished.handovers {
                self.flow().release((run, context.job, context.attempt), false);
            }
            return Err(undecided);
        }
        if finished.events.is_empty() && finished.writes.is_empty() && new_row.is_none() {
            // Called, but without a slot after all: it keeps waiting. If it waits for a different limit than its row says, the
            // row is written, so that nodes with free slots find it.
            let waits_for = finished.limit.as_ref().zip(schedule.queued.as_ref());
            let called = work.iter().all(|item| matches!(item.work, Work::Slot));
            if waits_for.is_none_or(|(limit, place)| *limit == place.limit) || !called {
                if let Some((limit, place)) = waits_for {
                    self.flow().wait(live.scope.tenant(), run, place.order, limit);
                }
                return Err(Undecided::Nothing(finished.answer));
            }
        }
        Ok(self.member(now, run, live, Parts { finished, preconditions, status, schedule, program_hash, new_row }))
    }

    fn member(&self, now: Timestamp, run: RunId, live: &Live, parts: Parts) -> (Member, InFlight) {
        let Parts { mut finished, mut preconditions, mut status, mut schedule, program_hash, new_row } = parts;
        let mut nudge = false;
        if let Some(state) = live.state.as_ref().filter(|state| state.phase() != Phase::New) {
            status = state.status();
            schedule.wake_at = state.wake_at();
            let under_way = finished.unfinished
                || state
                    .jobs
                    .values()
                    .any(|job| matches!(job.status, JobStatus::Running | JobStatus::Checking { again: None }));
            let guest = schedule.owner.filter(|owner| *owner != self.node);
            let owner = under_way.then_some(guest.unwrap_or(self.node));
            if owner.is_some() && owner != schedule.owner {
                schedule.fence += 1;
            }
            schedule.owner = owner;
            let waits = finished.limit.take().filter(|_| {
                let next = live.code.as_ref().and_then(|code| Machine::new(code).next(state));
                !finished.unfinished && matches!(next, Some(Need::Start(..)))
            });
            let order = || now.as_millis() - i64::from(schedule.priority) * PRIORITY_STEP;
            let place = waits.map(|limit| QueuePlace {
                order: schedule.queued.as_ref().map_or_else(order, |place| place.order),
                limit,
            });
            if guest.is_some() && owner.is_some() && place.is_some() {
                nudge = true;
                schedule.queued = None;
            } else {
                schedule.queued = place;
            }
        }
        let parent = parent::tell_parent(now, run, live, new_row.as_deref(), &finished);
        let first = schedule.seq;
        schedule.seq += finished.events.len() as u64;
        let mut writes = Vec::with_capacity(finished.writes.len() + 3);
        if nudge {
            // The owner of the run finds this in its inbox and continues.
            let body = json!({"go_on": true});
            writes.push(Write::Signal(SignalRow { run, id: format!("go on {}", schedule.seq), at: now, body }));
        }
        let mut signalled = std::mem::take(&mut finished.signalled);
        if let Some(signal) = parent {
            signalled.push(signal.run);
            writes.push(Write::Signal(signal));
        }
        match &new_row {
            Some(submission) => writes.push(Write::NewRun(Box::new(RunRow {
                id: run,
                tenant: live.scope.tenant().clone(),
                created_at: now,
                updated_at: now,
                status,
                program: program_hash,
                request: submission.request.clone(),
                erased: false,
                schedule: schedule.clone(),
            }))),
            None => writes.push(Write::UpdateRun {
                run,
                status,
                at: now,
                schedule: schedule.clone(),
                program: program_hash,
            }),
        }
        let mut appended = None;
        if !finished.events.is_empty() {
            let row = Arc::new(pack(run, first, now, finished.events));
            appended = Some(row.clone());
            writes.push(Write::Append(row));
        }
        writes.extend(finished.writes);
        preconditions.extend(finished.preconditions);
        let member = Member { scope: live.scope.clone(), preconditions, writes };
        let queued = schedule.queued.clone();
        let in_flight = InFlight {
            work: Vec::new(),
            at: now,
            appended,
            schedule,
            status,
            program: program_hash,
            handovers: finished.handovers,
            checks: finished.checks,
            unfinished: finished.unfinished,
            answer: finished.answer,
            offered: finished.offered,
            delegated: finished.delegated,
            queued,
            signalled,
            parks: false,
        };
        (member, in_flight)
    }

    fn committed(
        &mut self,
        now: Timestamp,
        commit: u64,
        result: Result<Outcome, StoreError>,
        output: &mut StepOutput,
    ) -> Option<RunId> {
        let run = self.commits.remove(&commit)?;
        let mut live = self.live.remove(&run)?;
        let in_flight = live.in_flight.take()?;
        if !matches!(result, Ok(Outcome::Committed)) {
            for Handover { context, .. } in &in_flight.handovers {
                self.flow().release((run, context.job, context.attempt), false);
            }
        }
        match result {
            Ok(Outcome::Committed) if in_flight.parks => self.parked(run, live, in_flight.work, output),
            Ok(Outcome::Committed) => self.settle(run, live, in_flight, output),
            Ok(Outcome::Conflict(conflict)) => self.conflict(now, run, live, in_flight, conflict, output),
            Ok(Outcome::Refused(why)) => self.turned_down(now, run, live, in_flight, why, output),
            Err(error) => {
                tracing::warn!(%run, %error, "a commit failed and will be retried");
                self.again(now, run, live, in_flight.work, Some(error), output)
            }
        }
    }

    /// The commit is durable: performs the actions it promised.
    fn settle(&mut self, run: RunId, mut live: Live, in_flight: InFlight, output: &mut StepOutput) -> Option<RunId> {
        live.redecided = 0;
        live.at_cap.clear();
        self.answered(run, &in_flight.work);
        let mut moved = false;
        for item in &in_flight.work {
            match &item.work {
                Work::Start(submission) => {
                    live.row = Some(RunRow {
                        id: run,
                        tenant: live.scope.tenant().clone(),
                        created_at: in_flight.at,
                        updated_at: in_flight.at,
                        status: in_flight.status,
                        program: None,
                        request: submission.request.clone(),
                        erased: false,
                        schedule: RunSchedule::default(),
                    });
                }
                Work::Command(command) => moved |= command.program.is_some(),
                _ => {}
            }
        }
        live.tell_observers(run, &in_flight, output);
        if live.row.as_ref().is_some_and(|row| row.schedule.queued.is_some()) {
            self.flow().forget(live.scope.tenant(), run);
        }
        if let Some(place) = &in_flight.queued {
            self.flow().wait(live.scope.tenant(), run, place.order, &place.limit);
        }
        if let Some(row) = &mut live.row {
            row.updated_at = in_flight.at;
            row.schedule = in_flight.schedule.clone();
            row.status = in_flight.status;
            row.program = in_flight.program.or(row.program);
        }
        live.log.extend(in_flight.appended);
        let scope = live.scope.clone();
        if in_flight.unfinished {
            live.unfinished += 1;
            live.queue.push_back(Queued::told(Work::Tick));
        } else {
            live.unfinished = 0;
        }
        if in_flight.delegated {
            // An external system may have answered before this commit.
            live.queue.push_back(Queued::told(Work::Signals));
        }
        let at_rest = live.state.as_ref().is_none_or(|state| live.data.is_at_rest(state));
        let again = !live.queue.is_empty();
        // A migrated run is loaded again, with its earlier programs.
        let stays = again || (in_flight.schedule.owner == Some(self.node) && !moved);
        let told = at_rest || in_flight.work.iter().any(|item| item.reply.is_some());
        let state = if stays {
            let state = (told && !moved).then(|| live.snapshot()).flatten();
            self.live.insert(run, live);
            state
        } else {
            (told && !moved).then(|| live.into_state()).flatten()
        };
        let news = RunNews {
            run,
            status: in_flight.status,
            at_rest,
            offered: in_flight.offered,
            answer: in_flight.answer,
            state: state.map(Arc::new),
        };
        for reply in in_flight.work.into_iter().filter_map(|item| item.reply) {
            output.actions.push(Action::Reply(reply, Ok(news.clone())));
        }
        output.actions.push(Action::Notify(news));
        for mut handover in in_flight.handovers {
            handover.fence = in_flight.schedule.fence;
            self.in_hand.insert((run, handover.context.job, handover.context.attempt));
            self.calls.push_back(handover);
        }
        for check in in_flight.checks {
            self.in_hand.insert((run, check.context.job, check.context.attempt));
            output.actions.push(Action::Check(Box::new(CheckAction(check))));
        }
        if let Some(at) = in_flight.schedule.wake_at {
            output.actions.push(Action::WakeAt(scope.clone(), run, at));
        }
        for run in in_flight.signalled {
            output.actions.push(Action::Signal(scope.clone(), run));
        }
        again.then_some(run)
    }

    /// A precondition failed: the turn is decided again, unless that cannot help.
    fn conflict(
        &mut self,
        now: Timestamp,
        run: RunId,
        live: Live,
        in_flight: InFlight,
        conflict: Conflict,
        output: &mut StepOutput,
    ) -> Option<RunId> {
        let mut live = live;
        if let Conflict::OverLimit { account, .. } = &conflict {
            live.at_cap.insert(account.clone());
        }
        let answer = match &conflict {
            Conflict::Precondition(Precondition::KeyFree(key)) => Some(EngineError::KeyTaken(key.clone())),
            Conflict::Precondition(Precondition::RunAbsent(_)) => Some(EngineError::RunExists(run)),
            Conflict::Precondition(Precondition::ApprovalPending(_)) => Some(EngineError::AlreadyDecided),
            Conflict::Precondition(Precondition::LetterOpen(_)) => Some(EngineError::AlreadyDecided),
            // A precondition of the caller failed, not one of the turn: deciding again cannot help.
            Conflict::Precondition(failed) if in_flight.work.iter().any(|item| item.relied_on(failed)) => {
                Some(EngineError::Moved)
            }
            _ => None,
        };
        if let Some(error) = answer {
            return self.refuse(now, run, live, in_flight.work, &error, output);
        }
        tracing::debug!(%run, ?conflict, "a turn is decided again");
        self.again(now, run, live, in_flight.work, None, output)
    }

    /// Answers the caller with the reason; other work is decided again.
    fn refuse(
        &mut self,
        now: Timestamp,
        run: RunId,
        live: Live,
        work: Vec<Queued>,
        error: &EngineError,
        output: &mut StepOutput,
    ) -> Option<RunId> {
        let (asked, rest): (Vec<Queued>, Vec<Queued>) = work.into_iter().partition(Queued::is_request);
        for reply in asked.into_iter().filter_map(|item| item.reply) {
            output.actions.push(Action::Reply(reply, Err(error.clone())));
        }
        if rest.is_empty() && live.queue.is_empty() {
            return None;
        }
        self.again(now, run, live, rest, None, output)
    }

    fn again(
        &mut self,
        now: Timestamp,
        run: RunId,
        live: Live,
        work: Vec<Queued>,
        error: Option<StoreError>,
        output: &mut StepOutput,
    ) -> Option<RunId> {
        let Live { scope, queue: mut later, redecided, at_cap, .. } = live;
        let failed = error.is_some();
        if failed {
            // A commit reported as failed may still have been written (the connection broke at that moment). Its calls
            // were not made, and nobody else would take them over.
            later.push_back(Queued::told(Work::TakeOver(self.node)));
        }
        let is_new = work.iter().any(|item| matches!(item.work, Work::Start(_)));
        let mut fresh = Live::empty(scope.clone());
        (fresh.redecided, fresh.at_cap) = (redecided + 1, at_cap);
        for mut item in work.into_iter().chain(later) {
            // It is unknown whether a new run was written; the caller can decide what to do.
            match (&error, item.reply.take()) {
                (Some(error), Some(reply)) if is_new => {
                    output.actions.push(Action::Reply(reply, Err(EngineError::Store(error.clone()))));
                }
                (_, reply) => {
                    item.reply = reply;
                    fresh.queue.push_back(item);
                }
            }
        }
        self.live.insert(run, fresh);
        if failed {
            output.actions.push(Action::WakeAt(scope, run, now.plus(BACK_OFF)));
            return None;
        }
        Some(run)
    }

    /// Queues work again for the reloaded run; drops what another node is responsible for.
    fn requeue(&mut self, run: RunId, fresh: &mut Live, items: impl IntoIterator<Item = Queued>) {
        let lost = fresh.owned_by_other(self.node);
        for item in items {
            if lost && !item.concerns_everybody() {
                tracing::info!(%run, "an answer came too late: another node owns this run");
                if !planted("answered-forgotten") {
                    self.answered(run, std::slice::from_ref(&item));
                }
                continue;
            }
            fresh.queue.push_back(item);
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
                self.flow().uncall(run);
            }
        }
    }
}

/// Why a turn has nothing to commit.
enum Undecided {
    /// Nothing follows; the answer to the callers.
    Nothing(Value),
    /// Reads are missing.
    Unread(Vec<Read>),
    /// A read of the turn failed.
    Away(StoreError),
    /// The request conflicts with the state of the run.
    Refused(EngineError),
}

struct Parts {
    finished: Finished,
    preconditions: Vec<Precondition>,
    status: RunStatus,
    schedule: RunSchedule,
    program_hash: Option<Digest>,
    new_row: Option<Arc<Submission>>,
}
