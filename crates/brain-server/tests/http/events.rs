//! The feed in pages and as a stream; what runs wait for; a paused server.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::TestServer;

/// A stream of `(id, event, data)`.
struct Stream {
    response: reqwest::Response,
    text: String,
}

impl Stream {
    async fn open(server: &TestServer, path: &str, last: Option<&str>) -> Self {
        let mut request = server.request("GET".parse().unwrap(), path);
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        let response = request.send().await.unwrap();
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { response, text: String::new() }
    }

    async fn next(&mut self) -> (String, String, Value) {
        loop {
            if let Some((message, rest)) = self.text.split_once("\n\n") {
                let field = |name: &str| {
                    let line = message.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
                    line.unwrap_or_default().to_owned()
                };
                let (id, event, data) = (field("id"), field("event"), field("data"));
                self.text = rest.to_owned();
                if !data.is_empty() {
                    return (id, event, serde_json::from_str(&data).unwrap());
                }
                continue;
            }
            let chunk = tokio::time::timeout(Duration::from_secs(20), self.response.chunk()).await;
            let chunk = chunk.expect("something is sent").unwrap().expect("the stream goes on");
            self.text.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }
}

#[tokio::test]
async fn a_stream_sends_everything_in_order_and_resumes_after_the_last_event() {
    let server = TestServer::start().await;
    server.done("create task: Before").await;
    let mut stream = Stream::open(&server, "/v1/events/stream", None).await;
    let run = server.say("create task: Call Bob", "enqueue_and_wait").await;
    let run = run["run_id"].as_str().unwrap();
    let mut seen = Vec::new();
    loop {
        let (id, name, data) = stream.next().await;
        assert_eq!(data["run_id"], run, "earlier events are not sent");
        assert_eq!((data["id"].as_str(), data["name"].as_str()), (Some(id.as_str()), Some(name.as_str())));
        seen.push((id, name.clone()));
        if name == "RunEnded" {
            break;
        }
    }
    let names: Vec<&str> = seen.iter().map(|(_, name)| name.as_str()).collect();
    assert!(names.starts_with(&["Received", "Understood"]) && names.contains(&"JobDone"), "{names:?}");

    // Resume in the middle of a commit.
    let mut again = Stream::open(&server, "/v1/events/stream", Some(&seen[1].0)).await;
    for (id, name) in &seen[2..] {
        let (next, event, _) = again.next().await;
        assert_eq!((&next, &event), (id, name));
    }
}

#[tokio::test]
async fn the_feed_is_paged_without_end() {
    let server = TestServer::start().await;
    for n in 0..3 {
        server.done(&format!("create task: Task {n}")).await;
    }
    let mut whole = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = server.get(&format!("/v1/events?limit=4{cursor}")).await.ok();
        let items = page["items"].as_array().unwrap().clone();
        assert!(items.len() <= 4);
        cursor = format!("&cursor={}", page["next_cursor"].as_str().unwrap());
        if items.is_empty() {
            break;
        }
        whole.extend(items);
    }
    let ended = |list: &[Value]| list.iter().filter(|event| event["name"] == "RunEnded").count();
    assert_eq!(ended(&whole), 3);
    assert!(whole.iter().all(|event| event.get("payload").is_none()));
    server.done("create task: One more").await;
    let later = server.get(&format!("/v1/events?limit=200{cursor}")).await.ok();
    assert_eq!(ended(later["items"].as_array().unwrap()), 1, "a later read gets what has happened since");
    let run = whole[0]["run_id"].as_str().unwrap();
    let one = server.get(&format!("/v1/events?limit=200&run={run}")).await.ok();
    assert_eq!(ended(one["items"].as_array().unwrap()), 1);
    assert_eq!(server.get("/v1/events?cursor=soon").await.status, 400);
}

