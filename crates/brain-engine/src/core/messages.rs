//! Inputs and outputs of the core.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use brain_core::{Digest, Failure, JobKey, NodeId, RunId, RunStatus, TenantId, Timestamp};
use brain_registry::ValidatedCall;
use brain_store::{Member, Outcome, Precondition, Scope, Store, StoreError, Write};
use brain_vm::{Input, JobId, Program};
use serde_json::Value;

use crate::data::Moved;
use crate::engine::EngineError;
use crate::flow::{Share, Uses};
use crate::host::{CheckAnswer, JobOutcome};
use crate::input::RunInput;
use crate::log::NewEvent;
use crate::operator_events::Happening;
use crate::reads::{Answers, Read};
use crate::run_state::{NotLoaded, Programs, RunState};
use crate::turn::{CheckRequest, Handover};
use crate::watchers::RunNews;

/// A run to write, and to start if it has a program.
pub struct Submission {
    /// Its id.
    pub run: RunId,
    /// Its tenant.
    pub scope: Scope,
    /// The request as received.
    pub request: Value,
    /// Its events so far.
    pub prelude: Vec<NewEvent>,
    /// Its program.
    pub program: Option<(Digest, Arc<Program>)>,
    /// The input of the program.
    pub input: RunInput,
    /// The calls of the input, already validated. They are not stored: a run that is loaded from the store has its calls
    /// validated again, against the definitions it was planned with.
    pub calls: Arc<[ValidatedCall]>,
    /// Whether it starts now; if not, `status` is its status.
    pub start: bool,
    /// Its status if it does not start.
    pub status: RunStatus,
    /// The caller's idempotency key and the digest of the request.
    pub key: Option<(String, Digest)>,
    /// 1 (lowest) to 10 (highest).
    pub priority: u8,
    /// Additional writes of the same commit: definitions, approvals.
    pub writes: Vec<Write>,
    /// When it expires unless it has started.
    pub expires_at: Option<Timestamp>,
}

/// A request to an existing run.
pub struct Command {
    /// Events to log first.
    pub prelude: Vec<NewEvent>,
    /// What must still hold.
    pub preconditions: Vec<Precondition>,
    /// Additional writes of the same commit.
    pub writes: Vec<Write>,
    /// Inputs of its turn.
    pub inputs: Vec<TurnInput>,
    /// The status it gets if the machine has not started.
    pub status: Option<RunStatus>,
    /// For a migration: the new program, the state of the run in it, and its input.
    pub program: Option<(Digest, Arc<Program>, Box<Moved>, RunInput)>,
}

/// What one turn of a run processes, one after the other.
#[derive(Clone, Debug)]
pub enum TurnInput {
    /// An input of the machine, with its payload.
    Input(Input, Option<Value>),
    /// The outcome of an external job.
    Outcome(JobId, u32, JobOutcome),
    /// The answer of a check that was made at this time.
    Check(JobId, u32, CheckAnswer, Timestamp),
    /// A person's decision about the letter of a job after this attempt, with the letter's content as they saw it.
    /// Refused, with everything that comes with it, if the job has moved on or its letter has changed.
    Letter(JobId, u32, Value, Option<(Input, Option<Value>)>),
    /// A message to the open job with this key.
    Job(JobKey, ToJob),
    /// Its inbox may have new entries.
    Signals,
    /// Its inbox may have the stop of its parent. Other entries stay: their jobs may not wait for them yet.
    Stops,
}

/// A message to a job.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "only one exists at a time; the large variant carries a job's answer")]
pub enum ToJob {
    /// A worker leases it, until a given time or for as long as its tool says.
    Lease {
        /// When the lease expires.
        until: Option<Timestamp>,
        /// The worker.
        worker: String,
    },
    /// The worker extends its lease.
    Extend {
        /// The attempt that it holds.
        attempt: u32,
        /// The new end of the lease.
        until: Option<Timestamp>,
    },
    /// A worker or another engine answers.
    Answer {
        /// The attempt that it holds; absent: whichever was delegated.
        attempt: Option<u32>,
        /// The outcome.
        outcome: JobOutcome,
    },
    /// A reviewer accepts its result, with corrections.
    Accept {
        /// Fields of the data to replace.
        corrections: Value,
        /// The reviewer.
        by: String,
        /// The reviewer's note.
        note: String,
    },
    /// An approver approved it.
    Grant,
    /// A person rejected it or its result.
    Deny(Failure),
    /// A callback with a forged signature.
    Forged,
}

/// Called once the first commit of a submission, or the commit of a command, is durable or has failed.
pub type Reply = Box<dyn FnOnce(Result<RunNews, EngineError>) + Send>;

