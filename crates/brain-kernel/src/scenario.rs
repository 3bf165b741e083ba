//! Scenarios: a pack's end-to-end tests. They run the full request pipeline in memory, on a virtual clock, in
//! milliseconds.

mod run;
mod stub;

pub mod corpus;

pub use run::{ScenarioOutcome, run_scenario};

use std::sync::Arc;

use brain_core::Timestamp;
use brain_embed::Encoder;
use brain_nlu::{Context, Target, Thresholds, Understanding, Vocabulary, Weighed, understand};
use brain_registry::Registry;

use crate::implied::{Implied, imply};

/// The compiled phrases of a pack, to understand utterances without an engine.
pub struct Reader {
    vocabulary: Vocabulary,
    implied: Implied,
    around: brain_nlu::Surroundings,
    thresholds: Thresholds,
}

impl Reader {
    /// Understands an utterance.
    pub fn read(&self, text: &str) -> Understanding {
        self.read_with(text, &self.thresholds)
    }

    /// Understands an utterance with other thresholds.
    pub fn read_with(&self, text: &str, thresholds: &Thresholds) -> Understanding {
        let context = Context { thresholds: thresholds.clone(), ..Context::fresh(self.around.clone()) };
        let mut found = understand(&self.vocabulary, text, &context);
        imply(&mut found, |tool, phrase| self.implied.get(tool, phrase));
        found
    }

    /// The readings of an utterance as one request, with what speaks for each, before one is chosen.
    pub fn weighed(&self, text: &str) -> Vec<Weighed> {
        let context = Context { thresholds: self.thresholds.clone(), ..Context::fresh(self.around.clone()) };
        let mut all = brain_nlu::weighed(&self.vocabulary, text, &context);
        for one in &mut all {
            let mut found = Understanding::Clear { intents: vec![one.intent.clone()] };
            imply(&mut found, |tool, phrase| self.implied.get(tool, phrase));
            if let Understanding::Clear { mut intents } = found
                && let Some(intent) = intents.pop()
            {
                one.intent = intent;
            }
        }
        all
    }

    /// The thresholds of understanding.
    pub fn thresholds(&self) -> &Thresholds {
        &self.thresholds
    }

    /// The targets.
    pub fn targets(&self) -> &[Target] {
        self.vocabulary.targets()
    }
}

/// The phrases of a registry at a given time. The registry has been checked, so they compile.
pub fn reader(registry: &Registry, encoder: Arc<dyn Encoder>, now: Timestamp) -> Reader {
    let vocabulary = crate::vocabulary::vocabulary(registry, encoder);
    let vocabulary = vocabulary.expect("the pack check has parsed every phrase");
    let around = crate::vocabulary::surroundings(registry, &crate::vocabulary::zone(registry), now);
    let implied = Implied::of(registry);
    Reader { vocabulary, implied, around, thresholds: crate::vocabulary::thresholds(registry) }
}

/// The date that corpora assume as “today”.
pub(crate) const CORPUS_DAY: Timestamp = Timestamp::from_millis(1_772_442_000_000);

/// Compiles a registry's vocabulary, with “today” set to the date that corpora assume.
pub fn corpus_vocabulary(registry: &Registry, encoder: Arc<dyn Encoder>) -> Reader {
    reader(registry, encoder, CORPUS_DAY)
}
