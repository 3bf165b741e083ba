//! Attributes of tools: named tools exist, and expressions use names in scope.

use std::collections::BTreeSet;

use super::expressions::result_names;
use super::tools::{known_tool, recorded, scope};
use crate::code::Code;
use crate::decode::Context;
use crate::located::Located;
use crate::model::ToolDef;
use crate::world::World;
use crate::yaml::Node;

/// Checks the attributes of a tool.
pub(super) fn check(cx: &mut Context<'_>, world: &World, tool: &Located<ToolDef>) {
    for (key, verb) in [("opposites", "contradict"), ("dependencies", "depend on")] {
        let Some(node) = tool.node.get(key) else { continue };
        for leaf in crate::decode::leaves(node) {
            if leaf.scalar.text == tool.value.name {
                let message = format!("a tool cannot {verb} itself");
                cx.report(Code::BadAttribute, leaf.span, message, Some("name another tool, or leave it out".into()));
            } else {
                known_tool(cx, world, &leaf.scalar.text, leaf.span);
            }
        }
    }
    let before = scope(world, &tool.value);
    for blocker in tool.node.get("blockers").and_then(Node::as_seq).unwrap_or(&[]) {
        if let Some(node) = blocker.get("when") {
            before.check_condition(cx, node);
        }
        if let Some(node) = blocker.get("else") {
            before.check(cx, node);
        }
    }
    if let Some(node) = tool.node.get("cost").and_then(|cost| cost.get("units")) {
        before.check_condition(cx, node);
    }
    if let Some(node) = tool.node.get("acknowledge") {
        before.check(cx, node.get("text").unwrap_or(node));
    }
    if let Some(node) = tool.node.get("delegate").and_then(|delegate| delegate.get("reference")) {
        let response = BTreeSet::from(["status", "headers", "body"].map(str::to_owned));
        before.clone().with("response", Some(response)).check(cx, node);
    }
    if let Some(node) = tool.node.get("review") {
        let after = before.with("result", result_names(&tool.value, recorded(world, &tool.value)));
        if let Some(when) = node.get("when") {
            after.check_condition(cx, when);
        }
        after.check(cx, node.get("ask").unwrap_or(node));
    }
}
