//! Lists for a terminal: lines that fit its width, and no value cut in the middle.

use unicode_width::UnicodeWidthStr as _;

use crate::show::{BOLD, DIM};

/// The width if the terminal does not say.
const USUAL: usize = 80;
/// Narrower terminals get lines that wrap.
const NARROWEST: usize = 40;
/// Lines of one text in a list; a longer one ends with `…` after a whole word.
const LINES: usize = 3;

/// The width to print for: `COLUMNS`, else the terminal's, else 80.
pub(crate) fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|text| text.trim().parse().ok());
    let seen = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    columns.or_else(seen).unwrap_or(USUAL).max(NARROWEST)
}

/// The width of a text in a terminal.
pub(crate) fn wide(text: &str) -> usize {
    text.width()
}

/// A text in lines of at most this width, broken between words. A longer word has its own line. If there are more lines
/// than fit a list, the last one ends with `…`.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    wrap_to(text, width, LINES)
}

/// [`wrap`] without the limit on lines. Line breaks of the text are kept.
pub(crate) fn wrap_all(text: &str, width: usize) -> Vec<String> {
    let lines = text.lines().flat_map(|line| match line.trim().is_empty() {
        true => vec![String::new()],
        false => wrap_to(line, width, usize::MAX),
    });
    lines.collect()
}

/// The width of a text without its colours.
fn seen(text: &str) -> usize {
    wide(&anstream::adapter::strip_str(text).to_string())
}

