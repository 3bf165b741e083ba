//! `/v1/records/{type}`: stored records.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use brain_core::RecordId;
use brain_kernel::Kernel;
use brain_registry::model::RecordDef;
use brain_store::{AuditRow, RecordFilter, RecordRow};
use serde::Deserialize;
use serde_json::Value;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::extract::{UrlPath, UrlQuery, nearest, one_of, page_cursor, page_limit, short_text};
use crate::guard::Caller;
use crate::problem::{NO_SUCH_RECORD, NO_SUCH_RECORD_TYPE, Problem};
use crate::wire::{Page, record_json};

/// Maximum length of a search text.
const MAX_QUERY: usize = 1024;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(get)).merge(super::record_types::routes())
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Only records with all of these words (the last may be a prefix), best match first. Returns one page; not with
    /// `state` or
    /// `cursor`. Only for types that declare `search`.
    #[param(min_length = 1, max_length = 1024)]
    q: Option<String>,
    /// Only records in this state.
    state: Option<String>,
    /// Maximum number of items on the page.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u64>,
    /// The `next_cursor` of the previous page.
    cursor: Option<String>,
    /// Adds the name that a record takes from the record its label refers to, as `$label`.
    labels: Option<bool>,
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct GetQuery {
    /// Whether a record that borrows its name has it, as `$label`.
    labels: Option<bool>,
}

/// A record as one object, with its borrowed name if `labels`.
fn shown(kernel: &Kernel, caller: &Caller, def: &RecordDef, row: &RecordRow, labels: Option<bool>) -> Value {
    let mut record = record_json(row);
    if labels == Some(true)
        && let Some(name) = kernel.borrowed_name(&caller.scope, def, row)
    {
        record["$label"] = name.into();
    }
    record
}

/// List or search records of a type.
///
/// Each is one object: its fields with `id`, `state` (if the type has states), `revision`, `created_at` and
/// `updated_at`. They are listed in order of creation.
#[utoipa::path(
    get, path = "/v1/records/{type}", tag = "records", operation_id = "list_records",
    params(("type" = String, Path, description = "The type, such as `lead`"), ListQuery),
    responses(
        (status = 200, description = "Records", body = Page<Value>),
        (status = 400, description = "The cursor does not belong to this list."),
        (status = 404, description = "There is no such type of record."),
        (status = 422, description = "A parameter is unknown or invalid."),
    )
)]
async fn list(
    State(app): State<App>,
    caller: Caller,
    UrlPath(kind): UrlPath<String>,
    UrlQuery(query): UrlQuery<ListQuery>,
) -> Result<Json<Page<Value>>, Problem> {
    let limit = page_limit(query.limit)?;
    let def = record_type(&app, &kind)?;
    if let Some(words) = query.q {
        if query.state.is_some() || page_cursor(&query.cursor).is_some() {
            return Err(Problem::invalid("q", "`q` cannot be combined with `state` or `cursor`"));
        }
        if def.search.is_empty() {
            return Err(Problem::invalid("q", format!("the type `{kind}` declares no `search` fields")));
        }
        if !words.contains(char::is_alphanumeric) {
            return Err(Problem::invalid("q", "it contains no words"));
        }
        short_text("q", &words, MAX_QUERY)?;
        return app
            .read(move |kernel| {
                let rows = kernel.store().search(&caller.scope, &kind, &words, limit)?;
                note_read(kernel, &caller, &def, &format!("{} found", rows.len()), rows.is_empty())?;
                let items = rows.iter().map(|row| shown(kernel, &caller, &def, row, query.labels)).collect();
                Ok(Json(Page { items, next_cursor: None }))
            })
            .await;
    }
    if let Some(state) = &query.state {
        let states = def.states.as_ref().map(brain_registry::model::States::names).unwrap_or_default();
        if states.is_empty() {
            return Err(Problem::invalid("state", format!("records of the type `{kind}` have no states")));
        }
        one_of("state", Some(state.as_str()), &states.iter().map(String::as_str).collect::<Vec<_>>())?;
    }
    let filter = RecordFilter { state: query.state, ..RecordFilter::default() };
    app.read(move |kernel| {
        let rows = kernel.store().records(&caller.scope, &kind, &filter, limit, page_cursor(&query.cursor))?;
        note_read(kernel, &caller, &def, &format!("{} listed", rows.items.len()), rows.items.is_empty())?;
        Ok(Json(Page::of(rows, |row| shown(kernel, &caller, &def, &row, query.labels))))
    })
    .await
}

/// Get a record.
#[utoipa::path(
    get, path = "/v1/records/{type}/{id}", tag = "records", operation_id = "get_record",
    params(
        ("type" = String, Path, description = "The type, such as `lead`"),
        ("id" = String, Path, format = "uuid", description = "The record"),
        GetQuery,
    ),
    responses(
        (status = 200, description = "The record as one object", body = Value),
        (status = 400, description = "The id is not a UUID."),
        (status = 404, description = "There is no such record, or no such type."),
    )
)]
async fn get(
    State(app): State<App>,
    caller: Caller,
    UrlPath((kind, id)): UrlPath<(String, String)>,
    UrlQuery(query): UrlQuery<GetQuery>,
) -> Result<Json<Value>, Problem> {
    let def = record_type(&app, &kind)?;
    let id: RecordId = id.parse().map_err(|error| Problem::bad_id(&error))?;
    let title = def.title.to_lowercase();
    let record = app
        .read(move |kernel| {
            let row = kernel.store().record(&caller.scope, &kind, id)?;
            note_read(kernel, &caller, &def, &id.to_string(), row.is_none())?;
            Ok(row.map(|row| shown(kernel, &caller, &def, &row, query.labels)))
        })
        .await?;
    let none = || Problem::new(NO_SUCH_RECORD, format!("There is no {title} with the id {id}."));
    Ok(Json(record.ok_or_else(none)?))
}

/// Writes to the audit who reads records with personal fields, before they are shown.
fn note_read(kernel: &Kernel, caller: &Caller, def: &RecordDef, what: &str, none: bool) -> Result<(), Problem> {
    if none || !def.fields.iter().any(|field| field.personal) {
        return Ok(());
    }
    kernel.store().note(&AuditRow {
        at: kernel.clock().now(),
        who: caller.actor.name.clone(),
        what: "read personal".into(),
        tenant: Some(caller.scope.tenant().clone()),
        detail: format!("{}: {what}", def.name),
    })?;
    Ok(())
}

pub(super) fn record_type(app: &App, name: &str) -> Result<Arc<RecordDef>, Problem> {
    let kernel = app.kernel();
    let registry = kernel.registry();
    if let Some(def) = registry.record(name) {
        return Ok(def.clone());
    }
    let better = nearest(name, registry.records().keys().map(String::as_str));
    let better = better.map(|better| format!(" Did you mean `{better}`?")).unwrap_or_default();
    Err(Problem::new(NO_SUCH_RECORD_TYPE, format!("There is no type of record called `{name}`.{better}")))
}
