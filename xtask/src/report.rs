//! Steps, and the table of their outcomes.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;

/// The outcome of a step.
pub(crate) enum Outcome {
    /// Numbers of passed and failed checks.
    Checked { passed: usize, failed: usize },
    /// It could not run here, with the reason.
    Skipped(String),
}

impl Outcome {
    /// The outcome of a single check.
    pub(crate) fn of(held: bool) -> Self {
        Self::Checked { passed: usize::from(held), failed: usize::from(!held) }
    }
}

/// A named step.
pub(crate) struct Step {
    name: &'static str,
    work: Box<dyn FnOnce() -> Result<Outcome>>,
}

impl Step {
    pub(crate) fn new(name: &'static str, work: impl FnOnce() -> Result<Outcome> + 'static) -> Self {
        Self { name, work: Box::new(work) }
    }
}

/// Runs all steps, even after a failure, so that one run reports everything; then prints the table.
pub(crate) fn run(steps: Vec<Step>) -> ExitCode {
    let mut rows = Vec::new();
    for step in steps {
        eprintln!("\n── {}", step.name);
        let start = Instant::now();
        let outcome = (step.work)().unwrap_or_else(|error| {
            eprintln!("{}: {error:#}", step.name);
            Outcome::of(false)
        });
        if let Outcome::Skipped(why) = &outcome {
            eprintln!("skipped: {why}");
        }
        rows.push((step.name, outcome, start.elapsed()));
    }
    let (table, failed) = summary(&rows);
    println!("\n{table}");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The table, and the number of failed checks.
fn summary(rows: &[(&str, Outcome, Duration)]) -> (String, usize) {
    let mut table = format!("{:<10} {:<8} {:>6} {:>6} {:>9}\n", "step", "result", "passed", "failed", "time");
    let (mut all_passed, mut all_failed) = (0, 0);
    for (name, outcome, time) in rows {
        let seconds = time.as_secs_f64();
        // Writing to a string cannot fail.
        let _ = match outcome {
            Outcome::Checked { passed, failed } => {
                all_passed += passed;
                all_failed += failed;
                let result = if *failed == 0 { "ok" } else { "FAILED" };
                writeln!(table, "{name:<10} {result:<8} {passed:>6} {failed:>6} {seconds:>7.1} s")
            }
            Outcome::Skipped(why) => writeln!(table, "{name:<10} skipped  {why}"),
        };
    }
    let _ = write!(table, "\n{all_passed} passed, {all_failed} failed");
    (table, all_failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_adds_up_all_steps() {
        let second = Duration::from_secs(1);
        let rows = [
            ("tests", Outcome::Checked { passed: 12, failed: 1 }, second),
            ("lint", Outcome::of(true), second),
            ("feelin", Outcome::Skipped("no node".into()), second),
        ];
        let (table, failed) = summary(&rows);
        assert_eq!(failed, 1);
        assert!(table.ends_with("\n13 passed, 1 failed"), "{table}");
        assert!(table.contains("feelin     skipped  no node"), "{table}");
    }
}
