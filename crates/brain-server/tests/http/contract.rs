//! The complete contracts: the request of a run, the arguments of each attempt, and what external tools may return.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use axum::routing::post;
use brain_server::ServerConfig;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::support::{TestServer, pack};

type Seen = Arc<Mutex<Vec<HeaderMap>>>;

/// An external system that returns more than data, and one that always fails.
async fn outside() -> (Seen, u16) {
    async fn think(State(seen): State<Seen>, headers: HeaderMap, body: axum::Json<Value>) -> impl IntoResponse {
        seen.lock().unwrap().push(headers);
        let more = json!([{"tool": "t.note", "args": {"text": "from outside"}}]);
        let ask = (body["question"] == "unsure").then_some("Is this right?");
        let usage = json!({"in": 7, "out": 3});
        let about = body["thing"].clone();
        let records =
            if about.is_null() { Value::Null } else { json!([{"type": "note", "id": about, "role": "input"}]) };
        let answer = json!({"answer": 42, "usage": usage, "more": more, "ask": ask, "records": records});
        (StatusCode::CREATED, axum::Json(answer))
    }
    async fn broken() -> StatusCode {
        StatusCode::UNPROCESSABLE_ENTITY
    }
    let seen = Seen::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let router = Router::new().route("/think", post(think)).route("/broken", post(broken)).with_state(seen.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    (seen, port)
}

async fn start() -> (TestServer, Seen) {
    let (seen, port) = outside().await;
    let tools = format!(
        "domain: t
tools:
  think:
    title: Think
    input: {{question: string, who: {{type: string, personal: true, optional: true}}, thing: {{type: uuid, optional: true}}}}
    effect: read
    may_inject: true
    behavior:
      http:
        method: POST
        url: \"http://127.0.0.1:{port}/think\"
        result: {{answer: \"= response.body.answer\"}}
        also:
          summary: \"= \\\"It is \\\" + string(response.body.answer)\"
          artifacts: \"= response.body.records\"
          new_steps: \"= response.body.more\"
          review: \"= response.body.ask\"
          token_usage: \"= {{input: response.body.usage.in, output: response.body.usage.out, model: \\\"m1\\\"}}\"
    output: {{answer: integer}}
  break:
    title: Break
    input: {{who: {{type: string, personal: true}}}}
    behavior: {{http: {{method: POST, url: \"http://127.0.0.1:{port}/broken\", success: {{status: 422}}, result: \"= response.body.x.y.z + 1\"}}}}
    output: {{answer: integer}}
    undo: none
  refuse:
    title: Refuse
    input: {{text: string}}
    behavior: {{http: {{method: POST, url: \"http://127.0.0.1:{port}/broken\"}}}}
    undo: none
  note: {{title: Note, input: {{text: string}}, behavior: {{record: {{insert: note}}}}, undo: none}}
  work: {{title: Work, input: {{text: string}}, behavior: {{worker: {{topic: w}}}}, undo: none}}
"
    );
    let registry = pack(&[
        ("pack.yaml", format!("name: t\nversion: 1.0.0\ntitle: T\nhosts: [\"127.0.0.1:{port}\"]\n")),
        ("records/note.yaml", "record: note\nfields: {text: string}\n".to_owned()),
        ("tools/t.yaml", tools),
    ]);
    (TestServer::with(registry, ServerConfig::new("127.0.0.1:0".parse().unwrap())).await, seen)
}

async fn call(server: &TestServer, tool: &str, input: Value) -> Value {
    server.post("/v1/runs", &json!({"message": "", "calls": [{"tool_name": tool, "input": input}]})).await.ok()
}

#[tokio::test]
async fn a_run_shows_its_request_and_the_arguments_of_each_attempt() {
    let (server, seen) = start().await;
    let conversation = "0197f3c2-8a11-7c3e-9d55-6b1f0c2a4e11";
    let body = json!({
        "message": "", "mode": "enqueue_and_wait", "conversation_id": conversation,
        "context": {"who": "Jane Doe", "place": "Ryde"}, "limits": {"max_tool_calls": 7},
        "calls": [{"tool_name": "t.think", "input": {"question": "why", "who": "Jane Doe"}}],
    });
    let done = server.post("/v1/runs", &body).await.ok();
    assert_eq!(done["status"], "completed", "{done}");
    let run = server.get(&format!("/v1/runs/{}", done["run_id"].as_str().unwrap())).await.ok();
    assert_eq!((&run["mode"], &run["conversation_id"]), (&json!("enqueue_and_wait"), &json!(conversation)));
    assert_eq!(
        (&run["context"], &run["limits"]["max_tool_calls"]),
        (&json!({"who": "[REDACTED]", "place": "Ryde"}), &json!(7))
    );

    let receipt = &run["receipts"].as_array().unwrap().iter().find(|one| one["tool_name"] == "t.think").unwrap();
    assert_eq!(receipt["input"], json!({"question": "why", "who": "[REDACTED]"}));
    assert_eq!((&receipt["api_status"], &receipt["summary"]), (&json!(201), &json!("It is 42")));
    assert_eq!(receipt["token_usage"], json!({"input": 7, "output": 3, "model": "m1"}));
    assert!(receipt["duration_ms"].is_u64(), "{receipt}");
    assert_eq!(run["token_usage"], json!({"input": 7, "output": 3, "model": "m1"}));
    // It injected a step, which was done.
    let notes = server.get("/v1/records/note").await.ok();
    assert_eq!(notes["items"].as_array().unwrap().len(), 1, "{notes}");

    // The trace continues outside, with the run's own id if the request had none.
    let trace = run["trace_id"].as_str().unwrap();
    assert_eq!(trace, done["run_id"].as_str().unwrap().replace('-', ""));
    let parent = seen.lock().unwrap()[0]["traceparent"].to_str().unwrap().to_owned();
    assert!(parent.starts_with(&format!("00-{trace}-")) && parent.len() == 55, "{parent}");
}

#[tokio::test]
async fn an_answer_may_ask_for_a_review_and_name_records() {
    let (server, _) = start().await;
    let note = call(&server, "t.note", json!({"text": "one"})).await["receipts"][0]["result"]["note_id"].clone();
    let run = call(&server, "t.think", json!({"question": "unsure", "thing": note})).await;
    assert_eq!(run["waits_for"], json!(["a person to review the result of `t.think`"]), "{run}");
    let run = run["run_id"].as_str().unwrap();
    server.post(&format!("/v1/runs/{run}/review"), &json!({"verdict": "accept"})).await.ok();
    let run = server.get(&format!("/v1/runs/{run}")).await.ok();
    let receipt = run["receipts"].as_array().unwrap().iter().find(|one| one["tool_name"] == "t.think").unwrap();
    assert_eq!(receipt["effects"]["input"], json!([{"type": "note", "id": note}]), "{run}");
}

#[tokio::test]
async fn runs_are_listed_by_contract_status() {
    let (server, _) = start().await;
    let mut waiting = Vec::new();
    for n in 0..5 {
        let body = json!({"message": "", "mode": "enqueue", "calls": [{"tool_name": "t.work", "input": {"text": format!("{n}")}}]});
        waiting.push(server.post("/v1/runs", &body).await.ok()["run_id"].clone());
        call(&server, "t.note", json!({"text": format!("{n}")})).await;
    }
    call(&server, "t.refuse", json!({"text": "x"})).await;
    let cancelled = waiting.pop().unwrap();
    server.post(&format!("/v1/runs/{}/cancel", cancelled.as_str().unwrap()), &json!({})).await.ok();
    waiting.reverse();
    // In pages, newest first.
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = server.get(&format!("/v1/runs?contract_status=waiting&limit=3{cursor}")).await.ok();
        found.extend(page["items"].as_array().unwrap().iter().map(|run| run["run_id"].clone()));
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(found, waiting);
    let failed = server.get("/v1/runs?contract_status=failed&limit=1").await.ok();
    assert_eq!(failed["items"][0]["contract_status"], "failed");
    assert!(failed["next_cursor"].is_string(), "a refusal and a cancelled run: {failed}");
    server.get("/v1/runs?contract_status=delegated").await.problem(422, "invalid_request");
    server.get("/v1/runs?contract_status=failed&status=failed").await.problem(422, "invalid_request");
}

#[tokio::test]
async fn a_dead_letter_shows_its_arguments_and_who_was_notified() {
    let (server, _) = start().await;
    let run = call(&server, "t.break", json!({"who": "Jane Doe"})).await;
    let letters = server.get("/v1/dead-letters").await.ok();
    let letter = &letters["items"][0];
    assert_eq!((&letter["happened"], &letter["intervention_type"]), (&json!("yes"), &json!("engineering")), "{run}");
    assert_eq!((&letter["input"], &letter["history"][0]["attempt"]), (&json!({"who": "[REDACTED]"}), &json!(1)));
    assert!(letter["notified"]["to"].is_string() && letter["notified"]["at"].is_string(), "{letter}");
    let feed = server.get("/v1/events").await.ok();
    let told = feed["items"].as_array().unwrap().iter().find(|event| event["name"] == "LetterOpened").unwrap();
    assert_eq!((&told["data"]["letter"], &told["data"]["to"]), (&letter["letter_id"], &letter["notified"]["to"]));
    assert!(!feed.to_string().contains("Jane"), "{feed}");
}

#[tokio::test]
async fn a_worker_names_records_and_reports_its_token_usage() {
    let (server, _) = start().await;
    let note = call(&server, "t.note", json!({"text": "one"})).await["receipts"][0]["result"]["note_id"].clone();
    let body = json!({"message": "", "mode": "enqueue", "calls": [{"tool_name": "t.work", "input": {"text": "b"}}]});
    let run = server.post("/v1/runs", &body).await.ok()["run_id"].as_str().unwrap().to_owned();
    let jobs = server.post("/v1/jobs/activate", &json!({"topics": ["w"], "worker": "me"})).await.ok();
    let job = &jobs["jobs"][0];
    assert_eq!(job["input_hash"], brain_core::canonical_digest(&job["input"]).to_string());
    let path = format!("/v1/jobs/{}/complete", job["job_id"].as_str().unwrap());
    let answer = |hash: &str, id: &Value| {
        json!({
            "lease": job["lease"], "result": {"ok": true}, "input_hash": hash,
            "token_usage": {"input": 11, "output": 2, "model": "m2"},
            "artifacts": [{"type": "note", "id": id, "role": "resolved"}],
        })
    };
    let hash = job["input_hash"].as_str().unwrap();
    server.post(&path, &answer(&"0".repeat(64), &note)).await.problem(409, "conflict");
    server.post(&path, &answer("x", &note)).await.problem(422, "invalid_request");
    server.post(&path, &answer(hash, &json!("x"))).await.problem(422, "invalid_request");
    server.post(&path, &answer(hash, &note)).await.ok();
    let run = server.get(&format!("/v1/runs/{run}")).await.ok();
    assert_eq!(run["status"], "completed", "the rejected answers changed nothing: {run}");
    assert_eq!(run["receipts"][0]["token_usage"], json!({"input": 11, "output": 2, "model": "m2"}));
    assert_eq!(run["receipts"][0]["effects"], json!({"resolved": [{"type": "note", "id": note}]}));
}
