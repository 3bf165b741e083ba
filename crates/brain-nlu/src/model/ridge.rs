//! Ridge regression in closed form, for vocabularies with so many labels that logistic regression would take minutes.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2};

/// Ridge penalty, as a share of the mean variance.
const PENALTY: f32 = 0.05;

/// `count × dim` weights, then `count` biases (all 0).
pub(super) fn fit(inputs: &[f32], dim: usize, labels: &[u16], weights: &[f32], count: usize) -> Vec<f32> {
    let rows = labels.len();
    let mut scaled = inputs.to_vec();
    for (row, weight) in scaled.chunks_exact_mut(dim).zip(weights) {
        row.iter_mut().for_each(|value| *value *= weight);
    }
    let inputs = ArrayView2::from_shape((rows, dim), inputs).expect("a row of inputs for each label");
    let scaled = ArrayView2::from_shape((rows, dim), &scaled).expect("as many again");
    let mut square = Array2::<f32>::zeros((dim, dim));
    general_mat_mul(1.0, &inputs.t(), &scaled, 0.0, &mut square);
    let penalty = PENALTY * square.diag().sum() / dim as f32 + 1e-6;
    square.diag_mut().iter_mut().for_each(|value| *value += penalty);
    // The mean of each label's phrases, so that labels with few phrases weigh the same.
    let mut sums = vec![0.0_f32; count * dim];
    let mut totals = vec![0.0_f32; count];
    for ((row, label), weight) in inputs.outer_iter().zip(labels).zip(weights) {
        let label = usize::from(*label);
        totals[label] += weight;
        let sum = &mut sums[label * dim..(label + 1) * dim];
        sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += weight * value);
    }
    let typical = totals.iter().sum::<f32>() / count.max(1) as f32;
    for (sum, total) in sums.chunks_exact_mut(dim).zip(&totals) {
        let scale = typical / total.max(1e-6);
        sum.iter_mut().for_each(|value| *value *= scale);
    }
    let lower = cholesky(square.as_slice().expect("a new array is contiguous"), dim);
    for sum in sums.chunks_exact_mut(dim) {
        solve(&lower, dim, sum);
    }
    sums.extend(std::iter::repeat_n(0.0, count));
    sums
}

/// Cholesky factor: the lower triangular matrix whose square is `square`.
fn cholesky(square: &[f32], dim: usize) -> Vec<f64> {
    let mut lower = vec![0.0_f64; dim * dim];
    for i in 0..dim {
        for j in 0..=i {
            let seen: f64 = (0..j).map(|k| lower[i * dim + k] * lower[j * dim + k]).sum();
            let left = f64::from(square[i * dim + j]) - seen;
            lower[i * dim + j] = if i == j { left.max(1e-12).sqrt() } else { left / lower[j * dim + j] };
        }
    }
    lower
}

fn solve(lower: &[f64], dim: usize, right: &mut [f32]) {
    let mut found = vec![0.0_f64; dim];
    for i in 0..dim {
        let seen: f64 = (0..i).map(|k| lower[i * dim + k] * found[k]).sum();
        found[i] = (f64::from(right[i]) - seen) / lower[i * dim + i];
    }
    for i in (0..dim).rev() {
        let seen: f64 = (i + 1..dim).map(|k| lower[k * dim + i] * found[k]).sum();
        found[i] = (found[i] - seen) / lower[i * dim + i];
    }
    right.iter_mut().zip(found).for_each(|(right, found)| *right = found as f32);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_equations_are_solved() {
        let square = [4.0, 2.0, 2.0, 3.0];
        let mut right = [10.0, 9.0];
        solve(&cholesky(&square, 2), 2, &mut right);
        assert!((right[0] - 1.5).abs() < 1e-5 && (right[1] - 2.0).abs() < 1e-5, "{right:?}");
    }

    #[test]
    fn each_label_scores_highest_on_its_own_rows() {
        let inputs = [1.0, 0.0, 0.0, 1.0, -0.7, -0.7];
        let found = fit(&inputs, 2, &[0, 1, 2], &[1.0; 3], 3);
        for (number, row) in inputs.chunks(2).enumerate() {
            let score = |label: usize| found[label * 2] * row[0] + found[label * 2 + 1] * row[1];
            assert!((0..3).all(|other| score(other) <= score(number)));
        }
    }
}
