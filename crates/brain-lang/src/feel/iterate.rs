//! Loops, quantifiers, filters and unary tests: everything that evaluates a part more than once.

use std::ops::Range;

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use super::MAX_LIST_ITEMS;
use super::ast::{Iteration, Node, NodeKind, Test};
use super::error::{FeelError, FeelErrorKind};
use super::eval::{Evaluated, Evaluator};
use super::explain::{not_boolean, trouble_error};
use super::ops;
use super::scope::Scope;
use super::value::{List, RangeValue, Value};

/// The body of a loop; `false` ends the loop.
type Turn<'t> = dyn FnMut(&mut Evaluator<'_, '_>, &Scope<'_>) -> Result<bool, FeelError> + 't;

impl Evaluator<'_, '_> {
    pub(super) fn for_each(
        &mut self,
        node: &Node,
        iterations: &[Iteration],
        body: &Node,
        scope: &Scope<'_>,
    ) -> Evaluated {
        let uses_partial = body.mentions("partial");
        let mut results = Vec::new();
        let complete = self.each(iterations, scope, &mut |evaluator, scope| {
            let value = if uses_partial {
                evaluator.charge(results.len(), &body.span)?;
                let partial = evaluator.bounded(Value::List(List::from(results.clone())), &body.span)?;
                evaluator.eval(body, &scope.with("partial", partial))?
            } else {
                evaluator.eval(body, scope)?
            };
            if results.len() >= MAX_LIST_ITEMS {
                return Err(too_many(&node.span));
            }
            results.push(value);
            Ok(true)
        })?;
        match complete {
            Some(()) => self.bounded(Value::List(results.into()), &node.span),
            None => Ok(Value::Null),
        }
    }

    /// `some` (deciding on true) and `every` (deciding on false); null if no item decides and some are null.
    pub(super) fn quantified(
        &mut self,
        iterations: &[Iteration],
        body: &Node,
        deciding: bool,
        scope: &Scope<'_>,
    ) -> Evaluated {
        let (mut decided, mut unknown) = (false, false);
        let complete = self.each(iterations, scope, &mut |evaluator, scope| {
            match evaluator.eval(body, scope)? {
                Value::Bool(value) => decided = value == deciding,
                Value::Null => unknown = true,
                other => return Err(not_boolean(&other, "satisfies", &body.span)),
            }
            Ok(!decided)
        })?;
        Ok(match complete {
            _ if decided => Value::Bool(deciding),
            Some(()) if !unknown => Value::Bool(!deciding),
            _ => Value::Null,
        })
    }

    /// Runs `turn` for every combination of the iterations; `None` if one of them is over null.
    fn each(
        &mut self,
        iterations: &[Iteration],
        scope: &Scope<'_>,
        turn: &mut Turn<'_>,
    ) -> Result<Option<()>, FeelError> {
        let mut null = false;
        self.each_inner(iterations, scope, turn, &mut null)?;
        Ok(if null { None } else { Some(()) })
    }

