//! Every store passes the conformance suite.
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
    let make = || {
        let n = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Arc::new(SqliteStore::open(&folder.path().join(format!("{n}.db"))).unwrap()) as Arc<dyn Store>
    };
    conformance::run(&make);
    conformance::run_refusals(&make);
}

#[test]
fn a_change_beside_a_rejected_commit_is_applied_once() {
    use brain_core::Millis;
    use brain_store::{Scheduling, SystemScope};
    use conformance::sample;
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(&folder.path().join("beside.db")).unwrap());
    let scope = sample::scope("default");
    let twice = vec![
        brain_store::Write::Append(sample::log(1, 0).into()),
        brain_store::Write::Append(sample::log(1, 0).into()),
    ];
    let member = brain_store::Member { scope, preconditions: vec![], writes: twice };
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::scope(|threads| {
        for n in 0..20 {
            let (store, send, member) = (store.clone(), send.clone(), member.clone());
            threads.spawn(move || {
                let node = brain_core::NodeId::generate(sample::at(n), &mut brain_core::SeededRandom::new(n));
                store.commit(vec![member], Box::new(move |result| send.send(result).unwrap()));
                store.heartbeat(SystemScope, node, sample::at(n), Millis(0), "").unwrap();
            });
        }
    });
    drop(send);
    for result in receive {
        assert!(matches!(result.unwrap().as_slice(), [brain_store::Outcome::Refused(_)]));
    }
    assert_eq!(store.nodes(SystemScope, sample::at(0)).unwrap().len(), 20);
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
fn commits_submitted_together_share_syncs() {
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
    assert!(after.syncs - before.syncs < 200, "200 commits submitted at once took {} syncs", after.syncs);
}

#[test]
fn a_file_of_another_program_or_a_newer_build_is_rejected_unchanged() {
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

/// Row counts of the tables for uploads: (chunks, uploads).
fn upload_rows(path: &std::path::Path) -> (i64, i64) {
    let file = rusqlite::Connection::open(path).unwrap();
    let count = |table: &str| file.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap();
    (count("blob_chunks"), count("blob_uploads"))
}

/// Waits until abandoned chunks are deleted, which the writer does when it is idle.
fn swept(path: &std::path::Path, expected: (i64, i64)) {
    for _ in 0..10_000 {
        if upload_rows(path) == expected {
            return;
        }
        std::thread::yield_now();
    }
    assert_eq!(upload_rows(path), expected);
}

#[test]
fn chunks_of_an_abandoned_upload_are_deleted() {
    use brain_store::Blobs;
    use conformance::sample;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("given-up.db");
    let store = SqliteStore::open(&path).unwrap();
    let begin = || store.begin_blob(&sample::scope("default"), "text/plain", sample::at(1)).unwrap();
    let mut kept = begin();
    kept.write(&[1; 3 << 20]).unwrap();
    let mut dropped = begin();
    dropped.write(&vec![2; 9 << 20]).unwrap();
    assert_eq!(upload_rows(&path), (48, 2));
    drop(dropped);
    swept(&path, (12, 1));
    kept.finish().unwrap();
    swept(&path, (12, 0));
    let mut again = begin();
    again.write(&[1; 3 << 20]).unwrap();
    again.finish().unwrap();
    swept(&path, (12, 0));
}

#[test]
fn the_next_start_deletes_the_upload_of_a_crashed_process_but_not_a_running_one() {
    use brain_store::Blobs;
    use conformance::sample;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("crash.db");
    let store = SqliteStore::open(&path).unwrap();
    let mut upload = store.begin_blob(&sample::scope("default"), "text/plain", sample::at(1)).unwrap();
    upload.write(&[1; 2 << 20]).unwrap();
    // Another process opens the file meanwhile; the upload is not an orphan.
    drop(SqliteStore::open(&path).unwrap());
    assert_eq!(upload_rows(&path), (8, 1));
    // A killed process runs no destructors: its upload stays, but its lock is released.
    drop(store);
    drop(upload);
    assert_eq!(upload_rows(&path), (8, 1));
    let store = SqliteStore::open(&path).unwrap();
    swept(&path, (0, 0));
    drop(store);
}

#[test]
fn an_upload_that_outlives_its_store_fails_and_does_not_block_closing() {
    use brain_store::Blobs;
    use conformance::sample;
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("closed.db")).unwrap();
    let mut upload = store.begin_blob(&sample::scope("default"), "text/plain", sample::at(1)).unwrap();
    upload.write(&[1; 100]).unwrap();
    drop(store);
    assert!(upload.finish().is_err());
}
