//! Workers, callbacks, reviews, undo, batches and large values, as clients of the API see them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::post;
use brain_kernel::sign_callback;
use brain_server::{Grants, ServerConfig, new_token};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::support::{Answer, TestServer, pack, trades};

const SECRET: &str = "a secret that both sides know";

fn config() -> ServerConfig {
    ServerConfig::new("127.0.0.1:0".parse().unwrap())
}

/// The requests that the other side received.
type Asked = Arc<Mutex<Vec<(HeaderMap, Value)>>>;

async fn other_side() -> (Asked, u16) {
    async fn take(State(asked): State<Asked>, headers: HeaderMap, body: axum::Json<Value>) -> axum::Json<Value> {
        asked.lock().unwrap().push((headers, body.0));
        axum::Json(json!({"workflow": "wf-1"}))
    }
    let asked = Asked::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let router = Router::new().route("/start", post(take)).with_state(asked.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    (asked, port)
}

async fn start() -> (TestServer, Asked) {
    let (asked, port) = other_side().await;
    let secret =
        std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("callback-secret-{}", std::process::id()));
    std::fs::write(&secret, SECRET).unwrap();
    let tools = format!(
        "domain: t
tools:
  resize:
    title: Resize a picture
    input: {{picture: {{type: text, max_length: 100000000}}}}
    phrases: [\"resize {{picture}}\"]
    behavior: {{worker: {{topic: pictures, lease: 2s}}}}
    output: {{width: integer}}
    undo: none
  chase:
    title: Chase a reply
    input: {{whom: string}}
    phrases: [\"chase {{whom}}\"]
    behavior:
      http: {{method: POST, url: \"http://127.0.0.1:{port}/start\", body: {{whom: \"= input.whom\", back: \"= job.callback_url\"}}}}
    delegate: {{secret: \"file:{}\", within: P1D, reference: \"= response.body.workflow\"}}
    idempotency: key
    output: {{reply: string}}
    undo: none
  guess:
    title: Guess a name
    input: {{text: string}}
    phrases: [\"guess {{text}}\"]
    behavior: {{expr: {{result: {{name: \"= input.text\", sure: 0.5}}}}}}
    review: {{when: \"= result.sure < 0.8\", ask: \"Is it {{{{ result.name }}}}?\"}}
    output: {{name: string, sure: number}}
  look:
    title: Look at a file
    cost: {{fixed: 2, currency: EUR}}
    input: {{doc: file}}
    phrases: [\"look at this file\"]
    behavior: {{expr: {{result: {{size: \"= input.doc.size\"}}}}}}
    output: {{size: integer}}
  paint:
    title: Paint
    input: {{}}
    phrases: [\"paint it\"]
    permission: walls.paint
    tiers: [premium]
    behavior: {{expr: {{result: {{done: true}}}}}}
    output: {{done: boolean}}
",
        secret.display()
    );
    let registry = pack(&[
        (
            "pack.yaml",
            format!("name: t\nversion: 1.0.0\ntitle: T\nhosts: [\"127.0.0.1:{port}\"]\nsettings: {{currency: EUR}}\n"),
        ),
        ("tools/t.yaml", tools),
    ]);
    (TestServer::with(registry, config()).await, asked)
}

async fn settled(server: &TestServer, run: &Value, status: &str) -> Value {
    for _ in 0..400 {
        let now = server.get(&format!("/v1/runs/{}", run.as_str().unwrap())).await.ok();
        if now["status_detail"] == status || now["status"] == status {
            return now;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("the run never became {status}");
}

#[tokio::test]
async fn a_worker_leases_a_job_extends_it_and_answers() {
    let (server, _) = start().await;
    let call =
        json!({"message": "", "mode": "enqueue", "calls": [{"tool_name": "t.resize", "input": {"picture": "sun"}}]});
    // A waiting worker gets the job as soon as there is one.
    let client = server.client.clone();
    let url = server.url("/v1/jobs/activate");
    let waiting = tokio::spawn(async move {
        let body = json!({"topics": ["pictures"], "worker": "w1", "wait_timeout_ms": 20_000});
        Answer::of(client.post(url).json(&body)).await.ok()
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    let run = server.post("/v1/runs", &call).await.ok();
    let jobs = waiting.await.unwrap();
    let job = jobs["jobs"][0].clone();
    assert_eq!((&job["input"]["picture"], &job["attempt"]), (&json!("sun"), &json!(1)), "{jobs}");
    assert_eq!(job["run_id"], run["run_id"]);
    let path = |what: &str| format!("/v1/jobs/{}/{what}", job["job_id"].as_str().unwrap());

    let longer = server.post(&path("extend"), &json!({"lease": job["lease"], "lease_ms": 60_000})).await.ok();
    assert!(longer["leased_until"].as_str() > job["leased_until"].as_str(), "{longer}");
    server.post(&path("extend"), &json!({"lease": "nonsense"})).await.problem(409, "conflict");
    server
        .post(&path("complete"), &json!({"lease": format!("{}.7", run["run_id"].as_str().unwrap()), "result": {}}))
        .await
        .problem(409, "conflict");
    let taken = server.post(&path("complete"), &json!({"lease": job["lease"], "result": {"width": 640}})).await.ok();
    assert_eq!(taken["run_id"], run["run_id"]);
    let done = settled(&server, &run["run_id"], "completed").await;
    assert_eq!(done["receipts"][0]["result"]["width"], 640, "{done}");
    // A repeated answer changes nothing.
    server
        .post(&path("complete"), &json!({"lease": job["lease"], "result": {"width": 1}}))
        .await
        .problem(409, "conflict");
    let none = json!({"topics": ["pictures"], "worker": "w1", "wait_timeout_ms": 0});
    assert_eq!(server.post("/v1/jobs/activate", &none).await.ok()["jobs"], json!([]));
}

#[tokio::test]
async fn a_job_of_a_lost_worker_goes_to_another_and_the_old_answer_is_rejected() {
    let (server, _) = start().await;
    let call = json!({"message": "resize moon", "mode": "enqueue"});
    let run = server.post("/v1/runs", &call).await.ok();
    let ask =
        |worker: &str| json!({"topics": ["pictures"], "worker": worker, "lease_ms": 1000, "wait_timeout_ms": 15_000});
    let first = server.post("/v1/jobs/activate", &ask("one")).await.ok()["jobs"][0].clone();
    let second = server.post("/v1/jobs/activate", &ask("two")).await.ok()["jobs"][0].clone();
    assert_eq!(first["job_id"], second["job_id"], "the same work, offered again");
    assert_eq!((&first["attempt"], &second["attempt"]), (&json!(1), &json!(2)));
    let path = format!("/v1/jobs/{}", second["job_id"].as_str().unwrap());
    server
        .post(&format!("{path}/complete"), &json!({"lease": first["lease"], "result": {"width": 1}}))
        .await
        .problem(409, "conflict");
    let error = json!({"lease": second["lease"], "error": {"class": "business", "message": "no such picture"}});
    server.post(&format!("{path}/fail"), &error).await.ok();
    let failed = settled(&server, &run["run_id"], "failed").await;
    assert_eq!(failed["errors"][0]["message"], "no such picture", "{failed}");
    server.post("/v1/jobs/activate", &json!({"topics": [], "worker": "x"})).await.problem(422, "invalid_request");
    server.post("/v1/jobs/activate", &json!({"topics": ["a"], "worker": " "})).await.problem(422, "invalid_request");
}

fn seconds() -> i64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs().cast_signed()
}

#[tokio::test]
async fn only_a_signed_callback_ends_delegated_work_and_only_once() {
    let (server, asked) = start().await;
    let run = server.say("chase Bob", "enqueue_and_wait").await;
    assert!(run["waits_for"][0].as_str().unwrap().contains("wf-1"), "{run}");
    let (headers, body) = asked.lock().unwrap()[0].clone();
    assert!(headers.contains_key("idempotency-key"));
    let back = body["back"].as_str().unwrap();
    let path = &back[back.find("/v1/").unwrap()..];
    let answer = json!({"result": {"reply": "yes"}}).to_string();
    let send = |signature: Option<String>, body: String| {
        let mut request = server.request(Method::POST, path).header("content-type", "application/json").body(body);
        if let Some(signature) = signature {
            request = request.header("brain-signature", signature);
        }
        Answer::of(request)
    };
    let signed = |at: i64, secret: &str| Some(sign_callback(secret, at, answer.as_bytes()));
    send(None, answer.clone()).await.problem(401, "unauthorized");
    send(signed(seconds(), "another secret"), answer.clone()).await.problem(401, "unauthorized");
    send(signed(seconds() - 3600, SECRET), answer.clone()).await.problem(401, "unauthorized");
    send(signed(seconds(), SECRET), answer.replace("yes", "no")).await.problem(401, "unauthorized");
    let still = server.get(&format!("/v1/runs/{}", run["run_id"].as_str().unwrap())).await.ok();
    assert_eq!(still["receipts"], json!([]), "{still}");
    assert_eq!(send(signed(seconds(), SECRET), answer.clone()).await.ok(), json!({"taken": true}));
    let done = settled(&server, &run["run_id"], "completed").await;
    assert_eq!(done["receipts"][0]["result"], json!({"reply": "yes"}), "{done}");
    // A repeated callback, and one for an unknown job.
    assert_eq!(send(signed(seconds(), SECRET), answer.clone()).await.ok(), json!({"taken": false}));
    let elsewhere = "/v1/callbacks/default/01890a5d-ac96-774b-bcce-b302099a8057/01890a5d-ac96-774b-bcce-b302099a8057";
    Answer::of(server.request(Method::POST, elsewhere).body(answer.clone())).await.problem(404, "not_found");
    let events = server.get(&format!("/v1/runs/{}/events?limit=200", run["run_id"].as_str().unwrap())).await.ok();
    let ignored = events["items"].as_array().unwrap().iter().filter(|event| event["name"] == "SignalIgnored").count();
    assert_eq!(ignored, 5, "four forged ones and one repetition left an event: {events}");
    assert_eq!(asked.lock().unwrap().len(), 1, "it was dispatched once");
}

#[tokio::test]
async fn a_result_is_reviewed_and_corrected() {
    let (server, _) = start().await;
    let run = server.say("guess Acme", "enqueue_and_wait").await;
    assert!(run["assistant_message"].as_str().unwrap().contains("Is it Acme?"), "{run}");
    let path = format!("/v1/runs/{}/review", run["run_id"].as_str().unwrap());
    server.post(&path, &json!({})).await.problem(422, "invalid_request");
    let wrong = json!({"verdict": "accept", "corrections": {"sure": "very"}});
    let refused = server.post(&path, &wrong).await.problem(422, "invalid_request");
    assert!(refused["detail"].as_str().unwrap().contains("sure"), "{refused}");
    let right = json!({"verdict": "accept", "corrections": {"name": "Acme Ltd"}});
    let done = server.post(&path, &right).await.ok();
    assert_eq!(done["receipts"][0]["result"], json!({"name": "Acme Ltd", "sure": 0.5}), "{done}");
    server.post(&path, &right).await.problem(409, "conflict");
}

#[tokio::test]
async fn a_token_has_the_permissions_and_the_tier_it_was_created_with() {
    let (server, _) = start().await;
    let now = server.kernel.clock().now();
    let make = |grants: Grants, n: u8| {
        let mut random = brain_core::SeededRandom::new(u64::from(n));
        let tenant = brain_core::TenantId::default_tenant();
        let (row, text) = new_token(tenant, "who", grants, None, now, &mut random, [n; 32]);
        server.kernel.store().put_token(&row).unwrap();
        text
    };
    let none = make(Grants { permissions: Some(vec!["other".into()]), ..Grants::default() }, 1);
    let poor = make(Grants { tier: Some("free".into()), ..Grants::default() }, 2);
    let good = make(
        Grants { permissions: Some(vec!["walls.paint".into()]), tier: Some("premium".into()), ..Grants::default() },
        3,
    );
    for (token, code) in [(&none, "not_permitted"), (&poor, "wrong_tier")] {
        let body = json!({"message": "paint it"});
        let request = server.request(Method::POST, "/v1/runs").bearer_auth(token).json(&body);
        let run = Answer::of(request).await.ok();
        assert_eq!((&run["ok"], &run["errors"][0]["code"]), (&json!(false), &json!(code)), "{run}");
    }
    let request = server.request(Method::POST, "/v1/runs").bearer_auth(&good).json(&json!({"message": "paint it"}));
    let run = Answer::of(request).await.ok();
    assert_eq!(run["ok"], true, "{run}");
}

#[tokio::test]
async fn an_undo_is_staged_and_rejected_when_the_record_has_changed() {
    let server = TestServer::with(trades(), config()).await;
    let lead = server.done("new lead: Jane Doe 0412345678 in Richmond").await;
    let id = lead["lead_id"].as_str().unwrap().to_owned();
    let task = server.say("create task: Call back", "enqueue_and_wait").await;
    assert_eq!(task["ok"], true, "{task}");
    let undo = format!("/v1/runs/{}/undo", task["run_id"].as_str().unwrap());
    let staged = server.post(&undo, &json!({})).await.ok();
    assert!(staged["approval_id"].is_string(), "{staged}");
    assert_eq!(server.count("task").await, 1, "nothing is undone before it is approved");
    // Another run changes the record first.
    let task_id = task["receipts"][0]["result"]["task_id"].as_str().unwrap();
    let other = server.say(&format!("complete task {task_id}"), "enqueue_and_wait").await;
    let approve = format!("/v1/approvals/{}", staged["approval_id"].as_str().unwrap());
    let refused = server.post(&approve, &json!({"decision": "approve"})).await.problem(409, "conflict");
    let detail = refused["detail"].as_str().unwrap();
    assert!(detail.contains("someone changed the task"), "{refused}");
    assert!(detail.contains(other["run_id"].as_str().unwrap()), "it names the run: {refused}");
    assert_eq!(server.count("task").await, 1);
    let again = server.post(&undo, &json!({"step": "s9"})).await.problem(409, "conflict");
    assert!(again["detail"].as_str().unwrap().contains("has no step `s9`"), "{again}");
    let shown = server.say(&format!("show lead {id}"), "enqueue_and_wait").await;
    let expansion = server.get(&format!("/v1/runs/{}/expansion", shown["run_id"].as_str().unwrap())).await.ok();
    assert_eq!(expansion["locks"], json!([{"type": "lead", "id": id, "access": "read"}]), "{expansion}");
}

#[tokio::test]
async fn fifty_megabytes_go_through_arguments_and_results() {
    let (server, _) = start().await;
    let large = "x".repeat(50_000_000);
    let call =
        json!({"message": "", "mode": "enqueue", "calls": [{"tool_name": "t.resize", "input": {"picture": large}}]});
    let run = server.post("/v1/runs", &call).await.ok();
    assert_eq!(run["ok"], true, "{}", run["errors"]);
    let planned = &run["decision"]["planned_tool_calls"];
    let shown = if planned.is_null() { &run["planned_tool_calls"] } else { planned };
    let reference = &shown[0]["input"]["picture"];
    assert_eq!(reference["size"], 50_000_000, "large values are references: {}", &run.to_string()[..600]);
    let ask = json!({"topics": ["pictures"], "worker": "w", "lease_ms": 60_000, "wait_timeout_ms": 20_000});
    let job = server.post("/v1/jobs/activate", &ask).await.ok()["jobs"][0].clone();
    assert_eq!(job["input"]["picture"]["$blob"], reference["$blob"], "the worker fetches it on demand");
    let blob = server.url(&format!("/v1/blobs/{}", reference["$blob"].as_str().unwrap()));
    let bytes = server.client.get(blob).send().await.unwrap().bytes().await.unwrap();
    assert_eq!(bytes.len(), 50_000_000);
}

#[tokio::test]
async fn an_attached_file_fills_the_input_of_type_file() {
    let (server, _) = start().await;
    let upload = server.request(Method::POST, "/v1/blobs").header("content-type", "text/plain").body("hello");
    let blob = Answer::of(upload).await.body["blob"].clone();
    let run = server.post("/v1/runs", &json!({"message": "look at this file", "attachments": [blob]})).await.ok();
    assert_eq!(run["receipts"][0]["result"]["size"], 5, "{run}");
    let without = server.say("look at this file", "enqueue_and_wait").await;
    assert_eq!(without["errors"][0]["code"], "missing_input", "{without}");
    for (limit, ok) in [("1.99", false), ("2.00", true)] {
        let body = json!({"message": "look at this file", "attachments": [blob], "limits": {"max_cost": limit}});
        let run = server.post("/v1/runs", &body).await.ok();
        assert_eq!(run["ok"], ok, "{run}");
        assert_eq!(run["errors"][0]["code"] == "too_expensive", !ok, "{run}");
    }
    let odd = json!({"message": "look at this file", "limits": {"max_cost": "a lot"}});
    server.post("/v1/runs", &odd).await.problem(422, "invalid_request");
    let wrong = json!({"message": "look at this file", "attachments": [{"name": "a.txt"}]});
    server.post("/v1/runs", &wrong).await.problem(422, "invalid_request");
}
