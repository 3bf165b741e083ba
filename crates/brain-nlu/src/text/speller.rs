//! Spelling correction towards the words of phrases, by edit distance and by sound.

use brain_embed::StaticTable;
use rphonetic::{DoubleMetaphone, Encoder as _};
use serde::{Deserialize, Serialize};

use crate::read::align::misspelt;

/// The words of all phrases, indexed for correction.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Speller {
    /// Sorted.
    words: Vec<String>,
    /// Deletion index: the hash of each word, and of each word without one of its letters; sorted.
    without_one: Vec<(u32, u32)>,
    /// The hash of each word's phonetic code; sorted.
    sounds: Vec<(u32, u32)>,
}

/// How a correction was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// Within edit distance.
    Letters,
    /// By its phonetic code.
    Sound,
}

impl Speller {
    pub(crate) fn add(&mut self, word: &str) {
        if word.chars().count() >= 4 && word.chars().all(char::is_alphabetic) {
            self.words.push(word.to_owned());
        }
    }

    pub(crate) fn finish(&mut self) {
        self.words.sort();
        self.words.dedup();
        for (number, word) in self.words.iter().enumerate() {
            self.without_one.extend(variants(word).map(|key| (key, number as u32)));
            self.sounds.extend(sound(word).map(|key| (key, number as u32)));
        }
        self.without_one.sort_unstable();
        self.without_one.dedup();
        self.sounds.sort_unstable();
    }

    /// The phrase word that a misspelt word was meant to be. Call it only for words that no phrase has. A correctly
    /// spelt word is never corrected, however similar it is to a phrase word.
    pub(crate) fn meant(&self, word: &str) -> Option<(&str, How)> {
        if word.chars().count() < 4 || !word.chars().all(char::is_alphabetic) || is_word(word) {
            return None;
        }
        let mut best: Option<(usize, &str)> = None;
        for key in variants(word) {
            let from = self.without_one.partition_point(|(other, _)| *other < key);
            for (_, number) in self.without_one[from..].iter().take_while(|(other, _)| *other == key) {
                let other = self.words[*number as usize].as_str();
                if let Some(distance) = misspelt(word, other)
                    && best.is_none_or(|best| (distance, other) < best)
                {
                    best = Some((distance, other));
                }
            }
        }
        if let Some((_, other)) = best {
            return Some((other, How::Letters));
        }
        // Sound is the weaker evidence: it counts only if spelling gave nothing.
        let key = sound(word)?;
        let from = self.sounds.partition_point(|(other, _)| *other < key);
        let alike = self.sounds[from..].iter().take_while(|(other, _)| *other == key);
        let mut alike = alike.map(|(_, number)| self.words[*number as usize].as_str());
        alike.find(|other| other.len().abs_diff(word.len()) <= 3).map(|other| (other, How::Sound))
    }
}

/// Whether the encoder's vocabulary has this as one piece, which means that it is an ordinary word.
pub(crate) fn is_word(word: &str) -> bool {
    let mut pieces = 0;
    StaticTable::built_in().pieces(word, |_| pieces += 1);
    pieces == 1
}

fn variants(word: &str) -> impl Iterator<Item = u32> {
    let skip = |at: usize| word.char_indices().filter(move |(i, _)| *i != at).map(|(_, c)| c);
    std::iter::once(hash(word.chars())).chain(word.char_indices().map(move |(at, _)| hash(skip(at))))
}

fn hash(chars: impl Iterator<Item = char>) -> u32 {
    chars.fold(0x811c_9dc5, |hash, c| (hash ^ u32::from(c)).wrapping_mul(0x0100_0193))
}

/// The hash of a word's phonetic code, if the code is long enough to be specific.
fn sound(word: &str) -> Option<u32> {
    if !word.is_ascii() {
        return None;
    }
    let code = DoubleMetaphone::new(Some(8)).encode(word);
    (code.len() >= 3).then(|| hash(code.chars()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_words_are_recognised() {
        let mut speller = Speller::default();
        ["inspection", "measurement", "delete", "photo", "show"].iter().for_each(|word| speller.add(word));
        speller.finish();
        let letters =
            [("inpsection", "inspection"), ("measurment", "measurement"), ("delet", "delete"), ("shwo", "show")];
        for (said, meant) in letters {
            assert_eq!(speller.meant(said), Some((meant, How::Letters)), "{said}");
        }
        assert_eq!(speller.meant("inspekshun"), Some(("inspection", How::Sound)));
        assert_eq!(speller.meant("weather"), None);
        assert_eq!(speller.meant("sho"), None, "short words must be right");
    }
}
