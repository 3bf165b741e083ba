//! Rows outside the logs: each client has exactly one run, and ended runs leave nothing that waits for an answer.

use std::collections::{BTreeMap, BTreeSet};

use brain_core::{ApprovalStatus, RunId};
use brain_engine::RunState;
use brain_store::Scope;

use crate::plans::TOPIC;
use crate::world::World;

/// Checks that every accepted client has its run, and no client has two.
pub(super) fn clients(world: &World) -> Vec<String> {
    let mut problems = Vec::new();
    let mut by_key: BTreeMap<(String, String), BTreeSet<RunId>> = BTreeMap::new();
    for client in &world.clients {
        let there = |run: &RunId| world.disk.base.run(&client.scope, *run).ok().flatten().is_some();
        let name = &client.name;
        if client.is_waiting() {
            problems.push(format!("{name} was never accepted"));
        }
        if let Some(run) = client.accepted
            && !there(&run)
        {
            problems.push(format!("{name} was accepted and is lost"));
        }
        let existing: BTreeSet<RunId> = client.asked.iter().copied().filter(there).collect();
        let tenant = client.scope.tenant().to_string();
        let key = client.key.clone().unwrap_or_else(|| format!("- {name}"));
        let all = by_key.entry((tenant, key)).or_default();
        all.extend(existing);
        all.extend(client.accepted);
    }
    for ((_, key), runs) in by_key {
        if runs.len() > 1 {
            problems.push(format!("{} runs were made under `{key}`", runs.len()));
        }
    }
    problems
}

/// Checks that an ended run waits for nobody.
pub(super) fn of_run(world: &World, scope: &Scope, state: &RunState) -> Vec<String> {
    let base = &world.disk.base;
    let run = state.row.id;
    let mut problems = Vec::new();
    if !state.state.as_ref().is_some_and(brain_vm::State::is_ended) {
        return problems;
    }
    let letters = base.dead_letters(scope, Some(true), 10_000, None).map(|page| page.items).unwrap_or_default();
    // A dead letter outlives its run if it is about the outside world: a job in doubt, or an undo that failed.
    let about_world = |body: &serde_json::Value| body["happened"] == "maybe" || body["undo"] == true;
    for letter in letters.iter().filter(|letter| letter.run == run && !about_world(&letter.body)) {
        problems.push(format!("it is over, and its dead letter of step {} is open", letter.body["step"]));
    }
    let approvals = base.approvals_of(scope, run).unwrap_or_default();
    for row in approvals.iter().filter(|row| row.status == ApprovalStatus::Pending) {
        problems.push(format!("it is over, and an approval of step {} is pending", row.body["step"]));
    }
    let offers = base.offers(scope, &[TOPIC.to_owned()], 10_000).unwrap_or_default();
    if offers.iter().any(|offer| offer.run == run) {
        problems.push("it is over, and a job of it is offered".into());
    }
    let signals = base.signals(scope, run).unwrap_or_default();
    if !signals.is_empty() {
        problems.push(format!("it is over, and {} signals are in its inbox", signals.len()));
    }
    problems
}
