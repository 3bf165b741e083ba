//! `y = W x + b` for many rows x at once, with 32-bit or 8-bit weights. Nearly all time is spent here.
//!
//! With 8-bit weights, each output has one scale and each row x is rounded to 14 bits with a scale of its own, so that
//! all sums are exact integers, equal on every machine. Rounding x has no measurable effect.

use pulp::{Arch, Simd, WithSimd};

use crate::sums::{LANES, Plain, Sums};
use crate::vector::{dot, total};

/// Rows that share one pass over an output's weights.
const TILE: usize = 4;
/// Rows processed before the weights are read again, so that they stay in the cache.
const PANEL: usize = 32;
/// Adding and subtracting 1.5 × 2^23 rounds a float to a whole number.
const ROUND: f32 = 12_582_912.0;
/// Largest rounded input: pairwise sums of products do not overflow.
const MOST: i32 = 8191;

/// A linear layer.
pub(super) struct Linear {
    weights: Weights,
    bias: Vec<f32>,
    inputs: usize,
}

enum Weights {
    F32(Vec<f32>),
    Q8 { values: Vec<i8>, scales: Vec<f32> },
}

/// The precision of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 32-bit floats, as trained.
    F32,
    /// 8-bit weights: a quarter of the memory, more than twice as fast.
    Q8,
}

impl Linear {
    /// A layer from its weights, one row per output.
    pub(super) fn new(weights: Vec<f32>, bias: Vec<f32>, precision: Precision) -> Self {
        let inputs = weights.len() / bias.len();
        let weights = match precision {
            Precision::F32 => Weights::F32(weights),
            Precision::Q8 => {
                let (values, scales) = quantised(&weights, inputs);
                Weights::Q8 { values, scales }
            }
        };
        Self { weights, bias, inputs }
    }

    pub(super) fn outputs(&self) -> usize {
        self.bias.len()
    }

    /// Computes `rows` rows of `input` into `output`.
    pub(super) fn apply(&self, input: &[f32], output: &mut [f32]) {
        let outputs = self.outputs();
        for (input, output) in input.chunks(PANEL * self.inputs).zip(output.chunks_mut(PANEL * outputs)) {
            match &self.weights {
                Weights::F32(weights) => {
                    Arch::new().dispatch(FloatPanel { input, weights, inputs: self.inputs, bias: &self.bias, output });
                }
                Weights::Q8 { values, scales } => self.q8_panel(input, values, scales, output),
            }
        }
    }

    fn q8_panel(&self, input: &[f32], values: &[i8], scales: &[f32], output: &mut [f32]) {
        let mut rounded = vec![[0_i16; LANES]; input.len() / LANES];
        let mut steps = [0.0; PANEL];
        let rows = input.len() / self.inputs;
        let chunks = self.inputs / LANES;
        let most = MOST.min(i32::MAX / (127 * i32::try_from(self.inputs).unwrap_or(i32::MAX)));
        Arch::new().dispatch(RoundRows {
            input,
            inputs: self.inputs,
            most: most as f32,
            rounded: rounded.as_flattened_mut(),
            steps: &mut steps[..rows],
        });
        let (values, _) = values.as_chunks::<LANES>();
        let panel = Panel { input: &rounded, steps: &steps[..rows], weights: values, scales, bias: &self.bias, chunks };
        panel.run(output);
    }
}

/// Quantises rows of weights to 8 bits, each with its own scale.
pub(crate) fn quantised(weights: &[f32], row: usize) -> (Vec<i8>, Vec<f32>) {
    let mut values = Vec::with_capacity(weights.len());
    let scale = |row: &[f32]| {
        let most = row.iter().fold(0.0_f32, |most, value| most.max(value.abs()));
        let scale = most / 127.0;
        let inverse = if most > 0.0 { 127.0 / most } else { 0.0 };
        values.extend(row.iter().map(|value| ((value * inverse + ROUND) - ROUND) as i8));
        scale
    };
    let scales = weights.chunks(row).map(scale).collect();
    (values, scales)
}

/// Quantises rows of inputs, each with its own scale.
struct RoundRows<'a> {
    input: &'a [f32],
    inputs: usize,
    most: f32,
    rounded: &'a mut [i16],
    steps: &'a mut [f32],
}

