//! BERT's uncased WordPiece tokenizer: lower case, accents stripped, punctuation separated, then greedy longest match.
//! Does not allocate.

use std::ops::Range;

use unicode_normalization::char::{decompose_canonical, is_combining_mark};

use crate::vocabulary::{HASH_START, Vocabulary, hash_step};

/// Longer words are unknown, as in BERT.
const MAX_CHARS: usize = 100;
const MAX_BYTES: usize = MAX_CHARS * 4;

/// Calls `each` with every piece of a text and the position of its word. `None` is an unknown word.
pub(crate) fn pieces(vocabulary: &Vocabulary, text: &str, mut each: impl FnMut(Option<u32>, Range<usize>)) {
    words(text, |word, place| split(vocabulary, word, |piece| each(piece, place.clone())));
}

/// The word being read.
struct Word {
    bytes: [u8; MAX_BYTES],
    len: usize,
    chars: usize,
    place: Range<usize>,
}

impl Word {
    fn push(&mut self, c: char, place: Range<usize>) {
        if self.chars == 0 {
            self.place.start = place.start;
        }
        self.place.end = place.end;
        self.chars += 1;
        if self.chars <= MAX_CHARS {
            self.len += c.encode_utf8(&mut self.bytes[self.len..]).len();
        }
    }

    fn end(&mut self, each: &mut impl FnMut(Option<&str>, Range<usize>)) {
        if self.chars > 0 {
            let known = (self.chars <= MAX_CHARS).then(|| std::str::from_utf8(&self.bytes[..self.len]).ok()).flatten();
            each(known, self.place.clone());
        }
        (self.len, self.chars) = (0, 0);
    }
}

/// Calls `each` with every normalised word and its position. `None` is a word that is too long.
fn words(text: &str, mut each: impl FnMut(Option<&str>, Range<usize>)) {
    let mut word = Word { bytes: [0; MAX_BYTES], len: 0, chars: 0, place: 0..0 };
    for (at, c) in text.char_indices() {
        let place = at..at + c.len_utf8();
        if c.is_ascii_alphanumeric() {
            word.push(c.to_ascii_lowercase(), place);
        } else if c.is_whitespace() {
            word.end(&mut each);
        } else if c.is_control() || is_invisible(c) {
            // BERT removes these before splitting into words.
        } else if c.is_ascii() || is_ideograph(c) {
            word.end(&mut each);
            word.push(c, place);
            word.end(&mut each);
        } else {
            decompose_canonical(c, |part| {
                for c in part.to_lowercase().filter(|c| !is_combining_mark(*c)) {
                    let alone = is_punctuation(c);
                    if alone {
                        word.end(&mut each);
                    }
                    word.push(c, place.clone());
                    if alone {
                        word.end(&mut each);
                    }
                }
            });
        }
    }
    word.end(&mut each);
}

/// Greedy longest match from the left. A word with an unmatched part is unknown as a whole.
fn split(vocabulary: &Vocabulary, word: Option<&str>, mut each: impl FnMut(Option<u32>)) {
    let Some(word) = word else { return each(None) };
    let mut found = [0; MAX_CHARS];
    let (mut count, mut start) = (0, 0);
    while start < word.len() {
        let Some((piece, length)) = longest(vocabulary, &word[start..], start > 0) else { return each(None) };
        found[count] = piece;
        count += 1;
        start += length;
    }
    found[..count].iter().for_each(|piece| each(Some(*piece)));
}

/// The longest piece that is a prefix of a text, and its length. One pass yields the hashes of all prefixes.
fn longest(vocabulary: &Vocabulary, text: &str, continued: bool) -> Option<(u32, usize)> {
    let mut hashes = [0; MAX_BYTES];
    let reach = text.len().min(vocabulary.longest());
    let mut hash = HASH_START[usize::from(continued)];
    for (slot, byte) in hashes.iter_mut().zip(&text.as_bytes()[..reach]) {
        hash = hash_step(hash, *byte);
        *slot = hash;
    }
    let ends = (1..=reach).rev().filter(|end| text.is_char_boundary(*end));
    ends.into_iter().find_map(|end| {
        let piece = vocabulary.find(hashes[end - 1], &text.as_bytes()[..end], continued)?;
        Some((piece, end))
    })
}

