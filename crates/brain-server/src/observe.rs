//! Wraps every request: its id, its metrics, its line in the log, and headers that restrict browsers.

use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument;

use crate::app::App;
use crate::problem::Code;
use crate::request_id::{self, X_REQUEST_ID};
use crate::trace;

/// The route of a request for a path that does not exist.
const UNMATCHED: &str = "unmatched";

/// How long a handler waited because the caller asked it to. The handler puts it into the response.
#[derive(Clone, Copy)]
pub(crate) struct Waited(pub(crate) Duration);

/// Counts and logs a request. The log has the route instead of the path, because paths may contain values.
pub(crate) async fn observe(State(app): State<App>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let id = request_id::of_request(request.headers());
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map_or(UNMATCHED, MatchedPath::as_str).to_owned();
    let trace = trace::trace_id(request.headers());
    let span = tracing::info_span!("request", id = id.to_str().unwrap_or_default(), %method, route, trace);
    let mut response = next.run(request).instrument(span.clone()).await;
    let (status, took) = (response.status().as_u16(), began.elapsed());
    let waited = response.extensions().get::<Waited>().map_or(Duration::ZERO, |waited| waited.0);
    let code = response.extensions().get::<Code>().map(|code| code.0);
    let took_ms = took.as_millis() as u64;
    span.in_scope(|| match status {
        500.. => tracing::warn!(status, code, took_ms, "request failed"),
        // Scanners ask for many paths that do not exist.
        404 if route == UNMATCHED => tracing::debug!(status, code, took_ms, "request refused"),
        400.. => tracing::info!(status, code, took_ms, "request refused"),
        _ if took.saturating_sub(waited) >= app.slow_request() => tracing::info!(status, took_ms, "slow request"),
        _ => tracing::debug!(status, took_ms, "request answered"),
    });
    // Clients may invent methods; only known ones become labels.
    let method = if is_known(method.as_str()) { method.as_str() } else { "OTHER" };
    app.metrics().request(method, &route, status, took);
    let headers = response.headers_mut();
    headers.insert(X_REQUEST_ID, id);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

fn is_known(method: &str) -> bool {
    matches!(method, "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS")
}
