//! Steps through the calendar: days, working days, months.

use jiff::Span;
use jiff::civil::{Date, Weekday};
use rust_decimal::Decimal;

use crate::slot::cursor::Cursor;
use crate::slot::spoken::spoken;

/// The most steps that people mean.
const MAX_STEPS: i64 = 9_999;

/// So far from a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::slot) enum Step {
    Days(i64),
    /// Without Saturdays and Sundays.
    WorkingDays(i64),
    Months(i64),
}

impl Step {
    /// The day so far from another.
    pub(in crate::slot) fn from(self, day: Date) -> Option<Date> {
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

    pub(in crate::slot) fn back(self) -> Self {
        match self {
            Self::Days(days) => Self::Days(-days),
            Self::WorkingDays(days) => Self::WorkingDays(-days),
            Self::Months(months) => Self::Months(-months),
        }
    }
}

/// How many: `3`, `three`, `a`, `a couple of`.
fn count(cursor: &mut Cursor<'_>) -> Option<i64> {
    cursor.space();
    let mut digits = *cursor;
    if let Some(number) = digits.digits(4) {
        *cursor = digits;
        return Some(number);
    }
    if let Some((end, number)) = spoken(cursor.chars, cursor.at) {
        let whole = number.fract().is_zero() && number <= Decimal::from(MAX_STEPS);
        cursor.at = end;
        return i64::try_from(number).ok().filter(|_| whole);
    }
    cursor.eat(&["a", "an"]).then_some(1)
}

/// How many of which: `3 days`, `a fortnight`, `two working days`.
pub(super) fn step(cursor: &mut Cursor<'_>) -> Option<Step> {
    let count = count(cursor)?;
    let unit = cursor.next_word()?;
    Some(match unit.as_str() {
        "day" | "days" => Step::Days(count),
        "week" | "weeks" | "wk" | "wks" => Step::Days(count * 7),
        "fortnight" | "fortnights" => Step::Days(count * 14),
        "month" | "months" => Step::Months(count),
        "quarter" | "quarters" => Step::Months(count * 3),
        "year" | "years" => Step::Months(count * 12),
        "business" | "working" | "work" if cursor.eat(&["day", "days"]) => Step::WorkingDays(count),
        _ => return None,
    })
}

/// The weekday of a word, whole or short.
pub(super) fn weekday(word: &str) -> Option<Weekday> {
    Some(match word {
        "monday" | "mon" => Weekday::Monday,
        "tuesday" | "tue" | "tues" => Weekday::Tuesday,
        "wednesday" | "wed" | "weds" => Weekday::Wednesday,
        "thursday" | "thu" | "thur" | "thurs" => Weekday::Thursday,
        "friday" | "fri" => Weekday::Friday,
        "saturday" | "sat" => Weekday::Saturday,
        "sunday" | "sun" => Weekday::Sunday,
        _ => return None,
    })
}

/// The month of a word, whole or short.
pub(super) fn month(word: &str) -> Option<i64> {
    Some(match word {
        "january" | "jan" => 1,
        "february" | "feb" => 2,
        "march" | "mar" => 3,
        "april" | "apr" => 4,
        "may" => 5,
        "june" | "jun" => 6,
        "july" | "jul" => 7,
        "august" | "aug" => 8,
        "september" | "sept" | "sep" => 9,
        "october" | "oct" => 10,
        "november" | "nov" => 11,
        "december" | "dec" => 12,
        _ => return None,
    })
}
