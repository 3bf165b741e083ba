//! `cargo xtask docs`: runs the command blocks of the documentation and compares their output.
//!
//! A page is one shell session in a fresh folder that has `packs/` and an empty home. In it,
//!
//! * a `console` block is run: each line after `$ ` is a command (`> ` continues it). It must exit with 0, or with the
//!   code of a trailing `# exit 1`, and print exactly the lines below it. `[..]` matches any characters within a
//!   line, a line with only `...` for any lines. Times and durations are not compared. A UUID matches any UUID in
//!   its place: later commands that name it get the real one;
//! * a command that ends in `&` stays in the background until the end of the page, and `brain serve` must become healthy.
//!   Its output is not compared;
//! * a `yaml file=PATH` block (or any other language) becomes that file;
//! * a block marked `norun` is only read by people.
//!
//! `127.0.0.1:7700` is replaced by a free port, so that a server that runs already does not matter.
//! `cargo xtask docs --update` writes the output into the pages.

mod blocks;
mod commands;
mod expect;
mod session;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::report::{Outcome, Step};
use crate::shell::{cargo, root, succeeds};
use crate::{tidy, tools};

use blocks::{Act, Console};
use expect::{Comparison, Ids};
use session::Session;

/// What the command line says.
struct Options {
    /// All pages if there are none.
    files: Vec<PathBuf>,
    /// Write the output into the pages.
    update: bool,
    /// Use this binary instead of building one.
    binary: Option<PathBuf>,
}

/// Builds the binary and runs all pages, or only these.
pub(crate) fn steps(args: &[&str]) -> Vec<Step> {
    let mut options = Options { files: Vec::new(), update: false, binary: None };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match *arg {
            "--update" => options.update = true,
            "--binary" => options.binary = args.next().map(PathBuf::from),
            file => options.files.push(PathBuf::from(file)),
        }
    }
    vec![Step::new("docs", move || run(options))]
}

fn run(options: Options) -> Result<Outcome> {
    let root = root();
    let curl = tools::curl()?;
    let binary = match &options.binary {
        Some(binary) => std::path::absolute(binary)?,
        None => debug_binary()?.context("the binary could not be built")?,
    };
    let (mut passed, mut failed) = (0, 0);
    if options.files.is_empty() {
        match commands::check(&binary, &root, options.update) {
            Ok(()) => passed += 1,
            Err(error) => {
                eprintln!("{error:#}");
                failed += 1;
            }
        }
    }
    let pages = if options.files.is_empty() { tidy::links::pages(&root)? } else { options.files };
    for page in pages {
        let text = std::fs::read_to_string(&page).with_context(|| format!("{} cannot be read", page.display()))?;
        let acts = blocks::acts(&text).with_context(|| page.display().to_string())?;
        let commands: Vec<&Console> = acts.iter().filter_map(Act::command).collect();
        if commands.is_empty() {
            continue;
        }
        let shown = page.strip_prefix(&root).unwrap_or(&page).display();
        if !curl && commands.iter().any(|command| command.text.contains("curl ")) {
            eprintln!("{shown}: skipped, it needs curl");
            continue;
        }
        let mut outputs = Vec::new();
        match play(&binary, &root, &text, &acts, options.update.then_some(&mut outputs)) {
            Ok(()) => {
                eprintln!("{shown}: {} commands", commands.len());
                passed += commands.len();
            }
            Err(error) => {
                eprintln!("{shown}:{error:#}");
                failed += 1;
            }
        }
        if !outputs.is_empty() {
            eprintln!("{shown}: updated");
            std::fs::write(&page, blocks::rewritten(&text, &outputs))?;
        }
    }
    if passed + failed == 0 && !curl {
        return Ok(Outcome::Skipped("curl is missing and could not be installed".into()));
    }
    if failed > 0 {
        eprintln!("If the output is right, `cargo xtask docs --update` writes it into the pages.");
    }
    Ok(Outcome::Checked { passed, failed })
}

/// Runs one page. With `outputs`, collects the output of commands that print something else than the page shows. Ends at
/// the first failure, because whatever follows would fail too. An error begins with the line.
fn play<'p>(
    binary: &Path,
    root: &Path,
    page: &str,
    acts: &'p [Act],
    mut outputs: Option<&mut Vec<(&'p Console, String)>>,
) -> Result<()> {
    let mut session = Session::start(binary, &root.join("packs")).context(" no session")?;
    let mut ids = Ids::default();
    for act in acts {
        let command = match act {
            Act::File { path, text, line } => {
                session.write(path, text).with_context(|| line.to_string())?;
                continue;
            }
            Act::Command(command) => command,
        };
        let text = ids.to_real(&session.with_port(&command.text));
        let (code, output) = session.run(&text).with_context(|| format!("{}: {text}", command.line))?;
        if code != command.exit {
            let wanted = command.exit;
            bail!("{}: {text}\n  exit code {code}, expected {wanted}; it printed:\n{output}", command.line);
        }
        if command.is_background() {
            if !command.expected.is_empty() {
                bail!("{}: the output of a command in the background cannot be compared", command.line);
            }
            continue;
        }
        let comparison = Comparison::new(&mut ids, &command.expected, &session.as_shown(&output));
        if let Some(outputs) = &mut outputs {
            outputs.extend(comparison.updated(&mut ids, page).map(|output| (command, output)));
        } else if !comparison.is_equal() {
            bail!("{}: {}\n{}", command.line, command.text, comparison.diff());
        }
    }
    Ok(())
}

/// The binary that the tests run, or `None` if it does not compile.
///
/// Cargo compiles a dependency once for each set of features, and the set depends on the packages and targets that are
/// selected. So this selects what `cargo xtask test` has built already: after the tests, nothing is compiled here.
pub(crate) fn debug_binary() -> Result<Option<PathBuf>> {
    let args = ["test", "--workspace", "--all-features", "--no-run", "--quiet", "--test", "frozen"];
    if !succeeds(cargo().args(args))? {
        return Ok(None);
    }
    Ok(Some(target_folder()?.join("debug").join("brain")))
}

/// Where cargo puts what it builds.
pub(crate) fn target_folder() -> Result<PathBuf> {
    let mut cargo: Command = cargo();
    let output = cargo.args(["metadata", "--format-version", "1", "--no-deps"]).output()?;
    let text = String::from_utf8(output.stdout)?;
    let (_, rest) = text.split_once("\"target_directory\":\"").context("cargo metadata has no target_directory")?;
    let (path, _) = rest.split_once('"').context("cargo metadata is cut off")?;
    Ok(PathBuf::from(path.replace("\\\\", "\\")))
}
