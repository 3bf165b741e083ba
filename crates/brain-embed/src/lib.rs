//! Sentence embeddings: texts as unit vectors; similar meaning, similar direction.
//!
//! [`StaticTable`] is always available: a table of word pieces in the binary, a few microseconds per sentence. With
//! the feature `transformer`, a BERT-family encoder runs from a folder made by `brain model install`. Both implement
//! [`Encoder`], and both are deterministic across machines: sums have a fixed order, and no function of a system's
//! math library is used.

mod cache;
mod error;
pub mod models;
pub mod onnx;
mod static_table;
mod sums;
#[cfg_attr(
    not(any(test, feature = "transformer")),
    expect(dead_code, reason = "without transformers, files are only checked")
)]
mod tokenizer;
mod vector;
mod vocabulary;
#[cfg_attr(
    not(any(test, feature = "transformer")),
    allow(dead_code, reason = "without transformers, files are only checked")
)]
mod weights;
mod wordpiece;

#[cfg(feature = "transformer")]
pub mod distill;
#[cfg(feature = "transformer")]
mod transformer;

pub use cache::{Cache, CachedEncoder};
pub use error::EmbedError;
pub use static_table::{Piece, StaticTable};
pub use sums::products;
#[cfg(feature = "transformer")]
pub use transformer::{Precision, Transformer};

/// Turns texts into unit vectors. Pure: the same text always gives the same vector.
pub trait Encoder: Send + Sync {
    /// Identifies the encoder and its weights: changes whenever a vector could. Part of the key of every snapshot and
    /// cache.
    fn id(&self) -> &str;

    /// The number of components.
    fn dim(&self) -> usize;

    /// Writes the unit vector of a text to `out` (all zeros if no piece is known).
    ///
    /// # Panics
    ///
    /// If `out.len() != self.dim()`.
    fn encode(&self, text: &str, out: &mut [f32]);

    /// The vectors of vocabulary phrases, in bulk. A model with a query prefix applies it in [`Encoder::encode`] only.
    fn encode_targets(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let vector = |text: &&str| {
            let mut out = vec![0.0; self.dim()];
            self.encode(text, &mut out);
            out
        };
        texts.iter().map(vector).collect()
    }
}

impl<E: Encoder + ?Sized> Encoder for &E {
    fn id(&self) -> &str {
        (**self).id()
    }

    fn dim(&self) -> usize {
        (**self).dim()
    }

    fn encode(&self, text: &str, out: &mut [f32]) {
        (**self).encode(text, out);
    }

    fn encode_targets(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        (**self).encode_targets(texts)
    }
}
