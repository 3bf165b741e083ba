//! `/v1/dead-letters`: jobs that wait for a person because they failed or are in doubt.

use axum::Json;
use axum::extract::State;
use brain_core::JobKey;
use brain_engine::LetterDecision;
use brain_kernel::LetterFilter;
use brain_store::DeadLetterRow;
use serde::Deserialize;
use serde_json::Value;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::approvals::MAX_NOTE;
use crate::app::App;
use crate::extract::{JsonBody, OptionalJson, UrlPath, UrlQuery, page_cursor, page_limit, short_text};
use crate::guard::Caller;
use crate::problem::{BAD_ID, NO_SUCH_LETTER, Problem};
use crate::wire::{
    self, Escalate, FieldProblem, Letter, LetterDecided, Outcome, Page, Resolve, RetriedMany, Retry, RetryMany,
    RunResponse,
};

/// Maximum length of a person's name.
const MAX_NAME: usize = 256;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(get))
        .routes(routes!(retry_many))
        .routes(routes!(retry))
        .routes(routes!(resolve))
        .routes(routes!(escalate))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Only open dead letters (`true`) or closed ones (`false`).
    open: Option<bool>,
    /// Maximum number of items on the page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u64>,
    /// The `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// List dead letters, newest first.
#[utoipa::path(
    get, path = "/v1/dead-letters", tag = "dead-letters", operation_id = "list_dead_letters", params(ListQuery),
    responses(
        (status = 200, description = "Dead letters", body = Page<Letter>),
        (status = 400, description = "The cursor does not belong to this list."),
        (status = 422, description = "A parameter is unknown or invalid."),
    )
)]
async fn list(
    State(app): State<App>,
    caller: Caller,
    UrlQuery(query): UrlQuery<ListQuery>,
) -> Result<Json<Page<Letter>>, Problem> {
    let limit = page_limit(query.limit)?;
    app.read(move |kernel| {
        let rows = kernel.store().dead_letters(&caller.scope, query.open, limit, page_cursor(&query.cursor))?;
        Ok(Json(Page::of(rows, |row| Letter::of(&row, &kernel.redaction_for(&caller.scope, row.run)))))
    })
    .await
}

/// Get a dead letter.
#[utoipa::path(
    get, path = "/v1/dead-letters/{id}", tag = "dead-letters", operation_id = "get_dead_letter",
    params(("id" = String, Path, format = "uuid", description = "The letter: the `call_id` of the job")),
    responses(
        (status = 200, description = "The letter", body = Letter),
        (status = 400, description = "The id is not a UUID."),
        (status = 404, description = "There is no such dead letter."),
    )
)]
async fn get(State(app): State<App>, caller: Caller, UrlPath(id): UrlPath<String>) -> Result<Json<Letter>, Problem> {
    let row = find(&app, &caller, letter_id(&id)?).await?;
    Ok(Json(Letter::of(&row, &app.kernel().redaction_for(&caller.scope, row.run))))
}

/// Retry with the same key.
///
/// A closed letter is a `409`, so the request can be repeated safely.
#[utoipa::path(
    post, path = "/v1/dead-letters/{id}/retry", tag = "dead-letters", operation_id = "retry_dead_letter",
    params(("id" = String, Path, format = "uuid", description = "The letter")),
    request_body = Option<Retry>,
    responses(
        (status = 200, description = "The letter and its run", body = LetterDecided),
        (status = 400, description = "The body is not JSON, or the id is not a UUID."),
        (status = 404, description = "There is no such dead letter."),
        (status = 409, description = "It is already decided, or a pack of the run is not loaded."),
        (status = 422, description = "A field is unknown or invalid."),
    )
)]
async fn retry(
    State(app): State<App>,
    caller: Caller,
    UrlPath(id): UrlPath<String>,
    OptionalJson(body): OptionalJson<Retry>,
) -> Result<Json<LetterDecided>, Problem> {
    let note = body.note.unwrap_or_default();
    decide(&app, caller, letter_id(&id)?, LetterDecision::Retry, &note).await
}

/// Retry many dead letters, each with its own key.
///
/// After the cause is fixed: retries all open letters, those of a tool, or those since a time; at most 1000 per
/// request. A call that may have happened and must not be repeated is skipped, and so is a letter whose pack is not loaded. Repeating the request is safe, because
/// retried letters are no longer open.
#[utoipa::path(
    post, path = "/v1/dead-letters/retry", tag = "dead-letters", operation_id = "retry_dead_letters",
    request_body = RetryMany,
    responses(
        (status = 200, description = "The result of each letter", body = RetriedMany),
        (status = 400, description = "The body is not JSON."),
        (status = 422, description = "A field is unknown or invalid."),
    )
)]
async fn retry_many(
    State(app): State<App>,
    caller: Caller,
    JsonBody(body): JsonBody<RetryMany>,
) -> Result<Json<RetriedMany>, Problem> {
    let note = body.note.unwrap_or_default();
    short_text("note", &note, MAX_NOTE)?;
    let kernel = app.kernel();
    let since = body.since.map(|text| wire::since(&text, kernel.clock().now())).transpose();
    let since = since.map_err(|message| Problem::invalid("since", message))?;
    let dry_run = body.dry_run.unwrap_or_default();
    let unknown = body.tool.clone().filter(|tool| kernel.registry().tool(tool).is_none());
    let filter = LetterFilter { tool: body.tool, since };
    let (letters, more) = kernel.retry_letters(&caller.scope, &filter, dry_run, &caller.actor.name, &note).await?;
    // A tool that a pack no longer has may still have letters.
    if let Some(tool) = unknown.filter(|_| letters.is_empty()) {
        let hint =
            kernel.registry().nearest_tool(&tool).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        return Err(Problem::invalid("tool", format!("there is no tool `{tool}`{hint}")));
    }
    Ok(Json(RetriedMany::of(letters, more, dry_run)))
}

