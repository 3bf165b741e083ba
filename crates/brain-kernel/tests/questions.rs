//! Questions about records, answered by generated tools: by call and by words, on real stores.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::Arc;

use brain_core::{Clock, RecordId, RunStatus, SeededRandom, Timestamp, VirtualClock};
use brain_engine::EngineConfig;
use brain_kernel::{Kernel, KernelConfig};
use brain_registry::Registry;
use brain_store::{Member, MemoryStore, Outcome, RecordFilter, RecordRow, SqliteStore, Store, Write};
use common::{Alone, call, registry, say, scope};
use serde_json::{Value, json};

const PACK: &str = "
name: gallery
version: 1.0.0
settings: {time_zone: Europe/Berlin, currency: EUR}
nouns: {piece: [piece, work]}
";
const ARTIST: &str = "record: artist\nfields: {name: string}\nlabel: name\n";
const PIECE: &str = "
record: piece
fields:
  title: string
  artist_id: {type: uuid, ref: artist, indexed: true}
  price: money
  height: {type: decimal, optional: true}
  medium: {type: enum, values: {oil: Oil, ink: Ink}}
  arrived_on: {type: date, optional: true}
  framed: {type: boolean, optional: true}
  secret: {type: string, optional: true, ask: false}
states: {stored: [hung, sold], hung: [stored, sold], sold: []}
label: title
";
const REGULAR: &str = "
record: regular
fields:
  name: {type: string, personal: true}
  phone: {type: phone, personal: true, optional: true}
  city: string
  tab: {type: money, optional: true}
