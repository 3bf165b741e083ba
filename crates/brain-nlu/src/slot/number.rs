//! Numbers, amounts and phone numbers.

use serde_json::Value;

use super::ends_word;

/// Digits with thousands separators, and a fraction: where it ends and its plain text.
fn plain(chars: &[char], at: usize) -> Option<(usize, String)> {
    let mut text = String::new();
    let mut i = at;
    if chars.get(i) == Some(&'-') {
        text.push('-');
        i += 1;
    }
    let first = i;
    while let Some(c) = chars.get(i) {
        if c.is_ascii_digit() {
            text.push(*c);
        } else if *c == ',' && i > first && group_follows(chars, i) {
            // A thousands separator: exactly three digits follow.
        } else {
            break;
        }
        i += 1;
    }
    if i == first {
        return None;
    }
    if chars.get(i) == Some(&'.') && chars.get(i + 1).is_some_and(char::is_ascii_digit) {
        text.push('.');
        i += 1;
        while let Some(c) = chars.get(i).filter(|c| c.is_ascii_digit()) {
            text.push(*c);
            i += 1;
        }
    }
    Some((i, text))
}

fn group_follows(chars: &[char], comma: usize) -> bool {
    chars.len() > comma + 3
        && chars[comma + 1..comma + 4].iter().all(char::is_ascii_digit)
        && chars.get(comma + 4).is_none_or(|c| !c.is_ascii_digit())
}

/// Whether a number may start here: not in the middle of a word or of another number.
fn starts_number(chars: &[char], at: usize) -> bool {
    let before = at.checked_sub(1).map(|i| chars[i]);
    before.is_none_or(|c| !c.is_alphanumeric() && c != '.' && !(c == ',' && at >= 2 && chars[at - 2].is_ascii_digit()))
}

pub(super) fn integer(chars: &[char], at: usize) -> Option<(usize, Value)> {
    if !starts_number(chars, at) {
        return None;
    }
    let (end, text) = plain(chars, at)?;
    text.parse::<i64>().ok().map(|n| (end, Value::from(n)))
}

/// A decimal; a unit may follow at once (`12.5m`).
pub(super) fn decimal(chars: &[char], at: usize) -> Option<(usize, Value)> {
    if !starts_number(chars, at) {
        return None;
    }
    plain(chars, at).map(|(end, text)| (end, Value::from(text)))
}

/// An amount: `$1,200.50`, `45`, `45.50 dollars`.
pub(super) fn money(chars: &[char], at: usize) -> Option<(usize, Value)> {
    if !starts_number(chars, at) {
        return None;
    }
    let signed = chars.get(at).is_some_and(|c| matches!(c, '$' | '€' | '£'));
    let (end, text) = plain(chars, at + usize::from(signed))?;
    let named = [" dollars", " aud", " usd", " eur", " euro", " euros", " gbp", " pounds"]
        .iter()
        .find(|name| chars[end..].iter().copied().take(name.len()).eq(name.chars()))
        .filter(|name| ends_word(chars, end + name.len()));
    let end = end + named.map_or(0, |name| name.len());
    ends_word(chars, end).then(|| (end, Value::from(text)))
}

/// Fewest and most digits of a phone number (E.164 allows fifteen).
const PHONE_DIGITS: std::ops::RangeInclusive<usize> = 8..=15;

/// The longest way to write one, with everything between the digits.
const MAX_PHONE: usize = 40;

/// A phone number, longest first: digits in groups, with `+`, spaces, dashes and brackets between them.
pub(super) fn phone(chars: &[char], at: usize) -> Vec<(usize, Value)> {
    if !starts_number(chars, at) && chars.get(at) != Some(&'+') {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut digits = 0;
    let mut i = at;
    while let Some(c) = chars.get(i) {
        if digits > *PHONE_DIGITS.end() || i - at > MAX_PHONE {
            break;
        }
        match c {
            '0'..='9' => digits += 1,
            '+' if i == at => {}
            ' ' | '-' | '(' | ')' | '.' if i > at || *c == '(' => {}
            _ => break,
        }
        i += 1;
        let group_ends = chars.get(i).is_none_or(|next| !next.is_ascii_digit());
        if c.is_ascii_digit() && group_ends && ends_word(chars, i) && PHONE_DIGITS.contains(&digits) {
            let text: String = chars[at..i].iter().collect();
            found.push((i, Value::from(text.trim().to_owned())));
        }
    }
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn numbers_keep_their_exact_text() {
        for (text, end, value) in
            [("12.50 m", 5, "12.50"), ("1,200.5", 7, "1200.5"), ("-3", 2, "-3"), ("3, 4", 1, "3"), ("12.", 2, "12")]
        {
            assert_eq!(decimal(&chars(text), 0), Some((end, Value::from(value))), "{text}");
        }
        assert_eq!(decimal(&chars("x5"), 1), None, "not inside a word");
        assert_eq!(decimal(&chars("1.5"), 2), None, "not inside a number");
        assert_eq!(integer(&chars("42x"), 0), Some((2, Value::from(42))));
        assert_eq!(integer(&chars("4.2"), 0), None);
    }

    #[test]
    fn amounts_may_have_a_sign_or_a_name() {
        for (text, value) in
            [("$45.50", "45.50"), ("45", "45"), ("€1,200", "1200"), ("45 dollars", "45"), ("45.5 aud", "45.5")]
        {
            assert_eq!(money(&chars(text), 0), Some((text.chars().count(), Value::from(value))), "{text}");
        }
        assert_eq!(money(&chars("45mm"), 0), None, "a measure is no amount");
    }

    #[test]
    fn phone_numbers_come_longest_first() {
        let found = phone(&chars("0412 345 678 in x"), 0);
        assert_eq!(found[0], (12, Value::from("0412 345 678")));
        assert_eq!(phone(&chars("+61 (2) 9876-5432"), 0)[0].1, "+61 (2) 9876-5432");
        assert!(phone(&chars("12345"), 0).is_empty(), "too short");
        assert!(phone(&chars("1234567890123456"), 0).is_empty(), "too long");
    }
}
