//! The playbook form: slots, and steps with verbs and `${slot}` references.

use super::naming::{full, phrases, snake};
use super::playbooks::{Draft, Made};
use super::reference::Names;
use super::source::{entries, flag, shown, text_of, texts};
use super::writer::{Map, Yaml, copy, document, list, raw};
use brain_registry::yaml::Node;

/// Converts one playbook.
pub(super) fn playbook(node: &Node, draft: &mut Draft<'_>) -> Made {
    let id = text_of(node, "id").unwrap_or_else(|| "playbook".into());
    let name = full(&id, draft.pack);
    draft.notes.about(&id);
    let mut names = Names::default();
    for (slot, _) in entries(node.get("slots")) {
        names.slots.insert(slot.to_owned(), snake(slot));
    }
    let mut slots = Map::open();
    let mut required = Vec::new();
    for (slot, rules) in entries(node.get("slots")) {
        let must = flag(rules.get("required")) == Some(true) && rules.get("default").is_none();
        if must {
            required.push(snake(slot));
        }
        slots.set(&snake(slot), field(slot, rules, must, draft));
    }
    let mut steps: Vec<Yaml> = Vec::new();
    for item in node.get("steps").and_then(Node::as_seq).unwrap_or(&[]) {
        steps.push(step(item, &mut names, draft));
    }
    for missing in &names.missing {
        slots.set(missing, "any?");
    }
    let title = text_of(node, "name").or_else(|| text_of(node, "title")).unwrap_or_else(|| super::naming::title(&id));
    let mut root = Map::open();
    root.set("playbook", name.as_str());
    root.set("title", title.as_str());
    if let Some(text) = text_of(node, "description") {
        root.set("description", text);
    }
    let said = phrases([title.as_str()], &required, &mut draft.taken);
    if !said.is_empty() {
        root.set("phrases", list(said.iter().map(String::as_str)));
    }
    match text_of(node, "version").map(|text| (text.parse::<u32>().ok().filter(|number| *number > 0), text)) {
        Some((Some(version), _)) => root.set("version", raw(version)),
        Some((None, text)) => draft.notes.add("version", format!("`{text}` is not a whole number; dropped")),
        None => {}
    }
    if !slots.is_empty() {
        root.set("slots", slots);
    }
    root.set("steps", steps);
    let mapped = ["id", "name", "title", "description", "version", "slots", "steps"];
    for (key, value) in entries(Some(node)).filter(|(key, _)| !mapped.contains(key)) {
        draft.notes.add(key, format!("`{}` has no equivalent in a playbook; dropped", shown(value)));
    }
    Made { path: super::macro_form::path(&name), text: document(&format!("The playbook `{id}`."), root) }
}

fn field(name: &str, rules: &Node, required: bool, draft: &mut Draft<'_>) -> Yaml {
    let given = super::source::text(rules).or_else(|| text_of(rules, "type")).unwrap_or_else(|| "string".into());
    let known = [
        "string", "text", "integer", "decimal", "number", "money", "boolean", "uuid", "date", "datetime", "list",
        "object",
    ];
    let kind = match given.as_str() {
        kind if known.contains(&kind) => kind,
        "bool" => "boolean",
        "int" => "integer",
        "array" => "list",
        other => {
            draft
                .notes
                .add(&format!("slots.{name}.type"), format!("`{other}` is not recognised; any text is accepted"));
            "string"
        }
    };
    let mut slot = Map::default();
    slot.set("type", kind);
    for (key, value) in entries(Some(rules)) {
        match key {
            "type" | "required" => {}
            "default" | "description" | "title" => slot.set(key, copy(value)),
            other => draft.notes.add(
                &format!("slots.{name}.{other}"),
                format!("`{}` has no equivalent in a pack; dropped", shown(value)),
            ),
        }
    }
    if !required && rules.get("default").is_none() {
        slot.set("optional", raw(true));
    }
    slot.into()
}

fn step(item: &Node, names: &mut Names, draft: &mut Draft<'_>) -> Yaml {
    let verb = text_of(item, "verb").or_else(|| text_of(item, "tool")).unwrap_or_default();
    let tool = full(&verb, draft.pack);
    let their_id = text_of(item, "id").unwrap_or_else(|| verb.replace('.', "_"));
    let id = snake(&their_id);
    let mut step = Map::default();
    step.set("id", id.as_str());
    step.set("tool", tool.as_str());
    if let Some(after) = item.get("after") {
        let ids: Vec<String> = texts(Some(after)).iter().map(|one| snake(one)).collect();
        step.set("after", list(ids.iter().map(String::as_str)));
    }
    let (args, given) = item.get("args").map(|args| names.args(args, &mut draft.notes)).unwrap_or_default();
    step.set("args", args);
    for (key, value) in entries(Some(item)).filter(|(key, _)| !["id", "verb", "tool", "after", "args"].contains(key)) {
        draft.notes.add(
            &format!("steps.{their_id}.{key}"),
            format!("`{}` has no equivalent in a step; dropped", shown(value)),
        );
    }
    names.steps.insert(their_id, id);
    draft.uses(&tool, &given);
    step.into()
}
