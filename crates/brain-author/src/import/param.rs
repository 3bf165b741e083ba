//! Converts a parameter of an action to an input.

use super::Notes;
use super::naming::snake;
use super::source::{entries, shown, text, text_of, texts};
use super::writer::{Map, Yaml, copy, list, raw};
use brain_registry::yaml::Node;

/// An input: its foreign name, its name here, and its type.
#[derive(Clone, Debug)]
pub(super) struct Param {
    pub(super) theirs: String,
    pub(super) ours: String,
    pub(super) required: bool,
    pub(super) field: Yaml,
}

/// The parameters of an action, required ones first.
pub(super) fn params(action: &Node, notes: &mut Notes) -> Vec<Param> {
    let rules = action.get("param_validation");
    let required = texts(action.get("params_required"));
    let mut optional = texts(action.get("params_optional"));
    for (name, _) in entries(rules).filter(|(name, _)| !required.iter().any(|one| one == name)) {
        if !optional.iter().any(|one| one == name) {
            notes.add("param_validation", format!("`{name}` is neither required nor optional; treated as optional"));
            optional.push(name.to_owned());
        }
    }
    let all = required.into_iter().map(|name| (name, true)).chain(optional.into_iter().map(|name| (name, false)));
    let mut params: Vec<Param> = Vec::new();
    for (theirs, required) in all {
        let ours = snake(&theirs);
        if params.iter().any(|param| param.ours == ours) {
            notes.add("params_optional", format!("`{theirs}` occurs twice"));
            continue;
        }
        let rule = rules.and_then(|rules| rules.get(&theirs));
        params.push(Param { field: field(&theirs, rule, required, notes), theirs, ours, required });
    }
    params
}

/// The inputs as a map.
pub(super) fn inputs(params: &[Param]) -> Yaml {
    let mut map = if params.len() > 2 { Map::open() } else { Map::default() };
    for param in params {
        map.set(&param.ours, param.field.clone());
    }
    map.into()
}

/// The type and its limits. Unsupported constraints are noted.
fn field(name: &str, rule: Option<&Node>, required: bool, notes: &mut Notes) -> Yaml {
    let mut map = Map::default();
    let values = rule.and_then(|rule| ["enum", "values", "allowed_values"].iter().find_map(|key| rule.get(key)));
    let kind = match values {
        Some(_) => "enum",
        None => kind(name, rule, notes),
    };
    map.set("type", kind);
    if let Some(values) = values {
        map.set("values", list(texts(Some(values)).iter().map(String::as_str)));
    }
    let mut optional = !required;
    for (key, value) in entries(rule) {
        let key_of = |numbers: &[&str], ours: &'static str| numbers.contains(&kind).then_some(ours);
        let numeric = ["number", "integer", "decimal", "money"];
        let ours = match key {
            "type" | "format" | "enum" | "values" | "allowed_values" => continue,
            "min" | "minimum" => key_of(&numeric, "minimum"),
            "max" | "maximum" => key_of(&numeric, "maximum"),
            "min_length" | "minLength" => key_of(&["string", "text"], "min_length"),
            "max_length" | "maxLength" => key_of(&["string", "text"], "max_length"),
            "pattern" => key_of(&["string", "text"], "pattern"),
            "description" => Some("description"),
            "default" => {
                optional = false;
                Some("default")
            }
            "validation" if implied(&shown(value), kind, rule) => continue,
            _ => None,
        };
        match ours {
            Some(ours) => map.set(ours, copy(value)),
            None => notes.add(
                "param_validation",
                format!("`{name}.{key}: {}` has no equivalent in a pack; dropped", shown(value)),
            ),
        }
    }
    if optional {
        map.set("optional", raw(true));
    }
    let plain =
        rule.is_none_or(|rule| entries(Some(rule)).all(|(key, _)| matches!(key, "type" | "format" | "validation")));
    match (plain && kind != "enum", optional) {
        (true, true) => Yaml::from(format!("{kind}?")),
        (true, false) => Yaml::from(kind),
        _ => map.into(),
    }
}

/// Whether a check is implied by the type.
fn implied(check: &str, kind: &str, rule: Option<&Node>) -> bool {
    let words = check.to_lowercase();
    let least = rule.and_then(|rule| rule.get("min").or_else(|| rule.get("minimum"))).and_then(text);
    (words.contains(kind) && kind != "number")
        || (words == "positive_number"
            && least.and_then(|least| least.parse::<f64>().ok()).is_some_and(|least| least >= 0.0))
}

fn kind(name: &str, rule: Option<&Node>, notes: &mut Notes) -> &'static str {
    let given = rule.and_then(|rule| text_of(rule, "type")).unwrap_or_else(|| "string".into());
    let format = rule.and_then(|rule| text_of(rule, "format"));
    match (given.as_str(), format.as_deref()) {
        ("string", Some("uuid")) | ("uuid", _) => "uuid",
        ("string", Some("email")) | ("email", _) => "email",
        ("string", Some("date")) | ("date", _) => "date",
        ("string", Some("date-time" | "datetime")) | ("datetime" | "timestamp", _) => "datetime",
        ("string", Some("uri" | "url")) | ("url" | "uri", _) => "url",
        ("string", Some("phone" | "tel")) | ("phone", _) => "phone",
        ("string", Some("time")) | ("time", _) => "time",
        ("string" | "str", None) => "string",
        ("text", _) => "text",
        ("integer" | "int", _) => "integer",
        ("number" | "float" | "double", _) => "number",
        ("decimal", _) => "decimal",
        ("money" | "currency", _) => "money",
        ("boolean" | "bool", _) => "boolean",
        ("array" | "list", _) => "list",
        ("object" | "dict", _) => "object",
        ("any", _) => "any",
        ("string", Some(other)) => {
            notes.add(
                "param_validation",
                format!("`{name}.format: {other}` is not a known format; any text is accepted"),
            );
            "string"
        }
        (other, _) => {
            notes.add("param_validation", format!("`{name}.type: {other}` is not a known type; any text is accepted"));
            "string"
        }
    }
}
