//! `requires:` — what must hold before a tool may run.

use brain_core::Millis;
use serde_json::Value;

use super::Context;
use crate::code::Code;
use crate::model::Precondition;
use crate::suggest::did_you_mean;
use crate::yaml::Node;

/// Planned kinds of preconditions.
const LATER: [&str; 2] = ["scope", "fact"];
/// Minimum interval of `recheck`.
const MIN_RECHECK: Millis = Millis::from_secs(1);

pub(super) const KEYS: [&str; 8] = ["record", "state", "expr", "prior", "never", "any", "recheck", "else"];
/// Maximum nesting of `any`.
const MAX_DEPTH: usize = 4;

/// The preconditions of a tool with this input.
pub(super) fn preconditions(cx: &mut Context<'_>, node: &Node, input: &Value) -> Vec<Precondition> {
    let Some(items) = cx.seq(node, "`requires`") else { return Vec::new() };
    items.iter().filter_map(|item| precondition(cx, item, input, 0)).collect()
}

/// One precondition. Inside `any` (`depth` above 0), `else` is optional: the message of the whole applies.
fn precondition(cx: &mut Context<'_>, node: &Node, input: &Value, depth: usize) -> Option<Precondition> {
    if let Some((key, _)) = LATER.iter().find_map(|kind| node.entry(kind)) {
        let message = format!("`{}` preconditions are not supported by this version", key.text);
        let help = "use `record` and `state`, `expr`, `prior`, `never` or `any`";
        cx.report(Code::NotYet, key.span, message, Some(help.into()));
        return None;
    }
    let fields = cx.fields(node, "a precondition", &KEYS)?;
    let otherwise = match fields.get("else") {
        None if depth > 0 => Some(String::new()),
        _ => fields.need(cx, "else", "a precondition").and_then(|node| cx.narrative(node, "`else`")),
    };
    let found = cx.found.len();
    let record = fields.get("record").and_then(|node| Some((cx.text(node, "`record`")?, node)));
    let state = fields.get("state").map(|node| cx.texts(node, "a state")).unwrap_or_default();
    let expr = fields.get("expr").and_then(|node| cx.condition(node, "`expr`"));
    let prior = fields.get("prior").and_then(|node| cx.text(node, "`prior`"));
    let never = fields.get("never").and_then(|node| cx.text(node, "`never`"));
    let any = fields.get("any").map(|node| alternatives(cx, node, input, depth)).unwrap_or_default();
    let recheck = fields.get("recheck").and_then(|node| recheck(cx, node));
    if cx.found.len() > found {
        return None;
    }
    let about = record.is_some() || expr.is_some() || prior.is_some() || never.is_some() || !any.is_empty();
    if !about || (record.is_none() && !state.is_empty()) {
        let help = "write `{record: INPUT, state: STATE, else: …}`, `{expr: \"= …\", else: …}`, \
                    `{prior: TOOL, else: …}`, `{never: TOOL, else: …}` or `{any: […], else: …}`";
        cx.report(Code::MissingKey, fields.first(), "this precondition has no condition", Some(help.into()));
        return None;
    }
    one_thing(cx, node)?;
    let record_type = match &record {
        None => None,
        Some((name, node)) => Some(record_type(cx, name, node, input)?),
    };
    let record = record.map(|(name, _)| name);
    Some(Precondition { record, record_type, state, expr, prior, never, any, recheck, otherwise: otherwise? })
}

/// `prior`, `never` and `any` exclude other conditions; only the first two may also name a record.
fn one_thing(cx: &mut Context<'_>, node: &Node) -> Option<()> {
    let (kind, others): (_, &[&str]) = match ["any", "prior", "never"].iter().find(|kind| node.get(kind).is_some()) {
        None => return Some(()),
        Some(&"any") => ("any", &["prior", "never", "expr", "state", "record"]),
        Some(kind) => (*kind, &["never", "expr", "state"]),
    };
    let second = others.iter().filter(|other| **other != kind).find_map(|other| node.entry(other));
    let Some((second, _)) = second else { return Some(()) };
    let message = format!("a precondition has one condition, not both `{kind}` and `{}`", second.text);
    cx.report(Code::WrongKind, second.span, message, Some("make it a precondition of its own".into()));
    None
}

/// `any: [precondition, …]`: one must hold.
fn alternatives(cx: &mut Context<'_>, node: &Node, input: &Value, depth: usize) -> Vec<Precondition> {
    let Some(items) = cx.seq(node, "`any`") else { return Vec::new() };
    if depth >= MAX_DEPTH {
        let message = format!("`any` nests at most {MAX_DEPTH} levels");
        cx.report(Code::TooLarge, node.span, message, Some("use `expr` with `and` and `or`".into()));
        return Vec::new();
    }
    if items.is_empty() {
        let help = "give at least two, or leave `any` out";
        cx.report(Code::MissingKey, node.span, "`any` needs at least one precondition", Some(help.into()));
    }
    items.iter().filter_map(|item| precondition(cx, item, input, depth + 1)).collect()
}

/// The record type of an input.
fn record_type(cx: &mut Context<'_>, name: &str, node: &Node, input: &Value) -> Option<String> {
    let properties = input.get("properties").and_then(Value::as_object);
    let Some(schema) = properties.and_then(|properties| properties.get(name)) else {
        let names = properties.map(|map| map.keys().map(String::as_str).collect::<Vec<_>>()).unwrap_or_default();
        let help = did_you_mean(name, names);
        cx.report(Code::UnknownInput, node.span, format!("the tool has no input `{name}`"), help);
        return None;
    };
    let entity = schema.get("x-entity").and_then(Value::as_str);
    if entity.is_none() {
        let help = format!("say which record type it names: `{name}: {{type: uuid, entity: …}}`");
        cx.report(Code::WhichRecord, node.span, format!("the input `{name}` does not name a record type"), Some(help));
    }
    entity.map(str::to_owned)
}

/// The interval between two checks.
fn recheck(cx: &mut Context<'_>, node: &Node) -> Option<Millis> {
    let length = cx.duration(node, "`recheck`")?;
    if length < MIN_RECHECK {
        let message = format!("`recheck` must be at least {MIN_RECHECK}, not {length}");
        let help = "each check costs a turn of the run; `1m` is usually enough";
        cx.report(Code::OutOfRange, node.span, message, Some(help.into()));
        return None;
    }
    Some(length)
}
