//! The values that were seen for each slot, and their words.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::features::hash;

/// Longest value that is looked up, in tokens.
pub(super) const LONGEST: usize = 6;

/// Values and the words of values, by hash.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Gazetteer {
    /// Hash, slot and number of occurrences; sorted.
    entries: Vec<(u64, u16, u16)>,
}

/// The key of a whole value.
pub(super) fn value_key(words: &[&str]) -> u64 {
    words.iter().fold(hash(&["value"]), |key, word| (key ^ hash(&[word])).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// The key of a word of a value.
pub(super) fn word_key(word: &str) -> u64 {
    hash(&["word of a value", word])
}

impl Gazetteer {
    /// Collects slots with the words of a value.
    pub(super) fn new<'a>(values: impl Iterator<Item = (u16, Vec<&'a str>)>) -> Self {
        let mut counts: BTreeMap<(u64, u16), u16> = BTreeMap::new();
        let mut add = |key: u64, slot: u16| {
            let count = counts.entry((key, slot)).or_default();
            *count = count.saturating_add(1);
        };
        for (slot, words) in values {
            if words.len() <= LONGEST {
                add(value_key(&words), slot);
            }
            words.iter().for_each(|word| add(word_key(word), slot));
        }
        Self { entries: counts.into_iter().map(|((key, slot), count)| (key, slot, count)).collect() }
    }

    /// The slots with this key, and how often each had it.
    pub(super) fn find(&self, key: u64) -> impl Iterator<Item = (u16, u16)> {
        let from = self.entries.partition_point(|(other, ..)| *other < key);
        let same = self.entries[from..].iter().take_while(move |(other, ..)| *other == key);
        same.map(|(_, slot, count)| (*slot, *count))
    }
}
