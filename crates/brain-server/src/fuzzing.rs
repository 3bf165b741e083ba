//! The parsers of bodies and headers as functions of bytes, for fuzzers. Not part of the API.

use axum::http::{HeaderMap, HeaderValue, header};

use crate::extract::parse;
use crate::routes::blobs::range::{Wanted, wanted};
use crate::{token, trace, wire};

/// Parses a body as each kind of request.
pub fn bodies(data: &[u8]) {
    drop(parse::<wire::RunRequest>(data));
    drop(parse::<wire::Decide>(data));
    drop(parse::<wire::Activate>(data));
    drop(parse::<wire::CompleteJob>(data));
    drop(parse::<wire::FailJob>(data));
    drop(parse::<wire::Review>(data));
    drop(parse::<wire::TeachRequest>(data));
    drop(parse::<wire::CorrectionRequest>(data));
    drop(parse::<wire::RetryMany>(data));
}

/// Parses a text as each header, token and cursor.
pub fn headers(data: &[u8]) {
    if let Ok(value) = HeaderValue::from_bytes(data) {
        let mut headers = HeaderMap::new();
        headers.append("traceparent", value.clone());
        headers.append(header::RANGE, value);
        drop(trace::trace_id(&headers));
        for size in [0, 1, u64::MAX] {
            if let Wanted::Part { from, to } = wanted(&headers, "", size) {
                assert!(from < to && to <= size, "the range lies within the blob");
            }
        }
    }
    let Ok(text) = std::str::from_utf8(data) else { return };
    let _ = token::halves(text);
    drop(text.parse::<wire::FeedId>());
    drop(wire::since(text, brain_core::Timestamp::from_millis(1_700_000_000_000)));
}
