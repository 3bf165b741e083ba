//! Tools: unique, with consent for their effects, calling only declared hosts.

use std::collections::BTreeSet;

use serde_json::Value;

use super::expressions::{Scope, result_names};
use super::record_behavior::{self, with_lookup};
use super::records::unknown_record;
use super::{arguments, attributes, decide, expansion, vocabulary};
use crate::code::Code;
use crate::decode::{Context, check_host};
use crate::diagnostic::Diagnostic;
use crate::located::Located;
use crate::model::{Behavior, Consent, Effect, HttpBehavior, Idempotency, Lookup, RecordOp, ToolDef};
use crate::native::{SPAWN_CHILD_RUN, UNDO_CHILD_RUN};
use crate::suggest::did_you_mean;
use crate::world::World;
use crate::yaml::{Node, Span};

/// Checks all tools.
pub(super) fn check(world: &World, found: &mut Vec<Diagnostic>) {
    for (index, tool) in world.tools.iter().enumerate() {
        let mut cx = tool.context(&world.sources, found);
        if let Some(other) = world.tools[..index].iter().find(|other| other.value.name == tool.value.name) {
            let help = format!("the other one is in {}, line {}", other.file, other.name.line);
            cx.report(
                Code::DuplicateTool,
                tool.name,
                format!("the tool `{}` is declared twice", tool.value.name),
                Some(help),
            );
        }
        entities(&mut cx, world, tool.at(&["input"]), &tool.value.input);
        consent(&mut cx, tool);
        match &tool.value.behavior {
            Behavior::Record(behavior) => record_behavior::check(&mut cx, world, tool, behavior),
            Behavior::Expr(_) => {
                let node = tool.at(&["behavior", "expr"]);
                let scope = scope(world, &tool.value);
                match node.get("result") {
                    Some(result) => scope.check(&mut cx, result),
                    None => scope.check_condition(&mut cx, node),
                }
            }
            Behavior::Http(behavior) => http(&mut cx, world, tool, behavior),
            Behavior::Decide(behavior) => decide::check(&mut cx, world, tool, behavior),
            Behavior::Playbook(behavior) => expansion::check(&mut cx, world, tool, behavior),
            Behavior::Worker(_) | Behavior::Native(_) | Behavior::Query(_) => {}
        }
        injects(&mut cx, tool);
        preconditions(&mut cx, world, tool);
        attributes::check(&mut cx, world, tool);
        vocabulary::tool(&mut cx, world, tool);
        others(&mut cx, world, tool);
        narratives(&mut cx, world, tool);
    }
}

/// The names in scope for a tool's expressions.
pub(super) fn scope(world: &World, tool: &ToolDef) -> Scope {
    Scope::new(world).with_schema("input", &tool.input)
}

/// The record types of inputs and slots exist.
pub(super) fn entities(cx: &mut Context<'_>, world: &World, node: &Node, schema: &Value) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(entity) = property["x-entity"].as_str()
            && world.record(entity).is_none()
        {
            let at = node.nearest([name.as_str(), "entity"]);
            unknown_record(cx, world, entity, at.span);
        }
        super::groups::anchor(cx, world, node, name, property);
    }
}

fn consent(cx: &mut Context<'_>, tool: &Located<ToolDef>) {
    let def = &tool.value;
    let writes = matches!(&def.behavior, Behavior::Record(record) if !matches!(record.op, RecordOp::Get | RecordOp::List | RecordOp::Search));
    if writes && def.effect == Effect::Read {
        let help = "use `effect: write` (the default) or `effect: irreversible`";
        cx.report(
            Code::UnaskedEffect,
            tool.at(&["effect"]).span,
            "this tool changes records: its effect is not `read`",
            Some(help.into()),
        );
        return;
    }
    // Steps of playbooks, injected steps and child runs are approved one by one.
    let by_steps = match &def.behavior {
        Behavior::Playbook(_) | Behavior::Decide(_) => true,
        Behavior::Native(native) => [SPAWN_CHILD_RUN, UNDO_CHILD_RUN].contains(&native.function.as_str()),
        _ => false,
    };
    if !by_steps && def.effect != Effect::Read && def.undo.is_none() && def.no_undo.is_none() {
        let help = "write `undo: {tool: …, args: {…}}`, or `undo: none`, or `undo: {cannot: REASON}`";
        let message = format!("`{}` has an effect and does not say how it is undone", def.name);
        // An `undo` that failed to decode is reported already.
        if tool.node.get("undo").is_none() {
            cx.report(Code::UndoNotSaid, tool.name, message, Some(help.into()));
        }
    }
    if matches!(def.behavior, Behavior::Playbook(_)) && def.undo.is_some() {
        let help = "remove it; the steps of the playbook are undone one by one, the last first";
        let message = format!("the `undo` of `{}` is not used", def.name);
        cx.report(Code::UndoOfPlaybook, tool.at(&["undo"]).span, message, Some(help.into()));
    }
    if by_steps || def.consent != Consent::None || def.effect == Effect::Read {
        return;
    }
    let span = tool.at(&["consent"]).span;
    if def.effect == Effect::Irreversible {
        let help = "use `consent: approver` (the default) or `consent: user`";
        cx.report(Code::UnaskedEffect, span, "an irreversible tool needs consent", Some(help.into()));
    } else if def.undo.is_none() {
        let help = "add an `undo`, or use `consent: user` (the default)";
        cx.report(
            Code::UnaskedEffect,
            span,
            "a tool with an effect and without an `undo` needs consent",
            Some(help.into()),
        );
    }
}

