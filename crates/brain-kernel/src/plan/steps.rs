//! Converts pack steps to plan steps, each with its tool pinned by hash.

use std::sync::Arc;

use brain_lang::binding::Binding;
use brain_lang::plan::{Args, Foreach, Idempotency, OnFailure, Place, Plan, PlanCheck, PlanStep, PlanUndo, ToolRef};
use brain_registry::model::{BatchPolicy, Behavior, Consent, Playbook, PlaybookStep};
use brain_registry::{Registry, Tool};

use super::slots::Placeholders;

/// The plan of a playbook with the placeholders that its slots need.
pub(super) fn plan_of_playbook(registry: &Registry, playbook: &Playbook, placeholders: &Placeholders) -> Plan {
    let steps = placeholders.before(&playbook.steps);
    Plan {
        name: playbook.name.clone(),
        steps: steps.iter().filter_map(|step| plan_step(registry, step, playbook.policy)).collect(),
        timeout: playbook.timeout,
        max_steps: playbook.max_steps,
        atomic: playbook.policy == BatchPolicy::Atomic,
    }
}

/// Converts one playbook step; `None` if its tool does not exist.
pub(crate) fn plan_step(registry: &Registry, step: &PlaybookStep, policy: BatchPolicy) -> Option<PlanStep> {
    let tool = registry.tool(&step.tool)?;
    let base = step_of(registry, tool);
    Some(PlanStep {
        // These values were unknown when the plan was approved, so the step asks an approver once they are known.
        gate: tool.def.consent == Consent::Approver && is_late_bound(step),
        id: step.id.clone(),
        args: Args::Binding(step.args.clone()),
        after: step.after.clone(),
        when: step.when.clone(),
        foreach: step.foreach.clone().map(|items| Foreach { items, at_a_time: step.at_a_time }),
        on_failure: match policy {
            BatchPolicy::Atomic => OnFailure::Stop,
            _ => step.on_failure,
        },
        retry: step.retry.clone().unwrap_or_else(|| base.retry.clone()),
        timeout: step.timeout.unwrap_or(base.timeout),
        undo: if step.compensate { base.undo.clone() } else { None },
        needs: if policy == BatchPolicy::BestEffort { uses(step) } else { Vec::new() },
        ..base
    })
}

/// Whether the arguments of a step depend on other steps' results.
fn is_late_bound(step: &PlaybookStep) -> bool {
    let mut paths = step.args.paths();
    paths.extend(step.foreach.iter().flat_map(Binding::paths));
    paths.iter().any(|path| path.first().is_some_and(|root| matches!(root.as_str(), "steps" | "state")))
}

/// The steps whose results a step uses.
fn uses(step: &PlaybookStep) -> Vec<String> {
    let bindings = [Some(&step.args), step.when.as_ref(), step.foreach.as_ref()];
    let mut found: Vec<String> = Vec::new();
    for path in bindings.into_iter().flatten().flat_map(Binding::paths) {
        if let [root, id, ..] = path.as_slice()
            && root == "steps"
            && !found.contains(id)
        {
            found.push(id.clone());
        }
    }
    found
}

/// The step of a tool: how it is executed, retried, checked and undone.
pub(super) fn step_of(registry: &Registry, tool: &Arc<Tool>) -> PlanStep {
    let reference = |tool: &Tool| ToolRef { name: tool.def.name.clone(), hash: tool.hash };
    let check = |tool: &Tool| match &tool.def.idempotency {
        Idempotency::Check(name) if !tool.def.is_inline() => {
            registry.tool(name).map(|tool| PlanCheck { tool: reference(tool), retry: tool.def.retry.clone() })
        }
        _ => None,
    };
    // A playbook changes nothing itself: its steps are undone one by one.
    let own = tool.def.undo.as_ref().filter(|_| !matches!(tool.def.behavior, Behavior::Playbook(_)));
    let undo = own.and_then(|undo| {
        let by = registry.tool(&undo.tool)?;
        Some(PlanUndo {
            tool: reference(by),
            args: undo.args.clone(),
            place: place(by),
            check: check(by),
            retry: by.def.retry.clone(),
            timeout: by.def.timeout,
            // Its arguments come from the result, which nobody had seen when the plan was approved.
            gate: by.def.consent == Consent::Approver,
        })
    });
    PlanStep {
        id: String::new(),
        tool: reference(tool),
        args: Args::Call(0),
        after: Vec::new(),
        when: None,
        foreach: None,
        on_failure: OnFailure::Stop,
        retry: tool.def.retry.clone(),
        timeout: tool.def.timeout,
        place: place(tool),
        check: check(tool),
        undo,
        needs: Vec::new(),
        gate: false,
    }
}

fn place(tool: &Tool) -> Place {
    match &tool.def.behavior {
        Behavior::Worker(worker) => Place::Worker { topic: worker.topic.clone(), lease: worker.lease },
        _ if tool.def.is_inline() => Place::Inline,
        _ => Place::Outside(tool.def.idempotency.clone()),
    }
}
