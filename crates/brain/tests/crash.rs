//! `kill -9` at random times, repeatedly, under load: every accepted run ends or waits for a person, nothing happens
//! twice, nothing is lost.
//!
//! `cargo xtask crash` is the same for longer: `BRAIN_CRASH_SECONDS`, `BRAIN_CRASH_RUNS`, `BRAIN_CRASH_SEED`.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;
mod harness;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use brain_testbed::Postgres;
use harness::audit::audit;
use harness::fleet::Fleet;
use harness::load::Load;
use harness::world::World;

/// The defaults of CI; `cargo xtask crash` sets more.
const SECONDS: u64 = 8;
const RUNS: usize = 160;

fn asked<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok()?.parse().ok()
}

async fn crash(what: &str, store: &str, servers: usize) {
    let seconds = asked("BRAIN_CRASH_SECONDS").unwrap_or(SECONDS);
    let jobs = asked("BRAIN_CRASH_RUNS").unwrap_or(RUNS);
    let seed = asked("BRAIN_CRASH_SEED").unwrap_or_else(|| u64::from(std::process::id()));
    println!("{what}: seed {seed}");
    let time = Duration::from_secs(seconds);
    let world = World::start(seed).await;
    let folder = tempfile::tempdir().unwrap();
    harness::pack::write(folder.path(), &world.addr);
    let fleet = Arc::new(Fleet::start(store, folder.path(), servers, seed));
    let killed = fleet.clone();
    let killer = tokio::task::spawn_blocking(move || killed.kill_for(time, (seconds / 6).max(3)));
    let asked = fleet.clone();
    let told = Load { jobs, over: time, seed }.run(move || asked.any()).await;
    killer.await.unwrap();
    world.calm_down();
    let found = audit(&fleet.any(), &told, &world).await;
    println!(
        "{what}: {} runs, {} kills, {} effects outside in {} calls ({} cut), {} records, {} letters in doubt, {:?}; \
         clients asked again {} times after a failure and {} times on purpose; problems {:?}; at rest {:.1?} after the last kill",
        found.runs,
        fleet.kills.load(Ordering::Relaxed),
        found.effects,
        world.calls.load(Ordering::Relaxed),
        world.cuts.load(Ordering::Relaxed),
        found.marks,
        found.letters,
        found.by_status,
        told.asked_again.load(Ordering::Relaxed),
        told.repeated.load(Ordering::Relaxed),
        told.problems.lock().unwrap(),
        found.settled_after,
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_on_sqlite_survives_kills() {
    let folder = tempfile::tempdir().unwrap();
    crash("SQLite", &format!("sqlite:{}", folder.path().join("crash.db").display()), 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_servers_on_postgres_survive_kills_of_either() {
    let cluster = Postgres::start_durable().unwrap();
    crash("PostgreSQL", &cluster.url(&cluster.new_database()), 2).await;
}
