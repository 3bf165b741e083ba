//! What is left out in a pack because it goes without saying is filled in here, so that nothing downstream guesses.

use std::collections::BTreeMap;

use brain_lang::binding::Binding;
use serde_json::{Map, Value};

use crate::model::{Behavior, RecordDef, RecordOp};
use crate::world::World;

/// Fills in field values of inserts and arguments of steps.
pub(crate) fn complete(world: &mut World) {
    let records: BTreeMap<String, RecordDef> =
        world.records.iter().map(|record| (record.value.name.clone(), record.value.clone())).collect();
    for tool in &mut world.tools {
        if let Behavior::Record(behavior) = &mut tool.value.behavior
            && matches!(behavior.op, RecordOp::Insert | RecordOp::Upsert)
            && let Some(record) = records.get(&behavior.record)
        {
            for name in properties(&tool.value.input).filter(|name| record.field(name).is_some()) {
                if let Some(value) = reference("input", name) {
                    behavior.set.entry(name.clone()).or_insert(value);
                }
            }
        }
    }
    let inputs: BTreeMap<String, Value> =
        world.tools.iter().map(|tool| (tool.value.name.clone(), tool.value.input.clone())).collect();
    for playbook in &mut world.playbooks {
        let slots = playbook.value.slots.clone();
        for (index, step) in playbook.value.steps.iter_mut().enumerate() {
            let given = playbook.node.get("steps").and_then(|steps| steps.as_seq()?.get(index)?.get("args"));
            let Some(input) = inputs.get(&step.tool).filter(|_| given.is_none()) else { continue };
            let args: Map<String, Value> = properties(input)
                .filter(|name| slots["properties"].get(name.as_str()).is_some())
                .map(|name| (name.clone(), Value::from(format!("= slots.{name}"))))
                .collect();
            if let Ok(args) = Binding::parse(&Value::Object(args)) {
                step.args = args;
            }
        }
    }
}

fn reference(root: &str, name: &str) -> Option<Binding> {
    Binding::parse(&Value::from(format!("= {root}.{name}"))).ok()
}

/// The names of an object schema's properties.
pub(crate) fn properties(schema: &Value) -> impl Iterator<Item = &String> {
    schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys)
}
