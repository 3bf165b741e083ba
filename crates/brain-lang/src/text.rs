//! Text templates: MiniJinja, sandboxed and bounded.
//!
//! A template reads only the values it is given: there is no loader, include, import or macro. Missing and null values
//! print as nothing. Computing is FEEL's job; a template only arranges and formats. Its filters are in
//! `text/filters.rs`; an unknown filter is a parse error.

mod filters;

pub use filters::money_text;

use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use minijinja::value::{Enumerator, Object, ObjectRepr, Value as Piece, ValueKind};
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior};
use rust_decimal::prelude::ToPrimitive;
use serde_json::Value as Json;

use crate::feel;

/// Maximum length of a template.
pub const MAX_TEMPLATE_BYTES: usize = 64 * 1024;
/// Maximum number of instructions per rendering.
pub const MAX_TEXT_FUEL: u64 = 100_000;
/// Maximum length of the output.
pub const MAX_OUTPUT_BYTES: usize = 256 * 1024;
/// Maximum number of `~`, `+` and `*` in a template. Each can double a text that is never printed, which no other
/// limit catches.
pub const MAX_TEXT_JOINS: usize = 12;
/// Maximum recursion of a rendering.
pub const MAX_TEXT_RECURSION: usize = 50;

/// The name every template has in its own environment.
const NAME: &str = "text";
/// Significant digits up to which a float prints a decimal exactly.
const EXACT_FLOAT_DIGITS: usize = 15;

static BASE: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut env = Environment::new();
    env.set_undefined_behavior(UndefinedBehavior::Chainable);
    env.set_fuel(Some(MAX_TEXT_FUEL));
    env.set_recursion_limit(MAX_TEXT_RECURSION);
    env.set_debug(false);
    env.set_formatter(|out, state, value| {
        match value.kind() {
            ValueKind::None => Ok(()),
            // MiniJinja writes Python's `True`.
            ValueKind::Bool => Ok(out.write_str(if value.is_true() { "true" } else { "false" })?),
            _ => minijinja::escape_formatter(out, state, value),
        }
    });
    filters::install(&mut env);
    env
});

/// A parsed template; cheap to clone.
#[derive(Clone)]
pub struct Text(Arc<Inner>);

struct Inner {
    source: String,
    env: Environment<'static>,
    paths: Vec<Vec<String>>,
    roots: Vec<String>,
}

/// An error in a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextError {
    /// The problem, in one sentence without a full stop.
    pub message: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The byte range in the source, if known.
    pub span: Option<Range<usize>>,
    /// How to fix it, if known.
    pub help: Option<String>,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at {}:{})", self.message, self.line, self.column)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for TextError {}

impl Text {
    /// Parses a template.
    pub fn parse(source: &str) -> Result<Self, TextError> {
        if source.len() > MAX_TEMPLATE_BYTES {
            let message = format!("a template has at most {MAX_TEMPLATE_BYTES} bytes");
            return Err(error_at(source, message, Some(0..source.len())));
        }
        let mut env = BASE.clone();
        env.add_template_owned(NAME, source.to_owned()).map_err(|error| convert(source, &error))?;
        let scan = filters::scan(source);
        if let Some((name, span)) = scan.unknown {
            let mut error = error_at(source, format!("there is no filter `{name}`"), Some(span));
            error.help = feel::nearest(&name, filters::names()).map(|near| format!("did you mean `{near}`?"));
            return Err(error);
        }
        if let Some(join) = scan.joins.get(MAX_TEXT_JOINS) {
            let message = format!("a template has at most {MAX_TEXT_JOINS} of `~`, `+` and `*`");
            let mut error = error_at(source, message, Some(*join..join + 1));
            error.help = Some("print values side by side, or compute them in FEEL".to_owned());
            return Err(error);
        }
        let (paths, roots) = {
            let template = env.get_template(NAME).map_err(|error| convert(source, &error))?;
            let is_global = |name: &str| filters::GLOBALS.contains(&name);
            let mut paths: Vec<Vec<String>> = template
                .undeclared_variables(true)
                .into_iter()
                .map(|path| path.split('.').map(str::to_owned).collect::<Vec<_>>())
                .filter(|path| !is_global(&path[0]))
                .collect();
            paths.sort();
            let mut roots: Vec<String> = paths.iter().map(|path| path[0].clone()).collect();
            roots.dedup();
            (paths, roots)
        };
        Ok(Self(Arc::new(Inner { source: source.to_owned(), env, paths, roots })))
    }

