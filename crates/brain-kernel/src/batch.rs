//! Batches: the outcome of several calls together, and how a request was expanded into them.

use std::collections::BTreeMap;

use brain_core::{Failure, RecordId, canonical_digest};
use brain_engine::log::entries;
use brain_engine::{PipeEvent, Receipt, ReceiptStatus, RunState};
use brain_registry::Registry;
use brain_registry::model::{Effect, ToolDef};
use brain_vm::{End, JobId, Opener, Phase, StepId, StepState};
use serde_json::{Value, json};

use crate::draft::Draft;
use crate::error::KernelError;
use crate::kernel::Kernel;

/// The outcome of a batch; `None` if the run is not a batch.
pub(crate) fn outcome(state: &RunState, list: &[Receipt]) -> Option<Value> {
    let policy = policy(state)?;
    let (program, machine) = (state.program()?, state.state.as_ref()?);
    let mut succeeded = Vec::new();
    let mut failed = Vec::new();
    for receipt in list.iter().filter(|receipt| !receipt.job.undo) {
        let index = json!(receipt.job.step + 1);
        let each = state.step(receipt.job).is_some_and(|step| step.foreach.is_some());
        let item = if each { json!(receipt.job.item + 1) } else { Value::Null };
        match receipt.status {
            ReceiptStatus::Succeeded | ReceiptStatus::RolledBack => {
                succeeded.push(json!({"index": index, "item": item, "step": receipt.step, "tool": receipt.tool}));
            }
            ReceiptStatus::Failed if receipt.retry_at.is_none() => {
                let failure = receipt.failure.clone().unwrap_or_else(|| Failure::business("failed", "It failed."));
                failed.push(json!({
                    "index": index, "item": item, "step": receipt.step, "tool": receipt.tool, "cause": cause(&failure),
                    "timing": timing(&failure, receipt, list), "message": failure.message,
                }));
            }
            _ => {}
        }
    }
    let steps = program.steps.iter().enumerate();
    let skipped: Vec<Value> = steps
        .filter(|(index, _)| {
            matches!(
                machine.step_state(StepId { scope: 0, step: *index as u16 }),
                StepState::Bypassed | StepState::Pending
            )
        })
        .map(|(index, step)| json!({"index": index + 1, "step": step.id, "tool": step.tool.name}))
        .collect();
    let contended = machine.failure().is_some_and(|failure| failure.code == "contention");
    let result = match (policy, machine.phase()) {
        (_, Phase::New | Phase::Running | Phase::Stopping(_) | Phase::Compensating) => "running",
        ("atomic", Phase::Ended(End::Completed)) => "committed",
        ("atomic", _) if contended => "contention",
        ("atomic", _) => "rolled_back",
        _ if failed.is_empty() && skipped.is_empty() => "completed",
        _ if succeeded.is_empty() => "failed",
        _ => "partial",
    };
    let mut batch = json!({"policy": policy, "outcome": result, "failed": failed, "causes": grouped(&failed)});
    if policy == "atomic" {
        // Steps that would have succeeded if nothing had failed.
        let name = if result == "committed" { "succeeded" } else { "partial_results" };
        batch[name] = json!(succeeded);
        if let Some(failure) = machine.failure() {
            batch["cause"] = json!({"cause": cause(failure), "message": failure.message});
        }
        if contended {
            let wait = machine.failure().and_then(|failure| failure.retry_after);
            batch["retry_after_ms"] = json!(wait.map(|wait| wait.0));
        }
    } else {
        batch["succeeded"] = json!(succeeded);
        batch["skipped"] = json!(skipped);
    }
    Some(batch)
}

/// The batch policy of a run, if it has one.
fn policy(state: &RunState) -> Option<&'static str> {
    let planned = entries(&state.log).find(|entry| entry.is(PipeEvent::Planned))?;
    match planned.value()["policy"].as_str()? {
        "atomic" => Some("atomic"),
        "best_effort" => Some("best_effort"),
        _ => None,
    }
}

/// The root cause of a failure; many failures may share one.
fn cause(failure: &Failure) -> &'static str {
    match failure.code.as_str() {
        "record_not_found" => "entity_not_found",
        "record_deleted" => "entity_deleted",
        "contention" | "conflict" => "version_conflict",
        "wrong_state" | "not_allowed" | "duplicate" | "constraint" | "invalid_input" | "invalid_record" => {
            "constraint_violation"
        }
        _ => "other",
    }
}

