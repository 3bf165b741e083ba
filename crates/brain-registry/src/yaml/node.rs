//! The nodes of the tree.

/// A position in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
    /// The line of the first byte, from 1.
    pub line: usize,
    /// The column of the first byte in characters, from 1.
    pub column: usize,
}

/// A value with its span.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The value.
    pub value: NodeValue,
    /// Its span.
    pub span: Span,
}

/// The value of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeValue {
    /// Text, number, boolean or null; see [`super::resolve`].
    Scalar(Scalar),
    /// A list.
    Seq(Vec<Node>),
    /// A map, in source order.
    Map(Vec<(Key, Node)>),
}

/// The key of a map entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// Its text.
    pub text: String,
    /// Its span.
    pub span: Span,
}

/// A scalar as written.
#[derive(Clone, Debug, PartialEq)]
pub struct Scalar {
    /// The text, with quotes and escapes removed.
    pub text: String,
    /// Its notation.
    pub style: Style,
}

/// The notation of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without quotes: may be a number, a boolean or null.
    Plain,
    /// In `'…'`.
    Single,
    /// In `"…"`.
    Double,
    /// After `|`.
    Literal,
    /// After `>`.
    Folded,
}

impl Node {
    /// The entries, if this is a map.
    pub fn as_map(&self) -> Option<&[(Key, Node)]> {
        match &self.value {
            NodeValue::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The items, if this is a list.
    pub fn as_seq(&self) -> Option<&[Node]> {
        match &self.value {
            NodeValue::Seq(items) => Some(items),
            _ => None,
        }
    }

    /// The scalar, if this is one.
    pub fn as_scalar(&self) -> Option<&Scalar> {
        match &self.value {
            NodeValue::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The value under a key, if this is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|(_, node)| node)
    }

    /// The key and value under a key, if this is a map that has it.
    pub fn entry(&self, key: &str) -> Option<(&Key, &Node)> {
        self.as_map()?.iter().find(|(k, _)| k.text == key).map(|(k, node)| (k, node))
    }

    /// The node at a path of keys and list indexes, or the deepest existing one.
    pub fn nearest<'p>(&self, path: impl IntoIterator<Item = &'p str>) -> &Node {
        let mut node = self;
        for part in path {
            let next = match &node.value {
                NodeValue::Map(_) => node.get(part),
                NodeValue::Seq(items) => part.parse::<usize>().ok().and_then(|index| items.get(index)),
                NodeValue::Scalar(_) => None,
            };
            match next {
                Some(next) => node = next,
                None => break,
            }
        }
        node
    }

    /// The type of the value, in words.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            NodeValue::Scalar(scalar) => super::resolve(scalar).kind(),
            NodeValue::Seq(_) => "a list",
            NodeValue::Map(_) => "a map",
        }
    }
}
