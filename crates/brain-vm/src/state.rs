//! The state of a run: a fold of its events. Applying an event never fails and never looks outside.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use brain_core::{Failure, Timestamp};
use brain_lang::plan::OnFailure;
use serde::{Deserialize, Serialize};

use crate::{Event, Program};

/// Which job: a step, an iteration of it, and whether it is done or undone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct JobId {
    /// The step.
    pub step: u16,
    /// The item, or 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub item: u32,
    /// Whether this takes the step back.
    #[serde(default, skip_serializing_if = "is_false")]
    pub undo: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// A map whose keys are no texts, as a list of pairs: JSON has no other form for it.
mod pairs {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Job, JobId};

    pub(super) fn serialize<S: Serializer>(jobs: &BTreeMap<JobId, Job>, serializer: S) -> Result<S::Ok, S::Error> {
        jobs.iter().collect::<Vec<_>>().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<JobId, Job>, D::Error> {
        Ok(Vec::<(JobId, Job)>::deserialize(deserializer)?.into_iter().collect())
    }
}

/// How a run ends once no job is running any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// It failed.
    Fail,
    /// Someone cancelled it.
    Cancel,
    /// What was done is taken back first.
    Compensate,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// Everything was done.
    Completed,
    /// Something failed; what was done stays.
    Failed,
    /// Someone cancelled it; what was done stays.
    Cancelled,
    /// Something failed and what was done was taken back.
    Compensated,
}

/// What the machine is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Not started.
    New,
    /// Fibers move.
    Running,
    /// Nothing new starts; running jobs are awaited.
    Stopping(Stop),
    /// What was done is taken back.
    Compensating,
    /// It is over.
    Ended(End),
}

/// A status that people see; part of the life of a run in `architecture.md`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Something is being done.
    Running,
    /// Only a timer, a worker or a person can move it on.
    Waiting,
    /// Another engine or a child run works on.
    Delegated,
    /// What was done is being taken back.
    Compensating,
    /// It is over.
    Ended(End),
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Delegated => "delegated",
            Self::Compensating => "compensating",
            Self::Ended(End::Completed) => "completed",
            Self::Ended(End::Failed) => "failed",
            Self::Ended(End::Cancelled) => "cancelled",
            Self::Ended(End::Compensated) => "compensated",
        })
    }
}

/// A token with a program counter.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fiber {
    /// The instruction it stands at.
    pub pc: u32,
    /// What it waits for there.
    pub wait: Wait,
}

/// Explicit yield points: a fiber stops nowhere else.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wait {
    /// Free to move.
    Free,
    /// For a condition to be evaluated.
    Condition(u16),
    /// For the job of a step.
    Job(u16),
    /// For the list of a step.
    Items(u16),
    /// For the jobs of all items.
    Each(u16),
    /// For the job that brought this fragment along to end.
    Return(u16),
}

/// A job that is not finished.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Job {
    /// How many attempts have started.
    pub attempt: u32,
    /// How many of those found that something else must happen first; they do not count against the retry policy.
    pub blocked: u32,
    /// Whether somebody has approved it.
    #[serde(default)]
    pub granted: bool,
    /// Where it stands.
    pub status: JobStatus,
}

impl Job {
    pub(crate) fn new() -> Self {
        Self { attempt: 0, blocked: 0, granted: false, status: JobStatus::Ready }
    }
}

/// Where a job stands.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobStatus {
    /// May start.
    Ready,
    /// Handed over.
    Running,
    /// Its check tool is being asked whether it happened.
    Checking,
    /// Waits for its next attempt.
    Retrying {
        /// When that may start.
        at: Timestamp,
    },
    /// Waits for a person.
    Parked {
        /// Whether it may have happened.
        in_doubt: bool,
    },
    /// Waits for a worker.
    Offered,
    /// A worker has it.
    Leased {
        /// When it is offered again.
        until: Timestamp,
    },
    /// Another engine or a child run works on it.
    Delegated {
        /// When that must have ended.
        until: Option<Timestamp>,
    },
    /// Waits for an approval.
    Held,
    /// Its result waits for a person to look at it.
    Reviewing,
    /// The steps it brought along are being done.
    Growing,
}

