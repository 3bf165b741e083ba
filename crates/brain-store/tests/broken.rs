//! A row of a log that nobody can read holds up no reader of the feed.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use brain_store::conformance::sample;
use brain_store::{Commit, PostgresStore, SqliteStore, Store, Write};
use brain_testbed::Postgres;
use common::{commit, new_run};

/// Three rows, of which the second gets broken.
fn write(store: &dyn Store) {
    let scope = sample::scope("default");
    new_run(store, &scope, 1);
    for seq in [0, 2, 4] {
        commit(store, &scope, vec![], vec![Write::Append(sample::log(1, seq).into())]);
    }
}

fn read(store: &dyn Store) {
    let scope = sample::scope("default");
    let began = std::time::Instant::now();
    while store.feed(&scope, 0, 10).unwrap().items.len() < 2 {
        assert!(began.elapsed().as_secs() < 20, "the rows that can be read are given");
        std::thread::yield_now();
    }
    let whole = store.feed(&scope, 0, 10).unwrap();
    let seqs: Vec<u64> = whole.items.iter().map(|(_, row)| row.seq).collect();
    assert_eq!(seqs, [0, 4]);
    let [broken] = whole.broken.as_slice() else { panic!("{whole:?}") };
    assert_eq!((broken.run, broken.seq), (sample::run_id(1), 2));
    assert!(!broken.why.is_empty() && broken.position < whole.items[1].0);
    // One at a time: it is a page of its own.
    let (mut upto, mut seen) = (0, Vec::new());
    while seen.len() < 3 {
        let page = store.feed(&scope, upto, 1).unwrap();
        assert!(page.upto > upto, "a reader goes on");
        seen.extend(page.items.iter().map(|(_, row)| row.seq).chain(page.broken.iter().map(|row| row.seq)));
        upto = page.upto;
    }
    assert_eq!(seen, [0, 2, 4]);
}

#[test]
fn the_feed_goes_on_past_a_broken_row_in_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.db");
    let store = SqliteStore::open(&path).unwrap();
    write(&store);
    let file = rusqlite::Connection::open(&path).unwrap();
    file.execute("UPDATE log SET events = '{not json' WHERE seq = 2", []).unwrap();
    read(&store);
    file.execute("UPDATE log SET events = x'00ff' WHERE seq = 2", []).unwrap();
    read(&store);
    assert!(store.stats().commits > 0);
}

#[test]
fn the_feed_goes_on_past_a_broken_row_in_postgres() {
    let cluster = Postgres::start().unwrap();
    let database = cluster.new_database();
    let store = PostgresStore::connect(&cluster.url(&database)).unwrap();
    write(&store);
    cluster.sql(&database, "UPDATE brain.log SET events = '{not json' WHERE seq = 2");
    read(&store);
}
