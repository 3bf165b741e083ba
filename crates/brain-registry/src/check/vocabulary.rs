//! Words for people: each choice is unambiguous, and no internal name is shown.

use serde_json::Value;

use super::slots::compared_labels;
use crate::code::Code;
use crate::decode::Context;
use crate::located::Located;
use crate::model::{Playbook, ToolDef};
use crate::world::World;
use crate::yaml::{Node, Span};

/// Checks the texts of a tool.
pub(super) fn tool(cx: &mut Context<'_>, world: &World, tool: &Located<ToolDef>) {
    choices(cx, tool.at(&["input"]), &tool.value.input);
    if let Some(node) = tool.node.get("title") {
        internal(cx, world, node);
    }
    compared_labels(cx, &tool.value.input, "input", &tool.node);
}

/// Checks the texts of a playbook.
pub(super) fn playbook(cx: &mut Context<'_>, world: &World, playbook: &Located<Playbook>) {
    choices(cx, playbook.at(&["slots"]), &playbook.value.slots);
    if let Some(node) = playbook.node.get("title") {
        internal(cx, world, node);
    }
    for key in ["steps", "slots"] {
        if let Some(node) = playbook.node.get(key) {
            compared_labels(cx, &playbook.value.slots, "slots", node);
        }
    }
    let roles = playbook.node.get("roles").and_then(Node::as_seq).unwrap_or(&[]);
    if !roles.is_empty() && playbook.node.get("title").is_none() {
        let help = "say in a few words what it does: `title: Open an account`";
        let message = format!("`{}` has roles, so people see it, but it has no title", playbook.value.name);
        cx.report(Code::NoNameForPeople, playbook.name, message, Some(help.into()));
    }
    for role in roles {
        match role.get("label") {
            Some(label) => internal(cx, world, label),
            None => {
                let Some((node, scalar)) = role.get("role").and_then(|node| Some((node, node.as_scalar()?))) else {
                    continue;
                };
                let help = "say what people call it: `label: Account holder`";
                let message = format!("the role `{}` has no label for people", scalar.text);
                cx.report(Code::NoNameForPeople, node.span, message, Some(help.into()));
            }
        }
    }
}

/// Within a choice, every token, label and alias belongs to one value.
fn choices(cx: &mut Context<'_>, node: &Node, schema: &Value) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let Some(tokens) = property["enum"].as_array() else { continue };
        let tokens = tokens.iter().filter_map(Value::as_str).map(|token| (token, token, "value"));
        let labels = property["x-labels"].as_object().into_iter().flatten();
        let labels = labels.filter_map(|(token, label)| Some((label.as_str()?, token.as_str(), "label")));
        let aliases = property["x-aliases"].as_object().into_iter().flatten();
        let aliases = aliases.filter_map(|(alias, token)| Some((alias.as_str(), token.as_str()?, "alias")));
        let words: Vec<(&str, &str, &str)> = tokens.chain(labels).chain(aliases).collect();
        for (index, (word, token, kind)) in words.iter().enumerate() {
            let same =
                |(other, owner, _): &&(&str, &str, &str)| other.to_lowercase() == word.to_lowercase() && owner != token;
            let Some((_, owner, other)) = words[..index].iter().find(same) else { continue };
            let place = place_of(node.nearest([name.as_str()]), word, token);
            let help = format!("it is already a {other} of `{owner}`; give `{token}` another {kind}");
            let message = format!("the {kind} `{word}` of `{token}` means two values of `{name}`");
            cx.report(Code::LabelClash, place, message, Some(help));
        }
    }
}

/// The span of a word in a choice: its value, or the choice.
fn place_of(node: &Node, word: &str, token: &str) -> Span {
    let values = node.get("values").unwrap_or(node);
    if let Some((_, label)) = values.entry(token) {
        return label.span;
    }
    let own = |item: &&Node| item.get("token").unwrap_or(item).as_scalar().is_some_and(|scalar| scalar.text == token);
    let Some(item) = values.as_seq().and_then(|items| items.iter().find(own)) else { return values.span };
    let leaves = crate::decode::leaves(item);
    leaves.iter().find(|leaf| leaf.scalar.text == word).map_or(item.span, |leaf| leaf.span)
}

/// A word without the `s` of its plural.
fn singular(word: &str) -> &str {
    word.strip_suffix('s').filter(|stem| !stem.ends_with('s')).unwrap_or(word)
}

/// Reports an internal name in a text if `nouns` in `pack.yaml` has a word for it.
fn internal(cx: &mut Context<'_>, world: &World, node: &Node) {
    let Some(scalar) = node.as_scalar() else { return };
    let pack = cx.pack;
    let declared = world.packs.iter().filter(|one| one.value.name == pack).filter_map(|pack| pack.node.get("nouns"));
    for (key, nouns) in declared.filter_map(Node::as_map).flatten() {
        let nouns: Vec<&str> = crate::decode::leaves(nouns).iter().map(|leaf| leaf.scalar.text.as_str()).collect();
        let Some(noun) = nouns.first() else { continue };
        let inside = key.text.to_lowercase();
        let spaced = inside.replace('_', " ");
        // A domain `leads` with the noun `lead` is not internal, and neither is a record type `leave_request` with the
        // noun `leave request`.
        let people_say = |noun: &&str| {
            let noun = noun.to_lowercase();
            singular(&noun) == singular(&spaced) || noun.split(' ').any(|word| singular(word) == singular(&inside))
        };
        if nouns.iter().any(people_say) {
            continue;
        }
        let text = scalar.text.to_lowercase();
        let said = |word: &str| {
            text.match_indices(word).any(|(at, _)| {
                let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
                edge(text[..at].chars().next_back()) && edge(text[at + word.len()..].chars().next())
            })
        };
        if said(&inside) || said(&spaced) {
            let message = format!("`{}` is an internal name, not a word that people use", key.text);
            cx.report(
                Code::InternalWord,
                node.span,
                message,
                Some(format!("call it `{noun}`, as `nouns` in pack.yaml says")),
            );
        }
    }
}
