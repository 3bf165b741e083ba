//! Chooses between acting, asking and giving up. It errs on the safe side: a near tie between a destructive target and
//! another leads to a question, and no destructive target is chosen because of a similar word.

use std::ops::Range;

use crate::concept::ConceptScore;
use crate::model::Scored;
use crate::phrase::Phrase;
use crate::read::align::{Alignment, misspelt};
use crate::read::fill;
use crate::read::near::Look;
use crate::read::object::{Objection, forbids, instead, objection};
use crate::read::rank::{self, Outlook};
use crate::read::{Reader, Reading, tiers};
use crate::text::speller::is_word;
use crate::text::tokens::Token;
use crate::tier::TierOption;
use crate::understanding::{Confidence, Evidence, Intent, Question, SearchEvidence, Source, Stage, Understanding};
use brain_english::actions::is_destructive;
use brain_english::inflection::inflected;
use brain_english::modality::PRONOUNS;

/// Maximum number of suggestions.
pub(crate) const MAX_SUGGESTIONS: usize = 3;
/// Minimum score of concepts, or similarity to a phrase, of a suggestion that shares no word with the clause.
const NEAR_MEANING: f32 = 0.25;
const NEAR_PHRASE: f32 = 0.45;
/// Maximum number of readings for which a word account is computed.
const MAX_ACCOUNTED: usize = 6;
/// Maximum number of options in a question.
pub(crate) const MAX_OPTIONS: usize = 4;
/// Minimum score of an option, as a share of the best one's.
const MIN_SHARE: f32 = 0.04;
/// Minimum weight of a target that counts for the kind of action, as a share of the nearest one's.
const NEAR_SHARE: f32 = 0.3;
/// Weight of the concept score in a candidate's combined score.
const CONCEPT: f32 = 0.85;
/// Minimum weight of the best candidate for a question about a clause that names something by its number.
const WEAK: f32 = 0.1;
/// The number of targets of the packs that the weights were fitted to.
const FEW: f32 = 50.0;
/// Minimum strength of an action that names a destructive target.
const NAMES_ACTION: f32 = 0.75;

/// Thresholds for acting and asking. Scores are from 0 to 1.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Thresholds {
    /// Maximum cost of an approximate match, in hundredths.
    pub pattern: u32,
    /// Minimum cost difference to the best phrase of another target, in hundredths.
    pub pattern_margin: u32,
    /// Minimum confidence of search.
    pub clear: f32,
    /// Minimum lead over the second best target.
    pub margin: f32,
    /// Minimum in-scope probability for acting.
    pub scope: f32,
    /// Minimum probability that a request is among the readings, for a clarifying question.
    pub ask: f32,
    /// Minimum probability that a reading is right, for answering with a target that reads.
    pub read: f32,
    /// The same for acting with any other target.
    pub write: f32,
    /// The factor by which a reading must be more probable than the next to be asked about alone.
    pub account_lead: f32,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            pattern: 30,
            pattern_margin: 10,
            clear: 0.75,
            margin: 0.15,
            scope: 0.5,
            ask: 0.55,
            read: 0.85,
            write: 0.92,
            account_lead: 1.25,
        }
    }
}

/// A target that may be meant, with its evidence.
pub(crate) struct Candidate<'a> {
    pub(crate) target: usize,
    pub(crate) scored: Option<Scored>,
    pub(crate) aligned: Option<(&'a Phrase, Alignment)>,
    /// How well the concepts of the clause describe it.
    pub(crate) concept: Option<ConceptScore>,
    pub(crate) source: Source,
    /// Combined score, including the boost from the conversation.
    pub(crate) weight: f32,
}

impl<'a> Candidate<'a> {
    pub(crate) fn new(target: usize) -> Self {
        Self { target, scored: None, aligned: None, concept: None, source: Source::Generated, weight: 0.0 }
    }

    /// Keeps the better of two phrases.
    pub(crate) fn offer(&mut self, phrase: &'a Phrase, alignment: Alignment, source: Source) {
        let better = self.aligned.as_ref().is_none_or(|(_, best)| {
            (alignment.cost, std::cmp::Reverse(alignment.matched)) < (best.cost, std::cmp::Reverse(best.matched))
        });
        if better {
            self.aligned = Some((phrase, alignment));
            self.source = source;
        }
    }

