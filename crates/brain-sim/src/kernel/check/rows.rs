//! Rows outside the logs: each client has exactly one run, parents know their children, and ended runs leave nothing
//! that waits for an answer.

use std::collections::BTreeMap;

use brain_core::{ApprovalStatus, JobKey, RunId, Timestamp};
use brain_engine::ReceiptStatus;
use brain_store::Scope;
use brain_vm::Event;

use super::Story;
use crate::kernel::{World, pack};

/// Checks that every accepted client has its run, and no client has two.
pub(super) fn clients(world: &World) -> Vec<String> {
    let mut problems = Vec::new();
    for client in &world.clients {
        let name = &client.name;
        if client.is_waiting() {
            problems.push(format!("{name} was never accepted"));
        }
        let Some(run) = client.accepted else { continue };
        let there = world.disk.base.run(&client.scope, run).ok().flatten().is_some();
        if !there && !world.gone().runs.contains_key(&run) {
            problems.push(format!("{name} was accepted and is lost"));
        }
    }
    // Each run that was ever written names its client. A key lives as long as its run, so a client that repeats a
    // request after the run was deleted gets a new run.
    let history = world.disk.requests.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let gone = world.gone();
    let swept = |run: RunId, until: Timestamp| {
        let there = |scope: &Scope| world.disk.base.run(scope, run).ok().flatten().is_some();
        !world.scopes.iter().any(there) && gone.runs.get(&run).is_some_and(|(_, at)| *at <= until)
    };
    let mut asked: BTreeMap<&str, u32> = BTreeMap::new();
    let mut made: Vec<_> = history.iter().filter(|(_, (_, top, _))| *top).collect();
    made.sort_by_key(|(run, (_, _, at))| (*at, **run));
    for (run, (actor, _, at)) in &made {
        let before = made.iter().filter(|(other, (name, _, when))| name == actor && other != run && when <= at);
        let kept = before.filter(|(other, (_, _, when))| (*when, **other) < (*at, **run) && !swept(**other, *at));
        *asked.entry(actor.as_str()).or_insert(1) += kept.count() as u32;
    }
    for client in world.clients.iter().filter(|client| client.key.is_some()) {
        let runs = asked.get(client.name.as_str()).copied().unwrap_or(0);
        if runs > 1 {
            problems.push(format!("{runs} runs were made under `{}`", client.name));
        }
    }
    problems
}

/// Checks that an ended run waits for nobody.
pub(super) fn of_run(world: &World, scope: &Scope, story: &Story) -> Vec<String> {
    let base = &world.disk.base;
    let run = story.state.row.id;
    let mut problems = Vec::new();
    if !story.state.row.status.is_over() {
        return problems;
    }
    let letters = base.dead_letters_of(scope, run).unwrap_or_default();
    // A dead letter outlives its run if it is about the outside world: a job in doubt, or an undo that failed.
    let about_world = |body: &serde_json::Value| body["happened"] == "maybe" || body["undo"] == true;
    for letter in letters.iter().filter(|letter| letter.open && !about_world(&letter.body)) {
        problems.push(format!("it is over, and its dead letter of step {} is open", letter.body["step"]));
    }
    let approvals = base.approvals_of(scope, run).unwrap_or_default();
    for row in approvals.iter().filter(|row| row.status == ApprovalStatus::Pending) {
        problems.push(format!("it is over, and an approval of step {} is pending", row.body["step"]));
    }
    let offers = base.offers(scope, &[pack::TOPIC.to_owned()], 10_000).unwrap_or_default();
    if offers.iter().any(|offer| offer.run == run) {
        problems.push("it is over, and a job of it is offered".into());
    }
    let signals = base.signals(scope, run).unwrap_or_default();
    if !signals.is_empty() {
        problems.push(format!("it is over, and {} signals are in its inbox", signals.len()));
    }
    problems
}

/// Checks that every child run is known to its parent.
pub(super) fn families(world: &World, stories: &[Story]) -> Vec<String> {
    let by_run: BTreeMap<RunId, &Story> = stories.iter().map(|story| (story.state.row.id, story)).collect();
    let mut problems = Vec::new();
    for story in stories {
        let parent = &story.state.row.request["parent"];
        let (Some(run), Some(key)) = (
            parent["run"].as_str().and_then(|run| run.parse::<RunId>().ok()),
            parent["job"].as_str().and_then(|key| key.parse::<JobKey>().ok()),
        ) else {
            continue;
        };
        let Some(parent) = by_run.get(&run).filter(|parent| !parent.is_cut()) else { continue };
        let Some(job) = parent.keys.get(&key) else {
            problems.push(format!("{} has a parent that does not know its job", world.listing.run(story.state.row.id)));
            continue;
        };
        // Rejected before it started: the step got an error.
        if story.events.is_empty() {
            continue;
        }
        let known = parent.events.iter().filter(|event| event.job() == Some(*job)).any(|event| match event {
            Event::JobDelegated { .. } | Event::JobDone { .. } => true,
            Event::JobStuck { happened, .. } => *happened != brain_vm::Happened::No,
            _ => false,
        });
        if !known {
            let (child, parent_name) = (world.listing.run(story.state.row.id), world.listing.run(run));
            problems.push(format!(
                "{parent_name} {} started a run ({child}) but reports that it did not",
                parent.name(*job)
            ));
        }
    }
    problems
}

/// Checks that a migrated run keeps its receipts.
pub(super) fn moved(world: &World, stories: &[Story]) -> Vec<String> {
    let mut problems = Vec::new();
    for (run, before) in &world.moved {
        let Some(story) = stories.iter().find(|story| story.state.row.id == *run) else { continue };
        if story.state.row.erased {
            continue;
        }
        let after = story.state.receipts().unwrap_or_default();
        for receipt in before.iter().filter(|receipt| receipt.status == ReceiptStatus::Succeeded) {
            let kept = after.iter().any(|one| {
                (one.key, one.attempt, one.status) == (receipt.key, receipt.attempt, receipt.status)
                    && (&one.step, &one.args, &one.result) == (&receipt.step, &receipt.args, &receipt.result)
            });
            if !kept {
                let name = world.listing.run(*run);
                problems.push(format!("{name} was migrated and lost its receipt of step {}", receipt.step));
            }
        }
    }
    problems
}
