//! Calibration: two small logistic regressions over a few signals, fitted to held-out phrases. One predicts whether
//! the best label is right, the other whether the text is in scope.

use serde::{Deserialize, Serialize};

use super::Raw;
use super::fold::{Held, HeldOut};
use super::fuse::{Fusion, Ranked};

/// With fewer rows, the outputs are not called probabilities.
const ENOUGH_ROWS: usize = 200;
const SIGNALS: usize = 6;

/// The inputs of calibration for one text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signals([f32; SIGNALS]);

impl Signals {
    pub(super) fn of(raw: &Raw, ranked: &Ranked) -> Self {
        let best = &ranked.best;
        let score =
            |place: usize| best.get(place).map_or(1e-4, |(label, _)| ranked.scores[usize::from(*label)].max(1e-4));
        let of_first = |scores: &[f32]| best.first().map_or(0.0, |(label, _)| scores[usize::from(*label)]);
        let first = score(0).min(0.9999);
        Self([
            (first / (1.0 - first)).ln(),
            (first / score(1)).ln().min(9.0),
            of_first(&raw.lexical),
            of_first(&raw.semantic),
            ranked.alike(),
            raw.known,
        ])
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Calibration {
    right: Logistic,
    there: Logistic,
    /// Number of held-out rows it was fitted to.
    rows: usize,
}

impl Calibration {
    pub(super) fn fit(fusion: &Fusion, held: &HeldOut) -> Self {
        let read = |held: &Held| {
            let out = |label: u16| !held.knew[usize::from(label)];
            let ranked = fusion.ranked(&held.raw, &held.nearest, &held.vector, out);
            let right = ranked.best.first().is_some_and(|(label, _)| *label == held.label);
            (Signals::of(&held.raw, &ranked), right)
        };
        let inside: Vec<(Signals, bool)> = held.inside.iter().map(read).collect();
        let outside: Vec<Signals> = held.outside.iter().map(|held| read(held).0).collect();
        // Two signals are enough; few rows cannot support more.
        let right = Logistic::fit(&inside, 2);
        let both = inside.iter().map(|(signals, _)| (*signals, true)).chain(outside.iter().map(|s| (*s, false)));
        let both: Vec<(Signals, bool)> = both.collect();
        Self { right, there: Logistic::fit(&both, SIGNALS), rows: inside.len() }
    }

    /// Whether there were enough rows for probabilities.
    pub(super) fn is_trusted(&self) -> bool {
        self.rows >= ENOUGH_ROWS
    }

    pub(super) fn confidence(&self, signals: &Signals) -> f32 {
        self.right.probability(signals)
    }

    pub(super) fn scope(&self, signals: &Signals) -> f32 {
        self.there.probability(signals)
    }
}

/// Logistic regression over standardised signals.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Logistic {
    means: Vec<f32>,
    scales: Vec<f32>,
    weights: Vec<f32>,
    bias: f32,
}

impl Logistic {
    /// Fits the first `used` signals with non-negative weights. The signals are strongly correlated; weights that
    /// cancel each other would not generalise.
    fn fit(rows: &[(Signals, bool)], used: usize) -> Self {
        let count = rows.len().max(1) as f32;
        let mean = |at: usize| rows.iter().map(|(signals, _)| signals.0[at]).sum::<f32>() / count;
        let means: Vec<f32> = (0..used).map(mean).collect();
        let scales: Vec<f32> = (0..used)
            .map(|at| (rows.iter().map(|(s, _)| (s.0[at] - means[at]).powi(2)).sum::<f32>() / count).sqrt().max(1e-3))
            .collect();
        let mut found = Self { means, scales, weights: vec![0.0; used], bias: 0.0 };
        if rows.len() < 20 {
            // With one class only, fall back to the first signal.
            found.weights[0] = found.scales[0];
            found.bias = found.means[0];
            return found;
        }
        let mut takes_part: Vec<usize> = (0..used).collect();
        loop {
            found.newton(rows, &takes_part);
            let worst = takes_part.iter().copied().min_by(|a, b| found.weights[*a].total_cmp(&found.weights[*b]));
            match worst.filter(|at| found.weights[*at] < 0.0) {
                Some(worst) => takes_part.retain(|at| *at != worst),
                None => return found,
            }
        }
    }

    /// Newton's method; a weak prior keeps it finite when everything is separable.
    fn newton(&mut self, rows: &[(Signals, bool)], takes_part: &[usize]) {
        self.weights.fill(0.0);
        self.bias = 0.0;
        let size = takes_part.len() + 1;
        for _ in 0..25 {
            let mut slope = vec![0.0_f64; size];
            let mut curve = vec![0.0_f64; size * size];
            for (signals, right) in rows {
                let all = self.standard(signals);
                let x: Vec<f32> = takes_part.iter().map(|at| all[*at]).chain([1.0]).collect();
                let p = f64::from(self.probability(signals));
                let error = f64::from(u8::from(*right)) - p;
                for i in 0..size {
                    slope[i] += error * f64::from(x[i]);
                    for j in 0..size {
                        curve[i * size + j] += p * (1.0 - p) * f64::from(x[i] * x[j]);
                    }
                }
            }
            for (i, at) in takes_part.iter().enumerate() {
                slope[i] -= f64::from(self.weights[*at]);
                curve[i * size + i] += 1.0;
            }
            curve[size * size - 1] += 1e-6;
            let step = solve(curve, slope);
            for (i, at) in takes_part.iter().enumerate() {
                self.weights[*at] += step[i].clamp(-2.0, 2.0) as f32;
            }
            self.bias += step[size - 1].clamp(-2.0, 2.0) as f32;
            if step.iter().all(|step| step.abs() < 1e-5) {
                break;
            }
        }
    }

    fn standard(&self, signals: &Signals) -> Vec<f32> {
        let scaled = self.means.iter().zip(&self.scales).zip(signals.0);
        scaled.map(|((mean, scale), value)| (value - mean) / scale).collect()
    }

    fn probability(&self, signals: &Signals) -> f32 {
        let x = self.standard(signals);
        let sum: f32 = self.bias + x.iter().zip(&self.weights).map(|(x, weight)| x * weight).sum::<f32>();
        1.0 / (1.0 + (-sum).exp())
    }
}

/// Gauss with pivots; small and well-conditioned.
fn solve(mut square: Vec<f64>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for column in 0..size {
        let pivot =
            (column..size).max_by(|a, b| square[a * size + column].abs().total_cmp(&square[b * size + column].abs()));
        let pivot = pivot.unwrap_or(column);
        for k in 0..size {
            square.swap(column * size + k, pivot * size + k);
        }
        right.swap(column, pivot);
        let head = square[column * size + column];
        if head.abs() < 1e-12 {
            continue;
        }
        for row in 0..size {
            if row == column {
                continue;
            }
            let factor = square[row * size + column] / head;
            for k in column..size {
                square[row * size + k] -= factor * square[column * size + k];
            }
            right[row] -= factor * right[column];
        }
    }
    (0..size).map(|i| if square[i * size + i].abs() < 1e-12 { 0.0 } else { right[i] / square[i * size + i] }).collect()
}
