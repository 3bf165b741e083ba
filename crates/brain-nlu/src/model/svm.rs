//! Linear one-vs-rest SVMs with squared hinge loss, fitted together by dual coordinate descent. Each row is processed
//! for all labels at once, so that the inner loops run over contiguous memory.

use super::features::Row;

/// Maximum number of passes over the rows.
const MAX_PASSES: usize = 40;
/// Largest step of a pass at which the fit has converged.
const CONVERGED: f32 = 0.02;

/// Training data.
pub(super) struct Problem<'a> {
    pub(super) rows: &'a [Row],
    pub(super) labels: &'a [u16],
    /// Weight of each row.
    pub(super) weights: &'a [f32],
    /// The number of labels.
    pub(super) count: usize,
    pub(super) features: usize,
    /// Regularisation constant.
    pub(super) cost: f32,
}

/// The weights: `count` for each feature, then `count` biases.
pub(super) fn fit(problem: &Problem<'_>) -> Vec<f32> {
    let count = problem.count;
    let mut weights = vec![0.0_f32; (problem.features + 1) * count];
    let mut alphas = vec![0.0_f32; problem.rows.len() * count];
    let mut order: Vec<u32> = (0..problem.rows.len() as u32).collect();
    let mut dice = Dice(1);
    let mut scores = vec![0.0_f32; count];
    let bias = problem.features * count;
    for _ in 0..MAX_PASSES {
        dice.shuffle(&mut order);
        let mut largest = 0.0_f32;
        for &number in &order {
            let number = number as usize;
            let row = &problem.rows[number];
            scores.copy_from_slice(&weights[bias..]);
            add_scores(row, &weights, count, &mut scores);
            let ridge = 0.5 / (problem.cost * problem.weights[number]);
            let curve = row.values.iter().map(|value| value * value).sum::<f32>() + 1.0 + ridge;
            let own = usize::from(problem.labels[number]);
            let alphas = &mut alphas[number * count..(number + 1) * count];
            for label in 0..count {
                let side = if label == own { 1.0 } else { -1.0 };
                let slope = side * scores[label] - 1.0 + ridge * alphas[label];
                if alphas[label] == 0.0 && slope >= 0.0 {
                    continue;
                }
                let moved = (alphas[label] - slope / curve).max(0.0) - alphas[label];
                if moved.abs() < 1e-7 {
                    continue;
                }
                largest = largest.max(slope.abs());
                alphas[label] += moved;
                let step = moved * side;
                for (id, value) in row.ids.iter().zip(&row.values) {
                    weights[*id as usize * count + label] += step * value;
                }
                weights[bias + label] += step;
            }
        }
        if largest < CONVERGED {
            break;
        }
    }
    weights
}

/// Adds a row's score for every label.
fn add_scores(row: &Row, weights: &[f32], count: usize, scores: &mut [f32]) {
    for (id, value) in row.ids.iter().zip(&row.values) {
        let of_feature = &weights[*id as usize * count..(*id as usize + 1) * count];
        for (score, weight) in scores.iter_mut().zip(of_feature) {
            *score += value * weight;
        }
    }
}

/// A pseudo-random generator with a fixed seed: every fit visits the rows in the same order.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            let other = (self.next() % (last as u64 + 1)) as usize;
            list.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separable_rows_are_separated() {
        let row = |id| Row { ids: vec![id, 3], values: vec![0.8, 0.6] };
        let rows = [row(0), row(1), row(2), row(0)];
        let labels = [0, 1, 2, 0];
        let problem = Problem { rows: &rows, labels: &labels, weights: &[1.0; 4], count: 3, features: 4, cost: 1.0 };
        let weights = fit(&problem);
        for (row, label) in rows.iter().zip(labels) {
            let mut scores = weights[12..].to_vec();
            add_scores(row, &weights, 3, &mut scores);
            let best = (0..3).max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap();
            assert_eq!(best, usize::from(label), "{scores:?}");
        }
    }
}
