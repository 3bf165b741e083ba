//! Atomic batches: one commit or nothing, and a clear error when concurrent writers always win.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use brain_core::{RecordId, RunStatus};
use brain_engine::{Driver, ReceiptStatus};
use brain_lang::plan::{Place, Plan, PlanStep};
use brain_store::{Member, MemoryStore, RecordFilter, RecordRow, Store, Write};
use brain_vm::compile;
use common::{CallFate, TestHost, clock, random, scope, step, submission};
use serde_json::json;

fn batch(steps: Vec<PlanStep>) -> Arc<brain_vm::Program> {
    let plan = Plan { name: "batch".into(), steps, timeout: None, max_steps: 200, atomic: true };
    Arc::new(compile(&plan).unwrap())
}

fn run(host: TestHost, store: &Arc<dyn Store>, steps: Vec<PlanStep>) -> brain_engine::RunState {
    let host = Arc::new(host);
    let mut driver = Driver::new(store.clone(), host.clone(), host, clock(), random(1));
    let submission = submission(&batch(steps), 1);
    let run = submission.run;
    let engine = driver.engine().clone();
    driver.block_on(engine.submit(submission), None).unwrap().unwrap();
    engine.run_state(&scope(), run).unwrap()
}

fn marks(store: &Arc<dyn Store>) -> usize {
    store.records(&scope(), "mark", &RecordFilter::default(), 1000, None).unwrap().items.len()
}

#[test]
fn a_batch_that_fails_leaves_nothing_but_its_log() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut host = TestHost::new(|_| CallFate::Done);
    host.inline_fails = Box::new(|job| job.step == "c");
    let steps = vec![step("a", &[], Place::Inline), step("b", &["a"], Place::Inline), step("c", &["b"], Place::Inline)];
    let state = run(host, &store, steps);
    assert_eq!(state.row.status, RunStatus::Failed);
    assert_eq!(marks(&store), 0);
    let list = state.receipts().unwrap();
    let statuses: Vec<ReceiptStatus> = list.iter().map(|receipt| receipt.status).collect();
    assert_eq!(statuses, [ReceiptStatus::RolledBack, ReceiptStatus::RolledBack, ReceiptStatus::Failed]);
    assert!(store.artifacts(&scope(), state.row.id).unwrap().is_empty());
}

#[test]
fn an_oversized_batch_does_nothing() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let steps = (0..101).map(|n| step(&format!("s{n}"), &[], Place::Inline)).collect();
    let state = run(TestHost::new(|_| CallFate::Done), &store, steps);
    assert_eq!(state.row.status, RunStatus::Failed);
    assert_eq!(state.state.unwrap().failure().unwrap().code, "batch_too_large");
    assert_eq!(marks(&store), 0);
}

#[test]
fn a_batch_that_keeps_losing_conflicts_fails_and_says_when_to_retry() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let decided = Arc::new(AtomicU32::new(0));
    let mut host = TestHost::new(|_| CallFate::Done);
    let (rival, count) = (store.clone(), decided.clone());
    // Whenever the batch is about to write its record, a concurrent writer has just done so.
    host.inline_fails = Box::new(move |job| {
        count.fetch_add(1, Ordering::Relaxed);
        let id = RecordId::derive(job.started, job.key, job.job.step, job.job.item, 0);
        let row = RecordRow {
            kind: "mark".into(),
            id,
            revision: u64::from(count.load(Ordering::Relaxed)),
            state: None,
            created_at: job.now,
            updated_at: job.now,
            body: json!({"rival": true}),
        };
        let write = Write::PutRecord { row, index: Vec::new(), text: None };
        rival.commit_now(vec![Member { scope: scope(), preconditions: Vec::new(), writes: vec![write] }]).unwrap();
        false
    });
    let state = run(host, &store, vec![step("a", &[], Place::Inline)]);
    assert_eq!(state.row.status, RunStatus::Failed);
    let failure = state.state.unwrap().failure().unwrap().clone();
    assert_eq!(failure.code, "contention");
    assert!(failure.retry_after.is_some(), "it says when to try again");
    assert!(decided.load(Ordering::Relaxed) > 10, "it was retried");
    let left = store.records(&scope(), "mark", &RecordFilter::default(), 10, None).unwrap().items;
    assert!(left.iter().all(|mark| mark.body == json!({"rival": true})), "nothing of the batch was written");
}
