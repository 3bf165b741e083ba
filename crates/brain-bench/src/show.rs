//! Printing figures.

use anstyle::Style;

/// Secondary text.
pub(crate) const DIM: Style = Style::new().dimmed();
/// Headings and the figures that matter.
pub(crate) const BOLD: Style = Style::new().bold();

/// Prints indented JSON.
pub(crate) fn json(value: &serde_json::Value) {
    println!("{value:#}");
}
