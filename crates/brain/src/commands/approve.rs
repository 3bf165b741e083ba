//! `brain approve`: lists pending approvals and decides them.

use anyhow::Result;
use brain_server::wire::{Approval, Decide, Decision, Page, RunResponse};

use crate::cli::{ApproveArgs, Global};
use crate::remote::Need;
use crate::show::{BOLD, DIM};
use crate::{show, table};

/// Approvals that are listed at most.
const LISTED: usize = 100;

pub(crate) fn run(global: &Global, args: &ApproveArgs) -> Result<bool> {
    let Some(id) = &args.id else { return list(global) };
    let id: brain_core::ApprovalId = super::id(id, "pending approval or of its run", "brain approve")?;
    super::talk(global, Need::Existing, async |client| {
        let decide = Decide {
            decision: if args.reject { Decision::Reject } else { Decision::Approve },
            note: Some(args.note.clone()).filter(|note| !note.is_empty()),
            digest: args.digest.clone(),
            wait_timeout_ms: Some(0),
        };
        let decided: RunResponse = client.post(&format!("/v1/approvals/{id}"), &decide).await?;
        let answer = super::settle(global, client, &decided.run_id).await?;
        // With --reject, a run that was not executed is the intended outcome.
        Ok(answer.ok || args.reject)
    })
}

fn list(global: &Global) -> Result<bool> {
    super::talk(global, Need::Existing, async |client| {
        let query = [("status", Some("pending".to_owned())), ("limit", Some(LISTED.to_string()))];
        let page: Page<Approval> = client.ask("/v1/approvals", &query).await?;
        if global.json {
            show::json(&page);
            return Ok(true);
        }
        if page.items.is_empty() {
            outln!("No pending approvals.");
        }
        for one in &page.items {
            let (first, rest) =
                one.asks.split_first().map_or(("(nothing)", &[] as &[String]), |(a, b)| (a.as_str(), b));
            for line in table::wrap(first, table::width()) {
                outln!("{BOLD}{line}{BOLD:#}");
            }
            for line in rest.iter().flat_map(|line| table::wrap(line, table::width())) {
                outln!("{BOLD}{line}{BOLD:#}");
            }
            if !one.said.is_empty() {
                for line in table::wrap(&format!("“{}”", one.said), table::width() - 2) {
                    outln!("  {line}");
                }
            }
            let who = if one.consent == "approver" { "needs an approver" } else { "needs the user's approval" };
            let until = one.expires_at.as_deref().map(|at| format!("until {}", show::moment_text(at)));
            let asked = if one.asked_by.is_empty() { String::new() } else { format!("asked by {}", one.asked_by) };
            let facts = [asked, show::ago(&one.asked_at), who.to_owned(), until.unwrap_or_default()];
            table::entry("", &facts, &one.approval_id);
        }
        if page.next_cursor.is_some() {
            outln!("{DIM}There are more than {LISTED}; decide these first.{DIM:#}");
        }
        Ok(true)
    })
}
