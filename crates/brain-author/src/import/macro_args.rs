//! Converts arguments and roles of a macro to slots and roles.

use std::collections::BTreeMap;

use super::Notes;
use super::condition::condition;
use super::naming::snake;
use super::reference::Names;
use super::source::{entries, flag, shown, text_of, texts};
use super::writer::{Map, Yaml, copy, list, map, raw};
use brain_registry::yaml::Node;

/// The source's tool that creates placeholders.
pub(super) const PLACEHOLDER: &str = "entity.ensure_or_placeholder";
/// The field of its result with the placeholder.
pub(super) const PLACEHOLDER_FIELD: &str = "entity_id";

/// All arguments: their names, and whether they are required.
pub(super) fn all(node: &Node) -> Vec<(&str, &Node, bool)> {
    let args = node.get("args");
    let part = |key: &str, required: bool| {
        entries(args.and_then(|args| args.get(key))).map(move |(name, node)| (name, node, required)).collect::<Vec<_>>()
    };
    [part("required", true), part("optional", false)].concat()
}

/// Collects the names of arguments and of their values.
pub(super) fn learn(node: &Node, names: &mut Names) {
    for (name, arg, _) in all(node) {
        names.slots.insert(name.to_owned(), snake(name));
        let values = arg.get("values").and_then(Node::as_seq).unwrap_or(&[]);
        let pairs = values.iter().filter_map(|value| Some((text_of(value, "key")?, token(value)?)));
        let tokens: BTreeMap<String, String> = pairs.collect();
        if !tokens.is_empty() {
            names.tokens.insert(name.to_owned(), tokens);
        }
    }
}

fn token(value: &Node) -> Option<String> {
    super::source::text(value).or_else(|| text_of(value, "internal")).or_else(|| text_of(value, "key"))
}

pub(super) fn slots(node: &Node, names: &mut Names, notes: &mut Notes) -> Map {
    let mut slots = Map::open();
    for (name, arg, required) in all(node) {
        slots.set(&snake(name), slot(name, arg, required, node, names, notes));
    }
    slots
}

fn slot(name: &str, arg: &Node, required: bool, whole: &Node, names: &mut Names, notes: &mut Notes) -> Yaml {
    let mut slot = Map::default();
    let kind = text_of(arg, "type").unwrap_or_else(|| "string".into());
    slot.set("type", kind_of(name, &kind, notes));
    let mut optional = !required;
    for (key, value) in entries(Some(arg)) {
        match key {
            "type" => {}
            "ui-label" | "label" => slot.set("title", copy(value)),
            "description" => slot.set("description", copy(value)),
            "values" => slot.set("values", values(name, value, whole, notes)),
            "default" => {
                optional = false;
                slot.set("default", copy(value));
            }
            "default-key" => {
                optional = false;
                let given = shown(value);
                let token = names.tokens.get(name).and_then(|tokens| tokens.get(&given)).cloned().unwrap_or(given);
                slot.set("default", token);
            }
            "required-if" => {
                optional = false;
                slot.set("required_if", format!("= {}", condition(value, names, notes)));
            }
            "placeholder-if-missing" if flag(Some(value)) == Some(true) => {
                let args = map([("kind", name.into()), ("ref", format!("{name}-placeholder").into())]);
                let made = [("tool", PLACEHOLDER.into()), ("args", args), ("field", PLACEHOLDER_FIELD.into())];
                slot.set("placeholder_if_missing", map(made));
            }
            "placeholder-if-missing" => {}
            other => notes.add(
                &format!("args.{name}.{other}"),
                format!("`{}` has no equivalent in a pack; dropped", shown(value)),
            ),
        }
    }
    if optional {
        slot.set("optional", raw(true));
    }
    slot.into()
}

fn kind_of(name: &str, kind: &str, notes: &mut Notes) -> &'static str {
    match kind {
        "enum" => "enum",
        "string" | "str" => "string",
        "text" => "text",
        "integer" | "int" => "integer",
        "decimal" | "number" | "float" => "decimal",
        "money" | "amount" => "money",
        "boolean" | "bool" => "boolean",
        "date" => "date",
        "datetime" | "timestamp" => "datetime",
        "uuid" => "uuid",
        "list" | "array" => "list",
        "object" | "map" => "object",
        reference if reference.ends_with("-ref") || reference.ends_with("_ref") => {
            notes.add(
                &format!("args.{name}.type"),
                format!("`{kind}` becomes an id; add `entity: TYPE` once there is a record type"),
            );
            "uuid"
        }
        other => {
            notes.add(&format!("args.{name}.type"), format!("`{other}` is not recognised; any text is accepted"));
            "string"
        }
    }
}

