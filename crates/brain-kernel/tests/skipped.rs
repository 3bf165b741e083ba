//! Messages about a run that continued without a step: calls that may have happened are always listed, however the run
//! ends.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::Arc;

use axum::http::StatusCode;
use axum::routing::post;
use brain_core::{RunId, RunStatus};
use brain_engine::LetterDecision;
use brain_kernel::{Actor, Kernel, Mode, Report, Request};
use brain_store::{DeadLetterRow, MemoryStore};
use common::{call, kernel, registry, scope, spoil};
use serde_json::json;

const TOOLS: &str = r#"domain: t
tools:
  thing: {title: Make a thing, input: {}, behavior: {record: {insert: thing}}, undo: {tool: t.unthing, args: {thing_id: "= result.thing_id"}}}
  unthing: {title: Remove a thing, input: {thing_id: {entity: thing}}, behavior: {record: {delete: thing}}, undo: none}
  busy: {title: Ask somebody who has no time, input: {}, behavior: {http: {method: POST, url: "http://ADDR/busy"}}, retry: {attempts: 1}, undo: none}
  lose: {title: Ask a gateway that gives up, input: {}, behavior: {http: {method: POST, url: "http://ADDR/lose"}}, undo: none}
  work: {title: Work, input: {}, behavior: {worker: work}, undo: none}
  fail: {title: Fail, input: {}, requires: [{expr: "= false", else: "No."}], behavior: {expr: "= {}"}}
  unwork: {title: Make something that a worker removes, input: {}, behavior: {expr: "= {}"}, effect: write, undo: {tool: t.work, args: {}}}
"#;

const PLAYBOOKS: [(&str, &str); 4] = [
    (
        "playbooks/on.yaml",
        "playbook: t.on\ntitle: Go on\nslots: {}\nsteps:\n  - {id: lose, tool: t.lose, args: {}}\n  - {id: thing, tool: t.thing, args: {}, after: [lose]}\n",
    ),
    (
        "playbooks/back.yaml",
        "playbook: t.back\ntitle: Go back\nslots: {}\nsteps:\n  - {id: thing, tool: t.thing, args: {}}\n  - {id: lose, tool: t.lose, args: {}, after: [thing]}\n  - {id: fail, tool: t.fail, args: {}, after: [lose], on_failure: undo}\n",
    ),
    (
        "playbooks/two.yaml",
        "playbook: t.two\ntitle: Two steps\nslots: {}\nsteps:\n  - {id: busy, tool: t.busy, args: {}}\n  - {id: thing, tool: t.thing, args: {}, after: [busy]}\n",
    ),
    (
        "playbooks/slow.yaml",
        "playbook: t.slow\ntitle: A worker undoes it\nslots: {}\nsteps:\n  - {id: made, tool: t.unwork, args: {}}\n  - {id: fail, tool: t.fail, args: {}, after: [made], on_failure: undo}\n",
    ),
];

