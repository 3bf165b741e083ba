//! `/v1/runs`: submits requests and reads their results.

use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use brain_core::{ContractStatus, RunId, RunStatus};
use brain_kernel::{Incoming, MAX_WAIT, Mode, Report, Request, Verdict, contract_status};
use serde::Deserialize;
use serde_json::Value;
use utoipa::IntoParams;
use utoipa::openapi::Schema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::approvals::MAX_NOTE;
use crate::app::App;
use crate::extract::{
    JsonBody, OptionalJson, UrlPath, UrlQuery, bounded, page_cursor, page_limit, short_text, status_of,
};
use crate::guard::Caller;
use crate::observe::Waited;
use crate::openapi::words;
use crate::problem::{BAD_CURSOR, BAD_KEY, Problem};
use crate::trace;
use crate::wire::{self, Page, Receipt, Review, RunEvent, RunRequest, RunResponse, RunSummary, UndoRun, run_history};

/// Marks the response to a repeated request with the same key.
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// How the command line names itself in `User-Agent`.
const COMMAND_LINE: &str = "brain-cli/";

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(get))
        .routes(routes!(events))
        .routes(routes!(receipts))
        .routes(routes!(cancel))
        .routes(routes!(undo))
        .routes(routes!(review))
        .routes(routes!(expansion))
        .merge(super::look::routes())
        .merge(super::waiting::routes())
}

/// Submit a request.
///
/// A well-formed request that cannot be planned or validated still becomes a run: `200` with `ok: false` and `errors`.
/// Mode `enqueue` answers `202` once the run is durable and its calls are accepted; `Location` is the run. Repeating a
/// request with the same `Idempotency-Key` returns the current state of its run; another request with that key is a
/// `422`.
#[utoipa::path(
    post, path = "/v1/runs", tag = "runs", operation_id = "create_run",
    params(("Idempotency-Key" = Option<String>, Header, description = "1 to 255 visible ASCII characters",
        min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    request_body = RunRequest,
    responses(
        (status = 200, description = "The state of the run", body = RunResponse,
            headers(
                ("idempotent-replayed" = Option<String>, description = "`true` if the key was used before"),
                ("location" = String, description = "The URL of the run"),
            )),
        (status = 202, description = "Mode `enqueue`: the calls are accepted and will be made", body = RunResponse,
            headers(("location" = String, description = "The URL of the run"))),
        (status = 400, description = "The body is not JSON, or the key cannot be used."),
        (status = 408, description = "The body did not arrive in time."),
        (status = 413, description = "The message has more than 64 KiB, or the body more than 64 MiB."),
        (status = 415, description = "The body is not declared as JSON."),
        (status = 422, description = "A field is unknown, missing or invalid, or the key was used for another request."),
    )
)]
async fn create(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    JsonBody(body): JsonBody<RunRequest>,
) -> Result<Response, Problem> {
    let mut request = to_request(caller, body, idempotency_key(&headers)?, channel(&headers))?;
    request.trace = trace::trace_id(&headers);
    let kernel = app.kernel();
    let replayed = match &request.key {
        Some(key) => kernel.store().by_key(&request.scope, key)?.is_some(),
        None => false,
    };
    let begun = kernel.begin(&request).await?;
    request.limits.wait_timeout_ms = app.wait(request.limits.wait_timeout_ms);
    let waiting = Instant::now();
    let report = kernel.finish(&request, &begun).await?;
    let place = location(begun.run);
    let waited = Extension(Waited(if begun.wait { waiting.elapsed() } else { Duration::ZERO }));
    if replayed {
        let replayed = [(REPLAYED, HeaderValue::from_static("true"))];
        return Ok((place, waited, replayed, Json(RunResponse::from(report))).into_response());
    }
    if begun.repeated.is_none() {
        app.metrics().run_created(request.mode);
    }
    let response = RunResponse::accepted(report);
    let accepted = request.mode == Mode::Enqueue && begun.repeated.is_none() && !response.enqueued.is_empty();
    let status = if accepted { StatusCode::ACCEPTED } else { StatusCode::OK };
    Ok((status, place, waited, Json(response)).into_response())
}

/// The `Location` header of a run.
fn location(run: RunId) -> [(HeaderName, String); 1] {
    [(header::LOCATION, format!("/v1/runs/{run}"))]
}

