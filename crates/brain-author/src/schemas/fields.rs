//! Inputs, outputs, slots and fields: the short form, or JSON Schema.

use serde_json::{Value, json};

use super::build::{
    Defs, Entry, choice, closed, either, expression, flag, full_name, list, map_of, part, text, texts, value, values,
    whole,
};
use brain_registry::keys;

/// Adds the definitions `input` (all inputs of a tool) and `input_field` (one of them).
pub(super) fn inputs(defs: &mut Defs) {
    add(defs, "input", Vec::new(), "value");
    defs.insert("value".into(), closed(value_entries(), &["token"]));
    defs.insert("input".into(), object("input_field"));
}

/// Adds the definitions `slots` (all slots of a playbook), `slot_field` (one of them) and their parts.
pub(super) fn slots(defs: &mut Defs) {
    inputs(defs);
    let valid_for = json!({"anyOf": [expression(), {"type": "object", "additionalProperties": texts()}]});
    let whole_valid_for = json!({"type": "object", "additionalProperties": valid_for});
    let of_slots = vec![
        ("required_if", "FEEL over `slots`: it is required while this is true, and optional otherwise.", expression()),
        ("valid_for", "By token of an `enum`: when the value is allowed.", whole_valid_for),
        ("placeholder_if_missing", "The tool that creates a placeholder.", part("placeholder")),
    ];
    add(defs, "slot", of_slots, "slot_value");
    let mut entries = value_entries();
    entries.push(("valid_for", "When the value is allowed: FEEL over `slots`, or `{slot: [tokens]}`.", valid_for));
    defs.insert("slot_value".into(), closed(entries, &["token"]));
    defs.insert("slots".into(), object("slot_field"));
    let placeholder = closed(
        vec![
            ("tool", "The tool that creates a placeholder.", full_name()),
            ("args", "Its arguments.", values()),
            ("field", "The field of its result that is the value.", text()),
        ],
        &["tool", "field"],
    );
    defs.insert("placeholder".into(), placeholder);
}

/// Adds `record_field`.
pub(super) fn stored(defs: &mut Defs) {
    let of_records = vec![
        ("ref", "The record type that it points to.", text()),
        ("indexed", "Indexed, for fast lookup.", flag()),
        ("ask", "`false`: questions about it are not answered by the generated tool.", flag()),
        (
            "on_delete",
            "Of a reference: when the record that it points to is deleted, `refuse` (default), `clear` the field, or `cascade`.",
            choice(&["refuse", "clear", "cascade"]),
        ),
    ];
    add(defs, "record", of_records, "value");
    defs.insert("value".into(), closed(value_entries(), &["token"]));
}

fn value_entries() -> Vec<Entry> {
    vec![
        ("token", "What tools and expressions get.", text()),
        ("label", "What people see.", text()),
        ("aliases", "Other words for it.", texts()),
    ]
}

/// A map from names to fields, or JSON Schema.
fn object(field: &str) -> Value {
    json!({
        "type": ["object", "null"],
        "if": {"anyOf": [
            {"required": ["$schema"]},
            {"required": ["type", "properties"], "properties": {"type": {"const": "object"}, "properties": {"type": "object"}}},
        ]},
        "then": true,
        "else": {"anyOf": [{"type": "null"}, map_of(part(field))]},
    })
}

/// Adds `NAME_field` and `NAME_attributes`.
fn add(defs: &mut Defs, name: &str, more: Vec<Entry>, value: &str) {
    let map = json!({
        "type": "object",
        "if": {"anyOf": keys::telltales().iter().map(|key| json!({"required": [key]})).collect::<Vec<_>>()},
        "then": true,
        "else": part(&format!("{name}_attributes")),
    });
    let choices = list(either([text(), part(value)]));
    defs.insert(format!("{name}_field"), either([type_name(), choices, map]));
    // Parts of a slot are ordinary fields: only whole slots depend on each other.
    let inside = if name == "slot" { "input" } else { name };
    let mut entries = attributes(&format!("{inside}_field"), value);
    entries.extend(more);
    defs.insert(format!("{name}_attributes"), closed(entries, &[]));
}

/// A type name, with `?` if it is optional.
fn type_name() -> Value {
    let names = keys::types();
    json!({
        "type": "string",
        "anyOf": [{"enum": names}, {"pattern": format!("^\\s*({})\\s*\\??\\s*$", names.join("|"))}],
    })
}

fn attributes(inside: &str, value_of_enum: &str) -> Vec<Entry> {
    let number = || json!({"type": "number"});
    let length = || whole(0, i64::from(u32::MAX));
    let values = either([
        list(either([text(), part(value_of_enum)])),
        json!({"type": "object", "additionalProperties": text()}),
    ]);
    let fields = json!({"type": ["object", "null"], "additionalProperties": part(inside)});
    vec![
        ("type", "What it holds; with `?` it is optional.", type_name()),
        ("default", "Value if none is given; makes the field optional.", value()),
        ("optional", "The value can be omitted.", flag()),
        ("entity", "The record type whose id it is; implies `type: uuid`.", text()),
        ("anchor", "If a group is named, the member with this role is meant.", text()),
        ("title", "For people.", text()),
        ("description", "For people.", text()),
        ("unit", "What a number counts.", text()),
        ("personal", "Never in the process's log, hidden where a run's events are shown.", flag()),
        ("examples", "Example values.", value()),
        ("roles", "Stored and shown, not yet enforced.", value()),
        ("minimum", "Minimum of a number.", number()),
        ("maximum", "Maximum of a number.", number()),
        ("min_length", "Minimum length of a string, in characters.", length()),
        ("max_length", "Maximum length of a string, in characters.", length()),
        ("pattern", "A regular expression that a string must match.", text()),
        ("min_items", "Minimum length of a list.", length()),
        ("max_items", "Maximum length of a list.", length()),
        ("items", "The type of the list's items.", part(inside)),
        ("values", "The values of an `enum`: `[low, high]`, `{low: Low}`, or `[{token, label, aliases}]`.", values),
        ("fields", "The fields of an `object`.", fields),
    ]
}