fn http(cx: &mut Context<'_>, world: &World, tool: &Located<ToolDef>, behavior: &HttpBehavior) {
    let node = tool.at(&["behavior", "http"]);
    let hosts: Vec<String> = world
        .packs
        .iter()
        .filter(|pack| pack.value.name == tool.pack)
        .flat_map(|pack| pack.value.hosts.iter().cloned())
        .collect();
    if let Some((url, scalar)) = node.get("url").and_then(|url| url.as_scalar().map(|scalar| (url, scalar))) {
        check_host(cx, &scalar.text, url.span, &hosts);
    }
    let job = BTreeSet::from(["key", "run", "step", "attempt", "tenant", "callback_url"].map(str::to_owned));
    let scope = scope(world, &tool.value).with("job", Some(job));
    for key in ["url", "query", "headers", "body"] {
        if let Some(node) = node.get(key) {
            scope.check(cx, node);
        }
    }
    let response = BTreeSet::from(["status", "headers", "body"].map(str::to_owned));
    let after = scope.with("response", Some(response));
    for place in [node, &tool.node] {
        for key in ["success", "failure", "not_done", "unknown"] {
            if let Some(node) = place.get(key).and_then(|criteria| criteria.get("expr")) {
                after.check_condition(cx, node);
            }
        }
    }
    one_meaning(cx, node, behavior);
    if behavior.result.is_some()
        && let Some(node) = node.get("result")
    {
        after.check(cx, node);
    }
    for (key, value) in node.get("also").and_then(Node::as_map).unwrap_or(&[]) {
        after.check(cx, value);
        if key.text == "new_steps" && !tool.value.may_inject {
            let help = "add `may_inject: true` to the tool";
            cx.report(Code::MayNotInject, key.span, "this tool may not add steps to a run", Some(help.into()));
        }
    }
}

/// `may_inject` on a tool that cannot inject steps.
fn injects(cx: &mut Context<'_>, tool: &Located<ToolDef>) {
    let (what, help) = match &tool.value.behavior {
        Behavior::Http(behavior) if behavior.also.new_steps.is_none() => (
            "an `http` tool without `also: {new_steps: …}`",
            "say where its response has them: `also: {new_steps: \"= response.body.steps\"}`",
        ),
        Behavior::Record(_) => ("a `record` tool", "leave `may_inject` out"),
        Behavior::Expr(_) => ("an `expr` tool", "leave `may_inject` out, or use `decide` with `steps`"),
        _ => return,
    };
    if tool.value.may_inject
        && let Some((key, _)) = tool.node.entry("may_inject")
    {
        cx.report(Code::CannotInject, key.span, format!("{what} cannot add steps to a run"), Some(help.into()));
    }
}

/// A status code may have one meaning: done, not done, or unknown.
fn one_meaning(cx: &mut Context<'_>, node: &Node, behavior: &HttpBehavior) {
    let parts = [("success", &behavior.success), ("not_done", &behavior.not_done), ("unknown", &behavior.unknown)];
    for (index, (key, criteria)) in parts.iter().enumerate() {
        for status in criteria.iter().flat_map(|criteria| &criteria.status) {
            let other =
                parts[..index].iter().find(|(_, one)| one.as_ref().is_some_and(|one| one.status.contains(status)));
            if let Some((other, _)) = other {
                let span = node.nearest([*key, "status"]).span;
                let message = format!("{status} is in both `{other}` and `{key}`");
                let help = "list each HTTP status under only one of `success`, `not_done` and `unknown`";
                cx.report(Code::BadAttribute, span, message, Some(help.into()));
            }
        }
    }
}

