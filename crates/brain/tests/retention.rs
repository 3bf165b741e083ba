//! Retention as an operator uses it: what expires, what stays, and moving to another store.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use brain_testbed::Postgres;
use common::{Server, brain_on, json, run, text};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);

fn config(folder: &Path, keep: &str) -> String {
    let path = folder.join("brain.yaml");
    std::fs::write(&path, format!("tenants:\n  \"*\": {{keep: {keep}}}\n")).unwrap();
    path.display().to_string()
}

fn store() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.db");
    (folder, path)
}

fn ok(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", text(output));
    json(output)
}

#[test]
fn erased_runs_keep_receipts_with_digests() {
    let (folder, store) = store();
    let done = ok(&run(&store, &["do", "create task: Call Bob", "--json"]));
    let id = done["run_id"].as_str().unwrap();
    let never = run(&store, &["gc"]);
    assert!(text(&never).contains("nothing expires") && text(&never).contains("payloads: 30d"), "{}", text(&never));
    let keep = config(folder.path(), "{payloads: 1ms}");
    let gc = |more: &[&str]| ok(&run(&store, &[&["gc", "--config", &keep, "--json"], more].concat()));
    let would = gc(&["--dry-run"]);
    assert_eq!((&would["tenants"][0]["runs_erased"], &would["dry_run"]), (&json!(1), &json!(true)));
    assert!(text(&run(&store, &["inspect", id, "--json"])).contains("Call Bob"), "a dry run changes nothing");
    let went = gc(&[]);
    assert_eq!(went["tenants"][0]["runs_erased"], 1);
    assert_eq!(went["tenants"][0]["bytes"], would["tenants"][0]["bytes"]);
    assert_eq!(gc(&[])["tenants"][0]["runs_erased"], 0, "a second time erases nothing");

    let seen = ok(&run(&store, &["inspect", id, "--json"]));
    assert!(!seen.to_string().contains("Bob"), "{seen:#}");
    let receipt = &seen["run"]["receipts"][0];
    assert_eq!((&seen["run"]["erased"], &receipt["status"]), (&json!(true), &json!("succeeded")));
    assert_eq!(receipt["result"]["erased"].as_str().unwrap().len(), 64, "{receipt:#}");
    assert_eq!(receipt["effects"], done["receipts"][0]["effects"], "links to records stay");
    assert_eq!(receipt["call_id"], done["receipts"][0]["call_id"]);
    let shown = text(&run(&store, &["inspect", id]));
    assert!(shown.contains("erased") && !shown.contains("Bob"), "{shown}");
    let replayed = ok(&run(&store, &["replay", id, "--json"]));
    assert_eq!(replayed["ok"], true, "{replayed:#}");
    let undone = run(&store, &["undo", id]);
    assert!(undone.status.code() == Some(1) && text(&undone).contains("erased"), "{}", text(&undone));
    assert_eq!(run(&store, &["runs"]).status.code(), Some(0));
    let list = ok(&run(&store, &["do", "list tasks", "--json"]));
    assert_eq!(list["receipts"][0]["result"]["tasks"][0]["title"], "Call Bob", "records stay");

    let keep = config(folder.path(), "{runs: 1ms}");
    let went = ok(&run(&store, &["gc", "--config", &keep, "--all", "--compact", "--json"]));
    assert_eq!(went["tenants"][0]["runs_deleted"], 2, "{went:#}");
    assert_eq!(run(&store, &["inspect", id]).status.code(), Some(1));
    assert_eq!(ok(&run(&store, &["runs", "--json"]))["items"], json!([]));
    let audit = ok(&run(&store, &["audit", "--json"]));
    let what: Vec<&str> = audit["items"].as_array().unwrap().iter().map(|row| row["what"].as_str().unwrap()).collect();
    assert_eq!(what, ["compact", "gc"], "administrative actions are in the audit: {audit:#}");
}

#[test]
fn an_unused_file_is_deleted_and_a_used_one_stays() {
    let (folder, store) = store();
    let file = |name: &str, content: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let put = ok(&run(&store, &["blob", "put", &path.display().to_string(), "--json"]));
        put["blob"]["$blob"].as_str().unwrap_or_else(|| panic!("{put:#}")).to_owned()
    };
    let (used, unused) = (file("used.txt", "used"), file("unused.txt", "unused"));
    let context = json!({"note": {"$blob": used, "size": 4, "media_type": "text/plain", "file": true}}).to_string();
    ok(&run(&store, &["do", "create task: Look", "--context", &context, "--json"]));
    let keep = config(folder.path(), "{runs: 1000d}");
    let gc = |grace: &str| ok(&run(&store, &["gc", "--config", &keep, "--blob-grace", grace, "--json"]));
    let first = gc("1d");
    assert_eq!((&first["tenants"][0]["blobs_deleted"], &first["tenants"][0]["blobs_unused"]), (&json!(0), &json!(0)));
    assert_eq!(gc("0ms")["tenants"][0]["blobs_deleted"], 1);
    assert_eq!(run(&store, &["blob", "get", &unused]).status.code(), Some(1));
    assert_eq!(text(&run(&store, &["blob", "get", &used])), "used");
}

