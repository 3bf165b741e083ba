//! Lists to their end; records, tools and events.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::TestServer;

/// All items of a list, page by page.
async fn all(server: &TestServer, path: &str, limit: usize) -> Vec<Value> {
    let mut items: Vec<Value> = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let sign = if path.contains('?') { '&' } else { '?' };
        let from = cursor.as_ref().map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
        let page = server.get(&format!("{path}{sign}limit={limit}{from}")).await.ok();
        let list = page["items"].as_array().unwrap();
        assert!(list.len() <= limit, "{page}");
        items.extend(list.iter().cloned());
        match page["next_cursor"].as_str() {
            Some(next) => {
                assert_eq!(list.len(), limit, "only the last page may be short: {page}");
                cursor = Some(next.to_owned());
            }
            None => return items,
        }
    }
}

fn distinct(items: &[Value], field: &str) -> usize {
    items.iter().map(|item| item[field].to_string()).collect::<BTreeSet<_>>().len()
}

#[tokio::test]
async fn every_list_can_be_read_to_its_end() {
    let server = TestServer::start().await;
    for n in 0..5 {
        server.done(&format!("create task: Task {n}")).await;
        server.say(&format!("create task: Staged {n}"), "plan").await;
    }
    for limit in [1, 2, 3, 5, 10, 200] {
        let runs = all(&server, "/v1/runs", limit).await;
        assert_eq!((runs.len(), distinct(&runs, "run_id")), (10, 10));
        assert!(runs.windows(2).all(|two| two[0]["run_id"].as_str() > two[1]["run_id"].as_str()), "newest first");
        assert_eq!(all(&server, "/v1/runs?status=staged", limit).await.len(), 5);
        let tasks = all(&server, "/v1/records/task", limit).await;
        assert_eq!((tasks.len(), distinct(&tasks, "id")), (5, 5));
        let approvals = all(&server, "/v1/approvals?status=pending", limit).await;
        assert_eq!((approvals.len(), distinct(&approvals, "approval_id")), (5, 5));
        let tools = all(&server, "/v1/tools", limit).await;
        assert_eq!(tools.len(), server.kernel.registry().tools().len());
        assert_eq!(distinct(&tools, "name"), tools.len());
        assert_eq!(all(&server, "/v1/dead-letters", limit).await.len(), 0);
        let run = runs.last().unwrap()["run_id"].as_str().unwrap().to_owned();
        let events = all(&server, &format!("/v1/runs/{run}/events"), limit).await;
        assert_eq!(distinct(&events, "seq"), events.len());
        let numbers: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
        assert!(numbers.windows(2).all(|two| two[0] + 1 == two[1]), "{numbers:?}");
        assert_eq!(all(&server, &format!("/v1/runs/{run}/receipts"), limit).await.len(), 1);
    }
}

#[tokio::test]
async fn receipts_of_many_steps_are_paged() {
    let server = TestServer::start().await;
    let calls: Vec<Value> =
        (0..5).map(|n| json!({"tool_name": "os.create_note", "input": {"content": format!("n{n}")}})).collect();
    let run = server.post("/v1/runs", &json!({"message": "", "calls": calls})).await.ok();
    let path = format!("/v1/runs/{}/receipts", run["run_id"].as_str().unwrap());
    for limit in [1, 2, 5, 6] {
        let receipts = all(&server, &path, limit).await;
        assert_eq!((receipts.len(), distinct(&receipts, "call_id")), (5, 5));
        assert_eq!(json!(receipts), run["receipts"]);
    }
}

#[tokio::test]
async fn lists_reject_invalid_parameters() {
    let server = TestServer::start().await;
    let run = server.say("list tasks", "enqueue_and_wait").await;
    let run = run["run_id"].as_str().unwrap();
    let lists = [
        "/v1/runs".to_owned(),
        "/v1/tools".to_owned(),
        "/v1/records/lead".to_owned(),
        "/v1/approvals".to_owned(),
        "/v1/dead-letters".to_owned(),
        format!("/v1/runs/{run}/events"),
        format!("/v1/runs/{run}/receipts"),
    ];
    for list in &lists {
        for limit in ["0", "201", "-1", "ten", "", "99999999999999999999"] {
            let problem = server.get(&format!("{list}?limit={limit}")).await.problem(422, "invalid_request");
            assert!(problem.to_string().contains("limit"), "{problem}");
        }
        server.get(&format!("{list}?cursor=nonsense")).await.problem(400, "bad_cursor");
        assert_eq!(server.get(&format!("{list}?cursor=")).await.ok(), server.get(list).await.ok());
        let problem = server.get(&format!("{list}?limt=5")).await.problem(422, "invalid_request");
        assert!(problem["detail"].as_str().unwrap().contains("did you mean `limit`?"), "{problem}");
        server.get(&format!("{list}?limit=5&limit=6")).await.problem(422, "invalid_request");
    }
    server.get("/v1/runs?status=done").await.problem(422, "invalid_request");
    server.get("/v1/approvals?status=open").await.problem(422, "invalid_request");
    server.get("/v1/dead-letters?open=yes").await.problem(422, "invalid_request");
    server.get("/v1/records/lead?state=gone").await.problem(422, "invalid_request");
    server.get("/v1/records/note?state=new").await.problem(422, "invalid_request");
}

