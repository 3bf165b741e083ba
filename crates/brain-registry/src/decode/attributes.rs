//! Attributes of tools that a later part enforces: checked for their kind, kept and shown as written.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Context;
use super::context::Fields;

/// The keys.
pub(super) const ATTRIBUTES: [&str; 9] =
    ["permission", "tiers", "needs", "blockers", "opposites", "cost", "acknowledge", "may_inject", "capability"];

/// The attributes of a tool.
pub(super) fn attributes(cx: &mut Context<'_>, fields: &Fields<'_>) -> BTreeMap<String, Value> {
    let mut kept = BTreeMap::new();
    for key in ATTRIBUTES {
        let Some(node) = fields.get(key) else { continue };
        let what = format!("`{key}`");
        let value = match key {
            "permission" | "acknowledge" | "capability" => cx.text(node, &what).map(Value::from),
            "may_inject" => cx.flag(node, &what).map(Value::from),
            "cost" => {
                if node.as_map().is_some() {
                    cx.fields(node, &what, &["fixed", "per_unit", "unit", "currency"]);
                }
                Some(cx.value(node))
            }
            "blockers" => cx.seq(node, &what).map(|_| ()).map(|()| cx.value(node)),
            _ => Some(Value::from(cx.texts(node, &what))),
        };
        if let Some(value) = value {
            kept.insert(key.to_owned(), value);
        }
    }
    kept
}
