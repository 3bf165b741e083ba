//! Faults of real parts: a full disk, a database that restarts, connections that break. Accepted runs survive, and work
//! resumes by itself.
//!
//! Clock jumps are not tested here, because the server uses the machine's clock. The simulation covers them.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;
mod harness;

use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::{Duration, Instant};

use brain_testbed::Postgres;
use common::Server;
use harness::audit::audit;
use harness::fleet::Fleet;
use harness::load::{Load, Told};
use harness::world::World;
use serde_json::{Value, json};

const JOBS: usize = 80;
const SPREAD: Duration = Duration::from_secs(4);
const SEED: u64 = 7;
const PATIENCE: Duration = Duration::from_secs(60);

/// Limits the file size of a process, which acts like a full disk without needing to mount one. The hard limit stays,
/// so that the limit can be lifted again.
fn limit_files(server: &Server, bytes: &str) {
    let pid = server.pid().to_string();
    let set = Command::new("prlimit").args(["--pid", &pid, &format!("--fsize={bytes}:")]).output();
    let set = set.expect("`prlimit` (util-linux) is needed for this test");
    assert!(set.status.success(), "{}", String::from_utf8_lossy(&set.stderr));
}

async fn post(url: &str, job: &str) -> (u16, Value) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let request = client
        .post(format!("{url}/v1/runs"))
        .header("idempotency-key", format!("key-{job}"))
        .timeout(Duration::from_secs(20))
        .json(&json!({"message": format!("job {job}"), "mode": "enqueue"}));
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    (status, response.json().await.unwrap())
}

/// Waits until the server reports this readiness.
async fn ready_is(url: &str, status: u16) {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let began = Instant::now();
    loop {
        let said = client.get(format!("{url}/readyz")).send().await.unwrap().status().as_u16();
        if said == status {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "/readyz says {said}, not {status}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Runs `brain` with a limit on the size of files, in blocks of 512 bytes.
fn limited(store: &Path, blocks: u32, args: &[&str]) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -f {blocks}; exec \"$@\""), "sh", env!("CARGO_BIN_EXE_brain")]).args(args);
    command.env_remove("BRAIN_TENANT").env_remove("BRAIN_LOG").env("BRAIN_CACHE", env!("CARGO_TARGET_TMPDIR"));
    command.env("BRAIN_STORE", format!("sqlite:{}", store.display())).output().unwrap()
}

fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_backup_that_does_not_fit_fails_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("b.db");
    assert!(common::run(&store, &["do", "create task: Call Bob"]).status.success());
    let backup = folder.path().join("copy.db").display().to_string();
    for command in ["backup", "restore"] {
        let there = files(folder.path());
        let elsewhere = folder.path().join("other.db");
        let on = if command == "backup" { &store } else { &elsewhere };
        let output = limited(on, 16, &[command, &backup]);
        assert_eq!(output.status.code(), Some(1), "not ended by a signal: {output:?}");
        let said = String::from_utf8_lossy(&output.stderr).replace('\n', " ");
        assert!(said.contains("could not be written") && said.contains("ulimit -f"), "{said}");
        assert_eq!(files(folder.path()), there, "{command} leaves nothing behind");
        assert!(common::run(&store, &["backup", &backup, "--force"]).status.success(), "with room it works");
    }
    let left = files(folder.path());
    assert!(!left.iter().any(|name| name.contains("partial") || name.contains("restoring")), "{left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_reported_and_nothing_is_lost() {
    drop(rustls::crypto::ring::default_provider().install_default());
    let folder = tempfile::tempdir().unwrap();
    let packs = tempfile::tempdir().unwrap();
    let world = World::start(SEED).await;
    world.calm_down();
    harness::pack::write(packs.path(), &world.addr);
    let pack = packs.path().display().to_string();
    let store = folder.path().join("full.db");
    let server = Server::start(&store, &["--pack", &pack, "--allow-private-hosts"]);
    let told = Told::default();
    let accept = |job: usize, answer: &Value| {
        let run = answer["run_id"].as_str().unwrap().to_owned();
        told.runs.lock().unwrap().insert(job, run);
    };
    // Jobs 7, 15, … are compensated; they are left out.
    for job in 0..6 {
        let (status, answer) = post(&server.url, &format!("J{job}")).await;
        assert_eq!(status, 202, "{answer:#}");
        accept(job, &answer);
    }
    // The write-ahead log has no room for another page.
    let log = std::fs::metadata(folder.path().join("full.db-wal")).unwrap().len();
    limit_files(&server, &log.to_string());
    let mut refused = None;
    for job in 8..14 {
        let (status, answer) = post(&server.url, &format!("J{job}")).await;
        if matches!(status, 200 | 202) {
            accept(job, &answer);
        } else {
            refused.get_or_insert((job, status, answer));
        }
    }
    let (job, status, answer) = refused.expect("a disk without room takes nothing");
    assert_eq!((status, &answer["code"]), (503, &json!("store_failed")), "{answer:#}");
    // Reads still work.
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let list: Value = client.get(format!("{}/v1/runs", server.url)).send().await.unwrap().json().await.unwrap();
    assert!(!list["items"].as_array().unwrap().is_empty());
    ready_is(&server.url, 503).await;
    let why: Value = client.get(format!("{}/readyz", server.url)).send().await.unwrap().json().await.unwrap();
    assert_eq!((&why["code"], &why["errors"][0]["field"]), (&json!("not_ready"), &json!("store_writes")), "{why:#}");
    limit_files(&server, "unlimited");
    ready_is(&server.url, 200).await;
    for job in (job..14).chain(16..22) {
        let (status, answer) = post(&server.url, &format!("J{job}")).await;
        assert!(matches!(status, 200 | 202), "there is room again: {status} {answer:#}");
        accept(job, &answer);
    }
    let found = audit(&server.url, &told, &world).await;
    println!("full disk: {found:?}");
}

