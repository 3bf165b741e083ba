//! Bindings: `= FEEL`, `{{ template }}`, or a literal.

use std::collections::BTreeMap;

use brain_lang::binding::Binding;
use serde_json::Value;

use super::Context;
use crate::code::Code;
use crate::yaml::{Node, NodeValue, Scalar, Span, locate};

/// A scalar with a template or expression.
pub(crate) struct Leaf<'n> {
    pub(crate) scalar: &'n Scalar,
    pub(crate) span: Span,
}

impl Leaf<'_> {
    /// The FEEL after the `=`, with its offset in the scalar.
    pub(crate) fn feel(&self) -> Option<(&str, usize)> {
        self.scalar.text.strip_prefix('=').map(|rest| (rest, 1))
    }

    /// Whether it contains a template.
    pub(crate) fn is_template(&self) -> bool {
        self.feel().is_none() && (self.scalar.text.contains("{{") || self.scalar.text.contains("{%"))
    }
}

/// Every scalar below a node.
pub(crate) fn leaves(node: &Node) -> Vec<Leaf<'_>> {
    match &node.value {
        NodeValue::Scalar(scalar) => vec![Leaf { scalar, span: node.span }],
        NodeValue::Seq(items) => items.iter().flat_map(leaves).collect(),
        NodeValue::Map(entries) => entries.iter().flat_map(|(_, value)| leaves(value)).collect(),
    }
}

impl Context<'_> {
    /// A binding. Syntax errors are reported at their position.
    pub(crate) fn binding(&mut self, node: &Node) -> Option<Binding> {
        let before = self.found.len();
        for leaf in leaves(node) {
            self.syntax(&leaf);
        }
        if self.found.len() > before {
            return None;
        }
        let value = self.value(node);
        self.parsed(&value, node.span)
    }

    /// An expression: FEEL, with or without its `=`.
    pub(crate) fn condition(&mut self, node: &Node, what: &str) -> Option<Binding> {
        let text = self.text(node, what)?;
        if text.starts_with('=') || text.contains("{{") {
            return self.binding(node);
        }
        let scalar = node.as_scalar()?;
        self.feel(&text, 0, scalar, node.span)?;
        self.parsed(&Value::from(format!("= {text}")), node.span)
    }

    /// A map of bindings.
    pub(crate) fn bindings(&mut self, node: &Node, what: &str) -> BTreeMap<String, Binding> {
        let Some(entries) = self.map(node, what) else { return BTreeMap::new() };
        entries.iter().filter_map(|(key, value)| Some((key.text.clone(), self.binding(value)?))).collect()
    }

    /// A binding that Brain generated or that was checked before.
    pub(crate) fn parsed(&mut self, value: &Value, span: Span) -> Option<Binding> {
        match Binding::parse(value) {
            Ok(binding) => Some(binding),
            Err(error) => {
                self.report(Code::BadTemplate, span, error.to_string(), None);
                None
            }
        }
    }

    /// Reports the syntax errors of one text.
    pub(crate) fn syntax(&mut self, leaf: &Leaf<'_>) {
        if let Some((text, offset)) = leaf.feel() {
            self.feel(text, offset, leaf.scalar, leaf.span);
        } else if leaf.is_template() {
            self.template(&leaf.scalar.text, leaf.scalar, leaf.span);
        }
    }

    fn feel(&mut self, text: &str, offset: usize, scalar: &Scalar, span: Span) -> Option<()> {
        match brain_lang::feel::parse(text) {
            Ok(_) => Some(()),
            Err(error) => {
                let place = locate(self.source, scalar, span, error.span.start + offset..error.span.end + offset);
                self.report(
                    Code::BadExpression,
                    place,
                    format!("this expression is wrong: {}", error.message),
                    error.help,
                );
                None
            }
        }
    }

    /// A text with templates: summaries, messages.
    pub(crate) fn narrative(&mut self, node: &Node, what: &str) -> Option<String> {
        let text = self.text(node, what)?;
        let scalar = node.as_scalar()?;
        self.template(&text, scalar, node.span)?;
        Some(text)
    }

    fn template(&mut self, text: &str, scalar: &Scalar, span: Span) -> Option<()> {
        match brain_lang::text::Text::parse(text) {
            Ok(_) => Some(()),
            Err(error) => {
                let place = match &error.span {
                    Some(range) => locate(self.source, scalar, span, range.clone()),
                    None => span,
                };
                self.report(Code::BadTemplate, place, format!("this template is wrong: {}", error.message), error.help);
                None
            }
        }
    }
}
