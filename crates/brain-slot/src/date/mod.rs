//! Dates: in digits, with a month's name, or in words.

mod calendar;
mod impossible;
mod in_words;
mod month;
mod numeric;

use jiff::civil::{Date, Weekday};
use serde_json::Value;

pub(super) use calendar::Step;
pub(super) use impossible::{Impossible, impossible};

use super::Surroundings;
use super::cursor::Cursor;
use super::number::stands_alone;

/// How an incomplete date is completed.
#[derive(Clone, Copy)]
struct Sight {
    today: Date,
    /// Look backwards (`since 1 March`) instead of forwards.
    past: bool,
}

impl Sight {
    fn new(start: Cursor<'_>, around: &Surroundings) -> Self {
        let past = start.word_before().is_some_and(|word| word.as_str() == "since");
        Self { today: around.today(), past }
    }

    /// The nearest of some dates, which are in order.
    fn nearest(self, days: impl Iterator<Item = Date>) -> Option<Date> {
        let days: Vec<Date> = days.collect();
        if self.past {
            days.into_iter().rfind(|day| *day <= self.today)
        } else {
            days.into_iter().find(|day| *day >= self.today)
        }
    }

    /// The nearest such day of the year.
    fn day_of_year(self, month: i64, day: i64) -> Option<Date> {
        self.nearest(self.of_years(month, day))
    }

    /// The same day in several years: it may need a certain weekday, and 29 February does not exist in all of them.
    fn of_years(self, month: i64, day: i64) -> impl Iterator<Item = Date> {
        let year = i64::from(self.today.year());
        (year - 5..=year + 5).filter_map(move |year| make(year, month, day))
    }

    /// The nearest such day of a month.
    fn day_of_month(self, day: i64) -> Option<Date> {
        let first = self.today.first_of_month();
        let months = (-2..=2).filter_map(|months| Step::Months(months).from(first));
        self.nearest(months.filter_map(|month| make(month.year().into(), month.month().into(), day)))
    }

    /// The nearest such weekday other than today.
    fn weekday(self, day: Weekday) -> Option<Date> {
        self.today.nth_weekday(if self.past { -1 } else { 1 }, day).ok()
    }
}

/// A date, or a moment, that was completed to one ahead, completed to the last one instead: the day of a year or, with
/// `is_weekday`, of a week. `None` if it is not ahead, or by less than ten months.
pub fn last_such(value: &Value, is_weekday: bool, around: &Surroundings) -> Option<Value> {
    let text = value.as_str()?;
    let ten_months = jiff::Span::new().months(10);
    let ahead = |day: Date| match is_weekday {
        true => day > around.today(),
        false => day > around.today().saturating_add(ten_months),
    };
    let before = |day: Date| match is_weekday {
        true => Step::Days(-7).from(day),
        false => Date::new(day.year() - 1, day.month(), day.day()).ok(),
    };
    if let Ok(day) = text.parse::<Date>()
        && text.len() == 10
    {
        return ahead(day).then(|| before(day)).flatten().map(|day| Value::from(day.to_string()));
    }
    let zone = around.now.time_zone().clone();
    let moment = text.parse::<jiff::Timestamp>().ok()?.to_zoned(zone.clone());
    let day = ahead(moment.date()).then(|| before(moment.date())).flatten()?;
    let moved = day.to_datetime(moment.time()).to_zoned(zone).ok()?;
    Some(Value::from(moved.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()))
}

