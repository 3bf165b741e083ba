//! Times of day: `3pm`, `15:30`, `noon`, `half past 3`, `quarter to five`.

use jiff::civil::Time;
use serde_json::Value;

use super::Surroundings;
use super::cursor::Cursor;
use super::in_words::in_words;
use brain_english::clock::{AFTER_NOON, MINUTES, MORNING, NAMED_TIMES, QUARTER};
use brain_english::lookup;
use brain_english::numbers::HALF;

/// The half of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    Morning,
    /// From noon to midnight.
    Later,
}

/// A time as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Clock {
    hour: i8,
    minute: i8,
    second: i8,
    half: Option<Half>,
    /// Whether it is written in 24-hour form: `03:30`, `15:30`, noon.
    exact: bool,
}

impl Clock {
    fn of(hour: i64, minute: i64, second: i64) -> Option<Self> {
        let small = |number: i64| i8::try_from(number).ok();
        let clock =
            Self { hour: small(hour)?, minute: small(minute)?, second: small(second)?, half: None, exact: false };
        (hour <= 24 && minute < 60 && second < 60 && (hour < 24 || minute + second == 0)).then_some(clock)
    }

    /// The time, given the half of the day from the words around it. Without one, an hour from 1 to 6 is in the
    /// afternoon: nobody makes appointments at night without saying so.
    pub(super) fn time(self, beside: Option<Half>) -> Option<Time> {
        let half = self.half.or(beside);
        let hour = match (half, self.hour) {
            (_, 24) => 0,
            (_, hour) if self.exact => hour,
            (Some(Half::Morning), 12) => 0,
            (Some(Half::Later), hour @ 1..=11) => hour + 12,
            (Some(_), hour) => hour,
            (None, hour @ 1..=6) => hour + 12,
            (None, hour) => hour,
        };
        Time::new(hour, self.minute, self.second, 0).ok()
    }
}

/// Times at this position, as `15:30`. A slot for a time also accepts a bare hour.
pub(super) fn time(chars: &[char], at: usize, around: &Surroundings) -> Vec<(usize, Value)> {
    let Some((end, clock)) = clock(chars, at, around, true) else { return Vec::new() };
    clock.time(None).map(|time| (end, Value::from(text(time)))).into_iter().collect()
}

pub(super) fn text(time: Time) -> String {
    match time.second() {
        0 => format!("{:02}:{:02}", time.hour(), time.minute()),
        second => format!("{:02}:{:02}:{second:02}", time.hour(), time.minute()),
    }
}

/// The time at this position. `bare`: whether an hour alone is accepted.
pub(super) fn clock(chars: &[char], at: usize, around: &Surroundings, bare: bool) -> Option<(usize, Clock)> {
    let start = Cursor::new(chars, at);
    let found = match start.peek()? {
        c if c.is_ascii_digit() => relative(start).or_else(|| digital(start, around, bare)),
        c if c.is_alphabetic() => named(start).or_else(|| relative(start)).or_else(|| hour_in_words(start)),
        _ => None,
    };
    let (mut cursor, mut clock) = found?;
    if clock.half.is_none() {
        clock.half = half_behind(&mut cursor);
    }
    (cursor.ends_word() && !goes_on(chars, cursor.at)).then_some((cursor.at, clock))
}

fn goes_on(chars: &[char], end: usize) -> bool {
    chars.get(end).is_some_and(|c| matches!(c, ':' | '.' | '/' | '-'))
        && chars.get(end + 1).is_some_and(char::is_ascii_digit)
        && chars[end - 1].is_ascii_digit()
}

