//! Remote mode: `--server`, tokens and profiles.

use super::Project;
use super::common::{Server, json, text};

struct Remote {
    /// The folder of the server.
    site: Project,
    server: Server,
    /// A folder without a store.
    laptop: Project,
}

impl Remote {
    fn start() -> Self {
        let site = Project::new();
        site.write_pack();
        site.write("brain.yaml", "store: sqlite:data.db\npacks: [memos]\n");
        let server = site.serve(&[]);
        Self { site, server, laptop: Project::new() }
    }

    fn args<'a>(&'a self, args: &[&'a str]) -> Vec<&'a str> {
        [args, &["--server", &self.server.url]].concat()
    }

    fn ok(&self, args: &[&str]) -> std::process::Output {
        self.laptop.ok(&self.args(args))
    }

    fn run(&self, args: &[&str]) -> std::process::Output {
        self.laptop.run(&self.args(args))
    }

    fn token(&self, args: &[&str]) -> String {
        let made = json(&self.site.ok(&[&["token", "new", "--json"], args].concat()));
        made["token"].as_str().unwrap().to_owned()
    }
}

#[test]
fn a_remote_client_approves_a_plan_staged_on_the_server() {
    let remote = Remote::start();
    let staged = json(&remote.site.ok(&["do", "jot buy milk", "--mode", "plan", "--json"]));
    let approval = staged["approval_id"].as_str().unwrap();
    let pending = text(&remote.ok(&["approve"]));
    assert!(pending.contains(approval), "{pending}");
    let done = text(&remote.ok(&["approve", approval, "--note", "fine"]));
    assert!(done.contains("completed"), "{done}");
    let again = remote.run(&["approve", approval]);
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again).contains("already been decided"), "{}", text(&again));
    assert!(!remote.laptop.path(".local").exists(), "no store was made on the laptop");
}

#[test]
fn every_command_that_can_talks_to_the_server() {
    let remote = Remote::start();
    let run = json(&remote.ok(&["do", "jot buy milk", "--json"]))["run_id"].as_str().unwrap().to_owned();
    for words in [
        vec!["runs"],
        vec!["runs", "waiting"],
        vec!["runs", "show", &run],
        vec!["runs", "why", &run],
        vec!["runs", "replay", &run],
        vec!["runs", "expansion", &run],
        vec!["runs", "review", &run],
        vec!["runs", "migrate", &run, "--dry-run"],
        vec!["approve"],
        vec!["dlq", "list"],
        vec!["records", "list", "memo"],
        vec!["records", "export", "memo"],
        vec!["tools"],
        vec!["tools", "memos.jot"],
        vec!["explain", "jot something"],
        vec!["explain", &run],
        vec!["teach", "write down {text}", "memos.jot"],
        vec!["teach"],
        vec!["unteach", "write down {text}"],
        vec!["learning"],
        vec!["learning", "candidates"],
        vec!["learning", "cases"],
        vec!["events"],
        vec!["token", "list"],
        vec!["audit"],
        vec!["reload"],
        vec!["admin", "gc", "--all", "--dry-run"],
        vec!["records", "reindex"],
        vec!["records", "reindex", "memo", "--all", "--dry-run"],
        vec!["doctor"],
    ] {
        let output = remote.ok(&words);
        assert!(!output.stdout.is_empty(), "{words:?} printed nothing");
    }
    let story = text(&remote.ok(&["runs", "show", &run]));
    for part in ["received", "understood", "memos.jot", "done", "completed"] {
        assert!(story.contains(part), "{part}: {story}");
    }
    let file = remote.laptop.write("photo.txt", "not really");
    let hash = text(&remote.ok(&["blob", "put", file.to_str().unwrap(), "-q"]));
    let back = remote.ok(&["blob", "get", hash.lines().next().unwrap()]);
    assert_eq!(back.stdout, b"not really");
}

