//! Kinds of action: declared once, known where they are named, and used.

use crate::code::Code;
use crate::decode::Context;
use crate::diagnostic::Diagnostic;
use crate::model::IntentTier;
use crate::suggest::did_you_mean;
use crate::world::World;
use crate::yaml::{Node, Span};

/// The built-in kinds. A pack may declare one of them to word it, and to give it a second level.
const BUILT_IN: [&str; 6] = ["view", "create", "modify", "remove", "analyze", "workflow"];

/// Checks the kinds of action of all packs.
pub(super) fn check(world: &World, found: &mut Vec<Diagnostic>) {
    for pack in &world.packs {
        let mut cx = pack.context(&world.sources, found);
        let written = pack.node.get("intent_tiers").and_then(Node::as_seq).unwrap_or(&[]);
        unique(&mut cx, &pack.value.intent_tiers, written);
        for (tier, node) in pack.value.intent_tiers.iter().zip(written) {
            unique(&mut cx, &tier.kinds, node.get("kinds").and_then(Node::as_seq).unwrap_or(&[]));
            // Tools without a kind belong to the built-in ones.
            if !BUILT_IN.contains(&tier.id.as_str()) && !world.incomplete {
                used(&mut cx, world, &tier.id, id_span(node));
            }
            for (kind, node) in tier.kinds.iter().zip(node.get("kinds").and_then(Node::as_seq).unwrap_or(&[])) {
                used(&mut cx, world, &format!("{}.{}", tier.id, kind.id), id_span(node));
            }
        }
    }
    for tool in &world.tools {
        let node = tool.node.get("intent_tier");
        known(&mut tool.context(&world.sources, found), world, tool.value.intent_tier.as_deref(), node);
    }
    for playbook in &world.playbooks {
        let node = playbook.node.get("intent_tier");
        known(&mut playbook.context(&world.sources, found), world, playbook.value.intent_tier.as_deref(), node);
    }
}

fn id_span(node: &Node) -> Span {
    node.get("id").unwrap_or(node).span
}

fn unique(cx: &mut Context<'_>, tiers: &[IntentTier], written: &[Node]) {
    for (at, (tier, node)) in tiers.iter().zip(written).enumerate() {
        if let Some(first) = tiers[..at].iter().position(|other| other.id == tier.id) {
            let help = format!("the first one is on line {}", written[first].span.line);
            let message = format!("the kind of action `{}` is declared twice", tier.id);
            cx.report(Code::DuplicateTier, id_span(node), message, Some(help));
        }
    }
}

/// Reports a kind that nothing belongs to: it would never be offered.
fn used(cx: &mut Context<'_>, world: &World, id: &str, span: Span) {
    let is_within = |tier: Option<&str>| {
        tier.is_some_and(|tier| tier.strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
    };
    let by_tool = world.tools.iter().any(|tool| is_within(tool.value.intent_tier.as_deref()));
    let by_playbook = world.playbooks.iter().any(|playbook| is_within(playbook.value.intent_tier.as_deref()));
    if !by_tool && !by_playbook && world.broken.is_empty() {
        let help = format!("say `intent_tier: {id}` in the tools that belong to it, or remove it");
        cx.report(Code::UnusedTier, span, format!("no tool belongs to the kind of action `{id}`"), Some(help));
    }
}

/// Reports a kind that neither this pack nor one that it requires declares.
fn known(cx: &mut Context<'_>, world: &World, named: Option<&str>, node: Option<&Node>) {
    let (Some(named), Some(node)) = (named, node) else { return };
    let own = world.packs.iter().find(|pack| pack.value.name == cx.pack).map(|pack| &pack.value);
    let visible = world
        .packs
        .iter()
        .map(|pack| &pack.value)
        .filter(|pack| pack.name == cx.pack || own.is_some_and(|own| own.requires.contains(&pack.name)));
    let mut ids: Vec<String> = BUILT_IN.iter().map(|id| (*id).to_owned()).collect();
    let mut with_kinds = Vec::new();
    for tier in visible.flat_map(|pack| &pack.intent_tiers) {
        if !tier.kinds.is_empty() {
            with_kinds.push((tier.id.clone(), format!("{}.{}", tier.id, tier.kinds[0].id)));
        }
        ids.push(tier.id.clone());
        ids.extend(tier.kinds.iter().map(|kind| format!("{}.{}", tier.id, kind.id)));
    }
    if !ids.iter().any(|id| id == named) {
        let help = did_you_mean(named, ids.iter().map(String::as_str))
            .unwrap_or_else(|| "declare it in `intent_tiers` of pack.yaml".to_owned());
        cx.report(Code::UnknownTier, node.span, format!("there is no kind of action `{named}`"), Some(help));
    } else if let Some((id, example)) = with_kinds.iter().find(|(id, _)| id == named) {
        let message = format!("the kind of action `{id}` has a second level: name one of its kinds");
        cx.report(Code::UnknownTier, node.span, message, Some(format!("for example `{example}`")));
    }
}
