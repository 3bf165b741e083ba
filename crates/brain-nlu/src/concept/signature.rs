//! The signature of a request: the types of the values in it. A person, a phone number and a place point to the tool
//! that takes them.

use crate::phrase::vocabulary::Target;
use brain_slot::{SlotKind, Surroundings, extract};

/// Types whose values are recognised without knowing the slot.
const TYPES: [SlotKind; 5] = [SlotKind::Phone, SlotKind::Email, SlotKind::Url, SlotKind::Money, SlotKind::Uuid];

/// Which of the distinctive types a clause has a value of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Signature([bool; TYPES.len()]);

impl Signature {
    pub(super) fn of(chars: &[char], around: &Surroundings) -> Self {
        if !chars.iter().any(|c| c.is_ascii_digit() || *c == '@') {
            return Self::default();
        }
        let mut found = [false; TYPES.len()];
        for (has, kind) in found.iter_mut().zip(&TYPES) {
            *has = !extract(kind, chars, around).is_empty();
        }
        // Any number may be an amount of money; one with a currency is.
        let signs = chars.iter().any(|c| matches!(c, '$' | '€' | '£'));
        found[3] &= signs;
        Self(found)
    }

    /// How well the values suit a target's slots, −1 to 1.
    pub(super) fn suits(self, target: &Target) -> f32 {
        let takes = |kind: &SlotKind| target.slots.values().any(|slot| slot.kind == *kind);
        let needs = |kind: &SlotKind| target.slots.values().any(|slot| slot.kind == *kind && slot.required);
        let mut sum = 0.0_f32;
        for (has, kind) in self.0.iter().zip(&TYPES) {
            sum += match (*has, kind) {
                (true, kind) if takes(kind) => 1.0,
                // A record may be named by its phone number or address.
                (true, _) if target.slots.values().any(crate::phrase::vocabulary::SlotSpec::is_named) => -0.2,
                (true, _) => -0.6,
                (false, SlotKind::Phone | SlotKind::Email) if needs(kind) => -0.3,
                _ => 0.0,
            };
        }
        sum.clamp(-1.0, 1.0)
    }
}
