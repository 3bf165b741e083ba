//! Date-times: `tomorrow at 9`, `3pm on Friday`, `in 2 hours`, as RFC 3339 text in the speaker's time zone.

use jiff::civil::{Date, Time};
use jiff::{Span, Zoned};
use serde_json::Value;

use super::Surroundings;
use super::cursor::Cursor;
use super::date::{Step, days};
use super::duration::millis;
use super::time::{Clock, Half, clock, half_of_day};
use brain_english::calendar::BEFORE_START_OF_DAY;
use brain_english::clock::{AT, NOW, TONIGHT};

/// Date-times at this position, longest first. A date alone has no time and does not count, except after words such as
/// `since` and `before`, where it means the start of the day.
pub(super) fn moment(chars: &[char], at: usize, around: &Surroundings) -> Vec<(usize, Value)> {
    let mut found = moments(chars, at, around);
    found.sort_by_key(|(end, _)| std::cmp::Reverse(*end));
    found.dedup_by_key(|(end, _)| *end);
    found.into_iter().map(|(end, moment)| (end, Value::from(text(&moment)))).collect()
}

fn text(moment: &Zoned) -> String {
    if moment.offset().is_zero() {
        return moment.timestamp().to_string();
    }
    moment.timestamp().display_with_offset(moment.offset()).to_string()
}

fn moments(chars: &[char], at: usize, around: &Surroundings) -> Vec<(usize, Zoned)> {
    let start = Cursor::new(chars, at);
    let mut found: Vec<(usize, Zoned)> = Vec::new();
    found.extend(iso(start, around));
    found.extend(from_now(start, around));
    let mut ends_a_day = None;
    for (end, day) in days(chars, at, around) {
        found.extend(time_behind(Cursor::new(chars, end), day, tonight(&chars[at..end]), around));
        ends_a_day = ends_a_day.or(Some((end, day)));
    }
    if let Some((end, clock)) = clock(chars, at, around, false) {
        found.extend(day_behind(Cursor::new(chars, end), clock, around));
        found.extend(clock.time(None).and_then(|time| coming(time, around)).map(|moment| (end, moment)));
    }
    found.extend(hour_and_day(start, around));
    let bound = start.word_before().is_some_and(|word| BEFORE_START_OF_DAY.contains(&word.as_str()));
    if let Some((end, day)) = ends_a_day.filter(|_| bound) {
        found.extend(join(day, Time::midnight(), around).map(|moment| (end, moment)));
    }
    found.retain(|(end, _)| super::ends_word(chars, *end));
    found
}

fn join(day: Date, time: Time, around: &Surroundings) -> Option<Zoned> {
    day.to_datetime(time).to_zoned(around.now.time_zone().clone()).ok()
}

/// The next time the clock shows this.
fn coming(time: Time, around: &Surroundings) -> Option<Zoned> {
    let today = join(around.today(), time, around)?;
    if today > around.now { Some(today) } else { join(Step::Days(1).from(around.today())?, time, around) }
}

/// `2026-11-20T09:30`, with or without an offset.
fn iso(start: Cursor<'_>, around: &Surroundings) -> Option<(usize, Zoned)> {
    let shaped = |c: char| c.is_ascii_digit() || matches!(c, '-' | ':' | '.' | '+' | 't' | 'z');
    let here = &start.chars[start.at..];
    if !here.first()?.is_ascii_digit() || here.get(10) != Some(&'t') {
        return None;
    }
    let mut text: String = here.iter().take(40).take_while(|c| shaped(**c)).collect();
    text.truncate(text.trim_end_matches(['.', '-', ':', '+']).len());
    let moment = match text.to_ascii_uppercase().parse::<jiff::Timestamp>() {
        Ok(moment) => moment.to_zoned(around.now.time_zone().clone()),
        Err(_) => {
            let local: jiff::civil::DateTime = text.parse().ok()?;
            local.to_zoned(around.now.time_zone().clone()).ok()?
        }
    };
    Some((start.at + text.chars().count(), moment))
}

/// `now`, `in 2 hours`, `an hour ago`, `20 minutes from now`.
pub(super) fn from_now(start: Cursor<'_>, around: &Surroundings) -> Option<(usize, Zoned)> {
    let mut cursor = start;
    if NOW.iter().any(|words| cursor.eat_all(words)) {
        return Some((cursor.at, around.now.clone()));
    }
    let ahead = cursor.eat(&["in"]);
    cursor.space();
    let (end, length) = millis(cursor.chars, cursor.at, around)?;
    let mut cursor = Cursor::new(cursor.chars, end);
    let span = Span::new().try_milliseconds(i64::try_from(length).ok()?).ok()?;
    let moment = if ahead || cursor.eat_all(&["from", "now"]) {
        around.now.checked_add(span)
    } else if cursor.eat(&["ago"]) {
        around.now.checked_sub(span)
    } else {
        return None;
    };
    moment.ok().map(|moment| (cursor.at, moment))
}

/// `tonight` is a date and a half of the day.
fn tonight(day: &[char]) -> Option<Half> {
    day.iter().copied().eq(TONIGHT.chars()).then_some(Half::Later)
}