fn make(year: i64, month: i64, day: i64) -> Option<Date> {
    Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

/// Dates at this position, longest first.
pub(super) fn days(chars: &[char], at: usize, around: &Surroundings) -> Vec<(usize, Date)> {
    let mut found = named_days(chars, at, around);
    found.extend(in_words::counted(Cursor::new(chars, at), around).filter(|(end, _)| ends_day(chars, *end)));
    found.sort_by_key(|(end, _)| std::cmp::Reverse(*end));
    found
}

/// Dates at this position that are not counted from another.
fn named_days(chars: &[char], at: usize, around: &Surroundings) -> Vec<(usize, Date)> {
    let start = Cursor::new(chars, at);
    let sight = Sight::new(start, around);
    let reading = match start.peek() {
        Some(c) if c.is_ascii_digit() => numeric::numeric(start, around, sight),
        Some(c) if c.is_alphabetic() => in_words::in_words(start, around, sight),
        _ => None,
    };
    let readings = [reading, month::named(start, sight)];
    readings.into_iter().flatten().filter(|(end, _)| ends_day(chars, *end)).collect()
}

fn ends_day(chars: &[char], end: usize) -> bool {
    stands_alone(chars, end) && !goes_on(chars, end)
}

/// Whether more digits follow, which makes this a part of something else.
fn goes_on(chars: &[char], end: usize) -> bool {
    chars.get(end).is_some_and(|c| matches!(c, '/' | '.' | '-'))
        && chars.get(end + 1).is_some_and(char::is_ascii_digit)
        && end > 0
        && chars[end - 1].is_ascii_digit()
}

pub(super) fn date(chars: &[char], at: usize, around: &Surroundings) -> Vec<(usize, Value)> {
    days(chars, at, around).into_iter().map(|(end, day)| (end, Value::from(day.to_string()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_in(region: &str, today: Date, text: &str) -> Option<(usize, String)> {
        let chars: Vec<char> = text.chars().collect();
        let around = Surroundings::at(today, region);
        date(&chars, 0, &around).into_iter().next().map(|(end, day)| (end, day.as_str().unwrap().to_owned()))
    }

    /// Sunday, 15 November 2026.
    fn read(text: &str) -> Option<(usize, String)> {
        read_in("AU", Date::constant(2026, 11, 15), text)
    }

    fn all(region: &str, today: Date, cases: &[(&str, &str)]) {
        for (text, day) in cases {
            let expected = Some((text.chars().count(), (*day).to_owned()));
            assert_eq!(read_in(region, today, text), expected, "{text}");
        }
    }

    #[test]
    fn days_are_read_in_the_forms_people_use() {
        let cases = [
            ("2026-12-01", "2026-12-01"),
            ("2026/12/01", "2026-12-01"),
            ("1/12/2026", "2026-12-01"),
            ("1.12.2026", "2026-12-01"),
            ("1-12-26", "2026-12-01"),
            ("1/12", "2026-12-01"),
            ("3/4", "2027-04-03"),
            ("20 november", "2026-11-20"),
            ("20th of november", "2026-11-20"),
            ("the 20th of november", "2026-11-20"),
            ("november 20", "2026-11-20"),
            ("nov 3rd", "2027-11-03"),
            ("nov 20th 2026", "2026-11-20"),
            ("nov. 20, 2026", "2026-11-20"),
            ("20 nov '27", "2027-11-20"),
            ("3 march 2028", "2028-03-03"),
            ("the first of december", "2026-12-01"),
            ("december twenty-first", "2026-12-21"),
            ("29 february", "2028-02-29"),
            ("friday 20 november", "2026-11-20"),
            ("friday, the 20th", "2026-11-20"),
            ("friday 20/11/2026", "2026-11-20"),
            ("saturday 20 november 2027", "2027-11-20"),
            ("friday next week", "2026-11-20"),
            ("next week friday", "2026-11-20"),
            ("friday of next week", "2026-11-20"),
            ("the 3rd", "2026-12-03"),
            ("the 20th", "2026-11-20"),
            ("the 31st", "2026-12-31"),
            ("the 3rd of next month", "2026-12-03"),
            ("today", "2026-11-15"),
            ("tomorrow", "2026-11-16"),
            ("yesterday", "2026-11-14"),
            ("the day after tomorrow", "2026-11-17"),
            ("day before yesterday", "2026-11-13"),
            ("tuesday", "2026-11-17"),
            ("tue", "2026-11-17"),
            ("on thurs", "2026-11-19"),
            ("next sunday", "2026-11-22"),
            ("this sunday", "2026-11-15"),
            ("last friday", "2026-11-13"),
            ("friday week", "2026-11-27"),
            ("a week from friday", "2026-11-27"),
            ("a week on friday", "2026-11-27"),
            ("two weeks from tomorrow", "2026-11-30"),
            ("3 days before friday", "2026-11-17"),
            ("in 2 weeks", "2026-11-29"),
            ("in a fortnight", "2026-11-29"),
            ("in a couple of days", "2026-11-17"),
            ("in three months", "2027-02-15"),
            ("in 3 working days", "2026-11-18"),
            ("3 weeks ago", "2026-10-25"),
            ("a year ago", "2025-11-15"),
            ("two days from now", "2026-11-17"),
            ("next week", "2026-11-22"),
            ("next month", "2026-12-15"),
            ("last month", "2026-10-15"),
            ("next year", "2027-11-15"),
            ("end of month", "2026-11-30"),
            ("end of the month", "2026-11-30"),
            ("the end of next month", "2026-12-31"),
            ("end of the week", "2026-11-20"),
            ("end of next week", "2026-11-20"),
            ("end of quarter", "2026-12-31"),
            ("end of the year", "2026-12-31"),
            ("end of february", "2027-02-28"),
            ("start of next month", "2026-12-01"),
            ("beginning of next year", "2027-01-01"),
            ("eom", "2026-11-30"),
            ("month end", "2026-11-30"),
        ];
        all("AU", Date::constant(2026, 11, 15), &cases);
    }

    #[test]
    fn next_is_the_week_after_and_this_is_the_week_we_are_in() {
        // Wednesday.
        let cases = [("friday", "2026-11-20"), ("this friday", "2026-11-20"), ("next friday", "2026-11-27")];
        all("AU", Date::constant(2026, 11, 18), &cases);
        let cases = [("last friday", "2026-11-13"), ("end of the week", "2026-11-20"), ("wednesday", "2026-11-25")];
        all("AU", Date::constant(2026, 11, 18), &cases);
        all("AU", Date::constant(2026, 1, 31), &[("next month", "2026-02-28"), ("end of quarter", "2026-03-31")]);
    }

    #[test]
    fn the_region_decides_whether_the_month_comes_first() {
        let today = Date::constant(2026, 11, 15);
        all("US", today, &[("12/1/2026", "2026-12-01"), ("4/3", "2027-04-03"), ("20/11/2026", "2026-11-20")]);
        all("DE", today, &[("1.12.2026", "2026-12-01"), ("20.11.", "2026-11-20")]);
    }

    #[test]
    fn since_looks_back() {
        let read = |text: &str| {
            let chars: Vec<char> = text.chars().collect();
            let around = Surroundings::on(Date::constant(2026, 11, 15));
            date(&chars, "since ".len(), &around)[0].1.clone()
        };
        assert_eq!(read("since 20 november"), "2025-11-20");
        assert_eq!(read("since friday"), "2026-11-13");
        assert_eq!(read("since the 20th"), "2026-10-20");
    }

    #[test]
    fn text_that_is_not_a_date_is_not_read_as_one() {
        for text in [
            "2026-13-01",
            "31/2/2026",
            "12.5",
            "someday",
            "in 3 metres",
            "40/50",
            "friday 21 november 2026",
            // Five days ahead: a slip, hardly the one of next year.
            "saturday 20 november",
            "next",
            "the",
            "end of",
            "20.11.20.26",
            "in 9999 years",
            "march",
            "may",
            "the first",
            "mon-el",
            "1/2/3/4",
            "30 february",
            "5-10",
            "3",
            "satisfied",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
