//! `brain pack import playbook`: converts playbooks and macros, with a stub for each tool that they use and that does
//! not exist.

use std::collections::{BTreeMap, BTreeSet};

use super::naming::{snake, title};
use super::registry_file::{pack_file, tools_file};
use super::source::{read, refuse, text_of};
use super::writer::{Map, map};
use super::{ImportError, Imported, Notes, macro_args, macro_form, playbook_form};
use crate::schemas;
use brain_registry::yaml::Node;

/// A converted playbook.
pub(super) struct Made {
    pub(super) path: String,
    pub(super) text: String,
}

/// The state while converting playbooks.
pub(super) struct Draft<'p> {
    pub(super) pack: &'p str,
    pub(super) notes: Notes,
    /// Phrases that are taken.
    pub(super) taken: Vec<String>,
    /// Tools that steps use, with their arguments.
    tools: BTreeMap<String, BTreeSet<String>>,
}

impl Draft<'_> {
    /// Records that a step uses a tool with these arguments.
    pub(super) fn uses(&mut self, tool: &str, args: &[String]) {
        self.tools.entry(tool.to_owned()).or_default().extend(args.iter().cloned());
    }
}

/// Converts files, given as (name for messages, text), to playbooks. `known` holds the existing tools; every other tool
/// gets a stub: a job for workers. `whole` adds a `pack.yaml`.
pub fn playbooks(
    pack: &str,
    sources: &[(String, String)],
    known: &BTreeSet<String>,
    whole: bool,
) -> Result<Imported, ImportError> {
    let pack = snake(pack);
    let mut draft = Draft { pack: &pack, notes: Notes::default(), taken: Vec::new(), tools: BTreeMap::new() };
    let mut files: Vec<(String, String)> = Vec::new();
    for (file, text) in sources {
        let root = read(file, text)?;
        let made = form(&root, &mut draft).ok_or_else(|| {
            let help = "a playbook has `id` and `steps` with verbs; a macro has `kind: macro` and `expands-to`";
            refuse(file, text, &root, "this is neither a playbook nor a macro", help)
        })?;
        for one in made {
            if files.iter().any(|(path, _)| *path == one.path) {
                draft.notes.add("id", format!("`{}` already exists; the second one is skipped", one.path));
            } else {
                files.push((one.path, one.text));
            }
        }
    }
    let playbooks = files.len();
    let mut domains: BTreeMap<String, Vec<(String, Map)>> = BTreeMap::new();
    for (tool, args) in draft.tools.iter().filter(|(tool, _)| !known.contains(*tool)) {
        let (domain, name) = tool.split_once('.').unwrap_or(("steps", tool));
        draft.notes.about(tool);
        draft.notes.add("", format!("a stub was created: a job with the topic `{tool}` for your workers"));
        domains.entry(domain.to_owned()).or_default().push((name.to_owned(), stand_in(tool, name, args)));
    }
    let tools = domains.values().map(Vec::len).sum();
    for (domain, tools) in domains {
        // Another file may have tools of the same domain; do not overwrite it.
        files.push((format!("tools/{domain}_imported.yaml"), tools_file(&domain, tools)));
    }
    if whole {
        files.insert(0, ("pack.yaml".to_owned(), pack_file(&pack, &[])));
    }
    for (path, text) in &mut files {
        text.insert_str(0, &schemas::modeline(path));
    }
    files.extend(schemas::files());
    Ok(Imported { files, notes: draft.notes.all, made: (tools, playbooks) })
}

/// The playbooks of a file; `None` if it has neither form.
fn form(root: &Node, draft: &mut Draft<'_>) -> Option<Vec<Made>> {
    let is_macro = |node: &Node| text_of(node, "kind").as_deref() == Some("macro") || node.get("expands-to").is_some();
    if is_macro(root) {
        let name = text_of(root, "id")?;
        return Some(vec![macro_form::playbook(&name, root, draft)]);
    }
    if root.get("steps").is_some_and(|steps| steps.as_seq().is_some()) {
        return Some(vec![playbook_form::playbook(root, draft)]);
    }
    let entries = root.as_map().filter(|entries| !entries.is_empty())?;
    entries
        .iter()
        .all(|(_, node)| is_macro(node))
        .then(|| entries.iter().map(|(key, node)| macro_form::playbook(&key.text, node, draft)).collect())
}

/// A stub: a job for workers that accepts any arguments.
fn stand_in(tool: &str, name: &str, args: &BTreeSet<String>) -> Map {
    let mut made = Map::open();
    made.set("title", title(name));
    made.comment("The steps do not give the types of these inputs: declare them here.");
    let mut inputs = Map::default();
    for arg in args {
        inputs.set(arg, "any?");
    }
    made.set("input", inputs);
    if tool == macro_args::PLACEHOLDER {
        made.set("output", map([(macro_args::PLACEHOLDER_FIELD, "uuid".into())]));
    }
    made.set("behavior", map([("worker", tool.into())]));
    made
}
