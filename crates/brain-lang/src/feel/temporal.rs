//! Dates, times and durations: their values, their texts, and their properties.
//!
//! Named time zones come from the database compiled into the binary, so that the same expression means the same on
//! every machine.

use std::fmt;
use std::sync::LazyLock;

use jiff::civil::{self, Date};
use jiff::tz::{Offset, TimeZone, TimeZoneDatabase};
use jiff::{SignedDuration, Zoned};

use super::value::Value;

static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

pub(super) const SECONDS_PER_DAY: i64 = 86_400;

/// A time of day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Time {
    /// The local time.
    pub civil: civil::Time,
    /// The offset from UTC, if known.
    pub offset: Option<Offset>,
}

/// A date and a time of day.
#[derive(Debug, Clone, PartialEq)]
pub enum DateTime {
    /// Without a time zone.
    Local(civil::DateTime),
    /// With a time zone.
    Zoned(Box<Zoned>),
}

impl DateTime {
    /// The local date and time.
    pub fn civil(&self) -> civil::DateTime {
        match self {
            Self::Local(civil) => *civil,
            Self::Zoned(zoned) => zoned.datetime(),
        }
    }

    /// The instant; a local date and time is interpreted in the given time zone.
    pub(super) fn moment(&self, zone: &TimeZone) -> Option<Zoned> {
        match self {
            Self::Local(civil) => civil.to_zoned(zone.clone()).ok(),
            Self::Zoned(zoned) => Some((**zoned).clone()),
        }
    }

    /// ISO 8601 with the offset instead of the zone's name: `date-time` in JSON Schema.
    pub(super) fn to_iso(&self) -> String {
        match self {
            Self::Local(civil) => civil.to_string(),
            Self::Zoned(zoned) => format!("{}{}", zoned.datetime(), offset_text(zoned.offset())),
        }
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.civil, self.offset.map(offset_text).unwrap_or_default())
    }
}

/// FEEL's text: the offset, or `@` and the zone's name.
impl fmt::Display for DateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zoned(zoned) => match zoned.time_zone().iana_name().filter(|name| *name != "UTC") {
                Some(name) => write!(f, "{}@{name}", zoned.datetime()),
                None => f.write_str(&self.to_iso()),
            },
            Self::Local(civil) => civil.fmt(f),
        }
    }
}

/// `Z`, `+02:00`, or with seconds if the zone has them.
fn offset_text(offset: Offset) -> String {
    let seconds = offset.seconds();
    if seconds == 0 {
        return "Z".to_owned();
    }
    let sign = if seconds < 0 { '-' } else { '+' };
    let seconds = seconds.unsigned_abs();
    let text = format!("{sign}{:02}:{:02}", seconds / 3600, seconds / 60 % 60);
    if seconds.is_multiple_of(60) { text } else { format!("{text}:{:02}", seconds % 60) }
}

/// The value of an `@"…"` literal.
pub(super) fn parse_any(text: &str) -> Option<Value> {
    if text.trim_start_matches('-').starts_with('P') {
        return parse_duration(text);
    }
    parse_date(text)
        .map(Value::Date)
        .or_else(|| text.contains('T').then(|| parse_date_time(text))?.map(Value::DateTime))
        .or_else(|| parse_time(text).map(Value::Time))
}

/// `2024-01-31`
pub(super) fn parse_date(text: &str) -> Option<Date> {
    let bytes = text.as_bytes();
    let shaped = bytes.len() == 10
        && bytes.iter().enumerate().all(|(i, b)| if matches!(i, 4 | 7) { *b == b'-' } else { b.is_ascii_digit() });
    if shaped { text.parse().ok() } else { None }
}

/// `10:30:00`, `10:30:00.5`
fn parse_civil_time(text: &str) -> Option<civil::Time> {
    let bytes = text.as_bytes();
    let shaped = bytes.len() >= 8
        && bytes.iter().enumerate().all(|(i, b)| match i {
            2 | 5 => *b == b':',
            8 => *b == b'.',
            _ => b.is_ascii_digit(),
        });
    // `60` is a leap second to some parsers and an error in FEEL.
    if shaped && &text[6..8] != "60" { text.parse().ok() } else { None }
}

/// `Z`, `+02:00`, `-05:30:10`
pub(super) fn parse_offset(text: &str) -> Option<Offset> {
    if matches!(text, "Z" | "z") {
        return Some(Offset::UTC);
    }
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let parts: Vec<&str> = rest.split(':').collect();
    if !(2..=3).contains(&parts.len()) || parts.iter().any(|p| p.len() != 2 || !p.bytes().all(|b| b.is_ascii_digit())) {
        return None;
    }
    let mut seconds = 0;
    for (i, scale) in [3600, 60, 1].into_iter().enumerate() {
        let part: i32 = parts.get(i).map_or(Some(0), |p| p.parse().ok())?;
        if (i == 0 && part > 18) || (i > 0 && part > 59) {
            return None;
        }
        seconds += part * scale;
    }
    Offset::from_seconds(sign * seconds).ok()
}

