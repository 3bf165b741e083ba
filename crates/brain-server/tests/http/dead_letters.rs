//! Dead letters, and waiting for outside work.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::post;
use brain_server::ServerConfig;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::support::{TestServer, pack};

/// An external system that answers as the test says.
struct Outside {
    status: AtomicU16,
    calls: AtomicUsize,
    /// Permits for answers.
    answers: Semaphore,
}

impl Outside {
    async fn start() -> (Arc<Self>, u16) {
        let answers = Semaphore::new(1_000);
        let outside = Arc::new(Self { status: AtomicU16::new(500), calls: AtomicUsize::new(0), answers });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = outside.clone();
        let answer = move || {
            let shared = shared.clone();
            async move {
                shared.calls.fetch_add(1, Ordering::SeqCst);
                shared.answers.acquire().await.unwrap().forget();
                let status = StatusCode::from_u16(shared.status.load(Ordering::SeqCst)).unwrap();
                (status, axum::Json(json!({"receipt": "r-1"})))
            }
        };
        let router = Router::new().route("/send", post(answer));
        tokio::spawn(async move { axum::serve(listener, router).await });
        (outside, port)
    }

    fn answers(&self, status: u16) {
        self.status.store(status, Ordering::SeqCst);
    }
}

async fn start() -> (TestServer, Arc<Outside>) {
    start_with(ServerConfig::new("127.0.0.1:0".parse().unwrap())).await
}

