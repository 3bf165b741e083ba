//! A run that the core works on: its queue, its state, and its commit in flight.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use brain_core::{Digest, Failure, Millis, NodeId, RecordId, RunId, RunStatus, Timestamp};
use brain_registry::ValidatedCall;
use brain_store::{LogRow, Precondition, QueuePlace, RunRow, RunSchedule, Scope};
use brain_vm::{Code, Input, JobId, JobStatus, Program, State};
use serde_json::Value;

use super::messages::{Action, Command, Reply, StepOutput, Submission, TurnInput};
use crate::data::RunData;
use crate::host::{CheckAnswer, JobOutcome};
use crate::log::PipeEvent;
use crate::operator_events::{Happening, happenings};
use crate::reads::Answers;
use crate::run_state::RunState;
use crate::turn::{CheckRequest, Handover};

/// Work to be decided for one run. Kept until its commit is durable, so that it can be decided again.
pub(super) enum Work {
    Start(Arc<Submission>),
    Command(Arc<Command>),
    Job(JobId, u32, JobOutcome),
    Check(JobId, u32, CheckAnswer, Timestamp),
    /// A call whose start is durable was not made after all.
    NotMade(JobId, u32),
    Tick,
    Signals,
    TakeOver(NodeId),
    /// There may be a slot for a waiting job.
    Slot,
}

pub(super) struct Live {
    pub(super) scope: Scope,
    pub(super) row: Option<RunRow>,
    pub(super) code: Option<Code>,
    pub(super) state: Option<State>,
    pub(super) data: RunData,
    /// The validated calls of a run that was just accepted.
    pub(super) calls: Arc<[ValidatedCall]>,
    /// Its log as stored, row by row.
    pub(super) log: Vec<Arc<LogRow>>,
    /// The programs it ran before each migration, each with the sequence number of the migration event.
    pub(super) earlier: Vec<(u64, Arc<Program>)>,
    /// Prefetched reads for the next turn.
    pub(super) known: Answers,
    /// How many events the run had then.
    pub(super) known_at: Option<u64>,
    /// Whether it is being loaded; new work waits in the queue.
    pub(super) loading: bool,
    pub(super) queue: VecDeque<Queued>,
    /// The commit in flight, if any.
    pub(super) in_flight: Option<InFlight>,
    pub(super) redecided: u32,
    /// Accounts that were at their cap when this was last decided.
    pub(super) at_cap: BTreeSet<String>,
    /// Records that were there when this last tried to insert them.
    pub(super) taken: BTreeSet<(String, RecordId)>,
    /// Consecutive unfinished turns without input from outside.
    pub(super) unfinished: u32,
}

/// Work, and the caller that waits for it.
pub(super) struct Queued {
    pub(super) work: Work,
    pub(super) reply: Option<Reply>,
}

impl Queued {
    pub(super) fn with_reply(work: Work, reply: Reply) -> Self {
        Self { work, reply: Some(reply) }
    }

    pub(super) fn without_reply(work: Work) -> Self {
        Self { work, reply: None }
    }

    /// Whether the caller requires this precondition.
    pub(super) fn relied_on(&self, precondition: &Precondition) -> bool {
        matches!(&self.work, Work::Command(command) if command.preconditions.contains(precondition))
    }

    /// Whether it unparks a run.
    pub(super) fn unparks(&self) -> bool {
        let is_it = |number: u16| number == PipeEvent::Unparked as u16;
        matches!(&self.work, Work::Command(command) if command.prelude.iter().any(|event| is_it(event.number)))
    }

    /// Whether it is about the inbox.
    pub(super) fn is_signal(&self) -> bool {
        matches!(self.work, Work::Signals)
    }

    /// Whether it matters regardless of which node owns the run.
    pub(super) fn concerns_everybody(&self) -> bool {
        self.is_request() || matches!(self.work, Work::TakeOver(_))
    }

    /// Whether a caller asked for it. Each request is a commit of its own, so that each gets its own answer.
    pub(super) fn is_request(&self) -> bool {
        matches!(self.work, Work::Start(_) | Work::Command(_))
    }
}

#[derive(Default)]
pub(super) struct InFlight {
    pub(super) work: Vec<Queued>,
    /// When it was decided.
    pub(super) at: Timestamp,
    /// The new log row.
    pub(super) appended: Option<Arc<LogRow>>,
    pub(super) schedule: RunSchedule,
    pub(super) status: RunStatus,
    pub(super) program: Option<Digest>,
    pub(super) handovers: Vec<Handover>,
    pub(super) checks: Vec<CheckRequest>,
    pub(super) unfinished: bool,
    pub(super) answer: Value,
    pub(super) offered: bool,
    pub(super) delegated: bool,
    /// The queue of the jobs that did not start.
    pub(super) queued: Option<QueuePlace>,
    /// Runs with new inbox entries: the parent, if this run has ended, and children it cancelled.
    pub(super) signalled: Vec<RunId>,
    /// Whether this parks the run and does nothing else.
    pub(super) parks: bool,
}

impl Live {
    /// Reports a durable commit to the log and the observers.
    pub(super) fn tell_observers(&self, run: RunId, in_flight: &InFlight, output: &mut StepOutput) {
        let Some(row) = &in_flight.appended else { return };
        let all = happenings(row, in_flight.status, self.code.as_ref(), self.state.as_ref());
        if all.is_empty() {
            return;
        }
        let trace = self.row.as_ref().and_then(|row| row.request["trace_id"].as_str().map(str::to_owned));
        let (tenant, at) = (self.scope.tenant(), in_flight.at);
        let happened =
            all.into_iter().map(|what| Happening { tenant: tenant.clone(), run, trace: trace.clone(), at, what });
        output.actions.push(Action::Happened(happened.collect()));
    }

