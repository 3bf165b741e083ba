//! Locks that other sessions hold on PostgreSQL: they hold up only those who need what is locked.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use brain_core::TokenId;
use brain_store::conformance::sample;
use brain_store::{Commit, Member, Outcome, PostgresStore, Precondition, Records, Runs, StoreError, Tokens, Write};
use brain_testbed::Postgres;
use common::{commit, eventually, new_run, put};
use serde_json::json;

/// Holds what a statement locks until it is dropped.
struct Locked<'a> {
    cluster: &'a Postgres,
    database: &'a str,
    session: std::process::Child,
}

impl<'a> Locked<'a> {
    fn by(cluster: &'a Postgres, database: &'a str, lock: &str) -> Self {
        let sql = format!("BEGIN; {lock}; SELECT pg_advisory_lock(4714), pg_sleep(600)");
        let mut psql = cluster.program("psql");
        let quiet = std::process::Stdio::null;
        psql.args(["-d", database, "-c", &sql]).stdout(quiet()).stderr(quiet());
        let session = psql.spawn().unwrap();
        let held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4714 AND granted";
        eventually(|| cluster.sql(database, held) == "1");
        Self { cluster, database, session }
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        let end = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4714";
        self.cluster.sql(self.database, end);
        drop(self.session.wait());
    }
}

/// A member that writes a new run, and a record if it is to be about records.
fn member(n: u64, record: bool) -> Member {
    let scope = sample::scope("default");
    let run = sample::run(&scope, n);
    let mut writes = vec![Write::NewRun(Box::new(run))];
    if record {
        writes.push(put(sample::record("task", n, 1, None, json!({})), vec![], None));
    }
    Member { scope, preconditions: vec![Precondition::RunAbsent(sample::run_id(n))], writes }
}

#[test]
fn a_locked_table_of_records_blocks_only_the_members_that_need_it() {
    let cluster = Postgres::start().unwrap();
    let database = cluster.new_database();
    let store = PostgresStore::connect(&cluster.url(&database)).unwrap();
    let locked = Locked::by(&cluster, &database, "LOCK TABLE brain.records");
    // Neighbours in the same batch.
    let mixed: Vec<Member> = (1..=20).map(|n| member(n, n % 2 == 0)).collect();
    let outcomes = store.commit_now(mixed).unwrap();
    for (n, outcome) in (1..).zip(&outcomes) {
        let expected = if n % 2 == 0 { matches!(outcome, Outcome::Blocked(_)) } else { *outcome == Outcome::Committed };
        assert!(expected, "{n}: {outcome:?}");
    }
    // More batches that need records than there are connections, and others behind them.
    let (send, answers) = std::sync::mpsc::channel();
    for n in 100..130 {
        let send = send.clone();
        store.commit(vec![member(n, true)], Box::new(move |result| drop(send.send(result))));
    }
    for n in 200..230 {
        assert_eq!(store.commit_now(vec![member(n, false)]).unwrap(), [Outcome::Committed]);
    }
    for _ in 100..130 {
        let failed = answers.recv().unwrap().unwrap_err().to_string();
        assert!(failed.contains("lock"), "{failed}");
    }
    drop(locked);
    // What failed was not written, and can be written now.
    for n in (2..=20).step_by(2).chain(100..130) {
        assert_eq!(store.commit_now(vec![member(n, true)]).unwrap(), [Outcome::Committed], "{n}");
    }
}

#[test]
fn a_locked_row_blocks_only_the_member_that_needs_it() {
    let cluster = Postgres::start().unwrap();
    let database = cluster.new_database();
    let store = PostgresStore::connect(&cluster.url(&database)).unwrap();
    let scope = sample::scope("default");
    let row = |n: u64, revision: u64| sample::record("task", n, revision, None, json!({}));
    for n in 1..=12 {
        assert_eq!(commit(&store, &scope, vec![], vec![put(row(n, 1), vec![], None)]), Outcome::Committed);
    }
    let lock = format!("SELECT FROM brain.records WHERE id = '{}' FOR UPDATE", sample::record_id(5));
    let locked = Locked::by(&cluster, &database, &lock);
    let change = |n: u64| {
        let expected = Precondition::Record { kind: "task".into(), id: sample::record_id(n), revision: Some(1) };
        Member { scope: scope.clone(), preconditions: vec![expected], writes: vec![put(row(n, 2), vec![], None)] }
    };
    let outcomes = store.commit_now((1..=12).map(change).collect()).unwrap();
    for (n, outcome) in (1..).zip(&outcomes) {
        let expected = if n == 5 { matches!(outcome, Outcome::Blocked(_)) } else { *outcome == Outcome::Committed };
        assert!(expected, "{n}: {outcome:?}");
    }
    drop(locked);
    assert_eq!(store.commit_now(vec![change(5)]).unwrap(), [Outcome::Committed]);
}

