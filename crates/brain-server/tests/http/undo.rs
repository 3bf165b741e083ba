//! Undo as clients of the API see it.

use brain_server::ServerConfig;
use serde_json::{Value, json};

use crate::support::{TestServer, pack};

const TOOLS: &str = "domain: t
tools:
  thing: {title: Make a thing, input: {}, behavior: {record: {insert: thing}}, undo: {tool: t.unthing, args: {thing_id: \"= result.thing_id\"}}}
  unthing: {title: Remove a thing, input: {thing_id: {entity: thing}}, behavior: {record: {delete: thing}}, undo: none}
  other: {title: Make another thing, input: {}, behavior: {record: {insert: other}}, undo: {tool: t.unother, args: {other_id: \"= result.other_id\"}}}
  unother: {title: Remove another thing, input: {other_id: {entity: other}}, behavior: {record: {delete: other}}, undo: none}
  label: {title: Label a thing, input: {thing_id: {entity: thing}}, behavior: {record: {insert: label}}, undo: none}
";

async fn start() -> TestServer {
    let registry = pack(&[
        ("pack.yaml", "name: t\nversion: 1.0.0\n".to_owned()),
        ("tools/t.yaml", TOOLS.to_owned()),
        ("records/thing.yaml", "record: thing\nfields: {note: {type: string, optional: true}}\n".to_owned()),
        ("records/other.yaml", "record: other\nfields: {note: {type: string, optional: true}}\n".to_owned()),
        ("records/label.yaml", "record: label\nfields: {thing_id: {ref: thing}}\n".to_owned()),
    ]);
    TestServer::with(registry, ServerConfig::new("127.0.0.1:0".parse().unwrap())).await
}

async fn call(server: &TestServer, calls: &[(&str, Value)]) -> Value {
    let calls: Vec<Value> = calls.iter().map(|(tool, input)| json!({"tool_name": tool, "input": input})).collect();
    let run = server.post("/v1/runs", &json!({"message": "", "mode": "enqueue_and_wait", "calls": calls})).await.ok();
    assert_eq!(run["ok"], true, "{run}");
    run
}

#[tokio::test]
async fn one_undo_that_fails_is_a_dead_letter_and_the_others_go_on() {
    let server = start().await;
    let done = call(&server, &[("t.other", json!({})), ("t.thing", json!({}))]).await;
    let thing = done["receipts"][1]["result"]["thing_id"].as_str().unwrap().to_owned();
    let undo = format!("/v1/runs/{}/undo", done["run_id"].as_str().unwrap());
    let staged = server.post(&undo, &json!({})).await.ok();
    // Somebody refers to the thing before the plan is approved, so it cannot be removed.
    call(&server, &[("t.label", json!({"thing_id": thing}))]).await;
    let approve = format!("/v1/approvals/{}", staged["approval_id"].as_str().unwrap());
    server.post(&approve, &json!({"decision": "approve"})).await.ok();
    let path = format!("/v1/runs/{}", staged["run_id"].as_str().unwrap());
    let run = server.get(&format!("{path}?wait_timeout_ms=20000")).await.ok();
    assert_eq!((&run["status"], &run["ok"]), (&json!("waiting"), &json!(false)), "{run}");
    assert_eq!((server.count("thing").await, server.count("other").await), (1, 0), "the other one is undone: {run}");
    let letters = server.get("/v1/dead-letters?open=true").await.ok();
    let letter = &letters["items"][0];
    assert_eq!((&letter["tool_name"], &letter["happened"]), (&json!("t.unthing"), &json!("no")), "{letters}");
    let resolve = format!("/v1/dead-letters/{}/resolve", letter["letter_id"].as_str().unwrap());
    server.post(&resolve, &json!({"note": "it stays"})).await.ok();
    let ended = server.get(&path).await.ok();
    assert_eq!(ended["status"], "failed", "{ended}");
    let errors = ended["errors"].as_array().unwrap();
    let stays: Vec<&Value> = errors.iter().filter(|error| error["code"] == "not_undone").collect();
    assert!(stays.len() == 1 && stays[0]["message"].as_str().unwrap().contains(&thing), "{ended}");
}
