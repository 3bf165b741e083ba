//! The files of packs, from a folder or from memory.

use std::path::{Path, PathBuf};

/// The files of one pack.
#[derive(Clone, Debug, Default)]
pub struct PackSource {
    /// The pack's location, which prefixes file names in messages.
    pub root: String,
    /// Path inside the pack (with `/`) and text.
    pub files: Vec<(String, String)>,
    /// Unreadable files, with the reason.
    pub(crate) unreadable: Vec<(String, String)>,
}

/// Maximum number of files in a pack.
pub(crate) const MAX_FILES: usize = 10_000;

impl PackSource {
    /// A pack from memory.
    pub fn new(root: impl Into<String>, files: Vec<(String, String)>) -> Self {
        Self { root: root.into(), files, unreadable: Vec::new() }
    }

    /// A pack from a folder. Unreadable files are reported later, with everything else.
    pub fn read(folder: &Path) -> Self {
        let mut source = Self::new(folder.display().to_string(), Vec::new());
        source.walk(folder, "");
        source.files.sort();
        source
    }

    fn walk(&mut self, folder: &Path, prefix: &str) {
        let mut entries: Vec<PathBuf> = match std::fs::read_dir(folder) {
            Ok(entries) => entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect(),
            Err(error) => return self.unreadable.push((prefix.to_owned(), error.to_string())),
        };
        entries.sort();
        for path in entries {
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            if name.starts_with('.') || name.ends_with('~') {
                continue;
            }
            let inner = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}/{name}") };
            if self.files.len() >= MAX_FILES {
                return self.unreadable.push((inner, format!("a pack has at most {MAX_FILES} files")));
            }
            if path.is_dir() {
                // A symbolic link could lead to an endless loop.
                if path.is_symlink() {
                    self.unreadable.push((inner, "links to folders are not followed".into()));
                } else {
                    self.walk(&path, &inner);
                }
            } else if is_pack_text(&inner) {
                match std::fs::read_to_string(&path) {
                    Ok(text) => self.files.push((inner, text)),
                    Err(error) => self.unreadable.push((inner, error.to_string())),
                }
            } else {
                self.files.push((inner, String::new()));
            }
        }
    }

    /// A file's path in messages.
    pub(crate) fn shown(&self, path: &str) -> String {
        match (self.root.trim_end_matches('/'), path) {
            ("", path) => path.to_owned(),
            (root, "") => root.to_owned(),
            (root, path) => format!("{root}/{path}"),
        }
    }
}

/// Whether Brain reads this file; others are only listed.
fn is_pack_text(path: &str) -> bool {
    path.ends_with(".yaml") || path.ends_with(".yml")
}
