//! The values that an undo needs are kept until its deadline.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::Arc;

use brain_core::{Clock, Millis, RunStatus, Timestamp};
use brain_engine::{Keep, LONG, Swept, sweep};
use brain_kernel::{Actor, Decision, Kernel, Limits, Mode, Report, Request};
use brain_store::{SqliteStore, Store};
use common::{SystemClock, call, kernel, registry, scope};
use serde_json::json;

const TOOLS: &str = r#"domain: t
tools:
  note: {title: Note, input: {text: string}, behavior: {record: {insert: note}}, undo: {tool: t.drop, args: {note_id: "= result.note_id"}, until: 2d}}
  line: {title: Line, input: {text: string}, behavior: {record: {insert: note}}, undo: {tool: t.drop, args: {note_id: "= result.note_id"}}}
  edit: {title: Edit, input: {note_id: {entity: note}, text: string}, behavior: {record: {update: note, set: {text: "= input.text"}}}, undo: {cannot: edited}}
  drop: {title: Drop, input: {note_id: {entity: note}}, behavior: {record: {delete: note}}, undo: {cannot: gone}}
"#;
const MANY: &str = r#"playbook: t.many
title: Many
slots: {texts: {items: string}}
max_steps: 2000
steps:
  - id: each
    tool: t.note
    foreach: "= slots.texts"
    args: {text: "= item"}
"#;

fn start(store: &Arc<dyn Store>) -> Arc<Kernel> {
    let pack = registry(&[
        ("pack.yaml", "name: test\nversion: 1.0.0\n"),
        ("records/note.yaml", "record: note\nfields: {text: string}\n"),
        ("tools/t.yaml", TOOLS),
        ("playbooks/many.yaml", MANY),
    ]);
    kernel(pack, store.clone(), false)
}

fn after(from: Timestamp, hours: u64) -> Timestamp {
    from.plus(Millis(hours * 3_600_000))
}

#[tokio::test(flavor = "multi_thread")]
async fn values_that_an_undo_needs_are_kept_until_its_deadline() {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.path().join("t.db")).unwrap());
    let kernel = start(&store);
    let now = SystemClock.now();
    let timed = call(&kernel, "t.many", json!({"texts": ["a", "b"]})).await;
    let untimed = call(&kernel, "t.line", json!({"text": "c"})).await;
    assert!(timed.ok && untimed.ok, "{timed:#?} {untimed:#?}");

    let hour = Some(Millis(3_600_000));
    let keep = Keep { payloads: hour, runs: None, blobs: Millis(0), long: LONG };
    let erased = |run| store.run(&scope(), run).unwrap().unwrap().erased;
    // After a day both are old enough, but one can still be undone.
    let swept = sweep(store.as_ref(), &scope(), after(now, 24), keep, false).unwrap();
    assert_eq!((swept.runs_erased, erased(timed.run), erased(untimed.run)), (1, false, true));
    // Deletion respects the deadline too.
    let whole = Keep { runs: hour, ..keep };
    let swept = sweep(store.as_ref(), &scope(), after(now, 24), whole, false).unwrap();
    assert_eq!(swept.runs_deleted, 1, "only the one that has no deadline");
    let staged = kernel.undo(&scope(), timed.run, None, &Actor::local()).await.unwrap();
    assert_eq!(staged.planned.len(), 2, "{staged:#?}");
    kernel.cancel(&scope(), staged.run).await.unwrap();

    // After the deadline they are deleted.
    let swept: Swept = sweep(store.as_ref(), &scope(), after(now, 49), keep, false).unwrap();
    assert!(swept.runs_erased >= 1 && erased(timed.run), "{swept:?}");
    let refused = kernel.undo(&scope(), timed.run, None, &Actor::local()).await.unwrap_err().to_string();
    for part in [&timed.run.to_string(), "retention has erased its values", "Nothing was changed", "by hand"] {
        assert!(refused.contains(part), "{refused}");
    }
    assert_eq!(store.records(&scope(), "note", &Default::default(), 10, None).unwrap().items.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undo_that_was_staged_before_its_values_were_erased_is_done_whole() {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.path().join("t.db")).unwrap());
    let kernel = start(&store);
    let made = call(&kernel, "t.line", json!({"text": "c"})).await;
    let staged = kernel.undo(&scope(), made.run, None, &Actor::local()).await.unwrap();
    let keep = Keep { payloads: Some(Millis(1)), runs: None, blobs: Millis(0), long: LONG };
    sweep(store.as_ref(), &scope(), after(SystemClock.now(), 24), keep, false).unwrap();
    assert!(store.run(&scope(), made.run).unwrap().unwrap().erased);
    let approval = staged.approval.as_deref().unwrap();
    kernel.decide(&scope(), approval, None, Decision::Approve, &Actor::local(), "").await.unwrap();
    common::until(|| kernel.report(&scope(), staged.run).unwrap().status == RunStatus::Completed).await;
    assert!(store.records(&scope(), "note", &Default::default(), 1, None).unwrap().items.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undo_of_many_records_is_refused_if_one_of_them_was_changed() {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.path().join("t.db")).unwrap());
    let kernel = start(&store);
    let (staged, notes) = many(&kernel, 1200).await;
    let row = store.run(&scope(), staged.run).unwrap().unwrap();
    assert!(row.request["undo_of"]["expect"]["$blob"].is_string(), "the list is too long for the row");
    let edited = call(&kernel, "t.edit", json!({"note_id": notes[700], "text": "mine"})).await;
    assert!(edited.ok, "{edited:#?}");
    let approval = staged.approval.as_deref().unwrap();
    let refused = kernel.decide(&scope(), approval, None, Decision::Approve, &Actor::local(), "").await.unwrap_err();
    assert!(refused.to_string().contains(&format!("someone changed the note {}", notes[700])), "{refused}");
    assert_eq!(store.records(&scope(), "note", &Default::default(), 2000, None).unwrap().items.len(), 1200);
}

