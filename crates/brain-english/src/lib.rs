//! Every English word list: one module for each job, data wherever that is natural.
//!
//! The readers in `brain-slot` and `brain-nlu` know the word *order* of English and take their words from here. Another
//! language is a crate like this one, and readers for what it orders differently.

pub mod actions;
pub mod around_values;
pub mod background;
pub mod bounds;
pub mod calendar;
pub mod chatter;
pub mod clauses;
pub mod clock;
pub mod comparisons;
pub mod currency;
pub mod function_words;
pub mod inflection;
pub mod modality;
pub mod names;
pub mod numbers;
pub mod questions;
pub mod sample_values;
pub mod small_talk;
pub mod spelling;
pub mod thesaurus;
pub mod unclear;
pub mod units;
pub mod values;

/// What a table says for a word.
pub fn lookup<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    table.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning)
}

/// What a table with several words a row says for a word.
pub fn lookup_any<T: Copy>(table: &[(&[&str], T)], word: &str) -> Option<T> {
    table.iter().find(|(words, _)| words.contains(&word)).map(|(_, meaning)| *meaning)
}

/// The row of a table that has a word.
pub fn position(table: &[&[&str]], word: &str) -> Option<usize> {
    table.iter().position(|words| words.contains(&word))
}
