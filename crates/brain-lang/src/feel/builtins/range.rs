//! Relations between ranges, or a range and a point.

use std::cmp::Ordering;

use super::{Builtin, Call, sig};
use crate::feel::error::FeelError;
use crate::feel::eval::Evaluated;
use crate::feel::ops;
use crate::feel::value::{RangeValue, Value};

const TWO: &[super::Signature] =
    &[sig(&["range1", "range2"], 2), sig(&["range", "point"], 2), sig(&["point", "range"], 2)];

pub(super) const FUNCTIONS: &[Builtin] = &[
    Builtin { name: "before", signatures: TWO, run: before },
    Builtin { name: "after", signatures: TWO, run: after },
    Builtin { name: "meets", signatures: TWO, run: meets },
    Builtin { name: "overlaps", signatures: TWO, run: overlaps },
    Builtin { name: "includes", signatures: TWO, run: includes },
    Builtin { name: "during", signatures: TWO, run: during },
];

/// An argument as a range; a point is a range of itself. `None` if it or a bound is null.
fn range(call: &Call<'_, '_, '_>, i: usize) -> Option<RangeValue> {
    match call.arg(i) {
        Value::Null => None,
        Value::Range(range) if range.start.is_null() || range.end.is_null() => None,
        Value::Range(range) => Some((**range).clone()),
        point => {
            Some(RangeValue { start: point.clone(), start_included: true, end: point.clone(), end_included: true })
        }
    }
}

fn order(call: &Call<'_, '_, '_>, a: &Value, b: &Value) -> Result<Ordering, FeelError> {
    ops::order(a, b, &call.evaluator.env.time_zone).map_err(|trouble| call.trouble(trouble))
}

/// Whether the first range ends before the second begins.
fn is_before(call: &Call<'_, '_, '_>, a: &RangeValue, b: &RangeValue) -> Result<bool, FeelError> {
    Ok(match order(call, &a.end, &b.start)? {
        Ordering::Less => true,
        Ordering::Equal => !(a.end_included && b.start_included),
        Ordering::Greater => false,
    })
}

/// Whether the first range contains the second.
fn holds(call: &Call<'_, '_, '_>, a: &RangeValue, b: &RangeValue) -> Result<bool, FeelError> {
    let starts = match order(call, &a.start, &b.start)? {
        Ordering::Less => true,
        Ordering::Equal => a.start_included || !b.start_included,
        Ordering::Greater => false,
    };
    let ends = match order(call, &a.end, &b.end)? {
        Ordering::Greater => true,
        Ordering::Equal => a.end_included || !b.end_included,
        Ordering::Less => false,
    };
    Ok(starts && ends)
}

type Relation = fn(&Call<'_, '_, '_>, &RangeValue, &RangeValue) -> Result<bool, FeelError>;

fn related(call: &Call<'_, '_, '_>, swapped: bool, relation: Relation) -> Evaluated {
    let (Some(a), Some(b)) = (range(call, 0), range(call, 1)) else {
        return Ok(Value::Null);
    };
    let (a, b) = if swapped { (b, a) } else { (a, b) };
    relation(call, &a, &b).map(Value::Bool)
}

fn before(call: &mut Call<'_, '_, '_>) -> Evaluated {
    related(call, false, is_before)
}

fn after(call: &mut Call<'_, '_, '_>) -> Evaluated {
    related(call, true, is_before)
}

fn meets(call: &mut Call<'_, '_, '_>) -> Evaluated {
    related(call, false, |call, a, b| {
        Ok(a.end_included && b.start_included && order(call, &a.end, &b.start)? == Ordering::Equal)
    })
}

fn overlaps(call: &mut Call<'_, '_, '_>) -> Evaluated {
    related(call, false, |call, a, b| Ok(!is_before(call, a, b)? && !is_before(call, b, a)?))
}

fn includes(call: &mut Call<'_, '_, '_>) -> Evaluated {
    related(call, false, holds)
}

fn during(call: &mut Call<'_, '_, '_>) -> Evaluated {
    related(call, true, holds)
}
