//! The command line, used as a new user would.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use common::{json, run, text};
use serde_json::{Value, json};

fn store() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.db");
    (folder, path)
}

#[test]
fn do_prints_the_run_response_of_the_contract() {
    let (_folder, store) = store();
    let output = run(&store, &["do", "create task: Call Bob", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let answer = json(&output);
    for field in [
        "ok", "run_id", "decision", "planned_tool_calls", "enqueued", "receipts", "assistant_message", "next_actions",
        "errors",
    ] {
        assert!(answer.get(field).is_some(), "{field} is missing");
    }
    assert_eq!(answer["decision"]["mode_used"], "enqueue_and_wait");
    assert_eq!(answer["decision"]["reason"], "Matched a phrase of os.create_task");
    assert_eq!(answer["planned_tool_calls"][0]["input"], json!({"title": "Call Bob", "domain": "business"}));
    assert_eq!(answer["enqueued"][0]["call_id"], answer["receipts"][0]["call_id"]);
    let task = answer["receipts"][0]["result"]["task_id"].as_str().unwrap();
    assert_eq!(answer["next_actions"], json!([format!("Task created: {task}")]));

    // Another process sees it, and the list shows it.
    let list = json(&run(&store, &["do", "list tasks", "--json"]));
    assert_eq!(list["receipts"][0]["result"]["count"], 1);
    assert_eq!(list["receipts"][0]["result"]["tasks"][0]["title"], "Call Bob");
}

#[test]
fn answer_and_plan_run_nothing_enqueue_queues_and_enqueue_and_wait_waits() {
    let (_folder, store) = store();
    let ask = |mode: &str| json(&run(&store, &["do", "create note: x", "--mode", mode, "--json"]));
    let count = || {
        let found = json(&run(&store, &["do", "search notes for x", "--json"]));
        found["receipts"][0]["result"]["count"].as_u64().unwrap()
    };
    for mode in ["answer", "plan"] {
        let answer = ask(mode);
        assert_eq!(
            (&answer["ok"], &answer["enqueued"], &answer["receipts"]),
            (&json!(true), &json!([]), &json!([])),
            "{mode}"
        );
        assert_eq!(answer["planned_tool_calls"][0]["tool_name"], "os.create_note");
    }
    assert_eq!(count(), 0);
    let enqueued = ask("enqueue");
    assert_eq!((enqueued["enqueued"].as_array().unwrap().len(), &enqueued["receipts"]), (1, &json!([])));
    let waited = ask("enqueue_and_wait");
    assert_eq!(waited["receipts"][0]["status"], "succeeded");
    assert_eq!(count(), 2);
}

#[test]
fn a_plan_waits_until_it_is_approved() {
    let (_folder, store) = store();
    let staged = json(&run(&store, &["do", "create task: A", "--mode", "plan", "--json"]));
    let id = staged["approval_id"].as_str().unwrap();
    let waiting = json(&run(&store, &["approve", "--json"]));
    assert_eq!(waiting["items"][0]["approval_id"], id);
    let output = run(&store, &["approve", id, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert_eq!(json(&output)["status"], "completed");
    let again = run(&store, &["approve", id]);
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again).contains("already been decided"), "{}", text(&again));
}

#[test]
fn inspect_shows_the_run_and_replay_rebuilds_it() {
    let (_folder, store) = store();
    let answer = json(&run(&store, &["do", "new job for Bob Smith 0412 345 678 in Ryde", "--json"]));
    let id = answer["run_id"].as_str().unwrap();
    let story = text(&run(&store, &["inspect", id]));
    for part in ["received", "understood", "trades.intake", "leads.create", "inspection.create", "created", "completed"]
    {
        assert!(story.contains(part), "{part} is missing in:\n{story}");
    }
    let steps = story.split_once("received").unwrap().1;
    for shown in ["0412 345 678", "0412345678", "+61412345678", "Bob"] {
        assert!(!steps.contains(shown), "personal values are hidden in the story:\n{steps}");
    }
    let replayed = run(&store, &["replay", id]);
    assert_eq!(replayed.status.code(), Some(0));
    assert!(text(&replayed).contains("the log matches the stored state"), "{}", text(&replayed));
    let facts = json(&run(&store, &["replay", id, "--json"]));
    assert_eq!((&facts["ok"], &facts["executed"], &facts["receipts"]), (&json!(true), &json!(0), &json!(2)));
    let events = json(&run(&store, &["inspect", id, "--json"]))["events"].clone();
    assert!(!events.to_string().contains("0412"), "personal values are hidden in events");
}

#[test]
fn replay_detects_a_damaged_log() {
    let (_folder, store) = store();
    let answer = json(&run(&store, &["do", "create task: A", "--json"]));
    let id = answer["run_id"].as_str().unwrap();
    let file = rusqlite::Connection::open(&store).unwrap();
    file.execute("UPDATE runs SET status = 'failed'", []).unwrap();
    drop(file);
    let replayed = run(&store, &["replay", id]);
    assert_eq!(replayed.status.code(), Some(1));
    assert!(text(&replayed).contains("completed"), "{}", text(&replayed));
}

#[test]
fn a_damaged_row_does_not_prevent_the_start() {
    let (_folder, store) = store();
    let staged = json(&run(&store, &["do", "create task: A", "--mode", "plan", "--json"]));
    let file = rusqlite::Connection::open(&store).unwrap();
    file.execute("UPDATE log SET events = '{not json'", []).unwrap();
    file.execute("UPDATE runs SET status = 'waiting', wake_at = 1", []).unwrap();
    drop(file);
    let server = common::Server::start(&store, &[]);
    let other = json(&run(&store, &["do", "create task: B", "--json"]));
    assert_eq!(other["ok"], true);
    server.kill();
    let broken = run(&store, &["inspect", staged["run_id"].as_str().unwrap()]);
    assert_eq!(broken.status.code(), Some(1));
    assert!(text(&broken).contains("cannot be read"), "{}", text(&broken));
}

#[test]
fn exit_codes_reflect_the_outcome() {
    let (_folder, store) = store();
    for (args, code) in [
        (vec!["do", "list tasks"], 0),
        (vec!["do", "complete task not-a-uuid"], 1),
        (vec!["do", "complete task 01890a5d-ac96-774b-bcce-b302099a8057"], 1),
        (vec!["inspect", "01890a5d-ac96-774b-bcce-b302099a8057"], 1),
        (vec!["frobnicate"], 2),
        (vec!["do"], 2),
        (vec!["do", "x", "--mode", "wild"], 2),
        (vec!["doctor"], 0),
        (vec!["runs", "--json"], 0),
        (vec!["pack", "check"], 0),
    ] {
        let output = run(&store, &args);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}", text(&output));
    }
}

#[test]
fn the_demo_ends_by_itself_without_a_terminal() {
    let (_folder, store) = store();
    let output = run(&store, &["demo"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    for part in ["create task: Call Bob", "plan ", "receipt", "601.26", "final and cannot change"] {
        assert!(text(&output).contains(part), "{part} is missing in:\n{}", text(&output));
    }
}

#[test]
fn tokens_are_created_listed_and_revoked() {
    let (_folder, store) = store();
    let made = json(&run(&store, &["token", "new", "--tenant", "acme", "--label", "ci", "--json"]));
    let secret = made["token"].as_str().unwrap();
    assert!(secret.starts_with("brn_"));
    let bytes: Vec<u8> = ["b.db", "b.db-wal"]
        .iter()
        .filter_map(|name| std::fs::read(store.with_file_name(name)).ok())
        .flatten()
        .collect();
    let half = secret.rsplit('_').next().unwrap().as_bytes();
    assert!(!bytes.windows(half.len()).any(|window| window == half), "the secret half is not stored");
    let id = made["id"].as_str().unwrap();
    assert_eq!(run(&store, &["token", "revoke", id]).status.code(), Some(0));
    let listed: Value = json(&run(&store, &["token", "list", "--json"]));
    assert_eq!((&listed["items"][0]["revoked"], &listed["items"][0]["tenant"]), (&json!(true), &json!("acme")));
}

#[test]
fn a_new_pack_is_clean_and_its_tests_pass() {
    let (folder, store) = store();
    let made = common::brain(&store).args(["pack", "new", "shop"]).current_dir(folder.path()).output().unwrap();
    assert_eq!(made.status.code(), Some(0), "{}", text(&made));
    let pack = folder.path().join("shop").display().to_string();
    for command in ["check", "test"] {
        let output = run(&store, &["pack", command, &pack]);
        assert_eq!(output.status.code(), Some(0), "{command}: {}", text(&output));
    }
    let twice = common::brain(&store).args(["pack", "new", "shop"]).current_dir(folder.path()).output().unwrap();
    assert_eq!(twice.status.code(), Some(1));
}

#[test]
fn a_broken_pack_is_rejected_by_check_and_at_start_with_its_line() {
    let (folder, store) = store();
    let pack = folder.path().join("bad");
    std::fs::create_dir_all(pack.join("tools")).unwrap();
    std::fs::write(pack.join("pack.yaml"), "name: bad\nversion: 1.0.0\ntitle: Bad\n").unwrap();
    let tools = "domain: bad\ntools:\n  one:\n    title: One\n    input: {}\n    phrasses: [\"one thing\"]\n    behavior: {expr: {result: \"= 1 +\"}}\n";
    std::fs::write(pack.join("tools/bad.yaml"), tools).unwrap();
    let pack = pack.display().to_string();
    let check = run(&store, &["pack", "check", &pack]);
    assert_eq!(check.status.code(), Some(1));
    let shown = text(&check);
    assert!(shown.contains("bad.yaml:6") && shown.contains("phrasses") && shown.contains("phrases"), "{shown}");
    assert!(shown.contains("bad.yaml:7"), "{shown}");
    let start = run(&store, &["--pack", &pack, "serve"]);
    assert_eq!(start.status.code(), Some(1));
    assert!(text(&start).contains("bad.yaml:6"), "{}", text(&start));
}

#[test]
fn the_benchmark_counts_runs_and_commits() {
    let (folder, _) = store();
    let file = folder.path().join("bench.db");
    for (tools, expected) in [("record", 1.0), ("outside", 6.0)] {
        let output = run(
            &file,
            &["bench", "runs", "--steps", "5", "--runs", "60", "--in-flight", "8", "--tools", tools, "--json"],
        );
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
        let figures = json(&output);
        for name in ["runs_per_second", "steps_per_second", "p50_ms", "p99_ms", "syncs_per_run"] {
            assert!(figures[name].as_f64().is_some_and(|value| value > 0.0), "{name}: {figures:#}");
        }
        let commits = figures["commits_per_run"].as_f64().unwrap();
        assert!((commits - expected).abs() < 0.5, "{tools}: {commits} commits a run");
    }
}

#[test]
fn a_dead_letter_is_listed_shown_escalated_and_resolved() {
    let (folder, store) = store();
    let pack = folder.path().join("gone");
    std::fs::create_dir_all(pack.join("tools")).unwrap();
    // Nothing listens there any more.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    std::fs::write(pack.join("pack.yaml"), format!("name: gone\nversion: 1.0.0\ntitle: Gone\nhosts: [\"{free}\"]\n"))
        .unwrap();
    let tools = format!(
        "domain: gone\ntools:\n  call:\n    title: Call\n    input: {{}}\n    phrases: [\"call them\"]\n    behavior: {{http: {{method: POST, url: \"http://{free}/\"}}}}\n    retry: {{attempts: 2, delay: 1ms, jitter: 0}}\n    undo: none\n"
    );
    std::fs::write(pack.join("tools/gone.yaml"), tools).unwrap();
    let pack = pack.display().to_string();
    let gone = |args: &[&str]| run(&store, &[&["--pack", &pack, "--allow-private-hosts"], args].concat());
    let failed = gone(&["do", "call them", "--json"]);
    assert_eq!(failed.status.code(), Some(1), "{}", text(&failed));
    assert_eq!(json(&failed)["errors"][0]["code"], "dead_letter");
    let list = json(&gone(&["dlq", "list", "--json"]));
    let letter = list["items"][0].clone();
    let id = letter.to_string();
    let id = id.split('"').find(|part| part.len() == 36).unwrap();
    let shown = text(&gone(&["dlq", "show", id]));
    assert!(shown.contains("attempt 2") && shown.contains("network_error"), "{shown}");
    assert_eq!(gone(&["dlq", "escalate", id, "--to", "support"]).status.code(), Some(0));
    let again = gone(&["dlq", "retry", id]);
    assert_eq!(again.status.code(), Some(1), "it still fails: {}", text(&again));
    let unsaid = gone(&["dlq", "resolve", id, "--note", " "]);
    assert_eq!(unsaid.status.code(), Some(2), "a note is required");
    let resolved = gone(&["dlq", "resolve", id, "--note", "called by phone", "--json"]);
    assert_eq!(resolved.status.code(), Some(0), "{}", text(&resolved));
    assert_eq!(json(&resolved)["status"], "completed");
    assert!(text(&gone(&["dlq", "list"])).contains("No dead letters"));
}

#[test]
fn packs_are_written_up_imported_and_described_for_editors() {
    let (folder, store) = store();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let page = at("trades.html");
    assert_eq!(run(&store, &["pack", "docs", "--html", "-o", &page]).status.code(), Some(0));
    assert!(std::fs::read_to_string(&page).unwrap().contains("<svg class=\"drawing\""));
    assert!(text(&run(&store, &["pack", "docs"])).starts_with("# Trades"));

    let schema = json(&run(&store, &["pack", "schema", "record"]));
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(run(&store, &["pack", "schema", "nonsense"]).status.code(), Some(1));
    assert_eq!(run(&store, &["pack", "schema"]).status.code(), Some(2));

    let source = at("actions.json");
    std::fs::write(&source, r#"{"action_id": "ping", "display_name": "Ping", "category": "ops", "owner": "me"}"#)
        .unwrap();
    let pack = at("ops");
    let made = json(&run(&store, &["pack", "import", "registry", &source, "-o", &pack, "--json"]));
    assert_eq!((&made["ok"], &made["tools"]), (&json!(true), &json!(1)), "{made}");
    assert!(made["notes"].as_array().unwrap().iter().any(|note| note["key"] == "owner"), "{made}");
    let again = run(&store, &["pack", "import", "registry", &source, "-o", &pack]);
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again).contains("--force"), "{}", text(&again));
    assert_eq!(run(&store, &["pack", "import", "registry", &source, "-o", &pack, "--force"]).status.code(), Some(0));

    let steps = at("ping.playbook.yaml");
    std::fs::write(
        &steps,
        "id: ping-twice\nname: Ping twice\nsteps:\n  - {id: a, verb: ops.ping}\n  - {id: b, verb: ops.pong}\n",
    )
    .unwrap();
    let into = run(&store, &["pack", "import", "playbook", &steps, "--into", &pack]);
    assert_eq!(into.status.code(), Some(0), "{}", text(&into));
    assert_eq!(run(&store, &["pack", "check", &pack]).status.code(), Some(0));

    std::fs::write(&source, "{\"action_id\": \"x\",\n \"b\" 2}").unwrap();
    let bad = run(&store, &["pack", "import", "registry", &source, "-o", &at("other")]);
    assert_eq!(bad.status.code(), Some(1));
    assert!(text(&bad).contains("actions.json:2"), "{}", text(&bad));
}

#[test]
fn reading_creates_no_store() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("none/there/b.db");
    let none = "01890a5d-ac96-774b-bcce-b302099a8057";
    for args in [&["runs"][..], &["inspect", none], &["dlq", "list"], &["gc"], &["approve"], &["token", "list"]] {
        let output = run(&store, args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(text(&output).contains("there is no store at"), "{args:?}: {}", text(&output));
        assert!(!folder.path().join("none").exists(), "{args:?} created something");
    }
}

/// The address is reserved for documentation (RFC 5737), so nothing can listen on it.
#[test]
fn a_reachable_server_requires_a_token_first() {
    let (_folder, store) = store();
    let serve = |more: &[&str]| run(&store, &[&["serve", "--addr", "192.0.2.1:7700"], more].concat());
    let refused = serve(&[]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused).contains("brain admin token new"), "{}", text(&refused));
    assert!(text(&serve(&["--without-tokens"])).contains("cannot listen"), "the option overrides the check");
    assert!(run(&store, &["token", "new", "--tenant", "acme"]).status.success());
    assert!(text(&serve(&[])).contains("cannot listen"), "an existing token satisfies the check");
}

#[test]
fn a_closed_pipe_ends_a_command_quietly() {
    let (_folder, store) = store();
    assert!(run(&store, &["do", "create task: Call Bob"]).status.success());
    for args in [
        &["pack", "docs", "packs/trades"][..],
        &["completions", "bash"],
        &["--help"],
        &["runs"],
        &["runs", "--json"],
        &["records", "export", "task"],
        &["records", "export", "task", "--format", "jsonl"],
        &["events"],
    ] {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_brain"))
            .args(args)
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
            .env("BRAIN_STORE", format!("sqlite:{}", store.display()))
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(141), "{args:?}: {}", text(&output));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    }
}

