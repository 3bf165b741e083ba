//! Steps that a result adds: checked like any plan, compiled to a fragment, and gated where an approver is needed.

use brain_core::Failure;
use brain_engine::{Growth, Host, JobContext, RunView};
use brain_lang::binding::Binding;
use brain_lang::plan::{OnFailure, Plan, PlanStep, ToolRef};
use brain_registry::model::{BatchPolicy, Behavior, Consent, PlaybookStep};
use brain_registry::{Tool, ToolResult};
use brain_store::Write;
use brain_tools::to_failure;
use brain_vm::{JobId, compile};
use serde_json::{Map, Value, json};

use super::KernelHost;
use crate::intake::Actor;
use crate::narrate::PlannedCall;
use crate::{eligible, plan};

impl KernelHost {
    /// The program of the steps that a result adds.
    pub(super) fn fragment(
        &self,
        view: RunView<'_>,
        step: &PlanStep,
        called: &ToolRef,
        job: JobId,
        result: &ToolResult,
    ) -> Result<Growth, Failure> {
        let tool = self.tool(called)?;
        let toolbox = self.toolbox();
        let registry = toolbox.registry();
        let (steps, policy) = match &tool.def.behavior {
            Behavior::Playbook(behavior) => {
                let playbook = behavior.definition.as_deref().ok_or_else(|| {
                    Failure::contract("unknown_playbook", format!("The playbook `{}` no longer exists.", behavior.name))
                })?;
                let args = view.data.args.get(&job).cloned().unwrap_or_else(|| json!({}));
                let known = playbook.slots["properties"].as_object().cloned().unwrap_or_default();
                let slots: Map<String, Value> = args
                    .as_object()
                    .cloned()
                    .unwrap_or_default()
                    .into_iter()
                    .filter(|(name, _)| known.contains_key(name))
                    .collect();
                let (_, placeholders) =
                    plan::check_slots(registry, playbook, Value::Object(slots)).map_err(|problems| {
                        let lines: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
                        Failure::business("invalid_input", lines.join(" "))
                    })?;
                (placeholders.before(&playbook.steps), playbook.policy)
            }
            Behavior::Decide(_) => {
                let steps = result.new_steps.iter().map(|step| serde_json::from_value::<PlaybookStep>(step.clone()));
                let steps = steps.collect::<Result<Vec<_>, _>>().map_err(|error| refused(&tool, &error.to_string()))?;
                (steps, BatchPolicy::Plain)
            }
            _ => (from_outside(&tool, &result.new_steps)?, BatchPolicy::Plain),
        };
        let expands = matches!(tool.def.behavior, Behavior::Playbook(_));
        if !tool.def.may_inject && !expands {
            let message =
                format!("`{}` returned steps, but its definition does not allow it (`may_inject`).", tool.def.name);
            return Err(Failure::contract("may_not_inject", message));
        }
        // Added steps have the same requester as the run.
        let actor = Actor::behind(&view.data.input.asked_by, view.data.input.bounds.as_ref());
        let calls: Vec<PlannedCall> = steps
            .iter()
            .map(|one| PlannedCall {
                tool: one.tool.clone(),
                step: one.id.clone(),
                input: Value::Null,
                times: Some(1),
                conditional: one.when.is_some(),
            })
            .collect();
        if let Some(problem) = eligible::not_for(registry, &actor, &calls).into_iter().next() {
            return Err(Failure::business(&problem.code, problem.message));
        }
        // A playbook was part of the approved plan or undo. Anything else needs approval again.
        let consented = if job.undo { step.call(true).gate } else { view.data.input.needs_approver };
        let approved = expands && consented;
        let mut planned = Vec::with_capacity(steps.len());
        for one in &steps {
            let Some(mut plan_step) = plan::plan_step(registry, one, policy) else {
                let hint = registry
                    .nearest_tool(&one.tool)
                    .map_or_else(String::new, |near| format!(" Did you mean `{near}`?"));
                return Err(refused(&tool, &format!("there is no tool `{}`.{hint}", one.tool)));
            };
            let def = registry.tool(&one.tool).map(|tool| &tool.def);
            let approver = def.is_none_or(|def| def.consent == Consent::Approver) && !approved;
            // The acknowledgement was shown when the plan was staged, if the step was part of it.
            let unseen = def.is_some_and(|def| def.acknowledge.is_some()) && !expands;
            plan_step.gate = approver || unseen || plan_step.gate;
            // A failure inside an undo stops that undo, and the others go on.
            let undoes = job.undo || step.on_failure == OnFailure::Letter;
            if plan_step.on_failure == OnFailure::Stop && !undoes {
                plan_step.on_failure = step.on_failure;
            }
            planned.push(plan_step);
        }
        let plan = Plan { name: called.name.clone(), steps: planned, timeout: None, max_steps: 0, atomic: false };
        let program = compile(&plan).map_err(|error| refused(&tool, &error.to_string()))?;
        let mut definitions = Vec::new();
        let mut define = |hash, kind, body: Value| {
            if !self.store.definition(hash).is_ok_and(|found| found.is_some()) {
                definitions.push(Write::Define { hash, kind, body });
            }
        };
        define(program.id().0, "program", serde_json::to_value(&program).unwrap_or_default());
        for step in &program.steps {
            for reference in step.tools() {
                if let Ok(tool) = self.tool(reference) {
                    define(reference.hash, "tool", serde_json::to_value(&tool.def).unwrap_or_default());
                }
            }
        }
        Ok(Growth { program, definitions })
    }

