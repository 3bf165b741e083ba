//! Slots and roles of a playbook: each is used, and their rules can be satisfied.

use std::collections::BTreeSet;

use serde_json::Value;

use super::arguments;
use super::expressions::{Scope, result_names};
use super::tools::{known_tool, recorded};
use crate::code::Code;
use crate::complete::properties;
use crate::decode::{Context, Leaf, leaves};
use crate::located::Located;
use crate::model::{Behavior, Playbook};
use crate::suggest::did_you_mean;
use crate::world::World;
use crate::yaml::{Node, Span, locate};

/// Checks the slots and roles of a playbook.
pub(super) fn check(cx: &mut Context<'_>, world: &World, playbook: &Located<Playbook>) {
    kinds(cx, world, playbook);
    let slots = playbook.node.get("slots").and_then(Node::as_map).unwrap_or(&[]);
    for (key, node) in slots {
        if let Some(condition) = node.get("required_if") {
            rule(cx, world, &playbook.value.slots, condition);
        }
        let whole = node.get("valid_for").and_then(Node::as_map).unwrap_or(&[]);
        for (token, _) in whole {
            let known = &playbook.value.slots["properties"][&key.text]["enum"];
            let known: Vec<&str> = known.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            if !known.contains(&token.text.as_str()) {
                let help = did_you_mean(&token.text, known);
                cx.report(
                    Code::UnknownRuleSlot,
                    token.span,
                    format!("`{}` has no value `{}`", key.text, token.text),
                    help,
                );
            }
        }
        let beside = node.get("values").and_then(Node::as_seq).unwrap_or(&[]).iter();
        for condition in beside.filter_map(|value| value.get("valid_for")).chain(whole.iter().map(|(_, node)| node)) {
            validity(cx, world, &playbook.value.slots, condition);
        }
        if let Some(node) = node.get("placeholder_if_missing") {
            placeholder(cx, world, &playbook.value.slots, node);
        }
    }
}

/// The record types of roles exist.
fn kinds(cx: &mut Context<'_>, world: &World, playbook: &Located<Playbook>) {
    for role in playbook.node.get("roles").and_then(Node::as_seq).unwrap_or(&[]) {
        for kind in role.get("kinds").map(leaves).unwrap_or_default() {
            if world.record(&kind.scalar.text).is_none() {
                super::records::unknown_record(cx, world, &kind.scalar.text, kind.span);
            }
        }
    }
}

/// The condition uses known slots.
fn rule(cx: &mut Context<'_>, world: &World, slots: &Value, node: &Node) {
    Scope::new(world).with("slots", None).check_condition(cx, node);
    for leaf in leaves(node) {
        let (text, offset) = leaf.feel().unwrap_or((&leaf.scalar.text, 0));
        let Ok(expression) = brain_lang::feel::parse(text) else { continue };
        for path in expression.paths_with_spans() {
            let (Some(root), Some(name)) = (path.segments.first(), path.segments.get(1)) else { continue };
            if root == "slots" && slots["properties"].get(name).is_none() {
                let place = locate(cx.source, leaf.scalar, leaf.span, path.span.start + offset..path.span.end + offset);
                unknown_slot(cx, slots, name, place);
            }
        }
    }
}

fn unknown_slot(cx: &mut Context<'_>, slots: &Value, name: &str, place: Span) {
    let help = did_you_mean(name, properties(slots).map(String::as_str));
    cx.report(Code::UnknownRuleSlot, place, format!("there is no slot `{name}`"), help);
}

/// `"= …"`, or `{slot: [tokens]}`.
fn validity(cx: &mut Context<'_>, world: &World, slots: &Value, node: &Node) {
    let Some(entries) = node.as_map() else { return rule(cx, world, slots, node) };
    for (key, tokens) in entries {
        let Some(schema) = slots["properties"].get(&key.text) else {
            unknown_slot(cx, slots, &key.text, key.span);
            continue;
        };
        let Some(known) = schema["enum"].as_array() else { continue };
        let known: Vec<&str> = known.iter().filter_map(Value::as_str).collect();
        for leaf in leaves(tokens).iter().filter(|leaf| !known.contains(&leaf.scalar.text.as_str())) {
            let help = did_you_mean(&leaf.scalar.text, known.iter().copied());
            let message = format!("`{}` has no value `{}`", key.text, leaf.scalar.text);
            cx.report(Code::UnknownRuleSlot, leaf.span, message, help);
        }
    }
}

