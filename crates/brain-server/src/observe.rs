//! Around every request: its id, its count, its line in the log, and headers that keep browsers careful.

use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument;

use crate::app::App;
use crate::request_id::{self, X_REQUEST_ID};

/// Counts and logs a request. The log has the route, not the address: addresses may carry values.
pub(crate) async fn observe(State(app): State<App>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let id = request_id::of_request(request.headers());
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map_or("unmatched", MatchedPath::as_str).to_owned();
    let span = tracing::info_span!("request", id = id.to_str().unwrap_or_default(), %method, route);
    let mut response = next.run(request).instrument(span.clone()).await;
    let (status, took) = (response.status().as_u16(), began.elapsed());
    span.in_scope(|| tracing::info!(status, took_ms = took.as_millis() as u64, "answered"));
    // A method is whatever the client makes up; only the known ones become labels.
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
