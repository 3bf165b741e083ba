//! `brain pack import registry`: an action registry, or a plain list of tools, becomes a pack.

use std::collections::BTreeMap;

use super::action::Action;
use super::naming::{snake, title};
use super::source::{entries, flag, read, refuse, text_of};
use super::writer::{Map, document, list};
use super::{ImportError, Imported, Notes, tool_entry, workflow};
use crate::schemas;
use brain_registry::yaml::Node;

/// Tools by domain.
type Domains = BTreeMap<String, Vec<(String, Map)>>;

/// Makes a pack of this name. `file` is the file's name in messages.
pub fn registry(pack: &str, file: &str, text: &str) -> Result<Imported, ImportError> {
    let root = read(file, text)?;
    let pack = snake(pack);
    let items = items(&root).ok_or_else(|| {
        let help = "write one action, a list of them, `{\"actions\": […]}`, or `{\"tools\": […]}`";
        refuse(file, text, &root, "this is not an action registry", help)
    })?;
    let mut notes = Notes::default();
    let mut maker = Maker { pack: &pack, domains: Domains::new(), hosts: Vec::new(), taken: Vec::new() };
    let mut actions: Vec<Action<'_>> = Vec::new();
    for (name, node) in items {
        if is_tool(node) {
            let Some(name) = name.or_else(|| text_of(node, "name")) else {
                return Err(refuse(file, text, node, "a tool without a name", "add `\"name\": \"domain.name\"`"));
            };
            let (domain, short, tool) = tool_entry::tool(&name, node, &pack, &mut maker.taken, &mut notes);
            maker.add(&domain, &short, tool, &mut notes);
            continue;
        }
        let Some(action) = Action::read(node, &mut notes) else {
            let help = "add `\"action_id\"`, or for the plain form `\"name\"` and `\"input_schema\"`";
            return Err(refuse(file, text, node, "an action without an id", help));
        };
        if flag(node.get("is_active")) == Some(false) {
            // Other notes about a skipped action are irrelevant.
            notes.all.retain(|note| note.about != action.id);
            notes.add("is_active", "false: the action was skipped");
        } else if actions.iter().any(|other| other.full() == action.full()) {
            notes.add("action_id", format!("`{}` already exists; the second one is skipped", action.full()));
        } else {
            actions.push(action);
        }
    }
    let known: BTreeMap<String, &Action<'_>> = actions.iter().map(|action| (action.id.clone(), action)).collect();
    for action in &actions {
        let made = action.tool(&known, &mut maker.taken, &mut notes);
        maker.hosts.extend(made.host);
        maker.add(&action.domain, &action.name, made.tool, &mut notes);
    }
    let playbooks = workflow::playbooks(&actions, &mut maker.taken, &mut notes);
    Ok(maker.finish(playbooks, notes))
}

/// The actions or tools of a file, with names that are keys.
fn items(root: &Node) -> Option<Vec<(Option<String>, &Node)>> {
    let inside = ["actions", "tools", "registry"].iter().find_map(|key| root.get(key)).unwrap_or(root);
    if let Some(items) = inside.as_seq() {
        return items
            .iter()
            .all(|item| item.as_map().is_some())
            .then(|| items.iter().map(|item| (None, item)).collect());
    }
    let single = ["action_id", "id", "action_name", "name"].iter().any(|key| text_of(inside, key).is_some());
    if single {
        return Some(vec![(None, inside)]);
    }
    let named = inside.as_map().filter(|map| !map.is_empty())?;
    let all = named.iter().all(|(_, node)| is_tool(node) || node.get("action_id").is_some());
    all.then(|| entries(Some(inside)).map(|(name, node)| (Some(name.to_owned()), node)).collect())
}

fn is_tool(node: &Node) -> bool {
    node.get("action_id").is_none() && tool_entry::SCHEMAS.iter().any(|key| node.get(key).is_some())
}

struct Maker<'p> {
    pack: &'p str,
    domains: Domains,
    hosts: Vec<String>,
    taken: Vec<String>,
}

impl Maker<'_> {
    fn add(&mut self, domain: &str, name: &str, tool: Map, notes: &mut Notes) {
        let tools = self.domains.entry(domain.to_owned()).or_default();
        if tools.iter().any(|(other, _)| other == name) {
            notes.add("name", format!("`{domain}.{name}` already exists; the second one is skipped"));
            return;
        }
        tools.push((name.to_owned(), tool));
    }

    fn finish(mut self, playbooks: Vec<(String, String)>, notes: Notes) -> Imported {
        let made = (self.domains.values().map(Vec::len).sum(), playbooks.len());
        self.hosts.sort();
        self.hosts.dedup();
        let mut files = vec![("pack.yaml".to_owned(), pack_file(self.pack, &self.hosts))];
        for (domain, tools) in self.domains {
            files.push((format!("tools/{domain}.yaml"), tools_file(&domain, tools)));
        }
        files.extend(playbooks);
        for (path, text) in &mut files {
            text.insert_str(0, &schemas::modeline(path));
        }
        files.extend(schemas::files());
        Imported { files, notes: notes.all, made }
    }
}

/// The text of `pack.yaml`.
pub(super) fn pack_file(pack: &str, hosts: &[String]) -> String {
    let mut root = Map::open();
    root.set("name", pack);
    root.set("version", "0.1.0");
    root.set("title", title(pack));
    if !hosts.is_empty() {
        root.set("hosts", list(hosts.iter().map(String::as_str)));
    }
    document("Imported. It is yours now: change what you like, then run `brain pack check`.", root)
}

/// The text of a file of tools.
pub(super) fn tools_file(domain: &str, tools: Vec<(String, Map)>) -> String {
    let mut all = Map::open();
    for (name, tool) in tools {
        all.set(&name, tool);
    }
    let mut root = Map::open();
    root.set("domain", domain);
    root.set("tools", all);
    document("", root)
}
