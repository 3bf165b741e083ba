//! The four modes, idempotency, waiting, and the limits of a request.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{Answer, TestServer};

/// The fields that the run contract names.
const CONTRACT: [&str; 9] = [
    "ok", "run_id", "decision", "planned_tool_calls", "enqueued", "receipts", "assistant_message", "next_actions",
    "errors",
];

fn well_formed(run: &Value) {
    for field in CONTRACT {
        assert!(run.get(field).is_some(), "{field} is missing in {run}");
    }
    assert!(run["run_id"].is_string() && run["decision"]["mode_used"].is_string(), "{run}");
    for list in ["planned_tool_calls", "enqueued", "receipts", "next_actions", "errors"] {
        assert!(run[list].is_array(), "{list} in {run}");
    }
}

#[tokio::test]
async fn enqueue_and_wait_executes_and_returns_the_receipts() {
    let server = TestServer::start().await;
    let run = server.say("create task: Call Bob", "enqueue_and_wait").await;
    well_formed(&run);
    assert_eq!(run["ok"], true);
    assert_eq!(run["decision"]["mode_used"], "enqueue_and_wait");
    assert_eq!(run["decision"]["reason"], "Matched a phrase of os.create_task");
    let planned = &run["planned_tool_calls"][0];
    assert_eq!(planned["tool_name"], "os.create_task");
    assert_eq!(planned["input"], json!({"title": "Call Bob", "domain": "business"}));
    assert_eq!(planned["idempotency_key"], Value::Null);
    let receipt = &run["receipts"][0];
    assert_eq!(receipt["status"], "succeeded");
    assert_eq!(receipt["call_id"], run["enqueued"][0]["call_id"]);
    assert!(receipt["result"]["task_id"].is_string() && receipt["effects"].is_object(), "{receipt}");
    assert_eq!(receipt["attempt"], 1);
    assert_eq!((&run["status"], &run["contract_status"]), (&json!("completed"), &json!("completed")));
    assert_eq!(run["progress"], json!({"done": 1, "total": 1}));
    assert_eq!(run["errors"], json!([]));
    assert_eq!(server.count("task").await, 1);
}

