//! The parts of a document, before it is decided how they look.

use super::diagram::Diagram;

/// A document.
pub(super) struct Page {
    /// Its title.
    pub(super) title: String,
    /// What it says, in order.
    pub(super) blocks: Vec<Block>,
}

/// A part of a document that stands by itself.
pub(super) enum Block {
    /// A heading: 2 for a chapter, 3 for a section, 4 for one thing.
    Heading { level: u8, text: String, anchor: String },
    /// A paragraph.
    Text(Line),
    /// A list of points.
    List(Vec<Line>),
    /// A table with a row of heads.
    Table { head: Vec<String>, rows: Vec<Vec<Line>> },
    /// A drawing.
    Drawing(Diagram),
}

/// A piece of running text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Words.
    Words(String),
    /// A name or an expression, as it is written.
    Code(String),
    /// Words that stand out.
    Strong(String),
    /// A name that leads to its place in the document.
    Link { text: String, anchor: String },
}

/// Running text.
pub(super) type Line = Vec<Piece>;

/// Words.
pub(super) fn words(text: impl Into<String>) -> Piece {
    Piece::Words(text.into())
}

/// A name or an expression.
pub(super) fn code(text: impl Into<String>) -> Piece {
    Piece::Code(text.into())
}

/// A line of words.
pub(super) fn line(text: impl Into<String>) -> Line {
    vec![words(text)]
}

/// Names or expressions, with commas between them.
pub(super) fn codes<'t>(texts: impl IntoIterator<Item = &'t str>) -> Line {
    join(texts.into_iter().map(|text| vec![code(text)]))
}

/// Lines, with commas between them.
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

/// A point of a list: a word that stands out, then what there is to say about it.
pub(super) fn point(name: &str, about: impl IntoIterator<Item = Piece>) -> Line {
    let mut line = vec![Piece::Strong(name.to_owned()), words(": ")];
    line.extend(about);
    line
}

/// The place of a tool.
pub(super) fn tool_link(name: &str) -> Piece {
    Piece::Link { text: name.to_owned(), anchor: anchor("tool", name) }
}

/// The place of a playbook.
pub(super) fn playbook_link(name: &str) -> Piece {
    Piece::Link { text: name.to_owned(), anchor: anchor("playbook", name) }
}

/// The place of a record type.
pub(super) fn record_link(name: &str) -> Piece {
    Piece::Link { text: name.to_owned(), anchor: anchor("record", name) }
}

/// The anchor of a thing: letters, digits and `-` only.
pub(super) fn anchor(kind: &str, name: &str) -> String {
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    format!("{kind}-{name}")
}
