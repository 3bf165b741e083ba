//! `{playbook: NAME}`: a tool that runs a playbook.

use super::Context;
use crate::model::PlaybookBehavior;
use crate::yaml::Node;

pub(super) const KEYS: [&str; 2] = ["name", "result"];

/// `NAME`, or `{name, result}`.
pub(super) fn decode(cx: &mut Context<'_>, node: &Node) -> Option<PlaybookBehavior> {
    if node.as_scalar().is_some() {
        let name = cx.full_name(node, "playbook name")?;
        return Some(PlaybookBehavior { name, result: None, definition: None });
    }
    let fields = cx.fields(node, "`playbook`", &KEYS)?;
    let name = fields.need(cx, "name", "`playbook`").and_then(|node| cx.full_name(node, "playbook name"));
    let result = match fields.get("result") {
        Some(node) => Some(cx.binding(node)?),
        None => None,
    };
    Some(PlaybookBehavior { name: name?, result, definition: None })
}
