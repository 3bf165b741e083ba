//! Name lookup: a root context under layers of local names.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::value::Value;

/// Named values in layers. A layer borrows the one below, so adding a name copies nothing.
#[derive(Debug, Clone)]
pub struct Scope<'a> {
    layer: Layer<'a>,
    below: Option<&'a Scope<'a>>,
}

#[derive(Debug, Clone)]
enum Layer<'a> {
    Empty,
    Root(&'a Value),
    Name(&'a str, Value),
    Entries(&'a BTreeMap<Arc<str>, Value>),
    /// The item of a filter: `item`, and its entries by name.
    Item(Value),
}

impl<'a> Scope<'a> {
    /// No names at all.
    pub fn empty() -> Self {
        Self { layer: Layer::Empty, below: None }
    }

    /// The entries of a context; other values have no names.
    pub fn new(context: &'a Value) -> Self {
        Self { layer: Layer::Root(context), below: None }
    }

    /// This scope with one more name, which shadows others.
    pub fn with<'b>(&'b self, name: &'b str, value: Value) -> Scope<'b> {
        Scope { layer: Layer::Name(name, value), below: Some(self) }
    }

    /// This scope with the entries of a context on top.
    pub fn with_context<'b>(&'b self, context: &'b Value) -> Scope<'b> {
        Scope { layer: Layer::Root(context), below: Some(self) }
    }

    pub(super) fn with_item<'b>(&'b self, item: Value) -> Scope<'b> {
        Scope { layer: Layer::Item(item), below: Some(self) }
    }

    pub(super) fn captured(captured: &'a BTreeMap<Arc<str>, Value>) -> Self {
        Self { layer: Layer::Entries(captured), below: None }
    }

    pub(super) fn with_entries<'b>(&'b self, entries: &'b BTreeMap<Arc<str>, Value>) -> Scope<'b> {
        Scope { layer: Layer::Entries(entries), below: Some(self) }
    }

    /// The value of a name, from the topmost layer that has it.
    pub fn lookup(&self, name: &str) -> Option<&Value> {
        let mut at = Some(self);
        while let Some(scope) = at {
            let found = match &scope.layer {
                Layer::Empty => None,
                Layer::Root(context) => context.get(name),
                Layer::Name(own, value) => (*own == name).then_some(value),
                Layer::Entries(entries) => entries.get(name),
                Layer::Item(item) if name == "item" => Some(item),
                Layer::Item(item) => item.get(name),
            };
            if found.is_some() {
                return found;
            }
            at = scope.below;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upper_layer_hides_a_lower_one() {
        let root = Value::context([("a", Value::from(1)), ("b", Value::from(2))]);
        let scope = Scope::new(&root);
        let upper = scope.with("a", Value::from(3));
        assert_eq!(upper.lookup("a"), Some(&Value::from(3)));
        assert_eq!(upper.lookup("b"), Some(&Value::from(2)));
        assert_eq!(scope.lookup("a"), Some(&Value::from(1)));
        assert_eq!(upper.lookup("c"), None);
    }

    #[test]
    fn an_item_lends_its_entries() {
        let scope = Scope::empty();
        let item = scope.with_item(Value::context([("amount", Value::from(5))]));
        assert_eq!(item.lookup("amount"), Some(&Value::from(5)));
        assert_eq!(item.lookup("item").unwrap().type_name(), "context");
    }
}
