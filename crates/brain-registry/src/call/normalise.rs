//! The canonical form of values: exact decimals, lower-case ids, tokens for labels, defaults filled in.

use serde_json::{Map, Value};

use super::format::decimal;

/// The value in the form that tools and records take. What does not fit is left as it is, for validation to refuse.
///
/// - `format: decimal` → exact decimal text; `format: money` → the same, with at least two decimals
/// - `format: uuid` → lower case
/// - a choice → its token, from the token, the label or an alias, in any case
/// - `type: number` → a JSON number, from exact decimal text too (which is how other numbers travel)
/// - objects: absent or null members get their default; null members that are not required are dropped
pub fn normalise(schema: &Value, value: Value) -> Value {
    if let Some(options) = schema.get("enum").and_then(Value::as_array) {
        return choice(options, schema, value);
    }
    match (schema.get("format").and_then(Value::as_str), value) {
        (Some("decimal"), value) => exact(value, 0),
        (Some("money"), value) => exact(value, 2),
        (Some("uuid"), Value::String(text)) => Value::String(text.to_ascii_lowercase()),
        (_, Value::Array(items)) => match schema.get("items") {
            Some(inner) => items.into_iter().map(|item| normalise(inner, item)).collect(),
            None => Value::Array(items),
        },
        (_, Value::Object(members)) => object(schema, members),
        (_, Value::String(text)) if schema.get("type").is_some_and(|word| word == "number") => number(text),
        (_, other) => other,
    }
}

fn object(schema: &Value, mut members: Map<String, Value>) -> Value {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Value::Object(members) };
    let required = schema.get("required").and_then(Value::as_array);
    for (name, inner) in properties {
        match members.remove(name) {
            Some(value) if !value.is_null() || admits_null(inner) => {
                members.insert(name.clone(), normalise(inner, value));
            }
            missing => {
                if let Some(default) = inner.get("default") {
                    members.insert(name.clone(), normalise(inner, default.clone()));
                } else if let Some(null) = missing
                    && required.is_some_and(|names| names.iter().any(|one| one == name))
                {
                    members.insert(name.clone(), null);
                }
            }
        }
    }
    Value::Object(members)
}

/// Whether the schema's `type` admits null. An untyped schema admits anything.
fn admits_null(schema: &Value) -> bool {
    match schema.get("type") {
        Some(Value::String(word)) => word == "null",
        Some(Value::Array(words)) => words.iter().any(|word| word == "null"),
        _ => schema.get("enum").is_none(),
    }
}

fn exact(value: Value, least_scale: u32) -> Value {
    let Some(mut number) = brain_core::decimal_text(&value).and_then(|text| decimal(&text)) else { return value };
    if number.scale() < least_scale {
        number.rescale(least_scale);
        if number.scale() < least_scale {
            // Too many digits for a decimal: leave it for validation to reject.
            return value;
        }
    }
    Value::String(number.to_string())
}

fn number(text: String) -> Value {
    match decimal(&text) {
        Some(number) if number.scale() == 0 => text.parse::<i64>().map_or(Value::String(text), Value::from),
        Some(_) => text.parse::<f64>().map_or(Value::String(text), Value::from),
        None => Value::String(text),
    }
}

fn choice(options: &[Value], schema: &Value, value: Value) -> Value {
    let Value::String(text) = &value else { return value };
    if options.contains(&value) {
        return value;
    }
    let wanted = text.trim().to_lowercase();
    let words = |key: &str| schema.get(key).and_then(Value::as_object).into_iter().flatten();
    let same = |word: &str| word.to_lowercase() == wanted;
    let by_token = options.iter().find(|option| option.as_str().is_some_and(same)).cloned();
    let by_label = || {
        let labelled = words("x-labels").find(|(_, label)| label.as_str().is_some_and(same));
        labelled.map(|(token, _)| Value::String(token.clone()))
    };
    let by_alias = || words("x-aliases").find(|(alias, _)| same(alias)).map(|(_, token)| token.clone());
    by_token.or_else(by_label).or_else(by_alias).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn decimals_become_exact_text_and_money_has_cents() {
        let decimal = json!({"format": "decimal"});
        let money = json!({"format": "money"});
        assert_eq!(normalise(&decimal, json!(2)), json!("2"));
        assert_eq!(normalise(&decimal, json!(45.1)), json!("45.1"));
        assert_eq!(normalise(&decimal, json!("007.50")), json!("7.50"));
        assert_eq!(normalise(&money, json!(45)), json!("45.00"));
        assert_eq!(normalise(&money, json!("45.5")), json!("45.50"));
        assert_eq!(normalise(&money, json!("0.125")), json!("0.125"));
        assert_eq!(normalise(&money, json!("much")), json!("much"));
        assert_eq!(normalise(&money, json!(1e300)), json!(1e300));
    }

    #[test]
    fn ids_choices_and_numbers_get_their_one_form() {
        assert_eq!(normalise(&json!({"format": "uuid"}), json!("ABC")), json!("abc"));
        let severity = json!({
            "enum": ["low", "high"], "x-labels": {"high": "Very bad"}, "x-aliases": {"Severe": "high", "mild": "low"}
        });
        assert_eq!(normalise(&severity, json!("LOW")), json!("low"));
        assert_eq!(normalise(&severity, json!("very bad")), json!("high"));
        assert_eq!(normalise(&severity, json!("severe")), json!("high"));
        assert_eq!(normalise(&severity, json!(" MILD ")), json!("low"));
        assert_eq!(normalise(&severity, json!("medium")), json!("medium"));
        assert_eq!(normalise(&json!({"type": "number"}), json!("1.5")), json!(1.5));
        assert_eq!(normalise(&json!({"type": "integer"}), json!("3")), json!("3"));
    }

    #[test]
    fn objects_get_defaults_and_lose_empty_members() {
        let schema = json!({
            "type": "object",
            "properties": {
                "a": {"type": "string", "default": "x"},
                "b": {"type": "string"},
                "c": {"type": "string"},
                "d": {"type": ["string", "null"]},
            },
            "required": ["c"],
        });
        let got = normalise(&schema, json!({"a": null, "b": null, "c": null, "d": null, "e": 1}));
        assert_eq!(got, json!({"a": "x", "c": null, "d": null, "e": 1}));
    }

    #[test]
    fn normalising_twice_changes_nothing() {
        let schema = json!({"type": "object", "properties": {"p": {"format": "money", "default": "1"}, "l": {"items": {"format": "uuid"}}}});
        let once = normalise(&schema, json!({"l": ["AB"]}));
        assert_eq!(normalise(&schema, once.clone()), once);
        assert_eq!(once, json!({"p": "1.00", "l": ["ab"]}));
    }
}
