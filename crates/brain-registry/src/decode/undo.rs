//! `undo:` — `none`, or the tool that takes it back.

use super::Context;
use crate::code::Code;
use crate::model::Undo;
use crate::yaml::Node;

/// `none`, or `{tool, args, until}`.
pub(super) fn undo(cx: &mut Context<'_>, node: &Node) -> Option<Undo> {
    if let Some(scalar) = node.as_scalar() {
        if scalar.text != "none" {
            let help = "write `undo: none`, or `undo: {tool: …, args: {…}}`";
            cx.report(Code::UnknownChoice, node.span, format!("`{}` is not an undo", scalar.text), Some(help.into()));
        }
        return None;
    }
    let fields = cx.fields(node, "`undo`", &["tool", "args", "until"])?;
    let tool = fields.need(cx, "tool", "`undo`");
    let tool = tool.and_then(|node| cx.full_name(node, "tool name"));
    let until = fields.get("until").and_then(|node| cx.duration(node, "`until`"));
    let args = match fields.get("args") {
        Some(args) => cx.map(args, "`args`").and_then(|_| cx.binding(args)),
        None => cx.parsed(&serde_json::json!({}), node.span),
    };
    Some(Undo { tool: tool?, args: args?, until })
}
