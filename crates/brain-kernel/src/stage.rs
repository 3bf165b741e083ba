//! Stage: presents a plan for approval.

use brain_core::{ApprovalId, ApprovalStatus, Digest, DigestBuilder, RunStatus, canonical_digest};
use brain_engine::{NewEvent, PipeEvent, RunInput};
use brain_registry::model::Consent;
use brain_store::{ApprovalRow, Write};
use serde_json::json;

use crate::NextAction;
use crate::draft::Draft;
use crate::eligible;
use crate::intake::Request;
use crate::kernel::Kernel;
use crate::plan::Planned;

/// Maximum number of calls that a message lists.
const MAX_SHOWN: usize = 100;

impl Kernel {
    /// Stages a plan for approval. The digest covers everything, so the approved plan is exactly what runs.
    pub(crate) fn stage(&self, request: &Request, draft: &mut Draft, planned: &Planned, program: Digest) {
        let id = self.draw(|random| ApprovalId::generate(self.clock().now(), random));
        let digest = approval_digest(program, &planned.input);
        let mut lines: Vec<String> = planned.calls.iter().map(|call| self.describe(&call.tool, &call.input)).collect();
        let mut expires_at = self.clock().now().plus(self.expiry.staged);
        for call in &planned.calls {
            let Some(tool) = self.registry().tool(&call.tool) else { continue };
            // An undo needs no warning that it cannot itself be undone.
            if let (Some(reason), None) = (&tool.def.no_undo, &request.undo_of) {
                lines.push(format!("  Cannot be undone ({}): {reason}", tool.def.name));
            }
            let Some(acknowledge) = &tool.def.acknowledge else { continue };
            lines.push(format!(
                "  Please note: {}",
                self.toolbox.text(&acknowledge.text, &call.input, self.clock().now())
            ));
            if let Some(within) = acknowledge.within {
                expires_at = expires_at.min(self.clock().now().plus(within));
            }
        }
        for stays in request.undo_of.iter().flat_map(|undo| undo["stays"].as_array().into_iter().flatten()) {
            lines.push(format!("  {}", stays.as_str().unwrap_or_default()));
        }
        if !planned.input.cost.is_empty() {
            let most = if planned.calls.iter().any(|call| call.times.is_none()) { "at most " } else { "" };
            lines.push(format!("  Cost: {most}{}", eligible::cost_in_words(&planned.input.cost)));
        }
        for tool in eligible::unpriced(self.registry(), &self.toolbox, &planned.calls) {
            let what = match tool.def.consent {
                Consent::Approver => "its price is shown when that step asks for approval",
                _ => "it counts as one unit, and the step is refused if it costs more",
            };
            lines.push(format!("  An earlier step decides what {} costs: {what}.", tool.def.name));
        }
        let needs_approver = planned.consent == Consent::Approver;
        let consent = if needs_approver { "approver" } else { "user" };
        let body = json!({
            "consent": consent,
            "digest": digest,
            "asked_by": request.actor.name,
            "asks": lines.iter().map(|line| line.trim()).collect::<Vec<_>>(),
            "expires_at": expires_at,
        });
        draft.expires_at = Some(expires_at);
        let asked_at = self.clock().now();
        let row = ApprovalRow { id, run: draft.run, status: ApprovalStatus::Pending, asked_at, body };
        draft.writes.push(Write::PutApproval(row));
        let who = if needs_approver { "an approver approves it" } else { "you approve it" };
        let text = format!("Ready, and nothing has been done yet:\n{}\nIt will run once {who}.", shortened(&lines));
        let approval = id.to_string();
        let next = [NextAction::Approve { approval: approval.clone() }, NextAction::Reject { approval }];
        draft.events.push(NewEvent::pipe(
            PipeEvent::Staged,
            json!({"approval": id, "consent": consent, "digest": digest}),
            Some(json!({"message": text, "next_actions": next})),
        ));
        draft.status = RunStatus::Staged;
    }
}

/// The digest that an approval covers: the program, which pins the definitions of its tools, and its whole input.
pub(crate) fn approval_digest(program: Digest, input: &RunInput) -> Digest {
    DigestBuilder::new("approval").part(program.as_bytes()).part(canonical_digest(input).as_bytes()).finish()
}

/// Joins lines into one text. Omitted lines are counted; the report lists every call.
pub(crate) fn shortened(lines: &[String]) -> String {
    match lines.get(..MAX_SHOWN) {
        Some(first) if lines.len() > MAX_SHOWN => {
            format!("{}\n  … and {} more", first.join("\n"), lines.len() - MAX_SHOWN)
        }
        _ => lines.join("\n"),
    }
}
