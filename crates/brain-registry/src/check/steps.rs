//! The dependency graph of a playbook's steps.

use std::collections::{BTreeMap, BTreeSet};

/// The direct dependencies of each step.
pub(super) struct Graph<'p> {
    after: BTreeMap<&'p str, Vec<&'p str>>,
}

impl<'p> Graph<'p> {
    /// A graph from each step's id and its dependencies.
    pub(super) fn new(steps: impl IntoIterator<Item = (&'p str, Vec<&'p str>)>) -> Self {
        Self { after: steps.into_iter().collect() }
    }

    /// All transitive dependencies of a step; the step itself only if it is in a cycle.
    pub(super) fn before(&self, id: &str) -> BTreeSet<String> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&str> = self.after.get(id).cloned().unwrap_or_default();
        while let Some(next) = open.pop() {
            if seen.insert(next.to_owned()) {
                open.extend(self.after.get(next).into_iter().flatten());
            }
        }
        seen
    }

    /// A cycle through `id`, if there is one.
    pub(super) fn cycle(&self, id: &'p str) -> Option<Vec<&'p str>> {
        let mut from: BTreeMap<&str, &'p str> = BTreeMap::new();
        let mut open = vec![id];
        while let Some(at) = open.pop() {
            for next in self.after.get(at).into_iter().flatten().copied() {
                if next == id {
                    let mut way = vec![id, at];
                    while let Some(previous) = way.last().and_then(|last| from.get(last)) {
                        way.push(previous);
                    }
                    if way.last() != Some(&id) {
                        way.push(id);
                    }
                    way.reverse();
                    way.dedup();
                    return Some(if way.len() == 1 { vec![id, id] } else { way });
                }
                if next != id && !from.contains_key(next) {
                    from.insert(next, at);
                    open.push(next);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_before_a_step_is_everything_it_waits_for() {
        let graph = Graph::new([("a", vec![]), ("b", vec!["a"]), ("c", vec!["b"]), ("d", vec![])]);
        assert_eq!(graph.before("c"), BTreeSet::from(["a".to_owned(), "b".to_owned()]));
        assert!(graph.before("d").is_empty());
        assert_eq!(graph.cycle("c"), None);
    }

    #[test]
    fn loops_are_found_and_told_in_order() {
        let graph = Graph::new([("a", vec!["c"]), ("b", vec!["a"]), ("c", vec!["b"]), ("d", vec!["d"])]);
        assert_eq!(graph.cycle("a"), Some(vec!["a", "c", "b", "a"]));
        assert_eq!(graph.cycle("d"), Some(vec!["d", "d"]));
    }
}
