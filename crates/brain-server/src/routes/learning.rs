//! `/v1/learning`: candidates for phrases, taught phrases, and corrections.
//!
//! Every caller may read and correct. Changing how the whole tenant is understood needs a token that may approve.

use axum::Json;
use axum::extract::State;
use brain_core::RunId;
use brain_kernel::{Judged, Kernel, KernelError, Learning, Lesson};
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use utoipa::openapi::Schema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::approvals::MAX_NOTE;
use crate::app::App;
use crate::extract::{JsonBody, OptionalJson, UrlQuery, one_of, page_cursor, page_limit, short_text};
use crate::guard::Caller;
use crate::openapi::words;
use crate::problem::{NOT_ALLOWED, Problem};
use crate::wire::{
    BlockedPhrase, CaseItem, CorrectionAnswer, CorrectionRequest, CycleRequest, LearningHealth, Page, PhraseCandidate,
    PhraseFor, PromotionItem, RejectRequest, TaughtAnswer, TaughtItem, TeachRequest, UnteachRequest, state_word,
};

/// Maximum length of a phrase.
const MAX_PHRASE: usize = 500;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(health))
        .routes(routes!(candidates))
        .routes(routes!(phrases))
        .routes(routes!(teach))
        .routes(routes!(unteach))
        .routes(routes!(promote))
        .routes(routes!(reject))
        .routes(routes!(blocklist))
        .routes(routes!(unblock))
        .routes(routes!(cycle))
        .routes(routes!(cases))
        .routes(routes!(correct))
        .merge(super::explain::routes())
}

/// Rejects callers that may not change phrases for the whole tenant.
fn teacher(caller: &Caller) -> Result<(), Problem> {
    if caller.actor.approver {
        return Ok(());
    }
    let name = &caller.actor.name;
    let detail = format!("{name} may not teach; ask someone whose token has the `approver` right");
    Err(Problem::new(NOT_ALLOWED, detail))
}

fn phrase_fits(phrase: &str) -> Result<(), Problem> {
    if phrase.trim().is_empty() {
        return Err(Problem::invalid("phrase", "it contains no words"));
    }
    short_text("phrase", phrase, MAX_PHRASE)
}

/// Renames the command line's `--replace` to the field of the API.
fn here(error: KernelError) -> Problem {
    match error {
        KernelError::Conflict(why) => KernelError::Conflict(why.replace("--replace", "`\"replace\": true`")).into(),
        other => other.into(),
    }
}

/// Runs a change on a blocking thread.
async fn changed<T: Send + 'static>(
    app: &App,
    work: impl FnOnce(&Kernel) -> Result<T, KernelError> + Send + 'static,
) -> Result<T, Problem> {
    app.read(move |kernel| work(kernel).map_err(here)).await
}

fn all<T>(items: Vec<T>) -> Json<Page<T>> {
    Json(Page { items, next_cursor: None })
}

/// Understanding by week, from the runs of the last 90 days.
#[utoipa::path(
    get, path = "/v1/learning", tag = "learning", operation_id = "learning_health",
    responses((status = 200, description = "Figures by week, and candidates by state", body = LearningHealth))
)]
async fn health(State(app): State<App>, caller: Caller) -> Result<Json<LearningHealth>, Problem> {
    let Learning { weeks, states, .. } = changed(&app, move |kernel| kernel.learning(&caller.scope)).await?;
    let weeks = weeks.into_iter().map(Into::into).collect();
    Ok(Json(LearningHealth { weeks, states: serde_json::json!(states) }))
}

const STATES: [&str; 5] = ["ready", "review", "gathering", "promoted", "rejected"];