#[test]
fn queries_about_runs_do_not_wait_for_queries_about_locked_records() {
    let cluster = Postgres::start().unwrap();
    let database = cluster.new_database();
    let store = Arc::new(PostgresStore::connect(&cluster.url(&database)).unwrap());
    let scope = sample::scope("default");
    new_run(&*store, &scope, 1);
    let finished = AtomicUsize::new(0);
    std::thread::scope(|threads| {
        let locked = Locked::by(&cluster, &database, "LOCK TABLE brain.records, brain.record_words");
        let read = || {
            let found = store.record(&scope, "task", sample::record_id(1));
            finished.fetch_add(1, Ordering::SeqCst);
            found
        };
        let search = || {
            let found = store.search(&scope, "task", "anything", 1);
            finished.fetch_add(1, Ordering::SeqCst);
            found
        };
        // More than there are connections.
        let reads: Vec<_> = (0..12).map(|_| threads.spawn(read)).collect();
        let searches: Vec<_> = (0..6).map(|_| threads.spawn(search)).collect();
        let blocked = "SELECT count(*) FROM pg_locks WHERE relation = 'brain.records'::regclass AND NOT granted";
        eventually(|| cluster.sql(&database, blocked).parse::<usize>().unwrap() >= 4);
        assert!(store.run(&scope, sample::run_id(1)).unwrap().is_some());
        assert!(store.token(TokenId::from_uuid(uuid::Uuid::nil())).unwrap().is_none());
        assert_eq!(finished.load(Ordering::SeqCst), 0, "the reads of records were blocked meanwhile");
        // They fail instead of waiting for ever.
        let failed = reads.into_iter().map(|one| one.join().unwrap().unwrap_err().to_string());
        assert!(failed.into_iter().all(|why| why.contains("lock timeout") || why.contains("busy")));
        drop(searches.into_iter().map(|one| one.join().unwrap()).collect::<Vec<_>>());
        drop(locked);
        assert!(store.record(&scope, "task", sample::record_id(1)).unwrap().is_none());
    });
}

#[test]
fn after_the_first_lock_timeout_neighbours_do_not_wait_for_another() {
    let cluster = Postgres::start().unwrap();
    let database = cluster.new_database();
    let store = PostgresStore::connect(&cluster.url(&database)).unwrap();
    let _locked = Locked::by(&cluster, &database, "LOCK TABLE brain.records");
    let mixed = |n: u64| {
        let outcomes = store.commit_now(vec![member(n, true), member(n + 1, false)]).unwrap();
        assert!(matches!(outcomes[0], Outcome::Blocked(_)) && outcomes[1] == Outcome::Committed, "{outcomes:?}");
    };
    mixed(1);
    // A session of the server is the clock: ten commits that waited a second each would outlast its sleep.
    let mut clock = cluster.program("psql");
    let quiet = std::process::Stdio::null;
    let mut clock =
        clock.args(["-d", &database, "-c", "SELECT pg_sleep(8)"]).stdout(quiet()).stderr(quiet()).spawn().unwrap();
    for n in 1..=10 {
        mixed(n * 10);
    }
    assert!(clock.try_wait().unwrap().is_none(), "each of them waited for the lock again");
    drop(clock.kill());
    drop(clock.wait());
}

#[test]
fn a_lock_is_named_as_the_cause() {
    let cluster = Postgres::start().unwrap();
    let database = cluster.new_database();
    let store = PostgresStore::connect(&cluster.url(&database)).unwrap();
    let _locked = Locked::by(&cluster, &database, "LOCK TABLE brain.records");
    let failed = store.commit_now(vec![member(1, true)]).unwrap_err();
    assert!(matches!(failed, StoreError::Locked(_)), "{failed:?}");
    let failed = store.record(&sample::scope("default"), "task", sample::record_id(1)).unwrap_err();
    assert!(matches!(failed, StoreError::Locked(_)), "{failed:?}");
}
