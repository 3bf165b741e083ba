//! Reloading packs without a restart.

use std::process::Command;

use serde_json::{Value, json};

use crate::common::{brain, text};
use crate::outside::Outside;
use crate::{Site, client};

/// Changes a file of the site's pack.
fn edit(site: &Site, file: &str, from: &str, to: &str) {
    let path = site.pack().join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from} is not in {text}");
    std::fs::write(path, text.replace(from, to)).unwrap();
}

/// Version 2: `note` is called `jot`, `wipe` is removed, and `send` has another title.
fn second_version(site: &Site) {
    edit(site, "pack.yaml", "1.0.0", "2.0.0");
    edit(site, "tools/ops.yaml", "  note:\n", "  jot:\n");
    edit(site, "tools/ops.yaml", "Send a text", "Send a message");
    let path = site.pack().join("tools/ops.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(path, text.split("  wipe:\n").next().unwrap()).unwrap();
}

#[tokio::test]
async fn packs_are_reloaded_over_http_and_runs_under_way_keep_their_definitions() {
    let outside = Outside::start().await;
    let site = Site::start(&outside, &[], &[]);
    let note = site.call("ops.note", json!({"text": "a"})).await["receipts"][0]["result"]["memo_id"].clone();
    // A plan that waits for approval and a call under way, both of the first version.
    let wipe = site.call("ops.wipe", json!({"memo_id": note})).await;
    let body = json!({"message": "", "calls": [{"tool_name": "ops.slow", "input": {"text": "x"}}]});
    let request = client().post(format!("{}/v1/runs", site.server.url)).json(&body).send();
    let under_way = tokio::spawn(async move { request.await.unwrap().json::<Value>().await.unwrap() });
    outside.arrived.acquire().await.unwrap().forget();

    second_version(&site);
    let answer = site.post("/v1/packs/reload", &json!({})).await;
    assert_eq!(answer.status(), 200);
    let done: Value = answer.json().await.unwrap();
    assert_eq!(done["packs"], json!({"ops": "2.0.0"}), "{done}");
    assert_eq!(done["changed"], json!(["ops.jot", "ops.send"]), "{done}");
    assert_eq!(done["removed"], json!(["ops.note", "ops.wipe"]), "{done}");
    site.logged(&["packs reloaded", "2.0.0"]).await;

    // New requests use the second version, by name and in words.
    assert_eq!(site.call("ops.jot", json!({"text": "b"})).await["status"], "completed");
    assert_eq!(site.call("ops.note", json!({"text": "b"})).await["errors"][0]["code"], "unknown_tool");
    let said: Value = site.post("/v1/runs", &json!({"message": "note buy milk"})).await.json().await.unwrap();
    assert_eq!(said["planned_tool_calls"][0]["tool_name"], "ops.jot", "{said}");
    assert_eq!(site.get("/v1/tools/ops.send").await["title"], "Send a message");

    // Runs planned with the first version end with it.
    outside.go_on.add_permits(1);
    assert_eq!(under_way.await.unwrap()["status"], "completed");
    let approval = wipe["approval_id"].as_str().unwrap();
    let approved: Value =
        site.post(&format!("/v1/approvals/{approval}"), &json!({"decision": "approve"})).await.json().await.unwrap();
    assert_eq!(approved["run"]["status"].as_str().or(approved["status"].as_str()), Some("completed"), "{approved}");
}

#[tokio::test]
async fn a_pack_with_an_error_is_rejected_and_the_previous_one_stays_in_use() {
    let outside = Outside::start().await;
    let site = Site::start(&outside, &[], &[]);
    second_version(&site);
    edit(&site, "tools/ops.yaml", "title: Draft a text", "titel: Draft a text");
    let answer = site.post("/v1/packs/reload", &json!({})).await;
    assert_eq!(answer.status(), 422);
    let problem: Value = answer.json().await.unwrap();
    assert_eq!(problem["code"], "packs_refused", "{problem}");
    let errors = problem["errors"].as_array().unwrap();
    let named = |one: &Value| {
        one["field"].as_str().unwrap().contains("tools/ops.yaml:") && one["message"].as_str().unwrap().contains("titel")
    };
    assert!(errors.iter().any(named), "{problem:#}");
    assert_eq!(site.call("ops.note", json!({"text": "a"})).await["status"], "completed", "nothing of it is in use");
    assert_eq!(site.call("ops.jot", json!({"text": "a"})).await["errors"][0]["code"], "unknown_tool");

    // The command reports the same, with its exit code.
    let reload = || brain(&site.store()).args(["reload", "--server", &site.server.url]).output().unwrap();
    let refused = reload();
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused).contains("titel"), "{}", text(&refused));
    edit(&site, "tools/ops.yaml", "titel:", "title:");
    let done = reload();
    assert!(done.status.success() && text(&done).contains("ops 2.0.0"), "{}", text(&done));
    assert_eq!(site.call("ops.jot", json!({"text": "a"})).await["status"], "completed");
}

#[tokio::test]
async fn a_hangup_reloads_and_logs_what_is_wrong() {
    let outside = Outside::start().await;
    let site = Site::start(&outside, &[], &[]);
    let hang_up = || {
        let pid = site.server.pid().to_string();
        assert!(Command::new("kill").args(["-HUP", &pid]).status().unwrap().success());
    };
    site.get("/readyz").await;
    second_version(&site);
    edit(&site, "tools/ops.yaml", "title: Draft a text", "titel: Draft a text");
    hang_up();
    site.logged(&["WARN", "titel", "tools/ops.yaml:"]).await;
    site.logged(&["packs not reloaded"]).await;
    edit(&site, "tools/ops.yaml", "titel:", "title:");
    hang_up();
    site.logged(&["INFO", "packs reloaded", "2.0.0"]).await;
    assert_eq!(site.call("ops.jot", json!({"text": "a"})).await["status"], "completed");
}

#[tokio::test]
async fn a_reload_names_playbooks_and_record_types_too() {
    let outside = Outside::start().await;
    let site = Site::start(&outside, &[], &[]);
    let reload = async || site.post("/v1/packs/reload", &json!({})).await.json::<Value>().await.unwrap();
    assert_eq!(reload().await["changed"], json!([]), "nothing has changed yet");
    let book = site.pack().join("playbooks/twice.yaml");
    std::fs::create_dir_all(book.parent().unwrap()).unwrap();
    let text = "playbook: ops.twice\ntitle: Note twice\nslots: {text: string}\nsteps:\n  - {id: a, tool: ops.note, args: {text: \"= slots.text\"}}\n";
    std::fs::write(&book, text).unwrap();
    std::fs::write(site.pack().join("records/page.yaml"), "record: page\nfields: {text: string}\n").unwrap();
    assert_eq!(reload().await["changed"], json!(["ops.twice", "page"]));
    std::fs::write(&book, text.replace("Note twice", "Note it twice")).unwrap();
    assert_eq!(reload().await["changed"], json!(["ops.twice"]));
    std::fs::remove_file(&book).unwrap();
    let done = reload().await;
    assert_eq!((&done["changed"], &done["removed"]), (&json!([]), &json!(["ops.twice"])), "{done}");
}
