//! Atomic playbooks are one commit, so no step may have an external effect.

use super::expansion::first_outside;
use crate::code::Code;
use crate::decode::Context;
use crate::located::Located;
use crate::model::{BatchPolicy, Playbook};
use crate::world::World;
use crate::yaml::Node;

/// Checks a playbook with `policy: atomic`.
pub(super) fn check(cx: &mut Context<'_>, world: &World, playbook: &Located<Playbook>) {
    if playbook.value.policy != BatchPolicy::Atomic {
        return;
    }
    for node in playbook.node.get("steps").and_then(Node::as_seq).unwrap_or(&[]) {
        let text = |key: &str| Some(node.get(key)?.as_scalar()?.text.as_str());
        let (Some(id), Some(name)) = (text("id"), text("tool")) else { continue };
        if let Some(given) = node.get("on_failure") {
            let help = "leave it out: if one step fails, none of them happens";
            let message = format!("the step `{id}` of an atomic playbook must not set `on_failure`");
            cx.report(Code::NotAtomic, given.span, message, Some(help.into()));
        }
        let Some(outside) = world.tool(name).and_then(|tool| first_outside(world, tool)) else { continue };
        let how = if outside == name { String::new() } else { format!(" (through `{outside}`)") };
        let message =
            format!("the step `{id}` calls an external system{how}, so it cannot be part of an atomic commit");
        let help = "an external call cannot be rolled back; use `on_failure: undo` instead of `policy: atomic`";
        cx.report(Code::NotAtomic, node.nearest(["tool"]).span, message, Some(help.into()));
    }
}