label: name
";
const TOOLS: &str = "
domain: gallery
tools:
  list:
    title: List pieces
    input: {}
    phrases: [\"list pieces\"]
    behavior: {record: {list: piece}}
    summary: \"The pack's own list.\"
";

/// Wednesday, 11:00 in Berlin.
const NOW: &str = "2026-11-18T10:00:00Z";

fn gallery() -> Arc<Registry> {
    registry(&[
        ("pack.yaml", PACK),
        ("records/artist.yaml", ARTIST),
        ("records/piece.yaml", PIECE),
        ("records/regular.yaml", REGULAR),
        ("tools/gallery.yaml", TOOLS),
    ])
}

fn at(text: &str) -> Timestamp {
    Timestamp::from_millis(text.parse::<jiff::Timestamp>().unwrap().as_millisecond())
}

fn id(number: u64) -> RecordId {
    format!("00000000-0000-7000-8000-{number:012}").parse().unwrap()
}

fn put(registry: &Registry, row: RecordRow) -> Write {
    let (index, text) = brain_tools::found_by(registry.record(&row.kind).unwrap(), &row.body);
    Write::PutRecord { row, index, text }
}

fn row(kind: &str, number: u64, state: Option<&str>, times: (&str, &str), body: Value) -> RecordRow {
    let (kind, state) = (kind.to_owned(), state.map(str::to_owned));
    RecordRow { kind, id: id(number), revision: 1, state, created_at: at(times.0), updated_at: at(times.1), body }
}

fn rows() -> Vec<RecordRow> {
    let early = ("2026-01-05T09:00:00Z", "2026-01-05T09:00:00Z");
    let piece = |number, state, times, body| row("piece", number, Some(state), times, body);
    vec![
        row("artist", 1, None, early, json!({"name": "Maria Lopez"})),
        row("artist", 2, None, early, json!({"name": "Jan de Vries"})),
        row(
            "regular",
            11,
            None,
            early,
            json!({"name": "Tom Walsh", "phone": "0412 345 678", "city": "Ryde", "tab": "40.60"}),
        ),
        row("regular", 12, None, early, json!({"name": "Ann Lee", "city": "ryde", "tab": "12.00"})),
        row("regular", 13, None, early, json!({"name": "Bo Berg", "city": "Cork"})),
        piece(
            21,
            "hung",
            ("2026-11-01T09:00:00Z", "2026-11-01T09:00:00Z"),
            json!({
                "title": "Red Boat", "artist_id": id(1), "price": "1200.00", "height": "80.5", "medium": "oil",
                "arrived_on": "2026-11-16", "framed": true, "secret": "forged",
            }),
        ),
        piece(
            22,
            "sold",
            ("2026-10-20T09:00:00Z", "2026-11-17T09:00:00Z"),
            json!({
                "title": "Blue Door", "artist_id": id(1), "price": "300.50", "medium": "ink", "arrived_on": "2026-10-20",
            }),
        ),
        piece(
            23,
            "sold",
            ("2026-09-01T09:00:00Z", "2026-10-05T09:00:00Z"),
            json!({
                "title": "Old Mill", "artist_id": id(2), "price": "300.50", "height": "40", "medium": "oil",
                "arrived_on": "2026-09-01",
            }),
        ),
        // Today in Berlin, yesterday in UTC.
        piece(
            24,
            "stored",
            ("2026-11-17T23:30:00Z", "2026-11-17T23:30:00Z"),
            json!({
                "title": "Night", "artist_id": id(2), "price": "75.00", "medium": "ink", "framed": false,
            }),
        ),
        piece(
            25,
            "stored",
            ("2026-11-17T09:00:00Z", "2026-11-17T09:00:00Z"),
            json!({
                "title": "Harbour", "artist_id": id(1), "price": "900.00", "medium": "oil", "arrived_on": "2026-11-18",
            }),
        ),
    ]
}

fn start(store: &Arc<dyn Store>, rows: Vec<RecordRow>) -> Arc<Kernel> {
    let registry = gallery();
    let writes = rows.into_iter().map(|row| put(&registry, row)).collect();
    let member = Member { scope: scope(), preconditions: vec![], writes };
    assert_eq!(store.commit_now(vec![member]).unwrap(), [Outcome::Committed]);
    let engine = EngineConfig { keep: false, ..EngineConfig::default() };
    let config = KernelConfig { engine, ..KernelConfig::default() };
    let clock: Arc<dyn Clock> = Arc::new(VirtualClock::new(at(NOW)));
    Kernel::start(&config, registry, store.clone(), clock, Box::new(SeededRandom::new(7)), Arc::new(Alone)).unwrap()
}

/// Calls and their answers.
fn calls() -> Vec<(&'static str, Value, &'static str)> {
    let artist = |number| json!(id(number));
    vec![
        ("regular", json!({"measure": "highest", "of": "tab"}), "Tom Walsh has the highest tab: EUR 40.60."),
        ("regular", json!({"measure": "lowest", "of": "tab"}), "Ann Lee has the lowest tab: EUR 12.00."),
        ("regular", json!({"measure": "sum"}), "The tab of 3 regulars adds up to EUR 52.60. 1 has no tab."),
        ("regular", json!({"measure": "average"}), "The average tab of 3 regulars is EUR 26.30. 1 has no tab."),
        ("regular", json!({"measure": "count", "city": "RYDE"}), "There are 2 regulars with city RYDE."),
        ("regular", json!({"measure": "count", "phone": "0412345678"}), "There is 1 regular with phone 0412345678."),
        ("regular", json!({"id": id(11), "field": "phone"}), "The phone of Tom Walsh is 0412 345 678."),
        ("regular", json!({"id": id(13), "field": "tab"}), "Bo Berg has no tab."),
        ("regular", json!({"id": id(12)}), "Ann Lee: city ryde, tab EUR 12.00."),
        ("piece", json!({"measure": "count"}), "There are 5 pieces."),
        ("piece", json!({"measure": "count", "state": "hung"}), "There is 1 hung piece."),
        ("piece", json!({"state": "stored"}), "There are 2 stored pieces: Night and Harbour."),
        ("piece", json!({"state": "sold", "changed_in": "this_month"}), "1 piece was sold this month: Blue Door."),
        (
            "piece",
            json!({"measure": "count", "state": "sold", "changed_in": "last_month"}),
            "1 piece was sold last month.",
        ),
        ("piece", json!({"state": "hung", "changed_in": "last_month"}), "No piece was hung last month."),
        ("piece", json!({"measure": "count", "created_in": "today"}), "1 piece was created today."),
        ("piece", json!({"measure": "count", "created_in": "this_week"}), "2 pieces were created this week."),
        (
            "piece",
            json!({"measure": "count", "created_since": "2026-10-20", "created_before": "2026-11-17"}),
            "There are 2 pieces created before 2026-11-17 created since 2026-10-20.",
        ),
        (
            "piece",
            json!({"artist_id": artist(1)}),
            "There are 3 pieces with artist Maria Lopez: Harbour, Red Boat and Blue Door.",
        ),
        (
            "piece",
            json!({"artist_id": artist(2), "medium": "oil"}),
            "There is 1 oil piece with artist Jan de Vries: Old Mill.",
        ),
        ("piece", json!({"measure": "highest", "of": "price"}), "Red Boat has the highest price: EUR 1,200.00."),
        (
            "piece",
            json!({"measure": "highest", "of": "price", "state": "sold"}),
            "Blue Door and Old Mill have the highest price of the sold pieces: EUR 300.50.",
        ),
        (
            "piece",
            json!({"measure": "sum", "artist_id": artist(1)}),
            "The price of 3 pieces with artist Maria Lopez adds up to EUR 2,400.50.",
        ),
        (
            "piece",
            json!({"measure": "average", "of": "height"}),
            "The average height of 5 pieces is 60.25. 3 have no height.",
        ),
        (
            "piece",
            json!({"price_over": "300.50"}),
            "There are 2 pieces with price over EUR 300.50: Harbour and Red Boat.",
        ),
        (
            "piece",
            json!({"measure": "count", "price_min": 300.5, "price_max": "900"}),
            "There are 3 pieces with price of at most EUR 900.00 with price of at least EUR 300.50.",
        ),
        ("piece", json!({"measure": "count", "price": "75"}), "There is 1 piece with price EUR 75.00."),
        ("piece", json!({"arrived_on_in": "this_week"}), "There are 2 pieces arrived this week: Harbour and Red Boat."),
        ("piece", json!({"measure": "highest", "of": "arrived_on"}), "Harbour has the latest arrived on: 2026-11-18."),
        ("piece", json!({"framed": true}), "There is 1 piece with framed: Red Boat."),
        (
            "piece",
            json!({"order": "highest", "of": "price", "limit": 2}),
            "There are 5 pieces: Red Boat (EUR 1,200.00), Harbour (EUR 900.00) and 3 more.",
        ),
        ("piece", json!({"id": id(22), "state": "sold"}), "Yes, Blue Door is sold."),
        ("piece", json!({"id": id(24), "state": "sold"}), "No, Night is stored."),
        ("piece", json!({"id": id(23), "field": "artist_id"}), "The artist of Old Mill is Jan de Vries."),
        ("artist", json!({"measure": "count"}), "There are 2 artists."),
    ]
}

/// Utterances and their answers.
const SAID: [(&str, &str); 25] = [
    ("who has the highest tab?", "Tom Walsh has the highest tab: EUR 40.60."),
    ("which regular has the lowest tab", "Ann Lee has the lowest tab: EUR 12.00."),
    ("what is the total tab of the regulars", "The tab of 3 regulars adds up to EUR 52.60. 1 has no tab."),
    ("how many pieces are there?", "There are 5 pieces."),
    ("how many works are there", "There are 5 pieces."),
    ("how many stored pieces are there", "There are 2 stored pieces."),
    ("which pieces are hung", "There is 1 hung piece: Red Boat."),
    ("which pieces did we sell this month?", "1 piece was sold this month: Blue Door."),
    ("how many pieces did we sell", "There are 2 sold pieces."),
    ("how many pieces were created this week", "2 pieces were created this week."),
    ("list pieces of Maria Lopez", "There are 3 pieces with artist Maria Lopez: Harbour, Red Boat and Blue Door."),
    ("how many pieces does Jan de Vries have?", "There are 2 pieces with artist Jan de Vries."),
    ("which piece has the highest price", "Red Boat has the highest price: EUR 1,200.00."),
    ("sum of the price of the pieces", "The price of 5 pieces adds up to EUR 2,776.00."),
    ("what are the pieces worth", "The price of 5 pieces adds up to EUR 2,776.00."),
    ("average height of the pieces", "The average height of 5 pieces is 60.25. 3 have no height."),
    ("list oil pieces", "There are 3 oil pieces: Harbour, Red Boat and Old Mill."),
    ("list pieces over 500", "There are 2 pieces with price over EUR 500.00: Harbour and Red Boat."),
    ("which pieces are arrived last month", "There is 1 piece arrived last month: Blue Door."),
    ("what is the price of piece Night", "The price of Night is EUR 75.00."),
    ("is piece Blue Door sold?", "Yes, Blue Door is sold."),
    ("list regulars", "There are 3 regulars: Bo Berg, Ann Lee and Tom Walsh."),
    ("how many regulars are in Ryde", "There are 2 regulars with city Ryde."),
    ("list pieces", "The pack's own list."),
    ("which pieces are there", "The pack's own list."),
];

async fn answers(store: Arc<dyn Store>) {
    let kernel = start(&store, rows());
    let mut wrong = Vec::new();
    for (record, input, expected) in calls() {
        let report = call(&kernel, &format!("ask.{record}"), input.clone()).await;
        if report.message != expected {
            wrong.push(format!("{record} {input}\n  {}\n  {expected}", report.message));
        }
    }
    for (text, expected) in SAID {
        let report = say(&kernel, text).await;
        if report.message != expected {
            wrong.push(format!("{text}\n  {}\n  {expected}", report.message));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_are_answered_in_memory() {
    answers(Arc::new(MemoryStore::new())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_are_answered_in_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    answers(Arc::new(SqliteStore::open(&folder.path().join("t.db")).unwrap())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_questions_write_no_record() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let kernel = start(&store, rows());
    let all = || {
        let kinds = ["artist", "piece", "regular", brain_tools::DONE];
        kinds.map(|kind| store.records(&scope(), kind, &RecordFilter::default(), 1000, None).unwrap().items)
    };
    let before = all();
    let calls = calls();
    for (record, input, _) in calls.iter().cycle().take(100) {
        let report = call(&kernel, &format!("ask.{record}"), input.clone()).await;
        assert_eq!(report.status, RunStatus::Completed, "{input}: {report:?}");
    }
    assert_eq!(all(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_has_its_records_but_not_the_fields_that_nobody_may_ask_about() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let kernel = start(&store, rows());
    let report = call(&kernel, "ask.piece", json!({"measure": "highest", "of": "price"})).await;
    let result = &report.receipts[0].result;
    assert_eq!(result["value"], json!({"price": "1200.00"}));
    assert_eq!(result["records"][0]["title"], "Red Boat");
    assert_eq!(result["records"][0].get("secret"), None);
    let report = call(&kernel, "ask.piece", json!({"field": "secret", "id": id(21)})).await;
    assert!(!report.ok, "{report:?}");
    let report = call(&kernel, "ask.piece", json!({"measure": "highest"})).await;
    assert_eq!(report.message, "Red Boat has the highest price: EUR 1,200.00.", "what a piece is worth");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_personal_is_redacted_in_an_answer() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let kernel = start(&store, rows());
    let report = say(&kernel, "who has the highest tab").await;
    let state = kernel.engine().run_state(&scope(), report.run).unwrap();
    let redaction = kernel.redaction_of(&state);
    assert_eq!(redaction.text(&report.message), "[REDACTED] has the highest tab: EUR 40.60.");
    assert!(!redaction.values(&report.receipts[0].result).to_string().contains("Walsh"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_count_over_ten_thousand_records_says_how_far_it_looked() {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.path().join("t.db")).unwrap());
    let times = ("2026-01-05T09:00:00Z", "2026-01-05T09:00:00Z");
    let body = |number: u64| json!({"name": format!("R{number}"), "city": "Ryde", "tab": "1.10"});
    let many = (1..=10_001).map(|number| row("regular", number, None, times, body(number)));
    let kernel = start(&store, many.collect());
    let report = call(&kernel, "ask.regular", json!({"measure": "sum", "of": "tab"})).await;
    let expected =
        "The tab of 10,000 regulars adds up to EUR 11,000.00. Only the first 10,000 regulars were looked at.";
    assert_eq!(report.message, expected);
    let report = call(&kernel, "ask.regular", json!({"measure": "count"})).await;
    assert_eq!(report.receipts[0].result["complete"], false);
}
