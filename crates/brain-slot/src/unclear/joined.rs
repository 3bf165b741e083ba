//! Values that are joined with another: `5 or 6`, `2-3`, `Friday and Saturday`.

use std::ops::Range;

use super::UnclearKind;
use crate::cursor::Cursor;
use crate::extract::is_number;
use crate::in_words::in_words;
use crate::money::{ends_clause, is_currency};
use crate::{SlotKind, Surroundings, date, duration, ends_word, moment, money, number, phone, quantity, time, unit};
use brain_english::bounds::TO;
use brain_english::calendar::{MONTHS, WEEKDAYS};
use brain_english::numbers::ORDINAL_ENDINGS;
use brain_english::position;
use brain_english::unclear::{AND, OR};

/// Maximum number of values in one expression.
const MAX_VALUES: usize = 16;

/// What joins two values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    /// `to`, `-`.
    To,
    /// `or`, `/`.
    Or,
    /// `and`, `&`.
    And,
    /// A comma alone: often it only ends a phrase.
    Comma,
}

/// The joint at this position, and where the next value begins.
pub(super) fn joint(chars: &[char], at: usize) -> Option<(Joint, usize)> {
    let mut cursor = Cursor::new(chars, at);
    cursor.space();
    let sign = match cursor.peek()? {
        '-' => Some(Joint::To),
        '/' => Some(Joint::Or),
        '&' => Some(Joint::And),
        ',' => Some(Joint::Comma),
        _ => None,
    };
    cursor.at += usize::from(sign.is_some());
    let word = if cursor.eat(&OR) {
        Some(Joint::Or)
    } else if cursor.eat(&AND) {
        Some(Joint::And)
    } else if sign.is_none() && cursor.eat(&TO) {
        Some(Joint::To)
    } else {
        None
    };
    let joint = word.or(sign)?;
    cursor.space();
    Some((joint, cursor.at))
}

/// `x` or `by` between two measures: `3m x 4m`.
fn times(kind: &SlotKind, chars: &[char], at: usize) -> Option<(Joint, usize)> {
    let mut cursor = Cursor::new(chars, at);
    let there = matches!(kind, SlotKind::Quantity(_)) && cursor.eat(&["x", "by"]);
    cursor.space();
    there.then_some((Joint::And, cursor.at))
}

/// The end of the expression that begins with a value and joins others of its type to it.
pub(super) fn chain(
    kind: &SlotKind,
    chars: &[char],
    value: &Range<usize>,
    around: &Surroundings,
) -> Option<(usize, UnclearKind)> {
    let mut starts = vec![value.start];
    let mut end = value.end;
    let mut joints = Vec::new();
    while let Some((joint, next)) =
        joint(chars, end).or_else(|| times(kind, chars, end)).filter(|_| starts.len() < MAX_VALUES)
        && let Some(next_end) = partner(kind, chars, next, joint, around)
    {
        joints.push(joint);
        starts.push(next);
        end = next_end;
    }
    let said = if joints.is_empty() {
        return None;
    } else if joints.contains(&Joint::Or) {
        UnclearKind::Alternative(alternatives(kind, chars, &starts, around))
    } else if joints == [Joint::To] {
        UnclearKind::Range
    } else {
        UnclearKind::Several
    };
    Some((end, said))
}

/// Alternatives, worded; none if one of them is not a value alone.
fn alternatives(kind: &SlotKind, chars: &[char], starts: &[usize], around: &Surroundings) -> Vec<String> {
    let worded = |at: &usize| {
        if kind == &SlotKind::Money {
            let (_, sum) = money::sums(chars, *at, around).into_iter().next()?;
            return Some(super::money_text(sum.value, 2));
        }
        if matches!(kind, SlotKind::Duration | SlotKind::DateTime | SlotKind::Phone) {
            return None;
        }
        let (end, value) = kind.readings(chars, *at, around).into_iter().next()?;
        // The month may come later: `the 3rd or 4th of May`.
        if kind == &SlotKind::Date && ordinal_end(Cursor::new(chars, *at)) == Some(end) {
            return None;
        }
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let day = text.parse::<jiff::civil::Date>().ok().filter(|_| kind == &SlotKind::Date);
        Some(day.map_or(text, |day| day.strftime("%-d %B").to_string()))
    };
    let worded: Option<Vec<String>> = starts.iter().map(worded).collect();
    worded.unwrap_or_default()
}

