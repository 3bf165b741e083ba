//! The types of the short form.

use serde_json::{Map, Value, json};

use super::super::Context;
use crate::code::Code;
use crate::suggest::did_you_mean;
use crate::yaml::{Node, Span};

/// The longest text an input takes unless it says otherwise.
pub(crate) const MAX_TEXT: u32 = 10_000;

/// Every type of the short form.
pub(super) const TYPES: &[&str] = &[
    "string", "text", "integer", "decimal", "number", "money", "boolean", "uuid", "date", "datetime", "time",
    "duration", "email", "phone", "url", "enum", "list", "object", "any",
];

/// The type without its `?`, and whether a value is required.
pub(super) fn without_mark(text: &str) -> (&str, bool) {
    match text.trim().strip_suffix('?') {
        Some(word) => (word.trim_end(), false),
        None => (text.trim(), true),
    }
}

/// The schema of a type that needs no attributes.
pub(super) fn simple(cx: &mut Context<'_>, word: &str, span: Span) -> Option<Value> {
    let format = |format: &str| json!({"type": "string", "format": format});
    Some(match word {
        "string" => json!({"type": "string", "minLength": 1, "maxLength": MAX_TEXT}),
        "text" => json!({"type": "string", "minLength": 1, "maxLength": MAX_TEXT, "x-multiline": true}),
        "integer" => json!({"type": "integer"}),
        "number" => json!({"type": "number"}),
        "decimal" | "money" => json!({"type": ["string", "number"], "format": word}),
        "boolean" => json!({"type": "boolean"}),
        "uuid" | "date" | "time" | "duration" | "email" | "phone" => format(word),
        "datetime" => format("date-time"),
        "url" => format("uri"),
        "list" => json!({"type": "array"}),
        "object" => json!({"type": "object"}),
        "any" => json!({}),
        "enum" => {
            let help = "write the values: `[low, high]` or `{type: enum, values: [low, high]}`";
            cx.report(Code::BadAttribute, span, "an enum needs its values", Some(help.into()));
            return None;
        }
        other => {
            let aliases = [
                ("str", "string"),
                ("int", "integer"),
                ("float", "decimal"),
                ("double", "decimal"),
                ("bool", "boolean"),
                ("array", "list"),
                ("map", "object"),
                ("timestamp", "datetime"),
                ("id", "uuid"),
                ("uri", "url"),
            ];
            let help = match aliases.iter().find(|(alias, _)| *alias == other) {
                Some((_, meant)) => Some(format!("did you mean `{meant}`?")),
                None => did_you_mean(other, TYPES.iter().copied())
                    .or_else(|| Some(format!("the types are {}", crate::suggest::quoted(TYPES)))),
            };
            cx.report(Code::UnknownType, span, format!("`{other}` is not a type"), help);
            return None;
        }
    })
}

/// The schema of a choice: `[a, b]`, or `{token: Label}`.
pub(super) fn enumeration(cx: &mut Context<'_>, node: &Node) -> Option<Value> {
    let mut tokens = Vec::new();
    let mut labels = Map::new();
    if let Some(entries) = node.as_map() {
        for (key, label) in entries {
            tokens.push(key.text.clone());
            if let Some(label) = cx.text(label, "a label") {
                labels.insert(key.text.clone(), Value::from(label));
            }
        }
    } else {
        for item in cx.seq(node, "the values of an enum")? {
            tokens.extend(cx.text(item, "a value of an enum"));
        }
    }
    if tokens.is_empty() {
        cx.report(Code::BadAttribute, node.span, "an enum needs at least one value", None);
        return None;
    }
    let mut schema = json!({"enum": tokens});
    if !labels.is_empty() {
        schema["x-labels"] = Value::Object(labels);
    }
    Some(schema)
}
