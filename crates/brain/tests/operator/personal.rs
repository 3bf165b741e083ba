//! Values that a run's own definitions declare as personal are redacted, whichever packs are loaded.

use serde_json::{Value, json};

use crate::Site;
use crate::common::{brain, text};
use crate::outside::Outside;

#[tokio::test(flavor = "multi_thread")]
async fn personal_values_stay_redacted_when_another_pack_is_loaded() {
    let outside = Outside::start().await;
    let site = Site::start(&outside, &[], &[]);
    outside.break_down(true);
    let run: Value =
        site.post("/v1/runs", &json!({"message": "send hello there to Marigold"})).await.json().await.unwrap();
    assert_eq!(run["planned_tool_calls"][0]["input"]["to"], "Marigold", "{run}");
    let id = run["run_id"].as_str().unwrap();
    let letter = site.get("/v1/dead-letters").await["items"][0]["letter_id"].as_str().unwrap().to_owned();
    let mut leaks = Vec::new();
    for own in [true, false] {
        for args in [
            vec!["inspect", id],
            vec!["--json", "inspect", id],
            vec!["dlq", "show", &letter],
            vec!["--json", "dlq", "show", &letter],
            vec!["--json", "dlq", "list"],
        ] {
            let mut command = brain(&site.store());
            if own {
                command.arg("--pack").arg(site.pack());
            }
            let shown = text(&command.args(&args).output().unwrap());
            assert!(shown.contains("ops.send"), "{args:?}: {shown}");
            // Other values are shown.
            assert!(args[0] == "dlq" || shown.contains("hello there") || args[1] == "dlq", "{args:?}: {shown}");
            if shown.contains("Marigold") {
                leaks.push(format!("{args:?} with {} pack: {shown}", if own { "its own" } else { "another" }));
            }
        }
    }
    // Lists and explanations quote the message, with everything else in it.
    for args in [vec!["runs"], vec!["--json", "runs", "list"], vec!["explain", id], vec!["--json", "explain", id]] {
        for own in [true, false] {
            let mut command = brain(&site.store());
            if own {
                command.arg("--pack").arg(site.pack());
            }
            let shown = text(&command.args(&args).output().unwrap());
            assert!(shown.contains("send hello there to [REDACTED]"), "{args:?}: {shown}");
            if shown.contains("Marigold") {
                leaks.push(format!("{args:?} with {} pack: {shown}", if own { "its own" } else { "another" }));
            }
        }
    }
    let paths = [
        format!("/v1/runs/{id}/events"),
        format!("/v1/dead-letters/{letter}"),
        "/v1/events?limit=50".into(),
        "/v1/runs".into(),
        "/v1/runs/waiting".into(),
        format!("/v1/runs/{id}/explain"),
        format!("/v1/runs/{id}?redacted=true"),
        format!("/v1/runs/{id}/receipts?redacted=true"),
    ];
    for path in paths {
        let shown = site.get(&path).await.to_string();
        if shown.contains("Marigold") {
            leaks.push(format!("{path}: {shown}"));
        }
    }
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
}

/// The built-in pack declares names and phones of leads, not words of Brain's formats and not titles of tasks.
#[test]
fn words_of_brain_and_names_of_other_things_are_shown() {
    let home = tempfile::tempdir().unwrap();
    let store = home.path().join("b.db");
    let run = |args: &[&str]| text(&brain(&store).args(args).output().unwrap());
    let json = |args: &[&str]| -> Value {
        let shown = run(&[&["--json"], args].concat());
        serde_json::from_str(&shown).unwrap_or_else(|error| panic!("{args:?}: {error}: {shown}"))
    };
    // A person who is called like a status, a kind of reading and a type of JSON Schema.
    let call = |name: &str| {
        let made = json(&["do", &format!("new lead: {name} 0412 345 678 in Parramatta")]);
        made["run_id"].as_str().unwrap().to_owned()
    };
    for name in ["completed", "clear", "string"] {
        let id = call(name);
        let shown = json(&["runs", "show", &id]);
        assert_eq!(shown["run"]["status"], "completed", "{name}: {shown}");
        assert_eq!(shown["request"]["message"], "new lead: [REDACTED] [REDACTED] in Parramatta", "{name}");
        assert_eq!(json(&["explain", &id])["understanding"]["kind"], "clear", "{name}");
        let shown = run(&["explain", &id]);
        assert!(shown.contains("“new lead: [REDACTED] [REDACTED] in Parramatta” is understood as"), "{name}: {shown}");
    }
    // The name of a record is personal where the record is looked up by it, too.
    call("Marigold Byrne");
    let shown = run(&["do", "mark lead Marigold Byrne as lost"]);
    assert!(shown.contains("lead is now lost"), "{shown}");
    run(&["do", "create task: Order tiles"]);
    let list = run(&["runs"]);
    assert!(list.contains("mark lead [REDACTED] as lost") && list.contains("create task: Order tiles"), "{list}");
    assert!(!list.contains("Marigold") && !list.contains("0412"), "{list}");
}