    /// How well its best phrase fits, 0 to 1.
    pub(crate) fn fit(&self) -> f32 {
        match &self.aligned {
            Some((_, alignment)) if alignment.matched > 0 => (-(alignment.cost as f32) / 35.0).exp(),
            _ => 0.0,
        }
    }

    pub(crate) fn weigh(&mut self, boost: f32, scope: f32) {
        // Out of scope, search still ranks something first.
        let search = self.scored.map_or(0.0, |scored| scored.score) * (0.4 + 0.6 * scope);
        let concept = self.described();
        let apart = (1.0 - self.fit()) * (1.0 - 0.9 * search) * (1.0 - CONCEPT * concept);
        self.weight = crate::model::round(boost * (1.0 - apart));
    }

    /// How well the concepts of the clause describe it, 0 to 1.
    pub(crate) fn described(&self) -> f32 {
        self.concept.as_ref().map_or(0.0, |concept| concept.score)
    }

    /// Cost of its best phrase, if the phrase shares a word with the clause.
    pub(crate) fn cost(&self) -> Option<u32> {
        self.aligned.as_ref().filter(|(_, alignment)| alignment.matched > 0).map(|(_, alignment)| alignment.cost)
    }

    /// Whether it is similar enough to be suggested: by a word, by what the words mean, or by a phrase of like meaning.
    pub(crate) fn is_worth_naming(&self) -> bool {
        let is_near = self.cost().is_some()
            || self.described() >= NEAR_MEANING
            || self.scored.is_some_and(|scored| scored.alike >= NEAR_PHRASE);
        self.weight >= 0.1 && is_near
    }
}

/// The requests of a clause or a question about it; `None` if it is out of scope.
pub(crate) fn choose(reader: &Reader<'_>, clause: &Range<usize>, look: &Look<'_>) -> Option<Understanding> {
    let best = look.candidates.first()?;
    let limits = &reader.context.thresholds;
    let rival = look.candidates.get(1);
    let nearly = matches_nearly(look, best, limits);
    let surely = best.scored.is_some()
        && look.found.best.first().is_some_and(|first| usize::from(first.label) == best.target)
        && look.found.scope >= limits.scope
        && look.found.confidence >= limits.clear
        && rival.is_none_or(|rival| best.weight - rival.weight >= limits.margin);
    let surely = surely && asks_for(reader, look, best);
    if (nearly || surely) && !is_risky(reader, look, best) {
        let stage = if nearly { Stage::Pattern } else { Stage::Search };
        let first = reading(reader, clause, look, best, rival, stage);
        let Some(objection) = objection(reader, &first) else {
            return Some(Understanding::Clear { intents: vec![first.intent] });
        };
        let likely = look.candidates.iter().skip(1).take_while(|other| other.weight >= 0.5 * best.weight);
        let others: Vec<Reading> = likely
            .take(MAX_OPTIONS)
            .map(|other| reading(reader, clause, look, other, Some(best), stage_of(reader, other)))
            .collect();
        return Some(instead(reader, clause, first, &objection, &others, &others));
    }
    let (likely, outlook) = likely(reader, clause, look);
    let first = likely.first()?;
    let forbidden = forbids(reader, &first.reading);
    let limit = match reader.vocabulary.targets[first.reading.number].reads_only {
        _ if first.reading.accounts_for_all(reader) => limits.clear,
        true => limits.read,
        false => limits.write,
    };
    let needed = needed(reader, limit);
    let is_vague = rank::is_vague(&first.features, &reader.vocabulary.targets[first.reading.number]);
    if forbidden.is_none() && !is_vague && outlook.right >= needed && !is_risky(reader, look, first.candidate) {
        return Some(Understanding::Clear { intents: vec![first.reading.intent.clone()] });
    }
    let plausible = nearly
        || surely
        || (outlook.near >= limits.ask && says_enough(first))
        || look.found.scope >= limits.scope
        // Every word is one of the pack's: “the fund book”.
        || (best.cost().is_some() && first.reading.account.minor == 0 && first.reading.account.leftover.is_empty())
        || best.cost().is_some_and(|cost| cost <= 2 * limits.pattern)
        || (best.weight >= WEAK && has_identifier(&look.tokens));
    if !plausible {
        return None;
    }
    let second = likely.get(1).map_or(0.0, |other| other.score);
    let leads = first.score >= limits.account_lead * second;
    let found = objection(reader, &first.reading);
    // Where the best reading is only the least unlikely of many, the kind of action is asked for first.
    let is_open = matches!(found, Some(Objection::Unsure)) && kind_first(reader, &likely).is_some();
    if let Some(found) = found.filter(|found| !is_open && (leads || matches!(found, Objection::NotARequest(_)))) {
        let worth = MIN_SHARE * first.score;
        let mut readings = likely.into_iter().filter(|one| one.score >= worth).map(|one| one.reading);
        let first = readings.next()?;
        let also: Vec<Reading> = readings.collect();
        return Some(instead(reader, clause, first, &found, &[], &also));
    }
    question(reader, likely)
}

