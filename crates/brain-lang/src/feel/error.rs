//! Errors of expressions: kind, position, help.

use std::fmt;
use std::ops::Range;

/// The kind of a [`FeelError`]. Each limit has its own, so that a caller can tell "wrong" from "too much".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FeelErrorKind {
    /// Not an expression of the supported subset.
    Syntax,
    /// An unknown function.
    UnknownFunction,
    /// A call with too few, too many or wrongly named arguments.
    Arguments,
    /// An operand or argument of the wrong type.
    Type,
    /// Division by zero.
    DivisionByZero,
    /// A number or date outside what can be represented exactly.
    Overflow,
    /// A bad pattern in `matches`, `replace` or `split`.
    Pattern,
    /// More work than [`Env::fuel`](super::Env::fuel) allows.
    OutOfFuel,
    /// Nested deeper than [`MAX_NESTING`](super::MAX_NESTING) or [`MAX_CALL_DEPTH`](super::MAX_CALL_DEPTH).
    TooDeep,
    /// A source, text, list or value beyond its bound.
    TooLarge,
}

/// An error in an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeelError {
    /// The kind of error.
    pub kind: FeelErrorKind,
    /// The bytes of the source that caused it.
    pub span: Range<usize>,
    /// The problem, in one sentence without a full stop.
    pub message: String,
    /// How to fix it, if known.
    pub help: Option<String>,
}

impl FeelError {
    pub(super) fn new(kind: FeelErrorKind, span: Range<usize>, message: impl Into<String>) -> Self {
        Self { kind, span, message: message.into(), help: None }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for FeelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at {}..{})", self.message, self.span.start, self.span.end)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for FeelError {}

/// The candidate nearest to a misspelt name, if it is near enough to be a typo.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = 1 + name.chars().count() / 4;
    candidates
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, candidate)| candidate)
}

/// The Levenshtein distance between two short names, ignoring case.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_one_slip_away() {
        let names = ["upper case", "lower case", "count"];
        assert_eq!(nearest("uper case", names.into_iter()), Some("upper case"));
        assert_eq!(nearest("cuont", names.into_iter()), Some("count"));
        assert_eq!(nearest("frobnicate", names.into_iter()), None);
    }

    #[test]
    fn an_error_shows_where_and_what_to_do() {
        let error = FeelError::new(FeelErrorKind::Type, 2..5, "no").help("do this");
        assert_eq!(error.to_string(), "no (at 2..5); do this");
    }
}
