//! Transcendental functions as polynomials: a system's math library differs between machines and cannot be vectorised.

use crate::vector::{dot, total};

const LANES: usize = 8;

/// e^x with a relative error of about 1e-7; saturates at both ends.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0;
    let x = x.clamp(-87.0, 88.0);
    // Adding and subtracting 1.5 × 2^23 rounds to a whole number.
    let n = (x * std::f32::consts::LOG2_E + ROUND) - ROUND;
    // ln 2 in two parts: the first has few bits, so that its product with n is exact.
    let r = (x - n * 0.693_359_4) - n * -2.121_944_4e-4;
    let p = 1.987_569_2e-4;
    let p = p * r + 1.398_2e-3;
    let p = p * r + 8.333_452e-3;
    let p = p * r + 4.166_579_6e-2;
    let p = p * r + 0.166_666_65;
    let p = p * r + 0.5;
    let power = f32::from_bits(((n as i32 + 127) << 23).cast_unsigned());
    (p * (r * r) + r + 1.0) * power
}

/// GELU, with `erf` after Abramowitz and Stegun 7.1.26.
#[inline(always)]
pub(super) fn gelu(x: f32) -> f32 {
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let p = 1.061_405_4;
    let p = p * t - 1.453_152;
    let p = p * t + 1.421_413_7;
    let p = p * t - 0.284_496_74;
    let p = p * t + 0.254_829_6;
    let erf = (1.0 - p * t * exp(-z * z)).copysign(x);
    0.5 * x * (1.0 + erf)
}

#[inline(always)]
pub(super) fn softmax(values: &mut [f32]) {
    let most = values.iter().copied().fold(f32::MIN, f32::max);
    let mut sum = 0.0;
    for value in values.iter_mut() {
        *value = exp(*value - most);
        sum += *value;
    }
    for value in values {
        *value /= sum;
    }
}

/// Layer normalisation.
#[inline(always)]
pub(super) fn layer_norm(row: &mut [f32], scale: &[f32], shift: &[f32], epsilon: f32) {
    let mut sums = [0.0; LANES];
    let (chunks, rest) = row.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            sums[lane] += chunk[lane];
        }
    }
    let length = row.len() as f32;
    let mean = (total(sums) + rest.iter().sum::<f32>()) / length;
    for value in row.iter_mut() {
        *value -= mean;
    }
    let factor = 1.0 / (dot(row, row) / length + epsilon).sqrt();
    for ((value, scale), shift) in row.iter_mut().zip(scale).zip(shift) {
        *value = *value * factor * scale + shift;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_functions_are_near_the_true_ones() {
        for n in -800..=800 {
            let x = n as f32 / 10.0;
            assert!((exp(x) / x.exp() - 1.0).abs() < 3e-7, "{x}: {}", exp(x));
        }
        for (x, y) in [(0.0, 0.0), (1.0, 0.841_344_7), (-1.0, -0.158_655_25), (3.0, 2.995_95), (-6.0, 0.0), (9.0, 9.0)]
        {
            assert!((gelu(x) - y).abs() < 1e-6, "{x}: {}", gelu(x));
        }
        let mut values = [0.0, 1.0, 2.0];
        softmax(&mut values);
        assert!((values[2] - 0.665_240_94).abs() < 1e-6 && (values.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        let mut row: Vec<f32> = (0..19).map(|n| n as f32).collect();
        layer_norm(&mut row, &[1.0; 19], &[0.0; 19], 1e-12);
        assert!((row[0] + row[18]).abs() < 1e-6 && (row[18] - 9.0 / 30.0_f32.sqrt()).abs() < 1e-6);
    }
}
