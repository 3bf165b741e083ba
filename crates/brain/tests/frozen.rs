//! What others rely on across versions: the JSON of a run, and stores that earlier builds wrote.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use brain_testbed::assert_golden;
use common::{Server, json, run, text};
use serde_json::Value;

fn golden(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(file)
}

/// The value with ids, times, digests and sentences replaced by what is the same in every run.
fn steady(value: &mut Value, ids: &mut BTreeMap<String, usize>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| steady(item, ids)),
        Value::Object(fields) => {
            for (name, field) in fields {
                match name.as_str() {
                    "duration_ms" | "position" | "key" if field.is_number() => *field = Value::from(1),
                    // The wording is free.
                    "assistant_message" | "next_actions" | "reason" | "summary" | "what" | "evidence" | "text"
                    | "says" => {
                        *field = Value::from("(words)");
                    }
                    _ => steady(field, ids),
                }
            }
        }
        Value::String(text) => {
            let plain = |text: &str| text.replace('-', "");
            if serde_json::from_value::<brain_core::Timestamp>(Value::from(text.as_str())).is_ok() {
                *text = "2026-03-02T09:00:00.000Z".into();
            }
            if plain(text).len() >= 32 && plain(text).bytes().all(|byte| byte.is_ascii_hexdigit()) {
                let next = ids.len();
                *text = format!("id {}", ids.entry(plain(text)).or_insert(next));
            }
        }
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_json_of_a_run_is_frozen() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("run.db");
    let server = Server::start(&store, &[]);
    let request =
        serde_json::json!({"message": "new job for Sue Lee 0400 123 456 in Ryde", "context": {"suburb": "Ryde"}});
    drop(rustls::crypto::ring::default_provider().install_default());
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let sent = client.post(format!("{}/v1/runs", server.url)).json(&request).send().await.unwrap();
    let created: Value = sent.json().await.unwrap();
    let id = created["run_id"].as_str().unwrap().to_owned();
    let parts = ["", "/events", "/receipts", "/explain", "/expansion", "/why"];
    let mut ids = BTreeMap::new();
    let mut written = String::new();
    for part in parts {
        let got = client.get(format!("{}/v1/runs/{id}{part}", server.url)).send().await.unwrap();
        let mut answer: Value = got.json().await.unwrap();
        steady(&mut answer, &mut ids);
        let answer = serde_json::to_string_pretty(&answer).unwrap();
        written.push_str(&format!("// GET /v1/runs/{{id}}{part}\n{answer}\n\n"));
    }
    assert_golden(&golden("run.jsonc"), &written);
}

/// A small store with a run of every kind that matters to a later build: finished, undone, staged, and failed.
fn make_store(file: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("new.db");
    // Plans must not expire before the test reads them.
    let config = folder.path().join("brain.yaml");
    std::fs::write(&config, "expire: {questions: 36500d, staged: 36500d}\n").unwrap();
    let said =
        |args: &[&str]| json(&run(&store, &[&["--config", config.to_str().unwrap()], args, &["--json"]].concat()));
    said(&["do", "new lead: Bob Smith 0412 345 678 in Parramatta"]);
    said(&["do", "new job for Sue Lee 0400 123 456 in Ryde"]);
    let task = said(&["do", "create task: Call Bob about the roof"]);
    said(&["runs", "undo", task["run_id"].as_str().unwrap(), "--yes"]);
    said(&["do", "create inspection for lead Bob Smith", "--mode", "plan"]);
    said(&["do", "delete lead Sue Lee"]);
    said(&["do", "create inspection for lead 01890a5d-ac96-774b-bcce-b302099a8057"]);
    run(&store, &["teach", "ring {title}", "os.create_task"]);
    // Small pages: most tables are nearly empty.
    let connection = rusqlite::Connection::open(&store).unwrap();
    connection.execute_batch("PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM;").unwrap();
    drop(connection);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::copy(store, file).unwrap();
}

/// The version of the tables in a file.
fn version(file: &Path) -> i64 {
    let connection = rusqlite::Connection::open(file).unwrap();
    connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
}

#[test]
fn a_store_that_was_frozen_is_still_read() {
    let stores = golden("stores");
    if std::env::var_os("BRAIN_UPDATE").is_some() {
        let folder = tempfile::tempdir().unwrap();
        let new = folder.path().join("new.db");
        make_store(&new);
        let file = stores.join(format!("format-{}.db", version(&new)));
        // One that is there was written by an earlier build: that is its point.
        if !file.exists() {
            std::fs::create_dir_all(&stores).unwrap();
            std::fs::copy(new, file).unwrap();
        }
    }
    let files: Vec<PathBuf> = std::fs::read_dir(&stores).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!files.is_empty(), "there is no store in {}: run `cargo xtask golden`", stores.display());
    for file in files {
        assert!(std::fs::metadata(&file).unwrap().len() < 200_000, "{} is too large to be committed", file.display());
        read_store(&file);
    }
}

/// Lists, shows, replays and continues everything in a store.
fn read_store(file: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("old.db");
    std::fs::copy(file, &store).unwrap();
    let name = file.display();
    let said = |args: &[&str]| {
        let output = run(&store, &[args, &["--json"]].concat());
        assert!(output.status.success(), "{name}: {args:?}: {}", text(&output));
        json(&output)
    };
    let listed = said(&["runs", "--limit", "50"]);
    let runs = listed["items"].as_array().unwrap();
    let mut statuses: Vec<&str> = runs.iter().map(|run| run["status"].as_str().unwrap()).collect();
    statuses.sort_unstable();
    let wanted = ["completed", "completed", "completed", "completed", "failed", "staged", "staged"];
    assert_eq!(statuses, wanted, "{name}");
    for one in runs {
        let id = one["run_id"].as_str().unwrap();
        said(&["runs", "show", id]);
        said(&["runs", "replay", id]);
    }
    assert_eq!(said(&["records", "list", "lead"])["items"].as_array().unwrap().len(), 2, "{name}");
    // The plan runs with the definitions that it was staged with.
    let is_inspection =
        |run: &&Value| run["message"].as_str().is_some_and(|said| said.starts_with("create inspection"));
    let staged = runs.iter().filter(|run| run["status"] == "staged").find(is_inspection).unwrap();
    let staged = staged["run_id"].as_str().unwrap();
    assert_eq!(said(&["approve", staged])["status"], "completed", "{name}");
    // Names are found, and taught phrases are known.
    assert_eq!(said(&["do", "ring Bob about the gutters"])["status"], "completed", "{name}");
    assert_eq!(said(&["do", "create inspection for lead Bob Smith"])["status"], "completed", "{name}");
}
