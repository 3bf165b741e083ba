//! Rules for source files.

use std::path::Path;

use anyhow::Result;

use super::{files, read, shown};

/// Past 600 lines ask why; past this, split.
const MAX_LINES: usize = 1000;

/// Words that must not be committed; assembled here, so that this file does not match itself.
const UNFINISHED: [&str; 4] =
    [concat!("#[", "ignore"), concat!("todo", "!("), concat!("unimplemented", "!("), concat!("dbg", "!(")];

/// Checks every source file; `problem` describes a violation.
fn each(root: &Path, problem: impl Fn(&str) -> Option<String>) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for folder in ["crates", "examples", "xtask"] {
        for path in files(&root.join(folder), ".rs")? {
            if let Some(problem) = problem(&read(&path)?) {
                problems.push(format!("{}: {problem}", shown(root, &path)));
            }
        }
    }
    Ok(problems)
}

pub(super) fn every_file_has_a_doc(root: &Path) -> Result<Vec<String>> {
    each(root, |text| (!has_doc(text)).then(|| "begin it with a `//!` that says what it is for".into()))
}

/// Whether the doc comes first; inner attributes may precede it.
fn has_doc(text: &str) -> bool {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("#!["));
    first.is_some_and(|line| line.strip_prefix("//!").is_some_and(|words| !words.trim().is_empty()))
}

pub(super) fn no_file_is_too_long(root: &Path) -> Result<Vec<String>> {
    each(root, |text| {
        let lines = text.lines().count();
        (lines > MAX_LINES).then(|| format!("{lines} lines"))
    })
}

pub(super) fn nothing_is_unfinished(root: &Path) -> Result<Vec<String>> {
    each(root, |text| {
        text.lines().enumerate().find_map(|(n, line)| {
            let code = line.split("//").next().unwrap_or(line);
            let word = UNFINISHED.iter().find(|word| code.contains(*word))?;
            Some(format!("line {}: `{word}`", n + 1))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doc_must_come_first_and_say_something() {
        assert!(has_doc("//! What it is for.\nuse x;"));
        assert!(has_doc("#![cfg(test)]\n\n//! What it is for."));
        assert!(!has_doc("//!\nuse x;"));
        assert!(!has_doc("use x;\n//! too late"));
        assert!(!has_doc(""));
    }
}
