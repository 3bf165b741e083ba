//! Short-form types.

use serde_json::{Map, Value, json};

use super::super::Context;
use super::Purpose;
use crate::code::Code;
use crate::suggest::did_you_mean;
use crate::yaml::{Node, Span};

/// Default maximum length of a text input.
pub(crate) const MAX_TEXT: u32 = 10_000;

/// All short-form types.
pub(in crate::decode) const TYPES: &[&str] = &[
    "string", "text", "integer", "decimal", "number", "money", "boolean", "uuid", "date", "datetime", "time",
    "duration", "email", "phone", "url", "enum", "list", "object", "file", "any",
];

/// The type without its `?`, and whether the field is required.
pub(super) fn without_mark(text: &str) -> (&str, bool) {
    match text.trim().strip_suffix('?') {
        Some(word) => (word.trim_end(), false),
        None => (text.trim(), true),
    }
}

/// The schema of a type without attributes.
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
        // A reference to an upload of `POST /v1/blobs`; the content is read on demand.
        "file" => json!({
            "type": "object",
            "properties": {"$blob": {"type": "string", "pattern": "^[0-9a-f]{64}$"}},
            "required": ["$blob"],
            "x-file": true,
        }),
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

/// The keys of a value of a choice, and the key that slots add.
pub(in crate::decode) const VALUE_KEYS: [&str; 3] = ["token", "label", "aliases"];
pub(in crate::decode) const SLOT_VALUE_KEY: &str = "valid_for";

/// The tokens, labels and aliases of a choice.
#[derive(Default)]
struct Choice {
    tokens: Vec<String>,
    labels: Map<String, Value>,
    aliases: Map<String, Value>,
}

/// The schema of a choice: `[a, b]`, `{token: Label}`, or `[{token, label, aliases}, …]`.
pub(super) fn enumeration(cx: &mut Context<'_>, node: &Node, purpose: Purpose) -> Option<Value> {
    let mut choice = Choice::default();
    if let Some(entries) = node.as_map() {
        for (key, label) in entries {
            choice.tokens.push(key.text.clone());
            if let Some(label) = cx.text(label, "a label") {
                choice.labels.insert(key.text.clone(), Value::from(label));
            }
        }
    } else {
        for item in cx.seq(node, "the values of an enum")? {
            match item.as_map() {
                Some(_) => choice.value(cx, item, purpose),
                None => choice.tokens.extend(cx.text(item, "a value of an enum")),
            }
        }
    }
    if choice.tokens.is_empty() {
        cx.report(Code::BadAttribute, node.span, "an enum needs at least one value", None);
        return None;
    }
    let mut schema = json!({"enum": choice.tokens});
    if !choice.labels.is_empty() {
        schema["x-labels"] = Value::Object(choice.labels);
    }
    if !choice.aliases.is_empty() {
        schema["x-aliases"] = Value::Object(choice.aliases);
    }
    Some(schema)
}

impl Choice {
    /// `{token, label, aliases, valid_for}`.
    fn value(&mut self, cx: &mut Context<'_>, node: &Node, purpose: Purpose) {
        let mut known = VALUE_KEYS.to_vec();
        if purpose == Purpose::Slots {
            known.push(SLOT_VALUE_KEY);
        }
        let Some(fields) = cx.fields(node, "a value of an enum", &known) else { return };
        let token = fields.need(cx, "token", "a value of an enum").and_then(|node| cx.text(node, "`token`"));
        let label = fields.get("label").and_then(|node| cx.text(node, "`label`"));
        let aliases = fields.get("aliases").map(|node| cx.texts(node, "an alias")).unwrap_or_default();
        let Some(token) = token else { return };
        self.labels.extend(label.map(|label| (token.clone(), Value::from(label))));
        self.aliases.extend(aliases.into_iter().map(|alias| (alias, Value::from(token.as_str()))));
        self.tokens.push(token);
    }
}
