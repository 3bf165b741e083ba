//! Evaluation of a tree: names, operators, conditions, calls. Loops, filters and tests are in `iterate.rs`.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::ast::{Argument, ArithmeticOp, CompareOp, FunctionNode, Node, NodeKind, RangeNode, Test, TypeName};
use super::builtins::{Builtin, Call};
use super::error::{FeelError, FeelErrorKind};
use super::explain::{arithmetic_error, compare_error, not_boolean, null_help, trouble_error};
use super::ops;
use super::scope::Scope;
use super::temporal;
use super::value::{Function, RangeValue, Value};
use super::{Env, MAX_CALL_DEPTH, MAX_LIST_ITEMS, MAX_TEXT_BYTES, MAX_VALUE_DEPTH, MAX_VALUE_SIZE};

pub(super) type Evaluated = Result<Value, FeelError>;

/// Bytes moved or compared per unit of fuel.
const BYTES_PER_FUEL: usize = 64;

/// One evaluation: its environment and depth.
pub(super) struct Evaluator<'e, 'r> {
    pub(super) env: &'e mut Env<'r>,
    depth: usize,
}

impl<'e, 'r> Evaluator<'e, 'r> {
    pub(super) fn new(env: &'e mut Env<'r>) -> Self {
        Self { env, depth: 0 }
    }

    /// Evaluates a node and charges for it.
    pub(super) fn eval(&mut self, node: &Node, scope: &Scope<'_>) -> Evaluated {
        self.charge(1, &node.span)?;
        if self.depth >= MAX_CALL_DEPTH {
            return Err(too_deep(&node.span));
        }
        self.depth += 1;
        let result = self.dispatch(node, scope);
        self.depth -= 1;
        result
    }

    /// One line per form; the work is in methods of their own, so that this frame stays small.
    fn dispatch(&mut self, node: &Node, scope: &Scope<'_>) -> Evaluated {
        match &node.kind {
            NodeKind::Literal(value) => Ok(value.clone()),
            NodeKind::Name(name) => Ok(lookup(name, scope)),
            NodeKind::Path(base, property) => self.path(node, base, property, scope),
            NodeKind::List(items) => self.list(node, items, scope),
            NodeKind::Context(entries) => self.context(node, entries, scope),
            NodeKind::Range(range) => self.range(range, scope),
            NodeKind::Negate(operand) => self.negate(node, operand, scope),
            NodeKind::Arithmetic(first, rest) => self.arithmetic(node, first, rest, scope),
            NodeKind::And(nodes) => self.logic(nodes, false, scope),
            NodeKind::Or(nodes) => self.logic(nodes, true, scope),
            NodeKind::Compare(op, a, b) => self.comparison(node, *op, a, b, scope),
            NodeKind::Between(parts) => self.between(node, parts, scope),
            NodeKind::In(value, tests) => self.membership(value, tests, scope),
            NodeKind::If(parts) => self.branch(parts, scope),
            NodeKind::For(iterations, body) => self.for_each(node, iterations, body, scope),
            NodeKind::Some(iterations, body) => self.quantified(iterations, body, true, scope),
            NodeKind::Every(iterations, body) => self.quantified(iterations, body, false, scope),
            NodeKind::Filter(list, predicate) => self.filter(node, list, predicate, scope),
            NodeKind::InstanceOf(value, wanted) => self.instance_of(value, wanted, scope),
            NodeKind::Function(function) => self.function(node, function, scope),
            NodeKind::CallBuiltin(builtin, arguments) => self.call_builtin(node, builtin, arguments, scope),
            NodeKind::Call(callee, arguments) => self.call_value(node, callee, arguments, scope),
            NodeKind::IsDefined(inner) => self.is_defined(inner, scope),
            NodeKind::UnaryTests(tests) => self.cell(tests, scope),
        }
    }

    /// Consumes fuel, or fails.
    pub(super) fn charge(&mut self, amount: usize, span: &Range<usize>) -> Result<(), FeelError> {
        let amount = u64::try_from(amount).unwrap_or(u64::MAX);
        match self.env.fuel.checked_sub(amount) {
            Some(left) => {
                self.env.fuel = left;
                Ok(())
            }
            None => {
                self.env.fuel = 0;
                let error = FeelError::new(
                    FeelErrorKind::OutOfFuel,
                    span.clone(),
                    "the expression exceeds the evaluation limit",
                );
                Err(error.help("loop over less, or split the work into steps"))
            }
        }
    }

    /// Charges for handling a value of this size.
    pub(super) fn charge_size(&mut self, size: usize, span: &Range<usize>) -> Result<(), FeelError> {
        self.charge(size / BYTES_PER_FUEL, span)
    }

