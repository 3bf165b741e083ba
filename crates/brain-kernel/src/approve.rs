//! Approve: someone approves or rejects a staged plan. The approved plan is exactly what runs; no decision means no
//! run.

use brain_core::{ApprovalId, ApprovalStatus, Failure, RunId, RunStatus, Timestamp};
use brain_engine::core::{Command, ToJob, TurnInput};
use brain_engine::{EngineError, NewEvent, PipeEvent};
use brain_store::{ApprovalRow, Precondition, Scope, Write};
use brain_vm::Input;
use serde_json::{Value, json};

use crate::error::KernelError;
use crate::intake::Actor;
use crate::kernel::Kernel;
use crate::narrate::Report;
use crate::stage::approval_digest;

/// A decision about an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Run it.
    Approve,
    /// Drop it.
    Reject,
}

impl Kernel {
    /// Finds an approval by its own id or by the id of its run.
    pub fn find_approval(&self, scope: &Scope, id: &str) -> Result<ApprovalRow, KernelError> {
        let none = || KernelError::NoSuchApproval(id.to_owned());
        if let Ok(approval) = id.parse::<ApprovalId>()
            && let Some(row) = self.store().approval(scope, approval)?
        {
            return Ok(row);
        }
        let run: RunId = id.parse().map_err(|_| none())?;
        let mut rows = self.store().approvals_of(scope, run)?;
        let pending = rows.iter().rposition(|row| row.status == ApprovalStatus::Pending);
        pending.map(|at| rows.swap_remove(at)).or_else(|| rows.pop()).ok_or_else(none)
    }

    /// The approval to decide. If a run waits for several, the id must name one of them.
    fn to_decide(&self, scope: &Scope, id: &str) -> Result<ApprovalRow, KernelError> {
        let row = self.find_approval(scope, id)?;
        if row.status != ApprovalStatus::Pending {
            return Err(KernelError::AlreadyDecided);
        }
        if row.id.to_string() != id {
            let mut pending = self.store().approvals_of(scope, row.run)?;
            pending.retain(|row| row.status == ApprovalStatus::Pending);
            if pending.len() > 1 {
                let one = |row: &ApprovalRow| {
                    let asks = row.body["asks"].as_array().into_iter().flatten().filter_map(Value::as_str);
                    format!("{} ({})", row.id, asks.collect::<Vec<_>>().join("; "))
                };
                let list: Vec<String> = pending.iter().map(one).collect();
                return Err(KernelError::Conflict(format!(
                    "run {} is waiting for {} approvals; name one of them: {}",
                    row.run,
                    list.len(),
                    list.join(", ")
                )));
            }
        }
        Ok(row)
    }

    /// Whether this person may decide: an approver, or the requester if user consent is enough.
    pub(crate) fn may_decide(&self, scope: &Scope, row: &ApprovalRow, actor: &Actor) -> Result<(), KernelError> {
        if actor.approver {
            return Ok(());
        }
        if row.body["consent"] == "approver" {
            return Err(KernelError::NotAllowed(format!(
                "{} may not approve this; ask someone whose token has the `approver` right",
                actor.name
            )));
        }
        let request = self.store().run(scope, row.run)?.map(|run| run.request).unwrap_or_default();
        let asked_by = row.body["asked_by"].as_str().or_else(|| request["actor"].as_str()).unwrap_or_default();
        let id = request["actor_id"].as_str().unwrap_or(asked_by);
        if id != actor.key() {
            return Err(KernelError::NotAllowed(format!(
                "{asked_by} made this request; only they or an approver can decide it"
            )));
        }
        Ok(())
    }

    /// Ends a run or step whose deadline has passed, as its timer would have done.
    async fn expire(&self, scope: &Scope, run: RunId) -> Result<(), KernelError> {
        let command = Command {
            prelude: Vec::new(),
            preconditions: Vec::new(),
            writes: Vec::new(),
            inputs: vec![TurnInput::Input(Input::Tick, None)],
            status: None,
            program: None,
        };
        match self.engine().command(scope, run, command).await {
            // The timer was faster.
            Ok(_) | Err(EngineError::NothingToDo(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Decides about a staged plan, or about one step of a run. `seen` is the digest that the person was shown, if
    /// given; a different digest is refused. Returns the run without waiting for it.
    pub async fn decide(
        &self,
        scope: &Scope,
        id: &str,
        seen: Option<&str>,
        decision: Decision,
        actor: &Actor,
        note: &str,
    ) -> Result<Report, KernelError> {
        let mut row = self.to_decide(scope, id)?;
        self.may_decide(scope, &row, actor)?;
        if let Some(seen) = seen
            && row.body["digest"] != seen
        {
            let digest = row.body["digest"].as_str().unwrap_or_default();
            return Err(KernelError::Conflict(format!(
                "the plan has changed since you saw it: its digest is now {digest}; review it again"
            )));
        }
        if let Some(expires_at) = serde_json::from_value::<Timestamp>(row.body["expires_at"].clone()).ok()
            && decision == Decision::Approve
            && self.clock().now() > expires_at
        {
            self.expire(scope, row.run).await?;
            return Err(KernelError::Conflict(format!(
                "this approval expired at {expires_at}; nothing was done. Make the request again"
            )));
        }
        if row.body["job"].is_string() {
            return self.decide_step(scope, row, decision, actor, note).await;
        }
        let state = self.engine().run_state(scope, row.run)?;
        let (Some(hash), true) = (state.row.program, state.row.status == RunStatus::Staged) else {
            return Err(KernelError::Conflict(format!("run {} is not waiting for approval", row.run)));
        };
        let seen = approval_digest(hash, &state.data.input);
        if decision == Decision::Approve && row.body["digest"] != json!(seen) {
            return Err(KernelError::Conflict(
                "the plan is not the one that was staged for approval; make the request again".into(),
            ));
        }
        let approved = decision == Decision::Approve;
        // The preconditions of a staged undo must still hold at the moment of its commit.
        let mut preconditions = vec![Precondition::ApprovalPending(row.id)];
        if approved {
            preconditions.extend(self.undo_preconditions(scope, &state.row.request)?);
        }
        row.status = if approved { ApprovalStatus::Approved } else { ApprovalStatus::Rejected };
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
            inputs: vec![TurnInput::Input(input, None::<Value>)],
            status: None,
            program: None,
        };
        self.engine().command(scope, run, command).await?;
        self.report(scope, run)
    }

    /// Decides about one step of a run in progress.
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
        row.status = if approved { ApprovalStatus::Approved } else { ApprovalStatus::Rejected };
        row.body["decided_by"] = json!(actor.name);
        row.body["decided_at"] = json!(self.clock().now());
        row.body["note"] = json!(note);
        let (event, message) = if approved {
            (PipeEvent::Approved, ToJob::Grant)
        } else {
            let why = if note.is_empty() { String::new() } else { format!(": {note}") };
            (
                PipeEvent::Rejected,
                ToJob::Deny(Failure::business("rejected", format!("{} rejected it{why}.", actor.name))),
            )
        };
        let data =
            json!({"approval": row.id, "by": actor.name, "digest": row.body["digest"], "step": row.body["step"]});
        let payload = (!note.is_empty()).then(|| json!({"note": note}));
        let run = row.run;
        let command = Command {
            prelude: vec![NewEvent::pipe(event, data, payload)],
            preconditions: vec![Precondition::ApprovalPending(row.id)],
            writes: vec![Write::PutApproval(row)],
            inputs: vec![TurnInput::Job(key, message)],
            status: None,
            program: None,
        };
        self.engine().command(scope, run, command).await?;
        self.report(scope, run)
    }
}
