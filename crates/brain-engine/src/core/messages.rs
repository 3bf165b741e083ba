//! What goes into the core and what comes out of it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use brain_core::{Digest, Failure, JobKey, NodeId, RunId, RunStatus, TenantId, Timestamp};
use brain_store::{Member, Outcome, Precondition, Scope, Store, StoreError, Write};
use brain_vm::{Input, JobId, Program};
use serde_json::Value;

use crate::data::Moved;
use crate::engine::EngineError;
use crate::flow::Share;
use crate::happening::Happening;
use crate::host::{CheckAnswer, JobOutcome};
use crate::hub::RunNews;
use crate::input::RunInput;
use crate::log::NewEvent;
use crate::reads::{Answers, Read};
use crate::run_state::{NotLoaded, Programs, RunState};
use crate::turn::{CheckRequest, Handover};

/// A run to be written, and started if it has a program.
pub struct Submission {
    /// Its id.
    pub run: RunId,
    /// Whose it is.
    pub scope: Scope,
    /// The request as it came.
    pub request: Value,
    /// What happened to it so far.
    pub prelude: Vec<NewEvent>,
    /// What it runs.
    pub program: Option<(Digest, Arc<Program>)>,
    /// What it runs on.
    pub input: RunInput,
    /// Whether it starts now; if not, `status` says where it stands.
    pub start: bool,
    /// Its status if it does not start.
    pub status: RunStatus,
    /// The caller's idempotency key and the digest of the request.
    pub key: Option<(String, Digest)>,
    /// 1 (lowest) to 10 (highest).
    pub priority: u8,
    /// Other writes of the same commit: definitions, approvals.
    pub writes: Vec<Write>,
    /// When it ends by itself, if it has not started by then.
    pub expires_at: Option<Timestamp>,
}

/// Something that someone wants of a run that exists.
pub struct Command {
    /// What is written to its log first.
    pub prelude: Vec<NewEvent>,
    /// What must still be true.
    pub preconditions: Vec<Precondition>,
    /// Other writes of the same commit.
    pub writes: Vec<Write>,
    /// What the run is told.
    pub inputs: Vec<Told>,
    /// The status it gets if the machine has not started.
    pub status: Option<RunStatus>,
    /// The program it is moved to first, how it stands there, and what that runs on.
    pub program: Option<(Digest, Arc<Program>, Box<Moved>, RunInput)>,
}

/// What a run is told.
#[derive(Clone, Debug)]
pub enum Told {
    /// Something that the machine understands, with its payload.
    Input(Input, Option<Value>),
    /// How an outside job went.
    Outcome(JobId, u32, JobOutcome),
    /// What a check found that was asked at this moment.
    Check(JobId, u32, CheckAnswer, Timestamp),
    /// What a person decided about the letter of a job after this attempt, with the content that they saw. Refused, with
    /// everything that comes with it, if the job does not stand there any more or its letter says something else now.
    Letter(JobId, u32, Value, Option<(Input, Option<Value>)>),
    /// Something for the open job with this key.
    Job(JobKey, ToJob),
    /// There may be something in its inbox.
    Signals,
}

/// What a job is told by its key.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "one at a time, and the large one is the answer of a job")]
pub enum ToJob {
    /// A worker wants it, until then or for as long as its tool says.
    Lease {
        /// When it is offered again.
        until: Option<Timestamp>,
        /// Who takes it.
        worker: String,
    },
    /// The worker that has it wants to keep it.
    Extend {
        /// The attempt that it holds.
        attempt: u32,
        /// When it is offered again.
        until: Option<Timestamp>,
    },
    /// A worker or another engine answers.
    Answer {
        /// The attempt that it holds; absent: whichever was delegated.
        attempt: Option<u32>,
        /// How it went.
        outcome: JobOutcome,
    },
    /// Somebody looked at its result and lets it go on, with corrections.
    Accept {
        /// Fields of the data that are replaced.
        corrections: Value,
        /// Who looked.
        by: String,
        /// What they said about it.
        note: String,
    },
    /// Somebody approved it.
    Grant,
    /// Somebody refused it, or its result.
    Deny(Failure),
    /// Somebody pretended to be the other side.
    Forged,
}

