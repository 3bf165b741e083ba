//! Functions on lists. Positions count from 1; negative ones from the end.

use std::cmp::Ordering;

use rust_decimal::Decimal;

use super::{Builtin, Call, given, repeating, sig};
use crate::feel::MAX_LIST_ITEMS;
use crate::feel::error::{FeelError, FeelErrorKind};
use crate::feel::eval::Evaluated;
use crate::feel::explain::not_boolean;
use crate::feel::iterate::position_index;
use crate::feel::ops;
use crate::feel::value::Value;

const LIST: &[super::Signature] = &[sig(&["list"], 1)];

pub(super) const FUNCTIONS: &[Builtin] = &[
    Builtin { name: "list contains", signatures: &[sig(&["list", "element"], 2)], run: list_contains },
    Builtin { name: "count", signatures: LIST, run: count },
    Builtin { name: "is empty", signatures: LIST, run: is_empty },
    Builtin { name: "all", signatures: &[repeating(&["list"], 1)], run: all },
    Builtin { name: "any", signatures: &[repeating(&["list"], 1)], run: any },
    Builtin { name: "sublist", signatures: &[sig(&["list", "start position", "length"], 2)], run: sublist },
    Builtin { name: "append", signatures: &[repeating(&["list", "item"], 1)], run: append },
    Builtin { name: "concatenate", signatures: &[repeating(&["list"], 1)], run: concatenate },
    Builtin { name: "insert before", signatures: &[sig(&["list", "position", "newItem"], 3)], run: insert_before },
    Builtin { name: "remove", signatures: &[sig(&["list", "position"], 2)], run: remove },
    Builtin { name: "list replace", signatures: &[sig(&["list", "position", "newItem"], 3)], run: list_replace },
    Builtin { name: "reverse", signatures: LIST, run: reverse },
    Builtin { name: "index of", signatures: &[sig(&["list", "match"], 2)], run: index_of },
    Builtin { name: "union", signatures: &[repeating(&["list"], 1)], run: union },
    Builtin { name: "distinct values", signatures: LIST, run: distinct_values },
    Builtin { name: "flatten", signatures: LIST, run: flatten },
    Builtin { name: "sort", signatures: &[sig(&["list", "precedes"], 1)], run: sort },
];

