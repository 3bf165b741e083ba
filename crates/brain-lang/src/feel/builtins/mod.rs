//! The built-in functions: lookup, calls and arguments. One file per family.

mod context;
mod convert;
mod list;
mod number;
mod range;
mod stats;
mod string;
mod temporal;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use super::ast::{Argument, Node, NodeKind};
use super::error::{FeelError, FeelErrorKind, nearest};
use super::eval::{Evaluated, Evaluator};
use super::explain::trouble_error;
use super::ops::Trouble;
use super::value::{Context, Function, List, Value};

/// `years and months duration` is the longest name.
pub(super) const MAX_NAME_WORDS: usize = 4;

/// One built-in function.
pub(super) struct Builtin {
    pub(super) name: &'static str,
    /// Its signatures, distinguished by parameter names or count.
    signatures: &'static [Signature],
    pub(super) run: fn(&mut Call<'_, '_, '_>) -> Evaluated,
}

struct Signature {
    params: &'static [&'static str],
    required: usize,
    /// Whether the last parameter may be repeated.
    repeats: bool,
}

/// A signature with `required` required parameters.
const fn sig(params: &'static [&'static str], required: usize) -> Signature {
    Signature { params, required, repeats: false }
}

/// A signature whose last parameter repeats.
const fn repeating(params: &'static [&'static str], required: usize) -> Signature {
    Signature { params, required, repeats: true }
}

impl fmt::Debug for Builtin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

fn all() -> impl Iterator<Item = &'static Builtin> {
    [
        context::FUNCTIONS,
        convert::FUNCTIONS,
        list::FUNCTIONS,
        number::FUNCTIONS,
        range::FUNCTIONS,
        stats::FUNCTIONS,
        string::FUNCTIONS,
        temporal::FUNCTIONS,
    ]
    .into_iter()
    .flatten()
}

/// The function of a name.
pub(super) fn find(name: &str) -> Option<&'static Builtin> {
    all().find(|builtin| builtin.name == name)
}

/// The names of all functions.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    all().map(|builtin| builtin.name)
}

impl Builtin {
    /// Orders arguments by parameter; an error if no signature fits.
    pub(super) fn bind(&self, arguments: Vec<Argument>, span: &Range<usize>) -> Result<Vec<Node>, FeelError> {
        let wrong = |message: String| {
            FeelError::new(FeelErrorKind::Arguments, span.clone(), message).help(format!("write {}", self.usage()))
        };
        if arguments.iter().all(|argument| argument.name.is_none()) {
            let count = arguments.len();
            let fits = |s: &Signature| count >= s.required && (s.repeats || count <= s.params.len());
            if !self.signatures.iter().any(fits) {
                return Err(wrong(format!("`{}` cannot take {count} arguments", self.name)));
            }
            return Ok(arguments.into_iter().map(|argument| argument.value).collect());
        }
        let mut named = Vec::new();
        for argument in arguments {
            let Some(name) = argument.name else {
                return Err(wrong("arguments are either all named or all by position".to_owned()));
            };
            named.push((name, argument.value));
        }
        let knows = |s: &Signature, name: &str| s.params.contains(&name);
        let Some(signature) = self.signatures.iter().find(|s| named.iter().all(|(name, _)| knows(s, name))) else {
            let unknown = named.iter().find(|(name, _)| !self.signatures.iter().any(|s| knows(s, name)));
            return Err(match unknown {
                Some((name, _)) => {
                    let params = self.signatures.iter().flat_map(|s| s.params.iter().copied());
                    let error = wrong(format!("`{}` has no parameter `{name}`", self.name));
                    match nearest(name, params) {
                        Some(near) => error.help(format!("did you mean `{near}`?")),
                        None => error,
                    }
                }
                None => wrong(format!("these parameters of `{}` do not go together", self.name)),
            });
        };
        let mut nodes: Vec<Option<Node>> = Vec::new();
        nodes.resize_with(signature.params.len(), || None);
        for (name, node) in named {
            let at = signature.params.iter().position(|param| **param == *name).unwrap_or_default();
            if nodes[at].replace(node).is_some() {
                return Err(wrong(format!("`{name}` is given twice")));
            }
        }
        if let Some(missing) = nodes.iter().take(signature.required).position(Option::is_none) {
            return Err(wrong(format!("`{}` needs `{}`", self.name, signature.params[missing])));
        }
        while matches!(nodes.last(), Some(None)) {
            nodes.pop();
        }
        let absent = || Node { kind: NodeKind::Literal(Value::Null), span: span.clone(), depth: 1 };
        Ok(nodes.into_iter().map(|node| node.unwrap_or_else(absent)).collect())
    }

