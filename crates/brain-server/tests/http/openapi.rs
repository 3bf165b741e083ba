//! The OpenAPI document matches the API.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::TestServer;

/// Every route of the design.
const ROUTES: [&str; 74] = [
    "GET /healthz",
    "GET /metrics",
    "GET /openapi.json",
    "GET /readyz",
    "GET /v1/approvals",
    "GET /v1/approvals/{id}",
    "GET /v1/audit",
    "GET /v1/blobs/{hash}",
    "GET /v1/dead-letters",
    "GET /v1/dead-letters/{id}",
    "GET /v1/doctor",
    "GET /v1/events",
    "GET /v1/events/stream",
    "GET /v1/learning",
    "GET /v1/learning/blocklist",
    "GET /v1/learning/candidates",
    "GET /v1/learning/cases",
    "GET /v1/learning/phrases",
    "GET /v1/playbooks",
    "GET /v1/playbooks/{name}",
    "GET /v1/record-types",
    "GET /v1/record-types/{type}",
    "GET /v1/records/{type}",
    "GET /v1/records/{type}/{id}",
    "GET /v1/runs",
    "GET /v1/runs/waiting",
    "GET /v1/runs/{id}",
    "GET /v1/runs/{id}/events",
    "GET /v1/runs/{id}/expansion",
    "GET /v1/runs/{id}/explain",
    "GET /v1/runs/{id}/receipts",
    "GET /v1/runs/{id}/replay",
    "GET /v1/runs/{id}/request",
    "GET /v1/runs/{id}/reviews",
    "GET /v1/runs/{id}/why",
    "GET /v1/system/paused",
    "GET /v1/tokens",
    "GET /v1/tools",
    "GET /v1/tools/lookup",
    "GET /v1/tools/{name}",
    "POST /v1/approvals/{id}",
    "POST /v1/blobs",
    "POST /v1/callbacks/{tenant}/{run}/{job}",
    "POST /v1/dead-letters/retry",
    "POST /v1/dead-letters/{id}/escalate",
    "POST /v1/dead-letters/{id}/resolve",
    "POST /v1/dead-letters/{id}/retry",
    "POST /v1/explain",
    "POST /v1/gc",
    "POST /v1/jobs/activate",
    "POST /v1/jobs/{id}/complete",
    "POST /v1/jobs/{id}/extend",
    "POST /v1/jobs/{id}/fail",
    "POST /v1/learning/corrections",
    "POST /v1/learning/promote",
    "POST /v1/learning/reject",
    "POST /v1/learning/run",
    "POST /v1/learning/teach",
    "POST /v1/learning/unblock",
    "POST /v1/learning/unteach",
    "POST /v1/packs/reload",
    "POST /v1/records/{type}/import",
    "POST /v1/reindex",
    "POST /v1/runs",
    "POST /v1/runs/migrate",
    "POST /v1/runs/{id}/abort",
    "POST /v1/runs/{id}/cancel",
    "POST /v1/runs/{id}/retry",
    "POST /v1/runs/{id}/review",
    "POST /v1/runs/{id}/skip",
    "POST /v1/runs/{id}/undo",
    "POST /v1/tokens",
    "POST /v1/tokens/{id}/revoke",
    "PUT /v1/system/paused",
];

fn operations(document: &Value) -> Vec<(String, &Value)> {
    let paths = document["paths"].as_object().unwrap();
    let of_path = paths.iter().flat_map(|(path, item)| {
        item.as_object()
            .unwrap()
            .iter()
            .map(move |(method, operation)| (format!("{} {path}", method.to_uppercase()), operation))
    });
    of_path.collect()
}

#[tokio::test]
async fn the_document_lists_every_route() {
    let server = TestServer::start().await;
    let document = server.get("/openapi.json").await.ok();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document, serde_json::to_value(brain_server::openapi()).unwrap());
    let listed: BTreeSet<String> = operations(&document).into_iter().map(|(name, _)| name).collect();
    let wanted: BTreeSet<String> = ROUTES.iter().map(|&route| route.to_owned()).collect();
    assert_eq!(listed, wanted);
    // Every listed route exists.
    for route in listed.iter().filter(|route| !route.ends_with("/stream")) {
        let (method, path) = route.split_once(' ').unwrap();
        let path = path.replace("{type}", "lead").replace("{name}", "os.create_task").replace("{id}", "1");
        let answer = crate::support::Answer::of(server.request(method.parse().unwrap(), &path)).await;
        assert!(!["not_found", "method_not_allowed"].iter().any(|code| answer.body["code"] == *code), "{route}");
    }
}

