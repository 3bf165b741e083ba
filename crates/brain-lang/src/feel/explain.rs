//! Turns failed operations into errors with a position and help.

use std::ops::Range;

use super::ast::ArithmeticOp;
use super::error::{FeelError, FeelErrorKind};
use super::ops::Trouble;
use super::value::Value;

/// An error for a failed operation, with the given message for wrong types.
pub(super) fn trouble_error(trouble: Trouble, span: &Range<usize>, types: impl FnOnce() -> String) -> FeelError {
    let (kind, message) = match trouble {
        Trouble::Type => (FeelErrorKind::Type, types()),
        Trouble::DivisionByZero => (FeelErrorKind::DivisionByZero, "division by zero".to_owned()),
        Trouble::Overflow => (FeelErrorKind::Overflow, "the result is out of range".to_owned()),
    };
    FeelError::new(kind, span.clone(), message)
}

pub(super) fn arithmetic_error(
    trouble: Trouble,
    op: ArithmeticOp,
    a: &Value,
    b: &Value,
    span: &Range<usize>,
) -> FeelError {
    let symbol = op.symbol();
    let error = trouble_error(trouble, span, || {
        format!("`{symbol}` does not work on a {} and a {}", a.type_name(), b.type_name())
    });
    match (a, b) {
        _ if trouble != Trouble::Type => error,
        (Value::String(_), Value::Number(_)) | (Value::Number(_), Value::String(_)) => {
            error.help("convert with `string(…)` or `number(…)` first")
        }
        _ => null_help(error, &[a, b]),
    }
}

pub(super) fn compare_error(trouble: Trouble, symbol: &str, a: &Value, b: &Value, span: &Range<usize>) -> FeelError {
    let error =
        trouble_error(trouble, span, || format!("`{symbol}` cannot order a {} and a {}", a.type_name(), b.type_name()));
    match (a, b) {
        (Value::String(_), Value::Number(_)) | (Value::Number(_), Value::String(_)) => {
            error.help("convert the text with `number(…)` first")
        }
        (Value::Date(_), Value::DateTime(_)) | (Value::DateTime(_), Value::Date(_)) => {
            error.help("convert with `date(…)` first")
        }
        _ => error,
    }
}

pub(super) fn null_help(error: FeelError, operands: &[&Value]) -> FeelError {
    if operands.iter().any(|value| value.is_null()) {
        error.help("a missing value is null: test it first with `if … = null then … else …`")
    } else {
        error
    }
}

pub(super) fn not_boolean(value: &Value, form: &str, span: &Range<usize>) -> FeelError {
    let message = format!("`{form}` needs true or false, not a {}", value.type_name());
    FeelError::new(FeelErrorKind::Type, span.clone(), message)
}
