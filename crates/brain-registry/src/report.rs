//! All problems of a set of packs, with excerpts of their files.

use std::collections::BTreeMap;
use std::fmt;

use crate::Code;
use crate::diagnostic::{Diagnostic, Severity, mask};

/// All problems of a set of packs, sorted by file and line.
#[derive(Clone, Debug, Default)]
pub struct Report {
    diagnostics: Vec<Diagnostic>,
    sources: BTreeMap<String, String>,
}

impl Report {
    /// A report of these problems, sorted by file and position, without duplicates. `sources` are the files' texts;
    /// secrets in them are masked.
    pub fn new(mut diagnostics: Vec<Diagnostic>, sources: BTreeMap<String, String>) -> Self {
        diagnostics.sort_by(|a, b| {
            (&a.file, a.span.start, a.code, &a.message).cmp(&(&b.file, b.span.start, b.code, &b.message))
        });
        diagnostics.dedup();
        let used = |file: &String| diagnostics.iter().any(|one| one.file == *file);
        let mut sources: BTreeMap<String, String> = sources.into_iter().filter(|(file, _)| used(file)).collect();
        // Do not copy a secret into logs and terminals, not even in the excerpt of another problem.
        for one in diagnostics.iter().filter(|one| one.code == Code::SecretValue.id()) {
            if let Some(source) = sources.get_mut(&one.file) {
                *source = mask(source, &one.span);
            }
        }
        Self { diagnostics, sources }
    }

    /// The problems.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Whether there are no problems.
    pub fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// The number of errors.
    pub fn errors(&self) -> usize {
        self.diagnostics.iter().filter(|one| one.severity == Severity::Error).count()
    }

    /// The number of warnings.
    pub fn warnings(&self) -> usize {
        self.diagnostics.len() - self.errors()
    }

    /// The text of a file with problems.
    pub fn source(&self, file: &str) -> &str {
        self.sources.get(file).map_or("", String::as_str)
    }

    /// All problems with excerpts, and a last line with the counts.
    pub fn render(&self, color: bool) -> String {
        if self.is_empty() {
            return String::new();
        }
        let mut parts: Vec<String> =
            self.diagnostics.iter().map(|one| one.render(self.source(&one.file), color)).collect();
        parts.push(self.count());
        parts.join("\n\n")
    }

    fn count(&self) -> String {
        let number = |count: usize, word: &str| match count {
            0 => None,
            1 => Some(format!("1 {word}")),
            _ => Some(format!("{count} {word}s")),
        };
        let counts: Vec<String> =
            [number(self.errors(), "error"), number(self.warnings(), "warning")].into_iter().flatten().collect();
        counts.join(", ")
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Report {}
