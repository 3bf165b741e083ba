//! `native`: Rust functions. `#[tool]` registers each where it is defined; a program has the functions of every crate
//! that is linked into it.

mod schema;
pub mod support;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use brain_core::{Failure, JobKey, RunId, TenantId, Timestamp};
use brain_engine::{HostFuture, JobContext, JobOutcome, RecordView};
use brain_registry::model::NativeBehavior;
use brain_registry::{NativeDecl, ToolResult, ValidatedCall};
use serde_json::Value;

use crate::Toolbox;
use crate::outcome::{self, Call};

/// What a native function may know about its call besides the input.
#[derive(Clone, Debug)]
pub struct NativeContext {
    /// The tenant of the run.
    pub tenant: TenantId,
    /// The id of the run.
    pub run: RunId,
    /// The step's name.
    pub step: String,
    /// Counted from 1.
    pub attempt: u32,
    /// Equal for every attempt. Pass it to external systems as an idempotency key.
    pub key: JobKey,
    /// The current time. A function that runs in process must not read any other clock.
    pub now: Timestamp,
}

impl From<&JobContext> for NativeContext {
    fn from(job: &JobContext) -> Self {
        Self {
            tenant: job.scope.tenant().clone(),
            run: job.run,
            step: job.step.clone(),
            attempt: job.attempt,
            key: job.key,
            now: job.now,
        }
    }
}

/// How a native function runs.
#[derive(Clone, Copy)]
pub enum NativeRun {
    /// In process, as part of the decision. It may be called again for the same step and must return the same result.
    Inline(fn(&NativeContext, Value) -> Result<ToolResult, Failure>),
    /// Outside, after its start is durable.
    Outside(fn(NativeContext, Value) -> HostFuture<Result<ToolResult, Failure>>),
}

/// A native function: its declaration and its code.
pub struct Native {
    /// Returns the declaration.
    pub decl: fn() -> NativeDecl,
    /// The function itself.
    pub run: NativeRun,
}

inventory::collect!(Native);

/// The declarations of all native functions of this program, by name. Duplicates are included: loading packs rejects
/// them.
pub fn natives() -> Vec<NativeDecl> {
    let mut all: Vec<NativeDecl> = inventory::iter::<Native>().map(|native| (native.decl)()).collect();
    all.sort_by(|one, other| one.name.cmp(&other.name));
    all
}

/// The functions by name. The set is fixed at link time.
static BY_NAME: LazyLock<BTreeMap<String, NativeRun>> =
    LazyLock::new(|| inventory::iter::<Native>().map(|native| ((native.decl)().name, native.run)).collect());

/// Looks a function up. A run that another program planned may name one that this program lacks.
fn find(function: &str) -> Result<NativeRun, Failure> {
    BY_NAME.get(function).copied().ok_or_else(|| {
        let message = format!("This program has no native function `{function}`.");
        Failure::contract("unknown_function", message)
    })
}

impl Toolbox {
    pub(crate) fn native(
        &self,
        behavior: &NativeBehavior,
        call: &ValidatedCall,
        job: &JobContext,
        records: &mut RecordView<'_>,
    ) -> Result<ToolResult, Failure> {
        let mut evaluation = self.evaluation(call, job)?;
        self.check_requires(call, job, &mut evaluation, records)?;
        match find(&behavior.function)? {
            NativeRun::Inline(run) => settled(run(&job.into(), call.args().clone())?),
            NativeRun::Outside(_) => Err(moved(&behavior.function)),
        }
    }

    /// Runs the function on the task that polls the future, so that a panic ends only this job.
    pub(crate) async fn native_outside(
        &self,
        behavior: &NativeBehavior,
        call: &ValidatedCall,
        job: &JobContext,
    ) -> JobOutcome {
        let answer = match find(&behavior.function) {
            Ok(NativeRun::Outside(run)) => run(job.into(), call.args().clone()).await.and_then(settled),
            Ok(NativeRun::Inline(_)) => Err(moved(&behavior.function)),
            Err(failure) => Err(failure),
        };
        let result = match answer {
            Ok(result) => result,
            Err(failure) => return JobOutcome::Failed(failure),
        };
        match self.finish(call, job, result.clone()) {
            Ok(result) => JobOutcome::Done(result),
            Err(failure) => outcome::unusable(Call::of(&call.tool().def), result, failure),
        }
    }
}

/// Turns a result with `success: false` into a failure.
fn settled(result: ToolResult) -> Result<ToolResult, Failure> {
    if result.success {
        return Ok(result);
    }
    Err(result.error.unwrap_or_else(|| Failure::contract("no_reason", "The function failed without an error.")))
}

/// The failure of a run that was planned when the function had another kind (in process or outside).
fn moved(function: &str) -> Failure {
    let message = format!(
        "`{function}` has changed between inline and async since this run was planned; start the request again."
    );
    Failure::contract("function_changed", message)
}
