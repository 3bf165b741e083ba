//! The tokens of a clause with their positions, for approximate matching.

use std::ops::Range;

use brain_english::actions::{actions_of, is_destructive};
use brain_english::function_words::is_function_word;
use brain_english::modality::COURTESIES;
use brain_english::spelling::american;
use brain_slot::Normal;

/// A word or number of the utterance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// Folded, in American spelling, without apostrophes.
    pub(crate) word: String,
    /// Hash of `word`, for quick comparison.
    pub(crate) hash: u32,
    /// Its position, in folded characters.
    pub(crate) range: Range<usize>,
    /// Whether it is inside quotation marks.
    pub(crate) quoted: bool,
    /// Whether it is a function word.
    pub(crate) function_word: bool,
    /// The actions it may name, one bit each.
    pub(crate) actions: u64,
    /// Whether it names a destructive action.
    pub(crate) destructive: bool,
    /// Whether only a hyphen or similar separates it from the previous token: `faq-login`.
    pub(crate) glued: bool,
}

/// FNV-1a; equal hashes are confirmed by comparing the words.
pub(crate) fn quick_hash(word: &str) -> u32 {
    word.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// The tokens of a clause. Punctuation is skipped.
pub(crate) fn tokens(normal: &Normal, clause: Range<usize>) -> Vec<Token> {
    let chars = &normal.chars[..clause.end];
    let mut list = Vec::new();
    let mut quoted = false;
    let mut at = clause.start;
    while at < chars.len() {
        if chars[at] == '"' {
            quoted = !quoted && chars[at + 1..].contains(&'"');
        }
        if !chars[at].is_alphanumeric() {
            at += 1;
            continue;
        }
        let from = at;
        let digits = chars[at].is_ascii_digit();
        while at < chars.len() && continues(chars, at, digits) {
            at += 1;
        }
        if let Some(end) = identifier_end(chars, from) {
            at = end.max(at);
        }
        let glued = list.last().is_some_and(|last: &Token| {
            last.range.end + 1 == from && matches!(chars[from - 1], '-' | '_' | '/' | '.' | '@' | '#' | '&')
        });
        let word: String = chars[from..at].iter().filter(|c| **c != '\'').collect();
        let word = american(word);
        list.push(Token {
            range: from..at,
            quoted,
            hash: quick_hash(&word),
            function_word: is_function_word(&word) || COURTESIES.contains(&word.as_str()),
            actions: actions_of(&word),
            destructive: is_destructive(&word),
            glued,
            word,
        });
    }
    list
}

/// The end of an identifier with letters, digits and hyphens: `T-602`.
fn identifier_end(chars: &[char], from: usize) -> Option<usize> {
    let end = chars[from..]
        .iter()
        .position(|c| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | '/'))
        .map_or(chars.len(), |length| from + length);
    let run = &chars[from..end];
    let inner = run.iter().position(|c| matches!(c, '-' | '_' | '/'))?;
    let is_mixed = run.iter().any(char::is_ascii_digit) && run[..inner].iter().any(char::is_ascii_alphabetic);
    (is_mixed && run.last().is_some_and(char::is_ascii_alphanumeric)).then_some(end)
}

fn continues(chars: &[char], at: usize, digits: bool) -> bool {
    let c = chars[at];
    if digits {
        // A number ends where its unit begins.
        return c.is_ascii_digit() || (matches!(c, '.' | ',') && chars.get(at + 1).is_some_and(char::is_ascii_digit));
    }
    c.is_alphanumeric() || (c == '\'' && chars.get(at + 1).is_some_and(|next| next.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_positions_and_know_quotations() {
        let normal = Normal::new("Don't add 4x \"rock and roll\": 12.5m");
        let found = tokens(&normal, 0..normal.len());
        let words: Vec<(&str, bool)> = found.iter().map(|token| (token.word.as_str(), token.quoted)).collect();
        let expected = [
            ("dont", false),
            ("add", false),
            ("4", false),
            ("x", false),
            ("rock", true),
            ("and", true),
            ("roll", true),
            ("12.5", false),
            ("m", false),
        ];
        assert_eq!(words, expected);
        assert_eq!(found[2].range, 10..11);
    }
}
