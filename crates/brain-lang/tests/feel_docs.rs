//! Runs the examples of `docs/reference/feel.md`, and checks that it names every bound.

use brain_lang::feel::{self, Env, Scope, Value};
use jiff::Timestamp;
use jiff::tz::TimeZone;

const PAGE: &str = include_str!("../../../docs/reference/feel.md");

/// The current time of every evaluation here: 2024-01-31T10:00:00Z.
const NOW: Timestamp = Timestamp::constant(1_706_695_200, 0);

fn evaluate(source: &str) -> Result<Value, feel::FeelError> {
    let mut random = || 0;
    let mut env = Env::new(NOW, TimeZone::UTC, &mut random);
    feel::eval(&feel::parse(source)?, &Scope::empty(), &mut env)
}

#[test]
fn every_example_holds() {
    let mut examples = 0;
    let mut inside = false;
    for line in PAGE.lines() {
        if line.starts_with("```") {
            inside = line == "```feel";
            continue;
        }
        if !inside || line.is_empty() {
            continue;
        }
        let (source, expected) = line.rsplit_once(" → ").unwrap_or_else(|| panic!("no result in: {line}"));
        let found = evaluate(source);
        if expected == "error" {
            assert!(found.is_err(), "{line}");
        } else {
            let expected: serde_json::Value = serde_json::from_str(expected).unwrap_or_else(|e| panic!("{line}: {e}"));
            assert_eq!(found.unwrap_or_else(|e| panic!("{line}: {e}")).to_json(), expected, "{line}");
        }
        examples += 1;
    }
    assert!(examples >= 50, "only {examples} examples");
}

#[test]
fn the_bounds_on_the_page_are_those_of_the_code() {
    for (what, bound) in [
        ("length of an expression", format!("{} KiB", feel::MAX_SOURCE_BYTES / 1024)),
        ("nesting of an expression", feel::MAX_NESTING.to_string()),
        ("nesting of evaluation, through function calls", feel::MAX_CALL_DEPTH.to_string()),
        ("length of a string that is built", format!("{} MiB", feel::MAX_TEXT_BYTES / 1024 / 1024)),
        ("items of a list that is built", format!("{},000", feel::MAX_LIST_ITEMS / 1000)),
        ("size of a value that is built", format!("{} MiB", feel::MAX_VALUE_SIZE / 1024 / 1024)),
        ("nesting of a value that is built", feel::MAX_VALUE_DEPTH.to_string()),
        ("work of an evaluation", format!("{},000,000 steps", feel::DEFAULT_FUEL / 1_000_000)),
    ] {
        assert!(PAGE.contains(&format!("| {what} | {bound} |")), "{what}: {bound}");
    }
}
