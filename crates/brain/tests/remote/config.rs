//! `brain.yaml`, its variables and flags, and `brain config`.

use serde_json::Value;

use super::Project;
use super::common::{json, text};

fn item<'a>(shown: &'a Value, key: &str) -> &'a Value {
    shown["items"].as_array().unwrap().iter().find(|item| item["key"] == key).unwrap()
}

#[test]
fn a_project_file_is_found_from_a_folder_below_it_and_its_paths_are_its_own() {
    let project = Project::new();
    project.write_pack();
    project.write("brain.yaml", "store: sqlite:data.db\npacks: [memos]\nslots: 64\n");
    let below = project.path("some/where");
    std::fs::create_dir_all(&below).unwrap();
    let done = project.brain_in(&below).args(["do", "jot buy milk"]).output().unwrap();
    assert_eq!(done.status.code(), Some(0), "{}", text(&done));
    assert!(project.path("data.db").exists(), "the store is next to the file");
    let shown = json(&project.brain_in(&below).args(["config", "show", "--json"]).output().unwrap());
    assert_eq!(item(&shown, "slots")["value"], 64);
    assert_eq!(item(&shown, "slots")["from"], "brain.yaml:3");
}

#[test]
fn flags_beat_variables_which_beat_the_file_and_show_says_so() {
    let project = Project::new();
    project.write("brain.yaml", "slots: 1\nwaiting: 1\ndrain: 1s\n");
    let mut command = project.brain();
    command
        .env("BRAIN_SLOTS", "2")
        .env("BRAIN_WAITING", "2")
        .args(["config", "show", "--json", "--setting", "slots=3"]);
    let shown = json(&command.output().unwrap());
    let of = |key| (item(&shown, key)["value"].clone(), item(&shown, key)["origin"].clone());
    assert_eq!(of("slots"), (3.into(), "flag".into()));
    assert_eq!(of("waiting"), (2.into(), "environment".into()));
    assert_eq!(of("drain"), ("1s".into(), "file".into()));
    assert_eq!(of("tenants"), (Value::Null, "default".into()));
    let plain = text(&project.run(&["config", "show"]));
    assert!(plain.contains("brain.yaml:1"), "{plain}");
    assert!(plain.lines().all(|line| line.chars().count() <= 80 || line.contains("file ")), "{plain}");
}

#[test]
fn an_unknown_key_stops_every_command_with_its_place_and_the_right_name() {
    let project = Project::new();
    project.write("brain.yaml", "slots: 3\nstroe: sqlite:x.db\n");
    let output = project.run(&["runs"]);
    assert_eq!(output.status.code(), Some(2));
    let told = text(&output);
    for part in ["brain.yaml", "line 2, column 1", "did you mean `store`?"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let other = project.write("other.yaml", "slots: 5\n");
    let shown = project.ok(&["config", "show", "--json", "--config", other.to_str().unwrap()]);
    assert_eq!(item(&json(&shown), "slots")["value"], 5);
    let wrong = project.run(&["config", "show", "--config", other.to_str().unwrap(), "--setting", "slotz=1"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong).contains("did you mean `slots`?"), "{}", text(&wrong));
}

#[test]
fn secrets_are_masked() {
    let project = Project::new();
    project.write("brain.yaml", "profiles: {prod: {server: \"http://127.0.0.1:1\", token: \"env:PROD_TOKEN\"}, at: {server: \"http://u:hunter2@127.0.0.1:1\"}}\n");
    let mut command = project.brain();
    command.env("BRAIN_TOKEN", "brn_hunter2").env("BRAIN_NOTIFY_WEBHOOK", "https://hooks.example.com/T0/hunter2");
    command.env("BRAIN_SERVER", "http://u:hunter2@h:1/x?token=hunter2");
    command.env("BRAIN_STORE", "postgres://u:hunter2@db/x").args(["config", "show"]);
    let plain = text(&command.output().unwrap());
    assert!(!plain.contains("hunter2"), "{plain}");
    assert!(plain.contains("env:PROD_TOKEN") && plain.contains("hooks.example.com"), "{plain}");
}

#[test]
fn an_unusable_value_is_wrong_usage_wherever_it_comes_from() {
    let project = Project::new();
    let mut command = project.brain();
    let output = command.env("BRAIN_SLOTS", "x").args(["runs"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    project.ok(&["do", "create task: A", "--store", "sqlite:a.db"]);
    for words in [
        ["runs", "--store", "postgres://127.0.0.1:1/x"].as_slice(),
        &["runs", "list", "--cursor", "zzz", "--store", "sqlite:a.db"],
    ] {
        let output = project.run(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", text(&output));
        assert!(!text(&output).contains("the store failed"), "{}", text(&output));
    }
}

#[test]
fn a_file_that_is_there_or_missing_has_a_code_of_its_own() {
    let project = Project::new();
    project.ok(&["do", "create task: A", "--store", "sqlite:a.db"]);
    project.write("b.db", "");
    for (words, code, status) in [
        (["admin", "backup", "b.db", "--json"].as_slice(), "file_exists", 409),
        (&["admin", "restore", "nofile", "--force", "--json"], "no_such_file", 404),
    ] {
        let told = json(&project.run(&[words, &["--store", "sqlite:a.db"]].concat()));
        assert_eq!((&told["code"], &told["status"]), (&code.into(), &status.into()), "{told}");
        assert!(!told["detail"].as_str().unwrap().contains("store failed"), "{told}");
    }
}

#[test]
fn a_starter_file_changes_nothing_until_it_is_edited() {
    let project = Project::new();
    project.ok(&["config", "init"]);
    let shown = json(&project.ok(&["config", "show", "--json"]));
    assert!(shown["items"].as_array().unwrap().iter().all(|item| item["origin"] == "default"), "{shown}");
    assert!(shown["file"].as_str().unwrap().ends_with("brain.yaml"));
    assert_eq!(project.run(&["config", "init"]).status.code(), Some(1), "it is not overwritten");
}
