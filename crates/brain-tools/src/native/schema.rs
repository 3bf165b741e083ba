//! Turns Rust types into schemas in the style of packs: an object with plain properties and no others, where optional
//! values are "not required" instead of nullable.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// Formats that only describe the width of a number in memory.
const WIDTHS: [&str; 16] = [
    "int8", "int16", "int32", "int64", "int128", "int", "uint8", "uint16", "uint32", "uint64", "uint128", "uint",
    "float", "double", "isize", "usize",
];

/// The schema of a function's input.
pub fn input_schema<T: JsonSchema>() -> Value {
    let mut schema = generate::<T>(SchemaSettings::draft2020_12().for_deserialize());
    walk(&mut schema, &close);
    schema
}

/// The schema of a function's output; `None` if the type allows any JSON.
pub fn output_schema<T: JsonSchema>() -> Option<Value> {
    let schema = generate::<T>(SchemaSettings::draft2020_12().for_serialize());
    (schema != Value::Bool(true) && schema != Value::Object(Map::new())).then_some(schema)
}

fn generate<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Some(root) = schema.as_object_mut() {
        // The type's documentation is for Rust readers; the tool has its own description.
        root.remove("description");
    }
    walk(&mut schema, &plain);
    schema
}

/// Visits a schema and its subschemas, innermost first.
fn walk(schema: &mut Value, visit: &impl Fn(&mut Map<String, Value>)) {
    let Some(object) = schema.as_object_mut() else { return };
    for key in ["properties", "patternProperties", "$defs"] {
        if let Some(Value::Object(schemas)) = object.get_mut(key) {
            schemas.values_mut().for_each(|one| walk(one, visit));
        }
    }
    for key in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        if let Some(Value::Array(schemas)) = object.get_mut(key) {
            schemas.iter_mut().for_each(|one| walk(one, visit));
        }
    }
    for key in ["items", "additionalProperties"] {
        if let Some(one) = object.get_mut(key) {
            walk(one, visit);
        }
    }
    visit(object);
}

/// Removes Rust-specific keys and converts schemas to the form that packs use.
fn plain(schema: &mut Map<String, Value>) {
    schema.remove("title");
    if schema.get("format").and_then(Value::as_str).is_some_and(|format| WIDTHS.contains(&format)) {
        schema.remove("format");
    }
    one_of_constants(schema);
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    let optional: Vec<String> =
        properties.iter_mut().filter_map(|(name, one)| without_null(one).then(|| name.clone())).collect();
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| !optional.iter().any(|one| name == one));
    }
}

/// Converts an enum with documented variants, a `oneOf` of constants, to a plain `enum`.
fn one_of_constants(schema: &mut Map<String, Value>) {
    let Some(Value::Array(variants)) = schema.get("oneOf") else { return };
    let constants = |variant: &Value| -> Option<Vec<Value>> {
        let constant = variant.get("const").map(|constant| vec![constant.clone()]);
        constant.or_else(|| variant.get("enum")?.as_array().cloned()).filter(|all| all.iter().all(Value::is_string))
    };
    let all: Option<Vec<Vec<Value>>> = variants.iter().map(constants).collect();
    if let Some(all) = all {
        schema.remove("oneOf");
        schema.insert("type".into(), "string".into());
        schema.insert("enum".into(), Value::Array(all.concat()));
    }
}

/// Removes null from the types of a property; returns whether it was there.
fn without_null(property: &mut Value) -> bool {
    let Some(schema) = property.as_object_mut() else { return false };
    let mut had = false;
    if let Some(Value::Array(words)) = schema.get_mut("type") {
        let before = words.len();
        words.retain(|word| word != "null");
        had = words.len() < before;
        if let [word] = words.as_slice() {
            let word = word.clone();
            schema.insert("type".into(), word);
        }
    }
    if let Some(Value::Array(options)) = schema.get_mut("enum") {
        options.retain(|option| !option.is_null());
    }
    if let Some(Value::Array(variants)) = schema.get_mut("anyOf") {
        let before = variants.len();
        variants.retain(|variant| variant["type"] != "null");
        had |= variants.len() < before;
        if let [Value::Object(only)] = variants.as_slice() {
            let only = only.clone();
            schema.remove("anyOf");
            for (key, value) in only {
                schema.entry(key).or_insert(value);
            }
        }
    }
    if had && schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    had
}

