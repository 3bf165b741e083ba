//! `behavior:` — how a tool is executed.

use serde_json::Value;

use super::{
    Context, decide_behavior, expr_behavior, http_behavior, native_behavior, playbook_behavior, record_behavior,
    worker_behavior,
};
use crate::code::Code;
use crate::model::Behavior;
use crate::suggest::did_you_mean;
use crate::yaml::Node;

/// Supported behaviors.
pub(super) const NOW: [&str; 7] = ["record", "expr", "http", "decide", "playbook", "worker", "native"];
/// Planned behaviors.
const LATER: [&str; 3] = ["mcp", "workflow", "llm"];

/// The behavior of a tool with this input.
pub(super) fn behavior(cx: &mut Context<'_>, node: &Node, input: &Value) -> Option<Behavior> {
    let entries = cx.map(node, "`behavior`")?;
    let [(key, value)] = entries else {
        let help = "write `behavior: {record: {…}}`, `{expr: …}` or `{http: {…}}`";
        cx.report(Code::WrongKind, node.span, "`behavior` must have exactly one key, the kind", Some(help.into()));
        return None;
    };
    match key.text.as_str() {
        "record" => record_behavior::decode(cx, value, input).map(Behavior::Record),
        "expr" => expr_behavior::decode(cx, value).map(Behavior::Expr),
        "http" => http_behavior::decode(cx, value).map(|http| Behavior::Http(Box::new(http))),
        "decide" => decide_behavior::decode(cx, value, input).map(|table| Behavior::Decide(Box::new(table))),
        "playbook" => playbook_behavior::decode(cx, value).map(|playbook| Behavior::Playbook(Box::new(playbook))),
        "worker" => worker_behavior::decode(cx, value).map(Behavior::Worker),
        "native" => native_behavior::decode(cx, value),
        later if LATER.contains(&later) => {
            let message = format!("the behavior `{later}` is not supported by this version");
            let help = format!("use one of {}", crate::suggest::quoted(&NOW));
            cx.report(Code::NotYet, key.span, message, Some(help));
            None
        }
        other => {
            let help = did_you_mean(other, NOW.into_iter().chain(LATER));
            cx.report(Code::UnknownKey, key.span, format!("unknown behavior `{other}`"), help);
            None
        }
    }
}