impl WithSimd for RoundRows<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let rows = self.input.chunks(self.inputs).zip(self.rounded.chunks_mut(self.inputs));
        for ((row, rounded), step) in rows.zip(self.steps) {
            let largest = row.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
            let inverse = if largest > 0.0 { self.most / largest } else { 0.0 };
            for (rounded, value) in rounded.iter_mut().zip(row) {
                *rounded = ((value * inverse + ROUND) - ROUND) as i32 as i16;
            }
            *step = largest / self.most;
        }
    }
}

/// Some rows against all weights.
struct Panel<'a> {
    /// Quantised rows, `chunks` chunks each.
    input: &'a [[i16; LANES]],
    steps: &'a [f32],
    weights: &'a [[i8; LANES]],
    scales: &'a [f32],
    bias: &'a [f32],
    chunks: usize,
}

impl Panel<'_> {
    fn run(&self, output: &mut [f32]) {
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = pulp::x86::V3::try_new() {
            return Simd::vectorize(simd, OnV3 { panel: self, simd, output });
        }
        self.with(Plain, output);
    }

    #[inline(always)]
    fn with<S: Sums>(&self, sums: S, output: &mut [f32]) {
        let outputs = self.bias.len();
        for (pair, weights) in self.weights.chunks(2 * self.chunks).enumerate() {
            let mut row = 0;
            while row < self.steps.len() {
                let left = self.steps.len() - row;
                let inputs = &self.input[row * self.chunks..];
                let output = &mut output[row * outputs..];
                let mut put = |r: usize, o: usize, sum: i32| {
                    let o = 2 * pair + o;
                    output[r * outputs + o] = sum as f32 * (self.steps[row + r] * self.scales[o]) + self.bias[o];
                };
                match (left, weights.len() == 2 * self.chunks) {
                    (TILE.., true) => tile::<S, TILE, 2>(sums, inputs, weights, self.chunks, &mut put),
                    (3, true) => tile::<S, 3, 2>(sums, inputs, weights, self.chunks, &mut put),
                    (2, true) => tile::<S, 2, 2>(sums, inputs, weights, self.chunks, &mut put),
                    (_, true) => tile::<S, 1, 2>(sums, inputs, weights, self.chunks, &mut put),
                    // The last output, if their number is odd.
                    (_, false) => {
                        tile::<S, 1, 1>(sums, inputs, weights, self.chunks, &mut put);
                        row += 1;
                        continue;
                    }
                }
                row += TILE.min(left);
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
struct OnV3<'a> {
    panel: &'a Panel<'a>,
    simd: pulp::x86::V3,
    output: &'a mut [f32],
}

#[cfg(target_arch = "x86_64")]
impl WithSimd for OnV3<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.panel.with(self.simd, self.output);
    }
}

/// The sums of R rows for O outputs.
#[inline(always)]
fn tile<S: Sums, const R: usize, const O: usize>(
    sums: S,
    inputs: &[[i16; LANES]],
    weights: &[[i8; LANES]],
    chunks: usize,
    put: &mut impl FnMut(usize, usize, i32),
) {
    let rows: [&[[i16; LANES]]; R] = std::array::from_fn(|r| &inputs[r * chunks..][..chunks]);
    let weights: [&[[i8; LANES]]; O] = std::array::from_fn(|o| &weights[o * chunks..][..chunks]);
    let mut totals = [[sums.zero(); O]; R];
    for chunk in 0..chunks {
        let weights: [S::Wide; O] = std::array::from_fn(|o| sums.widen(weights[o][chunk]));
        for (row, totals) in rows.iter().zip(&mut totals) {
            let row = sums.load(row[chunk]);
            for (total, weights) in totals.iter_mut().zip(weights) {
                *total = sums.add_products(*total, row, weights);
            }
        }
    }
    for (r, totals) in totals.into_iter().enumerate() {
        for (o, total) in totals.into_iter().enumerate() {
            put(r, o, sums.total(total));
        }
    }
}

/// Rows against weights in floats: four rows and two outputs at a time, eight partial sums each.
struct FloatPanel<'a> {
    input: &'a [f32],
    weights: &'a [f32],
    inputs: usize,
    bias: &'a [f32],
    output: &'a mut [f32],
}

