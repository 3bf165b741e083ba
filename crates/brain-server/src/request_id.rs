//! Ids of requests and of mistakes.

use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// The header that names a request.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest id that is taken over from a caller.
const MAX_LENGTH: usize = 128;

/// A new random id (UUIDv4). Only for people who compare a response with a log; nothing else depends on it.
pub(crate) fn new_id() -> String {
    let mut bytes = [0; 16];
    if let Err(error) = getrandom::fill(&mut bytes) {
        // The id is then not unique; that is no reason to refuse a request.
        tracing::warn!(%error, "the system has no randomness to give");
    }
    uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
}

/// The caller's id for the request if it can be used, else a new one.
pub(crate) fn of_request(headers: &HeaderMap) -> HeaderValue {
    let usable = |value: &&HeaderValue| {
        (1..=MAX_LENGTH).contains(&value.len()) && value.as_bytes().iter().all(u8::is_ascii_graphic)
    };
    let given = headers.get(X_REQUEST_ID).filter(usable).cloned();
    given.unwrap_or_else(|| HeaderValue::try_from(new_id()).unwrap_or(HeaderValue::from_static("unknown")))
}
