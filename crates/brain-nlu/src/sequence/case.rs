//! Training examples, and variants of them: the same words with other values in the slots.

use std::ops::Range;

use brain_core::{Random as _, SeededRandom};

/// A piece of a training example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Tokens outside slots.
    Words(Vec<String>),
    /// The tokens of a slot's value; empty if it has no value of its own, which a variant gives it.
    Value {
        /// The slot, as a number of the model.
        slot: u16,
        /// The tokens.
        words: Vec<String>,
    },
}

/// A training example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Case {
    /// What is asked for; decides which slots are possible.
    pub(crate) target: u32,
    /// The example, in order.
    pub(crate) pieces: Vec<Piece>,
}

/// The values that variants draw from, for each slot.
pub(crate) type Pools = Vec<Vec<Vec<String>>>;

/// A variant of a case: its tokens and where the values stand.
#[derive(Clone, Debug, Default)]
pub(super) struct Variant<'a> {
    pub(super) words: Vec<&'a str>,
    pub(super) values: Vec<(u16, Range<usize>)>,
}

impl Case {
    /// A variant: each value is replaced with this probability. Values that were replaced stay among those seen; the
    /// example's own do not say that a value is known.
    pub(super) fn variant<'a>(&'a self, pools: &'a Pools, share: f32, random: &mut SeededRandom) -> Variant<'a> {
        let mut found = Variant::default();
        for piece in &self.pieces {
            let (slot, words) = match piece {
                Piece::Words(words) => {
                    found.words.extend(words.iter().map(String::as_str));
                    continue;
                }
                Piece::Value { slot, words } => (*slot, words),
            };
            let pool = &pools[usize::from(slot)];
            let drawn = random.next_u64();
            let replace = words.is_empty() || ((drawn >> 40) as f32) < share * (1_u32 << 24) as f32;
            let words = if replace && !pool.is_empty() { &pool[drawn as usize % pool.len()] } else { words };
            let from = found.words.len();
            found.words.extend(words.iter().map(String::as_str));
            if from < found.words.len() {
                found.values.push((slot, from..found.words.len()));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_variant_has_other_values_at_the_same_place() {
        let value = Piece::Value { slot: 0, words: list("metal monday") };
        let case = Case { target: 0, pieces: vec![Piece::Words(list("put it on")), value] };
        let pools = vec![vec![list("road trip")]];
        let mut random = SeededRandom::new(1);
        let same = case.variant(&pools, 0.0, &mut random);
        assert_eq!((same.words.join(" ").as_str(), &same.values[..]), ("put it on metal monday", &[(0, 3..5)][..]));
        let other = case.variant(&pools, 1.0, &mut random);
        assert_eq!((other.words.join(" ").as_str(), &other.values[..]), ("put it on road trip", &[(0, 3..5)][..]));
    }
}
