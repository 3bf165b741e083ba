//! Bindings: JSON whose texts may be expressions, as packs write them.
//!
//! * A text that starts with `=` is FEEL: `"= slots.amount * 2"`.
//! * A text that is exactly one path, `"{{ state.insured.name }}"`, is the value there, whatever its type. Indexes count
//!   from 0 as in every template: `"{{ rows[0].name }}"`.
//! * Any other text with `{{` or `{%` is a template and yields text.
//! * Everything else is itself. A literal text that would be taken for one of these is written `="…"`.
//!
//! A binding is compiled once and evaluated often; evaluation copies only what the result holds.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value as Json;

use crate::feel::{self, Env, Expr, FeelError, PathStep, Scope, Value};
use crate::text::{Text, TextError};

/// Maximum nesting of a binding.
pub const MAX_BINDING_DEPTH: usize = 64;

/// Compiled JSON with expressions.
#[derive(Debug, Clone)]
pub struct Binding {
    source: Json,
    root: Part,
}

#[derive(Debug, Clone)]
enum Part {
    /// No expression inside; kept in both forms.
    Literal(Json, Value),
    Feel(Expr),
    Path(Expr),
    Text(Text),
    List(Vec<Part>),
    Object(Vec<(String, Part)>),
}

/// An error in a binding, with its position.
#[derive(Debug, Clone, PartialEq)]
pub struct BindingError {
    /// JSON Pointer to the text; empty for the whole.
    pub pointer: String,
    /// The error; spans start at the beginning of that text, `=` included.
    pub cause: BindingCause,
}

/// An error in one text of a binding.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum BindingCause {
    /// In a FEEL expression or a path.
    Feel(FeelError),
    /// In a template.
    Text(TextError),
    /// The tree nests deeper than [`MAX_BINDING_DEPTH`].
    TooDeep,
}

impl fmt::Display for BindingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.pointer.is_empty() {
            write!(f, "{}: ", self.pointer)?;
        }
        match &self.cause {
            BindingCause::Feel(error) => error.fmt(f),
            BindingCause::Text(error) => error.fmt(f),
            BindingCause::TooDeep => {
                write!(f, "a binding nests at most {MAX_BINDING_DEPTH} levels")
            }
        }
    }
}

impl std::error::Error for BindingError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.cause {
            BindingCause::Feel(error) => Some(error),
            BindingCause::Text(error) => Some(error),
            BindingCause::TooDeep => None,
        }
    }
}

/// A variable that a binding reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// JSON Pointer to the text that reads it.
    pub pointer: String,
    /// The name and its path.
    pub segments: Vec<String>,
    /// The byte range in that text, if known (not for templates).
    pub span: Option<Range<usize>>,
    /// See [`feel::PathRef::maybe_item`].
    pub maybe_item: bool,
}

impl Binding {
    /// Compiles a tree.
    pub fn parse(source: &Json) -> Result<Self, BindingError> {
        let root = compile(source, &mut String::new(), 0)?;
        Ok(Self { source: source.clone(), root })
    }

    /// A binding for this exact value, whatever its texts look like: data from outside is never evaluated, not even
    /// after a round trip.
    pub fn literal(value: &Json) -> Self {
        let source = quoted(value);
        let root = Part::Literal(value.clone(), Value::from_json(value));
        Self { source, root }
    }

    /// The tree as written.
    pub fn source(&self) -> &Json {
        &self.source
    }

    /// Whether this holds no expression, so that its value is its source.
    pub fn is_literal(&self) -> bool {
        matches!(self.root, Part::Literal(..))
    }

    /// The value, as JSON.
    pub fn eval(&self, context: &Value, env: &mut Env<'_>) -> Result<Json, BindingError> {
        self.root.json(context, env, &mut String::new())
    }

    /// The value, with numbers, dates and durations typed.
    pub fn eval_value(&self, context: &Value, env: &mut Env<'_>) -> Result<Value, BindingError> {
        self.root.value(context, env, &mut String::new())
    }

