//! Fitted weights: sparse ones in a table that is shared by all features and labels, by hash, and dense ones by row.

use serde::{Deserialize, Serialize};

use super::arithmetic::dot;
use super::features::{DENSE, Features};
use super::lattice::{Labels, Scores};

/// Largest packed weight.
const LARGEST: f32 = 32_767.0;

/// Weights as 16-bit multiples of a step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Weights {
    bits: u32,
    step: f32,
    #[serde(with = "crate::model::bulk")]
    sparse: Vec<u16>,
    #[serde(with = "crate::model::bulk")]
    dense: Vec<f32>,
}

impl Weights {
    /// Packs fitted weights.
    pub(super) fn pack(bits: u32, sparse: &[f32], dense: &[f32]) -> Self {
        let step = sparse.iter().fold(1e-6_f32, |largest, weight| largest.max(weight.abs())) / LARGEST;
        let sparse = sparse.iter().map(|weight| ((weight / step).round() as i16).cast_unsigned()).collect();
        Self { bits, step, sparse, dense: dense.to_vec() }
    }

    /// The inverse of [`Weights::pack`], up to rounding.
    pub(super) fn unpacked(&self) -> (u32, Vec<f32>, Vec<f32>) {
        let sparse = self.sparse.iter().map(|weight| f32::from(weight.cast_signed()) * self.step).collect();
        (self.bits, sparse, self.dense.clone())
    }

    /// The scores of a target's labels.
    pub(super) fn scores(&self, labels: Labels<'_>, features: &Features) -> Scores {
        let weight = |at: usize| f32::from(self.sparse[at].cast_signed()) * self.step;
        scores(labels, features, self.bits, weight, &self.dense)
    }
}

/// The place of a feature's weight for a part of a label.
pub(super) fn place(feature: u32, part: u32, bits: u32) -> usize {
    let both = (u64::from(part) << 32 | u64::from(feature)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((both ^ (both >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93) >> (64 - bits)) as usize
}

/// The scores of a target's labels with any weights.
pub(super) fn scores(
    labels: Labels<'_>,
    features: &Features,
    bits: u32,
    weight: impl Fn(usize) -> f32,
    dense: &[f32],
) -> Scores {
    let (count, keys) = (labels.len(), (0..labels.parts()).map(|part| labels.key(part)).collect::<Vec<_>>());
    let mut found =
        Scores { labels: count, emissions: Vec::with_capacity(features.len() * count), transitions: Vec::new() };
    let mut parts = vec![0.0; keys.len()];
    for token in 0..features.len() {
        for (part, score) in parts.iter_mut().enumerate() {
            let row = labels.dense_row(part).map(|row| &dense[row * DENSE..(row + 1) * DENSE]);
            *score = row.map_or(0.0, |row| dot(row, features.dense(token)));
        }
        for (feature, value) in features.sparse(token) {
            for (score, key) in parts.iter_mut().zip(&keys) {
                *score += value * weight(place(*feature, *key, bits));
            }
        }
        found.emissions.extend(
            (0..count).map(|label| labels.of(label).into_iter().flatten().map(|part| parts[part]).sum::<f32>()),
        );
    }
    for before in (0..count).map(Some).chain([None]) {
        found.transitions.extend((0..count).map(|label| {
            if !Labels::may_follow(before, label) {
                return f32::NEG_INFINITY;
            }
            labels.transition(before, label).into_iter().map(|(one, other)| weight(place(one, other, bits))).sum()
        }));
    }
    found
}
