//! What speaks for a reading and against it, as numbers.

mod weights;

use self::weights::{ACT, ASK, RANK};
use crate::entity::is_name_like;
use crate::phrase::vocabulary::SlotSpec;
use crate::read::choose::{Candidate, Likely};
use crate::read::fill::about::{ABOUT_IT, ONLY_NAME};
use crate::read::fill::codes::is_code_slot;
use crate::read::near::Look;
use crate::read::{Reader, Reading};
use crate::text::tokens::Token;
use crate::understanding::SlotValue;
use brain_english::inflection::inflected;
use brain_english::modality::{INVERTED, PRONOUNS, REPORTS};

/// The places of some features.
pub(crate) const NAMES_ONLY: usize = 40;
const ODD: usize = 41;

/// How a list of readings looks as a whole.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outlook {
    /// Probability that the first is right.
    pub(crate) right: f32,
    /// Probability that the right one is in the list.
    pub(crate) near: f32,
}

/// Whether a target that reads would answer about a record that may be of another kind, or with words that look like
/// parts of the sentence.
pub(crate) fn is_vague(features: &[f32; COUNT], target: &crate::phrase::vocabulary::Target) -> bool {
    target.reads_only && (features[NAMES_ONLY] > 0.0 || features[ODD] > 0.0)
}

/// Sorts readings, the best first, and sets their scores to their probabilities among each other.
pub(crate) fn sort(likely: &mut [Likely<'_, '_>]) -> Outlook {
    let dot = |weights: &[f32], features: &[f32]| -> f32 { weights.iter().zip(features).map(|(a, b)| a * b).sum() };
    let scores: Vec<f32> = likely.iter().map(|one| dot(RANK, &one.features)).collect();
    let top = scores.iter().copied().fold(f32::MIN, f32::max);
    let all: f32 = scores.iter().map(|score| (score - top).exp()).sum();
    for (one, score) in likely.iter_mut().zip(&scores) {
        one.score = crate::model::round((score - top).exp() / all);
        one.reading.intent.evidence.account = Some(one.score);
    }
    likely.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.candidate.target.cmp(&b.candidate.target)));
    let Some(first) = likely.first() else { return Outlook::default() };
    let mut features = first.features.to_vec();
    features.extend([first.score, likely.get(1).map_or(0.0, |second| second.score), top / 5.0, 1.0]);
    let sigmoid = |score: f32| crate::model::round(1.0 / (1.0 + (-score).exp()));
    Outlook { right: sigmoid(dot(ACT, &features)), near: sigmoid(dot(ASK, &features)) }
}

/// The number of features.
pub(crate) const COUNT: usize = 58;

/// A reading of a text as one request, and what speaks for it.
pub struct Weighed {
    /// The reading.
    pub intent: crate::understanding::Intent,
    /// Its features.
    pub features: Vec<f32>,
    /// Whether no rule forbids acting on it.
    pub may_act: bool,
}

/// The readings of a text as one request, without choosing.
pub fn weighed(vocabulary: &crate::Vocabulary, text: &str, context: &crate::Context<'_>) -> Vec<Weighed> {
    let text = crate::read::courtesy::core_of(text);
    let normal = brain_slot::Normal::new(text);
    let reader = Reader::new(vocabulary, &normal, text, context);
    let clause = 0..normal.len();
    let look = crate::read::near::look(&reader, clause.clone());
    let (likely, _) = crate::read::choose::likely(&reader, &clause, &look);
    let one = |one: Likely<'_, '_>| Weighed {
        features: one.features.to_vec(),
        may_act: crate::read::object::forbids(&reader, &one.reading).is_none()
            && !crate::read::choose::is_risky(&reader, &look, one.candidate)
            && !is_vague(&one.features, &vocabulary.targets[one.reading.number]),
        intent: one.reading.intent,
    };
    likely.into_iter().map(one).collect()
}

