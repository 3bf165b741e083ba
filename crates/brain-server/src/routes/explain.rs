//! Explains how a text is understood. Executes nothing.

use axum::Json;
use axum::extract::State;
use brain_kernel::KernelError;
use brain_nlu::TierId;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::runs::run_id;
use crate::app::App;
use crate::extract::{JsonBody, UrlPath};
use crate::guard::Caller;
use crate::problem::Problem;
use crate::wire::{ExplainRequest, Explanation};

/// Maximum length of a text, in bytes: that of a message.
const MAX_TEXT: usize = 64 * 1024;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(explain)).routes(routes!(explain_run))
}

/// Explain how a text would be understood, with the phrases taught to this tenant. Nothing is executed.
#[utoipa::path(
    post, path = "/v1/explain", tag = "learning", operation_id = "explain", request_body = ExplainRequest,
    responses(
        (status = 200, description = "How it is understood", body = Explanation),
        (status = 400, description = "The body is not JSON."),
        (status = 408, description = "The body did not arrive in time."),
        (status = 413, description = "The text or the body is too large."),
        (status = 415, description = "The body is not declared as JSON."),
        (status = 422, description = "The text is empty, or a field is invalid."),
    )
)]
async fn explain(
    State(app): State<App>,
    caller: Caller,
    JsonBody(body): JsonBody<ExplainRequest>,
) -> Result<Json<Explanation>, Problem> {
    if body.text.trim().is_empty() {
        return Err(KernelError::Empty.into());
    }
    if body.text.len() > MAX_TEXT {
        return Err(KernelError::TooLong(body.text.len()).into());
    }
    app.read(move |kernel| {
        let tier = body.intent_tier.as_deref().map(|tier| TierId::new(tier.trim()));
        if let Some(tier) = tier.as_ref().filter(|tier| !kernel.vocabulary().has_tier(tier)) {
            return Err(Problem::invalid("intent_tier", format!("there is no kind of action `{tier}`")));
        }
        let found = kernel.understand_within(&caller.scope, &caller.actor.name, &body.text, tier);
        Ok(Json(Explanation::of(kernel, &body.text, None, serde_json::json!(found))))
    })
    .await
}

/// Explain how the request of a run was understood, from its log. Personal values are redacted.
#[utoipa::path(
    get, path = "/v1/runs/{id}/explain", tag = "runs", operation_id = "explain_run",
    params(("id" = String, Path, format = "uuid", description = "The run")),
    responses(
        (status = 200, description = "How it was understood", body = Explanation),
        (status = 400, description = "The id is not a UUID."),
        (status = 404, description = "There is no such run."),
        (status = 409, description = "The run has no text: its tools were called directly, or it was erased."),
    )
)]
async fn explain_run(
    State(app): State<App>,
    caller: Caller,
    UrlPath(id): UrlPath<String>,
) -> Result<Json<Explanation>, Problem> {
    let run = run_id(&id)?;
    app.read(move |kernel| Ok(Json(Explanation::of_run(kernel, &caller.scope, run)?))).await
}
