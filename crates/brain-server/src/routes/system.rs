//! The server itself: liveness, metrics, pausing, the OpenAPI document.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::extract::JsonBody;
use crate::guard::{Caller, Peer, operators_only};
use crate::problem::Problem;

/// The media type of OpenMetrics text.
const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(healthz))
        .merge(super::ready::routes())
        .routes(routes!(metrics))
        .routes(routes!(openapi))
        .routes(routes!(get_paused, set_paused))
}

/// Whether the process is alive.
#[derive(Serialize, ToSchema)]
struct Health {
    /// Always `ok`.
    status: &'static str,
}

/// Whether the process is alive.
#[utoipa::path(
    get, path = "/healthz", tag = "system", operation_id = "healthz", security(()),
    responses((status = 200, description = "It is alive", body = Health))
)]
async fn healthz() -> Json<Health> {
    Json(Health { status: "ok" })
}

/// Metrics for Prometheus.
#[utoipa::path(
    get, path = "/metrics", tag = "system", operation_id = "metrics",
    responses((status = 200, description = "OpenMetrics text", body = String, content_type = "application/openmetrics-text"))
)]
async fn metrics(State(app): State<App>) -> Result<Response, Problem> {
    let shared = app.clone();
    let text =
        app.read(move |_| shared.metrics().text().map_err(|error| Problem::internal(&error.to_string()))).await?;
    Ok(([(header::CONTENT_TYPE, OPENMETRICS)], text).into_response())
}

/// Whether the server is paused.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Paused {
    /// If true, no job starts, no timer fires, and no run is taken over.
    paused: bool,
}

/// Whether the server is paused.
#[utoipa::path(
    get, path = "/v1/system/paused", tag = "system", operation_id = "get_paused",
    responses((status = 200, description = "The current state", body = Paused))
)]
async fn get_paused(State(app): State<App>) -> Json<Paused> {
    Json(Paused { paused: app.kernel().engine().is_paused() })
}

/// Pause the server, or resume it. For callers on the server's machine, and for tokens with the permission `admin`.
#[utoipa::path(
    put, path = "/v1/system/paused", tag = "system", operation_id = "set_paused", request_body = Paused,
    responses(
        (status = 200, description = "The new state", body = Paused),
        (status = 400, description = "The body is not JSON."),
        (status = 403, description = "The caller is on another machine and its token lacks the permission `admin`."),
        (status = 422, description = "A field is unknown, missing or invalid."),
    )
)]
async fn set_paused(
    State(app): State<App>,
    caller: Caller,
    axum::Extension(peer): axum::Extension<Peer>,
    JsonBody(body): JsonBody<Paused>,
) -> Result<Json<Paused>, Problem> {
    operators_only(&caller, &peer, "Pausing and resuming the server")?;
    app.kernel().engine().pause(body.paused);
    Ok(Json(Paused { paused: app.kernel().engine().is_paused() }))
}

/// The OpenAPI document.
#[utoipa::path(
    get, path = "/openapi.json", tag = "system", operation_id = "openapi",
    responses((status = 200, description = "OpenAPI 3.1", body = Object))
)]
async fn openapi(State(app): State<App>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], app.openapi()).into_response()
}
