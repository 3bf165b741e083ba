//! Small runs of the benchmarks: each ends and prints its figures. `timers` is left out, because it waits for a lease
//! to expire.

#![expect(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::process::{Command, Output};

use brain_testbed::Postgres;
use serde_json::Value;

fn bench(store: Option<&str>, args: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brain-bench"));
    command.env_remove("BRAIN_STORE").env("BRAIN_CACHE", env!("CARGO_TARGET_TMPDIR"));
    if let Some(store) = store {
        command.env("BRAIN_STORE", store);
    }
    let Output { stdout, stderr, status } = command.arg("--json").args(args).output().unwrap();
    assert!(status.success(), "{args:?}: {}", String::from_utf8_lossy(&stderr));
    serde_json::from_slice(&stdout).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&stdout)))
}

fn assert_positive(figures: &Value, names: &[&str]) {
    for name in names {
        let value = figures.pointer(name).and_then(Value::as_f64);
        assert!(value.is_some_and(|value| value > 0.0), "{name}: {figures:#}");
    }
}

#[test]
fn runs_are_compared_with_the_probe_and_with_appending() {
    for tools in ["record", "outside"] {
        let figures = bench(None, &["runs", "--steps", "5", "--runs", "60", "--in-flight", "8", "--tools", tools]);
        assert_positive(&figures, &["/runs_per_second", "/probe/p50_ms", "/ratio_to_probe", "/ratio_to_append"]);
    }
}

#[test]
fn the_probe_of_a_database_leaves_nothing_behind() {
    let cluster = Postgres::start().unwrap();
    let database = cluster.new_database();
    let url = cluster.url(&database);
    let figures = bench(Some(&url), &["runs", "--runs", "20", "--in-flight", "4", "--tools", "outside"]);
    assert_positive(&figures, &["/runs_per_second", "/probe/runs_per_second", "/ratio_to_probe"]);
    let schemas = "SELECT count(*) FROM information_schema.schemata WHERE schema_name IN ('brain', 'brain_probe')";
    assert_eq!(cluster.sql(&database, schemas), "1");
}

#[test]
fn the_machine_and_growth_are_measured() {
    assert_positive(&bench(None, &["vm", "--runs", "10"]), &["/turns_per_second", "/events_per_second"]);
    let growth = bench(None, &["growth", "--few", "5", "--many", "20", "--runs", "10"]);
    assert_positive(&growth, &["/ratio", "/few/due_ms", "/many/start_ms"]);
}

#[test]
fn understanding_and_names_are_measured() {
    let understand = bench(None, &["understand", "--tools", "40", "--phrases", "400", "--utterances", "100"]);
    assert_positive(&understand, &["/changed_phrase_ms", "/exact/p50_us", "/near/right"]);
    bench(None, &["entities", "--records", "2000", "--lookups", "20"]);
}

#[test]
fn a_server_starts_on_a_store_of_waiting_runs() {
    assert_positive(&bench(None, &["waiting", "--runs", "20", "--soon", "0"]), &["/ready_ms"]);
}
