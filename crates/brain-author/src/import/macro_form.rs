//! The macro form: `kind: macro`, arguments with labels, roles, and an expansion.

use super::Notes;
use super::condition::condition;
use super::macro_args;
use super::naming::{full, phrases, snake, title};
use super::playbooks::{Draft, Made};
use super::reference::Names;
use super::source::{entries, shown, text, text_of, texts};
use super::writer::{Map, Yaml, document, list};
use brain_registry::yaml::Node;

/// The enclosing condition and loop of a list of steps.
#[derive(Clone, Default)]
struct Around {
    /// The FEEL condition.
    when: Option<String>,
    /// FEEL for the list of a loop.
    each: Option<String>,
}

/// One macro as a playbook.
pub(super) fn playbook(name: &str, node: &Node, draft: &mut Draft<'_>) -> Made {
    let name = full(&text_of(node, "id").unwrap_or_else(|| name.to_owned()), draft.pack);
    let notes = &mut draft.notes;
    notes.about(&name);
    let mut names = Names::default();
    macro_args::learn(node, &mut names);
    let (roles, all_roles) = macro_args::roles(node, notes);
    names.roles = all_roles;
    let mut slots = macro_args::slots(node, &mut names, notes);
    let mut steps = Steps { names, done: Vec::new(), used: Vec::new() };
    let items = node.get("expands-to").and_then(Node::as_seq).unwrap_or(&[]);
    steps.expand(items, &Around::default(), notes);
    for missing in &steps.names.missing {
        slots.set(missing, "any?");
    }
    let ui = node.get("ui");
    let label =
        ui.and_then(|ui| text_of(ui, "label")).unwrap_or_else(|| title(name.split('.').nth(1).unwrap_or(&name)));
    let aliases = texts(node.get("aliases"));
    let mut root = Map::open();
    root.set("playbook", name.as_str());
    root.set("title", label.as_str());
    if let Some(text) = ui.and_then(|ui| text_of(ui, "description")) {
        root.set("description", text);
    }
    let required: Vec<String> = macro_args::all(node)
        .into_iter()
        .filter(|(_, arg, required)| {
            *required
                && ["default", "default-key", "required-if", "placeholder-if-missing"]
                    .iter()
                    .all(|key| arg.get(key).is_none())
        })
        .map(|(name, ..)| snake(name))
        .collect();
    let said =
        phrases([label.as_str()].into_iter().chain(aliases.iter().map(String::as_str)), &required, &mut draft.taken);
    if !said.is_empty() {
        root.set("phrases", list(said.iter().map(String::as_str)));
    }
    if !aliases.is_empty() {
        let domain = name.split('.').next().unwrap_or(draft.pack);
        let aliases: Vec<String> = aliases.iter().map(|alias| full(alias, domain)).collect();
        root.set("aliases", list(aliases.iter().map(String::as_str)));
    }
    if !slots.is_empty() {
        root.set("slots", slots);
    }
    if !roles.is_empty() {
        root.set("roles", roles);
    }
    root.set("steps", steps.done);
    rest(node, notes);
    for (tool, args) in steps.used {
        draft.uses(&tool, &args);
    }
    let stand_ins = macro_args::all(node).into_iter().any(|(_, arg, _)| arg.get("placeholder-if-missing").is_some());
    if stand_ins {
        draft.uses(macro_args::PLACEHOLDER, &["kind".into(), "ref".into()]);
    }
    Made { path: path(&name), text: document(&format!("The macro `{name}`."), root) }
}

/// The file of a playbook.
pub(super) fn path(name: &str) -> String {
    format!("playbooks/{}.yaml", name.replace('.', "_"))
}

/// Notes the parts of a macro that a playbook cannot express.
fn rest(node: &Node, notes: &mut Notes) {
    let mapped = ["kind", "id", "ui", "aliases", "required-roles", "optional-roles", "args", "expands-to"];
    for (key, value) in entries(Some(node)).filter(|(key, _)| !mapped.contains(key)) {
        notes.add(key, format!("`{}` has no equivalent in a pack; dropped", shown(value)));
    }
    for (key, value) in entries(node.get("ui")).filter(|(key, _)| !["label", "description"].contains(key)) {
        notes.add(
            &format!("ui.{key}"),
            format!("`{}` has no equivalent in a pack; dropped, see `nouns` in pack.yaml", shown(value)),
        );
    }
}

