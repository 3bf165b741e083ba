//! Days that do not exist, and dates that contradict their weekday.

use jiff::civil::{Date, Weekday};

use super::calendar::weekday;
use super::{Sight, ends_day, make, month, numeric};
use crate::Surroundings;
use crate::cursor::Cursor;
use brain_english::calendar::MONTHS;
use brain_english::numbers::ORDINAL_ENDINGS;

/// Why text that looks like a date is not a valid one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Impossible {
    /// The day does not exist; holds the text for the message.
    NoSuchDay(String),
    /// The date is another weekday.
    OtherWeekday { date: Date, said: Weekday },
}

/// The impossible date at this position, and its end.
pub(crate) fn impossible(chars: &[char], at: usize, around: &Surroundings) -> Option<(usize, Impossible)> {
    let start = Cursor::new(chars, at);
    let sight = Sight::new(start, around);
    let mut cursor = start;
    let said = cursor.next_word().and_then(|word| weekday(word.as_str()));
    let from = match said {
        Some(_) => {
            cursor.gap();
            cursor
        }
        None => {
            let mut on = start;
            if on.eat(&["on"]) {
                on.space();
            }
            on
        }
    };
    let (end, day) = dated(from, around, sight, said.is_some())?;
    let whole = ends_day(chars, end);
    let found = match (day, said) {
        (Err(missing), _) => Impossible::NoSuchDay(missing),
        (Ok(date), Some(said)) if date.weekday() != said => Impossible::OtherWeekday { date, said },
        _ => return None,
    };
    whole.then_some((end, found))
}

/// The date at this position, or the day that does not exist.
fn dated(
    from: Cursor<'_>,
    around: &Surroundings,
    sight: Sight,
    after_weekday: bool,
) -> Option<(usize, Result<Date, String>)> {
    if let Some((end, month, day, year)) = month::parts(from) {
        // `May 50 people come`.
        if day > 31 && from.peek().is_some_and(char::is_alphabetic) && !after_weekday {
            return None;
        }
        let date = match year {
            Some(year) => make(year, month, day),
            None => sight.day_of_year(month, day),
        };
        let name = usize::try_from(month - 1).ok().and_then(|i| MONTHS.get(i)).map_or("", |names| names[0]);
        let mut worded = format!("{day} {}{}", name[..1].to_uppercase(), &name[1..]);
        if let Some(year) = year {
            worded.push_str(&format!(" {year}"));
        }
        return Some((end, date.ok_or(worded)));
    }
    if from.peek().is_some_and(|c| c.is_ascii_digit())
        && let Some((end, day)) = numeric::shaped(from, around, sight)
    {
        let worded: String = from.chars[from.at..end].iter().collect();
        return Some((end, day.ok_or(worded)));
    }
    let mut cursor = from;
    let article = cursor.eat(&["the"]);
    cursor.space();
    let day = cursor.digits(2)?;
    let suffix = cursor.word().filter(|suffix| ORDINAL_ENDINGS.contains(&suffix.as_str()) && cursor.ends_word());
    suffix?;
    // `the 45th customer` is no date.
    let on = from.at > 0 && (article || after_weekday) && from.word_before().is_some_and(|word| word.as_str() == "on");
    match sight.day_of_month(day) {
        Some(date) => after_weekday.then_some((cursor.at, Ok(date))),
        None => (after_weekday || on).then(|| (cursor.at, Err(format!("day {day} in a month")))),
    }
}