/// The placeholder's tool exists, can be called, and returns the field.
fn placeholder(cx: &mut Context<'_>, world: &World, slots: &Value, node: &Node) {
    let Some((name, scalar)) = node.get("tool").and_then(|name| Some((name, name.as_scalar()?))) else { return };
    if let Some(args) = node.get("args") {
        Scope::new(world).with_schema("slots", slots).check(cx, args);
    }
    let Some(tool) = known_tool(cx, world, &scalar.text, name.span) else { return };
    arguments::check(cx, &tool.name, &tool.input, node.get("args"), name.span);
    let Some((field, scalar)) = node.get("field").and_then(|field| Some((field, field.as_scalar()?))) else { return };
    if let Some(names) = result_names(tool, recorded(world, tool)).filter(|names| !names.contains(&scalar.text)) {
        let help = did_you_mean(&scalar.text, names.iter().map(String::as_str));
        let message = format!("the result of `{}` has no `{}`", tool.name, scalar.text);
        cx.report(Code::NoStandIn, field.span, message, help);
    }
}

/// Reports unused slots and roles.
pub(super) fn unused(cx: &mut Context<'_>, world: &World, playbook: &Located<Playbook>) {
    let def = &playbook.value;
    // Steps that failed to decode might use them.
    let written = playbook.node.get("steps").and_then(Node::as_seq).map_or(0, <[Node]>::len);
    if written != def.steps.len() || def.steps.iter().any(|step| world.tool(&step.tool).is_none()) {
        return;
    }
    let results = world.tools.iter().filter_map(|tool| match &tool.value.behavior {
        Behavior::Playbook(behavior) if behavior.name == def.name => behavior.result.as_ref(),
        _ => None,
    });
    let of_steps = def.steps.iter().flat_map(|step| [Some(&step.args), step.when.as_ref(), step.foreach.as_ref()]);
    let of_rules = def.rules.iter().flat_map(|rule| {
        let own = [rule.required_if.as_ref(), rule.placeholder.as_ref().map(|one| &one.args)];
        own.into_iter().chain(rule.valid_for.iter().map(|(_, when)| Some(when)))
    });
    let mut used = BTreeSet::new();
    let mut all_roles = false;
    for path in of_steps.chain(of_rules).flatten().chain(results).flat_map(|binding| binding.paths()) {
        match (path.first().map(String::as_str), path.get(1)) {
            (Some("slots" | "input" | "state"), Some(name)) => {
                used.insert(name.clone());
            }
            // The whole object is used, and with it every slot.
            (Some("slots" | "input"), None) => return,
            (Some("roles"), _) => all_roles = true,
            _ => {}
        }
    }
    for (name, _) in playbook.node.get("slots").and_then(Node::as_map).unwrap_or(&[]) {
        if def.slots["properties"].get(&name.text).is_some() && !used.contains(&name.text) {
            let help = "use it in a step's `args` or `when`, or leave it out: people are asked for it";
            cx.report(Code::UnusedSlot, name.span, format!("nothing uses the slot `{}`", name.text), Some(help.into()));
        }
    }
    for (index, role) in def.roles.iter().enumerate().filter(|(_, role)| !all_roles && !used.contains(&role.role)) {
        let place = playbook.at(&["roles", &index.to_string(), "role"]);
        let help = format!("use `slots.{}` or `roles` in a step, or leave the role out", role.role);
        cx.report(Code::UnusedRole, place.span, format!("no step uses the role `{}`", role.role), Some(help));
    }
}

/// Reports a comparison with a label instead of its token: `slots.kind = "Very big"`.
pub(super) fn compared_labels(cx: &mut Context<'_>, schema: &Value, root: &str, node: &Node) {
    for leaf in leaves(node) {
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let labels = property["x-labels"].as_object().into_iter().flatten();
            for (token, label) in labels.filter_map(|(token, label)| Some((token, label.as_str()?))) {
                let is_token = property["enum"].as_array().is_some_and(|all| all.iter().any(|one| one == label));
                if !is_token {
                    compared(cx, &leaf, &format!("{root}.{name}"), token, label);
                }
            }
        }
    }
}

fn compared(cx: &mut Context<'_>, leaf: &Leaf<'_>, path: &str, token: &str, label: &str) {
    let text = &leaf.scalar.text;
    let wanted = format!("\"{label}\"");
    for (at, _) in text.match_indices(&wanted) {
        let before = text[..at].trim_end();
        let Some(before) = before.strip_suffix('=') else { continue };
        let before = before.strip_suffix('!').unwrap_or(before).trim_end();
        if before.ends_with(path)
            && !before[..before.len() - path.len()].ends_with(|c: char| c.is_alphanumeric() || c == '.')
        {
            let place = locate(cx.source, leaf.scalar, leaf.span, at..at + wanted.len());
            let help = format!("write `\"{token}\"`: expressions see the token, people see the label");
            cx.report(Code::LabelCompared, place, format!("`{path}` is never the label `{label}`"), Some(help));
        }
    }
}