#[test]
fn the_exit_code_says_whether_the_request_was_done() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("s.db");
    let code = |args: &[&str]| run(&store, args).status.code();
    assert_eq!(code(&["do", "create task: Call Bob"]), Some(0));
    assert_eq!(code(&["do", "hello"]), Some(0), "small talk is answered");
    assert_eq!(code(&["do", "sing me a song"]), Some(1), "not understood");
    assert_eq!(code(&["do", "create task: Call Ann", "--mode", "plan"]), Some(0), "staged, as asked");
    assert_eq!(code(&["do", "create task: Call Ann", "--mode", "answer"]), Some(0), "shown, as asked");
    assert_eq!(code(&["do", "complete task: Nobody"]), Some(1), "no such task");
    assert_eq!(code(&["nonsense"]), Some(2));
}

#[test]
fn errors_are_problem_documents_with_json() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("s.db");
    assert!(run(&store, &["do", "create task: Call Bob"]).status.success());
    let output = run(&store, &["runs", "show", "01890a5d-ac96-774b-bcce-b302099a8057", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let problem = json(&output);
    assert_eq!((&problem["code"], &problem["status"]), (&json!("no_such_run"), &json!(404)), "{problem:#}");
    assert!(output.stderr.is_empty());
    // Wrong usage has its own code, and so has a text that is not an id.
    for args in [
        &["runs", "show", "nonsense"][..],
        &["approve", "nonsense"],
        &["dlq", "retry", "nonsense"],
        &["dlq", "resolve", "01890a5d-ac96-774b-bcce-b302099a8057", "--note", " "],
        &["records", "get", "task", "nonsense"],
        &["admin", "token", "revoke", "nonsense"],
        &["blob", "get", "nonsense"],
        &["runs", "--status", "bogus"],
        &["runs", "show"],
        &["no-such-command"],
        &["do"],
    ] {
        let output = run(&store, &[args, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output));
        let problem = json(&output);
        assert_eq!((&problem["code"], &problem["status"]), (&json!("usage"), &json!(400)), "{args:?}: {problem:#}");
        assert!(!problem["detail"].as_str().unwrap().is_empty(), "{args:?}");
        assert!(output.stderr.is_empty(), "{args:?}: {}", text(&output));
        assert_eq!(run(&store, args).status.code(), Some(2), "{args:?} without --json");
    }
    let help = run(&store, &["runs", "--help", "--json"]);
    assert!(help.status.success() && text(&help).contains("Usage:"), "{}", text(&help));
}

#[test]
fn the_demo_tells_its_story_with_the_built_in_pack() {
    let folder = tempfile::tempdir().unwrap();
    let demo = common::brain(&folder.path().join("s.db"))
        .env_remove("BRAIN_STORE")
        .env("BRAIN_PACK", "/nowhere/at/all")
        .args(["demo", "--once"])
        .output()
        .unwrap();
    assert!(demo.status.success(), "{}", text(&demo));
    assert!(text(&demo).contains("Everything has a receipt"), "{}", text(&demo));
    let told = json(&run(&folder.path().join("t.db"), &["demo", "--once", "--json"]));
    assert!(told["ok"] == true && told["runs"].as_array().unwrap().len() > 5, "{told}");
    let man = folder.path().join("man");
    let pages = json(&run(&folder.path().join("t.db"), &["dev", "man", man.to_str().unwrap(), "--json"]));
    assert!(pages["pages"].as_u64().unwrap() > 10, "{pages}");
}

#[test]
fn the_command_line_rejects_what_the_api_rejects() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("s.db");
    for (flag, value) in [
        ("--max-cost", "abc"),
        ("--idempotency-key", "a b c"),
        ("--idempotency-key", ""),
        ("--context", "[1]"),
        ("--conversation", "tuesday"),
        ("--wait-timeout-ms", "120001"),
        ("--max-tool-calls", "0"),
    ] {
        let output = run(&store, &["do", "create task: Call Bob", flag, value]);
        assert_eq!(output.status.code(), Some(2), "{flag} {value}: {}", text(&output));
        assert!(text(&output).contains(flag), "{flag} {value}: {}", text(&output));
    }
    assert_eq!(run(&store, &["runs", "--status", "bogus"]).status.code(), Some(2));
    assert!(!store.exists(), "none of these became a run");
}

