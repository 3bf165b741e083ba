//! Scenarios: known tools, record types and names. Arguments are not checked: a scenario may try invalid ones.

use std::collections::BTreeSet;

use super::expressions::Scope;
use super::record_behavior::filters;
use super::records::unknown_record;
use super::tools::known_tool;
use crate::decode::Context;
use crate::diagnostic::Diagnostic;
use crate::located::Located;
use crate::model::Scenario;
use crate::world::World;
use crate::yaml::Node;

/// Checks all scenarios.
pub(super) fn check(world: &World, found: &mut Vec<Diagnostic>) {
    for scenario in &world.scenarios {
        let mut cx = scenario.context(&world.sources, found);
        for (key, _) in scenario.node.get("stubs").and_then(Node::as_map).unwrap_or(&[]) {
            known_tool(&mut cx, world, &key.text, key.span);
        }
        steps(&mut cx, world, scenario);
    }
}

fn steps(cx: &mut Context<'_>, world: &World, scenario: &Located<Scenario>) {
    let mut names: BTreeSet<String> = BTreeSet::new();
    for node in scenario.node.get("steps").and_then(Node::as_seq).unwrap_or(&[]) {
        let scope = names.iter().fold(Scope::new(world), |scope, name| scope.with(name, None));
        for place in [node.get("say"), node.nearest(["call"]).get("input")].into_iter().flatten() {
            scope.check(cx, place);
        }
        let after = scope.with("result", None).with("run", None);
        let fails = node.nearest(["expect", "ok"]).as_scalar().is_some_and(|scalar| scalar.text == "false");
        let calls = node.get("call").map(|call| call.as_seq().map_or_else(|| vec![call], |list| list.iter().collect()));
        let called = calls.unwrap_or_default().into_iter().filter_map(|call| call.get("tool")).filter(|_| !fails);
        for tool in called.chain(node.get("expect").and_then(|expect| expect.get("tool"))) {
            if let Some(scalar) = tool.as_scalar()
                && world.playbook(&scalar.text).is_none()
            {
                known_tool(cx, world, &scalar.text, tool.span);
            }
        }
        if let Some(result) = node.get("expect").and_then(|expect| expect.get("result")) {
            after.check(cx, result);
        }
        let mut after = after;
        for (key, value) in node.get("let").and_then(Node::as_map).unwrap_or(&[]) {
            after.check(cx, value);
            names.insert(key.text.clone());
            after = after.with(&key.text, None);
        }
        if let Some(records) = node.get("expect_records") {
            let several = records.as_seq().map_or_else(|| vec![records], |items| items.iter().collect());
            several.into_iter().for_each(|one| expected_records(cx, world, one, &after));
        }
    }
}

fn expected_records(cx: &mut Context<'_>, world: &World, node: &Node, scope: &Scope) {
    let Some(name) = node.get("type").and_then(|name| Some((name.as_scalar()?.text.as_str(), name.span))) else {
        return;
    };
    match world.record(name.0) {
        None => unknown_record(cx, world, name.0, name.1),
        Some(record) => {
            filters(cx, record, node.get("where"));
            filters(cx, record, node.get("fields"));
        }
    }
    for place in [node.get("where"), node.get("fields")].into_iter().flatten() {
        scope.check(cx, place);
    }
}
