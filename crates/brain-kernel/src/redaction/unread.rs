//! What may be personal in a message that was not understood. No definition says what its parts are, so this goes by
//! their form: phone numbers, e-mail addresses, quoted texts and names.

use std::ops::Range;

use brain_nlu::{SlotKind, Surroundings, values};

use super::numbers::MIN_DIGITS;

/// The parts of a message that may be personal. `is_known` tells whether a word, in lower case, is one of the packs'.
pub(super) fn personal(message: &str, around: &Surroundings, is_known: &dyn Fn(&str) -> bool) -> Vec<String> {
    let typed = [SlotKind::Phone, SlotKind::Email].into_iter().flat_map(|kind| values(&kind, message, around));
    let mut found: Vec<Range<usize>> = typed.map(|found| found.span).collect();
    found.extend(numbers(message));
    found.extend(quotes(message));
    found.extend(names(message, is_known));
    found.into_iter().filter_map(|range| message.get(range)).map(|text| text.trim().to_owned()).collect()
}

/// Digits with what people write between them.
fn numbers(message: &str) -> Vec<Range<usize>> {
    let is_part = |c: char| c.is_ascii_digit() || " +-./()".contains(c);
    ranges(message, is_part)
        .filter(|range| message[range.clone()].chars().filter(char::is_ascii_digit).count() >= MIN_DIGITS)
        .collect()
}

/// The texts between quotes.
fn quotes(message: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (open, close) in [('"', '"'), ('“', '”'), ('«', '»')] {
        let mut at = 0;
        while let Some(start) = message[at..].find(open).map(|start| at + start + open.len_utf8()) {
            let Some(end) = message[start..].find(close).map(|end| start + end) else { break };
            found.push(start..end);
            at = end + close.len_utf8();
        }
    }
    found
}

/// Capitalised words that occur in no pack. The message's first word counts only if another such word follows it.
fn names(message: &str, is_known: &dyn Fn(&str) -> bool) -> Vec<Range<usize>> {
    let words: Vec<Range<usize>> = ranges(message, |c| c.is_alphanumeric() || c == '\'' || c == '’').collect();
    let is_name = |word: &Range<usize>| {
        let text = &message[word.clone()];
        let is_capital = text.chars().next().is_some_and(char::is_uppercase) && text.chars().nth(1).is_some();
        is_capital && !is_known(&text.to_lowercase())
    };
    let mut found: Vec<(usize, Range<usize>)> = Vec::new();
    for (number, word) in words.iter().enumerate().filter(|(_, word)| is_name(word)) {
        match found.last_mut() {
            Some((_, last)) if message[last.end..word.start].trim().is_empty() => last.end = word.end,
            _ => found.push((number, word.clone())),
        }
    }
    let is_alone = |range: &Range<usize>| !message[range.clone()].contains(char::is_whitespace);
    found.into_iter().filter(|(number, range)| *number > 0 || !is_alone(range)).map(|(_, range)| range).collect()
}

/// Maximal runs of characters that satisfy `is_part`.
fn ranges(text: &str, is_part: impl Fn(char) -> bool) -> impl Iterator<Item = Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| is_part(*c)) {
        match found.last_mut() {
            Some(last) if last.end == at => last.end += c.len_utf8(),
            _ => found.push(at..at + c.len_utf8()),
        }
    }
    found.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(message: &str) -> Vec<String> {
        let now = brain_core::Timestamp::default().to_jiff().to_zoned(jiff::tz::TimeZone::UTC);
        let mut found = personal(message, &Surroundings::new(now, "IE", "EUR"), &|word| word == "lead");
        found.sort();
        found.dedup();
        found
    }

    #[test]
    fn numbers_addresses_quotes_and_names_may_be_personal() {
        assert_eq!(found("sing Tom Walsh a song 087 999 8888"), ["087 999 8888", "Tom Walsh"]);
        assert_eq!(found("write to tom@walsh.ie about \"the old roof\""), ["the old roof", "tom@walsh.ie"]);
        assert_eq!(found("Tom Walsh wants a Lead"), ["Tom Walsh"]);
    }

    #[test]
    fn other_words_are_not() {
        assert_eq!(found("Sing me 12 songs, and I dance"), [""; 0]);
    }
}
