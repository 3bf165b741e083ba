//! The variables that an expression reads, so that unknown ones can be rejected before anything runs.

use std::ops::Range;
use std::sync::Arc;

use super::ast::{FunctionNode, Iteration, Node, NodeKind};

/// A free variable path and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathRef {
    /// The name and its plain path.
    pub segments: Vec<String>,
    /// The bytes of the source.
    pub span: Range<usize>,
    /// Inside a filter, the first segment may instead be a property of the list's items (`orders[amount > limit]`): a
    /// checker should not reject it as an unknown name.
    pub maybe_item: bool,
}

/// Every free path of a tree, in source order.
pub(super) fn free_paths(root: &Node) -> Vec<PathRef> {
    let mut walk = Walk { bound: Vec::new(), found: Vec::new(), filters: 0 };
    walk.node(root);
    walk.found
}

/// The names that a function captures: the free names of its body.
pub(super) fn captures(params: &[Arc<str>], body: &Node) -> Vec<Arc<str>> {
    let mut walk = Walk { bound: params.to_vec(), found: Vec::new(), filters: 0 };
    walk.node(body);
    let mut names: Vec<Arc<str>> =
        walk.found.iter().filter_map(|path| path.segments.first()).map(|name| Arc::from(name.as_str())).collect();
    names.sort();
    names.dedup();
    names
}

struct Walk {
    bound: Vec<Arc<str>>,
    found: Vec<PathRef>,
    filters: usize,
}

impl Walk {
    fn node(&mut self, node: &Node) {
        match &node.kind {
            NodeKind::Name(_) | NodeKind::Path(..) => self.path(node),
            NodeKind::Context(entries) => {
                let outer = self.bound.len();
                for (key, value) in entries {
                    self.node(value);
                    self.bound.push(key.clone());
                }
                self.bound.truncate(outer);
            }
            NodeKind::For(iterations, body) => self.iterate(iterations, body, true),
            NodeKind::Some(iterations, body) | NodeKind::Every(iterations, body) => {
                self.iterate(iterations, body, false);
            }
            NodeKind::Filter(list, predicate) => {
                self.node(list);
                let outer = self.bound.len();
                self.bound.push("item".into());
                self.filters += 1;
                self.node(predicate);
                self.filters -= 1;
                self.bound.truncate(outer);
            }
            NodeKind::Function(function) => self.function(function),
            _ => node.children(&mut |child| self.node(child)),
        }
    }

    fn function(&mut self, function: &FunctionNode) {
        let outer = self.bound.len();
        self.bound.extend(function.params.iter().cloned());
        self.node(&function.body);
        self.bound.truncate(outer);
    }

    fn iterate(&mut self, iterations: &[Iteration], body: &Node, partial: bool) {
        let outer = self.bound.len();
        for iteration in iterations {
            self.node(&iteration.source);
            if let Some(end) = &iteration.end {
                self.node(end);
            }
            self.bound.push(iteration.name.clone());
        }
        if partial {
            self.bound.push("partial".into());
        }
        self.node(body);
        self.bound.truncate(outer);
    }

    fn path(&mut self, node: &Node) {
        let mut segments = Vec::new();
        let mut at = node;
        loop {
            match &at.kind {
                NodeKind::Path(base, property) => {
                    segments.push(property.to_string());
                    at = base;
                }
                NodeKind::Name(name) => {
                    if &**name != "?" && !self.bound.contains(name) {
                        segments.push(name.to_string());
                        segments.reverse();
                        let maybe_item = self.filters > 0;
                        self.found.push(PathRef { segments, span: node.span.clone(), maybe_item });
                    }
                    return;
                }
                _ => return self.node(at),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::feel::parse;

    fn paths(source: &str) -> Vec<String> {
        parse(source).unwrap().paths().iter().map(|p| p.join(".")).collect()
    }

    #[test]
    fn a_path_is_reported_whole() {
        assert_eq!(paths("steps.docs.result.name + input.x"), ["input.x", "steps.docs.result.name"]);
    }

    #[test]
    fn bound_names_are_not_free() {
        assert_eq!(paths("for x in rows, y in x.cells return x.a + y + z + count(partial)"), ["rows", "z"]);
        assert_eq!(paths("some x in rows satisfies x > limit"), ["limit", "rows"]);
        assert_eq!(paths("{a: b, c: a}.c"), ["b"]);
        assert_eq!(paths("(function(x) x + y)(1)"), ["y"]);
    }

    #[test]
    fn a_path_ends_at_a_filter_and_names_in_it_may_be_properties() {
        let expr = parse("orders[amount > limit].name").unwrap();
        let all: Vec<_> = expr.paths_with_spans().iter().map(|p| (p.segments.join("."), p.maybe_item)).collect();
        assert_eq!(all, [("orders".into(), false), ("amount".into(), true), ("limit".into(), true)]);
        assert_eq!(expr.paths_with_spans()[1].span, 7..13);
    }
}
