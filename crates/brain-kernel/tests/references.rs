//! A record that others refer to is neither deleted nor undone, unless their references allow it.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use brain_core::RunStatus;
use std::sync::Arc;

use brain_kernel::{Actor, Decision, Kernel, KernelError, Mode, Report, Request};
use brain_registry::Registry;
use brain_store::{PostgresStore, RecordFilter, SqliteStore, Store};
use brain_testbed::Postgres;
use common::{call, kernel, registry, result, scope, trades};
use serde_json::{Value, json};

const OWNER: &str = "record: owner\nfields: {name: string}\n";
const PET: &str = "record: pet\nfields:\n  name: string\n  owner_id: {ref: owner}\n";
const CARD: &str = "record: card\nfields:\n  name: string\n  owner_id: {ref: owner, optional: true, on_delete: clear}\n  \
    also: {items: {ref: owner}, optional: true, on_delete: clear}\n";
const BAG: &str = "record: bag\nfields:\n  name: string\n  owner_id: {ref: owner, on_delete: cascade}\n";
const THING: &str = "record: thing\nfields:\n  name: string\n  bag_id: {ref: bag, on_delete: cascade}\n  \
    friend: {ref: owner, optional: true}\n";
const TOOLS: &str = r#"domain: t
tools:
  owner: {title: Owner, input: {name: string}, behavior: {record: {insert: owner}}, undo: {tool: t.forget, args: {owner_id: "{{ result.owner_id }}"}}}
  forget: {title: Forget, input: {owner_id: {entity: owner}}, behavior: {record: {delete: owner}}, undo: {cannot: gone}}
  pet: {title: Pet, input: {name: string, owner_id: {entity: owner}}, behavior: {record: {insert: pet}}, undo: {tool: t.unpet, args: {pet_id: "{{ result.pet_id }}"}}}
  unpet: {title: Unpet, input: {pet_id: {entity: pet}}, behavior: {record: {delete: pet}}, undo: {cannot: gone}}
  card:
    title: Card
    input: {name: string, owner_id: {entity: owner, optional: true}, also: {items: {entity: owner}, optional: true}}
    behavior: {record: {insert: card}}
    undo: {cannot: stays}
  bag: {title: Bag, input: {name: string, owner_id: {entity: owner}}, behavior: {record: {insert: bag}}, undo: {cannot: stays}}
  thing:
    title: Thing
    input: {name: string, bag_id: {entity: bag}, friend: {entity: owner, optional: true}}
    behavior: {record: {insert: thing}}
    undo: {cannot: stays}
"#;

const BOTH: &str = r#"playbook: t.both
title: An owner with a pet
slots: {name: string}
steps:
  - id: owner
    tool: t.owner
    args: {name: "= slots.name"}
  - id: pet
    tool: t.pet
    args: {name: Rex, owner_id: "= steps.owner.result.owner_id"}
"#;

fn pack() -> Arc<Registry> {
    registry(&[
        ("pack.yaml", "name: test\nversion: 1.0.0\n"),
        ("records/owner.yaml", OWNER),
        ("records/pet.yaml", PET),
        ("records/card.yaml", CARD),
        ("records/bag.yaml", BAG),
        ("records/thing.yaml", THING),
        ("tools/t.yaml", TOOLS),
        ("playbooks/both.yaml", BOTH),
    ])
}

fn sqlite() -> (tempfile::TempDir, Arc<dyn Store>) {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.path().join("t.db")).unwrap());
    (folder, store)
}

fn rows(store: &Arc<dyn Store>, kind: &str) -> Vec<Value> {
    let page = store.records(&scope(), kind, &RecordFilter::default(), 10_000, None).unwrap();
    page.items.into_iter().map(|row| row.body).collect()
}

async fn make(kernel: &Kernel, tool: &str, input: Value) -> String {
    let report = call(kernel, &format!("t.{tool}"), input).await;
    assert!(report.ok, "{report:#?}");
    result(&report, &format!("{tool}_id"))
}

