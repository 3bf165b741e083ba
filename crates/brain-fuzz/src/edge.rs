//! HTTP input: bodies and headers.

use brain_core::{Millis, Timestamp};
use brain_server::fuzzing;

/// A JSON body, parsed as each request of the API.
pub(crate) fn request(data: &[u8]) {
    fuzzing::bodies(data);
}

/// Headers and other short texts of a request; the first two lines also as `Retry-After` and `Date` of an answer.
pub(crate) fn header(data: &[u8]) {
    fuzzing::headers(data);
    let Some(text) = crate::text(data) else { return };
    let (first, second) = text.split_once('\n').unwrap_or((text, ""));
    for now in [0, 1_700_000_000_000, i64::MAX] {
        let now = Timestamp::from_millis(now);
        for date in [None, Some(second)] {
            if let Some(wait) = brain_tools::retry_after(first, date, now) {
                assert!(wait <= Millis::from_secs(24 * 60 * 60), "the delay is bounded");
            }
        }
    }
}
