//! Playbooks: known tools, no cycles, valid arguments.

use super::step_list::{self, StepList};
use super::tools::entities;
use super::{atomic, slots, vocabulary};
use crate::code::Code;
use crate::decode::Context;
use crate::diagnostic::Diagnostic;
use crate::model::Playbook;
use crate::world::World;
use crate::yaml::Node;

/// Checks all playbooks.
pub(super) fn check(world: &World, found: &mut Vec<Diagnostic>) {
    for (index, playbook) in world.playbooks.iter().enumerate() {
        let before = found.len();
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
                "tools and playbooks share one namespace"
            };
            let help = format!("the other one is in {file}, line {line}; {rule}");
            cx.report(Code::DuplicateTool, playbook.name, format!("the name `{name}` is taken"), Some(help));
        }
        let other_slots = world.playbooks[..index]
            .iter()
            .find(|other| other.value.name == *name && other.value.slots != playbook.value.slots);
        if let (Some(other), None) = (other_slots, twice.or(tool)) {
            let message = format!("this variant of `{name}` has different slots from the one in {}", other.file);
            let help = "people ask for a playbook by its name: all its variants take the same slots".to_owned();
            cx.report(Code::DuplicateTool, playbook.name, message, Some(help));
        }
        // The record types of roles are checked with the roles.
        let mut own_slots = playbook.value.slots.clone();
        if let Some(properties) = own_slots["properties"].as_object_mut() {
            properties.retain(|name, _| !playbook.value.roles.iter().any(|role| role.role == *name));
        }
        entities(&mut cx, world, playbook.at(&["slots"]), &own_slots);
        let list = StepList {
            steps: &playbook.value.steps,
            written: playbook.node.get("steps").and_then(Node::as_seq).unwrap_or(&[]),
            slots: &playbook.value.slots,
            injected: false,
            roles: !playbook.value.roles.is_empty(),
        };
        step_list::check(&mut cx, world, &list);
        aliases(&mut cx, world, index);
        atomic::check(&mut cx, world, playbook);
        slots::check(&mut cx, world, playbook);
        // A misspelt name is not also an unused slot.
        if cx.found.len() == before {
            slots::unused(&mut cx, world, playbook);
        }
        vocabulary::playbook(&mut cx, world, playbook);
    }
}

/// Whether two playbooks of one name have the same precedence.
fn same_variant(one: &Playbook, other: &Playbook) -> bool {
    let rank = |playbook: &Playbook| (playbook.tenant.clone(), playbook.priority, playbook.version);
    one.name == other.name && rank(one) == rank(other)
}

/// Aliases of a playbook must be unique.
fn aliases(cx: &mut Context<'_>, world: &World, index: usize) {
    let playbook = &world.playbooks[index];
    for (at, alias) in playbook.value.aliases.iter().enumerate() {
        let other = |other: &&Playbook| {
            other.name != playbook.value.name && (other.name == *alias || other.aliases.contains(alias))
        };
        let owner = world.playbooks.iter().map(|one| &one.value).find(other).map(|other| other.name.as_str());
        let twice = playbook.value.aliases[..at].contains(alias);
        let own = twice || *alias == playbook.value.name;
        let owner = owner.or_else(|| world.tool(alias).map(|tool| tool.name.as_str()));
        let owner = owner.or_else(|| own.then_some(playbook.value.name.as_str()));
        if let Some(owner) = owner {
            let place = playbook.at(&["aliases", &at.to_string()]);
            let help = format!("it already refers to `{owner}`; names must be unique");
            cx.report(Code::DuplicateTool, place.span, format!("the name `{alias}` is taken"), Some(help));
        }
    }
}
