//! Understand: the registry's phrases become a vocabulary; an utterance is read against it.

use std::collections::BTreeMap;

use brain_nlu::{PatternError, SlotKind, SlotSpec, Surroundings, Target, TargetKind, Vocabulary};
use brain_registry::Registry;
use serde_json::Value;

/// Compiles every phrase of every tool and playbook.
pub(crate) fn vocabulary(registry: &Registry) -> Result<Vocabulary, PatternError> {
    let mut targets = Vec::new();
    for tool in registry.tools().values() {
        targets.push(Target {
            name: tool.def.name.clone(),
            kind: TargetKind::Tool,
            title: tool.def.title.clone(),
            slots: slots(&tool.def.input),
            phrases: tool.def.phrases.clone(),
        });
    }
    for playbook in registry.playbooks() {
        // Variants of a playbook are one target: which one is meant is decided when it is planned.
        if let Some(known) = targets.iter_mut().find(|target| target.name == playbook.name) {
            known.phrases.extend(playbook.phrases.iter().cloned());
            continue;
        }
        targets.push(Target {
            name: playbook.name.clone(),
            kind: TargetKind::Playbook,
            title: playbook.title.clone(),
            slots: slots(&playbook.slots),
            phrases: playbook.phrases.clone(),
        });
    }
    Vocabulary::compile(targets)
}

/// The day it is where the pack is at home, and how its people write dates.
pub(crate) fn surroundings(registry: &Registry, zone: &jiff::tz::TimeZone, now: brain_core::Timestamp) -> Surroundings {
    let region = registry.settings().get("region").and_then(Value::as_str).unwrap_or_default();
    Surroundings { today: now.to_jiff().to_zoned(zone.clone()).date(), month_first: region.eq_ignore_ascii_case("US") }
}

fn slots(schema: &Value) -> BTreeMap<String, SlotSpec> {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties
        .map(|(name, property)| {
            let spec = SlotSpec {
                kind: kind(property),
                required: required.contains(&name.as_str()),
                has_default: property.get("default").is_some(),
            };
            (name.clone(), spec)
        })
        .collect()
}

/// What a slot holds, by its JSON Schema.
fn kind(schema: &Value) -> SlotKind {
    if let Some(values) = schema["enum"].as_array() {
        let labels = &schema["x-labels"];
        let named = values.iter().filter_map(Value::as_str).map(|token| {
            let label = labels[token].as_str().map(str::to_owned);
            let aliases = schema["x-aliases"].as_object().into_iter().flatten();
            let aliases = aliases.filter(|(_, of)| of.as_str() == Some(token)).map(|(alias, _)| alias.clone());
            (token.to_owned(), label.into_iter().chain(aliases).collect())
        });
        return SlotKind::Enum(named.collect());
    }
    match schema["format"].as_str() {
        Some("uuid") => return SlotKind::Uuid,
        Some("decimal") => return SlotKind::Decimal,
        Some("money") => return SlotKind::Money,
        Some("phone") => return SlotKind::Phone,
        Some("email") => return SlotKind::Email,
        Some("uri") => return SlotKind::Url,
        Some("date") => return SlotKind::Date,
        _ => {}
    }
    match schema["type"].as_str() {
        Some("integer") => SlotKind::Integer,
        Some("number") => SlotKind::Decimal,
        Some("boolean") => SlotKind::Boolean,
        _ => SlotKind::Text,
    }
}
