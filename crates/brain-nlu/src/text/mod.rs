//! Text before it means anything: folded characters with their offsets, words, tokens, misspellings.

pub(crate) mod normalise;
pub(crate) mod speller;
pub(crate) mod tokens;
pub(crate) mod words;
