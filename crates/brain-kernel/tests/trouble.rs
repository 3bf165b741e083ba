//! Faults around a run that must not spread: a lost answer of the store, an unreadable run, a large request.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;
mod forgetful;

use brain_core::RunStatus;
use std::sync::Arc;
use std::time::Duration;

use brain_engine::JobOutcome;
use brain_kernel::{Actor, Decision, Kernel, Mode, Report, Request};
use brain_registry::ToolResult;
use brain_store::{MemoryStore, Offers, Runs, Store, Write};
use common::{call, kernel, scope, spoil, until};
use forgetful::Forgetful;
use serde_json::{Value, json};

const PACK: &str = "name: t\nversion: 1.0.0\ntitle: T\n";

const TOOLS: &str = r#"domain: t
tools:
  add:
    title: Add
    input: {note: {type: text, max_length: 200000}}
    behavior: {expr: "= {length: string length(input.note)}"}
    blockers: [account_locked]
  approve:
    title: Add if someone says yes
    input: {note: {type: text, max_length: 200000}}
    behavior: {expr: "= {length: string length(input.note)}"}
    blockers: [account_locked]
    consent: approver
  work:
    title: Work
    input: {n: integer}
    behavior: {worker: work}
    output: {n: integer}
    undo: none
"#;

const PARENT: &str = r#"playbook: t.parent
title: Parent
phrases: ["parent of {note}"]
slots: {note: string}
steps:
  - {id: child, tool: core.spawn_child_run, args: {run: t.add, args: {note: "= slots.note"}}}
"#;

fn start(store: &Arc<MemoryStore>) -> Arc<Kernel> {
    start_on(store.clone())
}

