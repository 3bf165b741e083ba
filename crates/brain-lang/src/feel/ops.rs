//! Arithmetic, equality and order of values.

use std::cmp::Ordering;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Zoned};
use rust_decimal::prelude::{MathematicalOps, ToPrimitive};
use rust_decimal::{Decimal, RoundingStrategy};

use super::ast::ArithmeticOp;
use super::temporal::{DateTime, Time};
use super::value::{RangeValue, Value};

/// Why an operation failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trouble {
    /// The types do not fit.
    Type,
    DivisionByZero,
    /// The result is not representable.
    Overflow,
}

type Outcome = Result<Value, Trouble>;

const NANOS_PER_SECOND: i128 = 1_000_000_000;

/// Applies an operator. A local date and time is combined with a zoned one in the given zone.
pub(super) fn arithmetic(op: ArithmeticOp, a: &Value, b: &Value, zone: &TimeZone) -> Outcome {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => numbers(op, *x, *y).map(Value::Number),
        _ => match op {
            ArithmeticOp::Add => add(a, b),
            ArithmeticOp::Subtract => subtract(a, b, zone),
            ArithmeticOp::Multiply => multiply(a, b),
            ArithmeticOp::Divide => divide(a, b),
            ArithmeticOp::Power => Err(Trouble::Type),
        },
    }
}

fn numbers(op: ArithmeticOp, x: Decimal, y: Decimal) -> Result<Decimal, Trouble> {
    if op == ArithmeticOp::Divide && y.is_zero() {
        return Err(Trouble::DivisionByZero);
    }
    match op {
        ArithmeticOp::Add => x.checked_add(y),
        ArithmeticOp::Subtract => x.checked_sub(y),
        ArithmeticOp::Multiply => x.checked_mul(y),
        ArithmeticOp::Divide => x.checked_div(y),
        ArithmeticOp::Power => return power(x, y),
    }
    .ok_or(Trouble::Overflow)
}

/// Exact for whole exponents up to 28 digits; otherwise an approximation to 28 digits.
fn power(base: Decimal, exponent: Decimal) -> Result<Decimal, Trouble> {
    if base.is_zero() && exponent.is_sign_negative() && !exponent.is_zero() {
        return Err(Trouble::DivisionByZero);
    }
    if base.is_sign_negative() && !exponent.fract().is_zero() {
        return Err(Trouble::Type);
    }
    let whole = exponent.to_i64().filter(|_| exponent.fract().is_zero());
    match whole {
        Some(whole) => base.checked_powi(whole),
        None => base.checked_powd(exponent),
    }
    .ok_or(Trouble::Overflow)
}

fn add(a: &Value, b: &Value) -> Outcome {
    match (a, b) {
        (Value::String(x), Value::String(y)) => Ok(Value::from(format!("{x}{y}"))),
        (Value::DaysDuration(x), Value::DaysDuration(y)) => {
            x.checked_add(*y).map(Value::DaysDuration).ok_or(Trouble::Overflow)
        }
        (Value::MonthsDuration(x), Value::MonthsDuration(y)) => {
            x.checked_add(*y).map(Value::MonthsDuration).ok_or(Trouble::Overflow)
        }
        (moment, Value::DaysDuration(length)) | (Value::DaysDuration(length), moment) => later(moment, *length),
        (moment, Value::MonthsDuration(months)) | (Value::MonthsDuration(months), moment) => {
            months_later(moment, *months)
        }
        _ => Err(Trouble::Type),
    }
}

