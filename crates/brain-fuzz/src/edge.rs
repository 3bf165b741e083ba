//! What arrives over HTTP: bodies and headers.

use brain_core::Timestamp;
use brain_server::fuzzing;

/// A body of JSON, as each request that the API takes.
pub(crate) fn request(data: &[u8]) {
    fuzzing::bodies(data);
}

/// Headers and other short texts of a request, and `Retry-After` and `Date` of an answer: the first line and the second.
pub(crate) fn header(data: &[u8]) {
    fuzzing::headers(data);
    let Some(text) = crate::text(data) else { return };
    let (first, second) = text.split_once('\n').unwrap_or((text, ""));
    for now in [0, 1_700_000_000_000, i64::MAX] {
        let now = Timestamp::from_millis(now);
        for date in [None, Some(second)] {
            if let Some(wait) = brain_tools::retry_after(first, date, now) {
                assert!(wait.0 > 0, "no time to wait is no answer");
            }
        }
    }
}
