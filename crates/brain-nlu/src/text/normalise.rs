//! Unicode NFKC and case, character by character, with a way back: spans always point into the original.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

/// An utterance as the matcher sees it.
pub(crate) struct Normal {
    /// Folded characters.
    pub(crate) chars: Vec<char>,
    /// Where each came from, in bytes of the original; one more entry than `chars`.
    offsets: Vec<usize>,
}

impl Normal {
    pub(crate) fn new(text: &str) -> Self {
        let mut chars = Vec::with_capacity(text.len());
        let mut offsets = Vec::with_capacity(text.len() + 1);
        for (offset, original) in text.char_indices() {
            // Most characters are plain: a table need not be asked about them.
            if original.is_ascii() {
                chars.push(original.to_ascii_lowercase());
                offsets.push(offset);
                continue;
            }
            for folded in fold(original) {
                chars.push(folded);
                offsets.push(offset);
            }
        }
        offsets.push(text.len());
        Self { chars, offsets }
    }

    pub(crate) fn len(&self) -> usize {
        self.chars.len()
    }

    /// The first folded character that came from this byte of the original, or from behind it.
    pub(crate) fn position(&self, byte: usize) -> usize {
        self.offsets.partition_point(|offset| *offset < byte)
    }

    /// The part of the original that folded characters came from.
    pub(crate) fn span(&self, range: Range<usize>) -> Range<usize> {
        self.offsets[range.start]..self.offsets[range.end]
    }
}

/// One character in its compared form: compatible forms unified, lower case, typographic quotes and dashes plain.
fn fold(original: char) -> impl Iterator<Item = char> {
    std::iter::once(original).nfkc().flat_map(char::to_lowercase).map(|c| match c {
        '\u{2018}' | '\u{2019}' | '\u{201b}' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201f}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        c => c,
    })
}

/// A word or text in its compared form.
pub(crate) fn folded(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { text.chars().flat_map(fold).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_point_into_the_original() {
        let text = "Ｃreate “Ünal”";
        let normal = Normal::new(text);
        assert_eq!(normal.chars.iter().collect::<String>(), "create \"ünal\"");
        let at = normal.chars.iter().position(|c| *c == 'ü').unwrap();
        assert_eq!(&text[normal.span(at..at + 4)], "Ünal");
    }

    #[test]
    fn one_character_that_becomes_several_keeps_its_place() {
        let text = "½ m²";
        let normal = Normal::new(text);
        assert_eq!(normal.chars.iter().collect::<String>(), "1⁄2 m2");
        assert_eq!(normal.span(0..normal.len()), 0..text.len());
    }
}
