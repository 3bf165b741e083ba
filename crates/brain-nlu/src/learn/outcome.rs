//! The outcome of one turn.

use std::collections::BTreeMap;
use std::ops::Range;

use brain_core::{TenantId, Timestamp};
use serde::{Deserialize, Serialize};

use super::phrase::plain;

/// How a turn ended, from the weakest evidence about the intended target to the strongest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// Nobody chose an option.
    Abandoned,
    /// A person confirmed the reading.
    Confirmed,
    /// The run completed.
    Succeeded,
    /// The run failed.
    Failed,
    /// A person picked it from several options.
    Picked,
    /// A person reported that it was wrong.
    Corrected,
}

/// The outcome of one turn. A turn may have several (confirmed, then succeeded, then corrected); the strongest
/// evidence counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The turn's id, unique in its tenant.
    pub turn: String,
    /// The utterance, as far as the retention policy allows.
    pub said: String,
    /// Positions of slot values, which differ from one request to the next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slots: Vec<SaidSlot>,
    /// The target that Brain or the person chose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<String>,
    /// The intended target after a correction, if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meant: Option<String>,
    /// The options that were offered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offered: Vec<String>,
    /// How it ended.
    pub how: How,
    /// The tenant.
    pub tenant: TenantId,
    /// The speaker.
    pub actor: String,
    /// Whether the speaker may teach.
    #[serde(default)]
    pub trusted: bool,
    /// When the turn ended.
    pub at: Timestamp,
}

/// A slot value in the utterance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaidSlot {
    /// Its name.
    pub name: String,
    /// The position of its value, in bytes.
    pub span: Range<usize>,
}

impl Outcome {
    /// The utterance as a phrase: values replaced by slots, politeness removed.
    pub fn phrase(&self) -> String {
        let mut slots: Vec<&SaidSlot> = self.slots.iter().collect();
        slots.sort_by_key(|slot| slot.span.start);
        let mut text = String::with_capacity(self.said.len());
        let mut from = 0;
        for slot in slots {
            // Skip a span that does not fit the text.
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

/// One outcome per turn, in order of time: the strongest evidence, and the latest of equals.
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
    fn values_are_replaced_by_slots() {
        let mut said = outcome("t1", "Please add 3 tiles to Bob's quote", "quote.add", How::Confirmed);
        said.slots = vec![
            SaidSlot { name: "what".into(), span: 13..18 },
            SaidSlot { name: "n".into(), span: 11..12 },
            SaidSlot { name: "wrong".into(), span: 90..99 },
        ];
        assert_eq!(said.phrase(), "add {n} {what} to bob's quote");
    }

    #[test]
    fn the_strongest_outcome_of_a_turn_counts() {
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
    fn outcomes_round_trip_through_json() {
        let outcome = outcome("t1", "x", "a.a", How::Picked);
        let text = serde_json::to_string(&outcome).unwrap();
        assert!(text.contains("\"how\":\"picked\""), "{text}");
        assert_eq!(serde_json::from_str::<Outcome>(&text).unwrap(), outcome);
    }
}
