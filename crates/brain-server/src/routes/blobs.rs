//! `/v1/blobs`: large values, in and out in pieces; none is ever in memory whole.

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

/// Bytes that are handed to the store, or taken from it, at a time.
const PIECE: usize = 256 * 1024;
/// The longest media type.
const MAX_MEDIA_TYPE: usize = 255;
/// What a blob is called that nobody has named.
const UNKNOWN: &str = "application/octet-stream";

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(create)).routes(routes!(get))
}

/// Store a file.
///
/// The body is the file, as it is; `Content-Type` is kept. The answer is a reference that can stand wherever a value
/// stands. The same bytes are stored once: sending them again answers with the reference of the first time.
#[utoipa::path(
    post, path = "/v1/blobs", tag = "blobs", operation_id = "create_blob",
    request_body(content = Vec<u8>, content_type = "application/octet-stream", description = "The bytes"),
    responses(
        (status = 201, description = "It is stored", body = BlobStored,
            headers(("location" = String, description = "Where it is read"))),
        (status = 400, description = "The body ended early."),
        (status = 408, description = "The body did not go on in time."),
        (status = 413, description = "The body is larger than the server takes in: 1 GiB, unless it was set up otherwise."),
        (status = 422, description = "The Content-Type cannot be kept."),
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
        // Whoever stops listening drops this future: the writer is dropped when the store has done its step.
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
        let message = format!("a media type such as `image/png` is needed, of at most {MAX_MEDIA_TYPE} characters");
        return Err(Problem::invalid("Content-Type", message));
    }
    Ok(text.to_owned())
}

/// Read a file.
///
/// `HEAD` answers the same without the bytes. With `Range: bytes=…` and one range, only those bytes are sent.
#[utoipa::path(
    get, path = "/v1/blobs/{hash}", tag = "blobs", operation_id = "get_blob",
    params(
        ("hash" = String, Path, description = "Its SHA-256, 64 hexadecimal digits", pattern = "^[0-9a-f]{64}$"),
        ("Range" = Option<String>, Header, description = "Which bytes, such as `bytes=0-1023`"),
    ),
    responses(
        (status = 200, description = "The bytes, with the media type they came with", body = Vec<u8>,
            content_type = "application/octet-stream", headers(("etag" = String, description = "The hash, in quotes"))),
        (status = 206, description = "The bytes that were asked for", body = Vec<u8>,
            content_type = "application/octet-stream",
            headers(("content-range" = String, description = "Which bytes of how many"))),
        (status = 304, description = "`If-None-Match` names this very blob."),
        (status = 400, description = "The hash is not one."),
        (status = 404, description = "There is no such blob."),
        (status = 416, description = "The range begins behind the end."),
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
            let detail = format!("The blob has {} bytes; the range begins behind them.", row.size);
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
    // Anybody's file comes from our own address: a browser must not run what is in it.
    insert(&mut response, header::CONTENT_DISPOSITION, "attachment");
    insert(&mut response, header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox");
    Ok(response)
}

/// Whether a list of tags has this one.
fn names(given: &HeaderValue, tag: &str) -> bool {
    let Ok(text) = given.to_str() else { return false };
    text.split(',').map(str::trim).any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag)
}

fn insert(response: &mut Response, name: header::HeaderName, value: &str) {
    // What we store was visible ASCII when it came; anything else is a file that was tampered with.
    let value = HeaderValue::from_str(value).unwrap_or(HeaderValue::from_static(UNKNOWN));
    response.headers_mut().insert(name, value);
}
