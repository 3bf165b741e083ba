//! For operators: tokens, the audit, and moving runs to new packs.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use brain_core::{Millis, RunId, SeededRandom, TokenId};
use brain_store::{Sudo, SystemScope};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::runs::run_id;
use crate::app::App;
use crate::extract::{JsonBody, UrlPath, UrlQuery, bounded, page_limit, short_text};
use crate::guard::{Caller, Peer, operators_only};
use crate::problem::{NOT_FOUND, Problem};
use crate::token::{Grants, new_token};
use crate::wire::{AuditEntry, MigrateRuns, MigratedRun, MigratedRuns, NewToken, Page, Token};

/// The longest label of a token.
const MAX_LABEL: usize = 256;
/// Runs that one request names at most.
const MAX_RUNS: usize = 1000;
/// Runs of a playbook that one request moves at most.
const MAX_MOVED: u64 = 100_000;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(tokens, create_token))
        .routes(routes!(revoke_token))
        .routes(routes!(audit))
        .routes(routes!(migrate))
}

/// List tokens of all tenants. For callers on the server's machine, and for tokens with the permission `admin`.
#[utoipa::path(
    get, path = "/v1/tokens", tag = "system", operation_id = "list_tokens",
    responses(
        (status = 200, description = "Tokens, without their secrets", body = Page<Token>),
        (status = 403, description = "The caller is on another machine and its token lacks the permission `admin`."),
    )
)]
async fn tokens(
    State(app): State<App>,
    caller: Caller,
    Extension(peer): Extension<Peer>,
) -> Result<Json<Page<Token>>, Problem> {
    operators_only(&caller, &peer, "The list of tokens")?;
    app.read(move |kernel| {
        let items = kernel.store().tokens()?.iter().map(Token::from).collect();
        Ok(Json(Page { items, next_cursor: None }))
    })
    .await
}

/// Make a token for the caller's tenant. Its secret is in this response and nowhere else. For callers on the server's
/// machine, and for tokens with the permission `admin`.
#[utoipa::path(
    post, path = "/v1/tokens", tag = "system", operation_id = "create_token", request_body = NewToken,
    responses(
        (status = 201, description = "The token", body = Token),
        (status = 400, description = "The body is not JSON."),
        (status = 403, description = "The caller is on another machine and its token lacks the permission `admin`."),
        (status = 422, description = "A field is unknown or invalid."),
    )
)]
async fn create_token(
    State(app): State<App>,
    caller: Caller,
    Extension(peer): Extension<Peer>,
    JsonBody(body): JsonBody<NewToken>,
) -> Result<(StatusCode, Json<Token>), Problem> {
    operators_only(&caller, &peer, "Making a token")?;
    let label = body.label.unwrap_or_else(|| "token".into());
    short_text("label", &label, MAX_LABEL)?;
    let length = body.expires_in.map(|text| text.parse::<Millis>()).transpose();
    let length = length.map_err(|error| Problem::invalid("expires_in", error.to_string()))?;
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(|error| Problem::internal(&error.to_string()))?;
    let seed = getrandom::u64().map_err(|error| Problem::internal(&error.to_string()))?;
    app.read(move |kernel| {
        let now = kernel.clock().now();
        let grants =
            Grants { approver: body.approver.unwrap_or(false), permissions: body.permissions, tier: body.tier };
        let (tenant, expires) = (caller.scope.tenant().clone(), length.map(|length| now.plus(length)));
        let (row, text) = new_token(tenant, &label, grants, expires, now, &mut SeededRandom::new(seed), secret);
        let (store, detail) = (kernel.store(), format!("{} “{label}”", row.id));
        Sudo::because(store.as_ref(), now, &caller.actor.name, "token new", Some(&row.tenant), &detail)?;
        store.put_token(&row)?;
        Ok((StatusCode::CREATED, Json(Token { token: Some(text), ..Token::from(&row) })))
    })
    .await
}

