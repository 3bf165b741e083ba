//! What the command line refuses: exit codes, problem documents, and output that cannot be written.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use common::{brain, json, run, text};
use serde_json::{Value, json};

fn store() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.db");
    (folder, path)
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error_and_no_panic() {
    let (_folder, store) = store();
    run(&store, &["do", "create task: Call Bob"]);
    for args in [&["runs", "list"] as &[&str], &["--json", "runs", "list"], &["tools"], &["--help"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = brain(&store).args(args).stdout(full).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
        assert!(said.starts_with("error: cannot write to standard output"), "{args:?}: {said}");
        assert_eq!(said.trim().lines().count(), 1, "{args:?}: {said}");
    }
}

#[test]
fn values_that_cannot_be_used_are_usage_errors() {
    let (folder, store) = store();
    for args in [
        &["--store", "foo:bar", "runs"] as &[&str],
        &["--server", "notaurl", "runs"],
        &["--tenant", "../x", "runs"],
        &["--profile", "zz", "runs"],
        &["-c", "slots=abc", "runs"],
    ] {
        let mut command = brain(&store);
        // No store exists: wrong usage is noticed before one is looked for.
        command.env_remove("BRAIN_STORE").env("HOME", folder.path()).env_remove("XDG_DATA_HOME");
        let args = [&["--json"], args].concat();
        let output = command.args(&args).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output));
        let problem: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(problem["code"], "usage", "{args:?}: {problem}");
        assert!(!problem.to_string().contains("usize"), "{problem}");
    }
    assert_eq!(run(&store, &["runs", "list", "--limit", "0"]).status.code(), Some(2));
}

#[test]
fn a_question_and_a_plan_that_waits_are_not_done() {
    let (_folder, store) = store();
    let made = json(&run(&store, &["do", "create task: Call Bob", "--json"]));
    let asked = run(&store, &["do", "undo that", "--json"]);
    assert_eq!((asked.status.code(), &json(&asked)["ok"]), (Some(1), &json!(false)), "{}", text(&asked));
    let staged = run(&store, &["runs", "undo", made["run_id"].as_str().unwrap(), "--json"]);
    assert_eq!((staged.status.code(), &json(&staged)["ok"]), (Some(1), &json!(false)), "{}", text(&staged));
    assert_eq!(json(&staged)["status"], "staged");
}

#[test]
fn a_plan_that_must_be_refused_is_not_staged() {
    let (_folder, store) = store();
    let made = json(&run(&store, &["do", "create task: Call Bob", "--json"]));
    let task = made["receipts"][0]["result"]["task_id"].as_str().unwrap();
    let reopen = json(&run(&store, &["do", &format!("reopen task {task}"), "--mode", "plan", "--json"]));
    assert_eq!((&reopen["ok"], &reopen["approval_id"]), (&json!(false), &Value::Null), "{reopen}");
    assert_eq!(reopen["errors"][0]["message"], "This task is still open.", "{reopen}");
}

#[test]
fn a_list_says_that_there_are_more() {
    let (folder, store) = store();
    let lines: String = (0..120).map(|n| format!("{{\"title\": \"Task {n}\", \"domain\": \"business\"}}\n")).collect();
    let file = folder.path().join("tasks.jsonl");
    std::fs::write(&file, lines).unwrap();
    let done = run(&store, &["records", "import", "task", file.to_str().unwrap()]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done));
    let shown = text(&run(&store, &["do", "list tasks"]));
    assert!(shown.contains("100 tasks. There are more.") && shown.contains("brain records list TYPE"), "{shown}");
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_not_utf_8_is_wrong_usage() {
    use std::os::unix::ffi::OsStrExt as _;
    let odd = std::ffi::OsStr::from_bytes(b"list\xff");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_brain")).arg(odd).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && shown.contains("unrecognized subcommand"), "{shown}");
}
