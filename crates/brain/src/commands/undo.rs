//! `brain undo`, `brain review`, `brain expansion`: decisions about a run in progress or finished.

use anyhow::{Context, Result, bail};
use brain_kernel::{Decision, Verdict};
use brain_vm::JobStatus;
use serde_json::{Map, Value};

use crate::cli::{Global, ReviewArgs};
use crate::show::{BOLD, DIM};
use crate::{open, show};

pub(crate) fn undo(global: &Global, run: &str, yes: bool) -> Result<bool> {
    let (run, step) = run.split_once('/').map_or((run, None), |(run, step)| (run, Some(step)));
    let run = super::run_id(run)?;
    let scope = open::scope(global)?;
    open::runtime()?.block_on(async {
        let kernel = open::kernel(global, false)?;
        let staged = kernel.undo(&scope, run, step, &open::actor(global)).await?;
        if yes && let Some(approval) = &staged.approval {
            kernel.decide(&scope, approval, None, Decision::Approve, &open::actor(global), "").await?;
        }
        Ok(super::conclude(global, &kernel, &scope, staged.run).await?.ok)
    })
}

pub(crate) fn review(global: &Global, args: &ReviewArgs) -> Result<bool> {
    let run = super::run_id(&args.run)?;
    let scope = open::scope(global)?;
    let mut corrections = Map::new();
    for one in &args.corrections {
        let (field, value) = one.split_once('=').with_context(|| format!("`{one}` is not FIELD=VALUE"))?;
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        corrections.insert(field.to_owned(), value);
    }
    open::runtime()?.block_on(async {
        let kernel = open::kernel(global, false)?;
        if !args.accept && !args.reject && corrections.is_empty() {
            let state = kernel.engine().run_state(&scope, run)?;
            let shown = waiting(global, &state);
            kernel.engine().stop();
            return shown;
        }
        let verdict = if args.reject { Verdict::Reject } else { Verdict::Accept(Value::Object(corrections)) };
        kernel.review(&scope, run, args.step.as_deref(), verdict, &open::actor(global), &args.note).await?;
        let report = super::conclude(global, &kernel, &scope, run).await?;
        // With --reject, a run that was not executed is the intended outcome.
        Ok(report.ok || args.reject)
    })
}

/// Prints the results that wait for review.
fn waiting(global: &Global, state: &brain_engine::RunState) -> Result<bool> {
    let Some(machine) = &state.state else { bail!("the run was never planned") };
    let jobs = machine.jobs.iter().filter(|(_, job)| job.status == JobStatus::Reviewing);
    let items: Vec<Value> = jobs
        .map(|(id, _)| {
            let result = state.data.pending.get(id).cloned().unwrap_or_default();
            let tool = state.step(*id).map(|step| step.tool.name.clone());
            serde_json::json!({
                "step": state.job_name(*id), "tool": tool, "ask": result["review"]["ask"], "result": result["data"],
            })
        })
        .collect();
    if global.json {
        show::json(&serde_json::json!({"items": items}));
        return Ok(true);
    }
    if items.is_empty() {
        anstream::println!("No step of this run waits for review.");
    }
    for item in &items {
        let text = |name: &str| item[name].as_str().unwrap_or_default();
        anstream::println!("{BOLD}{}{BOLD:#}  {DIM}step {}{DIM:#}", text("tool"), text("step"));
        anstream::println!("  {}", text("ask"));
        anstream::println!("  {DIM}{}{DIM:#}", show::fields(&item["result"]));
    }
    Ok(true)
}

pub(crate) fn expansion(global: &Global, run: &str) -> Result<bool> {
    let run = super::run_id(run)?;
    let scope = open::scope(global)?;
    open::runtime()?.block_on(async {
        let kernel = open::kernel(global, false)?;
        let report = kernel.expansion(&scope, run)?;
        if global.json {
            show::json(&report);
        } else {
            let text = |name: &str| report[name].as_str().unwrap_or_default().to_owned();
            anstream::println!("{DIM}policy    {DIM:#} {}", text("policy"));
            anstream::println!("{DIM}source    {DIM:#} {}", text("source_digest"));
            anstream::println!(
                "{DIM}expanded  {DIM:#} {}  {}",
                text("expanded_digest"),
                show::count(report["expanded_count"].as_u64().unwrap_or(0) as usize, "step")
            );
            for lock in report["locks"].as_array().into_iter().flatten() {
                let part = |name: &str| lock[name].as_str().unwrap_or_default().to_owned();
                anstream::println!("{DIM}lock      {DIM:#} {:<5} {} {}", part("access"), part("type"), part("id"));
            }
            for template in report["templates"].as_array().into_iter().flatten() {
                let name = template["name"].as_str().unwrap_or_default();
                let hash = template["hash"].as_str().unwrap_or_default();
                anstream::println!("{DIM}template  {DIM:#} {name}  {DIM}{}{DIM:#}", hash.get(..12).unwrap_or_default());
            }
        }
        kernel.engine().stop();
        Ok(true)
    })
}
