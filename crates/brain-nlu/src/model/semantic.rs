//! The semantic head: a linear classifier over embeddings.

use brain_embed::products;
use serde::{Deserialize, Serialize};

use super::fixed::{self, Fixed};
use super::lexical::MANY_LABELS;
use super::{ridge, softmax};

/// Regularisation constant of the regression.
const COST: f32 = 20.0;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Semantic {
    /// `count × dim`, in steps of the label's scale.
    #[serde(with = "super::bulk")]
    weights: Vec<i8>,
    scales: Vec<f32>,
    biases: Vec<f32>,
}

impl Semantic {
    /// `inputs` is `rows × dim`.
    pub(super) fn fit(inputs: &[f32], dim: usize, labels: &[u16], weights: &[f32], count: usize) -> Self {
        let mut found = if count < MANY_LABELS {
            softmax::fit(&softmax::Problem { inputs, dim, labels, weights, count, cost: COST })
        } else {
            ridge::fit(inputs, dim, labels, weights, count)
        };
        let biases = found.split_off(count * dim);
        let mut weights = Vec::with_capacity(found.len());
        let scales = found.chunks_exact(dim).map(|row| fixed::push_coarse(row, &mut weights)).collect();
        Self { weights, scales, biases }
    }

    /// The score of every label.
    pub(crate) fn scores(&self, vector: &Fixed) -> Vec<f32> {
        let mut scores = self.biases.clone();
        products(&self.weights, &vector.values, |label, sum| {
            scores[label] += self.scales[label] * vector.scale * sum as f32;
        });
        scores
    }
}

/// Dot product in eight lanes, which the compiler vectorises on any machine.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; 8];
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a.zip(b) {
        for lane in 0..8 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    lanes.iter().sum::<f32>() + rest
}
