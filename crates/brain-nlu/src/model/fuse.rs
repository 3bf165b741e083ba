//! Fusion: each head's scores become probabilities at the head's own temperature and are averaged; the similarity to
//! single phrases reranks the best labels.

use serde::{Deserialize, Serialize};

use super::fixed::Fixed;
use super::fold::Held;
use super::nearest::Nearest;
use super::{CLOSE, NEAR, Raw, top};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Fusion {
    /// Inverse temperatures of the lexical head, the semantic head and phrase similarity.
    lexical: f32,
    semantic: f32,
    nearest: f32,
    /// Weight of the lexical head.
    share: f32,
    /// Weight of phrase similarity.
    near_share: f32,
}

/// Inverse temperatures to try for phrase similarity.
const SHARPNESS: [f32; 4] = [5.0, 10.0, 20.0, 40.0];

/// Labels ranked by all signals.
pub(super) struct Ranked {
    /// The score of every label; 0 if excluded.
    pub(super) scores: Vec<f32>,
    /// The best labels in order; the first few with their most similar phrase and its cosine similarity.
    pub(super) best: Vec<(u16, Option<(f32, u32)>)>,
}

impl Ranked {
    /// Similarity to the nearest phrase; -1 if none was compared.
    pub(super) fn alike(&self) -> f32 {
        self.best.iter().filter_map(|(_, near)| *near).map(|(alike, _)| alike).fold(-1.0, f32::max)
    }

    /// Softmax over the similarity of the compared labels.
    fn likeness(&self, sharpness: f32) -> Vec<f32> {
        let top = self.alike();
        let weight = |near: Option<(f32, u32)>| near.map_or(0.0, |(alike, _)| power((alike - top) * sharpness));
        let weights: Vec<f32> = self.best.iter().map(|(_, near)| weight(*near)).collect();
        let sum: f32 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / sum).collect()
    }

    /// Mixes phrase similarity into the scores.
    fn rerank(&mut self, sharpness: f32, share: f32) {
        let likeness = self.likeness(sharpness);
        self.scores.iter_mut().for_each(|score| *score *= 1.0 - share);
        for ((label, _), alike) in self.best.iter().zip(likeness) {
            self.scores[usize::from(*label)] += share * alike;
        }
        let score = |label: u16| self.scores[usize::from(label)];
        self.best.sort_by(|a, b| score(b.0).total_cmp(&score(a.0)).then(a.0.cmp(&b.0)));
    }
}

impl Fusion {
    /// Defaults without held-out phrases.
    const USUAL: Self = Self { lexical: 6.0, semantic: 1.0, nearest: 20.0, share: 0.4, near_share: 0.2 };

    pub(super) fn fit(held: &[Held]) -> Self {
        if held.len() < 20 {
            return Self::USUAL;
        }
        let lexical = sharpest(|scale| loss_of_one(held, scale, |raw| &raw.lexical));
        let semantic = sharpest(|scale| loss_of_one(held, scale, |raw| &raw.semantic));
        let shares: Vec<(f32, f32)> = held
            .iter()
            .map(|held| {
                let out = |label: u16| !held.knew[usize::from(label)];
                let own = usize::from(held.label);
                (softmax(&held.raw.lexical, lexical, out)[own], softmax(&held.raw.semantic, semantic, out)[own])
            })
            .collect();
        let loss =
            |share: f32| shares.iter().map(|(a, b)| -(share * a + (1.0 - share) * b).max(1e-6).ln()).sum::<f32>();
        let share = (0..=20).map(|step| step as f32 / 20.0).min_by(|a, b| loss(*a).total_cmp(&loss(*b)));
        let found = Self { lexical, semantic, share: share.unwrap_or(Self::USUAL.share), ..Self::USUAL };
        let (nearest, near_share) = found.best_rerank(held);
        Self { nearest, near_share, ..found }
    }

    /// The best inverse temperature and weight of phrase similarity.
    fn best_rerank(&self, held: &[Held]) -> (f32, f32) {
        // For each held-out phrase: the heads' score of the right label, and the similarity share for each
        // temperature.
        let voices: Vec<(f32, [f32; 4])> = held
            .iter()
            .map(|held| {
                let both = self.both(&held.raw, &held.nearest, &held.vector, |label| !held.knew[usize::from(label)]);
                let place = both.best.iter().position(|(label, _)| *label == held.label);
                let likeness = |sharpness: f32| place.map_or(0.0, |place| both.likeness(sharpness)[place]);
                (both.scores[usize::from(held.label)], SHARPNESS.map(likeness))
            })
            .collect();
        let loss = |at: usize, share: f32| -> f32 {
            voices.iter().map(|(own, near)| -((1.0 - share) * own + share * near[at]).max(1e-6).ln()).sum()
        };
        let shares = (0..=8).map(|step| step as f32 / 20.0);
        let all = shares.flat_map(|share| (0..SHARPNESS.len()).map(move |at| (at, share)));
        let best = all.min_by(|a, b| loss(a.0, a.1).total_cmp(&loss(b.0, b.1)));
        best.map_or((Self::USUAL.nearest, 0.0), |(at, share)| (SHARPNESS[at], share))
    }

    /// Ranks the labels by all signals.
    pub(super) fn ranked(
        &self,
        raw: &Raw,
        nearest: &Nearest,
        vector: &Fixed,
        out: impl Fn(u16) -> bool + Copy,
    ) -> Ranked {
        let mut found = self.both(raw, nearest, vector, out);
        found.rerank(self.nearest, self.near_share);
        found
    }

