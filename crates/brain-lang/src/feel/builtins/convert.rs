//! Conversions between types. A text that does not parse yields null; a value of the wrong type is an error.

use jiff::civil;
use jiff::tz::Offset;
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use super::{Builtin, Call, given, repeating, sig};
use crate::feel::error::FeelError;
use crate::feel::eval::Evaluated;
use crate::feel::temporal::{self, DateTime, Time};
use crate::feel::value::Value;
use crate::feel::{json, ops};

pub(super) const FUNCTIONS: &[Builtin] = &[
    Builtin {
        name: "number",
        signatures: &[sig(&["from", "grouping separator", "decimal separator"], 1)],
        run: number,
    },
    Builtin { name: "string", signatures: &[sig(&["from"], 1)], run: string },
    Builtin { name: "date", signatures: &[sig(&["from"], 1), sig(&["year", "month", "day"], 3)], run: date },
    Builtin {
        name: "time",
        signatures: &[sig(&["from"], 1), sig(&["hour", "minute", "second", "offset"], 3)],
        run: time,
    },
    Builtin {
        name: "date and time",
        signatures: &[sig(&["from"], 1), sig(&["date", "time"], 2), sig(&["date", "timezone"], 2)],
        run: date_and_time,
    },
    Builtin { name: "duration", signatures: &[sig(&["from"], 1)], run: duration },
    Builtin { name: "years and months duration", signatures: &[sig(&["from", "to"], 2)], run: months_duration },
    Builtin { name: "not", signatures: &[sig(&["negand"], 1)], run: not },
    Builtin { name: "uuid", signatures: &[sig(&[], 0)], run: uuid },
    Builtin { name: "get or else", signatures: &[sig(&["value", "default"], 2)], run: get_or_else },
    Builtin { name: "coalesce", signatures: &[repeating(&["value"], 1)], run: coalesce },
];

fn number(call: &mut Call<'_, '_, '_>) -> Evaluated {
    if let Value::Number(number) = call.arg(0) {
        return Ok(Value::Number(*number));
    }
    let mut text = given!(call.text(0)).to_string();
    let grouping = call.text(1)?;
    let point = call.text(2)?;
    if grouping.is_some() && grouping == point {
        return Err(call.wrong(2, "another separator"));
    }
    if let Some(grouping) = grouping.filter(|g| !g.is_empty()) {
        text = text.replace(&*grouping, "");
    }
    if let Some(point) = point.filter(|p| !p.is_empty()) {
        if &*point != "." && text.contains('.') {
            return Ok(Value::Null);
        }
        text = text.replace(&*point, ".");
    }
    Ok(json::decimal(text.trim()).map_or(Value::Null, Value::Number))
}

fn string(call: &mut Call<'_, '_, '_>) -> Evaluated {
    Ok(match call.arg(0) {
        Value::Null => Value::Null,
        Value::String(text) => Value::String(text.clone()),
        other => Value::from(other.to_string()),
    })
}

fn small(value: i64) -> Option<i8> {
    i8::try_from(value).ok()
}

fn date(call: &mut Call<'_, '_, '_>) -> Evaluated {
    if call.args.len() == 1 {
        return Ok(match call.arg(0) {
            Value::Null => Value::Null,
            Value::Date(date) => Value::Date(*date),
            Value::DateTime(moment) => Value::Date(moment.civil().date()),
            Value::String(text) => temporal::parse_date(text)
                .or_else(|| temporal::parse_date_time(text).map(|moment| moment.civil().date()))
                .map_or(Value::Null, Value::Date),
            _ => return Err(call.wrong(0, "a string, a date or a date and time")),
        });
    }
    let (year, month, day) = (given!(call.whole(0)), given!(call.whole(1)), given!(call.whole(2)));
    let date = (|| civil::Date::new(i16::try_from(year).ok()?, small(month)?, small(day)?).ok())();
    Ok(date.map_or(Value::Null, Value::Date))
}

