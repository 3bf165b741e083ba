//! A soak test of retention: runs start and end for twenty rounds, and the file stops growing.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

use std::path::Path;

use brain_core::{Digest, Millis, RunStatus, Timestamp, canonical_digest};
use brain_engine::{Keep, Swept, sweep};
use brain_store::conformance::sample;
use brain_store::{LogEvent, LogRow, Member, Runs, SqliteStore, Store, Write};
use serde_json::{Value, json};

const ROUNDS: u64 = 20;
const RUNS: u64 = 150;
/// Virtual time between two rounds.
const ROUND: u64 = 5_000;

fn at(round: u64) -> Timestamp {
    sample::at(round * ROUND)
}

/// Text that does not repeat.
fn text(n: u64) -> String {
    (0..30).map(|part| Digest::of(&(n * 1000 + part).to_be_bytes()).to_string()).collect()
}

fn payload(n: u64) -> Value {
    json!({"args": {"text": text(n)}, "result": {"data": {"n": n}}})
}

/// Writes the runs of a round, which have ended; every tenth has a large value.
fn round(store: &SqliteStore, round: u64) {
    let scope = sample::scope("default");
    let mut members = Vec::new();
    for n in round * RUNS..(round + 1) * RUNS {
        let mut row = sample::run(&scope, n);
        (row.updated_at, row.status) = (at(round), RunStatus::Completed);
        let mut first = payload(n);
        let mut writes = Vec::new();
        if n % 10 == 0 {
            let bytes: std::sync::Arc<[u8]> = text(n).repeat(40).into_bytes().into();
            let hash = Digest::of(&bytes);
            first["result"]["data"]["file"] = json!({"$blob": hash, "size": bytes.len(), "media_type": "text/plain"});
            writes.push(Write::PutBlob { hash, media_type: "text/plain".into(), at: at(round), bytes });
        }
        let log = |seq: u64, payload: Value| LogRow {
            run: row.id,
            seq,
            at: at(round),
            events: vec![LogEvent::new(105, 1, &json!({"job": {"step": seq}, "attempt": 1}), Some(0))],
            payloads: vec![payload],
        };
        writes.extend([Write::Append(log(0, first).into()), Write::Append(log(1, payload(n + 1_000_000)).into())]);
        writes.push(Write::TakeKey { key: format!("key {n}"), digest: Digest::of(b"x"), run: row.id });
        writes.push(Write::NewRun(Box::new(row)));
        members.push(Member { scope: scope.clone(), preconditions: vec![], writes });
    }
    for batch in members.chunks(50) {
        brain_store::Commit::commit_now(store, batch.to_vec()).unwrap();
    }
}

/// Size of the file and of its write-ahead log, in bytes.
fn size(path: &Path) -> u64 {
    let beside = path.with_extension("db-wal");
    [path, &beside].into_iter().filter_map(|path| std::fs::metadata(path).ok()).map(|file| file.len()).sum()
}

