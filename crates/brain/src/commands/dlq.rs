//! `brain dlq`: dead letters, steps that failed for good or whose outcome is unknown.

use std::collections::BTreeSet;

use anyhow::{Context, Error, Result, bail};
use brain_core::{Clock, JobKey, Redactor, RunId};
use brain_engine::LetterDecision;
use brain_kernel::{BulkOutcome, LetterFilter};
use brain_server::wire;
use brain_store::DeadLetterRow;

use crate::cli::{DlqCommand, Global, OutcomeArg};
use crate::show::{BOLD, DIM, RED, YELLOW};
use crate::system::SystemClock;
use crate::{open, show};

pub(crate) fn run(global: &Global, command: DlqCommand) -> Result<bool> {
    match command {
        DlqCommand::List { all, limit, cursor } => list(global, all, limit, cursor.as_deref()),
        DlqCommand::Show { id } => show_one(global, &id),
        DlqCommand::Retry { id: Some(id), note, .. } => decide(global, &id, LetterDecision::Retry, &note),
        DlqCommand::Retry { id: None, tool, since, dry_run, note, .. } => {
            let since = since.map(|text| wire::since(&text, SystemClock.now())).transpose().map_err(Error::msg)?;
            retry_many(global, &LetterFilter { tool, since }, dry_run, &note)
        }
        DlqCommand::Resolve { id, note, outcome, result } => {
            if note.trim().is_empty() {
                bail!("say how it was resolved with --note");
            }
            let decision = match (outcome, result) {
                (OutcomeArg::Skip, None) => LetterDecision::Resolve(None),
                (OutcomeArg::Abandon, None) => LetterDecision::Abandon,
                (OutcomeArg::Done, result) => {
                    let text = result.unwrap_or_else(|| "{}".into());
                    LetterDecision::Resolve(Some(serde_json::from_str(&text).context("--result must be JSON")?))
                }
                _ => bail!("--result goes with --outcome done"),
            };
            decide(global, &id, decision, &note)
        }
        DlqCommand::Escalate { id, to, note } => decide(global, &id, LetterDecision::Escalate(to), &note),
    }
}

fn letter_id(text: &str) -> Result<JobKey> {
    text.parse().with_context(|| "give the id of a dead letter; `brain dlq list` lists them")
}

fn list(global: &Global, all: bool, limit: usize, cursor: Option<&str>) -> Result<bool> {
    let store = open::store(global)?;
    let open = if all { None } else { Some(true) };
    let page = store.letters(&open::scope(global)?, open, limit.clamp(1, 200), cursor)?;
    if global.json {
        let redactors = redactors(global, &page.items)?;
        let items: Vec<_> =
            page.items.iter().zip(&redactors).map(|(row, redactor)| wire::Letter::of(row, redactor)).collect();
        show::json(&serde_json::json!({"items": items, "next_cursor": page.next}));
        return Ok(true);
    }
    if page.items.is_empty() {
        anstream::println!("No dead letters.");
    }
    for row in &page.items {
        line(row);
    }
    if let Some(next) = page.next {
        anstream::println!("{DIM}more: brain dlq list --cursor {next}{DIM:#}");
    }
    Ok(true)
}

/// A redactor per letter, from the definitions of its run.
fn redactors(global: &Global, rows: &[DeadLetterRow]) -> Result<Vec<Redactor>> {
    let scope = open::scope(global)?;
    open::runtime()?.block_on(async {
        let kernel = open::kernel(global, false)?;
        let each = rows.iter().map(|row| kernel.redactor_for(&scope, row.run)).collect();
        kernel.engine().stop();
        Ok(each)
    })
}

fn line(row: &DeadLetterRow) {
    let kind = if !row.open {
        format!("{DIM}decided{DIM:#}")
    } else if row.body["happened"] == "maybe" {
        format!("{YELLOW}in doubt{YELLOW:#}")
    } else if row.body["happened"] == "yes" {
        format!("{YELLOW}done badly{YELLOW:#}")
    } else {
        format!("{RED}failed{RED:#}")
    };
    let why = row.body["failure"]["message"].as_str().unwrap_or_default();
    anstream::println!("{}  {kind}  {BOLD}{}{BOLD:#}  {why}", row.id, row.tool);
}

