//! Numbers: in digits of several notations, in words, as fractions and percentages.

use rust_decimal::Decimal;
use serde_json::Value;

use super::cursor::Cursor;
use super::in_words::{and_a_fraction, in_words, multiplier};
use super::money::is_currency;
use super::unit::unit_at;
use super::{Surroundings, ends_word};
use brain_english::numbers::PERCENT;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notation {
    /// `1,200.50`.
    Point,
    /// `1.200,50`.
    Comma,
    /// `1 200,50`.
    Space,
    /// `1'200.50`.
    Apostrophe,
}

impl Notation {
    fn groups_with(self, sign: char) -> bool {
        match self {
            Self::Point => sign == ',',
            Self::Comma => sign == '.',
            Self::Space => matches!(sign, ' ' | '.'),
            Self::Apostrophe => matches!(sign, '\'' | ','),
        }
    }

    fn splits_with(self, sign: char) -> bool {
        match self {
            Self::Point | Self::Apostrophe => sign == '.',
            Self::Comma | Self::Space => matches!(sign, ',' | '.'),
        }
    }
}

/// Maximum denominator of a fraction.
const MAX_DENOMINATOR: i64 = 100;

fn digits_end(chars: &[char], mut at: usize) -> usize {
    while chars.get(at).is_some_and(char::is_ascii_digit) {
        at += 1;
    }
    at
}

fn is_digit(chars: &[char], at: usize) -> bool {
    chars.get(at).is_some_and(char::is_ascii_digit)
}

/// The end of groups of three digits after `first`, and the group separator.
fn groups_end(chars: &[char], from: usize, first: usize, notation: Notation) -> Option<(usize, char)> {
    let sign = chars.get(first).copied().filter(|c| matches!(c, '.' | ',' | '\'' | ' '))?;
    if first - from > 3 || chars[from] == '0' {
        return None;
    }
    if let Some(end) = lakhs_end(chars, from, first) {
        return Some((end, ','));
    }
    let mut end = first;
    let mut groups = 0;
    while chars.get(end) == Some(&sign) && digits_end(chars, end + 1) == end + 4 {
        end += 4;
        groups += 1;
    }
    // The other notation is recognised if both separators occur, or the same one twice.
    let other = if sign == '.' { ',' } else { '.' };
    let fraction = digits_end(chars, end + 1) - end;
    let both = matches!(sign, '.' | ',') && chars.get(end) == Some(&other) && (2..=3).contains(&fraction);
    let twice = matches!(sign, '.' | ',') && groups >= 2;
    // An apostrophe between digits has no other meaning.
    let sure = both || twice || sign == '\'';
    (groups > 0 && (notation.groups_with(sign) || sure)).then_some((end, sign))
}

/// The end of Indian groups: two digits each, then three. `12,34,567` has no other meaning.
fn lakhs_end(chars: &[char], from: usize, first: usize) -> Option<usize> {
    let mut end = first;
    while first - from <= 2 && chars.get(end) == Some(&',') && digits_end(chars, end + 1) == end + 3 {
        end += 3;
    }
    let last = chars.get(end) == Some(&',') && digits_end(chars, end + 1) == end + 4;
    (end > first && last).then_some(end + 4)
}

/// The end of a fraction after a comma where the region writes a point, if it can be nothing else: two digits, one digit
/// before a unit, or three digits after a number that has no groups.
fn foreign_fraction(chars: &[char], from: usize, whole: usize) -> Option<usize> {
    if chars.get(whole) != Some(&',') {
        return None;
    }
    let end = digits_end(chars, whole + 1);
    if chars.get(end).is_some_and(|c| matches!(c, ',' | '.' | ':' | '/')) && is_digit(chars, end + 1) {
        return None;
    }
    let grouped = whole - from <= 3 && chars[from] != '0';
    let certain = match end - whole - 1 {
        1 => measured(chars, end),
        2 => true,
        3 => !grouped,
        _ => false,
    };
    certain.then_some(end)
}

