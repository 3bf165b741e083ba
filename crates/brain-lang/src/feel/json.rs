//! Values from and to JSON, without a float in between.

use std::collections::BTreeMap;
use std::sync::Arc;

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;
use serde_json::Value as Json;

use super::temporal;
use super::value::{Value, number_text};

/// The largest integer that every JSON reader keeps exact: 2^53.
const MAX_JSON_INTEGER: i64 = 1 << 53;

/// Maximum number of `$ref`s and alternatives followed in a schema.
const MAX_SCHEMA_STEPS: usize = 32;

impl Value {
    /// A value from JSON. Numbers are read from their shortest text, so `45.1` is exact; a number with too many digits
    /// for a decimal stays a text, so that nothing is lost.
    pub fn from_json(json: &Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(number) => {
                let text = number.to_string();
                decimal(&text).map_or_else(|| Self::from(text), Self::Number)
            }
            Json::String(text) => Self::from(text.as_str()),
            Json::Array(items) => Self::list(items.iter().map(Self::from_json)),
            Json::Object(entries) => {
                Self::context(entries.iter().map(|(key, item)| (key.as_str(), Self::from_json(item))))
            }
        }
    }

    /// Like [`from_json`](Self::from_json), but a text whose JSON Schema gives it the format `decimal` or `money`
    /// becomes a number, and `date`, `time`, `date-time` or `duration` the value it denotes. A text that does not
    /// parse stays a text. `$ref` into the same schema, `allOf`, `anyOf` and `oneOf` are followed.
    pub fn from_typed_json(json: &Json, schema: &Json) -> Self {
        typed(json, schema, schema)
    }

    /// The JSON of this value. A whole number up to 2^53 is a JSON integer; any other number is the *text* of the
    /// exact decimal; dates, times and durations are ISO 8601 texts; a range is its text; a function is null.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Null | Self::Function(_) => Json::Null,
            Self::Bool(value) => Json::Bool(*value),
            Self::Number(number) => match number.to_i64().filter(|_| number.fract().is_zero()) {
                Some(whole) if whole.abs() <= MAX_JSON_INTEGER => Json::from(whole),
                _ => Json::String(number_text(number)),
            },
            Self::String(text) => Json::String(text.to_string()),
            Self::List(list) => list.iter().map(Self::to_json).collect(),
            Self::Context(context) => context.iter().map(|(key, item)| (key.to_string(), item.to_json())).collect(),
            Self::DateTime(moment) => Json::String(moment.to_iso()),
            other => Json::String(other.to_string()),
        }
    }
}

/// The decimal of a JSON number's or a plain text's digits, if it fits.
pub(crate) fn decimal(text: &str) -> Option<Decimal> {
    if text.contains(['e', 'E']) {
        return Decimal::from_scientific(text).ok();
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let plain = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if !plain {
        return None;
    }
    // Too many digits are rejected, not rounded.
    Decimal::from_str_exact(text).ok()
}

fn typed(json: &Json, schema: &Json, root: &Json) -> Value {
    match json {
        Json::String(text) => find(schema, root, &|s| s.get("format"))
            .and_then(Json::as_str)
            .and_then(|format| formatted(text, format))
            .unwrap_or_else(|| Value::from(text.as_str())),
        Json::Array(items) => {
            let item_schema = find(schema, root, &|s| s.get("items"));
            let prefix = find(schema, root, &|s| s.get("prefixItems"));
            Value::list(items.iter().enumerate().map(|(i, item)| {
                let own = prefix.and_then(|p| p.get(i)).or(item_schema);
                typed(item, own.unwrap_or(&Json::Null), root)
            }))
        }
        Json::Object(entries) => {
            let map: BTreeMap<Arc<str>, Value> = entries
                .iter()
                .map(|(key, item)| {
                    let own = find(schema, root, &|s| s.get("properties")?.get(key))
                        .or_else(|| find(schema, root, &|s| s.get("additionalProperties")));
                    (Arc::from(key.as_str()), typed(item, own.unwrap_or(&Json::Null), root))
                })
                .collect();
            Value::Context(map.into())
        }
        other => Value::from_json(other),
    }
}

/// The first result of `pick` among this schema and those it refers to or combines.
fn find<'a>(schema: &'a Json, root: &'a Json, pick: &dyn Fn(&'a Json) -> Option<&'a Json>) -> Option<&'a Json> {
    let mut open = vec![schema];
    for _ in 0..MAX_SCHEMA_STEPS {
        let at = open.pop()?;
        if let Some(found) = pick(at) {
            return Some(found);
        }
        for key in ["oneOf", "anyOf", "allOf"] {
            if let Some(Json::Array(branches)) = at.get(key) {
                open.extend(branches.iter().rev());
            }
        }
        if let Some(target) = at.get("$ref").and_then(Json::as_str).and_then(|r| r.strip_prefix('#')) {
            open.extend(root.pointer(target));
        }
    }
    None
}

