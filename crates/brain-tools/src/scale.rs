//! The scale of money in computed results. Expressions compute on exact decimals, in which `5.00` is `5`; a result that
//! names a declared amount says it as the record does.

use std::collections::BTreeSet;

use brain_registry::model::{Behavior, Lookup};
use brain_registry::{Registry, Tool, normalise};
use serde_json::{Value, json};

/// Gives amounts that the tool's input or records declare as money at least two decimals, wherever the result names
/// them. A declared output has been normalised already.
pub(crate) fn money(data: Value, tool: &Tool, registry: &Registry) -> Value {
    let mut kinds = Vec::new();
    match &tool.def.behavior {
        Behavior::Record(behavior) if behavior.result.is_some() => {
            kinds.push(behavior.record.as_str());
            kinds.extend(behavior.with.iter().map(|(_, lookup)| match lookup {
                Lookup::Get { record, .. } | Lookup::List { record, .. } => record.as_str(),
            }));
        }
        Behavior::Expr(_) => {}
        _ => return data,
    }
    let is_money = |schema: &Value| schema["format"] == "money";
    let inputs = tool.def.input["properties"].as_object().into_iter().flatten();
    let mut names: BTreeSet<&str> =
        inputs.filter(|(_, schema)| is_money(schema)).map(|(name, _)| name.as_str()).collect();
    for def in kinds.into_iter().filter_map(|kind| registry.record(kind)) {
        names.extend(def.fields.iter().filter(|field| is_money(&field.schema)).map(|field| field.name.as_str()));
    }
    if names.is_empty() { data } else { scaled(data, &names) }
}

fn scaled(value: Value, names: &BTreeSet<&str>) -> Value {
    match value {
        Value::Object(map) => map
            .into_iter()
            .map(|(name, inner)| {
                let inner = match inner {
                    amount @ (Value::Number(_) | Value::String(_)) if names.contains(name.as_str()) => {
                        normalise(&json!({"format": "money"}), amount)
                    }
                    other => scaled(other, names),
                };
                (name, inner)
            })
            .collect(),
        Value::Array(items) => items.into_iter().map(|item| scaled(item, names)).collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declared_amount_has_its_scale_at_any_depth() {
        let names = BTreeSet::from(["owes"]);
        let data = json!({"owes": 5, "count": 5, "members": [{"owes": "77.5"}, {"owes": null}, {"owes": "a lot"}]});
        let shown =
            json!({"owes": "5.00", "count": 5, "members": [{"owes": "77.50"}, {"owes": null}, {"owes": "a lot"}]});
        assert_eq!(scaled(data, &names), shown);
    }
}
