//! Dates in words: `today`, `next Tuesday`, `a week from Friday`, `end of the month`, `3 weeks ago`.

use jiff::civil::{Date, Weekday};

use super::calendar::{Step, month, step, weekday};
use super::{Sight, month as named, named_days, numeric};
use crate::Surroundings;
use crate::cursor::{Cursor, Word};
use brain_english::calendar::{DAY_WORDS, DayWord};
use brain_english::lookup;
use brain_english::numbers::ORDINAL_ENDINGS;

type Found = Option<(usize, Date)>;

pub(super) fn in_words(start: Cursor<'_>, around: &Surroundings, sight: Sight) -> Found {
    let today = sight.today;
    let mut cursor = start;
    let first = cursor.word().filter(|_| cursor.ends_word())?;
    let here = cursor.at;
    let on = |step: Step| step.from(today).map(|day| (here, day));
    match lookup(&DAY_WORDS, first.as_str()) {
        Some(DayWord::Today) => Some((cursor.at, today)),
        Some(DayWord::Tomorrow) => on(Step::Days(1)),
        Some(DayWord::Yesterday) => on(Step::Days(-1)),
        Some(DayWord::EndOfWeek) => on(Step::Days(to_friday(today))),
        Some(DayWord::EndOfMonth) => Some((cursor.at, today.last_of_month())),
        Some(DayWord::EndOfQuarter) => Some((cursor.at, end_of_quarter(today)?)),
        Some(DayWord::EndOfYear) => Some((cursor.at, today.last_of_year())),
        Some(DayWord::Month) if cursor.eat(&["end"]) => Some((cursor.at, today.last_of_month())),
        Some(DayWord::The) => article(cursor, sight),
        Some(DayWord::Day) => beside(cursor, today),
        Some(DayWord::End) => end_of(cursor, sight),
        Some(DayWord::Start) => start_of(cursor, today),
        Some(DayWord::Next) => next(cursor, today),
        Some(DayWord::Last) => last(cursor, today),
        Some(DayWord::This) => this(cursor, today),
        Some(DayWord::On) => {
            let day = cursor.next_word()?;
            on_weekday(cursor, day, around, sight)
        }
        Some(DayWord::In) => {
            let step = step(&mut cursor)?;
            step.from(today).map(|day| (cursor.at, day))
        }
        Some(DayWord::Month) | None => on_weekday(cursor, first, around, sight),
    }
}

/// `3 weeks ago`, `two days from now`, `a week from Friday`, `3 days before Friday`.
pub(super) fn counted(mut cursor: Cursor<'_>, around: &Surroundings) -> Found {
    let step = step(&mut cursor)?;
    let today = around.today();
    match cursor.next_word()?.as_str() {
        "ago" => step.back().from(today).map(|day| (cursor.at, day)),
        "hence" => step.from(today).map(|day| (cursor.at, day)),
        "from" if cursor.eat(&["now"]) => step.from(today).map(|day| (cursor.at, day)),
        direction @ ("from" | "after" | "on" | "before") => {
            cursor.space();
            let (end, anchor) = named_days(cursor.chars, cursor.at, around).into_iter().max_by_key(|(end, _)| *end)?;
            let step = if direction == "before" { step.back() } else { step };
            step.from(anchor).map(|day| (end, day))
        }
        _ => None,
    }
}

/// `Friday`, `Friday week`, `Friday 20 November`, `Friday the 20th`.
fn on_weekday(cursor: Cursor<'_>, word: Word, around: &Surroundings, sight: Sight) -> Found {
    let wanted = weekday(word.as_str())?;
    let mut further = cursor;
    if further.eat(&["week"]) {
        let day = sight.weekday(wanted)?;
        return Step::Days(7).from(day).map(|day| (further.at, day));
    }
    let mut of = cursor;
    of.eat(&["of"]);
    if of.eat_all(&["next", "week"]) {
        return Step::Days(7 + days_to(sight.today, wanted)).from(sight.today).map(|day| (of.at, day));
    }
    further.gap();
    if let Some((end, month, day, year)) = named::parts(further) {
        // The nearest such date must be that weekday: another year is rarely meant.
        let date = match year {
            Some(year) => super::make(year, month, day),
            None => sight.day_of_year(month, day),
        };
        return date.filter(|date| date.weekday() == wanted).map(|date| (end, date));
    }
    if let Some((end, day)) = numeric::numeric(further, around, sight).or_else(|| day_of_month(further, sight)) {
        return (day.weekday() == wanted).then_some((end, day));
    }
    sight.weekday(wanted).map(|day| (cursor.at, day))
}

/// `the 20th`, `the 3rd of next month`.
fn day_of_month(mut cursor: Cursor<'_>, sight: Sight) -> Found {
    cursor.eat(&["the"]);
    cursor.space();
    let day = cursor.digits(2)?;
    let suffix = cursor.word()?;
    if !ORDINAL_ENDINGS.contains(&suffix.as_str()) {
        return None;
    }
    let mut further = cursor;
    if further.eat(&["of"]) {
        let months = match further.next_word()?.as_str() {
            "this" | "the" => 0,
            "next" => 1,
            "last" => -1,
            _ => return None,
        };
        if !further.eat(&["month"]) {
            return None;
        }
        let month = Step::Months(months).from(sight.today.first_of_month())?;
        return super::make(month.year().into(), month.month().into(), day).map(|day| (further.at, day));
    }
    sight.day_of_month(day).map(|day| (cursor.at, day))
}

