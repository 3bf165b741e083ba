//! The document as Markdown.

use std::fmt::Write as _;

use super::block::{Block, Line, Page, Piece};
use super::mermaid::mermaid;

/// The page as Markdown.
pub(super) fn write(page: &Page) -> String {
    let mut text = format!("# {}\n", escaped(&page.title));
    for block in &page.blocks {
        text.push('\n');
        // Writing to a `String` cannot fail.
        let _infallible = match block {
            Block::Heading { level, text: title, anchor } => {
                let marks = "#".repeat(usize::from(*level));
                writeln!(text, "<a id=\"{anchor}\"></a>\n\n{marks} {}", escaped(title))
            }
            Block::Text(line) => writeln!(text, "{}", inline(line)),
            Block::List(points) => points.iter().try_for_each(|one| writeln!(text, "- {}", inline(one))),
            Block::Table { head, rows } => {
                table(&mut text, head, rows);
                Ok(())
            }
            Block::Drawing(diagram) => writeln!(text, "```mermaid\n{}```", mermaid(diagram)),
        };
    }
    text
}

fn table(text: &mut String, head: &[String], rows: &[Vec<Line>]) {
    let heads: Vec<String> = head.iter().map(|one| cell(&escaped(one))).collect();
    text.push_str(&format!("| {} |\n|{}\n", heads.join(" | "), "---|".repeat(head.len())));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|one| cell(&inline(one))).collect();
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
}

/// A table cell: one line, with `|` escaped.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn inline(line: &Line) -> String {
    line.iter()
        .map(|piece| match piece {
            Piece::Words(text) => escaped(text),
            Piece::Strong(text) => format!("**{}**", escaped(text)),
            Piece::Code(text) => span(text),
            Piece::Link { text, anchor } => format!("[{}](#{anchor})", span(text)),
        })
        .collect()
}

/// A code span, with enough backticks around it.
fn span(text: &str) -> String {
    let text = text.replace('\n', " ");
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// Text with Markdown and HTML escaped.
fn escaped(text: &str) -> String {
    let mut plain = String::new();
    for c in text.trim_end().chars() {
        if matches!(c, '*' | '_' | '`' | '[' | ']' | '<' | '>' | '\\' | '#') {
            plain.push('\\');
        }
        plain.push(if c == '\n' { ' ' } else { c });
    }
    if text.ends_with(' ') {
        plain.push(' ');
    }
    plain
}
