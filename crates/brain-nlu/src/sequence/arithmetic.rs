//! Arithmetic that gives the same bits on every machine. The functions of a system's math library do not.

/// Bits of the mantissa of an `f32`.
const MANTISSA: u32 = 23;
/// The exponent of 1.0, as an `f32` stores it.
const BIAS: i32 = 127;
/// Larger and smaller arguments are clamped: the result stays finite and normal.
const LARGEST: f32 = 80.0;

/// The exponential function, within a few units of the last place.
pub(super) fn exp(x: f32) -> f32 {
    // Two parts of ln 2: the first has few bits, so that its product with a whole number is exact.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    const TERMS: [f32; 6] = [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0];
    let x = x.clamp(-LARGEST, LARGEST);
    let power = (x * std::f32::consts::LOG2_E).round();
    let rest = (x - power * LN_2[0]) - power * LN_2[1];
    let sum = TERMS.iter().fold(0.0_f32, |sum, term| sum * rest + term) * rest + 1.0;
    sum * f32::from_bits(((power as i32 + BIAS) << MANTISSA) as u32)
}

/// The dot product, summed in eight lanes: a fixed order that still vectorises.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (mut lanes, (a, a_rest), (b, b_rest)) = ([0.0_f32; 8], a.as_chunks::<8>(), b.as_chunks::<8>());
    for (a, b) in a.iter().zip(b) {
        for (lane, (a, b)) in lanes.iter_mut().zip(a.iter().zip(b)) {
            *lane += a * b;
        }
    }
    lanes.iter().sum::<f32>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f32>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_as_exact_as_a_number_of_32_bits() {
        for step in -7000..7000 {
            let x = step as f32 * 0.01;
            let exact = f64::from(x).exp();
            assert!(((f64::from(exp(x)) - exact) / exact).abs() < 3e-7, "{x}");
        }
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(-1e9) > 0.0 && exp(1e9).is_finite());
    }

    #[test]
    fn a_dot_product_includes_the_numbers_after_the_last_lane() {
        let a: Vec<f32> = (0..19).map(|n| n as f32).collect();
        assert_eq!(dot(&a, &a), 2109.0);
    }
}
