//! `cargo xtask bench`: measures Brain and its peers on this machine in one run. Only ratios are comparable; each is
//! the median of rounds in which everything is measured in turn.

mod figures;
mod measure;
mod peers;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use figures::Figures;
use measure::Ground;

use crate::report::{Outcome, Step};
use crate::shell::{cargo, root, succeeds};

const HELP: &str = "cargo xtask bench [--quick] [--json] [--only NAME] [--binary PATH]\nNAME is one of: sqlite, postgres, http, alone, in-flight, waiting, timers, growth, vm";
/// The names of the measurements.
const NAMES: [&str; 9] = ["sqlite", "postgres", "http", "alone", "in-flight", "waiting", "timers", "growth", "vm"];
/// Number of rounds; `--quick` has one.
const ROUNDS: usize = 5;
/// Load per core above which figures are unreliable.
const BUSY: f64 = 0.3;

/// The options.
pub(crate) struct Asked {
    quick: bool,
    json: bool,
    only: Option<String>,
    /// A release build of `brain`, with `brain-bench` next to it.
    binary: Option<PathBuf>,
}

impl Asked {
    fn read(args: &[&str]) -> Result<Self> {
        let mut asked = Self { quick: false, json: false, only: None, binary: None };
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            match *arg {
                "--quick" => asked.quick = true,
                "--json" => asked.json = true,
                "--only" => {
                    let name = *rest.next().with_context(|| format!("--only needs a name\n{HELP}"))?;
                    ensure!(NAMES.contains(&name), "unknown measurement `{name}`\n{HELP}");
                    asked.only = Some(name.to_owned());
                }
                "--binary" => {
                    asked.binary = Some(rest.next().with_context(|| format!("--binary needs a path\n{HELP}"))?.into())
                }
                other => bail!("unknown option `{other}`\n{HELP}"),
            }
        }
        Ok(asked)
    }

    fn wants(&self, name: &str) -> bool {
        self.only.as_deref().is_none_or(|only| only == name)
    }

    /// The whole amount, or the smaller one with `--quick`.
    fn amount(&self, whole: usize, quick: usize) -> usize {
        if self.quick { quick } else { whole }
    }
}

pub(crate) fn steps(args: &[&str]) -> Vec<Step> {
    let asked = Asked::read(args);
    vec![Step::new("bench", move || {
        let asked = asked?;
        let binary = match &asked.binary {
            Some(path) => path.canonicalize().with_context(|| format!("{} is not there", path.display()))?,
            None => {
                let built =
                    succeeds(cargo().args(["build", "--release", "--package", "brain", "--package", "brain-bench"]))?;
                ensure!(built, "the release build failed");
                crate::docs::target_folder()?.join("release/brain")
            }
        };
        let mut figures = Figures::default();
        say_how_busy(&mut figures);
        let ground = Ground::prepare(&asked, binary, root(), &mut figures)?;
        for round in 1..=asked.amount(ROUNDS, 1) {
            eprintln!("round {round}");
            ground.round(&asked, &mut figures)?;
        }
        ground.once(&asked, &mut figures)?;
        if asked.json {
            println!("{:#}", figures.json());
        } else {
            println!("\n{}", figures.table());
        }
        let (reached, missed) = figures.judged();
        Ok(Outcome::Checked { passed: reached, failed: missed })
    })]
}

/// Notes the load of the machine, which affects every figure.
fn say_how_busy(figures: &mut Figures) {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let Some(last) = load.split(' ').next().and_then(|text| text.parse::<f64>().ok()) else { return };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    figures.machine(cores, last);
    if last / cores as f64 > BUSY {
        figures
            .note(format!("the machine is busy (load {last:.1} on {cores} cores): repeat before trusting the figures"));
    }
}

/// Runs a program and returns its output; its errors go to ours.
fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output =
        command.stderr(std::process::Stdio::inherit()).output().with_context(|| format!("{name} cannot be started"))?;
    ensure!(output.status.success(), "{name} failed: {}", String::from_utf8_lossy(&output.stdout));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_parsed_and_unknown_ones_rejected() {
        let asked = Asked::read(&["--quick", "--only", "http"]).unwrap();
        assert!(asked.quick && asked.wants("http") && !asked.wants("vm"));
        for wrong in [&["--only"][..], &["--only", "x"], &["--fast"]] {
            assert!(Asked::read(wrong).is_err(), "{wrong:?}");
        }
    }
}
