//! FEEL, the expression language of DMN 1.4: our documented subset, on exact decimals.
//!
//! An expression is parsed once with [`parse`] and evaluated as often as needed with [`eval`]. Evaluation reads a
//! [`Scope`] and an [`Env`], which is where the current time and randomness come from; nothing else is reachable. The
//! user's reference is `docs/reference/feel.md`, and a test runs its examples.
//!
//! # Where we differ from DMN, and why
//!
//! DMN turns every mistake into a silent null, which then quietly fails a condition. We keep null for *missing data* and
//! make *mistakes* errors with a span:
//!
//! * A missing name or path is null. A built-in function given null where it wants a value yields null.
//! * Arithmetic on the wrong types (also on null) is an error; so is division by zero and overflow.
//! * `=` and `!=` are total: values of different types are simply not equal. `null = null` is true.
//! * `<`, `<=`, `>`, `>=`, `between` and ranges with a null operand are null; across types they are an error.
//! * `and` and `or` follow three-valued logic with null as unknown; other operands are an error. The condition of an
//!   `if` or of a filter may be null, which counts as false, but nothing else that is no boolean.
//! * A built-in function given the wrong type is an error. A *text* that does not parse (`number("x")`, `date("x")`) is
//!   null, so that data can be tested.
//! * A call of an unknown function is refused when the expression is parsed.
//! * A local date and time meets a zoned one in the time zone of the [`Env`].
//!
//! # Bounds
//!
//! Everything is bounded and each bound has its own constant below; breaking one is an error of kind
//! [`OutOfFuel`](FeelErrorKind::OutOfFuel), [`TooDeep`](FeelErrorKind::TooDeep) or [`TooLarge`](FeelErrorKind::TooLarge).

mod ast;
mod builtins;
mod error;
mod eval;
mod explain;
mod iterate;
mod json;
mod lexer;
mod ops;
mod parser;
mod paths;
mod primary;
mod scope;
mod temporal;
#[cfg(test)]
mod temporal_tests;
#[cfg(test)]
mod tests;
mod value;

use jiff::Timestamp;
use jiff::tz::TimeZone;

pub use ast::Expr;
pub(crate) use ast::PathStep;
pub(crate) use error::nearest;
pub use error::{FeelError, FeelErrorKind};
pub(crate) use json::decimal;
pub use paths::PathRef;
pub use scope::Scope;
pub(crate) use temporal::parse_date_time;
pub use temporal::{DateTime, Time};
pub use value::{Context, Function, List, RangeValue, Value};

/// Maximum length of an expression.
pub const MAX_SOURCE_BYTES: usize = 64 * 1024;
/// Maximum nesting of an expression.
pub const MAX_NESTING: usize = 64;
/// Maximum evaluation depth, counted through function calls: fits a mebibyte of stack in unoptimised builds.
pub const MAX_CALL_DEPTH: usize = 150;
/// Maximum length of a text.
pub const MAX_TEXT_BYTES: usize = 1024 * 1024;
/// Maximum length of a list.
pub const MAX_LIST_ITEMS: usize = 100_000;
/// Maximum size of a value, in bytes as if written out.
pub const MAX_VALUE_SIZE: usize = 16 * 1024 * 1024;
/// Maximum nesting of a value.
pub const MAX_VALUE_DEPTH: usize = 100;
/// Fuel for any reasonable expression: about a million nodes.
pub const DEFAULT_FUEL: u64 = 1_000_000;

/// The environment of an evaluation.
pub struct Env<'r> {
    /// The time of `now()` and `today()`.
    pub now: Timestamp,
    /// The time zone of `now()` and `today()`, and of local times that are combined with zoned ones.
    pub time_zone: TimeZone,
    /// The source of random bits for `uuid()`.
    pub random: &'r mut dyn FnMut() -> u128,
    /// Remaining fuel; evaluations consume it, so one budget can cover several.
    pub fuel: u64,
}

impl<'r> Env<'r> {
    /// An environment with [`DEFAULT_FUEL`].
    pub fn new(now: Timestamp, time_zone: TimeZone, random: &'r mut dyn FnMut() -> u128) -> Self {
        Self { now, time_zone, random, fuel: DEFAULT_FUEL }
    }
}

impl std::fmt::Debug for Env<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Env").field("now", &self.now).field("fuel", &self.fuel).finish_non_exhaustive()
    }
}

/// Parses an expression.
pub fn parse(source: &str) -> Result<Expr, FeelError> {
    parser::expression(source)
}

/// Parses the cell of a decision table: `-`, `< 10`, `[1..5]`, `"a", "b"`, `not(…)`, or a condition about `?`.
pub fn parse_unary_tests(source: &str) -> Result<Expr, FeelError> {
    parser::unary_tests(source)
}

/// Evaluates an expression. Unary tests test the name `?` of the scope.
pub fn eval(expr: &Expr, scope: &Scope<'_>, env: &mut Env<'_>) -> Result<Value, FeelError> {
    eval::Evaluator::new(env).eval(&expr.root, scope)
}

/// Whether a cell of a decision table holds for an input; null counts as no.
pub fn eval_unary_tests(tests: &Expr, input: &Value, scope: &Scope<'_>, env: &mut Env<'_>) -> Result<bool, FeelError> {
    eval(tests, &scope.with("?", input.clone()), env).map(|value| value.is_true())
}