#[test]
fn local_and_remote_answers_are_the_same() {
    let remote = Remote::start();
    remote.ok(&["do", "jot buy milk"]);
    for words in [vec!["runs", "--json"], vec!["tools", "--json"], vec!["records", "list", "memo", "--json"]] {
        let over_network = json(&remote.ok(&words));
        let over_socket = json(&remote.site.ok(&words));
        let in_process = json(&remote.site.ok(&[words.as_slice(), &["--setting", "socket=off"]].concat()));
        assert_eq!(over_network, over_socket, "{words:?}");
        assert_eq!(over_network, in_process, "{words:?}");
    }
}

#[test]
fn a_profile_has_server_and_token_and_a_token_has_its_tenant() {
    let remote = Remote::start();
    let token = remote.token(&["--tenant", "acme"]);
    remote.laptop.write("token", &format!("{token}\n"));
    let profile = format!("profiles:\n  prod: {{server: \"{}\", token: \"file:token\"}}\n", remote.server.url);
    remote.laptop.write("brain.yaml", &profile);
    remote.laptop.ok(&["do", "jot secret plans", "--profile", "prod"]);
    assert!(text(&remote.laptop.ok(&["records", "list", "memo", "--profile", "prod"])).contains("secret plans"));
    assert!(!text(&remote.site.ok(&["records", "list", "memo"])).contains("secret plans"));
    // The token is for one tenant.
    let other = remote.laptop.run(&["records", "list", "memo", "--profile", "prod", "--tenant", "other"]);
    assert_eq!(other.status.code(), Some(1));
    assert!(text(&other).contains("a token issued for that tenant"), "{}", text(&other));
    // A token that may not approve does not approve.
    let memo = json(&remote.laptop.ok(&["records", "list", "memo", "--profile", "prod", "--json"]));
    let wipe = format!("wipe {}", memo["items"][0]["id"].as_str().unwrap());
    let staged = json(&remote.laptop.run(&["do", &wipe, "--profile", "prod", "--json"]));
    let refused = remote.laptop.run(&["approve", staged["approval_id"].as_str().unwrap(), "--profile", "prod"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused).contains("`approver` right"), "{}", text(&refused));
    let unknown = remote.laptop.run(&["runs", "--profile", "prd"]);
    assert!(text(&unknown).contains("did you mean `prod`?"), "{}", text(&unknown));
}