impl JobStatus {
    /// Whether something outside the machine may be happening because of it right now.
    pub fn is_out(&self) -> bool {
        matches!(self, Self::Running | Self::Checking | Self::Leased { .. })
    }

    /// Whether only a person can move it on.
    pub fn is_for_person(&self) -> bool {
        matches!(self, Self::Parked { .. } | Self::Held | Self::Reviewing)
    }
}

/// Where a step stands.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// Not reached.
    Pending,
    /// Reached.
    Active,
    /// Reached; one job an item.
    Each {
        /// How many items.
        count: u32,
        /// The next item to start.
        next: u32,
        /// How many are finished.
        finished: u32,
    },
    /// Finished.
    Done,
    /// Its condition did not hold.
    Skipped,
    /// A step whose result it uses failed or was bypassed.
    Bypassed,
    /// It failed.
    Failed,
}

/// The state of a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct State {
    /// What the machine is doing.
    pub phase: Phase,
    /// When the run must have ended.
    pub deadline: Option<Timestamp>,
    /// The tokens.
    pub fibers: BTreeMap<u32, Fiber>,
    /// The number of the next token.
    pub next_fiber: u32,
    /// How many fibers have arrived at each join.
    pub joins: Vec<u16>,
    /// Where each step stands.
    pub steps: Vec<StepState>,
    /// Jobs that are not finished.
    #[serde(with = "pairs")]
    pub jobs: BTreeMap<JobId, Job>,
    /// Jobs that succeeded, in order: what compensation takes back, last first.
    pub done: Vec<JobId>,
    /// Steps taken back so far.
    pub undone: BTreeSet<JobId>,
    /// How many jobs were started, undo aside.
    pub started: u32,
    /// Why the run stopped, if it did.
    pub failure: Option<Failure>,
    /// The jobs that brought fragments along, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fragments: Vec<JobId>,
    /// Whether an atomic batch was taken back before it was committed.
    #[serde(default)]
    pub rolled_back: bool,
}

impl State {
    /// A run of this program that has not started.
    pub fn new(program: &Program) -> Self {
        Self {
            phase: Phase::New,
            deadline: None,
            fibers: BTreeMap::new(),
            next_fiber: 0,
            joins: vec![0; program.joins.len()],
            steps: vec![StepState::Pending; program.steps.len()],
            jobs: BTreeMap::new(),
            done: Vec::new(),
            undone: BTreeSet::new(),
            started: 0,
            failure: None,
            fragments: Vec::new(),
            rolled_back: false,
        }
    }

    /// Whether the run is over.
    pub fn is_ended(&self) -> bool {
        matches!(self.phase, Phase::Ended(_))
    }

    /// What people see.
    pub fn status(&self) -> Status {
        match self.phase {
            Phase::Ended(end) => Status::Ended(end),
            Phase::Compensating => Status::Compensating,
            _ => {
                // A job that grew is as far as its steps are.
                let mut open = self.jobs.values().filter(|job| job.status != JobStatus::Growing).peekable();
                if open.peek().is_none() {
                    return Status::Running;
                }
                let mut delegated = false;
                for job in open {
                    match job.status {
                        JobStatus::Ready | JobStatus::Running | JobStatus::Checking | JobStatus::Leased { .. } => {
                            return Status::Running;
                        }
                        JobStatus::Delegated { .. } => delegated = true,
                        _ => {}
                    }
                }
                if delegated { Status::Delegated } else { Status::Waiting }
            }
        }
    }

    /// Whether the run goes no further until a person decides.
    pub fn is_parked(&self) -> bool {
        !self.is_ended()
            && self.jobs.values().any(|job| job.status.is_for_person())
            && self.jobs.values().all(|job| job.status.is_for_person() || job.status == JobStatus::Growing)
    }