    /// Checks a new text, list or context against its limits.
    pub(super) fn bounded(&mut self, value: Value, span: &Range<usize>) -> Evaluated {
        let broken = match &value {
            Value::String(text) if text.len() > MAX_TEXT_BYTES => {
                format!("a string can have at most {MAX_TEXT_BYTES} bytes")
            }
            Value::List(list) if list.len() > MAX_LIST_ITEMS => {
                format!("a list has at most {MAX_LIST_ITEMS} items")
            }
            value if value.size() > MAX_VALUE_SIZE => {
                format!("a value takes at most {MAX_VALUE_SIZE} bytes")
            }
            value if value.depth() > MAX_VALUE_DEPTH => {
                format!("a value nests at most {MAX_VALUE_DEPTH} levels")
            }
            _ => {
                if let Value::String(text) = &value {
                    self.charge_size(text.len(), span)?;
                }
                return Ok(value);
            }
        };
        Err(FeelError::new(FeelErrorKind::TooLarge, span.clone(), broken))
    }

    fn path(&mut self, node: &Node, base: &Node, property: &str, scope: &Scope<'_>) -> Evaluated {
        // A plain path through contexts is followed by reference.
        if let Some(found) = follow(node, scope) {
            return Ok(found.clone());
        }
        let base = self.eval(base, scope)?;
        self.property(&base, property, &node.span)
    }

    /// A property of a value; null if it is missing. On a list, the property of each item.
    pub(super) fn property(&mut self, value: &Value, name: &str, span: &Range<usize>) -> Evaluated {
        Ok(match value {
            Value::Context(context) => context.get(name).cloned().unwrap_or_default(),
            Value::List(list) => {
                self.charge(list.len(), span)?;
                let items = list.iter().map(|item| self.property(item, name, span)).collect::<Result<Vec<_>, _>>()?;
                return self.bounded(Value::List(items.into()), span);
            }
            Value::Range(range) => match name {
                "start" => range.start.clone(),
                "end" => range.end.clone(),
                "start included" => Value::Bool(range.start_included),
                "end included" => Value::Bool(range.end_included),
                _ => Value::Null,
            },
            other => temporal::property(other, name).unwrap_or_default(),
        })
    }

    fn list(&mut self, node: &Node, items: &[Node], scope: &Scope<'_>) -> Evaluated {
        let items = items.iter().map(|item| self.eval(item, scope)).collect::<Result<Vec<_>, _>>()?;
        self.bounded(Value::List(items.into()), &node.span)
    }

    /// Each entry sees the entries before it.
    fn context(&mut self, node: &Node, entries: &[(Arc<str>, Node)], scope: &Scope<'_>) -> Evaluated {
        let mut map: BTreeMap<Arc<str>, Value> = BTreeMap::new();
        for (key, value) in entries {
            let value = {
                let earlier = scope.with_entries(&map);
                self.eval(value, &earlier)?
            };
            map.insert(key.clone(), value);
        }
        self.bounded(Value::Context(map.into()), &node.span)
    }

    fn range(&mut self, range: &RangeNode, scope: &Scope<'_>) -> Evaluated {
        let start = self.eval(&range.start, scope)?;
        let end = self.eval(&range.end, scope)?;
        for (bound, node) in [(&start, &range.start), (&end, &range.end)] {
            if matches!(bound, Value::List(_) | Value::Context(_) | Value::Range(_) | Value::Function(_)) {
                let message = format!("a {} cannot be the bound of a range", bound.type_name());
                return Err(FeelError::new(FeelErrorKind::Type, node.span.clone(), message));
            }
        }
        Ok(Value::Range(Arc::new(RangeValue {
            start,
            start_included: range.start_included,
            end,
            end_included: range.end_included,
        })))
    }

    fn negate(&mut self, node: &Node, operand: &Node, scope: &Scope<'_>) -> Evaluated {
        let value = self.eval(operand, scope)?;
        ops::negate(&value).map_err(|trouble| {
            let error = trouble_error(trouble, &node.span, || format!("`-` cannot negate a {}", value.type_name()));
            null_help(error, &[&value])
        })
    }

    fn arithmetic(&mut self, node: &Node, first: &Node, rest: &[(ArithmeticOp, Node)], scope: &Scope<'_>) -> Evaluated {
        let mut left = self.eval(first, scope)?;
        for (op, right) in rest {
            let span = node.span.start..right.span.end;
            let right = self.eval(right, scope)?;
            let result = ops::arithmetic(*op, &left, &right, &self.env.time_zone);
            left = result.map_err(|trouble| arithmetic_error(trouble, *op, &left, &right, &span))?;
            left = self.bounded(left, &span)?;
        }
        Ok(left)
    }

