//! Inputs, outputs, slots and fields: the short form becomes JSON Schema 2020-12; full JSON Schema is kept as written.

pub(super) mod attributes;
pub(super) mod raw;
pub(super) mod types;

use serde_json::{Map, Value, json};

use super::Context;
use crate::model::OnDelete;
use crate::yaml::{Node, Resolved, resolve};

use raw::validator_problem;

/// What a schema is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Arguments: nothing but what is declared.
    Input,
    /// The slots of a playbook: arguments that may depend on each other.
    Slots,
    /// A result: what is declared must fit, more is welcome.
    Output,
    /// A field of a record.
    Record,
}

/// One field of the short form.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FieldShape {
    /// JSON Schema of its value.
    pub(crate) schema: Value,
    /// Whether it must be there.
    pub(crate) required: bool,
    /// The record type it names.
    pub(crate) entity: Option<String>,
    /// Whether the store keeps an index on it.
    pub(crate) indexed: bool,
    /// Whether it is personal.
    pub(crate) personal: bool,
    /// What becomes of a record when the one it points to is deleted, if the pack says so.
    pub(crate) on_delete: Option<OnDelete>,
}

impl Purpose {
    /// What the parts of a value are for: only whole slots depend on each other.
    fn inside(self) -> Self {
        match self {
            Self::Slots => Self::Input,
            other => other,
        }
    }
}

/// The schema of an object, from either form.
pub(crate) fn object(cx: &mut Context<'_>, node: &Node, what: &str, purpose: Purpose) -> Option<Value> {
    if raw::is_whole(node) {
        return raw::whole(cx, node, what);
    }
    if matches!(node.as_scalar().map(resolve), Some(Resolved::Null)) {
        return Some(close(Map::new(), Vec::new(), purpose));
    }
    let entries = cx.map(node, what)?;
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (key, value) in entries {
        let name = cx.name(&key.text, key.span, "input name");
        let shape = field(cx, value, &key.text, purpose);
        let Some(name) = name else { continue };
        if shape.as_ref().is_some_and(|shape| shape.required) {
            required.push(name.clone());
        }
        // A field that could not be read is already reported; what mentions it should not be reported too.
        properties.insert(name, shape.map_or_else(|| json!({}), |shape| shape.schema));
    }
    Some(close(properties, required, purpose))
}

fn close(properties: Map<String, Value>, required: Vec<String>, purpose: Purpose) -> Value {
    let mut schema = json!({"type": "object", "properties": properties, "required": required});
    if matches!(purpose, Purpose::Input | Purpose::Slots) {
        schema["additionalProperties"] = Value::Bool(false);
    }
    schema
}

/// One field: a type name, a list of choices, or a map with attributes.
pub(crate) fn field(cx: &mut Context<'_>, node: &Node, name: &str, purpose: Purpose) -> Option<FieldShape> {
    if node.as_seq().is_some() {
        let schema = types::enumeration(cx, node, purpose)?;
        return Some(FieldShape {
            schema,
            required: true,
            entity: None,
            indexed: false,
            personal: false,
            on_delete: None,
        });
    }
    let Some(entries) = node.as_map() else {
        let text = cx.text(node, "a type")?;
        let (word, required) = types::without_mark(&text);
        let schema = types::simple(cx, word, node.span)?;
        return Some(FieldShape { schema, required, entity: None, indexed: false, personal: false, on_delete: None });
    };
    let mut shape = attributes::shape(cx, node, name, purpose)?;
    let default = entries.iter().find(|(key, _)| key.text == "default").map(|(_, value)| value);
    if let Some(default) = default {
        attributes::default(cx, &mut shape, default, name);
    }
    if let Some(problem) = validator_problem(&shape.schema) {
        raw::report(cx, node, &format!("`{name}`"), &problem);
        return None;
    }
    Some(shape)
}
