//! Packs, and the formats that packs are made from.

use std::collections::BTreeSet;

use brain_author::import;
use brain_registry::{PackSource, load_sources};

/// A pack in one text: a line `=== PATH` starts a file.
pub(crate) fn pack(data: &[u8]) {
    let Some(text) = crate::text(data) else { return };
    let mut files: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        if let Some(path) = line.strip_prefix("=== ") {
            files.push((path.trim().to_owned(), String::new()));
        } else if let Some((_, content)) = files.last_mut() {
            content.push_str(line);
        }
    }
    if let Err(report) = load_sources(vec![PackSource::new("p", files)]) {
        assert!(!report.render(false).is_empty(), "a rejected pack has a reason");
    }
}

/// An action registry, and playbooks with verbs.
pub(crate) fn import(data: &[u8]) {
    let Some(text) = crate::text(data) else { return };
    drop(import::registry("p", "actions.json", text));
    drop(import::playbooks("p", &[("playbook.yaml".to_owned(), text.to_owned())], &BTreeSet::new(), true));
}

/// DMN, which is XML.
pub(crate) fn dmn(data: &[u8]) {
    if let Some(text) = crate::text(data) {
        drop(import::dmn("p", &[("decisions.dmn".to_owned(), text.to_owned())], true));
    }
}
