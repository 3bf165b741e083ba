//! From an utterance to an [`Understanding`], with evidence. A pure library: it takes a compiled [`Vocabulary`] and a
//! [`Context`]. No LLM, no network.
//!
//! The stages, driven by `read`: normalise → split into clauses → exact match (`matcher`) → approximate match
//! (`align`) and search (`model`) → `choose` → fill slots (`fill`).

mod concept;
mod context;
pub mod entity;
pub mod learn;
mod lookup;
pub mod measure;
mod model;
mod phrase;
mod read;
pub mod sequence;
mod small_talk;
mod text;
mod tier;
mod understanding;

pub use brain_english::actions::{Tier, is_destructive};
pub use brain_english::small_talk::SmallTalk;
pub use brain_slot::{
    Amount, Bound, Bounds, Found, Pair, Quantity, Relative, SlotKind, Surroundings, amounts, e164, pairs, quantities,
    ranges, relatives, values,
};
pub use context::{Context, Focus};
pub use lookup::{MAX_CANDIDATES, MAX_NAME, MatchType, NameMatch, look_up};
pub use phrase::pattern::{PatternError, phrase_slots};
pub use phrase::taught::{Taught, TaughtPhrase, alike};
pub use phrase::vocabulary::{Ranking, SlotSpec, Target, TargetKind, Tuning, Vocabulary};
pub use read::choose::Thresholds;
pub use read::rank::{Weighed, weighed};
pub use read::understand;
pub use small_talk::small_talk;
pub use tier::{IntentTier, TierId, TierOption};
pub use understanding::{
    Accounted, Confidence, Evidence, Intent, InvalidSlot, Modality, Question, Role, SearchEvidence, SlotValue, Source,
    Stage, Suggestion, Understanding,
};
