//! `/v1/playbooks`: named plans that can be asked for like tools.

use axum::Json;
use axum::extract::State;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::extract::{UrlPath, nearest};
use crate::problem::{NO_SUCH_TOOL, Problem};
use crate::wire::{Page, PlaybookDetail};

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(get))
}

/// List playbooks by name.
#[utoipa::path(
    get, path = "/v1/playbooks", tag = "tools", operation_id = "list_playbooks",
    responses((status = 200, description = "Playbooks", body = Page<PlaybookDetail>))
)]
async fn list(State(app): State<App>) -> Json<Page<PlaybookDetail>> {
    let kernel = app.kernel();
    let items = kernel.registry().playbooks().map(|playbook| PlaybookDetail::from(playbook.as_ref())).collect();
    Json(Page { items, next_cursor: None })
}

/// All about one playbook.
#[utoipa::path(
    get, path = "/v1/playbooks/{name}", tag = "tools", operation_id = "get_playbook",
    params(("name" = String, Path, description = "The playbook, `domain.name`")),
    responses(
        (status = 200, description = "The playbook", body = PlaybookDetail),
        (status = 400, description = "The name is not text."),
        (status = 404, description = "There is no such playbook."),
    )
)]
async fn get(State(app): State<App>, UrlPath(name): UrlPath<String>) -> Result<Json<PlaybookDetail>, Problem> {
    let kernel = app.kernel();
    let registry = kernel.registry();
    if let Some(playbook) = registry.playbook(&name) {
        return Ok(Json(PlaybookDetail::from(playbook.as_ref())));
    }
    let better = nearest(&name, registry.playbooks().map(|playbook| playbook.name.as_str()));
    let better = better.map(|better| format!(" Did you mean `{better}`?")).unwrap_or_default();
    Err(Problem::new(NO_SUCH_TOOL, format!("There is no playbook `{name}`.{better}")))
}
