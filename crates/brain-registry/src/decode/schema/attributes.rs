//! A short-form field with attributes: `{type: decimal, minimum: 0, default: 1}`.

use serde_json::{Value, json};

use super::{FieldShape, Purpose, field, object, raw, types, validator_problem};
use crate::call::normalise;
use crate::code::Code;
use crate::decode::Context;
use crate::model::OnDelete;
use crate::yaml::{Node, Resolved, resolve, to_json};

/// Attributes of every type.
pub(in crate::decode) const COMMON: &[&str] = &[
    "type", "default", "optional", "entity", "title", "description", "unit", "personal", "examples", "roles", "anchor",
];
/// Attributes of slots: dependencies between slots.
pub(in crate::decode) const OF_SLOTS: &[&str] = &["required_if", "valid_for", "placeholder_if_missing"];
/// Attributes of record fields only.
pub(in crate::decode) const OF_RECORDS: &[&str] = &["ref", "indexed", "on_delete", "ask"];
/// Attributes of certain types, and their JSON Schema keyword.
pub(in crate::decode) const OF_TYPES: &[(&str, &str, &[&str])] = &[
    ("minimum", "minimum", &["integer", "decimal", "number", "money"]),
    ("maximum", "maximum", &["integer", "decimal", "number", "money"]),
    ("min_length", "minLength", &["string", "text"]),
    ("max_length", "maxLength", &["string", "text"]),
    ("pattern", "pattern", &["string", "text"]),
    ("min_items", "minItems", &["list"]),
    ("max_items", "maxItems", &["list"]),
    ("items", "items", &["list"]),
    ("values", "enum", &["enum"]),
    ("fields", "properties", &["object"]),
];

/// The shape of a field that is written as a map.
pub(super) fn shape(cx: &mut Context<'_>, node: &Node, name: &str, purpose: Purpose) -> Option<FieldShape> {
    let (written, required) = declared_type(cx, node)?;
    let mut schema = if raw::is_field(node) {
        raw::field(node)
    } else {
        unknown_attributes(cx, node, &written, purpose);
        base(cx, node, &written, name, purpose)?
    };
    if purpose != Purpose::Slots {
        not_a_slot(cx, node);
    }
    let get = |key: &str| node.get(key);
    let mut optional = get("required_if").is_some() || get("placeholder_if_missing").is_some();
    if let Some(flag) = get("optional") {
        optional |= cx.flag(flag, "`optional`").unwrap_or(false);
    }
    for (key, keyword) in [("title", "title"), ("description", "description"), ("unit", "x-unit")] {
        if let Some(text) = get(key).and_then(|value| cx.text(value, key)) {
            schema[keyword] = Value::from(text);
        }
    }
    for (key, keyword) in [("examples", "examples"), ("roles", "x-roles")] {
        if let Some(value) = get(key) {
            schema[keyword] = cx.value(value);
        }
    }
    let entity = get("entity").or_else(|| get("ref")).and_then(|value| cx.text(value, "a record type"));
    if let Some(entity) = &entity {
        schema["x-entity"] = Value::from(entity.as_str());
    }
    if let Some(anchor) = get("anchor") {
        let role = cx.text(anchor, "a role");
        if entity.is_none() {
            let help = "say which records it takes: `{entity: company, anchor: parent}`";
            cx.report(Code::BadAttribute, anchor.span, "only an id of a record has an `anchor`", Some(help.into()));
        }
        schema["x-anchor"] = role.map_or(Value::Null, Value::from);
    }
    let personal = get("personal").and_then(|value| cx.flag(value, "`personal`")).unwrap_or(false);
    if personal {
        schema["x-personal"] = Value::Bool(true);
    }
    let ask = get("ask").and_then(|value| cx.flag(value, "`ask`")).unwrap_or(true);
    let indexed = get("indexed").and_then(|value| cx.flag(value, "`indexed`")).unwrap_or(false);
    let required = required && !optional && get("default").is_none();
    let on_delete = get("on_delete").and_then(|value| on_delete(cx, value, &schema));
    Some(FieldShape { schema, required, entity, indexed, personal, ask, on_delete })
}

/// `on_delete` belongs to a whole field, not to a part of one.
fn whole_field_only(cx: &mut Context<'_>, part: &Node) {
    if let Some(node) = part.get("on_delete") {
        let help = "write it next to `items`: `{items: {ref: lead}, on_delete: clear}`; references inside objects cannot have `on_delete`";
        cx.report(Code::BadAttribute, node.span, "`on_delete` belongs to the whole field", Some(help.into()));
    }
}

/// What happens to a record if the referenced one is deleted.
fn on_delete(cx: &mut Context<'_>, node: &Node, schema: &Value) -> Option<OnDelete> {
    if !schema["x-entity"].is_string() && !schema["items"]["x-entity"].is_string() {
        let help =
            "say what it points to: `{ref: lead, on_delete: clear}`, or `{items: {ref: lead}, on_delete: clear}`";
        cx.report(Code::BadAttribute, node.span, "only a reference has `on_delete`", Some(help.into()));
        return None;
    }
    let rules = [("refuse", OnDelete::Refuse), ("clear", OnDelete::Clear), ("cascade", OnDelete::Cascade)];
    cx.choice(node, "rule for `on_delete`", &rules)
}