fn formatted(text: &str, format: &str) -> Option<Value> {
    match format {
        "decimal" | "money" => decimal(text.trim()).map(Value::Number),
        "date" => temporal::parse_date(text).map(Value::Date),
        "time" => temporal::parse_time(text).map(Value::Time),
        "date-time" => temporal::parse_date_time(text).map(Value::DateTime),
        "duration" => temporal::parse_duration(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_number_keeps_its_digits() {
        for (json, back) in [
            (json!(45.1), json!("45.1")),
            (json!(3), json!(3)),
            (json!(-0.0), json!(0)),
            (json!(1e3), json!(1000)),
            (json!(9007199254740992_i64), json!(9007199254740992_i64)),
            (json!(9007199254740993_i64), json!("9007199254740993")),
            (json!(u64::MAX), json!("18446744073709551615")),
            (json!(1e300), json!("1e+300")),
        ] {
            assert_eq!(Value::from_json(&json).to_json(), back, "{json}");
        }
    }

    #[test]
    fn a_schema_turns_texts_into_what_they_denote() {
        let schema = json!({
            "$defs": {"amount": {"type": "string", "format": "money"}},
            "type": "object",
            "properties": {
                "total": {"$ref": "#/$defs/amount"},
                "due": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
                "at": {"type": "string", "format": "date-time"},
                "lines": {"type": "array", "items": {"type": "object", "properties": {"price": {"format": "decimal"}}}},
                "wait": {"format": "duration"},
                "name": {"type": "string"}
            }
        });
        let json = json!({
            "total": "10.50", "due": "2024-01-31", "at": "2024-01-31T10:00:00Z", "lines": [{"price": "0.10"}],
            "wait": "PT5M", "name": "12"
        });
        let value = Value::from_typed_json(&json, &schema);
        assert_eq!(value.get("total").unwrap().type_name(), "number");
        assert_eq!(value.get("due").unwrap().type_name(), "date");
        assert_eq!(value.get("at").unwrap().type_name(), "date and time");
        assert_eq!(value.get("wait").unwrap().type_name(), "days and time duration");
        assert_eq!(value.get("name").unwrap().type_name(), "string");
        assert_eq!(value.to_json()["lines"], json!([{"price": "0.1"}]));
    }

    #[test]
    fn a_text_that_is_not_what_its_format_says_stays_a_text() {
        let schema = json!({"properties": {"due": {"format": "date"}, "loop": {"$ref": "#/properties/loop"}}});
        let json = json!({"due": "soon", "loop": "x", "other": null});
        assert_eq!(Value::from_typed_json(&json, &schema).to_json(), json);
    }

    #[test]
    fn too_many_digits_are_no_decimal() {
        assert_eq!(decimal("0.12345678901234567890123456789012345"), None);
        assert_eq!(decimal("9.2345678901234567890123456789"), None);
        assert_eq!(decimal("1_000"), None);
        assert_eq!(decimal("1.2.3"), None);
        assert_eq!(decimal(".5").unwrap().to_string(), "0.5");
        assert_eq!(decimal("+5").unwrap().to_string(), "5");
        assert_eq!(decimal(""), None);
        assert_eq!(decimal("12.50").unwrap().to_string(), "12.50");
    }
}
