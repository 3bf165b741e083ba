//! `packs/desk` against a real ticket system: an external API that is busy first, a worker, a delegated investigation, a
//! review with a correction, lost answers and an undo, all over HTTP and with the real binary.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::extract::{Path as UrlPath, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use common::Server;
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);
const TOKEN: &str = "let-me-in";
const SECRET: &str = "a secret that both sides know";
/// The address of the ticket system in the pack.
const DECLARED: &str = "127.0.0.1:7801";

/// The state of the outside ticket system.
#[derive(Default)]
struct Tickets {
    /// Subjects by number.
    tickets: BTreeMap<String, String>,
    /// Numbers by idempotency key.
    by_key: BTreeMap<String, String>,
    /// The keys of all calls that create a ticket, including rejected ones.
    asked: Vec<String>,
    /// How many calls are answered with 503 before one is accepted.
    busy: u32,
    /// References of refunds.
    refunds: Vec<String>,
    /// Callback URLs of investigations.
    investigations: Vec<Value>,
}

type Shared = Arc<Mutex<Tickets>>;

fn allowed(headers: &HeaderMap) -> bool {
    headers.get("authorization").is_some_and(|value| value == &format!("Bearer {TOKEN}"))
}

async fn create(State(api): State<Shared>, headers: HeaderMap, body: Json<Value>) -> (StatusCode, Json<Value>) {
    if !allowed(&headers) {
        return (StatusCode::UNAUTHORIZED, Json(json!({"error": "who are you?"})));
    }
    let key = headers["idempotency-key"].to_str().unwrap().to_owned();
    let mut api = api.lock().unwrap();
    api.asked.push(key.clone());
    // The ticket exists before the answer fails: without the key, the second call would create another one.
    let next = format!("T-{}", api.by_key.len() + 1);
    let number = api.by_key.entry(key).or_insert(next).clone();
    api.tickets.insert(number.clone(), body["subject"].as_str().unwrap().to_owned());
    if api.busy > 0 {
        api.busy -= 1;
        return (StatusCode::SERVICE_UNAVAILABLE, Json(json!({"error": "busy"})));
    }
    (StatusCode::CREATED, Json(json!({"number": number})))
}

async fn show(State(api): State<Shared>, UrlPath(number): UrlPath<String>) -> (StatusCode, Json<Value>) {
    match api.lock().unwrap().tickets.get(&number) {
        Some(subject) => (StatusCode::OK, Json(json!({"number": number, "subject": subject, "status": "open"}))),
        None => (StatusCode::NOT_FOUND, Json(json!({"error": "no such ticket"}))),
    }
}

async fn remove(State(api): State<Shared>, UrlPath(number): UrlPath<String>) -> StatusCode {
    let known = api.lock().unwrap().tickets.remove(&number).is_some();
    if known { StatusCode::NO_CONTENT } else { StatusCode::NOT_FOUND }
}

/// Pays without answering, so that only the check can tell whether it happened.
async fn pay_back(State(api): State<Shared>, body: Json<Value>) -> StatusCode {
    api.lock().unwrap().refunds.push(body["reference"].as_str().unwrap().to_owned());
    tokio::time::sleep(PATIENCE).await;
    StatusCode::OK
}

async fn was_paid_back(State(api): State<Shared>, UrlPath(reference): UrlPath<String>) -> (StatusCode, Json<Value>) {
    if api.lock().unwrap().refunds.contains(&reference) {
        return (StatusCode::OK, Json(json!({"refund": "r-1"})));
    }
    (StatusCode::NOT_FOUND, Json(json!({})))
}

async fn investigate(State(api): State<Shared>, body: Json<Value>) -> (StatusCode, Json<Value>) {
    api.lock().unwrap().investigations.push(body.0);
    (StatusCode::ACCEPTED, Json(json!({"case": "INV-7"})))
}

async fn extract(body: Json<Value>) -> Json<Value> {
    let text = body["text"].as_str().unwrap();
    Json(json!({"subject": text.replace("my ", ""), "confidence": 0.4}))
}

