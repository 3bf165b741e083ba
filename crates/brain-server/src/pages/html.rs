//! HTML: escaping, the frame of a page, and the subset of Markdown that descriptions use.

/// The styles of every page.
const STYLE: &str = include_str!("style.css");

/// Escapes text for HTML, including attributes.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A whole page.
pub(super) fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{}</title><style>{STYLE}</style></head><body>{body}</body></html>\n",
        escape(title)
    )
}

/// One line of text with `code` in backticks.
pub(super) fn inline(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts.map(|(n, part)| if n % 2 == 1 { format!("<code>{}</code>", escape(part)) } else { escape(part) }).collect()
}

/// Paragraphs of text with `code` in backticks.
pub(super) fn prose(text: &str) -> String {
    let paragraphs = text.split("\n\n").filter(|paragraph| !paragraph.trim().is_empty());
    paragraphs.map(|paragraph| format!("<p>{}</p>", inline(paragraph.trim()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_escaped() {
        assert_eq!(prose("a <b> `c <d>` & \"e\""), "<p>a &lt;b&gt; <code>c &lt;d&gt;</code> &amp; &quot;e&quot;</p>");
        assert!(page("<x>", "").contains("<title>&lt;x&gt;</title>"));
    }
}
