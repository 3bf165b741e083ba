//! Effects are in the receipts and can be undone, even when the run ends before the job does.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::Arc;
use std::time::Duration;

use brain_core::{Failure, RunId, RunStatus};
use brain_engine::{JobOutcome, LetterDecision};
use brain_kernel::{Actor, Decision, Kernel, Mode, Report, Request, Verdict};
use brain_registry::ToolResult;
use brain_store::{MemoryStore, RecordFilter};
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

const MORE_TOOLS: &str = r#"domain: u
tools:
  build:
    title: Build
    input: {}
    behavior: {worker: build}
    output: {built: string}
    undo: {tool: u.raze, args: {}}
  raze: {title: Raze, input: {}, behavior: {playbook: {name: u.razed, result: {ok: "= true"}}}, output: {ok: boolean}, undo: none}
  note: {title: Note, input: {}, behavior: {record: {insert: page}}, undo: none}
  clear: {title: Clear, input: {}, behavior: {worker: clear}, output: {cleared: string}, undo: none}
  dig:
    title: Dig
    input: {}
    behavior: {worker: build}
    output: {built: string}
    undo: {tool: u.fill, args: {}}
  trip:
    title: Trip
    input: {}
    behavior: {playbook: {name: u.tripped, result: {ok: "= true"}}}
    output: {ok: boolean}
    undo: {tool: u.note, args: {}}
  book: {title: Book, input: {}, behavior: {record: {insert: page}}, output: {page_id: uuid}, undo: {tool: u.unbook, args: {page_id: "{{ result.page_id }}"}}}
  unbook: {title: Unbook, input: {page_id: {type: uuid, entity: page}}, behavior: {record: {delete: page}}, undo: none}
  fill: {title: Fill, input: {}, behavior: {playbook: {name: u.filled, result: {ok: "= true"}}}, output: {ok: boolean}, undo: none}
"#;

const RAZED: &str = r#"playbook: u.razed
title: Razed
slots: {}
steps:
  - {id: note, tool: u.note, args: {}}
  - {id: clear, tool: u.clear, after: [note], args: {}}
"#;

const FILLED: &str = r#"playbook: u.filled
title: Filled
slots: {}
steps:
  - {id: clear, tool: u.clear, args: {}}
  - {id: note, tool: u.note, after: [clear], args: {}}
"#;

const TRIPPED: &str = r#"playbook: u.tripped
title: Tripped
slots: {}
steps:
  - {id: book, tool: u.book, args: {}}
"#;

const GIVEN_UP: &str = r#"playbook: u.given_up
title: A trip and a failure
slots: {}
steps:
  - {id: trip, tool: u.trip, args: {}}
  - {id: fail, tool: t.fail, after: [trip], on_failure: undo, args: {}}
"#;

const DUG: &str = r#"playbook: u.dug
title: Dug and given up
slots: {}
steps:
  - {id: dig, tool: u.dig, args: {}}
  - {id: fail, tool: t.fail, after: [dig], on_failure: undo, args: {}}
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
        ("tools/u.yaml", MORE_TOOLS),
        ("playbooks/razed.yaml", RAZED),
        ("playbooks/filled.yaml", FILLED),
        ("playbooks/dug.yaml", DUG),
        ("playbooks/tripped.yaml", TRIPPED),
        ("playbooks/given_up.yaml", GIVEN_UP),
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

