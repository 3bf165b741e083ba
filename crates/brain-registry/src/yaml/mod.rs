//! A spanned YAML tree: every value knows where it stands, so that every complaint can point at it.
//!
//! What packs may use is YAML 1.2 with the core schema, one document per file, without tags and without anchors:
//! a pack is read by people who should not have to chase references through a file.

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

/// A YAML file that is no part of a pack, as JSON; or where it is wrong, and why. Text that looks like a number is one.
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
