//! The context of an utterance, besides the vocabulary. Reading is a pure function of text, vocabulary and context.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::phrase::taught::Taught;
use crate::read::choose::Thresholds;
use crate::tier::TierId;
use brain_slot::Surroundings;

/// The state of a conversation.
#[derive(Clone, Debug)]
pub struct Context<'a> {
    /// The current time, region and currency.
    pub around: Surroundings,
    /// Score factors above 1 for targets that are more likely now, such as the next step of a journey.
    pub boosts: BTreeMap<String, f32>,
    /// Targets that are excluded now, with the reason: a failed precondition, a recent rejection.
    pub excluded: BTreeMap<String, String>,
    /// Possible antecedents of "it" and "that quote", the latest first.
    pub focus: Vec<Focus>,
    /// The last value of each slot name in this conversation: what "twice as many" relates to.
    pub last: BTreeMap<String, Value>,
    /// Phrases taught in this tenant.
    pub taught: Option<&'a Taught>,
    /// The speaker, for personal phrases.
    pub actor: Option<&'a str>,
    /// The kind of action that was chosen. Targets of other kinds are not candidates.
    pub tier: Option<TierId>,
    /// Minimum scores for acting and for asking.
    pub thresholds: Thresholds,
}

/// A recently mentioned entity.
#[derive(Clone, Debug, PartialEq)]
pub struct Focus {
    /// The entity type.
    pub kind: String,
    /// The value for a slot that refers to it.
    pub value: Value,
    /// Its display name.
    pub name: String,
}

impl Context<'_> {
    /// The context of a conversation that has just started.
    pub fn fresh(around: Surroundings) -> Self {
        Self {
            around,
            boosts: BTreeMap::new(),
            excluded: BTreeMap::new(),
            focus: Vec::new(),
            last: BTreeMap::new(),
            taught: None,
            actor: None,
            tier: None,
            thresholds: Thresholds::default(),
        }
    }
}
