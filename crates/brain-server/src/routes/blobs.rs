//! `/v1/blobs`: uploads and downloads of blobs, in pieces, so that no blob is ever in memory as a whole.

mod body;
pub(crate) mod range;

use axum::Json;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use brain_core::Digest;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::extract::{UrlPath, declared_length, discard, fill};
use crate::guard::Caller;
use crate::problem::{BAD_ID, BODY_TOO_LARGE, NO_SUCH_BLOB, Problem, RANGE_NOT_SATISFIABLE};
use crate::wire::{Blob, BlobStored};
use body::BlobBody;
use range::Wanted;

/// Bytes per read or write of the store.
const PIECE: usize = 256 * 1024;
/// Maximum length of a media type.
const MAX_MEDIA_TYPE: usize = 255;
/// The default media type.
const UNKNOWN: &str = "application/octet-stream";

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(create)).routes(routes!(get))
}

/// Store a file.
///
/// The body is the raw file; its `Content-Type` is stored. The response is a reference that can be used in place of a
/// value. Equal bytes are stored once: uploading them again returns the first reference.
#[utoipa::path(
    post, path = "/v1/blobs", tag = "blobs", operation_id = "create_blob",
    request_body(content = Vec<u8>, content_type = "application/octet-stream", description = "The bytes"),
    responses(
        (status = 201, description = "The reference", body = BlobStored,
            headers(("location" = String, description = "The URL of the blob"))),
        (status = 400, description = "The body ended early."),
        (status = 408, description = "The body arrived too slowly."),
        (status = 413, description = "The body is larger than the server's limit, 1 GiB by default."),
        (status = 422, description = "The Content-Type is invalid."),
    )
)]
async fn create(State(app): State<App>, caller: Caller, request: Request) -> Result<Response, Problem> {
    let media_type = media_type(request.headers())?;
    let mut body = request.into_body();
    let too_large = || {
        let detail = format!("A blob may have at most {} bytes here.", app.max_blob());
        Problem::new(BODY_TOO_LARGE, detail)
    };
    if declared_length(&body) > app.max_blob() {
        discard(&mut body).await;
        return Err(too_large());
    }
    let _turn = app.upload_turn().await?;
    let mut writer = app
        .read(move |kernel| Ok(kernel.store().begin_blob(&caller.scope, &media_type, kernel.clock().now())?))
        .await?;
    let mut size = 0;
    let mut more = true;
    let mut piece = Vec::with_capacity(2 * PIECE);
    while more {
        more = fill(&mut body, &mut piece, PIECE).await?;
        size += piece.len() as u64;
        if size > app.max_blob() {
            discard(&mut body).await;
            return Err(too_large());
        }
        // If the client disconnects, this future is dropped; the writer is dropped when the store has finished its
        // step.
        (writer, piece) = app
            .read(move |_| {
                writer.write(&piece)?;
                Ok((writer, piece))
            })
            .await?;
        piece.clear();
    }
    let row = app.read(move |_| Ok(writer.finish()?)).await?;
    let place = format!("/v1/blobs/{}", row.hash);
    let stored = BlobStored { blob: Blob::from(row) };
    Ok((StatusCode::CREATED, [(header::LOCATION, place)], Json(stored)).into_response())
}

/// The media type that a request declares.
fn media_type(headers: &HeaderMap) -> Result<String, Problem> {
    let Some(given) = headers.get(header::CONTENT_TYPE) else { return Ok(UNKNOWN.to_owned()) };
    let text = given.to_str().unwrap_or_default().trim();
    if text.is_empty() || text.len() > MAX_MEDIA_TYPE || !text.contains('/') {
        let message = format!("give a media type such as `image/png`, of at most {MAX_MEDIA_TYPE} characters");
        return Err(Problem::invalid("Content-Type", message));
    }
    Ok(text.to_owned())
}

/// Read a file.
///
/// `HEAD` gives the same response without the bytes. `Range: bytes=…` with one range returns only those bytes.
#[utoipa::path(
    get, path = "/v1/blobs/{hash}", tag = "blobs", operation_id = "get_blob",
    params(
        ("hash" = String, Path, description = "Its SHA-256, 64 hexadecimal digits", pattern = "^[0-9a-f]{64}$"),
        ("Range" = Option<String>, Header, description = "The bytes to return, such as `bytes=0-1023`"),
    ),
    responses(
        (status = 200, description = "The bytes, with the media type of the upload", body = Vec<u8>,
            content_type = "application/octet-stream", headers(("etag" = String, description = "The hash, in quotes"))),
        (status = 206, description = "The requested bytes", body = Vec<u8>,
            content_type = "application/octet-stream",
            headers(("content-range" = String, description = "The returned range and the total size"))),
        (status = 304, description = "`If-None-Match` names this blob."),
        (status = 400, description = "The hash is not 64 hexadecimal digits."),
        (status = 404, description = "There is no such blob."),
        (status = 416, description = "The range starts after the end of the blob."),
    )
)]
async fn get(
    State(app): State<App>,
    caller: Caller,
    UrlPath(hash): UrlPath<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let hash: Digest = hash.parse().map_err(|error: String| Problem::new(BAD_ID, error))?;
    let scope = caller.scope.clone();
    let row = app.read(move |kernel| Ok(kernel.store().blob(&scope, hash)?)).await?;
    let row = row.ok_or_else(|| Problem::new(NO_SUCH_BLOB, format!("There is no blob with the hash {hash}.")))?;
    let tag = format!("\"{hash}\"");
    if headers.get(header::IF_NONE_MATCH).is_some_and(|given| names(given, &tag)) {
        return Ok((StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response());
    }
    let (status, from, to) = match range::wanted(&headers, &tag, row.size) {
        Wanted::All => (StatusCode::OK, 0, row.size),
        Wanted::Part { from, to } => (StatusCode::PARTIAL_CONTENT, from, to),
        Wanted::Nothing => {
            let detail = format!("The blob has only {} bytes; the range starts after its end.", row.size);
            let mut response = Problem::new(RANGE_NOT_SATISFIABLE, detail).into_response();
            insert(&mut response, header::CONTENT_RANGE, &format!("bytes */{}", row.size));
            return Ok(response);
        }
    };
    let mut response = Response::new(Body::new(BlobBody::new(app, caller.scope, hash, from, to)));
    *response.status_mut() = status;
    insert(&mut response, header::CONTENT_TYPE, &row.media_type);
    insert(&mut response, header::CONTENT_LENGTH, &(to - from).to_string());
    insert(&mut response, header::ETAG, &tag);
    insert(&mut response, header::ACCEPT_RANGES, "bytes");
    if status == StatusCode::PARTIAL_CONTENT {
        insert(&mut response, header::CONTENT_RANGE, &format!("bytes {from}-{}/{}", to - 1, row.size));
    }
    // Users' files are served from our own origin, so a browser must not execute them.
    insert(&mut response, header::CONTENT_DISPOSITION, "attachment");
    insert(&mut response, header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox");
    Ok(response)
}

/// Whether a list of entity tags contains this one.
fn names(given: &HeaderValue, tag: &str) -> bool {
    let Ok(text) = given.to_str() else { return false };
    text.split(',').map(str::trim).any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag)
}

fn insert(response: &mut Response, name: header::HeaderName, value: &str) {
    // Stored media types were checked on upload; anything else means that the store was tampered with.
    let value = HeaderValue::from_str(value).unwrap_or(HeaderValue::from_static(UNKNOWN));
    response.headers_mut().insert(name, value);
}
