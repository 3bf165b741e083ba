//! `brain runs migrate`: migrates runs in progress to the loaded packs.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use brain_server::wire::{MigrateRuns, MigratedRun, MigratedRuns};

use crate::cli::Global;
use crate::remote::Need;
use crate::show;
use crate::show::{BOLD, DIM, YELLOW};

/// Renamed steps: `OLD=NEW`, or `OLD=` for a removed one.
fn step_map(list: &[String]) -> Result<BTreeMap<String, String>> {
    let pair = |text: &String| {
        let (old, new) = text.split_once('=').with_context(|| format!("`{text}` is not OLD=NEW"))?;
        Ok((old.to_owned(), new.to_owned()))
    };
    list.iter().map(pair).collect()
}

pub(crate) fn run(
    global: &Global,
    runs: Vec<String>,
    playbook: Option<String>,
    map: &[String],
    dry_run: bool,
    limit: usize,
) -> Result<bool> {
    let runs: Vec<String> = runs.iter().map(|run| super::run_id(run)).collect::<Result<_>>()?;
    let body = MigrateRuns {
        runs: playbook.is_none().then_some(runs),
        playbook,
        map: Some(step_map(map)?),
        dry_run: Some(dry_run),
        limit: Some(limit.clamp(1, 100_000) as u64),
    };
    super::talk(global, Need::Existing, async |client| {
        let done: MigratedRuns = client.post("/v1/runs/migrate", &body).await?;
        if global.json {
            show::json(&done);
            return Ok(done.stay == 0);
        }
        done.items.iter().for_each(|one| line(one, dry_run));
        let would = if dry_run { "can be migrated" } else { "moved" };
        let MigratedRuns { movable, there, stay, .. } = done;
        outln!("{BOLD}{movable}{BOLD:#} {would}, {there} up to date, {stay} cannot be migrated");
        if dry_run && movable > 0 {
            outln!("{DIM}nothing was changed; run without --dry-run to migrate{DIM:#}");
        }
        Ok(stay == 0)
    })
}

fn short(digest: &str) -> &str {
    digest.get(..12).unwrap_or(digest)
}

fn line(one: &MigratedRun, dry_run: bool) {
    if !one.problems.is_empty() {
        outln!("{}  {YELLOW}stays{YELLOW:#}  {}", one.run_id, one.problems.join("; "));
    } else if one.to.as_ref() != Some(&one.from) {
        let to = one.to.as_deref().map(short).unwrap_or_default();
        let word = if dry_run { "would migrate" } else { "moved" };
        let list = |names: &[String]| if names.is_empty() { "nothing".into() } else { names.join(", ") };
        let from = short(&one.from);
        outln!("{}  {word}  {DIM}{from} → {to}{DIM:#}", one.run_id);
        outln!("  finished steps kept: {}; remaining steps: {}", list(&one.kept), list(&one.ahead));
    }
}
