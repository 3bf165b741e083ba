//! The preview of a plan before anything has run.

use std::collections::BTreeMap;

use brain_lang::binding::Binding;
use brain_lang::feel::{Env, Value as FeelValue};
use brain_registry::model::{Behavior, PlaybookStep};
use brain_registry::{Registry, Tool};
use serde_json::Value;

use crate::narrate::PlannedCall;

/// Maximum depth of nested plans shown.
const MAX_DEPTH: usize = 10;

/// The calls of steps, including those of tools that expand to playbooks.
pub(super) fn calls_of(
    registry: &Registry,
    steps: &[PlaybookStep],
    slots: &Value,
    (path, outer, conditional): (&str, Option<u32>, bool),
    shown: &mut Vec<PlannedCall>,
) {
    for step in steps {
        let Some(tool) = registry.tool(&step.tool) else { continue };
        let input = preview(&step.args, slots, registry);
        let id = format!("{path}{}", step.id);
        let items = step.foreach.as_ref().map_or(Some(1), |list| match preview(list, slots, registry) {
            Value::Array(items) => u32::try_from(items.len()).ok(),
            Value::Null => Some(0),
            _ => None,
        });
        let times = outer.zip(items).map(|(outer, items)| outer.saturating_mul(items));
        let conditional = conditional || step.when.is_some();
        let name = tool.def.name.clone();
        shown.push(PlannedCall { tool: name, step: id.clone(), input: input.clone(), times, conditional });
        inside(registry, tool, &input, (&id, times, conditional), shown);
    }
}

/// The calls that a tool expands to, if it does.
pub(super) fn inside(
    registry: &Registry,
    tool: &Tool,
    input: &Value,
    (id, times, conditional): (&str, Option<u32>, bool),
    shown: &mut Vec<PlannedCall>,
) {
    if let Behavior::Playbook(behavior) = &tool.def.behavior
        && let Some(playbook) = &behavior.definition
        && id.matches('/').count() < MAX_DEPTH
    {
        calls_of(registry, &playbook.steps, input, (&format!("{id}/"), times, conditional), shown);
    }
}

/// Arguments with all values known in advance; the rest as written.
pub(super) fn preview(args: &Binding, slots: &Value, registry: &Registry) -> Value {
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