/// The declared type, or the one implied by other keys, and whether the field is required.
fn declared_type(cx: &mut Context<'_>, node: &Node) -> Option<(String, bool)> {
    let implied = [("values", "enum"), ("items", "list"), ("fields", "object"), ("entity", "uuid"), ("ref", "uuid")];
    match node.get("type") {
        Some(word) if raw::is_field(node) => {
            Some((word.as_scalar().map_or(String::new(), |scalar| scalar.text.clone()), true))
        }
        Some(word) => {
            let text = cx.text(word, "a type")?;
            let (word, required) = types::without_mark(&text);
            Some((word.to_owned(), required))
        }
        None if raw::is_field(node) => Some((String::new(), true)),
        None => match implied.iter().find(|(key, _)| node.get(key).is_some()) {
            Some((_, word)) => Some(((*word).to_owned(), true)),
            None => {
                let help = "write `type:`, for example `{type: string, max_length: 80}`";
                cx.report(Code::MissingKey, node.span, "this needs a `type`", Some(help.into()));
                None
            }
        },
    }
}

/// Rejects attributes that only slots have.
fn not_a_slot(cx: &mut Context<'_>, node: &Node) {
    for (key, _) in node.as_map().unwrap_or(&[]).iter().filter(|(key, _)| OF_SLOTS.contains(&key.text.as_str())) {
        let help = "make it `optional: true`, and say in `requires` when it is needed: \
                    `{expr: \"= input.a = null or input.b != null\", else: …}`";
        let message = format!("`{}` is for the slots of a playbook", key.text);
        cx.report(Code::BadAttribute, key.span, message, Some(help.into()));
    }
}

fn unknown_attributes(cx: &mut Context<'_>, node: &Node, word: &str, purpose: Purpose) {
    let mut known: Vec<&str> = COMMON.to_vec();
    if purpose == Purpose::Record {
        known.extend(OF_RECORDS);
    }
    let fitting: Vec<&str> = known
        .iter()
        .copied()
        .chain(OF_TYPES.iter().filter(|(_, _, types)| types.contains(&word)).map(|(key, ..)| *key))
        .collect();
    for (key, _) in node.as_map().unwrap_or(&[]) {
        if fitting.contains(&key.text.as_str()) || OF_SLOTS.contains(&key.text.as_str()) {
            continue;
        }
        match OF_TYPES.iter().find(|(attribute, ..)| *attribute == key.text) {
            Some((attribute, _, of)) if types::TYPES.contains(&word) => {
                let help = format!("`{attribute}` goes with {}", crate::suggest::quoted(of));
                cx.report(Code::BadAttribute, key.span, format!("a `{word}` has no `{attribute}`"), Some(help));
            }
            _ => cx.unknown_key(key, "a field", &fitting),
        }
    }
}

/// The schema of the type with its attributes.
fn base(cx: &mut Context<'_>, node: &Node, word: &str, name: &str, purpose: Purpose) -> Option<Value> {
    let span = node.get("type").map_or(node.span, |node| node.span);
    let mut schema = match word {
        "enum" => match node.get("values") {
            Some(values) => types::enumeration(cx, values, purpose)?,
            None => types::simple(cx, word, span)?,
        },
        "list" => match node.get("items") {
            Some(items) => {
                whole_field_only(cx, items);
                json!({"type": "array", "items": field(cx, items, name, purpose.inside())?.schema})
            }
            None => types::simple(cx, word, span)?,
        },
        "object" => match node.get("fields") {
            Some(fields) => {
                fields.as_map().unwrap_or(&[]).iter().for_each(|(_, part)| whole_field_only(cx, part));
                object(cx, fields, "`fields`", purpose.inside())?
            }
            None => types::simple(cx, word, span)?,
        },
        _ => types::simple(cx, word, span)?,
    };
    for (key, keyword, of) in OF_TYPES.iter().filter(|(key, ..)| !["items", "values", "fields"].contains(key)) {
        let Some(value) = node.get(key).filter(|_| of.contains(&word)) else { continue };
        let limit = match *key {
            "pattern" => cx.text(value, "a pattern").map(Value::from),
            "minimum" | "maximum" => limit(cx, value, key),
            _ => cx.whole(value, &format!("`{key}`"), 0..=i64::from(u32::MAX)).map(Value::from),
        };
        if let Some(limit) = limit {
            schema[*keyword] = limit;
        }
    }
    Some(schema)
}

/// A limit as a JSON number. The shortest text of the float is what was written, so no digit is lost.
fn limit(cx: &mut Context<'_>, node: &Node, key: &str) -> Option<Value> {
    match node.as_scalar().map(resolve) {
        Some(Resolved::Integer(number)) => Some(Value::from(number)),
        Some(Resolved::Decimal(text)) => text.parse::<f64>().ok().map(Value::from),
        _ => {
            cx.wrong_kind(node, &format!("`{key}`"), "a number");
            None
        }
    }
}

/// Adds the normalised default to the schema, if the schema accepts it.
pub(super) fn default(cx: &mut Context<'_>, shape: &mut FieldShape, node: &Node, name: &str) {
    if validator_problem(&shape.schema).is_some() {
        return;
    }
    let wanted = normalise(&shape.schema, to_json(node));
    let problems = crate::call::problems_of(&shape.schema, &wanted, name);
    if let Some(problem) = problems.first() {
        cx.report(
            Code::BadDefault,
            node.span,
            format!("this default does not fit its own type: {}", problem.message),
            None,
        );
    }
    shape.schema["default"] = wanted;
}
