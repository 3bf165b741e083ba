//! Records that are described instead of named: through what they refer to, by when they were made, several at once.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::Arc;

use brain_core::RunStatus;
use brain_kernel::{Kernel, Report};
use brain_store::MemoryStore;
use common::{kernel, registry, result, say};

const POTTERY: &[(&str, &str)] = &[
    (
        "pack.yaml",
        "name: pottery\nversion: 1.0.0\nnouns: {piece: [piece, bowl, plate]}\nhelp: {text: Pots., examples: [list pieces]}\n",
    ),
    ("records/client.yaml", "record: client\nfields: {name: string}\nlabel: name\n"),
    (
        "records/piece.yaml",
        "record: piece\nfields: {what: string, client: {ref: client}, glaze: {type: string, optional: true}}\n\
         states: {raw: [fired], fired: []}\nlabel: what\n",
    ),
    ("records/order.yaml", "record: order\nfields: {title: string}\nlabel: title\n"),
    (
        "tools/clients.yaml",
        r#"
domain: clients
noun: [client]
tools:
  add:
    title: Add a client
    input: {name: string}
    phrases: ["new client {name}"]
    behavior: {record: {insert: client}}
    output: {client_id: uuid}
    undo: {cannot: "It stays."}
"#,
    ),
    (
        "tools/pieces.yaml",
        r#"
domain: pieces
noun: [piece, bowl, plate]
tools:
  take_in:
    title: Take in a piece
    input: {what: string, client: {entity: client}}
    phrases: ["take in {what} from {client}"]
    behavior: {record: {insert: piece}}
    output: {piece_id: uuid}
    undo: {cannot: "It is here."}
  glaze:
    title: Glaze a piece
    input: {piece: {entity: piece}, glaze: string}
    phrases: ["glaze {piece} with {glaze}"]
    behavior: {record: {update: piece, set: {glaze: "= input.glaze"}}}
    output: {piece_id: uuid}
    undo: {cannot: "It is on."}
  show:
    title: Show a piece
    input: {piece: {entity: piece}}
    phrases: ["show {piece}"]
    behavior: {record: {get: piece}}
  smash:
    title: Smash a piece
    input: {piece: {entity: piece}}
    phrases: ["delete {piece}"]
    behavior: {record: {delete: piece}}
    undo: {cannot: "Gone."}
"#,
    ),
    (
        "tools/orders.yaml",
        r#"
domain: orders
noun: [order]
tools:
  add:
    title: Add an order
    input: {title: string}
    phrases: ["new order {title}"]
    behavior: {record: {insert: order}}
    output: {order_id: uuid}
    undo: {cannot: "It stays."}
  show:
    title: Show an order
    input: {order: {entity: order}}
    phrases: ["show me {order}"]
    behavior: {record: {get: order}}
"#,
    ),
];

struct Studio {
    kernel: Arc<Kernel>,
    /// The pieces, in the order in which they were taken in.
    pieces: Vec<String>,
}

impl Studio {
    /// A studio with pieces: what, and of whom.
    async fn with(pieces: &[(&str, &str)]) -> Self {
        let kernel = kernel(registry(POTTERY), Arc::new(MemoryStore::default()), false);
        let mut ids = Vec::new();
        for (at, (what, client)) in pieces.iter().enumerate() {
            if pieces[..at].iter().all(|(_, other)| other != client) {
                assert!(say(&kernel, &format!("new client {client}")).await.ok);
            }
            let report = say(&kernel, &format!("take in {what} from {client}")).await;
            assert!(report.ok, "{report:#?}");
            ids.push(result(&report, "piece_id"));
        }
        Self { kernel, pieces: ids }
    }

    /// The positions of the pieces that a request was planned for; it must have worked.
    async fn planned(&self, text: &str) -> Vec<usize> {
        let report = say(&self.kernel, text).await;
        assert!(report.ok, "{text}: {report:#?}");
        self.positions(&report)
    }

    fn positions(&self, report: &Report) -> Vec<usize> {
        let position = |call: &brain_kernel::PlannedCall| {
            self.pieces.iter().position(|id| call.input["piece"] == id.as_str()).unwrap()
        };
        report.planned.iter().map(position).collect()
    }