/// `3pm`, `3:30`, `3.30 pm`, `15:30:10`, `9 o'clock`.
fn digital<'a>(start: Cursor<'a>, around: &Surroundings, bare: bool) -> Option<(Cursor<'a>, Clock)> {
    let mut cursor = start;
    let hour = cursor.digits(2)?;
    let leading_zero = start.peek() == Some('0');
    let mut parts = [0, 0];
    let mut colon = false;
    let mut point = false;
    for part in &mut parts {
        let mut next = cursor;
        let sign = next.peek();
        if !next.sign(&[':', '.']) || (sign == Some('.') && colon) {
            break;
        }
        let from = next.at;
        let Some(number) = next.digits(2).filter(|_| next.at - from == 2) else { break };
        colon |= sign == Some(':');
        point |= sign == Some('.');
        *part = number;
        cursor = next;
    }
    let mut clock = Clock::of(hour, parts[0], parts[1])?;
    clock.half = meridiem(&mut cursor);
    if clock.half.is_some() {
        return (1..=12).contains(&hour).then_some((cursor, clock));
    }
    if point {
        return None;
    }
    if o_clock(&mut cursor) {
        return (hour <= 12).then_some((cursor, clock));
    }
    clock.exact = leading_zero || hour > 12 || hour == 0 || (colon && !around.twelve_hours());
    (colon || (bare && hour < 24)).then_some((cursor, clock))
}

/// `am`, `p.m.`.
fn meridiem(cursor: &mut Cursor<'_>) -> Option<Half> {
    let mut next = *cursor;
    next.space();
    let half = match next.peek()? {
        'a' => Half::Morning,
        'p' => Half::Later,
        _ => return None,
    };
    next.at += 1;
    let dotted = next.sign(&['.']);
    if !next.sign(&['m']) {
        return None;
    }
    if dotted {
        next.sign(&['.']);
    }
    if !next.ends_word() {
        return None;
    }
    *cursor = next;
    Some(half)
}

fn o_clock(cursor: &mut Cursor<'_>) -> bool {
    let mut next = *cursor;
    next.space();
    let there = next.chars[next.at..].iter().copied().take(7).eq("o'clock".chars());
    if there {
        next.at += 7;
        *cursor = next;
    }
    there || cursor.eat(&["oclock"])
}

/// `in the morning`, `at night`, after a time.
fn half_behind(cursor: &mut Cursor<'_>) -> Option<Half> {
    let mut next = *cursor;
    let half = if next.eat_all(&["in", "the"]) {
        half(next.next_word()?.as_str())?
    } else if next.eat_all(&["at", "night"]) {
        Half::Later
    } else {
        return None;
    };
    *cursor = next;
    Some(half)
}

/// The half of the day that a word names.
pub(super) fn half(word: &str) -> Option<Half> {
    if MORNING.contains(&word) {
        return Some(Half::Morning);
    }
    AFTER_NOON.contains(&word).then_some(Half::Later)
}

/// `noon`, `midnight`.
fn named(start: Cursor<'_>) -> Option<(Cursor<'_>, Clock)> {
    let mut cursor = start;
    let hour = lookup(&NAMED_TIMES, cursor.next_word()?.as_str())?;
    Some((cursor, Clock { exact: true, ..Clock::of(hour, 0, 0)? }))
}

/// `three o'clock`, `three pm`.
fn hour_in_words(start: Cursor<'_>) -> Option<(Cursor<'_>, Clock)> {
    let mut cursor = start;
    let hour = small_number(&mut cursor).filter(|hour| (1..=12).contains(hour))?;
    let mut clock = Clock::of(hour, 0, 0)?;
    clock.half = meridiem(&mut cursor);
    (clock.half.is_some() || o_clock(&mut cursor)).then_some((cursor, clock))
}

/// A number in digits or words.
fn small_number(cursor: &mut Cursor<'_>) -> Option<i64> {
    cursor.space();
    if let Some(number) = cursor.digits(2) {
        return Some(number);
    }
    let (end, number) = in_words(cursor.chars, cursor.at)?;
    cursor.at = end;
    i64::try_from(number).ok().filter(|_| number.fract().is_zero())
}

