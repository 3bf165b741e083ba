//! Fits weights: the likelihood of the right labels goes up example by example, with steps that AdaGrad sizes for
//! each weight. The weights of the second half of the way are averaged.

use super::features::{DENSE, Features};
use super::lattice::{Labels, Sums};
use super::weights::{Weights, place, scores};

/// Size of a first step.
const RATE: f32 = 0.05;
/// Pull towards zero at each step.
const DECAY: f32 = 0.0005;
/// Smaller errors are not corrected.
const NEGLIGIBLE: f32 = 1e-4;
/// Initial sum of squares.
const INITIAL: f32 = 1e-6;

/// Weights with the sums of their squared slopes.
struct Table {
    values: Vec<f32>,
    squares: Vec<f32>,
    sums: Vec<f32>,
}

impl Table {
    fn new(values: Vec<f32>, squares: f32) -> Self {
        Self { squares: vec![squares; values.len()], sums: vec![0.0; values.len()], values }
    }

    fn step(&mut self, at: usize, slope: f32) {
        step(&mut self.values[at], &mut self.squares[at], slope);
    }

    fn add(&mut self) {
        self.sums.iter_mut().zip(&self.values).for_each(|(sum, value)| *sum += value);
    }

    fn mean(self, count: usize) -> Vec<f32> {
        if count == 0 {
            return self.values;
        }
        self.sums.into_iter().map(|sum| sum / count as f32).collect()
    }
}

fn step(value: &mut f32, squares: &mut f32, slope: f32) {
    let slope = slope + DECAY * *value;
    *squares += slope * slope;
    *value -= RATE * slope / squares.sqrt();
}

/// A fit in progress.
pub(super) struct Learner {
    bits: u32,
    sparse: Table,
    dense: Table,
    averaged: usize,
}

impl Learner {
    /// Begins with zeros, in a table of `2^bits` sparse weights.
    pub(super) fn new(bits: u32, dense_rows: usize) -> Self {
        Self {
            bits,
            sparse: Table::new(vec![0.0; 1 << bits], INITIAL),
            dense: Table::new(vec![0.0; dense_rows * DENSE], INITIAL),
            averaged: 0,
        }
    }

    /// Begins with fitted weights; steps are as small as at the end of a fit.
    pub(super) fn resume(weights: &Weights) -> Self {
        let (bits, sparse, dense) = weights.unpacked();
        Self { bits, sparse: Table::new(sparse, 1.0), dense: Table::new(dense, 1.0), averaged: 0 }
    }

    /// One step towards the right labels of an utterance.
    pub(super) fn learn(&mut self, labels: Labels<'_>, features: &Features, right: &[usize]) {
        let found = scores(labels, features, self.bits, |at| self.sparse.values[at], &self.dense.values);
        let sums = found.sums();
        let mut errors = vec![0.0_f32; labels.parts()];
        for (token, right) in right.iter().enumerate() {
            errors.fill(0.0);
            for label in 0..labels.len() {
                let error = sums.of(token, label) - f32::from(u8::from(label == *right));
                labels.of(label).into_iter().flatten().for_each(|part| errors[part] += error);
            }
            for (part, error) in errors.iter().enumerate().filter(|(_, error)| error.abs() > NEGLIGIBLE) {
                let key = labels.key(part);
                for (feature, value) in features.sparse(token) {
                    self.sparse.step(place(*feature, key, self.bits), error * value);
                }
                if let Some(row) = labels.dense_row(part) {
                    let row = row * DENSE..(row + 1) * DENSE;
                    let all = self.dense.values[row.clone()].iter_mut().zip(&mut self.dense.squares[row]);
                    for ((value, squares), input) in all.zip(features.dense(token)) {
                        step(value, squares, error * input);
                    }
                }
            }
        }
        self.learn_transitions(labels, &sums, right);
    }

    fn learn_transitions(&mut self, labels: Labels<'_>, sums: &Sums, right: &[usize]) {
        let Some(first) = right.first() else { return };
        let count = labels.len();
        let mut errors = vec![0.0_f32; count * (count + 1)];
        for label in 0..count {
            errors[count * count + label] = sums.of(0, label) - f32::from(u8::from(label == *first));
        }
        for (token, pair) in right.windows(2).enumerate() {
            for before in 0..count {
                for label in 0..count {
                    errors[before * count + label] += sums.of_pair(token, before, label);
                }
            }
            errors[pair[0] * count + pair[1]] -= 1.0;
        }
        for (at, error) in errors.iter().enumerate().filter(|(_, error)| error.abs() > NEGLIGIBLE) {
            let before = Some(at / count).filter(|before| *before < count);
            for (one, other) in labels.transition(before, at % count) {
                self.sparse.step(place(one, other, self.bits), *error);
            }
        }
    }

    /// Includes the current weights in the average.
    pub(super) fn average(&mut self) {
        self.sparse.add();
        self.dense.add();
        self.averaged += 1;
    }

    /// The fitted weights.
    pub(super) fn finish(self) -> Weights {
        Weights::pack(self.bits, &self.sparse.mean(self.averaged), &self.dense.mean(self.averaged))
    }
}