#[tokio::test]
async fn the_page_has_every_operation_and_every_schema_and_loads_nothing() {
    let server = TestServer::start().await;
    let answer = server.get("/docs").await;
    assert_eq!(answer.headers["content-type"], "text/html; charset=utf-8");
    let policy = answer.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("script"), "{policy}");
    let page = answer.body.as_str().unwrap();
    let document = serde_json::to_value(brain_server::openapi()).unwrap();
    for (name, operation) in operations(&document) {
        let id = operation["operationId"].as_str().unwrap();
        assert!(page.contains(&format!("<article id=\"{id}\">")), "{name} is not on the page: has it a tag?");
    }
    for name in document["components"]["schemas"].as_object().unwrap().keys() {
        assert!(page.contains(&format!("id=\"schema-{name}\"")), "{name}");
    }
    // Every link on the page leads to an anchor of it, or to an existing route.
    for link in page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        match link.strip_prefix('#') {
            Some(anchor) => assert!(page.contains(&format!("id=\"{anchor}\"")), "{link}"),
            None => assert!(["/", "/openapi.json"].contains(&link), "{link}"),
        }
    }
    assert!(!page.contains("<script") && !page.contains("src="));
    assert_eq!(document["servers"][0]["url"], "/");
}

#[tokio::test]
async fn the_start_page_is_html_for_browsers_and_json_for_programs() {
    let server = TestServer::start().await;
    let links = server.get("/").await.ok();
    assert_eq!(links["name"], "Brain");
    for name in ["docs", "openapi", "health", "ready", "metrics"] {
        assert_eq!(server.get(links[name].as_str().unwrap()).await.status.as_u16(), 200, "{name}");
    }
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    let request = server.request(reqwest::Method::GET, "/").header("accept", browser);
    let answer = crate::support::Answer::of(request).await;
    let page = answer.body.as_str().unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("href=\"/docs\""), "{page}");
}

#[test]
fn every_operation_is_described() {
    let document = serde_json::to_value(brain_server::openapi()).unwrap();
    assert_eq!(document["components"]["securitySchemes"]["bearer"]["scheme"], "bearer");
    let mut ids = BTreeSet::new();
    for (name, operation) in operations(&document) {
        assert!(operation["summary"].is_string(), "{name} has no summary");
        assert!(ids.insert(operation["operationId"].to_string()), "{name} shares its id");
        let responses = operation["responses"].as_object().unwrap();
        let done = if ["POST /v1/blobs", "POST /v1/tokens"].contains(&name.as_str()) { "201" } else { "200" };
        assert!(responses[done]["content"].is_object(), "{name}");
        for (status, response) in responses.iter().filter(|(status, _)| status.as_str() >= "400") {
            let schema = &response["content"]["application/problem+json"]["schema"];
            assert_eq!(schema["$ref"], "#/components/schemas/ProblemDocument", "{name} {status}");
        }
        let has_no_body = ["/cancel", "/reload", "/revoke"].iter().any(|end| name.ends_with(end));
        if name.starts_with("POST") && !has_no_body {
            let kind = if name == "POST /v1/blobs" { "application/octet-stream" } else { "application/json" };
            assert!(operation["requestBody"]["content"][kind].is_object(), "{name}");
        }
    }
}

#[test]
fn every_reference_resolves() {
    let document = serde_json::to_value(brain_server::openapi()).unwrap();
    let mut found = Vec::new();
    references(&document, &mut found);
    assert!(!found.is_empty());
    for reference in found {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
                found.push(reference.to_owned());
            }
            map.values().for_each(|inner| references(inner, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

#[test]
fn every_problem_is_listed_in_the_documentation() {
    let page = include_str!("../../../../docs/errors/README.md");
    for kind in brain_server::KINDS {
        let line = format!("| {} | `{}` | {}.", kind.status, kind.code, kind.title);
        assert!(page.contains(&line), "docs/errors/README.md lacks: {line}");
    }
}
