//! Converts references `${…}` to paths.

use std::collections::BTreeMap;

use super::Notes;
use super::naming::snake;
use super::writer::{Map, Yaml, copy};
use brain_registry::yaml::{Node, NodeValue, Resolved, resolve};

/// The names in scope of a reference.
#[derive(Default)]
pub(super) struct Names {
    /// The source's slot names, and ours.
    pub(super) slots: BTreeMap<String, String>,
    /// The source's step names, and their ids.
    pub(super) steps: BTreeMap<String, String>,
    /// Named results (`as: "@fund"`), and their steps.
    pub(super) symbols: BTreeMap<String, String>,
    /// By slot: what people type for a value, and its token.
    pub(super) tokens: BTreeMap<String, BTreeMap<String, String>>,
    /// The name of the item in a loop.
    pub(super) item: Option<String>,
    /// FEEL for the parties of roles, by the source's name of the list.
    pub(super) roles: BTreeMap<&'static str, String>,
    /// Undeclared names: they become slots, so that nothing is lost.
    pub(super) missing: Vec<String>,
}

impl Names {
    /// The path of a reference.
    pub(super) fn path(&mut self, reference: &str, notes: &mut Notes) -> String {
        let reference = reference.trim();
        if let Some(symbol) = reference.strip_prefix('@') {
            if let Some(step) = self.symbols.get(symbol) {
                let path = format!("steps.{step}.result");
                whole(reference, &path, notes);
                return path;
            }
            notes.add(reference, "no step gives this name to its result; it becomes a slot");
            return self.slot(symbol);
        }
        let parts: Vec<&str> = reference.split('.').collect();
        let rest = |from: usize| parts[from..].iter().map(|part| format!(".{}", snake(part))).collect::<String>();
        match parts.as_slice() {
            [item, ..] if self.item.as_deref() == Some(*item) => format!("item{}", rest(1)),
            ["arg" | "args" | "slot" | "slots", name] => self.declared(name, notes),
            ["arg" | "args" | "slot" | "slots", name, part, ..] => {
                // The value of a slot is its token, which is what `internal` means.
                if *part != "internal" {
                    notes.add(reference, format!("`{part}` of a value is not kept; its token is used"));
                }
                self.declared(name, notes)
            }
            [step, "result", more @ ..] if self.steps.contains_key(*step) => {
                let path = format!("steps.{}.result{}", self.steps[*step], rest(2));
                if more.is_empty() {
                    whole(reference, &path, notes);
                }
                path
            }
            [step, ..] if self.steps.contains_key(*step) => format!("steps.{}.result{}", self.steps[*step], rest(1)),
            [list] if self.roles.contains_key(list) => self.roles[list].clone(),
            [name] => self.declared(name, notes),
            [name, "internal"] if self.slots.contains_key(*name) => self.declared(name, notes),
            [name, ..] => format!("{}{}", self.declared(name, notes), rest(1)),
            [] => "null".to_owned(),
        }
    }

    /// A slot that should be declared.
    pub(super) fn declared(&mut self, name: &str, notes: &mut Notes) -> String {
        if let Some(ours) = self.slots.get(name).or_else(|| self.slots.get(&name.replace('_', "-"))) {
            return format!("slots.{ours}");
        }
        notes.add(name, "nothing declares this; it becomes an optional slot");
        self.slot(name)
    }

    fn slot(&mut self, name: &str) -> String {
        let ours = snake(name);
        self.slots.insert(name.to_owned(), ours.clone());
        if !self.missing.contains(&ours) {
            self.missing.push(ours.clone());
        }
        format!("slots.{ours}")
    }

    /// A text with `{{ path }}` in place of `${…}`.
    pub(super) fn text(&mut self, text: &str, notes: &mut Notes) -> String {
        let mut done = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let Some((reference, after)) = after.split_once('}') else { break };
            done.push_str(before);
            done.push_str(&format!("{{{{ {} }}}}", self.path(reference, notes)));
            rest = after;
        }
        done + rest
    }

    /// A value with references in its texts.
    pub(super) fn value(&mut self, node: &Node, notes: &mut Notes) -> Yaml {
        match &node.value {
            NodeValue::Scalar(scalar) => match resolve(scalar) {
                Resolved::Text(text) => Yaml::from(self.text(&text, notes)),
                _ => copy(node),
            },
            NodeValue::Seq(items) => Yaml::List(items.iter().map(|item| self.value(item, notes)).collect()),
            NodeValue::Map(entries) => {
                let mut map = Map::default();
                for (key, value) in entries {
                    map.set(&key.text, self.value(value, notes));
                }
                map.into()
            }
        }
    }

    /// Arguments: their names become names of inputs.
    pub(super) fn args(&mut self, node: &Node, notes: &mut Notes) -> (Map, Vec<String>) {
        let (mut map, mut names) = (Map::default(), Vec::new());
        for (key, value) in super::source::entries(Some(node)) {
            let ours = snake(key);
            map.set(&ours, self.value(value, notes));
            names.push(ours);
        }
        (map, names)
    }
}

/// In the source, a step's result is one value; here it has fields.
fn whole(reference: &str, path: &str, notes: &mut Notes) {
    notes.add(reference, format!("is the whole result here: name the field that is meant, `{path}.FIELD`"));
}
