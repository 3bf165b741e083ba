//! `native`: Rust functions. They register themselves where they stand, with `#[tool]`; a program has those of every
//! crate that is linked into it.

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

/// What a native function may know about the call besides its input.
#[derive(Clone, Debug)]
pub struct NativeContext {
    /// Whose run it is.
    pub tenant: TenantId,
    /// The run.
    pub run: RunId,
    /// The step's name.
    pub step: String,
    /// The first is 1.
    pub attempt: u32,
    /// The same for every attempt: what outside systems should get, so that they can tell a repetition.
    pub key: JobKey,
    /// The present. A function that is decided in process must not ask any other clock.
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

/// How a native function is called.
#[derive(Clone, Copy)]
pub enum NativeRun {
    /// In process, as part of the decision: it may be called again for the same step and must answer the same.
    Inline(fn(&NativeContext, Value) -> Result<ToolResult, Failure>),
    /// Outside, after its start has been written down.
    Outside(fn(NativeContext, Value) -> HostFuture<Result<ToolResult, Failure>>),
}

/// A native function: what it says about itself, and how it is called.
pub struct Native {
    /// What it says about itself.
    pub decl: fn() -> NativeDecl,
    /// How it is called.
    pub run: NativeRun,
}

inventory::collect!(Native);

/// All native functions of this program, by name. One that is registered twice is here twice: loading packs refuses it.
pub fn natives() -> Vec<NativeDecl> {
    let mut all: Vec<NativeDecl> = inventory::iter::<Native>().map(|native| (native.decl)()).collect();
    all.sort_by(|one, other| one.name.cmp(&other.name));
    all
}

/// How each is called. They cannot become more while the program runs.
static BY_NAME: LazyLock<BTreeMap<String, NativeRun>> =
    LazyLock::new(|| inventory::iter::<Native>().map(|native| ((native.decl)().name, native.run)).collect());

/// How a function is called. A run that was planned by another program may name one that this program does not have.
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

    /// The function is called by whoever polls the future: a panic in it ends the task of this one job.
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

/// A result that says it did not succeed is a failure.
fn settled(result: ToolResult) -> Result<ToolResult, Failure> {
    if result.success {
        return Ok(result);
    }
    Err(result.error.unwrap_or_else(|| Failure::contract("no_reason", "The function failed and does not say why.")))
}

/// The run was planned when the function was another kind of function.
fn moved(function: &str) -> Failure {
    let message = format!("`{function}` is no longer done where this run was planned to do it; ask for it again.");
    Failure::contract("function_changed", message)
}