fn states() -> Schema {
    words(STATES)
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct CandidateQuery {
    /// Only candidates in this state; `review` is what waits for a person.
    #[param(schema_with = states)]
    state: Option<String>,
    /// Maximum number of items on the page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u64>,
    /// The `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// The cursor of a page of candidates: the sort key of its last item.
#[derive(Deserialize, Serialize)]
struct CandidateCursor(u8, u32, String, String);

impl CandidateCursor {
    fn of(one: &Judged) -> Self {
        let (state, std::cmp::Reverse(seen), phrase, target) = one.order();
        Self(state, seen, phrase.to_owned(), target.to_owned())
    }

    fn write(&self) -> String {
        hex::encode(serde_json::to_vec(self).unwrap_or_default())
    }

    fn read(cursor: &str) -> Result<Self, Problem> {
        let place = hex::decode(cursor).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        place.ok_or_else(|| KernelError::BadCursor("the cursor does not belong to this list".to_owned()).into())
    }

    fn is_before(&self, one: &Judged) -> bool {
        (self.0, std::cmp::Reverse(self.1), self.2.as_str(), self.3.as_str()) < one.order()
    }
}

/// List candidates for phrases: ready ones first, then those that wait for review.
#[utoipa::path(
    get, path = "/v1/learning/candidates", tag = "learning", operation_id = "list_candidates", params(CandidateQuery),
    responses(
        (status = 200, description = "Candidates", body = Page<PhraseCandidate>),
        (status = 400, description = "The cursor does not belong to this list."),
        (status = 422, description = "A parameter is unknown or invalid."),
    )
)]
async fn candidates(
    State(app): State<App>,
    caller: Caller,
    UrlQuery(query): UrlQuery<CandidateQuery>,
) -> Result<Json<Page<PhraseCandidate>>, Problem> {
    let limit = page_limit(query.limit)?;
    one_of("state", query.state.as_deref(), &STATES)?;
    let from = page_cursor(&query.cursor).map(CandidateCursor::read).transpose()?;
    let scope = caller.scope.clone();
    let found = changed(&app, move |kernel| kernel.learning(&scope)).await?.candidates;
    let wanted = query.state.as_deref();
    let stands = |one: &Judged| wanted.is_none_or(|state| state == state_word(one.candidate.state));
    let follows = |one: &Judged| from.as_ref().is_none_or(|from| from.is_before(one));
    let mut rest: Vec<Judged> = found.into_iter().filter(|one| stands(one) && follows(one)).collect();
    let more = rest.len() > limit;
    rest.truncate(limit);
    let next_cursor = rest.last().filter(|_| more).map(|last| CandidateCursor::of(last).write());
    let shown = move |kernel: &Kernel| kernel.redact_candidates(&caller.scope, &mut rest).map(|()| rest);
    Ok(Json(Page { items: changed(&app, shown).await?.into_iter().map(Into::into).collect(), next_cursor }))
}

/// List taught and learned phrases, oldest first.
#[utoipa::path(
    get, path = "/v1/learning/phrases", tag = "learning", operation_id = "list_taught",
    responses((status = 200, description = "Phrases", body = Page<TaughtItem>))
)]
async fn phrases(State(app): State<App>, caller: Caller) -> Result<Json<Page<TaughtItem>>, Problem> {
    let rows = changed(&app, move |kernel| kernel.taught(&caller.scope)).await?;
    Ok(all(rows.into_iter().map(Into::into).collect()))
}

/// Teach a phrase. It takes effect at once.
#[utoipa::path(
    post, path = "/v1/learning/teach", tag = "learning", operation_id = "teach", request_body = TeachRequest,
    responses(
        (status = 200, description = "The taught phrase", body = TaughtAnswer),
        (status = 400, description = "The body is not JSON."),
        (status = 403, description = "The token may not approve, so it may not change phrases."),
        (status = 409, description = "The phrase belongs to another target, was rejected, or breaks a corpus row; `replace` overrides this."),
        (status = 422, description = "There is no such tool, or the phrase is invalid."),
    )
)]
async fn teach(
    State(app): State<App>,
    caller: Caller,
    JsonBody(body): JsonBody<TeachRequest>,
) -> Result<Json<TaughtAnswer>, Problem> {
    teacher(&caller)?;
    phrase_fits(&body.phrase)?;
    let own = body.own.unwrap_or_default().then(|| caller.actor.name.clone());
    let replace = body.replace.unwrap_or_default();
    let lesson = Lesson { phrase: body.phrase, target: body.target, own, replace };
    let learned = changed(&app, move |kernel| kernel.teach(&caller.scope, &caller.actor.name, &lesson)).await?;
    Ok(Json(learned.into()))
}