/// Whether a unit, a currency or a percent sign follows.
fn measured(chars: &[char], end: usize) -> bool {
    let mut cursor = Cursor::new(chars, end);
    cursor.space();
    unit_at(chars, cursor.at).is_some() || percent_end(chars, end).is_some() || is_currency(cursor)
}

/// Digits with groups and a fraction: the end and the value. `foreign`: whether a fraction may also be written as in
/// other regions.
pub(super) fn digits(chars: &[char], at: usize, notation: Notation, foreign: bool) -> Option<(usize, Decimal)> {
    let from = at + usize::from(chars.get(at) == Some(&'-'));
    let first = digits_end(chars, from);
    if first == from {
        return None;
    }
    let grouped = groups_end(chars, from, first, notation);
    let whole = grouped.map_or(first, |(end, _)| end);
    let splits = |sign: char| match grouped {
        Some((_, '.' | ' ')) => sign == ',',
        Some(_) => sign == '.',
        None => notation.splits_with(sign),
    };
    let own = chars.get(whole).is_some_and(|sign| splits(*sign)) && is_digit(chars, whole + 1);
    let other = if foreign && !own && grouped.is_none() { foreign_fraction(chars, from, whole) } else { None };
    let has_fraction = own || other.is_some();
    let end = if own { digits_end(chars, whole + 1) } else { other.unwrap_or(whole) };
    // `1.2.3` and `15:30` are not numbers.
    let goes_on = chars.get(end).is_some_and(|c| (*c == '.' && has_fraction) || *c == ':') && is_digit(chars, end + 1);
    if goes_on {
        return None;
    }
    let mut text = String::with_capacity(end - at);
    for (i, c) in chars[at..end].iter().enumerate() {
        match c {
            '-' | '0'..='9' => text.push(*c),
            _ if at + i == whole => text.push('.'),
            _ => {}
        }
    }
    Decimal::from_str_exact(&text).ok().map(|number| (end, number))
}

/// Whether a number may start here: not inside a word or another number.
pub(super) fn starts_number(chars: &[char], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|i| chars[i]) else { return true };
    let inside = matches!(before, ',' | ':' | '/' | '\u{2044}') && at >= 2 && chars[at - 2].is_ascii_digit();
    // A currency sign begins an amount of its own: `€5/€6`.
    let signed = matches!(chars.get(at), Some('$' | '€' | '£' | '¥' | '₹' | '₩'));
    !before.is_alphanumeric() && before != '.' && (!inside || signed)
}

/// Numbers at this position, longest first. A unit may follow directly (`12.5m`); a percentage is read as its number.
pub(super) fn numbers(chars: &[char], at: usize, around: &Surroundings) -> Vec<(usize, Decimal)> {
    with_percent(chars, at, bare_numbers(chars, at, around))
}

fn with_percent(chars: &[char], at: usize, mut found: Vec<(usize, Decimal)>) -> Vec<(usize, Decimal)> {
    if !starts_number(chars, at) {
        return Vec::new();
    }
    if let Some(longest) = found.first_mut()
        && let Some(end) = percent_end(chars, longest.0)
    {
        longest.0 = end;
    }
    found
}

/// Numbers at this position regardless of the text around them, longest first.
pub(super) fn bare_numbers(chars: &[char], at: usize, around: &Surroundings) -> Vec<(usize, Decimal)> {
    written(chars, at, around, true)
}

fn written(chars: &[char], at: usize, around: &Surroundings, foreign: bool) -> Vec<(usize, Decimal)> {
    let Some((end, value)) = digits(chars, at, around.notation(), foreign) else {
        return in_words(chars, at).into_iter().collect();
    };
    if chars.get(end) == Some(&'\u{2044}') {
        return vulgar(chars, at, end).into_iter().collect();
    }
    let longer = written_fraction(chars, end, value)
        .or_else(|| and_a_fraction(Cursor::new(chars, end)).map(|(end, share)| (end, value + share)))
        .or_else(|| enlarged(chars, end, value));
    longer.into_iter().chain([(end, value)]).collect()
}