    /// `and` (deciding on false) and `or` (deciding on true), with null as "unknown".
    fn logic(&mut self, nodes: &[Node], deciding: bool, scope: &Scope<'_>) -> Evaluated {
        let mut unknown = false;
        for node in nodes {
            match self.eval(node, scope)? {
                Value::Bool(value) if value == deciding => return Ok(Value::Bool(deciding)),
                Value::Bool(_) => {}
                Value::Null => unknown = true,
                other => {
                    return Err(not_boolean(&other, if deciding { "or" } else { "and" }, &node.span));
                }
            }
        }
        Ok(if unknown { Value::Null } else { Value::Bool(!deciding) })
    }

    /// Compares two values: equality is total, order with null is null, order across types is an error.
    pub(super) fn compare(&mut self, op: CompareOp, a: &Value, b: &Value, span: &Range<usize>) -> Evaluated {
        self.charge_size(a.size().min(b.size()), span)?;
        let zone = &self.env.time_zone;
        Ok(Value::Bool(match op {
            CompareOp::Equal => ops::equal(a, b, zone),
            CompareOp::NotEqual => !ops::equal(a, b, zone),
            _ if a.is_null() || b.is_null() => return Ok(Value::Null),
            _ => {
                let order =
                    ops::order(a, b, zone).map_err(|trouble| compare_error(trouble, op.symbol(), a, b, span))?;
                match op {
                    CompareOp::Less => order == Ordering::Less,
                    CompareOp::LessOrEqual => order != Ordering::Greater,
                    CompareOp::Greater => order == Ordering::Greater,
                    _ => order != Ordering::Less,
                }
            }
        }))
    }

    fn comparison(&mut self, node: &Node, op: CompareOp, a: &Node, b: &Node, scope: &Scope<'_>) -> Evaluated {
        let a = self.eval(a, scope)?;
        let b = self.eval(b, scope)?;
        self.compare(op, &a, &b, &node.span)
    }

    fn membership(&mut self, value: &Node, tests: &[Test], scope: &Scope<'_>) -> Evaluated {
        let value = self.eval(value, scope)?;
        self.tests(tests, &value, scope)
    }

    /// Tests about the name `?`.
    fn cell(&mut self, tests: &[Test], scope: &Scope<'_>) -> Evaluated {
        self.tests(tests, &lookup("?", scope), scope)
    }

    fn instance_of(&mut self, value: &Node, wanted: &TypeName, scope: &Scope<'_>) -> Evaluated {
        let value = self.eval(value, scope)?;
        Ok(Value::Bool(is_instance(&value, wanted)))
    }

    fn function(&mut self, node: &Node, function: &FunctionNode, scope: &Scope<'_>) -> Evaluated {
        self.bounded(capture(function, scope), &node.span)
    }

    fn between(&mut self, node: &Node, [value, low, high]: &[Node; 3], scope: &Scope<'_>) -> Evaluated {
        let value = self.eval(value, scope)?;
        let (low, high) = (self.eval(low, scope)?, self.eval(high, scope)?);
        let above = self.compare(CompareOp::GreaterOrEqual, &value, &low, &node.span)?;
        let below = self.compare(CompareOp::LessOrEqual, &value, &high, &node.span)?;
        Ok(match (above, below) {
            (Value::Bool(false), _) | (_, Value::Bool(false)) => Value::Bool(false),
            (Value::Bool(true), Value::Bool(true)) => Value::Bool(true),
            _ => Value::Null,
        })
    }

    fn branch(&mut self, [condition, then, otherwise]: &[Node; 3], scope: &Scope<'_>) -> Evaluated {
        match self.eval(condition, scope)? {
            Value::Bool(true) => self.eval(then, scope),
            Value::Bool(false) | Value::Null => self.eval(otherwise, scope),
            other => Err(not_boolean(&other, "if", &condition.span)),
        }
    }

    fn is_defined(&mut self, node: &Node, scope: &Scope<'_>) -> Evaluated {
        Ok(Value::Bool(match &node.kind {
            NodeKind::Name(name) => scope.lookup(name).is_some(),
            NodeKind::Path(base, property) => match self.eval(base, scope)? {
                Value::Context(context) => context.contains_key(&**property),
                other => !self.property(&other, property, &node.span)?.is_null(),
            },
            _ => !self.eval(node, scope)?.is_null(),
        }))
    }

