//! Real deployments: servers in containers, and replaced by the next version while calls are under way.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::State;
use brain_core::{RunId, Timestamp};
use brain_store::{NodeRow, PostgresStore, Scope, SqliteStore, Store, SystemScope};
use brain_testbed::Postgres;
use common::{Server, brain, json, run, text};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

const PATIENCE: Duration = Duration::from_secs(90);
/// Whether the test must be skipped because this user may not create PID namespaces; prints why.
const SKIP: &str = "BRAIN_SKIP_NAMESPACES";

/// An external system that answers when the test allows it.
struct Outside {
    addr: String,
    calls: AtomicUsize,
    arrived: Semaphore,
    go_on: Semaphore,
}

impl Outside {
    async fn start() -> Arc<Self> {
        drop(rustls::crypto::ring::default_provider().install_default());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let outside = Arc::new(Self {
            addr: listener.local_addr().unwrap().to_string(),
            calls: AtomicUsize::new(0),
            arrived: Semaphore::new(0),
            go_on: Semaphore::new(0),
        });
        let router = Router::new().route("/act", axum::routing::post(act)).with_state(outside.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        outside
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    /// A pack with a tool that must not be called twice.
    fn write_pack(&self, folder: &Path) {
        let addr = &self.addr;
        let tools = format!(
            "domain: out
tools:
  act:
    title: Act outside
    input: {{what: string}}
    phrases: [\"act on {{what}}\"]
    behavior: {{http: {{method: POST, url: \"http://{addr}/act\"}}}}
    idempotency: none
    timeout: 55s
    output: {{done: boolean}}
    undo: none
  note:
    title: Note a number
    input: {{number: string}}
    phrases: [\"note number {{number}}\"]
    behavior: {{record: {{insert: note}}}}
    undo: none
"
        );
        std::fs::create_dir_all(folder.join("tools")).unwrap();
        let pack = format!("name: out\nversion: 1.0.0\ntitle: Out\nhosts: [\"{addr}\"]\n");
        std::fs::write(folder.join("pack.yaml"), pack).unwrap();
        std::fs::write(folder.join("tools/out.yaml"), tools).unwrap();
        std::fs::create_dir_all(folder.join("records")).unwrap();
        let note = "record: note\ntitle: Note\nfields:\n  number: string\n";
        std::fs::write(folder.join("records/note.yaml"), note).unwrap();
    }

    async fn has_arrived(&self) {
        self.arrived.acquire().await.unwrap().forget();
    }
}

async fn act(State(outside): State<Arc<Outside>>) -> axum::Json<Value> {
    outside.calls.fetch_add(1, Ordering::SeqCst);
    outside.arrived.add_permits(1);
    outside.go_on.acquire().await.unwrap().forget();
    axum::Json(json!({"done": true}))
}

fn client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}

async fn ask(url: &str, message: &str) -> String {
    let body = json!({"message": message, "mode": "enqueue"});
    let run: Value = client().post(format!("{url}/v1/runs")).json(&body).send().await.unwrap().json().await.unwrap();
    run["run_id"].as_str().unwrap_or_else(|| panic!("{run:#}")).to_owned()
}

async fn state(url: &str, run: &str) -> Value {
    client().get(format!("{url}/v1/runs/{run}")).send().await.unwrap().json().await.unwrap()
}

async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(started.elapsed() < PATIENCE, "{what} did not happen");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The binary in its own PID namespace, as in a container on the same machine.
fn contained(url: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--pid", "--fork", "--kill-child", "--mount-proc", env!("CARGO_BIN_EXE_brain")]);
    command.env_remove("BRAIN_TENANT").env_remove("BRAIN_LOG").env("BRAIN_STORE", url);
    command.env("BRAIN_CACHE", env!("CARGO_TARGET_TMPDIR"));
    command
}

fn may_unshare() -> bool {
    let tried = Command::new("unshare").args(["--pid", "--fork", "--mount-proc", "true"]).output();
    tried.is_ok_and(|output| output.status.success())
}

fn nodes(store: &dyn Store) -> Vec<NodeRow> {
    store.nodes(SystemScope, Timestamp::default()).unwrap()
}

/// Two servers in two namespaces, each with a call under way, until each has checked for dead nodes many times.
async fn side_by_side(url: &str, store: &dyn Store) {
    let outside = Outside::start().await;
    let folder = tempfile::tempdir().unwrap();
    outside.write_pack(folder.path());
    let pack = folder.path().display().to_string();
    let args = ["--pack", pack.as_str(), "--allow-private-hosts"];
    let servers = [Server::start_on(url, &args), Server::from_command(contained(url), &args)];
    let mut runs = Vec::new();
    for server in &servers {
        runs.push(ask(&server.url, "act on paper").await);
        outside.has_arrived().await;
    }
    let scope = Scope::of(brain_core::TenantId::default_tenant());
    let owner = |run: &String| store.run(&scope, run.parse::<RunId>().unwrap()).unwrap().unwrap().schedule.owner;
    let owners = [owner(&runs[0]), owner(&runs[1])];
    assert!(owners[0].is_some() && owners[1].is_some() && owners[0] != owners[1], "{owners:?}");
    // A node polls every second and renews its lease every five seconds: when both have renewed twice, both have
    // checked each other many times.
    let before = nodes(store);
    assert_eq!(before.len(), 2, "{before:?}");
    for _ in 0..2 {
        let seen = nodes(store);
        until("a heartbeat of both", async || {
            let now = nodes(store);
            let renewed = |old: &NodeRow| now.iter().any(|new| new.id == old.id && new.until > old.until);
            seen.iter().all(renewed).then_some(())
        })
        .await;
    }
    assert_eq!([owner(&runs[0]), owner(&runs[1])], owners, "no run was taken over");
    outside.go_on.add_permits(2);
    for run in &runs {
        let end = until("the end of a run", async || {
            let state = state(&servers[0].url, run).await;
            (state["status"] != "running").then_some(state)
        })
        .await;
        assert_eq!(end["status"], "completed", "{end:#}");
    }
    assert_eq!(outside.calls(), 2, "each call was made once");
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_in_two_pid_namespaces_do_not_take_over_each_others_runs() {
    if !may_unshare() {
        assert!(
            std::env::var_os(SKIP).is_some(),
            "this user may make no PID namespace; set {SKIP}=1 to leave this out"
        );
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("two.db");
    side_by_side(&format!("sqlite:{}", file.display()), &SqliteStore::open(&file).unwrap()).await;
    let cluster = Postgres::start().unwrap();
    let url = cluster.url(&cluster.new_database());
    side_by_side(&url, &PostgresStore::connect(&url).unwrap()).await;
}

/// A server with a call under way.
async fn with_a_call(folder: &Path, more: &[&str]) -> (Arc<Outside>, Server, String, String) {
    let outside = Outside::start().await;
    let pack = folder.join("pack");
    outside.write_pack(&pack);
    let pack = pack.display().to_string();
    let server =
        Server::start(&folder.join("s.db"), &[&["--pack", pack.as_str(), "--allow-private-hosts"], more].concat());
    let run = ask(&server.url, "act on paper").await;
    outside.has_arrived().await;
    (outside, server, run, pack)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopping_server_waits_for_its_calls_and_leaves_one_complete_file() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("s.db");
    let (outside, mut server, run_id, pack) = with_a_call(folder.path(), &[]).await;
    server.terminate();
    let addr = server.url.trim_start_matches("http://").to_owned();
    until("the end of listening", async || tokio::net::TcpStream::connect(&addr).await.is_err().then_some(())).await;
    outside.go_on.add_permits(9);
    let ended = tokio::task::spawn_blocking(move || server.ended()).await.unwrap();
    assert!(ended.success(), "{ended}");
    // Only the main file is copied to another machine.
    let copy = folder.path().join("copy/elsewhere.db");
    std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
    std::fs::copy(&store, &copy).unwrap();
    let args =
        |words: &[&str]| [&["--pack", pack.as_str()], words].concat().iter().map(|&a| a.to_owned()).collect::<Vec<_>>();
    let list = json(&brain(&copy).args(args(&["runs", "--json"])).output().unwrap());
    assert_eq!(list["items"].as_array().unwrap().len(), 1, "{list:#}");
    assert_eq!(list["items"][0]["status"], "completed", "{list:#}");
    let replayed = brain(&copy).args(args(&["replay", &run_id])).output().unwrap();
    assert!(replayed.status.success(), "{}", text(&replayed));
    let letters = json(&run(&copy, &["dlq", "list", "--json"]));
    assert_eq!(letters["items"].as_array().map(Vec::len), Some(0), "{letters:#}");
    assert_eq!(outside.calls(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_for_calls_is_bounded_and_a_second_signal_ends_it() {
    for (more, signals) in [(&["--drain", "1s"][..], 1), (&["--drain", "10m"][..], 2)] {
        let folder = tempfile::tempdir().unwrap();
        let (outside, mut server, ..) = with_a_call(folder.path(), more).await;
        server.terminate();
        if signals == 2 {
            let addr = server.url.trim_start_matches("http://").to_owned();
            until("the end of listening", async || tokio::net::TcpStream::connect(&addr).await.is_err().then_some(()))
                .await;
            server.terminate();
        }
        // The call never ends.
        let ended = tokio::task::spawn_blocking(move || server.ended()).await.unwrap();
        assert!(ended.success(), "{ended}");
        assert_eq!(outside.calls(), 1);
    }
}

/// Replays every run of a store and compares the result.
fn replay_all(url: &str, pack: &str) -> usize {
    let command = |words: &[&str]| common::brain_on(url).args(["--pack", pack]).args(words).output().unwrap();
    let list = json(&command(&["runs", "--limit", "200", "--json"]));
    let runs = list["items"].as_array().unwrap();
    for run in runs {
        let replayed = command(&["replay", run["run_id"].as_str().unwrap_or_else(|| panic!("{run:#}"))]);
        assert!(replayed.status.success(), "{}", text(&replayed));
    }
    runs.len()
}

/// Submits short runs until stopped; returns how many were accepted.
fn load(url: &str, stop: &Arc<std::sync::atomic::AtomicBool>) -> tokio::task::JoinHandle<usize> {
    let (url, stop) = (url.to_owned(), stop.clone());
    tokio::spawn(async move {
        let mut asked = 0;
        while !stop.load(Ordering::Relaxed) && asked < 60 {
            ask(&url, &format!("note number {asked}")).await;
            asked += 1;
        }
        asked
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_under_load_is_consistent_and_its_runs_continue_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let (outside, server, in_call, pack) = with_a_call(folder.path(), &[]).await;
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let loading = load(&server.url, &stop);
    let (store, backup) = (folder.path().join("s.db"), folder.path().join("b.db"));
    let backup_name = backup.display().to_string();
    let mut held = 0;
    for round in 0..3 {
        let made = run(
            &store,
            &[&["backup", &backup_name, "--json"][..], if round == 0 { &[] } else { &["--force"] }].concat(),
        );
        held = json(&made)["runs"].as_u64().unwrap();
    }
    assert!(held > 0);
    let refused = run(&store, &["backup", &backup_name]);
    assert!(!refused.status.success() && text(&refused).contains("--force"), "{}", text(&refused));
    let used = run(&store, &["restore", &backup_name, "--force"]);
    assert!(!used.status.success() && text(&used).contains("stop it first"), "{}", text(&used));
    stop.store(true, Ordering::Relaxed);
    assert!(loading.await.unwrap() > 0);
    let elsewhere = folder.path().join("new/place.db");
    let restored = run(&elsewhere, &["restore", &backup_name, "--json"]);
    assert_eq!(json(&restored)["runs"], held, "{}", text(&restored));
    assert_eq!(json(&restored)["owned_runs"], 1);
    let again = run(&elsewhere, &["restore", &backup_name]);
    assert!(!again.status.success() && text(&again).contains("nothing was changed"), "{}", text(&again));
    assert_eq!(replay_all(&format!("sqlite:{}", elsewhere.display()), &pack) as u64, held);
    // The process of the old machine is not consulted, although it lives: its call is in doubt here at once.
    let other = Server::start(&elsewhere, &["--pack", &pack, "--allow-private-hosts"]);
    let state = until("the take-over", async || {
        let state = state(&other.url, &in_call).await;
        (state["errors"][0]["code"] == "in_doubt").then_some(state)
    })
    .await;
    assert_eq!(outside.calls(), 1, "{state:#}");
    drop(server);
}

#[test]
fn a_backup_replaces_neither_the_store_itself_nor_a_file_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let (store, other) = (folder.path().join("s.db"), folder.path().join("o.db"));
    for file in [&store, &other] {
        assert!(run(file, &["do", "create task: Call Bob"]).status.success());
    }
    let refused = |file: &Path, why: &str| {
        let output = run(&store, &["backup", &file.display().to_string(), "--force"]);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output));
        assert!(text(&output).contains(why), "{why}: {}", text(&output));
        assert_eq!(json(&run(file, &["runs", "--json"]))["items"].as_array().unwrap().len(), 1, "it is unchanged");
    };
    refused(&store, "is the store itself");
    #[cfg(unix)]
    {
        let link = folder.path().join("link.db");
        std::os::unix::fs::symlink(&store, &link).unwrap();
        refused(&link, "is the store itself");
    }
    let server = Server::start(&other, &[]);
    refused(&other, "looks like a store in use");
    drop(server);
}

#[test]
fn a_store_is_not_replaced_under_a_suspended_server() {
    let folder = tempfile::tempdir().unwrap();
    let (store, backup) = (folder.path().join("s.db"), folder.path().join("b.db").display().to_string());
    assert!(run(&store, &["do", "create task: Call Bob"]).status.success());
    assert!(run(&store, &["backup", &backup]).status.success());
    let server = Server::start(&store, &[]);
    let signal = |name: &str| {
        assert!(Command::new("kill").args([name, &server.pid().to_string()]).status().unwrap().success());
    };
    let file = rusqlite::Connection::open(&store).unwrap();
    file.busy_timeout(std::time::Duration::from_millis(100)).unwrap();
    // Its last heartbeat is old. A server suspended during a commit would hold the file's lock and be noticed by that;
    // this one is idle.
    let began = std::time::Instant::now();
    loop {
        signal("-STOP");
        match file.execute("UPDATE nodes SET until = 1", []) {
            Ok(nodes) => break assert!(nodes > 0),
            Err(error) => assert!(began.elapsed() < PATIENCE, "{error}"),
        }
        signal("-CONT");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    drop(file);
    let refused = run(&store, &["restore", &backup, "--force"]);
    assert_eq!(refused.status.code(), Some(1), "{}", text(&refused));
    assert!(text(&refused).contains("stop it first"), "{}", text(&refused));
    server.kill();
    let restored = run(&store, &["restore", &backup, "--force"]);
    assert!(restored.status.success(), "nobody is there any more: {}", text(&restored));
}

/// Two requests on one connection: when the first is answered, the second is being served.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_waits_for_a_job_is_answered_when_the_server_stops() {
    use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(&folder.path().join("s.db"), &[]);
    let host = server.url.trim_start_matches("http://").to_owned();
    let mut stream = BufReader::new(tokio::net::TcpStream::connect(&host).await.unwrap());
    let body = json!({"topics": ["none"], "worker": "w", "max_jobs": 1, "wait_timeout_ms": 120_000}).to_string();
    let requests = format!(
        "GET /healthz HTTP/1.1\r\nhost: {host}\r\n\r\nPOST /v1/jobs/activate HTTP/1.1\r\nhost: {host}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(requests.as_bytes()).await.unwrap();
    let mut line = String::new();
    while !line.contains("\"ok\"") {
        line.clear();
        let mut piece = [0; 1];
        stream.read_exact(&mut piece).await.unwrap();
        line.push(piece[0] as char);
        if piece[0] == b'{' {
            let mut rest = Vec::new();
            stream.read_until(b'}', &mut rest).await.unwrap();
            line.push_str(&String::from_utf8_lossy(&rest));
        }
    }
    server.terminate();
    let mut answer = String::new();
    let read = tokio::time::timeout(PATIENCE, stream.read_to_string(&mut answer)).await;
    read.expect("long before its time").unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"jobs\":[]"), "{answer}");
    assert!(server.ended().success());
}

#[test]
fn a_file_that_is_not_a_backup_is_not_restored() {
    let folder = tempfile::tempdir().unwrap();
    let (store, file) = (folder.path().join("s.db"), folder.path().join("f.db"));
    let restore = |why: &str| {
        let output = run(&store, &["restore", file.to_str().unwrap(), "--force"]);
        assert!(!output.status.success() && text(&output).contains(why), "{why}: {}", text(&output));
        assert!(!store.exists());
    };
    restore("there is no file");
    std::fs::write(&file, "no database at all, but long enough to look at").unwrap();
    restore("not a store");
    std::fs::write(&file, "").unwrap();
    restore("empty");
    assert!(run(&file, &["do", "create task: Call Bob"]).status.success());
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 8192].fill(0x5a);
    std::fs::write(&file, bytes).unwrap();
    let output = run(&store, &["restore", file.to_str().unwrap()]);
    assert!(!output.status.success() && !store.exists(), "{}", text(&output));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_postgres_dump_under_load_is_consistent() {
    let cluster = Postgres::start().unwrap();
    let database = cluster.new_database();
    let outside = Outside::start().await;
    let folder = tempfile::tempdir().unwrap();
    outside.write_pack(folder.path());
    let pack = folder.path().display().to_string();
    let server = Server::start_on(&cluster.url(&database), &["--pack", &pack]);
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let loading = load(&server.url, &stop);
    until("the first runs", async || {
        (cluster.sql(&database, "SELECT count(*) FROM brain.runs").parse::<u32>().unwrap() > 3).then_some(())
    })
    .await;
    let file = folder.path().join("dump");
    let said = text(&common::brain_on(&cluster.url(&database)).arg("backup").arg(&file).output().unwrap());
    assert!(said.contains("pg_dump --format=custom --schema=brain") && !said.contains("s3cret"), "{said}");
    let done = |command: &mut Command| {
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
    };
    done(cluster.program("pg_dump").args(["--format=custom", "--schema=brain", "--file"]).arg(&file).arg(&database));
    stop.store(true, Ordering::Relaxed);
    loading.await.unwrap();
    let copy = cluster.new_database();
    done(cluster.program("pg_restore").args(["--exit-on-error", "--dbname", &copy]).arg(&file));
    let runs = replay_all(&cluster.url(&copy), &pack);
    assert_eq!(cluster.sql(&copy, "SELECT count(*) FROM brain.runs"), runs.to_string());
    assert!(runs > 3);
}
