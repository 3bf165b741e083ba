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
    outside.break_down(false);
    let command = |args: &[&str]| {
        let mut command = brain(&site.store());
        command.arg("--json").arg("--allow-private-hosts").arg("--pack").arg(site.pack()).args(args);
        command.output().unwrap()
    };
    let done = command(&["dlq", "retry", "--all"]);
    assert_eq!(output(&done)["retried"], 1, "{}", text(&done));
    let runs = output(&command(&["runs"]));
    assert_eq!((&runs["items"][0]["run_id"], &runs["items"][0]["status"]), (&json!(run), &json!("completed")));
    let nothing = command(&["dlq", "retry"]);
    assert_eq!(nothing.status.code(), Some(2), "neither a letter nor a filter");
}
