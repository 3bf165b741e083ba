//! Plan: turns intents into validated calls and those into a plan. A plan holds no values: they are in the run's input,
//! so that requests of the same shape share one program.

mod preview;
mod slots;
mod steps;

use brain_engine::{PlaybookInput, RunInput, Work};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

use brain_lang::plan::{Args, OnFailure, Plan, PlanStep};
use brain_nlu::Intent;
use brain_registry::model::{BatchPolicy, Consent, Effect, Playbook};
use brain_registry::{FieldError, Registry, Tool, ValidatedCall};
use serde_json::{Map, Value};

use self::preview::{calls_of, inside};
use self::slots::Placeholders;
pub(crate) use self::slots::{check_slots, roles, step_id};
pub(crate) use self::steps::plan_step;
use self::steps::{plan_of_playbook, step_of};
use crate::narrate::{PlannedCall, Problem};

/// Maximum number of steps of a plan of tool calls.
const MAX_STEPS: u32 = 1000;

/// A checked plan.
pub struct Planned {
    /// Determines the program: plans of one shape share one.
    pub shape: Shape,
    source: Source,
    /// The input of the program.
    pub input: RunInput,
    /// The calls as shown to people; values that only a later step can supply appear as their expressions.
    pub calls: Vec<PlannedCall>,
    /// The consent it needs.
    pub consent: Consent,
    /// Whether anything changes.
    pub has_effect: bool,
    /// 1 (lowest) to 10 (highest).
    pub priority: u8,
    /// How its steps depend on each other.
    pub policy: BatchPolicy,
}

/// Determines which program a plan compiles to. Packs do not change while a kernel runs, so names suffice.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Tools in sequence.
    Calls {
        /// How they depend on each other.
        policy: BatchPolicy,
        /// Their names.
        tools: Vec<String>,
    },
    /// Undos in sequence: each is tried, whatever becomes of the others.
    Undo {
        /// The names of their tools.
        tools: Vec<String>,
    },
    /// A playbook.
    Playbook {
        /// Its name.
        name: String,
        /// The tenant that owns it, if it is not shared.
        tenant: Option<String>,
        /// Its priority.
        priority: u8,
        /// Its version.
        version: u32,
        /// The slots whose record is created first.
        stand_ins: Vec<String>,
    },
}

/// The source of a plan.
enum Source {
    Calls(Arc<[ValidatedCall]>, BatchPolicy),
    Undo(Arc<[ValidatedCall]>),
    Playbook(Arc<Playbook>, Placeholders),
}

impl Planned {
    /// Builds the plan. The registry must be the one that this was planned with.
    pub fn plan(&self, registry: &Registry) -> Plan {
        match &self.source {
            Source::Calls(calls, BatchPolicy::BestEffort) => plan_of_calls(registry, calls, OnFailure::Continue, false),
            Source::Calls(calls, policy) => {
                plan_of_calls(registry, calls, OnFailure::Stop, *policy == BatchPolicy::Atomic)
            }
            Source::Undo(calls) => plan_of_calls(registry, calls, OnFailure::Letter, false),
            Source::Playbook(playbook, placeholders) => plan_of_playbook(registry, playbook, placeholders),
        }
    }

    /// Makes the calls undos: one that fails becomes a dead letter, and the others go on, as in a compensation.
    pub(crate) fn into_undo(mut self) -> Self {
        self.source = match self.source {
            Source::Calls(calls, _) => {
                let tools = calls.iter().map(|call| call.tool().def.name.clone()).collect();
                self.shape = Shape::Undo { tools };
                Source::Undo(calls)
            }
            other => other,
        };
        self
    }

    /// The validated calls, to be carried into the first turn; none for a playbook. A call with a null is validated again
    /// when it starts, without the null.
    pub(crate) fn validated(&self) -> Arc<[ValidatedCall]> {
        let whole =
            |call: &ValidatedCall| !call.args().as_object().is_some_and(|args| args.values().any(Value::is_null));
        match &self.source {
            Source::Calls(calls, _) | Source::Undo(calls) if calls.iter().all(whole) => calls.clone(),
            _ => Arc::default(),
        }
    }

    /// The limit of steps that it may take, list items and added steps included.
    pub(crate) fn max_steps(&self) -> u32 {
        match &self.source {
            Source::Calls(calls, _) | Source::Undo(calls) => max_steps(calls),
            Source::Playbook(playbook, _) => playbook.max_steps,
        }
    }

    /// Why the plan exceeds its step limit, if the known lists already show it.
    pub(crate) fn too_many_steps(&self) -> Option<Problem> {
        let limit = self.max_steps();
        let sure = self.calls.iter().filter(|call| !call.conditional);
        let count: u64 = sure.map(|call| u64::from(call.times.unwrap_or(0))).sum();
        (count > u64::from(limit)).then(|| {
            let message =
                format!("This would take {count} steps, including list items; the limit is {limit} (`max_steps`).");
            Problem::new("max_steps", message)
        })
    }
}

