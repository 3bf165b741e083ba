//! Validation errors of arguments, worded for people.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::format::decimal;
use crate::suggest::nearest;

/// A validation error of one argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldError {
    /// JSON Pointer to the argument; empty for the arguments as a whole.
    pub field: String,
    /// Stable, machine-readable: `required`, `unknown_field`, `type`, `format`, `enum`, `minimum` …
    pub code: String,
    /// What was expected and, unless it is personal, what was given.
    pub message: String,
}

impl std::fmt::Display for FieldError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

/// All validation errors, at most one per field.
pub(crate) fn problems(validator: &Validator, schema: &Value, value: &Value, base: &str) -> Vec<FieldError> {
    let mut found: Vec<FieldError> = Vec::new();
    for error in validator.iter_errors(value) {
        found.extend(describe_error(schema, &error, base));
    }
    bounds(schema, value, base.to_owned(), &mut found);
    found.sort_by(|a, b| a.field.cmp(&b.field));
    found.dedup_by(|a, b| a.field == b.field);
    found
}

fn describe_error(schema: &Value, error: &ValidationError<'_>, base: &str) -> Vec<FieldError> {
    let inside = error.instance_path().to_string();
    let pointer = format!("{base}{inside}");
    let at = schema_at(schema, &inside);
    let got = error.instance().as_ref();
    let one = |code: &str, message: String| vec![FieldError { field: pointer.clone(), code: code.into(), message }];
    let name = shown_name(&pointer);
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let property = property.as_str().unwrap_or_default();
            let field = format!("{pointer}/{}", escape(property));
            let expected = schema_at(at, &format!("/{}", escape(property)));
            let message = format!("{} is required: {}", shown_name(&field), expectation(expected));
            vec![FieldError { field, code: "required".into(), message }]
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            unexpected.iter().map(|property| unknown(at, &pointer, property)).collect()
        }
        ValidationErrorKind::MinLength { limit: 1 } => one("min_length", format!("{name} must not be empty")),
        ValidationErrorKind::MinLength { limit } => {
            one("min_length", format!("{name} must have at least {limit} characters"))
        }
        ValidationErrorKind::MaxLength { limit } => {
            let length = got.as_str().map_or(0, |text| text.chars().count());
            one("max_length", format!("{name} must have at most {limit} characters, this has {length}"))
        }
        ValidationErrorKind::Minimum { limit } => {
            one("minimum", format!("{name} must be at least {limit}{}", but_got(at, got)))
        }
        ValidationErrorKind::Maximum { limit } => {
            one("maximum", format!("{name} must be at most {limit}{}", but_got(at, got)))
        }
        ValidationErrorKind::MinItems { limit } => {
            one("min_items", format!("{name} must have at least {limit} entries"))
        }
        ValidationErrorKind::MaxItems { limit } => {
            one("max_items", format!("{name} must have at most {limit} entries"))
        }
        ValidationErrorKind::Pattern { pattern } => {
            one("pattern", format!("{name} must match `{pattern}`{}", but_got(at, got)))
        }
        ValidationErrorKind::Type { .. } => {
            let code = if got.is_null() { "required" } else { "type" };
            one(code, format!("{name} must be {}{}", expectation(at), but_got(at, got)))
        }
        ValidationErrorKind::Format { .. } => {
            one("format", format!("{name} must be {}{}", expectation(at), but_got(at, got)))
        }
        ValidationErrorKind::Enum { .. } | ValidationErrorKind::Constant { .. } => {
            one("enum", format!("{name} must be {}{}", expectation(at), but_got(at, got)))
        }
        _ => one("schema", format!("{name} does not fit its schema: {}", error.masked())),
    }
}

fn unknown(schema: &Value, pointer: &str, property: &str) -> FieldError {
    let known: Vec<&str> = properties(schema);
    let hint = match nearest(property, known.iter().copied()) {
        Some(best) => format!("; did you mean `{best}`?"),
        None if known.is_empty() => "; nothing is expected here".to_owned(),
        None => format!("; expected {}", crate::suggest::quoted(&known)),
    };
    let field = format!("{pointer}/{}", escape(property));
    let message = format!("unknown field {}{hint}", shown_name(&field));
    FieldError { field, code: "unknown_field".into(), message }
}

fn properties(schema: &Value) -> Vec<&str> {
    schema
        .get("properties")
        .and_then(Value::as_object)
        .map(|map| map.keys().map(String::as_str).collect())
        .unwrap_or_default()
}

