//! `/v1/tools`: the available tools.

use std::ops::Bound;

use axum::Json;
use axum::extract::State;
use brain_nlu::{MAX_CANDIDATES, MAX_NAME};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::extract::{UrlPath, UrlQuery, page_cursor, page_limit};
use crate::problem::{BAD_CURSOR, NO_SUCH_TOOL, Problem};
use crate::wire::{Page, ToolDetail, ToolLookup, ToolSummary};

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(look_up))
        .routes(routes!(get))
        .merge(super::playbooks::routes())
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Maximum number of items on the page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u64>,
    /// The `next_cursor` of the previous page.
    cursor: Option<String>,
}

/// List tools by name.
#[utoipa::path(
    get, path = "/v1/tools", tag = "tools", operation_id = "list_tools", params(ListQuery),
    responses(
        (status = 200, description = "Tools", body = Page<ToolSummary>),
        (status = 400, description = "The cursor does not belong to this list."),
        (status = 422, description = "A parameter is unknown or invalid."),
    )
)]
async fn list(
    State(app): State<App>,
    UrlQuery(query): UrlQuery<ListQuery>,
) -> Result<Json<Page<ToolSummary>>, Problem> {
    let limit = page_limit(query.limit)?;
    let kernel = app.kernel();
    let registry = kernel.registry();
    let after = match page_cursor(&query.cursor) {
        None => Bound::Unbounded,
        Some(name) if registry.tool(name).is_some() => Bound::Excluded(name),
        Some(other) => return Err(Problem::new(BAD_CURSOR, format!("`{other}` is not a cursor of this list"))),
    };
    let rest = registry.tools().range::<str, _>((after, Bound::Unbounded));
    let page = Page::cut(rest.map(|(_, tool)| ToolSummary::from(tool.as_ref())), limit, |tool| tool.name.clone());
    Ok(Json(page))
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes a parameter that may be repeated; `names` reads it")]
struct LookupQuery {
    /// A candidate name; up to three, the most likely first.
    #[param(min_items = 1, max_items = 3)]
    name: Vec<String>,
}

/// Find a tool or playbook by candidate names.
///
/// Tries each name in order: exactly, then for a name that is at least 80 % similar, then as a synonym. The first name
/// that finds anything wins. Case, `_`, `-`, `.` and spaces make no difference.
#[utoipa::path(
    get, path = "/v1/tools/lookup", tag = "tools", operation_id = "look_up_tool", params(LookupQuery),
    responses(
        (status = 200, description = "What was found; `not_found` if nothing was", body = ToolLookup),
        (status = 422, description = "There is no name, or there are more than three, or one is empty or too long."),
    )
)]
async fn look_up(
    State(app): State<App>,
    UrlQuery(query): UrlQuery<Vec<(String, String)>>,
) -> Result<Json<ToolLookup>, Problem> {
    let names = names(&query)?;
    let kernel = app.kernel();
    let found = brain_nlu::look_up(kernel.vocabulary().targets(), &names);
    Ok(Json(ToolLookup::of(found.as_ref(), &names)))
}

/// The candidate names of a query.
fn names(query: &[(String, String)]) -> Result<Vec<&str>, Problem> {
    if let Some((other, _)) = query.iter().find(|(key, _)| key != "name") {
        return Err(Problem::invalid(other, "unknown parameter; only `name` is known, once for each candidate"));
    }
    let names: Vec<&str> = query.iter().map(|(_, name)| name.trim()).collect();
    if names.is_empty() {
        return Err(Problem::invalid("name", "give at least one candidate name: `?name=create_lead`"));
    }
    if names.len() > MAX_CANDIDATES {
        let message = format!("{} names; at most {MAX_CANDIDATES} are allowed", names.len());
        return Err(Problem::invalid("name", message));
    }
    if names.iter().any(|name| name.is_empty()) {
        return Err(Problem::invalid("name", "a name is empty"));
    }
    match names.iter().map(|name| name.chars().count()).find(|length| *length > MAX_NAME) {
        Some(length) => {
            Err(Problem::invalid("name", format!("a name has {length} characters; at most {MAX_NAME} are allowed")))
        }
        None => Ok(names),
    }
}

/// Get a tool.
#[utoipa::path(
    get, path = "/v1/tools/{name}", tag = "tools", operation_id = "get_tool",
    params(("name" = String, Path, description = "The tool, `domain.name`")),
    responses(
        (status = 200, description = "The tool", body = ToolDetail),
        (status = 400, description = "The name is not text."),
        (status = 404, description = "There is no such tool."),
    )
)]
async fn get(State(app): State<App>, UrlPath(name): UrlPath<String>) -> Result<Json<ToolDetail>, Problem> {
    let kernel = app.kernel();
    let registry = kernel.registry();
    match registry.tool(&name) {
        Some(tool) => Ok(Json(ToolDetail::from(tool.as_ref()))),
        None => {
            let better = registry.nearest_tool(&name).map(|better| format!(" Did you mean `{better}`?"));
            let detail = format!("There is no tool `{name}`.{}", better.unwrap_or_default());
            Err(Problem::new(NO_SUCH_TOOL, detail))
        }
    }
}
