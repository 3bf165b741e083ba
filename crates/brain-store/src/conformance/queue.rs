//! The queue of runs that wait for a free slot.

use brain_core::{ApprovalId, ApprovalStatus, JobKey, RunStatus, SeededRandom};
use serde_json::json;

use super::sample::{self, at, scope};
use super::{RunSchedule, Store, SystemScope, Write, claim, commit, new_run};
use crate::{ApprovalRow, Backlog, DeadLetterRow, QueuePlace};

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
    assert_eq!(tenants(), [ours.tenant().clone()], "claimed runs leave the queue");
}

pub(super) fn the_backlog_counts_all_tenants(store: &dyn Store) {
    const STEP: i64 = 100;
    let backlog = || store.backlog(SystemScope, STEP).expect("reads");
    assert_eq!(backlog(), Backlog::default(), "nothing waits");
    let (ours, theirs) = (scope("ours"), scope("theirs"));
    for (scope, n, opened, open) in [(&ours, 1, 50, true), (&theirs, 2, 40, true), (&ours, 3, 10, false)] {
        let id = JobKey::generate(at(n), &mut SeededRandom::new(n));
        let (run, tool, body) = (sample::run_id(n), "t.x".into(), json!({}));
        let row = DeadLetterRow { id, run, tool, opened_at: at(opened), open, body };
        commit(store, scope, vec![], vec![Write::PutLetter(row)]);
    }
    for (scope, n, asked, status) in
        [(&ours, 4, 30, ApprovalStatus::Pending), (&theirs, 5, 20, ApprovalStatus::Approved)]
    {
        let id = ApprovalId::generate(at(n), &mut SeededRandom::new(n));
        let (run, body) = (sample::run_id(n), json!({}));
        commit(
            store,
            scope,
            vec![],
            vec![Write::PutApproval(ApprovalRow { id, run, status, asked_at: at(asked), body })],
        );
    }
    // A priority of two moves the second run ahead by 200: it has waited since 70, the other one since 60.
    for (scope, n, order, priority) in
        [(&ours, 6, at(60).as_millis(), 0), (&theirs, 7, at(70).as_millis() - 2 * STEP, 2)]
    {
        let mut row = sample::run(scope, n);
        row.schedule.priority = priority;
        row.schedule.queued = Some(QueuePlace { order, limit: "node".into() });
        new_run(store, scope, row);
    }
    let expected = Backlog {
        letters: 2,
        oldest_letter: Some(at(40)),
        approvals: 1,
        oldest_approval: Some(at(30)),
        queued: 2,
        oldest_queued: Some(at(60)),
    };
    assert_eq!(backlog(), expected);
}
