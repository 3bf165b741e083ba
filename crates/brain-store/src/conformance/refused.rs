//! Members that the database rejects.

use std::sync::mpsc::channel;

use brain_core::RunStatus;

use super::{new_run, sample, scope};
use crate::{Member, Outcome, RunSchedule, Scope, Store, Write};

/// Appends a row to the log of the `n`th run. `seq` is the row's number.
fn append(scope: &Scope, n: u64, seq: u64) -> Member {
    let schedule = RunSchedule { seq: seq + 2, fence: 1, priority: 5, ..RunSchedule::default() };
    let status = RunStatus::Waiting;
    let update = Write::UpdateRun { run: sample::run_id(n), status, at: sample::at(9), schedule, program: None };
    let writes = vec![update, Write::Append(sample::log(n, seq).into())];
    Member { scope: scope.clone(), preconditions: vec![], writes }
}

fn status(store: &dyn Store, scope: &Scope, n: u64) -> RunStatus {
    store.run(scope, sample::run_id(n)).expect("reads").expect("is there").status
}

/// A batch with two valid members around one whose log row exists already.
pub(super) fn a_rejected_member_fails_alone(store: &dyn Store) {
    let scope = scope("default");
    for n in 1..=3 {
        new_run(store, &scope, sample::run(&scope, n));
    }
    let there = vec![Write::Append(sample::log(2, 2).into())];
    let there = Member { scope: scope.clone(), preconditions: vec![], writes: there };
    assert_eq!(store.commit_now(vec![there]).expect("the store works"), [Outcome::Committed]);
    let before = store.stats();
    let batch = vec![append(&scope, 1, 2), append(&scope, 2, 2), append(&scope, 3, 2)];
    let outcomes = store.commit_now(batch.clone()).expect("the others are committed");
    assert!(matches!(&outcomes[1], Outcome::Refused(why) if !why.is_empty()), "{outcomes:?}");
    assert_eq!((&outcomes[0], &outcomes[2]), (&Outcome::Committed, &Outcome::Committed));
    let statuses: Vec<RunStatus> = (1..=3).map(|n| status(store, &scope, n)).collect();
    assert_eq!(
        statuses,
        [RunStatus::Waiting, RunStatus::Running, RunStatus::Waiting],
        "nothing of the rejected member is written"
    );
    let after = store.stats();
    assert_eq!((after.members - before.members, after.rows - before.rows), (2, 4), "only written rows count");
    // A second attempt is rejected too, now for all members, because their rows exist.
    let again = store.commit_now(batch).expect("the store works");
    assert!(again.iter().all(|outcome| matches!(outcome, Outcome::Refused(_))), "{again:?}");
}

/// Many concurrent batches: each gets the outcomes of its own members.
pub(super) fn a_group_commits_without_its_rejected_members(store: &dyn Store) {
    const RUNS: u64 = 60;
    let scope = scope("default");
    for n in 0..RUNS {
        new_run(store, &scope, sample::run(&scope, n));
    }
    let (send, receive) = channel();
    for n in 0..RUNS {
        // Every tenth member writes the same row twice.
        let count = if n % 10 == 3 { 2 } else { 1 };
        let mut member = append(&scope, n, 2);
        member.writes.extend((1..count).map(|_| Write::Append(sample::log(n, 2).into())));
        let send = send.clone();
        store.commit(vec![member], Box::new(move |result| drop(send.send((n, result)))));
    }
    for (n, result) in receive.iter().take(RUNS as usize) {
        let outcomes = result.expect("no batch fails because of another");
        let refused = matches!(outcomes.as_slice(), [Outcome::Refused(_)]);
        assert_eq!(refused, n % 10 == 3, "{n}: {outcomes:?}");
        assert_eq!(status(store, &scope, n), if refused { RunStatus::Running } else { RunStatus::Waiting });
        assert_eq!(store.log(&scope, sample::run_id(n)).expect("reads").len(), usize::from(!refused));
    }
}
