//! `records/*.yaml` — record types.

use std::collections::BTreeMap;

use serde_json::json;

use super::Context;
use super::context::Fields;
use super::schema::{Purpose, field};
use crate::code::Code;
use crate::located::Located;
use crate::model::{FieldDef, GroupDef, MergeRule, OnDelete, RecordDef, States};
use crate::yaml::Node;

pub(super) const STATES_KEYS: [&str; 2] = ["initial", "transitions"];
pub(super) const GROUP_KEYS: [&str; 5] = ["members", "of", "entity", "role", "jurisdiction"];
pub(super) const KEYS: [&str; 14] = [
    "record", "title", "description", "fields", "key", "dedupe", "merge", "states", "search", "label", "aliases",
    "identifiers", "group", "ask",
];
/// Built-in properties of records, which fields must not redefine.
pub(crate) const BUILT_IN: [&str; 5] = ["id", "state", "revision", "created_at", "updated_at"];

/// Decodes one record type.
pub(crate) fn record(cx: &mut Context<'_>, node: &Node) -> Option<Located<RecordDef>> {
    let fields = cx.fields(node, "a record type", &KEYS)?;
    let name_node = fields.need(cx, "record", "a record type")?;
    let name = cx.text(name_node, "`record`").and_then(|text| cx.name(&text, name_node.span, "record type"))?;
    let declared = fields.need(cx, "fields", "a record type").map(|node| declared_fields(cx, node)).unwrap_or_default();
    let def = RecordDef {
        title: fields.get("title").and_then(|node| cx.text(node, "`title`")).unwrap_or_else(|| name.replace('_', " ")),
        pack: cx.pack.to_owned(),
        key: fields.get("key").map(|node| keys(cx, node)).unwrap_or_default(),
        dedupe: fields.get("dedupe").map(|node| cx.texts(node, "`dedupe`")).unwrap_or_default(),
        merge: merge(cx, &fields),
        states: fields.get("states").and_then(|node| states(cx, node)),
        search: fields.get("search").map(|node| cx.texts(node, "`search`")).unwrap_or_default(),
        label: fields.get("label").and_then(|node| cx.text(node, "`label`")),
        aliases: fields.get("aliases").and_then(|node| cx.text(node, "`aliases`")),
        identifiers: fields.get("identifiers").map(|node| cx.texts(node, "`identifiers`")).unwrap_or_default(),
        group: fields.get("group").and_then(|node| group(cx, node)),
        ask: fields.get("ask").and_then(|node| cx.flag(node, "`ask`")).unwrap_or(true),
        fields: declared,
        name,
    };
    Some(Located::new(cx, def, name_node.span, node.clone()))
}

/// `group: {members: client_anchor, of: group_id, entity: company_id, role: role, jurisdiction: jurisdiction}`.
fn group(cx: &mut Context<'_>, node: &Node) -> Option<GroupDef> {
    let fields = cx.fields(node, "`group`", &GROUP_KEYS)?;
    let mut text = |key: &str| fields.get(key).and_then(|node| cx.text(node, &format!("`{key}`")));
    let (entity, role, jurisdiction) = (text("entity"), text("role"), text("jurisdiction"));
    let members = fields.need(cx, "members", "`group`").and_then(|node| cx.text(node, "a record type"));
    let of = fields.need(cx, "of", "`group`").and_then(|node| cx.text(node, "a field"));
    Some(GroupDef { members: members?, of: of?, entity, role, jurisdiction })
}

fn declared_fields(cx: &mut Context<'_>, node: &Node) -> Vec<FieldDef> {
    let Some(entries) = cx.map(node, "`fields`") else { return Vec::new() };
    let mut declared = Vec::new();
    for (key, value) in entries {
        let Some(name) = cx.name(&key.text, key.span, "field name") else { continue };
        if BUILT_IN.contains(&name.as_str()) {
            let message = format!("`{name}` is a built-in property of every record");
            cx.report(Code::BadName, key.span, message, Some("give this field another name".into()));
            continue;
        }
        let Some(shape) = field(cx, value, &name, Purpose::Record) else {
            // Already reported; references to the field must not be reported as well.
            declared.push(FieldDef {
                name,
                schema: json!({}),
                required: false,
                reference: None,
                indexed: false,
                personal: false,
                ask: false,
                on_delete: OnDelete::Refuse,
            });
            continue;
        };
        declared.push(FieldDef {
            name,
            required: shape.required,
            reference: shape.entity,
            indexed: shape.indexed,
            personal: shape.personal,
            ask: shape.ask,
            on_delete: shape.on_delete.unwrap_or_default(),
            schema: shape.schema,
        });
    }
    declared
}

/// `key: email`, `key: [a, b]` (together unique), `key: [[a, b], [c]]` (several keys).
fn keys(cx: &mut Context<'_>, node: &Node) -> Vec<Vec<String>> {
    match node.as_seq() {
        Some(items) if items.iter().any(|item| item.as_seq().is_some()) => {
            items.iter().map(|item| cx.texts(item, "a key")).collect()
        }
        _ => vec![cx.texts(node, "a key")],
    }
}

fn merge(cx: &mut Context<'_>, fields: &Fields<'_>) -> BTreeMap<String, MergeRule> {
    let rules = [
        ("keep", MergeRule::Keep),
        ("replace", MergeRule::Replace),
        ("append", MergeRule::Append),
        ("fill-empty", MergeRule::FillEmpty),
    ];
    let entries = fields.get("merge").and_then(|node| cx.map(node, "`merge`")).unwrap_or(&[]);
    entries
        .iter()
        .filter_map(|(key, value)| Some((key.text.clone(), cx.choice(value, "merge rule", &rules)?)))
        .collect()
}

/// `states: {initial: draft, transitions: {draft: [final], final: []}}`, or only the transitions: the first state is
/// then the initial one.
fn states(cx: &mut Context<'_>, node: &Node) -> Option<States> {
    let long = node.get("initial").is_some() || node.get("transitions").is_some();
    let (initial, transitions) = if long {
        let fields = cx.fields(node, "`states`", &STATES_KEYS)?;
        let initial = fields.need(cx, "initial", "`states`").and_then(|node| cx.text(node, "a state"));
        (initial, fields.need(cx, "transitions", "`states`")?)
    } else {
        (None, node)
    };
    let entries = cx.map(transitions, "the transitions")?;
    let initial = match (initial, long) {
        (Some(initial), _) => Some(initial),
        (None, false) => entries.first().map(|(key, _)| key.text.clone()),
        (None, true) => None,
    };
    let mut moves: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (key, targets) in entries {
        let Some(name) = cx.name(&key.text, key.span, "state") else { continue };
        let targets = if targets.kind() == "nothing" { Vec::new() } else { cx.texts(targets, "a state") };
        moves.insert(name, targets);
    }
    Some(States { initial: initial?, transitions: moves })
}
