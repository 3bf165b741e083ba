//! `cargo xtask test`: everything that CI runs, quickest answers first.

use anyhow::Result;

use crate::report::{Outcome, Step};
use crate::shell::{Said, cargo, tee};
use crate::{deny, dist, docs, feelin, fmt, lint, tidy, tools};

pub(crate) fn steps() -> Vec<Step> {
    let mut steps = vec![tools::step(), fmt::check()];
    steps.extend(tidy::steps());
    steps.push(deny::step());
    steps.extend(lint::steps());
    steps.push(Step::new("tests", tests));
    steps.push(feelin::step());
    steps.extend(docs::steps(&[]));
    // Tests the packing alone, with the existing debug binary.
    steps.extend(dist::steps(&["--debug"]));
    steps
}

/// Unit and integration tests with all features, then documentation tests, then what differs without features.
fn tests() -> Result<Outcome> {
    let plain = tee(cargo().args(["test", "--package", "brain-embed", "--no-fail-fast"]))?;
    if !tools::nextest() {
        let all = tee(cargo().args(["test", "--workspace", "--all-features", "--no-fail-fast"]))?;
        return Ok(outcome(&[plain, all]));
    }
    let main = tee(cargo().args(["nextest", "run", "--workspace", "--all-features", "--no-fail-fast"]))?;
    let examples = tee(cargo().args(["test", "--workspace", "--all-features", "--doc", "--no-fail-fast"]))?;
    Ok(outcome(&[plain, main, examples]))
}

/// Adds up the counts of the test programs. A failure without counts, such as a failed build, counts as one.
fn outcome(parts: &[Said]) -> Outcome {
    let (mut passed, mut failed) = (0, 0);
    for part in parts {
        let (p, f) = part.text.lines().filter_map(counts).fold((0, 0), |(p, f), (dp, df)| (p + dp, f + df));
        passed += p;
        failed += if part.success { f } else { f.max(1) };
    }
    Outcome::Checked { passed, failed }
}

/// Parses the summary line of libtest (`test result: ok. 3 passed; 0 failed; …`) or of nextest
/// (`Summary [ 0.1s] 3 tests run: 2 passed, 1 failed, 0 skipped`).
fn counts(line: &str) -> Option<(usize, usize)> {
    let line = line.trim();
    let rest = match line.strip_prefix("test result: ") {
        Some(rest) => rest,
        None => line.strip_prefix("Summary [").and_then(|rest| rest.split_once("run: "))?.1,
    };
    let words: Vec<&str> = rest.split([' ', ',', ';']).filter(|word| !word.is_empty()).collect();
    let count = |what: &str| {
        let at = words.iter().position(|word| *word == what)?;
        words.get(at.checked_sub(1)?)?.parse().ok()
    };
    Some((count("passed").unwrap_or(0), count("failed").unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_summaries_are_read() {
        assert_eq!(counts("test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured"), Some((3, 0)));
        assert_eq!(counts("test result: FAILED. 2 passed; 1 failed; 0 ignored"), Some((2, 1)));
        assert_eq!(counts("     Summary [   0.107s] 12 tests run: 11 passed, 1 failed, 0 skipped"), Some((11, 1)));
        assert_eq!(counts("     Summary [   0.107s] 12 tests run: 12 passed (1 slow), 0 skipped"), Some((12, 0)));
        assert_eq!(counts("test some::test ... ok"), None);
    }

    #[test]
    fn a_failure_without_counts_counts_as_one() {
        let said = |success, text: &str| Said { success, text: text.into() };
        let parts = [said(false, "error: could not compile"), said(true, "test result: ok. 1 passed; 0 failed;")];
        let Outcome::Checked { passed, failed } = outcome(&parts) else { panic!("not checked") };
        assert_eq!((passed, failed), (1, 1));
    }
}
