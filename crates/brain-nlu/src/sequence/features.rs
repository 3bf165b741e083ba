//! The features of tokens: words around them, their shape and affixes, known values, typed values, and their meaning
//! by the built-in table.

use std::ops::Range;

use brain_embed::StaticTable;
use brain_slot::{SlotKind, Surroundings, extract};

use super::gazetteer::{Gazetteer, LONGEST, value_key, word_key};

/// Components of a token's own vector: the main directions of the table.
const OWN: usize = 128;
/// Components of each neighbour's vector.
const BESIDE: usize = 64;
/// Number of dense features of a token.
pub(super) const DENSE: usize = OWN + 2 * BESIDE;
/// Weight of a token's own vector, and of each neighbour's.
const OWN_WEIGHT: f32 = 2.0;
const BESIDE_WEIGHT: f32 = 1.0;
/// Weight of word pairs and of affixes, relative to words.
const PAIR: f32 = 0.2;
const AFFIX: f32 = 0.5;
/// Longest prefix and suffix.
const LONGEST_AFFIX: usize = 4;
/// Types whose values are features, with their name and that of their group.
const TYPES: [(SlotKind, &str, &str); 6] = [
    (SlotKind::Decimal, "number", "amount"),
    (SlotKind::Money, "money", "amount"),
    (SlotKind::Date, "date", "when"),
    (SlotKind::Time, "time", "when"),
    (SlotKind::DateTime, "moment", "when"),
    (SlotKind::Duration, "duration", "when"),
];

/// The features of one utterance.
#[derive(Clone, Debug, Default)]
pub(super) struct Features {
    /// Sparse features, as hashes with values.
    sparse: Vec<(u32, f32)>,
    ends: Vec<usize>,
    /// `tokens × DENSE`.
    dense: Vec<f32>,
}

/// A value that the example itself contributed to the gazetteer: slot and tokens.
pub(super) type Own = (u16, Range<usize>);

impl Features {
    /// The features of tokens. A value in `own` does not count as known, so that the model learns how far known values
    /// can be trusted.
    pub(super) fn new(words: &[&str], gazetteer: &Gazetteer, own: &[Own]) -> Self {
        let known = known(words, gazetteer, own);
        let typed = typed(words);
        let mut found = Self { dense: dense(words), ..Self::default() };
        for at in 0..words.len() {
            words_around(words, at, &mut found.sparse);
            found.sparse.extend(known[at].iter().map(|key| (short(*key), 1.0)));
            found.sparse.extend(typed[at].iter().map(|key| (short(*key), 1.0)));
            found.ends.push(found.sparse.len());
        }
        found
    }

    /// The number of tokens.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The sparse features of a token.
    pub(super) fn sparse(&self, token: usize) -> &[(u32, f32)] {
        let from = token.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.sparse[from..self.ends[token]]
    }

    /// The dense features of a token.
    pub(super) fn dense(&self, token: usize) -> &[f32] {
        &self.dense[token * DENSE..(token + 1) * DENSE]
    }
}

