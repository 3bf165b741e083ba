//! Lists that a decision relies on are complete, or the decision fails.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

use brain_engine::RecordView;
use brain_store::conformance::sample;
use brain_store::{IndexEntry, Member, MemoryStore, RecordFilter, SqliteStore, Store, StoreError, Write};
use serde_json::json;

/// Maximum number of records that one decision lists.
const MOST: u64 = 10_000;

fn add(store: &dyn Store, from: u64, to: u64) {
    let scope = sample::scope("default");
    let index = vec![IndexEntry { field: "job".into(), value: "7".into(), unique: false }];
    let put = |n| {
        let row = sample::record("mark", n, 1, None, json!({"job": "7"}));
        Write::PutRecord { row, index: index.clone(), text: None }
    };
    let member = Member { scope, preconditions: Vec::new(), writes: (from..to).map(put).collect() };
    store.commit_now(vec![member]).unwrap();
}

fn bounded(store: &dyn Store) {
    let scope = sample::scope("default");
    let filter = RecordFilter { indexed: vec![("job".into(), "7".into())], ..RecordFilter::default() };
    add(store, 0, MOST);
    assert_eq!(RecordView::new(store, &scope).list_relied("mark", &filter, usize::MAX).unwrap().len() as u64, MOST);
    add(store, MOST, MOST + 1);
    for relied in [true, false] {
        let mut view = RecordView::new(store, &scope);
        let all =
            if relied { view.list_relied("mark", &filter, usize::MAX) } else { view.list("mark", &filter, usize::MAX) };
        assert!(matches!(all, Err(StoreError::TooMany { limit: 10_000, .. })), "relied on: {relied}");
    }
    assert_eq!(RecordView::new(store, &scope).list("mark", &filter, 5).unwrap().len(), 5, "a limited list is allowed");
}

#[test]
fn too_many_records_for_a_decision_are_a_failure_and_not_an_endless_conflict() {
    bounded(&MemoryStore::new());
    let folder = tempfile::tempdir().unwrap();
    bounded(&SqliteStore::open(&folder.path().join("lists.db")).unwrap());
}
