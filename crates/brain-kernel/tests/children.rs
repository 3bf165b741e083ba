//! What a child run did is undone with its parent: by a run of its own, once, or a person is asked.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::Arc;

use brain_core::{RunId, RunStatus};
use brain_engine::LetterDecision;
use brain_kernel::{Actor, Decision, Kernel, Limits, Mode, Report, Request};
use brain_store::{MemoryStore, RunRow};
use common::{call, kernel, registry, scope, until};
use serde_json::json;

const TOOLS: &str = r#"domain: t
tools:
  thing: {title: Make a thing, input: {}, behavior: {record: {insert: thing}}, undo: {tool: t.unthing, args: {thing_id: "= result.thing_id"}}}
  unthing: {title: Remove a thing, input: {thing_id: {entity: thing}}, behavior: {record: {delete: thing}}, undo: none}
  other: {title: Make another thing, input: {}, behavior: {record: {insert: other}}, undo: {tool: t.unother, args: {other_id: "= result.other_id"}}}
  unother: {title: Remove another thing, input: {other_id: {entity: other}}, behavior: {record: {delete: other}}, undo: none}
  rename: {title: Rename, input: {thing_id: {entity: thing}, note: string}, behavior: {record: {update: thing, set: {note: "= input.note"}}}, undo: {tool: t.rename, args: {thing_id: "= input.thing_id", note: old}}}
  label: {title: Label a thing, input: {thing_id: {entity: thing}}, behavior: {record: {insert: label}}, undo: none}
  unlabel: {title: Remove a label, input: {label_id: {entity: label}}, behavior: {record: {delete: label}}, undo: none}
  print: {title: Print, input: {}, behavior: {record: {insert: page}}, undo: {cannot: It is on paper.}}
  look: {title: Look, effect: read, input: {}, behavior: {expr: "= {}"}}
  hire: {title: Hire, input: {}, behavior: {expr: "= {}"}, effect: write, undo: {tool: t.work, args: {}}}
  work: {title: Work, input: {}, behavior: {worker: work}, undo: none}
  fail: {title: Fail, input: {}, requires: [{expr: "= false", else: "No."}], behavior: {expr: "= {}"}}
"#;

const PLAYBOOKS: &str = r#"playbook: t.child
title: Two things and a page
slots: {}
steps:
  - {id: thing, tool: t.thing, args: {}}
  - {id: other, tool: t.other, args: {}, after: [thing]}
  - {id: print, tool: t.print, args: {}, after: [other]}
---
playbook: t.broken
title: A thing, then a failure
slots: {}
steps:
  - {id: thing, tool: t.thing, args: {}}
  - {id: fail, tool: t.fail, args: {}, after: [thing]}
---
playbook: t.looked
title: A look, then a failure
slots: {}
steps:
  - {id: look, tool: t.look, args: {}}
  - {id: fail, tool: t.fail, args: {}, after: [look]}
---
playbook: t.middle
title: A child of its own
slots: {run: string}
steps:
  - {id: child, tool: core.spawn_child_run, args: {run: "= slots.run", args: {}}}
---
playbook: t.parent
title: A child, then a failure
slots: {run: string}
steps:
  - {id: child, tool: core.spawn_child_run, args: {run: "= slots.run", args: {}}, on_failure: undo}
  - {id: fail, tool: t.fail, args: {}, after: [child], on_failure: undo}
---
playbook: t.grand
title: A child with a child, then a failure
slots: {}
steps:
  - {id: child, tool: core.spawn_child_run, args: {run: t.middle, args: {run: t.child}}}
  - {id: rename, tool: t.rename, after: [child], args: {thing_id: "= steps.child.result.result.result.thing_id", note: new}}
  - {id: fail, tool: t.fail, args: {}, after: [rename], on_failure: undo}
---
playbook: t.labelled
title: A child whose thing gets a label, then a failure
slots: {}
steps:
  - {id: child, tool: core.spawn_child_run, args: {run: t.child, args: {}}}
  - {id: label, tool: t.label, after: [child], args: {thing_id: "= steps.child.result.result.thing_id"}}
  - {id: fail, tool: t.fail, args: {}, after: [label], on_failure: undo}