/// One request of a message, as tool and arguments.
pub(crate) struct Wanted {
    pub(crate) target: String,
    pub(crate) args: Map<String, Value>,
    /// Arguments whose text is not one value, and why, in a sentence. They are asked for, whatever the schema accepts.
    pub(crate) unclear: BTreeMap<String, String>,
    /// Whether a person asked in words, so that missing arguments are asked for in words.
    pub(crate) in_words: bool,
}

impl Wanted {
    /// The problems found with the arguments; those of unclear ones are worded for people.
    fn with_unclear(unclear: &BTreeMap<String, String>, target: &str, found: Vec<Problem>) -> Vec<Problem> {
        let is_unclear = |problem: &Problem| problem.field.as_ref().is_some_and(|field| unclear.contains_key(field));
        let asked = unclear.iter().map(|(field, why)| Problem {
            code: "invalid_input".into(),
            message: format!("{why} Give `{field}` again."),
            tool: Some(target.to_owned()),
            field: Some(field.clone()),
            call: None,
        });
        found.into_iter().filter(|problem| !is_unclear(problem)).chain(asked).collect()
    }

    /// The slots of an intent, completed from the context unless it is a question.
    pub(crate) fn of_intent(registry: &Registry, intent: &Intent, context: &Value, schema: &Value) -> Self {
        let mut args: Map<String, Value> =
            intent.slots.iter().map(|slot| (slot.name.clone(), slot.value.clone())).collect();
        // An invalid slot text is passed on: the schema reports what is wrong with it.
        for slot in &intent.invalid {
            args.insert(slot.name.clone(), Value::from(slot.text.clone()));
        }
        if registry.tool(&intent.target).is_some_and(|tool| tool.def.is_generated()) {
            // What a conversation is about does not narrow a question that does not mention it.
            return Self { target: intent.target.clone(), args, unclear: BTreeMap::new(), in_words: true };
        }
        for name in schema["properties"].as_object().into_iter().flat_map(Map::keys) {
            if let Some(value) = context.get(name).filter(|value| !value.is_null() && !args.contains_key(name)) {
                args.insert(name.clone(), value.clone());
            }
        }
        let unclear = intent.invalid.iter().filter_map(|slot| Some((slot.name.clone(), slot.why.clone()?)));
        Self { target: intent.target.clone(), args, unclear: unclear.collect(), in_words: true }
    }
}

