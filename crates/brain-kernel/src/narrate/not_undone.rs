//! What stays after a run was to be undone: the steps of a compensated run, or of the run that an undo was for.

use brain_engine::{Receipt, RunState};
use brain_lang::plan::Args;
use brain_registry::model::{Behavior, Effect};
use brain_registry::{Registry, SPAWN_CHILD_RUN, UNDO_CHILD_RUN};
use brain_vm::{JobId, Opener, State, StepId};
use serde_json::Value;

use super::ended;

/// What an ended run was to undo and did not: a sentence each. Empty for a run that was not to undo anything.
pub(super) fn sentences(registry: &Registry, state: &RunState, list: &[Receipt]) -> Vec<String> {
    let Some(machine) = &state.state else { return Vec::new() };
    let mut sentences = Vec::new();
    if machine.scope(0).took_back {
        sentences.extend(of_compensation(registry, machine, list));
    }
    if let Some(undo) = state.row.request.get("undo_of") {
        sentences.extend(of_undo(undo, state, machine, list));
        let doubtful = super::doubts(machine, list).into_iter();
        sentences.extend(
            doubtful
                .map(|receipt| format!("It is unknown whether `{}` (step {}) happened.", receipt.tool, receipt.step)),
        );
    }
    let below = list.iter().filter(|receipt| receipt.tool == UNDO_CHILD_RUN && receipt.happened());
    let below = below.flat_map(|receipt| receipt.result["data"]["not_undone"].as_array().into_iter().flatten());
    // The plan of a parent already says what the plan of its child says.
    for sentence in below.filter_map(Value::as_str) {
        if !sentences.iter().any(|known| known == sentence) {
            sentences.push(sentence.to_owned());
        }
    }
    sentences
}

/// The steps of a run that were done and that its own compensation did not undo.
fn of_compensation(registry: &Registry, machine: &State, list: &[Receipt]) -> Vec<String> {
    let undone = |receipt: &Receipt| !receipt.dropped && machine.undone.contains(&receipt.job);
    let stays = |receipt: &&Receipt| receipt.happened() && !receipt.job.undo && !undone(receipt);
    let sentence = |receipt: &Receipt| {
        let def = registry.tool(&receipt.tool).map(|tool| &tool.def);
        if def.is_some_and(|def| def.effect == Effect::Read || matches!(def.behavior, Behavior::Playbook(_))) {
            return None;
        }
        let tried = last_failure(list, JobId { undo: true, ..receipt.job }).filter(|_| !receipt.dropped);
        let why = match (tried, def.and_then(|def| def.undo.as_ref())) {
            (Some(why), _) => format!("Its undo failed: {why}"),
            (None, Some(_)) if receipt.dropped => "A migration dropped the step.".to_owned(),
            (None, Some(_)) => "Its undo was not done.".to_owned(),
            (None, None) => {
                def.and_then(|def| def.no_undo.as_deref()).unwrap_or("Its pack declares no undo.").to_owned()
            }
        };
        let why = ended(why);
        let child = receipt.result["data"]["run_id"].as_str().filter(|_| receipt.tool == SPAWN_CHILD_RUN);
        let changed = child.map_or_else(|| in_words(&records_of(receipt)), |run| format!(" (run {run})"));
        Some(format!("`{}` of step {}{changed} was not undone. {why}", receipt.tool, receipt.step))
    };
    let opened_by_undo = |id| matches!(machine.scope(id).opener, Opener::Job(job) if job.undo);
    let forward = |receipt: &&Receipt| !machine.outward(receipt.job.scope).any(opened_by_undo);
    let doubtful = super::doubts(machine, list)
        .into_iter()
        .filter(forward)
        .map(|receipt| format!("`{}` of step {} may have happened and was not undone.", receipt.tool, receipt.step));
    list.iter().filter(stays).filter(forward).filter_map(sentence).chain(doubtful).collect()
}

/// The steps of another run that this run was to undo and did not.
fn of_undo(undo: &Value, state: &RunState, machine: &State, list: &[Receipt]) -> Vec<String> {
    let of = undo["run"].as_str().unwrap_or_default();
    let steps = state.program().map_or(&[][..], |program| program.steps.as_slice());
    let open = steps.iter().enumerate().filter_map(|(index, step)| {
        let job = StepId { scope: 0, step: index as u16 }.job(0);
        let done = machine.done.contains(&job) && !machine.undone.contains(&job) && !machine.rolled_back;
        let Args::Call(number) = step.args else { return None };
        let said = |name: &str| undo[name][number as usize].as_str();
        let tool = said("tools").map_or_else(String::new, |tool| format!("`{tool}` "));
        let at = said("steps").unwrap_or(&step.id);
        let records: Vec<Value> = undo["records"][number as usize].as_array().cloned().unwrap_or_default();
        let changed = in_words(&records);
        let why = match last_failure(list, job) {
            Some(why) => format!("`{}` failed: {why}", step.tool.name),
            None => format!("`{}` was not done.", step.tool.name),
        };
        (!done).then(|| ended(format!("{tool}(step {at}) of run {of}{changed} is not undone: {why}")))
    });
    let remaining = ["stays", "failed"].into_iter().filter_map(|name| undo[name].as_array()).flatten();
    open.chain(remaining.filter_map(|sentence| sentence.as_str().map(|text| ended(text.to_owned())))).collect()
}

/// Why the last attempt of a job failed.
fn last_failure(list: &[Receipt], job: JobId) -> Option<&str> {
    let last = list.iter().rev().find(|receipt| receipt.job == job && !receipt.dropped)?;
    last.failure.as_ref().map(|failure| failure.message.as_str())
}

/// The records that a receipt says were created or changed.
fn records_of(receipt: &Receipt) -> Vec<Value> {
    let list = receipt.result["artifacts"].as_array().into_iter().flatten();
    list.filter(|artifact| matches!(artifact["role"].as_str(), Some("created" | "updated"))).cloned().collect()
}

fn in_words(records: &[Value]) -> String {
    let name = |record: &Value| Some(format!("{} {}", record["type"].as_str()?, record["id"].as_str()?));
    let names: Vec<String> = records.iter().filter_map(name).collect();
    if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) }
}
