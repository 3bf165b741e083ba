//! Vectors of whole numbers: a product of two is exact, the same on every machine, and several times as fast as with
//! floats.

/// The largest value: with it, a product of vectors of 4,096 numbers fits 32 bits with room to spare.
const LARGEST: f32 = 511.0;

/// A vector in steps of `scale`.
#[derive(Clone, Debug)]
pub(crate) struct Fixed {
    pub(crate) values: Vec<i16>,
    pub(crate) scale: f32,
}

impl Fixed {
    pub(crate) fn of(vector: &[f32]) -> Self {
        let mut values = Vec::with_capacity(vector.len());
        let scale = push(vector, &mut values);
        Self { values, scale }
    }
}

/// Appends a vector; what one step is worth.
pub(crate) fn push(vector: &[f32], into: &mut Vec<i16>) -> f32 {
    let largest = vector.iter().fold(1e-9_f32, |largest, value| largest.max(value.abs()));
    into.extend(vector.iter().map(|value| (value / largest * LARGEST).round() as i16));
    largest / LARGEST
}

/// The product of two vectors, in steps.
pub(crate) fn dot(a: &[i16], b: &[i16]) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

/// The product of a coarse vector and a fine one, in steps.
pub(crate) fn dot_coarse(a: &[i8], b: &[i16]) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(i16::from(*a)) * i32::from(*b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_floats_but_for_rounding() {
        let a: Vec<f32> = (0..256).map(|n| (n as f32 * 0.37).sin() / 11.0).collect();
        let b: Vec<f32> = (0..256).map(|n| (n as f32 * 0.11).cos() / 11.0).collect();
        let exact: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        let (fa, fb) = (Fixed::of(&a), Fixed::of(&b));
        let found = dot(&fa.values, &fb.values) as f32 * fa.scale * fb.scale;
        assert!((exact - found).abs() < 2e-3, "{exact} {found}");
    }
}
