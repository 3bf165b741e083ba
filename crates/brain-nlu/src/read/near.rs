//! Candidates for a clause that no phrase matches whole: approximate matches and search results.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::concept::Concepts;
use crate::model::{Found, Scored};
use crate::read::Reader;
use crate::read::align::Aligner;
use crate::read::choose::Candidate;
use crate::read::shortlist::Shortlist;
use crate::text::speller::is_word;
use crate::text::tokens::{Token, tokens};
use crate::text::words::words;
use brain_english::function_words::is_function_word;

/// Candidates for one clause, and how they were found.
pub(crate) struct Look<'a> {
    /// Best first.
    pub(crate) candidates: Vec<Candidate<'a>>,
    pub(crate) found: Found,
    pub(crate) excluded: Vec<(String, String)>,
    /// The tokens of the clause.
    pub(crate) tokens: Vec<Token>,
    /// What its words mean apart from phrases.
    pub(crate) concepts: Concepts,
}

/// Collects candidates. Search is the most expensive step and runs only if no phrase matches word for word.
pub(crate) fn look<'a>(reader: &Reader<'a>, clause: Range<usize>) -> Look<'a> {
    let all = tokens(reader.normal, clause.clone());
    let table = &reader.vocabulary.search().model.heads.lexical.table;
    let is_known = |word: &str| table.has_word(word) || is_word(word);
    let aligner = Aligner::new(reader.normal, reader.text, &all, clause.end, &reader.context.around, &is_known);
    let mut patterns = Shortlist::new(reader, &clause, &aligner);
    let mut query = Query::new(reader, &clause);
    let out = Out { reader, blocked: query.blocked() };
    let mut described = Vec::new();
    let chars = &reader.normal.chars[clause.clone()];
    let mut concepts = Concepts::default();
    let found = if patterns.says_one(|number| out.has(number)) {
        Found::default()
    } else {
        concepts = Concepts::of(&all, chars, &reader.context.around);
        described =
            concepts.score(&reader.vocabulary.search().profiles, &reader.vocabulary.targets, |number| out.has(number));
        query.correct();
        let found = search(reader, &query, &out);
        patterns.align_near(&found, &query.corrected);
        found
    };
    let mut candidates = patterns.into_candidates();
    for scored in &found.best {
        let number = usize::from(scored.label);
        candidates.entry(number).or_insert_with(|| Candidate::new(number)).scored = Some(*scored);
    }
    for concept in described {
        let number = concept.target;
        candidates.entry(number).or_insert_with(|| Candidate::new(number)).concept = Some(concept);
    }
    candidates.retain(|number, _| !out.has(*number));
    let mut candidates: Vec<Candidate<'a>> = candidates.into_values().collect();
    for candidate in &mut candidates {
        let boost = reader.context.boosts.get(&reader.vocabulary.targets[candidate.target].name);
        candidate.weigh(boost.copied().unwrap_or(1.0), found.scope);
    }
    candidates.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.target.cmp(&b.target)));
    Look { candidates, found, excluded: out.reasons(), tokens: all, concepts }
}

/// A clause prepared for search.
struct Query<'a, 'b> {
    reader: &'b Reader<'a>,
    /// The clause without quoted text.
    outside: String,
    /// Its words, with misspelt ones corrected.
    said: Vec<String>,
    /// What was written, and what it was corrected to.
    corrected: Vec<(String, String)>,
    /// Its embedding, computed on demand.
    vector: OnceCell<Vec<f32>>,
}

impl<'a, 'b> Query<'a, 'b> {
    fn new(reader: &'b Reader<'a>, clause: &Range<usize>) -> Self {
        let outside = outside_quotes(reader.text[reader.normal.span(clause.clone())].trim());
        Self { reader, outside, said: Vec::new(), corrected: Vec::new(), vector: OnceCell::new() }
    }

    /// Corrects misspelt words.
    fn correct(&mut self) {
        let search = self.reader.vocabulary.search();
        self.said = words(&self.outside);
        for word in &mut self.said {
            if !search.model.heads.lexical.table.has_word(word)
                && !is_function_word(word)
                && let Some((meant, _)) = search.speller.meant(word)
            {
                self.corrected.push((std::mem::replace(word, meant.to_owned()), meant.to_owned()));
            }
        }
    }

