//! FEEL values. Cloning is cheap: texts, lists and contexts are shared.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use jiff::SignedDuration;
use jiff::civil::Date;
use rust_decimal::Decimal;

use super::ast::Node;
use super::temporal::{DateTime, Time};

/// A value of FEEL: the result of an expression, or a variable.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Value {
    /// Null, also for a missing path.
    #[default]
    Null,
    /// True or false.
    Bool(bool),
    /// An exact decimal of up to 28 digits.
    Number(Decimal),
    /// A text.
    String(Arc<str>),
    /// A list.
    List(List),
    /// A context: names and values.
    Context(Context),
    /// A date.
    Date(Date),
    /// A time of day, with or without an offset.
    Time(Time),
    /// A date and a time of day, with or without a time zone.
    DateTime(DateTime),
    /// Days, hours, minutes and seconds, exactly.
    DaysDuration(SignedDuration),
    /// Years and months, as months.
    MonthsDuration(i64),
    /// A range.
    Range(Arc<RangeValue>),
    /// A function defined in the expression.
    Function(Arc<Function>),
}

/// A range of comparable values; its bounds are never lists, contexts, ranges or functions.
#[derive(Debug, Clone, PartialEq)]
pub struct RangeValue {
    /// The lower bound; null if there is none.
    pub start: Value,
    /// Whether the lower bound is included.
    pub start_included: bool,
    /// The upper bound; null if there is none.
    pub end: Value,
    /// Whether the upper bound is included.
    pub end_included: bool,
}

/// A function value with its captures. It has no JSON form and exists only during one evaluation.
pub struct Function {
    pub(super) params: Vec<Arc<str>>,
    pub(super) body: Arc<Node>,
    pub(super) captured: Context,
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "function({})", self.params.join(", "))
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

/// Contents with their size and depth, computed once. Sharing can build in a few steps what would take forever to
/// write out, so the size counts every mention, not every allocation.
#[derive(Debug, PartialEq)]
struct Measured<T> {
    inner: T,
    size: usize,
    depth: usize,
}

/// A shared list.
#[derive(Debug, Clone, PartialEq)]
pub struct List(Arc<Measured<Vec<Value>>>);

/// A shared map from names to values, ordered by name.
#[derive(Debug, Clone, PartialEq)]
pub struct Context(Arc<Measured<BTreeMap<Arc<str>, Value>>>);

/// Size of a value besides its text.
const NODE_SIZE: usize = 16;

fn measure<'a>(values: impl Iterator<Item = &'a Value>) -> (usize, usize) {
    values.fold((NODE_SIZE, 1), |(size, depth), value| {
        (size.saturating_add(value.size()), depth.max(value.depth().saturating_add(1)))
    })
}

impl From<Vec<Value>> for List {
    fn from(inner: Vec<Value>) -> Self {
        let (size, depth) = measure(inner.iter());
        Self(Arc::new(Measured { inner, size, depth }))
    }
}

impl Deref for List {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.0.inner
    }
}

impl From<BTreeMap<Arc<str>, Value>> for Context {
    fn from(inner: BTreeMap<Arc<str>, Value>) -> Self {
        let (size, depth) = measure(inner.values());
        let size = inner.keys().fold(size, |size, key| size.saturating_add(key.len()));
        Self(Arc::new(Measured { inner, size, depth }))
    }
}

impl Deref for Context {
    type Target = BTreeMap<Arc<str>, Value>;

    fn deref(&self) -> &BTreeMap<Arc<str>, Value> {
        &self.0.inner
    }
}

impl Value {
    /// A list of these values.
    pub fn list(items: impl IntoIterator<Item = Value>) -> Self {
        Self::List(items.into_iter().collect::<Vec<_>>().into())
    }

    /// A context of these entries.
    pub fn context<K: Into<Arc<str>>>(entries: impl IntoIterator<Item = (K, Value)>) -> Self {
        let map: BTreeMap<Arc<str>, Value> = entries.into_iter().map(|(k, v)| (k.into(), v)).collect();
        Self::Context(map.into())
    }

    /// An entry of a context; `None` if there is none or this is not a context.
    pub fn get(&self, name: &str) -> Option<&Value> {
        match self {
            Self::Context(context) => context.get(name),
            _ => None,
        }
    }

