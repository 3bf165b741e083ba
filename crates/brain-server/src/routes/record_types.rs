//! `/v1/record-types`: what kinds of records there are; and records that are taken in from elsewhere.

use axum::extract::State;
use axum::{Extension, Json};
use brain_kernel::Import;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::records::record_type;
use crate::app::App;
use crate::extract::{JsonBody, UrlPath};
use crate::guard::{Caller, Peer, operators_only};
use crate::problem::Problem;
use crate::wire::{ImportRecords, ImportedRecords, Page, RecordType, RefusedRecord};

/// Records that one request takes in at most.
const MAX_ITEMS: usize = 1000;
/// Records that one dry run checks at most: it compares them with each other, so more of them find more.
const MAX_CHECKED: usize = 20_000;

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(get)).routes(routes!(import))
}

/// List types of records.
#[utoipa::path(
    get, path = "/v1/record-types", tag = "records", operation_id = "list_record_types",
    responses((status = 200, description = "Types", body = Page<RecordType>))
)]
async fn list(State(app): State<App>) -> Json<Page<RecordType>> {
    let kernel = app.kernel();
    let items = kernel.registry().records().values().map(|def| RecordType::from(def.as_ref())).collect();
    Json(Page { items, next_cursor: None })
}

/// One type of record: its fields, keys and states.
#[utoipa::path(
    get, path = "/v1/record-types/{type}", tag = "records", operation_id = "get_record_type",
    params(("type" = String, Path, description = "The type, such as `lead`")),
    responses(
        (status = 200, description = "The type", body = RecordType),
        (status = 400, description = "The name is not text."),
        (status = 404, description = "There is no such type of record."),
    )
)]
async fn get(State(app): State<App>, UrlPath(kind): UrlPath<String>) -> Result<Json<RecordType>, Problem> {
    Ok(Json(RecordType::from(record_type(&app, &kind)?.as_ref())))
}

/// Take in records from elsewhere, without running tools. For callers on the server's machine, and for tokens with the
/// permission `admin`.
///
/// Each record is checked like one that a tool writes: its fields, its references, its keys. One that is refused does not
/// stop the others.
#[utoipa::path(
    post, path = "/v1/records/{type}/import", tag = "records", operation_id = "import_records",
    params(("type" = String, Path, description = "The type, such as `lead`")), request_body = ImportRecords,
    responses(
        (status = 200, description = "The result for each record", body = ImportedRecords),
        (status = 400, description = "The body is not JSON."),
        (status = 403, description = "The caller is on another machine and its token lacks the permission `admin`."),
        (status = 404, description = "There is no such type of record."),
        (status = 422, description = "A field is unknown or invalid, or `key` is not unique."),
    )
)]
async fn import(
    State(app): State<App>,
    caller: Caller,
    Extension(peer): Extension<Peer>,
    UrlPath(kind): UrlPath<String>,
    JsonBody(body): JsonBody<ImportRecords>,
) -> Result<Json<ImportedRecords>, Problem> {
    operators_only(&caller, &peer, "Importing records")?;
    let def = record_type(&app, &kind)?;
    let dry_run = body.dry_run.unwrap_or(false);
    let most = if dry_run { MAX_CHECKED } else { MAX_ITEMS };
    if body.items.len() > most {
        return Err(Problem::invalid("items", format!("send at most {most} records at a time")));
    }
    app.read(move |kernel| {
        let import = Import { key: body.key.as_deref(), dry_run, by: &caller.actor.name };
        let done = kernel.import_records(&caller.scope, &def, body.items, &import)?;
        let refused = done.refused.into_iter().map(|(item, message)| RefusedRecord { item, message }).collect();
        Ok(Json(ImportedRecords { created: done.created, updated: done.updated, unchanged: done.unchanged, refused }))
    })
    .await
}