/// The probability from which a reading is acted on. The weights were fitted to packs of at most `FEW` targets; among more,
/// more others are likely too.
fn needed(reader: &Reader<'_>, limit: f32) -> f32 {
    let share = (FEW / reader.vocabulary.searched().len().max(1) as f32).min(1.0);
    limit + (1.0 - limit) * (1.0 - share)
}

/// Whether more than one verb speaks for a reading: “make me a sandwich” is worth no question.
fn says_enough(first: &Likely<'_, '_>) -> bool {
    let account = &first.reading.account;
    let [_, thing, state, values] = first.candidate.concept.as_ref().map_or([0.0; 4], |concept| concept.parts);
    account.in_phrase >= 2
        || (account.in_values > 0 && !first.reading.guessed && first.features[rank::NAMES_ONLY] == 0.0)
        || account.content <= 1
        || thing.max(state).max(values) > 0.3
}

/// Whether a clause has an identifier, such as `T-602`: then it is about something of the pack.
fn has_identifier(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| {
        let digits = token.word.chars().filter(char::is_ascii_digit).count();
        let letters = token.word.chars().filter(|c| c.is_alphabetic()).count();
        !token.quoted && digits > 0 && letters > 0 && (token.word.contains('-') || digits >= 2)
    })
}

/// A likely reading, and what speaks for it.
pub(crate) struct Likely<'l, 'a> {
    /// Its probability among the readings.
    pub(crate) score: f32,
    pub(crate) features: [f32; rank::COUNT],
    pub(crate) candidate: &'l Candidate<'a>,
    pub(crate) reading: Reading,
}

/// The likely readings, best first: those that use the words and values of the clause, and lack none.
pub(crate) fn likely<'l, 'a>(
    reader: &Reader<'a>,
    clause: &Range<usize>,
    look: &'l Look<'a>,
) -> (Vec<Likely<'l, 'a>>, Outlook) {
    let mut list: Vec<Likely<'l, 'a>> = look
        .candidates
        .iter()
        .take(MAX_ACCOUNTED)
        .map(|candidate| {
            let rival = look.candidates.iter().find(|other| other.target != candidate.target);
            let reading = reading(reader, clause, look, candidate, rival, stage_of(reader, candidate));
            let features = rank::features(reader, look, candidate, &reading);
            Likely { score: 0.0, features, candidate, reading }
        })
        .collect();
    let outlook = rank::sort(&mut list);
    (list, outlook)
}

/// Whether the clause asks for what a target does. A target that reads is asked for with a question, or with a verb:
/// “tear up the Aziz estimate” does not ask to show it.
fn asks_for(reader: &Reader<'_>, look: &Look<'_>, candidate: &Candidate<'_>) -> bool {
    if !reader.vocabulary.targets[candidate.target].reads_only || look.concepts.is_question {
        return true;
    }
    let own = reader.vocabulary.known(candidate.target);
    candidate.concept.as_ref().is_some_and(|concept| concept.asks)
        || look.tokens.iter().any(|token| !token.quoted && own.asks(token))
        || look.tokens.iter().all(|token| token.actions == 0 && own.explains(token))
}