fn time(call: &mut Call<'_, '_, '_>) -> Evaluated {
    if call.args.len() == 1 {
        return Ok(match call.arg(0) {
            Value::Null => Value::Null,
            Value::Time(time) => Value::Time(*time),
            Value::Date(_) => Value::Time(Time { civil: civil::Time::midnight(), offset: None }),
            Value::DateTime(moment) => Value::Time(time_of(moment)),
            Value::String(text) => temporal::parse_time(text)
                .or_else(|| text.contains('T').then(|| temporal::parse_date_time(text))?.as_ref().map(time_of))
                .map_or(Value::Null, Value::Time),
            _ => return Err(call.wrong(0, "a string, a time or a date and time")),
        });
    }
    let (hour, minute, second) = (given!(call.whole(0)), given!(call.whole(1)), given!(call.number(2)));
    let offset = match call.arg(3) {
        Value::Null => None,
        Value::DaysDuration(length) => match i32::try_from(length.as_secs()).map(Offset::from_seconds) {
            Ok(Ok(offset)) => Some(offset),
            _ => return Ok(Value::Null),
        },
        _ => return Err(call.wrong(3, "a duration")),
    };
    let civil = (|| {
        let nanos = (second.fract() * Decimal::from(1_000_000_000)).to_i32()?;
        civil::Time::new(small(hour)?, small(minute)?, small(second.trunc().to_i64()?)?, nanos).ok()
    })();
    Ok(civil.map_or(Value::Null, |civil| Value::Time(Time { civil, offset })))
}

fn time_of(moment: &DateTime) -> Time {
    let offset = match moment {
        DateTime::Local(_) => None,
        DateTime::Zoned(zoned) => Some(zoned.offset()),
    };
    Time { civil: moment.civil().time(), offset }
}

fn date_and_time(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let moment = match call.arg(0) {
        Value::Null => return Ok(Value::Null),
        Value::Date(date) => DateTime::Local(date.at(0, 0, 0, 0)),
        Value::DateTime(moment) => moment.clone(),
        Value::String(text) if call.args.len() == 1 => match temporal::parse_date_time(text) {
            Some(moment) => moment,
            None => return Ok(Value::Null),
        },
        _ => return Err(call.wrong(0, "a string, a date or a date and time")),
    };
    if call.args.len() == 1 {
        return Ok(Value::DateTime(moment));
    }
    Ok(match call.arg(1) {
        Value::Null => Value::Null,
        Value::Time(Time { civil, offset }) => {
            let local = moment.civil().date().to_datetime(*civil);
            match offset {
                None => Value::DateTime(DateTime::Local(local)),
                Some(offset) => zoned(local, offset.to_time_zone()),
            }
        }
        // A zoned value is converted to the other zone; a local one is interpreted in it.
        Value::String(name) => match (temporal::parse_zone(name), moment) {
            (None, _) => Value::Null,
            (Some(zone), DateTime::Local(civil)) => zoned(civil, zone),
            (Some(zone), DateTime::Zoned(zoned)) => {
                Value::DateTime(DateTime::Zoned(Box::new(zoned.with_time_zone(zone))))
            }
        },
        _ => return Err(call.wrong(1, "a time or the name of a time zone")),
    })
}

fn zoned(civil: civil::DateTime, zone: jiff::tz::TimeZone) -> Value {
    temporal::in_zone(civil, zone).map_or(Value::Null, Value::DateTime)
}

fn duration(call: &mut Call<'_, '_, '_>) -> Evaluated {
    Ok(match call.arg(0) {
        Value::Null => Value::Null,
        Value::DaysDuration(_) | Value::MonthsDuration(_) => call.arg(0).clone(),
        Value::String(text) => temporal::parse_duration(text).unwrap_or_default(),
        _ => return Err(call.wrong(0, "a string or a duration")),
    })
}

fn date_of(call: &Call<'_, '_, '_>, i: usize) -> Result<Option<civil::Date>, FeelError> {
    match call.arg(i) {
        Value::Null => Ok(None),
        Value::Date(date) => Ok(Some(*date)),
        Value::DateTime(moment) => Ok(Some(moment.civil().date())),
        _ => Err(call.wrong(i, "a date or a date and time")),
    }
}

fn months_duration(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let (from, to) = (given!(date_of(call, 0)), given!(date_of(call, 1)));
    Ok(Value::MonthsDuration(ops::months_between(from, to)))
}

fn not(call: &mut Call<'_, '_, '_>) -> Evaluated {
    match call.arg(0) {
        Value::Null => Ok(Value::Null),
        Value::Bool(value) => Ok(Value::Bool(!value)),
        _ => Err(call.wrong(0, "true or false")),
    }
}

/// A random (version 4) UUID from the environment's bits.
fn uuid(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let bits = (call.evaluator.env.random)();
    let bits = bits & !(0xF << 76) & !(0x3 << 62) | (0x4 << 76) | (0x2 << 62);
    let hex = format!("{bits:032x}");
    let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    Ok(Value::from(parts.join("-")))
}

fn get_or_else(call: &mut Call<'_, '_, '_>) -> Evaluated {
    Ok(if call.has(0) { call.arg(0).clone() } else { call.arg(1).clone() })
}

fn coalesce(call: &mut Call<'_, '_, '_>) -> Evaluated {
    Ok(call.args.iter().find(|value| !value.is_null()).cloned().unwrap_or_default())
}
