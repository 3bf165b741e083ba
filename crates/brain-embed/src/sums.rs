//! Dot products of integer vectors: exact, equal on every machine, with SIMD where available.

#[cfg(target_arch = "x86_64")]
use pulp::{Simd, WithSimd};

/// Components multiplied at once.
pub(crate) const LANES: usize = 16;
/// Rows processed together.
const AT_ONCE: usize = 4;

/// The dot product of each row with a vector; rows are as long as the vector. Sums must fit 32 bits: with components
/// below 512, rows of 30,000 components do.
pub fn products(rows: &[i8], vector: &[i16], put: impl FnMut(usize, i32)) {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = pulp::x86::V3::try_new() {
        return Simd::vectorize(simd, OnV3 { rows, vector, put, simd });
    }
    products_with(Plain, rows, vector, put);
}

#[cfg(target_arch = "x86_64")]
struct OnV3<'a, P> {
    rows: &'a [i8],
    vector: &'a [i16],
    put: P,
    simd: pulp::x86::V3,
}

#[cfg(target_arch = "x86_64")]
impl<P: FnMut(usize, i32)> WithSimd for OnV3<'_, P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        products_with(self.simd, self.rows, self.vector, self.put);
    }
}

#[inline(always)]
fn products_with<S: Sums>(sums: S, rows: &[i8], vector: &[i16], mut put: impl FnMut(usize, i32)) {
    let length = vector.len().max(1);
    let (whole, rest) = vector.as_chunks::<LANES>();
    let more = |row: &[i8]| -> i32 {
        let tail = &row[whole.len() * LANES..];
        tail.iter().zip(rest).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
    };
    let groups = rows.chunks_exact(length * AT_ONCE);
    let last = groups.remainder();
    let mut number = 0;
    // Each part of the vector is loaded once for several rows.
    for group in groups {
        let [mut a, mut b, mut c, mut d] = [sums.zero(); AT_ONCE];
        let chunks = |row: usize| group[row * length..(row + 1) * length].as_chunks::<LANES>().0.iter();
        let four = chunks(0).zip(chunks(1)).zip(chunks(2).zip(chunks(3)));
        for (vector, ((row_a, row_b), (row_c, row_d))) in whole.iter().zip(four) {
            let vector = sums.load(*vector);
            a = sums.add_products(a, vector, sums.widen(*row_a));
            b = sums.add_products(b, vector, sums.widen(*row_b));
            c = sums.add_products(c, vector, sums.widen(*row_c));
            d = sums.add_products(d, vector, sums.widen(*row_d));
        }
        for (row, total) in sums.totals([a, b, c, d]).into_iter().enumerate() {
            put(number, total + more(&group[row * length..(row + 1) * length]));
            number += 1;
        }
    }
    for row in last.chunks_exact(length) {
        let mut total = sums.zero();
        for (row, vector) in row.as_chunks::<LANES>().0.iter().zip(whole) {
            total = sums.add_products(total, sums.load(*vector), sums.widen(*row));
        }
        put(number, sums.total(total) + more(row));
        number += 1;
    }
}

/// Sums of integer products, sixteen at a time.
pub(crate) trait Sums: Copy {
    type Wide: Copy;
    type Total: Copy;
    fn zero(self) -> Self::Total;
    fn load(self, row: [i16; LANES]) -> Self::Wide;
    fn widen(self, weights: [i8; LANES]) -> Self::Wide;
    fn add_products(self, total: Self::Total, a: Self::Wide, b: Self::Wide) -> Self::Total;
    fn total(self, total: Self::Total) -> i32;

    #[inline(always)]
    fn totals(self, totals: [Self::Total; AT_ONCE]) -> [i32; AT_ONCE] {
        totals.map(|total| self.total(total))
    }
}

/// The portable implementation.
#[derive(Clone, Copy)]
pub(crate) struct Plain;

impl Sums for Plain {
    type Wide = [i16; LANES];
    type Total = [i32; LANES / 2];

    #[inline(always)]
    fn zero(self) -> Self::Total {
        [0; LANES / 2]
    }

    #[inline(always)]
    fn load(self, row: [i16; LANES]) -> Self::Wide {
        row
    }

    #[inline(always)]
    fn widen(self, weights: [i8; LANES]) -> Self::Wide {
        weights.map(i16::from)
    }

    #[inline(always)]
    fn add_products(self, mut total: Self::Total, a: Self::Wide, b: Self::Wide) -> Self::Total {
        for (lane, total) in total.iter_mut().enumerate() {
            let product = |n: usize| i32::from(a[n]) * i32::from(b[n]);
            *total += product(2 * lane) + product(2 * lane + 1);
        }
        total
    }

    #[inline(always)]
    fn total(self, total: Self::Total) -> i32 {
        total.iter().sum()
    }
}

#[cfg(target_arch = "x86_64")]
impl Sums for pulp::x86::V3 {
    type Wide = std::arch::x86_64::__m256i;
    type Total = std::arch::x86_64::__m256i;

    #[inline(always)]
    fn zero(self) -> Self::Total {
        pulp::cast([0_i32; LANES / 2])
    }

    #[inline(always)]
    fn load(self, row: [i16; LANES]) -> Self::Wide {
        pulp::cast(row)
    }

    #[inline(always)]
    fn widen(self, weights: [i8; LANES]) -> Self::Wide {
        self.avx2._mm256_cvtepi8_epi16(pulp::cast(weights))
    }

    #[inline(always)]
    fn add_products(self, total: Self::Total, a: Self::Wide, b: Self::Wide) -> Self::Total {
        self.avx2._mm256_add_epi32(total, self.avx2._mm256_madd_epi16(a, b))
    }

    #[inline(always)]
    fn total(self, total: Self::Total) -> i32 {
        pulp::cast::<_, [i32; LANES / 2]>(total).iter().sum()
    }

    #[inline(always)]
    fn totals(self, [a, b, c, d]: [Self::Total; AT_ONCE]) -> [i32; AT_ONCE] {
        let pairs = self.avx2._mm256_hadd_epi32(self.avx2._mm256_hadd_epi32(a, b), self.avx2._mm256_hadd_epi32(c, d));
        let [low, high]: [[i32; AT_ONCE]; 2] = pulp::cast(pairs);
        std::array::from_fn(|row| low[row] + high[row])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_gives_the_sum_of_products() {
        for length in [1, 15, 16, 37, 256] {
            let vector: Vec<i16> = (0..length).map(|n| (n * 37 % 1023 - 511) as i16).collect();
            let rows: Vec<i8> = (0..7 * length).map(|n| (n * 91 % 255 - 127) as i8).collect();
            let plain = |row: &[i8]| row.iter().zip(&vector).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum::<i32>();
            let expected: Vec<i32> = rows.chunks(vector.len()).map(plain).collect();
            let mut found = vec![0; 7];
            products(&rows, &vector, |row, sum| found[row] = sum);
            assert_eq!(found, expected, "{length}");
            products_with(Plain, &rows, &vector, |row, sum| found[row] -= sum);
            assert_eq!(found, [0; 7], "{length}");
        }
    }
}