/// `{key, label, internal}` becomes token, label and alias.
fn values(name: &str, node: &Node, whole: &Node, notes: &mut Notes) -> Yaml {
    let mut done = Vec::new();
    for value in node.as_seq().unwrap_or(&[]) {
        let Some(token) = token(value) else { continue };
        if value.as_map().is_none() {
            done.push(Yaml::from(token));
            continue;
        }
        let mut one = Map::default();
        one.set("token", token.as_str());
        let label = text_of(value, "label");
        if let Some(label) = &label {
            one.set("label", label.as_str());
        }
        // A word that is label and alias of one value is listed once.
        let same = |word: &str| {
            word.eq_ignore_ascii_case(&token) || label.as_ref().is_some_and(|label| word.eq_ignore_ascii_case(label))
        };
        if let Some(key) = text_of(value, "key").filter(|key| !same(key)) {
            one.set("aliases", list([key.as_str()]));
        }
        for (key, what) in entries(Some(value)) {
            match key {
                "key" | "label" | "internal" => {}
                "valid-for" => match decided_by(name, &texts(Some(what)), whole) {
                    Some((slot, tokens)) => {
                        one.set("valid_for", map([(slot.as_str(), list(tokens.iter().map(String::as_str)))]));
                    }
                    None => notes.add(
                        &format!("args.{name}.values"),
                        format!("`valid_for` of `{token}` names {}, which no other argument accepts", shown(what)),
                    ),
                },
                other => notes.add(
                    &format!("args.{name}.values"),
                    format!("`{other}: {}` has no equivalent in a pack; dropped", shown(what)),
                ),
            }
        }
        done.push(one.into());
    }
    done.into()
}

/// Another argument that has all these values, and their tokens.
fn decided_by(name: &str, keys: &[String], whole: &Node) -> Option<(String, Vec<String>)> {
    all(whole).into_iter().filter(|(other, ..)| *other != name).find_map(|(other, arg, _)| {
        let values = arg.get("values").and_then(Node::as_seq)?;
        let means = |key: &String| {
            let value =
                values.iter().find(|value| text_of(value, "key").or_else(|| token(value)).as_ref() == Some(key))?;
            token(value)
        };
        let tokens: Option<Vec<String>> = keys.iter().map(means).collect();
        Some((snake(other), tokens?))
    })
}

/// The roles, and FEEL for their parties, by the source's name of the list.
pub(super) fn roles(node: &Node, notes: &mut Notes) -> (Vec<Yaml>, BTreeMap<&'static str, String>) {
    let mut roles = Vec::new();
    let mut lists = BTreeMap::new();
    let (mut all_own, mut all_beside) = (Vec::new(), Vec::new());
    for (key, usual) in [("required-roles", "one"), ("optional-roles", "zero_or_one")] {
        let (mut own, mut beside) = (Vec::new(), Vec::new());
        for item in node.get(key).and_then(Node::as_seq).unwrap_or(&[]) {
            let Some(theirs) = super::source::text(item).or_else(|| text_of(item, "role")) else { continue };
            let ours = snake(&theirs);
            if all(node).iter().any(|(name, ..)| snake(name) == ours) {
                notes.add(key, format!("`{theirs}` is an argument too; the argument is kept"));
                beside.push(format!("{{role: \"{theirs}\", party: slots.{ours}}}"));
                continue;
            }
            if ours != theirs {
                notes.add(key, format!("`{theirs}` is called `{ours}` here, also where steps see it"));
            }
            roles.push(role(key, &theirs, item, usual, notes));
            own.push(format!("\"{ours}\""));
        }
        all_own.extend(own.iter().cloned());
        all_beside.extend(beside.iter().cloned());
        lists.insert(key, (own, beside));
    }
    lists.insert("roles", (all_own.clone(), all_beside));
    lists.retain(|_, (own, beside)| !own.is_empty() || !beside.is_empty());
    let feel = |(key, (own, beside)): (&'static str, (Vec<String>, Vec<String>))| {
        let beside = (!beside.is_empty()).then(|| format!("[{}][party != null]", beside.join(", ")));
        let own = match own.len() {
            0 => None,
            count if count == all_own.len() => Some("roles".to_owned()),
            _ => Some(format!("roles[list contains([{}], role)]", own.join(", "))),
        };
        let list = match (beside, own) {
            (Some(beside), Some(own)) => format!("concatenate({beside}, {own})"),
            (beside, own) => beside.or(own).unwrap_or_else(|| "[]".to_owned()),
        };
        (key, list)
    };
    (roles, lists.into_iter().map(feel).collect())
}

fn role(key: &str, theirs: &str, item: &Node, usual: &str, notes: &mut Notes) -> Yaml {
    let given = text_of(item, "cardinality").map_or_else(|| usual.to_owned(), |text| snake(&text));
    let cardinality = match (given.as_str(), key) {
        ("one", "optional-roles") => "zero_or_one",
        ("zero_or_one" | "zero_or_more" | "one_or_more" | "one", _) => given.as_str(),
        ("many", "required-roles") => "one_or_more",
        _ => "zero_or_more",
    };
    let label = text_of(item, "label").or_else(|| text_of(item, "ui-label"));
    let label = label.unwrap_or_else(|| super::naming::title(theirs));
    for (part, value) in entries(Some(item)) {
        if !["role", "cardinality", "label", "ui-label"].contains(&part) {
            let note = format!("`{theirs}.{part}: {}`: add `kinds` once there are record types", shown(value));
            notes.add(key, note);
        }
    }
    map([("role", snake(theirs).into()), ("cardinality", cardinality.into()), ("label", label.into())])
}