    /// Whether this is `true`; null and other types are not.
    pub fn is_true(&self) -> bool {
        matches!(self, Self::Bool(true))
    }

    /// Whether this is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The name of this value's type, as `instance of` spells it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::List(_) => "list",
            Self::Context(_) => "context",
            Self::Date(_) => "date",
            Self::Time(_) => "time",
            Self::DateTime(_) => "date and time",
            Self::DaysDuration(_) => "days and time duration",
            Self::MonthsDuration(_) => "years and months duration",
            Self::Range(_) => "range",
            Self::Function(_) => "function",
        }
    }

    /// Approximate size if written out, in bytes.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::String(text) => NODE_SIZE + text.len(),
            Self::List(list) => list.0.size,
            Self::Context(context) => context.0.size,
            Self::Range(range) => NODE_SIZE + range.start.size() + range.end.size(),
            Self::Function(function) => function.captured.0.size,
            _ => NODE_SIZE,
        }
    }

    /// Nesting depth of lists and contexts.
    pub(super) fn depth(&self) -> usize {
        match self {
            Self::List(list) => list.0.depth,
            Self::Context(context) => context.0.depth,
            Self::Function(function) => function.captured.0.depth,
            _ => 0,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<Decimal> for Value {
    fn from(value: Decimal) -> Self {
        Self::Number(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Number(value.into())
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::String(value.into())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::String(value.into())
    }
}

/// The exact text of a number without trailing zeros, so that equal numbers have equal texts.
pub(super) fn number_text(number: &Decimal) -> String {
    let normal = number.normalize();
    if normal.is_zero() { "0".to_owned() } else { normal.to_string() }
}

/// The text of a value inside a list or context: strings are quoted.
struct Quoted<'a>(&'a Value);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::String(text) => {
                write!(f, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
            }
            other => other.fmt(f),
        }
    }
}

/// The text of a value, as `string()` returns it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Number(number) => f.write_str(&number_text(number)),
            Self::String(text) => f.write_str(text),
            Self::List(list) => {
                f.write_str("[")?;
                for (i, item) in list.iter().enumerate() {
                    write!(f, "{}{}", if i > 0 { ", " } else { "" }, Quoted(item))?;
                }
                f.write_str("]")
            }
            Self::Context(context) => {
                f.write_str("{")?;
                for (i, (key, item)) in context.iter().enumerate() {
                    write!(f, "{}{key}: {}", if i > 0 { ", " } else { "" }, Quoted(item))?;
                }
                f.write_str("}")
            }
            Self::Date(date) => date.fmt(f),
            Self::Time(time) => time.fmt(f),
            Self::DateTime(moment) => moment.fmt(f),
            Self::DaysDuration(length) => f.write_str(&super::temporal::days_duration_text(*length)),
            Self::MonthsDuration(months) => f.write_str(&super::temporal::months_duration_text(*months)),
            Self::Range(range) => write!(
                f,
                "{}{}..{}{}",
                if range.start_included { '[' } else { '(' },
                Quoted(&range.start),
                Quoted(&range.end),
                if range.end_included { ']' } else { ')' }
            ),
            Self::Function(function) => write!(f, "{function:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_counts_every_mention_of_a_shared_value() {
        let text = Value::from("0123456789");
        let list = Value::list([text.clone(), text.clone()]);
        assert_eq!(list.size(), NODE_SIZE + 2 * (NODE_SIZE + 10));
        assert_eq!(Value::list([list.clone(), list]).depth(), 2);
    }

    #[test]
    fn equal_numbers_have_equal_texts() {
        assert_eq!(Value::Number("1.50".parse().unwrap()).to_string(), "1.5");
        assert_eq!(Value::Number("-0.00".parse().unwrap()).to_string(), "0");
        assert_eq!(Value::Number("100".parse().unwrap()).to_string(), "100");
    }

    #[test]
    fn a_nested_text_is_quoted() {
        let value = Value::list([Value::from("a\"b"), Value::context([("k", Value::from("v"))])]);
        assert_eq!(value.to_string(), "[\"a\\\"b\", {k: \"v\"}]");
    }
}
