//! Objections to a reading: its clause is no request, or some of its words are left over. Then another reading wins, a
//! question is answered by a read-only target, or Brain asks.

use std::ops::Range;

use crate::read::modality::Marker;
use crate::read::{Reader, Reading};
use crate::understanding::{Confidence, Modality, Question, Stage, Understanding};
use brain_english::clauses::{left_over, not_requested};

/// Why a reading must not be acted on.
pub(crate) enum Objection {
    /// The clause is no request.
    NotARequest(Marker),
    /// Words that could change what is done are left over.
    LeftOver,
}

/// The objection to a reading, if there is one. Read-only targets may be triggered by a question, and by a clause with
/// words left over, unless those limit what is asked for.
pub(crate) fn objection(reader: &Reader<'_>, reading: &Reading) -> Option<Objection> {
    let reads_only = reader.vocabulary.targets[reading.number].reads_only;
    if let Some(marker) = &reading.account.marker
        && (!reads_only || marker.modality == Modality::Negation)
    {
        return Some(Objection::NotARequest(marker.clone()));
    }
    // A value that is missing is asked for: numbers that no slot took may be it.
    let asks_anyway = reading.account.only_numbers && reading.lacks_value(reader);
    let matters = !reading.account.leftover.is_empty() && !asks_anyway && (!reads_only || reading.account.limits);
    matters.then_some(Objection::LeftOver)
}

/// What a clause means if there is an objection to its best reading. `others` are the next best, best first.
///
/// Another target answers a question only if it is about as likely as the first.
pub(crate) fn instead(
    reader: &Reader<'_>,
    clause: &Range<usize>,
    first: Reading,
    objection: &Objection,
    others: &[Reading],
) -> Understanding {
    let is_question = matches!(objection, Objection::NotARequest(marker) if marker.modality == Modality::Question);
    let first_reads = reader.vocabulary.targets[first.number].reads_only;
    let usable = |other: &&Reading| {
        let target = &reader.vocabulary.targets[other.number];
        let complete = target.slots.iter().all(|(name, slot)| {
            !slot.required || slot.has_default || other.intent.slots.iter().any(|said| said.name == *name)
        });
        complete
            && other.intent.invalid.is_empty()
            && self::objection(reader, other).is_none()
            && (if is_question { target.reads_only } else { target.reads_only == first_reads })
            && (is_question || other.intent.evidence.tier == Stage::Pattern)
    };
    if is_question && let Some(answer) = answer(reader, clause, &first) {
        return Understanding::Clear { intents: vec![answer.intent] };
    }
    if let Some(other) = others.iter().find(usable) {
        return Understanding::Clear { intents: vec![other.intent.clone()] };
    }
    ask(reader, first, objection)
}

/// The reading that shows the record which a question is about, if there is a target for it.
fn answer(reader: &Reader<'_>, clause: &Range<usize>, asked: &Reading) -> Option<Reading> {
    let slots = &reader.vocabulary.targets[asked.number].slots;
    let (kind, about) = asked.intent.slots.iter().find_map(|said| {
        let kind = slots.get(&said.name)?.entity.as_deref()?;
        (said.inferred.is_none()).then_some((kind, said))
    })?;
    let shows = |number: &usize| {
        let target = &reader.vocabulary.targets[*number];
        let mut required = target.slots.values().filter(|slot| slot.required);
        target.reads_only
            && !reader.context.excluded.contains_key(&target.name)
            && required.next().is_some_and(|slot| slot.entity.as_deref() == Some(kind))
            && required.next().is_none()
    };
    let number = (0..reader.vocabulary.targets.len()).find(shows)?;
    let target = &reader.vocabulary.targets[number];
    let (name, _) = target.slots.iter().find(|(_, slot)| slot.required)?;
    let mut evidence = asked.intent.evidence.clone();
    evidence.tier = Stage::Search;
    evidence.phrase = target.phrases.first().cloned().unwrap_or_default();
    let mut found = reader.reading(number, &[], clause, evidence, &[]);
    let mut slot = about.clone();
    slot.name.clone_from(name);
    found.intent.slots = vec![slot];
    found.intent.confidence = Confidence::Medium;
    Some(found)
}

fn ask(reader: &Reader<'_>, mut reading: Reading, objection: &Objection) -> Understanding {
    let title = &reader.vocabulary.targets[reading.number].title;
    let leftover: Vec<Range<usize>> =
        reading.account.leftover.iter().map(|range| reader.normal.span(range.clone())).collect();
    reading.intent.confidence = Confidence::Low;
    let text = match objection {
        Objection::NotARequest(marker) => {
            let word = reader.text[reader.normal.span(marker.range.clone())].to_owned();
            let text = not_requested(marker.modality.name(), &word, title);
            reading.intent.evidence.doubt = Some(word);
            reading.intent.evidence.modality = Some(marker.modality);
            text
        }
        Objection::LeftOver => left_over(&reading.account.words(reader), title),
    };
    Understanding::Ask(Question { text, options: vec![reading.intent], leftover, tiers: Vec::new() })
}
