//! What the engine asks of the world: values of expressions, calls that fit their schema, and the work itself.

use std::future::Future;
use std::pin::Pin;

use brain_core::{Digest, Failure, JobKey, Millis, RunId, Timestamp};
use brain_lang::plan::{PlanStep, ToolRef};
use brain_registry::{ToolResult, ValidatedCall};
use brain_store::{Scope, Write};
use brain_vm::{JobId, Program};
use serde_json::Value;

use crate::{Limits, RecordView, RunData};

/// What a host may look at when it evaluates something for a run.
#[derive(Clone, Copy)]
pub struct RunView<'a> {
    /// Whose run it is.
    pub scope: &'a Scope,
    /// The run.
    pub run: RunId,
    /// What it has come to know so far.
    pub data: &'a RunData,
    /// The path of the scope that is meant; empty for the run itself. The ids of its steps in the data begin with it.
    pub path: &'a str,
    /// The present, as this turn sees it.
    pub now: Timestamp,
    /// The settings that the run was planned with.
    pub settings: Option<Digest>,
}

impl RunView<'_> {
    /// The id under which the data of the run has a step of this scope.
    pub fn step_id(&self, step: &PlanStep) -> String {
        if self.path.is_empty() { step.id.clone() } else { format!("{}/{}", self.path, step.id) }
    }
}

/// Which job is being done, for keys, ids and receipts.
#[derive(Clone, Debug)]
pub struct JobContext {
    /// Whose run it is.
    pub scope: Scope,
    /// The run.
    pub run: RunId,
    /// The same for every attempt: the idempotency key that outside systems get.
    pub key: JobKey,
    /// Which job of the run.
    pub job: JobId,
    /// The step's name.
    pub step: String,
    /// The conversation that the request belongs to.
    pub conversation: Option<String>,
    /// The trace that the request belongs to, as 32 hexadecimal digits; absent: the run's own id is the trace.
    pub trace: Option<String>,
    /// The first is 1.
    pub attempt: u32,
    /// When the run started; ids of new records are derived from it.
    pub started: Timestamp,
    /// The present, as this turn sees it.
    pub now: Timestamp,
    /// How long the attempt may take.
    pub timeout: Millis,
    /// The settings that the run was planned with.
    pub settings: Option<Digest>,
}

/// How an outside attempt went.
#[derive(Clone, Debug)]
pub enum JobOutcome {
    /// It succeeded.
    Done(ToolResult),
    /// It had its effect, but what came back does not fit what the tool declares.
    DoneBadly(ToolResult, Failure),
    /// It failed: nothing happened, or the other side said so.
    Failed(Failure),
    /// Nobody knows: the connection was cut, time ran out, the node died.
    Unknown(Failure),
}

impl JobOutcome {
    /// One word, for metrics and logs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Done(_) => "done",
            Self::DoneBadly(..) => "done_badly",
            Self::Failed(_) => "failed",
            Self::Unknown(_) => "unknown",
        }
    }
}

/// What a check tool found.
#[derive(Clone, Debug)]
pub enum CheckAnswer {
    /// It had happened, with this result.
    Happened(ToolResult),
    /// It had not.
    DidNot,
    /// The check itself gave no answer.
    Unclear(Failure),
}

