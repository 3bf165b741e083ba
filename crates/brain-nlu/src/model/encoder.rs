//! Embeds texts with two encoders at once. A transformer knows sentences, the built-in table knows words; on held-out
//! phrases, both together were right more often than either alone.

use std::sync::Arc;

use brain_embed::{Encoder, StaticTable};

/// Weight of the table relative to the transformer.
const SHARE: f32 = 0.5;

/// An encoder combined with the built-in table.
pub(crate) struct CombinedEncoder {
    id: String,
    encoder: Arc<dyn Encoder>,
    /// `None` if the encoder is the table itself.
    table: Option<&'static StaticTable>,
}

impl CombinedEncoder {
    pub(crate) fn new(encoder: Arc<dyn Encoder>) -> Self {
        let table = StaticTable::built_in();
        if encoder.id() == table.id() {
            return Self { id: encoder.id().to_owned(), encoder, table: None };
        }
        Self { id: format!("{}+{}", encoder.id(), table.id()), encoder, table: Some(table) }
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
            join(one, other);
        }
    }

    fn encode_targets(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let mut vectors = self.encoder.encode_targets(texts);
        if let Some(table) = self.table {
            for (vector, mut other) in vectors.iter_mut().zip(table.encode_targets(texts)) {
                join(vector, &mut other);
                vector.append(&mut other);
            }
        }
        vectors
    }
}

/// Scales two unit vectors so that their concatenation is a unit vector.
fn join(one: &mut [f32], other: &mut [f32]) {
    let both = (1.0 + SHARE * SHARE).sqrt();
    one.iter_mut().for_each(|value| *value /= both);
    other.iter_mut().for_each(|value| *value *= SHARE / both);
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

    #[test]
    fn the_table_alone_is_used_once() {
        let table = StaticTable::built_in();
        let encoder = CombinedEncoder::new(Arc::new(StaticTable::built_in()));
        assert_eq!((encoder.id(), encoder.dim()), (table.id(), table.dim()));
    }
}
