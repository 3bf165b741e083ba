//! `{worker: TOPIC}`: another program does the work.

use brain_core::Millis;

use super::{Context, policy};
use crate::code::Code;
use crate::model::WorkerBehavior;
use crate::yaml::Node;

/// Default lease of a worker's job.
const LEASE: Millis = Millis::from_secs(5 * 60);

pub(super) const KEYS: [&str; 2] = ["topic", "lease"];

/// `TOPIC`, or `{topic, lease}`.
pub(super) fn decode(cx: &mut Context<'_>, node: &Node) -> Option<WorkerBehavior> {
    if node.as_scalar().is_some() {
        return Some(WorkerBehavior { topic: topic(cx, node)?, lease: LEASE });
    }
    let fields = cx.fields(node, "`worker`", &KEYS)?;
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
        cx.report(Code::BadName, node.span, format!("`{text}` is not a valid topic"), Some(help.into()));
    }
    good.then_some(text)
}
