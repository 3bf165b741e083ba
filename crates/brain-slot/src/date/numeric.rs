//! Dates in digits: `2026-11-20`, `20/11/2026`, `20/11`, `20.11.`.

use jiff::civil::Date;

use super::{Sight, make};
use crate::Surroundings;
use crate::cursor::Cursor;

pub(super) fn numeric(cursor: Cursor<'_>, around: &Surroundings, sight: Sight) -> Option<(usize, Date)> {
    let (end, day) = shaped(cursor, around, sight)?;
    day.map(|day| (end, day))
}

/// What has the form of a date, and the date; `None` if there is no such day.
pub(super) fn shaped(mut cursor: Cursor<'_>, around: &Surroundings, sight: Sight) -> Option<(usize, Option<Date>)> {
    let start = cursor.at;
    let first = cursor.digits(4)?;
    let year_first = cursor.at - start == 4;
    let sign = cursor.peek().filter(|c| matches!(c, '-' | '/' | '.'))?;
    cursor.at += 1;
    let second = cursor.digits(2)?;
    if year_first {
        cursor.sign(&[sign]).then_some(())?;
        let day = cursor.digits(2)?;
        return (1000..3000).contains(&first).then(|| (cursor.at, make(first, second, day)));
    }
    // A first number that cannot be a month is the day, whatever the region's order.
    let month_first = around.month_first() && first <= 12 || second > 12;
    let (day, month) = if month_first { (second, first) } else { (first, second) };
    let possible = first <= 31 && second <= 31;
    let end = cursor.at;
    if cursor.sign(&[sign]) {
        let from = cursor.at;
        if let Some(year) = cursor.digits(4) {
            let year = match cursor.at - from {
                2 => 2000 + year,
                4 => year,
                _ => return None,
            };
            return possible.then(|| (cursor.at, make(year, month, day)));
        }
        // `20.11.` is a date in regions that write dates with points.
        if sign == '.' && !around.twelve_hours() {
            return possible.then(|| (cursor.at, sight.day_of_year(month, day)));
        }
    }
    // Without a year, a dash or a dot is more likely a range or a decimal, and two large numbers are a fraction.
    (sign == '/' && possible && month <= 12).then(|| (end, sight.day_of_year(month, day)))
}
