//! Understanding as users see it: explained, measured, taught, and corrected.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::path::Path;
use std::process::Output;

use common::text;
use serde_json::Value;

/// A temporary folder with a store.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn run(&self, args: &[&str]) -> Output {
        common::brain(&self.path().join("b.db")).args(args).current_dir(self.path()).output().unwrap()
    }

    fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output));
        text(&output)
    }

    fn fails(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {}", text(&output));
        text(&output)
    }

    fn json(&self, args: &[&str]) -> Value {
        common::json(&self.run(args))
    }
}

#[test]
fn a_taught_phrase_is_used_at_once_persists_and_can_be_removed() {
    let folder = Folder::new();
    let said = ["do", "ring Bob about the gutters", "--json"];
    assert_ne!(folder.json(&said)["planned_tool_calls"][0]["tool_name"], "os.create_task");
    folder.ok(&["teach", "ring {title}", "os.create_task", "--as", "ann"]);
    // Each command is a separate process, so the phrase was stored.
    for _ in 0..2 {
        let answer = folder.json(&said);
        assert_eq!(answer["planned_tool_calls"][0]["tool_name"], "os.create_task", "{answer}");
    }
    assert!(folder.ok(&["teach"]).contains("“ring {title}” → os.create_task by ann"));
    folder.ok(&["unteach", "ring {title}", "--as", "ann", "--why", "too general"]);
    assert_ne!(folder.json(&said)["planned_tool_calls"][0]["tool_name"], "os.create_task");
    let audit = folder.ok(&["audit"]);
    assert!(audit.contains("teach") && audit.contains("too general"), "{audit}");
}

#[test]
fn a_phrase_of_another_tool_is_replaced_only_on_request() {
    let folder = Folder::new();
    let refused = folder.fails(&["teach", "list leads", "os.list_tasks"]);
    assert!(refused.contains("leads.list_by_stage") && refused.contains("--replace"), "{refused}");
    folder.ok(&["teach", "list leads", "os.list_tasks", "--replace"]);
    assert_eq!(folder.json(&["do", "list leads", "--json"])["planned_tool_calls"][0]["tool_name"], "os.list_tasks");
    let near = folder.ok(&["teach", "list the tasks", "os.create_note", "--replace"]);
    assert!(near.contains("os.list_tasks"), "the near one is named: {near}");
    for (phrase, target, why) in [
        ("ring {nobody}", "os.create_task", "nobody"),
        ("the of", "os.create_task", "words"),
        ("x y z", "no.tool", "no such tool"),
    ] {
        let refused = folder.fails(&["teach", phrase, target]);
        assert!(refused.contains(why), "{phrase}: {refused}");
    }
}

