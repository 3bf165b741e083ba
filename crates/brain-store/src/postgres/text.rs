//! Encodes texts for PostgreSQL, which allows neither NUL in texts nor long values in indexes.

use std::borrow::Cow;

use brain_core::Digest;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Maximum length of a value that is indexed as it is, in bytes. An index entry has room for about 2,700.
const INDEXED: usize = 400;
/// Maximum length of an indexed word, in bytes.
const WORD: usize = 120;
/// Maximum total length of the words of a text, in bytes. PostgreSQL stores at most 1 MiB of them per row.
const WORDS: usize = 600_000;

/// Encodes a text without NUL; [`read`] decodes it.
pub(super) fn written(text: &str) -> Cow<'_, str> {
    if text.contains(['\0', '\u{1}']) {
        Cow::Owned(text.replace('\u{1}', "\u{1}1").replace('\0', "\u{1}0"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Decodes a text that [`written`] encoded.
pub(super) fn read(text: String) -> String {
    if text.contains('\u{1}') { text.replace("\u{1}0", "\0").replace("\u{1}1", "\u{1}") } else { text }
}

/// Encodes a value for an index that is queried by equality only: long values are hashed.
pub(super) fn slot(value: &str) -> Cow<'_, str> {
    if value.len() <= INDEXED {
        return written(value);
    }
    let mut end = INDEXED / 2;
    while !value.is_char_boundary(end) {
        end -= 1;
    }
    Cow::Owned(format!("{}\u{1}#{}", written(&value[..end]), Digest::of(value.as_bytes())))
}

/// The words of a text: lower case, without accents and other combining marks.
fn words(text: &str) -> Vec<String> {
    let folded: String = text.nfd().filter(|c| !is_combining_mark(*c)).collect();
    let mut words = crate::search_words(&folded);
    for word in &mut words {
        let mut end = word.len().min(WORD);
        while !word.is_char_boundary(end) {
            end -= 1;
        }
        word.truncate(end);
    }
    words
}

/// The full-text index entries of a text, without duplicates.
pub(super) fn lexemes(tenant: &str, kind: &str, text: &str) -> Vec<String> {
    let mut room = WORDS;
    let mut lexemes: Vec<String> = words(text).into_iter().map(|word| format!("{tenant}/{kind}/{word}")).collect();
    lexemes.sort_unstable();
    lexemes.dedup();
    lexemes.retain(|lexeme| {
        room = room.saturating_sub(lexeme.len() + 8);
        room > 0
    });
    lexemes
}

/// A full-text query for all words, of which the last may be a prefix. `None` without words.
pub(super) fn query(tenant: &str, kind: &str, text: &str) -> Option<String> {
    let words = words(text);
    let (last, full) = words.split_last()?;
    // Operators have no meaning within quotes.
    let quoted =
        |word: &String| format!("'{}'", format!("{tenant}/{kind}/{word}").replace('\\', r"\\").replace('\'', "''"));
    let mut terms: Vec<String> = full.iter().map(quoted).collect();
    terms.push(format!("{}:*", quoted(last)));
    Some(terms.join(" & "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_round_trips_without_a_nul() {
        for text in ["", "plain", "a\0b", "\u{1}0\0\u{1}", "\u{1}\u{1}1"] {
            assert!(!written(text).contains('\0'));
            assert_eq!(read(written(text).into_owned()), text);
        }
    }

    #[test]
    fn long_values_have_short_distinct_slots() {
        let (a, b) = ("é".repeat(5000), "é".repeat(5001));
        assert!(slot(&a).len() < INDEXED && slot(&a) != slot(&b));
        assert_eq!(slot("short"), "short");
    }

    #[test]
    fn words_have_no_accents_and_queries_no_operators() {
        assert_eq!(lexemes("t", "k", "Café CAFE über"), ["t/k/cafe", "t/k/uber"]);
        assert_eq!(query("t", "k", "Näh ( Ridge| re").as_deref(), Some("'t/k/nah' & 't/k/ridge' & 't/k/re':*"));
        assert_eq!(query("t", "k", " -! "), None);
    }
}