    /// The variable paths it reads, sorted, without duplicates.
    pub fn paths(&self) -> Vec<Vec<String>> {
        let mut paths: Vec<Vec<String>> = self.references().into_iter().map(|r| r.segments).collect();
        paths.sort();
        paths.dedup();
        paths
    }

    /// Every variable it reads, in tree order, with its position.
    pub fn references(&self) -> Vec<Reference> {
        let mut found = Vec::new();
        self.root.references(&mut String::new(), &mut found);
        found
    }
}

/// Bindings are equal if their sources are.
impl PartialEq for Binding {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Serialize for Binding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.source.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Binding {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&Json::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

fn fail(pointer: &str, cause: BindingCause) -> BindingError {
    BindingError { pointer: pointer.to_owned(), cause }
}

/// A cell of a decision table: FEEL unary tests (`> 100`, `"high", "urgent"`, `-`), compiled.
#[derive(Debug, Clone)]
pub struct Tests {
    source: String,
    expr: Expr,
}

impl Tests {
    /// Compiles a cell.
    pub fn parse(source: &str) -> Result<Self, FeelError> {
        Ok(Self { source: source.to_owned(), expr: feel::parse_unary_tests(source)? })
    }

    /// The cell as written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether the tests hold for a value; names other than `?` come from the context.
    pub fn hold(&self, input: &Value, context: &Value, env: &mut Env<'_>) -> Result<bool, FeelError> {
        feel::eval_unary_tests(&self.expr, input, &Scope::new(context), env)
    }

    /// Variables that the cell reads besides its input.
    pub fn paths(&self) -> Vec<Vec<String>> {
        self.expr.paths()
    }
}

impl PartialEq for Tests {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Serialize for Tests {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.source.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Tests {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let source = String::deserialize(deserializer)?;
        Self::parse(&source).map_err(serde::de::Error::custom)
    }
}

/// A binding that evaluates to this value.
fn quoted(value: &Json) -> Json {
    match value {
        Json::String(text) if text.starts_with('=') || text.contains("{{") || text.contains("{%") => {
            let mut literal = String::from("= \"");
            for c in text.chars() {
                match c {
                    '"' => literal.push_str("\\\""),
                    '\\' => literal.push_str("\\\\"),
                    '\n' => literal.push_str("\\n"),
                    '\r' => literal.push_str("\\r"),
                    '\t' => literal.push_str("\\t"),
                    c => literal.push(c),
                }
            }
            literal.push('"');
            Json::String(literal)
        }
        Json::Array(items) => items.iter().map(quoted).collect(),
        Json::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), quoted(value))).collect(),
        other => other.clone(),
    }
}

/// Runs a closure one level deeper, with the pointer extended.
fn within<T>(pointer: &mut String, step: &str, run: impl FnOnce(&mut String) -> T) -> T {
    let length = pointer.len();
    pointer.push('/');
    pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
    let result = run(pointer);
    pointer.truncate(length);
    result
}

fn compile(source: &Json, pointer: &mut String, depth: usize) -> Result<Part, BindingError> {
    if depth > MAX_BINDING_DEPTH {
        return Err(fail(pointer, BindingCause::TooDeep));
    }
    let literal = || Part::Literal(source.clone(), Value::from_json(source));
    Ok(match source {
        Json::String(text) => compile_text(text, pointer)?.unwrap_or_else(literal),
        Json::Array(items) => {
            let mut parts = Vec::with_capacity(items.len());
            for (i, item) in items.iter().enumerate() {
                parts.push(within(pointer, &i.to_string(), |pointer| compile(item, pointer, depth + 1))?);
            }
            if parts.iter().all(Part::is_literal) { literal() } else { Part::List(parts) }
        }
        Json::Object(entries) => {
            let mut parts = Vec::with_capacity(entries.len());
            for (key, item) in entries {
                parts.push((key.clone(), within(pointer, key, |pointer| compile(item, pointer, depth + 1))?));
            }
            if parts.iter().all(|(_, part)| part.is_literal()) { literal() } else { Part::Object(parts) }
        }
        _ => literal(),
    })
}

