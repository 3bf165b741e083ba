//! Reports on runs.

use brain_core::{ApprovalStatus, RunId, RunStatus};
use brain_engine::{EngineError, RunData, RunState};
use brain_registry::SPAWN_CHILD_RUN;
use brain_store::Scope;

use crate::NextAction;
use crate::error::KernelError;
use crate::kernel::Kernel;
use crate::narrate::{Problem, Report, doubts, report};

/// Maximum number of child runs of one run that its report looks into.
const MAX_CHILDREN: usize = 20;
/// Maximum depth of child runs that a report looks into.
const MAX_DEPTH: usize = 5;

impl Kernel {
    /// The report on a run.
    pub fn report(&self, scope: &Scope, run: RunId) -> Result<Report, KernelError> {
        let state = match self.engine().run_state(scope, run) {
            Err(error @ EngineError::Unreadable(..)) => return self.unread(scope, run, &error),
            other => other?,
        };
        self.report_of(scope, &state)
    }

    /// The report on a run that is already loaded.
    pub(crate) fn report_of(&self, scope: &Scope, state: &RunState) -> Result<Report, KernelError> {
        let run = state.row.id;
        let mut report = report(self.registry(), &self.toolbox, &self.redactor_of(state), state);
        if state.row.status == RunStatus::Parked {
            report.ok = false;
            report.message = format!("This run is parked: {}", self.why_parked(scope, run));
            report.next_actions.extend([NextAction::Retry { run }, NextAction::Abort { run }]);
        }
        let held = |job: &brain_vm::Job| matches!(job.status, brain_vm::JobStatus::Held { .. });
        if state.state.as_ref().is_some_and(|machine| machine.jobs.values().any(held)) {
            let pending =
                self.store().approvals_of(scope, run)?.into_iter().find(|row| row.status == ApprovalStatus::Pending);
            if let Some(row) = pending {
                let approval = row.id.to_string();
                report.next_actions.push(NextAction::Approve { approval: approval.clone() });
                report.next_actions.push(NextAction::Reject { approval: approval.clone() });
                report.approval = Some(approval);
            }
        }
        // Most runs start no others.
        let starts_children = report.receipts.iter().any(|receipt| receipt.tool == SPAWN_CHILD_RUN);
        let doubts = if starts_children { self.doubts_in_children(scope, state, 1) } else { Vec::new() };
        for text in doubts {
            report.ok = false;
            report.message = format!("{}\n{text}", report.message).trim().to_owned();
            report.errors.push(Problem::new("in_doubt", text));
        }
        Ok(report)
    }

    /// The calls of child runs that may have happened and that nobody decided: their parents went on all the same.
    fn doubts_in_children(&self, scope: &Scope, state: &RunState, depth: usize) -> Vec<String> {
        let list = state.receipts().unwrap_or_default();
        let started = list.iter().filter(|receipt| receipt.tool == SPAWN_CHILD_RUN && receipt.happened());
        let children = started.filter_map(|receipt| receipt.result["data"]["run_id"].as_str()?.parse().ok());
        let mut found = Vec::new();
        for child in children.take(MAX_CHILDREN) {
            let Ok(child) = self.engine().run_state(scope, child) else { continue };
            let (Some(machine), Ok(receipts)) = (&child.state, child.receipts()) else { continue };
            found.extend(doubts(machine, &receipts).into_iter().map(|receipt| {
                let (tool, step) = (&receipt.tool, &receipt.step);
                format!("It is unknown whether `{tool}` (step {step} of the child run {}) happened.", child.row.id)
            }));
            if depth < MAX_DEPTH {
                found.extend(self.doubts_in_children(scope, &child, depth + 1));
            }
        }
        found
    }

    /// The report on a run whose log cannot be read.
    pub(crate) fn unread(&self, scope: &Scope, run: RunId, error: &EngineError) -> Result<Report, KernelError> {
        let row = self.store().run(scope, run)?.ok_or(KernelError::NoSuchRun(run))?;
        let state =
            RunState { row, log: Vec::new(), code: None, state: None, data: RunData::default(), earlier: Vec::new() };
        let mut report = report(self.registry(), &self.toolbox, &self.redactor_of(&state), &state);
        report.ok = false;
        report.message = "This version of Brain cannot read the run. Its data is intact.".into();
        report.errors.push(Problem::new("unreadable", error.to_string()));
        if !report.status.is_over() {
            report.next_actions.extend([NextAction::Retry { run }, NextAction::Abort { run }]);
        }
        Ok(report)
    }

    /// Why a run ended before it started, if it did.
    pub(crate) fn refusal(&self, scope: &Scope, run: RunId) -> Option<String> {
        let report = self.report(scope, run).ok()?;
        let refused = matches!(report.status, RunStatus::Failed | RunStatus::NeedsInput) && report.receipts.is_empty();
        refused.then_some(report.message)
    }
}
