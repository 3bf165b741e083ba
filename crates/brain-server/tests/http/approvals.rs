//! Nothing runs without a decision, reading decides nothing, and each approval is decided once.

use brain_core::TenantId;
use brain_kernel::Actor;
use brain_store::Scope;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, TestServer};

async fn staged(server: &TestServer) -> (String, String) {
    let lead = server.done("new lead: Sue Lee 0400 123 456 in Ryde").await;
    let message = format!("delete lead {}", lead["lead_id"].as_str().unwrap());
    let run = server.say(&message, "enqueue_and_wait").await;
    assert_eq!((&run["ok"], &run["status"], &run["receipts"]), (&json!(true), &json!("staged"), &json!([])), "{run}");
    (run["approval_id"].as_str().unwrap().to_owned(), run["run_id"].as_str().unwrap().to_owned())
}

fn scope() -> Scope {
    Scope::of(TenantId::default_tenant())
}

async fn decide(server: &TestServer, id: &str, body: &Value) -> Answer {
    server.post(&format!("/v1/approvals/{id}"), body).await
}

#[tokio::test]
async fn an_approved_plan_runs() {
    let server = TestServer::start().await;
    let (id, run) = staged(&server).await;
    let pending = server.get("/v1/approvals?status=pending").await.ok();
    assert_eq!(pending["items"][0]["approval_id"], json!(id));
    assert_eq!(pending["items"][0]["consent"], "approver");
    assert!(pending["items"][0]["asks"][0].as_str().unwrap().contains("leads.delete"), "{pending}");
    let done = decide(&server, &id, &json!({"decision": "approve", "note": "she asked for it"})).await.ok();
    assert_eq!(
        (&done["ok"], &done["status"], &done["run_id"]),
        (&json!(true), &json!("completed"), &json!(run)),
        "{done}"
    );
    assert_eq!(done["receipts"][0]["tool_name"], "leads.delete");
    assert_eq!(done["approval_id"], Value::Null);
    assert_eq!(server.count("lead").await, 0);
    let seen = server.get(&format!("/v1/approvals/{id}")).await.ok();
    assert_eq!((&seen["status"], &seen["decided_by"]), (&json!("approved"), &json!("local")));
    assert_eq!(seen["note"], "she asked for it");
    assert_eq!(server.get("/v1/approvals?status=pending").await.ok()["items"], json!([]));
}

#[tokio::test]
async fn a_rejected_plan_never_runs() {
    let server = TestServer::start().await;
    let (id, _) = staged(&server).await;
    let dropped = decide(&server, &id, &json!({"decision": "reject", "note": "no"})).await.ok();
    assert_eq!((&dropped["ok"], &dropped["status"]), (&json!(false), &json!("cancelled")), "{dropped}");
    assert_eq!(dropped["errors"][0]["code"], "rejected");
    let said = dropped["assistant_message"].as_str().unwrap();
    assert!(said.contains("rejected it: no. Nothing was done."), "{dropped}");
    decide(&server, &id, &json!({"decision": "approve"})).await.problem(409, "already_decided");
    assert_eq!(server.count("lead").await, 1);
}

