//! `requires:` — what must hold before a tool may run.

use serde_json::Value;

use super::{Context, policy};
use crate::code::Code;
use crate::model::Precondition;
use crate::suggest::did_you_mean;
use crate::yaml::Node;

/// Kinds of preconditions that are planned.
const LATER: [&str; 5] = ["prior", "never", "scope", "fact", "any"];

/// The preconditions of a tool with this input.
pub(super) fn preconditions(cx: &mut Context<'_>, node: &Node, input: &Value) -> Vec<Precondition> {
    let Some(items) = cx.seq(node, "`requires`") else { return Vec::new() };
    items.iter().filter_map(|item| precondition(cx, item, input)).collect()
}

fn precondition(cx: &mut Context<'_>, node: &Node, input: &Value) -> Option<Precondition> {
    if let Some((key, _)) = LATER.iter().find_map(|kind| node.entry(kind)) {
        let message = format!("`{}` preconditions are not supported by this version", key.text);
        cx.report(Code::NotYet, key.span, message, Some("use `record` and `state`, or `expr`".into()));
        return None;
    }
    let fields = cx.fields(node, "a precondition", &["record", "state", "expr", "recheck", "else"])?;
    let otherwise = fields.need(cx, "else", "a precondition").and_then(|node| cx.narrative(node, "`else`"));
    let record = match fields.get("record") {
        Some(node) => Some((cx.text(node, "`record`")?, node)),
        None => None,
    };
    let state = fields.get("state").map(|node| cx.texts(node, "a state")).unwrap_or_default();
    let expr = match fields.get("expr") {
        Some(node) => Some(cx.condition(node, "`expr`")?),
        None => None,
    };
    if record.is_none() && (expr.is_none() || !state.is_empty()) {
        let help = "write `{record: INPUT, state: STATE, else: …}` or `{expr: \"= …\", else: …}`";
        cx.report(
            Code::MissingKey,
            fields.first(),
            "it is not clear what this precondition is about",
            Some(help.into()),
        );
        return None;
    }
    let record_type = match &record {
        None => None,
        Some((name, node)) => Some(record_type(cx, name, node, input)?),
    };
    let recheck = fields.get("recheck").and_then(|node| policy::timeout(cx, node));
    let record = record.map(|(name, _)| name);
    Some(Precondition {
        record,
        record_type,
        state,
        expr,
        prior: None,
        never: None,
        any: Vec::new(),
        recheck,
        otherwise: otherwise?,
    })
}

/// The record type that an input names.
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
        cx.report(Code::WhichRecord, node.span, format!("the input `{name}` does not say what it names"), Some(help));
    }
    entity.map(str::to_owned)
}
