//! Approve: someone says yes or no to a staged runbook. What was approved is what runs; no decision means no run.

use brain_core::{ApprovalId, Failure, RunId, Timestamp};
use brain_engine::core::{Command, ToJob, Told};
use brain_engine::{NewEvent, PipeEvent};
use brain_store::{ApprovalRow, Precondition, Scope, Write};
use brain_vm::Input;
use serde_json::{Value, json};

use crate::intake::Actor;
use crate::kernel::{Kernel, KernelError, approval_digest};
use crate::narrate::Report;

/// What someone says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Run it.
    Approve,
    /// Drop it.
    Reject,
}

impl Kernel {
    /// The approval that an id names: its own, or that of the run it belongs to.
    pub fn find_approval(&self, scope: &Scope, id: &str) -> Result<ApprovalRow, KernelError> {
        let none = || KernelError::NoSuchApproval(id.to_owned());
        if let Ok(approval) = id.parse::<ApprovalId>()
            && let Some(row) = self.store().approval(scope, approval)?
        {
            return Ok(row);
        }
        let run: RunId = id.parse().map_err(|_| none())?;
        self.store().approvals_of(scope, run)?.pop().ok_or_else(none)
    }

    /// Decides about a staged runbook. Returns the run; its end is for the caller to wait for.
    pub async fn decide(
        &self,
        scope: &Scope,
        id: &str,
        decision: Decision,
        actor: &Actor,
        note: &str,
    ) -> Result<Report, KernelError> {
        let mut row = self.find_approval(scope, id)?;
        if row.status != "pending" {
            return Err(KernelError::AlreadyDecided);
        }
        if row.body["consent"] == "approver" && !actor.approver {
            return Err(KernelError::NotAllowed(format!(
                "{} may not approve this; ask someone whose token was made with --approver",
                actor.name
            )));
        }
        if let Some(expires_at) = serde_json::from_value::<Timestamp>(row.body["expires_at"].clone()).ok()
            && decision == Decision::Approve
            && self.clock().now() > expires_at
        {
            self.cancel(scope, row.run).await?;
            return Err(KernelError::Conflict(format!(
                "the time to say yes ended at {expires_at}; nothing was done. Ask for it again"
            )));
        }
        if row.body["job"].is_string() {
            return self.decide_step(scope, row, decision, actor, note).await;
        }
        let state = self.engine().run_state(scope, row.run)?;
        let (Some(hash), true) = (state.row.program, state.row.status == "staged") else {
            return Err(KernelError::Conflict(format!("run {} does not wait for approval", row.run)));
        };
        let seen = approval_digest(hash, &state.data.input);
        if decision == Decision::Approve && row.body["digest"] != json!(seen) {
            return Err(KernelError::Conflict(
                "the runbook is not the one that was put up for approval; ask for it again".into(),
            ));
        }
        let approved = decision == Decision::Approve;
        // What a staged undo relied on must still be so, also at the moment of its commit.
        let mut preconditions = vec![Precondition::ApprovalPending(row.id)];
        if approved {
            preconditions.extend(self.undo_preconditions(scope, &state.row.request)?);
        }
        row.status = if approved { "approved" } else { "rejected" }.into();
        row.body["decided_by"] = json!(actor.name);
        row.body["decided_at"] = json!(self.clock().now());
        row.body["note"] = json!(note);
        let (event, input) =
            if approved { (PipeEvent::Approved, Input::Start) } else { (PipeEvent::Rejected, Input::Cancel) };
        let data = json!({"approval": row.id, "by": actor.name, "digest": seen});
        let payload = (!note.is_empty()).then(|| json!({"note": note}));
        let run = row.run;
        let command = Command {
            prelude: vec![NewEvent::pipe(event, data, payload)],
            preconditions,
            writes: vec![Write::PutApproval(row)],
            inputs: vec![Told::Input(input, None::<Value>)],
            status: None,
            program: None,
        };
        self.engine().command(scope, run, command).await?;
        self.report(scope, run)
    }

    /// Decides about one step of a run that is under way.
    async fn decide_step(
        &self,
        scope: &Scope,
        mut row: ApprovalRow,
        decision: Decision,
        actor: &Actor,
        note: &str,
    ) -> Result<Report, KernelError> {
        let approved = decision == Decision::Approve;
        let key = row.body["job"].as_str().and_then(|key| key.parse().ok());
        let key = key.ok_or_else(|| KernelError::NoSuchApproval(row.id.to_string()))?;
        row.status = if approved { "approved" } else { "rejected" }.into();
        row.body["decided_by"] = json!(actor.name);
        row.body["decided_at"] = json!(self.clock().now());
        row.body["note"] = json!(note);
        let (event, message) = if approved {
            (PipeEvent::Approved, ToJob::Grant)
        } else {
            let why = if note.is_empty() { String::new() } else { format!(": {note}") };
            (PipeEvent::Rejected, ToJob::Deny(Failure::business("rejected", format!("{} said no{why}.", actor.name))))
        };
        let data =
            json!({"approval": row.id, "by": actor.name, "digest": row.body["digest"], "step": row.body["step"]});
        let payload = (!note.is_empty()).then(|| json!({"note": note}));
        let run = row.run;
        let command = Command {
            prelude: vec![NewEvent::pipe(event, data, payload)],
            preconditions: vec![Precondition::ApprovalPending(row.id)],
            writes: vec![Write::PutApproval(row)],
            inputs: vec![Told::Job(key, message)],
            status: None,
            program: None,
        };
        self.engine().command(scope, run, command).await?;
        self.report(scope, run)
    }
}
