//! `brain runs undo`, `brain runs review`, `brain runs expansion`.

use anyhow::Result;
use brain_core::RunStatus;
use brain_server::wire::{Decide, Decision, Page, Review, RunResponse, UndoRun, Verdict, WaitingReview};
use serde_json::{Map, Value};

use super::Usage;
use crate::cli::{Global, ReviewArgs};
use crate::remote::Need;
use crate::show;
use crate::show::{BOLD, DIM};

pub(crate) fn undo(global: &Global, run: &str, yes: bool) -> Result<bool> {
    let (run, step) = run.split_once('/').map_or((run, None), |(run, step)| (run, Some(step)));
    let run = super::run_id(run)?;
    super::talk(global, Need::Existing, async |client| {
        let body = UndoRun { step: step.map(str::to_owned) };
        let staged: RunResponse = client.post(&format!("/v1/runs/{run}/undo"), &body).await?;
        if yes && let Some(approval) = &staged.approval_id {
            let decide = Decide { decision: Decision::Approve, note: None, digest: None, wait_timeout_ms: Some(0) };
            let _: RunResponse = client.post(&format!("/v1/approvals/{approval}"), &decide).await?;
        }
        let mut answer = super::settled(client, &staged.run_id, false).await?;
        // As for `brain do`: a plan that waits for an approval is not done yet.
        let done = answer.ok && answer.status != RunStatus::Staged;
        answer.ok &= done || !global.json;
        show::answer(global, answer);
        Ok(done)
    })
}

pub(crate) fn review(global: &Global, args: &ReviewArgs) -> Result<bool> {
    let run = super::run_id(&args.run)?;
    let mut corrections = Map::new();
    for one in &args.corrections {
        let (field, value) = one.split_once('=').ok_or_else(|| Usage(format!("`{one}` is not FIELD=VALUE")))?;
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        corrections.insert(field.to_owned(), value);
    }
    super::talk(global, Need::Existing, async |client| {
        if !args.accept && !args.reject && corrections.is_empty() {
            let page: Page<WaitingReview> = client.get(&format!("/v1/runs/{run}/reviews")).await?;
            waiting(global, &page);
            return Ok(true);
        }
        let body = Review {
            verdict: if args.reject { Verdict::Reject } else { Verdict::Accept },
            step: args.step.clone(),
            corrections: Some(corrections).filter(|corrections| !corrections.is_empty()),
            note: Some(args.note.clone()).filter(|note| !note.is_empty()),
        };
        let _: RunResponse = client.post(&format!("/v1/runs/{run}/review"), &body).await?;
        let answer = super::settle(global, client, &run).await?;
        // With --reject, a run that was not executed is the intended outcome.
        Ok(answer.ok || args.reject)
    })
}

/// Prints the results that wait for review.
fn waiting(global: &Global, page: &Page<WaitingReview>) {
    if global.json {
        return show::json(page);
    }
    if page.items.is_empty() {
        outln!("No step of this run is waiting for review.");
    }
    for item in &page.items {
        outln!("{BOLD}{}{BOLD:#}  {DIM}step {}{DIM:#}", item.tool, item.step);
        outln!("  {}", item.ask);
        outln!("  {DIM}{}{DIM:#}", show::fields(&item.result));
    }
}

pub(crate) fn expansion(global: &Global, run: &str) -> Result<bool> {
    let run = super::run_id(run)?;
    super::talk(global, Need::Existing, async |client| {
        let report: Value = client.get(&format!("/v1/runs/{run}/expansion")).await?;
        if global.json {
            show::json(&report);
            return Ok(true);
        }
        let text = |name: &str| report[name].as_str().unwrap_or_default().to_owned();
        outln!("{DIM}batch policy  {DIM:#} {}", text("policy"));
        outln!("{DIM}request hash  {DIM:#} {}", text("source_digest"));
        outln!("{DIM}plan hash     {DIM:#} {}", text("expanded_digest"));
        let count = report["expanded_count"].as_u64().unwrap_or(0) as usize;
        outln!("{DIM}steps         {DIM:#} {count}");
        for lock in report["locks"].as_array().into_iter().flatten() {
            let part = |name: &str| lock[name].as_str().unwrap_or_default().to_owned();
            outln!("{DIM}record lock   {DIM:#} {:<5} {} {}", part("access"), part("type"), part("id"));
        }
        for template in report["templates"].as_array().into_iter().flatten() {
            let name = template["name"].as_str().unwrap_or_default();
            let hash = template["hash"].as_str().unwrap_or_default();
            outln!("{DIM}expanded from {DIM:#} {name}  {DIM}{}{DIM:#}", hash.get(..12).unwrap_or_default());
        }
        Ok(true)
    })
}
