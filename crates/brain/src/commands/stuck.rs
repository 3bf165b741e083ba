//! What runs wait for (`brain runs why`), and decisions about parked ones (`brain runs parked|retry|skip|abort`).

use anyhow::Result;
use brain_core::Clock;
use brain_server::wire::{Abort, Page, ParkedRun, RunResponse, WhyWaiting};

use crate::cli::{Cli, Global, RunsCommand, StuckArgs};
use crate::next_action::in_terminal;
use crate::remote::Need;
use crate::show::{BOLD, DIM, YELLOW};
use crate::system::SystemClock;
use crate::{hint, show, table};

pub(crate) fn run(global: &Global, command: RunsCommand) -> Result<bool> {
    match command {
        RunsCommand::List(args) => super::runs::list(global, &args),
        RunsCommand::Parked { limit } => parked(global, limit.clamp(1, 200)),
        RunsCommand::Retry(args) => decide(global, &args, "retry"),
        RunsCommand::Skip(args) => decide(global, &args, "skip"),
        RunsCommand::Abort(args) => decide(global, &args, "abort"),
        RunsCommand::One(command) => super::run(Cli { global: global.clone(), command: command.into() }),
        RunsCommand::Migrate { runs, playbook, map, dry_run, limit } => {
            super::migrate_runs::run(global, runs, playbook, &map, dry_run, limit)
        }
    }
}

pub(crate) fn why(global: &Global, run: &str) -> Result<bool> {
    let run = super::run_id(run)?;
    super::talk(global, Need::Existing, async |client| {
        let mut why: WhyWaiting = client.get(&format!("/v1/runs/{run}/why")).await?;
        for one in &mut why.waits {
            one.then = one.actions.iter().map(in_terminal).collect();
        }
        if global.json {
            show::json(&why);
            return Ok(true);
        }
        for one in why.waits {
            let step = one.step.map_or_else(String::new, |step| format!("{BOLD}{step}{BOLD:#}  "));
            outln!("{step}{}", one.says);
            until(one.until.as_deref());
            for then in one.then {
                outln!("    {DIM}→{DIM:#} {then}");
            }
        }
        Ok(true)
    })
}

/// Prints when something expires.
fn until(at: Option<&str>) {
    let now = SystemClock.now();
    if let Some(at) = at.and_then(show::time).filter(|at| *at > now) {
        outln!("    {DIM}expires in {}{DIM:#}", show::span_in_words(at.since(now)));
    }
}

/// The commands, without the run, that decide about a run that waits on this.
fn commands(on: &str) -> &'static [&'static str] {
    match on {
        "letter" => &["runs retry", "runs skip", "runs abort"],
        "person" => &["runs retry", "runs abort"],
        "approval" => &["approve", "runs abort"],
        _ => &["runs abort"],
    }
}

fn parked(global: &Global, limit: usize) -> Result<bool> {
    super::talk(global, Need::Existing, async |client| {
        let page: Page<ParkedRun> = client.ask("/v1/runs/parked", &[("limit", Some(limit.to_string()))]).await?;
        if global.json {
            show::json(&page);
            return Ok(true);
        }
        if page.items.is_empty() {
            outln!("Nothing waits for a person.");
        }
        for one in page.items {
            let (head, state) = match (&one.tool, one.in_doubt) {
                (None, _) if one.on == "person" => (one.why.as_str(), format!("{YELLOW}unreadable{YELLOW:#}")),
                (None, _) => (one.why.as_str(), show::status(one.status.as_str())),
                (Some(tool), true) => (tool.as_str(), format!("{YELLOW}in doubt{YELLOW:#}")),
                (Some(tool), false) => (tool.as_str(), show::status("failed")),
            };
            let why = one.tool.as_ref().map(|_| one.why.clone()).unwrap_or_default();
            table::entry(head, &[state, show::ago(&one.since), why], &one.run_id);
            until(one.until.as_deref());
            for words in commands(&one.on) {
                outln!("  {DIM}→{DIM:#} {}", hint::command(&format!("{words} {}", one.run_id)));
            }
        }
        Ok(true)
    })
}

fn decide(global: &Global, args: &StuckArgs, verb: &str) -> Result<bool> {
    let run = super::run_id(&args.run)?;
    super::talk(global, Need::Existing, async |client| {
        client.expect_packs_of(&run)?;
        let body = Abort { note: Some(args.note.clone()).filter(|note| !note.is_empty()) };
        let _: RunResponse = client.post(&format!("/v1/runs/{run}/{verb}"), &body).await?;
        let answer = super::settle(global, client, &run).await?;
        Ok(answer.ok || verb == "abort")
    })
}

#[cfg(test)]
mod tests {
    use super::commands;

    #[test]
    fn a_staged_plan_can_be_approved_from_the_list_of_parked_runs() {
        assert_eq!(commands("approval").first(), Some(&"approve"));
        assert_eq!(commands("letter"), ["runs retry", "runs skip", "runs abort"]);
    }
}