fn subtract(a: &Value, b: &Value, zone: &TimeZone) -> Outcome {
    let difference = match (a, b) {
        (Value::DaysDuration(x), Value::DaysDuration(y)) => x.checked_sub(*y).ok_or(Trouble::Overflow)?,
        (Value::MonthsDuration(x), Value::MonthsDuration(y)) => {
            return x.checked_sub(*y).map(Value::MonthsDuration).ok_or(Trouble::Overflow);
        }
        (moment, Value::DaysDuration(length)) => {
            return later(moment, length.checked_neg().ok_or(Trouble::Overflow)?);
        }
        (moment, Value::MonthsDuration(months)) => {
            return months_later(moment, months.checked_neg().ok_or(Trouble::Overflow)?);
        }
        (Value::Date(x), Value::Date(y)) => y.duration_until(*x),
        (Value::Time(x), Value::Time(y)) => seconds_of_day(x, y).map(|(x, y)| x - y)?,
        _ => {
            let (x, y) = (date_time(a).ok_or(Trouble::Type)?, date_time(b).ok_or(Trouble::Type)?);
            match (&x, &y) {
                (DateTime::Local(x), DateTime::Local(y)) => y.duration_until(*x),
                _ => {
                    let (x, y) = both_moments(&x, &y, zone)?;
                    y.duration_until(&x)
                }
            }
        }
    };
    Ok(Value::DaysDuration(difference))
}

/// A date means midnight when combined with a date and time.
fn date_time(value: &Value) -> Option<DateTime> {
    match value {
        Value::Date(date) => Some(DateTime::Local(date.at(0, 0, 0, 0))),
        Value::DateTime(moment) => Some(moment.clone()),
        _ => None,
    }
}

fn both_moments(x: &DateTime, y: &DateTime, zone: &TimeZone) -> Result<(Zoned, Zoned), Trouble> {
    Ok((x.moment(zone).ok_or(Trouble::Overflow)?, y.moment(zone).ok_or(Trouble::Overflow)?))
}

/// Two times of day on one scale; fails if only one has an offset.
fn seconds_of_day(x: &Time, y: &Time) -> Result<(SignedDuration, SignedDuration), Trouble> {
    let since_midnight = |time: &Time| {
        let offset = SignedDuration::from_secs(time.offset.map_or(0, |o| o.seconds().into()));
        jiff::civil::Time::midnight().duration_until(time.civil) - offset
    };
    if x.offset.is_some() == y.offset.is_some() {
        Ok((since_midnight(x), since_midnight(y)))
    } else {
        Err(Trouble::Type)
    }
}

fn later(moment: &Value, length: SignedDuration) -> Outcome {
    let overflow = |_| Trouble::Overflow;
    Ok(match moment {
        Value::Date(date) => Value::Date(date.at(0, 0, 0, 0).checked_add(length).map_err(overflow)?.date()),
        Value::Time(time) => Value::Time(Time { civil: time.civil.wrapping_add(length), ..*time }),
        Value::DateTime(DateTime::Local(civil)) => {
            Value::DateTime(DateTime::Local(civil.checked_add(length).map_err(overflow)?))
        }
        Value::DateTime(DateTime::Zoned(zoned)) => {
            Value::DateTime(DateTime::Zoned(Box::new(zoned.checked_add(length).map_err(overflow)?)))
        }
        _ => return Err(Trouble::Type),
    })
}

/// Adds months; the day is clamped to the end of the month.
fn months_later(moment: &Value, months: i64) -> Outcome {
    let overflow = |_| Trouble::Overflow;
    let span = Span::new().try_months(months).map_err(overflow)?;
    Ok(match moment {
        Value::Date(date) => Value::Date(date.checked_add(span).map_err(overflow)?),
        Value::DateTime(DateTime::Local(civil)) => {
            Value::DateTime(DateTime::Local(civil.checked_add(span).map_err(overflow)?))
        }
        Value::DateTime(DateTime::Zoned(zoned)) => {
            Value::DateTime(DateTime::Zoned(Box::new(zoned.checked_add(span).map_err(overflow)?)))
        }
        _ => return Err(Trouble::Type),
    })
}

fn multiply(a: &Value, b: &Value) -> Outcome {
    match (a, b) {
        (Value::DaysDuration(length), Value::Number(by)) | (Value::Number(by), Value::DaysDuration(length)) => {
            from_nanos(nanos(*length).checked_mul(*by).ok_or(Trouble::Overflow)?)
        }
        (Value::MonthsDuration(months), Value::Number(by)) | (Value::Number(by), Value::MonthsDuration(months)) => {
            from_months(Decimal::from(*months).checked_mul(*by).ok_or(Trouble::Overflow)?)
        }
        _ => Err(Trouble::Type),
    }
}