/// A future that a host gives back.
pub type HostFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// What the engine does not know: tools, expressions, schemas. Every answer is a pure function of the arguments and of
/// the records that the view reads.
pub trait Host: Send + Sync + 'static {
    /// The value of a step's `when`.
    fn condition(&self, view: RunView<'_>, step: &PlanStep) -> Result<bool, Failure>;

    /// The list of a step's `foreach`.
    fn items(&self, view: RunView<'_>, step: &PlanStep) -> Result<Vec<Value>, Failure>;

    /// The arguments of a job, evaluated and checked against the pinned schema.
    fn bind(&self, view: RunView<'_>, step: &PlanStep, job: JobId) -> Result<ValidatedCall, Failure>;

    /// The same arguments as in an earlier attempt, checked again: what goes with an idempotency key never changes.
    fn rebind(&self, scope: &Scope, tool: &ToolRef, args: Value) -> Result<ValidatedCall, Failure>;

    /// Does an inline job: reads through the view and leaves its writes there. On `Err` the writes are dropped.
    fn decide(
        &self,
        call: &ValidatedCall,
        job: &JobContext,
        records: &mut RecordView<'_>,
    ) -> Result<ToolResult, Failure>;

    /// Whether an outside job may start now. What the view reads must still hold when the start is committed.
    fn admit(&self, call: &ValidatedCall, job: &JobContext, records: &mut RecordView<'_>) -> Result<(), Failure>;

    /// What a call is charged for when it starts, each against an account with a cap. A call is charged once, however
    /// often it is attempted.
    fn charges(&self, _: RunView<'_>, _: &ValidatedCall, _: &JobContext) -> Result<Vec<Charge>, Failure> {
        Ok(Vec::new())
    }

    /// The program of the steps that the result of a call of this tool brings along.
    fn grow(&self, _: RunView<'_>, _: &PlanStep, tool: &ToolRef, _: JobId, _: &ToolResult) -> Result<Growth, Failure> {
        Err(Failure::contract("may_not_inject", format!("`{}` may not add steps to a run.", tool.name)))
    }

    /// The final result of a job, now that the steps it brought along are over. The view is of their scope.
    fn close(&self, _: RunView<'_>, _: &ToolRef, _: &JobContext, result: ToolResult) -> Result<ToolResult, Failure> {
        Ok(result)
    }

    /// Looks at a result that came from a worker, a callback or a reviewer: it must be what the tool declares, with
    /// the corrections (an object whose fields replace those of the data).
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

    /// How much of a tool may happen at a time and in a while. Asked for every outside job, so it must be quick.
    fn limits(&self, _: &ToolRef) -> Limits {
        Limits::default()
    }

    /// Whether [`Host::remember`] wants to hear of the successes of a tool. Asked for every job, so it must be quick.
    fn remembers(&self, _: &ToolRef) -> bool {
        false
    }

    /// A job succeeded: what should be remembered of it goes into the records of the same commit.
    fn remember(&self, _: &ToolRef, _: &Value, _: &JobContext, _: &ToolResult, _: &mut RecordView<'_>) {}

    /// One line about a call, for whoever has to approve it.
    fn describe(&self, call: &ValidatedCall) -> String {
        call.tool().def.name.clone()
    }
}

/// What happens outside the process. Apart from [`Host`], so that tests, scenarios and benchmarks can stand in for
/// the world and leave the rest as it is.
pub trait Outside: Send + Sync + 'static {
    /// Does an outside job.
    fn perform(&self, call: ValidatedCall, job: JobContext) -> HostFuture<JobOutcome>;

    /// Asks whether an outside job with these arguments had happened.
    fn check(&self, tool: &ToolRef, args: Value, job: JobContext) -> HostFuture<CheckAnswer>;

    /// When something outside happens next by itself, on a virtual clock: a [`crate::Driver`] moves time to it. Hosts
    /// on a real clock return `None`.
    fn wakes_at(&self) -> Option<Timestamp> {
        None
    }
}

/// What a call may cost, counted against an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charge {
    /// The account; one of the tenant's.
    pub account: String,
    /// How much, in the unit that the account counts in.
    pub amount: i64,
    /// What the account may come to.
    pub limit: i64,
    /// The code of the failure if it would come to more.
    pub code: &'static str,
    /// What a person is told if it would come to more.
    pub otherwise: String,
}

/// Steps to add to a run.
pub struct Growth {
    /// Their program.
    pub program: Program,
    /// It and the definitions that it pins, as far as the store may not have them.
    pub definitions: Vec<Write>,
}