async fn start() -> (Arc<Kernel>, Arc<MemoryStore>) {
    let router = axum::Router::new()
        .route("/busy", post(|| async { StatusCode::TOO_MANY_REQUESTS }))
        .route("/lose", post(|| async { StatusCode::GATEWAY_TIMEOUT }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move { axum::serve(listener, router).await });
    let (pack, tools) = (format!("name: t\nversion: 1.0.0\nhosts: [\"{addr}\"]\n"), TOOLS.replace("ADDR", &addr));
    let thing = ("records/thing.yaml", "record: thing\nfields: {note: {type: string, optional: true}}\n");
    let mut files = vec![("pack.yaml", pack.as_str()), ("tools/t.yaml", tools.as_str()), thing];
    files.extend(PLAYBOOKS);
    let store = Arc::new(MemoryStore::new());
    (kernel(registry(&files), store.clone(), true), store)
}

fn letter(kernel: &Kernel, run: RunId) -> DeadLetterRow {
    kernel.store().dead_letters_of(&scope(), run).unwrap().remove(0)
}

async fn skip(kernel: &Kernel, run: RunId) -> Report {
    kernel.skip_failed(&scope(), run, "somebody", "not needed").await.unwrap();
    kernel.engine().wait(&scope(), run).await.unwrap();
    kernel.report(&scope(), run).unwrap()
}

fn codes(report: &Report) -> Vec<&str> {
    report.errors.iter().map(|problem| problem.code.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skipped_step_in_doubt_stays_in_the_report_and_in_the_undo_of_its_run() {
    let (kernel, _) = start().await;
    for by_letter in [false, true] {
        let waiting = call(&kernel, "t.on", json!({})).await;
        let done = if by_letter {
            let (id, decision) = (letter(&kernel, waiting.run).id, LetterDecision::Resolve(None));
            kernel.decide_letter(&scope(), id, decision, "somebody", "").await.unwrap();
            kernel.engine().wait(&scope(), waiting.run).await.unwrap();
            kernel.report(&scope(), waiting.run).unwrap()
        } else {
            skip(&kernel, waiting.run).await
        };
        assert_eq!((done.status, codes(&done)), (RunStatus::Completed, vec!["in_doubt"]), "{done:#?}");
        assert!(done.message.contains("It is unknown whether `t.lose` (step lose) happened."), "{}", done.message);
        assert_eq!(done.receipts[0].status, "in_doubt");
        let letter = letter(&kernel, waiting.run);
        assert_eq!((letter.open, &letter.body["resolution"]["outcome"]), (false, &json!("never_decided")));
        let undo = kernel.undo(&scope(), waiting.run, None, &Actor::local()).await.unwrap();
        assert!(undo.message.contains("`t.lose` (step lose) may have happened"), "{}", undo.message);
        assert!(undo.message.contains("Check the other system."), "{}", undo.message);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compensated_run_names_a_skipped_step_in_doubt() {
    let (kernel, _) = start().await;
    let waiting = call(&kernel, "t.back", json!({})).await;
    let done = skip(&kernel, waiting.run).await;
    assert_eq!(done.status, RunStatus::Compensated, "{done:#?}");
    let left = "`t.lose` of step lose may have happened and was not undone.";
    assert!(done.message.contains(&format!("Finished steps were undone, except: {left}")), "{}", done.message);
    assert!(done.errors.iter().any(|one| one.code == "not_undone" && one.message == left), "{:#?}", done.errors);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_run_names_its_step_in_doubt() {
    let (kernel, _) = start().await;
    let waiting = call(&kernel, "t.on", json!({})).await;
    let cancelled = kernel.cancel(&scope(), waiting.run).await.unwrap();
    assert_eq!((cancelled.status, codes(&cancelled)), (RunStatus::Cancelled, vec!["cancelled", "in_doubt"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skipped_step_that_is_no_list_is_not_called_an_item() {
    let (kernel, _) = start().await;
    let waiting = call(&kernel, "t.two", json!({})).await;
    let done = skip(&kernel, waiting.run).await;
    assert_eq!((done.status, codes(&done)), (RunStatus::Completed, vec!["step_skipped"]), "{done:#?}");
    assert!(done.message.contains("`t.busy` (step busy) failed and was skipped."), "{}", done.message);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_being_undone_is_not_ok_and_names_the_step_that_failed() {
    let (kernel, _) = start().await;
    let calls = vec![("t.slow".to_owned(), json!({}))];
    let request = Request { calls, ..Request::say(scope(), "", Mode::EnqueueAndWait) };
    let request =
        Request { limits: brain_kernel::Limits { wait_timeout_ms: 200, ..request.limits.clone() }, ..request };
    let run = kernel.handle(&request).await.unwrap().run;
    let report = kernel.report(&scope(), run).unwrap();
    assert_eq!((report.status, report.ok), (RunStatus::Compensating, false), "{report:#?}");
    assert_eq!(report.errors[0].tool.as_deref(), Some("t.fail"), "{report:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_run_is_not_ok_but_accepting_it_is() {
    let (kernel, _) = start().await;
    let calls = vec![("t.work".to_owned(), json!({}))];
    let request = Request { calls, ..Request::say(scope(), "", Mode::Enqueue) };
    let accepted = kernel.handle(&request).await.unwrap().as_accepted();
    assert!(accepted.ok && accepted.message.starts_with("Accepted"), "{accepted:#?}");
    let report = kernel.report(&scope(), accepted.run).unwrap();
    assert_eq!((report.status, report.ok, report.waits_for.len()), (RunStatus::Waiting, false, 1), "{report:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_request_about_an_unreadable_run_is_a_conflict_that_says_so() {
    let (kernel, store) = start().await;
    let calls = vec![("t.work".to_owned(), json!({}))];
    let run = kernel.handle(&Request { calls, ..Request::say(scope(), "", Mode::Enqueue) }).await.unwrap().run;
    spoil(store.as_ref(), run);
    let cancel = kernel.cancel(&scope(), run).await.unwrap_err();
    let undo = kernel.undo(&scope(), run, None, &Actor::local()).await.unwrap_err();
    let replay = kernel.replay(&scope(), run).unwrap_err();
    for error in [cancel, undo, replay] {
        assert!(matches!(error, brain_kernel::KernelError::Conflict(_)), "{error:?}");
    }
}