impl WithSimd for FloatPanel<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { input, weights, inputs, bias, output } = self;
        let outputs = bias.len();
        for (pair, weights) in weights.chunks(2 * inputs).enumerate() {
            let tiles = input.chunks(TILE * inputs).zip(output.chunks_mut(TILE * outputs));
            for (input, output) in tiles {
                let mut put =
                    |r: usize, o: usize, sum: f32| output[r * outputs + 2 * pair + o] = sum + bias[2 * pair + o];
                if input.len() == TILE * inputs && weights.len() == 2 * inputs {
                    float_tile(input, weights, inputs, &mut put);
                } else {
                    for (r, input) in input.chunks(inputs).enumerate() {
                        for (o, weights) in weights.chunks(inputs).enumerate() {
                            put(r, o, dot(input, weights));
                        }
                    }
                }
            }
        }
    }
}

/// The same sums as [`dot`], in the same order, for a tile.
#[inline(always)]
fn float_tile(input: &[f32], weights: &[f32], inputs: usize, put: &mut impl FnMut(usize, usize, f32)) {
    const LANES: usize = 8;
    let rows: [&[[f32; LANES]]; TILE] = std::array::from_fn(|r| input[r * inputs..][..inputs].as_chunks().0);
    let columns: [&[[f32; LANES]]; 2] = std::array::from_fn(|o| weights[o * inputs..][..inputs].as_chunks().0);
    let mut sums = [[[0.0; LANES]; 2]; TILE];
    for chunk in 0..inputs / LANES {
        for r in 0..TILE {
            for o in 0..2 {
                for lane in 0..LANES {
                    sums[r][o][lane] += rows[r][chunk][lane] * columns[o][chunk][lane];
                }
            }
        }
    }
    for (r, sums) in sums.into_iter().enumerate() {
        for (o, sums) in sums.into_iter().enumerate() {
            put(r, o, total(sums));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, seed: u32) -> Vec<f32> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 8_388_608.0 - 1.0
        };
        (0..count).map(|_| next()).collect()
    }

    /// Each number of rows takes a different path through the tiles, and so does an odd number of outputs.
    #[test]
    fn eight_bits_are_near_floats_for_every_number_of_rows_and_outputs() {
        for (rows, outputs, inputs) in [(1, 6, 32), (2, 7, 16), (3, 8, 48), (4, 2, 32), (7, 5, 64), (70, 9, 32)] {
            let (weights, bias) = (numbers(outputs * inputs, 1), numbers(outputs, 2));
            let input = numbers(rows * inputs, 3);
            let compute = |precision| {
                let mut output = vec![0.0; rows * outputs];
                Linear::new(weights.clone(), bias.clone(), precision).apply(&input, &mut output);
                output
            };
            let (exact, rounded) = (compute(Precision::F32), compute(Precision::Q8));
            for (n, value) in exact.iter().enumerate() {
                let (row, output) = (n / outputs, n % outputs);
                let sum: f32 = (0..inputs).map(|i| input[row * inputs + i] * weights[output * inputs + i]).sum();
                assert!((value - sum - bias[output]).abs() < 1e-4, "{rows} rows, {outputs} outputs");
                assert!((value - rounded[n]).abs() < 0.1, "{rows} rows, {outputs} outputs: {value} {}", rounded[n]);
            }
        }
    }

    #[test]
    fn every_processor_comes_to_the_same_sums() {
        let (rows, outputs, inputs) = (5, 7, 64);
        let whole = |count: usize, most: f32, seed| numbers(count, seed).into_iter().map(move |x| (x * most) as i16);
        let input: Vec<i16> = whole(rows * inputs, 8191.0, 1).collect();
        let weights: Vec<i8> = whole(outputs * inputs, 127.0, 2).map(|x| x as i8).collect();
        let panel = Panel {
            input: input.as_chunks().0,
            steps: &numbers(rows, 3),
            weights: weights.as_chunks().0,
            scales: &numbers(outputs, 4),
            bias: &numbers(outputs, 5),
            chunks: inputs / LANES,
        };
        let (mut here, mut plain) = (vec![0.0; rows * outputs], vec![0.0; rows * outputs]);
        panel.run(&mut here);
        panel.with(Plain, &mut plain);
        assert_eq!(here, plain);
    }
}
