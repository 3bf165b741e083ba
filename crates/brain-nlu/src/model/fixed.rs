//! Fixed-point vectors: dot products are exact, equal on every machine, and several times faster than with floats.

/// Largest component: the dot product of two vectors of 4,096 components still fits 32 bits.
const LARGEST: f32 = 511.0;
/// Largest component of a vector in 8 bits.
const COARSE: f32 = 127.0;

/// A vector in multiples of `scale`.
#[derive(Clone, Debug)]
pub(crate) struct Fixed {
    pub(crate) values: Vec<i16>,
    pub(crate) scale: f32,
}

impl Fixed {
    pub(crate) fn of(vector: &[f32]) -> Self {
        let (largest, scale) = step(vector, LARGEST);
        Self { values: vector.iter().map(|value| (value / largest * LARGEST).round() as i16).collect(), scale }
    }
}

/// The largest component of a vector, and the size of one of `steps` steps up to it.
fn step(vector: &[f32], steps: f32) -> (f32, f32) {
    let largest = vector.iter().fold(1e-9_f32, |largest, value| largest.max(value.abs()));
    (largest, largest / steps)
}

/// Appends a vector in 8 bits; returns the size of one step.
pub(crate) fn push_coarse(vector: &[f32], into: &mut Vec<i8>) -> f32 {
    let (largest, scale) = step(vector, COARSE);
    into.extend(vector.iter().map(|value| (value / largest * COARSE).round() as i8));
    scale
}

#[cfg(test)]
mod tests {
    use brain_embed::products;

    use super::*;

    #[test]
    fn fixed_point_products_equal_those_of_floats_up_to_rounding() {
        let a: Vec<f32> = (0..256).map(|n| (n as f32 * 0.37).sin() / 11.0).collect();
        let b: Vec<f32> = (0..256).map(|n| (n as f32 * 0.11).cos() / 11.0).collect();
        let exact: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        let mut coarse = Vec::new();
        let (scale, fine) = (push_coarse(&a, &mut coarse), Fixed::of(&b));
        let mut found = 0.0;
        products(&coarse, &fine.values, |_, sum| found = sum as f32 * scale * fine.scale);
        assert!((exact - found).abs() < 5e-3, "{exact} {found}");
    }
}
