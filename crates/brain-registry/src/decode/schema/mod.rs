//! Inputs, outputs, slots and fields: the short form becomes JSON Schema 2020-12; JSON Schema is kept as written.

pub(super) mod attributes;
pub(super) mod raw;
pub(super) mod types;

use serde_json::{Map, Value, json};

use super::Context;
use crate::model::OnDelete;
use crate::yaml::{Node, Resolved, resolve};

use raw::validator_problem;

/// The purpose of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Arguments: closed.
    Input,
    /// Slots of a playbook: arguments that may depend on each other.
    Slots,
    /// A result: open, declared properties are validated.
    Output,
    /// A field of a record.
    Record,
}

/// One short-form field.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FieldShape {
    /// JSON Schema of its value.
    pub(crate) schema: Value,
    /// Whether it is required.
    pub(crate) required: bool,
    /// The record type it refers to.
    pub(crate) entity: Option<String>,
    /// Whether it is indexed.
    pub(crate) indexed: bool,
    /// Whether it is personal.
    pub(crate) personal: bool,
    /// Whether generated tools answer questions about it.
    pub(crate) ask: bool,
    /// What happens to the record if the referenced one is deleted, if declared.
    pub(crate) on_delete: Option<OnDelete>,
}

impl Purpose {
    /// The purpose of nested values: only whole slots depend on each other.
    fn inside(self) -> Self {
        match self {
            Self::Slots => Self::Input,
            other => other,
        }
    }
}

/// The schema of an object, in either form.
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
        // A field that failed to decode is reported already; references to it must not be.
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
            ask: true,
            on_delete: None,
        });
    }
    let Some(entries) = node.as_map() else {
        let text = cx.text(node, "a type")?;
        let (word, required) = types::without_mark(&text);
        let schema = types::simple(cx, word, node.span)?;
        let (entity, on_delete) = (None, None);
        return Some(FieldShape { schema, required, entity, indexed: false, personal: false, ask: true, on_delete });
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
