//! Compares a reading with an expectation. A reading that lacks a value or has an invalid one is a question about it:
//! nothing runs before it is answered.

use brain_nlu::{Intent, Understanding};
use brain_registry::Registry;
use brain_registry::model::{Behavior, Effect, Expectation};
use serde_json::{Map, Value};

use super::values::same_slots;
use super::{Grade, said};

pub(super) fn grade(registry: &Registry, expect: &Expectation, understanding: &Understanding) -> Grade {
    match expect {
        Expectation::Tool { .. } | Expectation::Playbook { .. } => {
            calls(registry, std::slice::from_ref(expect), understanding)
        }
        Expectation::Calls(members) => calls(registry, members, understanding),
        Expectation::Either(members) => {
            members.iter().map(|member| grade(registry, member, understanding)).min().unwrap_or(Grade::Wrong)
        }
        Expectation::None => match understanding {
            Understanding::Unknown { .. } | Understanding::SmallTalk { .. } => Grade::Right,
            Understanding::Ask(_) => Grade::Asked,
            Understanding::Clear { intents } => unwanted(registry, intents),
        },
        Expectation::Ask(among) => ask(registry, among, understanding),
        Expectation::Question(types) => question(registry, types, understanding),
        Expectation::Nothing(_) => match understanding {
            Understanding::Clear { intents } if intents.iter().any(|intent| has_effect(registry, &intent.target)) => {
                match unwanted(registry, intents) {
                    Grade::Wrong => Grade::Wrong,
                    _ => Grade::Right,
                }
            }
            _ => Grade::Right,
        },
    }
}

/// The grade of a reading that nobody asked for.
fn unwanted(registry: &Registry, intents: &[Intent]) -> Grade {
    if intents.iter().any(|intent| is_asked_about(registry, intent)) { Grade::Asked } else { Grade::Wrong }
}

fn calls(registry: &Registry, members: &[Expectation], understanding: &Understanding) -> Grade {
    let wanted: Vec<(&str, &Map<String, Value>)> = members.iter().filter_map(Expectation::target).collect();
    match understanding {
        Understanding::Clear { intents } => {
            let same_targets = intents.len() == wanted.len()
                && intents.iter().zip(&wanted).all(|(one, (name, _))| one.target == *name);
            let asks = intents.iter().any(|intent| is_asked_about(registry, intent));
            let same_values = || {
                intents.iter().zip(&wanted).all(|(one, (_, slots))| {
                    one.invalid.is_empty() && same_slots(schema(registry, &one.target), &said(one), slots)
                })
            };
            if same_targets && same_values() || answers(registry, intents, &wanted) {
                Grade::Right
            } else if !asks {
                Grade::Wrong
            } else if intents.iter().any(|one| wanted.iter().any(|(name, _)| one.target == *name)) {
                Grade::Offered
            } else {
                Grade::Asked
            }
        }
        Understanding::Ask(question) => {
            let offered = question.options.iter().any(|one| wanted.iter().any(|(name, _)| one.target == *name));
            if offered { Grade::Offered } else { Grade::Asked }
        }
        Understanding::Unknown { .. } | Understanding::SmallTalk { .. } => Grade::NotUnderstood,
    }
}

/// Whether a generated question tool counts as correct where a read-only tool was expected: it covers the same records
/// and has at least the same values, for example a count instead of the list.
fn answers(registry: &Registry, intents: &[Intent], wanted: &[(&str, &Map<String, Value>)]) -> bool {
    let ([intent], [(name, slots)]) = (intents, wanted) else { return false };
    let generated = registry.tool(&intent.target).is_some_and(|tool| tool.def.is_generated());
    let said = said(intent);
    generated
        && !has_effect(registry, name)
        && records_of(registry, name).iter().any(|of| records_of(registry, &intent.target).contains(of))
        && slots.iter().all(|(slot, value)| said.get(slot) == Some(value))
}

fn ask(registry: &Registry, among: &[String], understanding: &Understanding) -> Grade {
    let is_meant = |intent: &Intent| among.is_empty() || among.contains(&intent.target);
    match understanding {
        Understanding::Ask(question) if question.options.iter().any(is_meant) => Grade::Right,
        Understanding::Ask(_) => Grade::Asked,
        Understanding::Clear { intents } if intents.iter().any(|intent| is_asked_about(registry, intent)) => {
            if intents.iter().any(is_meant) { Grade::Right } else { Grade::Asked }
        }
        Understanding::Clear { .. } => Grade::Wrong,
        Understanding::Unknown { .. } | Understanding::SmallTalk { .. } => Grade::NotUnderstood,
    }
}

fn question(registry: &Registry, types: &[String], understanding: &Understanding) -> Grade {
    let about = |target: &str| records_of(registry, target).iter().any(|name| types.iter().any(|one| one == name));
    match understanding {
        Understanding::Clear { intents } => {
            let reads = |intent: &Intent| !has_effect(registry, &intent.target);
            if intents.iter().all(|intent| reads(intent) && about(&intent.target)) {
                Grade::Right
            } else {
                unwanted(registry, intents)
            }
        }
        Understanding::Ask(question) if question.options.iter().any(|option| about(&option.target)) => Grade::Right,
        Understanding::Ask(_) => Grade::Asked,
        Understanding::Unknown { .. } | Understanding::SmallTalk { .. } => Grade::NotUnderstood,
    }
}

/// Whether Brain asks for a value before this runs.
fn is_asked_about(registry: &Registry, intent: &Intent) -> bool {
    let said = said(intent);
    let required = schema(registry, &intent.target).and_then(|schema| schema["required"].as_array());
    !intent.invalid.is_empty()
        || required.into_iter().flatten().filter_map(Value::as_str).any(|name| said.get(name).is_none())
}

fn schema<'a>(registry: &'a Registry, target: &str) -> Option<&'a Value> {
    let tool = registry.tool(target).map(|tool| &tool.def.input);
    tool.or_else(|| registry.playbook(target).map(|playbook| &playbook.slots))
}

fn has_effect(registry: &Registry, target: &str) -> bool {
    registry.tool(target).is_none_or(|tool| tool.def.effect != Effect::Read)
}

/// The record types that a tool works on; for a playbook those of its steps.
fn records_of<'a>(registry: &'a Registry, target: &str) -> Vec<&'a str> {
    if let Some(playbook) = registry.playbook(target) {
        return playbook.steps.iter().flat_map(|step| records_of(registry, &step.tool)).collect();
    }
    match registry.tool(target).map(|tool| &tool.def.behavior) {
        Some(Behavior::Record(record)) => vec![record.record.as_str()],
        Some(Behavior::Query(query)) => vec![query.record.as_str()],
        _ => Vec::new(),
    }
}
