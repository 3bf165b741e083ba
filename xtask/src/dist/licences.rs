//! The licences of everything that is compiled into the binary, in one text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::shell::cargo;

/// One heading per crate with its licence and the licence files of the crate.
pub(super) fn text() -> Result<String> {
    let platform = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let mut metadata = cargo();
    metadata.args(["metadata", "--format-version", "1", "--locked", "--all-features", "--filter-platform", &platform]);
    let output = metadata.output()?;
    ensure!(output.status.success(), "cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    let metadata: Value = serde_json::from_slice(&output.stdout).context("cargo metadata printed no JSON")?;

    let mut text =
        "The crates that are part of this binary, with their licences. Where a crate offers a choice, Brain uses it\n\
                    under the terms that deny.toml in Brain's source allows.\n"
            .to_owned();
    for package in linked(&metadata, "brain") {
        let field = |key: &str| package[key].as_str().unwrap_or("-");
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\n{}\n{} {}\nlicence: {}\nsource: {}\n",
            "=".repeat(80),
            field("name"),
            field("version"),
            field("license"),
            field("repository"),
        );
        let folder = Path::new(field("manifest_path")).parent().unwrap_or(Path::new("."));
        let files = licence_files(folder)?;
        if files.is_empty() {
            text.push_str(
                "\n(The crate has no file with its licence; the standard text of the licence named above applies.)\n",
            );
        }
        for (name, licence) in files {
            let _ = write!(text, "\n---- {name}\n\n{}\n", licence.trim_end());
        }
    }
    Ok(text)
}

/// The registry packages that a package needs at run time, sorted by name and version. Build scripts, dependencies of
/// macros and tests are not part of a binary; proc-macro crates are listed, because their output is.
fn linked<'m>(metadata: &'m Value, root: &str) -> Vec<&'m Value> {
    let packages: BTreeMap<&str, &Value> =
        list(&metadata["packages"]).iter().filter_map(|one| Some((one["id"].as_str()?, one))).collect();
    let nodes: BTreeMap<&str, &Value> =
        list(&metadata["resolve"]["nodes"]).iter().filter_map(|one| Some((one["id"].as_str()?, one))).collect();
    let start = packages.iter().find(|(_, one)| one["name"] == root && one["source"].is_null()).map(|(id, _)| *id);
    let mut seen = BTreeSet::new();
    let mut open: Vec<&str> = start.into_iter().collect();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let dependencies = nodes.get(id).map_or(&[][..], |node| list(&node["deps"]));
        let at_run_time = |one: &&Value| list(&one["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
        open.extend(dependencies.iter().filter(at_run_time).filter_map(|one| one["pkg"].as_str()));
    }
    let mut found: Vec<&Value> =
        seen.iter().filter_map(|id| packages.get(id).copied()).filter(|one| !one["source"].is_null()).collect();
    found.sort_by_key(|one| (one["name"].as_str(), one["version"].as_str()));
    found
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The licence files of a crate, by name.
fn licence_files(folder: &Path) -> Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let upper = name.to_uppercase();
        let wanted = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];
        if wanted.iter().any(|word| upper.starts_with(word)) && entry.file_type()?.is_file() {
            found.insert(name, String::from_utf8_lossy(&std::fs::read(entry.path())?).into_owned());
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_linked_crates_are_listed() {
        let dependency = |name: &str, kind: Value| json!({"pkg": name, "dep_kinds": [{"kind": kind}]});
        let metadata = json!({
            "packages": [
                {"id": "brain", "name": "brain", "version": "0.1.0", "source": null},
                {"id": "b", "name": "b", "version": "1.0.0", "source": "registry"},
                {"id": "a", "name": "a", "version": "1.0.0", "source": "registry"},
                {"id": "cc", "name": "cc", "version": "1.0.0", "source": "registry"},
                {"id": "proptest", "name": "proptest", "version": "1.0.0", "source": "registry"},
            ],
            "resolve": {"nodes": [
                {"id": "brain", "deps": [dependency("b", Value::Null), dependency("proptest", json!("dev"))]},
                {"id": "b", "deps": [dependency("a", Value::Null), dependency("cc", json!("build"))]},
            ]},
        });
        let names: Vec<&Value> = linked(&metadata, "brain").into_iter().map(|one| &one["name"]).collect();
        assert_eq!(names, ["a", "b"]);
    }
}
