//! Attributes of tools other than their behavior: permissions, cost, blockers, acknowledgements.

use super::context::Fields;
use super::{Context, http_behavior, policy};
use crate::call::decimal;
use crate::code::Code;
use crate::model::{Acknowledge, Behavior, Blocker, Cost, Delegate, Precondition, Review};
use crate::yaml::{Node, Resolved, resolve};

/// The keys.
pub(super) const ATTRIBUTES: [&str; 12] = [
    "permission", "tiers", "needs", "blockers", "opposites", "dependencies", "cost", "acknowledge", "may_inject",
    "capability", "delegate", "review",
];

pub(super) const BLOCKER_KEYS: [&str; 3] = ["code", "when", "else"];
pub(super) const COST_KEYS: [&str; 5] = ["fixed", "per_unit", "units", "unit", "currency"];
pub(super) const ACKNOWLEDGE_KEYS: [&str; 2] = ["text", "within"];
pub(super) const REVIEW_KEYS: [&str; 2] = ["when", "ask"];
pub(super) const DELEGATE_KEYS: [&str; 3] = ["secret", "within", "reference"];

/// The attributes of a tool, each as in [`ToolDef`](crate::model::ToolDef).
pub(super) struct Attributes {
    pub(super) permission: Option<String>,
    pub(super) tiers: Vec<String>,
    pub(super) needs: Vec<String>,
    pub(super) blockers: Vec<Blocker>,
    pub(super) opposites: Vec<String>,
    /// Preconditions for each of `dependencies`.
    pub(super) dependencies: Vec<Precondition>,
    pub(super) cost: Option<Cost>,
    pub(super) acknowledge: Option<Acknowledge>,
    pub(super) may_inject: bool,
    pub(super) capability: Option<String>,
    pub(super) delegate: Option<Delegate>,
    pub(super) review: Option<Review>,
}

/// Decodes the attributes of a tool. `behavior` is absent if it could not be decoded.
pub(super) fn attributes(cx: &mut Context<'_>, fields: &Fields<'_>, behavior: Option<&Behavior>) -> Attributes {
    let text = |cx: &mut Context<'_>, key: &str| fields.get(key).and_then(|node| cx.text(node, &format!("`{key}`")));
    let texts = |cx: &mut Context<'_>, key: &str| {
        fields.get(key).map(|node| cx.texts(node, &format!("`{key}`"))).unwrap_or_default()
    };
    Attributes {
        permission: text(cx, "permission"),
        tiers: texts(cx, "tiers"),
        needs: texts(cx, "needs"),
        blockers: fields.get("blockers").map(|node| blockers(cx, node)).unwrap_or_default(),
        opposites: texts(cx, "opposites"),
        dependencies: texts(cx, "dependencies").into_iter().map(dependency).collect(),
        cost: fields.get("cost").and_then(|node| cost(cx, node)),
        acknowledge: fields.get("acknowledge").and_then(|node| acknowledge(cx, node)),
        may_inject: fields.get("may_inject").and_then(|node| cx.flag(node, "`may_inject`")).unwrap_or(false),
        capability: text(cx, "capability"),
        delegate: fields.get("delegate").and_then(|node| delegate(cx, node, behavior)),
        review: fields.get("review").and_then(|node| review(cx, node)),
    }
}

/// `dependencies: [tool]` is short for `requires: [{prior: tool, else: …}]`; the message is filled in when all titles
/// are known.
fn dependency(tool: String) -> Precondition {
    Precondition {
        record: None,
        record_type: None,
        state: Vec::new(),
        expr: None,
        prior: Some(tool),
        never: None,
        any: Vec::new(),
        recheck: None,
        otherwise: String::new(),
    }
}

/// A list of names, or of `{code, when, else}`.
fn blockers(cx: &mut Context<'_>, node: &Node) -> Vec<Blocker> {
    let Some(items) = cx.seq(node, "`blockers`") else { return Vec::new() };
    items.iter().filter_map(|item| blocker(cx, item)).collect()
}

fn blocker(cx: &mut Context<'_>, node: &Node) -> Option<Blocker> {
    if node.as_scalar().is_some() {
        let code = code(cx, node)?;
        let otherwise = in_words(&code);
        return Some(Blocker { code, when: None, otherwise });
    }
    let fields = cx.fields(node, "a blocker", &BLOCKER_KEYS)?;
    let code = fields.need(cx, "code", "a blocker").and_then(|node| code(cx, node));
    let when = match fields.get("when") {
        Some(node) => Some(cx.condition(node, "`when`")?),
        None => None,
    };
    let otherwise = match fields.get("else") {
        Some(node) => Some(cx.narrative(node, "`else`")?),
        None => None,
    };
    let code = code?;
    Some(Blocker { otherwise: otherwise.unwrap_or_else(|| in_words(&code)), when, code })
}

