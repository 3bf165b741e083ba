//! Signals to runs.

use serde_json::json;

use super::sample::{self, at, scope};
use super::{Outcome, Precondition, Store, SystemScope, Write, commit};
use crate::{Conflict, SignalRow};

fn signal(run: u64, id: &str, millis: u64, n: u64) -> SignalRow {
    SignalRow { run: sample::run_id(run), id: id.into(), at: at(millis), body: json!({"n": n, "text": "é"}) }
}

pub(super) fn a_signal_is_stored_once_until_it_is_taken(store: &dyn Store) {
    let (ours, theirs) = (scope("ours"), scope("theirs"));
    let send = |row: SignalRow| {
        assert_eq!(commit(store, &ours, vec![], vec![Write::Signal(row)]), Outcome::Committed);
    };
    for row in [signal(1, "z", 5, 1), signal(1, "b", 9, 2), signal(1, "a", 5, 3), signal(1, "z", 1, 4)] {
        send(row);
    }
    send(signal(2, "z", 1, 5));
    let list = || store.signals(&ours, sample::run_id(1)).expect("reads");
    let expected = [signal(1, "z", 5, 1), signal(1, "a", 5, 3), signal(1, "b", 9, 2)];
    assert_eq!(list(), expected, "oldest first, then in order of arrival; the second `z` changed nothing");
    assert_eq!(store.signals(&theirs, sample::run_id(1)).expect("reads"), []);

    let (run, id) = (sample::run_id(1), "z".to_owned());
    let take = |scope| {
        let there = Precondition::SignalPresent { run, id: id.clone() };
        commit(store, scope, vec![there], vec![Write::TakeSignal { run, id: id.clone() }])
    };
    let missing = Conflict::Precondition(Precondition::SignalPresent { run, id: id.clone() });
    assert_eq!(take(&theirs), Outcome::Conflict(missing.clone()));
    assert_eq!(take(&ours), Outcome::Committed);
    assert_eq!(take(&ours), Outcome::Conflict(missing), "a signal is taken once");
    assert_eq!(list(), expected[1..]);
    assert_eq!(store.signals(&ours, sample::run_id(2)).expect("reads").len(), 1, "another run has its own");
    assert_eq!(commit(store, &ours, vec![], vec![Write::TakeSignal { run, id: id.clone() }]), Outcome::Committed);
}

pub(super) fn runs_with_signals_are_found(store: &dyn Store) {
    let (ours, theirs) = (scope("a-ours"), scope("b-theirs"));
    assert_eq!(store.signalled(SystemScope, None, 10).expect("reads"), []);
    for (scope, row) in [(&theirs, signal(1, "x", 1, 1)), (&ours, signal(3, "x", 2, 2)), (&ours, signal(2, "x", 3, 3))]
    {
        assert_eq!(commit(store, scope, vec![], vec![Write::Signal(row)]), Outcome::Committed);
    }
    assert_eq!(commit(store, &ours, vec![], vec![Write::Signal(signal(2, "y", 4, 4))]), Outcome::Committed);
    let there = |scope: &crate::Scope, n| (scope.tenant().clone(), sample::run_id(n));
    let all = [there(&ours, 2), there(&ours, 3), there(&theirs, 1)];
    assert_eq!(store.signalled(SystemScope, None, 10).expect("reads"), all);
    assert_eq!(store.signalled(SystemScope, None, 2).expect("reads"), all[..2]);
    let take = |id: &str| vec![Write::TakeSignal { run: sample::run_id(2), id: id.into() }];
    assert_eq!(commit(store, &ours, vec![], take("x")), Outcome::Committed);
    assert_eq!(store.signalled(SystemScope, None, 10).expect("reads"), all, "one is left");
    assert_eq!(commit(store, &ours, vec![], take("y")), Outcome::Committed);
    assert_eq!(store.signalled(SystemScope, None, 10).expect("reads"), all[1..]);
    // A signal arrives for a run that was deleted.
    let all = [vec![Write::DropRun(sample::run_id(3))], vec![Write::Signal(signal(3, "late", 5, 5))]];
    for writes in all {
        assert_eq!(commit(store, &ours, vec![], writes), Outcome::Committed);
    }
    let absent = vec![Precondition::RunAbsent(sample::run_id(3))];
    assert_eq!(commit(store, &ours, absent, vec![Write::DropRun(sample::run_id(3))]), Outcome::Committed);
    assert_eq!(store.signalled(SystemScope, None, 10).expect("reads"), [there(&theirs, 1)]);
}
