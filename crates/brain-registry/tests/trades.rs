//! The shipped pack: it loads without warnings, declares the inputs of the contract, and computes exactly.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use brain_lang::feel;
use brain_registry::model::{Behavior, Consent, CorpusSet, Effect, Expectation, RecordBehavior};
use brain_registry::{Registry, Tool, load, normalise};
use serde_json::{Value, json};

fn trades() -> Registry {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../packs/trades"));
    match load(&[folder]) {
        Ok(loaded) => {
            assert!(loaded.warnings.is_empty(), "{}", loaded.warnings);
            loaded.registry
        }
        Err(report) => panic!("{report}"),
    }
}

fn record_behavior(registry: &Registry, tool: &str) -> RecordBehavior {
    match &registry.tool(tool).unwrap().def.behavior {
        Behavior::Record(behavior) => behavior.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_tool_takes_exactly_the_inputs_of_the_contract() {
    let registry = trades();
    let contract = [
        ("os.create_note", vec!["content"]),
        ("os.create_task", vec!["title", "domain"]),
        ("os.complete_task", vec!["task_id"]),
        ("os.search_notes", vec!["query"]),
        ("os.health_check", vec![]),
        ("leads.create", vec!["name", "phone", "suburb"]),
        ("leads.list_by_stage", vec!["stage"]),
        ("inspection.create", vec!["lead_id"]),
        ("inspection.add_measurement", vec!["inspection_id", "description", "value", "unit"]),
        ("inspection.add_defect", vec!["inspection_id", "description", "severity"]),
        ("inspection.add_photo_ref", vec!["inspection_id", "file_ref"]),
        ("inspection.submit", vec!["inspection_id"]),
        ("quote.create_from_inspection", vec!["inspection_id"]),
        ("quote.add_item", vec!["quote_id", "description", "quantity", "unit_price"]),
        ("quote.calculate_totals", vec!["quote_id"]),
        ("quote.finalize", vec!["quote_id"]),
    ];
    for (tool, mut inputs) in contract {
        let schema = &registry.tool(tool).unwrap().def.input;
        inputs.sort_unstable();
        let got: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(got, inputs, "{tool}");
    }
}

#[test]
fn a_task_belongs_to_the_business_unless_said_otherwise() {
    let registry = trades();
    let call = registry.tool("os.create_task").unwrap().validate(json!({"title": "Call Bob"})).unwrap();
    assert_eq!(call.args(), &json!({"title": "Call Bob", "domain": "business"}));
}

#[test]
fn every_pattern_of_the_source_is_a_phrase() {
    let registry = trades();
    let patterns = [
        ("os.health_check", "system status"),
        ("os.health_check", "health check"),
        ("os.create_note", "create note: {content}"),
        ("os.create_task", "create task: {title}"),
        ("os.complete_task", "complete task {task_id}"),
        ("os.list_tasks", "list tasks"),
        ("os.search_notes", "search notes for {query}"),
        ("leads.create", "new lead: {name} {phone} in {suburb}"),
        ("leads.list_by_stage", "list leads"),
        ("inspection.create", "create inspection for lead {lead_id}"),
        ("inspection.add_measurement", "add measurement to {inspection_id}: {description} {value} {unit}"),
        ("inspection.add_defect", "add defect to {inspection_id}: {description} {severity}"),
        ("inspection.add_photo_ref", "add photo to {inspection_id}: {file_ref}"),
        ("inspection.submit", "submit inspection {inspection_id}"),
        ("quote.create_from_inspection", "create quote from inspection {inspection_id}"),
        ("quote.add_item", "add item to quote {quote_id}: {quantity}x {description} ${unit_price}"),
        ("quote.calculate_totals", "calculate totals {quote_id}"),
        ("quote.finalize", "finalize quote {quote_id}"),
    ];
    for (tool, phrase) in patterns {
        let phrases = &registry.tool(tool).unwrap().def.phrases;
        assert!(phrases.iter().any(|one| one == phrase), "{tool}: {phrase}");
    }
}

#[test]
fn only_deleting_a_lead_needs_an_approver() {
    let registry = trades();
    let approved: Vec<&str> = registry
        .tools()
        .values()
        .filter(|tool| tool.def.consent == Consent::Approver)
        .map(|tool| tool.name())
        .collect();
    assert_eq!(approved, ["leads.delete"]);
    assert_eq!(registry.tool("leads.delete").unwrap().def.effect, Effect::Irreversible);
    for read in ["os.health_check", "os.list_tasks", "leads.get", "quote.get"] {
        assert_eq!(registry.tool(read).unwrap().def.consent, Consent::None, "{read}");
    }
}

#[test]
fn names_and_phones_are_personal() {
    let trades = trades();
    let redactor = trades.redactor();
    assert!(redactor.hides("name") && redactor.hides("phone"));
    assert!(!redactor.hides("suburb") && !redactor.hides("title"));
}

#[test]
fn the_corpus_is_large_enough_and_covers_every_tool() {
    let registry = trades();
    let test: Vec<_> = registry.corpus().iter().filter(|row| row.set == CorpusSet::Test).collect();
    assert!(test.len() >= 120, "{}", test.len());
    assert!(registry.corpus().len() - test.len() >= 30);
    let count = |wanted: fn(&Expectation) -> bool| test.iter().filter(|row| wanted(&row.expect)).count();
    assert!(count(|expect| matches!(expect, Expectation::None)) >= 10);
    assert!(count(|expect| matches!(expect, Expectation::Ask(_))) >= 10);
    for tool in registry.tools().values().filter(|tool| !tool.def.is_generated()).map(|tool| tool.name()) {
        let covered = test.iter().any(|row| matches!(&row.expect, Expectation::Tool { name, .. } if name == tool));
        assert!(covered, "no utterance for {tool}");
    }
    assert!(registry.scenarios().len() >= 6);
}

#[test]
fn definitions_round_trip_through_json_with_the_same_hash() {
    let registry = trades();
    for tool in registry.tools().values() {
        let stored = serde_json::to_string(&tool.def).unwrap();
        let revived = Tool::from_def(serde_json::from_str(&stored).unwrap()).unwrap();
        assert_eq!(revived.hash, tool.hash, "{}", tool.name());
        assert_eq!(revived.def, tool.def);
    }
    for record in registry.records().values() {
        let stored = serde_json::to_string(record.as_ref()).unwrap();
        let revived: brain_registry::model::RecordDef = serde_json::from_str(&stored).unwrap();
        assert_eq!(&revived, record.as_ref());
        assert_eq!(revived.hash(), record.hash());
    }
    assert_eq!(registry.hash(), trades().hash());
}

/// Evaluates the fields that a tool sets, as an executor would: typed by the schemas, then normalised for the record.
fn set(registry: &Registry, tool: &str, input: &Value, lookups: &BTreeMap<&str, (&str, Value)>) -> Value {
    let behavior = record_behavior(registry, tool);
    let def = &registry.tool(tool).unwrap().def;
    let settings = Value::Object(registry.settings().clone());
    let mut context = vec![
        ("input", feel::Value::from_typed_json(input, &def.input)),
        ("settings", feel::Value::from_typed_json(&settings, &registry.settings_schema())),
    ];
    for (name, (record, rows)) in lookups {
        let schema = json!({"items": registry.record(record).unwrap().schema()});
        context.push((*name, feel::Value::from_typed_json(rows, &schema)));
    }
    let context = feel::Value::context(context);
    let mut random = || 0;
    let mut env = feel::Env::new("2026-03-02T09:00:00Z".parse().unwrap(), jiff::tz::TimeZone::UTC, &mut random);
    let values = behavior.set.iter().map(|(name, binding)| (name.clone(), binding.eval(&context, &mut env).unwrap()));
    normalise(&registry.record(&behavior.record).unwrap().schema(), Value::Object(values.collect()))
}

#[test]
fn lines_and_totals_are_exact() {
    let registry = trades();
    let id = "01890a5d-ac96-774b-bcce-b302099a8057";
    let line = |quantity: &str, price: &str| {
        let tool: &Arc<Tool> = registry.tool("quote.add_item").unwrap();
        let call = tool
            .validate(json!({"quote_id": id, "description": "x", "quantity": quantity, "unit_price": price}))
            .unwrap();
        set(&registry, "quote.add_item", call.args(), &BTreeMap::new())
    };
    let items = json!([line("12", "45.55"), line("2.5", "95.33"), line("1", "90")]);
    assert_eq!(items[0]["line_total"], "546.60");
    assert_eq!(items[1]["line_total"], "238.33", "half a cent is rounded up");
    assert_eq!(
        items[2],
        json!({"quote_id": id, "description": "x", "quantity": "1", "unit_price": "90.00", "line_total": "90.00"})
    );
    for tool in ["quote.calculate_totals", "quote.finalize"] {
        let totals =
            set(&registry, tool, &json!({"quote_id": id}), &BTreeMap::from([("items", ("quote_item", items.clone()))]));
        assert_eq!(totals, json!({"subtotal": "874.93", "tax": "87.49", "total": "962.42"}), "{tool}");
    }
    let empty = set(
        &registry,
        "quote.calculate_totals",
        &json!({"quote_id": id}),
        &BTreeMap::from([("items", ("quote_item", json!([])))]),
    );
    assert_eq!(empty, json!({"subtotal": "0.00", "tax": "0.00", "total": "0.00"}));
}
