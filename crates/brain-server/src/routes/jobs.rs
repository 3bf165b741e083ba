//! `/v1/jobs`: external workers lease jobs and report results. `/v1/callbacks`: other engines report the result of
//! delegated work.

use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::HeaderMap;
use axum::{Extension, Json};
use brain_core::{Digest, Failure, JobKey, Millis, RunId, TenantId};
use brain_engine::JobOutcome;
use brain_kernel::MAX_WAIT;
use brain_registry::{Artifact, ToolResult};
use brain_store::Scope;
use serde_json::json;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::extract::{JsonBody, RawBody, UrlPath, bounded, short_text};
use crate::guard::Caller;
use crate::observe::Waited;
use crate::problem::{BAD_ID, NOT_FOUND, Problem, UNAUTHORIZED};
use crate::wire::{
    Activate, Activated, Callback, CallbackTaken, CompleteJob, ExtendJob, Extended, FailJob, JobErrorClass, JobTaken,
};

/// Default time to wait for a job, in milliseconds.
const DEFAULT_WAIT: u64 = 30_000;
/// Maximum length of a lease, in milliseconds.
const MAX_LEASE: u64 = 86_400_000;
/// Maximum number of topics, and of jobs per request.
const MAX_JOBS: u64 = 100;
/// Maximum length of the name of a worker or a topic.
const MAX_NAME: usize = 200;
/// Maximum length of a failure's message.
const MAX_MESSAGE: usize = 4096;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(activate))
        .routes(routes!(complete))
        .routes(routes!(fail))
        .routes(routes!(extend))
        .routes(routes!(callback))
}

fn job_key(text: &str) -> Result<JobKey, Problem> {
    text.parse().map_err(|error| Problem::bad_id(&error))
}

fn lease(given: Option<u64>) -> Result<Option<Millis>, Problem> {
    given.map(|ms| bounded("lease_ms", Some(ms), 0, 1_000, MAX_LEASE).map(Millis)).transpose()
}

/// Lease jobs.
///
/// Waits until there is at least one job, or until the timeout. A job belongs to the worker until `leased_until`; then
/// it is offered to others, and an answer with the old lease is rejected.
#[utoipa::path(
    post, path = "/v1/jobs/activate", tag = "jobs", operation_id = "activate_jobs", request_body = Activate,
    responses(
        (status = 200, description = "The jobs", body = Activated),
        (status = 400, description = "The body is not JSON."),
        (status = 422, description = "A field is unknown, missing or invalid."),
    )
)]
async fn activate(
    State(app): State<App>,
    caller: Caller,
    JsonBody(body): JsonBody<Activate>,
) -> Result<(Extension<Waited>, Json<Activated>), Problem> {
    let max = bounded("max_jobs", body.max_jobs, 1, 1, MAX_JOBS)?;
    let wait = bounded("wait_timeout_ms", body.wait_timeout_ms, DEFAULT_WAIT, 0, MAX_WAIT)?;
    let lease = lease(body.lease_ms)?;
    if body.topics.is_empty() || body.topics.len() as u64 > MAX_JOBS {
        return Err(Problem::invalid("topics", format!("name 1 to {MAX_JOBS} topics")));
    }
    for topic in &body.topics {
        short_text("topics", topic, MAX_NAME)?;
    }
    if body.worker.trim().is_empty() {
        return Err(Problem::invalid("worker", "give the worker a name, so that people can identify it in the log"));
    }
    short_text("worker", &body.worker, MAX_NAME)?;
    let wait = Duration::from_millis(app.wait(wait));
    let max = usize::try_from(max).unwrap_or(1);
    let waiting = Instant::now();
    let jobs = app.kernel().activate(&caller.scope, &body.topics, &body.worker, max, lease, wait).await?;
    let waited = Extension(Waited(waiting.elapsed()));
    Ok((waited, Json(Activated { jobs: jobs.into_iter().map(Into::into).collect() })))
}

