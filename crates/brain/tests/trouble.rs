//! Trouble with real parts: a disk that is full, a database that goes away and comes back, connections that break.
//! What was accepted is there afterwards, and work goes on by itself.
//!
//! A clock that jumps is not here: the server's clock is the machine's. The engine's simulation lets it jump.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;
mod harness;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

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

/// A small file system in memory, gone with this.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// `None` if this user may not mount one.
    fn new(folder: &Path) -> Option<Self> {
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=8m", "small"]).arg(folder).output();
        mounted.is_ok_and(|output| output.status.success()).then(|| Self(folder.to_owned()))
    }

    /// Takes all the room there is, and gives it back by deleting the file.
    fn fill(&self) -> PathBuf {
        let path = self.0.join("filler");
        let zeros = std::fs::File::open("/dev/zero").unwrap();
        let mut filler = std::fs::File::create(&path).unwrap();
        // It ends with an error: there is no more room.
        let full = std::io::copy(&mut std::io::BufReader::with_capacity(4096, zeros), &mut filler);
        assert!(full.is_err());
        path
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(&self.0).status());
    }
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

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_said_and_nothing_is_lost() {
    drop(rustls::crypto::ring::default_provider().install_default());
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::new(folder.path()) else {
        println!("skipped: this user may not mount a small file system");
        return;
    };
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
    // Jobs 7, 15, … are of the other kind; they are left out.
    for job in 0..6 {
        let (status, answer) = post(&server.url, &format!("J{job}")).await;
        assert_eq!(status, 200, "{answer:#}");
        accept(job, &answer);
    }
    let filler = disk.fill();
    // The log still has some room inside its pages: a few may be accepted.
    let mut refused = None;
    for job in 8..14 {
        let (status, answer) = post(&server.url, &format!("J{job}")).await;
        if status == 200 {
            accept(job, &answer);
        } else {
            refused.get_or_insert((job, status, answer));
        }
    }
    let (job, status, answer) = refused.expect("a disk without room takes nothing");
    assert_eq!((status, &answer["code"]), (503, &json!("store_failed")), "{answer:#}");
    // It still answers what it knows.
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let list: Value = client.get(format!("{}/v1/runs", server.url)).send().await.unwrap().json().await.unwrap();
    assert!(!list["items"].as_array().unwrap().is_empty());
    std::fs::remove_file(filler).unwrap();
    for job in (job..14).chain(16..22) {
        let (status, answer) = post(&server.url, &format!("J{job}")).await;
        assert_eq!(status, 200, "there is room again: {answer:#}");
        accept(job, &answer);
    }
    let found = audit(&server.url, &told, &world).await;
    println!("full disk: {found:?}");
}

/// Load on two servers while `trouble` happens to their database.
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
async fn a_database_that_crashes_and_comes_back_costs_nothing() {
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
async fn connections_that_are_cut_cost_nothing() {
    under_load(|cluster, database| {
        for _ in 0..12 {
            std::thread::sleep(Duration::from_millis(300));
            cluster.kill_connections(database);
        }
    })
    .await;
}