/// A zone by offset or name.
pub(super) fn parse_zone(text: &str) -> Option<TimeZone> {
    match parse_offset(text) {
        Some(Offset::UTC) => Some(TimeZone::UTC),
        Some(offset) => Some(TimeZone::fixed(offset)),
        None => ZONES.get(text).ok(),
    }
}

/// Splits a clock's text from its zone: `10:30:00+02:00`, `10:30:00@Europe/Paris`, `10:30:00Z`.
fn split_zone(text: &str) -> (&str, Option<&str>) {
    match text.find(['Z', 'z', '+', '-', '@', '[']) {
        Some(at) if text[at..].starts_with('@') => (&text[..at], Some(&text[at + 1..])),
        Some(at) => {
            // RFC 9557 adds the zone's name to the offset; the name takes precedence.
            let zone = &text[at..];
            let named = zone.find('[').and_then(|open| zone[open + 1..].strip_suffix(']'));
            (&text[..at], Some(named.unwrap_or(zone)))
        }
        None => (text, None),
    }
}

/// `10:30:00`, `10:30:00+02:00`. Without a date, a named zone has no offset and is an error.
pub(super) fn parse_time(text: &str) -> Option<Time> {
    let (clock, zone) = split_zone(text);
    let civil = parse_civil_time(clock)?;
    let offset = match zone {
        Some(zone) => Some(parse_offset(zone)?),
        None => None,
    };
    Some(Time { civil, offset })
}

/// `2024-01-31T10:30:00` with or without a zone, or a date alone, which means midnight.
pub(crate) fn parse_date_time(text: &str) -> Option<DateTime> {
    let Some((date, clock)) = text.split_once(['T', 't']) else {
        return parse_date(text).map(|date| DateTime::Local(date.at(0, 0, 0, 0)));
    };
    let (clock, zone) = split_zone(clock);
    let civil = parse_date(date)?.to_datetime(parse_civil_time(clock)?);
    match zone {
        None => Some(DateTime::Local(civil)),
        Some(zone) => in_zone(civil, parse_zone(zone)?),
    }
}

pub(super) fn in_zone(civil: civil::DateTime, zone: TimeZone) -> Option<DateTime> {
    civil.to_zoned(zone).ok().map(|zoned| DateTime::Zoned(Box::new(zoned)))
}

/// `P1DT2H3M4.5S` or `P1Y2M`; the two kinds do not mix.
pub(super) fn parse_duration(text: &str) -> Option<Value> {
    let (negative, body) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let body = body.strip_prefix('P')?;
    let (days, clock) = match body.split_once('T') {
        Some((days, clock)) => (days, Some(clock)),
        None => (body, None),
    };
    if body.is_empty() || clock == Some("") {
        return None;
    }
    if clock.is_none() && days.ends_with(['Y', 'M']) {
        let [years, months] = units(days, ['Y', 'M'])?;
        let months = years.unwrap_or(0).checked_mul(12)?.checked_add(months.unwrap_or(0))?;
        return Some(Value::MonthsDuration(if negative { -months } else { months }));
    }
    let [day_count, none] = units(days, ['D', '\0'])?;
    if none.is_some() {
        return None;
    }
    let (clock, nanos) = fraction(clock.unwrap_or(""))?;
    let (hours_minutes, seconds) = match clock.find('S') {
        Some(_) => {
            let from = clock.rfind(['H', 'M']).map_or(0, |at| at + 1);
            let digits = clock[from..].strip_suffix('S')?;
            (&clock[..from], whole(digits)?)
        }
        None => (&*clock, 0),
    };
    let [hours, minutes] = units(hours_minutes, ['H', 'M'])?;
    let total = day_count
        .unwrap_or(0)
        .checked_mul(SECONDS_PER_DAY)?
        .checked_add(hours.unwrap_or(0).checked_mul(3600)?)?
        .checked_add(minutes.unwrap_or(0).checked_mul(60)?)?
        .checked_add(seconds)?;
    let length = SignedDuration::new(total, nanos);
    Some(Value::DaysDuration(if negative { length.checked_neg()? } else { length }))
}

/// Removes the fraction of `…4.5S`: returns the rest and the nanoseconds.
fn fraction(clock: &str) -> Option<(String, i32)> {
    let Some((before, digits)) = clock.split_once('.') else {
        return Some((clock.to_owned(), 0));
    };
    let digits = digits.strip_suffix('S')?;
    if digits.is_empty() || digits.len() > 9 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some((format!("{before}S"), format!("{digits:0<9}").parse().ok()?))
}