    /// Ranks by both heads and compares the phrases of the best labels.
    fn both(&self, raw: &Raw, nearest: &Nearest, vector: &Fixed, out: impl Fn(u16) -> bool + Copy) -> Ranked {
        let mut scores = softmax(&raw.lexical, self.lexical, out);
        let other = softmax(&raw.semantic, self.semantic, out);
        for (score, other) in scores.iter_mut().zip(other) {
            *score = self.share * *score + (1.0 - self.share) * other;
        }
        let near = |(place, label): (usize, u16)| (label, (place < NEAR).then(|| nearest.find(vector, label)));
        let best = top(&scores, CLOSE).into_iter().enumerate().map(near).collect();
        Ranked { scores, best }
    }

    /// The raw score of each head for a label.
    pub(super) fn parts(&self, raw: &Raw, label: usize) -> [f32; 2] {
        [raw.lexical[label], raw.semantic[label]]
    }
}

fn loss_of_one(held: &[Held], scale: f32, scores: impl Fn(&Raw) -> &Vec<f32>) -> f32 {
    let of = |held: &Held| {
        let out = |label: u16| !held.knew[usize::from(label)];
        -softmax(scores(&held.raw), scale, out)[usize::from(held.label)].max(1e-6).ln()
    };
    held.iter().map(of).sum()
}

/// The scale with the least loss, between 1/8 and 64.
fn sharpest(loss: impl Fn(f32) -> f32) -> f32 {
    let best = |scales: Vec<f32>| {
        let scored = scales.into_iter().map(|scale| (loss(scale), scale));
        scored.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(1.0, |(_, scale)| scale)
    };
    let rough = best((-3..=6).map(|power| 2.0_f32.powi(power)).collect());
    best((-3..=3).map(|step| rough * 2.0_f32.powf(step as f32 / 4.0)).collect())
}

fn softmax(scores: &[f32], scale: f32, out: impl Fn(u16) -> bool) -> Vec<f32> {
    let mut shares: Vec<f32> = scores.iter().map(|score| score * scale).collect();
    for (label, share) in shares.iter_mut().enumerate() {
        if out(label as u16) {
            *share = f32::NEG_INFINITY;
        }
    }
    let top = lanes(&shares, f32::NEG_INFINITY, |a, b| if b > a { b } else { a });
    if top == f32::NEG_INFINITY {
        shares.fill(0.0);
        return shares;
    }
    shares.iter_mut().for_each(|share| *share = power(*share - top));
    let sum = lanes(&shares, 0.0, |a, b| a + b);
    shares.iter_mut().for_each(|share| *share /= sum);
    shares
}

/// `e` to a non-positive power, accurate to seven digits; underflows to 0. Plain arithmetic vectorises and gives the
/// same result on every machine.
#[inline]
fn power(x: f32) -> f32 {
    /// Adding and subtracting this rounds to a whole number.
    const ROUND: f32 = 12_582_912.0;
    /// The natural logarithm of 2, split into a short part and the rest.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    let far = x <= -16.0;
    let x = if far { -16.0 } else { x };
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let whole = shifted - ROUND;
    // In two steps, so that the first subtraction is exact.
    let part = x - whole * LN_2[0] - whole * LN_2[1];
    // Taylor series of `e^x` for x between -0.35 and 0.35.
    let series = 1.0
        + part
            * (1.0
                + part
                    * (0.5 + part * (1.0 / 6.0 + part * (1.0 / 24.0 + part * (1.0 / 120.0 + part * (1.0 / 720.0))))));
    // The whole number is in the low bits of `shifted`; it becomes the exponent.
    let scale = f32::from_bits(shifted.to_bits().wrapping_add(127) << 23);
    if far { 0.0 } else { series * scale }
}

/// Reduces the values in eight lanes, which the compiler vectorises.
fn lanes(values: &[f32], from: f32, join: impl Fn(f32, f32) -> f32) -> f32 {
    let (eights, rest) = values.as_chunks::<8>();
    let mut all = [from; 8];
    for values in eights {
        for (one, value) in all.iter_mut().zip(values) {
            *one = join(*one, *value);
        }
    }
    all.iter().chain(rest).fold(from, |one, value| join(one, *value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_right_to_six_digits() {
        for step in 0..=16_000 {
            let x = -(step as f32) / 1000.0;
            let right = f64::from(x).exp();
            let off = (f64::from(power(x)) - right).abs() / right;
            assert!(off < 1e-6 || x <= -16.0, "{x}: {off}");
        }
        assert_eq!((power(0.0), power(-20.0), power(f32::NEG_INFINITY)), (1.0, 0.0, 0.0));
    }

    #[test]
    fn similarity_reranks_only_the_compared_labels() {
        let best = vec![(2, Some((0.5, 7))), (0, Some((0.9, 3))), (1, None)];
        let mut found = Ranked { scores: vec![0.4, 0.1, 0.5], best };
        found.rerank(20.0, 0.3);
        assert!((found.scores.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{:?}", found.scores);
        assert_eq!(found.best, [(0, Some((0.9, 3))), (2, Some((0.5, 7))), (1, None)]);
        assert!((found.scores[1] - 0.07).abs() < 1e-6, "what was not looked at never overtakes");
        assert_eq!(found.alike(), 0.9);
    }

    #[test]
    fn probabilities_sum_to_one_and_are_zero_for_excluded_labels() {
        let shares = softmax(&[1.0, 3.0, 2.0, -90.0], 1.0, |label| label == 1);
        assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!(shares[0] < shares[2] && shares[1] == 0.0 && shares[3] == 0.0);
        assert_eq!(softmax(&[1.0, 2.0], 1.0, |_| true), [0.0, 0.0]);
    }
}
