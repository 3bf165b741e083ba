//! Text before interpretation: folded characters with offsets, words, tokens, misspellings.

pub(crate) mod normalise;
pub(crate) mod speller;
pub(crate) mod tokens;
pub(crate) mod words;
