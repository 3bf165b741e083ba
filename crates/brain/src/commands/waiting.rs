//! What runs wait for (`brain runs why`), and decisions about parked ones (`brain runs waiting|retry|skip|abort`).

use anyhow::Result;
use brain_core::Clock;
use brain_server::wire::{Abort, Page, RunResponse, WaitingRun, WhyWaiting};

use crate::cli::{Cli, Global, RunsCommand, StuckArgs};
use crate::next_action::in_terminal;
use crate::remote::Need;
use crate::show::{BOLD, DIM, YELLOW};
use crate::system::SystemClock;
use crate::{hint, show, table};

pub(crate) fn run(global: &Global, command: RunsCommand) -> Result<bool> {
    match command {
        RunsCommand::List(args) => super::runs::list(global, &args),
        RunsCommand::Waiting { limit } => waiting(global, limit.clamp(1, 200)),
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

/// The commands that resolve a run waiting for `on`, without the run id.
fn commands(on: &str) -> &'static [&'static str] {
    match on {
        "letter" => &["runs retry", "runs skip", "runs abort"],
        "person" => &["runs retry", "runs abort"],
        "approval" => &["approve", "runs abort"],
        "review" => &["runs review", "runs why", "runs abort"],
        _ => &["runs abort"],
    }
}

fn waiting(global: &Global, limit: usize) -> Result<bool> {
    super::talk(global, Need::Existing, async |client| {
        let page: Page<WaitingRun> = client.ask("/v1/runs/waiting", &[("limit", Some(limit.to_string()))]).await?;
        if global.json {
            show::json(&page);
            return Ok(true);
        }
        if page.items.is_empty() {
            outln!("Nothing is waiting for a person.");
        }
        // The limit holds for each kind.
        let is_cut = page.items.iter().any(|one| page.items.iter().filter(|other| other.on == one.on).count() >= limit);
        for one in page.items {
            let state = match (&one.tool, one.in_doubt) {
                (None, _) if one.on == "person" => format!("{YELLOW}unreadable{YELLOW:#}"),
                (None, _) => show::status(one.status.as_str()),
                (Some(_), true) => format!("{YELLOW}in doubt{YELLOW:#}"),
                (Some(_), false) if one.on == "review" => show::status(one.status.as_str()),
                (Some(_), false) => show::status("failed"),
            };
            let head = [Some(one.message.as_str()), one.tool.as_deref()];
            let head = head.into_iter().flatten().find(|head| !head.is_empty()).unwrap_or("direct call");
            let tool = one.tool.clone().filter(|tool| tool != head).unwrap_or_default();
            table::entry(head, &[state, show::ago(&one.since), tool, one.why.clone()], &one.run_id);
            until(one.until.as_deref());
            for words in commands(&one.on) {
                // A run may wait for several approvals.
                let id = one.approval_id.as_ref().filter(|_| *words == "approve").unwrap_or(&one.run_id);
                outln!("  {DIM}→{DIM:#} {}", hint::command(&format!("{words} {id}")));
            }
        }
        if is_cut {
            let more = hint::command(&format!("runs waiting --limit {}", (2 * limit).min(200)));
            outln!("{DIM}There may be more: {more}{DIM:#}");
        }
        Ok(true)
    })
}

fn decide(global: &Global, args: &StuckArgs, verb: &str) -> Result<bool> {
    let run = super::run_id(&args.run)?;
    super::talk(global, Need::Existing, async |client| {
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
        assert_eq!(commands("review").first(), Some(&"runs review"));
        assert_eq!(commands("letter"), ["runs retry", "runs skip", "runs abort"]);
    }
}
