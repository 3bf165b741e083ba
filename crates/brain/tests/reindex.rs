//! A pack that gives its records a name later, as an operator sees it.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::path::Path;

use common::{json, run, text};
use serde_json::json;

fn write_pack(folder: &Path, naming: &str) {
    let files = [
        ("pack.yaml", "name: club\nversion: 1.0.0\n".to_owned()),
        ("records/member.yaml", format!("record: member\nfields: {{called: string}}\n{naming}")),
        (
            "tools/club.yaml",
            "domain: club\ntools:\n  add:\n    title: Add a member\n    input: {called: string}\n    \
             phrases: [\"add member {called}\"]\n    consent: none\n    undo: {tool: club.drop, args: {member_id: = result.member_id}}\n    \
             behavior: {record: {insert: member, set: {called: = input.called}}}\n  \
             drop:\n    title: Drop a member\n    input: {member_id: {entity: member}}\n    undo: none\n    \
             behavior: {record: {delete: member}}\n  \
             show:\n    title: Show a member\n    input: {member_id: {entity: member}}\n    \
             phrases: [\"show member {member_id}\"]\n    behavior: {record: {get: member}}\n"
                .to_owned(),
        ),
    ];
    for (name, content) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
}

#[test]
fn records_from_before_they_had_names_are_found_after_reindexing() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("b.db");
    let pack = folder.path().join("club").display().to_string();
    let brain = |args: &[&str]| run(&store, &[args, &["--pack", &pack]].concat());
    write_pack(Path::new(&pack), "");
    assert_eq!(brain(&["do", "add member Kim Park"]).status.code(), Some(0));
    write_pack(Path::new(&pack), "label: called\n");

    let lost = brain(&["do", "show member Kim Park"]);
    assert!(text(&lost).contains("To rebuild them: brain records reindex"), "{}", text(&lost));
    let doctor = brain(&["doctor"]);
    assert!(text(&doctor).contains("stale lookup indexes for member"), "{}", text(&doctor));

    let unknown = brain(&["records", "reindex", "membr"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(text(&unknown).contains("no record type `membr`; they have member"), "{}", text(&unknown));
    let would = json(&brain(&["records", "reindex", "--dry-run", "--json"]));
    assert_eq!(
        would["types"],
        json!([{"tenant": "default", "type": "member", "looked_at": 1, "indexed": 1, "written_meanwhile": 0, "refused": 0, "reasons": []}])
    );
    let done = brain(&["records", "reindex", "--all"]);
    assert!(text(&done).contains("member: 1 checked, 1 reindexed"), "{}", text(&done));
    assert!(text(&brain(&["audit"])).contains("records reindex"));
    assert_eq!(
        json(&brain(&["records", "reindex", "member", "--json"]))["types"][0]["indexed"],
        0,
        "a second time changes nothing"
    );

    let found = brain(&["do", "show member Kim Park"]);
    assert_eq!(found.status.code(), Some(0), "{}", text(&found));
    assert!(text(&brain(&["doctor"])).contains("lookup indexes are up to date"));
}
