//! Periods relative to now.

use jiff::ToSpan as _;
use jiff::civil::Date;

/// The first day of a period and the first day after it, seen from a day. Weeks begin on Monday.
pub(super) fn days(token: &str, today: Date) -> Option<(Date, Date)> {
    let plus = |day: Date, days: i32| day.checked_add(days.days()).unwrap_or(day);
    let months = |day: Date, months: i32| day.checked_add(months.months()).unwrap_or(day);
    let week = plus(today, -i32::from(today.weekday().to_monday_zero_offset()));
    let month = today.first_of_month();
    let quarter = months(month, -i32::from((today.month() - 1) % 3));
    let year = today.first_of_year();
    let of_months = |start: Date, count: i32, which: i32| {
        let start = months(start, which * count);
        (start, months(start, count))
    };
    Some(match token {
        "today" => (today, plus(today, 1)),
        "yesterday" => (plus(today, -1), today),
        "tomorrow" => (plus(today, 1), plus(today, 2)),
        "this_week" => (week, plus(week, 7)),
        "last_week" => (plus(week, -7), week),
        "next_week" => (plus(week, 7), plus(week, 14)),
        "this_month" => of_months(month, 1, 0),
        "last_month" => of_months(month, 1, -1),
        "next_month" => of_months(month, 1, 1),
        "this_quarter" => of_months(quarter, 3, 0),
        "last_quarter" => of_months(quarter, 3, -1),
        "this_year" => of_months(year, 12, 0),
        "last_year" => of_months(year, 12, -1),
        "next_year" => of_months(year, 12, 1),
        "last_7_days" => (plus(today, -6), plus(today, 1)),
        "last_30_days" => (plus(today, -29), plus(today, 1)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn periods_are_whole_days_seen_from_today() {
        let today = date(2026, 11, 18);
        for (token, from, to) in [
            ("today", date(2026, 11, 18), date(2026, 11, 19)),
            ("this_week", date(2026, 11, 16), date(2026, 11, 23)),
            ("last_week", date(2026, 11, 9), date(2026, 11, 16)),
            ("last_month", date(2026, 10, 1), date(2026, 11, 1)),
            ("next_month", date(2026, 12, 1), date(2027, 1, 1)),
            ("this_quarter", date(2026, 10, 1), date(2027, 1, 1)),
            ("last_quarter", date(2026, 7, 1), date(2026, 10, 1)),
            ("last_year", date(2025, 1, 1), date(2026, 1, 1)),
            ("last_7_days", date(2026, 11, 12), date(2026, 11, 19)),
        ] {
            assert_eq!(days(token, today), Some((from, to)), "{token}");
        }
        assert_eq!(days("one day", today), None);
    }
}
