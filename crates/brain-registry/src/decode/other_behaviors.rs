//! The short behaviors: `playbook`, `worker`, `native`.

use brain_core::Millis;

use super::{Context, policy};
use crate::code::Code;
use crate::model::{Behavior, PlaybookBehavior, WorkerBehavior};
use crate::suggest::did_you_mean;
use crate::yaml::Node;

/// Default lease of a worker's job.
const LEASE: Millis = Millis::from_secs(5 * 60);

pub(super) const PLAYBOOK_KEYS: [&str; 2] = ["name", "result"];
pub(super) const WORKER_KEYS: [&str; 2] = ["topic", "lease"];

/// `NAME`, or `{name, result}`.
pub(super) fn playbook(cx: &mut Context<'_>, node: &Node) -> Option<PlaybookBehavior> {
    if node.as_scalar().is_some() {
        let name = cx.full_name(node, "playbook name")?;
        return Some(PlaybookBehavior { name, result: None, definition: None });
    }
    let fields = cx.fields(node, "`playbook`", &PLAYBOOK_KEYS)?;
    let name = fields.need(cx, "name", "`playbook`").and_then(|node| cx.full_name(node, "playbook name"));
    let result = match fields.get("result") {
        Some(node) => Some(cx.binding(node)?),
        None => None,
    };
    Some(PlaybookBehavior { name: name?, result, definition: None })
}

/// `TOPIC`, or `{topic, lease}`.
pub(super) fn worker(cx: &mut Context<'_>, node: &Node) -> Option<WorkerBehavior> {
    if node.as_scalar().is_some() {
        return Some(WorkerBehavior { topic: topic(cx, node)?, lease: LEASE });
    }
    let fields = cx.fields(node, "`worker`", &WORKER_KEYS)?;
    let topic = fields.need(cx, "topic", "`worker`").and_then(|node| topic(cx, node));
    let lease = match fields.get("lease") {
        Some(node) => policy::timeout(cx, node)?,
        None => LEASE,
    };
    Some(WorkerBehavior { topic: topic?, lease })
}

/// A topic: letters, digits, `_`, `-` and `.`.
fn topic(cx: &mut Context<'_>, node: &Node) -> Option<String> {
    let text = cx.text(node, "a topic")?;
    let good =
        !text.is_empty() && text.len() <= 200 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b));
    if !good {
        let help = "use letters, digits, `_`, `-` and `.`, for example `scan_documents`";
        cx.report(Code::BadName, node.span, format!("`{text}` is not a good topic"), Some(help.into()));
    }
    good.then_some(text)
}

/// `FUNCTION`, which must be registered.
pub(super) fn native(cx: &mut Context<'_>, node: &Node) -> Option<Behavior> {
    let name = cx.text(node, "`native`")?;
    if let Some(known) = cx.natives.iter().find(|native| native.name == name) {
        return Some(known.behavior());
    }
    let names = cx.natives.iter().map(|native| native.name.as_str());
    let near = did_you_mean(&name, names).map(|text| format!("{text} ")).unwrap_or_default();
    let help = format!("{near}native functions are registered by the program that embeds Brain, before it loads packs");
    cx.report(Code::UnknownFunction, node.span, format!("there is no native function `{name}`"), Some(help));
    None
}
