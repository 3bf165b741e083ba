//! Malformed requests.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{Answer, TestServer};

async fn raw(server: &TestServer, body: impl Into<reqwest::Body>) -> Answer {
    let request = server.request(Method::POST, "/v1/runs").header("content-type", "application/json").body(body);
    Answer::of(request).await
}

#[tokio::test]
async fn a_syntax_error_is_reported_with_its_position() {
    let server = TestServer::start().await;
    let problem = raw(&server, "{\"message\": \"hi\",\n  \"mode\": plan}").await.problem(400, "bad_json");
    assert!(problem["detail"].as_str().unwrap().starts_with("Line 2, column 11: "), "{problem}");
    for broken in ["", "{", "nope", "{\"message\": \"a\"} x", "{\"message\": \"\\ud800\"}"] {
        raw(&server, broken).await.problem(400, "bad_json");
    }
    raw(&server, vec![b'{', b'"', 0xff, b'"', b':', b'1', b'}']).await.problem(400, "bad_json");
    let deep = format!(
        "{{\"message\": \"a\", \"context\": {}{}}}",
        "{\"a\":".repeat(5_000),
        "1".to_owned() + &"}".repeat(5_000)
    );
    raw(&server, deep).await.problem(400, "bad_json");
}

#[tokio::test]
async fn a_body_of_the_wrong_shape_names_the_field() {
    let server = TestServer::start().await;
    for (body, field) in [
        (json!({"message": 5}), "message"),
        (json!({"message": null}), "message"),
        (json!({"message": "a", "mode": "run"}), "mode"),
        (json!({"message": "a", "mesage": "b"}), "mesage"),
        (json!({"message": "a", "conversation_id": "123"}), "conversation_id"),
        (json!({"message": "a", "context": []}), "context"),
        (json!({"message": "a", "limits": {"max_tool_calls": 0}}), "limits.max_tool_calls"),
        (json!({"message": "a", "limits": {"max_tool_calls": 10_001}}), "limits.max_tool_calls"),
        (json!({"message": "a", "limits": {"max_tool_calls": -1}}), "limits.max_tool_calls"),
        (json!({"message": "a", "limits": {"max_tool_calls": 1.5}}), "limits.max_tool_calls"),
        (json!({"message": "a", "limits": {"max_tool_calls": "1"}}), "limits.max_tool_calls"),
        (json!({"message": "a", "limits": {"wait_timeout_ms": 120_001}}), "limits.wait_timeout_ms"),
        (json!({"message": "a", "limits": {"wait": 1}}), "limits.wait"),
        (json!({"message": "a", "limits": [1, 1]}), "limits"),
        (json!({"message": "", "calls": [["os.create_task", {}]]}), "calls[0]"),
        (json!(["create task: By list"]), ""),
        (json!({"message": "", "calls": [{"tool": "os.create_task"}]}), "calls[0].tool"),
        (json!({"message": "", "calls": [{"tool_name": "os.create_task", "input": 1}]}), "calls[0].input"),
    ] {
        let problem = server.post("/v1/runs", &body).await.problem(422, "invalid_request");
        assert_eq!(problem["errors"][0]["field"], field, "{body} gives {problem}");
    }
    for nothing in [json!({}), json!({"mode": "plan"}), json!({"message": "  "}), json!({"calls": []})] {
        server.post("/v1/runs", &nothing).await.problem(422, "empty_message");
    }
    let runs = server.get("/v1/runs").await.ok();
    assert_eq!(runs["items"], json!([]), "none of these became a run");
}

#[tokio::test]
async fn an_unknown_field_comes_with_a_suggestion() {
    let server = TestServer::start().await;
    let problem = server.post("/v1/runs", &json!({"mesage": "hi"})).await.problem(422, "invalid_request");
    assert!(problem["detail"].as_str().unwrap().contains("did you mean `message`?"), "{problem}");
}

#[tokio::test]
async fn null_is_the_same_as_left_out() {
    let server = TestServer::start().await;
    let body = json!({
        "message": "create task: Null", "mode": null, "conversation_id": null, "context": null, "limits": null, "calls": null,
    });
    assert_eq!(server.post("/v1/runs", &body).await.ok()["ok"], true);
}

