//! Bugs planted between the engine and the real host. Without one, the host is used unchanged.

use std::sync::Arc;

use brain_core::{Failure, Timestamp};
use brain_engine::{
    CheckAnswer, Growth, Host, HostFuture, JobContext, JobOutcome, Limits, Outside, RecordView, RunView, Starts,
};
use brain_lang::plan::{PlanStep, ToolRef};
use brain_registry::{SPAWN_CHILD_RUN, ToolResult, UNDO_CHILD_RUN, ValidatedCall};
use brain_store::Scope;
use brain_vm::JobId;
use serde_json::{Value, json};

use crate::bug::Bug;

/// The host and the outside as the engine sees them.
pub(super) fn wrap(
    bug: Option<Bug>,
    host: Arc<dyn Host>,
    outside: Arc<dyn Outside>,
) -> (Arc<dyn Host>, Arc<dyn Outside>) {
    match bug {
        Some(Bug::EmptyUndo) => (Arc::new(EmptyUndo(host)), outside),
        Some(bug @ (Bug::ChildRefused | Bug::BadIsNotDone | Bug::ChildKept)) => {
            (host, Arc::new(Misread { bug, outside }))
        }
        _ => (host, outside),
    }
}

/// Misinterprets the outcomes of calls.
struct Misread {
    bug: Bug,
    outside: Arc<dyn Outside>,
}

impl Outside for Misread {
    fn perform(&self, call: ValidatedCall, job: JobContext) -> HostFuture<JobOutcome> {
        let (bug, child) = (self.bug, call.tool().def.name == SPAWN_CHILD_RUN);
        if bug == Bug::ChildKept && call.tool().def.name == UNDO_CHILD_RUN {
            let nothing = ToolResult::ok(json!({"status": "nothing_to_undo"}));
            return Box::pin(async move { JobOutcome::Done(nothing) });
        }
        let work = self.outside.perform(call, job);
        Box::pin(async move {
            match work.await {
                JobOutcome::Unknown(_) if bug == Bug::ChildRefused && child => {
                    JobOutcome::Failed(Failure::business("child_refused", "The store did not answer."))
                }
                JobOutcome::DoneBadly(_, failure) if bug == Bug::BadIsNotDone => JobOutcome::Failed(failure),
                other => other,
            }
        })
    }

    fn check(&self, tool: &ToolRef, args: Value, job: JobContext) -> HostFuture<CheckAnswer> {
        self.outside.check(tool, args, job)
    }

    fn wakes_at(&self) -> Option<Timestamp> {
        self.outside.wakes_at()
    }
}

/// Undos inject no steps.
struct EmptyUndo(Arc<dyn Host>);

impl Host for EmptyUndo {
    fn condition(&self, view: RunView<'_>, step: &PlanStep) -> Result<bool, Failure> {
        self.0.condition(view, step)
    }

    fn items(&self, view: RunView<'_>, step: &PlanStep) -> Result<Vec<Value>, Failure> {
        self.0.items(view, step)
    }

    fn bind(&self, view: RunView<'_>, step: &PlanStep, job: JobId) -> Result<ValidatedCall, Failure> {
        self.0.bind(view, step, job)
    }

    fn rebind(&self, scope: &Scope, tool: &ToolRef, args: Value) -> Result<ValidatedCall, Failure> {
        self.0.rebind(scope, tool, args)
    }

    fn decide(
        &self,
        call: &ValidatedCall,
        job: &JobContext,
        records: &mut RecordView<'_>,
    ) -> Result<ToolResult, Failure> {
        let mut result = self.0.decide(call, job, records)?;
        if job.job.undo {
            result.new_steps.clear();
        }
        Ok(result)
    }

    fn admit(&self, call: &ValidatedCall, job: &JobContext, records: &mut RecordView<'_>) -> Result<(), Failure> {
        self.0.admit(call, job, records)
    }

    fn grow(
        &self,
        view: RunView<'_>,
        step: &PlanStep,
        tool: &ToolRef,
        job: JobId,
        result: &ToolResult,
    ) -> Result<Growth, Failure> {
        self.0.grow(view, step, tool, job, result)
    }

    fn close(
        &self,
        view: RunView<'_>,
        tool: &ToolRef,
        job: &JobContext,
        result: ToolResult,
    ) -> Result<ToolResult, Failure> {
        self.0.close(view, tool, job, result)
    }

    fn accept(
        &self,
        tool: &ToolRef,
        args: Value,
        job: &JobContext,
        result: ToolResult,
        corrections: &Value,
    ) -> Result<ToolResult, Failure> {
        self.0.accept(tool, args, job, result, corrections)
    }

    fn limits(&self, tool: &ToolRef) -> Limits {
        self.0.limits(tool)
    }

    fn changes(&self, tool: &ToolRef) -> bool {
        self.0.changes(tool)
    }

    fn starts(&self, tool: &ToolRef, args: &Value) -> Starts {
        self.0.starts(tool, args)
    }

    fn remembers(&self, tool: &ToolRef) -> bool {
        self.0.remembers(tool)
    }

    fn remember(
        &self,
        tool: &ToolRef,
        args: &Value,
        job: &JobContext,
        result: &ToolResult,
        records: &mut RecordView<'_>,
    ) {
        self.0.remember(tool, args, job, result, records);
    }

    fn describe(&self, call: &ValidatedCall) -> String {
        self.0.describe(call)
    }

    fn approval_lasts(&self) -> Option<brain_core::Millis> {
        self.0.approval_lasts()
    }
}
