//! Phrases taught by people, in addition to a pack's: effective at once, for one person or for the tenant.

use std::collections::BTreeMap;
use std::sync::Arc;

use brain_embed::{Encoder as _, StaticTable};
use serde::{Deserialize, Serialize};

use crate::learn::{BLOCKED_AT, Blocked, same};
use crate::model::semantic::dot;
use crate::phrase::by_word::ByWord;
use crate::phrase::pattern::PatternError;
use crate::phrase::sketch::Sketch;
use crate::phrase::vocabulary::{Vocabulary, plain_text};
use crate::phrase::{Beginnings, Phrase};

/// Minimum similarity to a taught phrase that makes its target more likely.
const ALIKE: f32 = 0.70;

/// A phrase that people added to those of the packs, for their tenant or for themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaughtPhrase {
    /// The phrase, with `{slots}`.
    pub text: String,
    /// The tool or playbook.
    pub target: String,
    /// The person it was taught for; `None` for the whole tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
}

/// Cosine similarity of two phrases without their slots, 0 to 1, by the built-in table.
pub fn alike(a: &str, b: &str) -> f32 {
    let table = StaticTable::built_in();
    let vector = |phrase: &str| {
        let mut vector = vec![0.0; table.dim()];
        table.encode(&plain_text(phrase), &mut vector);
        vector
    };
    dot(&vector(a), &vector(b)).max(0.0)
}

/// The taught and blocked phrases of one tenant, compiled.
#[derive(Clone, Debug, Default)]
pub struct Taught {
    entries: Vec<Entry>,
    beginnings: Beginnings,
    by_word: ByWord,
    /// Sketches of the vectors of the entries.
    sketches: Vec<Sketch>,
    blocked: Vec<Block>,
}

/// A phrase that was rejected for a target.
#[derive(Clone, Debug)]
struct Block {
    target: usize,
    phrase: String,
    vector: Arc<[f32]>,
    why: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) phrase: Phrase,
    pub(crate) actor: Option<String>,
    vector: Arc<[f32]>,
}

impl Taught {
    /// Compiles phrases. Those whose target the vocabulary does not have are skipped. Embeddings take most of the time,
    /// so those of `previous` are reused; it must have the same encoder.
    pub fn build(
        vocabulary: &Vocabulary,
        phrases: &[TaughtPhrase],
        blocked: &[Blocked],
        previous: Option<&Self>,
    ) -> Result<Self, (String, PatternError)> {
        let mut found = Self::default();
        let entries = previous.into_iter().flat_map(|previous| &previous.entries);
        let blocks = previous.into_iter().flat_map(|previous| &previous.blocked);
        let known: BTreeMap<&str, &Arc<[f32]>> = entries
            .map(|entry| (&*entry.phrase.text, &entry.vector))
            .chain(blocks.map(|block| (block.phrase.as_str(), &block.vector)))
            .collect();
        let vector = |text: &str| match known.get(text) {
            Some(vector) => (*vector).clone(),
            None => vocabulary.vector(&plain_text(text)).into(),
        };
        let targets = vocabulary.targets.iter().enumerate().map(|(number, target)| (target.name.as_str(), number));
        let targets: BTreeMap<&str, usize> = targets.collect();
        for taught in phrases {
            let Some(number) = targets.get(taught.target.as_str()).copied() else { continue };
            let (phrase, beginning) = Phrase::new(number, &taught.text, &vocabulary.targets[number])
                .map_err(|error| (taught.text.clone(), error))?;
            found.beginnings.add(found.entries.len(), beginning);
            let vector = vector(&taught.text);
            found.by_word.add(&phrase);
            found.sketches.push(Sketch::of(&vector));
            found.entries.push(Entry { phrase, actor: taught.actor.clone(), vector });
        }
        found.beginnings.finish();
        for block in blocked {
            if let Some(number) = targets.get(block.target.as_str()).copied() {
                let why = format!("{} rejected “{}” for it", block.by, block.phrase);
                let why = if block.why.is_empty() { why } else { format!("{why}: {}", block.why) };
                let vector = vector(&block.phrase);
                found.blocked.push(Block { target: number, phrase: block.phrase.clone(), vector, why });
            }
        }
        Ok(found)
    }

    /// Phrases visible to this person that could match an utterance beginning with these words.
    pub(crate) fn candidates<'a>(
        &'a self,
        first: &str,
        second: Option<&str>,
        actor: Option<&'a str>,
    ) -> impl Iterator<Item = &'a Entry> {
        let all = self.beginnings.candidates(first, second).map(|at| &self.entries[at]);
        all.filter(move |entry| entry.is_for(actor))
    }

    /// Whether a phrase visible to this person begins with this word, or with a slot.
    pub(crate) fn begins_phrase(&self, word: &str, actor: Option<&str>) -> bool {
        let all = self.beginnings.with_first(word).chain(self.beginnings.with_any());
        all.map(|at| &self.entries[at]).any(|entry| entry.is_for(actor))
    }

    /// The phrases visible to this person that are worth comparing with a clause of these content words.
    pub(crate) fn near<'a, 'w>(
        &'a self,
        words: impl Iterator<Item = &'w str>,
        actor: Option<&'a str>,
    ) -> impl Iterator<Item = &'a Entry> {
        let near = self.by_word.near(words).into_iter().map(|number| &self.entries[number]);
        near.filter(move |entry| entry.is_for(actor))
    }

    /// Taught phrases similar to an utterance: target, phrase, similarity.
    pub(crate) fn alike<'a>(&'a self, vector: &[f32], actor: Option<&'a str>) -> Vec<(usize, &'a str, f32)> {
        if self.entries.is_empty() {
            return Vec::new();
        }
        let sketch = Sketch::of(vector);
        let near = self.entries.iter().zip(&self.sketches).filter(|(_, other)| sketch.may_be_alike(other));
        let near = near.map(|(entry, _)| entry).filter(|entry| entry.is_for(actor));
        let near = near.map(|entry| (entry.phrase.target, &*entry.phrase.text, dot(&entry.vector, vector)));
        near.filter(|(_, _, alike)| *alike >= ALIKE).collect()
    }

    /// Whether any phrase is blocked.
    pub(crate) fn has_blocked(&self) -> bool {
        !self.blocked.is_empty()
    }

    /// Targets that are blocked for this utterance, with the reason.
    pub(crate) fn blocked(&self, vector: &[f32]) -> BTreeMap<usize, &str> {
        let near = self.blocked.iter().filter(|block| f64::from(dot(&block.vector, vector)) >= BLOCKED_AT);
        near.map(|block| (block.target, block.why.as_str())).collect()
    }

    /// Whether a phrase, or this exact wording of it, is blocked for a target. Other wordings that match a phrase
    /// whole are not affected: a pack's phrase stays usable even if it is similar to a blocked one.
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