fn code(cx: &mut Context<'_>, node: &Node) -> Option<String> {
    let text = cx.text(node, "the code of a blocker")?;
    cx.name(&text, node.span, "code of a blocker")
}

/// `account_locked` → "Blocked: account locked."
fn in_words(code: &str) -> String {
    format!("Blocked: {}.", code.replace('_', " "))
}

/// A decimal, or `{fixed, per_unit, units, unit, currency}`.
fn cost(cx: &mut Context<'_>, node: &Node) -> Option<Cost> {
    if node.as_scalar().is_some() {
        return Some(Cost { fixed: Some(amount(cx, node, "`cost`")?), ..Cost::default() });
    }
    let fields = cx.fields(node, "`cost`", &COST_KEYS)?;
    let cost = Cost {
        fixed: fields.get("fixed").and_then(|node| amount(cx, node, "`fixed`")),
        per_unit: fields.get("per_unit").and_then(|node| amount(cx, node, "`per_unit`")),
        units: fields.get("units").and_then(|node| cx.condition(node, "`units`")),
        unit: fields.get("unit").and_then(|node| cx.text(node, "`unit`")),
        currency: fields.get("currency").and_then(|node| cx.text(node, "`currency`")),
    };
    let (fixed, per_unit) = (fields.get("fixed"), fields.get("per_unit"));
    if fixed.is_none() && per_unit.is_none() {
        let help = "write `cost: 0.10`, or `cost: {per_unit: 0.10, unit: page, units: \"= input.pages\"}`";
        cx.report(Code::MissingKey, fields.first(), "`cost` needs `fixed` or `per_unit`", Some(help.into()));
    }
    if let (None, Some(node)) = (per_unit, fields.get("units").or_else(|| fields.get("unit"))) {
        let help = "say what one unit costs: `per_unit: 0.10`";
        cx.report(Code::MissingKey, node.span, "`units` needs `per_unit`", Some(help.into()));
    }
    Some(cost)
}

/// An exact decimal that is not negative, as text.
fn amount(cx: &mut Context<'_>, node: &Node, what: &str) -> Option<String> {
    let text = match node.as_scalar().map(resolve) {
        Some(Resolved::Integer(number)) => number.to_string(),
        Some(Resolved::Decimal(text) | Resolved::Text(text)) => text,
        _ => String::new(),
    };
    match decimal(&text) {
        None => {
            cx.wrong_kind(node, what, "a decimal such as `0.10`");
            None
        }
        Some(number) if number.is_sign_negative() && !number.is_zero() => {
            cx.report(Code::OutOfRange, node.span, format!("{what} must not be negative, but it is {text}"), None);
            None
        }
        Some(number) => Some(number.to_string()),
    }
}

/// Text, or `{text, within}`.
fn acknowledge(cx: &mut Context<'_>, node: &Node) -> Option<Acknowledge> {
    if node.as_scalar().is_some() {
        return Some(Acknowledge { text: cx.narrative(node, "`acknowledge`")?, within: None });
    }
    let fields = cx.fields(node, "`acknowledge`", &ACKNOWLEDGE_KEYS)?;
    let text = fields.need(cx, "text", "`acknowledge`").and_then(|node| cx.narrative(node, "`text`"));
    let within = fields.get("within").and_then(|node| policy::timeout(cx, node));
    Some(Acknowledge { text: text?, within })
}

/// Text, or `{when, ask}`.
fn review(cx: &mut Context<'_>, node: &Node) -> Option<Review> {
    if node.as_scalar().is_some() {
        return Some(Review { when: None, ask: cx.narrative(node, "`review`")? });
    }
    let fields = cx.fields(node, "`review`", &REVIEW_KEYS)?;
    let ask = fields.need(cx, "ask", "`review`").and_then(|node| cx.narrative(node, "`ask`"));
    let when = match fields.get("when") {
        Some(node) => Some(cx.condition(node, "`when`")?),
        None => None,
    };
    Some(Review { when, ask: ask? })
}

/// `{secret, within, reference}`.
fn delegate(cx: &mut Context<'_>, node: &Node, behavior: Option<&Behavior>) -> Option<Delegate> {
    if behavior.is_some_and(|behavior| !matches!(behavior, Behavior::Http(_))) {
        let help = "only an `http` tool can hand its work to another engine; for your own programs use `worker`";
        let message = "`delegate` is for tools that call an external API";
        cx.report(Code::BadAttribute, node.span, message, Some(help.into()));
        return None;
    }
    let fields = cx.fields(node, "`delegate`", &DELEGATE_KEYS)?;
    let secret = fields.need(cx, "secret", "`delegate`").and_then(|node| http_behavior::secret(cx, node));
    let within = fields.get("within").and_then(|node| policy::timeout(cx, node));
    let reference = fields.get("reference").and_then(|node| cx.binding(node));
    Some(Delegate { secret: secret?, within, reference })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_in_words_is_a_sentence() {
        assert_eq!(in_words("account_locked"), "Blocked: account locked.");
    }
}
