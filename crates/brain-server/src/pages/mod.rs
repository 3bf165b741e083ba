//! Pages for people: a start page at `/` and the API reference at `/docs`. Both are plain HTML, generated from the
//! OpenAPI document at start. They load nothing from elsewhere and run no script.

mod html;
mod reference;

use std::net::SocketAddr;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::{Value, json};

use self::html::{escape, page};
use crate::app::App;

/// The Content-Security-Policy: pages may load their own styles only.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

/// The links of the start page: name, path and description.
const LINKS: [(&str, &str, &str); 5] = [
    ("docs", "/docs", "The API reference"),
    ("openapi", "/openapi.json", "The same as an OpenAPI document, for tools"),
    ("health", "/healthz", "Whether the process is alive"),
    ("ready", "/readyz", "Whether it can serve, and what is wrong if not"),
    ("metrics", "/metrics", "Metrics for Prometheus"),
];

/// The pages, rendered once.
pub(crate) struct Pages {
    start: Bytes,
    reference: Bytes,
}

impl Pages {
    /// Renders the pages from the OpenAPI document, and a request that the loaded packs understand.
    pub(crate) fn of(document: &Value, bound: SocketAddr, example: &str) -> Self {
        Self { start: start_page(document, bound, example).into(), reference: reference::page_of(document).into() }
    }
}

/// The routes of the pages. They are not part of the API and need no token.
pub(crate) fn routes() -> Router<App> {
    Router::new().route("/", get(start)).route("/docs", get(reference))
}

fn start_page(document: &Value, bound: SocketAddr, said: &str) -> String {
    let about = document["info"]["description"].as_str().unwrap_or_default();
    let first = about.split("\n\n").next().unwrap_or_default();
    let links: String = LINKS
        .iter()
        .map(|(_, path, what)| format!("<li><a href=\"{path}\">{path}</a><span>{}</span></li>", escape(what)))
        .collect();
    let request = json!({"message": said}).to_string().replace('\'', "'\\''");
    let example = format!("curl -s http://{bound}/v1/runs -H 'content-type: application/json' \\\n  -d '{request}'");
    let body = format!(
        "<main class=\"start\"><h1>Brain</h1><p class=\"lead\">{}</p>\
         <p>This server is running. Programs talk to it over HTTP:</p><pre>{}</pre>\
         <ul class=\"links\">{links}</ul></main>",
        escape(first),
        escape(&example),
    );
    page("Brain", &body)
}

/// The start page for browsers, the same links as JSON for programs.
async fn start(State(app): State<App>, headers: HeaderMap) -> Response {
    if wants_html(&headers) {
        return html_response(app.pages().start.clone());
    }
    let mut links = json!({"name": "Brain", "version": env!("CARGO_PKG_VERSION")});
    for (name, path, _) in LINKS {
        links[name] = json!(path);
    }
    ([(header::VARY, HeaderValue::from_static("accept"))], axum::Json(links)).into_response()
}

async fn reference(State(app): State<App>) -> Response {
    html_response(app.pages().reference.clone())
}

/// Whether the client accepts HTML explicitly; a program that accepts anything gets JSON.
fn wants_html(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|kind| kind.trim().starts_with("text/html"))
}

fn html_response(body: Bytes) -> Response {
    let headers: [(HeaderName, HeaderValue); 4] = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (header::VARY, HeaderValue::from_static("accept")),
    ];
    (headers, body).into_response()
}
