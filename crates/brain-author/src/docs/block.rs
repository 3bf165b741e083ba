//! The structure of a document, independent of its format.

use super::diagram::Diagram;

/// A document.
pub(super) struct Page {
    pub(super) title: String,
    /// Its content, in order.
    pub(super) blocks: Vec<Block>,
}

/// A block of a document.
pub(super) enum Block {
    /// A heading: 2 for a chapter, 3 for a section, 4 for one thing.
    Heading { level: u8, text: String, anchor: String },
    /// A paragraph.
    Text(Line),
    /// A list of points.
    List(Vec<Line>),
    /// A table with a header row.
    Table { head: Vec<String>, rows: Vec<Vec<Line>> },
    /// A drawing.
    Drawing(Diagram),
}

/// An inline element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text.
    Words(String),
    /// Code.
    Code(String),
    /// Emphasised text.
    Strong(String),
    /// A link within the document.
    Link { text: String, anchor: String },
}

/// Inline text.
pub(super) type Line = Vec<Piece>;

/// Plain text.
pub(super) fn words(text: impl Into<String>) -> Piece {
    Piece::Words(text.into())
}

pub(super) fn code(text: impl Into<String>) -> Piece {
    Piece::Code(text.into())
}

/// A line of plain text.
pub(super) fn line(text: impl Into<String>) -> Line {
    vec![words(text)]
}

/// Code elements, separated by commas.
pub(super) fn codes<'t>(texts: impl IntoIterator<Item = &'t str>) -> Line {
    join(texts.into_iter().map(|text| vec![code(text)]))
}

/// Lines, separated by commas.
pub(super) fn join(lines: impl IntoIterator<Item = Line>) -> Line {
    let mut joined = Line::new();
    for line in lines {
        if !joined.is_empty() {
            joined.push(words(", "));
        }
        joined.extend(line);
    }
    joined
}

/// A list item: an emphasised term and its description.
pub(super) fn point(name: &str, about: impl IntoIterator<Item = Piece>) -> Line {
    let mut line = vec![Piece::Strong(name.to_owned()), words(": ")];
    line.extend(about);
    line
}

pub(super) fn tool_link(name: &str) -> Piece {
    Piece::Link { text: name.to_owned(), anchor: anchor("tool", name) }
}

pub(super) fn playbook_link(name: &str) -> Piece {
    Piece::Link { text: name.to_owned(), anchor: anchor("playbook", name) }
}

/// A link to a record type.
pub(super) fn record_link(name: &str) -> Piece {
    Piece::Link { text: name.to_owned(), anchor: anchor("record", name) }
}

/// An anchor: letters, digits and `-` only.
pub(super) fn anchor(kind: &str, name: &str) -> String {
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    format!("{kind}-{name}")
}
