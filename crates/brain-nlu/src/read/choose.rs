//! Chooses between acting, asking and giving up. It errs on the safe side: a near tie between a destructive target and
//! another leads to a question, and no destructive target is chosen because of a similar word.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::concept::ConceptScore;
use crate::model::Scored;
use crate::phrase::Phrase;
use crate::read::align::Alignment;
use crate::read::fill;
use crate::read::near::Look;
use crate::read::object::{Objection, instead, objection};
use crate::read::{Reader, Reading};
use crate::understanding::{
    Confidence, Evidence, Intent, Question, SearchEvidence, Source, Stage, TierOption, Understanding,
};
use brain_english::actions::Tier;
use brain_english::clauses;

/// Maximum number of suggestions.
pub(crate) const MAX_SUGGESTIONS: usize = 3;
/// Maximum number of readings whose account is taken.
const MAX_ACCOUNTED: usize = 6;
/// Maximum number of options in a question.
const MAX_OPTIONS: usize = 4;
/// Share of concepts in the weight of a candidate.
const CONCEPT: f32 = 0.85;
/// With at least this many kinds of action, the question asks for the kind first.
const MANY_TIERS: usize = 3;

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
    /// Minimum in-scope probability for a clarifying question.
    pub ask: f32,
    /// Cosine similarity to a phrase that permits the question anyway.
    pub alike: f32,
    /// Minimum score of concepts for acting.
    pub described: f32,
    /// Minimum lead in concepts over every other target.
    pub described_margin: f32,
    /// Minimum score of concepts for a clarifying question.
    pub described_ask: f32,
    /// Minimum score, and minimum lead as a factor, of a reading that is chosen because of its account.
    pub account: f32,
    /// See `account`.
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
            ask: 0.25,
            alike: 0.6,
            described: 0.7,
            described_margin: 0.12,
            described_ask: 0.4,
            account: 0.4,
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
    fn fit(&self) -> f32 {
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
    fn described(&self) -> f32 {
        self.concept.as_ref().map_or(0.0, |concept| concept.score)
    }

    /// Cost of its best phrase, if the phrase shares a word with the clause.
    fn cost(&self) -> Option<u32> {
        self.aligned.as_ref().filter(|(_, alignment)| alignment.matched > 0).map(|(_, alignment)| alignment.cost)
    }

    /// Whether it is similar enough to be suggested.
    pub(crate) fn is_worth_naming(&self) -> bool {
        self.weight >= 0.1
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
    let described = is_described(look, best, limits);
    if (nearly || surely || described) && !is_risky(reader, look, best) {
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
        return Some(instead(reader, clause, first, &objection, &others));
    }
    let likely = likely(reader, clause, look);
    if !nearly
        && !surely
        && let Some(found) = by_account(reader, look, &likely)
    {
        return Some(found);
    }
    let plausible = nearly
        || surely
        || described
        || best.described() >= limits.described_ask
        || look.found.scope >= limits.ask
        || best.cost().is_some_and(|cost| cost <= 2 * limits.pattern)
        || best.scored.is_some_and(|scored| scored.alike >= limits.alike);
    if !plausible {
        return None;
    }
    let second = likely.get(1).map_or(0.0, |other| other.score);
    let leads = likely.first().is_some_and(|first| first.score >= limits.account_lead * second);
    let found = likely.first().and_then(|one| objection(reader, &one.reading));
    if let Some(found) = found.filter(|found| leads || matches!(found, Objection::NotARequest(_))) {
        let first = likely.into_iter().next()?.reading;
        return Some(instead(reader, clause, first, &found, &[]));
    }
    question(reader, likely)
}

/// A likely reading, and its score by its account.
struct Likely<'l, 'a> {
    score: f32,
    candidate: &'l Candidate<'a>,
    reading: Reading,
}

/// The likely readings, best first: those that use the words and values of the clause, and lack none.
fn likely<'l, 'a>(reader: &Reader<'a>, clause: &Range<usize>, look: &'l Look<'a>) -> Vec<Likely<'l, 'a>> {
    let mut list: Vec<Likely<'l, 'a>> = look
        .candidates
        .iter()
        .take(MAX_ACCOUNTED)
        .map(|candidate| {
            let rival = look.candidates.iter().find(|other| other.target != candidate.target);
            let mut reading = reading(reader, clause, look, candidate, rival, stage_of(reader, candidate));
            let score = crate::model::round(candidate.weight * reading.fullness(reader));
            reading.intent.evidence.account = Some(score);
            Likely { score, candidate, reading }
        })
        .collect();
    list.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.candidate.target.cmp(&b.candidate.target)));
    list
}

