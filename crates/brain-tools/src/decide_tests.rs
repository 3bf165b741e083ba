//! Every hit policy, on a table in which several rules match.

use std::sync::Arc;

use brain_core::{Failure, Millis, Timestamp};
use brain_engine::{JobContext, RecordView};
use brain_registry::{PackSource, ToolResult, load_sources};
use brain_store::{MemoryStore, Scope};
use serde_json::{Value, json};

use crate::{Toolbox, ToolboxConfig};

/// Decides with a table over the input `{amount, kind}`.
fn decide(table: &str, input: Value) -> Result<ToolResult, Failure> {
    let tool = format!(
        "domain: t\ntools:\n  t:\n    title: T\n    input: {{amount: decimal, kind: [new, old]}}\n    \
         may_inject: true\n    behavior:\n      decide:\n{}\n  \
         note:\n    title: Note\n    input: {{text: string}}\n    behavior: {{expr: \"= input.text\"}}\n",
        table.lines().map(|line| format!("        {line}\n")).collect::<String>()
    );
    let files = vec![
        ("pack.yaml".to_owned(), "name: t\nversion: 1\nsettings: {limit: 100}\n".to_owned()),
        ("tools/t.yaml".to_owned(), tool),
    ];
    let loaded = load_sources(vec![PackSource::new("t", files)]).unwrap_or_else(|report| panic!("{report}"));
    let toolbox = Toolbox::new(Arc::new(loaded.registry), &ToolboxConfig::default()).unwrap();
    let call = toolbox.registry().tool("t.t").unwrap().validate(input).unwrap();
    let scope = Scope::of("t".parse().unwrap());
    let job = JobContext {
        conversation: None,
        trace: None,
        scope: scope.clone(),
        run: "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap(),
        key: "01890a5d-ac96-774b-bcce-b302099a8058".parse().unwrap(),
        job: serde_json::from_value(json!({"step": 0})).unwrap(),
        step: "t".into(),
        attempt: 1,
        started: Timestamp::from_millis(0),
        now: Timestamp::from_millis(0),
        timeout: Millis::from_secs(1),
        settings: None,
    };
    let store = MemoryStore::new();
    toolbox.decide(&call, &job, &mut RecordView::new(&store, &scope))
}

/// Three rules that all match `{amount: 150, kind: new}`; two match `{amount: 50, kind: new}`.
const RULES: &str = "rules:\n\
    \x20 - {when: {amount: '< 1000'}, then: {fee: 1.5, level: low}}\n\
    \x20 - {when: {amount: '> settings.limit'}, then: {fee: \"= input.amount / 10\", level: high}}\n\
    \x20 - {when: {kind: '\"new\"', amount: '-'}, then: {fee: 1.50, level: middle}}\n";

fn data(hit: &str, amount: i64) -> Value {
    decide(&format!("hit: {hit}\n{RULES}"), json!({"amount": amount, "kind": "new"})).unwrap().data
}

#[test]
fn first_takes_the_first_rule_that_matches() {
    assert_eq!(data("first", 150), json!({"fee": "1.5", "level": "low"}));
    assert_eq!(data("F", 5000), json!({"fee": 500, "level": "high"}));
}

#[test]
fn without_a_match_the_result_is_nulls_empty_lists_or_otherwise() {
    let none = "rules:\n  - {when: {amount: '< 0'}, then: {fee: 1}}";
    let data = |table: String| decide(&table, json!({"amount": 1, "kind": "old"})).unwrap().data;
    assert_eq!(data(none.to_owned()), json!({"fee": null}));
    for (hit, empty) in [("collect", json!([])), ("collect_count", json!(0)), ("collect_sum", json!(null))] {
        assert_eq!(data(format!("hit: {hit}\n{none}")), json!({"fee": empty}), "{hit}");
    }
    assert_eq!(data(format!("{none}\notherwise: {{then: {{fee: 9}}}}")), json!({"fee": 9}));
    assert_eq!(data(format!("hit: collect\n{none}\notherwise: {{then: {{fee: 9}}}}")), json!({"fee": [9]}));
}