/// Plans all requests of a message.
pub(crate) fn plan(
    registry: &Registry,
    tenant: &str,
    wanted: Vec<Wanted>,
    policy: BatchPolicy,
) -> Result<Planned, Vec<Problem>> {
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
                format!("`{}` is a playbook: ask for it in a separate message.", one.target),
            ));
            continue;
        }
        let checked = match validate(registry, &one.target, Value::Object(one.args)) {
            checked if one.unclear.is_empty() => checked,
            checked => Err(Wanted::with_unclear(&one.unclear, &one.target, checked.err().unwrap_or_default())),
        };
        match checked {
            Ok(call) => calls.push(call),
            Err(found) => {
                let schema = registry.tool(&one.target).filter(|_| one.in_words).map(|tool| &tool.def.input);
                let found = found.into_iter().map(|problem| asked_for(registry, schema, problem));
                problems.extend(found.map(|problem| problem.in_call(number)));
            }
        }
    }
    for (number, call) in calls.iter().enumerate() {
        if policy == BatchPolicy::Atomic && !call.tool().def.is_inline() {
            let name = &call.tool().def.name;
            let message = format!(
                "`{name}` calls an external system, so it cannot be part of an atomic batch: an external call cannot \
                 be rolled back. Use best_effort, or leave it out."
            );
            problems.push(Problem::new("outside_in_atomic", message).in_call(number));
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(batch_plan(registry, calls.into(), policy))
}

/// The only place where words become a [`ValidatedCall`].
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

/// A problem with a missing argument, worded as a question. Others are left as they are, and so are those of programs,
/// which get no `schema`.
fn asked_for(registry: &Registry, schema: Option<&Value>, problem: Problem) -> Problem {
    let (Some(schema), Some(field), "missing_input") = (schema, &problem.field, problem.code.as_str()) else {
        return problem;
    };
    let expected = &schema["properties"][field];
    let title = expected["title"].as_str().map_or_else(|| field.replace('_', " "), str::to_lowercase);
    let options: Vec<&str> = expected["enum"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let message = if let Some(kind) = expected["x-entity"].as_str() {
        let kind = registry.record(kind).map_or_else(|| kind.replace('_', " "), |def| def.title.to_lowercase());
        format!("Which {kind}? Say its name or its id.")
    } else if !options.is_empty() {
        format!("Which {title}? One of {}.", options.join(", "))
    } else {
        let example = problem.message.split_once(" such as ").map(|(_, example)| format!(" For example: {example}."));
        format!("What is the {title}?{}", example.unwrap_or_default())
    };
    Problem { message, ..problem }
}

/// A plan of calls in sequence.
pub fn call_plan(registry: &Registry, calls: &[ValidatedCall]) -> Planned {
    batch_plan(registry, calls.into(), BatchPolicy::Plain)
}

fn batch_plan(registry: &Registry, calls: Arc<[ValidatedCall]>, policy: BatchPolicy) -> Planned {
    let defs = || calls.iter().map(|call| &call.tool().def);
    let names: Vec<String> = defs().map(|def| def.name.clone()).collect();
    let mut shown = Vec::new();
    for (number, call) in calls.iter().enumerate() {
        let step = format!("s{}", number + 1);
        let tool = call.tool();
        let input = call.args().clone();
        let name = tool.def.name.clone();
        shown.push(PlannedCall { tool: name, step: step.clone(), input, times: Some(1), conditional: false });
        inside(registry, tool, call.args(), (&step, Some(1), false), &mut shown);
    }
    let inputs: Vec<Value> = calls.iter().map(|call| call.args().clone()).collect();
    Planned {
        shape: Shape::Calls { policy, tools: names },
        input: RunInput { work: Work::Calls(inputs), ..RunInput::default() },
        calls: shown,
        consent: defs().map(|def| def.consent).max().unwrap_or(Consent::None),
        has_effect: defs().any(|def| def.effect != Effect::Read),
        priority: defs().map(|def| def.priority).max().unwrap_or(1),
        policy,
        source: Source::Calls(calls, policy),
    }
}

fn plan_of_calls(registry: &Registry, calls: &[ValidatedCall], on_failure: OnFailure, atomic: bool) -> Plan {
    let steps = calls.iter().enumerate().map(|(number, call)| PlanStep {
        id: format!("s{}", number + 1),
        args: Args::Call(u32::try_from(number).unwrap_or(u32::MAX)),
        after: number.checked_sub(1).map(|before| format!("s{}", before + 1)).into_iter().collect(),
        on_failure,
        ..step_of(registry, call.tool())
    });
    let names: Vec<&str> = calls.iter().map(|call| call.tool().def.name.as_str()).collect();
    Plan { name: names.join(" → "), steps: steps.collect(), timeout: None, max_steps: max_steps(calls), atomic }
}

/// Calls by name are already bounded; undoing a long run takes as many calls as that run made.
fn max_steps(calls: &[ValidatedCall]) -> u32 {
    MAX_STEPS.max(u32::try_from(calls.len()).unwrap_or(u32::MAX))
}

fn plan_playbook(registry: &Registry, playbook: &Arc<Playbook>, wanted: &Wanted) -> Result<Planned, Vec<Problem>> {
    let checked = check_slots(registry, playbook, Value::Object(wanted.args.clone()));
    if !wanted.unclear.is_empty() {
        return Err(Wanted::with_unclear(&wanted.unclear, &playbook.name, checked.err().unwrap_or_default()));
    }
    let schema = Some(&playbook.slots).filter(|_| wanted.in_words);
    let (slots, placeholders) = checked
        .map_err(|found| found.into_iter().map(|problem| asked_for(registry, schema, problem)).collect::<Vec<_>>())?;
    let steps = placeholders.before(&playbook.steps);
    let mut shown = Vec::new();
    calls_of(registry, &steps, &slots, ("", Some(1), false), &mut shown);
    let mut consent = Consent::None;
    let mut has_effect = false;
    let mut priority = playbook.priority;
    for step in &steps {
        let Some(tool) = registry.tool(&step.tool) else {
            return Err(vec![Problem::new("unknown_tool", format!("There is no tool `{}`.", step.tool))]);
        };
        consent = consent.max(tool.def.consent);
        has_effect |= tool.def.effect != Effect::Read;
        priority = priority.max(tool.def.priority);
    }
    let roles = if playbook.roles.is_empty() { Value::Null } else { roles(playbook, &slots) };
    let stand_ins = placeholders.names();
    let input = PlaybookInput { slots, schema: playbook.slots.clone(), roles, placeholders: placeholders.to_map() };
    Ok(Planned {
        shape: Shape::Playbook {
            name: playbook.name.clone(),
            tenant: playbook.tenant.clone(),
            priority: playbook.priority,
            version: playbook.version,
            stand_ins,
        },
        input: RunInput { work: Work::Playbook(input), ..RunInput::default() },
        calls: shown,
        consent,
        has_effect,
        priority,
        policy: playbook.policy,
        source: Source::Playbook(playbook.clone(), placeholders),
    })
}
