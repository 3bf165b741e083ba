//! Inputs, slots and outputs as tables: name, type, required, description.

use serde_json::Value;

use super::block::{Block, Line, code, join, record_link, words};
use super::page::plain;

/// The properties of a schema as a table, if it has any.
pub(super) fn table(schema: &Value, what: &str) -> Option<Block> {
    let properties = schema["properties"].as_object().filter(|properties| !properties.is_empty())?;
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let rows = properties.iter().map(|(name, property)| {
        let must = if required.contains(&name.as_str()) { "yes" } else { "" };
        let default = property.get("default").map(|value| vec![code(plain(value))]).unwrap_or_default();
        vec![vec![code(name)], kind(property), vec![words(must)], default, about(property)]
    });
    let head = [what, "type", "required", "default", "notes"];
    let rows: Vec<Vec<Line>> = rows.collect();
    // Empty columns are left out.
    let empty = |line: &Line| line.iter().all(|piece| *piece == words(""));
    let kept: Vec<usize> = (0..head.len()).filter(|n| *n < 2 || rows.iter().any(|row| !empty(&row[*n]))).collect();
    let pick = |row: Vec<Line>| kept.iter().map(|n| row[*n].clone()).collect();
    Some(Block::Table {
        head: kept.iter().map(|n| head[*n].to_owned()).collect(),
        rows: rows.into_iter().map(pick).collect(),
    })
}

/// The type of a value, in the words of packs.
pub(super) fn kind(schema: &Value) -> Line {
    if let Some(values) = schema["enum"].as_array() {
        return vec![words(format!("one of {}", values.len()))];
    }
    if let Some(entity) = schema["x-entity"].as_str() {
        return vec![words("id of "), record_link(entity)];
    }
    if schema["x-file"] == true {
        return vec![words("file")];
    }
    let word = match (schema["format"].as_str(), schema["type"].as_str()) {
        (Some("date-time"), _) => "datetime",
        (Some("uri"), _) => "url",
        (Some(format), _) => format,
        (None, Some("string")) if schema["x-multiline"] == true => "text",
        (None, Some("array")) => {
            let items = schema.get("items").map(kind).filter(|line| !line.is_empty());
            return items.map_or_else(|| vec![words("list")], |items| [vec![words("list of ")], items].concat());
        }
        (None, Some(word)) => word,
        (None, None) => "any",
    };
    vec![words(word)]
}

/// Everything else: description, values, limits.
fn about(schema: &Value) -> Line {
    let mut notes: Vec<Line> = Vec::new();
    for key in ["title", "description"] {
        if let Some(text) = schema[key].as_str() {
            notes.push(vec![words(text)]);
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        notes.push(join(values.iter().map(|value| choice(schema, value))));
    }
    for (key, word) in [
        ("minimum", "at least"),
        ("maximum", "at most"),
        ("pattern", "like"),
        ("minItems", "items at least"),
        ("maxItems", "items at most"),
        ("x-unit", "in"),
    ] {
        if let Some(limit) = schema.get(key) {
            notes.push(vec![words(format!("{word} ")), code(plain(limit))]);
        }
    }
    // The default maximum length is not mentioned.
    if let Some(length) = schema["maxLength"].as_u64().filter(|length| *length != 10_000) {
        notes.push(vec![words(format!("at most {length} characters"))]);
    }
    if schema["x-personal"] == true {
        notes.push(vec![words("personal")]);
    }
    notes.into_iter().reduce(|all, one| [all, vec![words("; ")], one].concat()).unwrap_or_default()
}

/// A value of a choice: its token, its label if different, and its aliases.
fn choice(schema: &Value, value: &Value) -> Line {
    let token = plain(value);
    let label = schema["x-labels"][&token].as_str().filter(|label| *label != token);
    let aliases = schema["x-aliases"].as_object().into_iter().flatten();
    let also: Vec<&str> =
        aliases.filter(|(_, meant)| meant.as_str() == Some(&token)).map(|(alias, _)| alias.as_str()).collect();
    let mut line = vec![code(&token)];
    let said: Vec<String> =
        label.map(str::to_owned).into_iter().chain(also.iter().map(|alias| format!("“{alias}”"))).collect();
    if !said.is_empty() {
        line.push(words(format!(" ({})", said.join(", "))));
    }
    line
}
