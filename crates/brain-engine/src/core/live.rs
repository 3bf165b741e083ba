//! A run that the core works on: what it has been told, what it knows, what is being committed.

use std::collections::VecDeque;
use std::sync::Arc;

use brain_core::{Digest, Failure, Millis, NodeId, RunId};
use brain_store::{Precondition, QueuePlace, RunRow, RunSchedule, Scope};
use brain_vm::{Code, Input, JobId, JobStatus, State};
use serde_json::Value;

use super::messages::{Command, Reply, Submission, Told};
use super::park::PARKED;
use crate::data::RunData;
use crate::host::{CheckAnswer, JobOutcome};
use crate::log::PipeEvent;
use crate::turn::{CheckRequest, Handover};

/// Something to be decided for one run. Kept until its commit is durable, so that it can be decided again.
pub(super) enum Work {
    Start(Arc<Submission>),
    Command(Arc<Command>),
    Job(JobId, u32, JobOutcome),
    Check(JobId, u32, CheckAnswer),
    Tick,
    Signals,
    TakeOver(NodeId),
    /// There may be a slot for a job that waits for one.
    Slot,
}

pub(super) struct Live {
    pub(super) scope: Scope,
    pub(super) row: Option<RunRow>,
    pub(super) code: Option<Code>,
    pub(super) state: Option<State>,
    pub(super) data: RunData,
    pub(super) queue: VecDeque<Queued>,
    /// What is being committed, if anything is.
    pub(super) in_flight: Option<InFlight>,
    pub(super) redecided: u32,
    /// Turns in a row that ended unfinished, with nothing from outside in between.
    pub(super) unfinished: u32,
}

/// Work, and whoever waits for it.
pub(super) struct Queued {
    pub(super) work: Work,
    pub(super) reply: Option<Reply>,
}

impl Queued {
    pub(super) fn asked(work: Work, reply: Reply) -> Self {
        Self { work, reply: Some(reply) }
    }

    pub(super) fn told(work: Work) -> Self {
        Self { work, reply: None }
    }

    /// Whether whoever asked for it insisted on this.
    pub(super) fn relied_on(&self, precondition: &Precondition) -> bool {
        matches!(&self.work, Work::Command(command) if command.preconditions.contains(precondition))
    }

    /// Whether somebody wants a run that was set aside looked at again.
    pub(super) fn unparks(&self) -> bool {
        let is_it = |number: u16| number == PipeEvent::Unparked as u16;
        matches!(&self.work, Work::Command(command) if command.prelude.iter().any(|event| is_it(event.number)))
    }

    /// Whether someone asked for it; each such request is a commit of its own, so that each gets its own answer.
    pub(super) fn is_request(&self) -> bool {
        matches!(self.work, Work::Start(_) | Work::Command(_))
    }
}

#[derive(Default)]
pub(super) struct InFlight {
    pub(super) work: Vec<Queued>,
    pub(super) schedule: RunSchedule,
    pub(super) status: String,
    pub(super) program: Option<Digest>,
    pub(super) handovers: Vec<Handover>,
    pub(super) checks: Vec<CheckRequest>,
    pub(super) unfinished: bool,
    pub(super) answer: Value,
    pub(super) offered: bool,
    pub(super) delegated: bool,
    /// What the jobs that did not start wait for.
    pub(super) queued: Option<QueuePlace>,
    /// Runs with something new in their inbox: the one that waits for this one, if it has ended, and those it cancelled.
    pub(super) signalled: Vec<RunId>,
    /// Whether this sets the run aside, and does nothing else.
    pub(super) parks: bool,
}

impl Live {
    pub(super) fn empty(scope: Scope) -> Self {
        Self {
            scope,
            row: None,
            code: None,
            state: None,
            data: RunData::default(),
            queue: VecDeque::new(),
            in_flight: None,
            redecided: 0,
            unfinished: 0,
        }
    }

    pub(super) fn new(scope: Scope, work: Work, reply: Reply) -> Self {
        let mut live = Self::empty(scope);
        live.queue.push_back(Queued::asked(work, reply));
        live
    }

    /// Whether it was set aside: only a person moves it on.
    pub(super) fn is_parked(&self) -> bool {
        self.row.as_ref().is_some_and(|row| row.status == PARKED)
    }

    pub(super) fn owned_by_other(&self, node: NodeId) -> bool {
        self.row.as_ref().and_then(|row| row.schedule.owner).is_some_and(|owner| owner != node)
    }
}

/// Outside jobs that were under way on a node that is dead: nobody knows how they went.
pub(crate) fn lost_jobs(state: Option<&State>) -> Vec<Told> {
    let Some(state) = state else { return Vec::new() };
    let lost = state.jobs.iter().filter(|(_, job)| job.status == JobStatus::Running);
    lost.map(|(&id, job)| {
        let failure = Failure::transient("node_lost", "The server stopped while this call was under way.");
        Told::Input(Input::Unknown(id, job.attempt, failure), None)
    })
    .collect()
}

/// Outside jobs that were started by a commit of which nobody could say whether it was written. Calls are made after
/// their commit, so these were not: they may be tried again, whatever their tool says about repetitions.
pub(super) fn never_made(state: Option<&State>, in_hand: impl Fn(JobId, u32) -> bool) -> Vec<Told> {
    let Some(state) = state else { return Vec::new() };
    let started = state.jobs.iter().filter(|(_, job)| job.status == JobStatus::Running);
    let lost = started.filter(|(id, job)| !in_hand(**id, job.attempt));
    lost.map(|(&id, job)| {
        let message = "It was not sure whether the start of this call was written, so the call was not made.";
        let failure = Failure { retry_after: Some(Millis(0)), ..Failure::transient("not_made", message) };
        Told::Input(Input::Failed(id, job.attempt, failure), None)
    })
    .collect()
}

/// Checks that were under way on a node that is dead: asking again does no harm.
pub(super) fn lost_checks(state: Option<&State>) -> Vec<(JobId, u32)> {
    let Some(state) = state else { return Vec::new() };
    let lost = state.jobs.iter().filter(|(_, job)| job.status == (JobStatus::Checking { again: None }));
    lost.map(|(&id, job)| (id, job.attempt)).collect()
}
