//! Two heads, one score: each head's scores become probabilities at its own temperature, and are averaged.

use serde::{Deserialize, Serialize};

use super::Raw;
use super::fold::Held;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Fusion {
    /// How sharp each head is.
    lexical: f32,
    semantic: f32,
    /// The share of the lexical head.
    share: f32,
}

impl Fusion {
    /// Without held-out phrases: what fits most vocabularies.
    const USUAL: Self = Self { lexical: 6.0, semantic: 1.0, share: 0.4 };

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
        Self { lexical, semantic, share: share.unwrap_or(Self::USUAL.share) }
    }

    /// The score of every label; 0 for those that are out of the question.
    pub(super) fn scores(&self, raw: &Raw, out: impl Fn(u16) -> bool + Copy) -> Vec<f32> {
        let mut scores = softmax(&raw.lexical, self.lexical, out);
        let other = softmax(&raw.semantic, self.semantic, out);
        for (score, other) in scores.iter_mut().zip(other) {
            *score = self.share * *score + (1.0 - self.share) * other;
        }
        scores
    }

    /// What each head says about a label, before it is made a probability.
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

/// `e` to the power of something below 0, to seven digits; far below is nothing. Plain arithmetic, so that many are worked
/// out at once, and the same on every machine.
#[inline]
fn power(x: f32) -> f32 {
    /// Added and taken away again, it leaves a whole number.
    const ROUND: f32 = 12_582_912.0;
    /// The logarithm of 2: its first digits, and the rest.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    let far = x <= -16.0;
    let x = if far { -16.0 } else { x };
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let whole = shifted - ROUND;
    // In two steps, the first of which is exact.
    let part = x - whole * LN_2[0] - whole * LN_2[1];
    // Of `e` to the power of something between -0.35 and 0.35.
    let series = 1.0
        + part
            * (1.0
                + part
                    * (0.5 + part * (1.0 / 6.0 + part * (1.0 / 24.0 + part * (1.0 / 120.0 + part * (1.0 / 720.0))))));
    // The whole number is in the last bits of the shifted one: it becomes the exponent.
    let scale = f32::from_bits(shifted.to_bits().wrapping_add(127) << 23);
    if far { 0.0 } else { series * scale }
}

/// All values made one, in eight lanes, so that it is quick.
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
    fn shares_are_one_together_and_nothing_for_what_is_out() {
        let shares = softmax(&[1.0, 3.0, 2.0, -90.0], 1.0, |label| label == 1);
        assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!(shares[0] < shares[2] && shares[1] == 0.0 && shares[3] == 0.0);
        assert_eq!(softmax(&[1.0, 2.0], 1.0, |_| true), [0.0, 0.0]);
    }
}