/// Forbids undeclared properties of an object, unless it says otherwise or is composed of parts.
fn close(schema: &mut Map<String, Value>) {
    let parts = ["anyOf", "oneOf", "allOf", "$ref", "patternProperties", "additionalProperties"];
    if schema.get("type").is_none_or(|word| word != "object") || parts.iter().any(|part| schema.contains_key(*part)) {
        return;
    }
    schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    schema.entry("required").or_insert_with(|| Value::Array(Vec::new()));
    schema.insert("additionalProperties".into(), Value::Bool(false));
}

#[cfg(test)]
mod tests {
    #![expect(dead_code, reason = "the tests use only their schemas")]

    use std::collections::BTreeMap;

    use serde::{Deserialize, Serialize};
    use serde_json::json;

    use super::*;

    /// A type description, which does not appear in the schema.
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Order {
        /// Who gets it.
        to: String,
        lines: Vec<Line>,
        note: Option<String>,
        billing: Option<Address>,
        #[serde(default)]
        urgent: bool,
        speed: Option<Speed>,
        tags: BTreeMap<String, String>,
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Line {
        count: u32,
        price: f64,
        /// A property with the name of a schema keyword.
        title: Option<String>,
    }

    /// An address.
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Address {
        street: String,
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Speed {
        /// A week.
        Slow,
        /// A day.
        Fast,
    }

    #[test]
    fn a_struct_becomes_the_schema_that_a_pack_would_declare() {
        let expected = json!({
            "type": "object",
            "properties": {
                "to": {"type": "string", "description": "Who gets it."},
                "lines": {"type": "array", "items": {
                    "type": "object",
                    "properties": {
                        "count": {"type": "integer", "minimum": 0},
                        "price": {"type": "number"},
                        "title": {"type": "string", "description": "A property with the name of a schema keyword."},
                    },
                    "required": ["count", "price"],
                    "additionalProperties": false,
                }},
                "note": {"type": "string"},
                "billing": {
                    "type": "object",
                    "description": "An address.",
                    "properties": {"street": {"type": "string"}},
                    "required": ["street"],
                    "additionalProperties": false,
                },
                "urgent": {"type": "boolean", "default": false},
                "speed": {"type": "string", "enum": ["slow", "fast"]},
                "tags": {"type": "object", "additionalProperties": {"type": "string"}},
            },
            "required": ["to", "lines", "tags"],
            "additionalProperties": false,
        });
        assert_eq!(input_schema::<Order>(), expected, "{:#}", input_schema::<Order>());
    }

    #[test]
    fn an_output_may_omit_optional_properties() {
        let schema = output_schema::<Order>().unwrap();
        assert_eq!(schema["required"], json!(["to", "lines", "urgent", "tags"]));
        assert_eq!(schema["properties"]["note"], json!({"type": "string"}));
        assert_eq!(output_schema::<Value>(), None);
        let checker = brain_registry::Checker::new(schema).unwrap();
        let line = Line { count: 1, price: 2.5, title: None };
        let order = Order {
            to: "Bob".into(),
            lines: vec![line],
            note: None,
            billing: Some(Address { street: "High St".into() }),
            urgent: true,
            speed: Some(Speed::Fast),
            tags: BTreeMap::new(),
        };
        let written = checker.check(serde_json::to_value(order).unwrap()).unwrap();
        assert_eq!(written["speed"], "fast");
        assert!(written.get("note").is_none() && written["lines"][0].get("title").is_none(), "{written}");
    }

    #[test]
    fn a_recursive_type_keeps_its_definition() {
        #[derive(Deserialize, JsonSchema)]
        struct Tree {
            name: String,
            inside: Vec<Tree>,
        }
        let schema = input_schema::<Tree>();
        let checker = brain_registry::Checker::new(schema).unwrap();
        assert!(checker.check(json!({"name": "a", "inside": [{"name": "b", "inside": []}]})).is_ok());
        assert!(checker.check(json!({"name": "a", "inside": [{"name": 1, "inside": []}]})).is_err());
    }
}
