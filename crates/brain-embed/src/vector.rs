//! Sums over vectors in a fixed order: eight partial sums, on every processor.

const LANES: usize = 8;

/// The dot product.
#[inline(always)]
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; LANES];
    let (a, a_rest) = a.as_chunks::<LANES>();
    let (b, b_rest) = b.as_chunks::<LANES>();
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    total(sums) + rest
}

/// The sum of eight partial sums.
#[inline(always)]
pub(crate) fn total(s: [f32; LANES]) -> f32 {
    ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

/// Scales a vector to length 1. A zero vector is left alone.
pub(crate) fn to_unit(vector: &mut [f32]) {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 {
        for value in vector {
            *value /= length;
        }
    }
}