#[test]
fn unique_fails_when_two_rules_match() {
    let only = decide(&format!("hit: unique\n{RULES}"), json!({"amount": 5000, "kind": "old"})).unwrap();
    assert_eq!(only.data["level"], "high");
    let failure = decide(&format!("hit: U\n{RULES}"), json!({"amount": 150, "kind": "new"})).unwrap_err();
    assert_eq!(failure.code, "decision_overlap");
    assert!(failure.message.contains("1 and 2"), "{}", failure.message);
}

#[test]
fn any_requires_equal_results_from_all_matching_rules() {
    let table = "hit: any\nrules:\n  - {when: {amount: '> 1'}, then: {ok: true}}\n  \
                 - {when: {kind: '\"new\"'}, then: {ok: \"= input.amount < 100\"}}";
    let run = |amount: i64| decide(table, json!({"amount": amount, "kind": "new"}));
    assert_eq!(run(50).unwrap().data, json!({"ok": true}));
    assert_eq!(run(150).unwrap_err().code, "decision_conflict");
}

#[test]
fn priority_and_output_order_go_by_the_declared_importance() {
    let outputs = "outputs: {level: [high, middle, low], fee: []}\n";
    let run = |hit: &str| {
        let table = format!("hit: {hit}\n{outputs}{RULES}");
        decide(&table, json!({"amount": 150, "kind": "new"})).unwrap().data
    };
    assert_eq!(run("priority"), json!({"fee": 15, "level": "high"}));
    assert_eq!(run("output_order")["level"], json!(["high", "middle", "low"]));
    assert_eq!(run("output_order")["fee"], json!([15, "1.50", "1.5"]));
}

#[test]
fn collecting_gives_lists_or_their_aggregate() {
    assert_eq!(data("rule_order", 150)["level"], json!(["low", "high", "middle"]));
    assert_eq!(data("collect", 50), json!({"fee": ["1.5", "1.50"], "level": ["low", "middle"]}));
    let fee = |hit: &str, amount: i64| {
        let rules = RULES.replace(", level: low", "").replace(", level: high", "").replace(", level: middle", "");
        decide(&format!("hit: {hit}\n{rules}"), json!({"amount": amount, "kind": "new"})).unwrap().data["fee"].clone()
    };
    assert_eq!(fee("collect_sum", 150), json!(18));
    assert_eq!(fee("C<", 150), json!("1.5"));
    assert_eq!(fee("C>", 150), json!(15));
    assert_eq!(fee("collect_count", 150), json!(2));
}

#[test]
fn the_steps_of_the_deciding_rules_are_injected() {
    let rules = "rules:\n  \
        - {when: {amount: '> 1'}, steps: [{id: a, tool: t.note, args: {text: \"= slots.kind\"}}, {id: b, tool: t.note, args: {text: x}}]}\n  \
        - {when: {kind: '\"new\"'}, steps: [{id: c, tool: t.note, args: {text: y}}]}\n";
    let ids = |hit: &str| {
        let result = decide(&format!("hit: {hit}\n{rules}"), json!({"amount": 50, "kind": "new"})).unwrap();
        result.new_steps.iter().map(|step| step["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids("first"), ["a", "b"]);
    assert_eq!(ids("rule_order"), ["a", "b", "c"]);
    let result = decide(rules, json!({"amount": 50, "kind": "new"})).unwrap();
    let step: brain_registry::model::PlaybookStep = serde_json::from_value(result.new_steps[1].clone()).unwrap();
    assert_eq!(step.after, ["a"]);
}

#[test]
fn result_columns_are_those_of_the_table() {
    let table = "inputs: {tenth: \"= input.amount / 10\"}\nrules:\n  - {when: {tenth: 15}, then: {hit: true}}\n  - {then: {hit: false}}";
    let run = |amount: i64| decide(table, json!({"amount": amount, "kind": "new"})).unwrap().data["hit"].clone();
    assert_eq!(run(150), json!(true));
    assert_eq!(run(151), json!(false));
}