/// Lets a worker answer the next job of a topic.
async fn answer(kernel: &Kernel, topic: &str, outcome: JobOutcome) {
    let topics = [topic.to_owned()];
    let taken = kernel.activate(&scope(), &topics, "w", 1, None, Duration::from_secs(30)).await.unwrap();
    kernel.answer_job(&scope(), taken[0].key, &taken[0].lease, None, outcome).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_half_done_undo_is_not_retried_and_can_be_given_up() {
    let kernel = start();
    let calls = vec![("u.build".to_owned(), json!({}))];
    let built = kernel.handle(&Request { calls, ..Request::say(scope(), "", Mode::Enqueue) }).await.unwrap();
    answer(&kernel, "build", JobOutcome::Done(ToolResult::ok(json!({"built": "shed"})))).await;
    let undo = kernel.undo(&scope(), built.run, None, &Actor::local()).await.unwrap();
    let approval = undo.approval.clone().unwrap();
    kernel.decide(&scope(), &approval, None, Decision::Approve, &Actor::local(), "").await.unwrap();
    common::until(|| kernel.report(&scope(), undo.run).unwrap().receipts.iter().any(|one| one.tool == "u.note")).await;
    answer(&kernel, "clear", JobOutcome::Failed(Failure::business("locked", "It is locked."))).await;
    let letters = || kernel.store().dead_letters_of(&scope(), undo.run).unwrap();
    common::until(|| !letters().is_empty()).await;
    let letter = letters().remove(0);
    let refused = kernel.decide_letter(&scope(), letter.id, LetterDecision::Retry, "ann", "").await.unwrap_err();
    assert!(refused.to_string().contains("a part of `u.raze` was done, or may have been"), "{refused}");
    assert!(refused.to_string().contains("`u.note` (step s1/note)"), "{refused}");
    let refused = kernel.retry_run(&scope(), undo.run, "ann", "").await.unwrap_err();
    assert!(refused.to_string().contains("a retry would do it again"), "{refused}");
    let pages = kernel.store().records(&scope(), "page", &RecordFilter::default(), 10, None).unwrap().items;
    assert_eq!(pages.len(), 1, "the note was not written again");
    kernel.decide_letter(&scope(), letter.id, LetterDecision::Abandon, "ann", "").await.unwrap();
    common::until(|| kernel.report(&scope(), undo.run).unwrap().status.is_over()).await;
}

/// Digs, fails, and begins to undo it; the first step of the undo waits for a worker.
async fn filling(kernel: &Kernel) -> Report {
    let calls = vec![("u.dug".to_owned(), json!({}))];
    let report = kernel.handle(&Request { calls, ..Request::say(scope(), "", Mode::Enqueue) }).await.unwrap();
    answer(kernel, "build", JobOutcome::Done(ToolResult::ok(json!({"built": "hole"})))).await;
    report
}

/// What the dead letter about a tool says of it, once it is there.
async fn happened(kernel: &Kernel, run: RunId, tool: &str) -> Value {
    let letter = || kernel.store().dead_letters_of(&scope(), run).unwrap().into_iter().find(|one| one.tool == tool);
    common::until(|| letter().is_some()).await;
    letter().unwrap().body["happened"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undo_whose_first_step_is_refused_did_not_happen() {
    let kernel = start();
    let report = filling(&kernel).await;
    answer(&kernel, "clear", JobOutcome::Failed(Failure::business("locked", "It is locked."))).await;
    assert_eq!(happened(&kernel, report.run, "u.fill").await, "no");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undo_with_a_step_in_doubt_may_have_happened() {
    let kernel = start();
    let report = filling(&kernel).await;
    // A worker takes the step and never answers; the run is forced to stop.
    let topics = ["clear".to_owned()];
    assert_eq!(kernel.activate(&scope(), &topics, "w", 1, None, Duration::from_secs(30)).await.unwrap().len(), 1);
    kernel.cancel(&scope(), report.run).await.unwrap();
    assert_eq!(happened(&kernel, report.run, "u.clear").await, "maybe");
    assert_eq!(happened(&kernel, report.run, "u.fill").await, "maybe");
    common::until(|| kernel.report(&scope(), report.run).unwrap().status.is_over()).await;
    let report = kernel.report(&scope(), report.run).unwrap();
    assert!(report.errors.iter().any(|error| error.code == "not_undone"), "{report:#?}");
    assert!(report.errors.iter().any(|error| error.message.contains("`u.dig`")), "{report:#?}");
    // Nobody repeats it before its letter is decided.
    let refused = kernel.undo(&scope(), report.run, None, &Actor::local()).await.unwrap_err();
    assert!(refused.to_string().contains("the undo of `u.dig` (step dig) may have happened"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_playbook_tool_is_undone_by_its_steps_alone_whoever_asks() {
    let pages = |kernel: &Kernel| {
        kernel.store().records(&scope(), "page", &RecordFilter::default(), 10, None).unwrap().items.len()
    };
    let kernel = start();
    let report = call(&kernel, "u.given_up", json!({})).await;
    assert_eq!(report.status, RunStatus::Compensated, "{report:#?}");
    assert_eq!(pages(&kernel), 0, "the page is gone, and the tool's own undo wrote none");
    let done = call(&kernel, "u.trip", json!({})).await;
    let undo = kernel.undo(&scope(), done.run, None, &Actor::local()).await.unwrap();
    let tools: Vec<&str> = undo.planned.iter().map(|call| call.tool.as_str()).collect();
    assert_eq!(tools, ["u.unbook"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_correction_does_not_redirect_the_undo() {
    let kernel = start();
    let asking = ToolResult { review: Some(json!({"ask": "Is it right?"})), ..thing() };
    let made = made(&kernel, asking).await;
    let verdict = Verdict::Accept(json!({"thing": "horn"}));
    let accepted = kernel.review(&scope(), made.run, None, verdict, &Actor::local(), "").await.unwrap();
    assert_eq!(accepted.status, RunStatus::Completed, "{accepted:#?}");
    let (_, undo) = left(&kernel, &accepted).await;
    assert_eq!(undo, [json!(["t.unmake", {"thing": "bell"}])], "the bell was made, whatever it is called");
}
