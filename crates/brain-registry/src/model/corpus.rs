//! A corpus: what people say, and what should come of it. Held out: nothing is ever matched against it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One utterance with its expected outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CorpusRow {
    /// The pack it comes from.
    pub pack: String,
    /// What it is for.
    pub set: CorpusSet,
    /// The utterance.
    pub say: String,
    /// What should come of it.
    pub expect: Expectation,
}

/// What a corpus is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CorpusSet {
    /// Sets thresholds.
    Tune,
    /// Measures.
    Test,
}

/// What should come of an utterance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expectation {
    /// This tool, with these slots.
    Tool {
        /// The tool.
        name: String,
        /// Its slots, in the form that arguments take.
        slots: Map<String, Value>,
    },
    /// This playbook, with these slots.
    Playbook {
        /// The playbook.
        name: String,
        /// Its slots.
        slots: Map<String, Value>,
    },
    /// Nothing Brain can do.
    None,
    /// A question back; among these tools or playbooks, if any are named.
    Ask(Vec<String>),
}