fn to_request(
    caller: Caller,
    body: RunRequest,
    key: Option<String>,
    channel: &'static str,
) -> Result<Request, Problem> {
    let limits = body.limits.unwrap_or_default();
    let incoming = Incoming {
        message: body.message,
        calls: body
            .calls
            .unwrap_or_default()
            .into_iter()
            .map(|call| (call.tool_name, Value::Object(call.input)))
            .collect(),
        mode: body.mode.map(Into::into),
        conversation: body.conversation_id.map(|id| id.to_string()),
        context: body.context.map(Value::Object),
        attachments: body.attachments.unwrap_or_default().into_iter().map(Value::Object).collect(),
        max_tool_calls: limits.max_tool_calls,
        wait_timeout_ms: limits.wait_timeout_ms,
        max_cost: limits.max_cost,
        key,
        trace: None,
        policy: body.policy.unwrap_or_default().into(),
    };
    incoming.check(caller.scope, caller.actor, channel).map_err(|problems| {
        match problems.iter().find(|problem| problem.field == "idempotency_key") {
            Some(key) => Problem::new(BAD_KEY, format!("{}.", sentence(&key.message))),
            None => Problem::invalid_fields(problems.into_iter().map(Into::into).collect()),
        }
    })
}

/// How the request came: from the command line, or from another program.
fn channel(headers: &HeaderMap) -> &'static str {
    let agent = headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    if agent.starts_with(COMMAND_LINE) { "cli" } else { "api" }
}

/// Capitalises the first letter.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let mut given = headers.get_all("idempotency-key").iter();
    let Some(key) = given.next() else { return Ok(None) };
    if given.next().is_some() {
        return Err(Problem::new(BAD_KEY, "There is more than one Idempotency-Key header."));
    }
    // Bytes that are not ASCII become text that the check rejects.
    Ok(Some(String::from_utf8_lossy(key.as_bytes()).into_owned()))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Only runs with this status.
    #[param(schema_with = statuses)]
    status: Option<String>,
    /// Only runs with this status of the run contract. Not together with `status`.
    #[param(schema_with = contract_statuses)]
    contract_status: Option<String>,
    /// Maximum number of items on the page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u64>,
    /// The `next_cursor` of the previous page.
    cursor: Option<String>,
}

fn statuses() -> Schema {
    words(RunStatus::ALL.iter().map(|status| status.as_str()))
}

fn contract_statuses() -> Schema {
    words(ContractStatus::ALL.iter().map(|status| status.as_str()))
}

/// List runs, newest first, without personal values.
#[utoipa::path(
    get, path = "/v1/runs", tag = "runs", operation_id = "list_runs", params(ListQuery),
    responses(
        (status = 200, description = "Runs", body = Page<RunSummary>),
        (status = 400, description = "The cursor does not belong to this list."),
        (status = 422, description = "A parameter is unknown or invalid."),
    )
)]
async fn list(
    State(app): State<App>,
    caller: Caller,
    UrlQuery(query): UrlQuery<ListQuery>,
) -> Result<Json<Page<RunSummary>>, Problem> {
    let limit = page_limit(query.limit)?;
    let status: Option<RunStatus> = status_of("status", query.status.as_deref())?;
    let contract_status: Option<ContractStatus> = status_of("contract_status", query.contract_status.as_deref())?;
    if status.is_some() && contract_status.is_some() {
        return Err(Problem::invalid("contract_status", "give `status` or `contract_status`, not both"));
    }
    app.read(move |kernel| {
        let (store, cursor) = (kernel.store(), page_cursor(&query.cursor));
        let rows = match contract_status {
            Some(word) => contract_status::runs_by_contract(store.as_ref(), &caller.scope, word, limit, cursor)?,
            None => store.runs(&caller.scope, status, limit, cursor)?,
        };
        Ok(Json(Page::of(rows, |row| RunSummary::of(&row, || kernel.redaction_for(&caller.scope, row.id)))))
    })
    .await
}

