//! Calibration: how often spans with a given probability were right among held-out examples.

use serde::{Deserialize, Serialize};

/// Number of bins of equal width.
const BINS: usize = 10;
/// Each bin begins with this many spans that are right as often as their probability says.
const PRIOR: f32 = 4.0;

/// A monotone map from probability to confidence: the value at the middle of each bin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Calibration {
    bins: Vec<f32>,
}

impl Default for Calibration {
    fn default() -> Self {
        Self::fit(&[])
    }
}

fn middle(bin: usize) -> f32 {
    (bin as f32 + 0.5) / BINS as f32
}

impl Calibration {
    /// Fits to spans: their probability, and whether they were right.
    pub(super) fn fit(spans: &[(f32, bool)]) -> Self {
        let mut sums: Vec<(f32, f32)> = (0..BINS).map(|bin| (middle(bin) * PRIOR, PRIOR)).collect();
        for (probability, right) in spans {
            let (sum, count) = &mut sums[((probability * BINS as f32) as usize).min(BINS - 1)];
            *sum += f32::from(u8::from(*right));
            *count += 1.0;
        }
        // Pool adjacent violators: a larger probability is never a smaller confidence.
        let mut pools: Vec<(f32, f32, usize)> = Vec::new();
        for (sum, count) in sums {
            let mut pool = (sum, count, 1);
            while let Some(before) = pools.last().filter(|before| before.0 / before.1 > pool.0 / pool.1) {
                pool = (before.0 + pool.0, before.1 + pool.1, before.2 + pool.2);
                pools.pop();
            }
            pools.push(pool);
        }
        let bins = pools.into_iter().flat_map(|(sum, count, bins)| std::iter::repeat_n(sum / count, bins));
        Self { bins: bins.collect() }
    }

    /// The confidence of a span; linear between the middles of two bins.
    pub(super) fn confidence(&self, probability: f32) -> f32 {
        let place = (probability * BINS as f32 - 0.5).clamp(0.0, (BINS - 1) as f32);
        let below = (place as usize).min(BINS - 2);
        let share = place - below as f32;
        crate::model::round(self.bins[below] * (1.0 - share) + self.bins[below + 1] * share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_examples_a_probability_is_left_alone() {
        let none = Calibration::default();
        for probability in [0.1, 0.35, 0.8] {
            assert!((none.confidence(probability) - probability).abs() < 1e-4);
        }
    }

    #[test]
    fn confidence_is_the_share_of_right_spans_and_never_falls() {
        let spans: Vec<(f32, bool)> = (0..1000).map(|n| (0.95, n % 10 < 6)).collect();
        let found = Calibration::fit(&spans);
        assert!((found.confidence(0.95) - 0.6).abs() < 0.02);
        let all: Vec<f32> = (0..=100).map(|n| found.confidence(n as f32 / 100.0)).collect();
        assert!(all.is_sorted(), "{all:?}");
    }
}
