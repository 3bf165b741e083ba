//! Sketches of vectors: 256 bits whose differences tell the angle between two vectors. Comparing two takes a few
//! instructions, so that thousands of taught phrases are compared with a clause in microseconds.

/// Number of bits, in words of 64.
const WORDS: usize = 4;
const BITS: usize = 64 * WORDS;
/// Vectors with a cosine of 0.7 differ in 65 of 256 bits, give or take 7. This leaves out one of them in 100,000, and
/// admits one of 30,000 unrelated vectors.
const MAX_DIFFERENT: u32 = 95;

/// The sketch of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sketch([u64; WORDS]);

impl Sketch {
    /// Random signs and a Walsh-Hadamard transform rotate the vector; each bit is the sign of one component.
    pub(crate) fn of(vector: &[f32]) -> Self {
        let size = vector.len().max(BITS).next_power_of_two();
        let mut rotated = vec![0.0_f32; size];
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for (slot, value) in rotated.iter_mut().zip(vector) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            *slot = if state & 1 == 0 { *value } else { -*value };
        }
        let mut width = 1;
        while width < size {
            for block in rotated.chunks_exact_mut(2 * width) {
                let (low, high) = block.split_at_mut(width);
                for (a, b) in low.iter_mut().zip(high) {
                    (*a, *b) = (*a + *b, *a - *b);
                }
            }
            width *= 2;
        }
        let mut bits = [0; WORDS];
        for (at, value) in rotated.iter().take(BITS).enumerate() {
            bits[at / 64] |= u64::from(*value >= 0.0) << (at % 64);
        }
        Self(bits)
    }

    /// Whether the cosine of two vectors may be 0.7 or more.
    pub(crate) fn may_be_alike(&self, other: &Self) -> bool {
        let different: u32 = self.0.iter().zip(&other.0).map(|(a, b)| (a ^ b).count_ones()).sum();
        different <= MAX_DIFFERENT
    }
}

#[cfg(test)]
mod tests {
    use brain_embed::{Encoder as _, StaticTable};

    use super::*;
    use crate::model::semantic::dot;

    #[test]
    fn similar_texts_have_similar_sketches_and_others_do_not() {
        let table = StaticTable::built_in();
        let things = ["ticket", "invoice", "lead", "roof", "bowl", "order", "quote", "driver", "meeting", "supplier"];
        let doings = ["show", "list", "delete", "close", "send", "print", "assign", "plan", "rename", "approve"];
        let texts: Vec<String> = things
            .iter()
            .flat_map(|thing| doings.iter().map(move |doing| format!("{doing} the {thing} again please")))
            .collect();
        let vectors: Vec<Vec<f32>> = texts
            .iter()
            .map(|text| {
                let mut vector = vec![0.0; table.dim()];
                table.encode(text, &mut vector);
                vector
            })
            .collect();
        let sketches: Vec<Sketch> = vectors.iter().map(|vector| Sketch::of(vector)).collect();
        let (mut missed, mut alike, mut admitted) = (0, 0, 0);
        for a in 0..texts.len() {
            for b in 0..a {
                let may = sketches[a].may_be_alike(&sketches[b]);
                let is = dot(&vectors[a], &vectors[b]) >= 0.7;
                alike += usize::from(is);
                missed += usize::from(is && !may);
                admitted += usize::from(may && !is);
            }
        }
        assert!(alike > 100, "{alike}");
        assert_eq!(missed, 0, "of {alike}");
        // Borderline pairs may be admitted: they are compared exactly afterwards.
        assert!(admitted < texts.len() * texts.len() / 4, "{admitted}");
    }

    #[test]
    fn vectors_of_any_length_have_a_sketch() {
        for length in [0, 1, 3, 256, 640] {
            let vector: Vec<f32> = (0..length).map(|n| (n as f32).sin()).collect();
            assert!(Sketch::of(&vector).may_be_alike(&Sketch::of(&vector)), "{length}");
        }
    }
}