fn start_on(store: Arc<dyn Store>) -> Arc<Kernel> {
    let files = [("pack.yaml", PACK), ("tools/t.yaml", TOOLS), ("playbooks/parent.yaml", PARENT)];
    let files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let sources = vec![brain_registry::PackSource::new("test", files)];
    let loaded = brain_registry::load_sources_with(sources, &brain_tools::natives());
    let registry = loaded.map_err(|report| report.render(false)).unwrap().registry;
    kernel(Arc::new(registry), store, false)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_run_whose_acceptance_is_in_doubt_is_found_again() {
    let store = Arc::new(MemoryStore::new());
    let forgetful = Forgetful::new(store.clone(), |member| {
        member.writes.iter().any(|write| matches!(write, Write::TakeKey { key, .. } if key.starts_with("child ")))
    });
    let kernel = start_on(forgetful);
    let report = call(&kernel, "t.parent", json!({"note": "x"})).await;
    assert_eq!((report.ok, report.status.as_str()), (true, "completed"), "{report:#?}");
    let runs = store.runs(&scope(), None, 10, None).unwrap().items;
    assert_eq!(runs.len(), 2, "one parent and one child");
    assert!(runs.iter().all(|run| run.status == RunStatus::Completed), "{runs:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreadable_run_does_not_hide_its_topic() {
    let store = Arc::new(MemoryStore::new());
    let first = start(&store);
    let mut runs = Vec::new();
    for n in 0..3 {
        let request =
            Request { calls: vec![("t.work".to_owned(), json!({"n": n}))], ..Request::say(scope(), "", Mode::Enqueue) };
        let report = first.handle(&request).await.unwrap();
        runs.push(report.run);
    }
    first.engine().stop();
    drop(first);
    spoil(store.as_ref(), runs[1]);
    let kernel = start(&store);
    let topics = ["work".to_owned()];
    let ours = scope();
    let take = || kernel.activate(&ours, &topics, "w", 3, None, Duration::ZERO);
    let taken = take().await.unwrap();
    let of: Vec<_> = taken.iter().map(|job| job.run).collect();
    assert_eq!(of, [runs[0], runs[2]], "the other jobs are leased");
    assert_eq!(take().await.unwrap(), [], "the topic still works");
    for job in &taken {
        let outcome = JobOutcome::Done(ToolResult::ok(json!({"n": 1})));
        kernel.answer_job(&scope(), job.key, &job.lease, None, outcome).await.unwrap();
    }
    assert_eq!(kernel.report(&scope(), runs[0]).unwrap().status, RunStatus::Completed);
    // It is parked, and its offer is withdrawn.
    until(|| store.run(&scope(), runs[1]).unwrap().unwrap().status == RunStatus::Parked).await;
    assert_eq!(store.offers(&scope(), &topics, 10).unwrap(), []);
}

async fn ask(kernel: &Kernel, tool: &str, size: usize, context: Value) -> Report {
    let calls = vec![(tool.to_owned(), json!({"note": "x".repeat(size)}))];
    let request = Request { calls, context, ..Request::say(scope(), "", Mode::EnqueueAndWait) };
    kernel.handle(&request).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guard_holds_for_requests_of_every_size() {
    let kernel = start(&Arc::new(MemoryStore::new()));
    for size in [10, 100_000] {
        let locked = ask(&kernel, "t.add", size, json!({"account_locked": true})).await;
        assert!(!locked.ok, "{size}");
        assert_eq!(locked.errors[0].code, "account_locked", "{size}: {locked:#?}");
        let open = ask(&kernel, "t.add", size, json!({"account_locked": false})).await;
        assert_eq!((open.ok, &open.receipts[0].result["length"]), (true, &json!(size)), "{open:#?}");
        // The log has the input of the first turn.
        for report in [&locked, &open] {
            let state = kernel.engine().run_state(&scope(), report.run).unwrap();
            assert!(state.data.input.context["account_locked"].is_boolean(), "{size}");
            let again = kernel.report(&scope(), report.run).unwrap();
            assert_eq!((again.ok, &again.status), (report.ok, &report.status));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_context_can_be_approved() {
    let kernel = start(&Arc::new(MemoryStore::new()));
    for size in [10, 100_000] {
        let context = json!({"account_locked": false, "letter": "y".repeat(size)});
        let staged = ask(&kernel, "t.approve", size, context).await;
        assert_eq!(staged.status, RunStatus::Staged, "{staged:#?}");
        let boss = Actor { name: "boss".into(), ..Actor::local() };
        let run = staged.run.to_string();
        kernel.decide(&scope(), &run, None, Decision::Approve, &boss, "").await.unwrap();
        kernel.engine().wait(&scope(), staged.run).await.unwrap();
        let report = kernel.report(&scope(), staged.run).unwrap();
        assert_eq!((report.status.as_str(), &report.receipts[0].result["length"]), ("completed", &json!(size)));
    }
}

/// Counts commits that failed.
#[derive(Default)]
struct Failed(std::sync::atomic::AtomicUsize);

impl brain_engine::Observer for Failed {
    fn commit(&self, _: Duration, written: bool) {
        self.0.fetch_add(usize::from(!written), std::sync::atomic::Ordering::SeqCst);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_locked_row_does_not_mean_that_the_store_cannot_write() {
    let store = Arc::new(MemoryStore::new());
    let locking =
        Forgetful::locking(store.clone(), |member| member.writes.iter().any(|write| matches!(write, Write::NewRun(_))));
    let kernel = start_on(locking);
    let failed = Arc::new(Failed::default());
    kernel.engine().observe(failed.clone());
    let calls = vec![("t.add".to_owned(), json!({"note": "x"}))];
    let request = Request { calls, ..Request::say(scope(), "", Mode::EnqueueAndWait) };
    let refused = kernel.handle(&request).await.unwrap_err();
    assert!(matches!(refused, brain_kernel::KernelError::Store(brain_store::StoreError::Locked(_))), "{refused:?}");
    assert!(kernel.engine().can_write(), "other rows can be written");
    assert_eq!(failed.0.load(std::sync::atomic::Ordering::SeqCst), 0, "it is no failure of the store");
}