/// `half past 3`, `quarter to five`, `ten past four`, `5 minutes to 6 pm`.
fn relative(start: Cursor<'_>) -> Option<(Cursor<'_>, Clock)> {
    let mut cursor = start;
    let in_words = cursor.peek().is_some_and(char::is_alphabetic);
    cursor.eat(&["a"]);
    let mut with_unit = false;
    let minutes = if cursor.eat(&[HALF]) {
        30
    } else if cursor.eat(&[QUARTER]) {
        15
    } else {
        cursor = start;
        let minutes = small_number(&mut cursor).filter(|minutes| (1..60).contains(minutes))?;
        with_unit = cursor.eat(&MINUTES);
        minutes
    };
    let word = cursor.next_word()?;
    let after = match word.as_str() {
        "past" | "after" => true,
        "to" | "before" if minutes != 30 => false,
        _ => return None,
    };
    let hour = small_number(&mut cursor).filter(|hour| (1..=12).contains(hour))?;
    let half = meridiem(&mut cursor);
    // `5 to 9` alone is a range.
    let certain = in_words || with_unit || word.as_str() == "past" || half.is_some() || o_clock(&mut cursor);
    let (hour, minutes) = match (after, hour) {
        (true, hour) => (hour, minutes),
        (false, 1) => (12, 60 - minutes),
        (false, hour) => (hour - 1, 60 - minutes),
    };
    let clock = Clock { half, ..Clock::of(hour, minutes, 0)? };
    certain.then_some((cursor, clock))
}

/// The half of the day after a date: `tomorrow morning`.
pub(super) fn half_of_day(cursor: &mut Cursor<'_>) -> Option<Half> {
    let mut next = *cursor;
    let half = half(next.next_word()?.as_str())?;
    *cursor = next;
    Some(half)
}

#[cfg(test)]
mod tests {
    use jiff::civil::Date;

    use super::*;

    fn read(region: &str, text: &str) -> Option<(usize, String)> {
        let chars: Vec<char> = text.chars().collect();
        let around = Surroundings::at(Date::constant(2026, 11, 15), region);
        time(&chars, 0, &around).into_iter().next().map(|(end, value)| (end, value.as_str().unwrap().to_owned()))
    }

    #[test]
    fn times_are_read_as_people_say_them() {
        for (text, time) in [
            ("3pm", "15:00"),
            ("3 pm", "15:00"),
            ("3:30 p.m.", "15:30"),
            ("3.30pm", "15:30"),
            ("12am", "00:00"),
            ("12pm", "12:00"),
            ("15:30", "15:30"),
            ("15:30:10", "15:30:10"),
            ("03:30", "03:30"),
            ("3:30", "15:30"),
            ("9:15", "09:15"),
            ("9", "09:00"),
            ("3", "15:00"),
            ("9 o'clock", "09:00"),
            ("nine o'clock", "09:00"),
            ("three pm", "15:00"),
            ("7 in the evening", "19:00"),
            ("3 in the morning", "03:00"),
            ("noon", "12:00"),
            ("midday", "12:00"),
            ("midnight", "00:00"),
            ("half past 3", "15:30"),
            ("half past eight", "08:30"),
            ("quarter to five", "16:45"),
            ("a quarter past nine", "09:15"),
            ("ten past four", "16:10"),
            ("twenty to six pm", "17:40"),
            ("5 minutes to 9", "08:55"),
            ("quarter to one", "12:45"),
        ] {
            assert_eq!(read("AU", text), Some((text.chars().count(), time.to_owned())), "{text}");
        }
        assert_eq!(read("DE", "3:30"), Some((4, "03:30".to_owned())), "where days have 24 hours");
    }

    #[test]
    fn text_that_is_not_a_time_is_not_read_as_one() {
        for text in
            ["25:00", "15:60", "13pm", "0pm", "3.30", "1:2", "half", "noone", "15:30:99", "12/11", "100", "3pmx"]
        {
            assert_eq!(read("AU", text), None, "{text}");
        }
        let chars: Vec<char> = "10 to 12".chars().collect();
        let around = Surroundings::on(Date::constant(2026, 11, 15));
        assert_eq!(clock(&chars, 0, &around, false), None);
    }
}