/// Whether the call was invalid from the start, or failed because something changed.
fn timing(failure: &Failure, receipt: &Receipt, list: &[Receipt]) -> &'static str {
    let touched = list.iter().take_while(|other| other.key != receipt.key).any(|other| {
        let artifacts = other.result["artifacts"].as_array().into_iter().flatten();
        artifacts.filter_map(|artifact| artifact["id"].as_str()).any(|id| receipt.args.to_string().contains(id))
    });
    let raced = matches!(failure.code.as_str(), "contention" | "conflict" | "record_deleted");
    if raced || touched { "mid_execution" } else { "pre_existing" }
}

fn grouped(failed: &[Value]) -> Vec<Value> {
    let mut groups: BTreeMap<(&str, &str), Vec<&Value>> = BTreeMap::new();
    for one in failed {
        let text = |name: &str| one[name].as_str().unwrap_or_default();
        groups.entry((text("cause"), text("timing"))).or_default().push(&one["step"]);
    }
    let group = |((cause, timing), steps): ((&str, &str), Vec<&Value>)| json!({"cause": cause, "timing": timing, "count": steps.len(), "steps": steps});
    groups.into_iter().map(group).collect()
}

/// How many steps the result of a job added.
fn brought_by(state: &RunState, job: JobId) -> usize {
    let (Some(code), Some(machine)) = (&state.code, &state.state) else { return 0 };
    let opened = machine.scopes.iter().find(|scope| scope.opener == Opener::Job(job));
    opened.map_or(0, |scope| code.program(scope.code).steps.len())
}

impl Kernel {
    /// How a request was expanded: its source, its calls, and the records it would lock. Everything is derived from the
    /// log and the pinned program, so the answer never changes.
    pub fn expansion(&self, scope: &brain_store::Scope, run: brain_core::RunId) -> Result<Value, KernelError> {
        let state = self.engine().run_state(scope, run)?;
        let planned = entries(&state.log).find(|entry| entry.is(PipeEvent::Planned));
        let (Some(planned), Some(program)) = (planned, state.program()) else {
            return Err(KernelError::Conflict(format!("run {run} was never planned, so there is no expansion")));
        };
        let received = entries(&state.log).find(|entry| entry.is(PipeEvent::Received));
        let list = planned.payload.map(Draft::planned_calls).unwrap_or_default();
        let mut templates = BTreeMap::new();
        let mut invocations = Vec::new();
        if let Some(playbook) = self.registry().playbook(&program.name) {
            let hash = canonical_digest(playbook.as_ref());
            templates.insert(
                playbook.name.clone(),
                json!({"name": playbook.name, "version": playbook.version, "hash": hash}),
            );
            invocations.push(
                json!({"template": playbook.name, "slots": state.data.input.playbook().map(|playbook| &playbook.slots), "steps": program.steps.len()}),
            );
        }
        let mut grown = 0;
        for (job, tool) in state.data.fragments.values() {
            let steps = brought_by(&state, *job);
            grown += steps;
            invocations.push(json!({"template": tool.name, "slots": state.data.args.get(job), "steps": steps}));
            templates.insert(tool.name.clone(), json!({"name": tool.name, "hash": tool.hash}));
        }
        Ok(json!({
            "expansion_id": run,
            "source_digest": received.map(|entry| entry.value()["request"].clone()),
            "expanded_digest": canonical_digest(&json!({"program": state.row.program, "input": state.data.input})),
            "expanded_count": program.steps.len() + grown,
            "policy": policy(&state).unwrap_or("plain"),
            "locks": locks(self.registry(), &list),
            "templates": templates.into_values().collect::<Vec<_>>(),
            "invocations": invocations,
            "expanded_at": planned.at,
        }))
    }
}

/// The records that calls name, each once with the stronger access, in lock order.
fn locks(registry: &Registry, calls: &[Value]) -> Vec<Value> {
    let mut found: BTreeMap<(String, String), &'static str> = BTreeMap::new();
    for call in calls {
        let Some(tool) = call["tool"].as_str().and_then(|name| registry.tool(name)) else { continue };
        for (kind, id) in named(&tool.def, &call["input"]) {
            let access = if tool.def.effect == Effect::Read { "read" } else { "write" };
            let known = found.entry((id, kind)).or_insert(access);
            if access == "write" {
                *known = access;
            }
        }
    }
    let lock = |((id, kind), access)| json!({"type": kind, "id": id, "access": access});
    found.into_iter().map(lock).collect()
}

fn named(tool: &ToolDef, input: &Value) -> Vec<(String, String)> {
    let properties = tool.input["properties"].as_object().into_iter().flatten();
    let entities = properties.filter_map(|(name, property)| Some((name, property["x-entity"].as_str()?)));
    // Values that only a later step can supply are not known yet and not locked.
    let known =
        entities.filter_map(|(name, kind)| Some((kind.to_owned(), input[name].as_str()?.parse::<RecordId>().ok()?)));
    known.map(|(kind, id)| (kind, id.to_string())).collect()
}