fn failure(report: &Report) -> (String, String) {
    let failure = report.receipts.last().and_then(|receipt| receipt.error.clone());
    let failure = failure.unwrap_or_else(|| panic!("it was done: {report:#?}"));
    (failure.code, failure.message)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lead_with_an_inspection_is_not_deleted_by_default() {
    let (_folder, store) = sqlite();
    let kernel = kernel(trades(), store.clone(), false);
    let lead = json!({"name": "Jane Doe", "phone": "0412345678", "suburb": "Richmond"});
    let made = call(&kernel, "leads.create", lead).await;
    let lead = result(&made, "lead_id");
    let inspection = result(&call(&kernel, "inspection.create", json!({"lead_id": lead})).await, "inspection_id");
    let report = call(&kernel, "leads.discard", json!({"lead_id": lead})).await;
    let (code, message) = failure(&report);
    assert_eq!(code, "still_referred_to", "{message}");
    assert!(message.contains(&format!("inspection ({inspection})")), "{message}");
    assert!(!message.contains("Jane"), "the name is personal: {message}");
    assert_eq!(rows(&store, "lead").len(), 1);

    let refused = kernel.undo(&scope(), made.run, None, &Actor::local()).await.unwrap_err();
    let KernelError::Conflict(message) = refused else { panic!("{refused:?}") };
    assert!(message.contains("leads.create") && message.contains(&inspection), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_few_of_the_referring_records_are_named() {
    let (_folder, store) = sqlite();
    let kernel = kernel(pack(), store.clone(), false);
    let owner = make(&kernel, "owner", json!({"name": "Ann"})).await;
    for n in 0..8 {
        make(&kernel, "pet", json!({"name": format!("Rex {n}"), "owner_id": owner})).await;
    }
    let (code, message) = failure(&call(&kernel, "t.forget", json!({"owner_id": owner})).await);
    assert_eq!(code, "still_referred_to");
    assert!(message.contains("pet \"Rex 0\"") && message.contains("and others"), "{message}");
    assert_eq!(message.matches("Rex").count(), 5, "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn references_are_cleared_and_dependent_records_are_deleted_too() {
    let (_folder, store) = sqlite();
    let kernel = kernel(pack(), store.clone(), false);
    let owner = make(&kernel, "owner", json!({"name": "Ann"})).await;
    let other = make(&kernel, "owner", json!({"name": "Bo"})).await;
    make(&kernel, "card", json!({"name": "c", "owner_id": owner, "also": [other, owner]})).await;
    let bag = make(&kernel, "bag", json!({"name": "b", "owner_id": owner})).await;
    // A referrer with `refuse` that is deleted too does not prevent the deletion.
    make(&kernel, "thing", json!({"name": "t", "bag_id": bag, "friend": owner})).await;
    make(&kernel, "thing", json!({"name": "u", "bag_id": bag})).await;
    let spare = make(&kernel, "bag", json!({"name": "spare", "owner_id": other})).await;
    make(&kernel, "thing", json!({"name": "v", "bag_id": spare})).await;

    let report = call(&kernel, "t.forget", json!({"owner_id": owner})).await;
    assert!(report.ok, "{report:#?}");
    assert_eq!(rows(&store, "card"), [json!({"name": "c", "also": [other]})]);
    assert_eq!(rows(&store, "owner"), [json!({"name": "Bo"})]);
    assert_eq!(rows(&store, "bag").len(), 1);
    assert_eq!(rows(&store, "thing"), [json!({"name": "v", "bag_id": spare})]);

    // The other's things are deleted with its bag; one in a third bag refers to it as a friend, so nothing is deleted.
    let third = make(&kernel, "owner", json!({"name": "Cy"})).await;
    let bag = make(&kernel, "bag", json!({"name": "third", "owner_id": third})).await;
    make(&kernel, "thing", json!({"name": "friendly", "bag_id": bag, "friend": other})).await;
    let (code, message) = failure(&call(&kernel, "t.forget", json!({"owner_id": other})).await);
    assert!(code == "still_referred_to" && message.contains("friendly"), "{message}");
    assert_eq!((rows(&store, "bag").len(), rows(&store, "thing").len()), (2, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_created_both_is_undone_completely() {
    let (_folder, store) = sqlite();
    let kernel = kernel(pack(), store.clone(), false);
    let made = call(&kernel, "t.both", json!({"name": "Ann"})).await;
    assert!(made.ok && rows(&store, "pet").len() == 1, "{made:#?}");
    let staged = kernel.undo(&scope(), made.run, None, &Actor::local()).await.unwrap();
    assert_eq!(staged.status, RunStatus::Staged, "{staged:#?}");
    let done = kernel
        .decide(&scope(), staged.approval.as_deref().unwrap(), None, Decision::Approve, &Actor::local(), "")
        .await
        .unwrap();
    assert!(rows(&store, "owner").is_empty() && rows(&store, "pet").is_empty(), "{done:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn more_than_a_thousand_dependent_records_prevent_a_deletion() {
    let (_folder, store) = sqlite();
    let kernel = kernel(pack(), store.clone(), false);
    let owner = make(&kernel, "owner", json!({"name": "Ann"})).await;
    for _ in 0..11 {
        let calls =
            (0..100).map(|n| ("t.bag".to_owned(), json!({"name": format!("{n}"), "owner_id": owner}))).collect();
        let limits = brain_kernel::Limits { max_tool_calls: 100, ..brain_kernel::Limits::default() };
        let request = Request { calls, limits, ..Request::say(scope(), "", Mode::EnqueueAndWait) };
        assert!(kernel.handle(&request).await.unwrap().ok);
    }
    let (code, message) = failure(&call(&kernel, "t.forget", json!({"owner_id": owner})).await);
    assert_eq!(code, "too_many_referrers", "{message}");
    assert_eq!(rows(&store, "bag").len(), 1_100);
}

/// One run deletes owners while another gives them pets: one of the two must fail, whichever commits first.
async fn one_of_two_loses(store: &Arc<dyn Store>, one: &Arc<Kernel>, two: &Arc<Kernel>) {
    let (mut deleted, mut kept) = (0, 0);
    for round in 0..40 {
        let owner = make(one, "owner", json!({"name": format!("Ann {round}")})).await;
        let input = json!({"owner_id": owner});
        let pet = json!({"name": "Rex", "owner_id": owner});
        let delete = {
            let one = one.clone();
            tokio::spawn(async move { call(&one, "t.forget", input).await })
        };
        let insert = {
            let two = two.clone();
            tokio::spawn(async move { call(&two, "t.pet", pet).await })
        };
        let (delete, insert) = (delete.await.unwrap(), insert.await.unwrap());
        assert_ne!(delete.ok, insert.ok, "round {round}: {delete:#?} {insert:#?}");
        let filter =
            RecordFilter { indexed: vec![("owner_id".into(), owner.as_str().into())], ..RecordFilter::default() };
        let pets = store.records(&scope(), "pet", &filter, 10, None).unwrap().items.len();
        let there = store.record(&scope(), "owner", owner.parse().unwrap()).unwrap().is_some();
        assert_eq!((there, pets), if delete.ok { (false, 0) } else { (true, 1) }, "round {round}");
        if delete.ok {
            deleted += 1;
        } else {
            kept += 1;
        }
    }
    println!("{deleted} deleted, {kept} kept");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_concurrent_referrer_wins_or_loses_on_sqlite() {
    let (_folder, store) = sqlite();
    let kernel = kernel(pack(), store.clone(), false);
    one_of_two_loses(&store, &kernel, &kernel).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_concurrent_referrer_wins_or_loses_on_postgresql() {
    let cluster = Postgres::start().unwrap();
    let url = cluster.url(&cluster.new_database());
    let (first, second, store) = std::thread::spawn(move || {
        let open = || -> Arc<dyn Store> { Arc::new(PostgresStore::connect(&url).unwrap()) };
        (open(), open(), open())
    })
    .join()
    .unwrap();
    let (one, two) = (kernel(pack(), first, false), kernel(pack(), second, false));
    one_of_two_loses(&store, &one, &two).await;
    drop((one, two));
}