    /// The final result of a job whose added steps have ended; for a playbook, its output.
    pub(super) fn conclude(
        &self,
        view: RunView<'_>,
        called: &ToolRef,
        context: &JobContext,
        mut result: ToolResult,
    ) -> Result<ToolResult, Failure> {
        let tool = self.tool(called)?;
        let Behavior::Playbook(behavior) = &tool.def.behavior else { return Ok(result) };
        result.data = match &behavior.result {
            Some(binding) => {
                let mut evaluation = self.evaluation_in(view, &context.step, Some(context.job), binding)?;
                evaluation.json(binding).map_err(|error| to_failure("result", &error))?
            }
            None => {
                let prefix = format!("{}/", view.path);
                let inside = view
                    .data
                    .steps
                    .iter()
                    .filter(|(id, _)| id.strip_prefix(&prefix).is_some_and(|rest| !rest.contains('/')));
                let mut merged = Map::new();
                for (_, value) in inside {
                    merged.extend(value.as_object().cloned().unwrap_or_default());
                }
                Value::Object(merged)
            }
        };
        let args = view.data.args.get(&context.job).cloned().unwrap_or(Value::Null);
        let call = self.rebind(view.scope, called, args)?;
        self.toolbox().complete(&call, context, result)
    }
}

fn refused(tool: &Tool, why: &str) -> Failure {
    Failure::contract("bad_steps", format!("The steps that `{}` returned cannot run: {why}", tool.def.name))
}

/// Keys that an external step may have.
const KEYS: [&str; 5] = ["id", "tool", "args", "after", "on_failure"];

/// Steps from outside: `{id, tool, args, after, on_failure}`. Their arguments are plain data and never evaluated.
fn from_outside(tool: &Tool, steps: &[Value]) -> Result<Vec<PlaybookStep>, Failure> {
    let mut made: Vec<PlaybookStep> = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let Some(name) = step["tool"].as_str() else {
            return Err(refused(tool, &format!("step {} does not say which `tool` it is for", number + 1)));
        };
        // An unknown key, such as `foreach` or `when`, would change the meaning of the step.
        if let Some(key) = step.as_object().into_iter().flat_map(Map::keys).find(|key| !KEYS.contains(&key.as_str())) {
            let known = KEYS.map(|key| format!("`{key}`")).join(", ");
            let why = format!(
                "step {} (`{name}`) has `{key}`, which an injected step cannot have. Allowed keys are {known}; \
                 write each call as a separate step.",
                number + 1
            );
            return Err(refused(tool, &why));
        }
        let on_failure = match step["on_failure"].as_str() {
            None | Some("stop") => OnFailure::Stop,
            Some("continue") => OnFailure::Continue,
            Some("undo") => OnFailure::Undo,
            Some(other) => {
                return Err(refused(
                    tool,
                    &format!("`{other}` is not a valid `on_failure`; use stop, continue or undo"),
                ));
            }
        };
        let after = match &step["after"] {
            Value::Array(ids) => ids.iter().filter_map(|id| id.as_str().map(str::to_owned)).collect(),
            _ => made.last().map(|before| before.id.clone()).into_iter().collect(),
        };
        made.push(PlaybookStep {
            id: step["id"].as_str().map_or_else(|| format!("n{}", number + 1), |id| id.replace('/', "_")),
            tool: name.to_owned(),
            args: Binding::literal(step.get("args").unwrap_or(&json!({}))),
            after,
            when: None,
            foreach: None,
            at_a_time: 1,
            on_failure,
            retry: None,
            timeout: None,
            compensate: true,
        });
    }
    Ok(made)
}
