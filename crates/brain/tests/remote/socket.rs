//! The Unix socket of a server: commands on this machine talk to it instead of opening the store themselves.

use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};

use super::Project;
use super::common::{json, text};

/// A project whose server has a pack that its commands do not load.
fn project() -> Project {
    let project = Project::new();
    project.write_pack();
    project.write("brain.yaml", "store: sqlite:data.db\n");
    project
}

#[test]
fn the_printed_hint_works_when_it_is_pasted() {
    let project = project();
    let _server = project.serve(&["--pack", "memos"]);
    let staged = text(&project.ok(&["do", "jot buy milk", "--mode", "plan"]));
    let hint =
        staged.lines().find_map(|line| line.split_once("To run it: brain ")).unwrap_or_else(|| panic!("{staged}")).1;
    let words: Vec<&str> = hint.split_whitespace().collect();
    assert_eq!(words[0], "approve");
    let done = text(&project.ok(&words));
    assert!(done.contains("completed"), "{done}");
    assert!(text(&project.ok(&["dlq", "list"])).contains("No dead letters."));
}

#[test]
fn the_socket_is_private_and_goes_with_its_server() {
    let project = project();
    let socket = project.path("data.db.sock");
    let mut server = project.serve(&["--pack", "memos"]);
    let there = std::fs::metadata(&socket).unwrap();
    assert!(there.file_type().is_socket());
    assert_eq!(there.permissions().mode() & 0o777, 0o600);
    // A second server on the store works without one.
    let second = project.serve(&["--pack", "memos"]);
    second.kill();
    assert!(socket.exists(), "the first server still has it");
    server.terminate();
    assert!(server.ended().success());
    assert!(!socket.exists());
}

#[test]
fn a_socket_that_a_killed_server_left_behind_stops_nobody() {
    let project = project();
    project.serve(&["--pack", "memos"]).kill();
    assert!(project.path("data.db.sock").exists(), "nobody could remove it");
    assert!(text(&project.ok(&["do", "create task: A"])).contains("completed"), "the command works by itself");
    let _server = project.serve(&["--pack", "memos"]);
    project.ok(&["do", "jot buy milk"]);
}

#[test]
fn the_actor_is_the_user_of_this_machine_unless_named() {
    let project = project();
    let _server = project.serve(&["--pack", "memos"]);
    let user = String::from_utf8(std::process::Command::new("id").arg("-un").output().unwrap().stdout).unwrap();
    let actor = |args: &[&str]| {
        let run = json(&project.ok(args));
        let shown = json(&project.ok(&["runs", "show", run["run_id"].as_str().unwrap(), "--json"]));
        (shown["request"]["actor"].clone(), shown["request"]["channel"].clone())
    };
    assert_eq!(actor(&["do", "jot one", "--json"]), (user.trim().into(), "cli".into()));
    assert_eq!(actor(&["do", "jot two", "--json", "--as", "maria"]), ("maria".into(), "cli".into()));
}

#[test]
fn a_command_works_for_the_tenant_that_it_names() {
    let project = project();
    let _server = project.serve(&["--pack", "memos"]);
    project.ok(&["do", "jot secret plans", "--tenant", "acme"]);
    let mine = text(&project.ok(&["records", "list", "memo"]));
    assert!(!mine.contains("secret plans"), "{mine}");
    let theirs = text(&project.ok(&["records", "list", "memo", "--tenant", "acme"]));
    assert!(theirs.contains("secret plans"), "{theirs}");
}

#[test]
fn without_a_server_a_run_of_another_pack_is_left_alone() {
    let project = project();
    let staged = json(&project.ok(&["do", "jot buy milk", "--mode", "plan", "--pack", "memos", "--json"]));
    let (approval, run) = (staged["approval_id"].as_str().unwrap(), staged["run_id"].as_str().unwrap());
    for words in [vec!["approve", approval], vec!["approve", run], vec!["runs", "undo", run]] {
        let refused = project.run(&words);
        assert_eq!(refused.status.code(), Some(1));
        let told = text(&refused);
        assert!(told.contains("pack `memos`") && told.contains("nothing was changed"), "{told}");
        let problem = json(&project.run(&[words.as_slice(), &["--json"]].concat()));
        assert_eq!((&problem["code"], &problem["status"]), (&"pack_not_loaded".into(), &409.into()));
    }
    let done = text(&project.ok(&["approve", approval, "--pack", "memos"]));
    assert!(done.contains("completed"), "{done}");
}
