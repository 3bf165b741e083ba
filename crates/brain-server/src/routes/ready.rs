//! `/readyz`: whether requests can be served, with one check per dependency.

use axum::Json;
use axum::extract::State;
use brain_core::{Millis, TenantId};
use brain_kernel::Kernel;
use brain_store::{Scope, SystemScope};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::problem::{NOT_READY, Problem};
use crate::wire::FieldProblem;

/// Clock difference to the database above which a warning is shown.
const SKEW: Millis = Millis(5_000);

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(readyz))
}

/// Whether requests can be served.
#[derive(Serialize, ToSchema)]
struct Readiness {
    /// Always `ready`.
    status: &'static str,
    /// The checks.
    checks: Vec<Check>,
}

/// One check.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct Check {
    /// `store_reads`, `store_writes`, `engine`, `packs` or `clock`.
    name: &'static str,
    /// Its result.
    status: CheckStatus,
    /// What is wrong, or what was found.
    detail: String,
}

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum CheckStatus {
    Ok,
    /// Requests are served, but an operator should look.
    Warning,
    /// Requests cannot be served.
    Failed,
}

/// Whether requests can be served.
///
/// A problem document lists the checks that failed under `errors`, with the name of the check as `field`.
#[utoipa::path(
    get, path = "/readyz", tag = "system", operation_id = "readyz", security(()),
    responses(
        (status = 200, description = "The server is ready", body = Readiness),
        (status = 503, description = "A check failed; `errors` says which, and why."),
    )
)]
async fn readyz(State(app): State<App>) -> Result<Json<Readiness>, Problem> {
    app.read(|kernel| {
        let checks = vec![store_reads(kernel), store_writes(kernel), engine(kernel), packs(kernel), clock(kernel)];
        let failed = |check: &&Check| check.status == CheckStatus::Failed;
        let errors: Vec<FieldProblem> = checks
            .iter()
            .filter(failed)
            .map(|check| FieldProblem { field: check.name.to_owned(), message: check.detail.clone() })
            .collect();
        if errors.is_empty() {
            return Ok(Json(Readiness { status: "ready", checks }));
        }
        let list: Vec<String> = errors.iter().map(|error| format!("{}: {}", error.field, error.message)).collect();
        Err(Problem::new(NOT_READY, format!("{}.", list.join("; "))).with_errors(errors))
    })
    .await
}

fn check(name: &'static str, status: CheckStatus, detail: impl Into<String>) -> Check {
    Check { name, status, detail: detail.into() }
}

/// Checks reads. Error messages of the store may name hosts and files, so they go to the log only.
fn store_reads(kernel: &Kernel) -> Check {
    let scope = Scope::of(TenantId::default_tenant());
    match kernel.store().runs(&scope, None, 1, None) {
        Ok(_) => check("store_reads", CheckStatus::Ok, "the store answers"),
        Err(error) => {
            tracing::error!(%error, "the store does not answer");
            check("store_reads", CheckStatus::Failed, "the store does not answer; the log says why")
        }
    }
}

fn store_writes(kernel: &Kernel) -> Check {
    if kernel.engine().can_write() {
        return check("store_writes", CheckStatus::Ok, "the last write was stored");
    }
    check(
        "store_writes",
        CheckStatus::Failed,
        "the last write failed; the next heartbeat tries again, and the log has the error",
    )
}

/// Checks the lease and whether the engine is paused.
fn engine(kernel: &Kernel) -> Check {
    let engine = kernel.engine();
    let nodes = kernel.store().nodes(SystemScope, kernel.clock().now());
    let own = nodes.ok().and_then(|nodes| nodes.into_iter().find(|node| node.id == engine.node()));
    match own {
        Some(node) if node.lapsed.is_some() => {
            check("engine", CheckStatus::Failed, "the lease of this server has expired, because its heartbeats fail")
        }
        None => check("engine", CheckStatus::Failed, "this server is not registered in the store"),
        Some(_) if engine.is_paused() => {
            check("engine", CheckStatus::Warning, "paused: no external calls, timers or take-overs")
        }
        Some(_) => check("engine", CheckStatus::Ok, "the lease is valid"),
    }
}

fn packs(kernel: &Kernel) -> Check {
    let names = kernel.registry().packs().values().map(|pack| format!("{} {}", pack.name, pack.version));
    let names: Vec<String> = names.collect();
    if names.is_empty() {
        return check("packs", CheckStatus::Warning, "no pack is loaded");
    }
    check("packs", CheckStatus::Ok, names.join(", "))
}

fn clock(kernel: &Kernel) -> Check {
    let now = kernel.clock().now();
    match kernel.store().clock(SystemScope) {
        Ok(Some(theirs)) => {
            let off = Millis(now.as_millis().abs_diff(theirs.as_millis()));
            if off > SKEW {
                return check("clock", CheckStatus::Warning, format!("differs from the database's clock by {off}"));
            }
            check("clock", CheckStatus::Ok, "agrees with the database's")
        }
        // The store uses this clock, or does not answer, which another check reports.
        Ok(None) | Err(_) => check("clock", CheckStatus::Ok, now.to_string()),
    }
}