fn list_contains(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let list = given!(call.list(0));
    let wanted = call.arg(1).clone();
    call.charge(list.len())?;
    for item in list.iter() {
        if call.equal(item, &wanted)? {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}

fn count(call: &mut Call<'_, '_, '_>) -> Evaluated {
    Ok(Value::Number(given!(call.list(0)).len().into()))
}

fn is_empty(call: &mut Call<'_, '_, '_>) -> Evaluated {
    Ok(Value::Bool(given!(call.list(0)).is_empty()))
}

/// Three-valued: the deciding value wins, then null, then the other.
fn decided(call: &mut Call<'_, '_, '_>, deciding: bool) -> Evaluated {
    let list = given!(call.items());
    let mut unknown = false;
    for item in list.iter() {
        match item {
            Value::Bool(value) if *value == deciding => return Ok(Value::Bool(deciding)),
            Value::Bool(_) => {}
            Value::Null => unknown = true,
            other => return Err(not_boolean(other, call.builtin.name, &call.arg_span(0))),
        }
    }
    Ok(if unknown { Value::Null } else { Value::Bool(!deciding) })
}

fn all(call: &mut Call<'_, '_, '_>) -> Evaluated {
    decided(call, false)
}

fn any(call: &mut Call<'_, '_, '_>) -> Evaluated {
    decided(call, true)
}

/// The index of a position argument; an error if it is out of range.
fn index(call: &Call<'_, '_, '_>, length: usize) -> Result<Option<usize>, FeelError> {
    let Some(position) = call.whole(1)? else {
        return Ok(None);
    };
    match position_index(length, Decimal::from(position)) {
        Some(index) if index < length => Ok(Some(index)),
        _ => {
            let message = format!("a list of {length} has no position {position}");
            Err(FeelError::new(FeelErrorKind::Arguments, call.arg_span(1), message))
        }
    }
}

fn sublist(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let list = given!(call.list(0));
    let start = given!(call.whole(1));
    let length = call.whole(2)?.map_or(usize::MAX, |length| usize::try_from(length.max(0)).unwrap_or(usize::MAX));
    let Some(from) = position_index(list.len(), Decimal::from(start)) else {
        return Ok(Value::list([]));
    };
    call.charge(list.len())?;
    Ok(Value::list(list.iter().skip(from).take(length).cloned()))
}

fn append(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let list = given!(call.list(0));
    call.charge(list.len())?;
    Ok(Value::list(list.iter().chain(&call.args[1..]).cloned()))
}

fn joined(call: &mut Call<'_, '_, '_>) -> Result<Option<Vec<Value>>, FeelError> {
    let mut items = Vec::new();
    for i in 0..call.args.len() {
        let Some(list) = call.list(i)? else {
            return Ok(None);
        };
        call.charge(list.len())?;
        items.extend(list.iter().cloned());
        if items.len() > MAX_LIST_ITEMS {
            break;
        }
    }
    Ok(Some(items))
}

fn concatenate(call: &mut Call<'_, '_, '_>) -> Evaluated {
    Ok(Value::List(given!(joined(call)).into()))
}

/// A copy of the list argument, charged.
fn copied(call: &mut Call<'_, '_, '_>) -> Result<Option<Vec<Value>>, FeelError> {
    let Some(list) = call.list(0)? else {
        return Ok(None);
    };
    call.charge(list.len())?;
    Ok(Some(list.to_vec()))
}

fn insert_before(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let mut items = given!(copied(call));
    let at = given!(index(call, items.len()));
    items.insert(at, call.arg(2).clone());
    Ok(Value::List(items.into()))
}

fn remove(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let mut items = given!(copied(call));
    let at = given!(index(call, items.len()));
    items.remove(at);
    Ok(Value::List(items.into()))
}

fn list_replace(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let mut items = given!(copied(call));
    let at = given!(index(call, items.len()));
    items[at] = call.arg(2).clone();
    Ok(Value::List(items.into()))
}

fn reverse(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let mut items = given!(copied(call));
    items.reverse();
    Ok(Value::List(items.into()))
}

fn index_of(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let list = given!(call.list(0));
    let wanted = call.arg(1).clone();
    call.charge(list.len())?;
    let mut found = Vec::new();
    for (i, item) in list.iter().enumerate() {
        if call.equal(item, &wanted)? {
            found.push(Value::Number((i + 1).into()));
        }
    }
    Ok(Value::List(found.into()))
}

/// Removes duplicates; every comparison is charged.
fn distinct(call: &mut Call<'_, '_, '_>, items: &[Value]) -> Evaluated {
    let mut kept: Vec<Value> = Vec::new();
    for item in items {
        call.charge(kept.len())?;
        let mut seen = false;
        for other in &kept {
            if call.equal(item, other)? {
                seen = true;
                break;
            }
        }
        if !seen {
            kept.push(item.clone());
        }
    }
    Ok(Value::List(kept.into()))
}

fn union(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let items = given!(joined(call));
    distinct(call, &items)
}

fn distinct_values(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let items = given!(copied(call));
    distinct(call, &items)
}

fn flatten(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let list = given!(call.list(0));
    let mut flat = Vec::new();
    let mut open: Vec<Value> = list.iter().rev().cloned().collect();
    while let Some(value) = open.pop() {
        call.charge(1)?;
        match value {
            Value::List(inner) => open.extend(inner.iter().rev().cloned()),
            single => flat.push(single),
        }
    }
    Ok(Value::List(flat.into()))
}

/// A stable sort by a function that says whether its first argument precedes, or by natural order.
fn sort(call: &mut Call<'_, '_, '_>) -> Evaluated {
    let items = given!(copied(call));
    let precedes = if call.has(1) { Some(call.function(1, 2)?) } else { None };
    let sorted = merge_sort(items, &mut |a, b| {
        call.charge(1)?;
        match &precedes {
            Some(precedes) => Ok(call.evaluator.call(precedes, vec![b.clone(), a.clone()])?.is_true()),
            None => {
                let order = ops::order(a, b, &call.evaluator.env.time_zone).map_err(|_| {
                    let message = format!("a {} and a {} cannot be compared", a.type_name(), b.type_name());
                    FeelError::new(FeelErrorKind::Type, call.arg_span(0), message)
                })?;
                Ok(order == Ordering::Greater)
            }
        }
    })?;
    Ok(Value::List(sorted.into()))
}

/// Whether the second of two items must come before the first.
type OutOfOrder<'a> = dyn FnMut(&Value, &Value) -> Result<bool, FeelError> + 'a;

/// Our own sort, because the comparison is a user's function that may fail or be inconsistent.
fn merge_sort(mut items: Vec<Value>, out_of_order: &mut OutOfOrder<'_>) -> Result<Vec<Value>, FeelError> {
    if items.len() < 2 {
        return Ok(items);
    }
    let right = items.split_off(items.len() / 2);
    let left = merge_sort(items, out_of_order)?;
    let right = merge_sort(right, out_of_order)?;
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let next = if out_of_order(a, b)? { right.next() } else { left.next() };
        merged.extend(next);
    }
    merged.extend(left);
    merged.extend(right);
    Ok(merged)
}