    /// When the run wants to be looked at again, if time alone can move it.
    pub fn wake_at(&self) -> Option<Timestamp> {
        if self.is_ended() {
            return None;
        }
        let retries = self.jobs.values().filter_map(|job| match job.status {
            JobStatus::Retrying { at } => Some(at),
            JobStatus::Leased { until } => Some(until),
            JobStatus::Delegated { until } => until,
            _ => None,
        });
        let deadline = if matches!(self.phase, Phase::Running) { self.deadline } else { None };
        retries.chain(deadline).min()
    }

    /// Steps finished and steps in all, for progress.
    pub fn progress(&self) -> (usize, usize) {
        let finished = self
            .steps
            .iter()
            .filter(|step| matches!(step, StepState::Done | StepState::Skipped | StepState::Bypassed))
            .count();
        (finished, self.steps.len())
    }

    /// Folds one event.
    pub fn apply(&mut self, program: &Program, event: &Event) {
        match event {
            Event::RunStarted { deadline } => {
                self.phase = Phase::Running;
                self.deadline = *deadline;
                self.spawn(0);
            }
            Event::ConditionMet { step } => self.release(Wait::Condition(*step), 1),
            Event::StepSkipped { step } => {
                self.set_step(*step, StepState::Skipped);
                self.skip(program, *step);
            }
            Event::EachOpened { step, count } => self.open_each(*step, *count),
            Event::JobStarted { job, attempt } => self.put_job(*job, *attempt, JobStatus::Running),
            Event::JobDone { job, .. } => self.finish_job(*job, true),
            Event::JobRetrying { job, attempt, failure, at } => {
                self.put_job(*job, *attempt, JobStatus::Retrying { at: *at });
                if let Some(open) = self.jobs.get_mut(job) {
                    open.blocked += u32::from(failure.retry_after.is_some());
                }
            }
            Event::JobFailed { job, failure, .. } => self.fail_job(program, *job, failure),
            Event::JobParked { job, attempt, in_doubt, .. } => {
                self.put_job(*job, *attempt, JobStatus::Parked { in_doubt: *in_doubt });
            }
            Event::JobReopened { job } => {
                if let Some(parked) = self.jobs.get_mut(job) {
                    parked.status = JobStatus::Ready;
                }
            }
            Event::JobDismissed { job } => self.finish_job(*job, false),
            Event::JobChecking { job, attempt, .. } => self.put_job(*job, *attempt, JobStatus::Checking),
            Event::StopDecided { stop, failure } => {
                self.phase = Phase::Stopping(*stop);
                self.failure = self.failure.take().or_else(|| failure.clone());
                self.fibers.clear();
                self.jobs.retain(|_, job| job.status.is_out());
            }
            Event::CompensationStarted { failure } => {
                self.phase = Phase::Compensating;
                self.failure = self.failure.take().or_else(|| failure.clone());
            }
            Event::RunEnded { end } => {
                self.phase = Phase::Ended(*end);
                self.fibers.clear();
                self.jobs.clear();
            }
            Event::SignalIgnored { .. } => {}
            Event::StepsInjected { job, attempt, .. } => self.grow(program, *job, *attempt),
            Event::JobOffered { job } => self.set_job(*job, JobStatus::Offered),
            Event::JobLeased { job, attempt, until } => {
                self.put_job(*job, *attempt, JobStatus::Leased { until: *until })
            }
            Event::LeaseExtended { job, until, .. } => self.set_job(*job, JobStatus::Leased { until: *until }),
            Event::JobDelegated { job, attempt, until } => {
                self.put_job(*job, *attempt, JobStatus::Delegated { until: *until });
            }
            Event::JobHeld { job } => self.set_job(*job, JobStatus::Held),
            Event::JobGranted { job } => {
                if let Some(held) = self.jobs.get_mut(job) {
                    held.status = JobStatus::Ready;
                    held.granted = true;
                }
            }
            Event::ReviewAsked { job, attempt } => {
                self.done.push(*job);
                self.put_job(*job, *attempt, JobStatus::Reviewing);
            }
            Event::StepBypassed { step, .. } => {
                self.set_step(*step, StepState::Bypassed);
                self.skip(program, *step);
            }
            Event::BatchRolledBack { failure } => {
                self.rolled_back = true;
                self.done.clear();
                self.failure = self.failure.take().or_else(|| failure.clone());
            }
        }
        self.settle(program);
    }

