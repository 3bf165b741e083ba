//! Building blocks of schemas.

use serde_json::{Map, Value, json};

/// A schema's shared parts, by name.
pub(super) type Defs = Map<String, Value>;

/// A property: name, description, schema.
pub(super) type Entry = (&'static str, &'static str, Value);

/// An object with these properties and no others.
pub(super) fn closed(entries: Vec<Entry>, required: &[&str]) -> Value {
    let properties: Map<String, Value> =
        entries.into_iter().map(|(key, about, schema)| (key.to_owned(), described(schema, about))).collect();
    let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// A schema with a description.
pub(super) fn described(schema: Value, about: &str) -> Value {
    match schema {
        Value::Object(mut map) => {
            map.insert("description".to_owned(), Value::from(about));
            Value::Object(map)
        }
        _ => json!({"description": about}),
    }
}

/// A reference to a shared part.
pub(super) fn part(name: &str) -> Value {
    json!({"$ref": format!("#/$defs/{name}")})
}

/// One of several schemas.
pub(super) fn either<const N: usize>(forms: [Value; N]) -> Value {
    json!({"anyOf": forms.to_vec()})
}

/// Text. Numbers and booleans are accepted as written.
pub(super) fn text() -> Value {
    json!({"type": ["string", "number", "boolean"]})
}

/// Text, or a list of texts.
pub(super) fn texts() -> Value {
    either([text(), json!({"type": "array", "items": text()})])
}

pub(super) fn list(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

/// One of several words.
pub(super) fn choice(words: &[&str]) -> Value {
    json!({"enum": words})
}

/// `true` or `false`.
pub(super) fn flag() -> Value {
    json!({"type": "boolean"})
}

/// A whole number within a range.
pub(super) fn whole(least: i64, most: i64) -> Value {
    json!({"type": "integer", "minimum": least, "maximum": most})
}

/// A name of lower-case letters, digits and `_`.
pub(super) fn name() -> Value {
    json!({"type": "string", "pattern": NAME})
}

/// `domain.name`.
pub(super) fn full_name() -> Value {
    json!({"type": "string", "pattern": "^[a-z][a-z0-9_]{0,63}\\.[a-z][a-z0-9_]{0,63}$"})
}

pub(super) fn duration() -> Value {
    let examples = ["500ms", "30s", "5m", "2h", "7d", "PT30S"];
    json!({"type": "string", "pattern": "^\\s*([0-9]+\\s*(ms|s|m|min|h|d)|[Pp].+)\\s*$", "examples": examples})
}

/// A non-negative amount, as number or text.
pub(super) fn amount() -> Value {
    json!({"type": ["number", "string"], "minimum": 0, "pattern": "^[0-9]+(\\.[0-9]+)?$"})
}

/// FEEL or a template.
pub(super) fn expression() -> Value {
    text()
}

/// Any value, which may contain expressions.
pub(super) fn value() -> Value {
    json!({})
}

/// A map of values that may contain expressions.
pub(super) fn values() -> Value {
    json!({"type": "object"})
}

/// A map from names to something.
pub(super) fn map_of(schema: Value) -> Value {
    json!({"type": "object", "propertyNames": {"pattern": NAME}, "additionalProperties": schema})
}

/// A reference to a secret.
pub(super) fn secret() -> Value {
    json!({"type": "string", "pattern": "^(env:[A-Za-z0-9_]+|file:.+)$", "examples": ["env:API_TOKEN"]})
}

const NAME: &str = "^[a-z][a-z0-9_]{0,63}$";

/// The shared parts of these names.
pub(super) fn defs<const N: usize>(parts: [(&str, Value); N]) -> Defs {
    parts.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect()
}
