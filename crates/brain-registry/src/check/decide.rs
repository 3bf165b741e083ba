//! Decision tables: known columns, satisfiable cells, reachable rules, permitted steps.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::arguments::fits;
use super::expressions::Scope;
use super::step_list::{self, StepList};
use super::tools::scope;
use crate::code::Code;
use crate::decode::{Context, as_text};
use crate::located::Located;
use crate::model::{DecideBehavior, DecideRule, HitPolicy, ToolDef};
use crate::suggest::{did_you_mean, quoted};
use crate::world::World;
use crate::yaml::{Node, Span};

/// Whether at most one rule applies.
fn single(hit: HitPolicy) -> bool {
    matches!(hit, HitPolicy::First | HitPolicy::Unique | HitPolicy::Any | HitPolicy::Priority)
}

/// Checks the table of a tool.
pub(super) fn check(cx: &mut Context<'_>, world: &World, tool: &Located<ToolDef>, table: &DecideBehavior) {
    let node = tool.at(&["behavior", "decide"]);
    let scope = scope(world, &tool.value);
    for (_, column) in node.get("inputs").and_then(Node::as_map).unwrap_or(&[]) {
        scope.check_condition(cx, column);
    }
    importance(cx, table, node);
    let written = node.get("rules").and_then(Node::as_seq).unwrap_or(&[]);
    let mut ids = BTreeMap::new();
    let mut refused = false;
    let rows = table.rules.iter().zip(written).chain(table.otherwise.iter().zip(node.get("otherwise")));
    for (rule, row) in rows {
        for (key, cell) in row.get("when").and_then(Node::as_map).unwrap_or(&[]) {
            if table.inputs.iter().any(|(name, _)| *name == key.text) {
                self::cell(cx, rule, &key.text, cell, &scope);
            } else {
                let help = did_you_mean(&key.text, table.inputs.iter().map(|(name, _)| name.as_str()));
                cx.report(Code::BadTable, key.span, format!("the table has no column `{}`", key.text), help);
            }
        }
        consequences(cx, tool, table, row, &scope);
        steps(cx, world, tool, (rule, row), &mut refused);
        if !single(table.hit) {
            unique_steps(cx, row, &mut ids);
        }
    }
    if single(table.hit) {
        uneven(cx, table, written);
    }
    if table.hit == HitPolicy::First {
        dead(cx, table, written);
    }
    promised(cx, tool, table, node);
}

/// `priority` and `output_order` need an order of importance.
fn importance(cx: &mut Context<'_>, table: &DecideBehavior, node: &Node) {
    let ranked = table.outputs.iter().any(|(_, values)| !values.is_empty());
    if matches!(table.hit, HitPolicy::Priority | HitPolicy::OutputOrder) && !ranked {
        let help = "list the values of a result column, the most important first: `outputs: {level: [high, low]}`";
        let place = node.get("outputs").or_else(|| node.get("hit")).unwrap_or(node);
        cx.report(Code::BadTable, place.span, "this hit policy needs a ranking of the results", Some(help.into()));
    }
}

/// A cell sees `input` and `settings`. A single unknown word was probably meant as text.
fn cell(cx: &mut Context<'_>, rule: &DecideRule, column: &str, node: &Node, scope: &Scope) {
    let Some(tests) = rule.when.get(column) else { return };
    for path in tests.paths().iter().filter(|path| path.first().is_some_and(|root| root != "?")) {
        let root = &path[0];
        match scope.problem(path) {
            None => {}
            Some(_) if path.len() == 1 && !scope.knows(root) => {
                let message = format!("nothing here is called `{root}`");
                cx.report(Code::BadCell, node.span, message, Some(as_text(root)));
            }
            Some((message, help)) => cx.report(Code::UnknownName, node.span, message, help),
        }
    }
}

