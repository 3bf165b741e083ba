//! The program of the example, as a user runs it.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn run(store: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_own-tools"));
    command.env_remove("BRAIN_STORE").env_remove("BRAIN_TENANT").env_remove("BRAIN_LOG");
    command.current_dir(env!("CARGO_MANIFEST_DIR")).stdin(Stdio::null());
    command.arg("--store").arg(format!("sqlite:{}", store.display())).args(args).output().unwrap()
}

fn answer(store: &Path, args: &[&str]) -> Value {
    let output = run(store, args);
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}\nstdout: {text}\nstderr: {errors}"))
}

fn store() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.db");
    (folder, path)
}

#[test]
fn a_plain_function_is_asked_for_in_words() {
    let (_folder, store) = store();
    let answer = answer(&store, &["--json", "do", "count the words of hello big world"]);
    assert_eq!(answer["ok"], true, "{answer:#}");
    assert_eq!(answer["planned_tool_calls"][0]["tool_name"], "text.word_count");
    assert_eq!(answer["receipts"][0]["result"], json!({"words": 3, "longest": "hello"}));
}

#[test]
fn an_async_function_waits_for_consent_and_is_done_once() {
    let (_folder, store) = store();
    let posted = answer(&store, &["--json", "do", "post a letter to Bob: Hello"]);
    let done = match posted["approval_id"].as_str() {
        Some(id) => {
            assert_eq!(posted["receipts"], json!([]));
            answer(&store, &["--json", "approve", id])
        }
        None => posted,
    };
    assert_eq!(done["ok"], true, "{done:#}");
    let result = &done["receipts"][0]["result"];
    assert_eq!(result["attempts"], 1, "{done:#}");
    assert_eq!(result["tracking"].as_str().unwrap().len(), 36);
}

#[test]
fn a_pack_gives_a_function_other_words() {
    let (_folder, store) = store();
    let answer = answer(&store, &["--json", "--pack", "pack", "do", "how long is hello big world"]);
    assert_eq!(answer["planned_tool_calls"][0]["tool_name"], "writing.length", "{answer:#}");
    assert_eq!(answer["receipts"][0]["result"]["words"], 3);
    assert!(answer.to_string().contains("3 words, the longest is “hello”."), "{answer:#}");
}

#[test]
fn the_pack_is_checked_and_tested_like_any_other() {
    let (_folder, store) = store();
    let checked = answer(&store, &["--json", "pack", "check", "pack"]);
    assert_eq!((&checked["ok"], &checked["tools"], &checked["warnings"]), (&json!(true), &json!(1), &json!(0)));
    let tested = answer(&store, &["--json", "pack", "test", "pack"]);
    assert_eq!((&tested["ok"], &tested["scenarios"]["passed"]), (&json!(true), &json!(1)), "{tested:#}");
}
