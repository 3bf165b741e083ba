//! Example requests in suggestions. Each is read back before it is shown: it must be understood as the tool that it is
//! suggested for.

use brain_nlu::{Intent, SlotKind, SlotSpec, TargetKind, Understanding};

use crate::intake::Request;
use crate::kernel::Kernel;

/// Maximum number of phrases of a target that are tried.
const MAX_TRIED: usize = 6;

impl Kernel {
    /// A request that is understood as this target: `phrase` if a pack has it, else another phrase of the pack, else the
    /// title of the target. Slots have the values that the reading found in the message, else example values of their
    /// types; those of a destructive target have no examples, because somebody might try one. `None` if no phrase will do.
    pub(crate) fn example_request(
        &self,
        request: &Request,
        target: &str,
        phrase: &str,
        reading: Option<&Intent>,
    ) -> Option<String> {
        let known = self.vocabulary.targets().iter().find(|one| one.name == target)?;
        let title = known.title.to_lowercase();
        let own = known.phrases.iter().map(String::as_str);
        let is_own = own.clone().any(|one| one == phrase);
        let (first, last) = if is_own { (Some(phrase), None) } else { (None, Some(phrase)) };
        let phrases = first.into_iter().chain(own).take(MAX_TRIED).chain(last).chain([title.as_str()]);
        phrases.filter(|phrase| !phrase.trim().is_empty()).find_map(|phrase| {
            let said =
                reading.map_or_else(|| phrase.to_owned(), |intent| with_values(phrase, intent, &request.message));
            let text = with_examples(said.trim(), |slot| known.slots.get(slot).filter(|_| !known.destructive))?;
            let is_playbook = known.kind == TargetKind::Playbook;
            match self.understand_within(&request.scope, &request.actor.name, &text, None) {
                Understanding::Clear { intents } => match intents.as_slice() {
                    [one] => one.target == target && one.playbook == is_playbook && one.invalid.is_empty(),
                    _ => false,
                },
                _ => false,
            }
            .then_some(text)
        })
    }
}

/// A phrase with the values of a reading in place of its slots, as they were said.
fn with_values(phrase: &str, intent: &Intent, message: &str) -> String {
    intent.slots.iter().fold(phrase.to_owned(), |phrase, slot| {
        match message.get(slot.span.clone()).map(str::trim).filter(|said| !said.is_empty()) {
            Some(said) => phrase.replace(&format!("{{{}}}", slot.name), said),
            None => phrase,
        }
    })
}

/// A phrase with example values in place of the slots that are left. `None` if a slot has none.
fn with_examples<'s>(phrase: &str, spec: impl Fn(&str) -> Option<&'s SlotSpec>) -> Option<String> {
    let (mut text, mut rest) = (String::new(), phrase);
    while let Some((before, after)) = rest.split_once('{') {
        let (slot, behind) = after.split_once('}')?;
        text.push_str(before);
        text.push_str(&example_value(slot, spec(slot)?)?);
        rest = behind;
    }
    text.push_str(rest);
    Some(text)
}

/// A value that people would write for a slot.
fn example_value(name: &str, slot: &SlotSpec) -> Option<String> {
    if slot.entity.is_some() && slot.kind == SlotKind::Uuid {
        return Some("Bob".into());
    }
    of_kind(name, &slot.kind)
}

fn of_kind(name: &str, kind: &SlotKind) -> Option<String> {
    Some(match kind {
        SlotKind::Integer => "2".into(),
        SlotKind::Decimal => "2.5".into(),
        SlotKind::Quantity(unit) => format!("2 {unit}"),
        SlotKind::Money => "50".into(),
        // A number that is reserved for examples.
        SlotKind::Phone => "+44 7700 900123".into(),
        SlotKind::Email => "bob@example.com".into(),
        SlotKind::Url => "https://example.com".into(),
        SlotKind::Date => "tomorrow".into(),
        SlotKind::Time => "3pm".into(),
        SlotKind::DateTime => "tomorrow at 3pm".into(),
        SlotKind::Duration => "2 hours".into(),
        SlotKind::Boolean => "yes".into(),
        SlotKind::Enum(values) => {
            let (token, labels) = values.first()?;
            labels.first().unwrap_or(token).clone()
        }
        SlotKind::List(inner) => of_kind(name, inner)?,
        SlotKind::Text => of_text(name)?.into(),
        SlotKind::Uuid => return None,
    })
}

/// An example of a free text, by the name of its slot.
fn of_text(name: &str) -> Option<&'static str> {
    let has = |words: &[&str]| name.split('_').any(|part| words.contains(&part));
    if has(&["suburb", "city", "town", "place", "location"]) {
        Some("Springfield")
    } else if has(&["name", "who", "person", "customer", "client", "patient", "member"]) {
        Some("Bob")
    } else if has(&["title", "text", "task", "note", "message", "subject", "summary", "what"]) {
        Some("Call Bob")
    } else {
        None
    }
}
