//! `roles:` — the participants of a playbook. Each role is also a slot.

use serde_json::{Value, json};

use super::Context;
use crate::code::Code;
use crate::model::{Cardinality, Role};
use crate::yaml::Node;

const CARDINALITIES: [(&str, Cardinality); 4] = [
    ("one", Cardinality::One),
    ("zero_or_one", Cardinality::ZeroOrOne),
    ("zero_or_more", Cardinality::ZeroOrMore),
    ("one_or_more", Cardinality::OneOrMore),
];

pub(super) const KEYS: [&str; 4] = ["role", "cardinality", "kinds", "label"];

/// `[{role, cardinality, kinds, label}, …]`.
pub(super) fn roles(cx: &mut Context<'_>, node: &Node) -> Vec<Role> {
    let items = cx.seq(node, "`roles`").unwrap_or(&[]);
    items.iter().filter_map(|item| role(cx, item)).collect()
}

fn role(cx: &mut Context<'_>, node: &Node) -> Option<Role> {
    let fields = cx.fields(node, "a role", &KEYS)?;
    let name = fields.need(cx, "role", "a role");
    let name = name.and_then(|node| cx.text(node, "`role`").and_then(|text| cx.name(&text, node.span, "role")));
    let cardinality = match fields.get("cardinality") {
        Some(node) => cx.choice(node, "cardinality", &CARDINALITIES),
        None => Some(Cardinality::One),
    };
    let kinds = fields.get("kinds").map(|node| cx.texts(node, "a record type")).unwrap_or_default();
    let label = fields.get("label").and_then(|node| cx.text(node, "`label`")).unwrap_or_default();
    Some(Role { role: name?, cardinality: cardinality?, kinds, label })
}

/// Adds a slot for each role.
pub(super) fn add_slots(cx: &mut Context<'_>, roles: &[Role], node: Option<&Node>, slots: &mut Value) {
    for (index, role) in roles.iter().enumerate() {
        if slots["properties"].get(&role.role).is_some() {
            let place = node.map(|node| node.nearest([&index.to_string(), "role"]).span).unwrap_or_default();
            let help = "a role already is a slot: remove the slot, or rename one of them";
            cx.report(
                Code::DuplicateKey,
                place,
                format!("`{}` is already a slot or role", role.role),
                Some(help.into()),
            );
            continue;
        }
        slots["properties"][&role.role] = slot(role);
        if let (Cardinality::One | Cardinality::OneOrMore, Some(required)) =
            (role.cardinality, slots["required"].as_array_mut())
        {
            required.push(Value::from(role.role.as_str()));
        }
    }
}

fn slot(role: &Role) -> Value {
    let mut party = json!({"type": "string", "format": "uuid"});
    match role.kinds.as_slice() {
        [] => {}
        [only] => party["x-entity"] = Value::from(only.as_str()),
        several => party["x-kinds"] = json!(several),
    }
    let mut schema = match role.cardinality {
        Cardinality::One | Cardinality::ZeroOrOne => party,
        Cardinality::ZeroOrMore => json!({"type": "array", "items": party}),
        Cardinality::OneOrMore => json!({"type": "array", "items": party, "minItems": 1}),
    };
    if !role.label.is_empty() {
        schema["title"] = Value::from(role.label.as_str());
    }
    schema
}
