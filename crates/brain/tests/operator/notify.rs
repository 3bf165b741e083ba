//! A webhook and a command are notified of dead letters, approvals and reviews.

use std::sync::atomic::Ordering;

use brain_kernel::sign_callback;
use serde_json::{Value, json};

use crate::outside::Outside;
use crate::{Site, serve, until};

/// The notifications that a webhook received, with their signatures.
fn got(hook: &Outside) -> Vec<(Option<String>, Vec<u8>, Value)> {
    let seen = hook.seen.lock().unwrap();
    let each = seen.iter().map(|(headers, body)| {
        let signature = headers.get("brain-signature").map(|value| value.to_str().unwrap().to_owned());
        (signature, body.clone(), serde_json::from_slice(body).unwrap())
    });
    each.collect()
}

async fn told(hook: &Outside, event: &str, run: &Value) -> Value {
    until(&format!("{event} about {run}"), async || {
        got(hook).into_iter().map(|(_, _, message)| message).find(|one| one["event"] == event && one["run_id"] == *run)
    })
    .await
}

#[tokio::test]
async fn a_webhook_is_notified_of_letters_approvals_and_reviews_without_personal_values() {
    let (outside, hook) = (Outside::start().await, Outside::start().await);
    let url = format!("http://{}/hook", hook.addr);
    let args = ["--notify-webhook", &url, "--notify-secret", "env:HOOK_SECRET"];
    let site = Site::start(&outside, &args, &[("HOOK_SECRET", "hush-hush")]);
    outside.break_down(true);
    let letter = site.call("ops.send", json!({"to": "0412345678", "text": "top secret"})).await;
    let message = told(&hook, "dead_letter", &letter["run_id"]).await;
    let id = site.get("/v1/dead-letters").await["items"][0]["letter_id"].clone();
    assert_eq!((&message["tool"], &message["letter_id"]), (&json!("ops.send"), &id), "{message}");
    assert_eq!(message["url"], format!("{}/v1/dead-letters/{}", site.server.url, id.as_str().unwrap()));
    outside.break_down(false);
    let note = site.call("ops.note", json!({"text": "top secret"})).await;
    let wipe = site.call("ops.wipe", json!({"memo_id": note["receipts"][0]["result"]["memo_id"]})).await;
    told(&hook, "approval", &wipe["run_id"]).await;
    let review = site.call("ops.draft", json!({"text": "top secret"})).await;
    assert_eq!(told(&hook, "review", &review["run_id"]).await["tool"], "ops.draft");

    let all = got(&hook);
    assert_eq!(all.len(), 3, "one for each, and none for other runs: {all:?}");
    for (signature, body, message) in &all {
        let signature = signature.as_deref().unwrap();
        let seconds = signature.strip_prefix("t=").and_then(|rest| rest.split(',').next()).unwrap().parse().unwrap();
        assert_eq!(signature, sign_callback("hush-hush", seconds, body), "{message}");
        assert!(!message.to_string().contains("0412345678") && !message.to_string().contains("top secret"));
    }
}

#[tokio::test]
async fn failed_notifications_are_delivered_later_even_by_the_next_server() {
    let (outside, hook) = (Outside::start().await, Outside::start().await);
    let url = format!("http://{}/hook", hook.addr);
    let mut site = Site::start(&outside, &["--notify-webhook", &url], &[]);
    hook.break_down(true);
    outside.break_down(true);
    let first = site.call("ops.send", json!({"to": "x", "text": "a"})).await;
    assert!(first["errors"][0]["code"].as_str().is_some(), "the run does not wait for the webhook: {first}");
    until("an attempt", async || (!got(&hook).is_empty()).then_some(())).await;
    site.logged(&["notification not delivered", "503"]).await;
    // Killed while the webhook is down: nothing was delivered.
    let (folder, pack) = (site.folder.path().to_owned(), site.pack());
    site.server.terminate();
    site.server.ended();
    hook.seen.lock().unwrap().clear();
    hook.broken.store(false, Ordering::SeqCst);
    site.server = serve(&folder, &pack, &["--notify-webhook", &url], &[]);
    told(&hook, "dead_letter", &first["run_id"]).await;
    // Delivered notifications are not repeated by the next server.
    let second = site.call("ops.send", json!({"to": "x", "text": "b"})).await;
    told(&hook, "dead_letter", &second["run_id"]).await;
    site.server.terminate();
    site.server.ended();
    hook.seen.lock().unwrap().clear();
    site.server = serve(&folder, &pack, &["--notify-webhook", &url], &[]);
    let third = site.call("ops.send", json!({"to": "x", "text": "c"})).await;
    told(&hook, "dead_letter", &third["run_id"]).await;
    assert_eq!(got(&hook).len(), 1, "{:?}", got(&hook));
}

#[tokio::test]
async fn a_command_gets_the_notification_on_its_input_and_the_configuration_filters_events() {
    let outside = Outside::start().await;
    let folder = tempfile::tempdir().unwrap();
    let (file, config) = (folder.path().join("told"), folder.path().join("c.yaml"));
    let yaml = format!("notify:\n  command: \"cat >> {}\"\n  on: [approval]\n", file.display());
    std::fs::write(&config, yaml).unwrap();
    let site = Site::start(&outside, &["--config", config.to_str().unwrap()], &[]);
    outside.break_down(true);
    site.call("ops.send", json!({"to": "x", "text": "a"})).await;
    let note = site.call("ops.note", json!({"text": "a"})).await;
    let wipe = site.call("ops.wipe", json!({"memo_id": note["receipts"][0]["result"]["memo_id"]})).await;
    let text =
        until("the command has run", async || std::fs::read_to_string(&file).ok().filter(|text| text.ends_with('\n')))
            .await;
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 1, "only approvals: {text}");
    assert_eq!((&lines[0]["event"], &lines[0]["run_id"]), (&json!("approval"), &wipe["run_id"]));
}
