//! Durations: `2 hours`, `an hour and a half`, `45 min`, `1h30`, as ISO 8601 text.

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;
use serde_json::Value;

use super::cursor::Cursor;
use super::number::{bare_numbers, starts_number};
use super::{Surroundings, ends_word};
use brain_english::clock::DURATIONS;
use brain_english::lookup_any;

const MILLIS_PER_DAY: u64 = 86_400_000;
/// Maximum: a hundred years.
const MAX_MILLIS: u64 = 36_525 * MILLIS_PER_DAY;

/// Milliseconds in a unit.
fn unit(word: &str) -> Option<u64> {
    lookup_any(&DURATIONS, word)
}

/// Durations at this position.
pub(super) fn duration(chars: &[char], at: usize, around: &Surroundings) -> Vec<(usize, Value)> {
    millis(chars, at, around).map(|(end, millis)| (end, Value::from(iso(millis)))).into_iter().collect()
}

/// The duration at this position, in milliseconds.
pub(super) fn millis(chars: &[char], at: usize, around: &Surroundings) -> Option<(usize, u64)> {
    if !starts_number(chars, at) {
        return None;
    }
    let (mut end, mut total, mut last) = part(chars, at, around)?;
    if let Some((more_end, more)) = minutes_behind(chars, end, last) {
        (end, total) = (more_end, total + more);
    }
    // Smaller units follow larger ones: an hour and 20 minutes.
    loop {
        let mut cursor = Cursor::new(chars, end);
        cursor.gap();
        cursor.eat(&["and"]);
        cursor.space();
        if let Some(half) = half_behind(&mut cursor, last) {
            (end, total) = (cursor.at, total + half);
            break;
        }
        match part(chars, cursor.at, around) {
            Some((next, more, unit)) if unit < last => (end, total, last) = (next, total + more, unit),
            _ => break,
        }
    }
    (ends_word(chars, end) && total <= MAX_MILLIS).then_some((end, total))
}

/// A number and its unit: the end, the length, and the length of the unit.
fn part(chars: &[char], at: usize, around: &Surroundings) -> Option<(usize, u64, u64)> {
    for (end, value) in counts(chars, at, around) {
        let mut cursor = Cursor::new(chars, end);
        if value.fract() != Decimal::ZERO {
            // Half an hour, a quarter of an hour.
            cursor.eat(&["of"]);
            cursor.eat(&["an", "a"]);
        }
        cursor.space();
        let Some(unit) = cursor.word().and_then(|word| unit(word.as_str())) else { continue };
        // Digits may follow a unit, as in `1h30`; letters may not.
        let whole = cursor.ends_word() || cursor.peek().is_some_and(|c| c.is_ascii_digit());
        let length = value.checked_mul(Decimal::from(unit)).and_then(|length| length.to_u64());
        if let Some(length) = length.filter(|length| whole && *length <= MAX_MILLIS) {
            return Some((cursor.at, length, unit));
        }
    }
    None
}

fn counts(chars: &[char], at: usize, around: &Surroundings) -> Vec<(usize, Decimal)> {
    let found = bare_numbers(chars, at, around);
    if found.is_empty() {
        let mut cursor = Cursor::new(chars, at);
        let here = cursor.at;
        if cursor.eat(&["a", "an"]) && cursor.at > here {
            return vec![(cursor.at, Decimal::ONE)];
        }
    }
    found
}

/// `30` in `1h30`.
fn minutes_behind(chars: &[char], end: usize, last: u64) -> Option<(usize, u64)> {
    let mut cursor = Cursor::new(chars, end);
    let minutes = cursor.digits(2).filter(|_| cursor.at == end + 2 && last == 3_600_000)?;
    // If a unit follows, it is a part of its own.
    cursor.ends_word().then(|| (cursor.at, u64::try_from(minutes).unwrap_or(0) * 60_000))
}

/// `a half` in `an hour and a half`.
fn half_behind(cursor: &mut Cursor<'_>, last: u64) -> Option<u64> {
    let mut next = *cursor;
    if !next.eat(&["a"]) {
        return None;
    }
    let length = match next.next_word()?.as_str() {
        "half" => last / 2,
        "quarter" => last / 4,
        _ => return None,
    };
    *cursor = next;
    Some(length)
}

/// ISO 8601: `P2D`, `PT1H30M`.
fn iso(millis: u64) -> String {
    let (days, rest) = (millis / MILLIS_PER_DAY, millis % MILLIS_PER_DAY);
    let mut text = String::from("P");
    if days > 0 {
        text.push_str(&format!("{days}D"));
    }
    if rest > 0 || days == 0 {
        text.push('T');
        let (hours, minutes, seconds) = (rest / 3_600_000, rest / 60_000 % 60, rest % 60_000);
        if hours > 0 {
            text.push_str(&format!("{hours}H"));
        }
        if minutes > 0 {
            text.push_str(&format!("{minutes}M"));
        }
        if seconds > 0 || rest == 0 {
            let seconds = Decimal::from(seconds) / Decimal::from(1_000);
            text.push_str(&format!("{}S", seconds.normalize()));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use jiff::civil::Date;

    use super::*;

    fn read(text: &str) -> Option<(usize, String)> {
        let chars: Vec<char> = text.chars().collect();
        let around = Surroundings::on(Date::constant(2026, 11, 15));
        duration(&chars, 0, &around).into_iter().next().map(|(end, value)| (end, value.as_str().unwrap().to_owned()))
    }

    #[test]
    fn durations_are_read_as_people_say_them() {
        for (text, iso) in [
            ("2 hours", "PT2H"),
            ("two hours", "PT2H"),
            ("an hour", "PT1H"),
            ("an hour and a half", "PT1H30M"),
            ("two and a half hours", "PT2H30M"),
            ("2.5 hours", "PT2H30M"),
            ("half an hour", "PT30M"),
            ("a quarter of an hour", "PT15M"),
            ("three quarters of an hour", "PT45M"),
            ("45 min", "PT45M"),
            ("45mins", "PT45M"),
            ("90 minutes", "PT1H30M"),
            ("1h30", "PT1H30M"),
            ("1h30m", "PT1H30M"),
            ("1 hour 20 minutes", "PT1H20M"),
            ("1 hour, 20 minutes and 5 seconds", "PT1H20M5S"),
            ("3 days", "P3D"),
            ("a fortnight", "P14D"),
            ("2 weeks and 1 day", "P15D"),
            ("1.5 days", "P1DT12H"),
            ("500ms", "PT0.5S"),
            ("0 seconds", "PT0S"),
        ] {
            assert_eq!(read(text), Some((text.chars().count(), iso.to_owned())), "{text}");
            assert!(iso.parse::<brain_core::Millis>().is_ok(), "{iso}");
        }
    }

    #[test]
    fn months_and_years_are_not_durations() {
        for text in ["3 months", "a year", "2", "hours", "2 metres", "999999999 weeks", "an", "2 hoursx"] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read("2 hours and 3 days"), Some((7, "PT2H".to_owned())), "larger units do not follow smaller ones");
    }
}
