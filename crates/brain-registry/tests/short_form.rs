//! The JSON Schema of each line in short form.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use brain_registry::model::ToolDef;
use brain_registry::{PackSource, load_sources};
use serde_json::{Value, json};

fn tool(input: &str) -> ToolDef {
    let text = format!("domain: t\ntools:\n  t:\n    title: T\n    input:\n{input}\n    behavior: {{expr: \"1\"}}\n");
    let files = vec![
        ("pack.yaml".to_owned(), "name: t\nversion: 1\n".to_owned()),
        ("records/lead.yaml".to_owned(), "record: lead\nfields: {name: string}\n".to_owned()),
        ("tools/t.yaml".to_owned(), text),
    ];
    let loaded = load_sources(vec![PackSource::new("t", files)]).unwrap_or_else(|report| panic!("{report}"));
    loaded.registry.tool("t.t").unwrap().def.clone()
}

fn property(line: &str) -> (Value, bool) {
    let input = tool(&format!("      x: {line}")).input;
    (input["properties"]["x"].clone(), input["required"] == json!(["x"]))
}

#[test]
fn every_type_has_its_schema() {
    for (line, schema) in [
        ("string", json!({"type": "string", "minLength": 1, "maxLength": 10_000})),
        ("text", json!({"type": "string", "minLength": 1, "maxLength": 10_000, "x-multiline": true})),
        ("integer", json!({"type": "integer"})),
        ("decimal", json!({"type": ["string", "number"], "format": "decimal"})),
        ("number", json!({"type": "number"})),
        ("money", json!({"type": ["string", "number"], "format": "money"})),
        ("boolean", json!({"type": "boolean"})),
        ("uuid", json!({"type": "string", "format": "uuid"})),
        ("date", json!({"type": "string", "format": "date"})),
        ("datetime", json!({"type": "string", "format": "date-time"})),
        ("time", json!({"type": "string", "format": "time"})),
        ("duration", json!({"type": "string", "format": "duration"})),
        ("email", json!({"type": "string", "format": "email"})),
        ("phone", json!({"type": "string", "format": "phone"})),
        ("url", json!({"type": "string", "format": "uri"})),
        ("list", json!({"type": "array"})),
        ("object", json!({"type": "object"})),
        ("any", json!({})),
        ("[low, high]", json!({"enum": ["low", "high"]})),
        ("[1, yes]", json!({"enum": ["1", "yes"]})),
        ("{type: enum, values: [a]}", json!({"enum": ["a"]})),
        ("{values: {a: Apple, b: Bean}}", json!({"enum": ["a", "b"], "x-labels": {"a": "Apple", "b": "Bean"}})),
        (
            "{type: list, items: uuid, max_items: 3}",
            json!({"type": "array", "items": {"type": "string", "format": "uuid"}, "maxItems": 3}),
        ),
        (
            "{type: string, min_length: 0, max_length: 5, pattern: '^a'}",
            json!({"type": "string", "minLength": 0, "maxLength": 5, "pattern": "^a"}),
        ),
        (
            "{type: decimal, minimum: 0.05, maximum: 10, unit: m}",
            json!({"type": ["string", "number"], "format": "decimal", "minimum": 0.05, "maximum": 10, "x-unit": "m"}),
        ),
        ("{entity: lead}", json!({"type": "string", "format": "uuid", "x-entity": "lead"})),
        (
            "{type: phone, personal: true, description: Mobile}",
            json!({"type": "string", "format": "phone", "x-personal": true, "description": "Mobile"}),
        ),
    ] {
        assert_eq!(property(line), (schema, true), "{line}");
    }
}

#[test]
fn three_ways_make_an_input_optional() {
    for line in ["string?", "{type: string?}", "{type: string, optional: true}", "{type: string, default: x}"] {
        assert!(!property(line).1, "{line}");
    }
    assert_eq!(property("{type: money, default: 1.5}").0["default"], "1.50");
    assert_eq!(property("{values: {a: Apple}, default: apple}").0["default"], "a");
}

#[test]
fn objects_are_closed_and_keep_the_order_of_what_they_require() {
    let input = tool("      b: string\n      a: string\n      c: {fields: {d: string, e: integer?}}").input;
    assert_eq!(input["required"], json!(["b", "a", "c"]));
    assert_eq!(input["additionalProperties"], false);
    assert_eq!(input["properties"]["c"]["required"], json!(["d"]));
    assert_eq!(input["properties"]["c"]["additionalProperties"], false);
}

#[test]
fn json_schema_is_passed_through() {
    let whole = "      type: object\n      properties: {n: {type: number, minimum: 0.5}}\n      required: [n]";
    assert_eq!(
        tool(whole).input,
        json!({"type": "object", "properties": {"n": {"type": "number", "minimum": 0.5}}, "required": ["n"]})
    );
    let field = "{anyOf: [{type: string}, {type: integer}], optional: true}";
    assert_eq!(property(field), (json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}), false));
}
