//! Dates with a month's name: `20 November`, `Nov 20th, 2026`, `the first of March`.

use jiff::civil::Date;

use super::calendar::month;
use super::{Sight, make};
use crate::cursor::Cursor;
use brain_english::lookup;
use brain_english::numbers::{ORDINAL_ENDINGS, ORDINALS};

pub(super) fn named(start: Cursor<'_>, sight: Sight) -> Option<(usize, Date)> {
    let (end, month, day, year) = parts(start)?;
    let day = match year {
        Some(year) => make(year, month, day)?,
        None => sight.day_of_year(month, day)?,
    };
    Some((end, day))
}

/// The end, the month, the day, and the year if given.
pub(super) fn parts(start: Cursor<'_>) -> Option<(usize, i64, i64, Option<i64>)> {
    let (mut cursor, month, day) = day_first(start).or_else(|| month_first(start))?;
    let end = cursor.at;
    cursor.gap();
    let short = cursor.sign(&['\'']);
    let from = cursor.at;
    let year = cursor.digits(4).filter(|_| cursor.ends_word());
    match (year, cursor.at - from) {
        (Some(year), 4) if !short && year >= 1000 => Some((cursor.at, month, day, Some(year))),
        (Some(year), 2) if short => Some((cursor.at, month, day, Some(2000 + year))),
        _ => Some((end, month, day, None)),
    }
}

/// `20 November`, `20th of November`, `the first of November`.
fn day_first(start: Cursor<'_>) -> Option<(Cursor<'_>, i64, i64)> {
    let mut cursor = start;
    let article = cursor.eat(&["the"]);
    if article {
        cursor.space();
    }
    let in_words = !cursor.peek()?.is_ascii_digit();
    let day = ordinal(&mut cursor)?;
    let of = cursor.eat(&["of"]);
    // An ordinal word is a day only before a month.
    if in_words && !of {
        return None;
    }
    let month = month_here(&mut cursor)?;
    Some((cursor, month, day))
}

/// `November 20`, `November the 20th`, `November twentieth`.
fn month_first(mut cursor: Cursor<'_>) -> Option<(Cursor<'_>, i64, i64)> {
    let month = month_here(&mut cursor)?;
    cursor.eat(&["the"]);
    cursor.space();
    let day = ordinal(&mut cursor)?;
    cursor.ends_word().then_some((cursor, month, day))
}

fn month_here(cursor: &mut Cursor<'_>) -> Option<i64> {
    let month = month(cursor.next_word()?.as_str())?;
    let mut point = *cursor;
    if point.sign(&['.']) && point.peek().is_some_and(char::is_whitespace) {
        *cursor = point;
    }
    Some(month)
}

/// `20`, `20th`, `twentieth`, `twenty-first`.
pub(super) fn ordinal(cursor: &mut Cursor<'_>) -> Option<i64> {
    if let Some(number) = cursor.digits(2) {
        let mut suffix = *cursor;
        if suffix.word().is_some_and(|word| ORDINAL_ENDINGS.contains(&word.as_str())) {
            *cursor = suffix;
        }
        return Some(number);
    }
    let mut next = *cursor;
    let first = next.next_word()?;
    let tens = match first.as_str() {
        "twenty" => 20,
        "thirty" => 30,
        word => {
            *cursor = next;
            return ordinal_word(word);
        }
    };
    next.sign(&['-']);
    let ones = ordinal_word(next.next_word()?.as_str()).filter(|ones| *ones < 10)?;
    *cursor = next;
    Some(tens + ones)
}

fn ordinal_word(word: &str) -> Option<i64> {
    lookup(&ORDINALS, word)
}