#[test]
fn a_request_is_read_from_standard_input_and_only_the_answer_is_printed() {
    use std::io::Write as _;
    let folder = tempfile::tempdir().unwrap();
    let mut child = common::brain(&folder.path().join("s.db"))
        .args(["do", "-", "--quiet"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"create task: Call Bob\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "Task created: Call Bob\n");
}

#[test]
fn groups_and_old_names_are_the_same_commands() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("s.db");
    let made = json(&run(&store, &["do", "create task: Call Bob", "--json"]));
    let id = made["run_id"].as_str().unwrap();
    for (group, old) in
        [(vec!["runs", "show", id], vec!["inspect", id]), (vec!["runs", "why", id], vec!["why-waiting", id])]
    {
        let (group, old) = (run(&store, &group), run(&store, &old));
        assert_eq!((group.status.code(), group.stdout), (Some(0), old.stdout));
    }
    assert_eq!(run(&store, &["admin", "migrate", "--dry-run"]).status.code(), Some(0));
    let listed = text(&run(&store, &["records", "list", "task"]));
    assert!(listed.lines().nth(1).unwrap().starts_with("Call Bob  open"), "{listed}");
    let tools = text(&run(&store, &["tools"]));
    assert!(tools.contains("os.create_task") && tools.lines().all(|line| line.chars().count() <= 80), "{tools}");
    for shell in ["bash", "zsh", "fish"] {
        assert!(text(&run(&store, &["completions", shell])).contains("records"), "{shell}");
    }
    let pages = folder.path().join("man");
    assert!(run(&store, &["dev", "man", pages.to_str().unwrap()]).status.success());
    assert!(pages.join("brain-runs-show.1").exists());
}

#[test]
fn a_pack_problem_names_the_command_that_explains_it() {
    let (folder, store) = store();
    let pack = folder.path().join("broken");
    std::fs::create_dir(&pack).unwrap();
    std::fs::write(pack.join("pack.yaml"), "name: broken\nversion: 0.1.0\ntitel: Broken\n").unwrap();
    let checked = text(&run(&store, &["pack", "check", pack.to_str().unwrap()]));
    let hint = checked.lines().find_map(|line| line.split_once("= help: brain ")).map(|(_, command)| command);
    let hint: Vec<&str> = hint.unwrap_or_else(|| panic!("no hint in:\n{checked}")).split(' ').collect();
    assert_eq!(hint, ["pack", "explain", "P0101"]);

    let page = run(&store, &hint);
    assert_eq!(page.status.code(), Some(0));
    assert_eq!(text(&page), include_str!("../../../docs/errors/P0101.md"));
    assert_eq!(json(&run(&store, &["pack", "explain", "p0101", "--json"]))["title"], "Unknown key");
    let all = json(&run(&store, &["pack", "explain", "--json"]));
    assert!(all["items"].as_array().unwrap().iter().any(|item| item["code"] == "P1009"), "{all}");
    let unknown = run(&store, &["pack", "explain", "P9999"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown).contains("`brain pack explain` lists all codes"), "{}", text(&unknown));
}

#[test]
fn a_value_that_cannot_be_used_is_wrong_usage() {
    use std::io::Write as _;
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("s.db");
    assert!(run(&store, &["do", "create task: Call Bob"]).status.success());
    let twice = folder.path().join("twice.csv");
    std::fs::write(&twice, "name,name\nBob,Bob\n").unwrap();
    let missing = folder.path().join("missing.yaml");
    for args in [
        &["dlq", "retry", "--all", "--since", "yesterday-ish"][..],
        &["--config", missing.to_str().unwrap(), "runs"],
        &["pack", "new", "Bad Name"],
        &["pack", "explain", "P9999"],
        &["records", "import", "lead", twice.to_str().unwrap()],
        &["do", "list leads", "--max-cost", "abc"],
    ] {
        let output = run(&store, &[args, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output));
        assert_eq!(json(&output)["code"], "usage", "{args:?}");
    }
    let mut child = common::brain(&store)
        .args(["do", "-"])
        .stdin(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"create task \xff\xfe").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(text(&output).contains("UTF-8"), "{}", text(&output));
}

#[test]
fn packs_with_errors_are_one_problem_document() {
    let folder = tempfile::tempdir().unwrap();
    let pack = folder.path().join("shop");
    std::fs::create_dir(&pack).unwrap();
    std::fs::write(pack.join("pack.yaml"), "name: shop\nversion: 0.1.0\ntitel: Shop\n").unwrap();
    let output = run(&folder.path().join("s.db"), &["do", "hello", "--json", "--pack", pack.to_str().unwrap()]);
    let problem = json(&output);
    assert_eq!((output.status.code(), &problem["code"]), (Some(1), &json!("packs_refused")), "{problem:#}");
    let errors = problem["errors"].as_array().unwrap();
    assert!(errors.iter().any(|error| error["message"].as_str().unwrap().contains("titel")), "{problem:#}");
    assert!(errors[0]["field"].as_str().unwrap().contains("pack.yaml:"), "{problem:#}");
}

#[test]
fn what_is_not_json_is_not_printed_with_json() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("s.db");
    assert!(run(&store, &["do", "create task: Call Bob"]).status.success());
    for args in [&["records", "export", "task", "--json"][..], &["pack", "docs", "--json"]] {
        let output = run(&store, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output));
        assert_eq!(json(&output)["code"], "usage", "{args:?}");
    }
    assert!(run(&store, &["records", "export", "task", "--json", "--format", "jsonl"]).status.success());
}