#[tokio::test]
async fn an_oversized_message_is_rejected() {
    let server = TestServer::start().await;
    let fits = format!("create note: {}", "a".repeat(64 * 1024 - "create note: ".len()));
    assert_eq!(fits.len(), 64 * 1024);
    let answer = server.post("/v1/runs", &json!({"message": fits})).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    let body = json!({"message": "a".repeat(64 * 1024 + 1)});
    server.post("/v1/runs", &body).await.problem(413, "message_too_large");
}

#[tokio::test]
async fn a_body_of_sixty_four_mebibytes_is_too_large_and_one_of_fifty_is_not() {
    let server = TestServer::start().await;
    let body = json!({"message": "a".repeat(64 * 1024 * 1024)});
    server.post("/v1/runs", &body).await.problem(413, "body_too_large");
    // The body is parsed: its message is too long, not the body.
    let body = json!({"message": "a".repeat(50 * 1024 * 1024)});
    server.post("/v1/runs", &body).await.problem(413, "message_too_large");
    assert_eq!(server.say("list tasks", "enqueue_and_wait").await["ok"], true, "the server still works");
}

#[tokio::test]
async fn a_body_must_be_declared_as_json() {
    let server = TestServer::start().await;
    let text = "{\"message\": \"list tasks\"}";
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx"] {
        let request = server.request(Method::POST, "/v1/runs").header("content-type", kind).body(text);
        Answer::of(request).await.problem(415, "unsupported_media_type");
    }
    Answer::of(server.request(Method::POST, "/v1/runs").body(text)).await.problem(415, "unsupported_media_type");
    let request = server.request(Method::POST, "/v1/runs");
    Answer::of(request.header("content-type", "application/json; charset=utf-8").body(text)).await.ok();
}

#[tokio::test]
async fn a_missing_resource_is_a_problem() {
    let server = TestServer::start().await;
    let id = "01890a5d-ac96-774b-bcce-b302099a8057";
    server.get("/v1/nothing").await.problem(404, "not_found");
    server.get(&format!("/v1/runs/{id}")).await.problem(404, "no_such_run");
    server.get(&format!("/v1/runs/{id}/events")).await.problem(404, "no_such_run");
    server.get(&format!("/v1/runs/{id}/receipts")).await.problem(404, "no_such_run");
    server.post(&format!("/v1/runs/{id}/cancel"), &Value::Null).await.problem(404, "no_such_run");
    let tool = server.get("/v1/tools/os.create_tsk").await.problem(404, "no_such_tool");
    assert!(tool["detail"].as_str().unwrap().contains("os.create_task"), "{tool}");
    let kind = server.get("/v1/records/leed").await.problem(404, "no_such_record_type");
    assert!(kind["detail"].as_str().unwrap().contains("`lead`"), "{kind}");
    server.get(&format!("/v1/records/lead/{id}")).await.problem(404, "no_such_record");
    server.get(&format!("/v1/approvals/{id}")).await.problem(404, "no_such_approval");
    server.get(&format!("/v1/dead-letters/{id}")).await.problem(404, "no_such_dead_letter");
    for path in ["/v1/runs/1", "/v1/runs/1/events", "/v1/records/lead/1", "/v1/approvals/1", "/v1/dead-letters/1"] {
        server.get(path).await.problem(400, "bad_id");
    }
    server.get("/v1/runs/%FF").await.problem(400, "bad_id");
}

#[tokio::test]
async fn an_unsupported_method_is_a_problem() {
    let server = TestServer::start().await;
    for (method, path) in [
        (Method::DELETE, "/v1/runs"),
        (Method::PUT, "/v1/tools"),
        (Method::POST, "/healthz"),
        (Method::PATCH, "/v1/records/lead"),
    ] {
        let answer = Answer::of(server.request(method, path)).await;
        assert!(answer.headers.contains_key("allow"), "{:?}", answer.headers);
        answer.problem(405, "method_not_allowed");
    }
}

/// The body never arrives: the request times out.
#[tokio::test]
async fn a_request_that_never_ends_times_out() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut config = brain_server::ServerConfig::new("127.0.0.1:0".parse().unwrap());
    config.request_timeout = std::time::Duration::from_millis(50);
    let server = TestServer::with(crate::support::trades(), config).await;
    let url = server.url("");
    let host = url.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = tokio::net::TcpStream::connect(host).await.unwrap();
    let head = format!(
        "POST /v1/runs HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: 20\r\nconnection: close\r\n\r\n{{"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
    assert!(answer.contains("\"code\":\"timed_out\"") && answer.contains("retry-after: 5"), "{answer}");
}
