//! `brain pack import`: packs from other formats.
//!
//! An import is a pure function from text to the files of an ordinary pack, readable and ready to edit. What a pack
//! cannot express is never dropped silently: it is listed in [`Imported::notes`] and, if it matters, in a comment of
//! the file.

mod action;
mod action_http;
mod condition;
mod dmn;
mod macro_args;
mod macro_form;
mod naming;
mod param;
mod playbook_form;
mod playbooks;
mod reference;
mod registry_file;
mod source;
mod tool_entry;
mod workflow;
mod writer;

pub use dmn::dmn;
pub use playbooks::playbooks;
pub use registry_file::registry;

use brain_registry::Report;

/// An imported pack.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// Path inside the pack, and text.
    pub files: Vec<(String, String)>,
    /// What was changed or dropped, in source order.
    pub notes: Vec<ImportNote>,
    /// The number of tools and of playbooks.
    pub made: (usize, usize),
}

/// A part that was changed or dropped.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ImportNote {
    /// The action, playbook or macro.
    pub about: String,
    /// Its key.
    pub key: String,
    /// What happened to it.
    pub note: String,
}

/// Collects notes.
#[derive(Default)]
struct Notes {
    about: String,
    all: Vec<ImportNote>,
}

impl Notes {
    /// Sets the subject of the following notes.
    fn about(&mut self, about: &str) {
        about.clone_into(&mut self.about);
    }

    fn add(&mut self, key: &str, note: impl Into<String>) {
        self.all.push(ImportNote { about: self.about.clone(), key: key.to_owned(), note: note.into() });
    }
}

/// Why nothing could be imported: every problem with its position and help.
pub type ImportError = Report;