pub(crate) fn run_id(text: &str) -> Result<RunId, Problem> {
    text.parse().map_err(|error| Problem::bad_id(&error))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct GetQuery {
    /// Maximum time to wait for the run to end or to need a person, in milliseconds.
    #[param(minimum = 0, maximum = 120_000, default = 0)]
    wait_timeout_ms: Option<u64>,
    /// Whether personal values are redacted wherever they appear, as in the log.
    redacted: Option<bool>,
}

/// Get a run.
#[utoipa::path(
    get, path = "/v1/runs/{id}", tag = "runs", operation_id = "get_run",
    params(("id" = String, Path, format = "uuid", description = "The run"), GetQuery),
    responses(
        (status = 200, description = "The state of the run", body = RunResponse),
        (status = 400, description = "The id is not a UUID."),
        (status = 404, description = "There is no such run."),
        (status = 422, description = "A parameter is unknown or invalid."),
    )
)]
async fn get(
    State(app): State<App>,
    caller: Caller,
    UrlPath(id): UrlPath<String>,
    UrlQuery(query): UrlQuery<GetQuery>,
) -> Result<(Extension<Waited>, Json<RunResponse>), Problem> {
    let id = run_id(&id)?;
    let wait = Duration::from_millis(app.wait(bounded("wait_timeout_ms", query.wait_timeout_ms, 0, 0, MAX_WAIT)?));
    let waiting = Instant::now();
    if !wait.is_zero() {
        // When the time is over, the report says where the run stands.
        drop(tokio::time::timeout(wait, app.kernel().engine().wait(&caller.scope, id)).await);
    }
    let waited = Extension(Waited(waiting.elapsed()));
    let answer = app.read(move |kernel| {
        let response = RunResponse::from(kernel.report(&caller.scope, id)?);
        Ok(Json(match query.redacted {
            Some(true) => response.redacted(&kernel.redaction_for(&caller.scope, id)),
            _ => response,
        }))
    });
    Ok((waited, answer.await?))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ReceiptsQuery {
    /// Maximum number of items on the page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u64>,
    /// The `next_cursor` of the previous page.
    cursor: Option<String>,
    /// Whether personal values are redacted wherever they appear, as in the log.
    redacted: Option<bool>,
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct PartQuery {
    /// Maximum number of items on the page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u64>,
    /// The `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// Parses the cursor of a list of a run's events or receipts.
fn place(cursor: Option<&str>) -> Result<Option<u64>, Problem> {
    let bad = |text: &str| Problem::new(BAD_CURSOR, format!("`{text}` is not a cursor of this list"));
    cursor.map(|text| text.parse().map_err(|_| bad(text))).transpose()
}

/// List the events of a run, in order, without personal values.
#[utoipa::path(
    get, path = "/v1/runs/{id}/events", tag = "runs", operation_id = "list_run_events",
    params(("id" = String, Path, format = "uuid", description = "The run"), PartQuery),
    responses(
        (status = 200, description = "Events", body = Page<RunEvent>),
        (status = 400, description = "The id is not a UUID, or the cursor does not belong to this list."),
        (status = 404, description = "There is no such run."),
        (status = 422, description = "A parameter is unknown or invalid."),
    )
)]
async fn events(
    State(app): State<App>,
    caller: Caller,
    UrlPath(id): UrlPath<String>,
    UrlQuery(query): UrlQuery<PartQuery>,
) -> Result<Json<Page<RunEvent>>, Problem> {
    let (id, limit, after) = (run_id(&id)?, page_limit(query.limit)?, place(page_cursor(&query.cursor))?);
    app.read(move |kernel| {
        let state = kernel.engine().run_state(&caller.scope, id)?;
        let events = run_history(&state, &kernel.redaction_of(&state));
        let rest = events.into_iter().filter(|event| after.is_none_or(|after| event.seq > after));
        Ok(Json(Page::cut(rest, limit, |event| event.seq.to_string())))
    })
    .await
}

/// List the receipts of a run: the record of every attempt, in order.
#[utoipa::path(
    get, path = "/v1/runs/{id}/receipts", tag = "runs", operation_id = "list_run_receipts",
    params(("id" = String, Path, format = "uuid", description = "The run"), ReceiptsQuery),
    responses(
        (status = 200, description = "Receipts", body = Page<Receipt>),
        (status = 400, description = "The id is not a UUID, or the cursor does not belong to this list."),
        (status = 404, description = "There is no such run."),
        (status = 422, description = "A parameter is unknown or invalid."),
    )
)]
async fn receipts(
    State(app): State<App>,
    caller: Caller,
    UrlPath(id): UrlPath<String>,
    UrlQuery(query): UrlQuery<ReceiptsQuery>,
) -> Result<Json<Page<Receipt>>, Problem> {
    let (id, limit, before) = (run_id(&id)?, page_limit(query.limit)?, place(page_cursor(&query.cursor))?);
    // Receipts are only ever appended, so their number is a stable cursor.
    let shown = usize::try_from(before.unwrap_or(0)).unwrap_or(usize::MAX);
    app.read(move |kernel| {
        let Report { receipts, .. } = kernel.report(&caller.scope, id)?;
        let more = receipts.len() > shown.saturating_add(limit);
        let mut items: Vec<Receipt> = receipts.into_iter().skip(shown).take(limit).map(Receipt::from).collect();
        if query.redacted == Some(true) {
            let redaction = kernel.redaction_for(&caller.scope, id);
            items.iter_mut().for_each(|receipt| receipt.redact(&redaction));
        }
        Ok(Json(Page { items, next_cursor: more.then(|| (shown + limit).to_string()) }))
    })
    .await
}