#[test]
fn a_file_with_retention_stops_growing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("soak.db");
    let scope = sample::scope("default");
    // Payloads are kept for 1.5 rounds, runs for 4.5, unused blobs for 0.5.
    let keep = Keep {
        payloads: Some(Millis(7_500)),
        runs: Some(Millis(22_500)),
        blobs: Millis(2_500),
        long: brain_engine::LONG,
    };
    let mut sizes = Vec::new();
    for n in 1..=ROUNDS {
        let store = SqliteStore::open(&path).unwrap();
        round(&store, n);
        let before = brain_store::Feed::feed_end(&store, brain_store::SystemScope).unwrap();
        let would = sweep(&store, &scope, at(n), keep, true).unwrap();
        let swept = sweep(&store, &scope, at(n), keep, false).unwrap();
        assert_eq!((would.runs_erased, would.runs_deleted), (swept.runs_erased, swept.runs_deleted), "round {n}");
        let again = sweep(&store, &scope, at(n), keep, false).unwrap();
        assert_eq!(Swept { blobs_unused: 0, ..again }, Swept::default(), "nothing is left to do in round {n}");
        assert_eq!(brain_store::Feed::feed_end(&store, brain_store::SystemScope).unwrap(), before);
        if n > 6 {
            assert_eq!(
                (swept.runs_erased, swept.runs_deleted, swept.blobs_deleted),
                (RUNS, RUNS, RUNS / 10),
                "round {n}"
            );
            // Erased values were replaced by their digests.
            let erased = (n - 3) * RUNS;
            let row = store.run(&scope, sample::run_id(erased)).unwrap().unwrap();
            assert!(row.erased && row.request["erased"].is_string(), "{row:?}");
            let log = store.log(&scope, row.id).unwrap();
            let was = payload(erased + 1_000_000);
            assert_eq!(log[1].payloads[0]["args"], json!({"erased": canonical_digest(&was["args"])}));
            assert!(log[1].events[0].data.get().contains(r#""attempt":1"#));
            assert_eq!(store.run(&scope, sample::run_id((n - 5) * RUNS)).unwrap(), None);
            let fresh = store.run(&scope, sample::run_id(n * RUNS)).unwrap().unwrap();
            assert!(
                !fresh.erased && store.log(&scope, fresh.id).unwrap()[1].payloads[0] == payload(n * RUNS + 1_000_000)
            );
        }
        drop(store);
        // Closing the last connection checkpoints the write-ahead log.
        drop(SqliteStore::open(&path).unwrap());
        sizes.push(size(&path));
    }
    println!("sizes after each round: {sizes:?}");
    let (early, late) = sizes.split_at(10);
    let (steady, most) = (early[9], late.iter().copied().max().unwrap());
    // Pages fill slightly differently each time.
    assert!(most <= steady + steady / 50, "the file grows: {sizes:?}");
}

#[test]
fn active_and_recent_runs_are_left_alone() {
    let store = brain_store::MemoryStore::new();
    let scope = sample::scope("default");
    let mut writes = Vec::new();
    let statuses = RunStatus::ALL.iter().filter(|status| **status == RunStatus::Completed || !status.is_over());
    for (n, status) in statuses.enumerate() {
        let mut row = sample::run(&scope, n as u64);
        row.status = *status;
        writes.extend([Write::NewRun(Box::new(row)), Write::Append(sample::log(n as u64, 0).into())]);
    }
    brain_store::Commit::commit_now(&store, vec![Member { scope: scope.clone(), preconditions: vec![], writes }])
        .unwrap();
    let keep = Keep { payloads: Some(Millis(1_000)), runs: None, blobs: Millis(0), long: brain_engine::LONG };
    let store: &dyn Store = &store;
    assert_eq!(sweep(store, &scope, sample::at(999), keep, false).unwrap(), Swept::default());
    let swept = sweep(store, &scope, sample::at(9_999), keep, false).unwrap();
    assert_eq!((swept.runs_erased, swept.runs_deleted), (1, 0));
    let forever = Keep { payloads: None, runs: None, blobs: Millis(0), long: brain_engine::LONG };
    assert_eq!(sweep(store, &scope, sample::at(99_999), forever, false).unwrap(), Swept::default());
}

#[test]
fn a_child_run_is_kept_until_its_parent_has_ended() {
    let store = brain_store::MemoryStore::new();
    let scope = sample::scope("default");
    let (mut parent, mut child) = (sample::run(&scope, 1), sample::run(&scope, 2));
    (parent.status, child.status) = (RunStatus::Delegated, RunStatus::Completed);
    child.request["parent"] = json!({"run": parent.id});
    let put = |row: &brain_store::RunRow| {
        let writes = vec![Write::NewRun(Box::new(row.clone()))];
        let member = Member { scope: scope.clone(), preconditions: vec![], writes };
        brain_store::Commit::commit_now(&store, vec![member]).unwrap();
    };
    put(&child);
    put(&parent);
    let second = Some(Millis(1_000));
    let keep = Keep { payloads: second, runs: second, blobs: Millis(0), long: brain_engine::LONG };
    let store: &dyn Store = &store;
    let swept = sweep(store, &scope, sample::at(99_999), keep, false).unwrap();
    assert_eq!((swept.runs_erased, swept.runs_deleted), (0, 0), "it may still be cancelled, or asked how it ended");
    let over = Write::UpdateRun {
        run: parent.id,
        at: parent.updated_at,
        status: RunStatus::Cancelled,
        program: None,
        schedule: parent.schedule.clone(),
    };
    store.commit_now(vec![Member { scope: scope.clone(), preconditions: vec![], writes: vec![over] }]).unwrap();
    let swept = sweep(store, &scope, sample::at(99_999), keep, false).unwrap();
    assert_eq!(swept.runs_deleted, 2);
}

#[test]
fn an_unreadable_log_and_a_failing_part_do_not_stop_the_sweep() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.db");
    let scope = sample::scope("default");
    let store = SqliteStore::open(&path).unwrap();
    round(&store, 1);
    // The log of a long active run and that of an ended run are damaged.
    let mut long = sample::run(&scope, 9_999);
    long.schedule.seq = 5_000;
    let writes = vec![Write::NewRun(Box::new(long)), Write::Append(sample::log(9_999, 0).into())];
    let member = Member { scope: scope.clone(), preconditions: Vec::new(), writes };
    brain_store::Commit::commit_now(&store, vec![member]).unwrap();
    let file = rusqlite::Connection::open(&path).unwrap();
    let broken = "UPDATE log SET events = '{not json' WHERE run IN (?1, ?2)";
    let runs = [sample::run_id(9_999), sample::run_id(RUNS)].map(|run| *run.as_uuid().as_bytes());
    file.execute(broken, rusqlite::params![runs[0], runs[1]]).unwrap();
    let keep = Keep { payloads: Some(Millis(1)), runs: None, blobs: Millis(1), long: brain_engine::LONG };
    let swept = sweep(&store, &scope, at(3), keep, false).unwrap();
    assert_eq!(swept.runs_erased, RUNS - 1, "all but the one that cannot be read");
    // Blobs cannot be swept: the other parts still run, and the failure is returned.
    file.execute_batch("ALTER TABLE dead_letters RENAME TO away").unwrap();
    round(&store, 2);
    let keep = Keep { runs: Some(Millis(1)), ..keep };
    let failed = sweep(&store, &scope, at(4), keep, false);
    assert!(failed.is_err());
    file.execute_batch("ALTER TABLE away RENAME TO dead_letters").unwrap();
    let swept = sweep(&store, &scope, at(4), keep, false).unwrap();
    assert_eq!(swept.runs_deleted, 2 * RUNS);
}
