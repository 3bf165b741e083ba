//! The words next to a value that was read.

use std::ops::Range;

use super::front::{Front, front};
use super::itself::own;
use super::joined::chain;
use super::{Unclear, UnclearKind};
use crate::cursor::Cursor;
use crate::extract::starts_value;
use crate::money::{ends_clause, is_currency};
use crate::number::bare_numbers;
use crate::unit::unit_of;
use crate::{SlotKind, Surroundings, date, ends_word, money, quantity};
use brain_english::bounds::{AFTER, End};
use brain_english::calendar::WEEKDAYS;
use brain_english::numbers::{CARDINALS, ORDINAL_ENDINGS};
use brain_english::unclear::{AFTER_WEEKDAY, EVERY, HEDGE_ENDINGS, HEDGES_AFTER, LIMITS_AFTER, REPEATED, REPEATEDLY};
use brain_english::{lookup, position};

/// Maximum number of values before this one that are followed back.
const MAX_BACK: usize = 8;

/// The unclear expression that a value is part of.
pub(super) fn beside(kind: &SlotKind, chars: &[char], value: Range<usize>, around: &Surroundings) -> Option<Unclear> {
    let reach = value.end;
    let mut first = match signed_start(kind, chars, &value, around) {
        Ok(start) => start..value.end,
        Err(found) => return Some(found),
    };
    let mut inside = None;
    for _ in 0..MAX_BACK {
        let before = front(kind, chars, &first, around);
        let (start, said) = match before {
            Some(Front::Value(earlier)) => {
                first = earlier;
                continue;
            }
            Some(Front::Inside(wider)) => {
                inside = Some(wider.clone());
                first = wider;
                continue;
            }
            Some(Front::Words(start, said)) => (start, Some(said)),
            Some(Front::Opens(start)) => {
                let behind = after(kind, chars, &first, around)?;
                let range = !matches!(behind.1, UnclearKind::Approximate | UnclearKind::Limit { .. });
                return Some(Unclear::new(
                    chars,
                    start..behind.0.max(reach),
                    if range { UnclearKind::Range } else { behind.1 },
                ));
            }
            None => (first.start, None),
        };
        let behind = own(kind, chars, &first, around).or_else(|| after(kind, chars, &first, around));
        let end = behind.as_ref().map_or(first.end, |(end, _)| *end).max(reach);
        // A date that does not exist is worse than a range of it.
        let said = match said {
            Some(said @ (UnclearKind::NoSuchDate(_) | UnclearKind::WeekdayContradicts { .. })) => Some(said),
            said => behind.map(|(_, kind)| kind).or(said),
        };
        let said = said.or_else(|| inside.map(|_| UnclearKind::Part));
        return said.map(|said| Unclear::new(chars, start..end, said));
    }
    after(kind, chars, &first, around).map(|(end, said)| Unclear::new(chars, first.start..end, said))
}

/// Where an amount begins whose currency sign precedes the value; or that the currency is another one.
fn signed_start(
    kind: &SlotKind,
    chars: &[char],
    value: &Range<usize>,
    around: &Surroundings,
) -> Result<usize, Unclear> {
    let Some(before) = value.start.checked_sub(1).filter(|_| kind.is_number_like()) else { return Ok(value.start) };
    if !matches!(chars[before], '$' | '€' | '£' | '¥' | '₹' | '₩') {
        return Ok(value.start);
    }
    let sum = (before.saturating_sub(2)..=before)
        .filter(|start| *start == before || starts_value(chars, *start))
        .find_map(|start| {
            let sums = money::sums(chars, start, around).into_iter();
            sums.map(|(end, sum)| (start, end, sum)).find(|(_, end, _)| *end >= value.end)
        });
    match sum {
        Some((start, end, sum)) if kind == &SlotKind::Money && !sum.fits(around) => {
            let found = sum.code(around).unwrap_or_default().to_owned();
            let said = UnclearKind::Currency { found, wanted: around.currency.clone() };
            Err(Unclear::new(chars, start..end, said))
        }
        Some((start, ..)) => Ok(start),
        None => Ok(value.start),
    }
}

/// The end of `ish` or `-odd` directly after a number.
pub(super) fn hedge_ending(chars: &[char], end: usize) -> Option<usize> {
    let mut ending = Cursor::new(chars, end);
    ending.sign(&['-']);
    let word = ending.word().filter(|_| ending.ends_word())?;
    HEDGE_ENDINGS.contains(&word.as_str()).then_some(ending.at)
}

