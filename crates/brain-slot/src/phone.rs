//! Phone numbers as people write them, longest first.

use serde_json::Value;

use super::dial::{e164, is_local, knows};
use super::number::starts_number;
use super::{Surroundings, ends_word};

/// Number of digits (E.164 allows at most fifteen).
const DIGITS: std::ops::RangeInclusive<usize> = 6..=15;
/// Minimum number of digits in an unknown region.
const FEWEST_ANYWHERE: usize = 8;
/// Maximum length with separators.
const LONGEST: usize = 40;

/// Phone numbers at this position: groups of digits with `+`, spaces, dashes, slashes and brackets. The value keeps
/// the original notation. In a known region, only valid numbers count.
pub(super) fn phone(chars: &[char], at: usize, around: &Surroundings) -> Vec<(usize, Value)> {
    let fits = |text: &str, digits: usize| {
        if knows(&around.region) {
            e164(text, &around.region).is_some() || is_local(text, &around.region)
        } else {
            digits >= FEWEST_ANYWHERE
        }
    };
    written(chars, at).into_iter().filter(|(_, text, digits)| fits(text, *digits)).map(value).collect()
}

/// Phone numbers at this position that can hardly be anything else: with a leading `+`, bracket or zero, and of a
/// valid length.
pub(super) fn certain(chars: &[char], at: usize, around: &Surroundings) -> Option<(usize, Value)> {
    let marked = chars.get(at).is_some_and(|c| matches!(c, '+' | '(' | '0'));
    let fits = |text: &str, digits: usize| match knows(&around.region) {
        // A valid number written in groups needs no prefix.
        true => e164(text, &around.region).is_some() && (marked || text.contains([' ', '-', '.'])),
        false => marked && digits >= FEWEST_ANYWHERE,
    };
    written(chars, at).into_iter().find(|(_, text, digits)| fits(text, *digits)).map(value)
}

/// The end of digits that look like a phone number but are too few or too many for one: at least `fewest`.
pub(super) fn incomplete(chars: &[char], at: usize, fewest: usize) -> Option<usize> {
    if !chars.get(at).is_some_and(|c| c.is_ascii_digit() || matches!(c, '+' | '(')) || !starts_number(chars, at) {
        return None;
    }
    let mut end = at;
    let mut digits = 0;
    let mut i = at;
    while let Some(c) = chars.get(i)
        && (c.is_ascii_digit() || (i == at && *c == '+') || matches!(c, ' ' | '-' | '(' | ')'))
    {
        i += 1;
        if c.is_ascii_digit() {
            digits += 1;
            end = i;
        }
    }
    let other = chars.get(end).is_some_and(|c| matches!(c, '.' | ',' | '/' | ':' | '-'));
    let goes_on = other && chars.get(end + 1).is_some_and(|c| c.is_alphanumeric());
    (digits >= fewest && ends_word(chars, end) && !goes_on).then_some(end)
}

fn value((end, text, _): (usize, String, usize)) -> (usize, Value) {
    (end, Value::from(text))
}

/// Groups of digits: the end, the text, and the number of digits. Longest first.
fn written(chars: &[char], at: usize) -> Vec<(usize, String, usize)> {
    if !chars.get(at).is_some_and(|c| c.is_ascii_digit() || matches!(c, '+' | '(')) || !starts_number(chars, at) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut digits = 0;
    let mut open = 0;
    let mut i = at;
    while let Some(c) = chars.get(i) {
        if digits > *DIGITS.end() || i - at > LONGEST {
            break;
        }
        match c {
            '0'..='9' => digits += 1,
            '+' if i == at => {}
            '(' => open += 1,
            ')' if open > 0 => open -= 1,
            ' ' | '-' | '.' | '/' if i > at && !matches!(chars[i - 1], '-' | '.' | '/') => {}
            _ => break,
        }
        i += 1;
        let group_ends = chars.get(i).is_none_or(|next| !next.is_ascii_digit());
        if c.is_ascii_digit() && group_ends && open == 0 && ends_word(chars, i) && DIGITS.contains(&digits) {
            found.push((i, chars[at..i].iter().collect(), digits));
        }
    }
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use jiff::civil::Date;

    use super::*;

    fn read(region: &str, text: &str) -> Vec<(usize, Value)> {
        let chars: Vec<char> = text.chars().collect();
        phone(&chars, 0, &Surroundings::at(Date::constant(2026, 11, 15), region))
    }

    #[test]
    fn phone_numbers_come_longest_first() {
        for region in ["", "AU"] {
            assert_eq!(read(region, "0412 345 678 in x")[0], (12, Value::from("0412 345 678")));
            assert_eq!(read(region, "+61 (2) 9876-5432")[0].1, "+61 (2) 9876-5432");
            assert!(read(region, "12345").is_empty(), "too short");
            assert!(read(region, "1234567890123456").is_empty(), "too long");
        }
    }

    #[test]
    fn a_number_that_a_region_cannot_dial_is_rejected() {
        assert_eq!(read("AU", "(02) 9374 4000")[0].0, 14);
        assert_eq!(read("AU", "9374 4000")[0].0, 9, "a local number");
        assert_eq!(read("AU", "13 12 34")[0].0, 8, "a short service number");
        for text in ["0100 000 000", "12 345 678 901", "2026-11-15"] {
            assert!(read("AU", text).is_empty(), "{text}");
        }
        assert_eq!(read("US", "(415) 555-0100")[0].0, 14);
        assert!(read("US", "0412 345 678").is_empty());
        assert_eq!(read("GB", "020 7946 0958")[0].0, 13);
    }

    #[test]
    fn a_certain_phone_number_has_a_prefix_or_groups() {
        let read = |region: &str, text: &str| {
            let chars: Vec<char> = text.chars().collect();
            certain(&chars, 0, &Surroundings::at(Date::constant(2026, 11, 15), region)).is_some()
        };
        assert!(read("AU", "0412345678") && read("US", "415-555-0100") && read("", "0412345678"));
        assert!(!read("US", "4155550100") && !read("", "12345678"));
    }
}
