//! Objections to a reading: its clause is no request, or some of its words are left over. Then another reading wins, a
//! question is answered by a read-only target, or Brain asks.

use std::ops::Range;

use crate::entity::is_name_like;
use crate::read::account::Account;
use crate::read::choose::MAX_OPTIONS;
use crate::read::modality::Marker;
use crate::read::{Reader, Reading};
use crate::text::tokens::tokens;
use crate::understanding::{Confidence, Intent, Modality, Question, Stage, Understanding};
use brain_english::clauses::{guessed, left_over, not_requested, or_else, what_about, which};
use brain_english::inflection::inflected;

/// Why a reading must not be acted on.
pub(crate) enum Objection {
    /// The clause is no request.
    NotARequest(Marker),
    /// Words that could change what is done are left over.
    LeftOver,
    /// A name or text that no phrase assigns was guessed.
    Guessed,
    /// It is only the least unlikely one.
    Unsure,
}

/// The objection to a reading, if there is one. Read-only targets may be triggered by a question, and by a clause with
/// words left over, unless those limit what is asked for.
pub(crate) fn forbids(reader: &Reader<'_>, reading: &Reading) -> Option<Objection> {
    let reads_only = reader.vocabulary.targets[reading.number].reads_only;
    if let Some(marker) = &reading.account.marker
        && (!reads_only || marker.modality == Modality::Negation)
    {
        return Some(Objection::NotARequest(marker.clone()));
    }
    // A value that is missing is asked for: numbers that no slot took may be it.
    let lacks_value = reading.lacks_value(reader);
    let asks_anyway = reading.account.only_numbers && lacks_value;
    let matters = !reading.account.leftover.is_empty() && !asks_anyway && (!reads_only || reading.account.limits);
    if matters {
        return Some(Objection::LeftOver);
    }
    None
}

/// [`forbids`], and what makes a reading that search found uncertain.
pub(crate) fn objection(reader: &Reader<'_>, reading: &Reading) -> Option<Objection> {
    if let Some(found) = forbids(reader, reading) {
        return Some(found);
    }
    let reads_only = reader.vocabulary.targets[reading.number].reads_only;
    let lacks_value = reading.lacks_value(reader);
    let is_search = reading.intent.evidence.tier == Stage::Search;
    if !is_search || lacks_value {
        return None;
    }
    // Search knows the words of a whole sentence only roughly: those that it does not use may say something else.
    if !reads_only && reading.account.minor > 0 {
        return Some(Objection::LeftOver);
    }
    let score = reading.intent.evidence.account.unwrap_or(reading.intent.evidence.score);
    let limits = &reader.context.thresholds;
    if reads_only {
        let ignored = reading.account.minor + reading.account.leftover.len();
        if (ignored > 0 && !reading.account.asks) || reading.account.drops_name {
            return Some(Objection::LeftOver);
        }
    }
    if score < limits.clear {
        return Some(Objection::Unsure);
    }
    reading.guessed.then_some(Objection::Guessed)
}

/// What a clause means if there is an objection to its best reading. `others` are the next best that may be meant instead,
/// `also` those to offer beside it if Brain asks; best first.
///
/// Another target answers a question only if it is about as likely as the first.
pub(crate) fn instead(
    reader: &Reader<'_>,
    clause: &Range<usize>,
    first: Reading,
    objection: &Objection,
    others: &[Reading],
    also: &[Reading],
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
            && (is_question || target.reads_only || other.intent.evidence.tier == Stage::Pattern)
    };
    if is_question && let Some(answer) = answer(reader, clause, &first) {
        return Understanding::Clear { intents: vec![answer.intent] };
    }
    if let Some(other) = others.iter().find(usable) {
        return Understanding::Clear { intents: vec![other.intent.clone()] };
    }
    ask(reader, first, objection, also)
}

/// The reading that shows the record which a question is about, if there is a target for it.
fn answer(reader: &Reader<'_>, clause: &Range<usize>, asked: &Reading) -> Option<Reading> {
    let slots = &reader.vocabulary.targets[asked.number].slots;
    let (kind, about) = asked.intent.slots.iter().find_map(|said| {
        let kind = slots.get(&said.name)?.entity.as_deref()?;
        (said.inferred.is_none()).then_some((kind, said))
    })?;
    // “is it Friday yet” is about no record.
    let said = reader.text.get(about.span.clone()).unwrap_or_default();
    let nouns = &reader.vocabulary.targets[asked.number].nouns;
    let is_kind = |word: &str| word == kind || nouns.iter().any(|noun| noun == word || inflected(noun, word));
    let names_kind = || tokens(reader.normal, clause.clone()).iter().any(|token| is_kind(&token.word));
    let is_full_name = asked.account.in_phrase > 0 && is_name_like(said) && said.split_whitespace().count() > 1;
    if !names_kind() && !is_full_name && !said.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let shows = |number: &usize| {
        let target = &reader.vocabulary.targets[*number];
        let mut required = target.slots.values().filter(|slot| slot.required);
        target.reads_only
            && !reader.is_excluded(target)
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

fn ask(reader: &Reader<'_>, mut reading: Reading, objection: &Objection, also: &[Reading]) -> Understanding {
    // Where search found the reading, and not all of the clause speaks for it, the next best may be meant as well.
    let is_open = reading.intent.evidence.tier == Stage::Search && !matches!(objection, Objection::NotARequest(_));
    let also: Vec<Intent> = also
        .iter()
        .filter(|other| is_open && other.number != reading.number)
        .take(MAX_OPTIONS - 1)
        .map(|other| Intent { confidence: Confidence::Low, ..other.intent.clone() })
        .collect();
    let titles: Vec<String> = std::iter::once(&reading.intent)
        .chain(&also)
        .filter_map(|intent| reader.vocabulary.number_of(&intent.target))
        .map(|number| format!("“{}”", reader.vocabulary.targets[number].title))
        .collect();
    let title = &reader.vocabulary.targets[reading.number].title;
    let ignored = reading.account.ignored(reader);
    let leftover: Vec<Range<usize>> = match objection {
        Objection::LeftOver => ignored.iter().map(|range| reader.normal.span(range.clone())).collect(),
        _ => reading.account.leftover.iter().map(|range| reader.normal.span(range.clone())).collect(),
    };
    reading.intent.confidence = Confidence::Low;
    let text = match objection {
        Objection::NotARequest(marker) => {
            let word = reader.text[reader.normal.span(marker.range.clone())].to_owned();
            let text = not_requested(marker.modality.name(), &word, title);
            reading.intent.evidence.doubt = Some(word);
            reading.intent.evidence.modality = Some(marker.modality);
            text
        }
        Objection::LeftOver if !also.is_empty() => {
            format!("{} {}", what_about(&Account::words(reader, &ignored)), which(&titles))
        }
        Objection::LeftOver => left_over(&Account::words(reader, &ignored), title),
        Objection::Unsure => which(&titles),
        Objection::Guessed => {
            let values = reading.intent.slots.iter().filter(|slot| slot.inferred.is_some());
            let values: Vec<(String, &str)> = values
                .map(|slot| {
                    (slot.name.replace('_', " "), reader.text.get(slot.span.clone()).unwrap_or_default().trim())
                })
                .collect();
            let asked = guessed(title, &values);
            if titles.len() > 1 { format!("{asked} Or {}?", or_else(&titles[1..])) } else { asked }
        }
    };
    let options = std::iter::once(reading.intent).chain(also).collect();
    Understanding::Ask(Question { text, options, leftover, tiers: Vec::new(), within: None })
}
