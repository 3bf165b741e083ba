//! `corpus/{tune,test}/*.yaml` — utterances with their expected reading.

use serde_json::{Map, Value};

use super::Context;
use crate::code::Code;
use crate::located::Located;
use crate::model::{CorpusRow, CorpusSet, Expectation};
use crate::yaml::Node;

pub(super) const ROW_KEYS: [&str; 2] = ["say", "expect"];
pub(super) const EXPECT_KEYS: [&str; 8] = ["tool", "playbook", "none", "ask", "slots", "question", "nothing", "either"];

/// Decodes a list of utterances.
pub(crate) fn corpus(cx: &mut Context<'_>, node: &Node, set: CorpusSet) -> Vec<Located<CorpusRow>> {
    let Some(items) = cx.seq(node, "a corpus") else { return Vec::new() };
    items.iter().filter_map(|item| row(cx, item, set)).collect()
}

fn row(cx: &mut Context<'_>, node: &Node, set: CorpusSet) -> Option<Located<CorpusRow>> {
    let fields = cx.fields(node, "a corpus row", &ROW_KEYS)?;
    let say_node = fields.need(cx, "say", "a corpus row");
    let say = say_node.and_then(|node| cx.text(node, "`say`"));
    let expect = fields.need(cx, "expect", "a corpus row").and_then(|node| expectation(cx, node));
    let row = CorpusRow { pack: cx.pack.to_owned(), set, group: group(cx.file), say: say?, expect: expect? };
    Some(Located::new(cx, row, say_node?.span, node.clone()))
}

/// `none`, `ask`, `{ask: [a, b]}`, `{tool, slots}`, `{playbook, slots}`, a list of those, `{question: [TYPE]}`,
/// `{nothing: [a, b]}`, `{either: [A, B]}`.
fn expectation(cx: &mut Context<'_>, node: &Node) -> Option<Expectation> {
    if let Some(scalar) = node.as_scalar() {
        return match scalar.text.as_str() {
            "none" => Some(Expectation::None),
            "ask" => Some(Expectation::Ask(Vec::new())),
            other => {
                let help = "write `none`, `ask`, `{tool: NAME, slots: {…}}` or `{playbook: NAME, slots: {…}}`";
                cx.report(
                    Code::UnknownChoice,
                    node.span,
                    format!("`{other}` is not an expectation"),
                    Some(help.into()),
                );
                None
            }
        };
    }
    if node.as_seq().is_some() {
        return Some(Expectation::Calls(members(cx, node)?));
    }
    let fields = cx.fields(node, "an expectation", &EXPECT_KEYS)?;
    if let Some(members_node) = fields.get("either") {
        return Some(Expectation::Either(members(cx, members_node)?));
    }
    if let Some(types) = fields.get("question") {
        return Some(Expectation::Question(cx.texts(types, "a record type")));
    }
    if let Some(names) = fields.get("nothing") {
        return Some(Expectation::Nothing(cx.texts(names, "a tool name")));
    }
    if let Some(options) = fields.get("ask") {
        let named = options.kind() != "true or false";
        return Some(Expectation::Ask(if named { cx.texts(options, "a tool name") } else { Vec::new() }));
    }
    if fields.get("none").is_some() {
        return Some(Expectation::None);
    }
    let slots: Map<String, Value> = match fields.get("slots") {
        Some(node) => cx.map(node, "`slots`")?.iter().map(|(key, node)| (key.text.clone(), cx.value(node))).collect(),
        None => Map::new(),
    };
    if let Some(node) = fields.get("tool") {
        return Some(Expectation::Tool { name: cx.full_name(node, "tool name")?, slots });
    }
    if let Some(node) = fields.get("playbook") {
        return Some(Expectation::Playbook { name: cx.full_name(node, "playbook name")?, slots });
    }
    let help = "write `none`, `ask`, `{tool: NAME}` or `{playbook: NAME}`";
    cx.report(Code::MissingKey, fields.first(), "`expect` has no recognised key", Some(help.into()));
    None
}

/// The name of a file without folder and ending.
fn group(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.split('.').next().unwrap_or(name).to_owned()
}

fn members(cx: &mut Context<'_>, node: &Node) -> Option<Vec<Expectation>> {
    let items = cx.seq(node, "expectations")?;
    let found: Vec<Expectation> = items.iter().filter_map(|item| expectation(cx, item)).collect();
    (found.len() == items.len()).then_some(found)
}