---
playbook: t.flipped
title: Two things
slots: {}
steps:
  - {id: other, tool: t.other, args: {}}
  - {id: thing, tool: t.thing, args: {}, after: [other]}
---
playbook: t.tagged
title: A thing and a child whose thing gets a label, then a failure
slots: {}
steps:
  - {id: first, tool: t.other, args: {}}
  - {id: child, tool: core.spawn_child_run, args: {run: t.flipped, args: {}}, after: [first]}
  - {id: label, tool: t.label, after: [child], args: {thing_id: "= steps.child.result.result.thing_id"}}
  - {id: fail, tool: t.fail, args: {}, after: [label], on_failure: undo}
---
playbook: t.aside
title: A child that nobody waits for, then work
slots: {}
steps:
  - {id: child, tool: core.spawn_child_run, args: {run: t.flipped, args: {}, wait: false}}
  - {id: work, tool: t.work, args: {}, after: [child]}
---
playbook: t.gone
title: A child whose thing is removed, then a failure
slots: {}
steps:
  - {id: child, tool: core.spawn_child_run, args: {run: t.flipped, args: {}}}
  - {id: gone, tool: t.unthing, after: [child], args: {thing_id: "= steps.child.result.result.thing_id"}}
  - {id: fail, tool: t.fail, args: {}, after: [gone], on_failure: undo}
---
playbook: t.worked
title: A thing, then work
slots: {}
steps:
  - {id: thing, tool: t.thing, args: {}}
  - {id: work, tool: t.work, args: {}, after: [thing]}
---
playbook: t.hired
title: A step that a worker undoes
slots: {}
steps:
  - {id: hire, tool: t.hire, args: {}}
---
playbook: t.detached
title: A child that nobody waits for, then a failure
slots: {}
steps:
  - {id: child, tool: core.spawn_child_run, args: {run: t.worked, args: {}, wait: false}}
  - {id: fail, tool: t.fail, args: {}, after: [child], on_failure: undo}
"#;

