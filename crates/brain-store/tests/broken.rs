//! An unreadable row affects only itself: the feed, lists of runs, retention and offers go on with the other rows.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use brain_core::Timestamp;
use brain_store::conformance::sample;
use brain_store::{Commit, OfferRow, Offers, PostgresStore, SqliteStore, Store, Write};
use brain_testbed::Postgres;
use common::{commit, new_run};

/// Writes three rows; the tests damage the second.
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
        assert!(began.elapsed().as_secs() < 20, "the readable rows appear");
        std::thread::yield_now();
    }
    let whole = store.feed(&scope, 0, 10).unwrap();
    let seqs: Vec<u64> = whole.items.iter().map(|(_, row)| row.seq).collect();
    assert_eq!(seqs, [0, 4]);
    let [broken] = whole.broken.as_slice() else { panic!("{whole:?}") };
    assert_eq!((broken.run, broken.seq), (sample::run_id(1), 2));
    assert!(!broken.why.is_empty() && broken.position < whole.items[1].0);
    // With a limit of one, the damaged row is a page of its own.
    let (mut upto, mut seen) = (0, Vec::new());
    while seen.len() < 3 {
        let page = store.feed(&scope, upto, 1).unwrap();
        assert!(page.upto > upto, "the position advances");
        seen.extend(page.items.iter().map(|(_, row)| row.seq).chain(page.broken.iter().map(|row| row.seq)));
        upto = page.upto;
    }
    assert_eq!(seen, [0, 2, 4]);
}

#[test]
fn the_feed_continues_past_a_damaged_row_in_sqlite() {
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
fn the_feed_continues_past_a_damaged_row_in_postgres() {
    let cluster = Postgres::start().unwrap();
    let database = cluster.new_database();
    let store = PostgresStore::connect(&cluster.url(&database)).unwrap();
    write(&store);
    cluster.sql(&database, "UPDATE brain.log SET events = '{not json' WHERE seq = 2");
    read(&store);
}

/// Writes three runs; the tests damage the request of the second.
fn three_runs(store: &dyn Store) {
    for n in 1..=3 {
        new_run(store, &sample::scope("default"), n);
    }
}

fn lists_go_on(store: &dyn Store) {
    let scope = sample::scope("default");
    let page = store.runs(&scope, None, 2, None).unwrap();
    let rest = store.runs(&scope, None, 2, page.next.as_deref()).unwrap();
    let unreadable: Vec<_> =
        page.items.iter().chain(&rest.items).map(|row| (row.id, row.unreadable().is_some())).collect();
    let expected = [(3, false), (2, true), (1, false)].map(|(n, damaged)| (sample::run_id(n), damaged));
    assert_eq!(unreadable, expected, "every run is listed, with the error if it is unreadable");
    assert_eq!(store.runs_after(&scope, None, None, 10).unwrap().len(), 3, "retention lists it too");
    assert!(store.run(&scope, sample::run_id(2)).unwrap().unwrap().unreadable().is_some());
    commit(store, &scope, vec![], vec![Write::DropRun(sample::run_id(2))]);
    assert_eq!(store.runs(&scope, None, 10, None).unwrap().items.len(), 2, "retention can delete it");
}

#[test]
fn a_damaged_request_hides_no_other_run_in_sqlite() {
    for damage in ["'{not json'", "x'00ff'"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("broken.db");
        let store = SqliteStore::open(&path).unwrap();
        three_runs(&store);
        let file = rusqlite::Connection::open(&path).unwrap();
        let second = *sample::run_id(2).as_uuid().as_bytes();
        file.execute(&format!("UPDATE runs SET request = {damage} WHERE id = ?1"), [&second]).unwrap();
        lists_go_on(&store);
    }
}

#[test]
fn a_damaged_request_hides_no_other_run_in_postgres() {
    let cluster = Postgres::start().unwrap();
    let database = cluster.new_database();
    let store = PostgresStore::connect(&cluster.url(&database)).unwrap();
    three_runs(&store);
    let second = sample::run_id(2);
    cluster.sql(&database, &format!("UPDATE brain.runs SET request = '{{not json' WHERE id = '{second}'"));
    lists_go_on(&store);
}

#[test]
fn an_offer_with_a_damaged_key_does_not_hide_its_topic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.db");
    let store = SqliteStore::open(&path).unwrap();
    let scope = sample::scope("default");
    let offer = |n: u64| {
        let key = brain_core::JobKey::derive(Timestamp::default(), sample::run_id(n), "", "s", 0, false);
        OfferRow { key, run: sample::run_id(n), topic: "mail".into(), order: n as i64 }
    };
    let offers: Vec<OfferRow> = (1..=3).map(offer).collect();
    for offer in &offers {
        commit(&store, &scope, vec![], vec![Write::Offer(offer.clone())]);
    }
    let file = rusqlite::Connection::open(&path).unwrap();
    assert_eq!(file.execute("UPDATE offers SET key = x'00' WHERE place = 2", []).unwrap(), 1);
    let left = store.offers(&scope, &["mail".to_owned()], 10).unwrap();
    assert_eq!(left, [offers[0].clone(), offers[2].clone()]);
}