/// Cancel a run.
///
/// Finished steps stay. A run that has ended is a `409`, so the request can be repeated safely.
#[utoipa::path(
    post, path = "/v1/runs/{id}/cancel", tag = "runs", operation_id = "cancel_run",
    params(("id" = String, Path, format = "uuid", description = "The run")),
    responses(
        (status = 200, description = "The state of the run", body = RunResponse),
        (status = 400, description = "The id is not a UUID."),
        (status = 404, description = "There is no such run."),
        (status = 409, description = "The run has already ended, or a pack that is needed to stop it is not loaded."),
    )
)]
async fn cancel(
    State(app): State<App>,
    caller: Caller,
    UrlPath(id): UrlPath<String>,
) -> Result<Json<RunResponse>, Problem> {
    let (run, kernel) = (run_id(&id)?, app.kernel());
    kernel.expect_packs_to_stop(&caller.scope, run)?;
    let report = kernel.cancel(&caller.scope, run).await?;
    Ok(Json(report.into()))
}

/// Stage a run that undoes a run, or one step of it.
///
/// Nothing is undone before somebody approves it. Rejected if a record has changed since, or the deadline for undoing
/// has passed.
#[utoipa::path(
    post, path = "/v1/runs/{id}/undo", tag = "runs", operation_id = "undo_run",
    params(("id" = String, Path, format = "uuid", description = "The run")), request_body = UndoRun,
    responses(
        (status = 200, description = "The staged run that will undo it", body = RunResponse,
            headers(("location" = String, description = "The URL of that run"))),
        (status = 400, description = "The body is not JSON, or the id is not a UUID."),
        (status = 404, description = "There is no such run."),
        (status = 409, description = "It cannot be undone; the problem says why."),
        (status = 422, description = "A field is unknown or invalid."),
    )
)]
async fn undo(
    State(app): State<App>,
    caller: Caller,
    UrlPath(id): UrlPath<String>,
    OptionalJson(body): OptionalJson<UndoRun>,
) -> Result<([(HeaderName, String); 1], Json<RunResponse>), Problem> {
    let (run, kernel) = (run_id(&id)?, app.kernel());
    kernel.expect_packs(&caller.scope, run)?;
    let report = kernel.undo(&caller.scope, run, body.step.as_deref(), &caller.actor).await?;
    Ok((location(report.run), Json(report.into())))
}

/// Review a result.
#[utoipa::path(
    post, path = "/v1/runs/{id}/review", tag = "runs", operation_id = "review_run",
    params(("id" = String, Path, format = "uuid", description = "The run")), request_body = Review,
    responses(
        (status = 200, description = "The state of the run", body = RunResponse),
        (status = 400, description = "The body is not JSON, or the id is not a UUID."),
        (status = 404, description = "There is no such run."),
        (status = 409, description = "The run is not waiting for a review, or a pack of the run is not loaded."),
        (status = 422, description = "A field is invalid, or the corrected result does not match the tool's declared output. Nothing changed."),
    )
)]
async fn review(
    State(app): State<App>,
    caller: Caller,
    UrlPath(id): UrlPath<String>,
    JsonBody(body): JsonBody<Review>,
) -> Result<Json<RunResponse>, Problem> {
    let note = body.note.unwrap_or_default();
    short_text("note", &note, MAX_NOTE)?;
    let corrections = body.corrections.unwrap_or_default();
    if matches!(body.verdict, wire::Verdict::Reject) && !corrections.is_empty() {
        return Err(Problem::invalid(
            "corrections",
            "a rejected result has no corrections; accept it with them, or leave them out",
        ));
    }
    let verdict = match body.verdict {
        wire::Verdict::Accept => Verdict::Accept(Value::Object(corrections)),
        wire::Verdict::Reject => Verdict::Reject,
    };
    let (run, kernel) = (run_id(&id)?, app.kernel());
    kernel.expect_packs(&caller.scope, run)?;
    let report = kernel.review(&caller.scope, run, body.step.as_deref(), verdict, &caller.actor, &note).await?;
    Ok(Json(report.into()))
}

/// Report how a request was expanded: digests, policy, records in lock order, playbooks used.
#[utoipa::path(
    get, path = "/v1/runs/{id}/expansion", tag = "runs", operation_id = "get_run_expansion",
    params(("id" = String, Path, format = "uuid", description = "The run")),
    responses(
        (status = 200, description = "The report", body = serde_json::Value),
        (status = 400, description = "The id is not a UUID."),
        (status = 404, description = "There is no such run."),
        (status = 409, description = "The run was never planned."),
    )
)]
async fn expansion(
    State(app): State<App>,
    caller: Caller,
    UrlPath(id): UrlPath<String>,
) -> Result<Json<Value>, Problem> {
    let id = run_id(&id)?;
    app.read(move |kernel| Ok(Json(kernel.expansion(&caller.scope, id)?))).await
}