/// Invisible formatting (soft hyphens, joiners, direction marks) and the replacement character.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fffd}')
}

/// Chinese characters are single-character words.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2ceaf}' | '\u{2f800}'..='\u{2fa1f}')
}

/// Punctuation outside ASCII: of Latin, Greek, Cyrillic, Hebrew, Arabic, Indic and East Asian texts.
fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation()
        || matches!(c, '¡' | '§' | '«' | '¶' | '·' | '»' | '¿' | '\u{37e}' | '\u{387}' | '\u{55a}'..='\u{55f}' | '\u{589}' | '\u{58a}'
            | '\u{5be}' | '\u{5c0}' | '\u{5c3}' | '\u{5c6}' | '\u{5f3}' | '\u{5f4}' | '\u{609}' | '\u{60a}' | '\u{60c}' | '\u{60d}'
            | '\u{61b}' | '\u{61d}'..='\u{61f}' | '\u{66a}'..='\u{66d}' | '\u{6d4}' | '\u{964}' | '\u{965}' | '\u{970}' | '\u{e4f}'
            | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{2043}' | '\u{2045}'..='\u{2051}' | '\u{2053}'..='\u{205e}'
            | '\u{207d}' | '\u{207e}' | '\u{208d}' | '\u{208e}' | '\u{2308}'..='\u{230b}' | '\u{2329}' | '\u{232a}'
            | '\u{2768}'..='\u{2775}' | '\u{27e6}'..='\u{27ef}' | '\u{2983}'..='\u{2998}' | '\u{2e00}'..='\u{2e2e}' | '\u{2e30}'..='\u{2e4f}'
            | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}' | '\u{3030}' | '\u{303d}' | '\u{30a0}' | '\u{30fb}'
            | '\u{fe10}'..='\u{fe19}' | '\u{fe30}'..='\u{fe52}' | '\u{fe54}'..='\u{fe61}' | '\u{fe63}' | '\u{fe68}' | '\u{fe6a}' | '\u{fe6b}'
            | '\u{ff01}'..='\u{ff03}' | '\u{ff05}'..='\u{ff0a}' | '\u{ff0c}'..='\u{ff0f}' | '\u{ff1a}' | '\u{ff1b}' | '\u{ff1f}' | '\u{ff20}'
            | '\u{ff3b}'..='\u{ff3d}' | '\u{ff3f}' | '\u{ff5b}' | '\u{ff5d}' | '\u{ff5f}'..='\u{ff65}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalised(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        words(text, |word, _| found.push(word.unwrap_or("?").to_owned()));
        found
    }

    #[test]
    fn words_are_lower_case_without_accents_and_punctuation_stands_alone() {
        assert_eq!(normalised("Héllo,  WÖRLD!"), ["hello", ",", "world", "!"]);
        assert_eq!(normalised("don't £5.00\tстоп\u{200b}ка"), ["don", "'", "t", "£5", ".", "00", "стопка"]);
        assert_eq!(normalised("中文 ab「c」"), ["中", "文", "ab", "「", "c", "」"]);
        assert_eq!(normalised(" \n\u{0} "), Vec::<String>::new());
        assert_eq!(normalised(&"x".repeat(101)), ["?"]);
    }

    #[test]
    fn the_place_of_a_word_points_into_the_text() {
        let text = "pay Zoë’s bill";
        let mut found = Vec::new();
        words(text, |_, place| found.push(&text[place]));
        assert_eq!(found, ["pay", "Zoë", "’", "s", "bill"]);
    }

    #[test]
    fn the_longest_piece_wins_and_a_gap_makes_the_word_unknown() {
        let vocabulary = Vocabulary::build(&["un", "##aff", "##able", "##a", "a", "##ff"]).0;
        let texts = |text: &str| {
            let mut found = Vec::new();
            pieces(&vocabulary, text, |piece, _| {
                found.push(piece.map_or("?", |piece| vocabulary.text(piece)).to_owned())
            });
            found
        };
        assert_eq!(texts("unaffable"), ["un", "##aff", "##able"]);
        assert_eq!(texts("unafb a"), ["?", "a"]);
    }
}
