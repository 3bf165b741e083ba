//! Corpora: expectations can be met, and no utterance occurs twice.

use std::collections::BTreeMap;

use serde_json::Value;

use super::arguments::fits;
use super::tools::known_tool;
use crate::code::Code;
use crate::complete::properties;
use crate::decode::Context;
use crate::diagnostic::Diagnostic;
use crate::model::Expectation;
use crate::suggest::did_you_mean;
use crate::world::World;
use crate::yaml::Node;

/// Checks all corpora.
pub(super) fn check(world: &World, found: &mut Vec<Diagnostic>) {
    let mut seen: BTreeMap<String, (&str, usize)> = BTreeMap::new();
    for row in &world.corpus {
        let mut cx = row.context(&world.sources, found);
        let key = row.value.say.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some((file, line)) = seen.insert(key, (row.file.as_str(), row.name.line)) {
            let help = format!("the other one is in {file}, line {line}; corpora must not overlap");
            cx.report(Code::DuplicateUtterance, row.name, "this utterance appears twice", Some(help));
        }
        expectation(&mut cx, world, &row.value.expect, row.at(&["expect"]));
    }
}

fn expectation(cx: &mut Context<'_>, world: &World, expect: &Expectation, node: &Node) {
    let at = |key: &str| node.nearest([key]).span;
    match expect {
        Expectation::None => {}
        Expectation::Ask(names) => tools(cx, world, names, node.get("ask")),
        Expectation::Nothing(names) => tools(cx, world, names, node.get("nothing")),
        Expectation::Question(types) => {
            for name in types.iter().filter(|name| !world.records.iter().any(|record| record.value.name == **name)) {
                let help = did_you_mean(name, world.records.iter().map(|record| record.value.name.as_str()));
                cx.report(Code::BadExpectation, at("question"), format!("there is no record type `{name}`"), help);
            }
        }
        Expectation::Calls(members) => each(cx, world, members, Some(node)),
        Expectation::Either(members) => each(cx, world, members, node.get("either")),
        Expectation::Tool { name, .. } => {
            if let Some(tool) = known_tool(cx, world, name, at("tool")) {
                slots(cx, name, &tool.input, node.get("slots"));
            }
        }
        Expectation::Playbook { name, .. } => match world.playbook(name) {
            Some(playbook) => slots(cx, name, &playbook.slots, node.get("slots")),
            None if !world.surely_unknown(name) => {}
            None => {
                let names = world.playbooks.iter().map(|playbook| playbook.value.name.as_str());
                let help = did_you_mean(name, names);
                cx.report(Code::UnknownTool, at("playbook"), format!("there is no playbook `{name}`"), help);
            }
        },
    }
}

fn each(cx: &mut Context<'_>, world: &World, members: &[Expectation], node: Option<&Node>) {
    let nodes = node.and_then(Node::as_seq).unwrap_or(&[]);
    for (member, node) in members.iter().zip(nodes) {
        expectation(cx, world, member, node);
    }
}

/// Checks names of tools or playbooks.
fn tools(cx: &mut Context<'_>, world: &World, names: &[String], node: Option<&Node>) {
    let Some(node) = node else { return };
    for (index, name) in names.iter().enumerate().filter(|(_, name)| world.playbook(name).is_none()) {
        let item = node.as_seq().and_then(|items| items.get(index)).unwrap_or(node);
        known_tool(cx, world, name, item.span);
    }
}

/// Whether a record, or each record of a list, is given by name: `{mention: Kim Park}`.
fn is_named(property: &Value, value: &Node) -> bool {
    if let Some(items) = value.as_seq() {
        return !items.is_empty() && items.iter().all(|item| is_named(&property["items"], item));
    }
    let entries = value.as_map().unwrap_or(&[]);
    property["x-entity"].is_string() && matches!(entries, [(key, _)] if key.text == "mention")
}

fn slots(cx: &mut Context<'_>, name: &str, schema: &Value, node: Option<&Node>) {
    for (key, value) in node.and_then(Node::as_map).unwrap_or(&[]) {
        match schema["properties"].get(&key.text) {
            Some(property) if is_named(property, value) => {}
            Some(property) => fits(cx, property, value, &key.text),
            None => {
                let help = did_you_mean(&key.text, properties(schema).map(String::as_str));
                cx.report(Code::BadExpectation, key.span, format!("`{name}` has no slot `{}`", key.text), help);
            }
        }
    }
}