async fn ticket_system() -> (Shared, String) {
    let api = Shared::default();
    let routes = Router::new()
        .route("/tickets", post(create))
        .route("/tickets/{number}", get(show))
        .route("/tickets/{number}", delete(remove))
        .route("/refunds", post(pay_back))
        .route("/refunds/{reference}", get(was_paid_back))
        .route("/investigations", post(investigate))
        .route("/extract", post(extract))
        .with_state(api.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move { axum::serve(listener, routes).await });
    (api, addr)
}

/// Copies a folder with some texts replaced.
fn copy(from: &Path, to: &Path, words: &[(&str, &str)]) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target, words);
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let text = words.iter().fold(text, |text, (word, other)| text.replace(word, other));
        std::fs::write(target, text).unwrap();
    }
}

/// A server with a copy of the pack that calls this test's ticket system. Secrets are in files, because a test must not
/// change the environment.
struct Desk {
    api: Shared,
    server: Server,
    client: reqwest::Client,
    _folder: tempfile::TempDir,
}

impl Desk {
    async fn start() -> Self {
        drop(rustls::crypto::ring::default_provider().install_default());
        let (api, addr) = ticket_system().await;
        let folder = tempfile::tempdir().unwrap();
        let secret = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            format!("file:{}", path.display())
        };
        let (token, callback) = (secret("token", TOKEN), secret("callback", SECRET));
        let words = [
            (DECLARED, addr.as_str()),
            ("env:DESK_TOKEN", token.as_str()),
            ("env:DESK_CALLBACK_SECRET", callback.as_str()),
            // A short timeout, to keep the test fast.
            ("consent: user\n    output: {refund", "consent: user\n    timeout: 1s\n    output: {refund"),
        ];
        let pack = folder.path().join("desk");
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/desk"), &pack, &words);
        let pack = pack.display().to_string();
        let store = folder.path().join("desk.db");
        let server = Server::start(&store, &["--pack", pack.as_str(), "--allow-private-hosts"]);
        Self { api, server, client: reqwest::Client::new(), _folder: folder }
    }

    async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let answer = self.client.post(format!("{}{path}", self.server.url)).json(body).send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    async fn ok(&self, path: &str, body: &Value) -> Value {
        let (status, answer) = self.post(path, body).await;
        assert!([200, 202].contains(&status), "{path}: {status} {answer:#}");
        answer
    }

    async fn get(&self, path: &str) -> Value {
        self.client.get(format!("{}{path}", self.server.url)).send().await.unwrap().json().await.unwrap()
    }

    async fn say(&self, message: &str) -> Value {
        self.ok("/v1/runs", &json!({"message": message})).await
    }

    async fn call(&self, tool: &str, input: Value) -> Value {
        let call = json!({"message": "", "mode": "enqueue", "calls": [{"tool_name": tool, "input": input}]});
        self.ok("/v1/runs", &call).await
    }

    /// Waits until the run has this status.
    async fn settled(&self, run: &Value, status: &str) -> Value {
        let (started, path) = (Instant::now(), format!("/v1/runs/{}", run["run_id"].as_str().unwrap()));
        loop {
            let state = self.get(&path).await;
            if state["status"] == status {
                return state;
            }
            assert!(started.elapsed() < PATIENCE, "the run never became {status}: {state:#}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn records(&self, kind: &str) -> Vec<Value> {
        self.get(&format!("/v1/records/{kind}")).await["items"].as_array().unwrap().clone()
    }

    /// A customer and a ticket.
    async fn ticket(&self) -> (String, String) {
        let customer = self.say("new customer Ada Lovelace, ada@example.com, plan pro").await;
        let customer = result(&customer, "customer_id");
        let run = self.say(&format!("open a ticket for customer {customer}: cannot log in")).await;
        assert_eq!(run["status"], "completed", "{run:#}");
        (customer, result(&run, "ticket_id"))
    }
}

/// A field of one of the results of a run.
fn result(run: &Value, field: &str) -> String {
    let receipts = run["receipts"].as_array().unwrap();
    let found = receipts.iter().find_map(|receipt| receipt["result"][field].as_str());
    found.unwrap_or_else(|| panic!("no {field} in {run:#}")).to_owned()
}

#[test]
fn the_pack_has_no_problems_and_passes_its_own_tests() {
    let folder = tempfile::tempdir().unwrap();
    let pack = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packs/desk");
    let checked = common::run(&folder.path().join("no.db"), &["pack", "check", pack]);
    let text = common::text(&checked);
    assert!(checked.status.success() && !text.contains("warning"), "{text}");
    let tested = common::run(&folder.path().join("no.db"), &["pack", "test", pack]);
    let text = common::text(&tested);
    assert!(tested.status.success() && text.contains("scenarios: 13 passed, 0 failed"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ticket_is_created_once_even_when_the_system_is_busy_and_undone_in_both_places() {
    let desk = Desk::start().await;
    desk.api.lock().unwrap().busy = 2;
    let (_, ticket) = desk.ticket().await;
    {
        let api = desk.api.lock().unwrap();
        assert_eq!(api.asked.len(), 3, "rejected twice");
        assert_eq!(api.asked.iter().collect::<BTreeSet<_>>().len(), 1, "always with the same key");
        assert_eq!(api.tickets.len(), 1, "one ticket");
    }
    let shown = desk.say("outside status of T-1").await;
    assert!(shown["assistant_message"].as_str().unwrap().contains("T-1 is open there."), "{shown:#}");

    let closed = desk.say(&format!("close ticket {ticket}")).await;
    let undo = desk.ok(&format!("/v1/runs/{}/undo", closed["run_id"].as_str().unwrap()), &json!({})).await;
    assert_eq!(desk.records("ticket").await[0]["state"], "closed", "nothing happens before it is approved");
    let approve = format!("/v1/approvals/{}", undo["approval_id"].as_str().unwrap());
    desk.ok(&approve, &json!({"decision": "approve"})).await;
    desk.settled(&undo, "completed").await;
    assert_eq!(desk.records("ticket").await[0]["state"], "open");
}

#[tokio::test(flavor = "multi_thread")]
async fn opening_a_ticket_is_undone_here_and_outside() {
    let desk = Desk::start().await;
    let customer = result(&desk.say("new customer Ada Lovelace, ada@example.com, plan pro").await, "customer_id");
    let run = desk.say(&format!("open a ticket for customer {customer}: by mistake")).await;
    assert_eq!((desk.records("ticket").await.len(), desk.api.lock().unwrap().tickets.len()), (1, 1), "{run:#}");
    let undo = desk.ok(&format!("/v1/runs/{}/undo", run["run_id"].as_str().unwrap()), &json!({})).await;
    let approve = format!("/v1/approvals/{}", undo["approval_id"].as_str().unwrap());
    desk.ok(&approve, &json!({"decision": "approve"})).await;
    desk.settled(&undo, "completed").await;
    assert_eq!((desk.records("ticket").await.len(), desk.api.lock().unwrap().tickets.len()), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_fetches_a_recording_and_its_transcript_becomes_a_note() {
    let desk = Desk::start().await;
    let (_, ticket) = desk.ticket().await;
    let blobs = format!("{}/v1/blobs", desk.server.url);
    let upload = desk.client.post(&blobs).header("content-type", "audio/wav").body("please call back");
    let recording = upload.send().await.unwrap().json::<Value>().await.unwrap()["blob"].take();
    let run = desk.call("desk.voicemail", json!({"ticket_id": ticket, "recording": recording})).await;
    let take = json!({"topics": ["transcribe"], "worker": "ears", "wait_timeout_ms": 20_000});
    let job = desk.ok("/v1/jobs/activate", &take).await["jobs"][0].clone();
    assert_eq!(job["run_id"], run["run_id"], "{job:#}");
    // The worker gets a reference and fetches the content.
    let hash = job["input"]["recording"]["$blob"].as_str().unwrap();
    let recording = desk.client.get(format!("{blobs}/{hash}")).send().await.unwrap().text().await.unwrap();
    let path = |what: &str| format!("/v1/jobs/{}/{what}", job["job_id"].as_str().unwrap());
    desk.ok(&path("extend"), &json!({"lease": job["lease"], "lease_ms": 60_000})).await;
    let answer = json!({"lease": job["lease"], "result": {"text": recording, "seconds": 12}});
    desk.ok(&path("complete"), &answer).await;
    desk.settled(&run, "completed").await;
    assert_eq!(desk.records("note").await[0]["body"], "Voicemail: please call back");
    assert_eq!(desk.post(&path("complete"), &answer).await.0, 409, "an answer counts once");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_investigation_ends_with_a_signed_callback() {
    let desk = Desk::start().await;
    let (_, ticket) = desk.ticket().await;
    let run = desk.say(&format!("investigate ticket {ticket}: why is it slow")).await;
    assert!(run["waits_for"].to_string().contains("INV-7"), "{run:#}");
    let asked = desk.api.lock().unwrap().investigations[0].clone();
    let url = asked["callback_url"].as_str().unwrap();
    let path = &url[url.find("/v1/").unwrap()..];
    let body = json!({"result": {"finding": "a missing index"}}).to_string();
    let seconds = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs().cast_signed();
    let send = async |secret: &str| {
        let signature = brain_kernel::sign_callback(secret, seconds, body.as_bytes());
        let request = desk.client.post(format!("{}{path}", desk.server.url)).header("brain-signature", signature);
        let answer = request.body(body.clone()).send().await.unwrap();
        (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
    };
    assert_eq!(send("another secret").await.0, 401);
    assert_eq!(send(SECRET).await, (200, json!({"taken": true})));
    desk.settled(&run, "completed").await;
    assert_eq!(desk.records("note").await[0]["body"], "Engineers: a missing index");
    assert_eq!(send(SECRET).await, (200, json!({"taken": false})), "the second one changes nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_extracted_subject_is_corrected_before_a_ticket_is_opened() {
    let desk = Desk::start().await;
    let customer = result(&desk.say("new customer Ada Lovelace, ada@example.com, plan pro").await, "customer_id");
    let run = desk.say(&format!("mail from customer {customer}: my prnter is broken")).await;
    let question = "Is \"prnter is broken\" what the customer wants?";
    assert!(run["assistant_message"].as_str().unwrap().contains(question), "{run:#}");
    assert!(desk.api.lock().unwrap().tickets.is_empty());
    let path = format!("/v1/runs/{}/review", run["run_id"].as_str().unwrap());
    desk.ok(&path, &json!({"verdict": "accept", "corrections": {"subject": "printer is broken"}})).await;
    desk.settled(&run, "completed").await;
    assert_eq!(desk.api.lock().unwrap().tickets["T-1"], "printer is broken");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unconfirmed_refund_is_checked_and_not_paid_twice() {
    let desk = Desk::start().await;
    let (_, ticket) = desk.ticket().await;
    desk.say(&format!("add to ticket {ticket}: charged twice")).await;
    let run = desk.say(&format!("refund 40 on ticket {ticket}")).await;
    assert!(run["assistant_message"].as_str().unwrap().contains("40.00 EUR leave the account"), "{run:#}");
    assert!(desk.api.lock().unwrap().refunds.is_empty(), "it needs an approval first");
    let approve = format!("/v1/approvals/{}", run["approval_id"].as_str().unwrap());
    desk.ok(&approve, &json!({"decision": "approve"})).await;
    let done = desk.settled(&run, "completed").await;
    assert_eq!(result(&done, "refund"), "r-1");
    assert_eq!(desk.api.lock().unwrap().refunds.len(), 1);
}
