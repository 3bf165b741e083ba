//! References from one request to another in the same sentence: “show the Park quote and finalise it”, “open lead Bob
//! Carr and his quote as well”.

use crate::phrase::vocabulary::Vocabulary;
use crate::read::matcher::MENTION;
use crate::understanding::{Confidence, Intent, SlotValue, Understanding};

/// Words that stand for a record that was named before.
const STANDING_FOR: [&str; 12] =
    ["it", "them", "that", "this", "him", "her", "they", "these", "those", "its", "one", "same"];
/// Words that say whose a record is.
const POSSESSIVE: [&str; 4] = ["his", "her", "their", "its"];

/// Why a value was taken over.
pub(super) const CARRIED: &str = "it was mentioned in the previous request";

/// Fills the records that a request needs and does not name from the requests before it.
pub(super) fn carry(vocabulary: &Vocabulary, text: &str, found: &mut Understanding) {
    let Understanding::Clear { intents } = found else { return };
    for at in 1..intents.len() {
        let (before, rest) = intents.split_at_mut(at);
        fill(vocabulary, text, before, &mut rest[0]);
    }
    // “that's the Mackie visit wrapped up, send it through” asks for one thing twice.
    let mut at = 1;
    while at < intents.len() {
        let is_repeated =
            intents[at].slots.iter().any(|slot| slot.inferred.is_some()) && says_same(&intents[at - 1], &intents[at]);
        if is_repeated {
            let gone = intents.remove(at);
            let before = &mut intents[at - 1];
            before.span.end = gone.span.end;
            before.account.extend(gone.account);
        } else {
            at += 1;
        }
    }
}

fn says_same(a: &Intent, b: &Intent) -> bool {
    let values =
        |intent: &Intent| intent.slots.iter().map(|slot| (slot.name.clone(), slot.value.clone())).collect::<Vec<_>>();
    a.target == b.target && values(a) == values(b)
}

fn fill(vocabulary: &Vocabulary, text: &str, before: &[Intent], intent: &mut Intent) {
    let target = |name: &str| vocabulary.targets().iter().find(|target| target.name == name);
    let Some(own) = target(&intent.target) else { return };
    let said = text.get(intent.span.clone()).unwrap_or_default().to_lowercase();
    let says = |words: &[&str]| {
        said.split(|c: char| !c.is_alphanumeric()).any(|word| !word.is_empty() && words.contains(&word))
    };
    for (name, spec) in own.slots.iter().filter(|(_, spec)| spec.is_named() && spec.required) {
        let is_said =
            intent.slots.iter().any(|slot| slot.name == *name) || intent.invalid.iter().any(|slot| slot.name == *name);
        // What is deleted must be referred to, not only left out.
        if is_said || (own.destructive && !says(&STANDING_FOR)) {
            continue;
        }
        let same_kind = before.iter().rev().find_map(|other| {
            let of = target(&other.target)?;
            other.slots.iter().find(|slot| of.slots.get(&slot.name).is_some_and(|one| one.entity == spec.entity))
        });
        let owner = || {
            let named = before.iter().rev().flat_map(|other| &other.slots);
            named.into_iter().find(|slot| slot.value.get(MENTION).is_some()).filter(|_| says(&POSSESSIVE))
        };
        let Some(source) = same_kind.or_else(owner) else { continue };
        let inferred = Some(CARRIED.to_owned());
        intent.slots.push(SlotValue { name: name.clone(), inferred, ..source.clone() });
        intent.confidence = intent.confidence.min(Confidence::Medium);
    }
}