fn start() -> Arc<Kernel> {
    let playbooks: Vec<(String, &str)> =
        PLAYBOOKS.split("---\n").enumerate().map(|(n, text)| (format!("playbooks/{n}.yaml"), text)).collect();
    let fields = "fields: {note: {type: string, optional: true}}\n";
    let record = |name: &str| (format!("records/{name}.yaml"), format!("record: {name}\n{fields}"));
    let records = ["thing", "other", "page"].map(record);
    let mut files = vec![
        ("pack.yaml", "name: t\nversion: 1.0.0\n"),
        ("tools/t.yaml", TOOLS),
        ("records/label.yaml", "record: label\nfields: {thing_id: {ref: thing}}\n"),
    ];
    files.extend(playbooks.iter().map(|(name, text)| (name.as_str(), *text)));
    files.extend(records.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    kernel(registry(&files), Arc::new(MemoryStore::new()), false)
}

fn count(kernel: &Kernel, kind: &str) -> usize {
    kernel.store().records(&scope(), kind, &Default::default(), 100, None).unwrap().items.len()
}

fn runs(kernel: &Kernel) -> Vec<RunRow> {
    kernel.store().runs(&scope(), None, 100, None).unwrap().items
}

/// The runs that undo this one.
fn undos(kernel: &Kernel, run: RunId) -> Vec<RunRow> {
    runs(kernel).into_iter().filter(|row| row.request["undo_of"]["run"] == run.to_string()).collect()
}

/// The only run that a step of this one started, apart from undos.
fn child(kernel: &Kernel, run: RunId) -> RunRow {
    let own = |row: &RunRow| row.request["parent"]["run"] == run.to_string() && row.request.get("undo_of").is_none();
    let mut children: Vec<RunRow> = runs(kernel).into_iter().filter(own).collect();
    assert_eq!(children.len(), 1);
    children.remove(0)
}

async fn parent(kernel: &Kernel, run: &str) -> Report {
    call(kernel, "t.parent", json!({"run": run})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_child_run_did_is_undone_with_its_parent_and_what_stays_is_named() {
    let kernel = start();
    let report = parent(&kernel, "t.child").await;
    assert_eq!(report.status, RunStatus::Compensated, "{report:#?}");
    assert_eq!((count(&kernel, "thing"), count(&kernel, "other"), count(&kernel, "page")), (0, 0, 1));
    let child = child(&kernel, report.run);
    let undos = undos(&kernel, child.id);
    assert_eq!(undos.iter().map(|row| row.status).collect::<Vec<_>>(), [RunStatus::Completed]);
    assert!(report.message.contains("`t.print` (step print) is not undone: It is on paper."), "{}", report.message);
    assert!(!report.message.contains("spawn_child_run"), "{}", report.message);
    let refused = kernel.undo(&scope(), child.id, None, &Actor::local()).await.unwrap_err();
    assert!(refused.to_string().contains(&format!("already undone by run {}", undos[0].id)), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_child_run_did_before_it_failed_is_undone_with_its_parent() {
    let kernel = start();
    let report = parent(&kernel, "t.broken").await;
    assert_eq!((report.status, count(&kernel, "thing")), (RunStatus::Compensated, 0), "{report:#?}");
    let step = report.receipts.iter().find(|receipt| receipt.tool == "core.spawn_child_run").unwrap();
    assert_eq!(step.status, "done_badly");
    let looked = parent(&kernel, "t.looked").await;
    let step = looked.receipts.iter().find(|receipt| receipt.tool == "core.spawn_child_run").unwrap();
    assert_eq!((looked.status, step.status), (RunStatus::Compensated, "failed"), "it changed nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_children_of_a_child_are_undone_too_after_what_came_later() {
    let kernel = start();
    let report = call(&kernel, "t.grand", json!({})).await;
    assert_eq!(report.status, RunStatus::Compensated, "{report:#?}");
    assert_eq!((count(&kernel, "thing"), count(&kernel, "other")), (0, 0));
    assert!(report.message.contains("It is on paper."), "{}", report.message);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undo_of_a_child_that_fails_is_a_dead_letter_and_another_attempt_undoes_only_the_rest() {
    let kernel = start();
    let report = call(&kernel, "t.labelled", json!({})).await;
    assert_eq!((count(&kernel, "thing"), count(&kernel, "other")), (1, 0), "the label keeps the thing: {report:#?}");
    let letters = kernel.store().dead_letters_of(&scope(), report.run).unwrap();
    assert_eq!(
        letters.iter().map(|letter| (letter.open, letter.tool.as_str())).collect::<Vec<_>>(),
        [(true, "core.undo_child_run")]
    );
    let label = kernel.store().records(&scope(), "label", &Default::default(), 1, None).unwrap().items.remove(0);
    call(&kernel, "t.unlabel", json!({"label_id": label.id})).await;
    kernel.decide_letter(&scope(), letters[0].id, LetterDecision::Retry, "ann", "").await.unwrap();
    until(|| kernel.report(&scope(), report.run).unwrap().status == RunStatus::Compensated).await;
    assert_eq!(count(&kernel, "thing"), 0);
    let undos = undos(&kernel, child(&kernel, report.run).id);
    let mut calls: Vec<usize> = undos.iter().map(|row| row.request["calls"].as_array().unwrap().len()).collect();
    calls.sort_unstable();
    assert_eq!(calls, [1, 2], "the second undoes only what the first did not");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_run_that_nobody_waited_for_is_stopped_and_undone() {
    let kernel = start();
    let calls = vec![("t.detached".to_owned(), json!({}))];
    let begun = kernel.handle(&Request { calls, ..Request::say(scope(), "", Mode::Enqueue) }).await.unwrap();
    until(|| kernel.report(&scope(), begun.run).unwrap().status == RunStatus::Compensated).await;
    assert_eq!(count(&kernel, "thing"), 0);
    assert!(runs(&kernel).iter().any(|row| row.status == RunStatus::Cancelled));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_who_undoes_a_run_undoes_its_children() {
    let kernel = start();
    let done = call(&kernel, "t.middle", json!({"run": "t.child"})).await;
    assert_eq!((done.status, count(&kernel, "thing")), (RunStatus::Completed, 1), "{done:#?}");
    let child = child(&kernel, done.run);
    let staged = kernel.undo(&scope(), done.run, None, &Actor::local()).await.unwrap();
    assert!(staged.message.contains("It is on paper."), "{}", staged.message);
    kernel
        .decide(&scope(), staged.approval.as_deref().unwrap(), None, Decision::Approve, &Actor::local(), "")
        .await
        .unwrap();
    until(|| kernel.report(&scope(), staged.run).unwrap().status == RunStatus::Completed).await;
    assert_eq!((count(&kernel, "thing"), count(&kernel, "other")), (0, 0));
    for run in [done.run, child.id] {
        let refused = kernel.undo(&scope(), run, None, &Actor::local()).await.unwrap_err();
        assert!(refused.to_string().contains("already undone"), "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_whose_records_were_changed_since_is_not_undone_with_a_person_s_undo() {
    let kernel = start();
    let done = call(&kernel, "t.middle", json!({"run": "t.child"})).await;
    let thing = kernel.store().records(&scope(), "thing", &Default::default(), 1, None).unwrap().items.remove(0);
    call(&kernel, "t.rename", json!({"thing_id": thing.id, "note": "mine"})).await;
    let refused = kernel.undo(&scope(), done.run, None, &Actor::local()).await.unwrap_err();
    assert!(refused.to_string().contains("someone changed the thing"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_undoes_a_run_by_calling_the_tool() {
    let kernel = start();
    let done = call(&kernel, "t.child", json!({})).await;
    let report = call(&kernel, "core.undo_child_run", json!({"run": done.run})).await;
    assert_eq!((report.status, count(&kernel, "thing")), (RunStatus::Failed, 1), "{report:#?}");
    assert_eq!(report.errors[0].code, "not_an_undo");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_plans_do_not_undo_the_same_step() {
    let kernel = start();
    let done = call(&kernel, "t.child", json!({})).await;
    let whole = kernel.undo(&scope(), done.run, None, &Actor::local()).await.unwrap();
    let again = kernel.undo(&scope(), done.run, None, &Actor::local()).await.unwrap();
    assert_eq!(whole.run, again.run);
    let refused = kernel.undo(&scope(), done.run, Some("thing"), &Actor::local()).await.unwrap_err();
    assert!(refused.to_string().contains(&format!("run {} is waiting for approval", whole.run)), "{refused}");
    kernel.cancel(&scope(), whole.run).await.unwrap();
    kernel.undo(&scope(), done.run, Some("thing"), &Actor::local()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_run_shows_the_limit_of_its_family() {
    let kernel = start();
    let calls = vec![("t.middle".to_owned(), json!({"run": "t.child"}))];
    let limits = Limits { max_tool_calls: 7, ..Limits::default() };
    let request = Request { calls, limits, ..Request::say(scope(), "", Mode::EnqueueAndWait) };
    let done = kernel.handle(&request).await.unwrap();
    assert_eq!(child(&kernel, done.run).request["limits"]["max_tool_calls"], 7);
    let undo = kernel.undo(&scope(), done.run, None, &Actor::local()).await.unwrap();
    let row = kernel.store().run(&scope(), undo.run).unwrap().unwrap();
    assert_eq!(row.request["limits"].get("max_tool_calls"), None, "an undo has no limit of its own");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undo_in_doubt_is_decided_before_the_step_is_undone_again() {
    let kernel = start();
    let done = call(&kernel, "t.hired", json!({})).await;
    let staged = kernel.undo(&scope(), done.run, None, &Actor::local()).await.unwrap();
    kernel
        .decide(&scope(), staged.approval.as_deref().unwrap(), None, Decision::Approve, &Actor::local(), "")
        .await
        .unwrap();
    // A worker takes the undo and never answers; the undo is stopped.
    let topics = ["work".to_owned()];
    let wait = std::time::Duration::from_secs(30);
    assert_eq!(kernel.activate(&scope(), &topics, "w", 1, None, wait).await.unwrap().len(), 1);
    kernel.cancel(&scope(), staged.run).await.unwrap();
    kernel.cancel(&scope(), staged.run).await.unwrap();
    assert_eq!(kernel.report(&scope(), staged.run).unwrap().status, RunStatus::Cancelled);
    let refused = kernel.undo(&scope(), done.run, None, &Actor::local()).await.unwrap_err();
    assert!(refused.to_string().contains(&format!("run {} may have undone", staged.run)), "{refused}");
    let letter = kernel.store().dead_letters_of(&scope(), staged.run).unwrap().remove(0);
    kernel.decide_letter(&scope(), letter.id, LetterDecision::Abandon, "ann", "it did not happen").await.unwrap();
    kernel.undo(&scope(), done.run, None, &Actor::local()).await.unwrap();
}

fn enqueue(tool: &str, input: serde_json::Value) -> Request {
    Request { calls: vec![(tool.to_owned(), input)], ..Request::say(scope(), "", Mode::Enqueue) }
}

/// Stops a run whose worker never answers.
async fn stop_at_work(kernel: &Kernel, run: RunId) {
    let wait = std::time::Duration::from_secs(30);
    assert_eq!(kernel.activate(&scope(), &["work".to_owned()], "w", 1, None, wait).await.unwrap().len(), 1);
    kernel.cancel(&scope(), run).await.unwrap();
    kernel.cancel(&scope(), run).await.unwrap();
    until(|| kernel.report(&scope(), run).unwrap().status == RunStatus::Cancelled).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undo_names_the_step_that_is_in_doubt() {
    let kernel = start();
    let begun = kernel.begin(&enqueue("t.worked", json!({}))).await.unwrap();
    stop_at_work(&kernel, begun.run).await;
    let undone = kernel.undo(&scope(), begun.run, None, &Actor::local()).await.unwrap();
    let id = undone.approval.as_deref().unwrap();
    kernel.decide(&scope(), id, None, Decision::Approve, &Actor::local(), "").await.unwrap();
    until(|| kernel.report(&scope(), undone.run).unwrap().status == RunStatus::Completed).await;
    let message = kernel.report(&scope(), undone.run).unwrap().message;
    assert!(message.contains("`t.work` (step work) may have happened and will not be undone"), "{message}");
    assert_eq!(count(&kernel, "thing"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_child_did_is_undone_although_the_child_is_in_doubt() {
    let kernel = start();
    let args = json!({"run": "t.worked"});
    let begun = kernel.begin(&enqueue("t.middle", args)).await.unwrap();
    stop_at_work(&kernel, begun.run).await;
    assert_eq!(count(&kernel, "thing"), 1);
    // Nobody waits for the child any longer; its worker may still be at it.
    let child = child(&kernel, begun.run).id;
    kernel.cancel(&scope(), child).await.ok();
    until(|| kernel.report(&scope(), child).unwrap().status.is_over()).await;
    let undone = kernel.undo(&scope(), begun.run, None, &Actor::local()).await.unwrap();
    let id = undone.approval.as_deref().unwrap();
    kernel.decide(&scope(), id, None, Decision::Approve, &Actor::local(), "").await.unwrap();
    until(|| kernel.report(&scope(), undone.run).unwrap().status.is_over()).await;
    let message = kernel.report(&scope(), undone.run).unwrap().message;
    assert!(message.contains("`t.work` (step work) may have happened"), "{message}");
    assert_eq!(count(&kernel, "thing"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_in_doubt_is_decided_before_its_parent_gives_up() {
    let kernel = start();
    let begun = kernel.begin(&enqueue("t.middle", json!({"run": "t.worked"}))).await.unwrap();
    until(|| count(&kernel, "thing") == 1).await;
    let child = child(&kernel, begun.run).id;
    stop_at_work(&kernel, child).await;
    let open = |run| kernel.store().dead_letters_of(&scope(), run).unwrap().into_iter().find(|letter| letter.open);
    until(|| open(begun.run).is_some()).await;
    let letter = open(begun.run).unwrap().id;
    let refused = kernel.decide_letter(&scope(), letter, LetterDecision::Abandon, "ann", "").await.unwrap_err();
    assert!(refused.to_string().contains(&format!("step work of run {child} may have happened")), "{refused}");
    // The decision about the child is the parent's too, and an undo finds what the child did.
    let inner = open(child).unwrap().id;
    kernel.decide_letter(&scope(), inner, LetterDecision::Abandon, "ann", "it did not happen").await.unwrap();
    until(|| kernel.report(&scope(), begun.run).unwrap().status.is_over()).await;
    assert!(open(begun.run).is_none());
    let undone = kernel.undo(&scope(), begun.run, None, &Actor::local()).await.unwrap();
    let id = undone.approval.as_deref().unwrap();
    kernel.decide(&scope(), id, None, Decision::Approve, &Actor::local(), "").await.unwrap();
    until(|| kernel.report(&scope(), undone.run).unwrap().status.is_over()).await;
    assert_eq!(count(&kernel, "thing"), 0);
}

/// The only record of a type.
fn only(kernel: &Kernel, kind: &str) -> String {
    kernel.store().records(&scope(), kind, &Default::default(), 1, None).unwrap().items.remove(0).id.to_string()
}

fn not_undone(report: &Report) -> Vec<&str> {
    report.errors.iter().filter(|error| error.code == "not_undone").map(|error| error.message.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undo_of_a_child_that_fails_does_not_stop_the_others() {
    let kernel = start();
    let report = call(&kernel, "t.tagged", json!({})).await;
    // The label keeps the thing. What the child and the parent did before is undone all the same.
    assert_eq!((count(&kernel, "thing"), count(&kernel, "other")), (1, 0), "{report:#?}");
    let letter = kernel.store().dead_letters_of(&scope(), report.run).unwrap().remove(0);
    assert_eq!(letter.body["happened"], "maybe", "a part of it has happened: {}", letter.body);
    let thing = only(&kernel, "thing");
    assert!(letter.body["failure"]["message"].as_str().unwrap().contains(&thing), "{}", letter.body);
    assert!(report.message.contains("was done only in part"), "{}", report.message);
    // A person gives up: the parent ends, and still names what stays.
    kernel.decide_letter(&scope(), letter.id, LetterDecision::Resolve(None), "ann", "").await.unwrap();
    let report = kernel.report(&scope(), report.run).unwrap();
    assert_eq!(report.status, RunStatus::Failed);
    let stays = not_undone(&report);
    assert!(stays.iter().any(|text| text.contains(&thing)), "{stays:?}");
    assert!(report.message.contains(&thing), "{}", report.message);
    assert!(!stays.iter().any(|text| text.contains("`t.other`")), "{stays:?}");
    // No open letter is left in the run that undid the child.
    let open = kernel.store().dead_letters(&scope(), Some(true), 10, None).unwrap().items;
    assert!(open.is_empty(), "{open:?}");
}

/// Undoes a run whose thing got a label after the undo was staged: the undo of the thing fails, the other one is done.
/// Returns the run, its undo and the thing.
async fn undone_while_labelled(kernel: &Kernel) -> (Report, Report, String) {
    let done = call(kernel, "t.flipped", json!({})).await;
    let thing = only(kernel, "thing");
    let staged = kernel.undo(&scope(), done.run, None, &Actor::local()).await.unwrap();
    call(kernel, "t.label", json!({"thing_id": thing})).await;
    let approval = staged.approval.as_deref().unwrap();
    kernel.decide(&scope(), approval, None, Decision::Approve, &Actor::local(), "").await.unwrap();
    until(|| count(kernel, "other") == 0).await;
    (done, staged, thing)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_of_an_asked_undo_that_fails_is_a_dead_letter_and_the_others_go_on() {
    let kernel = start();
    let (done, staged, thing) = undone_while_labelled(&kernel).await;
    let letters = kernel.store().dead_letters_of(&scope(), staged.run).unwrap();
    assert_eq!(
        letters.iter().map(|letter| (letter.open, letter.tool.as_str())).collect::<Vec<_>>(),
        [(true, "t.unthing")]
    );
    assert_eq!((kernel.report(&scope(), staged.run).unwrap().status, count(&kernel, "thing")), (RunStatus::Waiting, 1));
    kernel.decide_letter(&scope(), letters[0].id, LetterDecision::Resolve(None), "ann", "").await.unwrap();
    let report = kernel.report(&scope(), staged.run).unwrap();
    assert_eq!((report.status, report.ok), (RunStatus::Failed, false), "{report:#?}");
    let stays = not_undone(&report);
    assert!(stays.len() == 1 && stays[0].contains("`t.thing` (step thing)") && stays[0].contains(&thing), "{stays:?}");
    // Another undo does only the rest.
    let label = only(&kernel, "label");
    call(&kernel, "t.unlabel", json!({"label_id": label})).await;
    let again = kernel.undo(&scope(), done.run, None, &Actor::local()).await.unwrap();
    assert_eq!(again.planned.iter().map(|call| call.tool.as_str()).collect::<Vec<_>>(), ["t.unthing"]);
    let approval = again.approval.as_deref().unwrap();
    kernel.decide(&scope(), approval, None, Decision::Approve, &Actor::local(), "").await.unwrap();
    until(|| kernel.report(&scope(), again.run).unwrap().status == RunStatus::Completed).await;
    assert_eq!(count(&kernel, "thing"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retried_step_of_an_undo_completes_it() {
    let kernel = start();
    let (_, staged, _) = undone_while_labelled(&kernel).await;
    let letter = kernel.store().dead_letters_of(&scope(), staged.run).unwrap().remove(0);
    call(&kernel, "t.unlabel", json!({"label_id": only(&kernel, "label")})).await;
    kernel.decide_letter(&scope(), letter.id, LetterDecision::Retry, "ann", "").await.unwrap();
    until(|| kernel.report(&scope(), staged.run).unwrap().status == RunStatus::Completed).await;
    assert_eq!(count(&kernel, "thing"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_of_a_child_that_is_gone_does_not_stop_the_other_undos() {
    let kernel = start();
    let report = call(&kernel, "t.gone", json!({})).await;
    assert_eq!((count(&kernel, "thing"), count(&kernel, "other")), (0, 0), "{report:#?}");
    let letter = kernel.store().dead_letters_of(&scope(), report.run).unwrap().remove(0);
    assert_eq!((letter.open, letter.tool.as_str()), (true, "core.undo_child_run"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_that_nobody_waits_for_is_kept_while_its_parent_is_in_progress() {
    let kernel = start();
    let begun = kernel.begin(&enqueue("t.aside", json!({}))).await.unwrap();
    let over = || runs(&kernel).into_iter().find(|row| row.id != begun.run).filter(|row| row.status.is_over());
    until(|| over().is_some()).await;
    let child = over().unwrap().id;
    let keep = brain_engine::Keep {
        payloads: Some(brain_core::Millis(1)),
        runs: Some(brain_core::Millis(1)),
        blobs: brain_core::Millis(0),
        long: brain_engine::LONG,
    };
    let later = brain_core::Clock::now(&common::SystemClock).plus(brain_core::Millis::from_secs(3600));
    brain_engine::sweep(kernel.store().as_ref(), &scope(), later, keep, false).unwrap();
    let row = kernel.store().run(&scope(), child).unwrap();
    assert!(row.is_some_and(|row| !row.erased), "its parent may still undo it");
}
