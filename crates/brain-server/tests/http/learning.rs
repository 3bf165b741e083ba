//! Phrases are taught, learned, rejected and corrected over HTTP, and readings are explained.

use brain_core::{Clock, SeededRandom, TenantId};
use brain_server::{Grants, new_token};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, SystemClock, TestServer};

const SAID: &str = "people worth ringing back";
const TARGET: &str = "leads.list_by_stage";

async fn explained(server: &TestServer, text: &str) -> Value {
    server.post("/v1/explain", &json!({"text": text})).await.ok()["understanding"].clone()
}

#[tokio::test]
async fn a_phrase_is_taught_used_and_removed() {
    let server = TestServer::start().await;
    assert_eq!(explained(&server, "ring Bob").await["kind"], "unknown");
    let lesson = json!({"phrase": "ring {title}", "target": "os.create_task"});
    let taught = server.post("/v1/learning/teach", &lesson).await.ok();
    assert_eq!((&taught["already"], &taught["replaced"]), (&json!(false), &Value::Null), "{taught}");
    let found = explained(&server, "ring Bob").await;
    assert_eq!(
        (&found["intents"][0]["target"], &found["intents"][0]["slots"][0]["value"]),
        (&json!("os.create_task"), &json!("Bob"))
    );
    let listed = server.get("/v1/learning/phrases").await.ok();
    assert_eq!((&listed["items"][0]["phrase"], &listed["items"][0]["by"]), (&json!("ring {title}"), &json!("local")));
    let taken = json!({"phrase": "list leads", "target": "os.list_tasks"});
    let refused = server.post("/v1/learning/teach", &taken).await.problem(409, "conflict");
    assert!(refused["detail"].as_str().unwrap().contains("`\"replace\": true`"), "{refused}");
    server
        .post("/v1/learning/teach", &json!({"phrase": " ", "target": "os.list_tasks"}))
        .await
        .problem(422, "invalid_request");
    server
        .post("/v1/learning/teach", &json!({"phrase": "ring {no}", "target": "os.create_task"}))
        .await
        .problem(422, "invalid_request");
    let gone =
        server.post("/v1/learning/unteach", &json!({"phrase": "ring {title}", "note": "too general"})).await.ok();
    assert_eq!(gone["items"][0]["phrase"], "ring {title}");
    assert_eq!(explained(&server, "ring Bob").await["kind"], "unknown");
    server.post("/v1/learning/unteach", &json!({"phrase": "ring {title}"})).await.problem(422, "invalid_request");
}

#[tokio::test]
async fn a_correction_creates_a_candidate_that_a_person_decides() {
    let server = TestServer::start().await;
    let run = server.say(SAID, "enqueue_and_wait").await["run_id"].clone();
    let told = server.post("/v1/learning/corrections", &json!({"run_id": run, "meant": TARGET})).await.ok();
    assert_eq!((&told["said"], &told["counts"]), (&json!(SAID), &json!(true)), "{told}");
    for (body, status, code) in [
        (json!({"run_id": "x"}), 422, "invalid_request"),
        (json!({"run_id": "01a1e36d-a725-7efd-81cf-17fe06286034"}), 404, "no_such_run"),
        (json!({"run_id": run, "meant": "no.tool"}), 422, "invalid_request"),
    ] {
        server.post("/v1/learning/corrections", &body).await.problem(status, code);
    }
    let cases = server.get("/v1/learning/cases").await.ok();
    assert_eq!((&cases["items"][0]["target"], &cases["items"][0]["counts"]), (&json!(TARGET), &json!(true)));
    let found = server.get("/v1/learning/candidates?state=gathering").await.ok();
    assert_eq!((&found["items"][0]["phrase"], &found["items"][0]["turns"]), (&json!(SAID), &json!(1)), "{found}");
    assert_eq!(server.get("/v1/learning/candidates?state=ready").await.ok()["items"], json!([]));
    server.get("/v1/learning/candidates?state=nowhere").await.problem(422, "invalid_request");
    assert_eq!(server.post("/v1/learning/run", &json!({"dry_run": true})).await.ok()["items"], json!([]));
    let phrase = json!({"phrase": SAID, "target": TARGET});
    assert_eq!(server.post("/v1/learning/promote", &phrase).await.ok()["promoted"], true);
    assert_eq!(explained(&server, SAID).await["intents"][0]["target"], TARGET);
    server.post("/v1/learning/promote", &phrase).await.problem(409, "conflict");
    // Once rejected, it is not learned again.
    let mut reject = phrase.clone();
    reject["note"] = json!("");
    server.post("/v1/learning/reject", &reject).await.problem(422, "invalid_request");
    reject["note"] = json!("prospects are not leads here");
    assert_eq!(server.post("/v1/learning/reject", &reject).await.ok()["by"], "local");
    assert_ne!(explained(&server, SAID).await["intents"][0]["target"], TARGET);
    assert_eq!(server.get("/v1/learning/blocklist").await.ok()["items"][0]["why"], reject["note"]);
    let health = server.get("/v1/learning").await.ok();
    assert_eq!((&health["weeks"][0]["corrected"], &health["weeks"][0]["rejected"]), (&json!(1), &json!(1)), "{health}");
    assert_eq!(health["states"]["rejected"], 1);
    server.post("/v1/learning/unblock", &phrase).await.ok();
    server.post("/v1/learning/unblock", &phrase).await.problem(422, "invalid_request");
}

