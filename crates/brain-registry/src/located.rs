//! A definition together with where it was written, so that checks over all packs can still point at it.

use crate::decode::Context;
use crate::diagnostic::Diagnostic;
use crate::times::Times;
use crate::yaml::{Node, Span};

/// A definition and where it was written.
#[derive(Clone, Debug)]
pub(crate) struct Located<T> {
    /// The definition.
    pub(crate) value: T,
    /// The pack.
    pub(crate) pack: String,
    /// The file, as messages show it.
    pub(crate) file: String,
    /// Where its name stands.
    pub(crate) name: Span,
    /// What was written.
    pub(crate) node: Node,
}

impl<T> Located<T> {
    pub(crate) fn new(cx: &Context<'_>, value: T, name: Span, node: Node) -> Self {
        Self { value, pack: cx.pack.to_owned(), file: cx.file.to_owned(), name, node }
    }

    /// The part of what was written that a path leads to, as far as it exists.
    pub(crate) fn at(&self, path: &[&str]) -> &Node {
        self.node.nearest(path.iter().copied())
    }

    /// A context to complain in.
    pub(crate) fn context<'a>(
        &'a self,
        sources: &'a std::collections::BTreeMap<String, String>,
        found: &'a mut Vec<Diagnostic>,
    ) -> Context<'a> {
        let source = sources.get(&self.file).map_or("", String::as_str);
        // Checks over all packs do not decode: functions are known by then.
        Context { pack: &self.pack, file: &self.file, source, natives: &[], times: Times::default(), found }
    }
}
