//! `cargo xtask tidy`: rules of the project that no compiler checks. One file per subject.

mod dependencies;
mod errors;
pub(crate) mod links;
mod manifest;
mod map;
mod paths;
mod sources;
mod wording;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::report::{Outcome, Step};
use crate::shell::root;

/// A rule: its sentence, and a function that finds violations.
type Rule = (&'static str, fn(&Path) -> Result<Vec<String>>);

const RULES: [Rule; 14] = [
    ("every crate is in ARCHITECTURE.md, and nothing else is", map::every_crate_is_on_the_map),
    ("crates use what ARCHITECTURE.md says, and only crates below them", map::crates_use_what_the_map_says),
    ("every pure crate has a clippy.toml that holds it to that", map::pure_crates_are_held_to_it),
    ("every path that ARCHITECTURE.md names exists", paths::every_path_on_the_map_exists),
    ("plain English: no turn of phrase that readers stumble over", wording::plain_words),
    ("every source file says what it is for (`//!`)", sources::every_file_has_a_doc),
    ("no source file has more than 1,000 lines", sources::no_file_is_too_long),
    ("nothing is left unfinished or switched off", sources::nothing_is_unfinished),
    ("every dependency has its reason in docs/dependencies.md", dependencies::every_one_has_a_reason),
    ("every dependency of the workspace is used by a crate", dependencies::every_one_is_used),
    ("every error code has its page", errors::every_code_has_a_page),
    ("every error page is in the index", errors::every_page_is_in_the_index),
    ("every decision record is in the index", links::every_adr_is_in_the_index),
    ("every link inside the documentation leads somewhere", links::every_link_leads_somewhere),
];

/// Checks all rules.
pub(crate) fn steps() -> Vec<Step> {
    vec![Step::new("tidy", || {
        let root = root();
        let mut failed = 0;
        for (sentence, check) in RULES {
            let problems = check(&root)?;
            if problems.is_empty() {
                continue;
            }
            failed += 1;
            eprintln!("violated: {sentence}");
            for problem in problems {
                eprintln!("  {problem}");
            }
        }
        Ok(Outcome::Checked { passed: RULES.len() - failed, failed })
    })]
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))
}

/// The path relative to the root.
fn shown<'p>(root: &Path, path: &'p Path) -> std::path::Display<'p> {
    path.strip_prefix(root).unwrap_or(path).display()
}

/// The entries of a folder, sorted.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let listed = std::fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    let mut paths = listed.map(|entry| entry.map(|entry| entry.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// All files below a folder with this ending, except in folders that tools fill.
pub(crate) fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in entries(folder)? {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_dir() {
            if !["target", "node_modules"].contains(&name.as_str()) && !name.starts_with('.') {
                found.extend(files(&path, ending)?);
            }
        } else if name.ends_with(ending) {
            found.push(path);
        }
    }
    Ok(found)
}