    fn usage(&self) -> String {
        let ways = self.signatures.iter().map(|s| {
            let params: Vec<String> = s
                .params
                .iter()
                .enumerate()
                .map(|(i, param)| if i < s.required { (*param).to_owned() } else { format!("[{param}]") })
                .collect();
            format!("`{}({}{})`", self.name, params.join(", "), if s.repeats { ", …" } else { "" })
        });
        ways.collect::<Vec<_>>().join(" or ")
    }
}

/// One call: its arguments and environment.
pub(super) struct Call<'c, 'e, 'r> {
    pub(super) builtin: &'static Builtin,
    pub(super) args: Vec<Value>,
    pub(super) nodes: &'c [Node],
    pub(super) span: Range<usize>,
    pub(super) evaluator: &'c mut Evaluator<'e, 'r>,
}

/// Unwraps an argument, or returns null from the function if the argument is null.
macro_rules! given {
    ($argument:expr) => {
        match $argument? {
            Some(value) => value,
            None => return Ok($crate::feel::Value::Null),
        }
    };
}
use given;

impl Call<'_, '_, '_> {
    fn arg(&self, i: usize) -> &Value {
        self.args.get(i).unwrap_or(&Value::Null)
    }

    fn has(&self, i: usize) -> bool {
        !self.arg(i).is_null()
    }

    fn arg_span(&self, i: usize) -> Range<usize> {
        self.nodes.get(i).map_or_else(|| self.span.clone(), |node| node.span.clone())
    }

    fn wrong(&self, i: usize, wanted: &str) -> FeelError {
        let message = format!("`{}` needs {wanted} here, not a {}", self.builtin.name, self.arg(i).type_name());
        FeelError::new(FeelErrorKind::Type, self.arg_span(i), message)
    }

    fn text(&self, i: usize) -> Result<Option<Arc<str>>, FeelError> {
        match self.arg(i) {
            Value::Null => Ok(None),
            Value::String(text) => Ok(Some(text.clone())),
            _ => Err(self.wrong(i, "a string")),
        }
    }

    fn number(&self, i: usize) -> Result<Option<Decimal>, FeelError> {
        match self.arg(i) {
            Value::Null => Ok(None),
            Value::Number(number) => Ok(Some(*number)),
            _ => Err(self.wrong(i, "a number")),
        }
    }

    fn whole(&self, i: usize) -> Result<Option<i64>, FeelError> {
        let Some(number) = self.number(i)? else {
            return Ok(None);
        };
        let whole = number.to_i64().filter(|_| number.fract().is_zero());
        whole.map(Some).ok_or_else(|| {
            let message = format!("`{}` needs a whole number here", self.builtin.name);
            FeelError::new(FeelErrorKind::Type, self.arg_span(i), message)
        })
    }

    /// A list; a single value is a list of one.
    fn list(&self, i: usize) -> Result<Option<List>, FeelError> {
        Ok(match self.arg(i) {
            Value::Null => None,
            Value::List(list) => Some(list.clone()),
            single => Some(vec![single.clone()].into()),
        })
    }

    fn context(&self, i: usize) -> Result<Option<Context>, FeelError> {
        match self.arg(i) {
            Value::Null => Ok(None),
            Value::Context(context) => Ok(Some(context.clone())),
            _ => Err(self.wrong(i, "a context")),
        }
    }

    /// The items of `f([1, 2])` or of `f(1, 2)`.
    fn items(&self) -> Result<Option<List>, FeelError> {
        if self.args.len() == 1 { self.list(0) } else { Ok(Some(self.args.clone().into())) }
    }

    fn function(&self, i: usize, params: usize) -> Result<Arc<Function>, FeelError> {
        match self.arg(i) {
            Value::Function(function) if function.params.len() == params => Ok(function.clone()),
            _ => Err(self.wrong(i, &format!("a function of {params} parameters"))),
        }
    }

    /// Charges work that grows with the arguments.
    fn charge(&mut self, amount: usize) -> Result<(), FeelError> {
        self.evaluator.charge(amount, &self.span)
    }

    fn trouble(&self, trouble: Trouble) -> FeelError {
        trouble_error(trouble, &self.span, || format!("`{}` does not work on these types", self.builtin.name))
    }

    fn equal(&mut self, a: &Value, b: &Value) -> Result<bool, FeelError> {
        self.evaluator.charge_size(a.size().min(b.size()), &self.span)?;
        Ok(super::ops::equal(a, b, &self.evaluator.env.time_zone))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_short_enough() {
        let mut seen = std::collections::BTreeSet::new();
        for name in names() {
            assert!(seen.insert(name), "{name} is there twice");
            assert!(name.split(' ').count() <= MAX_NAME_WORDS, "{name}");
        }
    }

    #[test]
    fn every_signature_requires_no_more_than_it_has() {
        for builtin in all() {
            assert!(builtin.signatures.iter().all(|s| s.required <= s.params.len()), "{}", builtin.name);
        }
    }
}
