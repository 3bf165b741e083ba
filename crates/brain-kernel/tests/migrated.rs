//! Runs that were migrated to a newer pack keep their receipts, can be undone, and take answers to what was delegated.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use brain_engine::JobOutcome;

use brain_kernel::{Actor, Kernel, KernelSlot, Mode, Report, Request};
use brain_registry::{Loaded, PackSource, ToolResult};
use brain_store::MemoryStore;
use brain_vm::StepMap;
use common::{kernel, registry, scope};
use serde_json::{Value, json};

const TOOLS: &str = r#"domain: t
tools:
  put:
    title: Put a thing
    input: {tag: string}
    behavior: {record: {insert: thing}}
    output: {thing_id: uuid}
    undo: {tool: t.take, args: {thing_id: "= result.thing_id"}}
  take: {title: Take a thing, input: {thing_id: {type: uuid, entity: thing}}, behavior: {record: {delete: thing}}, undo: none}
  work: {title: Work, input: {tag: string}, behavior: {worker: work}, output: {done: string}, undo: {cannot: It is done.}}
  judge:
    title: Judge
    input: {tag: string}
    behavior: {worker: work}
    output: {done: string}
    undo: {cannot: It is done.}
"#;

fn files(steps: &str) -> Vec<(&'static str, String)> {
    vec![
        ("pack.yaml", "name: t\nversion: 1.0.0\n".to_owned()),
        ("records/thing.yaml", "record: thing\nfields: {tag: string}\n".to_owned()),
        ("tools/t.yaml", TOOLS.to_owned()),
        ("playbooks/all.yaml", format!("playbook: t.all\ntitle: All\nslots: {{}}\nsteps:\n{steps}")),
    ]
}

const FIRST: &str = r#"  - {id: a, tool: t.put, args: {tag: "of a"}}
  - {id: h, tool: t.put, args: {tag: "of h"}, after: [a]}
  - {id: w, tool: t.work, args: {tag: "of w"}, after: [h]}
"#;

/// Starts a run that waits for a worker, and loads a newer version of its playbook.
async fn waiting(newer: &str) -> (Arc<Kernel>, Report) {
    let of = |files: Vec<(&'static str, String)>| {
        registry(&files.iter().map(|(name, text)| (*name, text.as_str())).collect::<Vec<_>>())
    };
    let first = kernel(of(files(FIRST)), Arc::new(MemoryStore::new()), false);
    let calls = vec![("t.all".to_owned(), json!({}))];
    let report = first.handle(&Request { calls, ..Request::say(scope(), "", Mode::Enqueue) }).await.unwrap();
    let sources: Vec<(String, String)> = files(newer).into_iter().map(|(name, text)| (name.to_owned(), text)).collect();
    let sources = Mutex::new(sources);
    let load = move || -> Result<Loaded, _> {
        let packs = vec![PackSource::new("test", sources.lock().unwrap().clone())];
        brain_registry::load_sources_with(packs, &brain_tools::natives())
    };
    let slot = KernelSlot::new(first, Box::new(load));
    slot.reload().unwrap();
    (slot.get(), report)
}

/// Lets a worker finish the step that waits.
async fn finish(kernel: &Kernel, run: brain_core::RunId) -> Report {
    let topics = ["work".to_owned()];
    let taken = kernel.activate(&scope(), &topics, "w", 1, None, Duration::from_secs(30)).await.unwrap();
    let done = JobOutcome::Done(ToolResult::ok(json!({"done": "yes"})));
    kernel.answer_job(&scope(), taken[0].key, &taken[0].lease, None, done).await.unwrap();
    kernel.report(&scope(), run).unwrap()
}

/// The steps of the receipts, with their arguments.
fn args_of(report: &Report) -> Vec<(String, Value)> {
    report.receipts.iter().map(|receipt| (receipt.step.clone(), receipt.input["tag"].clone())).collect()
}

fn said(list: &[(&str, &str)]) -> Vec<(String, Value)> {
    list.iter().map(|(step, tag)| ((*step).to_owned(), json!(tag))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn receipts_keep_their_arguments_when_steps_get_other_numbers() {
    let newer = format!("  - {{id: n, tool: t.put, args: {{tag: \"of n\"}}, after: []}}\n{FIRST}");
    let (kernel, report) = waiting(&newer.replace("\"of a\"}}", "\"of a\"}, after: []}")).await;
    kernel.move_run(&scope(), report.run, &StepMap::new(), "ann").await.unwrap();
    let over = finish(&kernel, report.run).await;
    assert_eq!(args_of(&over), said(&[("a", "of a"), ("h", "of h"), ("n", "of n"), ("w", "of w")]), "{over:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finished_step_that_a_migration_drops_keeps_its_receipt_and_is_named_by_an_undo() {
    let newer =
        FIRST.replace("  - {id: a, tool: t.put, args: {tag: \"of a\"}}\n", "").replace("after: [a]", "after: []");
    let (kernel, report) = waiting(&newer).await;
    let map = StepMap::from([("a".to_owned(), None)]);
    kernel.move_run(&scope(), report.run, &map, "ann").await.unwrap();
    let over = finish(&kernel, report.run).await;
    assert_eq!(args_of(&over), said(&[("a", "of a"), ("h", "of h"), ("w", "of w")]), "{over:#?}");
    let undo = kernel.undo(&scope(), report.run, None, &Actor::local()).await.unwrap();
    assert_eq!(undo.planned.len(), 1, "only what still has a step can be undone: {undo:#?}");
    assert!(undo.message.contains("`t.put` (step a) is not undone: a migration dropped the step"), "{}", undo.message);
}