/// The reading whose account is clearly the best.
fn by_account(reader: &Reader<'_>, look: &Look<'_>, likely: &[Likely<'_, '_>]) -> Option<Understanding> {
    let limits = &reader.context.thresholds;
    let first = likely.first()?;
    let second = likely.get(1).map_or(0.0, |other| other.score);
    let is_known = first.candidate.concept.as_ref().is_some_and(|concept| concept.is_complete)
        || (first.candidate.described() > 0.3 && look.found.scope >= limits.ask);
    let sure = is_known && first.score >= limits.account && first.score >= limits.account_lead * second;
    (sure && !is_risky(reader, look, first.candidate) && objection(reader, &first.reading).is_none())
        .then(|| Understanding::Clear { intents: vec![first.reading.intent.clone()] })
}

/// Whether the concepts of the clause describe the best candidate, and no other as well.
fn is_described(look: &Look<'_>, best: &Candidate<'_>, limits: &Thresholds) -> bool {
    let Some(concept) = best.concept.as_ref().filter(|concept| concept.is_complete) else { return false };
    let others = look.candidates.iter().filter(|other| other.target != best.target);
    concept.score >= limits.described
        && others.map(Candidate::described).fold(0.0, f32::max) + limits.described_margin <= concept.score
}

/// Whether the best phrase matches approximately and no other target's phrase comes close.
fn matches_nearly(look: &Look<'_>, best: &Candidate<'_>, limits: &Thresholds) -> bool {
    let Some(cost) = best.cost().filter(|cost| *cost <= limits.pattern) else { return false };
    let others = look.candidates.iter().filter(|other| other.target != best.target).filter_map(Candidate::cost);
    others.min().is_none_or(|other| other >= cost + limits.pattern_margin)
}

/// Whether a wrong choice could delete something.
fn is_risky(reader: &Reader<'_>, look: &Look<'_>, best: &Candidate<'_>) -> bool {
    let takes_away = |candidate: &Candidate<'_>| reader.vocabulary.targets[candidate.target].destructive;
    let close =
        |share: f32| look.candidates.iter().skip(1).take_while(move |other| other.weight >= share * best.weight);
    if takes_away(best) {
        let said = best.aligned.as_ref().is_some_and(|(_, alignment)| alignment.said_destructive);
        return !said || close(0.6).any(|other| !takes_away(other));
    }
    let asks_for_it = look.tokens.iter().any(|token| !token.quoted && token.destructive);
    asks_for_it && close(0.6).any(takes_away)
}

/// The stage at which a candidate was found.
fn stage_of(reader: &Reader<'_>, candidate: &Candidate<'_>) -> Stage {
    let near = candidate.cost().is_some_and(|cost| cost <= reader.context.thresholds.pattern);
    if near { Stage::Pattern } else { Stage::Search }
}

fn question(reader: &Reader<'_>, likely: Vec<Likely<'_, '_>>) -> Option<Understanding> {
    let best = likely.first()?.score;
    let worth = |one: &Likely<'_, '_>| one.score >= 0.3 * best && one.candidate.weight >= 0.05;
    let likely: Vec<Likely<'_, '_>> = likely.into_iter().filter(worth).collect();
    let tiers = tiers(reader, &likely);
    let count = likely.len();
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
    // Too many options of too many kinds: ask for the kind first.
    if count > MAX_OPTIONS && tiers.len() >= MANY_TIERS {
        let text = clauses::WHICH_KIND.to_owned();
        return Some(Understanding::Ask(Question { text, options, leftover: Vec::new(), tiers }));
    }
    Some(Understanding::Ask(reader.which(options)))
}

fn tiers(reader: &Reader<'_>, likely: &[Likely<'_, '_>]) -> Vec<TierOption> {
    let mut by_tier: BTreeMap<Tier, Vec<String>> = BTreeMap::new();
    for one in likely {
        let target = &reader.vocabulary.targets[one.candidate.target];
        by_tier.entry(target.tier()).or_default().push(target.name.clone());
    }
    let option = |(tier, targets): (Tier, Vec<String>)| TierOption { tier, title: tier.title().to_owned(), targets };
    by_tier.into_iter().map(option).collect()
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
    let mut matched = fits.map(|(_, alignment)| alignment.said.clone()).unwrap_or_default();
    matched.extend(meant.iter().flat_map(|(_, ranges)| ranges).map(|range| range.start));
    reader.reading(candidate.target, &captures, clause, evidence, &matched)
}