    /// The source.
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// The variable paths it reads, sorted: `{{ a.b }}` is `["a", "b"]`. A path ends at an index.
    pub fn paths(&self) -> Vec<Vec<String>> {
        self.0.paths.clone()
    }

    /// Renders with the entries of a JSON object as variables. Only those that the template reads are converted.
    pub fn render(&self, context: &Json) -> Result<String, TextError> {
        let used = self.0.roots.iter().filter_map(|name| {
            let value = context.get(name)?;
            Some((name.as_str(), feel::Value::from_json(value)))
        });
        self.render_value(&feel::Value::context(used))
    }

    /// Renders with the entries of a FEEL context as variables, without copying it.
    pub fn render_value(&self, context: &feel::Value) -> Result<String, TextError> {
        let context = match context {
            feel::Value::Context(_) => piece(context),
            _ => Piece::from(()),
        };
        let source = &self.0.source;
        let template = self.0.env.get_template(NAME).map_err(|error| convert(source, &error))?;
        let mut output = Bounded::default();
        let rendered = template.render_captured_to(context, &mut output).map(|_| ());
        if output.full {
            let message = format!("the text would have more than {MAX_OUTPUT_BYTES} bytes");
            return Err(error_at(source, message, None));
        }
        rendered.map_err(|error| convert(source, &error))?;
        Ok(String::from_utf8(output.bytes).expect("a template writes only whole strings"))
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Text").field(&self.0.source).finish()
    }
}

/// Templates are equal if their sources are.
impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.0.source == other.0.source
    }
}

/// A writer that stops at [`MAX_OUTPUT_BYTES`].
#[derive(Default)]
struct Bounded {
    bytes: Vec<u8>,
    full: bool,
}

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > MAX_OUTPUT_BYTES {
            self.full = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn error_at(source: &str, message: String, span: Option<Range<usize>>) -> TextError {
    let before = span.as_ref().and_then(|span| source.get(..span.start)).unwrap_or("");
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    TextError { message, line, column, span, help: None }
}

fn convert(source: &str, error: &Error) -> TextError {
    let message = match error.kind() {
        ErrorKind::OutOfFuel => "the template exceeds the evaluation limit".to_owned(),
        kind => error.detail().map_or_else(|| kind.to_string(), str::to_owned),
    };
    let mut converted = error_at(source, message, error.range());
    if error.range().is_none() {
        converted.line = error.line().unwrap_or(1);
    }
    converted.help = match error.kind() {
        ErrorKind::OutOfFuel => Some("loop over less".to_owned()),
        ErrorKind::SyntaxError if converted.message.contains("unknown statement") => Some(
            "templates support `if`, `for`, `set`, `with` and `filter`; include, import and macro are not available"
                .to_owned(),
        ),
        _ => None,
    };
    converted
}

/// A FEEL value as a template sees it. Lists and contexts are converted lazily.
fn piece(value: &feel::Value) -> Piece {
    match value {
        feel::Value::Null | feel::Value::Function(_) => Piece::from(()),
        feel::Value::Bool(value) => Piece::from(*value),
        feel::Value::Number(number) => {
            let text = value.to_string();
            let digits = text.bytes().filter(u8::is_ascii_digit).count();
            match (number.to_i64().filter(|_| number.fract().is_zero()), number.to_f64()) {
                (Some(whole), _) => Piece::from(whole),
                (None, Some(float)) if digits <= EXACT_FLOAT_DIGITS => Piece::from(float),
                _ => Piece::from(text),
            }
        }
        feel::Value::String(text) => Piece::from(text.clone()),
        feel::Value::List(list) => Piece::from_object(ListPiece(list.clone())),
        feel::Value::Context(context) => Piece::from_object(ContextPiece(context.clone())),
        other => match other.to_json() {
            Json::String(text) => Piece::from(text),
            _ => Piece::from(()),
        },
    }
}

#[derive(Debug)]
struct ListPiece(feel::List);

impl Object for ListPiece {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Piece) -> Option<Piece> {
        self.0.get(key.as_usize()?).map(piece)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(self.0.len())
    }
}

#[derive(Debug)]
struct ContextPiece(feel::Context);

