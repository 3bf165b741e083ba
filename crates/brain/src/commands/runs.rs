//! `brain runs` and `brain runs cancel`.

use anyhow::Result;
use brain_core::RunStatus;
use brain_server::wire::{Page, RunResponse, RunSummary};
use serde_json::json;

use crate::cli::{Global, RunsArgs, RunsListArgs};
use crate::remote::Need;
use crate::show::DIM;
use crate::{hint, show, table};

pub(crate) fn run(global: &Global, args: RunsArgs) -> Result<bool> {
    match args.command {
        None => list(global, &args.list),
        Some(command) => super::waiting::run(global, command),
    }
}

pub(super) fn list(global: &Global, args: &RunsListArgs) -> Result<bool> {
    super::talk(global, Need::Existing, async |client| {
        let query = [
            ("status", args.status.map(|status| status.to_string())),
            ("contract_status", args.contract_status.map(|status| status.to_string())),
            ("limit", Some(args.limit.clamp(1, 200).to_string())),
            ("cursor", args.cursor.clone()),
        ];
        let page: Page<RunSummary> = client.ask("/v1/runs", &query).await?;
        if global.json {
            show::json(&page);
            return Ok(true);
        }
        if page.items.is_empty() {
            let filtered = args.status.is_some() || args.contract_status.is_some() || args.cursor.is_some();
            match filtered {
                true => outln!("No such runs."),
                false => {
                    outln!("No runs yet. Try: {}", hint::command("do \"create task: Call Bob\""))
                }
            }
        }
        for run in &page.items {
            let unsaid = match &run.unreadable {
                Some(_) => "(unreadable: its request is damaged)",
                None if run.erased => "(erased)",
                None => "(direct tool call)",
            };
            let said = if run.message.is_empty() { unsaid } else { &run.message };
            table::entry(said, &[show::status(run.status.as_str()), show::ago(&run.created_at)], &run.run_id);
        }
        if let Some(next) = page.next_cursor {
            let status = args.status.map(|status| format!(" --status {status}"));
            let contract = args.contract_status.map(|status| format!(" --contract-status {status}"));
            let filter = status.or(contract).unwrap_or_default();
            let more = hint::command(&format!("runs list --limit {}{filter} --cursor {next}", args.limit));
            outln!("{DIM}more: {more}{DIM:#}");
        }
        Ok(true)
    })
}

pub(crate) fn cancel(global: &Global, run: &str) -> Result<bool> {
    let run = super::run_id(run)?;
    super::talk(global, Need::Existing, async |client| {
        let _: RunResponse = client.post(&format!("/v1/runs/{run}/cancel"), &json!({})).await?;
        let answer = super::settle(global, client, &run).await?;
        Ok(matches!(
            answer.status,
            RunStatus::Cancelled | RunStatus::Running | RunStatus::Stopping | RunStatus::Compensating
        ))
    })
}