/// The expression in a text; `None` if it is a literal.
fn compile_text(text: &str, pointer: &str) -> Result<Option<Part>, BindingError> {
    if let Some(expression) = text.strip_prefix('=') {
        let parsed = feel::parse(expression).map_err(|error| fail(pointer, BindingCause::Feel(shifted(error))))?;
        return Ok(Some(Part::Feel(parsed)));
    }
    if !text.contains("{{") && !text.contains("{%") {
        return Ok(None);
    }
    if let Some(path) = lone_path(text).and_then(|steps| Expr::from_path(text, &steps)) {
        return Ok(Some(Part::Path(path)));
    }
    Text::parse(text).map(|text| Some(Part::Text(text))).map_err(|error| fail(pointer, BindingCause::Text(error)))
}

/// Shifts spans by the `=`, which the expression does not include.
fn shifted(mut error: FeelError) -> FeelError {
    error.span = error.span.start + 1..error.span.end + 1;
    error
}

/// The steps of a text that is exactly `{{ a.b[0] }}`.
fn lone_path(text: &str) -> Option<Vec<(PathStep, Range<usize>)>> {
    let inner = text.trim().strip_prefix("{{")?.strip_suffix("}}")?.trim();
    let start = text.find(inner)?;
    let mut steps: Vec<(PathStep, Range<usize>)> = Vec::new();
    let mut rest = inner;
    loop {
        let at = start + inner.len() - rest.len();
        let (step, length) = if let Some(bracket) = rest.strip_prefix('[').filter(|_| !steps.is_empty()) {
            let close = bracket.find(']')?;
            let index: i64 = bracket[..close].trim().parse().ok()?;
            // Templates count from 0, FEEL from 1; negative indexes count from the end in both.
            (PathStep::Index(if index < 0 { index } else { index.checked_add(1)? }), close + 2)
        } else {
            let dot = usize::from(!steps.is_empty());
            if dot == 1 && !rest.starts_with('.') {
                return None;
            }
            let name = &rest[dot..];
            let length = name.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(name.len());
            let name = &name[..length];
            let starts_well = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
            let is_constant = dot == 0 && matches!(name, "true" | "false" | "none" | "True" | "False" | "None" | "not");
            if !starts_well || is_constant {
                return None;
            }
            (PathStep::Name(name.into()), dot + length)
        };
        steps.push((step, at..at + length));
        rest = &rest[length..];
        if rest.is_empty() {
            return Some(steps);
        }
    }
}

impl Part {
    fn is_literal(&self) -> bool {
        matches!(self, Self::Literal(..))
    }

    fn json(&self, context: &Value, env: &mut Env<'_>, pointer: &mut String) -> Result<Json, BindingError> {
        match self {
            Self::Literal(json, _) => Ok(json.clone()),
            Self::List(parts) => {
                let mut items = Vec::with_capacity(parts.len());
                for (i, part) in parts.iter().enumerate() {
                    items.push(within(pointer, &i.to_string(), |pointer| part.json(context, env, pointer))?);
                }
                Ok(Json::Array(items))
            }
            Self::Object(parts) => {
                let mut entries = serde_json::Map::new();
                for (key, part) in parts {
                    entries.insert(key.clone(), within(pointer, key, |pointer| part.json(context, env, pointer))?);
                }
                Ok(Json::Object(entries))
            }
            _ => self.value(context, env, pointer).map(|value| value.to_json()),
        }
    }