/// Whether the best phrase matches approximately and no other target's phrase comes close.
fn matches_nearly(look: &Look<'_>, best: &Candidate<'_>, limits: &Thresholds) -> bool {
    let Some(cost) = best.cost().filter(|cost| *cost <= limits.pattern) else { return false };
    let others = look.candidates.iter().filter(|other| other.target != best.target).filter_map(Candidate::cost);
    others.min().is_none_or(|other| other >= cost + limits.pattern_margin)
}

/// Whether a wrong choice could delete something.
pub(crate) fn is_risky(reader: &Reader<'_>, look: &Look<'_>, best: &Candidate<'_>) -> bool {
    let takes_away = |candidate: &Candidate<'_>| reader.vocabulary.targets[candidate.target].destructive;
    let close =
        |share: f32| look.candidates.iter().skip(1).take_while(move |other| other.weight >= share * best.weight);
    if takes_away(best) {
        let own = reader.vocabulary.targets[best.target].action().0;
        let is_slip = |word: &str| !is_word(word) && misspelt(word, &own) == Some(1);
        let by_name = |token: &Token| {
            !token.quoted && (token.word == own || inflected(&own, &token.word) || is_slip(&token.word))
        };
        let said = best.aligned.as_ref().is_some_and(|(_, alignment)| alignment.said_destructive)
            || look.tokens.iter().any(by_name)
            // What cannot be undone but deletes nothing may be named by any expression that nearly always means it.
            || !is_destructive(&own) && best.concept.as_ref().is_some_and(|concept| concept.parts[0] >= NAMES_ACTION);
        // Which of two things is to be taken away, only a person knows.
        let rivals = |other: &&Candidate<'_>| other.target != best.target && takes_away(other);
        if look.candidates.iter().filter(rivals).any(|other| other.described() >= best.described() - 0.05)
            && best.cost().is_none_or(|cost| cost > 0)
        {
            return true;
        }
        // Another target is as likely only if the clause has its verb too.
        let is_asked_for = |other: &Candidate<'_>| {
            let known = reader.vocabulary.known(other.target);
            look.tokens.iter().any(|token| !token.quoted && known.asks(token))
        };
        return !said || close(0.6).any(|other| !takes_away(other) && is_asked_for(other));
    }
    let asks_for_it = look.tokens.iter().any(|token| !token.quoted && token.destructive);
    asks_for_it && close(0.6).any(takes_away)
}

/// The stage at which a candidate was found.
fn stage_of(reader: &Reader<'_>, candidate: &Candidate<'_>) -> Stage {
    let near = candidate.cost().is_some_and(|cost| cost <= reader.context.thresholds.pattern);
    if near { Stage::Pattern } else { Stage::Search }
}

/// The targets that are about as near as the nearest: the model tells apart what a name alone does not.
fn near_targets(likely: &[Likely<'_, '_>]) -> Vec<usize> {
    let nearest = likely.iter().map(|one| one.candidate.weight).fold(0.0, f32::max);
    let near = likely.iter().filter(|one| one.candidate.weight >= NEAR_SHARE * nearest);
    near.map(|one| one.candidate.target).collect()
}

/// The question for the kind of action, unless only one reading is worth naming.
fn kind_first(reader: &Reader<'_>, likely: &[Likely<'_, '_>]) -> Option<(String, Vec<TierOption>)> {
    let second = likely.get(1)?;
    (second.score >= MIN_SHARE * likely[0].score).then(|| tiers::kind_first(reader, &near_targets(likely))).flatten()
}

fn question(reader: &Reader<'_>, likely: Vec<Likely<'_, '_>>) -> Option<Understanding> {
    let best = likely.first()?.score;
    let kinds = kind_first(reader, &likely);
    let worth = |one: &Likely<'_, '_>| one.score >= MIN_SHARE * best;
    let likely: Vec<Likely<'_, '_>> = likely.into_iter().filter(worth).collect();
    if let Some(found) = tiers::only_one_left(reader, &likely) {
        return Some(found);
    }
    let options: Vec<Intent> = likely
        .into_iter()
        .take(MAX_OPTIONS)
        .map(|one| {
            let mut option = one.reading.intent;
            option.confidence = Confidence::Low;
            option
        })
        .collect();
    if options.is_empty() {
        return None;
    }
    Some(Understanding::Ask(match kinds {
        Some((text, tiers)) => {
            Question { text, options, leftover: Vec::new(), tiers, within: reader.context.tier.clone() }
        }
        None => reader.which(options),
    }))
}

