//! Texts as vectors whose directions say what they mean: near in meaning, near in direction.
//!
//! [`StaticTable`] is always there: a table of word pieces inside the binary, a few microseconds a sentence. With the
//! feature `transformer`, a sentence encoder of the BERT family runs from a folder that `brain model install` has made.
//! Both are an [`Encoder`], and both compute alike on every machine: sums have one order, nothing is left to a system's
//! mathematics, so that a text has one vector and not one for each processor.

mod cache;
mod error;
pub mod models;
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
    expect(dead_code, reason = "without transformers, files are only checked")
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
    /// Names the encoder and its weights: changes whenever a vector could. Part of the key of every snapshot and cache.
    fn id(&self) -> &str;

    /// How many numbers a vector has.
    fn dim(&self) -> usize;

    /// The vector of one text, of length 1 (all zero if nothing in it is known), written to `out`.
    ///
    /// # Panics
    ///
    /// If `out.len() != self.dim()`.
    fn encode(&self, text: &str, out: &mut [f32]);

    /// The same for phrases of a vocabulary, many at once. A model with a prefix for queries puts it on
    /// [`Encoder::encode`] only.
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
