//! The phrase vectors of each label, for nearest-neighbour lookups. Vectors are kept in 8 bits.

use brain_embed::products;
use serde::{Deserialize, Serialize};

use super::fixed::{Fixed, push_coarse};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Nearest {
    dim: usize,
    /// Where the phrases of each label begin; one more entry than there are labels.
    starts: Vec<u32>,
    #[serde(with = "super::bulk")]
    vectors: Vec<i8>,
    scales: Vec<f32>,
    /// The number of each phrase.
    phrases: Vec<u32>,
}

impl Nearest {
    /// `phrases` numbers the inputs.
    pub(super) fn new(inputs: &[f32], dim: usize, labels: &[u16], phrases: &[usize], count: usize) -> Self {
        let mut order: Vec<usize> = (0..labels.len()).collect();
        order.sort_by_key(|row| labels[*row]);
        let mut starts = vec![0_u32; count + 1];
        labels.iter().for_each(|label| starts[usize::from(*label) + 1] += 1);
        for label in 0..count {
            starts[label + 1] += starts[label];
        }
        let mut vectors = Vec::with_capacity(inputs.len());
        let mut scales = Vec::with_capacity(labels.len());
        for row in &order {
            scales.push(push_coarse(&inputs[row * dim..(row + 1) * dim], &mut vectors));
        }
        let phrases = order.iter().map(|row| phrases[*row] as u32).collect();
        Self { dim, starts, vectors, scales, phrases }
    }

    /// Cosine similarity and number of the nearest phrase of a label.
    pub(crate) fn find(&self, vector: &Fixed, label: u16) -> (f32, u32) {
        let range = self.starts[usize::from(label)] as usize..self.starts[usize::from(label) + 1] as usize;
        let mut best = (-1.0, u32::MAX);
        let rows = &self.vectors[range.start * self.dim..range.end * self.dim];
        products(rows, &vector.values, |row, sum| {
            let at = range.start + row;
            let alike = self.scales[at] * vector.scale * sum as f32;
            if alike > best.0 {
                best = (alike, self.phrases[at]);
            }
        });
        best
    }
}
