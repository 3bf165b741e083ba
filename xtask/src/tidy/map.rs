//! Compares ARCHITECTURE.md with the code.

use std::path::Path;

use anyhow::{Result, ensure};

use super::{entries, manifest, read};

/// One row of the table of crates. The order matters: crates use only crates below them.
struct Row {
    name: String,
    pure: bool,
    uses: Vec<String>,
}

/// The table of crates: `| crate | pure | uses | … |`.
fn table(architecture: &str) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for line in architecture.lines().filter(|line| line.starts_with("| `brain") || line.starts_with("| `xtask`")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, pure, uses, ..] = cells.as_slice() else { continue };
        let uses = uses.split('`').skip(1).step_by(2).map(short).collect();
        rows.push(Row { name: name.trim_matches('`').to_owned(), pure: !pure.is_empty(), uses });
    }
    ensure!(!rows.is_empty(), "ARCHITECTURE.md has no table of crates");
    Ok(rows)
}

/// Adds the prefix that the table leaves out.
fn short(name: &str) -> String {
    if name.starts_with("brain") { name.to_owned() } else { format!("brain-{name}") }
}

fn map(root: &Path) -> Result<Vec<Row>> {
    table(&read(&root.join("ARCHITECTURE.md"))?)
}

fn folder(root: &Path, name: &str) -> std::path::PathBuf {
    if name == "xtask" { root.join(name) } else { root.join("crates").join(name) }
}

pub(super) fn every_crate_is_on_the_map(root: &Path) -> Result<Vec<String>> {
    let rows = map(root)?;
    let mut problems = Vec::new();
    for path in entries(&root.join("crates"))?.iter().filter(|path| path.is_dir()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !rows.iter().any(|row| row.name == name) {
            problems.push(format!("crates/{name} is not in the table of ARCHITECTURE.md"));
        }
    }
    for row in rows.iter().filter(|row| !folder(root, &row.name).is_dir()) {
        problems.push(format!("ARCHITECTURE.md has `{}`, but there is no such crate", row.name));
    }
    Ok(problems)
}

pub(super) fn crates_use_what_the_map_says(root: &Path) -> Result<Vec<String>> {
    let rows = map(root)?;
    let mut problems = Vec::new();
    for (place, row) in rows.iter().enumerate() {
        let manifest = read(&folder(root, &row.name).join("Cargo.toml"))?;
        let used: Vec<String> = manifest::dependencies(&manifest, &["dependencies", "build-dependencies"])
            .into_iter()
            .filter(|name| name.starts_with("brain"))
            .collect();
        problems.extend(compare(&rows, place, &used));
    }
    Ok(problems)
}

fn compare(rows: &[Row], place: usize, used: &[String]) -> Vec<String> {
    let row = &rows[place];
    let mut problems = Vec::new();
    for name in used {
        if !rows[place + 1..].iter().any(|below| below.name == *name) {
            problems.push(format!("{} uses {name}, which is not below it in the table", row.name));
        } else if !row.uses.contains(name) {
            problems.push(format!("{} uses {name}; ARCHITECTURE.md does not say so", row.name));
        }
    }
    for name in row.uses.iter().filter(|name| !used.contains(name)) {
        problems.push(format!("ARCHITECTURE.md says that {} uses {name}; its Cargo.toml does not", row.name));
    }
    problems
}

pub(super) fn pure_crates_are_held_to_it(root: &Path) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for row in map(root)? {
        let held = std::fs::read_to_string(folder(root, &row.name).join("clippy.toml"))
            .is_ok_and(|rules| rules.contains("disallowed-methods") && rules.contains("disallowed-types"));
        if row.pure != held {
            let what = if row.pure {
                "has no clippy.toml that bans I/O, clocks and hash maps"
            } else {
                "has one, but is not marked as pure"
            };
            problems.push(format!("{} {what}", row.name));
        }
    }
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: &str = "| crate | pure | uses | what |\n|---|---|---|---|\n\
                       | `brain-engine` | | `core`, `store` | drives |\n| `brain-store` | | `core` | rows |\n| `brain-core` | yes | | ids |\n";

    fn used(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_correct_map_has_no_problems() {
        let rows = table(MAP).unwrap();
        assert!(rows[2].pure && !rows[0].pure);
        assert!(compare(&rows, 0, &used(&["brain-core", "brain-store"])).is_empty());
        assert!(compare(&rows, 2, &[]).is_empty());
    }

    #[test]
    fn wrong_order_and_wrong_uses_are_found() {
        let rows = table(MAP).unwrap();
        let problems = compare(&rows, 1, &used(&["brain-engine"]));
        assert!(problems[0].contains("is not below it"), "{problems:?}");
        assert!(problems[1].contains("its Cargo.toml does not"), "{problems:?}");
    }

    #[test]
    fn an_architecture_without_a_table_is_an_error() {
        assert!(table("# Architecture").is_err());
    }
}
