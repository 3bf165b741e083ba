//! Real servers under load with faults: an outside world that counts its effects, clients that retry, and an audit at
//! the end.
#![allow(dead_code, unreachable_pub, reason = "shared by test files that each use their own part")]

pub mod audit;
pub mod fleet;
pub mod load;
pub mod pack;
pub mod world;

use std::sync::Mutex;

/// Seeded randomness (SplitMix64). Timing also matters, so a seed repeats the choices, not the whole test.
pub struct Dice(Mutex<u64>);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new(seed))
    }

    /// A number below `bound`.
    pub fn below(&self, bound: u64) -> u64 {
        let mut state = self.0.lock().unwrap();
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }

    /// True with a probability of `percent`.
    pub fn percent(&self, chance: u64) -> bool {
        self.below(100) < chance
    }
}