/// A run that made this many notes, its staged undo, and the ids of the notes.
async fn many(kernel: &Kernel, items: usize) -> (Report, Vec<String>) {
    let limits = Limits { max_tool_calls: 2000, ..Limits::default() };
    let calls = vec![("t.many".to_owned(), json!({"texts": vec!["x"; items]}))];
    let request = Request { calls, limits, ..Request::say(scope(), "", Mode::EnqueueAndWait) };
    let made = kernel.handle(&request).await.unwrap();
    assert_eq!((made.status.as_str(), made.receipts.len()), ("completed", items), "{}", made.message);
    let notes = made.receipts.iter().map(|one| one.result["note_id"].as_str().unwrap().to_owned()).collect();
    let staged = kernel.undo(&scope(), made.run, None, &Actor::local()).await.unwrap();
    assert_eq!((staged.status.as_str(), staged.planned.len()), ("staged", items), "{}", staged.message);
    (staged, notes)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_with_more_than_a_thousand_items_can_be_undone() {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.path().join("t.db")).unwrap());
    let kernel = start(&store);
    let (staged, _) = many(&kernel, 1200).await;
    let approval = staged.approval.as_deref().unwrap();
    kernel.decide(&scope(), approval, None, Decision::Approve, &Actor::local(), "").await.unwrap();
    let began = std::time::Instant::now();
    while kernel.report(&scope(), staged.run).unwrap().status != RunStatus::Completed {
        assert!(began.elapsed() < std::time::Duration::from_secs(60));
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(store.records(&scope(), "note", &Default::default(), 1, None).unwrap().items.len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_beside_a_working_node_takes_only_runs_that_have_ended() {
    const RUNS: usize = 150;
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.path().join("t.db")).unwrap());
    let kernel = start(&store);
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let sweeping = std::thread::spawn({
        let (store, stop) = (store.clone(), stop.clone());
        move || {
            let keep = Keep { payloads: Some(Millis(1)), runs: Some(Millis(2)), blobs: Millis(0), long: LONG };
            let mut gone = 0;
            while !stop.load(std::sync::atomic::Ordering::SeqCst) || gone < RUNS as u64 {
                gone += sweep(store.as_ref(), &scope(), SystemClock.now(), keep, false).unwrap().runs_deleted;
            }
            gone
        }
    });
    for n in 0..RUNS {
        let report = call(&kernel, "t.line", json!({"text": n.to_string()})).await;
        assert!(report.ok, "{report:#?}");
    }
    stop.store(true, std::sync::atomic::Ordering::SeqCst);
    assert_eq!(sweeping.join().unwrap(), RUNS as u64, "every run is deleted once");
    assert_eq!(store.records(&scope(), "note", &Default::default(), 1000, None).unwrap().items.len(), RUNS);
    assert!(store.runs(&scope(), None, 10, None).unwrap().items.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_run_that_undid_another_is_kept_as_long_as_that_one() {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.path().join("t.db")).unwrap());
    let kernel = start(&store);
    let now = SystemClock.now();
    let timed = call(&kernel, "t.many", json!({"texts": ["a", "b"]})).await;
    let staged = kernel.undo(&scope(), timed.run, Some("each"), &Actor::local()).await.unwrap();
    kernel.cancel(&scope(), staged.run).await.unwrap();
    let keep = Keep { payloads: Some(Millis(1)), runs: Some(Millis(1)), blobs: Millis(0), long: LONG };
    let there = |run| store.run(&scope(), run).unwrap().is_some_and(|row| !row.erased);
    sweep(store.as_ref(), &scope(), after(now, 24), keep, false).unwrap();
    assert!(there(timed.run) && there(staged.run), "the first can be undone for two days");
    sweep(store.as_ref(), &scope(), after(now, 49), keep, false).unwrap();
    assert!(!there(timed.run) && !there(staged.run));
}