/// Revoke a token. For callers on the server's machine, and for tokens with the permission `admin`.
#[utoipa::path(
    post, path = "/v1/tokens/{id}/revoke", tag = "system", operation_id = "revoke_token",
    params(("id" = String, Path, format = "uuid", description = "The token's id")),
    responses(
        (status = 200, description = "The token", body = Token),
        (status = 400, description = "The id is not a UUID."),
        (status = 403, description = "The caller is on another machine and its token lacks the permission `admin`."),
        (status = 404, description = "There is no such token."),
    )
)]
async fn revoke_token(
    State(app): State<App>,
    caller: Caller,
    Extension(peer): Extension<Peer>,
    UrlPath(id): UrlPath<String>,
) -> Result<Json<Token>, Problem> {
    operators_only(&caller, &peer, "Revoking a token")?;
    let id: TokenId = id.parse().map_err(|error| Problem::bad_id(&error))?;
    app.read(move |kernel| {
        let store = kernel.store();
        let found = store.token(id)?;
        let mut row = found.ok_or_else(|| Problem::new(NOT_FOUND, format!("There is no token {id}.")))?;
        row.revoked = true;
        let (now, who) = (kernel.clock().now(), &caller.actor.name);
        Sudo::because(store.as_ref(), now, who, "token revoke", Some(&row.tenant), &id.to_string())?;
        store.put_token(&row)?;
        Ok(Json(Token::from(&row)))
    })
    .await
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct AuditQuery {
    /// How many at most.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u64>,
}

/// List administrative actions on all tenants' data, newest first. For callers on the server's machine, and for tokens
/// with the permission `admin`.
#[utoipa::path(
    get, path = "/v1/audit", tag = "system", operation_id = "list_audit", params(AuditQuery),
    responses(
        (status = 200, description = "Actions", body = Page<AuditEntry>),
        (status = 403, description = "The caller is on another machine and its token lacks the permission `admin`."),
        (status = 422, description = "A parameter is unknown or invalid."),
    )
)]
async fn audit(
    State(app): State<App>,
    caller: Caller,
    Extension(peer): Extension<Peer>,
    UrlQuery(query): UrlQuery<AuditQuery>,
) -> Result<Json<Page<AuditEntry>>, Problem> {
    operators_only(&caller, &peer, "The audit log")?;
    let limit = page_limit(query.limit)?;
    app.read(move |kernel| {
        let items = kernel.store().audit(SystemScope, limit)?.into_iter().map(AuditEntry::from).collect();
        Ok(Json(Page { items, next_cursor: None }))
    })
    .await
}

/// Migrate runs in progress to the loaded packs. For callers on the server's machine, and for tokens with the permission
/// `admin`.
///
/// Steps in progress continue in the new version; finished steps are not repeated. A run that cannot be migrated is left
/// as it is, with the reason.
#[utoipa::path(
    post, path = "/v1/runs/migrate", tag = "runs", operation_id = "migrate_runs", request_body = MigrateRuns,
    responses(
        (status = 200, description = "The result for each run", body = MigratedRuns),
        (status = 400, description = "The body is not JSON, or an id is not a UUID."),
        (status = 403, description = "The caller is on another machine and its token lacks the permission `admin`."),
        (status = 404, description = "There is no such run."),
        (status = 422, description = "A field is unknown or invalid, or there is neither `runs` nor `playbook`."),
    )
)]
async fn migrate(
    State(app): State<App>,
    caller: Caller,
    Extension(peer): Extension<Peer>,
    JsonBody(body): JsonBody<MigrateRuns>,
) -> Result<Json<MigratedRuns>, Problem> {
    operators_only(&caller, &peer, "Migrating runs")?;
    let limit = bounded("limit", body.limit, MAX_MOVED, 1, MAX_MOVED)?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let kernel = app.kernel();
    let runs: Vec<RunId> = match (body.playbook, body.runs) {
        (Some(name), None) => {
            let scope = caller.scope.clone();
            app.read(move |kernel| Ok(kernel.under_way(&scope, &name, limit)?)).await?
        }
        (None, Some(runs)) if runs.len() <= MAX_RUNS => runs.iter().map(|run| run_id(run)).collect::<Result<_, _>>()?,
        (None, Some(_)) => return Err(Problem::invalid("runs", format!("name at most {MAX_RUNS} runs"))),
        _ => return Err(Problem::invalid("runs", "give either `runs` or `playbook`")),
    };
    let map: BTreeMap<String, Option<String>> = body
        .map
        .unwrap_or_default()
        .into_iter()
        .map(|(old, new)| (old, Some(new).filter(|new| !new.is_empty())))
        .collect();
    let dry_run = body.dry_run.unwrap_or(false);
    let mut done = MigratedRuns { items: Vec::new(), dry_run, moved: 0, movable: 0, there: 0, stay: 0 };
    for run in runs {
        let mut about = tokio::task::block_in_place(|| kernel.plan_move(&caller.scope, run, &map))?;
        if about.problems.is_empty() && !about.is_there() && !dry_run {
            // The run may have moved on since it was checked; then it is refused and stays.
            if let Err(error) = kernel.move_run(&caller.scope, run, &map, &caller.actor.name).await {
                about.problems.push(error.to_string());
            }
        }
        match (about.problems.is_empty(), about.is_there()) {
            (true, true) => done.there += 1,
            (true, false) => done.movable += 1,
            (false, _) => done.stay += 1,
        }
        done.items.push(MigratedRun::from(about));
    }
    done.moved = if dry_run { 0 } else { done.movable };
    Ok(Json(done))
}
