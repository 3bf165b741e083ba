//! A run waits for a child run while the server is killed around the child's end.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::time::{Duration, Instant};

use common::Server;
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);
const FAMILIES: usize = 6;

const TOOLS: &str = "domain: f
tools:
  work:
    title: A worker does it
    input: {n: integer}
    phrases: [\"work on {n}\"]
    behavior: {worker: {topic: work, lease: 5m}}
    output: {n: integer}
    undo: none
  mark:
    title: Leave a mark
    input: {n: integer}
    phrases: [\"mark {n}\"]
    behavior: {record: {insert: mark}}
    undo: none
";
const PLAYBOOK: &str = "playbook: f.family
title: A family
phrases: [\"family {n}\"]
slots: {n: integer}
steps:
  - {id: child, tool: core.spawn_child_run, args: {run: f.work, args: {n: \"= slots.n\"}}}
  - {id: after, tool: f.mark, args: {n: \"= steps.child.result.result.n\"}}
";

#[tokio::test(flavor = "multi_thread")]
async fn a_parent_learns_of_its_childs_end_whenever_the_server_dies() {
    drop(rustls::crypto::ring::default_provider().install_default());
    let folder = tempfile::tempdir().unwrap();
    let pack = folder.path().join("pack");
    let files = [
        ("pack.yaml", "name: f\nversion: 1.0.0\ntitle: F\n"),
        ("records/mark.yaml", "record: mark\ntitle: Mark\nfields:\n  n: integer\n"),
        ("tools/f.yaml", TOOLS),
        ("playbooks/family.yaml", PLAYBOOK),
    ];
    for (name, text) in files {
        let path = pack.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let pack = pack.display().to_string();
    let store = folder.path().join("family.db");
    let args = ["--pack", pack.as_str()];
    let client = reqwest::Client::new();
    let post = |url: String, body: Value| {
        let request = client.post(url).json(&body);
        async move { request.send().await.unwrap().json::<Value>().await.unwrap() }
    };
    let mut server = Server::start(&store, &args);
    let mut parents = Vec::new();
    for n in 0..FAMILIES {
        let asked = json!({"message": "", "mode": "enqueue", "calls": [{"tool_name": "f.family", "input": {"n": n}}]});
        let run = post(format!("{}/v1/runs", server.url), asked).await;
        parents.push(run["run_id"].as_str().unwrap().to_owned());
        let wanted = json!({"topics": ["work"], "worker": "w", "wait_timeout_ms": 20_000});
        let jobs = post(format!("{}/v1/jobs/activate", server.url), wanted).await;
        let job = &jobs["jobs"][0];
        if n % 2 == 0 {
            // The server dies while the worker works.
            server.kill();
            server = Server::start(&store, &args);
        }
        let url = format!("{}/v1/jobs/{}/complete", server.url, job["job_id"].as_str().unwrap());
        let done = post(url, json!({"lease": job["lease"], "result": {"n": n}})).await;
        assert!(done["run_id"].is_string(), "the lease outlives the server: {done}");
        // The end of the child is durable; the parent may or may not know it.
        server.kill();
        server = Server::start(&store, &args);
    }
    let started = Instant::now();
    for parent in &parents {
        loop {
            let url = format!("{}/v1/runs/{parent}", server.url);
            let state: Value = client.get(url).send().await.unwrap().json().await.unwrap();
            if state["status"] == "completed" {
                break;
            }
            assert!(started.elapsed() < PATIENCE, "a parent never learned of its child's end: {state:#}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    let url = format!("{}/v1/records/mark?limit=200", server.url);
    let marks: Value = client.get(url).send().await.unwrap().json().await.unwrap();
    let mut found: Vec<u64> =
        marks["items"].as_array().unwrap().iter().map(|mark| mark["n"].as_u64().unwrap()).collect();
    found.sort_unstable();
    assert_eq!(found, (0..FAMILIES as u64).collect::<Vec<_>>(), "each parent went on once");
}