    fn each_inner(
        &mut self,
        iterations: &[Iteration],
        scope: &Scope<'_>,
        turn: &mut Turn<'_>,
        null: &mut bool,
    ) -> Result<bool, FeelError> {
        let Some((first, rest)) = iterations.split_first() else {
            return turn(self, scope);
        };
        let Some(items) = self.items(first, scope)? else {
            *null = true;
            return Ok(false);
        };
        for item in items.iter() {
            self.charge(1, &first.source.span)?;
            let inner = scope.with(&first.name, item.clone());
            if !self.each_inner(rest, &inner, turn, null)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The items of an iteration; `None` for null. A single value is a list of one.
    fn items(&mut self, iteration: &Iteration, scope: &Scope<'_>) -> Result<Option<List>, FeelError> {
        let span = &iteration.source.span;
        let source = self.eval(&iteration.source, scope)?;
        if let Some(end) = &iteration.end {
            let range =
                RangeValue { start: source, start_included: true, end: self.eval(end, scope)?, end_included: true };
            return self.whole_numbers(&range, &(span.start..end.span.end)).map(Some);
        }
        Ok(match source {
            Value::Null => None,
            Value::List(list) => Some(list),
            Value::Range(range) => Some(self.whole_numbers(&range, span)?),
            single => Some(vec![single].into()),
        })
    }

    /// The whole numbers (or days) of a range, downwards if it ends below its start.
    fn whole_numbers(&mut self, range: &RangeValue, span: &Range<usize>) -> Result<List, FeelError> {
        let wrong = || {
            let types = format!("{} to {}", range.start.type_name(), range.end.type_name());
            FeelError::new(
                FeelErrorKind::Type,
                span.clone(),
                format!("a loop needs whole numbers or dates, not {types}"),
            )
        };
        let whole = |value: &Value| match value {
            Value::Number(number) if number.fract().is_zero() => number.to_i64(),
            _ => None,
        };
        let days = matches!((&range.start, &range.end), (Value::Date(_), Value::Date(_)));
        let (start, end) = match (&range.start, &range.end) {
            (Value::Date(start), Value::Date(end)) => {
                (0, start.duration_until(*end).as_secs() / super::temporal::SECONDS_PER_DAY)
            }
            (start, end) => (whole(start).ok_or_else(wrong)?, whole(end).ok_or_else(wrong)?),
        };
        let step: i64 = if end < start { -1 } else { 1 };
        let first = if range.start_included { start } else { start.saturating_add(step) };
        let last = if range.end_included { end } else { end.saturating_sub(step) };
        let count = i128::from(last) - i128::from(first);
        let count = if step > 0 { count + 1 } else { 1 - count };
        let count = usize::try_from(count.max(0)).unwrap_or(usize::MAX);
        if count > MAX_LIST_ITEMS {
            return Err(too_many(span));
        }
        self.charge(count, span)?;
        let mut items = Vec::with_capacity(count);
        let mut at = first;
        for _ in 0..count {
            items.push(match &range.start {
                Value::Date(date) if days => {
                    Value::Date(date.checked_add(jiff::Span::new().days(at)).map_err(|_| wrong())?)
                }
                _ => Value::Number(Decimal::from(at)),
            });
            at = at.saturating_add(step);
        }
        Ok(items.into())
    }

    /// `list[condition]` keeps items, `list[number]` picks one, counting from 1 or from the end with -1.
    pub(super) fn filter(&mut self, node: &Node, list: &Node, predicate: &Node, scope: &Scope<'_>) -> Evaluated {
        let list = match self.eval(list, scope)? {
            Value::Null => return Ok(Value::Null),
            Value::List(list) => list,
            single => vec![single].into(),
        };
        if list.is_empty() {
            // An empty list: only the syntax tells an index from a condition.
            let index = matches!(
                &predicate.kind,
                NodeKind::Literal(Value::Number(_)) | NodeKind::Negate(_) | NodeKind::Arithmetic(..)
            ) || matches!(&predicate.kind, NodeKind::Name(name) if matches!(scope.lookup(name), Some(Value::Number(_))));
            return Ok(if index { Value::Null } else { Value::List(list) });
        }
        let mut kept = Vec::new();
        for (i, item) in list.iter().enumerate() {
            match self.eval(predicate, &scope.with_item(item.clone()))? {
                Value::Bool(true) => kept.push(item.clone()),
                Value::Bool(false) | Value::Null => {}
                Value::Number(number) if i == 0 => return Ok(pick(&list, number)),
                other => return Err(not_boolean(&other, "[…]", &predicate.span)),
            }
        }
        self.bounded(Value::List(kept.into()), &node.span)
    }

    /// Whether any of the tests holds for a value.
    pub(super) fn tests(&mut self, tests: &[Test], value: &Value, scope: &Scope<'_>) -> Evaluated {
        let mut unknown = false;
        for test in tests {
            match self.test(test, value, scope)? {
                Some(true) => return Ok(Value::Bool(true)),
                Some(false) => {}
                None => unknown = true,
            }
        }
        Ok(if unknown { Value::Null } else { Value::Bool(false) })
    }

    fn test(&mut self, test: &Test, value: &Value, scope: &Scope<'_>) -> Result<Option<bool>, FeelError> {
        match test {
            Test::Any => Ok(Some(true)),
            Test::Compare(op, node) => {
                let bound = self.eval(node, scope)?;
                Ok(truth(&self.compare(*op, value, &bound, &node.span)?))
            }
            Test::Expression { node, mentions_input } => {
                let wanted = self.eval(node, scope)?;
                match &wanted {
                    Value::Bool(holds) if *mentions_input => Ok(Some(*holds)),
                    Value::Null if *mentions_input => Ok(None),
                    _ => self.is_in(value, &wanted, &node.span),
                }
            }
            Test::Not(tests) => Ok(truth(&self.tests(tests, value, scope)?).map(|holds| !holds)),
        }
    }

    /// Whether a value equals another, is in a list, or is in a range (or one of a list's ranges).
    fn is_in(&mut self, value: &Value, wanted: &Value, span: &Range<usize>) -> Result<Option<bool>, FeelError> {
        self.charge_size(wanted.size(), span)?;
        let zone = &self.env.time_zone;
        match wanted {
            Value::Range(range) => ops::contains(range, value, zone).map_err(|trouble| {
                trouble_error(trouble, span, || {
                    format!("a {} cannot be within a range of {}s", value.type_name(), range.start.type_name())
                })
            }),
            Value::List(list) => Ok(Some(
                ops::equal(value, wanted, zone)
                    || list.iter().any(|item| match item {
                        Value::Range(range) => {
                            ops::equal(value, item, zone) || ops::contains(range, value, zone) == Ok(Some(true))
                        }
                        item => ops::equal(value, item, zone),
                    }),
            )),
            wanted => Ok(Some(ops::equal(value, wanted, zone))),
        }
    }
}

fn too_many(span: &Range<usize>) -> FeelError {
    FeelError::new(FeelErrorKind::TooLarge, span.clone(), format!("a list has at most {MAX_LIST_ITEMS} items"))
}

fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(value) => Some(*value),
        _ => None,
    }
}

/// The item at a position from 1, or negative from the end; null if there is none.
pub(super) fn pick(list: &[Value], position: Decimal) -> Value {
    position_index(list.len(), position).and_then(|i| list.get(i)).cloned().unwrap_or_default()
}

/// The index of a position from 1, or negative from the end; the end itself is allowed.
pub(super) fn position_index(length: usize, position: Decimal) -> Option<usize> {
    let position = position.to_i64().filter(|_| position.fract().is_zero())?;
    let length = i64::try_from(length).ok()?;
    let index = match position {
        0 => return None,
        1.. => position - 1,
        _ => length.checked_add(position)?,
    };
    usize::try_from(index).ok().filter(|_| index <= length)
}