#[test]
fn a_request_that_was_not_understood_is_listed_without_names_and_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("s.db");
    run(&store, &["do", "sing Tom Walsh a song 087 999 8888"]);
    for args in [&["runs", "--limit", "1"][..], &["runs", "--limit", "1", "--json"]] {
        let listed = text(&run(&store, args));
        assert!(listed.contains("sing [REDACTED] a song [REDACTED]"), "{args:?}: {listed}");
    }
}

#[test]
fn a_record_that_borrows_its_name_is_listed_by_that_name() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("s.db");
    let pack = folder.path().join("shelf");
    let files = [
        ("pack.yaml", "name: shelf\nversion: 0.1.0\ntitle: Shelf\n"),
        ("records/book.yaml", "record: book\ntitle: Book\nfields:\n  shelf: string?\n  title: string\n"),
        (
            "records/loan.yaml",
            "record: loan\ntitle: Loan\nlabel: book_id\nfields:\n  book_id: {type: uuid, ref: book}\n  due: string\n",
        ),
        (
            "tools/loans.yaml",
            "domain: loans\ntools:\n  list:\n    title: List loans\n    effect: read\n    input: {}\n    phrases: [list loans]\n    behavior: {record: {list: loan}}\n",
        ),
    ];
    for (name, text) in files {
        let path = pack.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let pack = pack.to_str().unwrap();
    let id = "01890a5d-ac96-774b-bcce-b302099a8057";
    let books = folder.path().join("books.csv");
    std::fs::write(&books, format!("id,shelf,title\n{id},A,The Hobbit\n")).unwrap();
    let loans = folder.path().join("loans.csv");
    std::fs::write(&loans, format!("book_id,due\n{id},Monday\n")).unwrap();
    for (kind, file) in [("book", &books), ("loan", &loans)] {
        let done = run(&store, &["records", "import", kind, file.to_str().unwrap(), "--pack", pack]);
        assert!(done.status.success(), "{}", text(&done));
    }
    // Without `label`, the name is the field called `title`.
    let listed = text(&run(&store, &["records", "list", "book", "--pack", pack]));
    assert!(listed.lines().nth(1).unwrap().starts_with("The Hobbit"), "{listed}");
    let listed = text(&run(&store, &["records", "list", "loan", "--pack", pack]));
    assert!(listed.lines().nth(1).unwrap().starts_with("The Hobbit"), "{listed}");
    let answer = text(&run(&store, &["do", "list loans", "--pack", pack]));
    assert!(answer.contains("The Hobbit"), "{answer}");
}
