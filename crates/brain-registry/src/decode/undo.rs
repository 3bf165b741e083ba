//! `undo:` — `none`, a reason, or the tool that reverses the effect.

use super::Context;
use crate::code::Code;
use crate::model::Undo;
use crate::yaml::Node;

/// The message for `undo: none`.
pub(crate) const CANNOT: &str = "It cannot be undone.";

pub(super) const KEYS: [&str; 4] = ["tool", "args", "until", "cannot"];

/// How a tool is undone, or why it cannot be.
pub(super) type HowToUndo = (Option<Undo>, Option<String>);

/// `none`, `{cannot: REASON}`, or `{tool, args, until}`.
pub(super) fn undo(cx: &mut Context<'_>, node: &Node) -> HowToUndo {
    if let Some(scalar) = node.as_scalar() {
        if scalar.text == "none" {
            return (None, Some(CANNOT.to_owned()));
        }
        let help = "write `undo: none`, `undo: {cannot: REASON}`, or `undo: {tool: …, args: {…}}`";
        cx.report(Code::UnknownChoice, node.span, format!("`{}` is not an undo", scalar.text), Some(help.into()));
        return (None, None);
    }
    if node.get("cannot").is_some() {
        let fields = cx.fields(node, "`undo`", &["cannot"]);
        let reason = fields.and_then(|fields| fields.get("cannot")).and_then(|node| cx.text(node, "`cannot`"));
        return (None, reason);
    }
    (by_tool(cx, node), None)
}

fn by_tool(cx: &mut Context<'_>, node: &Node) -> Option<Undo> {
    let fields = cx.fields(node, "`undo`", &KEYS)?;
    let tool = fields.need(cx, "tool", "`undo`");
    let tool = tool.and_then(|node| cx.full_name(node, "tool name"));
    let until = fields.get("until").and_then(|node| cx.duration(node, "`until`"));
    let args = match fields.get("args") {
        Some(args) => cx.map(args, "`args`").and_then(|_| cx.binding(args)),
        None => cx.parsed(&serde_json::json!({}), node.span),
    };
    Some(Undo { tool: tool?, args: args?, until })
}
