//! `/v1/packs`: reloads the packs.

use axum::extract::State;
use axum::{Extension, Json};
use brain_kernel::ReloadError;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::guard::{Caller, Peer, operators_only};
use crate::problem::{CONFLICT, PACKS_REFUSED, Problem};
use crate::wire::{FieldProblem, PacksReloaded};

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(reload))
}

/// Reload the packs without a restart.
///
/// The server reads the folders that it was started with. If a pack has errors, nothing changes and every error is
/// listed. Runs under way keep the definitions that they were planned with. Only for callers on the server's machine,
/// and for tokens with the permission `admin`.
#[utoipa::path(
    post, path = "/v1/packs/reload", tag = "system", operation_id = "reload_packs",
    responses(
        (status = 200, description = "The packs in use now", body = PacksReloaded),
        (status = 403, description = "The caller is on another machine and its token lacks the permission `admin`."),
        (status = 409, description = "This server cannot reload its packs."),
        (status = 422, description = "A pack has errors. The previous packs stay in use."),
    )
)]
async fn reload(
    State(app): State<App>,
    caller: Caller,
    Extension(peer): Extension<Peer>,
) -> Result<Json<PacksReloaded>, Problem> {
    operators_only(&caller, &peer, "Reloading packs")?;
    let shared = app.clone();
    app.read(move |_| match shared.slot().reload() {
        Ok(done) => {
            tracing::info!(packs = ?done.packs, tools = done.tools, changed = done.changed.len(), "packs reloaded");
            Ok(Json(done.into()))
        }
        Err(error) => {
            tracing::warn!(%error, "packs not reloaded");
            Err(refused(error))
        }
    })
    .await
}

fn refused(error: ReloadError) -> Problem {
    match error {
        ReloadError::NoPacks => Problem::new(CONFLICT, error.to_string()),
        ReloadError::Kernel(error) => error.into(),
        ReloadError::Refused(report) => {
            let errors = report.diagnostics().iter().map(FieldProblem::from);
            Problem::new(PACKS_REFUSED, "The packs have errors. The previous packs stay in use.")
                .with_errors(errors.collect())
        }
    }
}
