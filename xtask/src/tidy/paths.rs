//! Every path that ARCHITECTURE.md names exists.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::read;

pub(super) fn every_path_on_the_map_exists(root: &Path) -> Result<Vec<String>> {
    let map = read(&root.join("ARCHITECTURE.md"))?;
    Ok(missing(&map, &|path| root.join(path).exists()))
}

/// The paths that do not exist, with their line. A path is relative to the root, to `crates/`, to a folder of a path in
/// the same paragraph or table row, or to the sources of a crate named there.
fn missing(map: &str, exists: &dyn Fn(&Path) -> bool) -> Vec<String> {
    let lines: Vec<&str> = map.lines().collect();
    let mut problems = Vec::new();
    let mut start = 0;
    while start < lines.len() {
        let together = |line: &&&str| !line.is_empty() && !line.starts_with('|');
        let more = if lines[start].starts_with('|') { 0 } else { lines[start..].iter().take_while(together).count() };
        let end = start + more.max(1);
        let named: Vec<(usize, &str)> = (start..end).flat_map(|n| code(lines[n]).map(move |code| (n, code))).collect();
        let mut folders = vec![PathBuf::new(), PathBuf::from("crates")];
        for (_, path) in &named {
            for full in [PathBuf::from(path), Path::new("crates").join(path)].iter().filter(|full| exists(full)) {
                folders.extend(full.ancestors().map(Path::to_path_buf));
                folders.push(full.join("src"));
            }
        }
        for (n, path) in named.into_iter().filter(|(_, code)| is_path(code)) {
            if !folders.iter().any(|folder| exists(&folder.join(path))) {
                problems.push(format!("ARCHITECTURE.md:{}: there is no `{path}`", n + 1));
            }
        }
        start = end;
    }
    problems
}

/// The texts between backticks.
fn code(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2).filter(|code| !code.is_empty())
}

/// Whether a piece of code is a path: it has the ending of a file of ours, or contains a folder.
fn is_path(code: &str) -> bool {
    let plain = !code.is_empty() && code.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-/".contains(&b));
    let file = [".rs", ".md", ".toml", ".yaml", ".service"].iter().any(|ending| code.ends_with(ending));
    plain && (file || code.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_resolved_in_the_context_of_its_line() {
        let there = ["crates", "crates/a", "crates/a/src", "crates/a/src/one.rs", "crates/a/src/two.rs", "docs/x.md"];
        let exists = |path: &Path| there.iter().any(|known| Path::new(known) == path);
        assert!(missing("`crates/a/src/one.rs`, then `two.rs`\n`docs/x.md`, `a/src/two.rs`", &exists).is_empty());
        assert_eq!(missing("fine\n`a/src/gone.rs`", &exists), ["ARCHITECTURE.md:2: there is no `a/src/gone.rs`"]);
        assert!(missing("**`a`** has\nmuch in `one.rs`", &exists).is_empty(), "the paragraph names the crate");
        assert_eq!(missing("`two.rs` alone, `Core::step`", &exists).len(), 1, "no line says where it lies");
    }
}
