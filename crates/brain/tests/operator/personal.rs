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
    for path in [format!("/v1/runs/{id}/events"), format!("/v1/dead-letters/{letter}"), "/v1/events?limit=50".into()] {
        let shown = site.get(&path).await.to_string();
        if shown.contains("Marigold") {
            leaks.push(format!("{path}: {shown}"));
        }
    }
    assert!(leaks.is_empty(), "{}", leaks.join("\n"));
}
