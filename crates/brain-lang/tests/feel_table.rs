//! Runs the shared table of expressions; `tests/feelin/compare.mjs` runs the same table through feelin.

use brain_lang::feel::{self, Env, Scope, Value};
use jiff::Timestamp;
use jiff::tz::TimeZone;

const TABLE: &str = include_str!("feel_table.tsv");

/// The current time of every evaluation here: 2024-01-31T10:00:00Z.
const NOW: Timestamp = Timestamp::constant(1_706_695_200, 0);

/// Minimum number of rows, so that a truncated file is noticed.
const MIN_ROWS: usize = 220;

fn evaluate(source: &str, context: &Value) -> Result<Value, feel::FeelError> {
    let mut random = || 0;
    let mut env = Env::new(NOW, TimeZone::UTC, &mut random);
    let expr = match source.strip_prefix("unary: ") {
        Some(tests) => feel::parse_unary_tests(tests)?,
        None => feel::parse(source)?,
    };
    feel::eval(&expr, &Scope::new(context), &mut env)
}

#[test]
fn every_row_of_the_table_holds() {
    let mut wrong = Vec::new();
    let mut rows = 0;
    for (i, line) in TABLE.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [source, context, expected, ..] = columns[..] else { panic!("line {} has too few columns", i + 1) };
        if let Some(note) = columns.get(3) {
            assert!(note.starts_with("deviates: "), "line {}: {note}", i + 1);
        }
        rows += 1;
        let context =
            Value::from_json(&serde_json::from_str(context).unwrap_or_else(|e| panic!("line {}: {e}", i + 1)));
        let found = match evaluate(source, &context) {
            Ok(value) => value.to_json().to_string(),
            Err(error) => format!("!{:?}", error.kind),
        };
        let expected = match expected.strip_prefix('!') {
            Some(_) => expected.to_owned(),
            None => serde_json::from_str::<serde_json::Value>(expected)
                .unwrap_or_else(|e| panic!("line {}: {e}", i + 1))
                .to_string(),
        };
        if found != expected {
            wrong.push(format!("line {}: {source}\n  expected {expected}\n  found    {found}", i + 1));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rows >= MIN_ROWS, "only {rows} rows");
}
