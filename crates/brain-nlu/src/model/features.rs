//! Lexical features: words, word pairs and character n-grams inside words; TF-IDF, each kind normalised to length 1.

use serde::{Deserialize, Serialize};

/// Lengths of character n-grams.
const GRAMS: std::ops::RangeInclusive<usize> = 2..=5;
/// With more rows than this, a character n-gram must occur twice to become a feature.
const MANY_ROWS: usize = 3000;

/// A sparse vector: features in ascending order with their values.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Row {
    pub(crate) ids: Vec<u32>,
    pub(crate) values: Vec<f32>,
}

/// How much of a text occurs in the phrases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Known {
    /// Share of the words that occur in some phrase, weighted by rarity, 0 to 1.
    pub(crate) words: f32,
}

/// Features of the phrases, by hash.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FeatureTable {
    /// Open addressing; 0 marks a free entry. The length is a power of two.
    #[serde(with = "super::bulk")]
    keys: Vec<u64>,
    #[serde(with = "super::bulk")]
    ids: Vec<u32>,
    /// Inverse document frequency of each feature.
    #[serde(with = "super::bulk")]
    idf: Vec<f32>,
    /// Smaller features are words and word pairs.
    words: u32,
    /// Inverse document frequency of an unseen feature.
    unseen: f32,
}

impl FeatureTable {
    /// Collects the features of the phrases.
    pub(crate) fn build<'a>(rows: impl Iterator<Item = &'a [String]> + Clone) -> Self {
        let count = rows.clone().count();
        let mut both = [Vec::new(), Vec::new()];
        let mut own: [Vec<u64>; 2] = Default::default();
        for row in rows {
            each(row, &mut |block, hash| own[block].push(hash));
            for (all, own) in both.iter_mut().zip(&mut own) {
                own.sort_unstable();
                own.dedup();
                all.append(own);
            }
        }
        let mut keys_of = Vec::new();
        let mut idf = Vec::new();
        let mut words = 0;
        let rarity = |df: usize| ((1.0 + count as f32) / (1.0 + df as f32)).ln() + 1.0;
        for (block, all) in both.iter_mut().enumerate() {
            all.sort_unstable();
            let least = if block == 1 && count >= MANY_ROWS { 2 } else { 1 };
            for same in all.chunk_by(|a, b| a == b).filter(|same| same.len() >= least) {
                keys_of.push(same[0]);
                idf.push(rarity(same.len()));
            }
            if block == 0 {
                words = keys_of.len() as u32;
            }
        }
        let places = (keys_of.len() * 2).next_power_of_two().max(2);
        let (mut keys, mut ids) = (vec![0; places], vec![0; places]);
        for (id, key) in keys_of.iter().enumerate() {
            let mut at = *key as usize & (places - 1);
            while keys[at] != 0 {
                at = (at + 1) & (places - 1);
            }
            keys[at] = *key;
            ids[at] = id as u32;
        }
        Self { keys, ids, idf, words, unseen: rarity(0) }
    }

    /// The number of features.
    pub(crate) fn len(&self) -> usize {
        self.idf.len()
    }

    fn find(&self, key: u64) -> Option<u32> {
        let mask = self.keys.len() - 1;
        let mut at = key as usize & mask;
        loop {
            match self.keys[at] {
                0 => return None,
                found if found == key => return Some(self.ids[at]),
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// Whether some phrase contains this word.
    pub(crate) fn has_word(&self, word: &str) -> bool {
        self.find(word_hash(word)).is_some()
    }

    /// The vector of a text.
    pub(crate) fn row(&self, words: &[String]) -> Row {
        let mut found: Vec<u32> = Vec::with_capacity(256);
        each(words, &mut |_, hash| found.extend(self.find(hash)));
        found.sort_unstable();
        let mut row = Row { ids: Vec::with_capacity(found.len()), values: Vec::with_capacity(found.len()) };
        let mut squares = [0.0_f32; 2];
        for same in found.chunk_by(|a, b| a == b) {
            let value = (1.0 + (same.len() as f32).ln()) * self.idf[same[0] as usize];
            row.ids.push(same[0]);
            row.values.push(value);
            squares[usize::from(same[0] >= self.words)] += value * value;
        }
        // Both kinds of features weigh the same.
        let scale = squares.map(|square| if square > 0.0 { (0.5 / square).sqrt() } else { 0.0 });
        for (id, value) in row.ids.iter().zip(&mut row.values) {
            *value *= scale[usize::from(*id >= self.words)];
        }
        row
    }

    /// How much of a text occurs in the phrases.
    pub(crate) fn known(&self, words: &[String]) -> Known {
        let (mut known, mut all) = (0.0, 0.0);
        for word in words.iter().filter(|word| !brain_english::function_words::is_function_word(word)) {
            let rarity = self.find(word_hash(word)).map(|id| self.idf[id as usize]);
            known += rarity.unwrap_or(0.0);
            all += rarity.unwrap_or(self.unseen);
        }
        Known { words: if all > 0.0 { known / all } else { 1.0 } }
    }
}

/// Calls `sink` with each feature of a text: its kind (0 for words and pairs, 1 for characters) and its hash.
fn each(words: &[String], sink: &mut impl FnMut(usize, u64)) {
    let mut before: Option<&str> = None;
    let mut padded: Vec<char> = Vec::with_capacity(24);
    for word in words {
        sink(0, word_hash(word));
        if let Some(before) = before {
            sink(0, hash(&[b"2", before.as_bytes(), b" ", word.as_bytes()]));
        }
        before = Some(word);
        if word.starts_with('#') {
            continue;
        }
        padded.clear();
        padded.push(' ');
        padded.extend(word.chars());
        padded.push(' ');
        for n in GRAMS {
            for gram in padded.windows(n.min(padded.len())) {
                sink(1, gram_hash(gram));
            }
            if n >= padded.len() {
                break;
            }
        }
    }
}

fn word_hash(word: &str) -> u64 {
    hash(&[b"1", word.as_bytes()])
}

fn hash(parts: &[&[u8]]) -> u64 {
    finish(parts.iter().flat_map(|part| part.iter()).fold(SEED, |hash, byte| mix(hash, u64::from(*byte))))
}

fn gram_hash(gram: &[char]) -> u64 {
    finish(gram.iter().fold(mix(SEED, 3), |hash, c| mix(hash, u64::from(*c))))
}

const SEED: u64 = 0xcbf2_9ce4_8422_2325;

fn mix(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(0x0000_0100_0000_01b3)
}

/// Mixes the bits; never 0, which marks a free entry.
fn finish(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash ^ (hash >> 29)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::words::words;

    #[test]
    fn a_row_has_length_one_and_only_known_features() {
        let texts = ["show my tasks", "delete the task"].map(words);
        let table = FeatureTable::build(texts.iter().map(Vec::as_slice));
        let row = table.row(&words("show the tasks"));
        let length: f32 = row.values.iter().map(|value| value * value).sum();
        assert!((length - 1.0).abs() < 1e-5);
        assert!(row.ids.is_sorted() && row.ids.iter().all(|id| (*id as usize) < table.len()));
        assert!(table.row(&words("qqq")).ids.is_empty());
    }

    #[test]
    fn the_share_of_known_words_is_computed() {
        let texts = ["show my tasks", "delete the task"].map(words);
        let table = FeatureTable::build(texts.iter().map(Vec::as_slice));
        assert_eq!(table.known(&words("please show the tasks")).words, 1.0);
        assert_eq!(table.known(&words("weather")).words, 0.0);
        assert!(table.has_word("delete") && !table.has_word("weather"));
    }
}