fn show_one(global: &Global, id: &str) -> Result<bool> {
    let store = open::store(global)?;
    let id = letter_id(id)?;
    let row = store.letter(&open::scope(global)?, id)?.with_context(|| format!("there is no dead letter {id}"))?;
    let redactor = redactors(global, std::slice::from_ref(&row))?.remove(0);
    if global.json {
        show::json(&wire::Letter::of(&row, &redactor));
        return Ok(true);
    }
    line(&row);
    anstream::println!(
        "{DIM}run {} · step {} · since {}{DIM:#}",
        row.run,
        row.body["step"].as_str().unwrap_or("?"),
        show::moment(row.opened_at)
    );
    anstream::println!("  for {}", row.body["intervention"].as_str().unwrap_or("support"));
    if row.body["input"].as_object().is_some_and(|input| !input.is_empty()) {
        anstream::println!("  called with {}", show::fields(&redactor.redact(&row.body["input"])));
    }
    for entry in row.body["history"].as_array().into_iter().flatten() {
        let failure = &entry["failure"];
        anstream::println!(
            "  {}  attempt {}  {} ({}, {})",
            entry["at"].as_str().unwrap_or_default(),
            entry["attempt"],
            failure["message"].as_str().unwrap_or_default(),
            failure["code"].as_str().unwrap_or_default(),
            failure["class"].as_str().unwrap_or_default(),
        );
    }
    for (name, label) in [("notified", "told"), ("escalated", "escalated"), ("resolution", "decided")] {
        if !row.body[name].is_null() {
            anstream::println!("  {label}: {}", show::fields(&row.body[name]));
        }
    }
    if row.open {
        anstream::println!("{DIM}→{DIM:#} brain dlq retry {id}");
        anstream::println!("{DIM}→{DIM:#} brain dlq resolve {id} --note \"how it was resolved\"");
    }
    Ok(true)
}

/// Retries many letters and waits until their runs settle.
fn retry_many(global: &Global, filter: &LetterFilter, dry_run: bool, note: &str) -> Result<bool> {
    let scope = open::scope(global)?;
    open::runtime()?.block_on(async {
        let kernel = open::kernel(global, false)?;
        let by = open::actor(global).name;
        let (letters, more) = kernel.retry_letters(&scope, filter, dry_run, &by, note).await?;
        let retried = letters.iter().filter(|one| one.outcome == BulkOutcome::Retried);
        let runs: BTreeSet<RunId> = retried.filter(|_| !dry_run).map(|one| one.run).collect();
        let all = async {
            for run in &runs {
                drop(kernel.engine().wait(&scope, *run).await);
            }
        };
        drop(tokio::time::timeout(super::WAIT, all).await);
        kernel.engine().stop();
        let done = wire::RetriedMany::of(letters, more, dry_run);
        let ok = done.skipped == 0;
        if global.json {
            show::json(&done);
            return Ok(ok);
        }
        for item in &done.items {
            match &item.skipped {
                None => anstream::println!("{}  {BOLD}{}{BOLD:#}", item.letter_id, item.tool_name),
                Some(why) => anstream::println!(
                    "{}  {BOLD}{}{BOLD:#}  {YELLOW}skipped{YELLOW:#}: {why}",
                    item.letter_id,
                    item.tool_name
                ),
            }
        }
        let letters = show::count(done.retried, "dead letter");
        anstream::println!(
            "{}",
            if dry_run { format!("{letters} would be retried.") } else { format!("{letters} retried.") }
        );
        if more {
            anstream::println!("{DIM}There are more; run it again.{DIM:#}");
        }
        Ok(ok)
    })
}

fn decide(global: &Global, id: &str, decision: LetterDecision, note: &str) -> Result<bool> {
    let id = letter_id(id)?;
    let scope = open::scope(global)?;
    let escalated = matches!(decision, LetterDecision::Escalate(_));
    let abandoned = matches!(decision, LetterDecision::Abandon);
    open::runtime()?.block_on(async {
        let kernel = open::kernel(global, false)?;
        let run = kernel.decide_letter(&scope, id, decision, &open::actor(global).name, note).await?.run;
        let report = super::conclude(global, &kernel, &scope, run).await?;
        Ok(report.ok || escalated || abandoned)
    })
}