    fn call_builtin(
        &mut self,
        node: &Node,
        builtin: &'static Builtin,
        arguments: &[Node],
        scope: &Scope<'_>,
    ) -> Evaluated {
        let args = arguments.iter().map(|argument| self.eval(argument, scope)).collect::<Result<Vec<_>, _>>()?;
        let mut call = Call { builtin, args, nodes: arguments, span: node.span.clone(), evaluator: self };
        let value = (builtin.run)(&mut call)?;
        self.bounded(value, &node.span)
    }

    fn call_value(&mut self, node: &Node, callee: &Node, arguments: &[Argument], scope: &Scope<'_>) -> Evaluated {
        let function = match self.eval(callee, scope)? {
            Value::Function(function) => function,
            other => {
                let message = format!("a {} cannot be called", other.type_name());
                return Err(FeelError::new(FeelErrorKind::Type, callee.span.clone(), message));
            }
        };
        let wrong = |message: String| FeelError::new(FeelErrorKind::Arguments, node.span.clone(), message);
        if arguments.len() != function.params.len() {
            return Err(wrong(format!(
                "{function:?} takes {} arguments, not {}",
                function.params.len(),
                arguments.len()
            )));
        }
        let mut values: Vec<Option<Value>> = vec![None; arguments.len()];
        for (i, argument) in arguments.iter().enumerate() {
            let at = match &argument.name {
                None => i,
                Some(name) => match function.params.iter().position(|param| param == name) {
                    Some(at) => at,
                    None => return Err(wrong(format!("{function:?} has no parameter `{name}`"))),
                },
            };
            if values[at].is_some() {
                return Err(wrong(format!("`{}` is given twice", function.params[at])));
            }
            values[at] = Some(self.eval(&argument.value, scope)?);
        }
        self.call(&function, values.into_iter().map(Option::unwrap_or_default).collect())
    }

    /// Calls a function value with as many arguments as it has parameters.
    pub(super) fn call(&mut self, function: &Function, arguments: Vec<Value>) -> Evaluated {
        let params: BTreeMap<Arc<str>, Value> = function.params.iter().cloned().zip(arguments).collect();
        let captured = Scope::captured(&function.captured);
        let scope = captured.with_entries(&params);
        self.eval(&function.body, &scope)
    }
}

fn too_deep(span: &Range<usize>) -> FeelError {
    let message = format!("evaluation nests at most {MAX_CALL_DEPTH} levels");
    FeelError::new(FeelErrorKind::TooDeep, span.clone(), message)
}

/// The value of a name; null if there is none.
fn lookup(name: &str, scope: &Scope<'_>) -> Value {
    scope.lookup(name).cloned().unwrap_or_default()
}

/// The value of a plain path through contexts; `None` if it is not plain or does not exist.
fn follow<'s>(node: &Node, scope: &'s Scope<'_>) -> Option<&'s Value> {
    match &node.kind {
        NodeKind::Name(name) => scope.lookup(name),
        NodeKind::Path(base, property) => follow(base, scope)?.get(property),
        _ => None,
    }
}

fn capture(function: &FunctionNode, scope: &Scope<'_>) -> Value {
    let captured: BTreeMap<Arc<str>, Value> = function
        .captures
        .iter()
        .filter_map(|name| scope.lookup(name).map(|value| (name.clone(), value.clone())))
        .collect();
    Value::Function(Arc::new(Function {
        params: function.params.clone(),
        body: function.body.clone(),
        captured: captured.into(),
    }))
}

fn is_instance(value: &Value, wanted: &TypeName) -> bool {
    match (wanted, value) {
        (TypeName::Any, value) => !value.is_null(),
        (TypeName::Null, Value::Null)
        | (TypeName::Boolean, Value::Bool(_))
        | (TypeName::Number, Value::Number(_))
        | (TypeName::String, Value::String(_))
        | (TypeName::Date, Value::Date(_))
        | (TypeName::Time, Value::Time(_))
        | (TypeName::DateTime, Value::DateTime(_))
        | (TypeName::DaysDuration, Value::DaysDuration(_))
        | (TypeName::MonthsDuration, Value::MonthsDuration(_))
        | (TypeName::Function, Value::Function(_)) => true,
        (TypeName::List(item), Value::List(list)) => {
            **item == TypeName::Any || list.iter().all(|value| is_instance(value, item))
        }
        (TypeName::Context(entries), Value::Context(context)) => {
            entries.iter().all(|(key, wanted)| context.get(key).is_some_and(|value| is_instance(value, wanted)))
        }
        (TypeName::Range(bound), Value::Range(range)) => {
            **bound == TypeName::Any || (is_instance(&range.start, bound) && is_instance(&range.end, bound))
        }
        _ => false,
    }
}