/// The concepts that describe a target, with the positions of their words.
fn meant(reader: &Reader<'_>, look: &Look<'_>, target: usize) -> Vec<(u16, Vec<Range<usize>>)> {
    let profiles = &reader.vocabulary.search().profiles;
    let own = look.concepts.found.iter().filter(|one| profiles.describes(one.group, target));
    own.map(|one| (one.group, one.words.iter().map(|word| look.tokens[*word].range.clone()).collect())).collect()
}

fn reading(
    reader: &Reader<'_>,
    clause: &Range<usize>,
    look: &Look<'_>,
    candidate: &Candidate<'_>,
    rival: Option<&Candidate<'_>>,
    stage: Stage,
) -> Reading {
    let target = &reader.vocabulary.targets[candidate.target];
    let aligned = candidate.aligned.as_ref();
    // Above this cost, the values that the phrase assigns to slots are guesses.
    let near = if stage == Stage::Search { 3 } else { 6 };
    let fits = aligned.filter(|(_, alignment)| {
        2 * alignment.cost <= near * reader.context.thresholds.pattern && alignment.matched > 0
    });
    let mut captures = fill::slots(reader, clause, target, fits.map(|(_, alignment)| alignment));
    let meant = meant(reader, look, candidate.target);
    if let Some(concept) = &candidate.concept {
        fill::chosen(concept, &meant, target, &mut captures);
    }
    if fits.is_none() {
        fill::rest(reader, clause, target, &look.tokens, &meant, &mut captures);
    }
    let mut explained: Vec<usize> = fits.map(|(_, alignment)| alignment.said.clone()).unwrap_or_default();
    explained.extend(meant.iter().flat_map(|(_, ranges)| ranges).map(|range| range.start));
    fill::spans::spans(reader, candidate.target, &look.tokens, &explained, &mut captures);
    let is_pronoun = |name: &str| {
        let name = name.to_lowercase();
        PRONOUNS.contains(&name.as_str()) || matches!(name.as_str(), "her" | "him" | "them")
    };
    captures.retain(|capture| !capture.mention().is_some_and(is_pronoun));
    fill::codes::units(reader, target, &look.tokens, &mut captures);
    fill::codes::codes(reader, target, &look.tokens, &mut captures);
    let search = candidate.scored.map(|scored| SearchEvidence {
        lexical: crate::model::round(scored.lexical),
        semantic: crate::model::round(scored.semantic),
        alike: scored.alike,
        scope: look.found.scope,
        calibrated: look.found.calibrated,
    });
    let by_search = candidate
        .scored
        .filter(|_| stage == Stage::Search)
        .and_then(|scored| reader.vocabulary.search().examples.get(scored.phrase as usize).map(str::to_owned));
    let score = match stage {
        Stage::Search if look.found.best.first().is_some_and(|first| usize::from(first.label) == candidate.target) => {
            look.found.confidence
        }
        _ => candidate.weight.min(1.0),
    };
    let evidence = Evidence {
        tier: stage,
        phrase: by_search.unwrap_or_else(|| reader.example(candidate)),
        source: candidate.source,
        match_type: None,
        score: crate::model::round(score),
        distance: fits.map(|(_, alignment)| alignment.cost as f32 / 100.0),
        search,
        account: None,
        described: candidate.concept.as_ref().map(|concept| concept.score),
        taken_for: fits.map(|(_, alignment)| alignment.taken_for.clone()).unwrap_or_default(),
        doubt: None,
        modality: None,
        runner_up: rival.map(|rival| reader.vocabulary.targets[rival.target].name.clone()),
        runner_up_score: rival.map(|rival| crate::model::round(rival.weight.min(1.0))),
        excluded: look.excluded.clone(),
    };
    reader.reading(candidate.target, &captures, clause, evidence, &explained)
}
