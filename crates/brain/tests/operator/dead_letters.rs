//! Many dead letters at once.

use serde_json::{Value, json};

use crate::common::{brain, json as output, text};
use crate::outside::Outside;
use crate::{Site, until};

async fn open(site: &Site) -> Vec<Value> {
    site.get("/v1/dead-letters?open=true").await["items"].as_array().unwrap().clone()
}

#[tokio::test]
async fn letters_of_a_tool_are_retried_together_and_those_in_doubt_are_skipped() {
    let outside = Outside::start().await;
    let site = Site::start(&outside, &[], &[]);
    outside.break_down(true);
    for text in ["a", "b"] {
        site.call("ops.send", json!({"to": "x", "text": text})).await;
    }
    site.call("ops.once", json!({"text": "c"})).await;
    assert_eq!(open(&site).await.len(), 3);

    // A dry run reports what would be done, over HTTP and on the command line, and changes nothing.
    let all: Value = site.post("/v1/dead-letters/retry", &json!({"dry_run": true})).await.json().await.unwrap();
    assert_eq!((&all["retried"], &all["skipped"], &all["more"]), (&json!(2), &json!(1), &json!(false)), "{all:#}");
    let skipped = all["items"].as_array().unwrap().iter().find(|one| one["tool_name"] == "ops.once").unwrap();
    assert!(skipped["skipped"].as_str().unwrap().contains("may have happened"), "{skipped}");
    let mut command = brain(&site.store());
    command.arg("--pack").arg(site.pack()).args(["dlq", "retry", "--tool", "ops.send", "--since", "1h", "--dry-run"]);
    let dry = command.output().unwrap();
    assert!(dry.status.success() && text(&dry).contains("2 dead letters would be retried."), "{}", text(&dry));
    let late = json!({"since": "2999-01-01T00:00:00Z", "dry_run": true});
    let none: Value = site.post("/v1/dead-letters/retry", &late).await.json().await.unwrap();
    assert_eq!(none["items"], json!([]));
    assert_eq!(open(&site).await.len(), 3, "nothing was done");

    // The cause is fixed: the letters of the tool are retried with the same keys.
    let before = outside.keys();
    outside.break_down(false);
    let body = json!({"tool": "ops.send", "since": "1h", "note": "texts are back"});
    let done: Value = site.post("/v1/dead-letters/retry", &body).await.json().await.unwrap();
    assert_eq!((&done["retried"], &done["skipped"]), (&json!(2), &json!(0)), "{done:#}");
    until("both texts are sent", async || (open(&site).await.len() == 1).then_some(())).await;
    assert_eq!(outside.keys(), before, "no new key");

    let wrong = site.post("/v1/dead-letters/retry", &json!({"since": "yesterday"})).await;
    assert_eq!(wrong.status(), 422);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_retries_and_waits_for_the_runs() {
    let outside = Outside::start().await;
    let mut site = Site::start(&outside, &[], &[]);
    outside.break_down(true);
    let run = site.call("ops.send", json!({"to": "x", "text": "a"})).await["run_id"].as_str().unwrap().to_owned();
    site.server.terminate();
    site.server.ended();
    let command = |args: &[&str]| {
        let mut command = brain(&site.store());
        command.arg("--json").arg("--allow-private-hosts").arg("--pack").arg(site.pack()).args(args);
        command.output().unwrap()
    };
    let again = command(&["dlq", "retry", "--all"]);
    assert_eq!(again.status.code(), Some(1), "{}", text(&again));
    assert_eq!(output(&again)["failed_again"].as_array().unwrap().len(), 1, "{}", text(&again));
    outside.break_down(false);
    let done = command(&["dlq", "retry", "--all"]);
    assert_eq!(output(&done)["retried"], 1, "{}", text(&done));
    let runs = output(&command(&["runs"]));
    assert_eq!((&runs["items"][0]["run_id"], &runs["items"][0]["status"]), (&json!(run), &json!("completed")));
    let nothing = command(&["dlq", "retry"]);
    assert_eq!(nothing.status.code(), Some(2), "neither a letter nor a filter");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_the_pack_of_a_run_decides_nothing_that_needs_it() {
    let outside = Outside::start().await;
    let mut site = Site::start(&outside, &[], &[]);
    outside.break_down(true);
    let failed = site.call("ops.send", json!({"to": "x", "text": "a"})).await["run_id"].as_str().unwrap().to_owned();
    let plan = async || {
        let calls = json!([{"tool_name": "ops.send", "input": {"to": "x", "text": "b"}}]);
        let staged = site.post("/v1/runs", &json!({"message": "", "mode": "plan", "calls": calls})).await;
        let staged: Value = staged.json().await.unwrap();
        (staged["run_id"].as_str().unwrap().to_owned(), staged["approval_id"].as_str().unwrap().to_owned())
    };
    let (first, second, third) = (plan().await, plan().await, plan().await);
    let letter = open(&site).await[0]["letter_id"].as_str().unwrap().to_owned();
    site.server.terminate();
    site.server.ended();
    outside.break_down(false);

    let other = site.folder.path().join("other");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::write(other.join("pack.yaml"), "name: other\nversion: 1.0.0\ntitle: Other\n").unwrap();
    site.server = crate::serve(site.folder.path(), &other, &[], &[]);
    let resolve = json!({"outcome": "skip", "note": "n"});
    for (path, body) in [
        (format!("/v1/approvals/{}", first.1), json!({"decision": "approve"})),
        (format!("/v1/dead-letters/{letter}/retry"), json!({})),
        (format!("/v1/dead-letters/{letter}/resolve"), resolve),
        (format!("/v1/runs/{failed}/retry"), json!({})),
        (format!("/v1/runs/{failed}/skip"), json!({})),
        (format!("/v1/runs/{failed}/undo"), json!({})),
        (format!("/v1/runs/{failed}/review"), json!({"verdict": "accept"})),
    ] {
        let refused = site.post(&path, &body).await;
        assert_eq!(refused.status(), 409, "{path}");
        let problem: Value = refused.json().await.unwrap();
        assert_eq!(problem["code"], "pack_not_loaded", "{path}: {problem}");
        assert!(problem["detail"].as_str().unwrap().contains("pack `ops`"), "{problem}");
    }
    let many: Value = site.post("/v1/dead-letters/retry", &json!({})).await.json().await.unwrap();
    assert!(many["items"][0]["skipped"].as_str().unwrap().contains("pack `ops`"), "{many:#}");
    // The command goes over the server's socket and gets the same answer.
    let command = |args: &[&str]| brain(&site.store()).args(args).output().unwrap();
    let told = command(&["approve", &first.1]);
    assert!(!told.status.success() && text(&told).contains("pack `ops`"), "{}", text(&told));
    assert_eq!(open(&site).await.len(), 1, "nothing was changed");
    let waiting = site.get(&format!("/v1/runs/{}", first.0)).await;
    assert_eq!(waiting["status"], "staged");

    // What needs nothing of the pack is possible: nothing of these runs is under way.
    site.post(&format!("/v1/dead-letters/{letter}/escalate"), &json!({"to": "Ann"})).await.error_for_status().unwrap();
    site.post(&format!("/v1/runs/{}/cancel", first.0), &json!({})).await.error_for_status().unwrap();
    site.post(&format!("/v1/approvals/{}", second.1), &json!({"decision": "reject"})).await.error_for_status().unwrap();
    site.post(&format!("/v1/runs/{}/abort", third.0), &json!({})).await.error_for_status().unwrap();
    for run in [first.0, second.0, third.0] {
        assert_eq!(site.get(&format!("/v1/runs/{run}")).await["status"], "cancelled");
    }
}
