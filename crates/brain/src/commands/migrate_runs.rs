//! `brain runs migrate`: migrates runs in progress to the loaded packs.

use anyhow::{Context, Result};
use brain_core::RunId;
use brain_kernel::{Actor, Move};
use serde_json::{Value, json};

use crate::cli::Global;
use crate::show::{BOLD, DIM, YELLOW};
use crate::{open, show};

/// Renamed steps: `OLD=NEW`, or `OLD=` for a removed one.
fn step_map(list: &[String]) -> Result<std::collections::BTreeMap<String, Option<String>>> {
    let pair = |text: &String| {
        let (old, new) = text.split_once('=').with_context(|| format!("`{text}` is not OLD=NEW"))?;
        Ok((old.to_owned(), Some(new.to_owned()).filter(|new| !new.is_empty())))
    };
    list.iter().map(pair).collect()
}

pub(crate) fn run(
    global: &Global,
    runs: &[String],
    playbook: Option<&str>,
    map: &[String],
    dry_run: bool,
    limit: usize,
) -> Result<bool> {
    let map = step_map(map)?;
    let scope = open::scope(global)?;
    open::runtime()?.block_on(async {
        let kernel = open::kernel(global, false)?;
        let runs: Vec<RunId> = match playbook {
            Some(name) => kernel.under_way(&scope, name, limit)?,
            None => runs.iter().map(|run| super::run_id(run)).collect::<Result<_>>()?,
        };
        let (mut moved, mut there, mut stay) = (0, 0, 0);
        let mut list = Vec::new();
        for run in runs {
            let mut about = kernel.plan_move(&scope, run, &map)?;
            if about.problems.is_empty() && !about.is_there() && !dry_run {
                // The run may have moved on since it was checked; then it is refused and stays.
                if let Err(error) = kernel.move_run(&scope, run, &map, &Actor::local().name).await {
                    about.problems.push(error.to_string());
                }
            }
            match (&about.problems.is_empty(), about.is_there()) {
                (true, true) => there += 1,
                (true, false) => moved += 1,
                (false, _) => stay += 1,
            }
            if global.json { list.push(as_json(&about)) } else { line(&about, dry_run) }
        }
        kernel.engine().stop();
        if global.json {
            let moved_now = if dry_run { 0 } else { moved };
            show::json(&json!({
                "items": list, "dry_run": dry_run, "moved": moved_now, "movable": moved, "there": there, "stay": stay,
            }));
        } else {
            let would = if dry_run { "can be migrated" } else { "moved" };
            anstream::println!("{BOLD}{moved}{BOLD:#} {would}, {there} up to date, {stay} cannot be migrated");
            if dry_run && moved > 0 {
                anstream::println!("{DIM}nothing was changed; run without --dry-run to migrate{DIM:#}");
            }
        }
        Ok(stay == 0)
    })
}

fn short(digest: &impl std::fmt::Display) -> String {
    digest.to_string().chars().take(12).collect()
}

fn line(about: &Move, dry_run: bool) {
    let from = short(&about.from);
    if !about.problems.is_empty() {
        anstream::println!("{}  {YELLOW}stays{YELLOW:#}  {}", about.run, about.problems.join("; "));
    } else if !about.is_there() {
        let to = about.to.map(|to| short(&to)).unwrap_or_default();
        let word = if dry_run { "would migrate" } else { "moved" };
        let kept = if about.kept.is_empty() { "nothing".into() } else { about.kept.join(", ") };
        let ahead = if about.ahead.is_empty() { "nothing".into() } else { about.ahead.join(", ") };
        anstream::println!("{}  {word}  {DIM}{from} → {to}{DIM:#}  keeps {kept}; ahead: {ahead}", about.run);
    }
}

fn as_json(about: &Move) -> Value {
    json!({
        "run_id": about.run, "name": about.name, "from": about.from, "to": about.to, "kept": about.kept,
        "ahead": about.ahead, "problems": about.problems,
    })
}
