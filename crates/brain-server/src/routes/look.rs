//! A closer look at a run: its request, whether its log rebuilds it, what waits for review.

use axum::Json;
use axum::extract::State;
use serde_json::Value;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::runs::run_id;
use crate::app::App;
use crate::extract::UrlPath;
use crate::guard::Caller;
use crate::problem::Problem;
use crate::wire::{Page, Replay, WaitingReview};

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(request)).routes(routes!(replay)).routes(routes!(reviews))
}

/// The request of a run as it was received, without personal values.
#[utoipa::path(
    get, path = "/v1/runs/{id}/request", tag = "runs", operation_id = "get_run_request",
    params(("id" = String, Path, format = "uuid", description = "The run")),
    responses(
        (status = 200, description = "The request", body = Value),
        (status = 400, description = "The id is not a UUID."),
        (status = 404, description = "There is no such run."),
    )
)]
async fn request(State(app): State<App>, caller: Caller, UrlPath(id): UrlPath<String>) -> Result<Json<Value>, Problem> {
    let id = run_id(&id)?;
    app.read(move |kernel| {
        let state = kernel.engine().run_state(&caller.scope, id)?;
        Ok(Json(kernel.redaction_of(&state).request(&state.row.request)))
    })
    .await
}

/// Whether the log of a run rebuilds the state that is stored. Nothing is executed.
#[utoipa::path(
    get, path = "/v1/runs/{id}/replay", tag = "runs", operation_id = "replay_run",
    params(("id" = String, Path, format = "uuid", description = "The run")),
    responses(
        (status = 200, description = "Whether it does, and what differs", body = Replay),
        (status = 400, description = "The id is not a UUID."),
        (status = 404, description = "There is no such run."),
    )
)]
async fn replay(State(app): State<App>, caller: Caller, UrlPath(id): UrlPath<String>) -> Result<Json<Replay>, Problem> {
    let id = run_id(&id)?;
    app.read(move |kernel| Ok(Json(kernel.replay(&caller.scope, id)?.into()))).await
}

/// The results of a run that wait for review.
#[utoipa::path(
    get, path = "/v1/runs/{id}/reviews", tag = "runs", operation_id = "list_run_reviews",
    params(("id" = String, Path, format = "uuid", description = "The run")),
    responses(
        (status = 200, description = "Results", body = Page<WaitingReview>),
        (status = 400, description = "The id is not a UUID."),
        (status = 404, description = "There is no such run."),
        (status = 409, description = "The run was never planned."),
    )
)]
async fn reviews(
    State(app): State<App>,
    caller: Caller,
    UrlPath(id): UrlPath<String>,
) -> Result<Json<Page<WaitingReview>>, Problem> {
    let id = run_id(&id)?;
    app.read(move |kernel| {
        let items = kernel.waiting_reviews(&caller.scope, id)?.into_iter().map(WaitingReview::from).collect();
        Ok(Json(Page { items, next_cursor: None }))
    })
    .await
}
