//! Plan and check: intents become a runbook of validated calls, and that becomes a plan. A plan holds no values: what
//! was said is in the run's input, so that requests of the same shape share one program.

use std::collections::BTreeMap;
use std::sync::Arc;

use brain_lang::binding::Binding;
use brain_lang::plan::{Foreach, Idempotency, OnFailure, Place, Plan, PlanStep, PlanUndo, ToolRef};
use brain_nlu::Intent;
use brain_registry::model::{Behavior, Consent, Effect, Playbook};
use brain_registry::{FieldError, Registry, Tool, ValidatedCall};
use serde_json::{Map, Value, json};

use crate::narrate::{PlannedCall, Problem};

/// Steps that one plan of tool calls may grow to, unless its playbook says otherwise.
const MAX_STEPS: u32 = 1000;

/// A runbook: what will be done, checked.
pub struct Planned {
    /// What decides the plan: requests of one shape share one program.
    pub shape: String,
    source: Source,
    /// What the program runs on.
    pub input: Value,
    /// The calls as people see them; values that only a later step can supply are shown as their expressions.
    pub calls: Vec<PlannedCall>,
    /// Whose word it needs.
    pub consent: Consent,
    /// Whether anything changes.
    pub has_effect: bool,
    /// 1 (lowest) to 10 (highest).
    pub priority: u8,
}

/// What a plan is made from.
enum Source {
    Calls(Vec<Arc<Tool>>),
    Playbook(Arc<Playbook>),
}

impl Planned {
    /// The plan itself. The registry must be the one that this was planned with.
    pub fn plan(&self, registry: &Registry) -> Plan {
        match &self.source {
            Source::Calls(tools) => plan_of_calls(registry, tools),
            Source::Playbook(playbook) => plan_of_playbook(registry, playbook),
        }
    }
}

/// One request of a message, as tool and arguments.
pub(crate) struct Wanted {
    pub(crate) target: String,
    pub(crate) args: Map<String, Value>,
}

impl Wanted {
    /// What an intent says, completed from the context.
    pub(crate) fn of_intent(intent: &Intent, context: &Value, schema: &Value) -> Self {
        let mut args: Map<String, Value> =
            intent.slots.iter().map(|slot| (slot.name.clone(), slot.value.clone())).collect();
        // A text that is not what its slot holds goes on as it is: the schema says what is wrong with it.
        for slot in &intent.invalid {
            args.insert(slot.name.clone(), Value::from(slot.text.clone()));
        }
        for name in schema["properties"].as_object().into_iter().flat_map(Map::keys) {
            if let Some(value) = context.get(name).filter(|value| !value.is_null() && !args.contains_key(name)) {
                args.insert(name.clone(), value.clone());
            }
        }
        Self { target: intent.target.clone(), args }
    }
}

