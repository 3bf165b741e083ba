//! Aggregates: `f([1, 2, 3])` or `f(1, 2, 3)`. Of an empty list they are null.

use std::cmp::Ordering;

use rust_decimal::Decimal;
use rust_decimal::prelude::MathematicalOps;

use super::{Builtin, Call, given, repeating};
use crate::feel::ast::ArithmeticOp;
use crate::feel::error::{FeelError, FeelErrorKind};
use crate::feel::eval::Evaluated;
use crate::feel::ops::{self, Trouble};
use crate::feel::value::Value;

const LIST: &[super::Signature] = &[repeating(&["list"], 1)];

pub(super) const FUNCTIONS: &[Builtin] = &[
    Builtin { name: "min", signatures: LIST, run: min },
    Builtin { name: "max", signatures: LIST, run: max },
    Builtin { name: "sum", signatures: LIST, run: sum },
    Builtin { name: "mean", signatures: LIST, run: mean },
    Builtin { name: "median", signatures: LIST, run: median },
    Builtin { name: "mode", signatures: LIST, run: mode },
    Builtin { name: "stddev", signatures: LIST, run: stddev },
    Builtin { name: "product", signatures: LIST, run: product },
];

fn extreme(call: &mut Call<'_, '_, '_>, wanted: Ordering) -> Evaluated {
    let items = given!(call.items());
    call.charge(items.len())?;
    let mut best: Option<&Value> = None;
    for item in items.iter() {
        if item.is_null() {
            return Err(null_item(call));
        }
        let better = match best {
            None => true,
            Some(best) => {
                ops::order(item, best, &call.evaluator.env.time_zone).map_err(|_| {
                    let message = format!("a {} and a {} cannot be compared", best.type_name(), item.type_name());
                    FeelError::new(FeelErrorKind::Type, call.arg_span(0), message)
                })? == wanted
            }
        };
        if better {
            best = Some(item);
        }
    }
    Ok(best.cloned().unwrap_or_default())
}

fn null_item(call: &Call<'_, '_, '_>) -> FeelError {
    let message = format!("`{}` cannot take a list with null in it", call.builtin.name);
    FeelError::new(FeelErrorKind::Type, call.arg_span(0), message).help("leave nulls out with `list[item != null]`")
}

fn min(call: &mut Call<'_, '_, '_>) -> Evaluated {
    extreme(call, Ordering::Less)
}

fn max(call: &mut Call<'_, '_, '_>) -> Evaluated {
    extreme(call, Ordering::Greater)
}

/// Numbers or durations.
fn sum(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let items = given!(call.items());
    call.charge(items.len())?;
    let mut total: Option<Value> = None;
    for item in items.iter() {
        if item.is_null() {
            return Err(null_item(call));
        }
        if !matches!(item, Value::Number(_) | Value::DaysDuration(_) | Value::MonthsDuration(_)) {
            let message = format!("`sum` cannot add a {}", item.type_name());
            return Err(FeelError::new(FeelErrorKind::Type, call.arg_span(0), message));
        }
        total = Some(match total {
            None => item.clone(),
            Some(total) => ops::arithmetic(ArithmeticOp::Add, &total, item, &call.evaluator.env.time_zone)
                .map_err(|trouble| call.trouble(trouble))?,
        });
    }
    Ok(total.unwrap_or_default())
}

/// The numbers of the arguments; `None` for null.
fn numbers(call: &mut Call<'_, '_, '_>) -> Result<Option<Vec<Decimal>>, FeelError> {
    let Some(items) = call.items()? else {
        return Ok(None);
    };
    call.charge(items.len())?;
    let numbers = items.iter().map(|item| match item {
        Value::Number(number) => Ok(*number),
        Value::Null => Err(null_item(call)),
        other => {
            let message = format!("`{}` needs numbers, not a {}", call.builtin.name, other.type_name());
            Err(FeelError::new(FeelErrorKind::Type, call.arg_span(0), message))
        }
    });
    numbers.collect::<Result<_, _>>().map(Some)
}

/// A result, or an error if it is out of range.
fn or_overflow(call: &Call<'_, '_, '_>, number: Option<Decimal>) -> Evaluated {
    number.map(Value::Number).ok_or_else(|| call.trouble(Trouble::Overflow))
}

fn total(numbers: &[Decimal]) -> Option<Decimal> {
    numbers.iter().try_fold(Decimal::ZERO, |total, number| total.checked_add(*number))
}

fn average(numbers: &[Decimal]) -> Option<Decimal> {
    total(numbers)?.checked_div(numbers.len().into())
}

fn mean(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let numbers = given!(numbers(call));
    if numbers.is_empty() { Ok(Value::Null) } else { or_overflow(call, average(&numbers)) }
}

fn median(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let mut numbers = given!(numbers(call));
    numbers.sort_unstable();
    let middle = numbers.len() / 2;
    match numbers.get(middle) {
        None => Ok(Value::Null),
        Some(upper) if numbers.len() % 2 == 1 => Ok(Value::Number(*upper)),
        Some(upper) => or_overflow(call, average(&[numbers[middle - 1], *upper])),
    }
}

/// The most frequent numbers, ascending.
fn mode(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let mut numbers = given!(numbers(call));
    numbers.sort_unstable();
    let runs: Vec<&[Decimal]> = numbers.chunk_by(|a, b| a == b).collect();
    let longest = runs.iter().map(|run| run.len()).max().unwrap_or(0);
    Ok(Value::list(runs.iter().filter(|run| run.len() == longest).map(|run| Value::Number(run[0]))))
}

/// The sample standard deviation; null for fewer than two numbers.
fn stddev(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let numbers = given!(numbers(call));
    if numbers.len() < 2 {
        return Ok(Value::Null);
    }
    let deviation = (|| {
        let mean = average(&numbers)?;
        let squares: Option<Vec<Decimal>> = numbers
            .iter()
            .map(|number| {
                let distance = number.checked_sub(mean)?;
                distance.checked_mul(distance)
            })
            .collect();
        total(&squares?)?.checked_div((numbers.len() - 1).into())?.sqrt()
    })();
    or_overflow(call, deviation)
}

fn product(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let numbers = given!(numbers(call));
    if numbers.is_empty() {
        return Ok(Value::Null);
    }
    let product = numbers.iter().try_fold(Decimal::ONE, |product, number| product.checked_mul(*number));
    or_overflow(call, product)
}
