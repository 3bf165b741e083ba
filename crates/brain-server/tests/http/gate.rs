//! Access: tokens and tenants, and the Host and Origin of a request.

use std::sync::Arc;

use brain_core::{Millis, SeededRandom, TenantId, Timestamp};
use brain_kernel::Kernel;
use brain_server::{Grants, ServerConfig, new_token};
use brain_store::TokenRow;
use reqwest::Method;
use serde_json::json;

use crate::support::{Answer, TestServer, trades};

struct NewToken<'a> {
    tenant: &'a str,
    label: &'a str,
    approver: bool,
    expires_at: Option<Timestamp>,
}

fn token(kernel: &Arc<Kernel>, new: &NewToken<'_>, secret: u8) -> (TokenRow, String) {
    let tenant: TenantId = new.tenant.parse().unwrap();
    let mut random = SeededRandom::new(u64::from(secret) + 1_000);
    let now = kernel.clock().now();
    let (row, text) = new_token(
        tenant,
        new.label,
        Grants { approver: new.approver, ..Grants::default() },
        new.expires_at,
        now,
        &mut random,
        [secret; 32],
    );
    kernel.store().put_token(&row).unwrap();
    (row, text)
}

fn of(tenant: &str) -> NewToken<'_> {
    NewToken { tenant, label: tenant, approver: false, expires_at: None }
}

async fn get(server: &TestServer, path: &str, token: &str) -> Answer {
    Answer::of(server.request(Method::GET, path).bearer_auth(token)).await
}

async fn say(server: &TestServer, message: &str, token: &str) -> Answer {
    let request = server.request(Method::POST, "/v1/runs").bearer_auth(token);
    Answer::of(request.json(&json!({"message": message}))).await
}

#[tokio::test]
async fn tenants_do_not_see_each_other() {
    let server = TestServer::start().await;
    let (_, acme) = token(&server.kernel, &of("acme"), 1);
    let (_, globex) = token(&server.kernel, &of("globex"), 2);
    let run = say(&server, "new lead: Bob Smith 0412 345 678 in Ryde", &acme).await.ok();
    let id = run["run_id"].as_str().unwrap();
    let lead = run["receipts"][0]["result"]["lead_id"].as_str().unwrap();
    let staged = say(&server, &format!("delete lead {lead}"), &acme).await.ok();
    let approval = staged["approval_id"].as_str().unwrap();
    get(&server, &format!("/v1/runs/{id}"), &acme).await.ok();
    get(&server, &format!("/v1/records/lead/{lead}"), &acme).await.ok();
    for path in [format!("/v1/runs/{id}"), format!("/v1/runs/{id}/events"), format!("/v1/runs/{id}/receipts")] {
        get(&server, &path, &globex).await.problem(404, "no_such_run");
        server.get(&path).await.problem(404, "no_such_run");
    }
    get(&server, &format!("/v1/records/lead/{lead}"), &globex).await.problem(404, "no_such_record");
    get(&server, &format!("/v1/approvals/{approval}"), &globex).await.problem(404, "no_such_approval");
    for path in ["/v1/runs", "/v1/records/lead", "/v1/records/lead?q=bob", "/v1/approvals", "/v1/dead-letters"] {
        assert_eq!(get(&server, path, &globex).await.ok()["items"], json!([]), "{path}");
        assert_eq!(server.get(path).await.ok()["items"], json!([]), "{path}");
    }
    let theirs = say(&server, &format!("show lead {lead}"), &globex).await.ok();
    assert_eq!(theirs["ok"], false, "{theirs}");
    let request = server.request(Method::POST, &format!("/v1/approvals/{approval}")).bearer_auth(&globex);
    Answer::of(request.json(&json!({"decision": "approve"}))).await.problem(404, "no_such_approval");
    let request = server.request(Method::POST, &format!("/v1/runs/{id}/cancel")).bearer_auth(&globex);
    Answer::of(request).await.problem(404, "no_such_run");
}