/// Plans everything that was asked for.
pub(crate) fn plan(registry: &Registry, tenant: &str, wanted: Vec<Wanted>) -> Result<Planned, Vec<Problem>> {
    if let [one] = wanted.as_slice()
        && let Some(playbook) = registry.playbook_for(tenant, &one.target)
    {
        return plan_playbook(registry, playbook, one);
    }
    let mut calls = Vec::new();
    let mut problems = Vec::new();
    for (number, one) in wanted.into_iter().enumerate() {
        if registry.playbook_for(tenant, &one.target).is_some() {
            problems.push(Problem::new(
                "playbook_with_others",
                format!("`{}` is a whole plan of its own: ask for it in a message by itself.", one.target),
            ));
            continue;
        }
        match validate(registry, &one.target, Value::Object(one.args)) {
            Ok(call) => calls.push(call),
            Err(found) => problems.extend(found.into_iter().map(|problem| problem.in_call(number))),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(call_plan(&calls))
}

/// The one place where words become a [`ValidatedCall`].
fn validate(registry: &Registry, name: &str, args: Value) -> Result<ValidatedCall, Vec<Problem>> {
    let Some(tool) = registry.tool(name) else {
        let hint = registry.nearest_tool(name).map_or_else(String::new, |near| format!(" Did you mean `{near}`?"));
        return Err(vec![Problem::new("unknown_tool", format!("There is no tool `{name}`.{hint}"))]);
    };
    tool.validate(args).map_err(|errors| errors.into_iter().map(|error| field_problem(tool, error)).collect())
}

fn field_problem(tool: &Tool, error: FieldError) -> Problem {
    let field = error.field.trim_start_matches('/').to_owned();
    let code = if error.code == "required" { "missing_input" } else { "invalid_input" };
    Problem {
        code: code.into(),
        message: error.message,
        tool: Some(tool.def.name.clone()),
        field: Some(field),
        call: None,
    }
}

/// A plan of calls, one after the other.
pub fn call_plan(calls: &[ValidatedCall]) -> Planned {
    let tools: Vec<Arc<Tool>> = calls.iter().map(|call| call.tool().clone()).collect();
    let names: Vec<&str> = tools.iter().map(|tool| tool.def.name.as_str()).collect();
    let shown = calls.iter().enumerate().map(|(number, call)| PlannedCall {
        tool: call.tool().def.name.clone(),
        step: format!("s{}", number + 1),
        input: call.args().clone(),
    });
    let inputs: Vec<&Value> = calls.iter().map(ValidatedCall::args).collect();
    Planned {
        shape: names.join(" → "),
        input: json!({"calls": inputs}),
        calls: shown.collect(),
        consent: tools.iter().map(|tool| tool.def.consent).max().unwrap_or(Consent::None),
        has_effect: tools.iter().any(|tool| tool.def.effect != Effect::Read),
        priority: tools.iter().map(|tool| tool.def.priority).max().unwrap_or(1),
        source: Source::Calls(tools),
    }
}

fn plan_of_calls(registry: &Registry, tools: &[Arc<Tool>]) -> Plan {
    let steps = tools.iter().enumerate().map(|(number, tool)| PlanStep {
        id: format!("s{}", number + 1),
        args: expression(&format!("= calls[{}]", number + 1)),
        after: number.checked_sub(1).map(|before| format!("s{}", before + 1)).into_iter().collect(),
        ..step_of(registry, tool)
    });
    let names: Vec<&str> = tools.iter().map(|tool| tool.def.name.as_str()).collect();
    Plan { name: names.join(" → "), steps: steps.collect(), timeout: None, max_steps: MAX_STEPS, atomic: false }
}

fn plan_playbook(registry: &Registry, playbook: &Arc<Playbook>, wanted: &Wanted) -> Result<Planned, Vec<Problem>> {
    let slots = check_slots(playbook, Value::Object(wanted.args.clone()))?;
    let mut shown = Vec::new();
    let mut consent = Consent::None;
    let mut has_effect = false;
    let mut priority = playbook.priority;
    for step in &playbook.steps {
        let Some(tool) = registry.tool(&step.tool) else {
            return Err(vec![Problem::new("unknown_tool", format!("There is no tool `{}`.", step.tool))]);
        };
        shown.push(PlannedCall {
            tool: tool.def.name.clone(),
            step: step.id.clone(),
            input: preview(&step.args, &slots, registry),
        });
        consent = consent.max(tool.def.consent);
        has_effect |= tool.def.effect != Effect::Read;
        priority = priority.max(tool.def.priority);
    }
    let whose = playbook.tenant.as_deref().unwrap_or_default();
    Ok(Planned {
        shape: format!("playbook {} {whose} {} {}", playbook.name, playbook.priority, playbook.version),
        input: json!({"slots": slots, "slots_schema": playbook.slots}),
        calls: shown,
        consent,
        has_effect,
        priority,
        source: Source::Playbook(playbook.clone()),
    })
}

fn plan_of_playbook(registry: &Registry, playbook: &Playbook) -> Plan {
    let steps = playbook.steps.iter().filter_map(|step| {
        let base = step_of(registry, registry.tool(&step.tool)?);
        Some(PlanStep {
            id: step.id.clone(),
            args: step.args.clone(),
            after: step.after.clone(),
            when: step.when.clone(),
            foreach: step.foreach.clone().map(|items| Foreach { items, at_a_time: step.at_a_time }),
            on_failure: step.on_failure,
            retry: step.retry.clone().unwrap_or_else(|| base.retry.clone()),
            timeout: step.timeout.unwrap_or(base.timeout),
            undo: if step.compensate { base.undo.clone() } else { None },
            ..base
        })
    });
    Plan {
        name: playbook.name.clone(),
        steps: steps.collect(),
        timeout: playbook.timeout,
        max_steps: playbook.max_steps,
        atomic: false,
    }
}

fn check_slots(playbook: &Playbook, slots: Value) -> Result<Value, Vec<Problem>> {
    let Some(checker) = brain_registry::Checker::new(playbook.slots.clone()) else { return Ok(slots) };
    checker.check(slots).map_err(|errors| {
        errors
            .into_iter()
            .map(|error| Problem {
                code: if error.code == "required" { "missing_input" } else { "invalid_input" }.into(),
                message: error.message,
                tool: Some(playbook.name.clone()),
                field: Some(error.field.trim_start_matches('/').to_owned()),
                call: None,
            })
            .collect()
    })
}

/// What a tool brings into a plan: how it is done, retried, checked and undone.
fn step_of(registry: &Registry, tool: &Arc<Tool>) -> PlanStep {
    let reference = |tool: &Tool| ToolRef { name: tool.def.name.clone(), hash: tool.hash };
    let check = match &tool.def.idempotency {
        Idempotency::Check(name) if !tool.def.is_inline() => registry.tool(name).map(|tool| reference(tool)),
        _ => None,
    };
    let undo = tool.def.undo.as_ref().and_then(|undo| {
        let by = registry.tool(&undo.tool)?;
        Some(PlanUndo {
            tool: reference(by),
            args: undo.args.clone(),
            place: place(by),
            retry: by.def.retry.clone(),
            timeout: by.def.timeout,
        })
    });
    PlanStep {
        id: String::new(),
        tool: reference(tool),
        args: expression("= null"),
        after: Vec::new(),
        when: None,
        foreach: None,
        on_failure: OnFailure::Stop,
        retry: tool.def.retry.clone(),
        timeout: tool.def.timeout,
        place: place(tool),
        check,
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

fn expression(text: &str) -> Binding {
    Binding::parse(&Value::from(text)).expect("a constant expression of the planner parses")
}

/// Arguments as far as they are known before anything has run; the rest as it is written.
fn preview(args: &Binding, slots: &Value, registry: &Registry) -> Value {
    use brain_lang::feel::{Env, Value as FeelValue};
    let context = FeelValue::context(BTreeMap::from([
        ("slots", FeelValue::from_json(slots)),
        ("input", FeelValue::from_json(slots)),
        ("settings", FeelValue::from_json(&Value::Object(registry.settings().clone()))),
    ]));
    let show = |binding: &Binding| -> Option<Value> {
        let known = binding
            .paths()
            .iter()
            .all(|path| path.first().is_some_and(|root| matches!(root.as_str(), "slots" | "input" | "settings")));
        if !known || binding.source().to_string().contains("now()") {
            return None;
        }
        let mut random = || 0;
        let mut env = Env::new(jiff::Timestamp::UNIX_EPOCH, jiff::tz::TimeZone::UTC, &mut random);
        binding.eval(&context, &mut env).ok()
    };
    match args.source() {
        Value::Object(fields) => fields
            .iter()
            .map(|(name, source)| {
                let value = Binding::parse(source).ok().and_then(|binding| show(&binding));
                (name.clone(), value.unwrap_or_else(|| source.clone()))
            })
            .collect(),
        other => show(args).unwrap_or_else(|| other.clone()),
    }
}
