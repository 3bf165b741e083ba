//! Every store passes the one suite.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

use std::sync::Arc;

use brain_store::{Commit, MemoryStore, SqliteStore, Store, conformance};

#[test]
fn the_memory_store_conforms() {
    conformance::run(&|| Arc::new(MemoryStore::new()) as Arc<dyn Store>);
}

#[test]
fn the_sqlite_store_conforms() {
    let folder = tempfile::tempdir().unwrap();
    let next = std::sync::atomic::AtomicU32::new(0);
    conformance::run(&|| {
        let n = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Arc::new(SqliteStore::open(&folder.path().join(format!("{n}.db"))).unwrap()) as Arc<dyn Store>
    });
}

#[test]
fn a_sqlite_file_keeps_everything_when_it_is_opened_again() {
    use conformance::sample;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("again.db");
    let scope = sample::scope("default");
    let row = sample::run(&scope, 1);
    {
        let store = SqliteStore::open(&path).unwrap();
        let writes = vec![brain_store::Write::NewRun(Box::new(row.clone()))];
        let member = brain_store::Member { scope: scope.clone(), preconditions: vec![], writes };
        store.commit(vec![member], Box::new(|result| assert!(result.is_ok())));
    }
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(brain_store::Runs::run(&store, &scope, row.id).unwrap(), Some(row));
}

#[test]
fn commits_that_wait_together_share_one_sync() {
    use conformance::sample;
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("group.db")).unwrap();
    let before = store.stats();
    let (send, receive) = std::sync::mpsc::channel();
    let scope = sample::scope("default");
    for n in 0..200 {
        let writes = vec![brain_store::Write::NewRun(Box::new(sample::run(&scope, n)))];
        let member = brain_store::Member { scope: scope.clone(), preconditions: vec![], writes };
        let send = send.clone();
        store.commit(vec![member], Box::new(move |result| send.send(result.is_ok()).unwrap()));
    }
    assert_eq!(receive.iter().take(200).filter(|ok| *ok).count(), 200);
    let after = store.stats();
    assert_eq!(after.members - before.members, 200);
    assert!(after.syncs - before.syncs < 200, "200 commits handed over at once took {} syncs", after.syncs);
}

#[test]
fn a_file_of_another_program_or_of_a_newer_build_is_refused_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.db");
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE theirs (x)").unwrap();
    drop(other);
    let Err(error) = SqliteStore::open(&path) else { panic!("opened a foreign file") };
    assert!(error.to_string().contains("another program"), "{error}");
    let path = folder.path().join("newer.db");
    drop(SqliteStore::open(&path).unwrap());
    let newer = rusqlite::Connection::open(&path).unwrap();
    newer.pragma_update(None, "user_version", 99).unwrap();
    drop(newer);
    let Err(error) = SqliteStore::open(&path) else { panic!("opened a newer file") };
    assert!(error.to_string().contains("format 99"), "{error}");
}