    pub(super) fn empty(scope: Scope) -> Self {
        Self {
            scope,
            row: None,
            code: None,
            state: None,
            data: RunData::default(),
            calls: Arc::default(),
            log: Vec::new(),
            earlier: Vec::new(),
            known: Vec::new(),
            known_at: None,
            loading: false,
            queue: VecDeque::new(),
            in_flight: None,
            redecided: 0,
            at_cap: BTreeSet::new(),
            taken: BTreeSet::new(),
            unfinished: 0,
        }
    }

    pub(super) fn new(scope: Scope, work: Work, reply: Reply) -> Self {
        let mut live = Self::empty(scope);
        live.queue.push_back(Queued::with_reply(work, reply));
        live
    }

    /// Whether it is a run that the store does not have yet.
    pub(super) fn is_new(&self) -> bool {
        self.queue.iter().any(|item| matches!(item.work, Work::Start(_)))
    }

    /// Dequeues the inputs of one turn: at most one request, and everything before the next one.
    pub(super) fn take_work(&mut self) -> Vec<Queued> {
        let mut work = Vec::new();
        let mut requests = 0;
        while let Some(item) = self.queue.front() {
            requests += usize::from(item.is_request());
            if requests > 1 {
                break;
            }
            work.extend(self.queue.pop_front());
        }
        work
    }

    /// The run as it was before a turn that is dropped for want of reads: to be loaded again, with the same work.
    pub(super) fn before_turn(self, work: Vec<Queued>) -> Self {
        let Self { scope, queue, redecided, at_cap, taken, unfinished, known, known_at, .. } = self;
        let queue = work.into_iter().chain(queue).collect();
        Self { queue, redecided, at_cap, taken, unfinished, known, known_at, ..Self::empty(scope) }
    }

    /// Fills in the run as loaded from the store. Queued work stays.
    pub(super) fn fill(&mut self, run: RunState) {
        let RunState { row, log, code, state, data, earlier } = run;
        (self.row, self.log, self.code, self.state) = (Some(row), log, code, state);
        (self.data, self.earlier) = (data, earlier);
    }

    /// A snapshot of the run while it continues.
    pub(super) fn snapshot(&self) -> Option<RunState> {
        Some(RunState {
            row: self.row.clone()?,
            log: self.log.clone(),
            code: self.code.clone(),
            state: self.state.clone(),
            data: self.data.clone(),
            earlier: self.earlier.clone(),
        })
    }

    /// The state of a run that is done here.
    pub(super) fn into_state(self) -> Option<RunState> {
        let Self { row, log, code, state, data, earlier, .. } = self;
        Some(RunState { row: row?, log, code, state, data, earlier })
    }

    /// Whether all of it is one commit.
    pub(super) fn is_atomic(&self) -> bool {
        let submitted = |item: &Queued| match &item.work {
            Work::Start(submission) => submission.program.as_ref().is_some_and(|(_, program)| program.atomic),
            _ => false,
        };
        self.code.as_ref().is_some_and(|code| code.root().atomic) || self.queue.iter().any(submitted)
    }

    /// Whether it is parked: only a person can resume it.
    pub(super) fn is_parked(&self) -> bool {
        self.row.as_ref().is_some_and(|row| row.status == RunStatus::Parked)
    }

    pub(super) fn owned_by_other(&self, node: NodeId) -> bool {
        self.row.as_ref().and_then(|row| row.schedule.owner).is_some_and(|owner| owner != node)
    }
}

/// External jobs in flight on a dead node: their outcome is unknown.
pub(crate) fn lost_jobs(state: Option<&State>) -> Vec<TurnInput> {
    let Some(state) = state else { return Vec::new() };
    let lost = state.jobs.iter().filter(|(_, job)| job.status == JobStatus::Running);
    lost.map(|(&id, job)| {
        let failure = Failure::transient("node_lost", "The server stopped while this call was in flight.");
        TurnInput::Input(Input::Unknown(id, job.attempt, failure), None)
    })
    .collect()
}

/// External jobs started by a commit whose outcome was unknown. Calls are made after their commit, so these were not
/// made. They may be retried even if their tool is not idempotent.
pub(super) fn never_made(state: Option<&State>, in_hand: impl Fn(JobId, u32) -> bool) -> Vec<TurnInput> {
    let Some(state) = state else { return Vec::new() };
    let started = state.jobs.iter().filter(|(_, job)| job.status == JobStatus::Running);
    let lost = started.filter(|(id, job)| !in_hand(**id, job.attempt));
    lost.map(|(&id, job)| not_made(id, job.attempt)).collect()
}

/// A call that was started in the log but not made. It had no effect and does not count as an attempt.
pub(super) fn not_made(job: JobId, attempt: u32) -> TurnInput {
    let message = "The call was not made: it was not certain that this server still owned the run, or too much time \
                   had passed since the start was decided.";
    let failure = Failure { retry_after: Some(Millis(0)), ..Failure::transient("not_made", message) };
    TurnInput::Input(Input::Failed(job, attempt, failure), None)
}

/// Checks in flight on a dead node: repeating them is harmless.
pub(super) fn lost_checks(state: Option<&State>) -> Vec<(JobId, u32)> {
    let Some(state) = state else { return Vec::new() };
    let lost = state.jobs.iter().filter(|(_, job)| job.status == (JobStatus::Checking { again: None }));
    lost.map(|(&id, job)| (id, job.attempt)).collect()
}
