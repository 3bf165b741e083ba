//! The `Range` header with one range of bytes. An invalid header is ignored, as HTTP requires.

use axum::http::{HeaderMap, header};

/// The requested bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// All bytes.
    All,
    /// Bytes from `from` up to, not including, `to`; at least one.
    Part { from: u64, to: u64 },
    /// A range after the end.
    Nothing,
}

/// The bytes that the headers request of a blob with this tag and size.
pub(crate) fn wanted(headers: &HeaderMap, tag: &str, size: u64) -> Wanted {
    // A range of another version is useless. Blobs never change, so this only happens with a wrong tag.
    if headers.get(header::IF_RANGE).is_some_and(|given| given != tag) {
        return Wanted::All;
    }
    let given: Vec<_> = headers.get_all(header::RANGE).iter().collect();
    let [one] = given.as_slice() else { return Wanted::All };
    one.to_str().ok().and_then(|text| parse(text, size)).unwrap_or(Wanted::All)
}

fn parse(text: &str, size: u64) -> Option<Wanted> {
    let (unit, ranges) = text.split_once('=')?;
    let (first, last) = ranges.trim().split_once('-')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return None;
    }
    // A number that overflows is after every end.
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse().unwrap_or(u64::MAX))
    };
    let (from, to) = match (first, last) {
        ("", count) => (size.saturating_sub(number(count)?), size),
        (from, "") => (number(from)?, size),
        (from, last) => {
            let (from, last) = (number(from)?, number(last)?);
            if last < from {
                return None;
            }
            (from, last.saturating_add(1).min(size))
        }
    };
    Some(if from < to { Wanted::Part { from, to } } else { Wanted::Nothing })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_is_parsed_and_invalid_headers_are_ignored() {
        let part = |from, to| Wanted::Part { from, to };
        for (text, expected) in [
            ("bytes=0-9", part(0, 10)),
            ("bytes=90-", part(90, 100)),
            ("BYTES = 99-99", part(99, 100)),
            ("bytes=-1", part(99, 100)),
            ("bytes=-500", part(0, 100)),
            ("bytes=50-99999999999999999999999", part(50, 100)),
            ("bytes=100-", Wanted::Nothing),
            ("bytes=200-300", Wanted::Nothing),
            ("bytes=-0", Wanted::Nothing),
            ("bytes=9-5", Wanted::All),
            ("bytes=0-1,5-6", Wanted::All),
            ("bytes=+1-5", Wanted::All),
            ("bytes=-", Wanted::All),
            ("lines=1-2", Wanted::All),
            ("bytes", Wanted::All),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::RANGE, text.parse().unwrap());
            assert_eq!(wanted(&headers, "\"tag\"", 100), expected, "{text}");
            headers.insert(header::IF_RANGE, "\"other\"".parse().unwrap());
            assert_eq!(wanted(&headers, "\"tag\"", 100), Wanted::All, "{text}");
        }
        let mut headers = HeaderMap::new();
        assert_eq!(wanted(&headers, "\"tag\"", 100), Wanted::All);
        headers.insert(header::RANGE, "bytes=0-".parse().unwrap());
        assert_eq!(wanted(&headers, "\"tag\"", 0), Wanted::Nothing);
    }
}
