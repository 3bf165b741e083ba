//! JSON Schema in packs.

use serde_json::Value;

use crate::call::{SchemaProblem, compile};
use crate::code::Code;
use crate::decode::Context;
use crate::yaml::{Node, NodeValue, Resolved, resolve};

/// Keywords that only JSON Schema has: a field with one of them is not short form.
pub(in crate::decode) const TELLTALES: &[&str] =
    &["$schema", "$ref", "$defs", "anyOf", "oneOf", "allOf", "not", "const", "enum", "properties", "format"];
/// Keys that packs add to a JSON Schema field; they are not part of the schema.
const OURS: &[&str] = &[
    "optional",
    "entity",
    "ref",
    "personal",
    "indexed",
    "ask",
    "unit",
    "required_if",
    "valid_for",
    "placeholder_if_missing",
    "roles",
    "anchor",
];

/// Whether a whole input or output is JSON Schema.
pub(super) fn is_whole(node: &Node) -> bool {
    let object = || node.get("type").and_then(Node::as_scalar).is_some_and(|word| word.text == "object");
    node.get("$schema").is_some() || (object() && node.get("properties").is_some_and(|inner| inner.as_map().is_some()))
}

/// Whether one field is JSON Schema.
pub(super) fn is_field(node: &Node) -> bool {
    node.as_map().is_some_and(|entries| entries.iter().any(|(key, _)| TELLTALES.contains(&key.text.as_str())))
}

/// A whole schema, exactly as written.
pub(super) fn whole(cx: &mut Context<'_>, node: &Node, what: &str) -> Option<Value> {
    let schema = numbers(node);
    if let Some(problem) = validator_problem(&schema) {
        report(cx, node, what, &problem);
        return None;
    }
    if schema["type"] != "object" {
        cx.report(
            Code::BadSchema,
            node.span,
            format!("{what} must be a schema of an object"),
            Some("add `type: object`".into()),
        );
        return None;
    }
    Some(schema)
}

/// One field's schema, without the keys that packs add.
pub(super) fn field(node: &Node) -> Value {
    let mut schema = numbers(node);
    if let Value::Object(map) = &mut schema {
        map.retain(|key, _| !OURS.contains(&key.as_str()) && key != "default");
    }
    schema
}

/// JSON with numbers as numbers, as JSON Schema expects.
fn numbers(node: &Node) -> Value {
    match &node.value {
        NodeValue::Scalar(scalar) => match resolve(scalar) {
            Resolved::Decimal(text) => text.parse::<f64>().map_or(Value::String(text), Value::from),
            _ => crate::yaml::to_json(node),
        },
        NodeValue::Seq(items) => items.iter().map(numbers).collect(),
        NodeValue::Map(entries) => entries.iter().map(|(key, node)| (key.text.clone(), numbers(node))).collect(),
    }
}

/// Why a schema does not compile.
pub(super) fn validator_problem(schema: &Value) -> Option<SchemaProblem> {
    compile(schema).err()
}

/// Reports why a schema does not compile, as close to the position as possible.
pub(super) fn report(cx: &mut Context<'_>, node: &Node, what: &str, problem: &SchemaProblem) {
    let path: Vec<String> =
        problem.pointer.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~")).collect();
    let place = node.nearest(path.iter().map(String::as_str));
    cx.report(Code::BadSchema, place.span, format!("{what} has no valid schema: {}", problem.message), None);
}
