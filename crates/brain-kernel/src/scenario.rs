//! Scenarios: a pack's end-to-end tests, run through the whole pipe on a virtual clock, in memory, in milliseconds.

mod run;
mod stub;

pub mod corpus;

pub use run::{ScenarioOutcome, run_scenario};

use brain_nlu::{Understanding, Vocabulary, understand};
use brain_registry::Registry;

/// A pack's phrases, ready to read utterances without an engine, on a fixed day.
pub struct Reader {
    vocabulary: Vocabulary,
    around: brain_nlu::Surroundings,
}

impl Reader {
    /// Reads an utterance.
    pub fn read(&self, text: &str) -> Understanding {
        understand(&self.vocabulary, text, &self.around)
    }
}

/// The phrases of a registry. The registry has been checked, so they compile.
pub fn corpus_vocabulary(registry: &Registry) -> Reader {
    let vocabulary = crate::understand::vocabulary(registry).expect("the pack check has taken every phrase apart");
    let around = crate::understand::surroundings(
        registry,
        &jiff::tz::TimeZone::UTC,
        brain_core::Timestamp::from_millis(1_772_442_000_000),
    );
    Reader { vocabulary, around }
}
