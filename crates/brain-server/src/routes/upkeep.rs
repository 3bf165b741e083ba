//! Upkeep by operators, from any machine: retention, lookup indexes, and a check of the server.

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use brain_core::TenantId;
use brain_kernel::{Kernel, reindex as rebuild};
use brain_registry::model::RecordDef;
use brain_store::{Scope, Sudo};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::records::record_type;
use crate::app::App;
use crate::extract::OptionalJson;
use crate::guard::{Caller, Peer, operators_only};
use crate::problem::{CONFLICT, Problem};
use crate::upkeep::{Sweeping, Upkeep};
use crate::wire::{Doctor, Reindex, ReindexedType, ReindexedTypes, Sweep, Swept};

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(sweep)).routes(routes!(reindex)).routes(routes!(doctor))
}

/// Apply the configured retention: erase payloads and delete runs past their retention period. For callers on the
/// server's machine, and for tokens with the permission `admin`.
///
/// A server with a configured retention does this by itself, once an hour.
#[utoipa::path(
    post, path = "/v1/gc", tag = "system", operation_id = "apply_retention", request_body = Option<Sweep>,
    responses(
        (status = 200, description = "What was deleted", body = Swept),
        (status = 400, description = "The body is not JSON."),
        (status = 403, description = "The caller is on another machine and its token lacks the permission `admin`."),
        (status = 409, description = "This server has no configuration to apply."),
        (status = 422, description = "A field is unknown or invalid."),
    )
)]
async fn sweep(
    State(app): State<App>,
    caller: Caller,
    Extension(peer): Extension<Peer>,
    OptionalJson(body): OptionalJson<Sweep>,
) -> Result<Json<Swept>, Problem> {
    operators_only(&caller, &peer, "Applying the retention")?;
    let upkeep = upkeep(&app)?;
    app.read(move |kernel| {
        let dry_run = body.dry_run.unwrap_or(false);
        let all = body.all.unwrap_or(false);
        let what = Sweeping {
            tenant: (!all).then(|| caller.scope.tenant().clone()),
            dry_run,
            compact: body.compact.unwrap_or(false),
            by: &caller.actor.name,
        };
        Ok(Json(Swept { dry_run, tenants: upkeep.sweep(kernel, &what)? }))
    })
    .await
}

fn upkeep(app: &App) -> Result<Arc<dyn Upkeep>, Problem> {
    app.upkeep().ok_or_else(|| Problem::new(CONFLICT, "This server was started without a configuration to apply."))
}

/// Rebuild lookup indexes after a pack changed label, aliases, identifiers, keys, indexed fields or search. For callers
/// on the server's machine, and for tokens with the permission `admin`.
///
/// The records themselves do not change. The request can be repeated; what is up to date is not written again.
#[utoipa::path(
    post, path = "/v1/reindex", tag = "records", operation_id = "reindex_records", request_body = Option<Reindex>,
    responses(
        (status = 200, description = "What was rebuilt", body = ReindexedTypes),
        (status = 400, description = "The body is not JSON."),
        (status = 403, description = "The caller is on another machine and its token lacks the permission `admin`."),
        (status = 404, description = "There is no such type of record."),
        (status = 422, description = "A field is unknown or invalid."),
    )
)]
async fn reindex(
    State(app): State<App>,
    caller: Caller,
    Extension(peer): Extension<Peer>,
    OptionalJson(body): OptionalJson<Reindex>,
) -> Result<Json<ReindexedTypes>, Problem> {
    operators_only(&caller, &peer, "Rebuilding lookup indexes")?;
    let defs: Vec<Arc<RecordDef>> = match &body.record_type {
        Some(name) => vec![record_type(&app, name)?],
        None => app.kernel().registry().records().values().cloned().collect(),
    };
    let dry_run = body.dry_run.unwrap_or(false);
    app.read(move |kernel| {
        let mut types = Vec::new();
        for tenant in tenants(kernel, &caller, body.all.unwrap_or(false), dry_run)? {
            let scope = Scope::of(tenant.clone());
            for def in &defs {
                let (store, clock) = (kernel.store(), kernel.clock());
                let done = rebuild(store.as_ref(), &scope, clock.as_ref(), def, dry_run, &mut |_| {})?;
                if done.looked_at > 0 {
                    types.push(ReindexedType::of(tenant.as_str(), &def.name, done));
                }
            }
        }
        Ok(Json(ReindexedTypes { ok: types.iter().all(|one| one.refused == 0), dry_run, types }))
    })
    .await
}

fn tenants(kernel: &Kernel, caller: &Caller, all: bool, dry_run: bool) -> Result<Vec<TenantId>, Problem> {
    if !all {
        return Ok(vec![caller.scope.tenant().clone()]);
    }
    let (store, detail) = (kernel.store(), if dry_run { "dry run" } else { "" });
    let who = &caller.actor.name;
    let sudo = Sudo::because(store.as_ref(), kernel.clock().now(), who, "records reindex", None, detail)?;
    Ok(store.tenants(&sudo)?)
}

/// Check the packs, the store, and the secrets, hosts and clock that they need. For callers on the server's machine, and
/// for tokens with the permission `admin`.
#[utoipa::path(
    get, path = "/v1/doctor", tag = "system", operation_id = "examine_server",
    responses(
        (status = 200, description = "What was found", body = Doctor),
        (status = 403, description = "The caller is on another machine and its token lacks the permission `admin`."),
        (status = 409, description = "This server cannot check itself."),
    )
)]
async fn doctor(
    State(app): State<App>,
    caller: Caller,
    Extension(peer): Extension<Peer>,
) -> Result<Json<Doctor>, Problem> {
    operators_only(&caller, &peer, "The check of the server")?;
    let upkeep = upkeep(&app)?;
    app.read(move |kernel| {
        let checks = upkeep.examine(kernel, &caller.scope)?;
        Ok(Json(Doctor { ok: checks.iter().all(|check| check.level != "bad"), checks }))
    })
    .await
}
