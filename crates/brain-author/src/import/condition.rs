//! Converts conditions of macros to FEEL: `var = value`, `!=`, `in […]`, `not`, `any-of`, `all-of`.

use super::Notes;
use super::reference::Names;
use super::source::{entries, shown, text};
use brain_registry::yaml::Node;

/// FEEL without its `=`. An unknown condition is noted and becomes `true`: the step runs rather than being lost.
pub(super) fn condition(node: &Node, names: &mut Names, notes: &mut Notes) -> String {
    if let Some(text) = text(node) {
        return comparison(&text, names, notes);
    }
    if let Some(items) = node.as_seq() {
        return several(items, " and ", names, notes);
    }
    let mut parts = Vec::new();
    for (key, value) in entries(Some(node)) {
        let items = value.as_seq().unwrap_or_else(|| std::slice::from_ref(value));
        parts.push(match key {
            "not" => format!("not({})", condition(value, names, notes)),
            "any-of" | "any_of" => several(items, " or ", names, notes),
            "all-of" | "all_of" => several(items, " and ", names, notes),
            _ => unknown(&format!("{key}: {}", shown(value)), notes),
        });
    }
    if parts.is_empty() { unknown(&shown(node), notes) } else { parts.join(" and ") }
}

fn several(items: &[Node], word: &str, names: &mut Names, notes: &mut Notes) -> String {
    let parts: Vec<String> = items.iter().map(|item| condition(item, names, notes)).collect();
    match parts.as_slice() {
        [only] => only.clone(),
        _ => format!("({})", parts.join(word)),
    }
}

fn comparison(text: &str, names: &mut Names, notes: &mut Notes) -> String {
    let text = text.trim();
    if let Some((name, list)) = text.split_once(" in ") {
        let name = name.trim();
        let values = list.trim().trim_start_matches('[').trim_end_matches(']').split(',');
        let values: Vec<String> = values.map(|value| literal(name, value, names)).collect();
        return format!("list contains([{}], {})", values.join(", "), variable(name, names, notes));
    }
    for sign in ["!=", "="] {
        if let Some((name, value)) = text.split_once(sign) {
            let (name, value) = (name.trim(), value.trim_start_matches('=').trim());
            return format!("{} {sign} {}", variable(name, names, notes), literal(name, value, names));
        }
    }
    let plain = text.trim_start_matches("${").trim_end_matches('}');
    if plain.chars().all(|c| c.is_alphanumeric() || "-_.@".contains(c)) && !plain.is_empty() {
        return format!("{} = true", variable(plain, names, notes));
    }
    unknown(text, notes)
}

fn variable(name: &str, names: &mut Names, notes: &mut Notes) -> String {
    let name = name.trim().trim_start_matches("${").trim_end_matches('}');
    names.path(name, notes)
}

/// A value as FEEL. Labels of a choice become tokens.
fn literal(name: &str, value: &str, names: &Names) -> String {
    let value = value.trim().trim_matches(['"', '\'']);
    if matches!(value, "true" | "false" | "null") || value.parse::<f64>().is_ok() {
        return value.to_owned();
    }
    let name = name.trim_start_matches("${").trim_end_matches('}');
    let name = name.strip_prefix("arg.").unwrap_or(name).trim_end_matches(".internal");
    let token = names.tokens.get(name).and_then(|tokens| tokens.get(value)).map_or(value, String::as_str);
    serde_json::Value::from(token).to_string()
}

fn unknown(text: &str, notes: &mut Notes) -> String {
    notes.add("when", format!("`{text}` is not recognised; `true` was used"));
    "true".to_owned()
}