/// What follows a value and belongs to it.
pub(super) fn after(
    kind: &SlotKind,
    chars: &[char],
    value: &Range<usize>,
    around: &Surroundings,
) -> Option<(usize, UnclearKind)> {
    let end = value.end;
    if kind == &SlotKind::Phone {
        let more = digits_behind(chars, value).map(|end| (end, UnclearKind::PhoneNumber));
        return more.or_else(|| chain(kind, chars, value, around));
    }
    let timed = matches!(kind, SlotKind::Date | SlotKind::Time | SlotKind::DateTime);
    if let Some(stop) = hedge_ending(chars, end) {
        return Some((stop, UnclearKind::Approximate));
    }
    let mut ending = Cursor::new(chars, end);
    if let Some(word) = ending.word().filter(|_| ending.ends_word() && kind.is_number_like()) {
        let word = word.as_str();
        if ORDINAL_ENDINGS.contains(&word) || matches!(word, "am" | "pm") {
            return Some((ending.at, UnclearKind::Part));
        }
    }
    if chars.get(end) == Some(&'+') && ends_word(chars, end + 1) {
        return Some((end + 1, UnclearKind::Limit { upper: false }));
    }
    if let Some(found) = chain(kind, chars, value, around) {
        return Some(found);
    }
    if !timed && let Some(found) = number_behind(kind, chars, value, around) {
        return Some(found);
    }
    if timed && let Some(found) = repeated(kind, chars, value) {
        return Some(found);
    }
    let cursor = Cursor::new(chars, end);
    // Most values are followed by an unrelated word, a mark or nothing.
    cursor.clone_word()?;
    let reached = |words: &[&str]| {
        let mut next = cursor;
        next.eat_all(words).then_some(next.at)
    };
    let hedges = || HEDGES_AFTER.iter().find_map(|words| reached(words).map(|end| (end, UnclearKind::Approximate)));
    let limits = || {
        let one = |(words, end): &(&[&str], End)| {
            reached(words).map(|at| (at, UnclearKind::Limit { upper: matches!(end, End::Most(_)) }))
        };
        let other =
            |(words, upper): &(&[&str], bool)| reached(words).map(|at| (at, UnclearKind::Limit { upper: *upper }));
        AFTER.iter().find_map(one).or_else(|| LIMITS_AFTER.iter().find_map(other))
    };
    hedges().or_else(limits)
}

/// `9am daily`, `Friday each week`, `Friday after next`.
fn repeated(kind: &SlotKind, chars: &[char], value: &Range<usize>) -> Option<(usize, UnclearKind)> {
    let mut cursor = Cursor::new(chars, value.end);
    if cursor.eat(&REPEATEDLY) {
        return ends_clause(cursor).then_some((cursor.at, UnclearKind::Recurring));
    }
    if cursor.eat(&EVERY) {
        let word = cursor.next_word()?;
        let known = REPEATED.contains(&word.as_str()) || position(&WEEKDAYS, word.as_str()).is_some();
        return known.then_some((cursor.at, UnclearKind::Recurring));
    }
    let ordinal =
        kind == &SlotKind::Date && ORDINAL_ENDINGS.iter().any(|ending| ends_with(&chars[value.clone()], ending));
    if ordinal && cursor.clone_word().is_some_and(|word| position(&WEEKDAYS, word.as_str()).is_some()) {
        let end = cursor.next_word().map_or(value.end, |_| cursor.at);
        return Some((end, UnclearKind::Part));
    }
    let last = chars[value.clone()].rsplit(|c| !c.is_alphabetic()).next()?;
    let last: String = last.iter().collect();
    if kind == &SlotKind::Time || position(&WEEKDAYS, &last).is_none() {
        return None;
    }
    let of = AFTER_WEEKDAY.iter().find_map(|words| {
        let mut next = cursor;
        next.eat_all(words).then_some(next.at)
    });
    if let Some(end) = of {
        return Some((end, UnclearKind::Part));
    }
    // `Friday 13` may be a day of the month.
    let from = cursor.at;
    cursor.space();
    let bare = cursor.at > from && cursor.digits(2).is_some_and(|day| (1..=31).contains(&day)) && ends_clause(cursor);
    bare.then_some((cursor.at, UnclearKind::Part))
}

fn ends_with(chars: &[char], ending: &str) -> bool {
    let count = ending.len();
    let digit = |i: usize| chars[i].is_ascii_digit();
    chars.len() > count
        && digit(chars.len() - count - 1)
        && chars[chars.len() - count..].iter().copied().eq(ending.chars())
}