#[tokio::test]
async fn idempotency_keys_belong_to_a_tenant() {
    let server = TestServer::start().await;
    let (_, acme) = token(&server.kernel, &of("acme"), 1);
    let (_, globex) = token(&server.kernel, &of("globex"), 2);
    let mut runs = Vec::new();
    for token in [&acme, &globex] {
        let request = server.request(Method::POST, "/v1/runs").bearer_auth(token).header("Idempotency-Key", "k");
        runs.push(Answer::of(request.json(&json!({"message": "create task: Mine"}))).await.ok());
    }
    assert_ne!(runs[0]["run_id"], runs[1]["run_id"]);
}

#[tokio::test]
async fn an_invalid_token_is_rejected_and_never_becomes_the_default_tenant() {
    let server = TestServer::start().await;
    let (mut row, good) = token(&server.kernel, &of("acme"), 1);
    get(&server, "/v1/runs", &good).await.ok();
    let wrong_secret = format!("{}{}", &good[..good.len() - 64], "0".repeat(64));
    let (_, unknown) = new_token(
        row.tenant.clone(),
        "x",
        Grants { approver: true, ..Grants::default() },
        None,
        server.kernel.clock().now(),
        &mut SeededRandom::new(9),
        [9; 32],
    );
    for bad in [wrong_secret.as_str(), unknown.as_str(), "brn_", "nonsense", ""] {
        let answer = get(&server, "/v1/runs", bad).await;
        assert!(answer.headers["www-authenticate"].to_str().unwrap().starts_with("Bearer"));
        answer.problem(401, "unauthorized");
    }
    for header in ["Basic YTpi", "Bearer", good.as_str()] {
        let request = server.request(Method::GET, "/v1/runs").header("authorization", header);
        Answer::of(request).await.problem(401, "unauthorized");
    }
    let two = server.request(Method::GET, "/v1/runs").header("authorization", format!("Bearer {good}"));
    Answer::of(two.header("authorization", "Bearer other")).await.problem(401, "unauthorized");
    row.revoked = true;
    server.kernel.store().put_token(&row).unwrap();
    // A server caches a token for five seconds.
    let began = std::time::Instant::now();
    let mut answer = get(&server, "/v1/runs", &good).await;
    while answer.status == 200 && began.elapsed().as_secs() < 20 {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        answer = get(&server, "/v1/runs", &good).await;
    }
    answer.problem(401, "unauthorized");
}

#[tokio::test]
async fn a_token_expires() {
    let server = TestServer::start().await;
    let now = server.kernel.clock().now();
    let ended = NewToken { expires_at: Some(now), ..of("acme") };
    let (_, ended) = token(&server.kernel, &ended, 1);
    get(&server, "/v1/runs", &ended).await.problem(401, "unauthorized");
    let later = NewToken { expires_at: Some(now.plus(Millis(600_000))), ..of("acme") };
    let (_, later) = token(&server.kernel, &later, 2);
    get(&server, "/v1/runs", &later).await.ok();
}

#[tokio::test]
async fn only_an_approver_approves() {
    let server = TestServer::start().await;
    let (_, user) = token(&server.kernel, &of("acme"), 1);
    let boss = NewToken { approver: true, label: "boss", ..of("acme") };
    let (_, boss) = token(&server.kernel, &boss, 2);
    let lead = say(&server, "new lead: Bob Smith 0412 345 678 in Ryde", &user).await.ok();
    let lead = lead["receipts"][0]["result"]["lead_id"].as_str().unwrap();
    let run = say(&server, &format!("delete lead {lead}"), &user).await.ok();
    let path = format!("/v1/approvals/{}", run["approval_id"].as_str().unwrap());
    let yes = json!({"decision": "approve"});
    let decide = |token: &str| server.request(Method::POST, &path).bearer_auth(token).json(&yes);
    Answer::of(decide(&user)).await.problem(403, "not_allowed");
    get(&server, &format!("/v1/records/lead/{lead}"), &user).await.ok();
    assert_eq!(Answer::of(decide(&boss)).await.ok()["ok"], true);
    get(&server, &format!("/v1/records/lead/{lead}"), &user).await.problem(404, "no_such_record");
    assert_eq!(get(&server, &path, &user).await.ok()["decided_by"], "boss");
}

