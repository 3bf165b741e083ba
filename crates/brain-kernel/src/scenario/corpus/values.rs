//! Compares the slots of a reading with those that were expected.

use brain_registry::normalise;
use serde_json::{Map, Value};

/// Words that may precede a name or text without being part of it.
const ARTICLES: [&str; 10] = ["the", "a", "an", "my", "our", "your", "his", "her", "their", "this"];

/// Whether the slots are the same: numbers and instants by value, texts and names without case, articles and outer
/// punctuation.
pub(super) fn same_slots(schema: Option<&Value>, got: &Value, wanted: &Map<String, Value>) -> bool {
    let Some(schema) = schema else { return false };
    let got = normalise(schema, got.clone());
    let wanted = normalise(schema, Value::Object(wanted.clone()));
    let (Some(got), Some(wanted)) = (got.as_object(), wanted.as_object()) else { return false };
    let same = |(name, value): (&String, &Value)| {
        got.get(name).is_some_and(|said| same_value(&schema["properties"][name], said, value))
    };
    got.len() == wanted.len() && wanted.iter().all(same)
}

fn same_value(schema: &Value, got: &Value, wanted: &Value) -> bool {
    if let (Some(got), Some(wanted)) = (mention(got), mention(wanted)) {
        let kind = schema["x-entity"].as_str().unwrap_or_default();
        return same_text(&without_kind(got, kind), &without_kind(wanted, kind));
    }
    match (got, wanted) {
        (Value::Array(got), Value::Array(wanted)) => {
            let items = got.iter().zip(wanted).all(|(got, wanted)| same_value(&schema["items"], got, wanted));
            got.len() == wanted.len() && items
        }
        (Value::String(got), Value::String(wanted)) => {
            let instants = || got.parse::<jiff::Timestamp>().ok().zip(wanted.parse::<jiff::Timestamp>().ok());
            got == wanted
                || brain_core::decimal_text(&Value::from(got.as_str()))
                    .zip(brain_core::decimal_text(&Value::from(wanted.as_str())))
                    .is_some_and(|(got, wanted)| got.parse::<f64>().ok() == wanted.parse::<f64>().ok())
                || instants().is_some_and(|(got, wanted)| got == wanted)
                || (schema["format"] == "phone" && digits(got) == digits(wanted))
                || (schema["format"].is_null() && same_text(got, wanted))
        }
        _ => got == wanted,
    }
}

fn digits(text: &str) -> String {
    text.chars().filter(|c| c.is_ascii_digit() || *c == '+').collect()
}

fn mention(value: &Value) -> Option<&str> {
    value.get("mention")?.as_str()
}

/// A name without the name of its type at either end and without a possessive ending.
fn without_kind(name: &str, kind: &str) -> String {
    let mut words: Vec<&str> = name.split_whitespace().collect();
    let is_kind = |word: &&str| word.eq_ignore_ascii_case(kind);
    if words.len() > 1 && words.first().is_some_and(is_kind) {
        words.remove(0);
    }
    if words.len() > 1 && words.last().is_some_and(is_kind) {
        words.pop();
    }
    let name = words.join(" ");
    name.strip_suffix("'s").or_else(|| name.strip_suffix("’s")).unwrap_or(&name).to_owned()
}

fn same_text(got: &str, wanted: &str) -> bool {
    plain(got) == plain(wanted)
}

fn plain(text: &str) -> String {
    let text = text.to_lowercase().replace('’', "'");
    let text = text.trim_matches(|c: char| !c.is_alphanumeric() && c != '%');
    let words: Vec<&str> = text.split_whitespace().collect();
    let skip = usize::from(words.len() > 1 && ARTICLES.contains(&words[0]));
    words[skip..].join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_compared_by_what_they_mean() {
        let schema = json!({"properties": {
            "lead": {"type": "string", "format": "uuid", "x-entity": "lead"}, "price": {"type": "string", "format": "money"},
            "at": {"type": "string", "format": "date-time"}, "note": {"type": "string"},
        }});
        let same = |got: Value, wanted: Value| same_slots(Some(&schema), &got, wanted.as_object().unwrap());
        assert!(same(json!({"lead": {"mention": "the Smith's lead"}}), json!({"lead": {"mention": "Smith"}})));
        assert!(same(json!({"price": "5"}), json!({"price": "5.00"})));
        assert!(same(json!({"at": "2026-03-02T10:00:00+01:00"}), json!({"at": "2026-03-02T09:00:00Z"})));
        assert!(same(json!({"note": "The gate, “open”."}), json!({"note": "gate, “open"})));
        assert!(!same(json!({"note": "gate"}), json!({"note": "gates"})));
        assert!(!same(json!({"price": "5"}), json!({"price": "6"})));
        assert!(!same(json!({"price": "5", "note": "x"}), json!({"price": "5"})), "one more value is not the same");
    }
}