/// Called once the first commit of a submission, or the commit of a command, is durable or has failed.
pub type Reply = Box<dyn FnOnce(Result<RunNews, EngineError>) + Send>;

/// What the core is told.
pub enum CoreInput {
    /// A new run. It is not begun if the flag says that nobody waits for it any more.
    Submit(Box<Submission>, Reply, Option<Arc<AtomicBool>>),
    /// Something for a run that exists.
    Command(Scope, RunId, Box<Command>, Reply),
    /// How an outside job went.
    Job(Scope, RunId, JobId, u32, JobOutcome),
    /// What a check found.
    Check(Scope, RunId, JobId, u32, CheckAnswer, Timestamp),
    /// An outside job whose start is durable was not handed over after all.
    NotMade(Scope, RunId, JobId, u32),
    /// Runs were read from the store, or could not be.
    Loaded(Vec<Loaded>),
    /// Its time has come.
    Wake(Scope, RunId),
    /// There is something in its inbox.
    Signal(Scope, RunId),
    /// The node that worked on it is dead.
    TakeOver(Scope, RunId, NodeId),
    /// Its time comes then.
    WakeAt(Scope, RunId, Timestamp),
    /// It was called from the queue: there may be a slot for it.
    Slot(Scope, RunId),
    /// A rate may let those go on that wait for it.
    Call,
    /// Time to look who waits for a slot, also elsewhere; what part of shared limits is this node's.
    Look(Share),
    /// Nothing outside starts, or starts again.
    Pause(bool),
    /// A commit is durable, or failed.
    Committed(u64, Result<Outcome, StoreError>),
}

impl CoreInput {
    /// The run that it is about, if it is about one. Commits and loads come back to whoever asked for them.
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
            Self::Committed(..) | Self::Loaded(_) | Self::Call | Self::Look(_) | Self::Pause(_) => None,
        }
    }

    /// Whose it is, if it is one tenant's.
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
            Self::Committed(..) | Self::Loaded(..) | Self::Call | Self::Look(_) | Self::Pause(_) => None,
        }
    }
}

/// What is to be read before a run can be decided about.
#[derive(Clone, Debug)]
pub struct Load {
    /// Whose it is.
    pub scope: Scope,
    /// The run.
    pub run: RunId,
    /// Whether it is in the store, to be read itself.
    pub exists: bool,
    /// What else a turn needs.
    pub reads: Vec<Read>,
}

impl Load {
    /// Reads it.
    pub(crate) fn perform(&self, store: &dyn Store, programs: &Programs) -> Loaded {
        // The run first: a commit that relies on what others have changed since is refused, whatever was read later.
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

/// What was read.
pub struct Loaded {
    /// The run.
    pub run: RunId,
    /// How it stands, if that was asked for.
    pub state: Option<Result<RunState, NotLoaded>>,
    /// What else was asked for.
    pub answers: Answers,
}

/// What is to be done now that something is durable.
pub enum Action {
    /// Hand an outside job over.
    Perform(Box<HandoverAction>),
    /// Ask a check tool.
    Check(Box<CheckAction>),
    /// Read a run from the store, and what it needs.
    Load(Load),
    /// Tell whoever waits for this run.
    Notify(RunNews),
    /// Look at this run again then.
    WakeAt(Scope, RunId, Timestamp),
    /// Something was put into the inbox of this run.
    Signal(Scope, RunId),
    /// A run of another deciding thread was called from the queue.
    Slot(Scope, RunId),
    /// Look then who may start.
    LookAt(Timestamp),
    /// Tell the log and the observers.
    Happened(Vec<Happening>),
    /// Answer a caller.
    Reply(Reply, Result<RunNews, EngineError>),
}

/// An outside job.
pub struct HandoverAction(pub(crate) Handover);
/// A check.
pub struct CheckAction(pub(crate) CheckRequest);

/// What a step of the core came to.
#[derive(Default)]
pub struct StepOutput {
    /// To be committed, each under its number.
    pub commits: Vec<(u64, Member)>,
    /// To be done.
    pub actions: Vec<Action>,
}
