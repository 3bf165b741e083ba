//! The engine's interface to its host: expressions, schema checks, and the execution of calls.

use std::future::Future;
use std::pin::Pin;

use brain_core::{Digest, Failure, JobKey, Millis, RunId, Timestamp};
use brain_lang::plan::{PlanStep, ToolRef};
use brain_registry::{ToolResult, ValidatedCall};
use brain_store::{Scope, Write};
use brain_vm::{JobId, Program};
use serde_json::Value;

use crate::{Limits, RecordView, RunData};

/// The part of a run that a host can see.
#[derive(Clone, Copy)]
pub struct RunView<'a> {
    /// The tenant.
    pub scope: &'a Scope,
    /// The run.
    pub run: RunId,
    /// Its data so far.
    pub data: &'a RunData,
    /// Its calls, validated; empty if it was loaded from the store.
    pub calls: &'a [ValidatedCall],
    /// The path of the scope; empty for the run itself. The ids of its steps in the data begin with it.
    pub path: &'a str,
    /// The time of this turn.
    pub now: Timestamp,
    /// The settings that the run was planned with.
    pub settings: Option<Digest>,
}

impl RunView<'_> {
    /// The id of a step of this scope in the data of the run.
    pub fn step_id(&self, step: &PlanStep) -> String {
        if self.path.is_empty() { step.id.clone() } else { format!("{}/{}", self.path, step.id) }
    }
}

/// Identifies a job, for keys, ids and receipts.
#[derive(Clone, Debug)]
pub struct JobContext {
    /// The tenant.
    pub scope: Scope,
    /// The run.
    pub run: RunId,
    /// The idempotency key for external systems: the same for every attempt.
    pub key: JobKey,
    /// Which job of the run.
    pub job: JobId,
    /// The step's name.
    pub step: String,
    /// The conversation that the request belongs to.
    pub conversation: Option<String>,
    /// The trace of the request, as 32 hexadecimal digits; absent: the run's own id is the trace.
    pub trace: Option<String>,
    /// The attempt; the first is 1.
    pub attempt: u32,
    /// When the run started; ids of new records are derived from it.
    pub started: Timestamp,
    /// The time of this turn.
    pub now: Timestamp,
    /// The timeout of the attempt.
    pub timeout: Millis,
    /// The settings that the run was planned with.
    pub settings: Option<Digest>,
}

/// The outcome of an external attempt.
#[derive(Clone, Debug)]
pub enum JobOutcome {
    /// It succeeded.
    Done(ToolResult),
    /// It took effect, but its answer does not fit the tool's declared output.
    DoneBadly(ToolResult, Failure),
    /// It failed without effect, or the external system reported a failure.
    Failed(Failure),
    /// The outcome is unknown: the connection broke, a timeout, the node died.
    Unknown(Failure),
}

impl JobOutcome {
    /// A short name for metrics and logs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Done(_) => "done",
            Self::DoneBadly(..) => "done_badly",
            Self::Failed(_) => "failed",
            Self::Unknown(_) => "unknown",
        }
    }
}

/// The answer of a check tool.
#[derive(Clone, Debug)]
pub enum CheckAnswer {
    /// The call happened, with this result.
    Happened(ToolResult),
    /// The call did not happen.
    DidNot,
    /// The check itself failed.
    Unclear(Failure),
}