/// NFKC turned `½` into `1⁄2`: one digit, the fraction slash, and the denominator. Digits before it are the whole
/// part.
fn vulgar(chars: &[char], at: usize, sign: usize) -> Option<(usize, Decimal)> {
    let numerator = i64::from(chars[sign - 1].to_digit(10)?);
    let mut cursor = Cursor::new(chars, sign + 1);
    let share = share(numerator, cursor.digits(2)?)?;
    let whole = match sign - 1 - at {
        0 => Decimal::ZERO,
        _ => digits(&chars[..sign - 1], at, Notation::Point, false)?.1,
    };
    Some((cursor.at, whole + share))
}

/// `/2` after `1`, `1/2` after `2`.
fn written_fraction(chars: &[char], end: usize, value: Decimal) -> Option<(usize, Decimal)> {
    if !value.fract().is_zero() || value.is_sign_negative() {
        return None;
    }
    let finish = |mut cursor: Cursor<'_>, numerator: i64| {
        cursor.sign(&['/']).then_some(())?;
        let share = share(numerator, cursor.digits(3)?)?;
        let date = matches!(cursor.peek(), Some('/')) && is_digit(chars, cursor.at + 1);
        (!date && cursor.ends_word()).then_some((cursor.at, share))
    };
    let mut cursor = Cursor::new(chars, end);
    if cursor.peek() == Some('/') {
        return finish(cursor, i64::try_from(value).ok()?);
    }
    cursor.space();
    if cursor.at == end {
        return None;
    }
    let numerator = cursor.digits(2)?;
    if cursor.peek() == Some('\u{2044}') {
        return vulgar(chars, end + 1, cursor.at).map(|(end, share)| (end, value + share));
    }
    finish(cursor, numerator).map(|(end, share)| (end, value + share))
}

/// A proper fraction, rounded to four decimals.
fn share(numerator: i64, denominator: i64) -> Option<Decimal> {
    let proper = 0 < numerator && numerator < denominator && denominator <= MAX_DENOMINATOR;
    proper.then(|| (Decimal::from(numerator) / Decimal::from(denominator)).round_dp(4).normalize())
}

/// `1.5k`, `3 dozen`, `1.2 million`.
fn enlarged(chars: &[char], end: usize, value: Decimal) -> Option<(usize, Decimal)> {
    let mut cursor = Cursor::new(chars, end);
    let by = match cursor.next_word()?.as_str() {
        "k" if cursor.at == end + 1 => 1_000,
        "bn" => 1_000_000_000,
        word => multiplier(word)?,
    };
    value.checked_mul(Decimal::from(by)).map(|value| (cursor.at, value.normalize()))
}

/// The end of a percent sign or word after a number.
pub(super) fn percent_end(chars: &[char], end: usize) -> Option<usize> {
    let mut cursor = Cursor::new(chars, end);
    cursor.space();
    if cursor.sign(&['%']) {
        return cursor.ends_word().then_some(cursor.at);
    }
    (cursor.eat(&PERCENT) || cursor.eat_all(&["per", "cent"])).then_some(cursor.at)
}

/// Whole numbers at this position. The longest reading must be whole: `2.5` does not contain a 2. `10,20` may be a list
/// of them.
pub(super) fn integer(chars: &[char], at: usize, around: &Surroundings) -> Vec<(usize, Value)> {
    let found = with_percent(chars, at, written(chars, at, around, false));
    if found.first().is_some_and(|(_, value)| value.scale() > 0) {
        return Vec::new();
    }
    let whole = found.into_iter().filter_map(|(end, value)| i64::try_from(value).ok().map(|n| (end, Value::from(n))));
    whole.collect()
}

/// Numbers at this position, as exact text.
pub(super) fn decimal(chars: &[char], at: usize, around: &Surroundings) -> Vec<(usize, Value)> {
    numbers(chars, at, around).into_iter().map(|(end, value)| (end, Value::from(value.to_string()))).collect()
}

/// Whether the number that ends here is complete: not `4th`, `2-bedroom` or `7b`.
pub(super) fn stands_alone(chars: &[char], end: usize) -> bool {
    let joined = matches!(chars.get(end), Some('-')) && chars.get(end + 1).is_some_and(|c| c.is_alphabetic());
    ends_word(chars, end) && !joined
}

