//! Arguments written in a pack: known, complete, and of the right type where they are literal.

use serde_json::Value;

use crate::call::normalise;
use crate::call::problems_of;
use crate::code::Code;
use crate::complete::properties;
use crate::decode::{Context, leaves};
use crate::suggest::{did_you_mean, nearest};
use crate::yaml::{Node, Span, to_json};

/// Whether a node contains no expression or template.
pub(super) fn is_literal(node: &Node) -> bool {
    leaves(node).iter().all(|leaf| leaf.feel().is_none() && !leaf.is_template())
}

/// Checks `args` for a tool with this input. Missing arguments are reported at `anchor`.
pub(super) fn check(cx: &mut Context<'_>, tool: &str, input: &Value, args: Option<&Node>, anchor: Span) {
    let mut meant = Vec::new();
    for (key, value) in args.and_then(Node::as_map).unwrap_or(&[]) {
        match input["properties"].get(&key.text) {
            None if input.get("additionalProperties") == Some(&Value::Bool(false)) => {
                meant.extend(nearest(&key.text, properties(input).map(String::as_str)));
                let help = did_you_mean(&key.text, properties(input).map(String::as_str))
                    .or_else(|| Some(format!("`{tool}` takes no arguments")));
                cx.report(Code::UnknownArgument, key.span, format!("`{tool}` has no input `{}`", key.text), help);
            }
            None => {}
            Some(schema) => fits(cx, schema, value, &key.text),
        }
    }
    for name in input["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let has_default = input["properties"][name].get("default").is_some();
        if !has_default && !meant.contains(&name) && args.and_then(|args| args.get(name)).is_none() {
            let expected = crate::call::expectation(&input["properties"][name]);
            let help = format!("add `{name}`: {expected}");
            cx.report(Code::MissingArgument, anchor, format!("`{tool}` needs `{name}`"), Some(help));
        }
    }
}

/// Checks one value, if it is literal.
pub(super) fn fits(cx: &mut Context<'_>, schema: &Value, node: &Node, name: &str) {
    if !is_literal(node) {
        return;
    }
    let value = normalise(schema, to_json(node));
    if let Some(problem) = problems_of(schema, &value, name).first() {
        cx.report(Code::BadArgument, node.span, problem.message.clone(), None);
    }
}