/// Bounds of decimals, which the validator cannot compare because they are text.
fn bounds(schema: &Value, value: &Value, pointer: String, found: &mut Vec<FieldError>) {
    if let Some(Value::String(format)) = schema.get("format")
        && (format == "decimal" || format == "money")
    {
        return decimal_bounds(schema, value, pointer, found);
    }
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                if let Some(inner) = schema.get("properties").and_then(|properties| properties.get(name)) {
                    bounds(inner, member, format!("{pointer}/{}", escape(name)), found);
                }
            }
        }
        Value::Array(items) => {
            if let Some(inner) = schema.get("items") {
                for (index, item) in items.iter().enumerate() {
                    bounds(inner, item, format!("{pointer}/{index}"), found);
                }
            }
        }
        _ => {}
    }
}

fn decimal_bounds(schema: &Value, value: &Value, pointer: String, found: &mut Vec<FieldError>) {
    let name = shown_name(&pointer);
    let mut add =
        |code: &str, message: String| found.push(FieldError { field: pointer.clone(), code: code.into(), message });
    let Some(number) = value.as_str().and_then(decimal) else {
        if value.is_number() {
            add("format", format!("{name} must be {}{}", expectation(schema), but_got(schema, value)));
        }
        return;
    };
    let limit = |keyword: &str| schema.get(keyword).and_then(brain_core::decimal_text).and_then(|text| decimal(&text));
    if let Some(least) = limit("minimum").filter(|least| number < *least) {
        add("minimum", format!("{name} must be at least {least}{}", but_got(schema, value)));
    } else if let Some(most) = limit("maximum").filter(|most| number > *most) {
        add("maximum", format!("{name} must be at most {most}{}", but_got(schema, value)));
    }
}

/// The subschema for a pointer into a value, as far as `properties` and `items` lead.
pub(crate) fn schema_at<'s>(schema: &'s Value, pointer: &str) -> &'s Value {
    let mut at = schema;
    for part in pointer.split('/').skip(1) {
        let name = part.replace("~1", "/").replace("~0", "~");
        let next = at.get("properties").and_then(|properties| properties.get(&name)).or_else(|| at.get("items"));
        at = next.unwrap_or(&Value::Null);
    }
    at
}

/// What a schema expects, worded to follow "must be".
pub(crate) fn expectation(schema: &Value) -> String {
    if let Some(options) = schema.get("enum").and_then(Value::as_array) {
        let words: Vec<String> =
            options.iter().map(|option| option.as_str().map_or_else(|| option.to_string(), str::to_owned)).collect();
        return format!("one of {}", words.join(", "));
    }
    if let Some(format) = schema.get("format").and_then(Value::as_str) {
        return match format {
            "uuid" => "a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057".into(),
            "decimal" => "a number such as 2.5".into(),
            "money" => "an amount such as 45.50".into(),
            "date" => "a date such as 2026-03-14".into(),
            "date-time" => "a date and time such as 2026-03-14T09:30:00Z".into(),
            "time" => "a time such as 09:30".into(),
            "duration" => "a duration such as 30m or PT30M".into(),
            "email" => "an email address such as jo@example.com".into(),
            "phone" => "a phone number such as 0412 345 678".into(),
            "uri" => "a URL such as https://example.com/x".into(),
            other => format!("a {other}"),
        };
    }
    let word = |word: &Value| match word.as_str() {
        Some("string") => "text",
        Some("integer") => "a whole number",
        Some("number") => "a number",
        Some("boolean") => "true or false",
        Some("array") => "a list",
        Some("object") => "an object",
        Some("null") => "null",
        _ => "a value",
    };
    match schema.get("type") {
        Some(Value::Array(words)) => words.iter().map(word).collect::<Vec<_>>().join(" or "),
        Some(one) => word(one).into(),
        None => "a value".into(),
    }
}

/// `, got "abc"`; empty if the value is personal.
fn but_got(schema: &Value, value: &Value) -> String {
    const LONGEST: usize = 60;
    if schema.get("x-personal").is_some_and(|flag| flag == true) {
        return String::new();
    }
    let text = match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        other => other.to_string(),
    };
    if text.chars().count() > LONGEST {
        let start: String = text.chars().take(LONGEST).collect();
        return format!(", got {start}…");
    }
    format!(", got {text}")
}

fn shown_name(pointer: &str) -> String {
    match pointer.strip_prefix('/') {
        None => "the whole".into(),
        Some(path) => format!("`{}`", path.replace('/', ".").replace("~1", "/").replace("~0", "~")),
    }
}

pub(crate) fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
