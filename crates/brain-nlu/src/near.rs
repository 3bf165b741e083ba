//! Candidates for a clause that matches no phrase whole: phrases that nearly match, and what search finds.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::align::{Aligner, MAX_TOKENS};
use crate::decide::Candidate;
use crate::model::{Found, Scored};
use crate::phrase::Phrase;
use crate::read::Reader;
use crate::spell::is_word;
use crate::tokens::{Token, tokens};
use crate::understanding::Source;
use crate::words::{is_small, words};

/// Phrases with a word that is in so many are not looked for by that word.
const MAX_WITH_WORD: usize = 300;
/// Phrases that are aligned at most.
const MAX_ALIGNED: usize = 16;

/// What was found about a clause.
pub(crate) struct Look<'a> {
    /// Best first.
    pub(crate) candidates: Vec<Candidate<'a>>,
    pub(crate) found: Found,
    pub(crate) excluded: Vec<(String, String)>,
    /// The words of the clause.
    pub(crate) tokens: Vec<Token>,
}

/// Looks for candidates.
pub(crate) fn look<'a>(reader: &Reader<'a>, clause: Range<usize>) -> Look<'a> {
    let all = tokens(reader.normal, clause.clone());
    let Searched { found, corrected, blocked } = search(reader, &clause);
    let mut candidates: BTreeMap<usize, Candidate<'a>> = BTreeMap::new();
    for scored in &found.best {
        candidates.insert(usize::from(scored.label), Candidate::searched(*scored));
    }
    let mut excluded = Vec::new();
    align(reader, &clause, &all, &found, &corrected, &mut candidates);
    for (name, why) in &reader.context.excluded {
        excluded.push((name.clone(), why.clone()));
    }
    for (number, why) in &blocked {
        excluded.push((reader.vocabulary.targets[*number].name.clone(), (*why).to_owned()));
    }
    candidates.retain(|number, _| {
        !reader.context.excluded.contains_key(&reader.vocabulary.targets[*number].name) && !blocked.contains_key(number)
    });
    let mut candidates: Vec<Candidate<'a>> = candidates.into_values().collect();
    for candidate in &mut candidates {
        let boost = reader.context.boosts.get(&reader.vocabulary.targets[candidate.target].name);
        candidate.weigh(boost.copied().unwrap_or(1.0));
    }
    candidates.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.target.cmp(&b.target)));
    Look { candidates, found, excluded, tokens: all }
}

/// What search says.
struct Searched<'a> {
    found: Found,
    /// The words it took for others.
    corrected: Vec<(String, String)>,
    /// What people here said that this does not mean, and who said so.
    blocked: BTreeMap<usize, &'a str>,
}

fn search<'a>(reader: &Reader<'a>, clause: &Range<usize>) -> Searched<'a> {
    let search = reader.vocabulary.search();
    let text = reader.text[reader.normal.span(clause.clone())].trim();
    let outside = outside_quotes(text);
    let plain = without_values(&outside);
    let mut said = words(&outside);
    let mut corrected = Vec::new();
    for word in &mut said {
        if !search.model.heads.lexical.table.has_word(word)
            && !is_small(word)
            && let Some((meant, _)) = search.speller.meant(word)
        {
            corrected.push((std::mem::replace(word, meant.to_owned()), meant.to_owned()));
        }
    }
    let vector = reader.vocabulary.vector(&plain);
    let taught = reader.context.taught;
    let targets = &reader.vocabulary.targets;
    let blocked = taught.map(|taught| taught.blocked(&vector)).unwrap_or_default();
    let is_excluded =
        |number: usize| reader.context.excluded.contains_key(&targets[number].name) || blocked.contains_key(&number);
    let excluded: Vec<bool> = if reader.context.excluded.is_empty() && blocked.is_empty() {
        vec![false; targets.len()]
    } else {
        (0..targets.len()).map(is_excluded).collect()
    };
    let mut found = search.model.search(&said, &vector, |label| excluded[usize::from(label)]);
    for (target, _, alike) in taught.into_iter().flat_map(|taught| taught.alike(&vector, reader.context.actor)) {
        if !excluded[target] {
            lift(&mut found, target as u16, alike);
        }
    }
    Searched { found, corrected, blocked }
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