async fn start_with(config: ServerConfig) -> (TestServer, Arc<Outside>) {
    let (outside, port) = Outside::start().await;
    let tools = format!(
        "domain: mail
tools:
  send:
    title: Send a letter
    input: {{to: string}}
    phrases: [\"send a letter to {{to}}\"]
    effect: external
    undo: none
    retry: none
    idempotency: key
    behavior:
      http: {{method: POST, url: \"http://127.0.0.1:{port}/send\"}}
    output: {{receipt: string}}
    summary: \"Sent.\"
"
    );
    let manifest = format!("name: mail\nversion: 1\ntitle: Mail\nhosts: [\"127.0.0.1:{port}\"]\n");
    let registry = pack(&[("pack.yaml", manifest), ("tools/mail.yaml", tools)]);
    let server = TestServer::with(registry, config).await;
    (server, outside)
}

/// A run that failed outside, and the path of its dead letter.
async fn parked(server: &TestServer) -> (Value, String) {
    let run = server.say("send a letter to Bob", "enqueue_and_wait").await;
    assert_eq!((&run["ok"], &run["status"]), (&json!(false), &json!("waiting")), "{run}");
    assert_eq!(run["receipts"][0]["error"]["code"], "http_500", "{run}");
    let path = format!("/v1/dead-letters/{}", run["enqueued"][0]["call_id"].as_str().unwrap());
    (run, path)
}

#[tokio::test]
async fn a_failed_call_becomes_a_dead_letter_and_a_retry_ends_the_run() {
    let (server, outside) = start().await;
    let (run, path) = parked(&server).await;
    let letter = server.get(&path).await.ok();
    assert_eq!((&letter["run_id"], &letter["tool_name"]), (&run["run_id"], &json!("mail.send")));
    assert_eq!((&letter["open"], &letter["attempts"]), (&json!(true), &json!(1)), "{letter}");
    assert_eq!(letter["failure"]["code"], "http_500");
    let open = server.get("/v1/dead-letters?open=true").await.ok();
    assert_eq!(open["items"], json!([letter]));
    assert_eq!(server.get("/v1/dead-letters?open=false").await.ok()["items"], json!([]));
    outside.answers(200);
    let decided = server.post(&format!("{path}/retry"), &json!({"note": "they are back"})).await.ok();
    assert_eq!(decided["letter"]["open"], false, "{decided}");
    assert_eq!(decided["letter"]["resolution"]["note"], "they are back");
    assert_eq!(decided["run"]["run_id"], run["run_id"]);
    let scope = brain_store::Scope::of(brain_core::TenantId::default_tenant());
    let id = run["run_id"].as_str().unwrap();
    server.kernel.engine().wait(&scope, id.parse().unwrap()).await.unwrap();
    let ended = server.get(&format!("/v1/runs/{id}")).await.ok();
    assert_eq!((&ended["ok"], &ended["status"]), (&json!(true), &json!("completed")), "{ended}");
    assert_eq!(ended["receipts"].as_array().unwrap().len(), 2);
    server.post(&format!("{path}/retry"), &json!({})).await.problem(409, "already_decided");
    assert_eq!(outside.calls.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_retry_without_a_body_is_accepted() {
    let (server, outside) = start().await;
    let (_, path) = parked(&server).await;
    outside.answers(200);
    let request = server.request(reqwest::Method::POST, &format!("{path}/retry"));
    crate::support::Answer::of(request).await.ok();
}

#[tokio::test]
async fn a_dead_letter_is_resolved_by_skipping_its_step() {
    let (server, outside) = start().await;
    let (_, path) = parked(&server).await;
    let decided = server.post(&format!("{path}/resolve"), &json!({"note": "not needed"})).await.ok();
    // The call may have happened, and nobody said whether it did.
    assert_eq!(decided["letter"]["resolution"]["outcome"], "never_decided", "{decided}");
    assert_eq!(decided["run"]["errors"][0]["code"], "in_doubt", "{decided}");
    assert_eq!((&decided["run"]["ok"], &decided["run"]["status"]), (&json!(true), &json!("completed")), "{decided}");
    assert_eq!(outside.calls.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_dead_letter_is_resolved_with_a_result_from_elsewhere() {
    let (server, outside) = start().await;
    let (_, path) = parked(&server).await;
    let resolve = format!("{path}/resolve");
    let wrong = json!({"note": "by phone", "outcome": "done", "result": {"receipt": 5}});
    let problem = server.post(&resolve, &wrong).await.problem(422, "invalid_request");
    assert_eq!(problem["errors"][0]["field"], "result.receipt", "{problem}");
    let right = json!({"note": "by phone", "outcome": "done", "result": {"receipt": "r-9"}});
    let decided = server.post(&resolve, &right).await.ok();
    assert_eq!((&decided["run"]["ok"], &decided["run"]["status"]), (&json!(true), &json!("completed")), "{decided}");
    assert!(decided["run"].to_string().contains("r-9"), "{decided}");
    assert_eq!(outside.calls.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_dead_letter_is_abandoned() {
    let (server, _) = start().await;
    let (_, path) = parked(&server).await;
    let body = json!({"note": "hopeless", "outcome": "abandon"});
    let decided = server.post(&format!("{path}/resolve"), &body).await.ok();
    assert_eq!((&decided["run"]["ok"], &decided["run"]["status"]), (&json!(false), &json!("failed")), "{decided}");
}

#[tokio::test]
async fn an_escalated_dead_letter_stays_open() {
    let (server, _) = start().await;
    let (_, path) = parked(&server).await;
    let decided = server.post(&format!("{path}/escalate"), &json!({"to": "Ann", "note": "please look"})).await.ok();
    assert_eq!(decided["letter"]["open"], true, "{decided}");
    assert_eq!(decided["letter"]["escalated"]["to"], "Ann");
    server.post(&format!("{path}/resolve"), &json!({"note": "Ann did it"})).await.ok();
    server.post(&format!("{path}/escalate"), &json!({"to": "Ann"})).await.problem(409, "already_decided");
}

#[tokio::test]
async fn a_malformed_decision_changes_nothing() {
    let (server, outside) = start().await;
    let (_, path) = parked(&server).await;
    for body in [
        json!({}),
        json!({"note": ""}),
        json!({"note": "  "}),
        json!({"note": "x", "outcome": "finished"}),
        json!({"note": "x", "outcome": "done"}),
        json!({"note": "x", "outcome": "done", "result": []}),
        json!({"note": "x", "outcome": "skip", "result": {}}),
        json!({"note": "x".repeat(5_000)}),
        json!({"note": "x", "why": "y"}),
    ] {
        server.post(&format!("{path}/resolve"), &body).await.problem(422, "invalid_request");
    }
    for body in [json!({}), json!({"to": ""}), json!({"to": 1}), json!({"to": "x".repeat(300)})] {
        server.post(&format!("{path}/escalate"), &body).await.problem(422, "invalid_request");
    }
    server.post(&format!("{path}/retry"), &json!({"not": "x"})).await.problem(422, "invalid_request");
    let nobody = "/v1/dead-letters/01890a5d-ac96-774b-bcce-b302099a8057";
    server.post(&format!("{nobody}/retry"), &json!({})).await.problem(404, "no_such_dead_letter");
    server.post(&format!("{nobody}/resolve"), &json!({"note": "x"})).await.problem(404, "no_such_dead_letter");
    server.post(&format!("{nobody}/escalate"), &json!({"to": "x"})).await.problem(404, "no_such_dead_letter");
    assert_eq!(server.get(&path).await.ok()["open"], true);
    assert_eq!(outside.calls.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_wait_that_times_out_is_reported_and_nothing_is_lost() {
    let (server, outside) = start().await;
    outside.answers(200);
    outside.answers.forget_permits(1_000);
    let body = json!({"message": "send a letter to Bob", "limits": {"wait_timeout_ms": 1}});
    let run = server.post("/v1/runs", &body).await.ok();
    assert_eq!(run["ok"], false, "{run}");
    assert_eq!(run["errors"][0]["code"], "wait_timeout");
    assert_eq!(run["enqueued"][0]["tool_name"], "mail.send");
    assert_eq!(run["receipts"], json!([]));
    let staged = server.say("send a letter to Sue", "plan").await;
    let path = format!("/v1/approvals/{}", staged["approval_id"].as_str().unwrap());
    let approved = server.post(&path, &json!({"decision": "approve", "wait_timeout_ms": 1})).await.ok();
    assert_eq!(approved["errors"][0]["code"], "wait_timeout", "{approved}");
    let metrics = server.get("/metrics").await.body;
    assert!(metrics.as_str().unwrap().contains("brain_outside_jobs "), "{metrics}");
    outside.answers.add_permits(2);
    let scope = brain_store::Scope::of(brain_core::TenantId::default_tenant());
    for begun in [&run, &approved] {
        let id = begun["run_id"].as_str().unwrap();
        server.kernel.engine().wait(&scope, id.parse().unwrap()).await.unwrap();
        let ended = server.get(&format!("/v1/runs/{id}")).await.ok();
        assert_eq!((&ended["ok"], &ended["status"]), (&json!(true), &json!("completed")), "{ended}");
    }
}

#[tokio::test]
async fn a_request_that_waits_too_long_is_answered_in_time_and_its_run_goes_on() {
    let mut config = ServerConfig::new("127.0.0.1:0".parse().unwrap());
    config.request_timeout = Duration::from_millis(200);
    let (server, outside) = start_with(config).await;
    outside.answers(200);
    outside.answers.forget_permits(1_000);
    let answer = server.post("/v1/runs", &json!({"message": "send a letter to Bob"})).await;
    let waiting = answer.ok();
    assert_eq!((&waiting["ok"], &waiting["errors"][0]["code"]), (&json!(false), &json!("wait_timeout")), "{waiting}");
    outside.answers.add_permits(1);
    let runs = server.get("/v1/runs").await.ok();
    let id = runs["items"][0]["run_id"].as_str().unwrap();
    let scope = brain_store::Scope::of(brain_core::TenantId::default_tenant());
    server.kernel.engine().wait(&scope, id.parse().unwrap()).await.unwrap();
    assert_eq!(server.get(&format!("/v1/runs/{id}")).await.ok()["status"], "completed");
}