fn whole(digits: &str) -> Option<i64> {
    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// Reads `12Y3M`: each unit at most once, in order, nothing else.
fn units(mut text: &str, names: [char; 2]) -> Option<[Option<i64>; 2]> {
    let mut found = [None, None];
    for (i, name) in names.into_iter().enumerate() {
        if let Some((digits, rest)) = text.split_once(name) {
            found[i] = Some(whole(digits)?);
            text = rest;
        }
    }
    text.is_empty().then_some(found)
}

/// `P1DT2H3M4S`, with days of 24 hours.
pub(super) fn days_duration_text(length: SignedDuration) -> String {
    if length.is_zero() {
        return "PT0S".to_owned();
    }
    let sign = if length.is_negative() { "-" } else { "" };
    let seconds = length.as_secs().unsigned_abs();
    let nanos = length.subsec_nanos().unsigned_abs();
    let mut text = format!("{sign}P");
    let day = SECONDS_PER_DAY.unsigned_abs();
    if seconds >= day {
        text.push_str(&format!("{}D", seconds / day));
    }
    let (hours, minutes, seconds) = (seconds % day / 3600, seconds / 60 % 60, seconds % 60);
    if hours + minutes + seconds > 0 || nanos > 0 {
        text.push('T');
    }
    for (count, unit) in [(hours, 'H'), (minutes, 'M')] {
        if count > 0 {
            text.push_str(&format!("{count}{unit}"));
        }
    }
    if nanos > 0 {
        let fraction = format!("{nanos:09}");
        text.push_str(&format!("{seconds}.{}S", fraction.trim_end_matches('0')));
    } else if seconds > 0 {
        text.push_str(&format!("{seconds}S"));
    }
    text
}

/// `P1Y2M`
pub(super) fn months_duration_text(months: i64) -> String {
    let sign = if months < 0 { "-" } else { "" };
    let months = months.unsigned_abs();
    match (months / 12, months % 12) {
        (0, months) => format!("{sign}P{months}M"),
        (years, 0) => format!("{sign}P{years}Y"),
        (years, months) => format!("{sign}P{years}Y{months}M"),
    }
}

/// A property such as `.year`; `None` if values of this type do not have it.
pub(super) fn property(value: &Value, name: &str) -> Option<Value> {
    match value {
        Value::Date(date) => date_property(*date, name),
        Value::Time(time) => time_property(time.civil, name).or_else(|| offset_property(time.offset, name)),
        Value::DateTime(moment) => {
            let civil = moment.civil();
            let (offset, zone) = match moment {
                DateTime::Local(_) => (None, None),
                DateTime::Zoned(zoned) => (Some(zoned.offset()), zoned.time_zone().iana_name()),
            };
            match name {
                "timezone" => Some(zone.map_or(Value::Null, Value::from)),
                "date" => Some(Value::Date(civil.date())),
                "time" => Some(Value::Time(Time { civil: civil.time(), offset })),
                _ => date_property(civil.date(), name)
                    .or_else(|| time_property(civil.time(), name))
                    .or_else(|| offset_property(offset, name)),
            }
        }
        Value::DaysDuration(length) => {
            let seconds = length.as_secs();
            Some(Value::from(match name {
                "days" => seconds / SECONDS_PER_DAY,
                "hours" => seconds % SECONDS_PER_DAY / 3600,
                "minutes" => seconds / 60 % 60,
                "seconds" => {
                    return Some(Value::Number(seconds_with_fraction(seconds % 60, length.subsec_nanos())));
                }
                _ => return None,
            }))
        }
        Value::MonthsDuration(months) => match name {
            "years" => Some(Value::from(months / 12)),
            "months" => Some(Value::from(months % 12)),
            _ => None,
        },
        _ => None,
    }
}

fn seconds_with_fraction(seconds: i64, nanos: i32) -> rust_decimal::Decimal {
    (rust_decimal::Decimal::from(seconds) + rust_decimal::Decimal::new(nanos.into(), 9)).normalize()
}

fn date_property(date: Date, name: &str) -> Option<Value> {
    Some(Value::from(match name {
        "year" => i64::from(date.year()),
        "month" => i64::from(date.month()),
        "day" => i64::from(date.day()),
        "weekday" => i64::from(date.weekday().to_monday_one_offset()),
        _ => return None,
    }))
}

fn time_property(time: civil::Time, name: &str) -> Option<Value> {
    Some(match name {
        "hour" => Value::from(i64::from(time.hour())),
        "minute" => Value::from(i64::from(time.minute())),
        "second" => Value::Number(seconds_with_fraction(time.second().into(), time.subsec_nanosecond())),
        _ => return None,
    })
}

fn offset_property(offset: Option<Offset>, name: &str) -> Option<Value> {
    (name == "time offset")
        .then(|| offset.map_or(Value::Null, |o| Value::DaysDuration(SignedDuration::from_secs(o.seconds().into()))))
}
