//! The result of reading an utterance, with evidence.

pub use brain_core::Confidence;
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use brain_english::small_talk::SmallTalk;

use crate::lookup::MatchType;
use crate::tier::{TierId, TierOption};

/// What an utterance means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Understanding {
    /// One or more requests, in order.
    Clear {
        /// The requests.
        intents: Vec<Intent>,
    },
    /// Ambiguous: ask which reading is meant.
    Ask(Question),
    /// Small talk: reply, do nothing.
    SmallTalk {
        /// The kind of small talk.
        talk: SmallTalk,
    },
    /// Out of scope.
    Unknown {
        /// The nearest targets, to suggest.
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
    /// The values of its slots.
    pub slots: Vec<SlotValue>,
    /// Slots whose text does not fit their type.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub invalid: Vec<InvalidSlot>,
    /// How certain this reading is.
    pub confidence: Confidence,
    /// The clause, in bytes of the utterance.
    pub span: Range<usize>,
    /// What became of each word; neighbours with the same role are one entry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub account: Vec<Accounted>,
    /// Why the clause was read this way.
    pub evidence: Evidence,
}

/// Words of a clause, and what became of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Accounted {
    /// Their position, in bytes of the utterance.
    pub span: Range<usize>,
    /// What became of them.
    pub role: Role,
}

/// What a reading makes of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// It says what is asked for.
    Phrase,
    /// It is part of a value.
    Slot,
    /// It holds the sentence together.
    Filler,
    /// It was ignored: it could not change what is done.
    Minor,
    /// It was not understood, and could change what is done.
    Leftover,
}

/// What a clause is if it is no request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Modality {
    /// “is lead Bob lost?”
    Question,
    /// “don't delete lead Bob”
    Negation,
    /// “if Bob says yes, …”
    Condition,
    /// “the boss reckons that …”
    Report,
    /// “I might …”
    Wish,
    /// “yesterday I created …”
    Past,
}

impl Modality {
    /// Its name in a sentence.
    pub fn name(self) -> &'static str {
        match self {
            Self::Question => "a question",
            Self::Negation => "a refusal",
            Self::Condition => "a condition",
            Self::Report => "somebody's report",
            Self::Wish => "a wish",
            Self::Past => "something that happened before",
        }
    }
}

/// A slot's value and its position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotValue {
    /// The slot's name.
    pub name: String,
    /// Its value.
    pub value: Value,
    /// Its position, in bytes of the utterance.
    pub span: Range<usize>,
    /// Where an inferred value came from; `None` if the phrase assigned it explicitly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inferred: Option<String>,
}

/// A slot whose text does not fit its type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InvalidSlot {
    /// The slot's name.
    pub name: String,
    /// The text that was given.
    pub text: String,
    /// Why it is no value, in a sentence, if more is known than that it does not fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Why a clause was read this way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The stage that produced the reading.
    pub tier: Stage,
    /// The phrase that matched, or the most similar one.
    pub phrase: String,
    /// Who wrote the phrase.
    pub source: Source,
    /// How the name of the target was matched, if the clause is such a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_type: Option<MatchType>,
    /// The score of this reading, 0 to 1.
    pub score: f32,
    /// Distance between clause and phrase: 0 is identical, 1 or more is unrelated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<f32>,
    /// The scores of search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchEvidence>,
    /// How well the words describe the target by the thesaurus, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub described: Option<f32>,
    /// Its score among the likely readings, by what it does with the words and values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<f32>,
    /// Corrected words: what was written, what it was read as.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken_for: Vec<(String, String)>,
    /// The word that suggests this is not a request: “did”, “dont”.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
    /// What the clause is, if it is not a request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modality: Option<Modality>,
    /// The second best reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner_up: Option<String>,
    /// Its score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner_up_score: Option<f32>,
    /// Targets that were excluded, with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<(String, String)>,
}

/// A stage of reading, from certain to uncertain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// A phrase matched whole.
    Exact,
    /// A phrase matched approximately.
    Pattern,
    /// Search ranked this target first.
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

/// Who wrote a phrase. The order is the order of precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The speaker, for themselves.
    Own,
    /// Somebody, for the whole tenant.
    Taught,
    /// The title, a name or a synonym of the tool or playbook.
    Label,
    /// The pack.
    Pack,
    /// Generated: from an action and a noun, or from a record type.
    Generated,
}

/// The scores of search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchEvidence {
    /// Lexical score, by words and character n-grams; positive supports the target.
    pub lexical: f32,
    /// Semantic score, by embeddings; higher supports the target.
    pub semantic: f32,
    /// Cosine similarity to the nearest phrase, 0 to 1.
    pub alike: f32,
    /// Probability that the clause is in scope, 0 to 1.
    pub scope: f32,
    /// Whether scores were calibrated on enough rows (200) to be probabilities; otherwise they are bands.
    pub calibrated: bool,
}

/// Several readings to choose from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// The question, worded.
    pub text: String,
    /// The readings.
    pub options: Vec<Intent>,
    /// Words of the utterance that no reading uses, and that could change what is done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub leftover: Vec<Range<usize>>,
    /// The kinds of action to choose from first, if there are too many readings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<TierOption>,
    /// The kind of action that was chosen before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<TierId>,
}

/// A target that is similar to the utterance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suggestion {
    /// The tool or playbook.
    pub target: String,
    /// One of its phrases, as an example.
    pub phrase: String,
}
