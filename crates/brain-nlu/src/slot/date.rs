//! Days: ISO, `20/11/2026`, `20 November`, `today`, `next Tuesday`, `in 3 days`.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};
use serde_json::Value;

use super::{Surroundings, ends_word};

const MONTHS: [&str; 12] = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
];
const DAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
];

/// A reader that walks over words and numbers.
#[derive(Clone, Copy)]
struct Reader<'a> {
    chars: &'a [char],
    at: usize,
}

impl Reader<'_> {
    fn space(&mut self) {
        while self.chars.get(self.at).is_some_and(|c| c.is_whitespace() || *c == ',') {
            self.at += 1;
        }
    }

    fn word(&mut self) -> Option<String> {
        let from = self.at;
        while self.chars.get(self.at).is_some_and(|c| c.is_alphabetic()) {
            self.at += 1;
        }
        (self.at > from).then(|| self.chars[from..self.at].iter().collect())
    }

    fn number(&mut self) -> Option<i64> {
        let from = self.at;
        while self.chars.get(self.at).is_some_and(char::is_ascii_digit) {
            self.at += 1;
        }
        if self.at == from || self.at - from > 4 {
            return None;
        }
        self.chars[from..self.at].iter().collect::<String>().parse().ok()
    }

    fn sign(&mut self, wanted: &[char]) -> bool {
        let there = self.chars.get(self.at).is_some_and(|c| wanted.contains(c));
        self.at += usize::from(there);
        there
    }
}

pub(super) fn date(chars: &[char], at: usize, around: &Surroundings) -> Vec<(usize, Value)> {
    let start = Reader { chars, at };
    let readings = [numeric(start, around), spoken(start, around.today), named_month(start, around.today)];
    let mut found: Vec<(usize, Value)> = readings
        .into_iter()
        .flatten()
        .filter(|(end, _)| ends_word(chars, *end))
        .map(|(end, day)| (end, Value::from(day.to_string())))
        .collect();
    found.sort_by_key(|(end, _)| std::cmp::Reverse(*end));
    found
}

fn make(year: i64, month: i64, day: i64) -> Option<Date> {
    Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

/// `2026-11-20`, `20/11/2026`, `20/11`.
fn numeric(mut reader: Reader<'_>, around: &Surroundings) -> Option<(usize, Date)> {
    let first = reader.number()?;
    if !reader.sign(&['-', '/', '.']) {
        return None;
    }
    let second = reader.number()?;
    if first > 31 {
        reader.sign(&['-', '/']).then_some(())?;
        return Some((reader.at, make(first, second, reader.number()?)?)).map(|(_, day)| (reader.at, day));
    }
    let (day, month) = if around.month_first { (second, first) } else { (first, second) };
    let mut further = reader;
    if further.sign(&['-', '/', '.'])
        && let Some(year) = further.number()
    {
        let year = if year < 100 { 2000 + year } else { year };
        return Some((further.at, make(year, month, day)?));
    }
    // Without a year, a dash or a dot is more likely a range or a decimal.
    let slash = reader.chars.get(..reader.at)?.iter().rev().take(3).any(|c| *c == '/');
    slash.then(|| coming(around.today, month, day)).flatten().map(|day| (reader.at, day))
}

/// The next time this day of the year comes.
fn coming(today: Date, month: i64, day: i64) -> Option<Date> {
    let this_year = make(i64::from(today.year()), month, day)?;
    if this_year >= today { Some(this_year) } else { make(i64::from(today.year()) + 1, month, day) }
}

/// `20 November`, `November 20th, 2026`.
fn named_month(reader: Reader<'_>, today: Date) -> Option<(usize, Date)> {
    let month_of = |word: &str| {
        let fits = |name: &&str| *name == word || (word.len() >= 3 && name.starts_with(word));
        MONTHS.iter().position(fits).map(|i| i as i64 + 1)
    };
    let ordinal = |reader: &mut Reader<'_>| -> Option<i64> {
        let number = reader.number()?;
        let mut suffix = *reader;
        if suffix.word().is_some_and(|word| matches!(word.as_str(), "st" | "nd" | "rd" | "th")) {
            *reader = suffix;
        }
        Some(number)
    };
    let mut day_first = reader;
    let parsed = ordinal(&mut day_first).and_then(|day| {
        day_first.space();
        let month = month_of(&day_first.word()?)?;
        Some((day_first, month, day))
    });
    let (mut reader, month, day) = match parsed {
        Some(found) => found,
        None => {
            let mut month_first = reader;
            let month = month_of(&month_first.word()?)?;
            month_first.space();
            let day = ordinal(&mut month_first)?;
            (month_first, month, day)
        }
    };
    let end = reader.at;
    reader.space();
    match reader.number() {
        Some(year) if year >= 1000 => Some((reader.at, make(year, month, day)?)),
        _ => Some((end, coming(today, month, day)?)),
    }
}

/// `today`, `next Tuesday`, `in 3 days`.
fn spoken(mut reader: Reader<'_>, today: Date) -> Option<(usize, Date)> {
    let first = reader.word()?;
    let after_first = reader.at;
    let on = |days: i64| today.checked_add(days.days()).ok();
    let weekday =
        |word: &str| DAYS.iter().find(|(name, _)| *name == word || (word.len() >= 3 && name.starts_with(word)));
    match first.as_str() {
        "today" => return Some((after_first, today)),
        "tomorrow" => return Some((after_first, on(1)?)),
        "yesterday" => return Some((after_first, on(-1)?)),
        _ => {}
    }
    reader.space();
    match first.as_str() {
        "next" | "this" | "on" => {
            let second = reader.word()?;
            if first == "next" && second == "week" {
                return Some((reader.at, on(7)?));
            }
            let (_, day) = weekday(&second)?;
            Some((reader.at, today.nth_weekday(1, *day).ok()?))
        }
        "in" => {
            let count = reader.number()?;
            reader.space();
            let unit = reader.word()?;
            let days = match unit.trim_end_matches('s') {
                "day" => count,
                "week" => count * 7,
                _ => return None,
            };
            Some((reader.at, on(days)?))
        }
        word => {
            let (_, day) = weekday(word)?;
            Some((after_first, today.nth_weekday(1, *day).ok()?))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sunday, 15 November 2026.
    fn read(text: &str) -> Option<(usize, String)> {
        let around = Surroundings { today: Date::constant(2026, 11, 15), month_first: false };
        let chars: Vec<char> = text.chars().collect();
        date(&chars, 0, &around).into_iter().next().map(|(end, day)| (end, day.as_str().unwrap().to_owned()))
    }

    #[test]
    fn days_are_read_in_the_forms_people_use() {
        for (text, day) in [
            ("2026-12-01", "2026-12-01"),
            ("1/12/2026", "2026-12-01"),
            ("1/12", "2026-12-01"),
            ("3/4", "2027-04-03"),
            ("20 november", "2026-11-20"),
            ("nov 3rd", "2027-11-03"),
            ("3 march 2028", "2028-03-03"),
            ("today", "2026-11-15"),
            ("tomorrow", "2026-11-16"),
            ("tuesday", "2026-11-17"),
            ("next sunday", "2026-11-22"),
            ("in 2 weeks", "2026-11-29"),
            ("next week", "2026-11-22"),
        ] {
            assert_eq!(read(text), Some((text.chars().count(), day.to_owned())), "{text}");
        }
    }

    #[test]
    fn what_is_no_day_is_not_taken_for_one() {
        for text in ["2026-13-01", "31/2/2026", "12.5", "someday", "in 3 metres", "40/50"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
