//! Tools that expand to playbooks: the playbook exists, takes the tool's inputs, and is not recursive.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::expressions::{Scope, Steps, result_names};
use super::tools::recorded;
use crate::code::Code;
use crate::complete::properties;
use crate::decode::Context;
use crate::located::Located;
use crate::model::{Behavior, Playbook, PlaybookBehavior, ToolDef};
use crate::suggest::did_you_mean;
use crate::world::World;

/// Maximum number of steps after expansion.
const MAX_EXPANDED: u64 = 100;

/// Checks a tool whose behavior is a playbook.
pub(super) fn check(cx: &mut Context<'_>, world: &World, tool: &Located<ToolDef>, behavior: &PlaybookBehavior) {
    let node = tool.at(&["behavior", "playbook"]);
    let place = node.get("name").unwrap_or(node);
    let Some(playbook) = world.playbook(&behavior.name) else {
        if world.surely_unknown(&behavior.name) {
            let names = world.playbooks.iter().map(|playbook| playbook.value.name.as_str());
            let help = did_you_mean(&behavior.name, names);
            cx.report(Code::UnknownTool, place.span, format!("there is no playbook `{}`", behavior.name), help);
        }
        return;
    };
    takes(cx, tool, playbook, place.span);
    if let Some(way) = way_back(world, &tool.value) {
        let shown = way.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" → ");
        let help = "a playbook must not be recursive; remove one of these steps";
        cx.report(Code::PlaybookLoop, place.span, format!("this expansion is recursive: {shown}"), Some(help.into()));
    } else {
        let steps = expanded(world, playbook);
        if steps > MAX_EXPANDED {
            let message = format!("`{}` expands to {steps} steps; the limit is {MAX_EXPANDED}", tool.value.name);
            let help = "split it into playbooks that people ask for one after the other";
            cx.report(Code::TooManySteps, place.span, message, Some(help.into()));
        }
    }
    if let Some(result) = node.get("result") {
        let all: BTreeSet<String> = playbook.steps.iter().map(|step| step.id.clone()).collect();
        let mut steps = Steps { before: all.clone(), all, ..Steps::default() };
        for step in playbook.steps.iter().filter(|step| step.foreach.is_none()) {
            let names = world.tool(&step.tool).and_then(|tool| result_names(tool, recorded(world, tool)));
            steps.results.extend(names.map(|names| (step.id.clone(), names)));
        }
        let scope = Scope::new(world)
            .with_schema("slots", &playbook.slots)
            .with_schema("input", &tool.value.input)
            .with("state", None)
            .with_steps(steps);
        scope.check(cx, result);
    }
}

/// The playbook's slots are the tool's inputs: required slots must be inputs, and every input must be a slot.
fn takes(cx: &mut Context<'_>, tool: &Located<ToolDef>, playbook: &Playbook, place: crate::yaml::Span) {
    let input = &tool.value.input;
    let names = |schema: &Value| {
        let list = schema["required"].as_array().cloned().unwrap_or_default();
        list.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect::<BTreeSet<_>>()
    };
    let has_default = |schema: &Value, name: &str| schema["properties"][name].get("default").is_some();
    let given = names(input);
    for slot in names(&playbook.slots).into_iter().filter(|slot| !has_default(&playbook.slots, slot)) {
        if given.contains(&slot) || has_default(input, &slot) {
            continue;
        }
        let (message, help) = if input["properties"].get(&slot).is_some() {
            let message = format!("the playbook `{}` needs `{slot}`, which is optional here", playbook.name);
            (message, "make the input required, or give it a default".to_owned())
        } else {
            let expected = crate::call::expectation(&playbook.slots["properties"][&slot]);
            (format!("the playbook `{}` needs `{slot}`", playbook.name), format!("add an input `{slot}`: {expected}"))
        };
        cx.report(Code::MissingArgument, place, message, Some(help));
    }
    if playbook.slots.get("additionalProperties") != Some(&Value::Bool(false)) {
        return;
    }
    for name in properties(input).filter(|name| playbook.slots["properties"].get(name.as_str()).is_none()) {
        let at = tool.node.get("input").and_then(|input| input.entry(name)).map_or(place, |(key, _)| key.span);
        let help = did_you_mean(name, properties(&playbook.slots).map(String::as_str))
            .or_else(|| Some("the playbook takes no slots".into()));
        cx.report(Code::UnknownArgument, at, format!("the playbook `{}` has no slot `{name}`", playbook.name), help);
    }
}

/// The playbook that a tool expands to.
fn behind<'w>(world: &'w World, tool: &ToolDef) -> Option<&'w Playbook> {
    match &tool.behavior {
        Behavior::Playbook(behavior) => world.playbook(&behavior.name),
        _ => None,
    }
}

/// The cycle from a tool through playbooks back to itself, if any: tool, playbook, tool, …
fn way_back(world: &World, tool: &ToolDef) -> Option<Vec<String>> {
    let mut seen = BTreeSet::new();
    let mut open = vec![(tool, vec![tool.name.clone()])];
    while let Some((at, way)) = open.pop() {
        let Some(playbook) = behind(world, at) else { continue };
        for step in &playbook.steps {
            let Some(next) = world.tool(&step.tool) else { continue };
            let mut way = way.clone();
            way.extend([playbook.name.clone(), next.name.clone()]);
            if next.name == tool.name {
                return Some(way);
            }
            if seen.insert(next.name.as_str()) {
                open.push((next, way));
            }
        }
    }
    None
}

/// Number of steps after expansion. A cycle further down is reported at its own tool; here it counts as too many.
fn expanded<'w>(world: &'w World, playbook: &'w Playbook) -> u64 {
    fn count<'w>(world: &'w World, playbook: &'w Playbook, known: &mut BTreeMap<&'w str, u64>) -> u64 {
        if let Some(steps) = known.get(playbook.name.as_str()) {
            return *steps;
        }
        known.insert(&playbook.name, MAX_EXPANDED + 1);
        let mut sum = 0_u64;
        for step in &playbook.steps {
            let inner = world.tool(&step.tool).and_then(|tool| behind(world, tool));
            sum = sum.saturating_add(inner.map_or(1, |inner| count(world, inner, known)));
        }
        known.insert(&playbook.name, sum);
        sum
    }
    count(world, playbook, &mut BTreeMap::new())
}

/// The first external tool in the expansion of a tool, itself included.
pub(super) fn first_outside<'w>(world: &'w World, tool: &'w ToolDef) -> Option<&'w str> {
    let mut seen = BTreeSet::new();
    let mut open = vec![tool];
    while let Some(at) = open.pop() {
        if !at.is_inline() {
            return Some(&at.name);
        }
        let inside: Vec<&str> = match &at.behavior {
            Behavior::Playbook(_) => {
                behind(world, at).into_iter().flat_map(|one| &one.steps).map(|step| step.tool.as_str()).collect()
            }
            Behavior::Decide(table) => table
                .rules
                .iter()
                .chain(&table.otherwise)
                .flat_map(|rule| &rule.steps)
                .map(|step| step.tool.as_str())
                .collect(),
            _ => Vec::new(),
        };
        for name in inside {
            if let Some(next) = world.tool(name).filter(|_| seen.insert(name)) {
                open.push(next);
            }
        }
    }
    None
}
