//! The words before a value that belong to it: `about 20`, `at least 5`, `every Friday`, `5 or` 6.

use std::ops::Range;

use super::UnclearKind;
use super::joined::first_ends;
use crate::cursor::{Cursor, Word};
use crate::date::{self, Impossible};
use crate::extract::starts_value;
use crate::hint::Hint;
use crate::money::is_currency;
use crate::unit::unit_at;
use crate::{SlotKind, Surroundings};
use brain_english::bounds::{BEFORE, BETWEEN, End, FROM, TO};
use brain_english::calendar::WEEKDAYS;
use brain_english::numbers::{HALF, ORDINAL_ENDINGS, ORDINALS};
use brain_english::unclear::{
    AND, EVERY, EVERY_WHICH, HEDGES_BEFORE, LIMITS_OF_DAYS, LIMITS_OF_NUMBERS, NO_LIMITS, NOT_BEFORE_DAYS, OR,
    PARTS_BEFORE,
};
use brain_english::{lookup, position};

/// Number of words that are looked at.
const WORDS: usize = 4;
/// Number of positions before a joint where the first value of a chain is looked for.
const STEPS: usize = 6;

/// The words before a value.
pub(super) enum Front {
    /// Words that make the expression unclear, and where they begin.
    Words(usize, UnclearKind),
    /// `between`, `from`: an opening word of a range, if the value is joined with another.
    Opens(usize),
    /// Another value that this one is joined to.
    Value(Range<usize>),
    /// A longer value of the same type that this one is the end of: `two and a` half.
    Inside(Range<usize>),
}

/// The words before a position, nearest first, and where each begins; only space is between them.
fn words_before(chars: &[char], at: usize) -> Vec<(usize, Word)> {
    let mut found = Vec::new();
    let mut cursor = Cursor::new(chars, at);
    while found.len() < WORDS
        && let Some(word) = cursor.word_before()
    {
        while cursor.at > 0 && chars[cursor.at - 1].is_whitespace() {
            cursor.at -= 1;
        }
        while cursor.at > 0 && chars[cursor.at - 1].is_alphabetic() {
            cursor.at -= 1;
        }
        // Not the letters of an identifier.
        if cursor.at > 0 && (chars[cursor.at - 1].is_alphanumeric() || matches!(chars[cursor.at - 1], '_' | '@')) {
            break;
        }
        found.push((cursor.at, word));
    }
    found
}

/// Where these words begin, if they are the last ones before the value.
fn begin(before: &[(usize, Word)], words: &[&str]) -> Option<usize> {
    let there =
        words.len() <= before.len() && words.iter().rev().zip(before).all(|(word, (_, said))| *word == said.as_str());
    there.then(|| before[words.len() - 1].0)
}

fn is_day(kind: &SlotKind) -> bool {
    matches!(kind, SlotKind::Date | SlotKind::DateTime)
}

/// The words before the value at `at`.
pub(super) fn front(kind: &SlotKind, chars: &[char], value: &Range<usize>, around: &Surroundings) -> Option<Front> {
    let at = value.start;
    let mut sign = at;
    while sign > 0 && chars[sign - 1].is_whitespace() {
        sign -= 1;
    }
    match sign.checked_sub(1).map(|i| chars[i])? {
        '~' | '\u{2248}' => return Some(Front::Words(sign - 1, UnclearKind::Approximate)),
        '<' | '\u{2264}' => return Some(Front::Words(sign - 1, UnclearKind::Limit { upper: true })),
        '>' | '\u{2265}' => return Some(Front::Words(sign - 1, UnclearKind::Limit { upper: false })),
        '=' if sign > 1 && matches!(chars[sign - 2], '<' | '>') => {
            return Some(Front::Words(sign - 2, UnclearKind::Limit { upper: chars[sign - 2] == '<' }));
        }
        '-' | '/' | '&' | ',' => {
            return weekday(kind, chars, sign - 1, at, around).or_else(|| joined(kind, chars, value, around));
        }
        c if c.is_ascii_digit() => {
            let number = (0..sign).rev().take_while(|i| chars[*i].is_ascii_digit()).last().filter(|_| is_day(kind));
            // `31 November 3rd`.
            let impossible = number.and_then(|start| Some((start, date::impossible(chars, start, around)?)));
            return match impossible {
                Some((start, (stop, said))) if stop > at => Some(Front::Words(start, said.into())),
                _ => joined(kind, chars, value, around),
            };
        }
        c if !c.is_alphabetic() => return None,
        _ => {}
    }
    // A glued word, as in `x5`, is not a word before the value.
    if sign == at {
        return None;
    }
    if is_day(kind)
        && let Some(start) = ordinal_before(chars, sign, at)
    {
        return Some(Front::Words(start, UnclearKind::Part));
    }
    let before = words_before(chars, at);
    // `2kg 500g`: no word, but a unit.
    if before.is_empty() && matches!(kind, SlotKind::Quantity(_)) {
        return joined(kind, chars, value, around);
    }
    let (from, nearest) = before.first()?;
    let last = nearest.as_str();
    words(kind, &before, chars, value).or_else(|| {
        let part = match kind {
            SlotKind::Date | SlotKind::DateTime => {
                let first = Cursor::new(chars, at).clone_word();
                first.is_some_and(|word| position(&WEEKDAYS, word.as_str()).is_some())
                    && lookup(&ORDINALS, last).is_some()
            }
            SlotKind::Phone => false,
            _ => matches!(last, HALF | "quarter"),
        };
        if part {
            return Some(Front::Words(*from, UnclearKind::Part));
        }
        let joint = matches!(last, "point" | "times" | "x" | "by")
            || OR.contains(&last)
            || AND.contains(&last)
            || TO.contains(&last);
        let wider = || match kind {
            SlotKind::Date | SlotKind::Time | SlotKind::DateTime => Hint::DAY.or(Hint::TIME).or(Hint::MOMENT),
            _ => Hint::NUMBER,
        };
        let named = || match kind {
            SlotKind::Money => is_currency(Cursor::new(chars, *from)),
            SlotKind::Quantity(_) => unit_at(chars, *from).is_some(),
            _ => false,
        };
        weekday(kind, chars, at, at, around).or_else(|| {
            let beside = joint || Hint::at(chars, *from).has(wider()) || named();
            if beside { joined(kind, chars, value, around) } else { None }
        })
    })
}