/// Remove a taught or learned phrase.
#[utoipa::path(
    post, path = "/v1/learning/unteach", tag = "learning", operation_id = "unteach", request_body = UnteachRequest,
    responses(
        (status = 200, description = "The removed phrases", body = Page<TaughtItem>),
        (status = 400, description = "The body is not JSON."),
        (status = 403, description = "The token may not approve, so it may not change phrases."),
        (status = 409, description = "Another change of phrases is in progress; try again."),
        (status = 422, description = "It was not taught, or a field is invalid."),
    )
)]
async fn unteach(
    State(app): State<App>,
    caller: Caller,
    JsonBody(body): JsonBody<UnteachRequest>,
) -> Result<Json<Page<TaughtItem>>, Problem> {
    teacher(&caller)?;
    let note = body.note.unwrap_or_default();
    short_text("note", &note, MAX_NOTE)?;
    let work = move |kernel: &Kernel| kernel.unteach(&caller.scope, &caller.actor.name, &body.phrase, &note);
    Ok(all(changed(&app, work).await?.into_iter().map(Into::into).collect()))
}

/// Promote a candidate that waits for review. It must still pass the corpora.
#[utoipa::path(
    post, path = "/v1/learning/promote", tag = "learning", operation_id = "promote", request_body = PhraseFor,
    responses(
        (status = 200, description = "The promoted phrase", body = PromotionItem),
        (status = 400, description = "The body is not JSON."),
        (status = 403, description = "The token may not approve, so it may not change phrases."),
        (status = 409, description = "A corpus row would break, or it is already a phrase."),
        (status = 422, description = "No request contains it, or a field is invalid."),
    )
)]
async fn promote(
    State(app): State<App>,
    caller: Caller,
    JsonBody(body): JsonBody<PhraseFor>,
) -> Result<Json<PromotionItem>, Problem> {
    teacher(&caller)?;
    phrase_fits(&body.phrase)?;
    let work = move |kernel: &Kernel| kernel.promote(&caller.scope, &caller.actor.name, &body.phrase, &body.target);
    Ok(Json(changed(&app, work).await?.into()))
}

/// Block a phrase, and close paraphrases, from matching a tool or playbook.
#[utoipa::path(
    post, path = "/v1/learning/reject", tag = "learning", operation_id = "reject", request_body = RejectRequest,
    responses(
        (status = 200, description = "The blocked phrase", body = BlockedPhrase),
        (status = 400, description = "The body is not JSON."),
        (status = 403, description = "The token may not approve, so it may not change phrases."),
        (status = 409, description = "A corpus row would break."),
        (status = 422, description = "There is no such tool or playbook, or a field is invalid."),
    )
)]
async fn reject(
    State(app): State<App>,
    caller: Caller,
    JsonBody(body): JsonBody<RejectRequest>,
) -> Result<Json<BlockedPhrase>, Problem> {
    teacher(&caller)?;
    phrase_fits(&body.phrase)?;
    short_text("note", &body.note, MAX_NOTE)?;
    if body.note.trim().is_empty() {
        return Err(Problem::invalid("note", "give a reason; the blocklist shows it"));
    }
    let RejectRequest { phrase, target, note: why } = body;
    let by = caller.actor.name.clone();
    let at = app.kernel().clock().now().to_string();
    let rejected = BlockedPhrase { phrase, target, why, by, at, note: None };
    let BlockedPhrase { phrase, target, why, by, .. } = rejected.clone();
    let note = changed(&app, move |kernel| kernel.reject(&caller.scope, &by, &phrase, &target, &why)).await?;
    Ok(Json(BlockedPhrase { note, ..rejected }))
}

/// List blocked phrases, oldest first.
#[utoipa::path(
    get, path = "/v1/learning/blocklist", tag = "learning", operation_id = "list_blocked",
    responses((status = 200, description = "Phrases", body = Page<BlockedPhrase>))
)]
async fn blocklist(State(app): State<App>, caller: Caller) -> Result<Json<Page<BlockedPhrase>>, Problem> {
    let rows = changed(&app, move |kernel| kernel.blocklist(&caller.scope)).await?;
    Ok(all(rows.into_iter().map(Into::into).collect()))
}

