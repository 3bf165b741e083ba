//! Records written before a pack declared their names.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::Arc;

use brain_core::{RecordId, SeededRandom, Timestamp};
use brain_kernel::{Reindexed, is_behind, reindex};
use brain_nlu::entity::How;
use brain_registry::Registry;
use brain_registry::model::RecordDef;
use brain_store::{Member, MemoryStore, Outcome, RecordFilter, RecordRow, SqliteStore, Store, Write};
use common::{SystemClock, call, kernel, registry, scope};
use serde_json::{Value, json};

const FIELDS: &str = "record: person\nfields: {called: string, also: {type: string, optional: true}, number: {type: string, optional: true}}\n";
const TOOL: &str = "domain: people\ntools:\n  show: {title: Show a person, input: {person_id: {entity: person}}, behavior: {record: {get: person}}}\n";

fn pack(more: &str) -> Arc<Registry> {
    let record = format!("{FIELDS}{more}");
    registry(&[
        ("pack.yaml", "name: test\nversion: 1.0.0\n"),
        ("records/person.yaml", &record),
        ("tools/people.yaml", TOOL),
    ])
}

fn person(registry: &Registry) -> Arc<RecordDef> {
    registry.record("person").unwrap().clone()
}

fn row(n: u64, body: Value) -> RecordRow {
    let at = Timestamp::from_millis(1_000 + n as i64);
    let id = RecordId::generate(at, &mut SeededRandom::new(n));
    let revision = 1 + n % 2;
    RecordRow { kind: "person".into(), id, revision, state: None, created_at: at, updated_at: at, body }
}

fn put(store: &dyn Store, def: &RecordDef, rows: impl IntoIterator<Item = RecordRow>) {
    let write = |row: RecordRow| {
        let (index, text) = brain_tools::found_by(def, &row.body);
        Write::PutRecord { row, index, text }
    };
    let writes = rows.into_iter().map(write).collect();
    let member = Member { scope: scope(), preconditions: Vec::new(), writes };
    assert_eq!(store.commit_now(vec![member]).unwrap(), [Outcome::Committed]);
}

fn again(store: &dyn Store, def: &RecordDef, dry_run: bool) -> Reindexed {
    reindex(store, &scope(), &SystemClock, def, dry_run, &mut |_| {}).unwrap()
}

fn all(store: &dyn Store) -> Vec<RecordRow> {
    store.records(&scope(), "person", &RecordFilter::default(), 10_000, None).unwrap().items
}

fn stores() -> (Vec<Arc<dyn Store>>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let file = SqliteStore::open(&folder.path().join("t.db")).unwrap();
    (vec![Arc::new(MemoryStore::new()), Arc::new(file)], folder)
}

#[tokio::test(flavor = "multi_thread")]
async fn older_records_are_found_by_their_new_lookup_fields() {
    let (stores, _folder) = stores();
    for store in stores {
        let before = person(&pack(""));
        // More than two pages of them, and a type that sorts after it.
        let rows =
            (0..1203).map(|n| row(n, json!({"called": format!("Person{n} Park"), "also": format!("P{n} Pty Ltd")})));
        put(store.as_ref(), &before, rows);
        let zebra = RecordRow { kind: "zebra".into(), ..row(1, json!({"called": "Person7 Park"})) };
        put(store.as_ref(), &before, [zebra]);
        assert!(!is_behind(store.as_ref(), &scope(), &SystemClock, &before).unwrap());

        let named = pack("label: called\naliases: also\n");
        let def = person(&named);
        let kernel = kernel(named.clone(), store.clone(), false);
        let look = |said: &str| kernel.look_up(&scope(), &["person"], said).unwrap().one().map(|one| one.how);
        assert_eq!(look("Person7 Park"), None);
        assert!(is_behind(store.as_ref(), &scope(), &SystemClock, &def).unwrap());
        let told = call(&kernel, "people.show", json!({"person_id": {"mention": "Person7 Park"}})).await;
        assert!(told.errors[0].message.contains("their lookup index is stale"), "{told:#?}");

        let rows = all(store.as_ref());
        let would = again(store.as_ref(), &def, true);
        assert_eq!((would.looked_at, would.indexed), (1203, 1203));
        assert_eq!(look("Person7 Park"), None, "a dry run changes nothing");
        let done = again(store.as_ref(), &def, false);
        assert_eq!(done, Reindexed { looked_at: 1203, indexed: 1203, ..Reindexed::default() });
        assert_eq!(all(store.as_ref()), rows, "the records are unchanged: revision, times, body");
        assert_eq!((look("Person7 Park"), look("p1202")), (Some(How::Exact), Some(How::Alias)));
        assert!(!is_behind(store.as_ref(), &scope(), &SystemClock, &def).unwrap());
        let told = call(&kernel, "people.show", json!({"person_id": {"mention": "Nobody"}})).await;
        assert!(!told.errors[0].message.contains("stale"), "{told:#?}");

        // Only records written under the old pack meanwhile are left.
        put(store.as_ref(), &before, [row(1203, json!({"called": "Late Comer"}))]);
        let rest = again(store.as_ref(), &def, false);
        assert_eq!((rest.looked_at, rest.indexed), (1204, 1));
        // A new field that the oldest record lacks: the stored digest shows that the pack has changed.
        let numbered = person(&pack("label: called\naliases: also\nidentifiers: [number]\n"));
        assert!(is_behind(store.as_ref(), &scope(), &SystemClock, &numbered).unwrap());
    }
}

#[test]
fn duplicate_values_of_a_unique_field_are_reported() {
    let (stores, _folder) = stores();
    for store in stores {
        let body = |number: &str| json!({"called": "Kim", "number": number});
        put(store.as_ref(), &person(&pack("")), [row(1, body("a")), row(2, body("b")), row(3, body("a"))]);
        let def = person(&pack("key: number\n"));
        let done = again(store.as_ref(), &def, false);
        assert_eq!((done.indexed, done.refused), (2, 1), "{done:?}");
        let (second, first) = (row(3, json!({})).id, row(1, json!({})).id);
        assert_eq!(done.reasons, [format!("{second}: {first} has the same number")]);
        assert!(is_behind(store.as_ref(), &scope(), &SystemClock, &def).unwrap(), "it is not finished");
    }
}

#[test]
fn no_pack_can_declare_the_internal_record_type() {
    let files = [
        ("pack.yaml".to_owned(), "name: test\nversion: 1.0.0\n".to_owned()),
        ("records/x.yaml".to_owned(), "record: brain.indexed\nfields: {a: string}\n".to_owned()),
    ];
    let source = brain_registry::PackSource::new("test", files.into());
    assert!(brain_registry::load_sources(vec![source]).is_err());
}
