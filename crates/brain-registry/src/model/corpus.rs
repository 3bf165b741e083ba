//! Corpora: utterances with their expected reading. Held out: nothing is ever matched against them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One utterance with its expected reading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CorpusRow {
    /// The pack it comes from.
    pub pack: String,
    /// Its purpose.
    pub set: CorpusSet,
    /// The name of its file, without ending: what these utterances have in common.
    pub group: String,
    /// The utterance.
    pub say: String,
    /// The expected reading.
    pub expect: Expectation,
}

/// The purpose of a corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CorpusSet {
    /// Tuning thresholds.
    Tune,
    /// Measuring.
    Test,
}

/// The expected reading of an utterance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expectation {
    /// This tool, with these slots.
    Tool {
        /// The tool.
        name: String,
        /// Its slots, in the form of arguments.
        slots: Map<String, Value>,
    },
    /// This playbook, with these slots.
    Playbook {
        /// The playbook.
        name: String,
        /// Its slots.
        slots: Map<String, Value>,
    },
    /// Out of scope.
    None,
    /// A clarifying question; if targets are named, among them.
    Ask(Vec<String>),
    /// These requests, in this order. A member is a tool, a playbook or `None`.
    Calls(Vec<Expectation>),
    /// A question about records of these types: an answer, a tool that only reads such records, or an offer to do
    /// something. Anything that writes is wrong.
    Question(Vec<String>),
    /// Nothing with an effect, neither these tools, which the utterance speaks of, nor others.
    Nothing(Vec<String>),
    /// Any one of these.
    Either(Vec<Expectation>),
}

impl Expectation {
    /// The expected tool or playbook and its slots, if exactly one is expected.
    pub fn target(&self) -> Option<(&str, &Map<String, Value>)> {
        match self {
            Self::Tool { name, slots } | Self::Playbook { name, slots } => Some((name, slots)),
            _ => None,
        }
    }
}
