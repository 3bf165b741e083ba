//! Text before interpretation: words, tokens, misspellings.

pub(crate) mod speller;
pub(crate) mod tokens;
pub(crate) mod words;
