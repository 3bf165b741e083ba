//! Maps an offset in a scalar's text to its position in the file.

use std::ops::Range;

use super::{Scalar, Span, Style};

/// The part of the file that `range` of a scalar's text came from; the whole scalar if its notation makes that unclear
/// (folded lines, long escapes).
pub(crate) fn locate(source: &str, scalar: &Scalar, span: Span, range: Range<usize>) -> Span {
    let map = match scalar.style {
        Style::Plain => plain(source, scalar, span),
        Style::Single | Style::Double => quoted(source, scalar, span),
        Style::Literal => literal(source, scalar, span),
        Style::Folded => None,
    };
    let Some(map) = map else { return span };
    let place = |offset: usize| map.get(offset).copied();
    let (Some(start), Some(end)) = (place(range.start.min(scalar.text.len())), place(range.end.min(scalar.text.len())))
    else {
        return span;
    };
    let before = &source[..start];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Span {
        start,
        end: end.max(start),
        line: before.matches('\n').count() + 1,
        column: source[line_start..start].chars().count() + 1,
    }
}

/// For each byte of the text (and its end) the byte of the file; `None` if unclear.
type Map = Option<Vec<usize>>;

fn plain(source: &str, scalar: &Scalar, span: Span) -> Map {
    let written = source.get(span.start..span.end)?;
    (written == scalar.text).then(|| (span.start..=span.end).collect())
}

fn quoted(source: &str, scalar: &Scalar, span: Span) -> Map {
    let written = source.get(span.start + 1..span.end.checked_sub(1)?)?;
    let mut map = Vec::with_capacity(scalar.text.len() + 1);
    let mut made = String::with_capacity(scalar.text.len());
    let mut characters = written.char_indices().peekable();
    while let Some((offset, character)) = characters.next() {
        let at = span.start + 1 + offset;
        let meant = match (scalar.style, character) {
            (_, '\n') => return None,
            (Style::Single, '\'') => characters.next().map(|(_, quote)| quote)?,
            (Style::Double, '\\') => match characters.next()?.1 {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                plain @ ('"' | '\\' | '/' | ' ') => plain,
                _ => return None,
            },
            (_, other) => other,
        };
        made.push(meant);
        map.extend((0..meant.len_utf8()).map(|byte| at + byte));
    }
    map.push(span.end - 1);
    (made == scalar.text).then_some(map)
}

fn literal(source: &str, scalar: &Scalar, span: Span) -> Map {
    // The span starts at the `|` or, depending on the scanner, at the content; find each line in turn.
    let mut map = Vec::with_capacity(scalar.text.len() + 1);
    let mut from = if source[span.start..].starts_with('|') {
        span.start + source[span.start..].find('\n')? + 1
    } else {
        source[..span.start].rfind('\n').map_or(0, |newline| newline + 1)
    };
    for line in scalar.text.split_inclusive('\n') {
        let content = line.trim_end_matches('\n');
        let written_end = source[from..].find('\n').map_or(source.len(), |newline| from + newline);
        let start = written_end.checked_sub(content.len())?;
        if source.get(start..written_end)? != content {
            return None;
        }
        map.extend(start..start + line.len());
        from = (written_end + 1).min(source.len());
    }
    map.push(map.last().map_or(span.end, |last| last + 1).min(source.len()));
    Some(map)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::parse;

    fn found(source: &str, text: &str) -> (String, usize, usize) {
        let node = parse(source).unwrap();
        let (_, value) = &node.as_map().unwrap()[0];
        let scalar = value.as_scalar().unwrap();
        let start = scalar.text.find(text).unwrap();
        let span = locate(source, scalar, value.span, start..start + text.len());
        (source[span.start..span.end].to_owned(), span.line, span.column)
    }

    #[test]
    fn the_place_is_found_whatever_the_quotes() {
        assert_eq!(found("a: hello big world\n", "big"), ("big".into(), 1, 10));
        assert_eq!(found("a: \"hello big world\"\n", "big"), ("big".into(), 1, 11));
        assert_eq!(found("a: 'it''s big'\n", "big"), ("big".into(), 1, 11));
        assert_eq!(found("a: \"say \\\"x\\\" big\"\n", "big"), ("big".into(), 1, 15));
        assert_eq!(found("a: |\n  one\n  two big\n", "big"), ("big".into(), 3, 7));
        assert_eq!(found("a: \"één big\"\n", "big"), ("big".into(), 1, 9));
    }

    #[test]
    fn an_unclear_place_is_the_whole_scalar() {
        assert_eq!(found("a: >\n  one\n  two big\n", "big").0, "one\n  two big");
    }
}
