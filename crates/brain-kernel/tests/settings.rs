//! A run uses the settings that it was planned with, and so does its undo.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use brain_core::RunStatus;
use std::sync::Arc;

use brain_kernel::{Actor, Decision, Kernel, Mode, Report, Request};
use brain_store::{RecordFilter, SqliteStore, Store};
use common::{call, kernel, registry, scope};
use serde_json::{Value, json};

const TOOLS: &str = r#"domain: t
tools:
  charge:
    title: Charge
    input: {amount: decimal, rate: decimal}
    behavior: {record: {insert: charge, set: {amount: "= input.amount", planned: "= input.rate", rate: "= settings.rate"}}}
    undo: {tool: t.refund, args: {amount: "= settings.rate * input.amount"}}
  refund:
    title: Refund
    input: {amount: decimal}
    behavior: {record: {insert: refund, set: {amount: "= input.amount", rate: "= settings.rate"}}}
    undo: {cannot: it is one already}
"#;
const BOOK: &str = r#"playbook: t.book
title: Book
slots: {amount: decimal}
steps:
  - id: charge
    tool: t.charge
    args: {amount: "= slots.amount", rate: "= settings.rate"}
"#;

fn at_rate(store: &Arc<dyn Store>, rate: &str) -> Arc<Kernel> {
    let pack = format!("name: test\nversion: 1.0.0\nsettings: {{rate: {rate}}}\n");
    let registry = registry(&[
        ("pack.yaml", &pack),
        ("records/charge.yaml", "record: charge\nfields: {amount: decimal, planned: decimal, rate: decimal}\n"),
        ("records/refund.yaml", "record: refund\nfields: {amount: decimal, rate: decimal}\n"),
        ("tools/t.yaml", TOOLS),
        ("playbooks/book.yaml", BOOK),
    ]);
    kernel(registry, store.clone(), false)
}

fn only(store: &Arc<dyn Store>, kind: &str) -> Value {
    let page = store.records(&scope(), kind, &RecordFilter::default(), 10, None).unwrap();
    assert_eq!(page.items.len(), 1, "{:?}", page.items);
    page.items[0].body.clone()
}

async fn approve(kernel: &Kernel, staged: &Report) -> Report {
    assert_eq!(staged.status, RunStatus::Staged, "{staged:#?}");
    let approval = staged.approval.clone().unwrap();
    let done = kernel.decide(&scope(), &approval, None, Decision::Approve, &Actor::local(), "").await.unwrap();
    assert_eq!(done.status, RunStatus::Completed, "{done:#?}");
    done
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_settings_does_not_affect_a_run_or_its_undo() {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.path().join("t.db")).unwrap());

    let first = at_rate(&store, "0.10");
    let calls = vec![("t.book".to_owned(), json!({"amount": "200"}))];
    let staged = first.handle(&Request { calls, ..Request::say(scope(), "", Mode::Plan) }).await.unwrap();
    drop(first);

    // The packs change while the plan waits.
    let second = at_rate(&store, "0.20");
    let done = approve(&second, &staged).await;
    let charge = only(&store, "charge");
    assert_eq!((&charge["planned"], &charge["rate"]), (&json!("0.1"), &json!("0.1")), "{charge}");
    drop(second);

    // And again before it is undone.
    let third = at_rate(&store, "0.30");
    let undo = third.undo(&scope(), done.run, None, &Actor::local()).await.unwrap();
    drop(third);
    let fourth = at_rate(&store, "0.40");
    approve(&fourth, &undo).await;
    let refund = only(&store, "refund");
    assert_eq!(refund["amount"], "20", "its arguments use the old settings: {refund}");
    assert_eq!(refund["rate"], "0.1", "its own expressions use the old settings: {refund}");

    // A new plan uses the current settings.
    call(&fourth, "t.refund", json!({"amount": "1"})).await;
    let page = store.records(&scope(), "refund", &RecordFilter::default(), 10, None).unwrap();
    assert_eq!(page.items[1].body["rate"], "0.4");
}
