//! What runs wait for (`brain why-waiting`), and decisions about parked ones (`brain runs parked|retry|skip|abort`).

use anyhow::Result;
use brain_core::Clock;
use brain_server::wire::{ParkedRun, Waiting, WhyWaiting};

use crate::cli::{Cli, Global, RunsCommand, StuckArgs};
use crate::next_action::in_terminal;
use crate::show::{BOLD, DIM, YELLOW};
use crate::system::SystemClock;
use crate::{open, show};

pub(crate) fn run(global: &Global, command: RunsCommand) -> Result<bool> {
    match command {
        RunsCommand::Parked { limit } => parked(global, limit.clamp(1, 200)),
        RunsCommand::Retry(args) => decide(global, &args, What::Retry),
        RunsCommand::Skip(args) => decide(global, &args, What::Skip),
        RunsCommand::Abort(args) => decide(global, &args, What::Abort),
        RunsCommand::One(command) => super::run(Cli { global: global.clone(), command: command.into() }),
        RunsCommand::Migrate { runs, playbook, map, dry_run, limit } => {
            super::migrate_runs::run(global, &runs, playbook.as_deref(), &map, dry_run, limit)
        }
    }
}

pub(crate) fn why(global: &Global, run: &str) -> Result<bool> {
    let run = super::run_id(run)?;
    let scope = open::scope(global)?;
    open::runtime()?.block_on(async {
        let kernel = open::kernel(global, false)?;
        let waits = kernel.why_waiting(&scope, run)?;
        kernel.engine().stop();
        if global.json {
            let commands = |one: brain_kernel::Waiting| {
                let then = one.then.iter().map(in_terminal).collect();
                Waiting { then, ..Waiting::from(one) }
            };
            let waits = waits.into_iter().map(commands).collect();
            show::json(&WhyWaiting { run_id: run.to_string(), waits });
            return Ok(true);
        }
        let now = SystemClock.now();
        for one in waits {
            let step = if one.step.is_empty() { String::new() } else { format!("{BOLD}{}{BOLD:#}  ", one.step) };
            anstream::println!("{step}{}", one.says);
            if let Some(until) = one.until.filter(|until| *until > now) {
                anstream::println!("    {DIM}in {}{DIM:#}", show::span(until.since(now)));
            }
            for then in one.then.iter().map(in_terminal) {
                anstream::println!("    {DIM}→{DIM:#} {then}");
            }
        }
        Ok(true)
    })
}

fn parked(global: &Global, limit: usize) -> Result<bool> {
    let scope = open::scope(global)?;
    open::runtime()?.block_on(async {
        let kernel = open::kernel(global, false)?;
        let list = kernel.awaiting_person(&scope, limit)?;
        kernel.engine().stop();
        if global.json {
            let items: Vec<ParkedRun> = list.into_iter().map(ParkedRun::from).collect();
            show::json(&serde_json::json!({"items": items, "next_cursor": null}));
            return Ok(true);
        }
        if list.is_empty() {
            anstream::println!("Nothing waits for a person.");
        }
        let now = SystemClock.now();
        for one in list {
            let ago = format!("{} ago", show::span(now.since(one.since)));
            let what = match (one.tool.as_str(), one.in_doubt) {
                ("", _) if one.on == "person" => format!("{YELLOW}unreadable{YELLOW:#}"),
                ("", _) => show::status(one.status.as_str()).to_string(),
                (tool, true) => format!("{YELLOW}in doubt{YELLOW:#}  {BOLD}{tool}{BOLD:#}"),
                (tool, false) => format!("{}  {BOLD}{tool}{BOLD:#}", show::status("failed")),
            };
            anstream::println!("{}  {what}  {DIM}{ago}{DIM:#}", one.run);
            anstream::println!("    {}", one.why);
            if let Some(until) = one.until.filter(|until| *until > now) {
                anstream::println!("    {DIM}expires in {}{DIM:#}", show::span(until.since(now)));
            }
            let verbs = match one.on {
                "letter" => "retry | skip | abort",
                "person" => "retry | abort",
                _ => "abort",
            };
            anstream::println!("    {DIM}→{DIM:#} brain runs {verbs} {}", one.run);
        }
        Ok(true)
    })
}

#[derive(Clone, Copy)]
enum What {
    Retry,
    Skip,
    Abort,
}

fn decide(global: &Global, args: &StuckArgs, what: What) -> Result<bool> {
    let run = super::run_id(&args.run)?;
    let scope = open::scope(global)?;
    open::runtime()?.block_on(async {
        let kernel = open::kernel(global, false)?;
        let by = open::actor(global).name;
        match what {
            What::Retry => kernel.retry_run(&scope, run, &by, &args.note).await?,
            What::Skip => kernel.skip_failed(&scope, run, &by, &args.note).await?,
            What::Abort => kernel.abort(&scope, run, &by, &args.note).await?,
        };
        let report = super::conclude(global, &kernel, &scope, run).await?;
        Ok(report.ok || matches!(what, What::Abort))
    })
}