/// FNV-1a over parts, mixed.
pub(super) fn hash(parts: &[&str]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for part in parts {
        // 0xff occurs in no text: it ends a part.
        for byte in part.bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    (hash ^ (hash >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn short(hash: u64) -> u32 {
    (hash >> 32) as u32
}

fn words_around(words: &[&str], at: usize, into: &mut Vec<(u32, f32)>) {
    let word = |offset: isize| match at.checked_add_signed(offset) {
        Some(at) if at < words.len() => words[at],
        Some(_) => "</s>",
        None => "<s>",
    };
    let mut add = |parts: &[&str], value: f32| into.push((short(hash(parts)), value));
    add(&["any"], 1.0);
    for (name, offset) in [("w", 0), ("w-", -1), ("w+", 1), ("w--", -2), ("w++", 2)] {
        add(&[name, word(offset)], 1.0);
    }
    for (name, first, second) in [("p-", -1, 0), ("p+", 0, 1), ("p--", -2, -1), ("p++", 1, 2), ("p-+", -1, 1)] {
        add(&[name, word(first), word(second)], PAIR);
    }
    let own = words[at];
    for (ends, _) in own.char_indices().skip(1).take(LONGEST_AFFIX) {
        add(&["prefix", &own[..ends]], AFFIX);
    }
    for (begins, _) in own.char_indices().rev().take(LONGEST_AFFIX).filter(|(begins, _)| *begins > 0) {
        add(&["suffix", &own[begins..]], AFFIX);
    }
    for (name, offset) in [("s", 0), ("s-", -1), ("s+", 1)] {
        add(&[name, shape(word(offset))], 1.0);
    }
    if at < 2 {
        add(&["at", if at == 0 { "0" } else { "1" }], 1.0);
    }
}

fn shape(word: &str) -> &'static str {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    match (digits, word.len()) {
        (0, 1) if word.bytes().all(|byte| byte.is_ascii_alphanumeric()) => "letter",
        (0, _) if !word.chars().any(char::is_alphanumeric) => "mark",
        (0, _) => "word",
        (1, 1) => "1",
        (2, 2) => "2",
        (3, 3) => "3",
        (4, 4) => "4",
        (digits, length) if digits == length => "digits",
        _ => "mixed",
    }
}

/// For each token, the known values it is part of or follows.
fn known(words: &[&str], gazetteer: &Gazetteer, own: &[Own]) -> Vec<Vec<u64>> {
    let mut found: Vec<Vec<u64>> = vec![Vec::new(); words.len()];
    for from in 0..words.len() {
        for to in from + 1..=words.len().min(from + LONGEST) {
            for (slot, count) in gazetteer.find(value_key(&words[from..to])) {
                let is_same = |(other, range): &&Own| *other == slot && words[range.clone()] == words[from..to];
                if usize::from(count) <= own.iter().filter(is_same).count() {
                    continue;
                }
                let length = if to - from > 1 { "many" } else { "one" };
                let key = |place: &str| hash(&["value", place, length]).rotate_left(16) ^ slot_key(slot);
                found[from].push(key("first"));
                found[from + 1..to].iter_mut().for_each(|found| found.push(key("further")));
                if to < words.len() {
                    found[to].push(key("after"));
                }
            }
        }
        for (slot, count) in gazetteer.find(word_key(words[from])) {
            let has = |(other, range): &&Own| *other == slot && words[range.clone()].contains(&words[from]);
            let own: usize =
                own.iter().filter(has).map(|(_, range)| count_of(words[from], &words[range.clone()])).sum();
            if usize::from(count) > own {
                found[from].push(hash(&["word of"]) ^ slot_key(slot));
            }
        }
    }
    found
}

fn count_of(word: &str, words: &[&str]) -> usize {
    words.iter().filter(|other| **other == word).count()
}

fn slot_key(slot: u16) -> u64 {
    (u64::from(slot) + 1).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// For each token, the typed values it is part of, follows or precedes.
fn typed(words: &[&str]) -> Vec<Vec<u64>> {
    let mut found: Vec<Vec<u64>> = vec![Vec::new(); words.len()];
    let text: Vec<char> = words.join(" ").chars().collect();
    let mut starts = Vec::with_capacity(words.len());
    let mut at = 0;
    for word in words {
        starts.push(at);
        at += word.chars().count() + 1;
    }
    let token = |at: usize| starts.partition_point(|start| *start < at);
    // Only the position of a value matters, not the value itself.
    let around = Surroundings::new(jiff::Timestamp::UNIX_EPOCH.to_zoned(jiff::tz::TimeZone::UTC), "", "");
    for (kind, name, group) in &TYPES {
        for (range, _) in extract(kind, &text, &around) {
            let (from, to) = (token(range.start), token(range.end).min(words.len()));
            for (at, found) in found.iter_mut().enumerate().take(to).skip(from) {
                let place = if at == from { "first" } else { "further" };
                found.extend([name, group].map(|name| hash(&["typed", name, place])));
            }
            if from < to && to < words.len() {
                found[to].push(hash(&["typed", name, "after"]));
            }
            if from > 0 && from < to {
                found[from - 1].push(hash(&["typed", name, "before"]));
            }
        }
    }
    found
}

fn dense(words: &[&str]) -> Vec<f32> {
    let table = StaticTable::built_in();
    let mut vectors = vec![0.0_f32; words.len() * OWN];
    for (word, vector) in words.iter().zip(vectors.chunks_exact_mut(OWN)) {
        // `add_row` stops where the vector ends: the first components are the main directions.
        table.pieces(word, |piece| table.add_row(piece.row, piece.weight, vector));
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        if length > 0.0 {
            vector.iter_mut().for_each(|value| *value /= length);
        }
    }
    let mut found = vec![0.0; words.len() * DENSE];
    for (at, into) in found.chunks_exact_mut(DENSE).enumerate() {
        let mut put = |from: usize, token: Option<usize>, length: usize, weight: f32| {
            let Some(vector) = token.and_then(|token| vectors.get(token * OWN..token * OWN + length)) else { return };
            into[from..from + length].iter_mut().zip(vector).for_each(|(into, value)| *into = value * weight);
        };
        put(0, Some(at), OWN, OWN_WEIGHT);
        put(OWN, at.checked_sub(1), BESIDE, BESIDE_WEIGHT);
        put(OWN + BESIDE, Some(at + 1), BESIDE, BESIDE_WEIGHT);
    }
    found
}
