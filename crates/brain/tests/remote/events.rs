//! `brain events`.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use serde_json::Value;

use super::Project;
use super::common::{json, text};

fn project() -> Project {
    let project = Project::new();
    project.write("brain.yaml", "store: sqlite:data.db\n");
    project
}

#[test]
fn events_are_followed_as_they_happen_and_resumed_where_they_stopped() {
    let project = project();
    let server = project.serve(&[]);
    project.ok(&["do", "create task: A"]);
    let mut follow = project.brain();
    follow.args(["events", "--follow", "--since", "0", "--json", "--server", &server.url]);
    let mut child = follow.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    let first = next();
    assert_eq!(first["name"], "Received");
    while next()["name"] != "RunEnded" {}
    // It follows: what comes later arrives.
    let later = json(&project.ok(&["do", "create task: B", "--json"]));
    let mut last = next();
    assert_eq!(last["run_id"], later["run_id"]);
    while last["name"] != "RunEnded" {
        last = next();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let place = last["id"].as_str().unwrap();
    project.ok(&["do", "create task: C"]);
    let rest = project.ok(&["events", "--since", place, "--json"]);
    let rest: Vec<Value> = text(&rest).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rest.first().unwrap()["name"], "Received");
    assert_eq!(rest.iter().filter(|event| event["name"] == "RunEnded").count(), 1);
}

#[test]
fn without_a_server_the_store_tells_what_happened() {
    let project = project();
    let run = json(&project.ok(&["do", "create task: A", "--json"]))["run_id"].as_str().unwrap().to_owned();
    project.ok(&["do", "create task: B"]);
    let shown = text(&project.ok(&["events", "--run", &run]));
    assert!(shown.contains("Received") && shown.contains("RunEnded"), "{shown}");
    assert!(shown.lines().filter(|line| line.contains("Received")).count() == 1, "{shown}");
    let limited = text(&project.ok(&["events", "--limit", "2"]));
    assert_eq!(limited.lines().count(), 3, "{limited}");
    assert!(limited.contains("later ones: brain events --since"), "{limited}");
}

#[test]
fn a_follower_says_when_the_server_goes_away_and_comes_back() {
    let project = project();
    let server = project.serve(&[]);
    let address = server.url.trim_start_matches("http://").to_owned();
    let mut follow = project.brain();
    follow.args(["events", "--follow", "--server", &server.url]);
    let mut child = follow.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut notes = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut events = BufReader::new(child.stdout.take().unwrap()).lines();
    // It is connected when it prints an event.
    let (seen, first) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        drop(seen.send(events.next()));
        while let Some(Ok(line)) = events.next() {
            if line.contains("RunEnded") && seen.send(Some(Ok(line))).is_err() {
                break;
            }
        }
    });
    while first.try_recv().is_err() {
        project.ok(&["do", "create task: A"]);
    }
    drop(server);
    assert!(notes.next().unwrap().unwrap().contains("the server went away"), "it says so");
    let mut again = project.brain().args(["-q", "serve", "--addr", &address]).stdout(Stdio::null()).spawn().unwrap();
    assert!(notes.next().unwrap().unwrap().contains("the server is back"), "and that it is back");
    project.ok(&["do", "create task: B"]);
    first.recv().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    again.kill().unwrap();
    again.wait().unwrap();
    reader.join().unwrap();
}