fn wrap_to(text: &str, width: usize, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let is_full = lines.len() == most;
        match lines.last_mut() {
            Some(line) if seen(line) + 1 + seen(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            Some(line) if is_full => {
                line.push_str(" …");
                return lines;
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// An entry of a list: what it is first, then facts, then ids.
///
/// ```text
/// create task: Call Bob
///   completed · 3 min ago
///   0197f3c2-8a11-7c3e-9d55-6b1f0c2a4e11
/// ```
pub(crate) fn entry(head: &str, facts: &[String], id: &str) {
    let width = width();
    let lines = wrap(head, width);
    for line in &lines {
        outln!("{BOLD}{line}{BOLD:#}");
    }
    let facts: Vec<&String> = facts.iter().filter(|fact| !fact.is_empty()).collect();
    let mut line = String::new();
    for part in facts.iter().map(|fact| fact.as_str()).chain(std::iter::once(id)).filter(|part| !part.is_empty()) {
        let plain = seen(part);
        let used = seen(&line);
        if line.is_empty() {
            line = part.to_owned();
        } else if 2 + used + 3 + plain <= width {
            line = format!("{line} · {part}");
        } else {
            print_fact(&line, width);
            line = part.to_owned();
        }
    }
    if !line.is_empty() {
        print_fact(&line, width);
    }
}

fn print_fact(line: &str, width: usize) {
    if seen(line) + 2 <= width {
        return outln!("  {DIM}{line}{DIM:#}");
    }
    for part in wrap(line, width - 2) {
        outln!("  {DIM}{part}{DIM:#}");
    }
}

/// The whole text in lines of at most this width, broken between words, and within a word that is wider.
fn folded(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in wrap_to(text, width, usize::MAX) {
        let mut part = String::new();
        for letter in line.chars() {
            if wide(&part) + wide(letter.encode_utf8(&mut [0; 4])) > width && !part.is_empty() {
                lines.push(std::mem::take(&mut part));
            }
            part.push(letter);
        }
        lines.push(part);
    }
    lines
}

/// Rows in columns. Columns that do not fit the width are left out, last first.
#[derive(Default)]
pub(crate) struct Table {
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns, the most important first.
    pub(crate) fn new(heads: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { heads: heads.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    pub(crate) fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    /// The table as lines, and the columns that were left out. Columns without any value are not shown at all.
    pub(crate) fn lines(&self, width: usize) -> (Vec<String>, Vec<&str>) {
        let cell = |row: &[String], column: usize| row.get(column).map_or(0, |text| wide(text));
        let mut shown = Vec::new();
        let mut left_out = Vec::new();
        let mut used = 0;
        for (column, head) in self.heads.iter().enumerate() {
            let widest = self.rows.iter().map(|row| cell(row, column)).max().unwrap_or(0);
            if widest == 0 {
                continue;
            }
            // A long value continues on the next lines, so that it does not hide the other columns.
            let wanted = widest.max(wide(head)).min((width / 2).max(wide(head)));
            let gap = if shown.is_empty() { 0 } else { 2 };
            if used + gap + wanted > width && !shown.is_empty() {
                left_out.push(head.as_str());
            } else {
                used += gap + wanted;
                shown.push((column, wanted));
            }
        }
        let lines_of = |row: &[String]| {
            let cells: Vec<Vec<String>> = shown
                .iter()
                .map(|(column, wanted)| folded(row.get(*column).map_or("", String::as_str), *wanted))
                .collect();
            let height = cells.iter().map(Vec::len).max().unwrap_or(0).max(1);
            let line = |number: usize| {
                let mut text = String::new();
                for (cell, (_, wanted)) in cells.iter().zip(&shown) {
                    let value = cell.get(number).map_or("", String::as_str);
                    text.push_str(value);
                    text.push_str(&" ".repeat(2 + wanted.saturating_sub(wide(value))));
                }
                text.trim_end().to_owned()
            };
            (0..height).map(line).collect::<Vec<String>>()
        };
        let mut lines = lines_of(&self.heads);
        lines.extend(self.rows.iter().flat_map(|row| lines_of(row)));
        (lines, left_out)
    }

    /// Prints the table, indented.
    pub(crate) fn print(&self, indent: usize) {
        let (lines, left_out) = self.lines(width().saturating_sub(indent));
        let space = " ".repeat(indent);
        for (number, line) in lines.iter().enumerate() {
            if number == 0 { outln!("{space}{DIM}{line}{DIM:#}") } else { outln!("{space}{line}") }
        }
        if !left_out.is_empty() {
            let note = format!("--json also has {}", left_out.join(", "));
            for line in wrap(&note, width().saturating_sub(indent)) {
                outln!("{space}{DIM}{line}{DIM:#}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_broken_between_words_and_ends_after_three_lines() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("immeasurable x", 4), ["immeasurable", "x"]);
        assert_eq!(wrap("a b c d e", 1), ["a", "b", "c …"]);
        assert_eq!(wrap_all("a b c d e\n\nf", 3), ["a b", "c d", "e", "", "f"]);
        let coloured = format!("{BOLD}one{BOLD:#} two");
        assert_eq!(wrap_all(&coloured, 7), [coloured], "colours take no room");
    }

    #[test]
    fn columns_that_do_not_fit_are_named_and_no_value_is_cut() {
        let mut table = Table::new(["name", "state", "id"]);
        table.push(vec!["Maria Byrne".into(), "won".into(), "0197f3c2-8a11-7c3e".into()]);
        table.push(vec!["Tom".into(), String::new(), "0197f3c2-8a11-7c3f".into()]);
        let (lines, left_out) = table.lines(30);
        assert_eq!(lines, ["name         state", "Maria Byrne  won", "Tom"]);
        assert_eq!(left_out, ["id"]);
        let (lines, left_out) = table.lines(80);
        assert_eq!(lines[1], "Maria Byrne  won    0197f3c2-8a11-7c3e");
        assert!(left_out.is_empty());
    }

    #[test]
    fn a_long_value_takes_several_lines_and_hides_no_column() {
        let mut table = Table::new(["name", "state"]);
        table.push(vec!["The very long name of a boat".into(), "sold".into()]);
        table.push(vec!["Abcdefghijklmnopqrstuvw".into(), "new".into()]);
        let (lines, left_out) = table.lines(30);
        let expected =
            ["name             state", "The very long    sold", "name of a boat", "Abcdefghijklmno  new", "pqrstuvw"];
        assert_eq!(lines, expected);
        assert!(left_out.is_empty());
    }
}