/// Digits or number words that follow a number without anything between: `10 euro 500`, `two fifty`, `1 250`, `1,5`.
fn number_behind(
    kind: &SlotKind,
    chars: &[char],
    value: &Range<usize>,
    around: &Surroundings,
) -> Option<(usize, UnclearKind)> {
    let end = value.end;
    let digits = |from: usize| chars[from.min(chars.len())..].iter().take_while(|c| c.is_ascii_digit()).count();
    if matches!(chars.get(end), Some(',' | '.' | '\'')) && chars[end - 1].is_ascii_digit() && digits(end + 1) > 0 {
        let stop = end + 1 + digits(end + 1);
        let text: String = chars[value.start..stop].iter().filter(|c| c.is_ascii_digit() || **c == ',').collect();
        let (whole, rest) = text.split_once(',').unwrap_or((text.as_str(), ""));
        let meant = UnclearKind::Notation(format!("{whole}.{rest}"), format!("{whole} and {rest}"));
        return Some((stop, meant));
    }
    let mut next = Cursor::new(chars, end);
    next.space();
    if next.at == end || kind == &SlotKind::Duration {
        return None;
    }
    if next.eat(&["point", "times"]) {
        next.space();
        let (stop, _) = bare_numbers(chars, next.at, around).into_iter().next()?;
        return Some((stop, UnclearKind::Part));
    }
    let first = next.peek()?;
    if let SlotKind::Quantity(unit) = kind
        && chars[end - 1].is_alphabetic()
        && first.is_ascii_digit()
        && let Some(found) = smaller_part(chars, next.at, unit, around)
    {
        return Some(found);
    }
    if first.is_ascii_digit() {
        let count = digits(next.at);
        let stop = next.at + count;
        let group = count == 3 && chars[end - 1].is_ascii_digit() && ends_word(chars, stop) && is_group(chars, value);
        if group {
            let whole: String = chars[value.start..end].iter().filter(|c| c.is_ascii_digit()).collect();
            let rest: String = chars[next.at..stop].iter().collect();
            let meant = UnclearKind::Notation(format!("{whole}{rest}"), format!("{whole} and {rest}"));
            return Some((stop, meant));
        }
        // `10 euro 50 tiles` may be 10.50 or 50 tiles.
        let named = kind == &SlotKind::Money && chars[end - 1].is_alphabetic() && ends_word(chars, stop);
        let mut behind = Cursor::new(chars, stop);
        behind.space();
        let measured = quantity::measure(chars, next.at, around).is_some() || is_currency(behind);
        let counted = count != 2 && !ends_clause(Cursor::new(chars, stop));
        return (named && !measured && !counted && date::days(chars, next.at, around).is_empty())
            .then_some((stop, UnclearKind::Part));
    }
    let words = first.is_alphabetic() && chars[end - 1].is_alphabetic() && kind.is_number_like();
    if !words || next.clone_word().is_some_and(|word| matches!(word.as_str(), "a" | "an" | "half" | "couple")) {
        return None;
    }
    let said = Cursor::new(chars, value.start).clone_word().is_some_and(|word| is_number_word(word.as_str()));
    let (stop, _) = bare_numbers(chars, next.at, around).into_iter().next().filter(|_| said)?;
    (ends_word(chars, stop) && chars.get(stop) != Some(&'-')).then_some((stop, UnclearKind::Part))
}

/// `500 g` of `2 kg 500 g`, `6` of `5 foot 6`.
fn smaller_part(chars: &[char], at: usize, unit: &str, around: &Surroundings) -> Option<(usize, UnclearKind)> {
    if let Some(measure) = quantity::measure(chars, at, around) {
        let fits = unit_of(unit).is_some_and(|unit| measure.unit.convert(measure.value, unit).is_some());
        return fits.then_some((measure.end, UnclearKind::Part));
    }
    let (end, _) = bare_numbers(chars, at, around).into_iter().next()?;
    ends_clause(Cursor::new(chars, end)).then_some((end, UnclearKind::Part))
}

fn is_number_word(word: &str) -> bool {
    lookup(&CARDINALS, word).is_some()
}

/// Whether a value is one to three digits, as before a group of three.
fn is_group(chars: &[char], value: &Range<usize>) -> bool {
    (1..=3).contains(&value.len()) && chars[value.clone()].iter().all(char::is_ascii_digit) && chars[value.start] != '0'
}

/// Digits that go on after a phone number, up to the end of the text or of the sentence: `0412 345 678 9`. A word may
/// follow a house number.
fn digits_behind(chars: &[char], value: &Range<usize>) -> Option<usize> {
    let mut end = value.end;
    while let Some(c) = chars.get(end)
        && (c.is_ascii_digit() || (matches!(c, ' ' | '-') && chars.get(end + 1).is_some_and(char::is_ascii_digit)))
    {
        end += 1;
    }
    let followed = chars.get(end) == Some(&' ') && chars.get(end + 1).is_some_and(|c| c.is_alphabetic());
    (end > value.end && !followed).then_some(end)
}
