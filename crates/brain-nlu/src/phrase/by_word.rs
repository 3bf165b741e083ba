//! An index of taught phrases by their content words. A tenant may teach thousands, and a clause is aligned with few.

use std::collections::BTreeMap;

use crate::phrase::Phrase;
use crate::phrase::pattern::Piece;
use crate::text::tokens::quick_hash;
use brain_english::function_words::is_function_word;
use brain_english::spelling::american;

/// Up to this many phrases, all are considered.
const FEW: usize = 64;
/// Maximum number of phrases that are read from the index for one clause.
const MAX_LISTED: usize = 512;
/// Maximum number of phrases that are considered for one clause, if there are more than a few: as many as of a pack.
const MAX_NEAR: usize = 16;

/// Phrases by the hashes of their content words.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByWord {
    phrases: BTreeMap<u32, Vec<u32>>,
    /// Phrases without content words; always considered.
    wordless: Vec<u32>,
    count: usize,
}

impl ByWord {
    /// Adds the next phrase.
    pub(crate) fn add(&mut self, phrase: &Phrase) {
        let number = self.count as u32;
        self.count += 1;
        let mut has_word = false;
        for piece in phrase.pieces() {
            let Piece::Word(word) = piece else { continue };
            if is_function_word(word) {
                continue;
            }
            has_word = true;
            for form in forms(word) {
                let list = self.phrases.entry(quick_hash(&form)).or_default();
                if list.last() != Some(&number) {
                    list.push(number);
                }
            }
        }
        if !has_word {
            self.wordless.push(number);
        }
    }

    /// The phrases to consider for a clause with these content words, by number: all if there are few, else those with
    /// the most and the rarest words in common.
    pub(crate) fn near<'w>(&self, words: impl Iterator<Item = &'w str>) -> Vec<usize> {
        if self.count <= FEW {
            return (0..self.count).collect();
        }
        let mut lists: Vec<&Vec<u32>> = Vec::new();
        for word in words {
            // The forms of one word lead to the same phrases.
            let longest = forms(word)
                .into_iter()
                .filter_map(|form| self.phrases.get(&quick_hash(&form)))
                .max_by_key(|list| list.len());
            lists.extend(longest);
        }
        // The rarest words first: what is left out has only common ones.
        lists.sort_by_key(|list| list.len());
        let (mut worth, mut listed) = (BTreeMap::<u32, f32>::new(), 0);
        for list in lists {
            let each = 1.0 / (1.0 + list.len() as f32).ln().max(0.5);
            for number in list.iter().take(MAX_LISTED - listed) {
                *worth.entry(*number).or_default() += each;
            }
            listed += list.len().min(MAX_LISTED - listed);
        }
        let mut best: Vec<(u32, f32)> = worth.into_iter().collect();
        best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let wordless = self.wordless.iter().take(MAX_NEAR).copied();
        best.into_iter()
            .take(MAX_NEAR)
            .map(|(number, _)| number)
            .chain(wordless)
            .map(|number| number as usize)
            .collect()
    }
}

/// A word as it is indexed, and without a plural ending.
fn forms(word: &str) -> Vec<String> {
    let word = american(word.replace('\'', ""));
    let singular = word.strip_suffix('s').filter(|singular| singular.len() > 2).map(str::to_owned);
    singular.into_iter().chain([word]).collect()
}
