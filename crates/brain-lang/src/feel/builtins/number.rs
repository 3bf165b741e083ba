//! Functions on numbers: rounding, and the few that are not exact.

use rust_decimal::RoundingStrategy;
use rust_decimal::prelude::MathematicalOps;

use super::{Builtin, Call, given, sig};
use crate::feel::error::FeelError;
use crate::feel::eval::Evaluated;
use crate::feel::ops::{self, Trouble};
use crate::feel::value::Value;

const ROUND: &[super::Signature] = &[sig(&["n", "scale"], 1)];
const ONE: &[super::Signature] = &[sig(&["number"], 1)];

pub(super) const FUNCTIONS: &[Builtin] = &[
    Builtin { name: "decimal", signatures: &[sig(&["n", "scale"], 2)], run: decimal },
    Builtin { name: "floor", signatures: ROUND, run: floor },
    Builtin { name: "ceiling", signatures: ROUND, run: ceiling },
    Builtin { name: "round up", signatures: ROUND, run: round_up },
    Builtin { name: "round down", signatures: ROUND, run: round_down },
    Builtin { name: "round half up", signatures: ROUND, run: round_half_up },
    Builtin { name: "round half down", signatures: ROUND, run: round_half_down },
    Builtin { name: "abs", signatures: &[sig(&["n"], 1)], run: abs },
    Builtin { name: "modulo", signatures: &[sig(&["dividend", "divisor"], 2)], run: modulo },
    Builtin { name: "sqrt", signatures: ONE, run: sqrt },
    Builtin { name: "log", signatures: ONE, run: log },
    Builtin { name: "exp", signatures: ONE, run: exp },
    Builtin { name: "odd", signatures: ONE, run: odd },
    Builtin { name: "even", signatures: ONE, run: even },
];

fn rounded(call: &mut Call<'_, '_, '_>, strategy: RoundingStrategy) -> Evaluated {
    let number = given!(call.number(0));
    let scale = call.whole(1)?.unwrap_or(0);
    ops::round(number, scale, strategy).map(Value::Number).map_err(|trouble| call.trouble(trouble))
}

/// Rounds half to even.
fn decimal(call: &mut Call<'_, '_, '_>) -> Evaluated {
    given!(call.whole(1));
    rounded(call, RoundingStrategy::MidpointNearestEven)
}

fn floor(call: &mut Call<'_, '_, '_>) -> Evaluated {
    rounded(call, RoundingStrategy::ToNegativeInfinity)
}

fn ceiling(call: &mut Call<'_, '_, '_>) -> Evaluated {
    rounded(call, RoundingStrategy::ToPositiveInfinity)
}

fn round_up(call: &mut Call<'_, '_, '_>) -> Evaluated {
    rounded(call, RoundingStrategy::AwayFromZero)
}

fn round_down(call: &mut Call<'_, '_, '_>) -> Evaluated {
    rounded(call, RoundingStrategy::ToZero)
}

fn round_half_up(call: &mut Call<'_, '_, '_>) -> Evaluated {
    rounded(call, RoundingStrategy::MidpointAwayFromZero)
}

fn round_half_down(call: &mut Call<'_, '_, '_>) -> Evaluated {
    rounded(call, RoundingStrategy::MidpointTowardZero)
}

fn abs(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let negative = match call.arg(0) {
        Value::Null => return Ok(Value::Null),
        Value::Number(number) => number.is_sign_negative(),
        Value::DaysDuration(length) => length.is_negative(),
        Value::MonthsDuration(months) => *months < 0,
        _ => return Err(call.wrong(0, "a number or a duration")),
    };
    if negative { ops::negate(call.arg(0)).map_err(|trouble| call.trouble(trouble)) } else { Ok(call.arg(0).clone()) }
}

/// The remainder with the sign of the divisor.
fn modulo(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let (a, b) = (given!(call.number(0)), given!(call.number(1)));
    if b.is_zero() {
        return Err(call.trouble(Trouble::DivisionByZero));
    }
    let overflow = |call: &Call<'_, '_, '_>| call.trouble(Trouble::Overflow);
    let rest = a.checked_rem(b).ok_or_else(|| overflow(call))?;
    let differs = !rest.is_zero() && rest.is_sign_negative() != b.is_sign_negative();
    Ok(Value::Number(if differs { rest.checked_add(b).ok_or_else(|| overflow(call))? } else { rest }))
}

fn outside(call: &Call<'_, '_, '_>, wanted: &str) -> FeelError {
    let mut error = call.trouble(Trouble::Overflow);
    error.message = format!("`{}` needs {wanted}", call.builtin.name);
    error
}

fn sqrt(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let number = given!(call.number(0));
    number.sqrt().map(Value::Number).ok_or_else(|| outside(call, "a number that is not negative"))
}

fn log(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let number = given!(call.number(0));
    number.checked_ln().map(Value::Number).ok_or_else(|| outside(call, "a number above zero"))
}

fn exp(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let number = given!(call.number(0));
    number.checked_exp().map(Value::Number).ok_or_else(|| outside(call, "a smaller number"))
}

fn is_odd(call: &Call<'_, '_, '_>) -> Result<Option<bool>, FeelError> {
    Ok(call.whole(0)?.map(|number| number % 2 != 0))
}

fn odd(call: &mut Call<'_, '_, '_>) -> Evaluated {
    Ok(Value::Bool(given!(is_odd(call))))
}

fn even(call: &mut Call<'_, '_, '_>) -> Evaluated {
    Ok(Value::Bool(!given!(is_odd(call))))
}