#[tokio::test]
async fn any_address_but_loopback_requires_a_token_whatever_the_settings() {
    let mut config = ServerConfig::new("0.0.0.0:0".parse().unwrap());
    assert!(config.require_token);
    config.require_token = false;
    let server = TestServer::with(trades(), config).await;
    for path in ["/v1/runs", "/v1/tools", "/metrics", "/v1/nothing"] {
        server.get(path).await.problem(401, "unauthorized");
    }
    server.post("/v1/runs", &json!({"message": "create task: Sneak"})).await.problem(401, "unauthorized");
    for path in ["/healthz", "/readyz", "/", "/docs", "/openapi.json"] {
        server.get(path).await.ok();
    }
    let (_, text) = token(&server.kernel, &of("acme"), 1);
    for path in ["/v1/runs", "/v1/tools", "/metrics", "/openapi.json"] {
        assert_eq!(get(&server, path, &text).await.status.as_u16(), 200, "{path}");
    }
    // With a token, other host names are allowed, because browsers do not send tokens by themselves.
    let request = server.request(Method::GET, "/v1/runs").bearer_auth(&text).header("host", "brain.example");
    Answer::of(request).await.ok();
}

#[tokio::test]
async fn loopback_can_be_configured_to_require_a_token() {
    let mut config = ServerConfig::new("127.0.0.1:0".parse().unwrap());
    assert!(!config.require_token);
    config.require_token = true;
    let server = TestServer::with(trades(), config).await;
    server.get("/v1/runs").await.problem(401, "unauthorized");
    let (_, text) = token(&server.kernel, &of("acme"), 1);
    get(&server, "/v1/runs", &text).await.ok();
}

#[tokio::test]
async fn a_request_for_another_host_is_rejected() {
    let server = TestServer::start().await;
    let port = server.addr.port();
    for host in [format!("localhost:{port}"), format!("127.0.0.1:{port}"), format!("[::1]:{port}")] {
        Answer::of(server.request(Method::GET, "/v1/runs").header("host", host)).await.ok();
    }
    for host in
        ["evil.example".to_owned(), format!("evil.example:{port}"), "localhost:1".to_owned(), "localhost".to_owned()]
    {
        for path in ["/v1/runs", "/healthz", "/metrics"] {
            let request = server.request(Method::GET, path).header("host", &host);
            Answer::of(request).await.problem(403, "host_not_allowed");
        }
    }
}

#[tokio::test]
async fn requests_from_other_web_sites_are_rejected() {
    let server = TestServer::start().await;
    let port = server.addr.port();
    let body = json!({"message": "create task: From a page"});
    let post = |origin: &str| server.request(Method::POST, "/v1/runs").header("origin", origin).json(&body);
    for origin in ["https://evil.example", "null", "http://localhost:1", &format!("https://localhost:{port}"), ""] {
        Answer::of(post(origin)).await.problem(403, "origin_not_allowed");
    }
    assert_eq!(server.count("task").await, 0);
    for origin in [format!("http://localhost:{port}"), format!("http://127.0.0.1:{port}")] {
        Answer::of(post(&origin)).await.ok();
    }
    assert_eq!(server.count("task").await, 2);
}