#[derive(Default)]
struct Outside {
    well: AtomicBool,
    calls: AtomicU32,
}

async fn act(State(outside): State<Arc<Outside>>) -> (StatusCode, axum::Json<Value>) {
    outside.calls.fetch_add(1, Ordering::Relaxed);
    let well = outside.well.load(Ordering::Relaxed);
    (if well { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, axum::Json(json!({"done": well})))
}

async fn hold(State(outside): State<Arc<Outside>>) -> axum::Json<Value> {
    outside.calls.fetch_add(1, Ordering::Relaxed);
    while !outside.well.load(Ordering::Relaxed) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    axum::Json(json!({"done": true}))
}

fn write_pack(folder: &Path, addr: &str) {
    let tool = |name: &str, path: &str, retry: &str| {
        format!(
            "  {name}:\n    title: {name}\n    input: {{what: string}}\n    phrases: [\"{name} {{what}}\"]\n    behavior: {{http: {{method: POST, url: \"http://{addr}/{path}\"}}}}\n    idempotency: key\n    retry: {retry}\n    output: {{done: boolean}}\n    undo: none\n"
        )
    };
    let later = "{attempts: 5, delay: 3s, backoff: fixed, jitter: 0}";
    let once = "{attempts: 1, delay: 1s, backoff: fixed, jitter: 0}";
    let tools = format!(
        "domain: out\ntools:\n{}{}{}",
        tool("later", "act", later),
        tool("dead", "act", once),
        tool("held", "hold", later)
    );
    std::fs::create_dir_all(folder.join("tools")).unwrap();
    let pack = format!("name: out\nversion: 1.0.0\ntitle: Out\nhosts: [\"{addr}\"]\n");
    std::fs::write(folder.join("pack.yaml"), pack).unwrap();
    std::fs::write(folder.join("tools/out.yaml"), tools).unwrap();
}

async fn until(client: &reqwest::Client, url: &str, what: impl Fn(&Value) -> bool) -> Value {
    let started = Instant::now();
    loop {
        let state: Value = client.get(url).send().await.unwrap().json().await.unwrap();
        if what(&state) {
            return state;
        }
        assert!(started.elapsed() < PATIENCE, "{url} did not come to that: {state:#}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A run that waits for its next attempt, one with a dead letter, one whose call was under way when the server died:
/// all continue in the other store.
#[tokio::test(flavor = "multi_thread")]
async fn after_a_copy_every_run_continues_in_the_other_store() {
    drop(rustls::crypto::ring::default_provider().install_default());
    let outside = Arc::new(Outside::default());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap().to_string();
    let routes = Router::new().route("/act", axum::routing::post(act)).route("/hold", axum::routing::post(hold));
    let router = routes.with_state(outside.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    let (folder, store) = store();
    let pack = folder.path().join("pack");
    write_pack(&pack, &addr);
    let pack = pack.display().to_string();
    let args = ["--pack", pack.as_str(), "--allow-private-hosts"];
    let cluster = Postgres::start().unwrap();
    let target = cluster.url(&cluster.new_database());
    let source = format!("sqlite:{}", store.display());

    let server = Server::start(&store, &args);
    let client = reqwest::Client::new();
    let mut runs = Vec::new();
    for message in ["later x", "dead x", "held x"] {
        let ask = json!({"message": message, "mode": "enqueue"});
        let run: Value =
            client.post(format!("{}/v1/runs", server.url)).json(&ask).send().await.unwrap().json().await.unwrap();
        runs.push(run["run_id"].as_str().unwrap_or_else(|| panic!("{run:#}")).to_owned());
    }
    let waiting = |state: &Value| state["receipts"].as_array().is_some_and(|list| !list.is_empty());
    for run in &runs[..2] {
        until(&client, &format!("{}/v1/runs/{run}", server.url), waiting).await;
    }
    let began = Instant::now();
    while outside.calls.load(Ordering::Relaxed) < 3 {
        assert!(began.elapsed() < PATIENCE, "the delayed call never arrived");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let refused = run(&store, &["store", "copy", &source, &target]);
    assert!(refused.status.code() == Some(1) && text(&refused).contains("stop it first"), "{}", text(&refused));
    server.kill();

    let would = ok(&run(&store, &["store", "copy", &source, &target, "--dry-run", "--json"]));
    assert_eq!(would["rows"]["runs"], 3, "{would:#}");
    let copied = ok(&run(&store, &["store", "copy", &source, &target, "--json"]));
    assert_eq!(
        (&copied["ok"], &copied["rows"]["runs"], &copied["rows"]["dead_letters"]),
        (&json!(true), &json!(3), &json!(1)),
        "{copied:#}"
    );
    let twice = run(&store, &["store", "copy", &source, &target]);
    assert!(twice.status.code() == Some(1) && text(&twice).contains("--continue"), "{}", text(&twice));
    let goes_on = ok(&run(&store, &["store", "copy", &source, &target, "--continue", "--json"]));
    assert_eq!(goes_on["rows"]["runs"], 0, "{goes_on:#}");

    outside.well.store(true, Ordering::Relaxed);
    let server = Server::start_on(&target, &args);
    let completed = |state: &Value| state["status"] == "completed";
    for run in [&runs[0], &runs[2]] {
        until(&client, &format!("{}/v1/runs/{run}", server.url), completed).await;
    }
    let letters = json(&brain_on(&target).args(args).args(["dlq", "list", "--json"]).output().unwrap());
    let letter = letters["items"][0]["letter_id"].as_str().unwrap_or_else(|| panic!("{letters:#}")).to_owned();
    let retried = brain_on(&target).args(args).args(["dlq", "retry", &letter, "--json"]).output().unwrap();
    assert_eq!(retried.status.code(), Some(0), "{}", text(&retried));
    until(&client, &format!("{}/v1/runs/{}", server.url, runs[1]), completed).await;
    drop(server);

    // Copy one tenant back into a file.
    let back = folder.path().join("back.db");
    let to = format!("sqlite:{}", back.display());
    let copied = ok(&run(&store, &["store", "copy", &target, &to, "--force", "--json"]));
    assert_eq!(copied["ok"], true, "{copied:#}");
    let list = ok(&run(&back, &["runs", "--json"]));
    assert_eq!(list["items"].as_array().unwrap().len(), 3);
    let replayed = ok(&run(&back, &["replay", &runs[2], "--json"]));
    assert_eq!(replayed["ok"], true, "{replayed:#}");
}

#[test]
fn a_damaged_request_affects_neither_lists_nor_retention_of_other_runs() {
    let (folder, store) = store();
    let runs: Vec<String> = (1..=3)
        .map(|n| {
            ok(&run(&store, &["do", &format!("create task: Call {n}"), "--json"]))["run_id"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    let file = rusqlite::Connection::open(&store).unwrap();
    let second: brain_core::RunId = runs[1].parse().unwrap();
    assert_eq!(
        file.execute("UPDATE runs SET request = '{oops' WHERE id = ?1", [second.as_uuid().as_bytes()]).unwrap(),
        1
    );
    drop(file);
    let listed = ok(&run(&store, &["runs", "--json"]));
    let unreadable: Vec<bool> =
        listed["items"].as_array().unwrap().iter().map(|row| row["unreadable"].is_string()).collect();
    assert_eq!(unreadable, [false, true, false], "{listed:#}");
    let seen = run(&store, &["inspect", &runs[1]]);
    assert!(text(&seen).contains("cannot be read"), "{}", text(&seen));
    let keep = config(folder.path(), "{runs: 1ms}");
    let went = ok(&run(&store, &["gc", "--config", &keep, "--json"]));
    assert_eq!(went["tenants"][0]["runs_deleted"], 3, "{went:#}");
}

#[test]
fn gc_by_hand_ends_dead_letters_that_nobody_decided_about() {
    let (folder, store) = store();
    let pack = folder.path().join("gone");
    std::fs::create_dir_all(pack.join("tools")).unwrap();
    // Nothing listens there any more.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    std::fs::write(pack.join("pack.yaml"), format!("name: gone\nversion: 1.0.0\nhosts: [\"{free}\"]\n")).unwrap();
    let tools = format!(
        "domain: gone\ntools:\n  call:\n    title: Call\n    input: {{}}\n    phrases: [\"call them\"]\n    behavior: {{http: {{method: POST, url: \"http://{free}/\"}}}}\n    retry: none\n    undo: none\n"
    );
    std::fs::write(pack.join("tools/gone.yaml"), tools).unwrap();
    let config = |name: &str, after: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("expire: {{letters: {after}}}\n")).unwrap();
        path.display().to_string()
    };
    let (late, soon) = (config("late.yaml", "90d"), config("soon.yaml", "1ms"));
    let pack = pack.display().to_string();
    let gone = |args: &[&str]| run(&store, &[&["--pack", &pack, "--allow-private-hosts"], args].concat());
    let failed = gone(&["do", "call them", "--json"]);
    let id = json(&failed)["run_id"].as_str().unwrap().to_owned();
    let expired =
        |more: &[&str]| ok(&gone(&[&["gc", "--json"], more].concat()))["tenants"][0]["letters_expired"].clone();
    assert_eq!(expired(&["--config", &late]), 0, "its time is not over");
    assert_eq!(expired(&["--config", &soon, "--dry-run"]), 1);
    assert_eq!(json(&gone(&["runs", "show", &id, "--json"]))["run"]["status"], "waiting", "a dry run changes nothing");
    let said = text(&gone(&["gc", "--config", &soon]));
    assert!(said.contains("1 dead letter ended"), "{said}");
    let shown = json(&gone(&["runs", "show", &id, "--json"]));
    assert_eq!(shown["run"]["status"], "failed", "{shown:#}");
    assert!(shown.to_string().contains("letter_expired"), "{shown:#}");
    assert_eq!(expired(&["--config", &soon]), 0);
}
