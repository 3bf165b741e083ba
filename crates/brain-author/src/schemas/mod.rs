//! `brain pack schema`: JSON Schemas of pack files, for completion and validation in editors.
//!
//! A schema never rejects what the decoder accepts; it may accept what only `brain pack check` can reject, such as an
//! unknown tool. Objects are closed exactly where the decoder rejects unknown keys: a test compares the two.

mod behaviors;
mod build;
mod corpus;
mod fields;
mod pack;
mod playbook;
mod record;
mod scenario;
mod steps;
#[cfg(test)]
mod tests;
mod tools;

use serde_json::{Map, Value, json};

/// A kind of pack file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaKind {
    /// `pack.yaml`
    Pack,
    /// `records/*.yaml`
    Record,
    /// `tools/*.yaml`
    Tools,
    /// `playbooks/*.yaml`
    Playbook,
    /// `corpus/{tune,test}/*.yaml`
    Corpus,
    /// `scenarios/*.yaml`
    Scenario,
}

impl SchemaKind {
    /// Every kind.
    pub const ALL: [Self; 6] = [Self::Pack, Self::Record, Self::Tools, Self::Playbook, Self::Corpus, Self::Scenario];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pack => "pack",
            Self::Record => "record",
            Self::Tools => "tools",
            Self::Playbook => "playbook",
            Self::Corpus => "corpus",
            Self::Scenario => "scenario",
        }
    }

    /// The kind of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The kind of a file, by its path inside the pack.
    pub fn of_path(path: &str) -> Option<Self> {
        match path.split('/').collect::<Vec<_>>().as_slice() {
            ["pack.yaml"] => Some(Self::Pack),
            ["records", _] => Some(Self::Record),
            ["tools", _] => Some(Self::Tools),
            ["playbooks", _] => Some(Self::Playbook),
            ["corpus", _, _] => Some(Self::Corpus),
            ["scenarios", _] => Some(Self::Scenario),
            _ => None,
        }
    }

    /// The pattern of its files.
    pub fn files(self) -> &'static str {
        match self {
            Self::Pack => "pack.yaml",
            Self::Record => "records/*.yaml",
            Self::Tools => "tools/*.yaml",
            Self::Playbook => "playbooks/*.yaml",
            Self::Corpus => "corpus/{tune,test}/*.yaml",
            Self::Scenario => "scenarios/*.yaml",
        }
    }
}

/// The folder of the schemas in a pack. Hidden files and folders are not part of a pack.
pub const SCHEMA_FOLDER: &str = ".brain/schemas";

/// The schema of a kind of file: self-contained JSON Schema 2020-12.
pub fn schema(kind: SchemaKind) -> Value {
    let (root, defs) = match kind {
        SchemaKind::Pack => pack::schema(),
        SchemaKind::Record => record::schema(),
        SchemaKind::Tools => tools::schema(),
        SchemaKind::Playbook => playbook::schema(),
        SchemaKind::Corpus => corpus::schema(),
        SchemaKind::Scenario => scenario::schema(),
    };
    let mut whole = Map::from_iter([
        ("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema")),
        ("title".to_owned(), json!(format!("Brain: {}", kind.files()))),
    ]);
    if let Value::Object(root) = root {
        whole.extend(root);
    }
    whole.insert("$defs".to_owned(), Value::Object(defs));
    Value::Object(whole)
}

/// The schemas as files of a pack: path and text.
pub(crate) fn files() -> Vec<(String, String)> {
    let text = |kind| serde_json::to_string_pretty(&schema(kind)).unwrap_or_default() + "\n";
    SchemaKind::ALL.into_iter().map(|kind| (format!("{SCHEMA_FOLDER}/{}.json", kind.name()), text(kind))).collect()
}

/// The first line of a pack file, which points editors to its schema. Empty for files without one.
pub(crate) fn modeline(path: &str) -> String {
    let Some(kind) = SchemaKind::of_path(path) else { return String::new() };
    let up = "../".repeat(path.matches('/').count());
    format!("# yaml-language-server: $schema={up}{SCHEMA_FOLDER}/{}.json\n", kind.name())
}