fn divide(a: &Value, b: &Value) -> Outcome {
    let divided = |x: Decimal, y: Decimal| numbers(ArithmeticOp::Divide, x, y);
    match (a, b) {
        (Value::DaysDuration(x), Value::Number(by)) => from_nanos(divided(nanos(*x), *by)?),
        (Value::MonthsDuration(x), Value::Number(by)) => from_months(divided((*x).into(), *by)?),
        (Value::DaysDuration(x), Value::DaysDuration(y)) => divided(nanos(*x), nanos(*y)).map(Value::Number),
        (Value::MonthsDuration(x), Value::MonthsDuration(y)) => divided((*x).into(), (*y).into()).map(Value::Number),
        _ => Err(Trouble::Type),
    }
}

/// All the nanoseconds of a length; 2^63 seconds of them fit a decimal.
fn nanos(length: SignedDuration) -> Decimal {
    Decimal::from_i128_with_scale(length.as_nanos(), 0)
}

fn from_nanos(nanos: Decimal) -> Outcome {
    let nanos = nanos.trunc().to_i128().ok_or(Trouble::Overflow)?;
    let seconds = i64::try_from(nanos / NANOS_PER_SECOND).map_err(|_| Trouble::Overflow)?;
    let rest = i32::try_from(nanos % NANOS_PER_SECOND).map_err(|_| Trouble::Overflow)?;
    Ok(Value::DaysDuration(SignedDuration::new(seconds, rest)))
}

fn from_months(months: Decimal) -> Outcome {
    months.trunc().to_i64().map(Value::MonthsDuration).ok_or(Trouble::Overflow)
}

/// Unary minus.
pub(super) fn negate(value: &Value) -> Outcome {
    match value {
        Value::Number(number) => Ok(Value::Number(-*number)),
        Value::DaysDuration(length) => length.checked_neg().map(Value::DaysDuration).ok_or(Trouble::Overflow),
        Value::MonthsDuration(months) => months.checked_neg().map(Value::MonthsDuration).ok_or(Trouble::Overflow),
        _ => Err(Trouble::Type),
    }
}

/// Whether two values are equal; values of different types never are.
pub(super) fn equal(a: &Value, b: &Value, zone: &TimeZone) -> bool {
    match (a, b) {
        (Value::List(x), Value::List(y)) => {
            x.len() == y.len() && x.iter().zip(y.iter()).all(|(x, y)| equal(x, y, zone))
        }
        (Value::Context(x), Value::Context(y)) => {
            x.len() == y.len() && x.iter().zip(y.iter()).all(|((k, x), (l, y))| k == l && equal(x, y, zone))
        }
        (Value::Range(x), Value::Range(y)) => {
            (x.start_included, x.end_included) == (y.start_included, y.end_included)
                && equal(&x.start, &y.start, zone)
                && equal(&x.end, &y.end, zone)
        }
        (Value::Time(_), Value::Time(_)) | (Value::DateTime(_), Value::DateTime(_)) => {
            order(a, b, zone) == Ok(Ordering::Equal)
        }
        _ => a == b,
    }
}

/// The order of two values of the same ordered type.
pub(super) fn order(a: &Value, b: &Value, zone: &TimeZone) -> Result<Ordering, Trouble> {
    Ok(match (a, b) {
        (Value::Number(x), Value::Number(y)) => x.cmp(y),
        (Value::String(x), Value::String(y)) => x.cmp(y),
        (Value::Date(x), Value::Date(y)) => x.cmp(y),
        (Value::Time(x), Value::Time(y)) => {
            let (x, y) = seconds_of_day(x, y)?;
            x.cmp(&y)
        }
        (Value::DateTime(DateTime::Local(x)), Value::DateTime(DateTime::Local(y))) => x.cmp(y),
        (Value::DateTime(x), Value::DateTime(y)) => {
            let (x, y) = both_moments(x, y, zone)?;
            x.timestamp().cmp(&y.timestamp())
        }
        (Value::DaysDuration(x), Value::DaysDuration(y)) => x.cmp(y),
        (Value::MonthsDuration(x), Value::MonthsDuration(y)) => x.cmp(y),
        _ => return Err(Trouble::Type),
    })
}

