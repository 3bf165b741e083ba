//! `brain runs` and `brain cancel`.

use anyhow::Result;
use brain_core::{Clock, RunStatus};
use brain_kernel::life;

use crate::cli::{Global, RunsArgs};
use crate::show::DIM;
use crate::system::SystemClock;
use crate::{open, show};

pub(crate) fn run(global: &Global, args: RunsArgs) -> Result<bool> {
    match args.command {
        None => list(global, &args),
        Some(command) => super::stuck::run(global, command),
    }
}

fn list(global: &Global, args: &RunsArgs) -> Result<bool> {
    let store = open::store(global)?;
    let (scope, limit, cursor) = (open::scope(global)?, args.limit.clamp(1, 200), args.cursor.as_deref());
    let page = match args.contract_status {
        Some(word) => life::runs_by_contract(store.as_ref(), &scope, word, limit, cursor)?,
        None => store.runs(&scope, args.status, limit, cursor)?,
    };
    if global.json {
        let items: Vec<_> = page.items.iter().map(brain_server::wire::RunSummary::from).collect();
        show::json(&serde_json::json!({"items": items, "next_cursor": page.next}));
        return Ok(true);
    }
    if page.items.is_empty() {
        anstream::println!("No runs yet. Try: brain do \"create task: Call Bob\"");
    }
    let now = SystemClock.now();
    for row in &page.items {
        let unsaid = match row.unreadable() {
            Some(_) => "(unreadable: its request is damaged)",
            None if row.request["erased"].is_string() => "(erased)",
            None => "(called by name)",
        };
        let message = row.request["message"].as_str().filter(|text| !text.is_empty()).unwrap_or(unsaid);
        let line: String = message.chars().take(70).map(|c| if c == '\n' { ' ' } else { c }).collect();
        let ago = format!("{} ago", show::span(now.since(row.created_at)));
        let pad = " ".repeat(12_usize.saturating_sub(row.status.as_str().len()));
        anstream::println!("{}  {}{pad}  {DIM}{ago:>11}{DIM:#}  {line}", row.id, show::status(row.status.as_str()));
    }
    if let Some(next) = page.next {
        anstream::println!("{DIM}more: brain runs --cursor {next}{DIM:#}");
    }
    Ok(true)
}

pub(crate) fn cancel(global: &Global, run: &str) -> Result<bool> {
    let run = super::run_id(run)?;
    let scope = open::scope(global)?;
    open::runtime()?.block_on(async {
        let kernel = open::kernel(global, false)?;
        kernel.cancel(&scope, run).await?;
        let report = super::conclude(global, &kernel, &scope, run).await?;
        Ok(matches!(
            report.status,
            RunStatus::Cancelled | RunStatus::Running | RunStatus::Stopping | RunStatus::Compensating
        ))
    })
}
