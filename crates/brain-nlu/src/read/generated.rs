//! Generated phrases: they count only where no written phrase does, and their values must look like values. A record type
//! has dozens of them, and nobody has read them.

use std::ops::Range;

use crate::entity::is_name_like;
use crate::phrase::Phrase;
use crate::phrase::vocabulary::SlotSpec;
use crate::read::Reader;
use crate::read::align::{Aligner, Alignment};
use crate::read::matcher::Capture;
use crate::read::near::Look;
use crate::read::object::objection;
use crate::read::shortlist::has_words_of;
use crate::text::speller::is_word;
use crate::text::tokens::tokens;
use crate::understanding::{Confidence, Evidence, Intent, Source, Stage};
use brain_english::function_words::is_function_word;
use brain_english::modality::{INVERTED, PRONOUNS, REPORTS};
use brain_slot::SlotKind;

/// Maximum number of generated phrases that are aligned with one clause.
const MAX_ALIGNED: usize = 32;

/// Words that decide what a question asks for, although most sentences do without them.
const DECISIVE: [&str; 3] = ["many", "much", "who"];

/// Whether names and texts that a generated phrase captured look like values: names, or words without function words.
pub(crate) fn has_plain_values(reader: &Reader<'_>, phrase: &Phrase, captures: &[Capture]) -> bool {
    let target = &reader.vocabulary.targets[phrase.target];
    captures.iter().all(|capture| {
        let is_text = target.slots.get(&capture.slot).is_some_and(|slot| slot.kind == SlotKind::Text);
        if !is_text && capture.mention().is_none() {
            return true;
        }
        let said = &reader.text[reader.normal.span(capture.range.clone())];
        let mut words = said.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
        is_name_like(said) || !words.any(|word| is_function_word(&word.to_lowercase()))
    })
}

/// Whether the names that a phrase in another order captured look like names of records: they may be words of the
/// sentence as well.
pub(crate) fn has_plain_names(reader: &Reader<'_>, phrase: &Phrase, captures: &[Capture]) -> bool {
    let known = reader.vocabulary.known(phrase.target);
    let target = &reader.vocabulary.targets[phrase.target];
    let is_named = |capture: &Capture| target.slots.get(&capture.slot).is_some_and(SlotSpec::is_named);
    if phrase.written.is_some() && captures.iter().any(|capture| is_named(capture) && capture.value.is_none()) {
        return false;
    }
    phrase.written.is_none()
        || captures.iter().filter(|capture| capture.mention().is_some()).all(|capture| {
            let all = tokens(reader.normal, capture.range.clone());
            let said = all.iter().skip_while(|token| is_determiner(&token.word));
            let mut count = 0;
            let is_odd = said.inspect(|_| count += 1).any(|token| {
                !token.quoted
                    && (PRONOUNS.contains(&token.word.as_str())
                        || REPORTS.contains(&token.word.as_str())
                        || INVERTED.contains(&token.word.as_str())
                        || matches!(token.word.as_str(), "her" | "him" | "to" | "for" | "by" | "after"))
            });
            let own = all
                .iter()
                .filter(|token| !is_determiner(&token.word))
                .all(|token| !token.quoted && known.explains(token));
            count > 0 && !is_odd && !own
        })
}

fn is_determiner(word: &str) -> bool {
    matches!(word, "a" | "an" | "the" | "my" | "our" | "your" | "this" | "that" | "his" | "her" | "their")
}

/// The question that a clause is nearly: it has every word of one phrase, and no phrase of another target is as near.
pub(crate) fn nearly(reader: &Reader<'_>, clause: &Range<usize>, look: &Look<'_>) -> Option<Intent> {
    let limits = &reader.context.thresholds;
    let table = &reader.vocabulary.search().model.heads.lexical.table;
    let is_known = |word: &str| table.has_word(word) || is_word(word);
    let around = &reader.context.around;
    let aligner = Aligner::new(reader.normal, reader.text, &look.tokens, clause.end, around, &is_known);
    if !aligner.is_short() || look.tokens.iter().any(|token| token.destructive) {
        return None;
    }
    let mut aligned: Vec<(&Phrase, Alignment)> = Vec::new();
    for phrase in reader.vocabulary.generated().filter(|phrase| says_all(&aligner, reader, phrase)).take(MAX_ALIGNED) {
        let target = &reader.vocabulary.targets[phrase.target];
        if reader.is_blocked(phrase, clause) || reader.is_excluded(target) {
            continue;
        }
        if let Some(alignment) = aligner.align(phrase, target, limits.pattern) {
            aligned.push((phrase, alignment));
        }
    }
    aligned.retain(|(phrase, alignment)| {
        alignment.cost <= limits.pattern
            && alignment.matched > 0
            && alignment.taken_for.is_empty()
            && has_plain_values(reader, phrase, &alignment.captures)
    });
    aligned.sort_by_key(|(_, alignment)| alignment.cost);
    let (phrase, best) = aligned.first()?;
    let near = best.cost + limits.pattern_margin;
    let rival = aligned.iter().any(|(other, alignment)| other.target != phrase.target && alignment.cost < near);
    let written = look.candidates.iter().filter_map(|candidate| candidate.aligned.as_ref());
    if rival || written.into_iter().any(|(_, alignment)| alignment.matched > 0 && alignment.cost < near) {
        return None;
    }
    let evidence = Evidence {
        tier: Stage::Pattern,
        phrase: phrase.text.to_string(),
        source: Source::Generated,
        match_type: None,
        score: crate::model::round((-(best.cost as f32) / 35.0).exp()),
        distance: Some(best.cost as f32 / 100.0),
        search: None,
        taken_for: Vec::new(),
        doubt: None,
        modality: None,
        described: None,
        account: None,
        runner_up: None,
        runner_up_score: None,
        excluded: Vec::new(),
    };
    let reading = reader.reading(phrase.target, &best.captures, clause, evidence, &best.said);
    let is_meant = reading.intent.confidence > Confidence::Low && objection(reader, &reading).is_none();
    is_meant.then_some(reading.intent)
}

/// Whether the clause has every content word of a phrase, and the same decisive words.
fn says_all(aligner: &Aligner<'_>, reader: &Reader<'_>, phrase: &Phrase) -> bool {
    let said = |word: &str| aligner.tokens.iter().any(|token| token.word == word);
    let has = |word: &str| phrase.text.split(' ').any(|one| one == word);
    DECISIVE.iter().all(|word| said(word) == has(word))
        && has_words_of(aligner, phrase.parts(&reader.vocabulary.targets[phrase.target]))
}