/// Unblock a phrase.
#[utoipa::path(
    post, path = "/v1/learning/unblock", tag = "learning", operation_id = "unblock", request_body = PhraseFor,
    responses(
        (status = 200, description = "The unblocked phrase", body = BlockedPhrase),
        (status = 400, description = "The body is not JSON."),
        (status = 403, description = "The token may not approve, so it may not change phrases."),
        (status = 409, description = "Another change of phrases is in progress; try again."),
        (status = 422, description = "It was not rejected, or a field is invalid."),
    )
)]
async fn unblock(
    State(app): State<App>,
    caller: Caller,
    JsonBody(body): JsonBody<PhraseFor>,
) -> Result<Json<BlockedPhrase>, Problem> {
    teacher(&caller)?;
    let work = move |kernel: &Kernel| kernel.unblock(&caller.scope, &caller.actor.name, &body.phrase, &body.target);
    Ok(Json(changed(&app, work).await?.into()))
}

/// Promote every candidate that passes the gates, unless a corpus row would break.
#[utoipa::path(
    post, path = "/v1/learning/run", tag = "learning", operation_id = "run_promotion",
    request_body = Option<CycleRequest>,
    responses(
        (status = 200, description = "The result of each candidate", body = Page<PromotionItem>),
        (status = 400, description = "The body is not JSON."),
        (status = 403, description = "The token may not approve, so it may not change phrases."),
        (status = 409, description = "Another change of phrases is in progress; try again."),
        (status = 422, description = "A field is unknown or invalid."),
    )
)]
async fn cycle(
    State(app): State<App>,
    caller: Caller,
    OptionalJson(body): OptionalJson<CycleRequest>,
) -> Result<Json<Page<PromotionItem>>, Problem> {
    teacher(&caller)?;
    let dry_run = body.dry_run.unwrap_or_default();
    let done = changed(&app, move |kernel| kernel.promote_ready(&caller.scope, dry_run)).await?;
    Ok(all(done.into_iter().map(Into::into).collect()))
}

/// List corrections: the corpus of the tenant.
#[utoipa::path(
    get, path = "/v1/learning/cases", tag = "learning", operation_id = "list_cases",
    responses((status = 200, description = "Corrections", body = Page<CaseItem>))
)]
async fn cases(State(app): State<App>, caller: Caller) -> Result<Json<Page<CaseItem>>, Problem> {
    let found = changed(&app, move |kernel| kernel.shown_cases(&caller.scope)).await?;
    Ok(all(found.into_iter().map(Into::into).collect()))
}

/// Correct how a request was understood. Nothing is executed again.
///
/// Every caller may correct. A correction is measured at once, and counts when two people agree or one may approve.
#[utoipa::path(
    post, path = "/v1/learning/corrections", tag = "learning", operation_id = "correct",
    request_body = CorrectionRequest,
    responses(
        (status = 200, description = "The correction", body = CorrectionAnswer),
        (status = 400, description = "The body is not JSON."),
        (status = 404, description = "There is no such run."),
        (status = 409, description = "The run has no text."),
        (status = 422, description = "There is no such tool or playbook, or a field is invalid."),
    )
)]
async fn correct(
    State(app): State<App>,
    caller: Caller,
    JsonBody(body): JsonBody<CorrectionRequest>,
) -> Result<Json<CorrectionAnswer>, Problem> {
    let run: RunId = body.run_id.parse().map_err(|_| Problem::invalid("run_id", "not the id of a run"))?;
    let note = body.note.unwrap_or_default();
    short_text("note", &note, MAX_NOTE)?;
    let request = body.request.map(|number| usize::try_from(number).unwrap_or(usize::MAX));
    let corrected = changed(&app, move |kernel| {
        kernel.correct(&caller.scope, &caller.actor, run, request, body.meant.as_deref(), &note)
    });
    Ok(Json(corrected.await?.into()))
}
