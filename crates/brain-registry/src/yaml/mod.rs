//! A YAML tree with spans, so that every problem can point at its source.
//!
//! Packs use YAML 1.2 with the core schema, one document per file, without tags and anchors: nobody should have to
//! chase references through a pack.

mod json;
mod locate;
mod node;
mod parse;
mod scalar;

pub use json::to_json;
pub(crate) use locate::locate;
pub use node::{Key, Node, NodeValue, Scalar, Span, Style};
pub use parse::{Problem, ProblemKind, parse};
pub use scalar::{Resolved, resolve};

/// A YAML file outside packs as JSON, or its syntax errors with their positions.
pub fn yaml_value(source: &str) -> Result<serde_json::Value, String> {
    match parse(source) {
        Ok(node) => Ok(to_json(&node)),
        Err(problems) => {
            let lines = problems.iter().map(|problem| {
                let help = problem.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
                format!("line {}, column {}: {}{help}", problem.span.line, problem.span.column, problem.message)
            });
            Err(lines.collect::<Vec<_>>().join("\n"))
        }
    }
}
