//! Brain's internal records about finished work are deleted with their subjects.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::Arc;

use brain_core::{Clock, Millis};
use brain_kernel::{Mode, Request, sweep_notes};
use brain_store::{MemoryStore, RecordFilter, Records};
use common::{SystemClock, call, kernel, registry, result, scope};
use serde_json::json;

const PACK: &str = "name: t\nversion: 1.0.0\ntitle: T\nhosts: [\"127.0.0.1:9\"]\n";

const RECORDS: &str = "record: thing\nfields: {name: string}\n";

const TOOLS: &str = r#"domain: t
tools:
  make:
    title: Make
    input: {name: string}
    behavior: {record: {insert: thing}}
    undo: none
  use:
    title: Use
    input: {thing_id: {type: uuid, entity: thing}}
    behavior: {record: {get: thing}}
    requires:
      - {prior: t.make, record: thing_id, else: "Make it first."}
  drop:
    title: Drop
    input: {thing_id: {type: uuid, entity: thing}}
    behavior: {record: {delete: thing}}
    undo: none
  chase:
    title: Chase
    input: {}
    behavior: {http: {method: POST, url: "http://127.0.0.1:9/chase"}}
    delegate: {secret: "env:NOBODY"}
    retry: {attempts: 1}
    undo: none
"#;

#[tokio::test(flavor = "multi_thread")]
async fn internal_records_are_deleted_when_no_precondition_can_need_them() {
    let files = [("pack.yaml", PACK), ("records/thing.yaml", RECORDS), ("tools/t.yaml", TOOLS)];
    let store = Arc::new(MemoryStore::new());
    let kernel = kernel(registry(&files), store.clone(), true);
    let notes = |kind: &str| store.records(&scope(), kind, &RecordFilter::default(), 100, None).unwrap().items.len();
    let sweep = |dry_run| sweep_notes(store.as_ref(), &scope(), dry_run).unwrap();
    let delete_runs = || {
        let keep =
            brain_engine::Keep { payloads: None, runs: Some(Millis(1)), blobs: Millis(1), long: brain_engine::LONG };
        let later = SystemClock.now().plus(Millis::from_secs(3600));
        brain_engine::sweep(store.as_ref(), &scope(), later, keep, false).unwrap();
    };
    let made = call(&kernel, "t.make", json!({"name": "a"})).await;
    let id = result(&made, "thing_id");
    assert_eq!(notes("core.done"), 2, "about the run and about the record");
    assert_eq!(sweep(false), 0, "both subjects exist");
    delete_runs();
    assert_eq!((sweep(true), sweep(false), notes("core.done")), (1, 1, 1), "the run is deleted, the record is not");
    let used = call(&kernel, "t.use", json!({"thing_id": id})).await;
    assert!(used.ok, "the success on a record is still known: {used:#?}");
    assert!(call(&kernel, "t.drop", json!({"thing_id": id})).await.ok);
    assert_eq!((sweep(false), notes("core.done")), (1, 0));
    // Nothing listens: the dispatch fails, and no result releases its slot.
    let calls = vec![("t.chase".to_owned(), json!({}))];
    let chased = Request { calls, ..Request::say(scope(), "", Mode::EnqueueAndWait) };
    let chased = kernel.handle(&chased).await.unwrap();
    assert_eq!((notes("core.dispatch"), sweep(false)), (1, 0), "its run has not ended: {chased:#?}");
    kernel.cancel(&scope(), chased.run).await.unwrap();
    assert_eq!((sweep(false), notes("core.dispatch")), (1, 0));
}
