//! The tokens of an utterance as the sequence model sees them: words, numbers and single marks.

use std::ops::Range;

/// A token: folded text, and its place in folded characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) range: Range<usize>,
}

/// The tokens of folded characters.
pub(super) fn tokens(chars: &[char]) -> Vec<Token> {
    let mut list = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if chars[at].is_whitespace() {
            at += 1;
            continue;
        }
        let from = at;
        at += 1;
        while chars[from].is_alphanumeric() && at < chars.len() && continues(chars, at) {
            at += 1;
        }
        list.push(Token { text: chars[from..at].iter().collect(), range: from..at });
    }
    list
}

fn continues(chars: &[char], at: usize) -> bool {
    let next = |test: fn(&char) -> bool| chars.get(at + 1).is_some_and(test);
    match chars[at] {
        '\'' => next(|c| c.is_alphanumeric()),
        '.' | ',' => chars[at - 1].is_ascii_digit() && next(char::is_ascii_digit),
        c => c.is_alphanumeric(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_marks_are_tokens() {
        let chars: Vec<char> = "add 4x o'neill's: 12.5 m, rock'n' roll.".chars().collect();
        let found: Vec<String> = tokens(&chars).into_iter().map(|token| token.text).collect();
        assert_eq!(found, ["add", "4x", "o'neill's", ":", "12.5", "m", ",", "rock'n", "'", "roll", "."]);
        assert_eq!(tokens(&chars)[1].range, 4..6);
    }
}
