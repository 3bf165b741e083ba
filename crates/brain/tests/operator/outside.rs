//! An external system that fails on demand, and a pack that calls it.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

/// The external system.
pub(crate) struct Outside {
    pub(crate) addr: String,
    /// Whether it answers 503.
    pub(crate) broken: AtomicBool,
    /// Headers and bodies of the requests it got.
    pub(crate) seen: Mutex<Vec<(HeaderMap, Vec<u8>)>>,
    /// Signals that a request to `/slow` has arrived.
    pub(crate) arrived: Semaphore,
    /// A permit lets one such request be answered.
    pub(crate) go_on: Semaphore,
}

impl Outside {
    pub(crate) async fn start() -> Arc<Self> {
        drop(rustls::crypto::ring::default_provider().install_default());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap().to_string();
        let outside = Arc::new(Self {
            addr,
            broken: AtomicBool::new(false),
            seen: Mutex::default(),
            arrived: Semaphore::new(0),
            go_on: Semaphore::new(0),
        });
        let router =
            Router::new().route("/slow", axum::routing::post(slow)).fallback(answer).with_state(outside.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        outside
    }

    pub(crate) fn break_down(&self, broken: bool) {
        self.broken.store(broken, Ordering::SeqCst);
    }

    /// The idempotency keys that it has seen.
    pub(crate) fn keys(&self) -> BTreeSet<String> {
        let seen = self.seen.lock().unwrap();
        let keys = seen.iter().filter_map(|(headers, _)| headers.get("idempotency-key"));
        keys.map(|key| key.to_str().unwrap().to_owned()).collect()
    }

    /// A pack named `ops`, version 1.0.0.
    pub(crate) fn write_pack(&self, folder: &Path) {
        let addr = &self.addr;
        let tools = format!(
            "domain: ops
tools:
  send:
    title: Send a text
    input: {{to: {{type: string, personal: true}}, text: string}}
    phrases: [\"send {{text}} to {{to}}\"]
    behavior: {{http: {{method: POST, url: \"http://{addr}/send\"}}}}
    idempotency: key
    retry: {{attempts: 2, delay: 10ms, backoff: fixed, jitter: 0}}
    output: {{done: boolean}}
    undo: none
  draft:
    title: Draft a text
    input: {{text: string}}
    phrases: [\"draft {{text}}\"]
    behavior: {{http: {{method: POST, url: \"http://{addr}/draft\"}}}}
    idempotency: key
    review: \"Is this readable?\"
    output: {{done: boolean}}
    undo: none
  once:
    title: Send once
    input: {{text: string}}
    phrases: [\"send {{text}} once\"]
    behavior: {{http: {{method: POST, url: \"http://{addr}/once\", unknown: {{status: [503]}}}}}}
    idempotency: none
    retry: none
    output: {{done: boolean}}
    undo: none
  slow:
    title: Take a while
    input: {{text: string}}
    phrases: [\"take a while for {{text}}\"]
    behavior: {{http: {{method: POST, url: \"http://{addr}/slow\"}}}}
    idempotency: key
    output: {{done: boolean}}
    undo: none
  note:
    title: Note something
    input: {{text: string, who: {{type: string, personal: true, optional: true}}}}
    phrases: [\"note {{text}}\"]
    behavior: {{record: {{insert: memo}}}}
    undo: none
  wipe:
    title: Wipe a note
    input: {{memo_id: {{type: uuid, entity: memo}}}}
    phrases: [\"wipe {{memo_id}}\"]
    behavior: {{record: {{delete: memo}}}}
    consent: approver
    undo: none
"
        );
        std::fs::create_dir_all(folder.join("tools")).unwrap();
        let pack = format!("name: ops\nversion: 1.0.0\ntitle: Ops\nhosts: [\"{addr}\"]\n");
        std::fs::write(folder.join("pack.yaml"), pack).unwrap();
        std::fs::write(folder.join("tools/ops.yaml"), tools).unwrap();
        std::fs::create_dir_all(folder.join("records")).unwrap();
        let note = "record: memo\ntitle: Memo\nfields:\n  text: string\n  who: {type: string, personal: true, optional: true}\n";
        std::fs::write(folder.join("records/memo.yaml"), note).unwrap();
    }
}

async fn answer(
    State(outside): State<Arc<Outside>>,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, axum::Json<Value>) {
    outside.seen.lock().unwrap().push((headers, body.to_vec()));
    if outside.broken.load(Ordering::SeqCst) {
        return (StatusCode::SERVICE_UNAVAILABLE, axum::Json(json!({"error": "down"})));
    }
    (StatusCode::OK, axum::Json(json!({"done": true})))
}

async fn slow(State(outside): State<Arc<Outside>>) -> axum::Json<Value> {
    outside.arrived.add_permits(1);
    outside.go_on.acquire().await.unwrap().forget();
    axum::Json(json!({"done": true}))
}