#[tokio::test]
async fn a_second_decision_is_rejected() {
    let server = TestServer::start().await;
    let (id, _) = staged(&server).await;
    let yes = json!({"decision": "approve"});
    let (one, two) = tokio::join!(decide(&server, &id, &yes), decide(&server, &id, &yes));
    let mut statuses = [one.status.as_u16(), two.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{} {}", one.body, two.body);
    decide(&server, &id, &json!({"decision": "reject"})).await.problem(409, "already_decided");
    assert_eq!(server.count("lead").await, 0);
}

#[tokio::test]
async fn without_a_clear_decision_nothing_runs() {
    let server = TestServer::start().await;
    let (id, run) = staged(&server).await;
    let wrong = [
        json!({}),
        json!({"decision": null}),
        json!({"decision": ""}),
        json!({"decision": "Approve"}),
        json!({"decision": "yes"}),
        json!({"decision": true}),
        json!({"decision": ["approve"]}),
        json!({"decision": "approve", "approved": true}),
        json!({"decision": "approve", "wait_timeout_ms": 999_999}),
        json!({"decision": "approve", "note": 5}),
        json!({"decision": "approve", "note": "x".repeat(5_000)}),
        json!({"Decision": "approve"}),
        json!(["approve"]),
        json!("approve"),
        json!(null),
    ];
    for body in wrong {
        decide(&server, &id, &body).await.problem(422, "invalid_request");
    }
    let path = format!("/v1/approvals/{id}");
    let post = || server.request(Method::POST, &path);
    Answer::of(post().header("content-type", "application/json").body("{\"decision\": \"approve\""))
        .await
        .problem(400, "bad_json");
    Answer::of(post().header("content-type", "application/json")).await.problem(400, "bad_json");
    Answer::of(post().body("decision=approve")).await.problem(415, "unsupported_media_type");
    let asked = server.request(Method::POST, &format!("{path}?decision=approve"));
    Answer::of(asked).await.problem(415, "unsupported_media_type");
    decide(&server, "01890a5d-ac96-774b-bcce-b302099a8057", &json!({"decision": "approve"}))
        .await
        .problem(404, "no_such_approval");
    assert_eq!(server.count("lead").await, 1);
    let seen = server.get(&format!("/v1/runs/{run}")).await.ok();
    assert_eq!((&seen["status"], &seen["receipts"]), (&json!("staged"), &json!([])));
}

#[tokio::test]
async fn reading_an_approval_decides_nothing() {
    let server = TestServer::start().await;
    let (id, run) = staged(&server).await;
    for name in [&id, &run] {
        for query in ["", "?decision=approve"] {
            let answer = server.get(&format!("/v1/approvals/{name}{query}")).await;
            assert_eq!(answer.body["status"], "pending", "{}", answer.body);
        }
        let head = Answer::of(server.request(Method::HEAD, &format!("/v1/approvals/{name}"))).await;
        assert_eq!(head.status.as_u16(), 200);
        for method in [Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS] {
            let request =
                server.request(method, &format!("/v1/approvals/{name}")).json(&json!({"decision": "approve"}));
            Answer::of(request).await.problem(405, "method_not_allowed");
        }
    }
    assert_eq!(server.count("lead").await, 1);
}

#[tokio::test]
async fn an_approval_is_also_found_by_the_id_of_its_run() {
    let server = TestServer::start().await;
    let run = server.say("create task: Planned", "plan").await;
    let id = run["run_id"].as_str().unwrap();
    let done = decide(&server, id, &json!({"decision": "approve", "wait_timeout_ms": 0})).await.ok();
    assert_eq!(done["run_id"], run["run_id"]);
    assert_eq!(server.count("task").await, 1);
}

#[tokio::test]
async fn only_those_who_may_decide_see_personal_values() {
    let server = TestServer::start().await;
    let (id, run) = staged(&server).await;
    let row = server.kernel.store().approval(&scope(), id.parse().unwrap()).unwrap().unwrap();
    let view = |approver: bool| {
        let actor = Actor { approver, name: "Eve".into(), ..Actor::local() };
        server.kernel.approval_view(&scope(), row.clone(), &actor)
    };
    let (clear, hidden) = (view(true), view(false));
    assert!(clear.asks[0].contains("Sue Lee ("), "{clear:?}");
    assert!(!format!("{:?} {}", hidden.asks, hidden.said).contains("Sue"), "{hidden:?}");
    assert!(clear.said.starts_with("delete lead"), "{clear:?}");
    let seen = server.get(&format!("/v1/approvals/{run}")).await.ok();
    assert_eq!(seen["said"], json!(clear.said));
}