#[test]
fn an_explanation_is_readable() {
    let folder = Folder::new();
    let text = folder.ok(&["explain", "pls creat a task: Call Bob"]);
    for part in ["is understood as Create a task", "“creat” was read as “create”", "title is “Call Bob”", "medium"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(folder.ok(&["explain", "what is the capital of France"]).contains("nothing that the packs can do"));
    assert!(folder.ok(&["explain", "hello"]).contains("small talk"));
    assert_eq!(folder.json(&["explain", "list tasks", "--json"])["intents"][0]["evidence"]["tier"], "exact");
}

#[test]
fn data_sets_are_measured() {
    let folder = Folder::new();
    let rows =
        |list: &[(&str, &str)]| list.iter().map(|(intent, text)| format!("{intent}\t{text}\n")).collect::<String>();
    let train = rows(&[
        ("weather", "will it rain today"),
        ("weather", "is it sunny"),
        ("weather", "how hot is it"),
        ("weather", "do I need an umbrella"),
        ("music", "play a song"),
        ("music", "turn the music up"),
        ("music", "next track please"),
        ("music", "put on some jazz"),
    ]);
    std::fs::write(folder.path().join("train.tsv"), train).unwrap();
    std::fs::write(
        folder.path().join("test.tsv"),
        rows(&[("weather", "will it be sunny today"), ("music", "play some jazz")]),
    )
    .unwrap();
    std::fs::write(folder.path().join("bad.tsv"), "no tab here\n").unwrap();
    let report = folder.json(&["eval", "--train", "train.tsv", "--test", "test.tsv", "--oos", "test.tsv", "--json"]);
    assert_eq!(report["figures"]["accuracy"], 100.0, "{report}");
    let drawn =
        folder.json(&["eval", "--train", "train.tsv", "--test", "test.tsv", "--shots", "2", "--draws", "3", "--json"]);
    assert_eq!(drawn["figures"]["phrases"], 4.0);
    assert_eq!(drawn["each"].as_array().unwrap().len(), 3);
    assert!(folder.fails(&["eval", "--train", "bad.tsv", "--test", "test.tsv"]).contains("bad.tsv:1"));
}

#[test]
fn requests_with_slots_are_measured_and_written() {
    let folder = Folder::new();
    let row = |text: &str, intent: &str, slot: &str, value: &str| {
        let start = text.find(value).unwrap();
        let slots = serde_json::json!([{"name": slot, "start": start, "end": start + value.len()}]);
        serde_json::json!({"text": text, "intent": intent, "slots": slots}).to_string()
    };
    let songs = ["yellow river", "hey jude", "moon river", "blue train", "jolene"];
    let books = ["dune", "emma", "the hobbit", "persuasion", "middlemarch"];
    let train = songs.map(|song| row(&format!("play the song {song} now"), "music", "song", song));
    let rated = books.map(|book| row(&format!("rate the book {book} highly"), "rating", "book", book));
    let test = [
        row("play the song purple rain now", "music", "song", "purple rain"),
        row("rate the book ulysses highly", "rating", "book", "ulysses"),
    ];
    let write = |name: &str, rows: &[String]| std::fs::write(folder.path().join(name), rows.join("\n")).unwrap();
    write("train.jsonl", &[train, rated].concat());
    write("test.jsonl", &test);
    write(
        "bad.jsonl",
        &[r#"{"text": "play", "intent": "music", "slots": [{"name": "song", "start": 2, "end": 9}]}"#.to_owned()],
    );
    let report = folder.json(&[
        "eval", "--frames", "--train", "train.jsonl", "--test", "test.jsonl", "--predictions", "found.jsonl", "--json",
    ]);
    let figure = |name: &str| report["frames"][name].as_f64().unwrap();
    assert_eq!(
        (figure("intent_accuracy"), figure("slot_f1"), figure("frame_accuracy")),
        (100.0, 100.0, 100.0),
        "{report}"
    );
    let found = std::fs::read_to_string(folder.path().join("found.jsonl")).unwrap();
    let first: serde_json::Value = serde_json::from_str(found.lines().next().unwrap()).unwrap();
    let expected = serde_json::json!({"intent": "music", "slots": [{"name": "song", "start": 14, "end": 25}]});
    assert_eq!((first, found.lines().count()), (expected, 2));
    assert!(
        folder.fails(&["eval", "--frames", "--train", "bad.jsonl", "--test", "test.jsonl"]).contains("bad.jsonl:1")
    );
}

#[test]
fn a_corpus_is_measured_compared_and_tuned() {
    let folder = Folder::new();
    let report = folder.json(&["eval", "--json"]);
    let count = |name: &str| report[name].as_u64().unwrap();
    let grades = ["right", "offered", "asked", "not_understood", "wrong"];
    assert_eq!(grades.into_iter().map(count).sum::<u64>(), count("rows"));
    assert!(count("wrong") * 100 <= 5 * count("rows"), "at most five of a hundred are wrong: {report}");
    std::fs::write(folder.path().join("before.json"), report.to_string()).unwrap();
    assert!(folder.ok(&["eval", "--compare", "before.json"]).contains("Nothing got worse"));
    // Failures can be taught. Rows of the measured corpus are not written out for teaching unless requested.
    let written = |file: &str| std::fs::read_to_string(folder.path().join(file)).unwrap();
    folder.ok(&["eval", "--teach-file", "tune.yaml"]);
    let tuned = folder.json(&["eval", "--set", "tune", "--json"]);
    let failed = tuned["rows"].as_u64().unwrap() - tuned["right"].as_u64().unwrap();
    assert_eq!(written("tune.yaml").matches("target: ").count() as u64, failed);
    let said = folder.ok(&["eval", "--teach-file", "test.yaml", "--set", "test"]);
    assert!(said.contains("no longer be used for measuring"), "{said}");
    assert!(written("test.yaml").contains("{title}"), "values give way to slots: {}", written("test.yaml"));
    // Each taught phrase is checked against the whole corpus, so a few have to do.
    let few: Vec<String> = written("test.yaml").lines().take(4).map(str::to_owned).collect();
    std::fs::write(folder.path().join("few.yaml"), few.join("\n")).unwrap();
    let taught = folder.json(&["teach", "--file", "few.yaml", "--json"]);
    assert!(!taught["learned"].as_array().unwrap().is_empty(), "{taught}");
    assert!(folder.json(&["tune", "--json"])["frontier"].as_array().is_some_and(|list| !list.is_empty()));
}

/// The newest run.
fn newest(folder: &Folder) -> String {
    folder.json(&["runs", "--json"])["items"][0]["run_id"].as_str().unwrap().to_owned()
}

#[test]
fn requests_are_counted_corrected_and_decided() {
    let folder = Folder::new();
    assert!(folder.ok(&["learning"]).contains("No requests yet"));
    folder.fails(&["do", "people worth ringing back"]);
    let run = newest(&folder);
    let refused = folder.fails(&["learning", "correct", &run]);
    assert!(refused.contains("name the tool or playbook that was meant"), "{refused}");
    let told = folder.ok(&["learning", "correct", &run, "--meant", "leads.list_by_stage", "--as", "ann"]);
    assert!(told.contains("“people worth ringing back” means leads.list_by_stage"), "{told}");
    assert!(
        folder
            .ok(&["learning", "cases"])
            .contains("→ leads.list_by_stage by 1 person · checked whenever a phrase is learned")
    );
    let status = folder.ok(&["learning"]);
    assert!(status.contains("1 gathering") && status.contains("corrected"), "{status}");
    assert!(folder.ok(&["learning", "candidates"]).contains("It was used once; it needs at least 5 uses."));
    assert_eq!(folder.json(&["learning", "candidates", "--state", "ready", "--json"])["items"], Value::Array(vec![]));
    assert!(folder.ok(&["learning", "run"]).contains("Nothing is ready"));
    // A person can promote before the gates are passed.
    folder.ok(&["learning", "promote", "people worth ringing back", "leads.list_by_stage"]);
    let answer = folder.json(&["do", "people worth ringing back", "--json"]);
    assert_eq!(answer["planned_tool_calls"][0]["tool_name"], "leads.list_by_stage", "{answer}");
    assert!(folder.fails(&["learning", "promote", "who are they", "leads.get"]).contains("is not a candidate"));
}

#[test]
fn a_rejected_phrase_no_longer_matches() {
    let folder = Folder::new();
    let said = ["explain", "how is the system doing"];
    assert!(folder.ok(&said).contains("Check the system"));
    folder.ok(&["learning", "reject", "how is the system doing", "os.health_check", "--why", "we mean the roof"]);
    let explained = folder.ok(&said);
    assert!(!explained.contains("Do you mean “Check the system”?"), "{explained}");
    assert!(folder.ok(&["learning", "blocklist"]).contains("we mean the roof"));
    let refused = folder.fails(&["teach", "how is the system doing", "os.health_check"]);
    assert!(refused.contains("we mean the roof") && refused.contains("--replace"), "{refused}");
    folder.ok(&["learning", "unblock", "how is the system doing", "os.health_check"]);
    assert!(folder.ok(&said).contains("Check the system"));
    assert!(folder.ok(&["audit"]).contains("unblock"));
}

#[test]
fn a_run_is_explained_from_its_log() {
    let folder = Folder::new();
    assert!(folder.ok(&["explain", "my plate"]).contains("nothing that the packs can do"));
    assert!(!folder.path().join("b.db").exists(), "explaining creates no store");
    folder.ok(&["do", "pls creat a task: Call Bob"]);
    let run = newest(&folder);
    // Later teaching does not change the explanation of an earlier run.
    folder.ok(&["teach", "creat a task: {content}", "os.create_note", "--replace"]);
    assert!(folder.ok(&["explain", "pls creat a task: Call Bob"]).contains("os.create_note"), "taught phrases count");
    let text = folder.ok(&["explain", &run]);
    for part in ["is understood as Create a task", "“creat” was read as “create”", "Next best was", "brain runs show"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(folder.json(&["explain", &run, "--json"])["understanding"]["intents"][0]["target"], "os.create_task");
    assert!(folder.fails(&["explain", "01a1e36d-a725-7efd-81cf-17fe06286034"]).contains("there is no run"));
    // A personal phrase applies only to its user, on the command line too.
    folder.ok(&["teach", "what is on my plate", "os.list_tasks", "--own"]);
    assert!(folder.ok(&["explain", "what is on my plate"]).contains("a phrase that you taught for yourself"));
}
