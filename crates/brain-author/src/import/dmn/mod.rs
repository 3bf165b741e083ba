//! `brain pack import dmn`: DMN decisions become tools (tables decide, expressions compute). A decision that requires
//! others also becomes a playbook that runs them first.

mod decision;
mod feel;
mod model;
mod playbook;
mod table;
mod types;
mod xml;

use std::collections::{BTreeMap, BTreeSet};

use super::naming::snake;
use super::registry_file::{pack_file, tools_file};
use super::writer::Map;
use super::{ImportError, Imported, Notes};
use crate::schemas;
use model::Model;

/// Converts files (name in messages, and text) to tools and playbooks. `whole` adds a `pack.yaml`; otherwise the tools
/// go to new files next to the existing ones.
pub fn dmn(pack: &str, sources: &[(String, String)], whole: bool) -> Result<Imported, ImportError> {
    let mut notes = Notes::default();
    let mut domains: BTreeMap<String, Vec<(String, Map)>> = BTreeMap::new();
    let mut playbooks: Vec<(String, String)> = Vec::new();
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut taken = Vec::new();
    for (file, text) in sources {
        let document = xml::read(file, text)?;
        let mut model = Model::of(file, document.root_element(), &mut notes);
        let tools = decision::tools(&mut model, &mut notes);
        for (tool, made) in decision::finish(&model, tools, &mut taken, &mut names, &mut notes) {
            domains.entry(model.domain.clone()).or_default().push((tool, made.tool));
            playbooks.extend(made.playbook);
        }
    }
    let made = (domains.values().map(Vec::len).sum(), playbooks.len());
    let mut files = Vec::new();
    if whole {
        files.push(("pack.yaml".to_owned(), pack_file(&snake(pack), &[])));
    }
    for (domain, tools) in domains {
        // Another file of the pack may have tools of the same domain; do not overwrite it.
        let path = if whole { format!("tools/{domain}.yaml") } else { format!("tools/{domain}_imported.yaml") };
        files.push((path, tools_file(&domain, tools)));
    }
    files.extend(playbooks);
    for (path, text) in &mut files {
        text.insert_str(0, &schemas::modeline(path));
    }
    files.extend(schemas::files());
    Ok(Imported { files, notes: notes.all, made })
}
