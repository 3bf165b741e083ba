//! The answer: what an utterance means, and why it was read so.

pub use brain_core::Confidence;
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::english::actions::Tier;
use crate::small_talk::SmallTalk;

/// What an utterance means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Understanding {
    /// One or more requests, in order.
    Clear {
        /// The requests.
        intents: Vec<Intent>,
    },
    /// Several readings: ask.
    Ask(Question),
    /// Nothing to do: an answer is enough.
    SmallTalk {
        /// What kind of talk it is.
        talk: SmallTalk,
    },
    /// Out of scope: say so, offer the nearest.
    Unknown {
        /// The nearest.
        nearest: Vec<Suggestion>,
    },
}

/// What one clause asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Intent {
    /// The tool or playbook.
    pub target: String,
    /// Whether it is a playbook.
    pub playbook: bool,
    /// Its slots.
    pub slots: Vec<SlotValue>,
    /// Slots whose text is not what they hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub invalid: Vec<InvalidSlot>,
    /// How sure it is.
    pub confidence: Confidence,
    /// The clause, in bytes of the utterance.
    pub span: Range<usize>,
    /// Why.
    pub evidence: Evidence,
}

/// A slot and where its value stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotValue {
    /// The slot.
    pub name: String,
    /// Its value.
    pub value: Value,
    /// Where it stands, in bytes of the utterance.
    pub span: Range<usize>,
    /// What it was taken from, if nobody said it, or not that it is for this slot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inferred: Option<String>,
}

/// A slot with a text that is not of its kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InvalidSlot {
    /// The slot.
    pub name: String,
    /// What stands there.
    pub text: String,
}

/// Why a clause was read so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The stage that found it.
    pub tier: Stage,
    /// The phrase that matched, or that it is most like.
    pub phrase: String,
    /// Whose phrase it is.
    pub source: Source,
    /// How sure it is that this is meant, 0 to 1.
    pub score: f32,
    /// How far the clause is from the phrase: 0 to the letter, 1 and more not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<f32>,
    /// What both heads of search say, and how near the phrase is in meaning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchEvidence>,
    /// Words that were taken for others: what was said, what it was taken for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken_for: Vec<(String, String)>,
    /// The word that makes it doubtful whether it is a request at all: “did”, “dont”.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
    /// The next best reading, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner_up: Option<String>,
    /// How sure that one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner_up_score: Option<f32>,
    /// What was out of the question, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<(String, String)>,
}

/// A stage of reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// A phrase matched whole.
    Exact,
    /// A phrase matched but for small departures.
    Pattern,
    /// It is most like the phrases of this one.
    Search,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exact => "exact",
            Self::Pattern => "pattern",
            Self::Search => "search",
        })
    }
}

/// Whose phrase it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The speaker's own.
    Own,
    /// Taught for everybody.
    Taught,
    /// What the tool or playbook is called.
    Label,
    /// The pack's.
    Pack,
    /// Made of an action and a noun.
    Generated,
}

/// What search says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchEvidence {
    /// By words and letters; above 0 speaks for it.
    pub lexical: f32,
    /// By meaning; the higher, the more it speaks for it.
    pub semantic: f32,
    /// How alike the nearest phrase is in meaning, 0 to 1.
    pub alike: f32,
    /// How likely anything here is meant at all, 0 to 1.
    pub scope: f32,
    /// Whether scores were measured on enough rows (200) to be called probabilities; otherwise they are bands.
    pub calibrated: bool,
}

/// Several readings to choose from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// What to ask.
    pub text: String,
    /// The readings.
    pub options: Vec<Intent>,
    /// The kinds of thing that could be meant, if that is asked first: with the readings of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<TierOption>,
}

/// One kind of thing that could be meant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TierOption {
    /// The kind.
    pub tier: Tier,
    /// What people read.
    pub title: String,
    /// The tools and playbooks of this kind that could be meant.
    pub targets: Vec<String>,
}

/// Something near what was said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suggestion {
    /// The tool or playbook.
    pub target: String,
    /// One of its phrases.
    pub phrase: String,
}
