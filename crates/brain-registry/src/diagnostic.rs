//! One problem in a pack: what is wrong, where, and what to do about it.

use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use serde::Serialize;

use crate::code::Code;
use crate::yaml::Span;

/// The severity of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The packs are rejected.
    Error,
    /// The packs load.
    Warning,
}

/// One problem in a pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// The stable code, documented in `docs/errors/<code>.md`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The file, as it was given to the loader.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The byte range in the file.
    pub span: Range<usize>,
    /// The problem.
    pub message: String,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl Diagnostic {
    /// A problem at `span` of `file`, with the severity of its code.
    pub fn new(code: Code, file: &str, span: Span, message: String, help: Option<String>) -> Self {
        Self {
            code: code.id(),
            severity: code.severity(),
            file: file.to_owned(),
            line: span.line,
            column: span.column,
            span: span.start..span.end,
            message,
            help,
        }
    }

    /// The problem with an excerpt, a caret, help, and the command that prints the code's page. `source` is the file's
    /// text, with secrets masked; if it is empty (the file was unreadable), there is no excerpt.
    pub fn render(&self, source: &str, color: bool) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let title = level.primary_title(self.message.as_str()).id(self.code);
        let mut group = if source.is_empty() {
            title.element(annotate_snippets::Origin::path(self.file.as_str()))
        } else {
            let snippet = Snippet::source(source)
                .path(self.file.as_str())
                .annotation(AnnotationKind::Primary.span(first_line(source, &self.span)));
            title.element(snippet)
        };
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        let explain = format!("brain pack explain {}", self.code);
        group = group.element(Level::HELP.message(explain.as_str()));
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[group])
    }
}

/// The source with a span masked byte for byte, so that offsets stay valid.
pub(crate) fn mask(source: &str, span: &Range<usize>) -> String {
    let start = floor(source, span.start.min(source.len()));
    let end = floor(source, span.end.clamp(start, source.len()));
    let hidden: String = source[start..end]
        .chars()
        .map(|c| if c.is_whitespace() { c.to_string() } else { "*".repeat(c.len_utf8()) })
        .collect();
    format!("{}{hidden}{}", &source[..start], &source[end..])
}

/// The part of a span on its first line, at least one character wide if possible.
fn first_line(source: &str, span: &Range<usize>) -> Range<usize> {
    let start = floor(source, span.start.min(source.len()));
    let end = floor(source, span.end.clamp(start, source.len()));
    let line = &source[start..end];
    let line_end = start + line.split('\n').next().unwrap_or("").trim_end().len();
    if line_end > start {
        return start..line_end;
    }
    let next = source[start..].chars().next().filter(|c| *c != '\n').map_or(0, char::len_utf8);
    start..start + next
}

fn floor(source: &str, mut at: usize) -> usize {
    while !source.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl fmt::Display for Diagnostic {
    /// One line in compiler style: `file:line:column: error[P0101]: message`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{}:{}:{}: {severity}[{}]: {}", self.file, self.line, self.column, self.code, self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> (Diagnostic, &'static str) {
        let source = "title: Shop\nphrasses: [a]\n";
        let span = Span { start: 12, end: 20, line: 2, column: 1 };
        let help = Some("did you mean `phrases`?".to_owned());
        (Diagnostic::new(Code::UnknownKey, "shop/pack.yaml", span, "unknown key `phrasses`".into(), help), source)
    }

    #[test]
    fn the_excerpt_points_at_the_place() {
        let (diagnostic, source) = sample();
        let shown = diagnostic.render(source, false);
        assert_eq!(
            shown,
            "error[P0101]: unknown key `phrasses`\n --> shop/pack.yaml:2:1\n  |\n2 | phrasses: [a]\n  | ^^^^^^^^\n  |\n  = help: did you mean `phrases`?\n  = help: brain pack explain P0101"
        );
    }

    #[test]
    fn one_line_and_json_carry_the_same_facts() {
        let (diagnostic, _) = sample();
        assert_eq!(diagnostic.to_string(), "shop/pack.yaml:2:1: error[P0101]: unknown key `phrasses`");
        let json = serde_json::to_value(&diagnostic).unwrap();
        assert_eq!(json["line"], 2);
        assert_eq!(json["code"], "P0101");
        assert_eq!(json["severity"], "error");
        assert_eq!(json["span"]["start"], 12);
    }

    #[test]
    fn a_span_at_the_end_of_a_file_or_inside_a_character_does_not_panic() {
        for (source, start, end) in [("é", 1, 2), ("a", 5, 9), ("", 0, 0), ("a\n", 2, 2)] {
            let (mut diagnostic, _) = sample();
            diagnostic.span = start..end;
            diagnostic.render(source, true);
        }
    }
}
