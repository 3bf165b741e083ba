//! `/v1/approvals`: plans and steps that wait for approval. Only a `POST` with a decision decides.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use brain_core::{ApprovalId, ApprovalStatus, RunId};
use brain_kernel::{Decision, MAX_WAIT};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa::openapi::Schema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::extract::{JsonBody, UrlPath, UrlQuery, bounded, page_cursor, page_limit, short_text, status_of};
use crate::guard::Caller;
use crate::openapi::words;
use crate::problem::Problem;
use crate::wire::{self, Approval, Decide, Page, RunResponse};

/// Maximum length of a note.
pub(crate) const MAX_NOTE: usize = 4096;
/// Default time to wait for the end of an approved run, in milliseconds.
const DEFAULT_WAIT: u64 = 30_000;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(get, decide))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Only approvals with this status.
    #[param(schema_with = statuses)]
    status: Option<String>,
    /// Maximum number of items on the page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u64>,
    /// The `next_cursor` of the previous page.
    cursor: Option<String>,
}

fn statuses() -> Schema {
    words(ApprovalStatus::ALL.iter().map(|status| status.as_str()))
}

/// List approvals, newest first.
#[utoipa::path(
    get, path = "/v1/approvals", tag = "approvals", operation_id = "list_approvals", params(ListQuery),
    responses(
        (status = 200, description = "Approvals", body = Page<Approval>),
        (status = 400, description = "The cursor does not belong to this list."),
        (status = 422, description = "A parameter is unknown or invalid."),
    )
)]
async fn list(
    State(app): State<App>,
    caller: Caller,
    UrlQuery(query): UrlQuery<ListQuery>,
) -> Result<Json<Page<Approval>>, Problem> {
    let limit = page_limit(query.limit)?;
    let status: Option<ApprovalStatus> = status_of("status", query.status.as_deref())?;
    app.read(move |kernel| {
        let rows = kernel.store().approvals(&caller.scope, status, limit, page_cursor(&query.cursor))?;
        Ok(Json(Page::of(rows, |row| kernel.approval_view(&caller.scope, row, &caller.actor).into())))
    })
    .await
}

/// Get an approval, or the newest one of a run.
///
/// Reading an approval decides nothing.
#[utoipa::path(
    get, path = "/v1/approvals/{id}", tag = "approvals", operation_id = "get_approval",
    params(("id" = String, Path, format = "uuid", description = "The approval, or the run that waits for it")),
    responses(
        (status = 200, description = "The approval", body = Approval),
        (status = 400, description = "The id is not a UUID."),
        (status = 404, description = "There is no such approval."),
    )
)]
async fn get(State(app): State<App>, caller: Caller, UrlPath(id): UrlPath<String>) -> Result<Json<Approval>, Problem> {
    let id = approval_id(&id)?;
    app.read(move |kernel| {
        let row = kernel.find_approval(&caller.scope, &id)?;
        Ok(Json(kernel.approval_view(&caller.scope, row, &caller.actor).into()))
    })
    .await
}

/// Approve or reject.
///
/// After `approve`, the response waits up to `wait_timeout_ms` for the end of the run; the run itself does not depend
/// on the connection. A second decision is a `409`, so the request can be repeated safely.
#[utoipa::path(
    post, path = "/v1/approvals/{id}", tag = "approvals", operation_id = "decide_approval",
    params(("id" = String, Path, format = "uuid", description = "The approval, or the run that waits for it")),
    request_body = Decide,
    responses(
        (status = 200, description = "The state of the run", body = RunResponse),
        (status = 400, description = "The body is not JSON, or the id is not a UUID."),
        (status = 404, description = "There is no such approval."),
        (status = 409, description = "It is already decided, the run no longer waits for it, the run waits for several, the digest differs, or a pack of the run is not loaded."),
        (status = 422, description = "The decision is missing, or a field is invalid. Nothing runs."),
    )
)]
async fn decide(
    State(app): State<App>,
    caller: Caller,
    UrlPath(id): UrlPath<String>,
    JsonBody(body): JsonBody<Decide>,
) -> Result<Json<RunResponse>, Problem> {
    let id = approval_id(&id)?;
    let wait = bounded("wait_timeout_ms", body.wait_timeout_ms, DEFAULT_WAIT, 0, MAX_WAIT)?;
    let note = body.note.unwrap_or_default();
    short_text("note", &note, MAX_NOTE)?;
    let decision = match body.decision {
        wire::Decision::Approve => Decision::Approve,
        wire::Decision::Reject => Decision::Reject,
    };
    let kernel = app.kernel();
    let seen = body.digest.as_deref();
    let row = kernel.find_approval(&caller.scope, &id)?;
    match decision {
        // Nothing of a whole plan has started.
        Decision::Reject if !row.body["job"].is_string() => {}
        _ if row.status == ApprovalStatus::Pending => kernel.expect_packs(&caller.scope, row.run)?,
        _ => {}
    }
    let decided = kernel.decide(&caller.scope, &id, seen, decision, &caller.actor, &note).await?;
    if decision == Decision::Reject || wait == 0 {
        return Ok(Json(decided.into()));
    }
    let limit = Duration::from_millis(app.wait(wait));
    let waited = tokio::time::timeout(limit, kernel.engine().wait(&caller.scope, decided.run)).await;
    let timed_out = waited.is_err();
    if let Ok(news) = waited {
        news?;
    }
    let run: RunId = decided.run;
    let report = app.read(move |kernel| Ok(kernel.report(&caller.scope, run)?)).await?;
    let mut response = RunResponse::from(report);
    if timed_out {
        response.timed_out(wait);
    }
    Ok(Json(response))
}

/// Checks and normalises an id.
fn approval_id(text: &str) -> Result<String, Problem> {
    let id: ApprovalId = text.parse().map_err(|error| Problem::bad_id(&error))?;
    Ok(id.to_string())
}
