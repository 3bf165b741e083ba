//! `cargo xtask docs`: runs the command blocks of the documentation and compares their output.
//!
//! A page is one shell session in a fresh folder that has `packs/` and an empty home. In it,
//!
//! * a `console` block is run: each line after `$ ` is a command (`> ` continues it). It must exit with 0, or with the
//!   code of a trailing `# exit 1`. The lines below it must be in its output, in this order; `…` matches anything,
//!   and a UUID matches any UUID: later commands that name it get the real one;
//! * a command that ends in `&` stays in the background until the end of the page; `brain serve` must become healthy;
//! * a `yaml file=PATH` block (or any other language) becomes that file;
//! * a block marked `norun` is only read by people.
//!
//! `127.0.0.1:7700` is replaced by a free port, so that pages do not conflict with a running server.

mod blocks;
mod expect;
mod session;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::report::{Outcome, Step};
use crate::shell::{cargo, root, succeeds};
use crate::{tidy, tools};

use blocks::Act;
use expect::Names;
use session::Session;

/// Builds the binary and runs all pages, or only these.
pub(crate) fn steps(files: &[&str]) -> Vec<Step> {
    let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
    vec![Step::new("docs", move || run(files))]
}

fn run(files: Vec<PathBuf>) -> Result<Outcome> {
    let root = root();
    let pages = if files.is_empty() { tidy::links::pages(&root)? } else { files };
    let mut work = Vec::new();
    for page in pages {
        let text = std::fs::read_to_string(&page).with_context(|| format!("{} cannot be read", page.display()))?;
        let acts = blocks::acts(&text).with_context(|| page.display().to_string())?;
        if acts.iter().any(|act| matches!(act, Act::Command(_))) {
            work.push((page, acts));
        }
    }
    let curl = tools::curl()?;
    if !succeeds(cargo().args(["build", "--package", "brain"]))? {
        bail!("the binary could not be built");
    }
    let binary = target_folder()?.join("debug").join("brain");
    let (mut passed, mut failed, mut without_curl) = (0, 0, 0);
    for (page, acts) in work {
        let shown = page.strip_prefix(&root).unwrap_or(&page).display();
        if !curl && acts.iter().any(|act| matches!(act, Act::Command(command) if command.text.contains("curl "))) {
            eprintln!("{shown}: skipped, it needs curl");
            without_curl += 1;
            continue;
        }
        match play(&binary, &root, &acts) {
            Ok(commands) => {
                eprintln!("{shown}: {commands} commands");
                passed += commands;
            }
            Err(error) => {
                eprintln!("{shown}:{error:#}");
                failed += 1;
            }
        }
    }
    if passed + failed == 0 && without_curl > 0 {
        return Ok(Outcome::Skipped("curl is missing and could not be installed".into()));
    }
    Ok(Outcome::Checked { passed, failed })
}

/// Runs one page up to the first failure, because later commands depend on earlier ones. An error begins with the line.
fn play(binary: &Path, root: &Path, acts: &[Act]) -> Result<usize> {
    let mut session = Session::start(binary, &root.join("packs")).context(" no session")?;
    let mut names = Names::default();
    let mut commands = 0;
    for act in acts {
        match act {
            Act::File { path, text, line } => session.write(path, text).with_context(|| line.to_string())?,
            Act::Command(command) => {
                let text = names.fill(&session.with_port(&command.text));
                let (code, output) = session.run(&text).with_context(|| format!("{}: {text}", command.line))?;
                if code != command.exit {
                    bail!(
                        "{}: {text}\n  exit code {code}, expected {}; it said:\n{output}",
                        command.line,
                        command.exit
                    );
                }
                let mut rest = output.as_str();
                for (line, expected) in &command.expected {
                    let Some(after) = names.find(&session.with_port(expected), rest) else {
                        bail!("{line}: not in the output of `{text}`:\n  {expected}\nit said:\n{output}");
                    };
                    rest = &rest[after..];
                }
                commands += 1;
            }
        }
    }
    Ok(commands)
}

/// Cargo's target folder.
pub(crate) fn target_folder() -> Result<PathBuf> {
    let mut cargo: Command = cargo();
    let output = cargo.args(["metadata", "--format-version", "1", "--no-deps"]).output()?;
    let text = String::from_utf8(output.stdout)?;
    let (_, rest) = text.split_once("\"target_directory\":\"").context("cargo metadata has no target_directory")?;
    let (path, _) = rest.split_once('"').context("cargo metadata is cut off")?;
    Ok(PathBuf::from(path.replace("\\\\", "\\")))
}