#[tokio::test]
async fn enqueue_and_wait_is_the_default() {
    let server = TestServer::start().await;
    let run = server.post("/v1/runs", &json!({"message": "create task: Call Bob"})).await.ok();
    assert_eq!(run["decision"]["mode_used"], "enqueue_and_wait");
    assert_eq!(run["receipts"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn enqueue_returns_at_once_and_the_run_shows_the_receipts() {
    let server = TestServer::start().await;
    let run = server.say("create task: Call Bob", "enqueue").await;
    well_formed(&run);
    assert_eq!(run["ok"], true);
    assert_eq!(run["enqueued"][0]["tool_name"], "os.create_task");
    assert_eq!(run["receipts"], json!([]));
    assert_eq!(run["assistant_message"], "Accepted; it runs in the background.");
    let id = run["run_id"].as_str().unwrap();
    let later = server.get(&format!("/v1/runs/{id}")).await.ok();
    assert_eq!(later["receipts"][0]["status"], "succeeded");
    assert_eq!(later["status"], "completed");
}

#[tokio::test]
async fn enqueue_answers_202_and_every_new_run_has_a_location() {
    let server = TestServer::start().await;
    for (message, mode, status) in [
        ("create task: Call Bob", "enqueue", 202),
        ("create task: Call Bob", "enqueue_and_wait", 200),
        ("create task: Call Bob", "plan", 200),
        ("create task: Call Bob", "answer", 200),
        ("sing me a song", "enqueue", 200),
    ] {
        let answer = server.post("/v1/runs", &json!({"message": message, "mode": mode})).await;
        assert_eq!(answer.status.as_u16(), status, "{message}, {mode}: {}", answer.body);
        let location = answer.headers["location"].to_str().unwrap();
        assert_eq!(server.get(location).await.ok()["run_id"], answer.body["run_id"], "{location}");
    }
    // A repeated key returns the current run, which has nothing left to accept.
    let body = json!({"message": "create task: Call Ann", "mode": "enqueue"});
    let (first, again) = (keyed(&server, "k", &body).await, keyed(&server, "k", &body).await);
    assert_eq!((first.status.as_u16(), again.status.as_u16()), (202, 200));
    assert_eq!(first.headers["location"], again.headers["location"]);
}

#[tokio::test]
async fn answer_explains_and_executes_nothing() {
    let server = TestServer::start().await;
    let run = server.say("create task: Call Bob", "answer").await;
    well_formed(&run);
    assert_eq!(run["ok"], true);
    assert_eq!(run["planned_tool_calls"][0]["tool_name"], "os.create_task");
    assert_eq!((&run["enqueued"], &run["receipts"]), (&json!([]), &json!([])));
    assert_eq!(server.count("task").await, 0);
}

#[tokio::test]
async fn plan_waits_for_approval_and_executes_nothing() {
    let server = TestServer::start().await;
    let run = server.say("create task: Call Bob", "plan").await;
    well_formed(&run);
    assert_eq!(run["status"], "staged");
    assert_eq!(run["contract_status"], "planning");
    assert!(run["approval_id"].is_string(), "{run}");
    assert_eq!((&run["enqueued"], &run["receipts"]), (&json!([]), &json!([])));
    assert_eq!(server.count("task").await, 0);
}

async fn keyed(server: &TestServer, key: &str, body: &Value) -> Answer {
    Answer::of(server.request(Method::POST, "/v1/runs").header("Idempotency-Key", key).json(body)).await
}

#[tokio::test]
async fn the_same_key_and_body_return_the_same_run() {
    let server = TestServer::start().await;
    for mode in ["enqueue_and_wait", "enqueue"] {
        let body = json!({"message": format!("create task: {mode}"), "mode": mode});
        let first = keyed(&server, mode, &body).await;
        assert!(!first.headers.contains_key("idempotent-replayed"));
        let second = keyed(&server, mode, &body).await;
        assert_eq!(second.headers["idempotent-replayed"], "true");
        assert_eq!(first.body["run_id"], second.body["run_id"]);
        assert_eq!(second.body["planned_tool_calls"][0]["idempotency_key"], mode);
        // The current state of the run, not the first answer.
        assert_eq!(second.body["receipts"][0]["status"], "succeeded");
    }
    assert_eq!(server.count("task").await, 2);
}

#[tokio::test]
async fn the_same_key_at_the_same_time_runs_once() {
    let server = TestServer::start().await;
    let body = json!({"message": "create task: Once"});
    let (one, two, three) =
        tokio::join!(keyed(&server, "k", &body), keyed(&server, "k", &body), keyed(&server, "k", &body));
    assert_eq!(one.body["run_id"], two.body["run_id"]);
    assert_eq!(one.body["run_id"], three.body["run_id"]);
    assert_eq!(server.count("task").await, 1);
}

#[tokio::test]
async fn the_same_key_with_another_body_is_rejected() {
    let server = TestServer::start().await;
    keyed(&server, "k", &json!({"message": "create task: One"})).await.ok();
    keyed(&server, "k", &json!({"message": "create task: Two"})).await.problem(422, "idempotency_key_reused");
    assert_eq!(server.count("task").await, 1);
}

#[tokio::test]
async fn an_invalid_key_is_rejected() {
    let server = TestServer::start().await;
    for key in ["", "a b", "grün", &"x".repeat(256)] {
        keyed(&server, key, &json!({"message": "list tasks"})).await.problem(400, "bad_idempotency_key");
    }
    assert_eq!(keyed(&server, &"x".repeat(255), &json!({"message": "list tasks"})).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_wait_of_zero_still_gets_a_complete_answer() {
    let server = TestServer::start().await;
    for wait in [0, 1] {
        let body = json!({"message": "create task: Quick", "limits": {"wait_timeout_ms": wait}});
        let run = server.post("/v1/runs", &body).await.ok();
        well_formed(&run);
        // Steps on records are done before the wait.
        assert_eq!(run["status"], "completed", "{run}");
    }
}

#[tokio::test]
async fn eleven_calls_against_a_limit_of_ten_are_all_rejected() {
    let server = TestServer::start().await;
    let call = json!({"tool_name": "os.create_task", "input": {"title": "Many"}});
    let body = json!({"message": "", "calls": vec![call; 11]});
    let run = server.post("/v1/runs", &body).await.ok();
    well_formed(&run);
    assert_eq!(run["ok"], false);
    assert_eq!(run["errors"][0]["code"], "too_many_tool_calls");
    assert_eq!(run["enqueued"], json!([]));
    assert_eq!(server.count("task").await, 0);
    let mut more = body;
    more["limits"] = json!({"max_tool_calls": 11});
    assert_eq!(server.post("/v1/runs", &more).await.ok()["ok"], true);
    assert_eq!(server.count("task").await, 11);
}

#[tokio::test]
async fn an_invalid_uuid_in_the_message_is_a_run_that_is_not_ok() {
    let server = TestServer::start().await;
    let run = server.say("complete task 123-not-a-uuid", "enqueue_and_wait").await;
    well_formed(&run);
    assert_eq!(run["ok"], false, "{run}");
    assert_eq!(run["errors"][0]["field"], "task_id", "{run}");
    assert_eq!(run["enqueued"], json!([]));
}

#[tokio::test]
async fn an_unknown_tool_by_name_is_a_run_that_is_not_ok() {
    let server = TestServer::start().await;
    let body = json!({"message": "", "calls": [{"tool_name": "os.create_tsk", "input": {}}]});
    let run = server.post("/v1/runs", &body).await.ok();
    assert_eq!(run["ok"], false);
    assert_eq!(run["errors"][0]["code"], "unknown_tool", "{run}");
}

#[tokio::test]
async fn an_unknown_request_is_answered_with_help() {
    let server = TestServer::start().await;
    let run = server.say("please water the plants on the moon", "enqueue_and_wait").await;
    well_formed(&run);
    assert_eq!(run["decision"]["mode_used"], "answer");
    assert_eq!(run["decision"]["confidence"], "none");
    assert!(run["assistant_message"].as_str().unwrap().contains("create task"), "{run}");
    assert_eq!(run["planned_tool_calls"], json!([]));
}

#[tokio::test]
async fn context_fills_slots() {
    let server = TestServer::start().await;
    let lead = server.done("new lead: Bob Smith 0412 345 678 in Ryde").await;
    let body = json!({
        "message": "", "calls": [{"tool_name": "inspection.create", "input": {"lead_id": lead["lead_id"]}}],
        "context": {"lead_id": lead["lead_id"]}, "conversation_id": "01890a5d-ac96-774b-bcce-b302099a8057",
    });
    let first = server.post("/v1/runs", &body).await.ok();
    assert_eq!(first["ok"], true, "{first}");
    // A repeated request in the same conversation is the same run.
    let again = server.post("/v1/runs", &body).await.ok();
    assert_eq!(again["run_id"], first["run_id"]);
    assert_eq!(server.count("inspection").await, 1);
}

#[tokio::test]
async fn an_ended_run_cannot_be_cancelled() {
    let server = TestServer::start().await;
    let run = server.say("create task: Call Bob", "enqueue_and_wait").await;
    let path = format!("/v1/runs/{}/cancel", run["run_id"].as_str().unwrap());
    server.post(&path, &json!({})).await.problem(409, "conflict");
    let staged = server.say("create task: Later", "plan").await;
    let path = format!("/v1/runs/{}/cancel", staged["run_id"].as_str().unwrap());
    let cancelled = Answer::of(server.request(Method::POST, &path)).await.ok();
    assert_eq!(cancelled["status"], "cancelled");
    assert_eq!(cancelled["ok"], false);
    assert_eq!(server.count("task").await, 1);
}

#[tokio::test]
async fn a_server_stops_when_asked() {
    let mut server = TestServer::start().await;
    server.say("create task: Call Bob", "enqueue_and_wait").await;
    server.stop().await;
    assert!(server.client.get(server.url("/healthz")).send().await.is_err());
}
