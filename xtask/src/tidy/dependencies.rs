//! Every dependency has a written reason and is used.

use std::path::Path;

use anyhow::Result;

use super::{files, manifest, read};

pub(super) fn every_one_has_a_reason(root: &Path) -> Result<Vec<String>> {
    let declared = manifest::dependencies(&read(&root.join("Cargo.toml"))?, &["workspace.dependencies"]);
    Ok(compare(&declared, &read(&root.join("docs/dependencies.md"))?))
}

pub(super) fn every_one_is_used(root: &Path) -> Result<Vec<String>> {
    let mut used = Vec::new();
    for manifest in files(&root.join("crates"), "Cargo.toml")?.into_iter().chain([root.join("xtask/Cargo.toml")]) {
        let sections = ["dependencies", "dev-dependencies", "build-dependencies"];
        used.extend(manifest::dependencies(&read(&manifest)?, &sections));
    }
    let declared = manifest::dependencies(&read(&root.join("Cargo.toml"))?, &["workspace.dependencies"]);
    let idle = declared.into_iter().filter(|name| !used.contains(name));
    Ok(idle.map(|name| format!("no crate uses `{name}` of Cargo.toml")).collect())
}

/// Compares with the rows of the page: `| `name` | reason |`.
fn compare(declared: &[String], page: &str) -> Vec<String> {
    let reasons: Vec<(&str, &str)> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` |"))
        .map(|(name, reason)| (name, reason.trim_matches([' ', '|'])))
        .collect();
    let outside = || declared.iter().filter(|name| !name.starts_with("brain-"));
    let mut problems: Vec<String> = outside()
        .filter(|name| !reasons.iter().any(|(known, reason)| known == name && !reason.is_empty()))
        .map(|name| format!("`{name}` is in Cargo.toml, but has no reason in docs/dependencies.md"))
        .collect();
    for (name, _) in reasons.iter().filter(|(name, _)| !outside().any(|known| known == name)) {
        problems.push(format!("docs/dependencies.md explains `{name}`, which Cargo.toml does not have"));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_and_stale_reasons_are_found() {
        let declared = ["brain-core".to_owned(), "serde".to_owned(), "hex".to_owned()];
        let page = "| crate | reason |\n|---|---|\n| `serde` | data as JSON |\n| `rand` | long gone |\n| `hex` | |\n";
        let problems = compare(&declared, page);
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].contains("`hex`") && problems[1].contains("`rand`"));
    }
}
