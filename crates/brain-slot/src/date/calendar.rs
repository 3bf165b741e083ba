//! Calendar arithmetic: days, working days, months.

use jiff::Span;
use jiff::civil::{Date, Weekday};
use rust_decimal::Decimal;

use crate::cursor::Cursor;
use crate::in_words::in_words;
use brain_english::calendar::{MONTHS, PERIODS, Period, WEEKDAYS, WORKING};
use brain_english::numbers::ARTICLES;
use brain_english::{lookup, position};

/// Maximum number of steps.
const MAX_STEPS: i64 = 9_999;

/// A distance in the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Days(i64),
    /// Days other than Saturdays and Sundays.
    WorkingDays(i64),
    Months(i64),
}

impl Step {
    /// The date this far from another.
    pub(crate) fn from(self, day: Date) -> Option<Date> {
        match self {
            Self::Days(days) => day.checked_add(Span::new().try_days(days).ok()?).ok(),
            Self::Months(months) => day.checked_add(Span::new().try_months(months).ok()?).ok(),
            Self::WorkingDays(days) => {
                let mut day = day;
                let mut left = days.abs();
                while left > 0 {
                    day = Self::Days(days.signum()).from(day)?;
                    left -= i64::from(!matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday));
                }
                Some(day)
            }
        }
    }

    pub(crate) fn back(self) -> Self {
        match self {
            Self::Days(days) => Self::Days(-days),
            Self::WorkingDays(days) => Self::WorkingDays(-days),
            Self::Months(months) => Self::Months(-months),
        }
    }
}

/// A count: `3`, `three`, `a`, `a couple of`.
fn count(cursor: &mut Cursor<'_>) -> Option<i64> {
    cursor.space();
    let mut digits = *cursor;
    if let Some(number) = digits.digits(4) {
        *cursor = digits;
        return Some(number);
    }
    if let Some((end, number)) = in_words(cursor.chars, cursor.at) {
        let whole = number.fract().is_zero() && number <= Decimal::from(MAX_STEPS);
        cursor.at = end;
        return i64::try_from(number).ok().filter(|_| whole);
    }
    cursor.eat(&ARTICLES).then_some(1)
}

/// A count and its period: `3 days`, `a fortnight`, `two working days`.
pub(super) fn step(cursor: &mut Cursor<'_>) -> Option<Step> {
    let count = count(cursor)?;
    let unit = cursor.next_word()?;
    if WORKING.contains(&unit.as_str()) {
        return cursor.eat(&["day", "days"]).then_some(Step::WorkingDays(count));
    }
    Some(match lookup(&PERIODS, unit.as_str())? {
        Period::Days(days) => Step::Days(count * days),
        Period::Months(months) => Step::Months(count * months),
    })
}

/// The weekday of a word, whole or abbreviated.
pub(super) fn weekday(word: &str) -> Option<Weekday> {
    position(&WEEKDAYS, word).and_then(|day| Weekday::from_monday_zero_offset(day as i8).ok())
}

/// The month of a word, whole or abbreviated, from 1.
pub(super) fn month(word: &str) -> Option<i64> {
    position(&MONTHS, word).map(|month| month as i64 + 1)
}
