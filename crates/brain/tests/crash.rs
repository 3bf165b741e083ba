//! `kill -9` while 200 runs are in flight: every accepted run ends, no record twice, none missing.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::State;
use axum::http::HeaderMap;
use common::Server;
use serde_json::{Value, json};

const RUNS: usize = 200;
/// How long the whole recovery may take before the test gives up.
const PATIENCE: Duration = Duration::from_secs(120);

/// An outside system that holds its answers back until it is told to let go.
#[derive(Default)]
struct Outside {
    open: AtomicBool,
    calls: Mutex<BTreeMap<String, u32>>,
}

async fn answer(State(outside): State<Arc<Outside>>, headers: HeaderMap) -> &'static str {
    let key = headers["idempotency-key"].to_str().unwrap_or_default().to_owned();
    *outside.calls.lock().unwrap().entry(key).or_default() += 1;
    while !outside.open.load(Ordering::Relaxed) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    r#"{"done": true}"#
}

fn write_pack(folder: &std::path::Path, addr: &str) {
    let files = [
        ("pack.yaml", format!("name: crash\nversion: 1.0.0\ntitle: Crash\nhosts: [\"{addr}\"]\n")),
        ("records/mark.yaml", "record: mark\ntitle: Mark\nfields:\n  job: {type: string, indexed: true}\n  place: string\n".into()),
        (
            "tools/crash.yaml",
            format!(
                "domain: crash\ntools:\n  mark:\n    title: Mark\n    input: {{job: string, place: string}}\n    phrases: [\"mark {{job}} {{place}}\"]\n    behavior: {{record: {{insert: mark}}}}\n    undo: none\n  call:\n    title: Call\n    input: {{job: string}}\n    phrases: [\"call {{job}}\"]\n    behavior: {{http: {{method: POST, url: \"http://{addr}/\"}}}}\n    idempotency: key\n    timeout: 60s\n    retry: {{attempts: 20, delay: 10ms, max_delay: 50ms, backoff: fixed, jitter: 0}}\n    undo: none\n"
            ),
        ),
        (
            "playbooks/job.yaml",
            "playbook: crash.job\ntitle: Job\nphrases: [\"job {job}\"]\nslots: {job: string}\nsteps:\n  - {id: before, tool: crash.mark, args: {job: \"= slots.job\", place: before}}\n  - {id: call, tool: crash.call}\n  - {id: after, tool: crash.mark, args: {job: \"= slots.job\", place: after}}\n".into(),
        ),
    ];
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_accepted_run_ends_and_nothing_is_written_twice() {
    drop(rustls::crypto::ring::default_provider().install_default());
    let outside = Arc::new(Outside::default());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap().to_string();
    let router = Router::new().route("/", axum::routing::post(answer)).with_state(outside.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });

    let folder = tempfile::tempdir().unwrap();
    let pack = folder.path().join("pack");
    write_pack(&pack, &addr);
    let pack = pack.display().to_string();
    let store = folder.path().join("crash.db");
    let args = ["--pack", pack.as_str(), "--allow-private-hosts"];
    let server = Server::start(&store, &args);

    // Most runs are accepted before the crash; the last ones are on their way when it comes.
    let client = reqwest::Client::new();
    let accepted = Arc::new(Mutex::new(BTreeMap::new()));
    let mut posts = Vec::new();
    for n in 0..RUNS {
        let (client, accepted, url) = (client.clone(), accepted.clone(), server.url.clone());
        posts.push(tokio::spawn(async move {
            if let Some(run) = post(&client, &url, n).await {
                accepted.lock().unwrap().insert(n, run);
            }
        }));
        if n == RUNS - 50 {
            for post in posts.drain(..) {
                post.await.unwrap();
            }
        }
    }
    let before_crash = accepted.lock().unwrap().len();
    assert!(before_crash >= RUNS - 50, "only {before_crash} were accepted");
    server.kill();
    for post in posts {
        post.await.unwrap();
    }
    let accepted_before = accepted.lock().unwrap().clone();

    // The same file, another process. Whoever got no answer asks again with the same key.
    outside.open.store(true, Ordering::Relaxed);
    let server = Server::start(&store, &args);
    for n in 0..RUNS {
        let run = post(&client, &server.url, n).await.expect("the server answers again");
        if let Some(before) = accepted_before.get(&n) {
            assert_eq!(*before, run, "an accepted run is still there under its key");
        }
        accepted.lock().unwrap().insert(n, run);
    }
    let started = Instant::now();
    let all = accepted.lock().unwrap().clone();
    for run in all.values() {
        loop {
            let url = format!("{}/v1/runs/{run}", server.url);
            let state: Value = client.get(url).send().await.unwrap().json().await.unwrap();
            if state["status"] == "completed" {
                break;
            }
            assert!(started.elapsed() < PATIENCE, "a run never ended: {state:#}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    // The audit: two records a run, one effect a key.
    let mut marks: BTreeMap<(String, String), u32> = BTreeMap::new();
    let mut cursor = String::new();
    loop {
        let url = format!("{}/v1/records/mark?limit=200{cursor}", server.url);
        let page: Value = client.get(url).send().await.unwrap().json().await.unwrap();
        for mark in page["items"].as_array().unwrap() {
            let part = |name: &str| mark[name].as_str().unwrap().to_owned();
            *marks.entry((part("job"), part("place"))).or_default() += 1;
        }
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(marks.len(), 2 * RUNS, "none is missing");
    assert!(marks.values().all(|count| *count == 1), "none is there twice: {marks:?}");
    let calls = outside.calls.lock().unwrap();
    assert_eq!(calls.len(), RUNS, "one key for each call, also when it was made again");
}

async fn post(client: &reqwest::Client, url: &str, n: usize) -> Option<String> {
    let request = client
        .post(format!("{url}/v1/runs"))
        .header("idempotency-key", format!("job-{n}"))
        .json(&json!({"message": format!("job J{n}"), "mode": "enqueue"}));
    let answer: Value = request.send().await.ok()?.json().await.ok()?;
    assert_eq!(answer["ok"], true, "{answer:#}");
    answer["run_id"].as_str().map(str::to_owned)
}
