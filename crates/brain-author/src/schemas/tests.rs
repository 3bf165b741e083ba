//! Schemas and decoders agree, and the files of every pack fit their schemas.

use std::path::Path;

use serde_json::Value;

use super::{SchemaKind, schema};
use brain_registry::PackSource;
use brain_registry::keys;
use brain_registry::yaml::{Node, NodeValue, Resolved, parse, resolve};

/// The JSON that an editor sees: numbers are numbers.
fn as_json(node: &Node) -> Value {
    match &node.value {
        NodeValue::Scalar(scalar) => match resolve(scalar) {
            Resolved::Decimal(text) => text.parse::<f64>().map(Value::from).unwrap(),
            _ => brain_registry::yaml::to_json(node),
        },
        NodeValue::Seq(items) => items.iter().map(as_json).collect(),
        NodeValue::Map(entries) => entries.iter().map(|(key, node)| (key.text.clone(), as_json(node))).collect(),
    }
}

/// The validation errors of a text.
fn problems(kind: SchemaKind, text: &str) -> Vec<String> {
    let validator =
        jsonschema::draft202012::new(&schema(kind)).unwrap_or_else(|problem| panic!("{kind:?}: {problem:?}"));
    let json = as_json(&parse(text).unwrap());
    validator.iter_errors(&json).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

/// Every pack in the repository, and the starter.
const PACKS: [&str; 7] = [
    "packs/trades",
    "packs/desk",
    "benches/pack",
    "examples/own_tools/pack",
    "crates/brain-sim/packs/world",
    "crates/brain-kernel/tests/packs/flow",
    "crates/brain-kernel/tests/packs/grow",
];

#[test]
fn the_files_of_every_pack_fit_their_schemas() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut packs: Vec<(&str, PackSource)> =
        PACKS.iter().map(|path| (*path, PackSource::read(&root.join(path)))).collect();
    packs.push(("starter", PackSource::new("starter", crate::new_pack("garden").unwrap())));
    let mut seen = std::collections::BTreeSet::new();
    for (name, pack) in packs {
        assert!(!pack.files.is_empty(), "{name} has no files");
        for (path, text) in &pack.files {
            let Some(kind) = SchemaKind::of_path(path) else { continue };
            let wrong = problems(kind, text);
            assert!(wrong.is_empty(), "{name}/{path}: {wrong:#?}");
            seen.insert(kind.name());
        }
    }
    assert_eq!(seen.len(), SchemaKind::ALL.len(), "{seen:?}");
}

#[test]
fn keys_of_schemas_and_decoders_are_the_same() {
    let mut compared: Vec<(&str, &str)> = Vec::new();
    for (kind, name, mut known) in keys::all() {
        let whole = schema(SchemaKind::named(kind).unwrap());
        let place = if name.is_empty() { &whole } else { &whole["$defs"][name] };
        let mut described: Vec<&str> = place["properties"]
            .as_object()
            .unwrap_or_else(|| panic!("{kind} {name}"))
            .keys()
            .map(String::as_str)
            .collect();
        known.sort_unstable();
        described.sort_unstable();
        assert_eq!(described, known, "{kind} {name}");
        assert_eq!(place["additionalProperties"], false, "{kind} {name}");
        for (key, property) in place["properties"].as_object().unwrap() {
            assert!(property["description"].is_string(), "{kind} {name} {key} has no description");
        }
        compared.push((kind, name));
    }
    // No schema is closed where the decoder is open.
    for kind in SchemaKind::ALL {
        let whole = schema(kind);
        for (name, place) in whole["$defs"].as_object().unwrap() {
            if place["additionalProperties"] == false {
                assert!(compared.contains(&(kind.name(), name.as_str())), "{kind:?} {name} is compared with nothing");
            }
        }
    }
}

#[test]
fn what_the_decoder_refuses_as_unknown_is_refused() {
    for (kind, text) in [
        (SchemaKind::Pack, "name: a\nversion: 1\ntitel: x\n"),
        (SchemaKind::Record, "record: a\nfields: {b: {type: string, maximum_length: 3}}\n"),
        (SchemaKind::Record, "record: a\nfields: {b: sting}\n"),
        (
            SchemaKind::Tools,
            "domain: a\ntools: {b: {title: x, input: {}, behavior: {record: {insert: t, limit: 3}}}}\n",
        ),
        (SchemaKind::Tools, "domain: a\ntools: {b: {title: x, input: {}, behavior: {expr: '= 1', http: {url: x}}}}\n"),
        (
            SchemaKind::Tools,
            "domain: a\ntools: {b: {title: x, input: {c: {type: string, required_if: '= true'}}, behavior: {expr: '= 1'}}}\n",
        ),
        (SchemaKind::Playbook, "playbook: a.b\nsteps: [{id: c, tool: d.e, foreech: x}]\n"),
        (SchemaKind::Corpus, "- {say: x, expect: maybe}\n"),
        (SchemaKind::Scenario, "scenario: x\nsteps: [{sya: x}]\n"),
    ] {
        assert!(!problems(kind, text).is_empty(), "{text}");
    }
}

#[test]
fn every_form_of_a_field_is_taken() {
    let text = r#"
playbook: a.b
slots:
  plain: string
  maybe: text?
  choice: [low, high]
  labels: {type: enum, values: {low: Low}}
  rich: {type: enum, values: [{token: low, label: Low, aliases: [l], valid_for: {choice: [low]}}, high]}
  schema: {type: string, format: email}
  nested: {type: list, items: {type: object, fields: {x: decimal}}}
  late: {type: money, minimum: 0.5, required_if: "= slots.choice = \"low\""}
  contact: {entity: contact, placeholder_if_missing: {tool: a.c, field: id}}
roles: [{role: x, cardinality: zero_or_more}]
steps: [{id: c, tool: d.e, retry: none}]
"#;
    assert_eq!(problems(SchemaKind::Playbook, text), Vec::<String>::new());
}
