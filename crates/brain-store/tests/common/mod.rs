//! Helpers for the tests of the PostgreSQL store.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::time::{Duration, Instant};

use brain_store::conformance::sample;
use brain_store::{IndexEntry, Member, Outcome, Precondition, RecordRow, Scope, Store, Write};

/// Commits one member.
pub(crate) fn commit(
    store: &dyn Store,
    scope: &Scope,
    preconditions: Vec<Precondition>,
    writes: Vec<Write>,
) -> Outcome {
    let member = Member { scope: scope.clone(), preconditions, writes };
    store.commit_now(vec![member]).expect("the store works").remove(0)
}

/// Makes the `n`th run of a tenant.
pub(crate) fn new_run(store: &dyn Store, scope: &Scope, n: u64) {
    let row = sample::run(scope, n);
    let absent = vec![Precondition::RunAbsent(row.id)];
    assert_eq!(commit(store, scope, absent, vec![Write::NewRun(Box::new(row))]), Outcome::Committed);
}

/// Writes a record.
pub(crate) fn put(row: RecordRow, index: Vec<IndexEntry>, text: Option<&str>) -> Write {
    Write::PutRecord { row, index, text: text.map(str::to_owned) }
}

/// Waits until a condition holds.
pub(crate) fn eventually(mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(20), "it never happened");
        std::thread::sleep(Duration::from_millis(5));
    }
}
