//! What the engine relies on about the queue of runs that wait for a free slot.

use super::sample::{self, at, scope};
use super::{RunSchedule, Store, SystemScope, Write, claim, commit, new_run};
use crate::QueuePlace;
use brain_core::RunStatus;

pub(super) fn queued_runs_come_by_tenant_and_order(store: &dyn Store) {
    let (ours, theirs) = (scope("ours"), scope("theirs"));
    let place = |order, limit: &str| Some(QueuePlace { order, limit: limit.into() });
    let rows = [(&ours, 1, place(30, "node")), (&ours, 2, place(-10, "tool a.b")), (&ours, 3, None)];
    for (scope, n, queued) in rows.into_iter().chain([(&theirs, 4, place(5, "node")), (&ours, 5, place(20, "node"))]) {
        let mut row = sample::run(scope, n);
        row.schedule.queued = queued;
        new_run(store, scope, row);
    }
    let tenants = || store.queued_tenants(SystemScope).expect("reads");
    assert_eq!(tenants(), [ours.tenant().clone(), theirs.tenant().clone()]);
    let queued = |scope: &crate::Scope, except: &[&str], limit| {
        let except: Vec<String> = except.iter().map(|&one| one.into()).collect();
        store.queued(SystemScope, &claim(1), scope.tenant(), &except, limit).expect("reads")
    };
    assert_eq!(queued(&ours, &[], 9), [2, 5, 1].map(sample::run_id), "lowest order first");
    assert_eq!(queued(&ours, &["tool a.b"], 9), [5, 1].map(sample::run_id));
    assert_eq!(queued(&ours, &[], 1), [sample::run_id(2)]);
    assert_eq!(queued(&theirs, &[], 9), [sample::run_id(4)]);
    let row = store.run(&ours, sample::run_id(2)).expect("reads").expect("is there");
    assert_eq!(row.schedule.queued, place(-10, "tool a.b"));

    let started = Write::UpdateRun {
        run: sample::run_id(4),
        status: RunStatus::Running,
        at: at(2),
        schedule: RunSchedule { seq: 2, fence: 1, priority: 5, ..RunSchedule::default() },
        program: None,
    };
    commit(store, &theirs, vec![], vec![started]);
    assert_eq!(tenants(), [ours.tenant().clone()], "what was taken is in the queue no more");
}