/// The end of a value of the same type after a joint.
fn partner(kind: &SlotKind, chars: &[char], at: usize, joint: Joint, around: &Surroundings) -> Option<usize> {
    if at >= chars.len() {
        return None;
    }
    let either_way = matches!(joint, Joint::Or | Joint::To);
    let ends = |end: usize| ends_clause(Cursor::new(chars, end)) || self::joint(chars, end).is_some();
    match kind {
        SlotKind::Money => {
            let (end, sum) = money::sums(chars, at, around).into_iter().next()?;
            let other = quantity::measure(chars, at, around).is_some() && sum.currency.is_none();
            (!other && (sum.currency.is_some() || joint == Joint::Or || ends(end))).then_some(end)
        }
        SlotKind::Integer | SlotKind::Decimal | SlotKind::Quantity(_) => {
            if let Some(measure) = quantity::measure(chars, at, around) {
                let fits = match kind {
                    SlotKind::Quantity(wanted) => unit::unit_of(wanted)
                        .is_some_and(|wanted| measure.unit.convert(measure.value, wanted).is_some()),
                    _ => true,
                };
                return fits.then_some(measure.end);
            }
            let (end, _) = number::numbers(chars, at, around).into_iter().next()?;
            let mut behind = Cursor::new(chars, end);
            behind.space();
            let counted = is_number(chars, at, end) && !is_currency(behind);
            (counted && (joint != Joint::Comma || ends(end))).then_some(end)
        }
        SlotKind::Date => {
            day_end(chars, at, around).or_else(|| if either_way { elliptic_day(chars, at) } else { None })
        }
        SlotKind::Phone => phone::phone(chars, at, around).into_iter().next().map(|(end, _)| end),
        SlotKind::Time => time::clock(chars, at, around, either_way).map(|(end, _)| end),
        SlotKind::DateTime => {
            let moment = moment::moment(chars, at, around).into_iter().next().map(|(end, _)| end);
            moment
                .or_else(|| day_end(chars, at, around))
                .or_else(|| time::clock(chars, at, around, either_way).map(|c| c.0))
        }
        SlotKind::Duration => {
            let length = duration::millis(chars, at, around).map(|(end, _)| end);
            length.or_else(|| {
                let (end, _) = number::numbers(chars, at, around).into_iter().next()?;
                (joint == Joint::Or && ends(end)).then_some(end)
            })
        }
        _ => None,
    }
}

/// The end of a date, or of a day of the month alone: `4th`, `the 4th`.
fn day_end(chars: &[char], at: usize, around: &Surroundings) -> Option<usize> {
    let day = date::days(chars, at, around).into_iter().next().map(|(end, _)| end);
    day.or_else(|| ordinal_end(Cursor::new(chars, at)))
}

/// `june` of `end of may or june`, `two` of `in a week or two`, `the day after` of `tomorrow or the day after`.
fn elliptic_day(chars: &[char], at: usize) -> Option<usize> {
    let start = Cursor::new(chars, at);
    let mut cursor = start;
    cursor.eat(&["the"]);
    if cursor.eat_all(&["day", "after"]) || cursor.eat_all(&["day", "before"]) {
        return Some(cursor.at);
    }
    cursor = start;
    let word = cursor.next_word()?;
    let elliptic = position(&MONTHS, word.as_str()).is_some() || in_words(chars, at).is_some();
    (elliptic && ends_clause(cursor)).then_some(cursor.at)
}

fn ordinal_end(mut cursor: Cursor<'_>) -> Option<usize> {
    cursor.eat(&["on"]);
    cursor.eat(&["the"]);
    cursor.space();
    cursor.digits(2)?;
    let suffix = cursor.word()?;
    (ORDINAL_ENDINGS.contains(&suffix.as_str()) && cursor.ends_word()).then_some(cursor.at)
}

/// Ends of values that may be the first of a chain, and begin here.
pub(super) fn first_ends(kind: &SlotKind, chars: &[char], at: usize, around: &Surroundings) -> Vec<usize> {
    let mut ends: Vec<usize> = kind.readings(chars, at, around).into_iter().map(|(end, _)| end).collect();
    let bare = |chars: &[char]| {
        let numbers = number::numbers(chars, at, around).into_iter().next();
        numbers.map(|(end, _)| end).filter(|end| ends_word(chars, *end))
    };
    let weekday = || {
        let mut day = Cursor::new(chars, at);
        let word = day.word()?;
        position(&WEEKDAYS, word.as_str()).filter(|_| day.ends_word()).map(|_| day.at)
    };
    match kind {
        SlotKind::Date => {
            ends.extend(weekday());
            ends.extend(ordinal_end(Cursor::new(chars, at)));
            let mut day = Cursor::new(chars, at);
            ends.extend(day.digits(2).map(|_| day.at).filter(|end| ends_word(chars, *end)));
        }
        SlotKind::Money | SlotKind::Duration | SlotKind::Time | SlotKind::Quantity(_) => ends.extend(bare(chars)),
        SlotKind::DateTime => {
            ends.extend(day_end(chars, at, around));
            ends.extend(bare(chars));
        }
        _ => {}
    }
    ends
}
