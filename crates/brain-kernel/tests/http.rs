//! The `http` behavior against a real server on loopback: keys, secrets, criteria, mapping, and every way to get no
//! answer.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use brain_kernel::{Kernel, NextAction};
use brain_registry::Registry;
use brain_store::MemoryStore;
use common::{call, kernel, registry, scope};
use serde_json::{Value, json};

/// One request as the server saw it.
#[derive(Clone, Debug)]
struct Received {
    path: String,
    query: String,
    headers: HeaderMap,
    body: Value,
}

#[derive(Clone, Default)]
struct Outside(Arc<Mutex<Vec<Received>>>);

impl Outside {
    fn received(&self) -> Vec<Received> {
        self.0.lock().unwrap().clone()
    }
}

async fn answer(
    State(outside): State<Outside>,
    Path(path): Path<String>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let nth = {
        let mut received = outside.0.lock().unwrap();
        let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
        received.push(Received {
            path: path.clone(),
            query: uri.query().unwrap_or_default().to_owned(),
            headers,
            body,
        });
        received.iter().filter(|one| one.path == path).count()
    };
    match path.as_str() {
        "tickets" => {
            (StatusCode::CREATED, r#"{"ticket": {"number": 42, "price": 12.5}, "status": "open"}"#).into_response()
        }
        "flaky" if nth < 3 => StatusCode::SERVICE_UNAVAILABLE.into_response(),
        "flaky" => (StatusCode::OK, r#"{"ok": true}"#).into_response(),
        "busy" => (StatusCode::TOO_MANY_REQUESTS, "slow down").into_response(),
        "missing" => (StatusCode::NOT_FOUND, r#"{"error": "no such customer"}"#).into_response(),
        "lies" => (StatusCode::OK, r#"{"error": "payment declined"}"#).into_response(),
        "moved" => (StatusCode::FOUND, [("location", "/tickets")], "").into_response(),
        "slow" => {
            tokio::time::sleep(std::time::Duration::from_secs(60)).await;
            StatusCode::OK.into_response()
        }
        _ => StatusCode::IM_A_TEAPOT.into_response(),
    }
}

async fn outside() -> (SocketAddr, Outside) {
    let seen = Outside::default();
    let router = Router::new().route("/{*path}", axum::routing::any(answer)).with_state(seen.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    (addr, seen)
}

fn pack(addr: SocketAddr, secret: &str) -> Arc<Registry> {
    let pack = format!("name: desk\nversion: 1.0.0\ntitle: Desk\nhosts: [\"{addr}\"]\nsettings: {{team: north}}\n");
    let quick = "retry: {attempts: 3, delay: 1ms, max_delay: 2ms, backoff: fixed, jitter: 0}";
    let tools = format!(
        "domain: desk
tools:
  open:
    title: Open a ticket
    input: {{subject: string, urgent: {{type: boolean, default: false}}, note: {{type: string, optional: true}}}}
    phrases: [\"open ticket: {{subject}}\"]
    behavior:
      http:
        method: POST
        url: \"http://{addr}/tickets\"
        query: {{team: \"= settings.team\", note: \"= input.note\"}}
        headers: {{x-subject-length: \"= string length(input.subject)\"}}
        body: {{title: \"= input.subject\", urgent: \"= input.urgent\"}}
        auth: {{bearer: \"file:{secret}\"}}
        success: {{status: 201, contains: ticket}}
        result: {{number: \"= response.body.ticket.number\", price: \"= response.body.ticket.price\", state: \"= response.body.status\"}}
    output: {{number: integer, price: money, state: string}}
    idempotency: key
    undo: none
  flaky: {{title: Flaky, input: {{}}, phrases: [\"flaky one\"], behavior: {{http: {{method: POST, url: \"http://{addr}/flaky\"}}}}, idempotency: key, undo: none, {quick}}}
  busy: {{title: Busy, input: {{}}, phrases: [\"busy one\"], behavior: {{http: {{method: POST, url: \"http://{addr}/busy\"}}}}, idempotency: key, undo: none, {quick}}}
  missing: {{title: Missing, input: {{}}, phrases: [\"missing one\"], behavior: {{http: {{method: GET, url: \"http://{addr}/missing\"}}}}, undo: none}}
  lies: {{title: Lies, input: {{}}, phrases: [\"lies one\"], behavior: {{http: {{method: POST, url: \"http://{addr}/lies\", failure: {{contains: [error, failed]}}}}}}, undo: none}}
  moved: {{title: Moved, input: {{}}, phrases: [\"moved one\"], behavior: {{http: {{method: GET, url: \"http://{addr}/moved\"}}}}, undo: none}}
  slow: {{title: Slow, input: {{}}, phrases: [\"slow one\"], behavior: {{http: {{method: POST, url: \"http://{addr}/slow\"}}}}, idempotency: none, timeout: 100ms, undo: none}}
  gone: {{title: Gone, input: {{}}, phrases: [\"gone one\"], behavior: {{http: {{method: POST, url: \"http://{addr}/gone\", auth: {{bearer: \"env:BRAIN_TEST_NO_SUCH_SECRET\"}}}}}}, undo: none}}
"
    );
    registry(&[("pack.yaml", &pack), ("tools/desk.yaml", &tools)])
}

async fn desk(allow_private: bool) -> (Arc<Kernel>, Outside, tempfile::NamedTempFile) {
    let (addr, seen) = outside().await;
    let secret = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(secret.path(), "s3cret-token\n").unwrap();
    let registry = pack(addr, &secret.path().display().to_string());
    (kernel(registry, Arc::new(MemoryStore::new()), allow_private), seen, secret)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_carries_its_key_its_secret_and_its_values_and_maps_the_answer() {
    let (kernel, seen, _secret) = desk(true).await;
    let report = call(&kernel, "desk.open", json!({"subject": "Printer"})).await;
    assert!(report.ok, "{report:#?}");
    assert_eq!(report.receipts[0].result, json!({"number": 42, "price": "12.50", "state": "open"}));
    let received = seen.received().remove(0);
    assert_eq!(received.body, json!({"title": "Printer", "urgent": false}));
    assert_eq!(received.query, "team=north", "a null parameter is left out");
    assert_eq!(received.headers["authorization"], "Bearer s3cret-token");
    assert_eq!(received.headers["x-subject-length"], "7");
    assert_eq!(received.headers["idempotency-key"].to_str().unwrap(), report.receipts[0].call_id);
    let log = kernel.store().log(&scope(), report.run).unwrap();
    let written = format!("{log:?} {:?}", kernel.store().run(&scope(), report.run).unwrap());
    assert!(!written.contains("s3cret"), "secrets are never written");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_server_is_called_again_with_the_same_key() {
    let (kernel, seen, _secret) = desk(true).await;
    let report = call(&kernel, "desk.flaky", json!({})).await;
    assert!(report.ok, "{report:#?}");
    let keys: Vec<_> = seen.received().iter().map(|received| received.headers["idempotency-key"].clone()).collect();
    assert_eq!(keys.len(), 3);
    assert!(keys.windows(2).all(|two| two[0] == two[1]));
    assert_eq!(report.receipts.iter().map(|one| one.status).collect::<Vec<_>>(), ["in_doubt", "in_doubt", "succeeded"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn exhausted_attempts_become_a_dead_letter_and_are_reported() {
    let (kernel, seen, _secret) = desk(true).await;
    let report = call(&kernel, "desk.busy", json!({})).await;
    assert!(!report.ok);
    assert_eq!((report.status.as_str(), report.errors[0].code.as_str()), ("waiting", "dead_letter"));
    assert!(report.message.contains("429"), "{}", report.message);
    assert_eq!(seen.received().len(), 3);
    let letters = kernel.store().dead_letters(&scope(), Some(true), 10, None).unwrap().items;
    assert_eq!(letters.len(), 1);
    assert_eq!(report.next_actions[0], NextAction::Decide { letter: letters[0].id.to_string() });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_a_business_failure_and_is_not_repeated() {
    let (kernel, seen, _secret) = desk(true).await;
    for (tool, code) in [("desk.missing", "http_404"), ("desk.lies", "http_200"), ("desk.moved", "http_302")] {
        let report = call(&kernel, tool, json!({})).await;
        assert_eq!((report.ok, report.status.as_str()), (false, "failed"), "{tool}");
        assert_eq!(report.errors[0].code, code, "{tool}");
    }
    assert_eq!(seen.received().len(), 3, "a redirect is not followed");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_without_a_key_is_in_doubt() {
    let (kernel, seen, _secret) = desk(true).await;
    let report = call(&kernel, "desk.slow", json!({})).await;
    assert_eq!((report.ok, report.errors[0].code.as_str()), (false, "in_doubt"));
    assert_eq!(report.receipts[0].status, "in_doubt");
    assert_eq!(seen.received().len(), 1, "it is not called again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_secret_is_named_and_nothing_is_sent() {
    let (kernel, seen, _secret) = desk(true).await;
    let report = call(&kernel, "desk.gone", json!({})).await;
    assert!(!report.ok);
    assert!(report.message.contains("BRAIN_TEST_NO_SUCH_SECRET"), "{}", report.message);
    assert!(seen.received().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn private_addresses_are_not_called_unless_the_operator_allows_it() {
    let (kernel, seen, _secret) = desk(false).await;
    let report = call(&kernel, "desk.flaky", json!({})).await;
    assert!(!report.ok);
    assert!(report.message.contains("--allow-private-hosts"), "{}", report.message);
    assert!(seen.received().is_empty());
}
