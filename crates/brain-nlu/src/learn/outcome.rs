//! What became of one turn.

use std::collections::BTreeMap;
use std::ops::Range;

use brain_core::{TenantId, Timestamp};
use serde::{Deserialize, Serialize};

use super::phrase::plain;

/// How a turn ended. A later entry says more than an earlier one about what was meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// Nobody chose from what was offered.
    Abandoned,
    /// A person said yes to what was understood.
    Confirmed,
    /// It ran.
    Succeeded,
    /// It ran into an error.
    Failed,
    /// A person chose it from several.
    Picked,
    /// A person said that it was wrong.
    Corrected,
}

/// What became of one turn. A turn may leave several: confirmed, then succeeded, then corrected; the one that says most
/// about what was meant counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The turn, unique in its tenant.
    pub turn: String,
    /// What was said, as far as policy lets it be kept.
    pub said: String,
    /// Where the values of slots stand in it. They are what differs from one request to the next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<SaidSlot>,
    /// The target that Brain or the person chose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<String>,
    /// After a correction: the target that was meant, if the person said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meant: Option<String>,
    /// The targets to choose from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offered: Vec<String>,
    /// How it ended.
    pub how: How,
    /// Whose it is.
    pub tenant: TenantId,
    /// Who spoke.
    pub actor: String,
    /// Whether that person is trusted to teach.
    #[serde(default)]
    pub trusted: bool,
    /// When.
    pub at: Timestamp,
}

/// A slot in what was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaidSlot {
    /// Its name.
    pub name: String,
    /// Where its value stands, in bytes.
    pub span: Range<usize>,
}

impl Outcome {
    /// What was said as a phrase: values give way to their slots, politeness is left out.
    pub fn phrase(&self) -> String {
        let mut slots: Vec<&SaidSlot> = self.slots.iter().collect();
        slots.sort_by_key(|slot| slot.span.start);
        let mut text = String::with_capacity(self.said.len());
        let mut from = 0;
        for slot in slots {
            // A span that does not fit is one of another text.
            let (Some(before), Some(_)) = (self.said.get(from..slot.span.start), self.said.get(slot.span.clone()))
            else {
                continue;
            };
            text.push_str(before);
            text.push_str(&format!("{{{}}}", slot.name));
            from = slot.span.end;
        }
        text.push_str(self.said.get(from..).unwrap_or_default());
        plain(&text)
    }
}

/// One outcome per turn: the one that says most, and of several such the latest. In order of time.
pub(super) fn turns(outcomes: &[Outcome]) -> Vec<&Outcome> {
    let mut by_turn: BTreeMap<(&str, &str), &Outcome> = BTreeMap::new();
    for outcome in outcomes {
        let key = (outcome.tenant.as_str(), outcome.turn.as_str());
        let rank = |outcome: &Outcome| (outcome.how, outcome.at);
        let kept = by_turn.entry(key).or_insert(outcome);
        if rank(kept) <= rank(outcome) {
            *kept = outcome;
        }
    }
    let mut turns: Vec<&Outcome> = by_turn.into_values().collect();
    turns.sort_by(|a, b| (a.at, &a.turn).cmp(&(b.at, &b.turn)));
    turns
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::tests::outcome;

    #[test]
    fn values_give_way_to_their_slots() {
        let mut said = outcome("t1", "Please add 3 tiles to Bob's quote", "quote.add", How::Confirmed);
        said.slots = vec![
            SaidSlot { name: "what".into(), span: 13..18 },
            SaidSlot { name: "n".into(), span: 11..12 },
            SaidSlot { name: "wrong".into(), span: 90..99 },
        ];
        assert_eq!(said.phrase(), "add {n} {what} to bob's quote");
    }

    #[test]
    fn the_outcome_that_says_most_counts_once_per_turn() {
        let list = [
            outcome("t1", "x", "a.a", How::Confirmed),
            outcome("t1", "x", "a.a", How::Corrected),
            outcome("t1", "x", "a.a", How::Succeeded),
            outcome("t2", "x", "a.a", How::Succeeded),
            outcome("t2", "x", "a.a", How::Succeeded),
        ];
        let ends: Vec<How> = turns(&list).into_iter().map(|outcome| outcome.how).collect();
        assert_eq!(ends, [How::Corrected, How::Succeeded]);
    }

    #[test]
    fn outcomes_survive_their_wire() {
        let outcome = outcome("t1", "x", "a.a", How::Picked);
        let text = serde_json::to_string(&outcome).unwrap();
        assert!(text.contains("\"how\":\"picked\""), "{text}");
        assert_eq!(serde_json::from_str::<Outcome>(&text).unwrap(), outcome);
    }
}
