//! The document as one self-contained HTML page, with light, dark and print styles.

use std::fmt::Write as _;

use super::block::{Block, Line, Page, Piece};
use super::svg::{HEAD, svg};

/// The style sheet, which also colours diagrams.
const STYLE: &str = include_str!("page.css");

/// The page as HTML.
pub(super) fn write(page: &Page) -> String {
    let title = escape(&page.title);
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{HEAD}<main>\n<h1>{title}</h1>\n"
    );
    for block in &page.blocks {
        // Writing to a `String` cannot fail.
        let _infallible = match block {
            Block::Heading { level, text: title, anchor } => {
                writeln!(text, "<h{level} id=\"{anchor}\">{}</h{level}>", escape(title))
            }
            Block::Text(line) => writeln!(text, "<p>{}</p>", inline(line)),
            Block::List(points) => {
                let points: String = points.iter().map(|one| format!("<li>{}</li>\n", inline(one))).collect();
                writeln!(text, "<ul>\n{points}</ul>")
            }
            Block::Table { head, rows } => writeln!(text, "{}", table(head, rows)),
            Block::Drawing(diagram) => writeln!(text, "<figure>{}</figure>", svg(diagram)),
        };
    }
    text.push_str("</main>\n</body>\n</html>\n");
    text
}

fn table(head: &[String], rows: &[Vec<Line>]) -> String {
    let heads: String = head.iter().map(|one| format!("<th>{}</th>", escape(one))).collect();
    let rows: String = rows
        .iter()
        .map(|row| {
            format!("<tr>{}</tr>\n", row.iter().map(|cell| format!("<td>{}</td>", inline(cell))).collect::<String>())
        })
        .collect();
    format!("<div class=\"wide\"><table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>")
}

fn inline(line: &Line) -> String {
    line.iter()
        .map(|piece| match piece {
            Piece::Words(text) => escape(text),
            Piece::Strong(text) => format!("<strong>{}</strong>", escape(text)),
            Piece::Code(text) => format!("<code>{}</code>", escape(text)),
            Piece::Link { text, anchor } => format!("<a href=\"#{anchor}\"><code>{}</code></a>", escape(text)),
        })
        .collect()
}

/// Escapes text for HTML.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
