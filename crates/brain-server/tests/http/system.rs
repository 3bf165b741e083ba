//! Health, readiness, metrics, request ids.

use std::time::Duration;

use brain_server::ServerConfig;
use reqwest::Method;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{Answer, TestServer, trades};

#[tokio::test]
async fn health_and_readiness_are_reported() {
    let server = TestServer::start().await;
    assert_eq!(server.get("/healthz").await.ok(), json!({"status": "ok"}));
    let ready = server.get("/readyz").await.ok();
    assert_eq!(ready["status"], "ready", "{ready}");
    let checks = ready["checks"].as_array().unwrap();
    let names: Vec<&str> = checks.iter().map(|check| check["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["store_reads", "store_writes", "engine", "packs", "clock"]);
    assert!(checks.iter().all(|check| check["status"] == "ok"), "{ready}");
    assert_eq!(checks[3]["detail"], "trades 1.0.0");
    server.kernel.engine().pause(true);
    let ready = server.get("/readyz").await.ok();
    assert_eq!((&ready["checks"][2]["status"], &ready["status"]), (&json!("warning"), &json!("ready")), "{ready}");
}

#[tokio::test]
async fn metrics_count_what_happened() {
    let server = TestServer::start().await;
    server.say("create task: Call Bob", "enqueue_and_wait").await;
    server.say("create task: Later", "plan").await;
    server.get("/v1/nothing").await;
    server.get("/v1/runs/1").await;
    let answer = server.get("/metrics").await;
    assert!(answer.headers["content-type"].to_str().unwrap().starts_with("application/openmetrics-text"));
    let text = answer.body.as_str().unwrap();
    for line in [
        "brain_http_requests_total{method=\"POST\",route=\"/v1/runs\",status=\"200\"} 2",
        "brain_http_requests_total{method=\"GET\",route=\"unmatched\",status=\"404\"} 1",
        "brain_http_requests_total{method=\"GET\",route=\"/v1/runs/{id}\",status=\"400\"} 1",
        "brain_http_request_duration_seconds_count{method=\"POST\",route=\"/v1/runs\"} 2",
        "brain_runs_created_total{mode=\"enqueue_and_wait\"} 1",
        "brain_runs_created_total{mode=\"plan\"} 1",
        "brain_runs{status=\"staged\"} 1",
        "brain_outside_jobs 0",
        "# EOF",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    for name in
        ["brain_store_commits_total", "brain_store_syncs_total", "brain_store_rows_total", "brain_store_bytes_total"]
    {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name} in {text}"));
        assert!(!line.ends_with(" 0"), "{line}");
    }
}

#[tokio::test]
async fn a_request_keeps_its_id() {
    let server = TestServer::start().await;
    let answer = Answer::of(server.request(Method::GET, "/healthz").header("x-request-id", "abc-1")).await;
    assert_eq!(answer.headers["x-request-id"], "abc-1");
    let long = "x".repeat(200);
    for wrong in ["a b", long.as_str()] {
        let answer = Answer::of(server.request(Method::GET, "/v1/nothing").header("x-request-id", wrong)).await;
        assert_eq!(answer.headers["x-request-id"].len(), 36, "{:?}", answer.headers);
    }
    assert_eq!(answer.headers["x-content-type-options"], "nosniff");
    assert_eq!(answer.headers["cache-control"], "no-store");
}

#[tokio::test]
async fn a_client_that_never_sends_its_whole_head_is_disconnected() {
    let mut config = ServerConfig::new("127.0.0.1:0".parse().unwrap());
    config.header_timeout = Duration::from_millis(100);
    config.max_connections = 1;
    let server = TestServer::with(trades(), config).await;
    let mut slow = TcpStream::connect(server.addr).await.unwrap();
    slow.write_all(b"GET /healthz HTTP/1.1\r\nHost: loc").await.unwrap();
    let mut rest = Vec::new();
    slow.read_to_end(&mut rest).await.unwrap();
    assert!(!rest.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&rest));
    // It held the only connection, which is free now.
    server.get("/healthz").await.ok();
}
