//! Blocked phrases: a phrase that a person rejected for a target stays blocked, and so do paraphrases.

use brain_core::Timestamp;
use serde::{Deserialize, Serialize};

use super::phrase::same;

/// Similarity to a blocked phrase from which a phrase is blocked as well.
pub const BLOCKED_AT: f64 = 0.80;

/// A phrase that is blocked for a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocked {
    /// The rejected phrase, with its `{slots}`.
    pub phrase: String,
    /// The tool or playbook that the phrase must not match.
    pub target: String,
    /// The reason given.
    pub why: String,
    /// Who blocked it.
    pub by: String,
    /// When it was blocked.
    pub at: Timestamp,
}

/// All blocked phrases.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Blocklist {
    /// One entry per blocked phrase and target.
    pub entries: Vec<Blocked>,
}

impl Blocklist {
    /// The entry that blocks a phrase for a target. `alike` is the similarity of two phrases, 0 to 1.
    pub fn blocks(&self, phrase: &str, target: &str, alike: &dyn Fn(&str, &str) -> f64) -> Option<&Blocked> {
        let of_target = || self.entries.iter().filter(|entry| entry.target == target);
        let to_the_letter = of_target().find(|entry| same(&entry.phrase, phrase));
        to_the_letter.or_else(|| of_target().find(|entry| alike(&entry.phrase, phrase) >= BLOCKED_AT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_phrases_are_blocked_for_the_same_target_only() {
        let list = Blocklist {
            entries: vec![Blocked {
                phrase: "clear the deck".into(),
                target: "session.clear".into(),
                why: "too generic".into(),
                by: "ann".into(),
                at: Timestamp::default(),
            }],
        };
        let alike = |a: &str, b: &str| if a.contains("deck") && b.contains("deck") { 0.8 } else { 0.1 };
        assert!(list.blocks("Please clear the deck", "session.clear", &|_, _| 0.0).is_some());
        assert!(list.blocks("wipe the deck", "session.clear", &alike).is_some());
        assert!(list.blocks("wipe the slate", "session.clear", &alike).is_none());
        assert!(list.blocks("clear the deck", "task.delete", &alike).is_none());
    }
}
