//! Every English word list: one module for each job, data wherever that is natural.
//!
//! Readers in `slot`, `read` and `entity` keep the word *order* of English and take their words from here. Another
//! language is a folder like this one, and readers for what it orders differently.

pub(crate) mod actions;
pub(crate) mod background;
pub(crate) mod bounds;
pub(crate) mod calendar;
pub(crate) mod clauses;
pub(crate) mod clock;
pub(crate) mod comparisons;
pub(crate) mod currency;
pub(crate) mod function_words;
pub(crate) mod inflection;
pub(crate) mod modality;
pub(crate) mod names;
pub(crate) mod numbers;
pub(crate) mod small_talk;
pub(crate) mod spelling;
pub(crate) mod units;
pub(crate) mod values;

/// What a table says for a word.
pub(crate) fn lookup<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    table.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning)
}

/// What a table with several words a row says for a word.
pub(crate) fn lookup_any<T: Copy>(table: &[(&[&str], T)], word: &str) -> Option<T> {
    table.iter().find(|(words, _)| words.contains(&word)).map(|(_, meaning)| *meaning)
}

/// The row of a table that has a word.
pub(crate) fn position(table: &[&[&str]], word: &str) -> Option<usize> {
    table.iter().position(|words| words.contains(&word))
}