/// Where `3rd` begins before a weekday: `the 3rd Friday`.
fn ordinal_before(chars: &[char], end: usize, at: usize) -> Option<usize> {
    let word = Cursor::new(chars, at).clone_word()?;
    position(&WEEKDAYS, word.as_str())?;
    let digits = end.checked_sub(2).filter(|from| {
        let ending: String = chars[*from..end].iter().collect();
        ORDINAL_ENDINGS.contains(&ending.as_str())
    })?;
    let start = (0..digits).rev().take_while(|i| chars[*i].is_ascii_digit()).last()?;
    let outside = start.checked_sub(1).is_none_or(|i| chars[i].is_whitespace());
    outside.then_some(start)
}

/// Hedges, limits and words of repetition.
fn words(kind: &SlotKind, before: &[(usize, Word)], chars: &[char], value: &Range<usize>) -> Option<Front> {
    let day = is_day(kind);
    let last = before[0].1;
    if kind == &SlotKind::Phone {
        return None;
    }
    if kind.is_number_like()
        && let Some(start) = PARTS_BEFORE.iter().find_map(|words| begin(before, words))
    {
        return Some(Front::Words(start, UnclearKind::Part));
    }
    for hedge in HEDGES_BEFORE {
        let other = day && hedge.len() == 1 && NOT_BEFORE_DAYS.contains(&hedge[0]);
        if !other && let Some(start) = begin(before, hedge) {
            return Some(Front::Words(start, UnclearKind::Approximate));
        }
    }
    if BETWEEN.contains(&last.as_str()) || FROM.contains(&last.as_str()) {
        return Some(Front::Opens(before[0].0));
    }
    let timed = day || kind == &SlotKind::Time;
    let limit = |(words, end): &(&[&str], End)| {
        let one = words[0];
        let skipped = words.len() == 1
            && (NO_LIMITS.contains(&one)
                || (timed && LIMITS_OF_NUMBERS.contains(&one))
                || (!timed && LIMITS_OF_DAYS.contains(&one)));
        let start = if skipped { None } else { begin(before, words) };
        start.map(|start| (start, matches!(end, End::Most(_))))
    };
    // `no more than` ends with `more than`.
    if let Some((start, upper)) = BEFORE.iter().filter_map(limit).min() {
        return Some(Front::Words(start, UnclearKind::Limit { upper }));
    }
    let repeats = timed && chars[value.start].is_alphanumeric();
    if repeats {
        let which = usize::from(EVERY_WHICH.contains(&last.as_str()));
        if let Some((start, word)) = before.get(which)
            && EVERY.contains(&word.as_str())
        {
            return Some(Front::Words(*start, UnclearKind::Recurring));
        }
    }
    None
}

/// A weekday before a date that contradicts it.
fn weekday(kind: &SlotKind, chars: &[char], upto: usize, at: usize, around: &Surroundings) -> Option<Front> {
    if !is_day(kind) {
        return None;
    }
    let mut cursor = Cursor::new(chars, upto.max(1));
    // The comma itself is not part of the word.
    while cursor.at > 0 && (chars[cursor.at - 1].is_whitespace() || chars[cursor.at - 1] == ',') {
        cursor.at -= 1;
    }
    let end = cursor.at;
    while cursor.at > 0 && chars[cursor.at - 1].is_alphabetic() {
        cursor.at -= 1;
    }
    let word = Cursor::new(&chars[..end], cursor.at).word()?;
    position(&WEEKDAYS, word.as_str())?;
    let (stop, impossible) = date::impossible(chars, cursor.at, around)?;
    (stop > at).then(|| Front::Words(cursor.at, impossible.into()))
}

impl From<Impossible> for UnclearKind {
    fn from(impossible: Impossible) -> Self {
        match impossible {
            Impossible::NoSuchDay(day) => Self::NoSuchDate(day),
            Impossible::OtherWeekday { date, said } => Self::WeekdayContradicts { date, said },
        }
    }
}

/// The value before this one in a chain.
fn joined(kind: &SlotKind, chars: &[char], value: &Range<usize>, around: &Surroundings) -> Option<Front> {
    let own = kind.readings(chars, value.start, around).into_iter().find(|(end, _)| *end == value.end);
    let own = own.map(|(_, value)| value);
    let mut steps = 0;
    for start in (0..value.start).rev() {
        if !starts_value(chars, start) {
            continue;
        }
        steps += 1;
        if steps > STEPS {
            return None;
        }
        let wider = kind.readings(chars, start, around).into_iter().next();
        if let Some((end, other)) = wider
            && end >= value.end
            && own.as_ref().is_some_and(|own| *own != other)
        {
            return Some(Front::Inside(start..end));
        }
        for end in first_ends(kind, chars, start, around) {
            if end > value.start {
                continue;
            }
            let next = super::beside::after(kind, chars, &(start..end), around);
            if next.is_some_and(|(reached, _)| reached > value.start) {
                return Some(Front::Value(start..end));
            }
        }
    }
    None
}
