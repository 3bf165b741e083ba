//! The pipe with real threads on a real SQLite file.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use brain_core::{ApprovalStatus, RunStatus};
use std::sync::Arc;

use brain_kernel::{Actor, Decision, KernelError, Limits, Mode, NextAction, Request};
use brain_store::{MemoryStore, RecordFilter, SqliteStore, Store};
use common::{call, kernel, result, say, scope, trades};
use serde_json::json;

fn sqlite() -> (Arc<dyn Store>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("t.db")).unwrap();
    (Arc::new(store), folder)
}

fn tasks(store: &Arc<dyn Store>) -> usize {
    store.records(&scope(), "task", &RecordFilter::default(), 100, None).unwrap().items.len()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_of_five_record_steps_needs_at_most_three_syncs() {
    let (store, _folder) = sqlite();
    let kernel = kernel(trades(), store.clone(), false);
    let calls = (0..5).map(|n| ("os.create_task".to_owned(), json!({"title": format!("t{n}")}))).collect();
    let request = Request { calls, ..Request::say(scope(), "", Mode::EnqueueAndWait) };
    let before = store.stats();
    let report = kernel.handle(&request).await.unwrap();
    let after = store.stats();
    assert!(report.ok, "{report:#?}");
    assert_eq!(report.receipts.len(), 5);
    assert!(after.syncs - before.syncs <= 3, "{} syncs", after.syncs - before.syncs);
    assert_eq!(tasks(&store), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_mode_does_what_it_says_and_nothing_more() {
    let (store, _folder) = sqlite();
    let kernel = kernel(trades(), store.clone(), false);
    let ask = |mode| Request::say(scope(), "create task: Call Bob", mode);
    let answer = kernel.handle(&ask(Mode::Answer)).await.unwrap();
    assert!(answer.ok && answer.enqueued.is_empty() && answer.receipts.is_empty());
    assert_eq!(answer.planned[0].input, json!({"title": "Call Bob", "domain": "business"}));
    let plan = kernel.handle(&ask(Mode::Plan)).await.unwrap();
    assert!(plan.ok && plan.enqueued.is_empty() && plan.receipts.is_empty());
    assert_eq!(plan.status, RunStatus::Staged);
    assert_eq!(tasks(&store), 0);
    let enqueue = kernel.handle(&ask(Mode::Enqueue)).await.unwrap();
    assert!(enqueue.ok && enqueue.enqueued.len() == 1);
    kernel.engine().wait(&scope(), enqueue.run).await.unwrap();
    let wait = kernel.handle(&ask(Mode::EnqueueAndWait)).await.unwrap();
    assert!(wait.ok);
    assert_eq!(wait.receipts[0].call_id, wait.enqueued[0].call_id);
    assert_eq!(wait.message, "Task created: Call Bob");
    assert_eq!(wait.next_actions[0], NextAction::say(format!("Task created: {}", result(&wait, "task_id"))));
    assert_eq!(tasks(&store), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_identifies_one_request() {
    let (store, _folder) = sqlite();
    let kernel = kernel(trades(), store.clone(), false);
    let ask = |text: &str| Request { key: Some("k1".into()), ..Request::say(scope(), text, Mode::EnqueueAndWait) };
    let first = kernel.handle(&ask("create task: A")).await.unwrap();
    let second = kernel.handle(&ask("create task: A")).await.unwrap();
    assert_eq!((first.run, tasks(&store)), (second.run, 1));
    let other = kernel.handle(&ask("create task: B")).await;
    assert!(matches!(other, Err(KernelError::KeyReused(_))));
    // Concurrently.
    let clients: Vec<_> = (0..16)
        .map(|_| {
            let kernel = kernel.clone();
            let request =
                Request { key: Some("k2".into()), ..Request::say(scope(), "create task: C", Mode::EnqueueAndWait) };
            tokio::spawn(async move { kernel.handle(&request).await.unwrap().run })
        })
        .collect();
    let mut runs = std::collections::BTreeSet::new();
    for client in clients {
        runs.insert(client.await.unwrap());
    }
    assert_eq!((runs.len(), tasks(&store)), (1, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_request_in_a_conversation_is_not_executed_twice_silently() {
    let (store, _folder) = sqlite();
    let kernel = kernel(trades(), store.clone(), false);
    let ask = |text: &str, conversation: &str| Request {
        conversation: Some(conversation.into()),
        ..Request::say(scope(), text, Mode::EnqueueAndWait)
    };
    let first = kernel.handle(&ask("create task: A", "c1")).await.unwrap();
    let again = kernel.handle(&ask("create task:  A", "c1")).await.unwrap();
    assert_eq!(first.run, again.run);
    assert!(again.message.contains("not carried out again"), "{}", again.message);
    kernel.handle(&ask("create task: A", "c2")).await.unwrap();
    kernel.handle(&ask("create task: B", "c1")).await.unwrap();
    assert_eq!(tasks(&store), 3);
    let list = |run| async move { run };
    let one = list(kernel.handle(&ask("list tasks", "c1")).await.unwrap().run).await;
    let two = kernel.handle(&ask("list tasks", "c1")).await.unwrap().run;
    assert_ne!(one, two, "a repeated read is executed again");
    // A failed request may be repeated.
    let failed = kernel.handle(&ask("complete task 01890a5d-ac96-774b-bcce-b302099a8057", "c1")).await.unwrap();
    let retried = kernel.handle(&ask("complete task 01890a5d-ac96-774b-bcce-b302099a8057", "c1")).await.unwrap();
    assert!(!failed.ok && failed.run != retried.run);
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_and_context_are_honoured() {
    let (store, _folder) = sqlite();
    let kernel = kernel(trades(), store.clone(), false);
    let eleven = (1..=11).map(|n| format!("create task: T{n}")).collect::<Vec<_>>().join("\n");
    let report = say(&kernel, &eleven).await;
    assert_eq!((report.ok, report.errors[0].code.as_str()), (false, "too_many_tool_calls"));
    assert_eq!((report.planned.len(), tasks(&store)), (11, 0));
    let limits = Limits { max_tool_calls: 11, ..Limits::default() };
    let report =
        kernel.handle(&Request { limits, ..Request::say(scope(), &eleven, Mode::EnqueueAndWait) }).await.unwrap();
    assert!(report.ok, "{}", report.message);
    assert_eq!(tasks(&store), 11);
    let lead = say(&kernel, "new lead: Bob Smith 0412 345 678 in Ryde").await;
    let context = json!({"lead_id": result(&lead, "lead_id"), "job_id": null});
    let request = Request { context, ..Request::say(scope(), "create inspection", Mode::EnqueueAndWait) };
    let report = kernel.handle(&request).await.unwrap();
    assert!(report.ok, "{report:#?}");
    assert_eq!(report.confidence.as_str(), "medium", "values from the context count as inferred");
    assert_eq!(report.planned[0].input, json!({"lead_id": result(&lead, "lead_id")}));
    let without = say(&kernel, "create inspection").await;
    assert_eq!((without.ok, without.status.as_str()), (false, "needs_input"));
    assert_eq!(without.errors[0].code, "missing_input");
    assert_eq!(without.errors[0].field.as_deref(), Some("lead_id"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_cannot_be_executed_is_rejected_and_logged() {
    let (store, _folder) = sqlite();
    let kernel = kernel(trades(), store.clone(), false);
    let broken = say(&kernel, "complete task 1234-broken").await;
    assert_eq!((broken.ok, broken.status.as_str()), (false, "failed"));
    assert_eq!(broken.errors[0].code, "invalid_input");
    assert_eq!(broken.errors[0].field.as_deref(), Some("task_id"));
    assert!(broken.enqueued.is_empty());
    let unknown = say(&kernel, "what is the meaning of life").await;
    assert_eq!((unknown.ok, unknown.mode_used.as_str(), unknown.confidence.as_str()), (true, "answer", "none"));
    assert!(unknown.message.contains("create task"), "{}", unknown.message);
    let tool = call(&kernel, "os.create_tusk", json!({"title": "x"})).await;
    assert_eq!(tool.errors[0].code, "unknown_tool");
    assert!(tool.errors[0].message.contains("os.create_task"), "{}", tool.errors[0].message);
    let runs = store.runs(&scope(), None, 10, None).unwrap().items;
    assert_eq!(runs.len(), 3, "every request leaves a run");
    let long = Request::say(scope(), &"x".repeat(64 * 1024 + 1), Mode::EnqueueAndWait);
    assert!(matches!(kernel.handle(&long).await, Err(KernelError::TooLong(_))));
    let empty = Request::say(scope(), "  ", Mode::EnqueueAndWait);
    assert!(matches!(kernel.handle(&empty).await, Err(KernelError::Empty)));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_approver_must_approve_and_only_once() {
    let (store, _folder) = sqlite();
    let kernel = kernel(trades(), store.clone(), false);
    let lead = result(&say(&kernel, "new lead: Bob Smith 0412 345 678 in Ryde").await, "lead_id");
    let leads = || store.records(&scope(), "lead", &RecordFilter::default(), 10, None).unwrap().items.len();
    let staged = say(&kernel, &format!("delete lead {lead}")).await;
    assert_eq!((staged.ok, staged.status.as_str(), leads()), (true, "staged", 1));
    let id = staged.approval.unwrap();
    let nobody = Actor { name: "nobody".into(), approver: false, ..Actor::local() };
    let refused = kernel.decide(&scope(), &id, None, Decision::Approve, &nobody, "").await;
    assert!(matches!(refused, Err(KernelError::NotAllowed(_))));
    assert_eq!(leads(), 1);
    let boss = Actor { name: "boss".into(), ..Actor::local() };
    let rejected = kernel.decide(&scope(), &id, None, Decision::Reject, &boss, "keep it").await.unwrap();
    assert_eq!((rejected.status.as_str(), leads()), ("cancelled", 1));
    assert!(matches!(
        kernel.decide(&scope(), &id, None, Decision::Approve, &boss, "").await,
        Err(KernelError::AlreadyDecided)
    ));
    let id = say(&kernel, &format!("delete lead {lead}")).await.approval.unwrap();
    let deciders: Vec<_> = (0..8)
        .map(|_| {
            let (kernel, id, boss) = (kernel.clone(), id.clone(), boss.clone());
            tokio::spawn(async move { kernel.decide(&scope(), &id, None, Decision::Approve, &boss, "").await.is_ok() })
        })
        .collect();
    let mut approved = 0;
    for decider in deciders {
        approved += usize::from(decider.await.unwrap());
    }
    assert_eq!((approved, leads()), (1, 0), "many clicks, one approval, one effect");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_staged_runbook_survives_a_restart() {
    let (store, _folder) = sqlite();
    let first = kernel(trades(), store.clone(), false);
    let staged = first.handle(&Request::say(scope(), "create task: A", Mode::Plan)).await.unwrap();
    first.engine().stop();
    let second = kernel(trades(), store.clone(), false);
    let done =
        second.decide(&scope(), &staged.run.to_string(), None, Decision::Approve, &Actor::local(), "").await.unwrap();
    assert!(done.ok);
    assert_eq!(tasks(&store), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_changes_of_one_quote_never_leave_it_stale() {
    let (store, _folder) = sqlite();
    let kernel = kernel(trades(), store.clone(), false);
    let job = say(&kernel, "new job for Bob Smith 0412 345 678 in Ryde").await;
    let inspection = result(&job, "inspection_id");
    say(&kernel, &format!("submit inspection {inspection}")).await;
    let quote = result(&say(&kernel, &format!("create quote from inspection {inspection}")).await, "quote_id");
    say(&kernel, &format!("add item to quote {quote}: 1x first $10")).await;
    let mut clients = Vec::new();
    for n in 0..20 {
        let (kernel, quote) = (kernel.clone(), quote.clone());
        clients.push(tokio::spawn(async move {
            let text = if n == 10 {
                format!("finalize quote {quote}")
            } else {
                format!("add item to quote {quote}: 1x item $10")
            };
            say(&kernel, &text).await.ok
        }));
    }
    let mut succeeded = 0;
    for client in clients {
        succeeded += usize::from(client.await.unwrap());
    }
    let items = store.records(&scope(), "quote_item", &RecordFilter::default(), 100, None).unwrap().items;
    assert_eq!(items.len(), succeeded, "the first item, and one for each add that was not refused");
    let quote = store.records(&scope(), "quote", &RecordFilter::default(), 1, None).unwrap().items.remove(0);
    assert_eq!(quote.state.as_deref(), Some("final"));
    let subtotal = format!("{}.00", 10 * items.len());
    assert_eq!(quote.body["subtotal"], json!(subtotal), "the total covers every item that is on it");
}

#[tokio::test(flavor = "multi_thread")]
async fn expressions_with_time_and_chance_replay_to_the_same_state() {
    let pack = "name: r8\nversion: 1.0.0\ntitle: R8\n";
    let tools = "domain: r8\ntools:\n  roll:\n    title: Roll\n    input: {}\n    phrases: [\"roll once\"]\n    behavior: {expr: {result: {at: \"= now()\", id: \"= uuid()\"}}}\n";
    let registry = common::registry(&[("pack.yaml", pack), ("tools/r8.yaml", tools)]);
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let kernel = kernel(registry, store.clone(), false);
    let report = say(&kernel, "roll once").await;
    assert!(report.ok, "{report:#?}");
    let live = report.receipts[0].result.clone();
    assert!(live["id"].as_str().is_some_and(|id| id.len() == 36), "{live}");
    for _ in 0..3 {
        let again = kernel.engine().run_state(&scope(), report.run).unwrap();
        assert_eq!(again.data.steps["s1"], live);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_a_plan_closes_its_approval() {
    let (store, _folder) = sqlite();
    let kernel = kernel(trades(), store.clone(), false);
    let staged = kernel.handle(&Request::say(scope(), "create task: A", Mode::Plan)).await.unwrap();
    let cancelled = kernel.cancel(&scope(), staged.run).await.unwrap();
    assert_eq!((cancelled.status.as_str(), tasks(&store)), ("cancelled", 0));
    assert!(store.approvals(&scope(), Some(ApprovalStatus::Pending), 10, None).unwrap().items.is_empty());
    let late = kernel.decide(&scope(), &staged.approval.unwrap(), None, Decision::Approve, &Actor::local(), "").await;
    assert!(matches!(late, Err(KernelError::AlreadyDecided)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenants_own_playbook_comes_first_then_priority_then_version() {
    let playbook = |head: &str, says: &str| {
        format!("playbook: m.go\n{head}slots: {{}}\nsteps:\n  - {{id: say, tool: m.say, args: {{text: {says}}}}}\n")
    };
    let tools = "domain: m\ntools:\n  say:\n    title: Say\n    input: {text: string}\n    phrases: [\"say {text}\"]\n    behavior: {expr: {result: {said: \"= input.text\"}}}\n";
    let registry = common::registry(&[
        ("pack.yaml", "name: m\nversion: 1.0.0\ntitle: M\n"),
        ("tools/m.yaml", tools),
        ("playbooks/a.yaml", &playbook("phrases: [\"please go\"]\n", "first")),
        ("playbooks/b.yaml", &playbook("version: 2\n", "newer")),
        ("playbooks/c.yaml", &playbook("tenant: acme\n", "own")),
    ]);
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let kernel = kernel(registry, store, false);
    for (tenant, said) in [("default", "newer"), ("acme", "own")] {
        let scope = brain_store::Scope::of(tenant.parse().unwrap());
        let report = kernel.handle(&Request::say(scope, "please go", Mode::EnqueueAndWait)).await.unwrap();
        assert!(report.ok, "{report:#?}");
        assert_eq!(report.receipts[0].result["said"], said, "{tenant}");
    }
}
