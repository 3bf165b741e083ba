//! From an utterance to an [`Understanding`]. A library with no I/O: it is given a compiled [`Vocabulary`] and a
//! [`Context`] and answers with evidence. No LLM, no network.
//!
//! `normalise` → `split` → exact (`matcher`) → nearly (`align`) and search (`model`) → `decide` → slots (`fill`). `read` is
//! the way through them.

mod actions;
mod align;
mod background;
mod context;
mod decide;
mod ears;
pub mod entity;
mod fill;
pub mod learn;
mod matcher;
pub mod measure;
mod model;
mod mood;
mod near;
mod normalise;
mod pattern;
mod patterns;
mod phrase;
mod read;
mod slot;
mod small_talk;
mod spell;
mod spelling;
mod split;
mod taught;
mod tokens;
mod understanding;
mod vocabulary;
mod words;

pub use actions::{Tier, is_destructive as takes_away};
pub use context::{Context, Focus};
pub use decide::Thresholds;
pub use pattern::{PatternError, phrase_slots};
pub use read::understand;
pub use slot::{
    Amount, Bound, Bounds, Found, Pair, Quantity, Relative, SlotKind, Surroundings, amounts, e164, pairs, quantities,
    ranges, relatives, values,
};
pub use small_talk::{SmallTalk, small_talk};
pub use taught::{Taught, TaughtPhrase, alike};
pub use understanding::{
    Confidence, Evidence, Intent, InvalidSlot, Question, SearchEvidence, SlotValue, Source, Stage, Suggestion,
    TierOption, Understanding,
};
pub use vocabulary::{Ranking, SlotSpec, Target, TargetKind, Tuning, Vocabulary};
