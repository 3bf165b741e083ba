//! The slots of a playbook: their schema, and rules that a schema cannot express (`required_if`, `valid_for`,
//! placeholders, roles).

use brain_lang::binding::Binding;
use brain_lang::feel::{Env, Value as FeelValue};
use brain_registry::Registry;
use brain_registry::model::{Cardinality, OnFailure, Placeholder, Playbook, PlaybookStep};
use serde_json::{Map, Value, json};

use crate::narrate::Problem;

/// Unfilled slots whose record a tool creates first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Placeholders(Vec<(String, Placeholder)>);

impl Placeholders {
    /// The steps, preceded by those that create the placeholders.
    pub(crate) fn before(&self, steps: &[PlaybookStep]) -> Vec<PlaybookStep> {
        let first: Vec<PlaybookStep> = self
            .0
            .iter()
            .map(|(slot, placeholder)| PlaybookStep {
                id: step_id(slot),
                tool: placeholder.tool.clone(),
                args: placeholder.args.clone(),
                after: Vec::new(),
                when: None,
                foreach: None,
                at_a_time: 1,
                on_failure: OnFailure::Stop,
                retry: None,
                timeout: None,
                compensate: true,
            })
            .collect();
        let ids: Vec<String> = first.iter().map(|step| step.id.clone()).collect();
        let rest = steps.iter().cloned().map(|mut step| {
            if step.after.is_empty() {
                step.after.clone_from(&ids);
            }
            step
        });
        first.iter().cloned().chain(rest).collect()
    }

    /// The slots and the result field that provides their value: part of the run's data.
    pub(crate) fn to_map(&self) -> Map<String, Value> {
        self.0.iter().map(|(slot, placeholder)| (slot.clone(), json!(placeholder.field))).collect()
    }

    /// Names of the slots, for the shape of the plan.
    pub(crate) fn names(&self) -> Vec<String> {
        self.0.iter().map(|(slot, _)| slot.clone()).collect()
    }
}

/// The id of the step that creates the placeholder for a slot.
pub(crate) fn step_id(slot: &str) -> String {
    format!("placeholder_{slot}")
}

/// Checks slots against all rules of the playbook.
pub(crate) fn check_slots(
    registry: &Registry,
    playbook: &Playbook,
    slots: Value,
) -> Result<(Value, Placeholders), Vec<Problem>> {
    let problem = |code: &str, field: &str, message: String| Problem {
        code: code.into(),
        message,
        tool: Some(playbook.name.clone()),
        field: Some(field.trim_start_matches('/').to_owned()),
        call: None,
    };
    let slots = match brain_registry::Checker::new(playbook.slots.clone()) {
        Some(checker) => checker.check(slots).map_err(|errors| {
            let found = errors.into_iter().map(|error| {
                let code = if error.code == "required" { "missing_input" } else { "invalid_input" };
                problem(code, &error.field, error.message)
            });
            found.collect::<Vec<_>>()
        })?,
        None => slots,
    };
    let mut placeholders = Placeholders::default();
    let mut problems = Vec::new();
    for rule in &playbook.rules {
        let given = slots.get(&rule.slot).filter(|value| !value.is_null());
        let required = rule.required_if.as_ref().is_none_or(|when| holds(registry, playbook, when, &slots));
        match (given, &rule.placeholder) {
            (None, Some(placeholder)) if required => placeholders.0.push((rule.slot.clone(), placeholder.clone())),
            (None, None) if required && rule.required_if.is_some() => {
                let because = rule.required_if.as_ref().map_or(Value::Null, |when| when.source().clone());
                let because = because.as_str().unwrap_or_default().trim_start_matches('=').trim().to_owned();
                problems.push(problem(
                    "missing_input",
                    &rule.slot,
                    format!("`{}` is needed because {because}.", rule.slot),
                ));
            }
            _ => {}
        }
        let value = given.and_then(Value::as_str).unwrap_or_default();
        for (token, when) in rule.valid_for.iter().filter(|(token, _)| token == value) {
            if !holds(registry, playbook, when, &slots) {
                let because = when.source().as_str().unwrap_or_default().trim_start_matches('=').trim().to_owned();
                let label = playbook.slots["properties"][&rule.slot]["x-labels"][token].as_str().unwrap_or(token);
                let message = format!("{label} does not apply here: it is only for {because}.");
                problems.push(problem("invalid_input", &rule.slot, message));
            }
        }
    }
    if problems.is_empty() { Ok((slots, placeholders)) } else { Err(problems) }
}

fn holds(registry: &Registry, playbook: &Playbook, when: &Binding, slots: &Value) -> bool {
    let typed = FeelValue::from_typed_json(slots, &playbook.slots);
    let settings = FeelValue::from_typed_json(&Value::Object(registry.settings().clone()), &registry.settings_schema());
    let names = FeelValue::context([("slots", typed.clone()), ("input", typed), ("settings", settings)]);
    let mut random = || 0;
    let mut env = Env::new(jiff::Timestamp::UNIX_EPOCH, jiff::tz::TimeZone::UTC, &mut random);
    when.eval_value(&names, &mut env).is_ok_and(|value| value == FeelValue::Bool(true))
}

/// The participants as expressions see them: `{role, party}` for each given party.
pub(crate) fn roles(playbook: &Playbook, slots: &Value) -> Value {
    let mut list = Vec::new();
    for role in &playbook.roles {
        let parties = match (&slots[&role.role], role.cardinality) {
            (Value::Null, _) => Vec::new(),
            (Value::Array(many), Cardinality::ZeroOrMore | Cardinality::OneOrMore) => many.clone(),
            (one, _) => vec![one.clone()],
        };
        list.extend(parties.into_iter().map(|party| json!({"role": role.role, "party": party})));
    }
    Value::Array(list)
}
