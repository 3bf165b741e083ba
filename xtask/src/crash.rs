//! `cargo xtask crash`: kills real servers under load, for any length of time. It is the test `crash` of `crates/brain`
//! with the release build and longer limits.

use anyhow::{Context, Result, bail};

use crate::report::{Outcome, Step};
use crate::shell::{cargo, succeeds};
use crate::tools;

const HELP: &str = "cargo xtask crash [--seconds N] [--runs N] [--seed N] [--store sqlite|postgres|both]";

/// The options.
struct Asked {
    seconds: String,
    runs: String,
    seed: Option<String>,
    store: String,
}

impl Asked {
    fn read(args: &[&str]) -> Result<Self> {
        let mut asked = Self { seconds: "60".into(), runs: "2000".into(), seed: None, store: "both".into() };
        let mut rest = args.iter();
        while let Some(name) = rest.next() {
            let value = *rest.next().with_context(|| format!("{name} needs a value: {HELP}"))?;
            match *name {
                "--seconds" | "--runs" | "--seed" if value.parse::<u64>().is_err() => {
                    bail!("{name} is a number: {HELP}")
                }
                "--seconds" => asked.seconds = value.into(),
                "--runs" => asked.runs = value.into(),
                "--seed" => asked.seed = Some(value.into()),
                "--store" if ["sqlite", "postgres", "both"].contains(&value) => asked.store = value.into(),
                _ => bail!("unknown option {name} {value}: {HELP}"),
            }
        }
        Ok(asked)
    }
}

/// One step per kind of store.
pub(crate) fn steps(args: &[&str]) -> Vec<Step> {
    let asked = match Asked::read(args) {
        Ok(asked) => asked,
        Err(error) => return vec![Step::new("crash", move || Err(error))],
    };
    let mut steps = Vec::new();
    if asked.store != "postgres" {
        let command = command(&asked, "on_sqlite");
        steps.push(Step::new("sqlite", move || run(command)));
    }
    if asked.store != "sqlite" {
        let command = command(&asked, "on_postgres");
        steps.push(Step::new("postgres", move || {
            if !tools::postgres()? {
                return Ok(Outcome::Skipped("PostgreSQL is not installed".into()));
            }
            run(command)
        }));
    }
    steps
}

fn command(asked: &Asked, test: &str) -> std::process::Command {
    let mut command = cargo();
    command.args(["test", "--release", "--package", "brain", "--test", "crash", "--", "--nocapture", test]);
    command.env("BRAIN_CRASH_SECONDS", &asked.seconds).env("BRAIN_CRASH_RUNS", &asked.runs);
    if let Some(seed) = &asked.seed {
        command.env("BRAIN_CRASH_SEED", seed);
    }
    command
}

fn run(mut command: std::process::Command) -> Result<Outcome> {
    Ok(Outcome::of(succeeds(&mut command)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_parsed_and_unknown_ones_rejected() {
        let asked = Asked::read(&["--seconds", "5", "--store", "sqlite"]).unwrap();
        assert_eq!((asked.seconds.as_str(), asked.store.as_str(), asked.seed), ("5", "sqlite", None));
        for wrong in [&["--seconds"][..], &["--seconds", "x"], &["--store", "mysql"], &["--what", "1"]] {
            assert!(Asked::read(wrong).is_err(), "{wrong:?}");
        }
    }
}
