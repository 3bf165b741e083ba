//! What an utterance is read against, besides the vocabulary. All of it is given: reading is a pure function of text,
//! vocabulary and context.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::phrase::taught::Taught;
use crate::read::choose::Thresholds;
use crate::slot::Surroundings;

/// Where a conversation stands.
#[derive(Clone, Debug)]
pub struct Context<'a> {
    /// The day and the place.
    pub around: Surroundings,
    /// What is more likely now (a journey, the step that comes next): a factor of the score, above 1.
    pub boosts: BTreeMap<String, f32>,
    /// What is out of the question now, and why: a precondition does not hold, it was rejected a moment ago.
    pub excluded: BTreeMap<String, String>,
    /// What "it" and "that quote" may mean, the latest first.
    pub focus: Vec<Focus>,
    /// What slots held when they were last spoken of, by their names: what "twice as many" relates to.
    pub last: BTreeMap<String, Value>,
    /// What people here have taught.
    pub taught: Option<&'a Taught>,
    /// The person who speaks, for phrases of their own.
    pub actor: Option<&'a str>,
    /// Where a guess becomes an answer.
    pub thresholds: Thresholds,
}

/// Something that was just spoken of.
#[derive(Clone, Debug, PartialEq)]
pub struct Focus {
    /// The kind of entity.
    pub kind: String,
    /// What a slot gets.
    pub value: Value,
    /// What people call it.
    pub name: String,
}

impl Context<'_> {
    /// A context in which nothing was said yet.
    pub fn fresh(around: Surroundings) -> Self {
        Self {
            around,
            boosts: BTreeMap::new(),
            excluded: BTreeMap::new(),
            focus: Vec::new(),
            last: BTreeMap::new(),
            taught: None,
            actor: None,
            thresholds: Thresholds::default(),
        }
    }
}
