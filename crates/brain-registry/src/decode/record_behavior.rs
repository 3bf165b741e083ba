//! `{record: {insert: task, set: {…}}}`: an operation on records.

use brain_lang::binding::Binding;
use serde_json::Value;

use super::Context;
use super::context::Fields;
use crate::code::Code;
use crate::model::{Lookup, RecordBehavior, RecordOp};
use crate::yaml::{Key, Node};

pub(super) const GET_KEYS: [&str; 2] = ["get", "id"];
pub(super) const LIST_KEYS: [&str; 2] = ["list", "where"];
pub(super) const OPERATIONS: [(&str, RecordOp); 8] = [
    ("insert", RecordOp::Insert),
    ("upsert", RecordOp::Upsert),
    ("update", RecordOp::Update),
    ("transition", RecordOp::Transition),
    ("get", RecordOp::Get),
    ("list", RecordOp::List),
    ("search", RecordOp::Search),
    ("delete", RecordOp::Delete),
];
/// Maximum of `limit`.
const MAX_LIMIT: i64 = 10_000;

/// The keys that an operation takes besides `with` and `result`.
pub(super) fn keys(op: RecordOp) -> &'static [&'static str] {
    match op {
        RecordOp::Insert | RecordOp::Upsert => &["set"],
        RecordOp::Update => &["id", "set"],
        RecordOp::Transition => &["id", "to", "set"],
        RecordOp::Get | RecordOp::Delete => &["id"],
        RecordOp::List => &["where", "limit"],
        RecordOp::Search => &["query", "where", "limit"],
    }
}

/// Decodes the behavior of a tool with this input.
pub(super) fn decode(cx: &mut Context<'_>, node: &Node, input: &Value) -> Option<RecordBehavior> {
    let entries = cx.map(node, "`record`")?;
    let (op, key, record) = operation(cx, node, entries)?;
    let mut known = vec![key.text.as_str(), "with", "result"];
    known.extend(keys(op));
    let fields = cx.fields(node, &format!("`{}`", key.text), &known)?;
    let record = cx.text(record, "a record type")?;
    let found = cx.found.len();
    let mut behavior = RecordBehavior {
        op,
        record,
        id: None,
        with: fields.get("with").map(|node| lookups(cx, node)).unwrap_or_default(),
        set: fields.get("set").map(|node| cx.bindings(node, "`set`")).unwrap_or_default(),
        to: None,
        filter: fields.get("where").map(|node| cx.bindings(node, "`where`")).unwrap_or_default(),
        query: None,
        limit: fields
            .get("limit")
            .and_then(|node| cx.whole(node, "`limit`", 1..=MAX_LIMIT))
            .and_then(|number| u32::try_from(number).ok()),
        result: fields.get("result").and_then(|node| cx.binding(node)),
    };
    needs(cx, &fields, &mut behavior, input, key);
    (cx.found.len() == found).then_some(behavior)
}

/// The operation, its key, and the node with the record type.
fn operation<'n>(
    cx: &mut Context<'_>,
    node: &Node,
    entries: &'n [(Key, Node)],
) -> Option<(RecordOp, &'n Key, &'n Node)> {
    let mut found = entries.iter().filter_map(|(key, value)| {
        OPERATIONS.iter().find(|(word, _)| *word == key.text).map(|(_, op)| (*op, key, value))
    });
    match (found.next(), found.next()) {
        (Some(one), None) => Some(one),
        (Some(_), Some((_, second, _))) => {
            let message = format!("a record tool has one operation; `{}` is a second one", second.text);
            cx.report(
                Code::WrongKind,
                second.span,
                message,
                Some("make it a tool of its own, or use `with` to read other records".into()),
            );
            None
        }
        (None, _) => {
            let words: Vec<&str> = OPERATIONS.iter().map(|(word, _)| *word).collect();
            match entries.first() {
                Some((key, _)) if crate::suggest::nearest(&key.text, words.iter().copied()).is_some() => {
                    cx.unknown_key(key, "`record`", &words);
                }
                _ => {
                    let help = format!(
                        "write `{{record: {{insert: TYPE}}}}`; the operations are {}",
                        crate::suggest::quoted(&words)
                    );
                    cx.report(Code::MissingKey, node.span, "`record` needs an operation", Some(help));
                }
            }
            None
        }
    }
}