    /// Every attempt that starts counts once: the first one of a job also counts against `max_steps`.
    fn put_job(&mut self, id: JobId, attempt: u32, status: JobStatus) {
        let known = self.jobs.get(&id).is_some_and(|job| job.attempt > 0);
        if !known && !id.undo {
            self.started += 1;
        }
        let (blocked, granted) = self.jobs.get(&id).map_or((0, false), |job| (job.blocked, job.granted));
        self.jobs.insert(id, Job { attempt, blocked, granted, status });
    }

    fn set_job(&mut self, id: JobId, status: JobStatus) {
        if let Some(job) = self.jobs.get_mut(&id) {
            job.status = status;
        }
    }

    /// The program has grown already: its last fragment is the one of this job.
    fn grow(&mut self, program: &Program, job: JobId, attempt: u32) {
        // Its own effect has happened: if the run is taken back, that comes after the steps it brought along.
        if self.jobs.get(&job).is_none_or(|job| job.status != JobStatus::Reviewing) {
            self.done.push(job);
        }
        self.put_job(job, attempt, JobStatus::Growing);
        self.joins.resize(program.joins.len(), 0);
        self.steps.resize(program.steps.len(), StepState::Pending);
        let number = self.fragments.len();
        self.fragments.push(job);
        if self.phase == Phase::Running {
            self.spawn(program.fragments[number].entry);
        }
    }

    pub(crate) fn finish_job(&mut self, id: JobId, succeeded: bool) {
        let job = self.jobs.remove(&id);
        let counted = job.as_ref().is_some_and(|job| job.attempt > 0);
        let noted = job.is_some_and(|job| matches!(job.status, JobStatus::Growing | JobStatus::Reviewing));
        if id.undo {
            self.undone.insert(JobId { undo: false, ..id });
            return;
        }
        if !counted {
            self.started += 1;
        }
        for (number, _) in self.fragments.iter().enumerate().filter(|(_, of)| **of == id) {
            self.fibers.retain(|_, fiber| fiber.wait != Wait::Return(number as u16));
        }
        if succeeded && !noted {
            self.done.push(id);
        }
        self.finish_item(id.step);
    }

    fn fail_job(&mut self, program: &Program, id: JobId, failure: &Failure) {
        if !id.undo && program.step(id.step).on_failure == OnFailure::Continue {
            self.finish_job(id, false);
            if self.steps[usize::from(id.step)] == StepState::Done && program.step(id.step).foreach.is_none() {
                self.set_step(id.step, StepState::Failed);
            }
            return;
        }
        self.jobs.remove(&id);
        if !id.undo {
            self.set_step(id.step, StepState::Failed);
        }
        self.failure = self.failure.take().or_else(|| Some(failure.clone()));
    }

    fn finish_item(&mut self, step: u16) {
        if let StepState::Each { count, finished, .. } = &mut self.steps[usize::from(step)] {
            *finished += 1;
            if finished < count {
                return;
            }
            self.set_step(step, StepState::Done);
            self.release(Wait::Each(step), 1);
        } else {
            self.set_step(step, StepState::Done);
            self.release(Wait::Job(step), 1);
        }
    }

    pub(crate) fn open_each(&mut self, step: u16, count: u32) {
        if count == 0 {
            self.set_step(step, StepState::Done);
            self.release(Wait::Items(step), 1);
            return;
        }
        self.set_step(step, StepState::Each { count, next: 0, finished: 0 });
        for fiber in self.fibers.values_mut().filter(|fiber| fiber.wait == Wait::Items(step)) {
            fiber.wait = Wait::Each(step);
        }
    }

    pub(crate) fn set_step(&mut self, step: u16, state: StepState) {
        self.steps[usize::from(step)] = state;
    }
}