    async fn asked(&self, text: &str) -> String {
        let report = say(&self.kernel, text).await;
        assert_eq!(report.status, RunStatus::NeedsInput, "{text}: {report:#?}");
        assert!(report.receipts.is_empty(), "{report:#?}");
        report.message
    }
}

const SHELF: &[(&str, &str)] = &[
    ("blue bowl", "Maria Lopez"),
    ("blue bowl", "Tom Walsh"),
    ("green plate", "Tom Walsh"),
    ("red jug", "Maria Lopez"),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_record_is_found_by_its_words_and_those_of_what_it_refers_to() {
    let studio = Studio::with(SHELF).await;
    for (text, piece) in [
        ("glaze Maria's blue bowl with celadon", 0),
        ("glaze Tom Walsh's blue bowl with celadon", 1),
        ("glaze the blue bowl of Tom Walsh with celadon", 1),
        ("glaze the blue bowl that Maria brought in with celadon", 0),
        ("glaze the jug that Maria brought in with celadon", 3),
        ("glaze Maria's jug with celadon", 3),
        ("glaze plate green with celadon", 2),
    ] {
        assert_eq!(studio.planned(text).await, [piece], "{text}");
    }
    // Whose bowl it is counts: somebody else's is not taken instead.
    for text in ["glaze Maria's green plate with celadon", "glaze Kim's blue bowl with celadon"] {
        let report = say(&studio.kernel, text).await;
        assert!(!report.ok && report.receipts.is_empty(), "{text}: {report:#?}");
    }
    let which = studio.asked("glaze the blue bowl with celadon").await;
    assert!(which.contains("blue bowl (Maria Lopez)") && which.contains("blue bowl (Tom Walsh)"), "{which}");
}

#[tokio::test(flavor = "multi_thread")]
async fn several_records_get_a_call_each_and_more_than_a_few_are_asked_about() {
    let studio = Studio::with(SHELF).await;
    assert_eq!(studio.planned("glaze all of Tom's pieces with celadon").await, [1, 2]);
    assert_eq!(studio.planned("glaze both of Maria's pieces with celadon").await, [0, 3]);
    let asked = studio.asked("glaze both with celadon").await;
    assert!(asked.contains("“both” could be 4 pieces"), "{asked}");
    let asked = studio.asked("delete all of Tom's pieces").await;
    assert!(asked.contains("Say which you mean"), "{asked}");
    let many: Vec<(String, String)> = (0..7).map(|n| (format!("tile {n}"), "Ann Cole".to_owned())).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(what, of)| (what.as_str(), of.as_str())).collect();
    let studio = Studio::with(&many).await;
    let asked = studio.asked("glaze all of Ann's pieces with celadon").await;
    assert!(asked.contains("7 pieces") && asked.contains("and others"), "{asked}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_one_is_the_one_that_was_made_last() {
    let studio = Studio::with(SHELF).await;
    assert_eq!(studio.planned("glaze the last one with celadon").await, [3]);
    assert_eq!(studio.planned("show the latest bowl").await, [3]);
    let report = say(&Studio::with(&[]).await.kernel, "glaze the last one with celadon").await;
    assert!(!report.ok && report.message.contains("There is no piece"), "{report:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reading_whose_record_exists_is_taken() {
    let studio = Studio::with(SHELF).await;
    assert!(say(&studio.kernel, "new order Spring Fair").await.ok);
    // “Show {piece}” matches word for word, “show me {order}” nearly.
    let report = say(&studio.kernel, "show Spring Fair").await;
    assert!(report.ok && report.planned[0].tool == "orders.show", "{report:#?}");
    let report = say(&studio.kernel, "show red jug").await;
    assert!(report.ok && report.planned[0].tool == "pieces.show", "{report:#?}");
    let report = say(&studio.kernel, "show Winter Fair").await;
    assert!(report.receipts.is_empty(), "{report:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guessed_name_is_asked_about_before_an_effect() {
    let studio = Studio::with(SHELF).await;
    let asked = studio.asked("glaze red juug with celadon").await;
    assert!(asked.contains("Do you mean red jug?"), "{asked}");
    assert_eq!(studio.planned("show red juug").await, [3]);
}