/// Whether a range contains a value; null if either is unknown.
pub(super) fn contains(range: &RangeValue, value: &Value, zone: &TimeZone) -> Result<Option<bool>, Trouble> {
    if value.is_null() || range.start.is_null() || range.end.is_null() {
        return Ok(None);
    }
    let after_start = match order(value, &range.start, zone)? {
        Ordering::Less => false,
        Ordering::Equal => range.start_included,
        Ordering::Greater => true,
    };
    let before_end = match order(value, &range.end, zone)? {
        Ordering::Less => true,
        Ordering::Equal => range.end_included,
        Ordering::Greater => false,
    };
    Ok(Some(after_start && before_end))
}

/// Whole years and months between two dates, truncated toward zero.
pub(super) fn months_between(from: Date, to: Date) -> i64 {
    let months = i64::from(to.year() - from.year()) * 12 + i64::from(to.month() - from.month());
    match months.cmp(&0) {
        Ordering::Greater if to.day() < from.day() => months - 1,
        Ordering::Less if to.day() > from.day() => months + 1,
        _ => months,
    }
}

/// Rounds to a scale, which may be negative: `round(1250, -2)` rounds to hundreds.
pub(super) fn round(number: Decimal, scale: i64, strategy: RoundingStrategy) -> Result<Decimal, Trouble> {
    if let Ok(places) = u32::try_from(scale) {
        return Ok(number.round_dp_with_strategy(places.min(Decimal::MAX_SCALE), strategy));
    }
    let unit = Decimal::TEN.checked_powi(-scale).ok_or(Trouble::Overflow)?;
    let units = number.checked_div(unit).ok_or(Trouble::Overflow)?;
    units.round_dp_with_strategy(0, strategy).checked_mul(unit).ok_or(Trouble::Overflow)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn decimals_are_exact() {
        let sum = numbers(ArithmeticOp::Add, number("0.1"), number("0.2")).unwrap();
        assert_eq!(sum, number("0.3"));
    }

    #[test]
    fn what_has_no_result_says_why() {
        let divide = |x, y| numbers(ArithmeticOp::Divide, number(x), number(y));
        assert_eq!(divide("1", "0"), Err(Trouble::DivisionByZero));
        assert_eq!(numbers(ArithmeticOp::Multiply, Decimal::MAX, number("10")), Err(Trouble::Overflow));
        assert_eq!(power(Decimal::ZERO, number("-1")), Err(Trouble::DivisionByZero));
        assert_eq!(power(number("-2"), number("0.5")), Err(Trouble::Type));
        assert_eq!(power(number("10"), number("400")), Err(Trouble::Overflow));
    }

    #[test]
    fn months_between_dates_count_only_whole_ones() {
        let date = |text: &str| text.parse::<Date>().unwrap();
        for (from, to, months) in [
            ("2024-01-31", "2025-03-01", 13),
            ("2024-01-15", "2024-02-15", 1),
            ("2024-02-15", "2024-01-16", 0),
            ("2024-03-31", "2024-01-30", -2),
        ] {
            assert_eq!(months_between(date(from), date(to)), months, "{from} {to}");
        }
    }

    #[test]
    fn a_negative_scale_rounds_before_the_point() {
        let rounded = round(number("1250"), -2, RoundingStrategy::MidpointAwayFromZero).unwrap();
        assert_eq!(rounded, number("1300"));
        assert_eq!(round(number("1"), -40, RoundingStrategy::ToZero), Err(Trouble::Overflow));
    }
}