/// Runs a load on two servers while `trouble` happens to their database.
async fn under_load(trouble: impl FnOnce(&Postgres, &str) + Send + 'static) {
    let cluster = Arc::new(Postgres::start_durable().unwrap());
    let database = cluster.new_database();
    let world = World::start(SEED).await;
    let folder = tempfile::tempdir().unwrap();
    harness::pack::write(folder.path(), &world.addr);
    let fleet = Arc::new(Fleet::start(&cluster.url(&database), folder.path(), 2, SEED));
    let troubled = cluster.clone();
    let troubling = tokio::task::spawn_blocking(move || trouble(&troubled, &database));
    let asked = fleet.clone();
    let told = Load { jobs: JOBS, over: SPREAD, seed: SEED }.run(move || asked.any()).await;
    troubling.await.expect("the database comes back");
    world.calm_down();
    let found = audit(&fleet.any(), &told, &world).await;
    println!("{found:?}; problems {:?}", told.problems.lock().unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_crash_loses_nothing() {
    under_load(|cluster, _| {
        for _ in 0..2 {
            std::thread::sleep(Duration::from_millis(1200));
            cluster.stop();
            std::thread::sleep(Duration::from_millis(500));
            cluster.start_again().unwrap();
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cut_connections_lose_nothing() {
    under_load(|cluster, database| {
        for _ in 0..12 {
            std::thread::sleep(Duration::from_millis(300));
            cluster.kill_connections(database);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_reads_of_records_delay_only_the_runs_that_need_them() {
    drop(rustls::crypto::ring::default_provider().install_default());
    const WAITING: usize = 12;
    let cluster = Arc::new(Postgres::start().unwrap());
    let database = cluster.new_database();
    let server = Server::start_on(&cluster.url(&database), &[]);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let ask = |message: String| {
        let body = json!({"message": message, "mode": "enqueue_and_wait"});
        client.post(format!("{}/v1/runs", server.url)).json(&body).send()
    };
    for n in 0..WAITING {
        assert_eq!(ask(format!("create task: Call number {n}")).await.unwrap().status(), 200);
    }
    let held = cluster.clone();
    let of = database.clone();
    let holder = tokio::task::spawn_blocking(move || {
        held.program("psql")
            .args(["-d", &of, "-c", "BEGIN; LOCK TABLE brain.records; SELECT pg_advisory_lock(4713), pg_sleep(50)"])
            .output()
    });
    let counted = |what: &'static str, least: usize| {
        let (cluster, database) = (cluster.clone(), database.clone());
        async move {
            let began = Instant::now();
            loop {
                let (cluster, database) = (cluster.clone(), database.clone());
                let found = tokio::task::spawn_blocking(move || cluster.sql(&database, what)).await.unwrap();
                if found.parse::<usize>().unwrap() >= least {
                    return;
                }
                assert!(began.elapsed() < PATIENCE, "only {found} of {least}: {what}");
            }
        }
    };
    counted("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4713 AND granted", 1).await;
    let asked: Vec<_> = (0..WAITING).map(|n| tokio::spawn(ask(format!("complete task: Call number {n}")))).collect();
    counted("SELECT count(*) FROM pg_locks WHERE relation = 'brain.records'::regclass AND NOT granted", 4).await;
    for _ in 0..20 {
        let health = client.get(format!("{}/healthz", server.url)).timeout(Duration::from_secs(20)).send().await;
        assert_eq!(health.expect("nobody's reads hold it up").status(), 200);
    }
    assert!(!asked.iter().any(|one| one.is_finished()), "they were waiting all the time");
    cluster
        .sql(&database, "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4713");
    drop(holder.await);
    for one in asked {
        let answer: Value = one.await.unwrap().unwrap().json().await.unwrap();
        assert_eq!(answer["status"], "completed", "{answer:#}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_on_records_holds_up_only_those_who_need_records() {
    drop(rustls::crypto::ring::default_provider().install_default());
    let folder = tempfile::tempdir().unwrap();
    let trades = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/trades").display().to_string();
    let workers = with_workers(&folder.path().join("pack"));
    let cluster = Arc::new(Postgres::start().unwrap());
    let database = cluster.new_database();
    let server = Server::start_on(&cluster.url(&database), &["--pack", &trades, "--pack", &workers]);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let ask = |message: String| {
        let body = json!({"message": message, "mode": "enqueue"});
        client.post(format!("{}/v1/runs", server.url)).json(&body).send()
    };
    let first: Value = ask("work on 0".into()).await.unwrap().json().await.unwrap();
    let held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4715 AND granted";
    let mut psql = cluster.program("psql");
    let sql = "BEGIN; LOCK TABLE brain.records; SELECT pg_advisory_lock(4715), pg_sleep(600)";
    let mut holder = psql.args(["-d", &database, "-c", sql]).stdout(std::process::Stdio::null()).spawn().unwrap();
    let began = Instant::now();
    while cluster.sql(&database, held) != "1" {
        assert!(began.elapsed() < PATIENCE, "the lock was never taken");
    }
    // More than there are connections of any kind.
    let blocked: Vec<_> = (0..16).map(|n| tokio::spawn(ask(format!("create task: Call number {n}")))).collect();
    for n in 1..8 {
        let answer = ask(format!("work on {n}")).await.unwrap();
        assert!(answer.status().is_success(), "{n}: {}", answer.text().await.unwrap());
        let run = client.get(format!("{}/v1/runs/{}", server.url, first["run_id"].as_str().unwrap())).send().await;
        assert_eq!(run.unwrap().status(), 200);
        assert_eq!(client.get(format!("{}/healthz", server.url)).send().await.unwrap().status(), 200);
    }
    for one in blocked {
        assert_eq!(one.await.unwrap().unwrap().status(), 503, "it fails, and can be tried again");
    }
    cluster
        .sql(&database, "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4715");
    drop(holder.wait());
    assert!(ask("create task: Call again".into()).await.unwrap().status().is_success());
}

/// A pack with a job for workers.
fn with_workers(folder: &Path) -> String {
    std::fs::create_dir_all(folder.join("tools")).unwrap();
    std::fs::write(folder.join("pack.yaml"), "name: w\nversion: 1.0.0\ntitle: W\n").unwrap();
    let tools = "domain: w\ntools:\n  work:\n    title: Work\n    phrases: [\"work on {what}\"]\n    input: {what: string}\n    behavior: {worker: work}\n    undo: none\n";
    std::fs::write(folder.join("tools/w.yaml"), tools).unwrap();
    folder.display().to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_run_with_a_damaged_log_is_parked() {
    drop(rustls::crypto::ring::default_provider().install_default());
    let folder = tempfile::tempdir().unwrap();
    let (pack, store) = (with_workers(&folder.path().join("pack")), folder.path().join("s.db"));
    let server = Server::start(&store, &["--pack", &pack]);
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut runs = Vec::new();
    for n in 0..3 {
        let body = json!({"message": format!("work on {n}"), "mode": "enqueue"});
        let answer = client.post(format!("{}/v1/runs", server.url)).json(&body).send().await.unwrap();
        let run: Value = answer.json().await.unwrap();
        runs.push(run["run_id"].as_str().unwrap().to_owned());
    }
    server.kill();
    let file = rusqlite::Connection::open(&store).unwrap();
    let second: brain_core::RunId = runs[1].parse().unwrap();
    let damaged = file.execute("UPDATE log SET events = '[[1,' WHERE run = ?1", [second.as_uuid().as_bytes()]).unwrap();
    assert!(damaged > 0);
    drop(file);
    let server = Server::start(&store, &["--pack", &pack]);
    let take = json!({"topics": ["work"], "worker": "w", "max_jobs": 3, "wait_timeout_ms": 0});
    let url = format!("{}/v1/jobs/activate", server.url);
    let taken: Value = client.post(url).json(&take).send().await.unwrap().json().await.unwrap();
    let of: Vec<&str> = taken["jobs"].as_array().unwrap().iter().filter_map(|job| job["run_id"].as_str()).collect();
    assert_eq!(of, [runs[0].as_str(), runs[2].as_str()], "the other runs continue: {taken:#}");
    let status = async || {
        let url = format!("{}/v1/runs/{}", server.url, runs[1]);
        let run: Value = client.get(url).send().await.unwrap().json().await.unwrap();
        run["status"].as_str().unwrap_or_default().to_owned()
    };
    let began = Instant::now();
    while status().await != "parked" {
        assert!(began.elapsed() < PATIENCE, "it is {}", status().await);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
