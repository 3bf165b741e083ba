//! Reads files to import: YAML or JSON, with spans.

use std::collections::BTreeMap;

use brain_registry::Code;
use brain_registry::Diagnostic;
use brain_registry::Report;
use brain_registry::yaml::{Node, NodeValue, ProblemKind, Resolved, parse, resolve};

/// The tree of a file. JSON is parsed as YAML, so comments in it are harmless.
pub(super) fn read(file: &str, text: &str) -> Result<Node, Report> {
    parse(text).or_else(|problems| {
        // JSON may be indented with tabs, YAML may not.
        let plain = serde_json::from_str::<serde_json::Value>(text).ok();
        if let Some(node) = plain.and_then(|json| parse(&serde_json::to_string_pretty(&json).ok()?).ok()) {
            return Ok(node);
        }
        let found = problems.into_iter().map(|problem| {
            let code = match problem.kind {
                ProblemKind::Syntax => Code::YamlSyntax,
                ProblemKind::DuplicateKey => Code::DuplicateKey,
                ProblemKind::Unsupported => Code::YamlUnsupported,
                ProblemKind::TooLarge => Code::TooLarge,
            };
            let help = problem.help.or_else(|| Some("the file must be JSON or YAML; nothing was written".into()));
            Diagnostic::new(code, file, problem.span, problem.message, help)
        });
        Err(Report::new(found.collect(), sources(file, text)))
    })
}

/// A refusal with a position.
pub(super) fn refuse(file: &str, text: &str, node: &Node, message: impl Into<String>, help: &str) -> Report {
    let found = Diagnostic::new(Code::WrongKind, file, node.span, message.into(), Some(help.to_owned()));
    Report::new(vec![found], sources(file, text))
}

fn sources(file: &str, text: &str) -> BTreeMap<String, String> {
    BTreeMap::from([(file.to_owned(), text.to_owned())])
}

/// The text of a scalar that is not null.
pub(super) fn text(node: &Node) -> Option<String> {
    let scalar = node.as_scalar()?;
    (resolve(scalar) != Resolved::Null).then(|| scalar.text.clone())
}

/// The text of a key, if it is not empty.
pub(super) fn text_of(node: &Node, key: &str) -> Option<String> {
    node.get(key).and_then(text).filter(|text| !text.trim().is_empty())
}

/// The texts of a list, or of one text.
pub(super) fn texts(node: Option<&Node>) -> Vec<String> {
    match node.map(|node| &node.value) {
        Some(NodeValue::Seq(items)) => items.iter().filter_map(text).collect(),
        Some(NodeValue::Scalar(_)) => node.and_then(text).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// `true`, `false`, or neither.
pub(super) fn flag(node: Option<&Node>) -> Option<bool> {
    match node?.as_scalar().map(resolve) {
        Some(Resolved::Bool(flag)) => Some(flag),
        _ => None,
    }
}

/// The entries of a map; empty for anything else.
pub(super) fn entries(node: Option<&Node>) -> impl Iterator<Item = (&str, &Node)> {
    node.and_then(Node::as_map).unwrap_or(&[]).iter().map(|(key, node)| (key.text.as_str(), node))
}

/// A value on one line, for notes.
pub(super) fn shown(node: &Node) -> String {
    match brain_registry::yaml::to_json(node) {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    }
}
