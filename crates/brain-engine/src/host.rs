//! What the engine asks of the world: values of expressions, calls that fit their schema, and the work itself.

use std::future::Future;
use std::pin::Pin;

use brain_core::{Failure, JobKey, Millis, RunId, Timestamp};
use brain_lang::plan::{PlanStep, ToolRef};
use brain_registry::{ToolResult, ValidatedCall};
use brain_store::Scope;
use brain_vm::JobId;
use serde_json::Value;

use crate::{RecordView, RunData};

/// What a host may look at when it evaluates something for a run.
#[derive(Clone, Copy)]
pub struct RunView<'a> {
    /// Whose run it is.
    pub scope: &'a Scope,
    /// The run.
    pub run: RunId,
    /// What it has come to know so far.
    pub data: &'a RunData,
    /// The present, as this turn sees it.
    pub now: Timestamp,
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
    /// The first is 1.
    pub attempt: u32,
    /// When the run started; ids of new records are derived from it.
    pub started: Timestamp,
    /// The present, as this turn sees it.
    pub now: Timestamp,
    /// How long the attempt may take.
    pub timeout: Millis,
}

/// How an outside attempt went.
#[derive(Clone, Debug)]
pub enum JobOutcome {
    /// It succeeded.
    Done(ToolResult),
    /// It failed: nothing happened, or the other side said so.
    Failed(Failure),
    /// Nobody knows: the connection was cut, time ran out, the node died.
    Unknown(Failure),
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

/// The world as the engine sees it. Everything but [`Host::perform`] and [`Host::check`] is a pure function of its
/// arguments and of the records that the view reads.
pub trait Host: Send + Sync + 'static {
    /// The value of a step's `when`.
    fn condition(&self, view: RunView<'_>, step: &PlanStep) -> Result<bool, Failure>;

    /// The list of a step's `foreach`.
    fn items(&self, view: RunView<'_>, step: &PlanStep) -> Result<Vec<Value>, Failure>;

    /// The arguments of a job, evaluated and checked against the pinned schema.
    fn bind(&self, view: RunView<'_>, step: &PlanStep, job: JobId) -> Result<ValidatedCall, Failure>;

    /// The same arguments as in an earlier attempt, checked again: what goes with an idempotency key never changes.
    fn rebind(&self, tool: &ToolRef, args: Value) -> Result<ValidatedCall, Failure>;

    /// Does an inline job: reads through the view and leaves its writes there. On `Err` the writes are dropped.
    fn decide(
        &self,
        call: &ValidatedCall,
        job: &JobContext,
        records: &mut RecordView<'_>,
    ) -> Result<ToolResult, Failure>;

    /// Whether an outside job may start now. What the view reads must still hold when the start is committed.
    fn admit(&self, call: &ValidatedCall, job: &JobContext, records: &mut RecordView<'_>) -> Result<(), Failure>;

    /// Does an outside job.
    fn perform(&self, call: ValidatedCall, job: JobContext) -> HostFuture<JobOutcome>;

    /// Asks whether an outside job with these arguments had happened.
    fn check(&self, tool: &ToolRef, args: Value, job: JobContext) -> HostFuture<CheckAnswer>;
}
