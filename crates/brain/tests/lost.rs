//! An external call whose answer is lost because the server was killed: before the effect, after it, and while the
//! answer was on its way, for every kind of idempotency.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::State;
use axum::http::HeaderMap;
use common::Server;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

const PATIENCE: Duration = Duration::from_secs(60);

/// An external system that acts once per key, and blocks during its first call.
struct Outside {
    /// Keys with an effect.
    effects: Mutex<BTreeSet<String>>,
    /// Every effect; more than the keys if something happened twice.
    happened: Mutex<Vec<String>>,
    calls: Mutex<u32>,
    /// Whether the first call blocks before its effect or after it.
    effect_first: bool,
    arrived: Semaphore,
    go_on: Semaphore,
    /// Whether it recognises keys; otherwise a repeated call acts again.
    knows_keys: bool,
}

impl Outside {
    fn take_effect(&self, key: &str) {
        let new = self.effects.lock().unwrap().insert(key.to_owned());
        if new || !self.knows_keys {
            self.happened.lock().unwrap().push(key.to_owned());
        }
    }
}

async fn act(State(outside): State<Arc<Outside>>, headers: HeaderMap) -> axum::Json<Value> {
    let key = headers["idempotency-key"].to_str().unwrap_or_default().to_owned();
    let first = {
        let mut calls = outside.calls.lock().unwrap();
        *calls += 1;
        *calls == 1
    };
    if outside.effect_first || !first {
        outside.take_effect(&key);
    }
    if first {
        outside.arrived.add_permits(1);
        outside.go_on.acquire().await.unwrap().forget();
    }
    axum::Json(json!({"done": true}))
}

async fn was(State(outside): State<Arc<Outside>>, body: axum::Json<Value>) -> axum::Json<Value> {
    let key = body["idempotency_key"].as_str().unwrap_or_default().to_owned();
    let happened = outside.effects.lock().unwrap().contains(&key);
    axum::Json(json!({"happened": happened, "result": {"done": true}}))
}

fn write_pack(folder: &std::path::Path, addr: &str, idempotency: &str) {
    let tools = format!(
        "domain: out
tools:
  act:
    title: Act outside
    input: {{what: string}}
    phrases: [\"act on {{what}}\"]
    behavior: {{http: {{method: POST, url: \"http://{addr}/act\"}}}}
    idempotency: {idempotency}
    timeout: 1s
    retry: {{attempts: 5, delay: 20ms, backoff: fixed, jitter: 0}}
    output: {{done: boolean}}
    undo: none
  was:
    title: Was it done
    input: {{what: string, idempotency_key: string}}
    phrases: [\"was {{what}} done with {{idempotency_key}}\"]
    behavior: {{http: {{method: POST, url: \"http://{addr}/was\"}}}}
    effect: read
"
    );
    std::fs::create_dir_all(folder.join("tools")).unwrap();
    let pack = format!("name: out\nversion: 1.0.0\ntitle: Out\nhosts: [\"{addr}\"]\n");
    std::fs::write(folder.join("pack.yaml"), pack).unwrap();
    std::fs::write(folder.join("tools/out.yaml"), tools).unwrap();
}

/// Kills the server during its first call and starts another one. Returns the final state of the run and the external
/// system.
async fn lose(idempotency: &str, effect_first: bool) -> (Value, Arc<Outside>) {
    drop(rustls::crypto::ring::default_provider().install_default());
    let outside = Arc::new(Outside {
        effects: Mutex::default(),
        happened: Mutex::default(),
        calls: Mutex::default(),
        effect_first,
        arrived: Semaphore::new(0),
        go_on: Semaphore::new(0),
        knows_keys: idempotency == "key",
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap().to_string();
    let routes = Router::new().route("/act", axum::routing::post(act)).route("/was", axum::routing::post(was));
    let router = routes.with_state(outside.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    let folder = tempfile::tempdir().unwrap();
    let pack = folder.path().join("pack");
    write_pack(&pack, &addr, idempotency);
    let pack = pack.display().to_string();
    let store = folder.path().join("lost.db");
    let args = ["--pack", pack.as_str(), "--allow-private-hosts"];
    let server = Server::start(&store, &args);
    let client = reqwest::Client::new();
    let ask =
        client.post(format!("{}/v1/runs", server.url)).json(&json!({"message": "act on paper", "mode": "enqueue"}));
    let run: Value = ask.send().await.unwrap().json().await.unwrap();
    outside.arrived.acquire().await.unwrap().forget();
    server.kill();
    outside.go_on.add_permits(100);
    let server = Server::start(&store, &args);
    let started = Instant::now();
    let url = format!("{}/v1/runs/{}", server.url, run["run_id"].as_str().unwrap());
    loop {
        let state: Value = client.get(&url).send().await.unwrap().json().await.unwrap();
        let in_doubt = state["errors"][0]["code"] == "in_doubt";
        if state["status"] == "completed" || in_doubt {
            // Nothing more happens without a person.
            tokio::time::sleep(Duration::from_millis(200)).await;
            return (state, outside);
        }
        assert!(started.elapsed() < PATIENCE, "the run never settled: {state:#}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_key_the_call_is_repeated_and_happens_once() {
    for effect_first in [false, true] {
        let (run, outside) = lose("key", effect_first).await;
        assert_eq!(run["status"], "completed", "{run:#}");
        assert_eq!(outside.happened.lock().unwrap().len(), 1, "effect first: {effect_first}");
        assert_eq!(*outside.calls.lock().unwrap(), 2, "repeated with the same key");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_check_the_call_is_checked_before_it_is_repeated() {
    for effect_first in [false, true] {
        let (run, outside) = lose("{check: out.was}", effect_first).await;
        assert_eq!(run["status"], "completed", "{run:#}");
        assert_eq!(run["receipts"].as_array().unwrap().last().unwrap()["result"], json!({"done": true}), "{run:#}");
        assert_eq!(outside.happened.lock().unwrap().len(), 1, "effect first: {effect_first}");
        let calls = *outside.calls.lock().unwrap();
        assert_eq!(calls, if effect_first { 1 } else { 2 }, "repeated only if it had not happened");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn with_neither_a_person_decides_and_nothing_is_repeated() {
    for effect_first in [false, true] {
        let (run, outside) = lose("none", effect_first).await;
        assert_eq!(run["errors"][0]["code"], "in_doubt", "{run:#}");
        assert_eq!(*outside.calls.lock().unwrap(), 1, "the call is made once");
        assert_eq!(outside.happened.lock().unwrap().len(), usize::from(effect_first));
    }
}
