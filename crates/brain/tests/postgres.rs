//! The commands over a store in PostgreSQL, and `brain admin migrate`.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::process::{Command, Output, Stdio};

use brain_testbed::Postgres;
use common::{json, text};

/// The binary with a store given by the environment, as is right for a password.
fn brain(url: &str, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_brain"));
    command.env_remove("BRAIN_TENANT").env_remove("BRAIN_LOG").env("BRAIN_STORE", url);
    command.args(args).stdin(Stdio::null()).output().unwrap()
}

#[test]
fn a_request_is_done_over_postgres_and_stays() {
    let cluster = Postgres::start().unwrap();
    let url = cluster.url(&cluster.new_database());
    let made = brain(&url, &["do", "create task: Call Bob", "--json"]);
    assert_eq!(made.status.code(), Some(0), "{}", text(&made));
    let list = json(&brain(&url, &["do", "list tasks", "--json"]));
    assert_eq!(list["receipts"][0]["result"]["tasks"][0]["title"], "Call Bob");
    let run = json(&made)["run_id"].as_str().unwrap().to_owned();
    assert_eq!(brain(&url, &["replay", &run]).status.code(), Some(0));
    let doctor = brain(&url, &["doctor"]);
    assert_eq!(doctor.status.code(), Some(0), "{}", text(&doctor));
    assert!(text(&doctor).contains("postgres://tester:***@"), "{}", text(&doctor));
}

#[test]
fn migrating_reports_the_versions_on_both_kinds_of_stores() {
    let cluster = Postgres::start().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.db");
    for url in [format!("sqlite:{}", file.display()), cluster.url(&cluster.new_database())] {
        let migrate = |args: &[&str]| json(&brain(&url, &[&["--json", "migrate"], args].concat()));
        let dry = migrate(&["--dry-run"]);
        assert_eq!((&dry["from"], &dry["dry_run"]), (&0.into(), &true.into()), "{dry}");
        assert!(!file.exists() || url.starts_with("postgres"), "a dry run makes no file");
        let to = dry["to"].as_i64().unwrap();
        assert!(to > 0);
        assert_eq!(migrate(&[])["from"], 0);
        let again = migrate(&[]);
        assert_eq!((again["from"].as_i64(), again["to"].as_i64()), (Some(to), Some(to)));
        let said = text(&brain(&url, &["migrate"]));
        assert!(said.contains("nothing to do") && !said.contains("pass"), "{said}");
    }
    assert_eq!(brain("memory:", &["migrate"]).status.code(), Some(1));
}

#[test]
fn errors_about_an_address_do_not_show_its_password() {
    for (url, code, expected) in [
        ("postgres://a:s3cret@127.0.0.1:9/x", 1, "cannot be reached"),
        ("postgres://a:s3cret@127.0.0.1/x?brain_schema=No", 2, "brain_schema"),
        ("mysql://a:s3cret@127.0.0.1/x", 2, "is not a store"),
    ] {
        let output = brain(url, &["runs"]);
        let said = text(&output);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(expected) && !said.contains("s3cret"), "{said}");
    }
}

#[test]
fn commands_on_the_same_database_talk_to_its_server() {
    let cluster = Postgres::start().unwrap();
    let url = cluster.url(&cluster.new_database());
    let server = common::Server::start_on(&url, &[]);
    // The server's packs answer: the folder that the command names does not exist.
    let output = brain(&url, &["--pack", "no/such/pack", "tools", "os.create_task"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    server.kill();
    let output = brain(&url, &["--pack", "no/such/pack", "tools", "os.create_task"]);
    assert_eq!(output.status.code(), Some(1), "without a server the pack is needed: {}", text(&output));
}
