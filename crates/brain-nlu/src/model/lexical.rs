//! The lexical head: a linear classifier over lexical features, with weights in 8 bits.

use serde::{Deserialize, Serialize};

use super::features::{FeatureTable, Row};
use super::svm;

/// With more labels, one-vs-rest classifiers would be too large and too slow to fit.
pub(super) const MANY_LABELS: usize = 400;
/// Regularisation constant of the classifier.
const COST: f32 = 1.0;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Lexical {
    pub(crate) table: FeatureTable,
    weights: Weights,
    count: usize,
}

/// Weights of features for labels.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Weights {
    /// A weight for every feature and label, and biases.
    Dense {
        #[serde(with = "super::bulk")]
        values: Vec<i8>,
        #[serde(with = "super::bulk")]
        scales: Vec<f32>,
        biases: Vec<f32>,
    },
    /// For every feature, the labels that have it.
    Sparse {
        #[serde(with = "super::bulk")]
        starts: Vec<u32>,
        #[serde(with = "super::bulk")]
        labels: Vec<u16>,
        #[serde(with = "super::bulk")]
        values: Vec<i8>,
        #[serde(with = "super::bulk")]
        scales: Vec<f32>,
    },
}

impl Lexical {
    pub(super) fn fit(texts: &[&[String]], labels: &[u16], weights: &[f32], count: usize) -> Self {
        let table = FeatureTable::build(texts.iter().copied());
        let rows: Vec<Row> = texts.iter().map(|words| table.row(words)).collect();
        let weights = if count < MANY_LABELS {
            let problem = svm::Problem { rows: &rows, labels, weights, count, features: table.len(), cost: COST };
            dense(&svm::fit(&problem), count)
        } else {
            centroids(&rows, labels, weights, count, table.len())
        };
        Self { table, weights, count }
    }

    /// The score of every label.
    pub(crate) fn scores(&self, row: &Row) -> Vec<f32> {
        match &self.weights {
            Weights::Dense { values, scales, biases } => {
                let mut scores = biases.clone();
                for (id, value) in row.ids.iter().zip(&row.values) {
                    let id = *id as usize;
                    let factor = value * scales[id];
                    for (score, weight) in scores.iter_mut().zip(&values[id * self.count..(id + 1) * self.count]) {
                        *score += factor * f32::from(*weight);
                    }
                }
                scores
            }
            Weights::Sparse { starts, labels, values, scales } => {
                let mut scores = vec![0.0; self.count];
                for (id, value) in row.ids.iter().zip(&row.values) {
                    let id = *id as usize;
                    let factor = value * scales[id];
                    let range = starts[id] as usize..starts[id + 1] as usize;
                    for (label, weight) in labels[range.clone()].iter().zip(&values[range]) {
                        scores[usize::from(*label)] += factor * f32::from(*weight);
                    }
                }
                scores
            }
        }
    }
}

fn dense(weights: &[f32], count: usize) -> Weights {
    let (weights, biases) = weights.split_at(weights.len() - count);
    let mut values = Vec::with_capacity(weights.len());
    let mut scales = Vec::with_capacity(weights.len() / count.max(1));
    for row in weights.chunks_exact(count.max(1)) {
        scales.push(quantise(row.iter().copied(), &mut values));
    }
    Weights::Dense { values, scales, biases: biases.to_vec() }
}

/// Quantises to 8 bits; returns the size of one step.
fn quantise(row: impl Iterator<Item = f32> + Clone, into: &mut Vec<i8>) -> f32 {
    let largest = row.clone().fold(0.0_f32, |largest, weight| largest.max(weight.abs()));
    let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
    into.extend(row.map(|weight| (weight / scale).round() as i8));
    scale
}

/// The unit-length mean row of each label; features that many labels share weigh less.
fn centroids(rows: &[Row], labels: &[u16], weights: &[f32], count: usize, features: usize) -> Weights {
    let mut entries: Vec<(u32, u16, f32)> = Vec::new();
    for ((row, label), weight) in rows.iter().zip(labels).zip(weights) {
        entries.extend(row.ids.iter().zip(&row.values).map(|(id, value)| (*id, *label, value * weight)));
    }
    entries.sort_unstable_by_key(|(id, label, _)| (*id, *label));
    let mut merged: Vec<(u32, u16, f32)> = Vec::new();
    for (id, label, value) in entries {
        match merged.last_mut() {
            Some(last) if (last.0, last.1) == (id, label) => last.2 += value,
            _ => merged.push((id, label, value)),
        }
    }
    // Features of more than half of the labels carry no information and would dominate the cost.
    let merged: Vec<(u32, u16, f32)> = merged
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|of_feature| of_feature.len() * 2 <= count)
        .flat_map(|of_feature| {
            let spread = (count as f32 / of_feature.len() as f32).ln();
            of_feature.iter().map(move |(id, label, value)| (*id, *label, value * spread))
        })
        .collect();
    let mut squares = vec![0.0_f32; count];
    merged.iter().for_each(|(_, label, value)| squares[usize::from(*label)] += value * value);
    let mut starts = vec![0_u32; features + 1];
    let (mut of, mut values, mut scales) = (Vec::new(), Vec::new(), vec![1.0; features]);
    for of_feature in merged.chunk_by(|a, b| a.0 == b.0) {
        let id = of_feature[0].0 as usize;
        starts[id + 1] = of_feature.len() as u32;
        of.extend(of_feature.iter().map(|entry| entry.1));
        let unit = |entry: &(u32, u16, f32)| entry.2 / squares[usize::from(entry.1)].sqrt().max(1e-9);
        scales[id] = quantise(of_feature.iter().map(unit), &mut values);
    }
    for id in 0..features {
        starts[id + 1] += starts[id];
    }
    Weights::Sparse { starts, labels: of, values, scales }
}