#[cfg(test)]
mod tests {
    use jiff::civil::Date;

    use super::*;

    fn read_in(region: &str, text: &str, at: usize) -> Option<(usize, String)> {
        let chars: Vec<char> = text.chars().collect();
        let around = Surroundings::at(Date::constant(2026, 11, 15), region);
        numbers(&chars, at, &around).first().map(|(end, value)| (*end, value.to_string()))
    }

    fn read(text: &str) -> Option<(usize, String)> {
        read_in("", text, 0)
    }

    fn whole(text: &str) -> Option<i64> {
        let chars: Vec<char> = text.chars().collect();
        let around = Surroundings::on(Date::constant(2026, 11, 15));
        integer(&chars, 0, &around).first().and_then(|(_, value)| value.as_i64())
    }

    #[test]
    fn numbers_keep_their_exact_text() {
        for (text, end, value) in
            [("12.50 m", 5, "12.50"), ("1,200.5", 7, "1200.5"), ("-3", 2, "-3"), ("3, 4", 1, "3"), ("12.", 2, "12")]
        {
            assert_eq!(read(text), Some((end, value.to_owned())), "{text}");
        }
        assert_eq!(read_in("", "x5", 1), None, "not inside a word");
        assert_eq!(read_in("", "1.5", 2), None, "not inside a number");
        assert_eq!(read_in("", "15:30", 3), None, "not inside a time");
        for text in ["15:30", "1.2.3", "x", "", "-", "99999999999999999999999999999999"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn whole_numbers_are_whole() {
        assert_eq!(whole("42x"), Some(42));
        assert_eq!(whole("4.2"), None);
        assert_eq!(whole("two and a half"), None);
        assert_eq!(whole("1.5k"), Some(1500));
        assert_eq!(whole("a dozen"), Some(12));
        assert_eq!(whole("1/2"), None);
        assert_eq!(whole("99999999999999999999"), None);
    }

    #[test]
    fn the_regions_notation_applies_unless_the_text_rules_it_out() {
        for (region, text, value) in [
            ("DE", "1.200,50", "1200.50"),
            ("DE", "1.200", "1200"),
            ("DE", "1,5", "1.5"),
            ("DE", "12.5", "12.5"),
            ("DE", "1,200.50", "1200.50"),
            ("AU", "1.200,50", "1200.50"),
            ("AU", "1.200", "1.200"),
            ("AU", "1,200", "1200"),
            ("AU", "1.200.000", "1200000"),
            ("FR", "1 200,50", "1200.50"),
            ("CH", "1'200.50", "1200.50"),
        ] {
            assert_eq!(read_in(region, text, 0), Some((text.chars().count(), value.to_owned())), "{region} {text}");
        }
        assert_eq!(read_in("AU", "1 200", 0), Some((1, "1".to_owned())));
        assert_eq!(read_in("AU", "1,5", 0), Some((1, "1".to_owned())));
    }

    #[test]
    fn fractions_shares_and_multiples_are_numbers() {
        for (text, value) in [
            ("1/2", "0.5"),
            ("2 1/2", "2.5"),
            ("1\u{2044}2", "0.5"),
            ("21\u{2044}2", "2.5"),
            ("121\u{2044}4", "12.25"),
            ("2 1\u{2044}2", "2.5"),
            ("1/3", "0.3333"),
            ("2 and a half", "2.5"),
            ("10%", "10"),
            ("12.5 %", "12.5"),
            ("ten percent", "10"),
            ("5 per cent", "5"),
            ("1.5k", "1500"),
            ("3 dozen", "36"),
            ("1.2 million", "1200000"),
            ("2 hundred", "200"),
        ] {
            assert_eq!(read(text), Some((text.chars().count(), value.to_owned())), "{text}");
        }
        for (text, end, value) in [("2m", 1, "2"), ("24/7", 2, "24"), ("1/2/2026", 1, "1"), ("5 kg", 1, "5")] {
            assert_eq!(read(text), Some((end, value.to_owned())), "{text}");
        }
    }
}