struct Steps {
    names: Names,
    done: Vec<Yaml>,
    used: Vec<(String, Vec<String>)>,
}

impl Steps {
    fn expand(&mut self, items: &[Node], around: &Around, notes: &mut Notes) {
        for item in items {
            if let Some(verb) = text_of(item, "verb") {
                self.step(&verb, item, around, notes);
            } else if let (Some(when), true) = (item.get("when"), item.get("verb").is_none()) {
                let truth = condition(when, &mut self.names, notes);
                let inside =
                    |truth: String| Around { when: Some(both(around.when.as_deref(), truth)), ..around.clone() };
                let branch = |key: &str| item.get(key).and_then(Node::as_seq).unwrap_or(&[]);
                self.expand(branch("then"), &inside(truth.clone()), notes);
                self.expand(branch("else"), &inside(format!("not({truth})")), notes);
            } else if let Some(variable) = text_of(item, "foreach") {
                self.each(&variable, item, around, notes);
            } else {
                notes.add("expands-to", format!("`{}` is not recognised; dropped", shown(item)));
            }
        }
    }

    fn each(&mut self, variable: &str, item: &Node, around: &Around, notes: &mut Notes) {
        let inside = item.get("do").and_then(Node::as_seq).unwrap_or(&[]);
        if around.each.is_some() {
            notes.add(
                "foreach",
                "a loop inside a loop is not supported in a playbook; dropped: make it a separate playbook",
            );
            return;
        }
        if inside.len() > 1 {
            notes.add("foreach", "each of its steps is done for all items before the next begins");
        }
        let list = item.get("in").and_then(text).unwrap_or_default();
        let reference = list.trim().trim_start_matches("${").trim_end_matches('}').to_owned();
        let list = self.names.path(&reference, notes);
        self.names.item = Some(variable.to_owned());
        self.expand(inside, &Around { each: Some(list), ..around.clone() }, notes);
        self.names.item = None;
    }

    fn step(&mut self, verb: &str, item: &Node, around: &Around, notes: &mut Notes) {
        let tool = full(verb, "steps");
        let their_id = text_of(item, "id").unwrap_or_else(|| verb.split('.').nth(1).unwrap_or(verb).to_owned());
        let mut id = snake(&their_id);
        let mut count = 2;
        while self.names.steps.values().any(|other| *other == id) {
            id = format!("{}_{count}", snake(&their_id));
            count += 1;
        }
        let mut step = Map::default();
        step.set("id", id.as_str());
        step.set("tool", tool.as_str());
        let own = item.get("when").map(|when| condition(when, &mut self.names, notes));
        let when = match own {
            Some(own) => Some(both(around.when.as_deref(), own)),
            None => around.when.clone(),
        };
        if let Some(when) = when {
            step.set("when", format!("= {when}"));
        }
        if let Some(list) = &around.each {
            step.set("foreach", format!("= {list}"));
        }
        let (args, given) = item.get("args").map(|args| self.names.args(args, notes)).unwrap_or_default();
        step.set("args", args);
        for (key, value) in
            entries(Some(item)).filter(|(key, _)| !["id", "verb", "args", "when", "as", "bind"].contains(key))
        {
            notes.add(
                "expands-to",
                format!("`{key}: {}` of `{verb}` has no equivalent in a step; dropped", shown(value)),
            );
        }
        if let Some(symbol) = text_of(item, "as").or_else(|| text_of(item, "bind")) {
            self.names.symbols.insert(symbol.trim_start_matches('@').to_owned(), id.clone());
        }
        self.names.steps.insert(their_id, id);
        self.used.push((tool, given));
        self.done.push(step.into());
    }
}

fn both(outer: Option<&str>, inner: String) -> String {
    outer.map_or(inner.clone(), |outer| format!("({outer}) and ({inner})"))
}
