//! Phrases that people have taught, on top of what a pack says: used at once, for whom they were taught.

use std::collections::BTreeMap;

use brain_embed::{Encoder as _, StaticTable};
use serde::{Deserialize, Serialize};

use crate::learn::{BLOCKED_AT, Blocked, same};
use crate::model::semantic::dot;
use crate::phrase::pattern::PatternError;
use crate::phrase::vocabulary::{Vocabulary, plain_text};
use crate::phrase::{Beginnings, Phrase};

/// How alike an utterance must be to a taught phrase to be more likely.
const ALIKE: f32 = 0.70;

/// A phrase that was taught.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaughtPhrase {
    /// The phrase, with `{slots}`.
    pub text: String,
    /// The tool or playbook.
    pub target: String,
    /// Whose it is; everybody's of the tenant if nobody's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
}

/// How alike two phrases are in meaning, without their slots: 0 to 1, by the table that is always there.
pub fn alike(a: &str, b: &str) -> f32 {
    let table = StaticTable::built_in();
    let vector = |phrase: &str| {
        let mut vector = vec![0.0; table.dim()];
        table.encode(&plain_text(phrase), &mut vector);
        vector
    };
    dot(&vector(a), &vector(b)).max(0.0)
}

/// What people of one tenant have taught, ready to be matched.
#[derive(Clone, Debug, Default)]
pub struct Taught {
    entries: Vec<Entry>,
    beginnings: Beginnings,
    blocked: Vec<Block>,
}

/// What was said not to mean a target.
#[derive(Clone, Debug)]
struct Block {
    target: usize,
    phrase: String,
    vector: Vec<f32>,
    why: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) phrase: Phrase,
    pub(crate) actor: Option<String>,
    vector: Vec<f32>,
}

impl Taught {
    /// Makes phrases ready. Those of targets that the vocabulary has not (any more) are left out.
    pub fn build(
        vocabulary: &Vocabulary,
        phrases: &[TaughtPhrase],
        blocked: &[Blocked],
    ) -> Result<Self, (String, PatternError)> {
        let mut found = Self::default();
        for taught in phrases {
            let Some(number) = vocabulary.number_of(&taught.target) else { continue };
            let (phrase, beginning) = Phrase::new(number, &taught.text, &vocabulary.targets[number])
                .map_err(|error| (taught.text.clone(), error))?;
            found.beginnings.add(found.entries.len(), beginning);
            let vector = vocabulary.vector(&plain_text(&taught.text));
            found.entries.push(Entry { phrase, actor: taught.actor.clone(), vector });
        }
        found.beginnings.finish();
        for block in blocked {
            if let Some(number) = vocabulary.number_of(&block.target) {
                let why = format!("{} rejected “{}” for it", block.by, block.phrase);
                let why = if block.why.is_empty() { why } else { format!("{why}: {}", block.why) };
                let vector = vocabulary.vector(&plain_text(&block.phrase));
                found.blocked.push(Block { target: number, phrase: block.phrase.clone(), vector, why });
            }
        }
        Ok(found)
    }

    /// Phrases of this person or of everybody that could match an utterance which begins with these words.
    pub(crate) fn candidates<'a>(
        &'a self,
        first: &str,
        second: Option<&str>,
        actor: Option<&'a str>,
    ) -> impl Iterator<Item = &'a Entry> {
        let all = self.beginnings.candidates(first, second).map(|at| &self.entries[at]);
        all.filter(move |entry| entry.is_for(actor))
    }

    /// Whether a phrase of this person or of everybody begins with this word, or with anything.
    pub(crate) fn begins_phrase(&self, word: &str, actor: Option<&str>) -> bool {
        let all = self.beginnings.with_first(word).chain(self.beginnings.with_any());
        all.map(|at| &self.entries[at]).any(|entry| entry.is_for(actor))
    }

    /// All phrases of this person or of everybody.
    pub(crate) fn all<'a>(&'a self, actor: Option<&'a str>) -> impl Iterator<Item = &'a Entry> {
        self.entries.iter().filter(move |entry| entry.is_for(actor))
    }

    /// The taught phrases that an utterance is like: target, phrase, how much.
    pub(crate) fn alike<'a>(&'a self, vector: &[f32], actor: Option<&'a str>) -> Vec<(usize, &'a str, f32)> {
        let near = self.all(actor).map(|entry| (entry.phrase.target, &*entry.phrase.text, dot(&entry.vector, vector)));
        near.filter(|(_, _, alike)| *alike >= ALIKE).collect()
    }

    /// Whether anything was said not to mean something.
    pub(crate) fn has_blocked(&self) -> bool {
        !self.blocked.is_empty()
    }

    /// The targets that this utterance does not mean, as somebody said, and who said so.
    pub(crate) fn blocked(&self, vector: &[f32]) -> BTreeMap<usize, &str> {
        let near = self.blocked.iter().filter(|block| f64::from(dot(&block.vector, vector)) >= BLOCKED_AT);
        near.map(|block| (block.target, block.why.as_str())).collect()
    }

    /// Whether it was said that a phrase, or these very words that match it, do not mean this target. Other words that
    /// match a phrase whole are not concerned: a pack's phrase is not lost because it is like one that was rejected.
    pub(crate) fn blocks_phrase(&self, target: usize, phrase: &str, said: &str) -> bool {
        let mut of_target = self.blocked.iter().filter(|block| block.target == target);
        of_target.any(|block| same(&block.phrase, phrase) || same(&block.phrase, said))
    }
}

impl Entry {
    fn is_for(&self, actor: Option<&str>) -> bool {
        self.actor.is_none() || self.actor.as_deref() == actor
    }
}