/// Reports what an operation needs and lacks.
fn needs(cx: &mut Context<'_>, fields: &Fields<'_>, behavior: &mut RecordBehavior, input: &Value, key: &Key) {
    let op = behavior.op;
    if matches!(op, RecordOp::Update | RecordOp::Transition | RecordOp::Get | RecordOp::Delete) {
        behavior.id = match fields.get("id") {
            Some(node) => cx.binding(node),
            None => default_id(cx, &behavior.record, input, key),
        };
    }
    if op == RecordOp::Transition {
        behavior.to = fields
            .need(cx, "to", "`transition`")
            .and_then(|node| cx.text(node, "a state").and_then(|_| cx.binding(node)));
    }
    if op == RecordOp::Update && fields.get("set").is_none() {
        cx.report(
            Code::MissingKey,
            key.span,
            "`update` needs `set`",
            Some("say what changes: `set: {field: \"= input.field\"}`".into()),
        );
    }
    if op == RecordOp::Search {
        behavior.query = match fields.get("query") {
            Some(node) => cx.binding(node),
            None if property(input, "query").is_some() => cx.parsed(&Value::from("= input.query"), key.span),
            None => {
                let help = "add `query: \"= input.NAME\"`, or an input called `query`";
                cx.report(Code::MissingKey, key.span, "`search` needs `query`", Some(help.into()));
                None
            }
        };
    }
}

/// The default id: the input that refers to a record of this type.
fn default_id(cx: &mut Context<'_>, record: &str, input: &Value, key: &Key) -> Option<Binding> {
    let named: Vec<&str> = input
        .get("properties")
        .and_then(Value::as_object)
        .map(|map| {
            map.iter().filter(|(_, schema)| schema["x-entity"] == record).map(|(name, _)| name.as_str()).collect()
        })
        .unwrap_or_default();
    let usual = format!("{record}_id");
    let name = match named.as_slice() {
        [only] => *only,
        [] if property(input, &usual).is_some() => &usual,
        several if several.contains(&usual.as_str()) => &usual,
        [] => {
            let help = format!("add an input `{usual}: {{type: uuid, entity: {record}}}`, or say `id: \"= …\"`");
            cx.report(
                Code::WhichRecord,
                key.span,
                format!("it is not clear which `{record}` this is about"),
                Some(help),
            );
            return None;
        }
        several => {
            let help = format!(
                "the inputs {} all name one; say `id: \"= input.{}\"`",
                crate::suggest::quoted(several),
                several[0]
            );
            cx.report(
                Code::WhichRecord,
                key.span,
                format!("it is not clear which `{record}` this is about"),
                Some(help),
            );
            return None;
        }
    };
    cx.parsed(&Value::from(format!("= input.{name}")), key.span)
}

fn property<'v>(input: &'v Value, name: &str) -> Option<&'v Value> {
    input.get("properties")?.get(name)
}

/// `with: {items: {list: quote_item, where: {…}}, lead: {get: lead, id: …}}`
fn lookups(cx: &mut Context<'_>, node: &Node) -> Vec<(String, Lookup)> {
    let Some(entries) = cx.map(node, "`with`") else { return Vec::new() };
    entries
        .iter()
        .filter_map(|(key, value)| {
            let name = cx.name(&key.text, key.span, "name")?;
            Some((name, lookup(cx, value)?))
        })
        .collect()
}

fn lookup(cx: &mut Context<'_>, node: &Node) -> Option<Lookup> {
    if node.get("get").is_some() {
        let fields = cx.fields(node, "a lookup", &GET_KEYS)?;
        let record = fields.get("get").and_then(|node| cx.text(node, "a record type"));
        let id = fields.need(cx, "id", "`get`").and_then(|node| cx.binding(node));
        return Some(Lookup::Get { record: record?, id: id? });
    }
    let known: &[&str] = if node.get("list").is_some() { &LIST_KEYS } else { &["get", "list", "id", "where"] };
    let fields = cx.fields(node, "a lookup", known)?;
    let Some(record) = fields.get("list") else {
        let help = "write `{get: TYPE, id: …}` or `{list: TYPE, where: {…}}`";
        cx.report(Code::MissingKey, node.span, "a lookup needs `get` or `list`", Some(help.into()));
        return None;
    };
    let record = cx.text(record, "a record type")?;
    let filter = fields.get("where").map(|node| cx.bindings(node, "`where`")).unwrap_or_default();
    Some(Lookup::List { record, filter })
}
