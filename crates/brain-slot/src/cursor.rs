//! A cursor over the words and numbers of a text that does not allocate.

use super::ends_word;

/// Length of the longest word in any table.
const LONGEST: usize = 16;

/// An ASCII word. Longer and non-ASCII words are empty: no table has them.
#[derive(Clone, Copy)]
pub(super) struct Word {
    letters: [u8; LONGEST],
    length: usize,
}

impl Word {
    fn of(chars: &[char]) -> Self {
        let mut word = Self { letters: [0; LONGEST], length: 0 };
        if chars.len() > LONGEST || !chars.iter().all(char::is_ascii) {
            return word;
        }
        for (letter, c) in word.letters.iter_mut().zip(chars) {
            *letter = *c as u8;
        }
        word.length = chars.len();
        word
    }

    pub(super) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.letters[..self.length]).unwrap_or_default()
    }
}

/// A position in a text.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    pub(super) chars: &'a [char],
    pub(super) at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(chars: &'a [char], at: usize) -> Self {
        Self { chars, at }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    /// Skips white space.
    pub(super) fn space(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    /// Skips white space and commas.
    pub(super) fn gap(&mut self) {
        while self.peek().is_some_and(|c| c.is_whitespace() || c == ',') {
            self.at += 1;
        }
    }

    /// The letters at this position.
    pub(super) fn word(&mut self) -> Option<Word> {
        let from = self.at;
        while self.peek().is_some_and(char::is_alphabetic) {
            self.at += 1;
        }
        (self.at > from).then(|| Word::of(&self.chars[from..self.at]))
    }

    /// The next whole word, after space. Does not move if there is none.
    pub(super) fn next_word(&mut self) -> Option<Word> {
        let mut next = *self;
        next.space();
        let word = next.word().filter(|_| next.ends_word())?;
        *self = next;
        Some(word)
    }

    /// The next whole word, after space; the cursor stays.
    pub(super) fn clone_word(self) -> Option<Word> {
        let mut next = self;
        next.next_word()
    }

    /// Consumes one of these words, after space, if it is the next whole word.
    pub(super) fn eat(&mut self, words: &[&str]) -> bool {
        let mut next = *self;
        let there = next.next_word().is_some_and(|word| words.contains(&word.as_str()));
        if there {
            *self = next;
        }
        there
    }

    /// Consumes these words in sequence, or none of them.
    pub(super) fn eat_all(&mut self, words: &[&str]) -> bool {
        let mut next = *self;
        let there = words.iter().all(|word| next.eat(&[word]));
        if there {
            *self = next;
        }
        there
    }

    /// Consumes one of these characters.
    pub(super) fn sign(&mut self, wanted: &[char]) -> bool {
        let there = self.peek().is_some_and(|c| wanted.contains(&c));
        self.at += usize::from(there);
        there
    }

    /// The number at this position, if it has at most `most` digits (9 at the most).
    pub(super) fn digits(&mut self, most: usize) -> Option<i64> {
        let from = self.at;
        let mut next = *self;
        let mut number = 0;
        while let Some(digit) = next.peek().and_then(|c| c.to_digit(10)) {
            if next.at - from == most {
                return None;
            }
            number = number * 10 + i64::from(digit);
            next.at += 1;
        }
        if next.at == from {
            return None;
        }
        *self = next;
        Some(number)
    }

    pub(super) fn ends_word(&self) -> bool {
        ends_word(self.chars, self.at)
    }

    /// The whole word before this position, if only space is between.
    pub(super) fn word_before(&self) -> Option<Word> {
        let mut end = self.at;
        while end > 0 && self.chars[end - 1].is_whitespace() {
            end -= 1;
        }
        let mut from = end;
        while from > 0 && self.chars[from - 1].is_alphabetic() {
            from -= 1;
        }
        (from < end && end < self.at).then(|| Word::of(&self.chars[from..end]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_digits_are_taken_whole_or_not_at_all() {
        let chars: Vec<char> = "in 30 days, ünal 12345".chars().collect();
        let mut cursor = Cursor::new(&chars, 0);
        assert!(!cursor.eat(&["i"]) && cursor.eat(&["on", "in"]));
        cursor.space();
        assert_eq!(cursor.word_before().unwrap().as_str(), "in");
        assert_eq!(cursor.digits(4), Some(30));
        assert!(cursor.eat(&["days"]));
        cursor.gap();
        assert_eq!(cursor.next_word().unwrap().as_str(), "", "no reader knows it");
        cursor.space();
        assert_eq!(cursor.digits(4), None);
    }
}
