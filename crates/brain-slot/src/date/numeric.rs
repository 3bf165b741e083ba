//! Dates in digits: `2026-11-20`, `20/11/2026`, `20/11`, `20.11.`.

use jiff::civil::Date;

use super::{Sight, make};
use crate::Surroundings;
use crate::cursor::Cursor;

pub(super) fn numeric(mut cursor: Cursor<'_>, around: &Surroundings, sight: Sight) -> Option<(usize, Date)> {
    let start = cursor.at;
    let first = cursor.digits(4)?;
    let year_first = cursor.at - start == 4;
    let sign = cursor.peek().filter(|c| matches!(c, '-' | '/' | '.'))?;
    cursor.at += 1;
    let second = cursor.digits(2)?;
    if year_first {
        cursor.sign(&[sign]).then_some(())?;
        return make(first, second, cursor.digits(2)?).map(|day| (cursor.at, day));
    }
    // A first number that cannot be a month is the day, whatever the region's order.
    let month_first = around.month_first() && first <= 12 || second > 12;
    let (day, month) = if month_first { (second, first) } else { (first, second) };
    let end = cursor.at;
    if cursor.sign(&[sign]) {
        let from = cursor.at;
        if let Some(year) = cursor.digits(4) {
            let year = match cursor.at - from {
                2 => 2000 + year,
                4 => year,
                _ => return None,
            };
            return make(year, month, day).map(|day| (cursor.at, day));
        }
        // `20.11.` is a date in regions that write dates with points.
        if sign == '.' && !around.twelve_hours() {
            return sight.day_of_year(month, day).map(|day| (cursor.at, day));
        }
    }
    // Without a year, a dash or a dot is more likely a range or a decimal.
    (sign == '/').then(|| sight.day_of_year(month, day)).flatten().map(|day| (end, day))
}
