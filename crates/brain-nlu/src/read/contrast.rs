//! What a sentence rules out behind a complete request: “mark Lin Wei as lost, not Bob Carr”, “show the Ito quote but
//! don't finalize it”. Nothing more has to be done for it.

use crate::phrase::vocabulary::Vocabulary;
use crate::read::matcher::MENTION;
use crate::text::tokens::tokens;
use crate::understanding::{Accounted, Confidence, Intent, Modality, Role, Understanding};
use brain_slot::Normal;

/// What may stand between a request and what is ruled out, longest first.
const JOINTS: [&str; 8] = [", but ", " but ", ", and ", " and ", "; ", ". ", ", ", " – "];

/// The requests before a negation such as “, not Bob” that only excludes something and requests nothing itself.
pub(super) fn without_ruled_out(
    vocabulary: &Vocabulary,
    text: &str,
    first: &Understanding,
    read: &dyn Fn(&str) -> Understanding,
) -> Option<Understanding> {
    let Understanding::Ask(question) = first else { return None };
    let refused = question.options.first().filter(|one| one.evidence.modality == Some(Modality::Negation))?;
    let word = refused.evidence.doubt.as_deref()?;
    let at = text.find(word)?;
    let joint = JOINTS.iter().find(|joint| text[..at].ends_with(*joint))?;
    let head = &text[..at - joint.len()];
    let tail = text[at + word.len()..].trim_matches(|c: char| !c.is_alphanumeric());
    let Understanding::Clear { mut intents } = read(head) else { return None };
    let last = intents.last_mut()?;
    if tail.is_empty()
        || !is_complete(vocabulary, last)
        || !(is_other_name(last, tail) || is_other_action(vocabulary, last, tail))
    {
        return None;
    }
    last.account.push(Accounted { span: at..text.trim_end().len(), role: Role::Minor });
    for intent in &mut intents {
        intent.confidence = intent.confidence.min(Confidence::Medium);
    }
    Some(Understanding::Clear { intents })
}

fn is_complete(vocabulary: &Vocabulary, intent: &Intent) -> bool {
    let target = vocabulary.targets().iter().find(|target| target.name == intent.target);
    let is_said = |name: &String| intent.slots.iter().any(|slot| slot.name == *name);
    intent.invalid.is_empty()
        && target.is_some_and(|target| {
            target.slots.iter().all(|(name, slot)| !slot.required || slot.has_default || is_said(name))
        })
}

/// Whether the words are a name, and the request has another one: “not Bob Carr”, “not to Jonas”.
fn is_other_name(intent: &Intent, tail: &str) -> bool {
    let tail = tail.strip_prefix("to ").or_else(|| tail.strip_prefix("for ")).unwrap_or(tail);
    let names = intent.slots.iter().filter_map(|slot| slot.value.get(MENTION)?.as_str());
    let mut others = names.filter(|name| *name != tail);
    tail.split_whitespace().count() <= 4 && crate::entity::is_name_like(tail) && others.next().is_some()
}

/// Whether the words are about another action than the request: “don't finalize it”.
fn is_other_action(vocabulary: &Vocabulary, intent: &Intent, tail: &str) -> bool {
    let Some(number) = vocabulary.number_of(&intent.target) else { return false };
    let normal = Normal::new(tail);
    let all = tokens(&normal, 0..normal.len());
    let Some(verb) = all.first() else { return false };
    let is_short = all.len() <= 6;
    let names_another = vocabulary
        .targets()
        .iter()
        .enumerate()
        .any(|(other, target)| other != number && target.action().0 == verb.word);
    is_short && (verb.actions != 0 || names_another) && !vocabulary.known(number).explains(verb)
}
