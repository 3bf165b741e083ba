//! The semantic head: multinomial logistic regression over embeddings, fitted to convergence with L-BFGS.

use ndarray::linalg::general_mat_mul;
use ndarray::{ArrayView2, ArrayViewMut2};

/// Maximum number of steps.
const MAX_STEPS: usize = 120;
/// Number of past steps that approximate the curvature.
const MEMORY: usize = 8;
/// Gradient norm, relative to the initial one, at which the fit has converged.
const CONVERGED: f64 = 2e-4;

/// Training data.
pub(super) struct Problem<'a> {
    /// `rows × dim`.
    pub(super) inputs: &'a [f32],
    pub(super) dim: usize,
    pub(super) labels: &'a [u16],
    /// Weight of each row.
    pub(super) weights: &'a [f32],
    pub(super) count: usize,
    /// Regularisation constant.
    pub(super) cost: f32,
}

/// `count × dim` weights, then `count` biases.
pub(super) fn fit(problem: &Problem<'_>) -> Vec<f32> {
    let mut at = vec![0.0_f32; problem.count * (problem.dim + 1)];
    let mut scratch = vec![0.0_f32; problem.labels.len() * problem.count];
    let mut gradient = vec![0.0_f32; at.len()];
    let mut value = look(problem, &at, &mut scratch, &mut gradient);
    let enough = CONVERGED * norm(&gradient).max(1e-12);
    let mut past: Vec<(Vec<f32>, Vec<f32>, f64)> = Vec::new();
    for step in 0..MAX_STEPS {
        let mut direction = descend(&gradient, &past);
        let mut slope = dot(&direction, &gradient);
        if slope >= 0.0 {
            past.clear();
            direction = gradient.iter().map(|g| -g).collect();
            slope = -dot(&gradient, &gradient);
        }
        let mut length = if step == 0 { 1.0 / norm(&gradient).max(1.0) } else { 1.0 };
        let mut next_gradient = vec![0.0_f32; at.len()];
        let mut taken = None;
        for _ in 0..20 {
            let next: Vec<f32> = at.iter().zip(&direction).map(|(at, d)| at + length as f32 * d).collect();
            let next_value = look(problem, &next, &mut scratch, &mut next_gradient);
            if next_value <= value + 1e-4 * length * slope {
                taken = Some((next, next_value));
                break;
            }
            length *= 0.5;
        }
        let Some((next, next_value)) = taken else { break };
        let moved: Vec<f32> = next.iter().zip(&at).map(|(a, b)| a - b).collect();
        let turned: Vec<f32> = next_gradient.iter().zip(&gradient).map(|(a, b)| a - b).collect();
        let curvature = dot(&moved, &turned);
        if curvature > 1e-10 {
            if past.len() == MEMORY {
                past.remove(0);
            }
            past.push((moved, turned, 1.0 / curvature));
        }
        (at, value, gradient) = (next, next_value, next_gradient);
        if norm(&gradient) < enough {
            break;
        }
    }
    at
}

/// Loss and gradient at a point.
fn look(problem: &Problem<'_>, at: &[f32], scores: &mut [f32], gradient: &mut [f32]) -> f64 {
    let (rows, dim, count) = (problem.labels.len(), problem.dim, problem.count);
    let (weights, biases) = at.split_at(count * dim);
    for row in scores.chunks_exact_mut(count) {
        row.copy_from_slice(biases);
    }
    let inputs = ArrayView2::from_shape((rows, dim), problem.inputs).expect("a row of inputs for each label");
    let seen = ArrayView2::from_shape((count, dim), weights).expect("weights for each label");
    let mut table = ArrayViewMut2::from_shape((rows, count), &mut *scores).expect("a score for each row and label");
    general_mat_mul(1.0, &inputs, &seen.t(), 1.0, &mut table);
    let mut loss = 0.0_f64;
    for ((row, label), weight) in scores.chunks_exact_mut(count).zip(problem.labels).zip(problem.weights) {
        let label = usize::from(*label);
        let top = row.iter().copied().fold(f32::MIN, f32::max);
        let own = row[label] - top;
        let mut sum = 0.0_f32;
        for score in row.iter_mut() {
            *score = (*score - top).exp();
            sum += *score;
        }
        let cost = problem.cost * weight;
        loss += f64::from(cost) * f64::from(sum.ln() - own);
        for score in row.iter_mut() {
            *score *= cost / sum;
        }
        row[label] -= cost;
    }
    let (of_weights, of_biases) = gradient.split_at_mut(count * dim);
    of_weights.copy_from_slice(weights);
    let errors = ArrayView2::from_shape((rows, count), &*scores).expect("an error for each row and label");
    let mut table = ArrayViewMut2::from_shape((count, dim), of_weights).expect("a slope for each weight");
    general_mat_mul(1.0, &errors.t(), &inputs, 1.0, &mut table);
    of_biases.fill(0.0);
    for row in scores.chunks_exact(count) {
        of_biases.iter_mut().zip(row).for_each(|(bias, error)| *bias += error);
    }
    loss + 0.5 * dot(weights, weights)
}

/// Two-loop recursion: the direction that past steps suggest.
fn descend(gradient: &[f32], past: &[(Vec<f32>, Vec<f32>, f64)]) -> Vec<f32> {
    let mut direction: Vec<f32> = gradient.iter().map(|g| -g).collect();
    let mut shares = Vec::with_capacity(past.len());
    for (moved, turned, inverse) in past.iter().rev() {
        let share = inverse * dot(moved, &direction);
        add(&mut direction, -share, turned);
        shares.push(share);
    }
    if let Some((_, turned, inverse)) = past.last() {
        let scale = (1.0 / (inverse * dot(turned, turned))) as f32;
        direction.iter_mut().for_each(|d| *d *= scale);
    }
    for ((moved, turned, inverse), share) in past.iter().zip(shares.into_iter().rev()) {
        let back = inverse * dot(turned, &direction);
        add(&mut direction, share - back, moved);
    }
    direction
}

fn add(to: &mut [f32], factor: f64, from: &[f32]) {
    let factor = factor as f32;
    to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    // Partial sums in single precision: accurate enough, and fast.
    a.chunks(256).zip(b.chunks(256)).map(|(a, b)| f64::from(a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>())).sum()
}

fn norm(a: &[f32]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gradient_is_zero_after_convergence() {
        let inputs = [1.0, 0.0, 0.0, 1.0, 0.9, 0.1, -1.0, 0.2];
        let labels = [0, 1, 0, 2];
        let problem = Problem { inputs: &inputs, dim: 2, labels: &labels, weights: &[1.0; 4], count: 3, cost: 10.0 };
        let found = fit(&problem);
        let mut scores = vec![0.0; 12];
        let mut gradient = vec![0.0; found.len()];
        look(&problem, &found, &mut scores, &mut gradient);
        assert!(norm(&gradient) < 0.05, "{gradient:?}");
        for (row, label) in inputs.chunks(2).zip(labels) {
            let score = |l: usize| found[l * 2] * row[0] + found[l * 2 + 1] * row[1] + found[6 + l];
            assert!((0..3).all(|other| score(other) <= score(usize::from(label))));
        }
    }
}
