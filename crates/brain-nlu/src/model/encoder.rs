//! Embeds texts with two encoders at once. A transformer knows sentences, the built-in table knows words; on held-out
//! phrases, both together were right more often than either alone.

use std::sync::{Arc, OnceLock};

use brain_embed::{Encoder, StaticTable};

use crate::model::semantic::dot;

/// Weight of the table relative to the transformer, for a transformer whose vectors point in all directions.
const SHARE: f32 = 0.5;
/// Sentences that have nothing in common. The vectors of some encoders, such as BGE, all lie close together: what tells
/// sentences apart is a small part of them, and the table must not outweigh it.
const APART: [&str; 6] = [
    "the bus was late again this morning",
    "add two eggs and stir",
    "who wrote this symphony",
    "our garden needs rain",
    "the meeting moved to the third floor",
    "he scored in the last minute",
];

/// An encoder combined with the built-in table.
pub(crate) struct CombinedEncoder {
    id: String,
    encoder: Arc<dyn Encoder>,
    /// `None` if the encoder is the table itself.
    table: Option<&'static StaticTable>,
    /// The weight of the table; measured when it is first needed.
    share: OnceLock<f32>,
}

impl CombinedEncoder {
    pub(crate) fn new(encoder: Arc<dyn Encoder>) -> Self {
        let table = StaticTable::built_in();
        if encoder.id() == table.id() {
            return Self { id: encoder.id().to_owned(), encoder, table: None, share: OnceLock::new() };
        }
        Self { id: format!("{}+{}", encoder.id(), table.id()), encoder, table: Some(table), share: OnceLock::new() }
    }
}

impl CombinedEncoder {
    /// The weight of the table: less for an encoder whose vectors are all alike. Rounded, so that a small difference
    /// between encoders makes none.
    fn share(&self) -> f32 {
        *self.share.get_or_init(|| {
            let vectors = self.encoder.encode_targets(&APART);
            let pairs = (0..vectors.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
            let cosines: Vec<f32> = pairs.map(|(a, b)| dot(&vectors[a], &vectors[b])).collect();
            let mean = cosines.iter().sum::<f32>() / cosines.len() as f32;
            let spread = (1.0 - mean.clamp(0.0, 1.0)).sqrt();
            (SHARE * spread * 20.0).round() / 20.0
        })
    }
}

impl Encoder for CombinedEncoder {
    fn id(&self) -> &str {
        &self.id
    }

    fn dim(&self) -> usize {
        self.encoder.dim() + self.table.map_or(0, Encoder::dim)
    }

    fn encode(&self, text: &str, out: &mut [f32]) {
        let (one, other) = out.split_at_mut(self.encoder.dim());
        self.encoder.encode(text, one);
        if let Some(table) = self.table {
            table.encode(text, other);
            join(one, other, self.share());
        }
    }

    fn encode_targets(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let mut vectors = self.encoder.encode_targets(texts);
        if let Some(table) = self.table {
            for (vector, mut other) in vectors.iter_mut().zip(table.encode_targets(texts)) {
                join(vector, &mut other, self.share());
                vector.append(&mut other);
            }
        }
        vectors
    }
}

/// Scales two unit vectors so that their concatenation is a unit vector.
fn join(one: &mut [f32], other: &mut [f32], share: f32) {
    let both = (1.0 + share * share).sqrt();
    one.iter_mut().for_each(|value| *value /= both);
    other.iter_mut().for_each(|value| *value *= share / both);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Encodes only the length of a text.
    struct Length;

    impl Encoder for Length {
        fn id(&self) -> &str {
            "length"
        }

        fn dim(&self) -> usize {
            2
        }

        fn encode(&self, text: &str, out: &mut [f32]) {
            let angle = text.len() as f32;
            out.copy_from_slice(&[angle.cos(), angle.sin()]);
        }
    }

    #[test]
    fn both_encoders_contribute_and_vectors_keep_unit_length() {
        let encoder = CombinedEncoder::new(Arc::new(Length));
        let mut vector = vec![0.0; encoder.dim()];
        encoder.encode("show my tasks", &mut vector);
        assert_eq!(vector.len(), 258);
        let length: f32 = vector.iter().map(|value| value * value).sum();
        assert!((length - 1.0).abs() < 1e-3, "{length}");
        assert_eq!(encoder.encode_targets(&["show my tasks"]), [vector]);
        assert!(encoder.id().starts_with("length+static"));
    }

    /// Encodes every text almost alike.
    struct Narrow;

    impl Encoder for Narrow {
        fn id(&self) -> &str {
            "narrow"
        }

        fn dim(&self) -> usize {
            2
        }

        fn encode(&self, text: &str, out: &mut [f32]) {
            let angle = 0.2 * (text.len() as f32).sin();
            out.copy_from_slice(&[angle.cos(), angle.sin()]);
        }
    }

    #[test]
    fn the_table_weighs_less_beside_vectors_that_are_all_alike() {
        let share = |encoder: Arc<dyn Encoder>| CombinedEncoder::new(encoder).share();
        assert!(share(Arc::new(Narrow)) <= 0.1, "{}", share(Arc::new(Narrow)));
        assert!(share(Arc::new(Length)) >= 0.4, "{}", share(Arc::new(Length)));
    }

    #[test]
    fn the_table_alone_is_used_once() {
        let table = StaticTable::built_in();
        let encoder = CombinedEncoder::new(Arc::new(StaticTable::built_in()));
        assert_eq!((encoder.id(), encoder.dim()), (table.id(), table.dim()));
    }
}
