//! A pack is redeployed while runs wait: they end with their old definitions, and are migrated only on request.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use common::Server;
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(180);
const WAITING: usize = 500;

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
    input: {n: integer, text: string}
    phrases: [\"mark {n} {text}\"]
    behavior: {record: {insert: mark}}
    undo: none
";
const HEAD: &str = "playbook: f.order\ntitle: An order\nphrases: [\"order {n}\"]\nslots: {n: integer}\nsteps:
  - {id: first, tool: f.mark, args: {n: \"= slots.n\", text: first}}
  - {id: work, tool: f.work, args: {n: \"= slots.n\"}}
";
const OLD: &str = "  - {id: last, tool: f.mark, args: {n: \"= slots.n\", text: old last}}\n";
const NEW: &str = "  - {id: between, tool: f.mark, args: {n: \"= slots.n\", text: between}}
  - {id: last, tool: f.mark, args: {n: \"= slots.n\", text: new last}}\n";

struct World {
    folder: tempfile::TempDir,
    client: reqwest::Client,
}

impl World {
    fn pack(&self) -> String {
        self.folder.path().join("pack").display().to_string()
    }

    fn store(&self) -> std::path::PathBuf {
        self.folder.path().join("redeploy.db")
    }

    fn write(&self, name: &str, text: &str) {
        let path = Path::new(&self.pack()).join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn serve(&self) -> Server {
        Server::start(&self.store(), &["--pack", &self.pack()])
    }

    async fn post(&self, url: String, body: Value) -> Value {
        self.client.post(url).json(&body).send().await.unwrap().json().await.unwrap()
    }

    async fn order(&self, server: &Server, n: usize) -> String {
        let asked = json!({"message": "", "mode": "enqueue", "calls": [{"tool_name": "f.order", "input": {"n": n}}]});
        let run = self.post(format!("{}/v1/runs", server.url), asked).await;
        run["run_id"].as_str().unwrap_or_else(|| panic!("{run}")).to_owned()
    }

    /// Completes every job that waits for a worker.
    async fn work(&self, server: &Server, count: usize) {
        let mut done = 0;
        let began = Instant::now();
        while done < count && began.elapsed() < PATIENCE {
            let wanted = json!({"topics": ["work"], "worker": "w", "max_jobs": 100, "wait_timeout_ms": 1_000});
            let jobs = self.post(format!("{}/v1/jobs/activate", server.url), wanted).await;
            for job in jobs["jobs"].as_array().unwrap_or_else(|| panic!("{jobs}")) {
                let url = format!("{}/v1/jobs/{}/complete", server.url, job["job_id"].as_str().unwrap());
                let result = json!({"lease": job["lease"], "result": {"n": job["input"]["n"]}});
                let taken = self.post(url, result).await;
                assert!(taken["run_id"].is_string(), "{taken}");
                done += 1;
            }
        }
        assert_eq!(done, count);
    }

    /// Number of marks per text.
    async fn marks(&self, server: &Server) -> BTreeMap<String, usize> {
        let mut counts = BTreeMap::new();
        let mut cursor = String::new();
        loop {
            let url = format!("{}/v1/records/mark?limit=200{cursor}", server.url);
            let page: Value = self.client.get(url).send().await.unwrap().json().await.unwrap();
            for mark in page["items"].as_array().unwrap() {
                *counts.entry(mark["text"].as_str().unwrap().to_owned()).or_default() += 1;
            }
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return counts,
            }
        }
    }

    fn brain(&self, args: &[&str]) -> Value {
        let store = format!("sqlite:{}", self.store().display());
        let mut command = Command::new(env!("CARGO_BIN_EXE_brain"));
        command.args(["--json", "--store", &store, "--pack", &self.pack()]).args(args);
        let output = command.output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deploy_does_not_change_runs_and_a_migration_does() {
    drop(rustls::crypto::ring::default_provider().install_default());
    let world = World { folder: tempfile::tempdir().unwrap(), client: reqwest::Client::new() };
    world.write("pack.yaml", "name: f\nversion: 1.0.0\ntitle: F\n");
    world.write("records/mark.yaml", "record: mark\ntitle: Mark\nfields:\n  n: integer\n  text: string\n");
    world.write("tools/f.yaml", TOOLS);
    world.write("playbooks/order.yaml", &format!("{HEAD}{OLD}"));
    let server = world.serve();
    for n in 0..WAITING {
        world.order(&server, n).await;
    }
    server.kill();

    // The next version is deployed; a few new runs start with it.
    world.write("playbooks/order.yaml", &format!("{HEAD}{NEW}"));
    let server = world.serve();
    for n in 0..5 {
        world.order(&server, WAITING + n).await;
    }
    world.work(&server, WAITING + 5).await;
    let began = Instant::now();
    let expected = BTreeMap::from([
        ("first".to_owned(), WAITING + 5),
        ("old last".to_owned(), WAITING),
        ("between".to_owned(), 5),
        ("new last".to_owned(), 5),
    ]);
    while world.marks(&server).await != expected && began.elapsed() < PATIENCE {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(world.marks(&server).await, expected, "each ends with its own version");
    drop(server);

    // Runs of the old version are migrated by hand: first a dry run, then for real.
    world.write("playbooks/order.yaml", &format!("{HEAD}{OLD}"));
    let server = world.serve();
    let mut runs = Vec::new();
    for n in 0..3 {
        runs.push(world.order(&server, 1_000 + n).await);
    }
    drop(server);
    world.write("playbooks/order.yaml", &format!("{HEAD}{NEW}"));
    let seen = world.brain(&["runs", "migrate", "--playbook", "f.order", "--dry-run"]);
    assert_eq!((&seen["movable"], &seen["moved"]), (&json!(3), &json!(0)), "{seen}");
    assert_eq!(seen["items"][0]["kept"], json!(["first", "work"]));
    assert_eq!(seen["items"][0]["ahead"], json!(["between", "last"]));
    let moved = world.brain(&["runs", "migrate", "--playbook", "f.order"]);
    assert_eq!(moved["moved"], 3, "{moved}");
    let again = world.brain(&["runs", "migrate", "--playbook", "f.order"]);
    assert_eq!((&again["moved"], &again["there"]), (&json!(0), &json!(3)));

    let server = world.serve();
    world.work(&server, 3).await;
    let expected = BTreeMap::from([
        ("first".to_owned(), WAITING + 8),
        ("old last".to_owned(), WAITING),
        ("between".to_owned(), 8),
        ("new last".to_owned(), 8),
    ]);
    let began = Instant::now();
    while world.marks(&server).await != expected && began.elapsed() < PATIENCE {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(world.marks(&server).await, expected, "they continue in the new version and repeat nothing");
    drop(server);
    for run in &runs {
        let replayed = world.brain(&["replay", run]);
        assert_eq!(replayed["differences"], json!([]), "replay gives the same state: {replayed}");
        let shown = world.brain(&["inspect", run]);
        assert_eq!(shown["run"]["receipts"].as_array().map(Vec::len), Some(4), "{shown}");
    }
}
