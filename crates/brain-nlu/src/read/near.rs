//! Candidates for a clause that matches no phrase whole: phrases that nearly match, and what search finds.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::english::function_words::is_function_word;
use crate::model::{Found, Scored};
use crate::read::Reader;
use crate::read::align::Aligner;
use crate::read::choose::Candidate;
use crate::read::shortlist::Shortlist;
use crate::text::speller::is_word;
use crate::text::tokens::{Token, tokens};
use crate::text::words::words;

/// What was found about a clause.
pub(crate) struct Look<'a> {
    /// Best first.
    pub(crate) candidates: Vec<Candidate<'a>>,
    pub(crate) found: Found,
    pub(crate) excluded: Vec<(String, String)>,
    /// The words of the clause.
    pub(crate) tokens: Vec<Token>,
}

/// Looks for candidates. Search, which costs most, is asked only if no phrase was said in so many words.
pub(crate) fn look<'a>(reader: &Reader<'a>, clause: Range<usize>) -> Look<'a> {
    let all = tokens(reader.normal, clause.clone());
    let table = &reader.vocabulary.search().model.heads.lexical.table;
    let is_known = |word: &str| table.has_word(word) || is_word(word);
    let aligner = Aligner::new(reader.normal, reader.text, &all, clause.end, &reader.context.around, &is_known);
    let mut patterns = Shortlist::new(reader, &clause, &aligner);
    let heard = Heard::new(reader, &clause);
    let out = Out { reader, blocked: heard.blocked() };
    let found = if patterns.says_one(|number| out.has(number)) {
        Found::default()
    } else {
        let (found, corrected) = search(reader, &heard, &out);
        patterns.align_near(&found, &corrected);
        found
    };
    let mut candidates = patterns.into_candidates();
    for scored in &found.best {
        let number = usize::from(scored.label);
        candidates.entry(number).or_insert_with(|| Candidate::new(number)).scored = Some(*scored);
    }
    candidates.retain(|number, _| !out.has(*number));
    let mut candidates: Vec<Candidate<'a>> = candidates.into_values().collect();
    for candidate in &mut candidates {
        let boost = reader.context.boosts.get(&reader.vocabulary.targets[candidate.target].name);
        candidate.weigh(boost.copied().unwrap_or(1.0));
    }
    candidates.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.target.cmp(&b.target)));
    Look { candidates, found, excluded: out.reasons(), tokens: all }
}

/// A clause as search hears it.
struct Heard<'a, 'b> {
    reader: &'b Reader<'a>,
    /// Without what stands in quotation marks.
    outside: String,
    /// Its place among the phrases, worked out when it is needed.
    vector: OnceCell<Vec<f32>>,
}

impl<'a, 'b> Heard<'a, 'b> {
    fn new(reader: &'b Reader<'a>, clause: &Range<usize>) -> Self {
        let outside = outside_quotes(reader.text[reader.normal.span(clause.clone())].trim());
        Self { reader, outside, vector: OnceCell::new() }
    }

    fn vector(&self) -> &[f32] {
        self.vector.get_or_init(|| self.reader.vocabulary.vector(&without_values(&self.outside)))
    }

    /// What people here said that this does not mean, and who said so.
    fn blocked(&self) -> BTreeMap<usize, &'a str> {
        match self.reader.context.taught {
            Some(taught) if taught.has_blocked() => taught.blocked(self.vector()),
            _ => BTreeMap::new(),
        }
    }
}

/// The targets that are out of the question.
struct Out<'a, 'b> {
    reader: &'b Reader<'a>,
    blocked: BTreeMap<usize, &'a str>,
}

impl Out<'_, '_> {
    fn is_empty(&self) -> bool {
        self.blocked.is_empty() && self.reader.context.excluded.is_empty()
    }

    fn has(&self, number: usize) -> bool {
        self.blocked.contains_key(&number)
            || self.reader.context.excluded.contains_key(&self.reader.vocabulary.targets[number].name)
    }

    /// Names, and why.
    fn reasons(&self) -> Vec<(String, String)> {
        let unmet = self.reader.context.excluded.iter().map(|(name, why)| (name.clone(), why.clone()));
        let name = |number: &usize| self.reader.vocabulary.targets[*number].name.clone();
        unmet.chain(self.blocked.iter().map(|(number, why)| (name(number), (*why).to_owned()))).collect()
    }
}

/// What search says, and the words that it took for others.
fn search(reader: &Reader<'_>, heard: &Heard<'_, '_>, out: &Out<'_, '_>) -> (Found, Vec<(String, String)>) {
    let search = reader.vocabulary.search();
    let mut said = words(&heard.outside);
    let mut corrected = Vec::new();
    for word in &mut said {
        if !search.model.heads.lexical.table.has_word(word)
            && !is_function_word(word)
            && let Some((meant, _)) = search.speller.meant(word)
        {
            corrected.push((std::mem::replace(word, meant.to_owned()), meant.to_owned()));
        }
    }
    let taught = reader.context.taught;
    let count = reader.vocabulary.targets.len();
    let excluded: Vec<bool> =
        if out.is_empty() { vec![false; count] } else { (0..count).map(|number| out.has(number)).collect() };
    let mut found = search.model.search(&said, heard.vector(), |label| excluded[usize::from(label)]);
    for (target, _, alike) in taught.into_iter().flat_map(|taught| taught.alike(heard.vector(), reader.context.actor)) {
        if !excluded[target] {
            lift(&mut found, target as u16, alike);
        }
    }
    (found, corrected)
}

/// A taught phrase that an utterance is like speaks for its target.
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

/// A text without what stands in quotation marks: that is a value, not a request.
fn outside_quotes(text: &str) -> String {
    let outside: Vec<&str> = text.split(['"', '“', '”']).step_by(2).collect();
    let rest = outside.join(" ");
    if rest.split_whitespace().count() >= 2 { rest } else { text.to_owned() }
}

/// A text without identifiers, addresses and numbers. They say nothing about what is asked for, and an encoder would be
/// led astray by them.
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
