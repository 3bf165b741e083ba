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
            cx.report(Code::DuplicateUtterance, row.name, "this utterance is there twice", Some(help));
        }
        let expect = row.at(&["expect"]);
        match &row.value.expect {
            Expectation::None => {}
            Expectation::Ask(names) => {
                for (index, name) in names.iter().enumerate().filter(|(_, name)| world.playbook(name).is_none()) {
                    known_tool(&mut cx, world, name, expect.nearest(["ask", &index.to_string()]).span);
                }
            }
            Expectation::Tool { name, .. } => {
                if let Some(tool) = known_tool(&mut cx, world, name, expect.nearest(["tool"]).span) {
                    slots(&mut cx, name, &tool.input, expect.get("slots"));
                }
            }
            Expectation::Playbook { name, .. } => match world.playbook(name) {
                Some(playbook) => slots(&mut cx, name, &playbook.slots, expect.get("slots")),
                None if !world.surely_unknown(name) => {}
                None => {
                    let names = world.playbooks.iter().map(|playbook| playbook.value.name.as_str());
                    let help = did_you_mean(name, names);
                    cx.report(
                        Code::UnknownTool,
                        expect.nearest(["playbook"]).span,
                        format!("there is no playbook `{name}`"),
                        help,
                    );
                }
            },
        }
    }
}

/// Whether a record is given by name: `{mention: Kim Park}`.
fn is_named(property: &Value, value: &Node) -> bool {
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