#[tokio::test]
async fn only_a_token_with_the_permission_acts_for_somebody() {
    let server = TestServer::start().await;
    let (_, anyone) = token(&server.kernel, &of("acme"), 1);
    let (mut row, bounded) = token(&server.kernel, &NewToken { label: "desk", ..of("acme") }, 2);
    row.permissions = Some(vec!["leads.write".into()]);
    server.kernel.store().put_token(&row).unwrap();
    let ask = |token: String, name: &'static str| {
        let request = server.request(Method::POST, "/v1/runs").bearer_auth(token).header("brain-actor", name);
        Answer::of(request.json(&json!({"message": "create task: Call Bob", "mode": "plan"})))
    };
    let staged = ask(anyone.clone(), "ann").await.ok();
    let approval = staged["approval_id"].as_str().unwrap();
    let decide = |name: Option<&'static str>| {
        let request = server.request(Method::POST, &format!("/v1/approvals/{approval}")).bearer_auth(&anyone);
        Answer::of(
            name.map_or(request.try_clone().unwrap(), |name| request.header("brain-actor", name))
                .json(&json!({"decision": "approve"})),
        )
    };
    decide(Some("bob")).await.problem(403, "not_allowed");
    decide(None).await.problem(403, "not_allowed");
    decide(Some("ann")).await.ok();
    ask(bounded, "ann").await.problem(403, "not_allowed");
    ask(anyone, "").await.problem(403, "not_allowed");
}

#[tokio::test]
async fn only_operators_manage_tokens_audit_imports_migrations_and_upkeep() {
    let server = TestServer::start().await;
    let (_, everything) = token(&server.kernel, &NewToken { approver: true, ..of("acme") }, 1);
    let (mut row, admin) = token(&server.kernel, &NewToken { label: "ops", ..of("acme") }, 2);
    row.permissions = Some(vec!["admin".into()]);
    server.kernel.store().put_token(&row).unwrap();
    let revoke = format!("/v1/tokens/{}/revoke", row.id);
    let lead = json!({"items": [{"name": "Bob", "phone": "0412 345 678", "suburb": "Ryde"}]});
    for (method, path, body, status) in [
        (Method::GET, "/v1/tokens", None, 200),
        (Method::POST, "/v1/tokens", Some(json!({"label": "new"})), 201),
        (Method::GET, "/v1/audit", None, 200),
        (Method::POST, "/v1/runs/migrate", Some(json!({"playbook": "trades.intake"})), 200),
        (Method::POST, "/v1/records/lead/import", Some(lead), 200),
        (Method::POST, "/v1/reindex", Some(json!({"type": "lead", "all": true})), 200),
        // This server has no program with a configuration around it.
        (Method::POST, "/v1/gc", None, 409),
        (Method::GET, "/v1/doctor", None, 409),
        (Method::POST, revoke.as_str(), None, 200),
    ] {
        let ask = |token: Option<&str>| {
            let mut request = server.request(method.clone(), path);
            if let Some(token) = token {
                request = request.bearer_auth(token);
            }
            Answer::of(match &body {
                Some(body) => request.json(body),
                None => request,
            })
        };
        // Every permission of a tenant is not this one, and a proxy on this machine passes tokens on.
        let refused = ask(Some(&everything)).await.problem(403, "not_allowed");
        assert!(refused["detail"].as_str().unwrap().contains("Do it on the server's machine"), "{refused}");
        assert_eq!(ask(Some(&admin)).await.status, status, "{method} {path}");
        assert_eq!(ask(None).await.status, status, "{method} {path} from this machine");
    }
    assert!(server.kernel.store().token(row.id).unwrap().unwrap().revoked, "it has revoked itself");
}

#[tokio::test]
async fn a_token_works_for_its_own_tenant_only() {
    let server = TestServer::start().await;
    let (_, acme) = token(&server.kernel, &of("acme"), 1);
    let ask = |tenant: &'static str, token: Option<String>| {
        let mut request = server.request(Method::GET, "/v1/runs").header("brain-tenant", tenant);
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        Answer::of(request)
    };
    ask("acme", Some(acme.clone())).await.ok();
    ask("globex", Some(acme.clone())).await.problem(403, "not_allowed");
    ask("A B", Some(acme)).await.problem(403, "not_allowed");
    ask("default", None).await.ok();
    ask("acme", None).await.problem(403, "not_allowed");
}