    fn value(&self, context: &Value, env: &mut Env<'_>, pointer: &mut String) -> Result<Value, BindingError> {
        match self {
            Self::Literal(_, value) => Ok(value.clone()),
            Self::Feel(expr) => feel::eval(expr, &Scope::new(context), env)
                .map_err(|error| fail(pointer, BindingCause::Feel(shifted(error)))),
            Self::Path(expr) => {
                feel::eval(expr, &Scope::new(context), env).map_err(|error| fail(pointer, BindingCause::Feel(error)))
            }
            Self::Text(text) => {
                text.render_value(context).map(Value::from).map_err(|error| fail(pointer, BindingCause::Text(error)))
            }
            Self::List(parts) => {
                let mut items = Vec::with_capacity(parts.len());
                for (i, part) in parts.iter().enumerate() {
                    items.push(within(pointer, &i.to_string(), |pointer| part.value(context, env, pointer))?);
                }
                Ok(Value::list(items))
            }
            Self::Object(parts) => {
                let mut entries = Vec::with_capacity(parts.len());
                for (key, part) in parts {
                    entries.push((key.as_str(), within(pointer, key, |pointer| part.value(context, env, pointer))?));
                }
                Ok(Value::context(entries))
            }
        }
    }

    fn references(&self, pointer: &mut String, found: &mut Vec<Reference>) {
        match self {
            Self::Literal(..) => {}
            Self::Feel(expr) | Self::Path(expr) => {
                let shift = usize::from(matches!(self, Self::Feel(_)));
                found.extend(expr.paths_with_spans().iter().map(|path| Reference {
                    pointer: pointer.clone(),
                    segments: path.segments.clone(),
                    span: Some(path.span.start + shift..path.span.end + shift),
                    maybe_item: path.maybe_item,
                }));
            }
            Self::Text(text) => found.extend(text.paths().into_iter().map(|segments| Reference {
                pointer: pointer.clone(),
                segments,
                span: None,
                maybe_item: false,
            })),
            Self::List(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    within(pointer, &i.to_string(), |pointer| part.references(pointer, found));
                }
            }
            Self::Object(parts) => {
                for (key, part) in parts {
                    within(pointer, key, |pointer| part.references(pointer, found));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use serde_json::json;

    use super::*;

    fn eval(source: &Json, context: &Json) -> Result<Json, BindingError> {
        let mut random = || 0;
        let mut env = Env::new("2024-01-31T10:00:00Z".parse().unwrap(), TimeZone::UTC, &mut random);
        Binding::parse(source)?.eval(&Value::from_json(context), &mut env)
    }

    #[test]
    fn each_kind_of_text_yields_what_it_should() {
        let context = json!({"state": {"insured": {"name": "Ada", "dot": 7}, "rows": [{"n": 1}, {"n": 2}]}, "x": 2});
        for (source, result) in [
            (json!("plain"), json!("plain")),
            (json!("= x * 21"), json!(42)),
            (json!("=\"= literal {{\""), json!("= literal {{")),
            (json!("{{ state.insured.dot }}"), json!(7)),
            (json!(" {{state.insured}} "), json!({"name": "Ada", "dot": 7})),
            (json!("{{ state.rows[0].n }}"), json!(1)),
            (json!("{{ state.rows[-1].n }}"), json!(2)),
            (json!("{{ state.rows.n }}"), json!([1, 2])),
            (json!("{{ missing.path }}"), json!(null)),
            (json!("Hello {{ state.insured.name }}!"), json!("Hello Ada!")),
            (json!("{{ state.insured.name|upper }}"), json!("ADA")),
            (json!("{{ true }}"), json!("true")),
            (json!("{% if x > 1 %}many{% endif %}"), json!("many")),
            (
                json!({"a": ["=x", 1, null, true], "b": {"c": "{{ x }}"}}),
                json!({"a": [2, 1, null, true], "b": {"c": 2}}),
            ),
            (json!(1.5), json!(1.5)),
        ] {
            assert_eq!(eval(&source, &context).unwrap(), result, "{source}");
        }
    }

    #[test]
    fn an_error_names_its_place_in_the_tree_and_in_the_text() {
        let error = Binding::parse(&json!({"a/b": [1, "=1 +"]})).unwrap_err();
        assert_eq!(error.pointer, "/a~1b/1");
        let BindingCause::Feel(cause) = error.cause else { panic!() };
        assert_eq!(cause.span, 4..4);
        let error = eval(&json!({"a": "=1 + x"}), &json!({})).unwrap_err();
        assert!(error.to_string().starts_with("/a: `+` does not work"), "{error}");
        let error = Binding::parse(&json!("{{ a + }}")).unwrap_err();
        assert!(matches!(error.cause, BindingCause::Text(_)));
    }

    #[test]
    fn what_is_compiled_may_be_shared_between_threads() {
        fn shared<T: Send + Sync + 'static>() {}
        shared::<(Binding, Expr, Text, Value)>();
    }

    #[test]
    fn a_tree_without_expressions_is_literal() {
        assert!(Binding::parse(&json!({"a": [1, "x"]})).unwrap().is_literal());
        assert!(!Binding::parse(&json!({"a": [1, "=x"]})).unwrap().is_literal());
    }

    #[test]
    fn references_say_who_reads_what() {
        let binding =
            Binding::parse(&json!({"a": "=steps.docs.result + x", "b": "{{ x }}", "c": "{{ y.z }}!"})).unwrap();
        assert_eq!(binding.paths(), [vec!["steps", "docs", "result"], vec!["x"], vec!["y", "z"]]);
        let references = binding.references();
        assert_eq!((references[0].pointer.as_str(), references[0].span.clone()), ("/a", Some(1..18)));
        assert_eq!((references[2].pointer.as_str(), references[2].span.clone()), ("/b", Some(3..4)));
    }

    #[test]
    fn a_binding_round_trips_as_its_source() {
        let source = json!({"b": "=1 + 1", "a": ["{{ x }}"]});
        let binding: Binding = serde_json::from_value(source.clone()).unwrap();
        assert_eq!(serde_json::to_value(&binding).unwrap(), source);
        assert_eq!(binding, Binding::parse(&source).unwrap());
        assert!(serde_json::from_value::<Binding>(json!("=1 +")).is_err());
    }

    #[test]
    fn a_value_keeps_types_that_json_has_not() {
        let mut random = || 0;
        let mut env = Env::new("2024-01-31T10:00:00Z".parse().unwrap(), TimeZone::UTC, &mut random);
        let binding = Binding::parse(&json!({"due": "=today() + @\"P1M\"", "rate": "=1 / 8"})).unwrap();
        let value = binding.eval_value(&Value::Null, &mut env).unwrap();
        assert_eq!(value.get("due").unwrap().type_name(), "date");
        assert_eq!(value.to_json(), json!({"due": "2024-02-29", "rate": "0.125"}));
    }

    #[test]
    fn a_tree_that_is_too_deep_is_refused() {
        let deep = (0..MAX_BINDING_DEPTH + 1).fold(json!(1), |inner, _| json!([inner]));
        assert_eq!(Binding::parse(&deep).unwrap_err().cause, BindingCause::TooDeep);
    }

    #[test]
    fn data_from_outside_is_never_evaluated() {
        let hostile = json!({"a": "= 1 + 1", "b": ["{{ secret }}", "{% x %}", "=\"q\"\\ \n\t"], "c": 3, "d": "plain"});
        let binding = Binding::literal(&hostile);
        let stored = serde_json::to_string(&binding).unwrap();
        let again: Binding = serde_json::from_str(&stored).unwrap();
        let mut random = || 0;
        let mut env = Env::new(jiff::Timestamp::UNIX_EPOCH, jiff::tz::TimeZone::UTC, &mut random);
        assert_eq!(binding.eval(&Value::Null, &mut env).unwrap(), hostile);
        assert_eq!(again.eval(&Value::Null, &mut env).unwrap(), hostile);
    }
}
