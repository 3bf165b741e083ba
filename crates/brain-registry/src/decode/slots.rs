//! How the slots of a playbook depend on each other: `required_if`, `valid_for`, `placeholder_if_missing`.

use brain_lang::binding::Binding;
use serde_json::{Value, json};

use super::Context;
use crate::model::{Placeholder, SlotRule};
use crate::yaml::Node;

pub(super) const PLACEHOLDER_KEYS: [&str; 3] = ["tool", "args", "field"];

/// The rules in the declarations of slots.
pub(super) fn rules(cx: &mut Context<'_>, node: &Node) -> Vec<SlotRule> {
    let entries = node.as_map().unwrap_or(&[]);
    entries.iter().filter_map(|(key, slot)| rule(cx, &key.text, slot)).collect()
}

fn rule(cx: &mut Context<'_>, name: &str, node: &Node) -> Option<SlotRule> {
    let required_if = node.get("required_if").and_then(|node| cx.condition(node, "`required_if`"));
    let placeholder = node.get("placeholder_if_missing").and_then(|node| placeholder(cx, node));
    // A slot with a placeholder and without a condition is always required, unless declared optional.
    let required_if = match &placeholder {
        Some(_) if node.get("required_if").is_none() && !optional(node) => always(),
        _ => required_if,
    };
    let valid_for = valid_for(cx, node);
    let says = required_if.is_some() || placeholder.is_some() || !valid_for.is_empty();
    says.then(|| SlotRule { slot: name.to_owned(), required_if, valid_for, placeholder })
}

fn optional(node: &Node) -> bool {
    let text = |key: &str| node.get(key).and_then(Node::as_scalar).map(|scalar| scalar.text.as_str());
    text("optional") == Some("true") || text("type").is_some_and(|word| word.trim_end().ends_with('?'))
}

fn always() -> Option<Binding> {
    Binding::parse(&json!("= true")).ok()
}

/// `{tool, args, field}`.
fn placeholder(cx: &mut Context<'_>, node: &Node) -> Option<Placeholder> {
    let what = "`placeholder_if_missing`";
    let fields = cx.fields(node, what, &PLACEHOLDER_KEYS)?;
    let tool = fields.need(cx, "tool", what).and_then(|node| cx.full_name(node, "tool name"));
    let args = match fields.get("args") {
        Some(node) => cx.map(node, "`args`").and_then(|_| cx.binding(node)),
        None => cx.parsed(&json!({}), node.span),
    };
    let field = fields.need(cx, "field", what).and_then(|node| cx.text(node, "`field`"));
    Some(Placeholder { tool: tool?, args: args?, field: field? })
}

/// The condition of each token: declared with the token, or for the slot as a whole by token.
fn valid_for(cx: &mut Context<'_>, node: &Node) -> Vec<(String, Binding)> {
    let beside = node.get("values").and_then(Node::as_seq).unwrap_or(&[]).iter().filter_map(|value| {
        let token = value.get("token")?.as_scalar()?;
        Some((token.text.as_str(), value.get("valid_for")?))
    });
    let whole = node.get("valid_for").map(|node| cx.map(node, "`valid_for`").unwrap_or(&[])).unwrap_or(&[]);
    let whole = whole.iter().map(|(token, when)| (token.text.as_str(), when));
    let pairs: Vec<(&str, &Node)> = beside.chain(whole).collect();
    pairs.into_iter().filter_map(|(token, when)| Some((token.to_owned(), validity(cx, when)?))).collect()
}

/// `"= FEEL over slots"`, or `{slot: [tokens]}`: each slot must have one of its tokens.
fn validity(cx: &mut Context<'_>, node: &Node) -> Option<Binding> {
    if node.as_map().is_none() {
        return cx.condition(node, "`valid_for`");
    }
    let mut conditions = Vec::new();
    for (slot, tokens) in cx.map(node, "`valid_for`")? {
        let name = cx.name(&slot.text, slot.span, "slot")?;
        let tokens = cx.texts(tokens, "a token");
        let list = serde_json::to_string(&tokens).ok()?;
        conditions.push(format!("list contains({list}, slots.{name})"));
    }
    cx.parsed(&Value::from(format!("= {}", conditions.join(" and "))), node.span)
}
