//! A definition with its source location, so that checks across packs can point at it.

use crate::decode::Context;
use crate::diagnostic::Diagnostic;
use crate::times::Times;
use crate::yaml::{Node, Span};

/// A definition with its source location.
#[derive(Clone, Debug)]
pub(crate) struct Located<T> {
    /// The definition.
    pub(crate) value: T,
    pub(crate) pack: String,
    /// The file's path in messages.
    pub(crate) file: String,
    /// The span of its name.
    pub(crate) name: Span,
    /// Its YAML.
    pub(crate) node: Node,
}

impl<T> Located<T> {
    pub(crate) fn new(cx: &Context<'_>, value: T, name: Span, node: Node) -> Self {
        Self { value, pack: cx.pack.to_owned(), file: cx.file.to_owned(), name, node }
    }

    /// The node at a path, or the deepest existing one.
    pub(crate) fn at(&self, path: &[&str]) -> &Node {
        self.node.nearest(path.iter().copied())
    }

    /// A context for reporting problems.
    pub(crate) fn context<'a>(
        &'a self,
        sources: &'a std::collections::BTreeMap<String, String>,
        found: &'a mut Vec<Diagnostic>,
    ) -> Context<'a> {
        let source = sources.get(&self.file).map_or("", String::as_str);
        // Checks across packs do not decode, so they need no functions.
        Context { pack: &self.pack, file: &self.file, source, natives: &[], times: Times::default(), found }
    }
}