/// Result values: declared columns, names in scope, literals that fit the output.
fn consequences(cx: &mut Context<'_>, tool: &Located<ToolDef>, table: &DecideBehavior, row: &Node, scope: &Scope) {
    for (key, value) in row.get("then").and_then(Node::as_map).unwrap_or(&[]) {
        scope.check(cx, value);
        if !table.outputs.is_empty() && !table.outputs.iter().any(|(name, _)| *name == key.text) {
            let help = did_you_mean(&key.text, table.outputs.iter().map(|(name, _)| name.as_str()));
            cx.report(Code::BadTable, key.span, format!("the table has no result column `{}`", key.text), help);
            continue;
        }
        let ranked = table.outputs.iter().find(|(name, values)| *name == key.text && !values.is_empty());
        if let Some((_, values)) = ranked
            && super::arguments::is_literal(value)
            && !values.contains(&crate::yaml::to_json(value))
        {
            let shown: Vec<String> = values.iter().map(shown).collect();
            let help = format!("`outputs` ranks {}", quoted(&shown));
            let message = format!("this value of `{}` is not in its ranked list", key.text);
            cx.report(Code::BadTable, value.span, message, Some(help));
        }
        let promised = tool.value.output.as_ref().and_then(|output| output["properties"].get(&key.text));
        if let Some(schema) = promised.filter(|_| single(table.hit) && value.kind() != "nothing") {
            fits(cx, schema, value, &key.text);
        }
    }
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Injected steps: permitted (reported once if not: `refused`), and checked like those of a playbook whose slots are
/// the tool's input.
fn steps(
    cx: &mut Context<'_>,
    world: &World,
    tool: &Located<ToolDef>,
    (rule, row): (&DecideRule, &Node),
    refused: &mut bool,
) {
    let Some(node) = row.get("steps") else { return };
    if !tool.value.may_inject && !*refused {
        *refused = true;
        let span = row.entry("steps").map_or(node.span, |(key, _)| key.span);
        let help = "add `may_inject: true` to the tool";
        cx.report(Code::MayNotInject, span, "this tool may not add steps to a run", Some(help.into()));
    }
    let list = StepList {
        steps: &rule.steps,
        written: node.as_seq().unwrap_or(&[]),
        slots: &tool.value.input,
        injected: true,
        roles: false,
    };
    step_list::check(cx, world, &list);
}

/// If several rules may apply, their steps are in one run: ids must be unique in the whole table.
fn unique_steps(cx: &mut Context<'_>, row: &Node, ids: &mut BTreeMap<String, Span>) {
    let mut own = Vec::new();
    for step in row.get("steps").and_then(Node::as_seq).unwrap_or(&[]) {
        let Some((id, scalar)) = step.get("id").and_then(|id| Some((id, id.as_scalar()?))) else { continue };
        if let Some(first) = ids.get(&scalar.text) {
            let help = format!("the other one is on line {}; several rules may match at once", first.line);
            cx.report(Code::DuplicateStep, id.span, format!("two steps are called `{}`", scalar.text), Some(help));
        }
        own.push((scalar.text.clone(), id.span));
    }
    ids.extend(own);
}

/// If one rule applies, the columns it omits are null.
fn uneven(cx: &mut Context<'_>, table: &DecideBehavior, written: &[Node]) {
    let all: BTreeSet<&String> = table.rules.iter().flat_map(|rule| rule.then.keys()).collect();
    for (rule, row) in table.rules.iter().zip(written) {
        let missing: Vec<&str> =
            all.iter().filter(|name| !rule.then.contains_key(**name)).map(|name| name.as_str()).collect();
        if !missing.is_empty() {
            let help = format!("other rules give {}; without a value it is null", quoted(&missing));
            let place = row.get("then").unwrap_or(row);
            cx.report(Code::UnevenRules, place.span, "this rule does not give every result column", Some(help));
        }
    }
}

/// Under `first`, a rule after one with the same tests, or none, can never apply.
fn dead(cx: &mut Context<'_>, table: &DecideBehavior, written: &[Node]) {
    let tested = |rule: &DecideRule| -> BTreeMap<String, String> {
        let text = |tests: &str| tests.split_whitespace().collect::<Vec<_>>().join(" ");
        let cells = rule.when.iter().map(|(column, tests)| (column.clone(), text(tests.source())));
        cells.filter(|(_, tests)| tests != "-").collect()
    };
    let tests: Vec<BTreeMap<String, String>> = table.rules.iter().map(tested).collect();
    for (index, row) in written.iter().enumerate().take(tests.len()) {
        let covers = |earlier: &BTreeMap<String, String>| {
            earlier.iter().all(|(column, text)| tests[index].get(column) == Some(text))
        };
        if let Some(first) = tests[..index].iter().position(covers) {
            let help = format!(
                "rule {} (line {}) matches whenever this one does, and comes first",
                first + 1,
                written[first].span.line
            );
            cx.report(Code::DeadRule, row.span, "this rule never applies", Some(help));
        }
    }
}

/// Required properties of the declared output must be result columns.
fn promised(cx: &mut Context<'_>, tool: &Located<ToolDef>, table: &DecideBehavior, node: &Node) {
    let Some(output) = &tool.value.output else { return };
    let given: BTreeSet<&String> = table
        .rules
        .iter()
        .chain(&table.otherwise)
        .flat_map(|rule| rule.then.keys())
        .chain(table.outputs.iter().map(|(name, _)| name))
        .collect();
    for name in output["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !given.iter().any(|column| *column == name) {
            let at =
                tool.node.get("output").and_then(|output| output.entry(name)).map_or(node.span, |(key, _)| key.span);
            let help = did_you_mean(name, given.iter().map(|column| column.as_str()));
            cx.report(Code::BadTable, at, format!("no rule of the table gives `{name}`"), help);
        }
    }
}
