//! What the log of a server contains, and what it must not contain.

use serde_json::{Value, json};

use crate::common::brain;
use crate::outside::Outside;
use crate::{Site, client};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

#[tokio::test]
async fn a_server_logs_one_line_for_each_important_event() {
    let outside = Outside::start().await;
    let mut site = Site::start(&outside, &[], &[]);
    let started = site.logged(&["started"]).await;
    for part in ["address=127.0.0.1:", "store=\"sqlite:", "ops 1.0.0", "version=\"0."] {
        assert!(started.contains(part), "{part}: {started}");
    }

    let note = site.call("ops.note", json!({"text": "top secret", "who": "Maria"})).await;
    let run = note["run_id"].as_str().unwrap();
    let line = site.logged(&["run accepted", run]).await;
    assert!(line.contains("INFO") && line.contains("tenant=default"), "{line}");

    outside.break_down(true);
    let letter = site.call("ops.send", json!({"to": "0412345678", "text": "top secret"})).await;
    let run = letter["run_id"].as_str().unwrap();
    site.logged(&["will retry", run, "ops.send", "http_503", "attempt=1"]).await;
    site.logged(&["WARN", "dead letter opened", run, "ops.send"]).await;

    outside.break_down(false);
    let letters = site.get("/v1/dead-letters").await;
    let id = letters["items"][0]["letter_id"].as_str().unwrap();
    site.post(&format!("/v1/dead-letters/{id}/retry"), &json!({})).await;
    site.logged(&["dead letter decided", run, "retried"]).await;

    let id = note["receipts"][0]["result"]["memo_id"].clone();
    let wipe = site.call("ops.wipe", json!({"memo_id": id})).await;
    let run = wipe["run_id"].as_str().unwrap();
    site.logged(&["waiting for approval", run]).await;
    let approval = wipe["approval_id"].as_str().unwrap();
    site.post(&format!("/v1/approvals/{approval}"), &json!({"decision": "approve"})).await;
    site.logged(&["approved", run]).await;

    let review = site.call("ops.draft", json!({"text": "top secret"})).await;
    site.logged(&["waiting for review", review["run_id"].as_str().unwrap()]).await;

    assert_eq!(site.post("/v1/runs", &json!({"message": ""})).await.status(), 422);
    site.logged(&["request refused", "status=422", "code=\"empty_message\"", "route=\"/v1/runs\""]).await;

    site.get("/nothing/here").await;

    site.server.terminate();
    assert!(site.server.ended().success());
    let log = site.log();
    assert!(log.contains("stopping") && log.lines().last().unwrap().contains("stopped"), "{log}");
    assert_eq!(log.matches("run accepted").count(), 4, "{log}");
    assert_eq!(log.matches("dead letter opened").count(), 1, "{log}");
    assert!(!log.contains("unmatched"), "scanners would fill the log:\n{log}");
    for value in ["top secret", "Maria", "0412345678"] {
        assert!(!log.contains(value), "{value} is in the log:\n{log}");
    }
}

#[tokio::test]
async fn a_trace_is_logged_stored_with_the_run_and_propagated_with_a_new_span() {
    let outside = Outside::start().await;
    let site = Site::start(&outside, &[], &[]);
    let body = json!({"message": "", "calls": [{"tool_name": "ops.send", "input": {"to": "x", "text": "y"}}]});
    let parent = format!("00-{TRACE}-00f067aa0ba902b7-01");
    let request = client().post(format!("{}/v1/runs", site.server.url)).header("traceparent", &parent).json(&body);
    let run: Value = request.send().await.unwrap().json().await.unwrap();
    assert_eq!((&run["status"], &run["trace_id"]), (&json!("completed"), &json!(TRACE)), "{run}");
    let sent = outside.seen.lock().unwrap()[0].0["traceparent"].to_str().unwrap().to_owned();
    assert!(sent.starts_with(&format!("00-{TRACE}-")) && sent.len() == parent.len(), "{sent}");
    assert!(!sent.contains("00f067aa0ba902b7"), "{sent}: the span of the caller");
    site.logged(&["run accepted", run["run_id"].as_str().unwrap(), TRACE]).await;
}

#[tokio::test]
async fn the_log_is_json_by_option_and_has_levels_per_target() {
    let outside = Outside::start().await;
    let levels = ("BRAIN_LOG", "warn,brain_server=debug");
    let mut site = Site::start(&outside, &["--log-format", "json"], &[levels]);
    site.call("ops.note", json!({"text": "a"})).await;
    site.logged(&["request answered"]).await;
    site.server.terminate();
    assert!(site.server.ended().success());
    for line in site.log().lines() {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(line["message"].is_string() && line["timestamp"].is_string(), "{line}");
        assert!(line["target"].as_str().unwrap().starts_with("brain_server"), "{line}: only warnings from elsewhere");
    }
}

#[tokio::test]
async fn slow_commits_calls_and_requests_are_logged() {
    let outside = Outside::start().await;
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("c.yaml");
    std::fs::write(&config, "slow: {commit: 0s, outside: 0s, request: 0s}\n").unwrap();
    let site = Site::start(&outside, &["--config", config.to_str().unwrap()], &[]);
    let run = site.call("ops.send", json!({"to": "x", "text": "y"})).await;
    site.logged(&["slow external call", run["run_id"].as_str().unwrap(), "ops.send", "outcome=\"done\""]).await;
    site.logged(&["slow commit", "took_ms="]).await;
    site.get("/v1/tools").await;
    site.logged(&["slow request", "route=\"/v1/tools\""]).await;
}

#[test]
fn commands_log_nothing_by_default_and_an_invalid_level_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("s.db");
    let done = brain(&store).args(["do", "create task: Call Bob"]).output().unwrap();
    assert!(done.status.success() && done.stderr.is_empty(), "{done:?}");
    let wrong = brain(&store).env("BRAIN_LOG", "brain=loud").arg("runs").output().unwrap();
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("BRAIN_LOG is not valid"), "{wrong:?}");
}