#[test]
fn a_printed_hint_works_as_pasted() {
    let remote = Remote::start();
    let hint = |output: &str, words: &str| -> Vec<String> {
        let line = output.lines().find(|line| line.contains(words)).unwrap_or_else(|| panic!("{words}: {output}"));
        let command = &line[line.find("brain ").unwrap() + "brain ".len()..];
        command.split(' ').map(str::to_owned).collect()
    };
    let paste = |words: &[String]| remote.laptop.ok(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let staged = text(&remote.ok(&["do", "jot buy milk", "--mode", "plan"]));
    let done = text(&paste(&hint(&staged, "To run it: brain approve")));
    assert!(done.contains("completed"), "{done}");
    let listed = text(&remote.ok(&["runs", "--limit", "1"]));
    assert!(!listed.contains("--token"), "{listed}");
    remote.ok(&["do", "jot buy tea"]);
    let more = text(&paste(&hint(&text(&remote.ok(&["runs", "--limit", "1"])), "more: brain runs")));
    assert!(more.contains("jot buy milk"), "{more}");
    let run = json(&remote.ok(&["do", "jot buy oats", "--json"]))["run_id"].as_str().unwrap().to_owned();
    let story = text(&paste(&hint(&text(&remote.ok(&["explain", &run])), "What the run did: brain")));
    assert!(story.contains("memos.jot"), "{story}");
}

#[test]
fn retention_and_doctor_are_those_of_the_server() {
    let site = Project::new();
    site.write_pack();
    site.write("brain.yaml", "store: sqlite:data.db\npacks: [memos]\ntenants: {\"*\": {keep: {payloads: 30d}}}\n");
    let (server, laptop) = (site.serve(&[]), Project::new());
    let there = |args: &[&str]| json(&laptop.ok(&[args, &["--json", "--server", &server.url]].concat()));
    site.ok(&["do", "jot buy milk"]);
    let swept = there(&["admin", "gc", "--dry-run"]);
    assert_eq!(swept["tenants"][0]["kept_for_ever"], false, "the server's retention counts: {swept}");
    // While the server runs, the command asks it over its socket.
    assert_eq!(json(&site.ok(&["admin", "gc", "--dry-run", "--json"])), swept);
    let checks = there(&["doctor"]);
    let found = |name: &str| {
        let check = checks["checks"].as_array().unwrap().iter().find(|check| check["check"] == name);
        check.unwrap_or_else(|| panic!("{name}: {checks}"))["detail"].as_str().unwrap().to_owned()
    };
    assert!(found("packs").contains("memos") && found("store").contains("data.db"), "{checks}");
    let beside = text(&site.ok(&["doctor"]));
    assert!(beside.contains("a server answers for this store"), "{beside}");
    site.ok(&["do", "jot buy bread", "--mode", "plan"]);
    let from_afar = text(&laptop.ok(&["doctor", "--server", &server.url]));
    assert!(from_afar.contains(&format!("1 pending: brain approve --server {}", server.url)), "{from_afar}");
    let indexed = there(&["records", "reindex", "memo"]);
    assert_eq!((&indexed["types"][0]["type"], &indexed["types"][0]["looked_at"]), (&"memo".into(), &1.into()));
    let wrong = laptop.run(&["records", "reindex", "memoo", "--server", &server.url]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(text(&wrong).contains("Did you mean `memo`?"), "{}", text(&wrong));
}

#[test]
fn a_wrong_token_is_refused_and_says_what_to_do() {
    let remote = Remote::start();
    let wrong = remote.run(&["runs", "--token", "brn_nonsense"]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(text(&wrong).contains("BRAIN_TOKEN"), "{}", text(&wrong));
    let document = json(&remote.run(&["runs", "--token", "brn_nonsense", "--json"]));
    assert_eq!((&document["code"], &document["status"]), (&"unauthorized".into(), &401.into()));
}

#[test]
fn a_token_without_the_permission_is_told_what_is_for_operators() {
    let remote = Remote::start();
    let token = remote.token(&[]);
    let file = remote.laptop.write("memos.csv", "text\nBuy milk\n");
    for (words, what) in [
        (vec!["records", "import", "memo", file.to_str().unwrap()], "Importing records"),
        (vec!["admin", "token", "list"], "The list of tokens"),
        (vec!["admin", "gc", "--dry-run"], "Applying the retention"),
    ] {
        let words = [words.as_slice(), &["--token", &token, "--json"]].concat();
        let told = json(&remote.run(&words));
        let detail = told["detail"].as_str().unwrap();
        assert!(detail.contains(what) && detail.contains("`admin`"), "{told}");
        assert!(!detail.contains("all tenants"), "{told}");
    }
}

#[test]
fn commands_that_work_on_this_machine_only_say_so() {
    let remote = Remote::start();
    for words in [
        vec!["backup", "x.db"],
        vec!["restore", "x.db"],
        vec!["migrate"],
        vec!["store", "copy", "sqlite:a.db", "sqlite:b.db"],
        vec!["pack", "check"],
        vec!["dev", "eval"],
        vec!["bench", "runs"],
        vec!["serve"],
    ] {
        let output = remote.run(&words);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", text(&output));
        assert!(text(&output).contains("on this machine only"), "{words:?}: {}", text(&output));
    }
    let both = remote.run(&["runs", "--store", "sqlite:x.db"]);
    assert_eq!(both.status.code(), Some(2), "{}", text(&both));
}

#[test]
fn a_server_that_is_not_there_is_named_with_the_way_out() {
    let laptop = Project::new();
    // Nobody listens on a port that was just given back.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let output = laptop.run(&["runs", "--server", &format!("http://127.0.0.1:{port}")]);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output);
    assert!(told.contains("no server answers") && told.contains("`brain serve`"), "{told}");
    let output =
        laptop.run(&["runs", "--json", "--server", &format!("http://u:hunter2@127.0.0.1:{port}?token=hunter2")]);
    let told = json(&output);
    assert_eq!((&told["code"], &told["status"]), (&"unreachable".into(), &503.into()), "{told}");
    assert!(!told.to_string().contains("hunter2"), "{told}");
    assert!(text(&laptop.run(&["runs", "--server", "nonsense"])).contains("is not the URL of a server"));
}
