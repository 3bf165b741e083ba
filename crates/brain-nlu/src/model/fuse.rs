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
    let mut shares: Vec<f32> = scores
        .iter()
        .enumerate()
        .map(|(label, score)| if out(label as u16) { f32::NEG_INFINITY } else { score * scale })
        .collect();
    let top = shares.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    let mut last = (f32::NEG_INFINITY, 0.0);
    for share in &mut shares {
        // Far below the best is nothing, and most labels have the score of their neighbour: an exponential less.
        if *share != last.0 {
            last = (*share, if *share > top - 16.0 { (*share - top).exp() } else { 0.0 });
        }
        *share = last.1;
        sum += *share;
    }
    if sum > 0.0 {
        shares.iter_mut().for_each(|share| *share /= sum);
    }
    shares
}
