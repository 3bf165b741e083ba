//! The shortlist of phrases that a clause is aligned with. Phrases that match word for word, apart from function
//! words, come first; then those with rare words in common.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::model::Found;
use crate::phrase::Phrase;
use crate::phrase::pattern::Piece;
use crate::read::Reader;
use crate::read::align::{Aligner, Alignment, FUNCTION_WORD_EXTRA, Part};
use crate::read::choose::Candidate;
use crate::read::generated::has_plain_names;
use crate::text::tokens::Token;
use crate::understanding::Source;
use brain_english::inflection::inflected;

/// Maximum number of phrases that are aligned.
const MAX_ALIGNED: usize = 16;
/// Maximum cost of a phrase that counts as matched word for word: “I would like you to … the …”.
const SAID: u32 = 6 * FUNCTION_WORD_EXTRA;

/// Phrases that may match a clause, and the candidates found by aligning them.
pub(crate) struct Shortlist<'a, 'b> {
    reader: &'b Reader<'a>,
    clause: &'b Range<usize>,
    aligner: &'b Aligner<'b>,
    /// Phrases that share words with the clause, sorted by number.
    listed: Vec<Listed>,
    /// Phrases that were aligned already.
    done: Vec<u32>,
    /// The best aligned phrase of each target.
    candidates: BTreeMap<usize, Candidate<'a>>,
}

/// A phrase that shares words with the clause.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Listed {
    number: u32,
    /// Sum over the shared words; rare words count more.
    worth: f32,
    words: u8,
}

impl<'a, 'b> Shortlist<'a, 'b> {
    pub(crate) fn new(reader: &'b Reader<'a>, clause: &'b Range<usize>, aligner: &'b Aligner<'b>) -> Self {
        let (listed, done, candidates) = (Vec::new(), Vec::new(), BTreeMap::new());
        let mut found = Self { reader, clause, aligner, listed, done, candidates };
        for token in aligner.tokens.iter().filter(|token| !token.quoted && !token.function_word) {
            found.list(&token.word);
        }
        found
    }

    /// Adds the phrases that contain a word.
    fn list(&mut self, word: &str) {
        let singular = word.strip_suffix('s').unwrap_or(word);
        for form in [word, singular].iter().take(if singular == word { 1 } else { 2 }) {
            let phrases = self.reader.vocabulary.phrases_with(form);
            if !phrases.is_empty() {
                let worth = 1.0 / (1.0 + phrases.len() as f32).ln().max(0.5);
                self.listed = added(&self.listed, phrases, worth);
            }
        }
    }

    /// Whether exactly one target has a phrase that matches word for word, apart from function words. Destructive
    /// targets never take this shortcut; search must rank the alternatives first.
    pub(crate) fn says_one(&mut self, is_out: impl Fn(usize) -> bool) -> bool {
        let takes_away = self.aligner.tokens.iter().any(|token| token.destructive);
        if takes_away || !self.aligner.is_short() || !self.align_said() {
            return false;
        }
        let possible = self.candidates.values().filter(|candidate| !is_out(candidate.target));
        let aligned = possible.filter_map(|candidate| candidate.aligned.as_ref());
        let mut fits: Vec<_> = aligned.filter(|(_, alignment)| alignment.matched > 0).collect();
        fits.sort_by_key(|(_, alignment)| alignment.cost);
        let [(phrase, best), others @ ..] = fits.as_slice() else { return false };
        let limits = &self.reader.context.thresholds;
        best.cost <= SAID.min(limits.pattern)
            && others.first().is_none_or(|(_, next)| next.cost >= best.cost + limits.pattern_margin)
            && !self.reader.vocabulary.targets[phrase.target].destructive
            && is_complete(phrase, best)
    }

    /// Aligns the clause with the phrases whose words it contains, unless there are too many.
    fn align_said(&mut self) -> bool {
        let vocabulary = self.reader.vocabulary;
        let has_words_of = |number: &u32| self.has_words_of(&vocabulary.phrases[*number as usize]);
        let enough = self.listed.iter().filter(|listed| listed.words >= vocabulary.words_of(listed.number));
        let said: Vec<u32> = enough.map(|listed| listed.number).filter(has_words_of).collect();
        if said.len() > MAX_ALIGNED {
            return false;
        }
        let mut taught = self.taught(&[]);
        taught.retain(|(phrase, _)| self.has_words_of(phrase));
        taught.into_iter().for_each(|(phrase, source)| self.try_phrase(phrase, source));
        said.into_iter().for_each(|number| self.try_number(number));
        true
    }

    /// Aligns the clause with the most promising phrases, and with those of the best search results.
    pub(crate) fn align_near(&mut self, found: &Found, corrected: &[(String, String)]) {
        if !self.aligner.is_short() {
            return;
        }
        self.taught(corrected).into_iter().for_each(|(phrase, source)| self.try_phrase(phrase, source));
        for number in self.promising(found, corrected) {
            if !self.done.contains(&number) {
                self.try_number(number);
            }
        }
    }

