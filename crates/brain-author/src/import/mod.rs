//! `brain pack import`: packs from what others have written down.
//!
//! An import is pure: text goes in, the files of an ordinary pack come out, readable and ready to be edited. What has
//! no place in a pack is never lost silently: it is named in [`Imported::notes`], and where it matters also in a
//! comment of the file.

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

/// A pack that was made from something else.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// Path inside the pack, and content.
    pub files: Vec<(String, String)>,
    /// What was not taken over as it was, in the order of the source.
    pub notes: Vec<ImportNote>,
    /// How many tools and playbooks there are now.
    pub made: (usize, usize),
}

/// Something that was not taken over as it was.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ImportNote {
    /// The action, playbook or macro.
    pub about: String,
    /// Its key.
    pub key: String,
    /// What became of it.
    pub note: String,
}

/// Where notes are gathered.
#[derive(Default)]
struct Notes {
    about: String,
    all: Vec<ImportNote>,
}

impl Notes {
    /// What follows is about this.
    fn about(&mut self, about: &str) {
        about.clone_into(&mut self.about);
    }

    fn add(&mut self, key: &str, note: impl Into<String>) {
        self.all.push(ImportNote { about: self.about.clone(), key: key.to_owned(), note: note.into() });
    }
}

/// Why nothing could be imported: every problem with its file, line and column, and what to do.
pub type ImportError = Report;
