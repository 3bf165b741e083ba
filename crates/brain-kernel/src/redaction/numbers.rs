//! Phone numbers and other long numbers, compared by their digits: the same number is written in many ways.

/// A text with at least this many digits, and nothing but digits and separators, may be a phone or account number.
pub(super) const MIN_DIGITS: usize = 6;
/// Minimum number of digits that two spellings share if only one has a prefix.
const MIN_SHARED: usize = 7;
/// Maximum length of a country code.
const MAX_PREFIX: usize = 3;
/// Maximum number of separators between two digits.
const MAX_GAP: usize = 3;

/// A number without leading zeros, which are a trunk prefix or an international one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Number(String);

impl Number {
    /// The number that this text is.
    pub(super) fn of(text: &str) -> Option<Self> {
        let is_number = text.chars().all(|c| c.is_ascii_digit() || c == '+' || is_separator(c));
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        (is_number && digits.len() >= MIN_DIGITS).then(|| Self(significant(&digits).to_owned()))
    }

    /// Where this number ends in a text if it begins at this place, however it is spelled: with other separators, with or
    /// without its country code.
    pub(super) fn end_at(&self, text: &str, at: usize) -> Option<usize> {
        let rest = &text[at..];
        let first = rest.chars().next().filter(|c| c.is_ascii_digit() || "+(".contains(*c))?;
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || (c == '+' && first != '+')) {
            return None;
        }
        let (mut digits, mut gap, mut end, mut open) = (String::new(), 0, None, 0);
        let mut chars = rest.char_indices().peekable();
        while let Some((place, c)) = chars.next() {
            if c.is_ascii_digit() {
                digits.push(c);
                gap = 0;
                let is_whole = chars.peek().is_none_or(|(_, next)| !next.is_alphanumeric());
                // A bracket around the whole number is not part of it.
                if is_whole && open == 0 && self.is(&digits) {
                    end = Some(at + place + 1);
                }
            } else if (c == '+' && digits.is_empty()) || (is_separator(c) && gap < MAX_GAP) {
                gap += 1;
                open += match c {
                    '(' => 1,
                    ')' => -1,
                    _ => 0,
                };
            } else {
                break;
            }
            if significant(&digits).len() > self.0.len() + MAX_PREFIX {
                break;
            }
        }
        end
    }

    /// Whether these digits are a spelling of this number.
    fn is(&self, digits: &str) -> bool {
        let other = significant(digits);
        let (long, short) = if self.0.len() < other.len() { (other, &*self.0) } else { (&*self.0, other) };
        long == short || (long.ends_with(short) && short.len() >= MIN_SHARED && long.len() - short.len() <= MAX_PREFIX)
    }
}

fn significant(digits: &str) -> &str {
    digits.trim_start_matches('0')
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || "-./()‐‑‒–\u{2009}".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(number: &str, text: &str) -> String {
        let number = Number::of(number).unwrap();
        let found = (0..text.len()).filter(|at| text.is_char_boundary(*at));
        let mut found = found.filter_map(|at| Some(at..number.end_at(text, at)?));
        found.next().map_or_else(String::new, |range| text[range].to_owned())
    }

    #[test]
    fn a_number_is_found_in_every_spelling() {
        for text in [
            "+34612345678",
            "+34 612 345 678",
            "(+34) 612-345-678",
            "0034 612.345.678",
            "34612345678",
            "612 345 678",
            "+34\u{a0}612\u{a0}345\u{a0}678",
        ] {
            assert_eq!(cut("+34 612 345 678", &format!("cannot deliver to {text}, 3 tries")), text);
        }
        assert_eq!(cut("087 999 8888", "to +353 87 999 8888."), "+353 87 999 8888", "a trunk zero, a country code");
        assert_eq!(cut("+34 612 345 678", "+34612345678 12 times"), "+34612345678", "the number behind it stays");
    }

    #[test]
    fn other_numbers_are_left() {
        for text in ["order 612345", "+34612345679", "ab34612345678", "3461234567812", "invoice 5678"] {
            assert_eq!(cut("+34 612 345 678", text), "", "{text}");
        }
        assert_eq!(Number::of("12 345"), None);
        assert_eq!(Number::of("Bob 0412 000 111"), None);
    }
}
