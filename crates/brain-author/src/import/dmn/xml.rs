//! Reads DMN: XML of any DMN version, without document types.

use std::collections::BTreeMap;

use roxmltree::{Document, Error, Node, ParsingOptions, TextPos};

use brain_registry::Code;
use brain_registry::Diagnostic;
use brain_registry::Report;
use brain_registry::yaml::Span;

/// Maximum file size, as for pack files.
const MAX_BYTES: usize = 4 * 1024 * 1024;
const MAX_NODES: u32 = 1_000_000;
/// Common prefixes of the namespaces of all versions.
const NAMESPACES: [&str; 2] = ["https://www.omg.org/spec/DMN/", "http://www.omg.org/spec/DMN/"];

/// The document, whose root is `definitions` of some DMN version.
pub(super) fn read<'t>(file: &str, text: &'t str) -> Result<Document<'t>, Report> {
    if text.len() > MAX_BYTES {
        let help = "split it into one file per group of related decisions";
        return Err(refuse(file, text, Code::TooLarge, TextPos::new(1, 1), "the file is larger than 4 MiB", help));
    }
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| broken(file, text, &error))?;
    let root = document.root_element();
    let known = root.tag_name().namespace().is_some_and(|uri| NAMESPACES.iter().any(|known| uri.starts_with(known)));
    if root.tag_name().name() != "definitions" || !known {
        let help = "the root of a DMN file is `<definitions xmlns=\"https://www.omg.org/spec/DMN/20230324/MODEL/\">`, \
                    or that of an older version";
        let place = document.text_pos_at(root.range().start);
        return Err(refuse(file, text, Code::WrongKind, place, "this is not DMN", help));
    }
    Ok(document)
}

fn broken(file: &str, text: &str, error: &Error) -> Report {
    let (place, message, help) = match error {
        Error::DtdDetected => {
            let at = text.find("<!DOCTYPE").unwrap_or(0);
            let message = "document types and their entities are refused".to_owned();
            (position(text, at), message, "remove `<!DOCTYPE …>` and write out what its entities stand for")
        }
        Error::UnknownEntityReference(name, place) => {
            let help = "write the character itself, or `&lt;`, `&gt;`, `&amp;`, `&quot;`, `&apos;`, `&#…;`";
            (*place, format!("unknown entity `&{name};`"), help)
        }
        Error::NodesLimitReached => {
            (TextPos::new(1, 1), "the file has more than a million elements".to_owned(), "split it")
        }
        Error::UnexpectedEndOfStream | Error::UnclosedRootNode => {
            let help = "check that the file was copied whole";
            (position(text, text.trim_end().len()), "the file appears to be truncated".to_owned(), help)
        }
        other => {
            let help =
                "export the file again from the program that created it; in text `<` is `&lt;` and `&` is `&amp;`";
            (other.pos(), format!("this is not XML: {}", said(other)), help)
        }
    };
    refuse(file, text, Code::BadXml, place, &message, help)
}

/// The text of an error without its position, which is shown anyway.
fn said(error: &Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at ").map_or(text.clone(), |(words, _)| words.to_owned())
}

fn refuse(file: &str, text: &str, code: Code, place: TextPos, message: &str, help: &str) -> Report {
    let found = Diagnostic::new(code, file, span(text, place), message.to_owned(), Some(help.to_owned()));
    Report::new(vec![found], BTreeMap::from([(file.to_owned(), text.to_owned())]))
}

fn position(text: &str, at: usize) -> TextPos {
    let before = text.get(..at).unwrap_or("");
    let line = before.rsplit('\n').next().unwrap_or("");
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    TextPos::new(number(before.matches('\n').count() + 1), number(line.chars().count() + 1))
}

fn span(text: &str, place: TextPos) -> Span {
    let (line, column) = (place.row as usize, place.col as usize);
    let line_start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let rest = text.get(line_start..).unwrap_or("");
    let offset = rest.char_indices().nth(column.saturating_sub(1)).map_or(rest.len(), |(at, _)| at);
    let start = line_start + offset;
    let end = text.get(start..).and_then(|rest| rest.chars().next()).map_or(start, |c| start + c.len_utf8());
    Span { start, end, line, column }
}

/// Child elements of DMN, by name.
pub(super) fn children<'a, 'i: 'a>(node: Node<'a, 'i>, name: &'a str) -> impl Iterator<Item = Node<'a, 'i>> + 'a {
    elements(node).filter(move |child| child.tag_name().name() == name)
}

/// All child elements of DMN.
pub(super) fn elements<'a, 'i: 'a>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> + 'a {
    let own = node.document().root_element().tag_name().namespace();
    node.children().filter(move |child| child.is_element() && child.tag_name().namespace() == own)
}

pub(super) fn child<'a, 'i: 'a>(node: Node<'a, 'i>, name: &'a str) -> Option<Node<'a, 'i>> {
    children(node, name).next()
}

/// The text of the child `text`, trimmed.
pub(super) fn text(node: Node<'_, '_>) -> String {
    child(node, "text").map(content).unwrap_or_default()
}

/// All text in an element, trimmed.
pub(super) fn content(node: Node<'_, '_>) -> String {
    let parts = node.children().filter(roxmltree::Node::is_text).filter_map(|part| part.text());
    parts.collect::<String>().trim().to_owned()
}

/// A non-empty attribute, with white space collapsed.
pub(super) fn attribute(node: Node<'_, '_>, name: &str) -> Option<String> {
    let value = node.attribute(name)?.split_whitespace().collect::<Vec<_>>().join(" ");
    (!value.is_empty()).then_some(value)
}

/// Text for a comment: every line break starts a new comment line.
pub(super) fn comment(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect()
}