/// Close a letter by hand: skip the step, supply its result, or abandon it.
///
/// A closed letter is a `409`, so the request can be repeated safely.
#[utoipa::path(
    post, path = "/v1/dead-letters/{id}/resolve", tag = "dead-letters", operation_id = "resolve_dead_letter",
    params(("id" = String, Path, format = "uuid", description = "The letter")),
    request_body = Resolve,
    responses(
        (status = 200, description = "The letter and its run", body = LetterDecided),
        (status = 400, description = "The body is not JSON, or the id is not a UUID."),
        (status = 404, description = "There is no such dead letter."),
        (status = 409, description = "It is already decided, or a pack of the run is not loaded."),
        (status = 422, description = "The note is missing, or the result is invalid."),
    )
)]
async fn resolve(
    State(app): State<App>,
    caller: Caller,
    UrlPath(id): UrlPath<String>,
    JsonBody(body): JsonBody<Resolve>,
) -> Result<Json<LetterDecided>, Problem> {
    let id = letter_id(&id)?;
    if body.note.trim().is_empty() {
        return Err(Problem::invalid("note", "describe what you found and did"));
    }
    let decision = match (body.outcome, body.result) {
        (Outcome::Skip, None) => LetterDecision::Resolve(None),
        (Outcome::Abandon, None) => LetterDecision::Abandon,
        (Outcome::Done, Some(result)) => {
            let row = find(&app, &caller, id).await?;
            LetterDecision::Resolve(Some(checked(&app, &row, Value::Object(result))?))
        }
        (Outcome::Done, None) => {
            return Err(Problem::invalid("result", "`done` requires a `result`: what the tool would have returned"));
        }
        (_, Some(_)) => return Err(Problem::invalid("result", "`result` is allowed only with the outcome `done`")),
    };
    decide(&app, caller, id, decision, &body.note).await
}

/// Assign a letter to somebody. Nothing else changes; the letter stays open.
#[utoipa::path(
    post, path = "/v1/dead-letters/{id}/escalate", tag = "dead-letters", operation_id = "escalate_dead_letter",
    params(("id" = String, Path, format = "uuid", description = "The letter")),
    request_body = Escalate,
    responses(
        (status = 200, description = "The letter and its run", body = LetterDecided),
        (status = 400, description = "The body is not JSON, or the id is not a UUID."),
        (status = 404, description = "There is no such dead letter."),
        (status = 409, description = "It is already decided."),
        (status = 422, description = "`to` is missing, or a field is invalid."),
    )
)]
async fn escalate(
    State(app): State<App>,
    caller: Caller,
    UrlPath(id): UrlPath<String>,
    JsonBody(body): JsonBody<Escalate>,
) -> Result<Json<LetterDecided>, Problem> {
    if body.to.trim().is_empty() {
        return Err(Problem::invalid("to", "name the person to assign it to"));
    }
    short_text("to", &body.to, MAX_NAME)?;
    let note = body.note.unwrap_or_default();
    decide(&app, caller, letter_id(&id)?, LetterDecision::Escalate(body.to), &note).await
}

fn letter_id(text: &str) -> Result<JobKey, Problem> {
    text.parse().map_err(|_| Problem::new(BAD_ID, format!("`{text}` is not a dead-letter id: expected a UUID")))
}

async fn find(app: &App, caller: &Caller, id: JobKey) -> Result<DeadLetterRow, Problem> {
    let scope = caller.scope.clone();
    let row = app.read(move |kernel| Ok(kernel.store().dead_letter(&scope, id)?)).await?;
    row.ok_or_else(|| Problem::new(NO_SUCH_LETTER, format!("there is no dead letter {id}")))
}

/// Checks a result given by hand against the tool's declared output.
fn checked(app: &App, row: &DeadLetterRow, result: Value) -> Result<Value, Problem> {
    let kernel = app.kernel();
    let Some(tool) = kernel.registry().tool(&row.tool) else { return Ok(result) };
    tool.validate_output(result).map_err(|errors| {
        let problems = errors.into_iter().map(|error| FieldProblem {
            field: format!("result{}", error.field.replace('/', ".")),
            message: error.message,
        });
        Problem::invalid_fields(problems.collect())
    })
}

async fn decide(
    app: &App,
    caller: Caller,
    id: JobKey,
    decision: LetterDecision,
    note: &str,
) -> Result<Json<LetterDecided>, Problem> {
    short_text("note", note, MAX_NOTE)?;
    let kernel = app.kernel();
    // An assignment starts nothing.
    if !matches!(decision, LetterDecision::Escalate(_)) {
        let letter = find(app, &caller, id).await?;
        kernel.expect_packs(&caller.scope, letter.run)?;
    }
    let report = kernel.decide_letter(&caller.scope, id, decision, &caller.actor.name, note).await?;
    let row = find(app, &caller, id).await?;
    app.read(move |kernel| {
        let redaction = kernel.redaction_for(&caller.scope, row.run);
        let run = RunResponse::from(report).redacted(&redaction);
        Ok(Json(LetterDecided { letter: Letter::of(&row, &redaction), run }))
    })
    .await
}
