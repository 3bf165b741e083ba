//! From an utterance to an [`Understanding`]. A library with no I/O: it is given a compiled [`Vocabulary`] and answers
//! with evidence. No LLM, no network.
//!
//! This is the exact stage: phrases with typed slots, matched whole, after normalising and splitting.

mod matcher;
mod normalise;
mod pattern;
mod slot;
mod split;
mod understanding;
mod vocabulary;

pub use pattern::{PatternError, phrase_slots};
pub use slot::{SlotKind, Surroundings};
pub use understanding::{
    Confidence, Evidence, Intent, InvalidSlot, Question, SlotValue, Suggestion, Understanding, understand,
};
pub use vocabulary::{SlotSpec, Target, TargetKind, Vocabulary};
