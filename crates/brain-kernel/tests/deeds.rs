//! Effects are in the receipts and can be undone, even when the run ends before the job does.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::Arc;
use std::time::Duration;

use brain_core::RunStatus;
use brain_engine::JobOutcome;
use brain_kernel::{Actor, Kernel, Mode, Report, Request, Verdict};
use brain_registry::ToolResult;
use brain_store::MemoryStore;
use common::{call, kernel, registry, scope};
use serde_json::{Value, json};

const TOOLS: &str = r#"domain: t
tools:
  make:
    title: Make a thing outside
    input: {}
    behavior: {worker: make}
    output: {thing: string}
    may_inject: true
    undo: {tool: t.unmake, args: {thing: "= result.thing"}}
  unmake: {title: Unmake, input: {thing: string}, behavior: {record: {insert: unmade}}, undo: none}
  print: {title: Print, input: {}, behavior: {record: {insert: page}}, undo: {cannot: It is on paper.}}
  fail:
    title: Fail
    input: {}
    requires: [{expr: "= false", else: "No."}]
    behavior: {expr: "= {}"}
"#;

const PLAYBOOK: &str = r#"playbook: t.printed
title: Printed and given up
slots: {}
steps:
  - {id: print, tool: t.print, args: {}}
  - {id: fail, tool: t.fail, after: [print], on_failure: undo, args: {}}
"#;

fn start() -> Arc<Kernel> {
    let files = [
        ("pack.yaml", "name: t\nversion: 1.0.0\n"),
        ("records/unmade.yaml", "record: unmade\nfields: {thing: string}\n"),
        ("records/page.yaml", "record: page\nfields: {note: {type: string, optional: true}}\n"),
        ("tools/t.yaml", TOOLS),
        ("playbooks/printed.yaml", PLAYBOOK),
    ];
    kernel(registry(&files), Arc::new(MemoryStore::new()), false)
}

/// Lets a worker complete the job.
async fn made(kernel: &Kernel, answer: ToolResult) -> Report {
    let calls = vec![("t.make".to_owned(), json!({}))];
    let report = kernel.handle(&Request { calls, ..Request::say(scope(), "", Mode::Enqueue) }).await.unwrap();
    let topics = ["make".to_owned()];
    let taken = kernel.activate(&scope(), &topics, "w", 1, None, Duration::from_secs(30)).await.unwrap();
    kernel.answer_job(&scope(), taken[0].key, &taken[0].lease, None, JobOutcome::Done(answer)).await.unwrap();
    kernel.report(&scope(), report.run).unwrap()
}

fn thing() -> ToolResult {
    ToolResult::ok(json!({"thing": "bell"}))
}

/// The status of the receipt, and the calls of an undo of the run.
async fn left(kernel: &Kernel, report: &Report) -> (String, Vec<Value>) {
    let receipt = report.receipts.iter().find(|receipt| receipt.tool == "t.make");
    let status = receipt.map_or_else(|| "no receipt".to_owned(), |receipt| receipt.status.to_owned());
    let undo = kernel.undo(&scope(), report.run, None, &Actor::local()).await.unwrap();
    (status, undo.planned.iter().map(|call| json!([call.tool, call.input])).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_whose_steps_failed_is_in_the_receipts_and_can_be_undone() {
    let kernel = start();
    let steps = serde_json::from_value(json!([{"tool": "t.fail", "args": {}}])).unwrap();
    let report = made(&kernel, ToolResult { new_steps: steps, ..thing() }).await;
    assert_eq!(report.status, RunStatus::Failed, "{report:#?}");
    let (status, undo) = left(&kernel, &report).await;
    assert!(["succeeded", "done_badly"].contains(&status.as_str()), "{status}");
    assert_eq!(undo, [json!(["t.unmake", {"thing": "bell"}])]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_that_was_not_accepted_is_in_the_receipts_and_can_be_undone() {
    let kernel = start();
    let asking = || ToolResult { review: Some(json!({"ask": "Is it right?"})), ..thing() };
    let cancelled = made(&kernel, asking()).await;
    let cancelled = kernel.cancel(&scope(), cancelled.run).await.unwrap();
    assert_eq!(cancelled.status, RunStatus::Cancelled);
    let (status, undo) = left(&kernel, &cancelled).await;
    assert_eq!((status.as_str(), undo), ("succeeded", vec![json!(["t.unmake", {"thing": "bell"}])]));

    let rejected = made(&kernel, asking()).await;
    let rejected =
        kernel.review(&scope(), rejected.run, None, Verdict::Reject, &Actor::local(), "wrong").await.unwrap();
    assert_eq!(rejected.status, RunStatus::Failed, "{rejected:#?}");
    let (status, undo) = left(&kernel, &rejected).await;
    assert_eq!((status.as_str(), undo), ("done_badly", vec![json!(["t.unmake", {"thing": "bell"}])]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_compensated_run_could_not_undo_is_named() {
    let kernel = start();
    let report = call(&kernel, "t.printed", json!({})).await;
    assert_eq!(report.status, RunStatus::Compensated, "{report:#?}");
    let page = kernel.store().records(&scope(), "page", &Default::default(), 1, None).unwrap().items.remove(0).id;
    let said = format!("`t.print` of step print (page {page}) was not undone. It is on paper.");
    assert!(report.message.contains(&said), "{}", report.message);
    assert!(report.errors.iter().any(|problem| problem.code == "not_undone"), "{:?}", report.errors);
}