impl Object for ContextPiece {
    fn get_value(self: &Arc<Self>, key: &Piece) -> Option<Piece> {
        self.0.get(key.as_str()?).map(piece)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.0.keys().map(|key| Piece::from(key.clone())).collect())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn render(source: &str, context: &Json) -> String {
        let text = Text::parse(source).unwrap();
        let from_json = text.render(context).unwrap();
        let from_value = text.render_value(&feel::Value::from_json(context)).unwrap();
        assert_eq!(from_json, from_value, "{source}");
        from_json
    }

    #[test]
    fn what_is_missing_or_null_prints_nothing() {
        assert_eq!(render("[{{ a }}{{ a.b.c }}{{ n }}]", &json!({"n": null})), "[]");
    }

    #[test]
    fn loops_conditions_and_filters_work() {
        let context = json!({"rows": [{"name": "a"}, {"name": "b"}], "n": 2, "ok": true});
        let source =
            "{% for r in rows %}{{ r.name|upper }}{% if not loop.last %}, {% endif %}{% endfor %} {{ n }} {{ ok }}";
        assert_eq!(render(source, &context), "A, B 2 true");
        assert_eq!(
            render("{{ rows[1].name }} {{ rows|length }} {{ rows|map(attribute='name')|join('+') }}", &context),
            "b 2 a+b"
        );
    }

    #[test]
    fn numbers_print_exactly() {
        let context = json!({"a": 45.1, "b": 10, "c": 1});
        assert_eq!(render("{{ a }} {{ b }} {{ c }}", &context), "45.1 10 1");
        let exact = feel::Value::context([("a", feel::Value::Number("12345678901234567890.12".parse().unwrap()))]);
        let text = Text::parse("{{ a }}").unwrap();
        assert_eq!(text.render_value(&exact).unwrap(), "12345678901234567890.12");
    }

    #[test]
    fn paths_are_known_without_rendering() {
        let text = Text::parse(
            "{{ a.b }} {% for x in rows %}{{ x.y }}{{ z }}{% endfor %}{{ range(3) }}{{ plural(n, 'x', 'y') }}",
        )
        .unwrap();
        assert_eq!(text.paths(), [vec!["a", "b"], vec!["n"], vec!["rows"], vec!["z"]]);
    }

    #[test]
    fn errors_know_their_place() {
        let error = Text::parse("line\n{{ a + }}").unwrap_err();
        assert_eq!((error.line, error.column), (2, 8));
        let error = Text::parse("{% include 'x' %}").unwrap_err();
        assert!(error.help.unwrap().contains("include, import and macro are not available"), "{}", error.message);
        let error = Text::parse("ok {{ a|uper }}").unwrap_err();
        assert_eq!((error.message.as_str(), error.span), ("there is no filter `uper`", Some(8..12)));
        assert_eq!(error.help.unwrap(), "did you mean `upper`?");
        let error = Text::parse("{{ 1 + 'x' }}").unwrap().render(&json!({})).unwrap_err();
        assert_eq!(error.span, Some(3..10));
    }

    #[test]
    fn a_loop_carries_nothing_from_turn_to_turn() {
        let source = "{% set x = 'a' %}{% for i in range(3) %}{% set x = x ~ x %}{{ x }} {% endfor %}{{ x }}";
        assert_eq!(render(source, &json!({})), "aa aa aa a");
    }

    #[test]
    fn work_and_output_are_bounded() {
        let source = "{% for a in range(1000) %}{% for b in range(1000) %}{{ a }}{% endfor %}{% endfor %}";
        let error = Text::parse(source).unwrap().render(&json!({})).unwrap_err();
        assert_eq!(error.message, "the template exceeds the evaluation limit");
        let context = json!({"x": "x".repeat(1000)});
        let error = Text::parse("{% for a in range(1000) %}{{ x }}{% endfor %}").unwrap().render(&context).unwrap_err();
        assert!(error.message.contains("bytes"), "{}", error.message);
        assert!(Text::parse(&"x".repeat(MAX_TEMPLATE_BYTES + 1)).is_err());
        let doubling = format!("{{% set x = 'x' %}}{}", "{% set x = x ~ x %}".repeat(40));
        assert_eq!(
            Text::parse(&doubling).unwrap_err().help.unwrap(),
            "print values side by side, or compute them in FEEL"
        );
    }
}
