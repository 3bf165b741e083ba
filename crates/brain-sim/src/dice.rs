//! Seeded randomness.

use brain_core::{DigestBuilder, Random, SeededRandom};

/// An independent source of randomness for one part of the world, so that an extra draw in one part does not change the
/// others.
pub(crate) struct Dice(SeededRandom);

impl Dice {
    pub(crate) fn new(seed: u64, part: &str) -> Self {
        Self(SeededRandom::new(number(&[&seed.to_be_bytes(), part.as_bytes()])))
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0.below(bound.max(1))
    }

    /// A number in a range, both ends included.
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    /// True with a probability of `times` in a thousand.
    pub(crate) fn permille(&mut self, times: u64) -> bool {
        self.below(1000) < times
    }

    pub(crate) fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// A random item, if there are any.
    pub(crate) fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        if list.is_empty() { None } else { list.get(self.below(list.len() as u64) as usize) }
    }

    pub(crate) fn seed(&mut self) -> u64 {
        self.0.next_u64()
    }
}

/// A number derived from these parts alone, for answers that must not change when decided again.
pub(crate) fn number(parts: &[&[u8]]) -> u64 {
    let digest = parts.iter().fold(DigestBuilder::new("sim"), |digest, part| digest.part(part)).finish();
    let mut first = [0; 8];
    first.copy_from_slice(&digest.as_bytes()[..8]);
    u64::from_be_bytes(first)
}