/// A date after `the`.
fn article(cursor: Cursor<'_>, sight: Sight) -> Found {
    let mut next = cursor;
    if next.eat(&["day"]) {
        return beside(next, sight.today);
    }
    if next.eat(&["end"]) {
        return end_of(next, sight);
    }
    if next.eat(&["start", "beginning"]) {
        return start_of(next, sight.today);
    }
    day_of_month(cursor, sight)
}

/// `day after tomorrow`, `day before yesterday`.
fn beside(mut cursor: Cursor<'_>, today: Date) -> Found {
    let days = if cursor.eat_all(&["after", "tomorrow"]) {
        2
    } else if cursor.eat_all(&["before", "yesterday"]) {
        -2
    } else {
        return None;
    };
    Step::Days(days).from(today).map(|day| (cursor.at, day))
}

fn next(mut cursor: Cursor<'_>, today: Date) -> Found {
    let word = cursor.next_word()?;
    let day = match word.as_str() {
        "week" => {
            let mut further = cursor;
            further.eat(&["on"]);
            if let Some(wanted) = further.next_word().and_then(|word| weekday(word.as_str())) {
                return Step::Days(7 + days_to(today, wanted)).from(today).map(|day| (further.at, day));
            }
            Step::Days(7).from(today)
        }
        "fortnight" => Step::Days(14).from(today),
        "month" => Step::Months(1).from(today),
        "quarter" => Step::Months(3).from(today),
        "year" => Step::Months(12).from(today),
        // That weekday of the next week.
        word => Step::Days(7 + days_to(today, weekday(word)?)).from(today),
    };
    day.map(|day| (cursor.at, day))
}

fn last(mut cursor: Cursor<'_>, today: Date) -> Found {
    let word = cursor.next_word()?;
    let day = match word.as_str() {
        "night" => Step::Days(-1).from(today),
        "week" => Step::Days(-7).from(today),
        "month" => Step::Months(-1).from(today),
        "quarter" => Step::Months(-3).from(today),
        "year" => Step::Months(-12).from(today),
        word => today.nth_weekday(-1, weekday(word)?).ok(),
    };
    day.map(|day| (cursor.at, day))
}

fn this(mut cursor: Cursor<'_>, today: Date) -> Found {
    cursor.eat(&["coming"]);
    let wanted = weekday(cursor.next_word()?.as_str())?;
    let day = if today.weekday() == wanted { today } else { today.nth_weekday(1, wanted).ok()? };
    Some((cursor.at, day))
}

/// Days from today to a weekday of the same week, which starts on Monday.
fn days_to(today: Date, day: Weekday) -> i64 {
    i64::from(day.to_monday_zero_offset()) - i64::from(today.weekday().to_monday_zero_offset())
}

/// The end of the week is Friday.
fn to_friday(today: Date) -> i64 {
    let days = days_to(today, Weekday::Friday);
    if days < 0 { days + 7 } else { days }
}

fn end_of_quarter(day: Date) -> Option<Date> {
    let months = (3 - day.month() % 3) % 3;
    Step::Months(months.into()).from(day.first_of_month()).map(Date::last_of_month)
}

/// A week, month, quarter or year: how many ahead, and its word.
fn period(cursor: &mut Cursor<'_>) -> Option<(i64, Word)> {
    cursor.eat(&["of"]).then_some(())?;
    cursor.eat(&["the", "this"]);
    let ahead = i64::from(cursor.eat(&["next"]));
    Some((ahead, cursor.next_word()?))
}

fn end_of(mut cursor: Cursor<'_>, sight: Sight) -> Found {
    let today = sight.today;
    let (ahead, word) = period(&mut cursor)?;
    let day = match word.as_str() {
        "day" if ahead == 0 => Some(today),
        "week" if ahead == 0 => Step::Days(to_friday(today)).from(today),
        "week" => Step::Days(7 + days_to(today, Weekday::Friday)).from(today),
        "month" => Step::Months(ahead).from(today).map(Date::last_of_month),
        "quarter" => Step::Months(3 * ahead).from(today).and_then(end_of_quarter),
        "year" => Step::Months(12 * ahead).from(today).map(Date::last_of_year),
        word => {
            let month = month(word)?;
            sight.nearest(sight.of_years(month, 1).map(Date::last_of_month))
        }
    };
    day.map(|day| (cursor.at, day))
}

fn start_of(mut cursor: Cursor<'_>, today: Date) -> Found {
    let (ahead, word) = period(&mut cursor)?;
    let day = match word.as_str() {
        "week" => Step::Days(7 * ahead + days_to(today, Weekday::Monday)).from(today),
        "month" => Step::Months(ahead).from(today).map(Date::first_of_month),
        "quarter" => {
            let end = Step::Months(3 * ahead).from(today).and_then(end_of_quarter);
            end.and_then(|end| Step::Months(-2).from(end.first_of_month()))
        }
        "year" => Step::Months(12 * ahead).from(today).map(Date::first_of_year),
        _ => None,
    };
    day.map(|day| (cursor.at, day))
}