#[tokio::test]
async fn candidates_are_paged() {
    let server = TestServer::start().await;
    for said in ["people worth ringing back", "people who may buy", "folks we could sell to"] {
        let run = server.say(said, "enqueue_and_wait").await["run_id"].clone();
        server.post("/v1/learning/corrections", &json!({"run_id": run, "meant": TARGET})).await.ok();
    }
    let list = "/v1/learning/candidates";
    let all = server.get(list).await.ok();
    let (mut found, mut path) = (Vec::new(), format!("{list}?limit=1"));
    loop {
        let page = server.get(&path).await.ok();
        found.extend(page["items"].as_array().unwrap().iter().cloned());
        let Some(next) = page["next_cursor"].as_str() else { break };
        path = format!("{list}?limit=1&cursor={next}");
    }
    assert!(found.len() >= 3, "{found:#?}");
    assert_eq!(json!(found), all["items"]);
    server.get(&format!("{list}?cursor=nonsense")).await.problem(400, "bad_cursor");
}

#[tokio::test]
async fn the_explanation_of_a_run_has_no_personal_values() {
    let server = TestServer::start().await;
    let run = server.say("new lead: Kim Park 0412 345 678 in Ryde", "enqueue_and_wait").await;
    let path = format!("/v1/runs/{}/explain", run["run_id"].as_str().unwrap());
    let told = server.get(&path).await.ok();
    let intent = &told["understanding"]["intents"][0];
    assert_eq!((&intent["target"], &intent["evidence"]["tier"]), (&json!("leads.create"), &json!("exact")), "{told}");
    assert!(!told["understanding"].to_string().contains("0412 345 678"), "{told}");
    let called = json!({"message": "", "calls": [{"tool_name": "os.list_tasks"}]});
    let run = server.post("/v1/runs", &called).await.ok();
    let path = format!("/v1/runs/{}/explain", run["run_id"].as_str().unwrap());
    server.get(&path).await.problem(409, "conflict");
    server.post("/v1/explain", &json!({"text": "  "})).await.problem(422, "empty_message");
}

#[tokio::test]
async fn a_token_that_may_not_approve_may_correct_but_not_teach() {
    let server = TestServer::start().await;
    let (tenant, now) = (TenantId::default_tenant(), SystemClock.now());
    let mut random = SeededRandom::new(7);
    let (row, token) = new_token(tenant, "worker", Grants::default(), None, now, &mut random, [7; 32]);
    server.kernel.store().put_token(&row).unwrap();
    let post = async |path: &str, body: Value| {
        Answer::of(server.request(Method::POST, path).bearer_auth(&token).json(&body)).await
    };
    let phrase = json!({"phrase": SAID, "target": TARGET});
    for path in ["teach", "promote", "unblock"] {
        post(&format!("/v1/learning/{path}"), phrase.clone()).await.problem(403, "not_allowed");
    }
    post("/v1/learning/unteach", json!({"phrase": SAID})).await.problem(403, "not_allowed");
    post("/v1/learning/run", json!({})).await.problem(403, "not_allowed");
    let reject = json!({"phrase": SAID, "target": TARGET, "why": "no"});
    post("/v1/learning/reject", reject).await.problem(403, "not_allowed");
    let run = post("/v1/runs", json!({"message": SAID})).await.ok()["run_id"].clone();
    let told = post("/v1/learning/corrections", json!({"run_id": run, "meant": TARGET})).await.ok();
    assert_eq!(told["counts"], false, "a second person must agree: {told}");
}
