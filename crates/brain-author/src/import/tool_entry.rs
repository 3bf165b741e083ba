//! The usual form of tool lists: `{name, description, input_schema}`.

use super::Notes;
use super::naming::{full, phrases, snake, title};
use super::source::{entries, shown, text_of, texts};
use super::writer::{Map, Yaml, copy, list, map};
use brain_registry::is_name;
use brain_registry::yaml::Node;

/// Keys for the schema of the arguments.
pub(super) const SCHEMAS: [&str; 4] = ["input_schema", "inputSchema", "parameters", "schema"];

/// The domain, the name and the tool.
pub(super) fn tool(
    name: &str,
    node: &Node,
    pack: &str,
    taken: &mut Vec<String>,
    notes: &mut Notes,
) -> (String, String, Map) {
    notes.about(name);
    let full = full(
        name,
        &text_of(node, "domain")
            .or_else(|| text_of(node, "category"))
            .map_or_else(|| pack.to_owned(), |one| snake(&one)),
    );
    let (domain, short) = full.split_once('.').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap_or_default();
    let mut made = Map::open();
    made.set("title", text_of(node, "title").unwrap_or_else(|| title(&short)));
    if let Some(text) = text_of(node, "description") {
        made.set("description", text);
    }
    let schema = SCHEMAS.iter().find_map(|key| node.get(key));
    made.set("input", schema.map_or_else(|| map([]), |schema| whole(schema, "input", notes)));
    let required = texts(schema.and_then(|schema| schema.get("required")));
    let sayable: Vec<String> = required.into_iter().filter(|name| is_name(name)).collect();
    let names = [title(&short), format!("{short} {domain}")];
    let phrases = phrases(names.iter().map(String::as_str), &sayable, taken);
    if !phrases.is_empty() {
        made.set("phrases", list(phrases.iter().map(String::as_str)));
    }
    let output = ["output_schema", "outputSchema", "returns"].iter().find_map(|key| node.get(key));
    if let Some(output) = output.filter(|output| output.as_map().is_some()) {
        made.set("output", whole(output, "output", notes));
    }
    notes.add("", format!("becomes a job with the topic `{full}` for your workers"));
    made.set("behavior", map([("worker", Yaml::from(full.as_str()))]));
    let mapped = ["name", "title", "description", "domain", "category", "output_schema", "outputSchema", "returns"];
    for (key, value) in entries(Some(node)).filter(|(key, _)| !mapped.contains(key) && !SCHEMAS.contains(key)) {
        notes.add(key, format!("`{}` has no equivalent in a pack; dropped", shown(value)));
    }
    (domain, short, made)
}

/// A schema as written; packs need an object with `properties`.
fn whole(schema: &Node, what: &str, notes: &mut Notes) -> Yaml {
    let object = text_of(schema, "type").is_some_and(|kind| kind == "object");
    let properties = schema.get("properties").is_some_and(|node| node.as_map().is_some_and(|map| !map.is_empty()));
    match (object, properties) {
        (true, true) => copy(schema),
        (true, false) => map([]),
        (false, _) => {
            notes.add(what, format!("`{}` is not the schema of an object; dropped", shown(schema)));
            map([])
        }
    }
}