fn preconditions(cx: &mut Context<'_>, world: &World, tool: &Located<ToolDef>) {
    let none: &[(String, Lookup)] = &[];
    let lookups = match &tool.value.behavior {
        Behavior::Record(behavior) => behavior.with.as_slice(),
        _ => none,
    };
    let items = tool.node.get("requires").and_then(Node::as_seq).unwrap_or(&[]);
    for item in items {
        precondition(cx, world, tool, lookups, item);
    }
}

fn precondition(
    cx: &mut Context<'_>,
    world: &World,
    tool: &Located<ToolDef>,
    lookups: &[(String, Lookup)],
    item: &Node,
) {
    let input = item.get("record").and_then(Node::as_scalar).map(|scalar| scalar.text.as_str());
    let record_type = input.and_then(|name| tool.value.input["properties"][name]["x-entity"].as_str());
    let record = record_type.and_then(|name| world.record(name));
    if let (Some(record), Some(states)) = (record, item.get("state")) {
        for leaf in crate::decode::leaves(states) {
            record_behavior::state(cx, record, &leaf.scalar.text, leaf.span);
        }
    }
    for key in ["prior", "never"] {
        if let Some((node, scalar)) = item.get(key).and_then(|node| Some((node, node.as_scalar()?))) {
            known_tool(cx, world, &scalar.text, node.span);
        }
    }
    let mut scope = scope(world, &tool.value);
    for (name, lookup) in lookups {
        scope = with_lookup(scope, world, name, lookup);
    }
    if input.is_some() {
        scope = scope.with("record", record.map(super::expressions::record_names));
    }
    if let Some(node) = item.get("expr") {
        scope.check_condition(cx, node);
    }
    if let Some(node) = item.get("else") {
        scope.check(cx, node);
    }
    for inner in item.get("any").and_then(Node::as_seq).unwrap_or(&[]) {
        precondition(cx, world, tool, lookups, inner);
    }
}

/// Other tools that this one refers to.
fn others(cx: &mut Context<'_>, world: &World, tool: &Located<ToolDef>) {
    if let Some(undo) = &tool.value.undo {
        let node = tool.at(&["undo"]);
        let span = node.get("tool").map_or(node.span, |node| node.span);
        let target = known_tool(cx, world, &undo.tool, span);
        // The arguments of an undo that is declared in Rust are not in the pack.
        if let Some(target) = target.filter(|_| tool.node.get("undo").is_some()) {
            arguments::check(cx, &target.name, &target.input, node.get("args"), span);
        }
        if let Some(args) = node.get("args") {
            let record = recorded(world, &tool.value);
            let scope =
                scope(world, &tool.value).with("result", result_names(&tool.value, record)).with("receipt", None);
            scope.check(cx, args);
        }
    }
    if let Idempotency::Check(name) = &tool.value.idempotency {
        known_tool(cx, world, name, tool.at(&["idempotency", "check"]).span);
    }
}

/// The record type of a tool, if it works on records.
pub(super) fn recorded<'w>(world: &'w World, tool: &ToolDef) -> Option<&'w crate::model::RecordDef> {
    match &tool.behavior {
        Behavior::Record(behavior) => world.record(&behavior.record),
        _ => None,
    }
}

/// The tool of this name; reported if it does not exist.
pub(super) fn known_tool<'w>(cx: &mut Context<'_>, world: &'w World, name: &str, span: Span) -> Option<&'w ToolDef> {
    let tool = world.tool(name);
    if tool.is_none() && world.surely_unknown(name) {
        if world.playbook(name).is_some() {
            cx.report(Code::UnknownTool, span, format!("`{name}` is a playbook, not a tool"), None);
        } else {
            let help = did_you_mean(name, world.tool_names());
            cx.report(Code::UnknownTool, span, format!("there is no tool `{name}`"), help);
        }
    }
    tool
}

fn narratives(cx: &mut Context<'_>, world: &World, tool: &Located<ToolDef>) {
    let record = recorded(world, &tool.value);
    let scope = scope(world, &tool.value).with("result", result_names(&tool.value, record));
    for key in ["summary", "next"] {
        if let Some(node) = tool.node.get(key) {
            scope.check(cx, node);
        }
    }
}