/// The features of a reading, each about from -1 to 1.
pub(crate) fn features(
    reader: &Reader<'_>,
    look: &Look<'_>,
    candidate: &Candidate<'_>,
    reading: &Reading,
) -> [f32; COUNT] {
    let target = &reader.vocabulary.targets[candidate.target];
    let flag = |is: bool| f32::from(u8::from(is));
    let few = |count: usize| (count.min(4) as f32) / 4.0;
    let scope = look.found.scope;
    let scored = candidate.scored;
    let concept = candidate.concept.as_ref();
    let parts = concept.map_or([0.0; 4], |concept| concept.parts);
    let account = &reading.account;
    let content = account.content.max(1) as f32;
    let slot = |said: &SlotValue| target.slots.get(&said.name);
    let slots = &reading.intent.slots;
    let guessed = |kind: &dyn Fn(&SlotSpec) -> bool| {
        slots.iter().filter(|said| said.inferred.is_some() && slot(said).is_some_and(kind)).count()
    };
    let typed = |spec: &SlotSpec| !spec.kind.is_text() && !spec.is_named();
    let required = target.slots.values().filter(|slot| slot.required && !slot.has_default).count();
    let missing = reading.missing(reader);
    let own = reader.vocabulary.known(candidate.target);
    let is_noun = |word: &str| target.nouns.iter().any(|noun| noun == word || inflected(noun, word));
    let noun = look.tokens.iter().any(|token| !token.quoted && is_noun(&token.word));
    let acts = look.tokens.iter().any(|token| !token.quoted && own.asks(token));
    let named = slots.iter().filter(|said| slot(said).is_some_and(SlotSpec::is_named));
    let question = look.concepts.is_question;
    let matched = candidate.aligned.as_ref().map_or(0, |(_, alignment)| alignment.matched);
    let cost = candidate.cost().map_or(1.5, |cost| (cost as f32 / 100.0).min(1.5));
    let in_slot = |token: &Token| {
        let at = reader.normal.span(token.range.clone());
        slots.iter().any(|said| said.span.start < at.end && at.start < said.span.end)
    };
    let said: Vec<&Token> = look.tokens.iter().filter(|token| !token.quoted && !token.function_word).collect();
    let outside: Vec<&&Token> = said.iter().filter(|token| !in_slot(token)).collect();
    // A verb that means something else than the target does.
    let other_verbs =
        outside.iter().filter(|token| token.actions != 0 && !own.asks(token) && !own.explains(token)).count();
    let heads = outside.first().is_some_and(|token| own.asks(token));
    let thing = parts[1] > 0.3 || noun;
    let is_name = |said: &SlotValue| {
        slot(said).is_some_and(SlotSpec::is_named)
            || is_code_slot(&said.name)
            || said.inferred.as_deref() == Some(ONLY_NAME)
    };
    let names_only = !thing && slots.iter().any(is_name);
    // Guessed values that look like parts of the sentence.
    let odd = slots
        .iter()
        .filter(|said| said.inferred.is_some() && slot(said).is_some_and(|spec| spec.kind.is_text() || spec.is_named()))
        .filter(|said| {
            let is_no_name = said.name.split('_').any(|part| part == "name")
                && !is_name_like(reader.text.get(said.span.clone()).unwrap_or_default());
            look.tokens.iter().any(|token| {
                let at = reader.normal.span(token.range.clone());
                let inside = said.span.start <= at.start && at.end <= said.span.end;
                inside
                    && (is_no_name
                        || token.actions != 0
                        || PRONOUNS.contains(&token.word.as_str())
                        || INVERTED.contains(&token.word.as_str())
                        || REPORTS.contains(&token.word.as_str()))
            })
        })
        .count();
    let table = &reader.vocabulary.search().model.heads.lexical.table;
    let known = outside.iter().filter(|token| table.has_word(&token.word)).count() as f32 / outside.len().max(1) as f32;
    // Nothing in the clause speaks against the reading.
    let calm = if target.reads_only {
        (account.minor + account.leftover.len() == 0 || account.asks) && !account.drops_name
    } else {
        account.minor == 0 && !reading.guessed
    };
    let by =
        |reason: &str| slots.iter().any(|said| said.inferred.as_deref().is_some_and(|why| why.starts_with(reason)));
    let rival = look.candidates.iter().filter(|other| other.target != candidate.target);
    let rival = rival.map(Candidate::described).fold(0.0, f32::max);
    let lead = candidate.described() - rival;
    let mut all = [0.0; COUNT];
    let list = [
        candidate.fit(),
        1.5 - cost,
        few(matched),
        scored.map_or(0.0, |scored| scored.score),
        scored.map_or(0.0, |scored| scored.score) * scope,
        scope,
        scored.map_or(0.0, |scored| scored.alike),
        flag(look.found.best.first().is_some_and(|first| usize::from(first.label) == candidate.target)),
        candidate.described(),
        flag(concept.is_some_and(|concept| concept.is_complete)),
        flag(concept.is_some_and(|concept| concept.asks)),
        account.in_phrase as f32 / content,
        account.in_values as f32 / content,
        few(account.minor),
        few(account.leftover.len()),
        flag(account.limits),
        few(missing),
        flag(required > 0 && missing == 0),
        few(reading.intent.invalid.len()),
        few(guessed(&SlotSpec::is_named)),
        few(guessed(&|spec| spec.kind.is_text())),
        few(guessed(&typed)),
        few(slots.iter().filter(|said| slot(said).is_some_and(typed)).count()),
        flag(target.reads_only && question),
        flag(target.reads_only && !question),
        flag(!target.reads_only && question),
        flag(account.marker.is_some()),
        flag(acts),
        flag(noun),
        flag(target.destructive),
        few(named.count()),
        few(account.in_phrase),
        parts[0],
        parts[1],
        parts[2],
        parts[3],
        flag(account.minor + account.leftover.len() + missing + reading.intent.invalid.len() == 0),
        flag(reading.guessed),
        flag(account.drops_name),
        few(other_verbs),
        flag(names_only),
        few(odd),
        (account.minor + account.leftover.len()) as f32 / content,
        flag(heads),
        known,
        few(said.len()),
        candidate.weight,
        candidate.weight * reading.fullness(reader),
        flag(calm),
        flag(calm) * candidate.described(),
        flag(calm && concept.is_some_and(|concept| concept.is_complete && concept.score >= 0.6)),
        lead,
        flag(by("the rest of the sentence")),
        flag(by("it stands behind the colon")),
        flag(by("no other slot fits")),
        flag(by(ABOUT_IT)),
        flag(target.reads_only && outside.iter().any(|token| token.destructive)),
        flag(!target.reads_only && !target.destructive && outside.iter().any(|token| token.destructive)),
    ];
    for (at, value) in list.into_iter().enumerate() {
        all[at] = crate::model::round(value);
    }
    all
}
