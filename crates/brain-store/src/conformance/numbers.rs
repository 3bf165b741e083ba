//! Numbers of runs.

use super::retention::committed;
use super::{Store, Write, sample};

/// Every run that asks for a number gets a unique one and keeps it. Numbers are never reused.
pub(super) fn numbers_of_runs(store: &dyn Store) {
    let (ours, theirs) = (sample::scope("ours"), sample::scope("theirs"));
    let next = |n: u64| Write::Number { run: sample::run_id(n), number: None };
    for n in [1, 2] {
        committed(store, &ours, vec![Write::NewRun(Box::new(sample::run(&ours, n)))]);
    }
    committed(store, &theirs, vec![Write::NewRun(Box::new(sample::run(&theirs, 3)))]);
    let number = |scope, n| store.number_of(scope, sample::run_id(n)).expect("reads");
    assert_eq!(number(&ours, 1), None, "no number was requested");
    committed(store, &ours, vec![next(1), next(2)]);
    committed(store, &theirs, vec![next(3)]);
    let given = [number(&ours, 1), number(&ours, 2), number(&theirs, 3)].map(|number| number.expect("it has one"));
    assert!(given[0] < given[1] && given[1] < given[2] && given[0] > 0, "{given:?}");
    committed(store, &ours, vec![next(2)]);
    assert_eq!(number(&ours, 2), Some(given[1]), "it keeps its number");
    assert_eq!(number(&theirs, 2), None, "another tenant's run");
    assert_eq!(store.run_numbered(&ours, given[1]).expect("reads"), Some(sample::run_id(2)));
    assert_eq!(store.run_numbered(&ours, given[2]).expect("reads"), None, "another tenant's number");
    // The newest run is deleted together with its number.
    committed(store, &theirs, vec![Write::DropRun(sample::run_id(3))]);
    assert_eq!(number(&theirs, 3), None);
    for n in [4, 5, 6] {
        committed(store, &ours, vec![Write::NewRun(Box::new(sample::run(&ours, n)))]);
    }
    committed(store, &ours, vec![next(4)]);
    assert!(number(&ours, 4) > Some(given[2]), "a number is not reused");
    // A number from another store is kept, and later numbers come after it.
    let elsewhere = given[2] + 1_000;
    committed(store, &ours, vec![Write::Number { run: sample::run_id(5), number: Some(elsewhere) }]);
    committed(store, &ours, vec![next(6)]);
    assert_eq!(number(&ours, 5), Some(elsewhere));
    assert!(number(&ours, 6) > Some(elsewhere));
}
