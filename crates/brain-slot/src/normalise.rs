//! Unicode NFKC and case folding with offsets: every span points into the original text.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

/// A folded utterance.
pub struct Normal {
    /// Folded characters.
    pub chars: Vec<char>,
    /// The byte offset of each folded character in the original; one more entry than `chars`.
    offsets: Vec<usize>,
}

impl Normal {
    /// Folds a text.
    pub fn new(text: &str) -> Self {
        let mut chars = Vec::with_capacity(text.len());
        let mut offsets = Vec::with_capacity(text.len() + 1);
        for (offset, original) in text.char_indices() {
            // ASCII needs no lookup in the Unicode tables.
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

    /// The number of folded characters.
    pub fn len(&self) -> usize {
        self.chars.len()
    }

    /// Whether there are no characters.
    pub fn is_empty(&self) -> bool {
        self.chars.is_empty()
    }

    /// The first folded character at or after a byte of the original.
    pub fn position(&self, byte: usize) -> usize {
        self.offsets.partition_point(|offset| *offset < byte)
    }

    /// The span of the original that a range of folded characters came from.
    pub fn span(&self, range: Range<usize>) -> Range<usize> {
        self.offsets[range.start]..self.offsets[range.end]
    }
}

/// Folds one character: NFKC, lower case, plain quotation marks and dashes.
fn fold(original: char) -> impl Iterator<Item = char> {
    std::iter::once(original).nfkc().flat_map(char::to_lowercase).map(|c| match c {
        '\u{2018}' | '\u{2019}' | '\u{201b}' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201f}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        c => c,
    })
}

/// A folded copy of a text.
pub fn folded(text: &str) -> String {
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
    fn a_character_that_folds_to_several_keeps_its_offset() {
        let text = "½ m²";
        let normal = Normal::new(text);
        assert_eq!(normal.chars.iter().collect::<String>(), "1⁄2 m2");
        assert_eq!(normal.span(0..normal.len()), 0..text.len());
    }
}