/// Complete a job.
#[utoipa::path(
    post, path = "/v1/jobs/{id}/complete", tag = "jobs", operation_id = "complete_job",
    params(("id" = String, Path, format = "uuid", description = "The job")), request_body = CompleteJob,
    responses(
        (status = 200, description = "The answer is durable", body = JobTaken),
        (status = 400, description = "The body is not JSON, or the id is not a UUID."),
        (status = 404, description = "There is no such run."),
        (status = 409, description = "The lease has ended, or `input_hash` does not match. Nothing changed."),
        (status = 422, description = "A field is unknown, missing or invalid."),
    )
)]
async fn complete(
    State(app): State<App>,
    caller: Caller,
    UrlPath(id): UrlPath<String>,
    JsonBody(body): JsonBody<CompleteJob>,
) -> Result<Json<JobTaken>, Problem> {
    let key = job_key(&id)?;
    for (field, text) in [("summary", &body.summary), ("review", &body.review)] {
        short_text(field, text.as_deref().unwrap_or_default(), MAX_MESSAGE)?;
    }
    let new_steps = body.new_steps.unwrap_or_default();
    if new_steps.len() as u64 > MAX_JOBS {
        return Err(Problem::invalid(
            "new_steps",
            format!("{} steps are too many; the maximum is {MAX_JOBS}", new_steps.len()),
        ));
    }
    let artifacts: Vec<Artifact> = body.artifacts.unwrap_or_default().into_iter().map(Into::into).collect();
    if artifacts.len() as u64 > MAX_JOBS {
        let message = format!("{} records are too many; the maximum is {MAX_JOBS}", artifacts.len());
        return Err(Problem::invalid("artifacts", message));
    }
    app.kernel().check_artifacts(&artifacts).map_err(|failure| Problem::invalid("artifacts", failure.message))?;
    let hash = match body.input_hash.as_deref().map(str::parse::<Digest>) {
        Some(Err(_)) => {
            return Err(Problem::invalid("input_hash", "pass the `input_hash` of the job: 64 hexadecimal digits"));
        }
        Some(Ok(hash)) => Some(hash),
        None => None,
    };
    let result = ToolResult {
        summary: body.summary,
        new_steps,
        artifacts,
        token_usage: body.token_usage.map(|usage| Box::new(usage.into())),
        review: body.review.map(|ask| json!({"ask": ask})),
        ..ToolResult::ok(body.result)
    };
    let run = app.kernel().answer_job(&caller.scope, key, &body.lease, hash, JobOutcome::Done(result)).await?;
    Ok(Json(JobTaken { run_id: run.to_string() }))
}

/// Report that a job failed.
#[utoipa::path(
    post, path = "/v1/jobs/{id}/fail", tag = "jobs", operation_id = "fail_job",
    params(("id" = String, Path, format = "uuid", description = "The job")), request_body = FailJob,
    responses(
        (status = 200, description = "The answer is durable", body = JobTaken),
        (status = 400, description = "The body is not JSON, or the id is not a UUID."),
        (status = 404, description = "There is no such run."),
        (status = 409, description = "The lease has ended. Nothing changed."),
        (status = 422, description = "A field is unknown, missing or invalid."),
    )
)]
async fn fail(
    State(app): State<App>,
    caller: Caller,
    UrlPath(id): UrlPath<String>,
    JsonBody(body): JsonBody<FailJob>,
) -> Result<Json<JobTaken>, Problem> {
    let key = job_key(&id)?;
    short_text("error.message", &body.error.message, MAX_MESSAGE)?;
    let code = body.error.code.unwrap_or_else(|| "worker_failed".into());
    short_text("error.code", &code, MAX_NAME)?;
    let wait = match body.error.retry_after_ms {
        Some(ms) => Some(Millis(bounded("error.retry_after_ms", Some(ms), 0, 0, MAX_LEASE)?)),
        None => None,
    };
    let message = body.error.message;
    let failure = match body.error.class.unwrap_or_default() {
        JobErrorClass::Transient => Failure { retry_after: wait, ..Failure::transient(&code, message) },
        JobErrorClass::Contract => Failure::contract(&code, message),
        JobErrorClass::Business => Failure::business(&code, message),
    };
    let run = app.kernel().answer_job(&caller.scope, key, &body.lease, None, JobOutcome::Failed(failure)).await?;
    Ok(Json(JobTaken { run_id: run.to_string() }))
}

