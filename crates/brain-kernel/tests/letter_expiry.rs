//! Dead letters that nobody decides about end after a time, and say so; what may have happened is never called failed.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::Arc;

use brain_core::{Millis, RunId, RunStatus, Timestamp};
use brain_engine::{Keep, LONG, sweep};
use brain_kernel::{Expiry, Kernel};
use brain_store::{DeadLetterRow, MemoryStore};
use brain_vm::{Happened, JobStatus};
use common::{call, kernel_that, registry, scope};
use serde_json::json;

const TOOLS: &str = r#"domain: t
tools:
  busy:
    title: Ask somebody who has no time
    input: {}
    behavior: {http: {method: POST, url: "http://ADDR/busy"}}
    retry: {attempts: 1}
    undo: none
  lose:
    title: Ask a gateway that gives up
    input: {}
    behavior: {http: {method: POST, url: "http://ADDR/lose"}}
    undo: none
"#;

async fn start(letters: Option<Millis>) -> Arc<Kernel> {
    let router = axum::Router::new()
        .route("/busy", axum::routing::post(|| async { axum::http::StatusCode::TOO_MANY_REQUESTS }))
        .route("/lose", axum::routing::post(|| async { axum::http::StatusCode::GATEWAY_TIMEOUT }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move { axum::serve(listener, router).await });
    let pack = format!("name: t\nversion: 1.0.0\nhosts: [\"{addr}\"]\n");
    let registry = registry(&[("pack.yaml", &pack), ("tools/t.yaml", &TOOLS.replace("ADDR", &addr))]);
    kernel_that(registry, Arc::new(MemoryStore::new()), true, Expiry { letters, ..Expiry::default() })
}

/// Lets letters expire until one has.
async fn one_expires(kernel: &Kernel) {
    let began = std::time::Instant::now();
    while kernel.expire_letters(&scope()).await.unwrap() == 0 {
        assert!(began.elapsed() < std::time::Duration::from_secs(60), "it never expired");
        tokio::task::yield_now().await;
    }
}

fn letter(kernel: &Kernel, run: RunId) -> DeadLetterRow {
    kernel.store().dead_letters_of(&scope(), run).unwrap().remove(0)
}

/// Whether retention can delete a run.
fn goes(kernel: &Kernel, run: RunId) -> bool {
    let keep = Keep { payloads: None, runs: Some(Millis(1)), blobs: Millis(0), long: LONG };
    let later = Timestamp::from_millis(4_000_000_000_000);
    sweep(kernel.store().as_ref(), &scope(), later, keep, false).unwrap();
    kernel.store().run(&scope(), run).unwrap().is_none()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_nobody_decides_about_fails_and_says_that_time_ran_out() {
    let kernel = start(Some(Millis(1))).await;
    let waiting = call(&kernel, "t.busy", json!({})).await;
    assert_eq!(letter(&kernel, waiting.run).body["happened"], "no");
    assert!(kernel.awaiting_person(&scope(), 10).unwrap()[0].until.is_some(), "its end is known");
    one_expires(&kernel).await;
    let report = kernel.report(&scope(), waiting.run).unwrap();
    assert_eq!((report.status, report.errors[0].code.as_str()), (RunStatus::Failed, "letter_expired"), "{report:#?}");
    assert!(report.message.contains("Nobody decided within 1ms."), "{}", report.message);
    let letter = letter(&kernel, waiting.run);
    assert_eq!((letter.open, &letter.body["resolution"]["outcome"]), (false, &json!("expired")));
    assert!(goes(&kernel, waiting.run));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_may_have_happened_is_recorded_as_never_decided() {
    let kernel = start(Some(Millis(1))).await;
    let waiting = call(&kernel, "t.lose", json!({})).await;
    assert_eq!(letter(&kernel, waiting.run).body["happened"], "maybe");
    one_expires(&kernel).await;
    let report = kernel.report(&scope(), waiting.run).unwrap();
    assert_eq!((report.status, report.errors[0].code.as_str()), (RunStatus::Failed, "never_decided"), "{report:#?}");
    let row = letter(&kernel, waiting.run);
    assert_eq!((row.open, &row.body["resolution"]["outcome"]), (false, &json!("never_decided")));
    let state = kernel.engine().run_state(&scope(), waiting.run).unwrap();
    let left: Vec<_> = state.state.unwrap().left.into_values().map(|job| job.status).collect();
    assert_eq!(left, [JobStatus::Stuck { happened: Happened::Maybe }], "nobody said that it failed");
    assert!(goes(&kernel, waiting.run), "retention reaches it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_letter_that_outlived_its_run_expires_too_and_the_run_stays_as_it_is() {
    let kernel = start(Some(Millis(1))).await;
    let waiting = call(&kernel, "t.lose", json!({})).await;
    let ended = kernel.cancel(&scope(), waiting.run).await.unwrap();
    assert!(letter(&kernel, ended.run).open);
    one_expires(&kernel).await;
    assert_eq!(letter(&kernel, ended.run).body["resolution"]["outcome"], "never_decided");
    assert_eq!(kernel.report(&scope(), ended.run).unwrap().status, RunStatus::Cancelled);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_letter_does_not_expire_before_its_time_or_where_letters_are_kept() {
    for letters in [None, Some(Millis::from_secs(3600))] {
        let kernel = start(letters).await;
        let waiting = call(&kernel, "t.busy", json!({})).await;
        assert_eq!(kernel.expire_letters(&scope()).await.unwrap(), 0);
        assert!(letter(&kernel, waiting.run).open);
    }
}