    pub(crate) fn into_candidates(self) -> BTreeMap<usize, Candidate<'a>> {
        self.candidates
    }

    /// Taught phrases visible to the speaker that share words with the clause, some of which are misspelt.
    fn taught(&self, corrected: &[(String, String)]) -> Vec<(&'a Phrase, Source)> {
        let context = self.reader.context;
        let Some(taught) = context.taught else { return Vec::new() };
        let said = self.aligner.tokens.iter().filter(|token| !token.quoted && !token.function_word);
        let words = said.map(|token| token.word.as_str()).chain(corrected.iter().map(|(_, meant)| meant.as_str()));
        let source = |own: bool| if own { Source::Own } else { Source::Taught };
        taught.near(words, context.actor).map(|entry| (&entry.phrase, source(entry.actor.is_some()))).collect()
    }

    /// Whether the clause has every content word of a phrase, in any inflection.
    fn has_words_of(&self, phrase: &Phrase) -> bool {
        has_words_of(self.aligner, phrase.parts(&self.reader.vocabulary.targets[phrase.target]))
    }

    fn try_number(&mut self, number: u32) {
        self.done.push(number);
        self.try_phrase(&self.reader.vocabulary.phrases[number as usize], Source::Pack);
    }

    fn try_phrase(&mut self, phrase: &'a Phrase, source: Source) {
        if self.reader.is_blocked(phrase, self.clause) {
            return;
        }
        let candidate = self.candidates.entry(phrase.target).or_insert_with(|| Candidate::new(phrase.target));
        let limit = candidate.aligned.as_ref().map_or(u32::MAX, |(_, best)| best.cost);
        let target = &self.reader.vocabulary.targets[phrase.target];
        if let Some(alignment) = self.aligner.align(phrase, target, limit)
            && has_plain_names(self.reader, phrase, &alignment.captures)
        {
            candidate.offer(phrase, alignment, source);
        }
    }

    /// The phrases with the highest worth, and those of the best search results.
    fn promising(&mut self, found: &Found, corrected: &[(String, String)]) -> Vec<u32> {
        for (said, meant) in corrected {
            let times = self.aligner.tokens.iter().filter(|token| !token.quoted && token.word == *said).count();
            for _ in 0..times {
                self.list(meant);
            }
        }
        let mut list = std::mem::take(&mut self.listed);
        for listed in &mut list {
            let target = self.reader.vocabulary.target_of[listed.number as usize];
            let place = found.best.iter().take(4).position(|scored| scored.label == target);
            // Phrases of targets that search also found come first.
            listed.worth += place.map_or(0.0, |place| 1.0 / (2.0 + place as f32));
        }
        let better = |a: &Listed, b: &Listed| b.worth.total_cmp(&a.worth).then(a.number.cmp(&b.number));
        if list.len() > MAX_ALIGNED {
            list.select_nth_unstable_by(MAX_ALIGNED, better);
            list.truncate(MAX_ALIGNED);
        }
        list.sort_by(better);
        list.into_iter().map(|listed| listed.number).collect()
    }
}

/// Whether a clause has every content word of a phrase, in any inflection.
pub(crate) fn has_words_of(aligner: &Aligner<'_>, parts: &[Part]) -> bool {
    parts.iter().all(|part| match part {
        Part::Word { word, hash, function_word: false, .. } => {
            aligner.tokens.iter().any(|token| is(token, word, *hash))
        }
        _ => true,
    })
}

/// Whether a token is a word or an inflected form of it.
fn is(token: &Token, word: &str, hash: u32) -> bool {
    let said = &token.word;
    (token.hash == hash && said == word)
        || (said.as_bytes().first() == word.as_bytes().first() && inflected(said, word))
}

/// Whether the clause has every piece of a phrase, exactly.
fn is_complete(phrase: &Phrase, alignment: &Alignment) -> bool {
    let slots = phrase.pieces().iter().filter(|piece| matches!(piece, Piece::Slot(_))).count();
    alignment.matched > 0 && alignment.taken_for.is_empty() && alignment.captures.len() == slots
}

/// Merges a posting list into the sorted candidates, adding `worth` to each phrase it contains.
fn added(list: &[Listed], phrases: &[u32], worth: f32) -> Vec<Listed> {
    let mut all = Vec::with_capacity(list.len() + phrases.len());
    let mut rest = list;
    for number in phrases {
        while let [first, after @ ..] = rest
            && first.number < *number
        {
            all.push(*first);
            rest = after;
        }
        match rest {
            [same, after @ ..] if same.number == *number => {
                all.push(Listed { worth: same.worth + worth, words: same.words.saturating_add(1), ..*same });
                rest = after;
            }
            _ => all.push(Listed { number: *number, worth, words: 1 }),
        }
    }
    all.extend_from_slice(rest);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn posting_lists_are_merged() {
        let list = added(&added(&[], &[3, 5], 1.0), &[1, 3, 9], 0.5);
        let found: Vec<(u32, f32, u8)> =
            list.iter().map(|listed| (listed.number, listed.worth, listed.words)).collect();
        assert_eq!(found, [(1, 0.5, 1), (3, 1.5, 2), (5, 1.0, 1), (9, 0.5, 1)]);
    }
}
