//! Numbers and times of records: comparing them, adding them up.

use std::cmp::Ordering;

use brain_core::{Failure, Timestamp};
use brain_lang::text::money_text;
use brain_registry::model::RecordDef;
use brain_store::RecordRow;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use rust_decimal::{Decimal, RoundingStrategy};
use serde_json::Value;

use super::Query;

/// Decimals of an average of numbers that have fewer.
const AVERAGE_SCALE: u32 = 2;

/// A value that has an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Measured {
    Number(Decimal),
    Day(Date),
    Moment(jiff::Timestamp),
}

impl Measured {
    /// The day of a time.
    pub(super) fn day(&self, zone: &TimeZone) -> Option<Date> {
        match self {
            Self::Number(_) => None,
            Self::Day(day) => Some(*day),
            Self::Moment(at) => Some(at.to_zoned(zone.clone()).date()),
        }
    }

    pub(super) fn json(&self) -> Value {
        Value::from(match self {
            Self::Number(number) => number.to_string(),
            Self::Day(day) => day.to_string(),
            Self::Moment(at) => at.to_string(),
        })
    }

    /// As people read it: money with its scale and currency, moments in the pack's time zone.
    pub(super) fn shown(&self, is_money: bool, query: &Query<'_>) -> String {
        match self {
            Self::Number(number) if is_money && query.currency.is_empty() => money_text(*number),
            Self::Number(number) if is_money => format!("{} {}", query.currency, money_text(*number)),
            Self::Number(number) => number.normalize().to_string(),
            Self::Day(day) => day.to_string(),
            Self::Moment(at) => at.to_zoned(query.zone.clone()).strftime("%Y-%m-%d %H:%M").to_string(),
        }
    }
}

pub(super) fn measured(value: &Value) -> Option<Measured> {
    let text = brain_core::decimal_text(value)?;
    Decimal::from_str_exact(&text).ok().map(Measured::Number)
}

/// A day or moment of a record.
pub(super) fn time(row: &RecordRow, field: &str) -> Option<Measured> {
    let moment = |at: Timestamp| Some(Measured::Moment(at.to_jiff()));
    match field {
        "created_at" => moment(row.created_at),
        "updated_at" => moment(row.updated_at),
        _ => {
            let text = row.body[field].as_str()?;
            let moment = text.parse().ok().map(Measured::Moment);
            moment.or_else(|| text.parse().ok().map(Measured::Day))
        }
    }
}

pub(super) fn is_money(def: &RecordDef, field: &str) -> bool {
    def.field(field).is_some_and(|field| field.schema["format"] == "money")
}

pub(super) fn is_time(def: &RecordDef, field: &str) -> bool {
    let format = def.field(field).map(|field| &field.schema["format"]);
    format.is_some_and(|format| format == "date" || format == "date-time")
}

fn value(query: &Query<'_>, row: &RecordRow, field: &str) -> Option<Measured> {
    if is_time(query.def(), field) { time(row, field) } else { measured(&row.body[field]) }
}

/// The records of an answer and what was measured.
pub(super) struct Summary<'a> {
    pub(super) measure: &'a str,
    pub(super) of: Option<&'a str>,
    /// How many records match.
    pub(super) count: usize,
    /// How many of them have no value.
    pub(super) without: usize,
    /// The records of the answer, in its order: those that match, or those with the highest value.
    pub(super) rows: Vec<RecordRow>,
    pub(super) value: Option<Measured>,
}

impl<'a> Summary<'a> {
    pub(super) fn of(
        query: &Query<'a>,
        measure: &'a str,
        of: Option<&'a str>,
        mut rows: Vec<RecordRow>,
    ) -> Result<Self, Failure> {
        let count = rows.len();
        sort(query, measure, of, &mut rows);
        let Some(field) = of.filter(|_| measure != "list") else {
            return Ok(Self { measure, of, count, without: 0, rows, value: None });
        };
        let values: Vec<Measured> = rows.iter().filter_map(|row| value(query, row, field)).collect();
        let without = count - values.len();
        let value = match measure {
            "highest" | "lowest" => {
                let best = if measure == "highest" { values.iter().max() } else { values.iter().min() };
                rows.retain(|row| best.is_some() && value(query, row, field).as_ref() == best);
                best.copied()
            }
            _ => {
                let sum = sum(&values)?;
                let average = || average(sum, values.len(), is_money(query.def(), field));
                if measure == "sum" { Some(sum) } else { average() }.map(Measured::Number)
            }
        };
        Ok(Self { measure, of, count, without, rows, value })
    }
}

/// By the field that is compared, records without a value last; else by age.
fn sort(query: &Query<'_>, measure: &str, of: Option<&str>, rows: &mut [RecordRow]) {
    let order = query.text("order");
    let ascends = measure == "lowest" || order == Some("lowest");
    let by_value = of.filter(|_| measure == "list" && !matches!(order, Some("newest" | "oldest")));
    rows.sort_by(|a, b| {
        let by_value = by_value.map_or(Ordering::Equal, |of| match (value(query, a, of), value(query, b, of)) {
            (Some(a), Some(b)) if ascends => a.cmp(&b),
            (Some(a), Some(b)) => b.cmp(&a),
            (a, b) => b.is_some().cmp(&a.is_some()),
        });
        let by_age = (a.created_at, a.id).cmp(&(b.created_at, b.id));
        by_value.then(if order == Some("oldest") { by_age } else { by_age.reverse() })
    });
}

fn sum(values: &[Measured]) -> Result<Decimal, Failure> {
    let numbers = values.iter().filter_map(|value| match value {
        Measured::Number(number) => Some(*number),
        Measured::Day(_) | Measured::Moment(_) => None,
    });
    let too_large = || Failure::business("too_large", "The sum has more digits than an exact number can hold.");
    let add = |sum: Decimal, number: Decimal| sum.checked_add(number).ok_or_else(too_large);
    numbers.into_iter().try_fold(Decimal::ZERO, add)
}

fn average(sum: Decimal, count: usize, is_money: bool) -> Option<Decimal> {
    let average = sum.checked_div(Decimal::from(count))?;
    let scale = AVERAGE_SCALE.max(sum.scale());
    let rounded = average.round_dp_with_strategy(scale, RoundingStrategy::MidpointAwayFromZero);
    Some(if is_money { rounded } else { rounded.normalize() })
}