    fn vector(&self) -> &[f32] {
        self.vector.get_or_init(|| {
            let text = without_values(&self.outside);
            let is_corrected = |word: &str| self.corrected.iter().find(|(said, _)| word.eq_ignore_ascii_case(said));
            if self.corrected.is_empty() {
                return self.reader.vocabulary.vector(&text);
            }
            let words: Vec<&str> = text
                .split_whitespace()
                .map(|word| {
                    is_corrected(word.trim_matches(|c: char| !c.is_alphanumeric())).map_or(word, |(_, meant)| meant)
                })
                .collect();
            self.reader.vocabulary.vector(&words.join(" "))
        })
    }

    /// Targets for which this wording was rejected, with the reason.
    fn blocked(&self) -> BTreeMap<usize, &'a str> {
        match self.reader.context.taught {
            Some(taught) if taught.has_blocked() => taught.blocked(self.vector()),
            _ => BTreeMap::new(),
        }
    }
}

/// The targets that are excluded.
struct Out<'a, 'b> {
    reader: &'b Reader<'a>,
    blocked: BTreeMap<usize, &'a str>,
}

impl Out<'_, '_> {
    fn is_empty(&self) -> bool {
        self.blocked.is_empty() && self.reader.context.excluded.is_empty() && self.reader.context.tier.is_none()
    }

    fn has(&self, number: usize) -> bool {
        self.blocked.contains_key(&number) || self.reader.is_excluded(&self.reader.vocabulary.targets[number])
    }

    /// Names of the excluded targets, with the reasons.
    fn reasons(&self) -> Vec<(String, String)> {
        let unmet = self.reader.context.excluded.iter().map(|(name, why)| (name.clone(), why.clone()));
        let name = |number: &usize| self.reader.vocabulary.targets[*number].name.clone();
        unmet.chain(self.blocked.iter().map(|(number, why)| (name(number), (*why).to_owned()))).collect()
    }
}

/// The result of search.
fn search(reader: &Reader<'_>, query: &Query<'_, '_>, out: &Out<'_, '_>) -> Found {
    let search = reader.vocabulary.search();
    let taught = reader.context.taught;
    let count = reader.vocabulary.targets.len();
    let excluded: Vec<bool> =
        if out.is_empty() { vec![false; count] } else { (0..count).map(|number| out.has(number)).collect() };
    let mut found = search.model.search(&query.said, query.vector(), |label| excluded[usize::from(label)]);
    for (target, _, alike) in taught.into_iter().flat_map(|taught| taught.alike(query.vector(), reader.context.actor)) {
        if !excluded[target] {
            lift(&mut found, target as u16, alike);
        }
    }
    found
}

/// Raises the score of a target whose taught phrase is similar.
fn lift(found: &mut Found, label: u16, alike: f32) {
    let score = crate::model::round(alike);
    match found.best.iter_mut().find(|scored| scored.label == label) {
        Some(scored) => scored.score = scored.score.max(score),
        None => found.best.push(Scored { label, score, lexical: 0.0, semantic: 0.0, alike: score, phrase: u32::MAX }),
    }
    found.best.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.label.cmp(&b.label)));
    found.scope = found.scope.max(score);
    if found.best[0].label == label {
        found.confidence = found.confidence.max(score);
    }
}

/// A text without quoted parts, which are values.
fn outside_quotes(text: &str) -> String {
    let outside: Vec<&str> = text.split(['"', '“', '”']).step_by(2).collect();
    let rest = outside.join(" ");
    if rest.split_whitespace().count() >= 2 { rest } else { text.to_owned() }
}

/// A text without identifiers, addresses and numbers: they say nothing about the action and distort the embedding.
fn without_values(text: &str) -> String {
    let is_value = |word: &&str| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        bare.contains('@')
            || bare.contains("://")
            || bare.chars().filter(char::is_ascii_digit).count() * 2 > bare.len()
            || (bare.len() == 36 && bare.matches('-').count() == 4)
    };
    let kept: Vec<&str> = text.split_whitespace().filter(|word| !is_value(word)).collect();
    if kept.is_empty() { text.to_owned() } else { kept.join(" ") }
}
