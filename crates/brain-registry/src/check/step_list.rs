//! Lists of steps, of a playbook or injected by a tool: known tools, no cycles, valid arguments.

use std::collections::BTreeSet;

use serde_json::Value;

use super::arguments;
use super::expressions::{Scope, Steps, result_names};
use super::steps::Graph;
use super::tools::{known_tool, recorded};
use crate::code::Code;
use crate::complete::properties;
use crate::decode::Context;
use crate::model::{PlaybookStep, ToolDef};
use crate::suggest::did_you_mean;
use crate::world::World;
use crate::yaml::Node;

/// A list of steps and what it may use.
pub(super) struct StepList<'a> {
    pub(super) steps: &'a [PlaybookStep],
    /// Their YAML.
    pub(super) written: &'a [Node],
    /// The schema of `slots`.
    pub(super) slots: &'a Value,
    /// Whether `input` equals `slots`, as in injected steps.
    pub(super) injected: bool,
    /// Whether `roles` is in scope.
    pub(super) roles: bool,
}

/// Checks a list of steps.
pub(super) fn check(cx: &mut Context<'_>, world: &World, list: &StepList<'_>) {
    // Steps that failed to decode are reported already; match the others with their nodes by id.
    let mut nodes = list.written.iter();
    let steps: Vec<(&PlaybookStep, &Node)> = list
        .steps
        .iter()
        .filter_map(|step| {
            let own = |node: &&Node| node.get("id").and_then(Node::as_scalar).is_some_and(|id| id.text == step.id);
            nodes.find(own).map(|node| (step, node))
        })
        .collect();
    let ids: BTreeSet<String> = steps.iter().map(|(step, _)| step.id.clone()).collect();
    let doubled = duplicates(cx, &steps);
    for (step, node) in &steps {
        for (at, id) in step.after.iter().enumerate().filter(|(_, id)| !ids.contains(*id)) {
            let place = node.nearest(["after", &at.to_string()]);
            let help = did_you_mean(id, ids.iter().map(String::as_str).filter(|other| **other != *step.id));
            cx.report(Code::UnknownStep, place.span, format!("no step is called `{id}`"), help);
        }
    }
    let graph =
        Graph::new(steps.iter().map(|(step, _)| (step.id.as_str(), step.after.iter().map(String::as_str).collect())));
    // With duplicate ids, the dependencies are unclear.
    let looping = if doubled { ids.clone() } else { cycles(cx, &graph, &steps) };
    for (step, node) in &steps {
        one(cx, world, list, (step, node), &graph, &looping);
    }
}

fn duplicates(cx: &mut Context<'_>, steps: &[(&PlaybookStep, &Node)]) -> bool {
    let mut doubled = false;
    for (index, (step, node)) in steps.iter().enumerate() {
        if let Some((_, first)) = steps[..index].iter().find(|(other, _)| other.id == step.id) {
            let help = format!(
                "the first one is on line {}; ids tell steps apart in receipts and expressions",
                first.span.line
            );
            let span = node.get("id").map_or(node.span, |node| node.span);
            cx.report(Code::DuplicateStep, span, format!("two steps are called `{}`", step.id), Some(help));
            doubled = true;
        }
    }
    doubled
}

/// Reports each cycle once; returns the ids of all steps in cycles.
fn cycles<'p>(cx: &mut Context<'_>, graph: &Graph<'p>, steps: &[(&'p PlaybookStep, &'p Node)]) -> BTreeSet<String> {
    let mut looping = BTreeSet::new();
    for (step, node) in steps {
        if looping.contains(&step.id) {
            continue;
        }
        if let Some(way) = graph.cycle(&step.id) {
            looping.extend(way.iter().map(|id| (*id).to_owned()));
            let shown = way.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(" waits for ");
            let span = node.get("after").or_else(|| node.get("id")).map_or(node.span, |node| node.span);
            cx.report(
                Code::StepCycle,
                span,
                format!("these steps wait for each other: {shown}"),
                Some("remove one of them from `after`".into()),
            );
        }
    }
    looping
}

fn one(
    cx: &mut Context<'_>,
    world: &World,
    list: &StepList<'_>,
    (step, node): (&PlaybookStep, &Node),
    graph: &Graph<'_>,
    looping: &BTreeSet<String>,
) {
    let tool_node = node.nearest(["tool"]);
    if let Some(tool) = known_tool(cx, world, &step.tool, tool_node.span) {
        match node.get("args") {
            Some(args) => arguments::check(cx, &tool.name, &tool.input, Some(args), tool_node.span),
            None => slots_suffice(cx, list, tool_node, tool),
        }
    }
    let all = list.steps.iter().map(|step| step.id.clone()).collect();
    let mut known = Steps { own: step.id.clone(), all, ..Steps::default() };
    known.before = if looping.contains(&step.id) { known.all.clone() } else { graph.before(&step.id) };
    for other in list.steps.iter().filter(|other| other.foreach.is_none()) {
        let Some(tool) = world.tool(&other.tool) else { continue };
        if let Some(names) = result_names(tool, recorded(world, tool)) {
            known.results.insert(other.id.clone(), names);
        }
    }
    let scope = Scope::new(world).with_schema("slots", list.slots).with("state", None).with_steps(known);
    let scope = if list.injected { scope.with_schema("input", list.slots) } else { scope.with("input", None) };
    let scope = if list.roles { scope.with("roles", None) } else { scope };
    if let Some(list) = node.get("foreach") {
        scope.check_condition(cx, list);
    }
    let scope = if step.foreach.is_some() { scope.with("item", None).with("index", None) } else { scope };
    if let Some(condition) = node.get("when") {
        scope.check_condition(cx, condition);
    }
    if let Some(args) = node.get("args") {
        scope.check(cx, args);
    }
}

/// A step without `args` takes the slots with the names of its inputs: they must cover the required ones.
fn slots_suffice(cx: &mut Context<'_>, list: &StepList<'_>, node: &Node, tool: &ToolDef) {
    let slots: BTreeSet<&String> = properties(list.slots).collect();
    for name in tool.input["required"].as_array().into_iter().flatten().filter_map(|name| name.as_str()) {
        if !slots.iter().any(|slot| *slot == name) && tool.input["properties"][name].get("default").is_none() {
            let help = format!("add `args: {{{name}: …}}`, or a slot `{name}`");
            cx.report(Code::MissingArgument, node.span, format!("`{}` needs `{name}`", tool.name), Some(help));
        }
    }
}
