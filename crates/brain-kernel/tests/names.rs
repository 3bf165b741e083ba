//! Records referred to by name, on a real SQLite file.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::Arc;

use brain_core::{RecordId, RunStatus, SeededRandom, Timestamp};
use brain_kernel::{Mode, NextAction, Request};
use brain_nlu::entity::{How, Resolution};
use brain_store::{Member, MemoryStore, Outcome, RecordRow, SqliteStore, Store, Write};
use common::{call, kernel, registry, result, say, scope, trades};
use serde_json::{Value, json};

const MADE_UP: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

fn sqlite() -> (Arc<dyn Store>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("t.db")).unwrap();
    (Arc::new(store), folder)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_shows_which_record_was_chosen_and_why() {
    let (store, _folder) = sqlite();
    let kernel = kernel(trades(), store, false);
    let lead = result(&say(&kernel, "new lead: Kim Park 0412 345 678 in Ryde").await, "lead_id");
    let report = say(&kernel, "create inspection for lead Kim Park").await;
    assert!(report.ok, "{report:#?}");
    assert_eq!(report.planned[0].input["lead_id"], json!(lead));
    let log = kernel.store().log(&scope(), report.run).unwrap();
    let links = log
        .iter()
        .flat_map(|row| &row.payloads)
        .find_map(|payload| payload.pointer("/evidence/links").cloned().filter(Value::is_array));
    let link = &links.unwrap()[0];
    assert_eq!((&link["mention"], &link["verdict"]), (&json!("Kim Park"), &json!("one")));
    assert_eq!(link["candidates"][0]["id"], json!(lead));
    assert_eq!(link["candidates"][0]["evidence"][0], "exact name");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_option_shows_the_next_request() {
    let (store, _folder) = sqlite();
    let kernel = kernel(trades(), store, false);
    for suburb in ["Ryde", "Manly"] {
        assert!(say(&kernel, &format!("new lead: Kim Park 0412 345 678 in {suburb}")).await.ok);
    }
    let asked = say(&kernel, "create inspection for lead Kim Park").await;
    assert_eq!(asked.status, RunStatus::NeedsInput, "{asked:#?}");
    assert!(
        asked.message.contains("Kim Park (Ryde)") && asked.message.contains("Kim Park (Manly)"),
        "{}",
        asked.message
    );
    let said: Vec<(&str, &str)> = asked
        .next_actions
        .iter()
        .filter_map(|next| match next {
            NextAction::Say { text, label: Some(label) } => Some((label.as_str(), text.as_str())),
            _ => None,
        })
        .collect();
    let next = said[0].1;
    assert!(say(&kernel, next).await.ok, "{next}");
    // The subject of the request decides between two candidates.
    let manly = said.iter().find(|(name, _)| name.contains("Manly")).unwrap().1.rsplit(' ').next().unwrap();
    let mut request = Request::say(scope(), "show lead Kim Park", Mode::EnqueueAndWait);
    request.context = json!({"spoken_of": manly});
    assert_eq!(result(&kernel.handle(&request).await.unwrap(), "lead_id"), manly);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_id_is_rejected_everywhere() {
    let (store, _folder) = sqlite();
    let kernel = kernel(trades(), store, false);
    let said = say(&kernel, &format!("show lead {MADE_UP}")).await;
    let called = call(&kernel, "leads.get", json!({"lead_id": MADE_UP})).await;
    let noted = call(&kernel, "quote.discard", json!({"quote_id": MADE_UP})).await;
    let played = call(&kernel, "trades.close_quote", json!({"quote_id": MADE_UP})).await;
    let named = call(&kernel, "leads.get", json!({"lead_id": {"mention": "Nobody"}})).await;
    for report in [said, called, noted, played, named] {
        assert!(!report.ok && report.receipts.iter().all(|receipt| receipt.status != "succeeded"), "{report:#?}");
    }
    // Passing it as a name does not help.
    let text = call(&kernel, "leads.get", json!({"lead_id": "Kim Park"})).await;
    assert!(text.errors[0].message.contains("must be a UUID"), "{text:#?}");
}

const PEOPLE: &[(&str, &str)] = &[
    ("pack.yaml", "name: test\nversion: 1.0.0\n"),
    (
        "records/person.yaml",
        "record: person\nfields: {name: string, also: {type: string, optional: true}, number: {type: string, optional: true}}\n\
         label: name\naliases: also\nidentifiers: [number]\nsearch: [name]\n",
    ),
];

fn put(store: &Arc<dyn Store>, rows: Vec<(RecordRow, bool)>, def: &brain_registry::model::RecordDef) {
    let writes = rows.into_iter().map(|(row, indexed)| {
        let index = if indexed { brain_tools::names::entries(def, &row.body) } else { Vec::new() };
        let text = row.body["name"].as_str().map(str::to_owned);
        Write::PutRecord { row, index, text }
    });
    let member = Member { scope: scope(), preconditions: Vec::new(), writes: writes.collect() };
    assert_eq!(store.commit_now(vec![member]).unwrap(), [Outcome::Committed]);
}

fn person(n: u64, body: Value) -> RecordRow {
    let at = Timestamp::from_millis(1_000 + n as i64);
    RecordRow {
        kind: "person".into(),
        id: RecordId::generate(at, &mut SeededRandom::new(n)),
        revision: 1,
        state: None,
        created_at: at,
        updated_at: at,
        body,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_found_among_many_without_a_scan() {
    let (store, _folder) = sqlite();
    let registry = registry(PEOPLE);
    let def = registry.record("person").unwrap().clone();
    for batch in 0..20_u64 {
        let rows = (0..1000_u64).map(|n| {
            let n = batch * 1000 + n;
            (person(n, json!({"name": format!("Person{} Number{}", n % 100, n), "number": format!("P-{n}")})), true)
        });
        put(&store, rows.collect(), &def);
    }
    put(&store, vec![(person(90_000, json!({"name": "Kim Park", "also": "KP Roofing Pty Ltd"})), true)], &def);
    let kernel = kernel(registry, store, false);
    for (said, how) in [
        ("Kim Park", How::Exact),
        ("kp roofing", How::Alias),
        ("P-17042", How::Identifier),
        ("Number17042", How::Words),
        ("Kim Prak", How::Fuzzy),
    ] {
        let began = std::time::Instant::now();
        let linked = kernel.look_up(&scope(), &["person"], said).unwrap();
        assert_eq!(linked.one().map(|one| one.how), Some(how), "{said}: {linked:#?}");
        // Twenty full scans would take longer than this even on a fast machine.
        assert!(began.elapsed().as_millis() < 250, "{said}: {:?}", began.elapsed());
    }
    assert_eq!(kernel.look_up(&scope(), &["person"], "Zoe Quill").unwrap().verdict, Resolution::None);
}

#[tokio::test(flavor = "multi_thread")]
async fn records_written_before_names_existed_are_found_by_their_words() {
    let (file, _folder) = sqlite();
    for store in [file, Arc::new(MemoryStore::default()) as Arc<dyn Store>] {
        let registry = registry(PEOPLE);
        let def = registry.record("person").unwrap().clone();
        put(&store, vec![(person(1, json!({"name": "Kim Park"})), false)], &def);
        let kernel = kernel(registry, store, false);
        let linked = kernel.look_up(&scope(), &["person"], "the person Kim Park").unwrap();
        assert_eq!(linked.one().map(|one| one.how), Some(How::Exact), "{linked:#?}");
    }
}

const VISITS: &[(&str, &str)] = &[
    ("pack.yaml", "name: test\nversion: 1.0.0\n"),
    ("records/person.yaml", "record: person\nfields: {name: string}\n"),
    ("records/visit.yaml", "record: visit\nfields: {title: string, person_id: {entity: person}}\n"),
    (
        "tools/visits.yaml",
        "domain: visits\ntools:\n  show: {title: Show a visit, input: {visit_id: {entity: visit}}, behavior: {record: {get: visit}}}\n",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn of_two_similar_names_the_one_in_context_is_chosen() {
    let (store, _folder) = sqlite();
    let registry = registry(VISITS);
    let (kim, lena) = (person(1, json!({"name": "Kim"})), person(2, json!({"name": "Lena"})));
    let visit = |n: u64, of: &RecordRow| RecordRow {
        kind: "visit".into(),
        ..person(n, json!({"title": "Roof check", "person_id": of.id}))
    };
    let (first, second) = (visit(3, &kim), visit(4, &lena));
    put(&store, vec![(kim.clone(), true), (lena.clone(), true)], registry.record("person").unwrap());
    put(&store, vec![(first.clone(), true), (second.clone(), true)], registry.record("visit").unwrap());
    let kernel = kernel(registry, store, false);
    let show = async |context: Value| {
        let calls = vec![("visits.show".to_owned(), json!({"visit_id": {"mention": "roof check"}}))];
        let request = Request { calls, context, ..Request::say(scope(), "", Mode::EnqueueAndWait) };
        kernel.handle(&request).await.unwrap()
    };
    assert_eq!(show(json!({})).await.status, RunStatus::NeedsInput);
    for (person, visit) in [(&kim, &first), (&lena, &second)] {
        let report = show(json!({"person_id": person.id})).await;
        assert!(report.ok, "{report:#?}");
        assert_eq!(report.planned[0].input["visit_id"], json!(visit.id));
        let log = kernel.store().log(&scope(), report.run).unwrap();
        let evidence = log
            .iter()
            .flat_map(|row| &row.payloads)
            .find_map(|payload| payload.pointer("/evidence/links/0/candidates/0/evidence").cloned());
        let evidence = evidence.unwrap().to_string();
        assert!(evidence.contains("is in the current scope"), "{evidence}");
    }
}
