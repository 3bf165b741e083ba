//! Lists: `a, b and c`.

use std::ops::Range;

use serde_json::Value;

use super::{SlotKind, Surroundings};

/// Maximum number of items.
const MAX_ITEMS: usize = 100;
/// Maximum number of ends tried for a list of texts.
const MAX_ENDS: usize = 50;
/// Longer lists of texts are prose.
const MAX_LENGTH: usize = 2_000;

/// Separators of items, longer ones first.
const BETWEEN: [&str; 8] = [", and ", ", or ", " and ", " or ", " & ", "; ", ", ", ","];

/// Where the next item begins, if a separator is at this position.
fn next_item(chars: &[char], at: usize) -> Option<usize> {
    let there = |sign: &str| chars[at..].iter().copied().take(sign.len()).eq(sign.chars());
    let sign = BETWEEN.iter().find(|sign| there(sign))?;
    let mut next = at + sign.len();
    while chars.get(next).is_some_and(|c| c.is_whitespace()) {
        next += 1;
    }
    (next < chars.len()).then_some(next)
}

/// Whether the text between two values is only a separator.
pub(super) fn joins(between: &[char]) -> bool {
    BETWEEN.iter().any(|sign| between.iter().copied().eq(sign.chars()))
}

/// Lists at this position, longest first: all items, then one less, and so on.
pub(super) fn list(kind: &SlotKind, chars: &[char], at: usize, around: &Surroundings) -> Vec<(usize, Value)> {
    if kind.is_text() {
        return texts(chars, at);
    }
    let mut found = Vec::new();
    let mut items: Vec<Value> = Vec::new();
    let mut next = Some(at);
    while let Some(from) = next.filter(|_| items.len() < MAX_ITEMS) {
        let Some((end, value)) = kind.readings(chars, from, around).into_iter().next() else { break };
        items.push(value);
        found.push((end, Value::Array(items.clone())));
        next = next_item(chars, end);
    }
    found.reverse();
    found
}

/// A list of texts may end before any space; the longest comes first.
fn texts(chars: &[char], at: usize) -> Vec<(usize, Value)> {
    if chars.len() - at > MAX_LENGTH {
        return Vec::new();
    }
    let mut ends: Vec<usize> = (at + 1..chars.len()).filter(|&end| chars[end].is_whitespace()).collect();
    let last = trim_end(chars, at, chars.len());
    ends.retain(|end| *end < last);
    ends.push(last);
    let list = |end: usize| {
        let items =
            item_ranges(chars, at..end).into_iter().map(|range| Value::from(chars[range].iter().collect::<String>()));
        (end, Value::Array(items.collect()))
    };
    ends.into_iter().rev().take(MAX_ENDS).filter(|end| *end > at).map(list).collect()
}

fn trim_end(chars: &[char], from: usize, mut end: usize) -> usize {
    while end > from && (chars[end - 1].is_whitespace() || matches!(chars[end - 1], '.' | ',' | ';' | '!' | '?')) {
        end -= 1;
    }
    end
}

/// The items of a list of texts. Quoted items are not split.
pub(super) fn item_ranges(chars: &[char], list: Range<usize>) -> Vec<Range<usize>> {
    let chars = &chars[..list.end];
    let mut items = Vec::new();
    let mut from = list.start;
    let mut at = list.start;
    let mut quoted = false;
    while at < list.end && items.len() < MAX_ITEMS {
        if chars[at] == '"' {
            quoted = !quoted && chars[at + 1..].contains(&'"');
        }
        match next_item(chars, at).filter(|_| !quoted && at > from) {
            Some(next) => {
                items.push(from..at);
                (from, at) = (next, next);
            }
            None => at += 1,
        }
    }
    items.push(from..list.end);
    items.into_iter().map(|item| without_quotes(chars, item)).filter(|item| !item.is_empty()).collect()
}

fn without_quotes(chars: &[char], item: Range<usize>) -> Range<usize> {
    let end = trim_end(chars, item.start, item.end);
    let quoted = end > item.start + 1 && chars[item.start] == '"' && chars[end - 1] == '"';
    if quoted { item.start + 1..end - 1 } else { item.start..end }
}

#[cfg(test)]
mod tests {
    use jiff::civil::Date;
    use serde_json::json;

    use super::*;

    fn read(kind: &SlotKind, text: &str) -> Vec<(usize, Value)> {
        let chars: Vec<char> = text.chars().collect();
        list(kind, &chars, 0, &Surroundings::on(Date::constant(2026, 11, 15)))
    }

    #[test]
    fn items_are_separated_by_commas_and_conjunctions() {
        let found = read(&SlotKind::Integer, "1, 2 and 3 x");
        assert_eq!(found[0], (10, json!([1, 2, 3])));
        assert_eq!(found[2], (1, json!([1])), "fewer items, if a phrase goes on");
        assert_eq!(read(&SlotKind::Date, "monday, tuesday, and 20 november")[0].1.as_array().unwrap().len(), 3);
        assert!(read(&SlotKind::Integer, "x, 2").is_empty());
    }

    #[test]
    fn texts_are_items_too() {
        let first = |text: &str| read(&SlotKind::Text, text)[0].1.clone();
        assert_eq!(first("red tiles, blue tiles and grout"), json!(["red tiles", "blue tiles", "grout"]));
        assert_eq!(first("red, and \"black and white\"."), json!(["red", "black and white"]));
        assert_eq!(first("tiles"), json!(["tiles"]));
        assert_eq!(read(&SlotKind::Text, "a and b to it")[2], (7, json!(["a", "b"])));
    }
}