/// `at 9`, `, 3pm`, `morning at 9`, after a date.
fn time_behind(mut cursor: Cursor<'_>, day: Date, half: Option<Half>, around: &Surroundings) -> Option<(usize, Zoned)> {
    let half = half_of_day(&mut cursor).or(half);
    let before = cursor.at;
    cursor.gap();
    let bare = cursor.eat(&["at", "by", "around"]) || cursor.sign(&['@']);
    cursor.space();
    let (end, clock) = clock(cursor.chars, cursor.at, around, bare).filter(|_| cursor.at > before)?;
    join(day, clock.time(half)?, around).map(|moment| (end, moment))
}

/// `on Friday`, `tomorrow morning`, after a time.
fn day_behind(mut cursor: Cursor<'_>, clock: Clock, around: &Surroundings) -> Option<(usize, Zoned)> {
    cursor.gap();
    cursor.eat(&["on"]);
    cursor.space();
    let (end, day) = days(cursor.chars, cursor.at, around).into_iter().next()?;
    let half = tonight(&cursor.chars[cursor.at..end]);
    let mut cursor = Cursor::new(cursor.chars, end);
    let half = half_of_day(&mut cursor).or(half);
    join(day, clock.time(half)?, around).map(|moment| (cursor.at, moment))
}

/// `9 tomorrow`, `at 9 on Friday`: a bare hour needs a date after it.
fn hour_and_day(start: Cursor<'_>, around: &Surroundings) -> Option<(usize, Zoned)> {
    let mut cursor = start;
    let at = cursor.eat(&[AT]);
    cursor.space();
    let (end, clock) = clock(cursor.chars, cursor.at, around, true)?;
    let behind = day_behind(Cursor::new(cursor.chars, end), clock, around);
    if behind.is_some() || !at {
        return behind;
    }
    clock.time(None).and_then(|time| coming(time, around)).map(|moment| (end, moment))
}

#[cfg(test)]
mod tests {
    use jiff::tz::{Offset, TimeZone};

    use super::*;

    /// Sunday, 15 November 2026, ten in the morning, in Sydney's summer.
    fn read(text: &str, at: usize) -> Option<(usize, String)> {
        let zone = TimeZone::fixed(Offset::constant(11));
        let now = Date::constant(2026, 11, 15).at(10, 0, 0, 0).to_zoned(zone).unwrap();
        let around = Surroundings::new(now, "AU", "");
        let chars: Vec<char> = text.chars().collect();
        moment(&chars, at, &around).into_iter().next().map(|(end, value)| (end, value.as_str().unwrap().to_owned()))
    }

    #[test]
    fn a_date_time_is_in_the_speakers_time_zone() {
        for (text, moment) in [
            ("tomorrow at 9", "2026-11-16T09:00:00+11:00"),
            ("tomorrow 3pm", "2026-11-16T15:00:00+11:00"),
            ("tomorrow at 3", "2026-11-16T15:00:00+11:00"),
            ("tomorrow morning at 6", "2026-11-16T06:00:00+11:00"),
            ("tonight at 8", "2026-11-15T20:00:00+11:00"),
            ("20 november at 15:30", "2026-11-20T15:30:00+11:00"),
            ("2026-11-20 15:30", "2026-11-20T15:30:00+11:00"),
            ("2026-11-20t15:30", "2026-11-20T15:30:00+11:00"),
            ("2026-11-20t15:30:00z", "2026-11-21T02:30:00+11:00"),
            ("friday, noon", "2026-11-20T12:00:00+11:00"),
            ("next tuesday at half past 3", "2026-11-17T15:30:00+11:00"),
            ("3pm tomorrow", "2026-11-16T15:00:00+11:00"),
            ("3pm on friday", "2026-11-20T15:00:00+11:00"),
            ("9 tomorrow", "2026-11-16T09:00:00+11:00"),
            ("8 tonight", "2026-11-15T20:00:00+11:00"),
            ("9 tomorrow evening", "2026-11-16T21:00:00+11:00"),
            ("3pm", "2026-11-15T15:00:00+11:00"),
            ("9am", "2026-11-16T09:00:00+11:00"),
            ("at 9", "2026-11-16T09:00:00+11:00"),
            ("in 2 hours", "2026-11-15T12:00:00+11:00"),
            ("in half an hour", "2026-11-15T10:30:00+11:00"),
            ("20 minutes from now", "2026-11-15T10:20:00+11:00"),
            ("an hour ago", "2026-11-15T09:00:00+11:00"),
            ("now", "2026-11-15T10:00:00+11:00"),
        ] {
            assert_eq!(read(text, 0), Some((text.chars().count(), moment.to_owned())), "{text}");
        }
    }

    #[test]
    fn a_date_alone_is_a_date_time_only_as_a_bound() {
        assert_eq!(read("tomorrow", 0), None);
        assert_eq!(read("since yesterday", 6), Some((15, "2026-11-14T00:00:00+11:00".to_owned())));
        for text in ["9", "somewhen", "2 hours", "2026-11-20tx", "in 3 metres"] {
            assert_eq!(read(text, 0), None, "{text}");
        }
    }
}