/// An input of the core.
pub enum CoreInput {
    /// A new run. Dropped if the flag says that its caller has gone.
    Submit(Box<Submission>, Reply, Option<Arc<AtomicBool>>),
    /// A command for an existing run.
    Command(Scope, RunId, Box<Command>, Reply),
    /// The outcome of an external job.
    Job(Scope, RunId, JobId, u32, JobOutcome),
    /// The answer of a check.
    Check(Scope, RunId, JobId, u32, CheckAnswer, Timestamp),
    /// An external job whose start is durable was not handed over after all.
    NotMade(Scope, RunId, JobId, u32),
    /// Runs that were loaded, or could not be.
    Loaded(Vec<Loaded>),
    /// A timer is due.
    Wake(Scope, RunId),
    /// The run has inbox entries.
    Signal(Scope, RunId),
    /// The owner of the run is dead.
    TakeOver(Scope, RunId, NodeId),
    /// Sets a timer.
    WakeAt(Scope, RunId, Timestamp),
    /// The run was called from the queue: there may be a slot for it.
    Slot(Scope, RunId),
    /// A rate limit may allow waiting jobs to start.
    Call,
    /// Time to check the queue, including other nodes'; carries this node's share of limits.
    Look(Share, Uses),
    /// Pauses or resumes external calls.
    Pause(bool),
    /// A commit is durable, or failed.
    Committed(u64, Result<Outcome, StoreError>),
}

impl CoreInput {
    /// The run that it is about, if any. Commits and loads return to the thread that started them.
    pub(crate) fn run(&self) -> Option<RunId> {
        match self {
            Self::Submit(submission, ..) => Some(submission.run),
            Self::Command(_, run, ..)
            | Self::Job(_, run, ..)
            | Self::Check(_, run, ..)
            | Self::NotMade(_, run, ..)
            | Self::Wake(_, run)
            | Self::WakeAt(_, run, _)
            | Self::Slot(_, run)
            | Self::Signal(_, run)
            | Self::TakeOver(_, run, _) => Some(*run),
            Self::Committed(..) | Self::Loaded(_) | Self::Call | Self::Look(..) | Self::Pause(_) => None,
        }
    }

    /// The tenant, if it belongs to one.
    pub(crate) fn tenant(&self) -> Option<&TenantId> {
        match self {
            Self::Submit(submission, ..) => Some(submission.scope.tenant()),
            Self::Command(scope, ..)
            | Self::Job(scope, ..)
            | Self::Check(scope, ..)
            | Self::NotMade(scope, ..)
            | Self::Wake(scope, _)
            | Self::WakeAt(scope, ..)
            | Self::Slot(scope, _)
            | Self::Signal(scope, _)
            | Self::TakeOver(scope, ..) => Some(scope.tenant()),
            Self::Committed(..) | Self::Loaded(..) | Self::Call | Self::Look(..) | Self::Pause(_) => None,
        }
    }
}

/// What to read before a run can be decided.
#[derive(Clone, Debug)]
pub struct Load {
    /// The tenant.
    pub scope: Scope,
    /// The run.
    pub run: RunId,
    /// Whether the run is in the store and must be loaded.
    pub exists: bool,
    /// The other reads of the turn.
    pub reads: Vec<Read>,
}

impl Load {
    /// Reads it.
    pub(crate) fn perform(&self, store: &dyn Store, programs: &Programs) -> Loaded {
        // The run first: the commit's preconditions catch anything that changes after this.
        let state = self.exists.then(|| RunState::load(store, programs, &self.scope, self.run));
        let answer = |read: &Read| (read.clone(), read.perform(store, &self.scope, Some(self.run)));
        let answers = self.reads.iter().map(answer).collect();
        Loaded { run: self.run, state, answers }
    }

    /// The result of a load that failed as a whole.
    pub(crate) fn failed(&self, why: &str) -> Loaded {
        let error = || StoreError::Failed(why.to_owned());
        let answers = self.reads.iter().map(|read| (read.clone(), Err(error()))).collect();
        let state = self.exists.then(|| Err(EngineError::Store(error()).into()));
        Loaded { run: self.run, state, answers }
    }
}

/// The result of a load.
pub struct Loaded {
    /// The run.
    pub run: RunId,
    /// The run, if it was to be loaded.
    pub state: Option<Result<RunState, NotLoaded>>,
    /// The answers to the other reads.
    pub answers: Answers,
}

/// An action to perform now that a commit is durable.
pub enum Action {
    /// Hand over an external job.
    Perform(Box<HandoverAction>),
    /// Call a check tool.
    Check(Box<CheckAction>),
    /// Load a run and its reads.
    Load(Load),
    /// Notify those who wait for this run.
    Notify(RunNews),
    /// Set a timer for this run.
    WakeAt(Scope, RunId, Timestamp),
    /// The inbox of this run has new entries.
    Signal(Scope, RunId),
    /// A run of another deciding thread was called from the queue.
    Slot(Scope, RunId),
    /// Check the queue at this time.
    LookAt(Timestamp),
    /// Report to the log and the observers.
    Happened(Vec<Happening>),
    /// Answer a caller.
    Reply(Reply, Result<RunNews, EngineError>),
}

/// Hand a job to its executor outside the core.
pub struct HandoverAction(pub(crate) Handover);
/// Ask a check tool whether a call in doubt took effect.
pub struct CheckAction(pub(crate) CheckRequest);

/// The output of a step of the core.
#[derive(Default)]
pub struct StepOutput {
    /// Commits, each with its number.
    pub commits: Vec<(u64, Member)>,
    /// What to carry out outside the core, in order.
    pub actions: Vec<Action>,
}
