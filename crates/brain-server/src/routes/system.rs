//! The server itself: whether it lives, whether it is ready, what it counts, what it offers.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use brain_core::TenantId;
use brain_store::Scope;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::problem::{NOT_READY, Problem};

/// What Prometheus calls the text that it reads.
const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(healthz))
        .routes(routes!(readyz))
        .routes(routes!(metrics))
        .routes(routes!(openapi))
}

/// How the server is.
#[derive(Serialize, ToSchema)]
struct Health {
    /// `ok` or `ready`.
    status: &'static str,
}

/// Whether the process lives.
#[utoipa::path(
    get, path = "/healthz", tag = "system", operation_id = "healthz", security(()),
    responses((status = 200, description = "It lives", body = Health))
)]
async fn healthz() -> Json<Health> {
    Json(Health { status: "ok" })
}

/// Whether requests can be served: the store answers.
#[utoipa::path(
    get, path = "/readyz", tag = "system", operation_id = "readyz", security(()),
    responses((status = 200, description = "It is ready", body = Health))
)]
async fn readyz(State(app): State<App>) -> Result<Json<Health>, Problem> {
    app.read(|kernel| {
        let scope = Scope::of(TenantId::default_tenant());
        kernel.store().runs(&scope, None, 1, None).map_err(|error| {
            tracing::error!(%error, "the store does not answer");
            Problem::new(NOT_READY, "The store does not answer.")
        })?;
        Ok(Json(Health { status: "ready" }))
    })
    .await
}

/// Counts for Prometheus.
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

/// This description.
#[utoipa::path(
    get, path = "/openapi.json", tag = "system", operation_id = "openapi",
    responses((status = 200, description = "OpenAPI 3.1", body = Object))
)]
async fn openapi(State(app): State<App>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], app.openapi()).into_response()
}