/// Extend the lease of a job.
#[utoipa::path(
    post, path = "/v1/jobs/{id}/extend", tag = "jobs", operation_id = "extend_job",
    params(("id" = String, Path, format = "uuid", description = "The job")), request_body = ExtendJob,
    responses(
        (status = 200, description = "The new end of the lease", body = Extended),
        (status = 400, description = "The body is not JSON, or the id is not a UUID."),
        (status = 404, description = "There is no such run."),
        (status = 409, description = "The lease has ended. Nothing changed."),
        (status = 422, description = "A field is unknown, missing or invalid."),
    )
)]
async fn extend(
    State(app): State<App>,
    caller: Caller,
    UrlPath(id): UrlPath<String>,
    JsonBody(body): JsonBody<ExtendJob>,
) -> Result<Json<Extended>, Problem> {
    let until = app.kernel().extend_job(&caller.scope, job_key(&id)?, &body.lease, lease(body.lease_ms)?).await?;
    Ok(Json(Extended { leased_until: until.to_string() }))
}

/// Report the result of delegated work.
///
/// Needs no token: the header `Brain-Signature: t=SECONDS,v1=HEX` signs the body with the shared secret (HMAC-SHA256 of
/// `SECONDS.BODY`). A late or repeated callback changes nothing and is answered with `taken: false`; one with a wrong
/// signature is rejected. All of them leave an event in the log of the run.
#[utoipa::path(
    post, path = "/v1/callbacks/{tenant}/{run}/{job}", tag = "jobs", operation_id = "callback", security(()),
    params(
        ("tenant" = String, Path, description = "The tenant", pattern = "^[a-z0-9_][a-z0-9_-]{0,62}$"),
        ("run" = String, Path, format = "uuid", description = "The run"),
        ("job" = String, Path, format = "uuid", description = "The job"),
        ("brain-signature" = Option<String>, Header, description = "`t=SECONDS,v1=HEX`"),
    ),
    request_body = Callback,
    responses(
        (status = 200, description = "Whether the run waited for it", body = CallbackTaken),
        (status = 400, description = "An id is not a UUID."),
        (status = 401, description = "The signature is missing, wrong or too old."),
        (status = 404, description = "This job was never delegated."),
        (status = 408, description = "The body did not arrive in time."),
        (status = 409, description = "The body has neither a result nor an error."),
        (status = 413, description = "The body is too large."),
    )
)]
async fn callback(
    State(app): State<App>,
    UrlPath((tenant, run, job)): UrlPath<(String, String, String)>,
    headers: HeaderMap,
    RawBody(body): RawBody,
) -> Result<Json<CallbackTaken>, Problem> {
    let tenant: TenantId =
        tenant.parse().map_err(|error: brain_core::IdError| Problem::new(BAD_ID, error.to_string()))?;
    let run: RunId = run.parse().map_err(|error| Problem::bad_id(&error))?;
    let key = job_key(&job)?;
    let signature = headers.get("brain-signature").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let taken =
        app.kernel().callback(&Scope::of(tenant), run, key, signature, &body).await.map_err(|error| match error {
            // The answer must not reveal whether a run exists.
            brain_kernel::KernelError::NoSuchRun(_) => Problem::new(NOT_FOUND, "This job was never delegated."),
            brain_kernel::KernelError::NotAllowed(why) => {
                Problem::new(UNAUTHORIZED, format!("The callback was refused: {why}."))
            }
            other => other.into(),
        })?;
    Ok(Json(CallbackTaken { taken }))
}