/// Aligns the clause with phrases that have words of it, and with those of the best targets of search.
fn align<'a>(
    reader: &Reader<'a>,
    clause: &Range<usize>,
    tokens: &[Token],
    found: &Found,
    corrected: &[(String, String)],
    candidates: &mut BTreeMap<usize, Candidate<'a>>,
) {
    if tokens.is_empty() || tokens.len() > MAX_TOKENS {
        return;
    }
    let table = &reader.vocabulary.search().model.heads.lexical.table;
    let is_known = |word: &str| table.has_word(word) || is_word(word);
    let aligner = Aligner::new(reader.normal, reader.text, tokens, clause.end, &reader.context.around, &is_known);
    let taught = reader.context.taught.into_iter().flat_map(|taught| taught.all(reader.context.actor));
    for entry in taught {
        if reader.is_blocked(&entry.phrase, clause) {
            continue;
        }
        let source = if entry.actor.is_some() { Source::Own } else { Source::Taught };
        try_phrase(&aligner, reader, &entry.phrase, source, candidates);
    }
    for number in promising(reader, tokens, found, corrected) {
        let phrase = &reader.vocabulary.phrases[number as usize];
        if !reader.is_blocked(phrase, clause) {
            try_phrase(&aligner, reader, phrase, Source::Pack, candidates);
        }
    }
}

fn try_phrase<'a>(
    aligner: &Aligner<'_>,
    reader: &Reader<'a>,
    phrase: &'a Phrase,
    source: Source,
    candidates: &mut BTreeMap<usize, Candidate<'a>>,
) {
    let candidate = candidates.entry(phrase.target).or_insert_with(|| Candidate::new(phrase.target));
    let limit = candidate.aligned.as_ref().map_or(u32::MAX, |(_, best)| best.cost);
    if let Some(alignment) = aligner.align(phrase, &reader.vocabulary.targets[phrase.target], limit) {
        candidate.offer(phrase, alignment, source);
    }
}

/// The phrases that are worth a closer look: those with the rarest words of the clause, and those of the best targets.
fn promising(reader: &Reader<'_>, tokens: &[Token], found: &Found, corrected: &[(String, String)]) -> Vec<u32> {
    let vocabulary = reader.vocabulary;
    // In the order of their numbers; what each is worth.
    let mut list: Vec<(u32, f32)> = Vec::new();
    for token in tokens.iter().filter(|token| !token.quoted && !token.small) {
        let meant = corrected.iter().find(|(said, _)| *said == token.word).map(|(_, meant)| meant.as_str());
        let word = meant.unwrap_or(&token.word);
        let singular = word.strip_suffix('s').unwrap_or(word);
        for form in [word, singular].iter().take(if singular == word { 1 } else { 2 }) {
            let phrases = vocabulary.phrases_with(form);
            if (1..=MAX_WITH_WORD).contains(&phrases.len()) {
                list = added(&list, phrases, 1.0 / (1.0 + phrases.len() as f32).ln().max(0.5));
            }
        }
    }
    for (number, worth) in &mut list {
        let target = vocabulary.target_of[*number as usize];
        let place = found.best.iter().take(4).position(|scored| scored.label == target);
        // What search finds as well is looked at first.
        *worth += place.map_or(0.0, |place| 1.0 / (2.0 + place as f32));
    }
    let better = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if list.len() > MAX_ALIGNED {
        list.select_nth_unstable_by(MAX_ALIGNED, better);
        list.truncate(MAX_ALIGNED);
    }
    list.sort_by(better);
    list.into_iter().map(|(number, _)| number).collect()
}

/// Adds what phrases are worth; both lists are in the order of the phrases' numbers, and so is what they become.
fn added(list: &[(u32, f32)], phrases: &[u32], worth: f32) -> Vec<(u32, f32)> {
    let mut all = Vec::with_capacity(list.len() + phrases.len());
    let mut rest = list;
    for number in phrases {
        while let [first, after @ ..] = rest
            && first.0 < *number
        {
            all.push(*first);
            rest = after;
        }
        match rest {
            [(same, known), after @ ..] if same == number => {
                all.push((*number, known + worth));
                rest = after;
            }
            _ => all.push((*number, worth)),
        }
    }
    all.extend_from_slice(rest);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_phrases_are_worth_is_added() {
        let list = added(&[], &[3, 5], 1.0);
        assert_eq!(added(&list, &[1, 3, 9], 0.5), [(1, 0.5), (3, 1.5), (5, 1.0), (9, 0.5)]);
        assert_eq!(added(&list, &[4], 0.5), [(3, 1.0), (4, 0.5), (5, 1.0)]);
    }
}
