//! Playbooks: steps that exist, in an order that ends, with arguments that fit.

use std::collections::BTreeSet;

use super::arguments;
use super::expressions::{Scope, Steps, result_names};
use super::steps::Graph;
use super::tools::{entities, known_tool};
use crate::code::Code;
use crate::complete::properties;
use crate::decode::Context;
use crate::diagnostic::Diagnostic;
use crate::located::Located;
use crate::model::{Behavior, Playbook, PlaybookStep};
use crate::suggest::did_you_mean;
use crate::world::World;
use crate::yaml::Node;

/// Checks all playbooks.
pub(super) fn check(world: &World, found: &mut Vec<Diagnostic>) {
    for (index, playbook) in world.playbooks.iter().enumerate() {
        let mut cx = playbook.context(&world.sources, found);
        let name = &playbook.value.name;
        let twice = world.playbooks[..index]
            .iter()
            .find(|other| same_variant(&other.value, &playbook.value))
            .map(|other| (&other.file, other.name.line));
        let tool = world.tools.iter().find(|tool| tool.value.name == *name).map(|tool| (&tool.file, tool.name.line));
        if let Some((file, line)) = twice.or(tool) {
            let rule = if twice.is_some() {
                "variants of a playbook differ in `tenant`, `priority` or `version`"
            } else {
                "tools and playbooks share their names"
            };
            let help = format!("the other one is in {file}, line {line}; {rule}");
            cx.report(Code::DuplicateTool, playbook.name, format!("the name `{name}` is taken"), Some(help));
        }
        let other_slots = world.playbooks[..index]
            .iter()
            .find(|other| other.value.name == *name && other.value.slots != playbook.value.slots);
        if let (Some(other), None) = (other_slots, twice.or(tool)) {
            let message = format!("this variant of `{name}` has other slots than the one in {}", other.file);
            let help = "people ask for a playbook by its name: all its variants take the same slots".to_owned();
            cx.report(Code::DuplicateTool, playbook.name, message, Some(help));
        }
        entities(&mut cx, world, playbook.at(&["slots"]), &playbook.value.slots);
        steps(&mut cx, world, playbook);
    }
}

/// Whether nothing decides between two playbooks of one name.
fn same_variant(one: &Playbook, other: &Playbook) -> bool {
    let rank = |playbook: &Playbook| (playbook.tenant.clone(), playbook.priority, playbook.version);
    one.name == other.name && rank(one) == rank(other)
}

fn steps(cx: &mut Context<'_>, world: &World, playbook: &Located<Playbook>) {
    let written = playbook.node.get("steps").and_then(Node::as_seq).unwrap_or(&[]);
    // Steps that could not be read are already reported; find the node of each of the others by its id.
    let mut nodes = written.iter();
    let steps: Vec<(&PlaybookStep, &Node)> = playbook
        .value
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
    // What waits for what is not clear while two steps share a name.
    let looping = if doubled { ids.clone() } else { cycles(cx, &graph, &steps) };
    for (step, node) in &steps {
        one(cx, world, playbook, (step, node), &graph, &looping);
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

/// Reports each loop once; gives the ids of all steps in loops.
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
    playbook: &Located<Playbook>,
    (step, node): (&PlaybookStep, &Node),
    graph: &Graph<'_>,
    looping: &BTreeSet<String>,
) {
    let tool_node = node.nearest(["tool"]);
    if let Some(tool) = known_tool(cx, world, &step.tool, tool_node.span) {
        match node.get("args") {
            Some(args) => arguments::check(cx, &tool.name, &tool.input, Some(args), tool_node.span),
            None => slots_suffice(cx, playbook, tool_node, tool),
        }
    }
    let mut known =
        Steps { all: playbook.value.steps.iter().map(|step| step.id.clone()).collect(), ..Steps::default() };
    known.before = if looping.contains(&step.id) { known.all.clone() } else { graph.before(&step.id) };
    for other in playbook.value.steps.iter().filter(|other| other.foreach.is_none()) {
        let Some(tool) = world.tool(&other.tool) else { continue };
        let record = match &tool.behavior {
            Behavior::Record(behavior) => world.record(&behavior.record),
            _ => None,
        };
        if let Some(names) = result_names(tool, record) {
            known.results.insert(other.id.clone(), names);
        }
    }
    let scope = Scope::new(world)
        .with("input", None)
        .with_schema("slots", &playbook.value.slots)
        .with("state", None)
        .with_steps(known);
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

/// A step without `args` takes the slots of the same names: they must cover what the tool requires.
fn slots_suffice(cx: &mut Context<'_>, playbook: &Located<Playbook>, node: &Node, tool: &crate::model::ToolDef) {
    let slots: BTreeSet<&String> = properties(&playbook.value.slots).collect();
    for name in tool.input["required"].as_array().into_iter().flatten().filter_map(|name| name.as_str()) {
        if !slots.iter().any(|slot| *slot == name) && tool.input["properties"][name].get("default").is_none() {
            let help = format!("add `args: {{{name}: …}}`, or a slot `{name}`");
            cx.report(Code::MissingArgument, node.span, format!("`{}` needs `{name}`", tool.name), Some(help));
        }
    }
}
