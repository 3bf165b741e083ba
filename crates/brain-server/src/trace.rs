//! W3C Trace Context: the trace that a request belongs to.

use axum::http::HeaderMap;

/// The trace id of the `traceparent` header, in lower case. `None` if there is no such header, more than one, or one
/// that the specification tells receivers to ignore.
pub(crate) fn trace_id(headers: &HeaderMap) -> Option<String> {
    let mut given = headers.get_all("traceparent").iter();
    let (parent, None) = (given.next()?.to_str().ok()?, given.next()) else { return None };
    let parts: Vec<&str> = parent.trim().split('-').collect();
    let [version, trace, span, flags, rest @ ..] = parts.as_slice() else { return None };
    let hex = |text: &str, length: usize| {
        text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let named = |text: &str, length: usize| hex(text, length) && text.bytes().any(|byte| byte != b'0');
    // Later versions may append fields; version 00 has exactly four, and ff is invalid.
    let valid = hex(version, 2) && *version != "ff" && (*version != "00" || rest.is_empty());
    (valid && named(trace, 32) && named(span, 16) && hex(flags, 2)).then(|| (*trace).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(parents: &[&str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for parent in parents {
            headers.append("traceparent", parent.parse().unwrap());
        }
        trace_id(&headers)
    }

    #[test]
    fn the_trace_of_a_valid_header_is_used_and_invalid_headers_are_ignored() {
        const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
        let good = format!("00-{TRACE}-00f067aa0ba902b7-01");
        assert_eq!(read(&[&good]).as_deref(), Some(TRACE));
        assert_eq!(read(&[&format!("01-{TRACE}-00f067aa0ba902b7-01-more")]).as_deref(), Some(TRACE), "a later version");
        for bad in [
            "",
            "00",
            TRACE,
            &format!("ff-{TRACE}-00f067aa0ba902b7-01"),
            &format!("00-{TRACE}-00f067aa0ba902b7-01-more"),
            &format!("00-{TRACE}-0000000000000000-01"),
            &format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32)),
            &format!("00-{}-00f067aa0ba902b7-01", TRACE.to_uppercase()),
            &format!("00-{}-00f067aa0ba902b7-01", &TRACE[1..]),
        ] {
            assert_eq!(read(&[bad]), None, "{bad}");
        }
        assert_eq!(read(&[&good, &good]), None, "more than one header");
        assert_eq!(read(&[]), None);
    }
}
