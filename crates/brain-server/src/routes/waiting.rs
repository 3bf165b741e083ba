//! What runs wait for, which of them wait for a person, and that person's decisions.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::approvals::MAX_NOTE;
use super::runs::run_id;
use crate::app::App;
use crate::extract::{OptionalJson, UrlPath, UrlQuery, page_limit, short_text};
use crate::guard::Caller;
use crate::problem::Problem;
use crate::wire::{Abort, Page, RunResponse, WaitingRun, WhyWaiting};

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(waiting))
        .routes(routes!(why))
        .routes(routes!(retry))
        .routes(routes!(skip))
        .routes(routes!(abort))
}

fn note(body: Abort) -> Result<String, Problem> {
    let note = body.note.unwrap_or_default();
    short_text("note", &note, MAX_NOTE)?;
    Ok(note)
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct WaitingQuery {
    /// Maximum number of runs of each kind.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u64>,
}

/// List runs that wait for a person: parked runs first, then runs with open dead letters, plans to approve and questions,
/// each newest first.
#[utoipa::path(
    get, path = "/v1/runs/waiting", tag = "runs", operation_id = "list_waiting_runs", params(WaitingQuery),
    responses(
        (status = 200, description = "Runs", body = Page<WaitingRun>),
        (status = 422, description = "A parameter is unknown or invalid."),
    )
)]
async fn waiting(
    State(app): State<App>,
    caller: Caller,
    UrlQuery(query): UrlQuery<WaitingQuery>,
) -> Result<Json<Page<WaitingRun>>, Problem> {
    let limit = page_limit(query.limit)?;
    app.read(move |kernel| {
        let items = kernel.awaiting_person(&caller.scope, limit)?.into_iter().map(WaitingRun::from).collect();
        Ok(Json(Page { items, next_cursor: None }))
    })
    .await
}

/// Explain what a run waits for, step by step.
#[utoipa::path(
    get, path = "/v1/runs/{id}/why", tag = "runs", operation_id = "why_waiting",
    params(("id" = String, Path, format = "uuid", description = "The run")),
    responses(
        (status = 200, description = "What it is waiting for", body = WhyWaiting),
        (status = 400, description = "The id is not a UUID."),
        (status = 404, description = "There is no such run."),
    )
)]
async fn why(
    State(app): State<App>,
    caller: Caller,
    UrlPath(id): UrlPath<String>,
) -> Result<Json<WhyWaiting>, Problem> {
    let run = run_id(&id)?;
    app.read(move |kernel| {
        let waits = kernel.why_waiting(&caller.scope, run)?.into_iter().map(Into::into).collect();
        Ok(Json(WhyWaiting { run_id: run.to_string(), waits }))
    })
    .await
}

/// Retry a run: every open dead letter with its key, or reading a parked run.
#[utoipa::path(
    post, path = "/v1/runs/{id}/retry", tag = "runs", operation_id = "retry_run",
    params(("id" = String, Path, format = "uuid", description = "The run")),
    request_body = Option<Abort>,
    responses(
        (status = 200, description = "The state of the run", body = RunResponse),
        (status = 400, description = "The body is not JSON, or the id is not a UUID."),
        (status = 404, description = "There is no such run."),
        (status = 409, description = "No decision is pending for this run, or a pack of the run is not loaded."),
        (status = 422, description = "A field is unknown or invalid."),
    )
)]
async fn retry(
    State(app): State<App>,
    caller: Caller,
    UrlPath(id): UrlPath<String>,
    OptionalJson(body): OptionalJson<Abort>,
) -> Result<Json<RunResponse>, Problem> {
    let (run, note) = (run_id(&id)?, note(body)?);
    let kernel = app.kernel();
    kernel.expect_packs(&caller.scope, run)?;
    let report = kernel.retry_run(&caller.scope, run, &caller.actor.name, &note).await?;
    Ok(Json(report.into()))
}

/// Skip the failed steps and go on.
#[utoipa::path(
    post, path = "/v1/runs/{id}/skip", tag = "runs", operation_id = "skip_failed_steps",
    params(("id" = String, Path, format = "uuid", description = "The run")),
    request_body = Option<Abort>,
    responses(
        (status = 200, description = "The state of the run", body = RunResponse),
        (status = 400, description = "The body is not JSON, or the id is not a UUID."),
        (status = 404, description = "There is no such run."),
        (status = 409, description = "No decision is pending for this run, or a pack of the run is not loaded."),
        (status = 422, description = "A field is unknown or invalid."),
    )
)]
async fn skip(
    State(app): State<App>,
    caller: Caller,
    UrlPath(id): UrlPath<String>,
    OptionalJson(body): OptionalJson<Abort>,
) -> Result<Json<RunResponse>, Problem> {
    let (run, note) = (run_id(&id)?, note(body)?);
    let kernel = app.kernel();
    kernel.expect_packs(&caller.scope, run)?;
    let report = kernel.skip_failed(&caller.scope, run, &caller.actor.name, &note).await?;
    Ok(Json(report.into()))
}

/// Abort a run; finished steps stay. Works for a parked run, too.
#[utoipa::path(
    post, path = "/v1/runs/{id}/abort", tag = "runs", operation_id = "abort_run",
    params(("id" = String, Path, format = "uuid", description = "The run")),
    request_body = Option<Abort>,
    responses(
        (status = 200, description = "The state of the run", body = RunResponse),
        (status = 400, description = "The body is not JSON, or the id is not a UUID."),
        (status = 404, description = "There is no such run."),
        (status = 409, description = "No decision is pending for this run, or a pack of the run is not loaded."),
        (status = 422, description = "A field is unknown or invalid."),
    )
)]
async fn abort(
    State(app): State<App>,
    caller: Caller,
    UrlPath(id): UrlPath<String>,
    OptionalJson(body): OptionalJson<Abort>,
) -> Result<Json<RunResponse>, Problem> {
    let (run, note) = (run_id(&id)?, note(body)?);
    let kernel = app.kernel();
    kernel.expect_packs_to_stop(&caller.scope, run)?;
    let report = kernel.abort(&caller.scope, run, &caller.actor.name, &note).await?;
    Ok(Json(report.into()))
}
