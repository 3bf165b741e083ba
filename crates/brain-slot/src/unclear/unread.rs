//! Expressions that no reader takes, but that are meant as a value: `31 November`, `$12.50` where euros count,
//! `every Friday`, `about 20`.

use super::beside::{beside, hedge_ending};
use super::{Unclear, UnclearKind};
use crate::cursor::Cursor;
use crate::date::impossible;
use crate::extract::{is_number, starts_value};
use crate::hint::Hint;
use crate::money::ends_clause;
use crate::number::{bare_numbers, numbers, percent_end, starts_number};
use crate::{SlotKind, Surroundings, money, phone, quantity};
use brain_english::calendar::{PERIODS, Period, WEEKDAYS};
use brain_english::unclear::{EVERY, EVERY_WHICH, REPEATED, REPEATEDLY, WEEKDAYS_REPEATED};
use brain_english::{lookup, position};

/// Number of words that may open an expression: `in the region of 20`.
const OPENING_WORDS: usize = 4;

/// The unclear expression at a position where no value of the type can be read.
pub(super) fn unread(kind: &SlotKind, chars: &[char], at: usize, around: &Surroundings) -> Option<Unclear> {
    let hint = Hint::at(chars, at);
    if let Some(found) = unread_anywhere(kind, chars, at, hint, around) {
        return Some(found);
    }
    let sign = matches!(chars[at], '~' | '<' | '>' | '\u{2248}' | '\u{2264}' | '\u{2265}');
    if (sign || (hint.has(Hint::OPENING) && chars[at].is_alphabetic()))
        && let Some(found) = opened(kind, chars, at, around)
    {
        return Some(found);
    }
    if !hint.has(Hint::NUMBER.or(Hint::CURRENCY)) {
        return None;
    }
    let unclear = |end: usize, said: UnclearKind| Some(Unclear::new(chars, at..end, said));
    match kind {
        SlotKind::Money | SlotKind::Quantity(_) => {
            let wanted = match kind {
                SlotKind::Quantity(unit) => format!("an amount in {unit}"),
                _ => "an amount of money".to_owned(),
            };
            if let Some(measure) = quantity::measure(chars, at, around) {
                return unclear(measure.end, UnclearKind::Unit(wanted));
            }
            let (end, _) = numbers(chars, at, around).into_iter().next()?;
            let percent = chars[at..end].contains(&'%') || percent_end(chars, end).is_some();
            if percent { unclear(end, UnclearKind::Unit(wanted)) } else { None }
        }
        SlotKind::Integer => {
            let (end, value) = numbers(chars, at, around).into_iter().next()?;
            let fraction = !value.fract().is_zero() && is_number(chars, at, end);
            if fraction { unclear(end, UnclearKind::NotWhole) } else { None }
        }
        SlotKind::Duration => {
            let (end, _) = numbers(chars, at, around).into_iter().next()?;
            let mut cursor = Cursor::new(chars, end);
            let period = lookup(&PERIODS, cursor.next_word()?.as_str())?;
            let months = matches!(period, Period::Months(_));
            if months { unclear(cursor.at, UnclearKind::Unit("a fixed length of time".to_owned())) } else { None }
        }
        SlotKind::Phone => phone::incomplete(chars, at, 4).and_then(|end| unclear(end, UnclearKind::PhoneNumber)),
        _ => None,
    }
}

/// What is unclear wherever it stands: it cannot be a value of another slot.
pub(super) fn unread_anywhere(
    kind: &SlotKind,
    chars: &[char],
    at: usize,
    hint: Hint,
    around: &Surroundings,
) -> Option<Unclear> {
    let unclear = |end: usize, said: UnclearKind| Some(Unclear::new(chars, at..end, said));
    match kind {
        SlotKind::Date | SlotKind::DateTime | SlotKind::Time => {
            if hint.has(Hint::OPENING)
                && let Some(end) = recurring(Cursor::new(chars, at))
            {
                return unclear(end, UnclearKind::Recurring);
            }
            if kind == &SlotKind::Time || !hint.has(Hint::DAY) {
                return None;
            }
            let (end, impossible) = impossible(chars, at, around)?;
            unclear(end, impossible.into())
        }
        SlotKind::Money | SlotKind::Integer | SlotKind::Decimal | SlotKind::Quantity(_)
            if hint.has(Hint::NUMBER.or(Hint::CURRENCY)) =>
        {
            let from = if kind == &SlotKind::Money { money::amount_start(chars, at) } else { at };
            let number = bare_numbers(chars, from, around).first().map(|(end, _)| *end);
            let hedged = number.filter(|end| starts_number(chars, at) && hedge_ending(chars, *end).is_some());
            if let Some(end) = hedged {
                return beside(kind, chars, at..end, around);
            }
            if kind != &SlotKind::Money {
                return None;
            }
            let (end, sum) = money::sums(chars, at, around).into_iter().find(|(_, sum)| !sum.fits(around))?;
            let found = sum.code(around).unwrap_or_default().to_owned();
            unclear(end, UnclearKind::Currency { found, wanted: around.currency.clone() })
        }
        SlotKind::Phone if matches!(chars[at], '0' | '+' | '(') => {
            phone::incomplete(chars, at, 6).and_then(|end| unclear(end, UnclearKind::PhoneNumber))
        }
        _ => None,
    }
}

/// The end of `every Friday`, `every other week`, `on Fridays`, `weekly`.
fn recurring(mut cursor: Cursor<'_>) -> Option<usize> {
    if cursor.eat(&REPEATEDLY) {
        return ends_clause(cursor).then_some(cursor.at);
    }
    cursor.eat(&["on"]);
    if cursor.eat(&WEEKDAYS_REPEATED) {
        return Some(cursor.at);
    }
    cursor.eat(&EVERY).then_some(())?;
    cursor.eat(&EVERY_WHICH);
    cursor.space();
    cursor.digits(3);
    let word = cursor.next_word()?;
    let known = REPEATED.contains(&word.as_str()) || position(&WEEKDAYS, word.as_str()).is_some();
    known.then_some(cursor.at)
}

/// An expression that opens with words that are no value: the value after them is unclear, and they are the reason.
fn opened(kind: &SlotKind, chars: &[char], at: usize, around: &Surroundings) -> Option<Unclear> {
    let mut starts = (at + 1..chars.len()).filter(|next| starts_value(chars, *next)).take(OPENING_WORDS);
    starts.find_map(|start| {
        let (end, _) = kind.readings(chars, start, around).into_iter().next()?;
        beside(kind, chars, start..end, around).filter(|found| found.range.start <= at)
    })
}
