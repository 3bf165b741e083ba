//! `brain approve`: lists pending approvals and decides them.

use anyhow::Result;
use brain_core::ApprovalStatus;
use brain_kernel::Decision;

use crate::cli::{ApproveArgs, Global};
use crate::show::{BOLD, DIM};
use crate::{open, show};

pub(crate) fn run(global: &Global, args: &ApproveArgs) -> Result<bool> {
    let Some(id) = &args.id else { return list(global) };
    let scope = open::scope(global)?;
    let decision = if args.reject { Decision::Reject } else { Decision::Approve };
    open::runtime()?.block_on(async {
        let kernel = open::kernel(global, false)?;
        let run =
            kernel.decide(&scope, id, args.digest.as_deref(), decision, &open::actor(global), &args.note).await?.run;
        let report = super::conclude(global, &kernel, &scope, run).await?;
        // With --reject, a run that was not executed is the intended outcome.
        Ok(report.ok || args.reject)
    })
}

fn list(global: &Global) -> Result<bool> {
    let store = open::store(global)?;
    let page = store.approvals(&open::scope(global)?, Some(ApprovalStatus::Pending), 100, None)?;
    if global.json {
        let items: Vec<_> = page.items.iter().map(brain_server::wire::Approval::from).collect();
        show::json(&serde_json::json!({"items": items, "next_cursor": page.next}));
        return Ok(true);
    }
    if page.items.is_empty() {
        anstream::println!("No pending approvals.");
    }
    for row in &page.items {
        let who = row.body["consent"].as_str().unwrap_or("user");
        let until = serde_json::from_value(row.body["expires_at"].clone()).ok().map(show::moment);
        let until = until.map_or_else(String::new, |until| format!(" until {until}"));
        anstream::println!(
            "{BOLD}{}{BOLD:#}  {DIM}since {}, needs the {who}'s approval{until}{DIM:#}",
            row.id,
            show::moment(row.asked_at)
        );
        for line in row.body["asks"].as_array().into_iter().flatten().filter_map(|line| line.as_str()) {
            anstream::println!("  {line}");
        }
    }
    Ok(true)
}