#[tokio::test]
async fn a_run_explains_what_it_waits_for() {
    let server = TestServer::start().await;
    let staged = server.say("create task: Later", "plan").await;
    let path = format!("/v1/runs/{}/why", staged["run_id"].as_str().unwrap());
    let why = server.get(&path).await.ok();
    assert_eq!(why["waits"][0]["on"], "approval", "{why}");
    assert!(why["waits"][0]["until"].is_string(), "a plan expires: {why}");
    let parked = server.get("/v1/runs/waiting").await.ok();
    let listed = &parked["items"][0];
    assert_eq!(
        (&listed["run_id"], &listed["on"], &listed["status"]),
        (&staged["run_id"], &json!("approval"), &json!("staged"))
    );
    let approval = server.get(&format!("/v1/approvals/{}", staged["run_id"].as_str().unwrap())).await.ok();
    assert_eq!(approval["expires_at"], listed["until"], "{approval}");
    let path_of = format!("/v1/approvals/{}", approval["approval_id"].as_str().unwrap());
    let other = json!({"decision": "reject", "digest": "0".repeat(64)});
    assert_eq!(server.post(&path_of, &other).await.status, 409, "the digest differs");
    let same = json!({"decision": "reject", "digest": approval["digest"]});
    assert_eq!(server.post(&path_of, &same).await.status, 200);
    let done = server.say("create task: Now", "enqueue_and_wait").await;
    let path = format!("/v1/runs/{}/why", done["run_id"].as_str().unwrap());
    assert_eq!(server.get(&path).await.ok()["waits"][0]["on"], "nothing");
    assert_eq!(server.get("/v1/runs/waiting").await.ok()["items"], json!([]));
    let retry = server.post(&path.replace("/why", "/retry"), &json!({})).await;
    assert_eq!(retry.status, 409, "nothing failed: {}", retry.body);
}

#[tokio::test]
async fn a_paused_server_reports_it_and_can_be_resumed() {
    let server = TestServer::start().await;
    assert_eq!(server.get("/v1/system/paused").await.ok(), json!({"paused": false}));
    let put = |paused: bool| {
        let request = server.request("PUT".parse().unwrap(), "/v1/system/paused");
        crate::support::Answer::of(request.json(&json!({"paused": paused})))
    };
    assert_eq!(put(true).await.body, json!({"paused": true}));
    assert!(server.kernel.engine().is_paused());
    assert_eq!(put(false).await.body, json!({"paused": false}));
}

#[tokio::test]
async fn an_unreadable_row_becomes_an_event_and_the_feed_goes_on() {
    let server = TestServer::start().await;
    let broken = server.say("create task: Broken", "enqueue_and_wait").await;
    let whole = server.say("create task: Whole", "enqueue_and_wait").await;
    let file = rusqlite::Connection::open(server.store_file()).unwrap();
    let hex = broken["run_id"].as_str().unwrap().replace('-', "");
    let changed = file.execute("UPDATE log SET events = '{not json' WHERE hex(run) = upper(?1)", [hex]).unwrap();
    assert!(changed > 0);
    let list = server.get("/v1/events?limit=200").await.body;
    let of = |run: &Value| -> Vec<String> {
        let items = list["items"].as_array().unwrap().iter().filter(|item| item["run_id"] == run["run_id"]);
        items.map(|item| item["name"].as_str().unwrap().to_owned()).collect()
    };
    let names = of(&broken);
    assert!(!names.is_empty() && names.iter().all(|name| name == "unreadable"), "{list:#}");
    assert!(of(&whole).contains(&"RunEnded".to_owned()), "{list:#}");
    let first = list["items"][0]["id"].as_str().unwrap();
    let rest = server.get(&format!("/v1/events?limit=200&cursor={first}")).await.body;
    assert_eq!(rest["items"].as_array().unwrap().len(), list["items"].as_array().unwrap().len() - 1);
    let early = server.get("/v1/events?limit=200&cursor=0-1").await.body;
    assert_eq!(early["items"], list["items"], "a position before the first event starts at the first");
}

#[tokio::test]
async fn a_stream_reports_a_problem_and_resumes_afterwards() {
    let server = TestServer::start().await;
    let mut stream = Stream::open(&server, "/v1/events/stream", None).await;
    let file = rusqlite::Connection::open(server.store_file()).unwrap();
    file.execute_batch("ALTER TABLE log RENAME TO away").unwrap();
    let (id, name, data) = stream.next().await;
    assert_eq!((id.as_str(), name.as_str(), &data["status"]), ("", "problem", &json!(503)), "{data:#}");
    file.execute_batch("ALTER TABLE away RENAME TO log").unwrap();
    let run = server.say("create task: Call Bob", "enqueue_and_wait").await;
    let (_, _, data) = stream.next().await;
    assert_eq!(data["run_id"], run["run_id"], "{data:#}");
}
