//! Principal component analysis.

/// Off-diagonal share at which the iteration stops.
const SMALL: f64 = 1e-22;
const MAX_SWEEPS: usize = 30;

/// The first `count` principal components, orthogonal, in order of variance.
pub(super) fn main_directions(vectors: &[Vec<f32>], count: usize) -> Vec<Vec<f32>> {
    let size = vectors.first().map_or(0, Vec::len);
    let mut mean = vec![0.0; size];
    for vector in vectors {
        mean.iter_mut().zip(vector).for_each(|(sum, value)| *sum += f64::from(*value));
    }
    mean.iter_mut().for_each(|sum| *sum /= vectors.len() as f64);
    let mut covariance = vec![vec![0.0; size]; size];
    for vector in vectors {
        let centred: Vec<f64> = vector.iter().zip(&mean).map(|(value, mean)| f64::from(*value) - mean).collect();
        for (row, factor) in covariance.iter_mut().zip(&centred) {
            row.iter_mut().zip(&centred).for_each(|(sum, value)| *sum += factor * value);
        }
    }
    let mut directions = eigenvectors(covariance);
    directions.truncate(count);
    directions.into_iter().map(|direction| direction.into_iter().map(|value| value as f32).collect()).collect()
}

/// Eigenvectors of a symmetric matrix by the Jacobi method, in order of eigenvalue. The sign is fixed by making each
/// vector's largest component positive.
fn eigenvectors(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    let mut vectors: Vec<Vec<f64>> =
        (0..size).map(|n| (0..size).map(|m| if m == n { 1.0 } else { 0.0 }).collect()).collect();
    let whole: f64 = matrix.iter().flatten().map(|value| value * value).sum();
    for _ in 0..MAX_SWEEPS {
        let beside: f64 = (0..size).flat_map(|p| matrix[p][p + 1..].iter()).map(|value| value * value).sum();
        if beside <= SMALL * whole {
            break;
        }
        for p in 0..size {
            for q in p + 1..size {
                turn(&mut matrix, &mut vectors, p, q);
            }
        }
    }
    let mut order: Vec<usize> = (0..size).collect();
    order.sort_by(|a, b| matrix[*b][*b].total_cmp(&matrix[*a][*a]));
    let upright = |mut vector: Vec<f64>| {
        let largest = vector.iter().copied().fold(0.0, |a: f64, b: f64| if b.abs() > a.abs() { b } else { a });
        if largest < 0.0 {
            vector.iter_mut().for_each(|value| *value = -*value);
        }
        vector
    };
    order.into_iter().map(|n| upright(std::mem::take(&mut vectors[n]))).collect()
}

/// Rotates axes p and q so that their off-diagonal element becomes zero.
fn turn(matrix: &mut [Vec<f64>], vectors: &mut [Vec<f64>], p: usize, q: usize) {
    let off = matrix[p][q];
    if off == 0.0 {
        return;
    }
    let theta = (matrix[q][q] - matrix[p][p]) / (2.0 * off);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    let (row_p, row_q) = both(matrix, p, q);
    rotate(row_p, row_q, c, s);
    for row in matrix.iter_mut() {
        let (at_p, at_q) = (row[p], row[q]);
        row[p] = c * at_p - s * at_q;
        row[q] = s * at_p + c * at_q;
    }
    let (row_p, row_q) = both(vectors, p, q);
    rotate(row_p, row_q, c, s);
}

fn rotate(a: &mut [f64], b: &mut [f64], c: f64, s: f64) {
    for (a, b) in a.iter_mut().zip(b) {
        (*a, *b) = (c * *a - s * *b, s * *a + c * *b);
    }
}

/// Two rows, p before q.
fn both(rows: &mut [Vec<f64>], p: usize, q: usize) -> (&mut [f64], &mut [f64]) {
    let (before, after) = rows.split_at_mut(q);
    (&mut before[p], &mut after[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_directions_of_a_cloud_are_found() {
        // Far along (1, 1, 0), less along (0, 0, 1), nothing else.
        let cloud: Vec<Vec<f32>> =
            [(3.0, 0.0), (-3.0, 0.0), (0.0, 1.0), (0.0, -1.0)].map(|(a, b)| vec![a + 5.0, a, b]).into();
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let expected = [[half, half, 0.0], [0.0, 0.0, 1.0]];
        let found = main_directions(&cloud, 2);
        let near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-6;
        assert!(found.concat().iter().zip(expected.as_flattened()).all(near), "{found:?}");
    }
}