/// A future returned by a host.
pub type HostFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Everything the engine does not know: tools, expressions, schemas. Every answer is a pure function of the arguments
/// and of the records read through the view.
pub trait Host: Send + Sync + 'static {
    /// The value of a step's `when`.
    fn condition(&self, view: RunView<'_>, step: &PlanStep) -> Result<bool, Failure>;

    /// The list of a step's `foreach`.
    fn items(&self, view: RunView<'_>, step: &PlanStep) -> Result<Vec<Value>, Failure>;

    /// The arguments of a job, evaluated and checked against the pinned schema.
    fn bind(&self, view: RunView<'_>, step: &PlanStep, job: JobId) -> Result<ValidatedCall, Failure>;

    /// The arguments of an earlier attempt, checked again: the arguments of an idempotency key never change.
    fn rebind(&self, scope: &Scope, tool: &ToolRef, args: Value) -> Result<ValidatedCall, Failure>;

    /// Executes an inline job: reads and writes through the view. On `Err` the writes are dropped.
    fn decide(
        &self,
        call: &ValidatedCall,
        job: &JobContext,
        records: &mut RecordView<'_>,
    ) -> Result<ToolResult, Failure>;

    /// Whether an external job may start now. What the view reads must still hold when the start is committed.
    fn admit(&self, call: &ValidatedCall, job: &JobContext, records: &mut RecordView<'_>) -> Result<(), Failure>;

    /// The charges of a call when it starts, each against an account with a cap. A call is charged once, however many
    /// attempts it takes.
    fn charges(&self, _: RunView<'_>, _: &ValidatedCall, _: &JobContext) -> Result<Vec<Charge>, Failure> {
        Ok(Vec::new())
    }

    /// The program of the steps that a result of this tool adds.
    fn grow(&self, _: RunView<'_>, _: &PlanStep, tool: &ToolRef, _: JobId, _: &ToolResult) -> Result<Growth, Failure> {
        Err(Failure::contract("may_not_inject", format!("`{}` may not add steps to a run.", tool.name)))
    }

    /// The final result of a job whose added steps have ended. The view is of their scope.
    fn close(&self, _: RunView<'_>, _: &ToolRef, _: &JobContext, result: ToolResult) -> Result<ToolResult, Failure> {
        Ok(result)
    }

    /// Checks a result from a worker, a callback or a reviewer against the tool's declared output, after applying the
    /// corrections (an object whose fields replace those of the data).
    fn accept(
        &self,
        _: &ToolRef,
        _: Value,
        _: &JobContext,
        mut result: ToolResult,
        corrections: &Value,
    ) -> Result<ToolResult, Failure> {
        if let (Some(data), Some(corrections)) = (result.data.as_object_mut(), corrections.as_object()) {
            data.extend(corrections.clone());
        }
        Ok(result)
    }

    /// The concurrency and rate limits of a tool. Called for every external job, so it must be fast.
    fn limits(&self, _: &ToolRef) -> Limits {
        Limits::default()
    }

    /// Whether [`Host::remember`] wants the successes of a tool. Called for every job, so it must be fast.
    fn remembers(&self, _: &ToolRef) -> bool {
        false
    }

    /// Whether a tool itself changes anything. Asked when a child run ends without completing.
    fn changes(&self, _: &ToolRef) -> bool {
        true
    }

    /// Whether a call starts a child run, under the key of [`crate::child_key`]. Asked when the outcome of the call is
    /// unknown and its run is being stopped.
    fn starts(&self, _tool: &ToolRef, _args: &Value) -> Starts {
        Starts::Nothing
    }

    /// Records a job's success through the view, in the same commit.
    fn remember(&self, _: &ToolRef, _: &Value, _: &JobContext, _: &ToolResult, _: &mut RecordView<'_>) {}

    /// One line about a call, for its approver.
    fn describe(&self, call: &ValidatedCall) -> String {
        call.tool().def.name.clone()
    }

    /// How long a step waits for its approval if its tool does not say; `None`: forever.
    fn approval_lasts(&self) -> Option<Millis> {
        None
    }
}

/// What a call starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Starts {
    /// No run.
    #[default]
    Nothing,
    /// A child run that its step waits for, and that is stopped with it.
    Child,
    /// A child run that nobody waits for.
    Detached,
}

/// Everything outside the process. Separate from [`Host`], so that tests, scenarios and benchmarks can replace the
/// outside world alone.
pub trait Outside: Send + Sync + 'static {
    /// Executes an external job.
    fn perform(&self, call: ValidatedCall, job: JobContext) -> HostFuture<JobOutcome>;

    /// Checks whether an external job with these arguments happened.
    fn check(&self, tool: &ToolRef, args: Value, job: JobContext) -> HostFuture<CheckAnswer>;

    /// When the next external event is due on a virtual clock, to which a [`crate::Driver`] moves time. `None` for the
    /// real world.
    fn wakes_at(&self) -> Option<Timestamp> {
        None
    }
}

/// A charge of a call to an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charge {
    /// The account, which belongs to the tenant.
    pub account: String,
    /// The amount, in the unit of the account.
    pub amount: i64,
    /// The cap of the account.
    pub limit: i64,
    /// The failure code if the cap would be exceeded.
    pub code: &'static str,
    /// The message if the cap would be exceeded.
    pub otherwise: String,
}

/// Steps to add to a run.
pub struct Growth {
    /// Their program.
    pub program: Program,
    /// The program and the definitions it pins, unless the store has them.
    pub definitions: Vec<Write>,
}