#[tokio::test]
async fn records_are_listed_searched_and_read() {
    let server = TestServer::start().await;
    let lead = server.done("new lead: Bob Smith 0412 345 678 in Parramatta").await;
    server.done("new lead: Sue Lee 0400 123 456 in Ryde").await;
    let id = lead["lead_id"].as_str().unwrap();
    let record = server.get(&format!("/v1/records/lead/{id}")).await.ok();
    assert_eq!((&record["id"], &record["name"], &record["state"]), (&json!(id), &json!("Bob Smith"), &json!("new")));
    assert_eq!(record["revision"], 1);
    assert!(record["created_at"].is_string() && record["updated_at"].is_string(), "{record}");
    let found = server.get("/v1/records/lead?q=parra").await.ok();
    assert_eq!((&found["items"], &found["next_cursor"]), (&json!([record]), &Value::Null));
    assert_eq!(server.get("/v1/records/lead?q=nowhere").await.ok()["items"], json!([]));
    assert_eq!(server.get("/v1/records/lead?state=new").await.ok()["items"].as_array().unwrap().len(), 2);
    assert_eq!(server.get("/v1/records/lead?state=won").await.ok()["items"], json!([]));
    server.get("/v1/records/lead?q=bob&state=new").await.problem(422, "invalid_request");
    server.get("/v1/records/lead?q=").await.problem(422, "invalid_request");
    server.get("/v1/records/quote_item?q=bob").await.problem(422, "invalid_request");
}

#[tokio::test]
async fn a_tool_is_described_in_detail() {
    let server = TestServer::start().await;
    let tool = server.get("/v1/tools/quote.add_item").await.ok();
    assert_eq!(tool["name"], "quote.add_item");
    assert_eq!(tool["title"], "Add an item to a quote");
    assert_eq!(tool["behavior"], "record");
    assert_eq!((&tool["effect"], &tool["consent"]), (&json!("write"), &json!("user")));
    assert!(tool["input_schema"]["properties"]["quantity"].is_object(), "{tool}");
    assert!(tool["output_schema"]["properties"]["line_total"].is_object(), "{tool}");
    assert_eq!(tool["undo"]["tool"], "quote.remove_item");
    assert_eq!(tool["requires"][0]["else"], "This quote is final and cannot change.");
    assert!(tool["timeout_ms"].is_u64() && tool["retry"].is_object(), "{tool}");
    assert_eq!(tool["hash"].as_str().unwrap().len(), 64);
    assert!(!tool["phrases"].as_array().unwrap().is_empty());
    let delete = server.get("/v1/tools/leads.delete").await.ok();
    assert_eq!((&delete["effect"], &delete["consent"]), (&json!("irreversible"), &json!("approver")));
    assert!(delete["attributes"]["acknowledge"]["text"].is_string(), "{delete}");
}

#[tokio::test]
async fn events_are_named_numbered_and_without_personal_values() {
    let server = TestServer::start().await;
    for mode in ["enqueue_and_wait", "plan", "answer"] {
        let run = server.say("new lead: Bob Smith 0412 345 678 in Parramatta", mode).await;
        let path = format!("/v1/runs/{}/events", run["run_id"].as_str().unwrap());
        let page = server.get(&path).await.ok();
        let names: Vec<&str> = page["items"].as_array().unwrap().iter().map(|e| e["name"].as_str().unwrap()).collect();
        assert!(names.starts_with(&["Received", "Understood", "Planned"]), "{names:?}");
        let text = page.to_string();
        for personal in ["345 678", "345678", "Bob", "Smith"] {
            assert!(!text.contains(personal), "{personal} is in {text}");
        }
        assert!(text.contains("Parramatta") && text.contains("[REDACTED]"), "{text}");
    }
}

#[tokio::test]
async fn reads_of_personal_fields_are_in_the_audit() {
    let server = TestServer::start().await;
    server.done("new lead: Bob Smith 0412 345 678 in Parramatta").await;
    server.done("create task: Call Bob").await;
    let leads = server.get("/v1/records/lead").await.ok();
    let id = leads["items"][0]["id"].as_str().unwrap().to_owned();
    server.get(&format!("/v1/records/lead/{id}")).await.ok();
    server.get("/v1/records/task").await.ok();
    let rows = server.kernel.store().audit(brain_store::SystemScope, 10).unwrap();
    let read: Vec<(&str, &str)> = rows.iter().map(|row| (row.what.as_str(), row.detail.as_str())).collect();
    let one = format!("lead: {id}");
    assert_eq!(read, [("read personal", one.as_str()), ("read personal", "lead: 1 listed")], "newest first");
    assert!(rows.iter().all(|row| row.who == "local"));
}
