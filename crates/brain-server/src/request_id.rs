//! Ids of requests and of internal errors.

use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// The header that names a request.
pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Maximum length of an id taken over from a caller.
const MAX_LENGTH: usize = 128;

/// A new random id (UUIDv4), by which people find a response in the log. Nothing else depends on it.
pub(crate) fn new_id() -> String {
    let mut bytes = [0; 16];
    if let Err(error) = getrandom::fill(&mut bytes) {
        // The id is then not unique, which is no reason to fail the request.
        tracing::warn!(%error, "no system randomness is available");
    }
    uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
}

/// The caller's request id if it is valid, or a new one.
pub(crate) fn of_request(headers: &HeaderMap) -> HeaderValue {
    let usable = |value: &&HeaderValue| {
        (1..=MAX_LENGTH).contains(&value.len()) && value.as_bytes().iter().all(u8::is_ascii_graphic)
    };
    let given = headers.get(X_REQUEST_ID).filter(usable).cloned();
    given.unwrap_or_else(|| HeaderValue::try_from(new_id()).unwrap_or(HeaderValue::from_static("unknown")))
}
