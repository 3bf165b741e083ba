//! Modality: recognises clauses that speak of an action without requesting it: refusals, questions, conditions, reports,
//! wishes, looks back. They lead to a read-only target or to a question, never to a change.

use std::ops::Range;

use crate::phrase::vocabulary::Target;
use crate::text::tokens::Token;
use crate::understanding::Modality;
use brain_english::actions::{Tier, actions_of};
use brain_english::around_values::OBLIGATIONS;
use brain_english::modality::{
    CONDITIONS, CONDITIONS_AT_THE_HEAD, COURTESIES, INVERTED, NEGATIONS, PAST, POLITE, PRONOUNS, QUESTION_WORDS,
    REPORTS, STATEMENT_WORDS, WISHES,
};

/// A word, or a mark, that shows that a clause is no request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Marker {
    pub(crate) modality: Modality,
    /// Its position, in folded characters.
    pub(crate) range: Range<usize>,
}

/// What modality depends on besides the words.
pub(crate) struct Said<'a> {
    pub(crate) tokens: &'a [Token],
    /// Whether each token is part of a value.
    pub(crate) in_value: &'a [bool],
    /// The question mark that ends the clause, unless it belongs to a value.
    pub(crate) question_mark: Option<Range<usize>>,
}

impl Said<'_> {
    /// The word of a token; empty inside values and past the end.
    fn word(&self, at: usize) -> &str {
        match self.tokens.get(at) {
            Some(token) if !self.in_value[at] && !token.quoted => &token.word,
            _ => "",
        }
    }

    /// Whether these words stand at a token.
    fn has(&self, at: usize, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(i, word)| self.word(at + i) == *word)
    }

    fn range(&self, at: usize, count: usize) -> Range<usize> {
        self.tokens[at].range.start..self.tokens[at + count - 1].range.end
    }

    /// Tokens of polite beginnings: “can you”, “if you don't mind”, “could … please”.
    pub(crate) fn polite(&self) -> Vec<bool> {
        let mut found = self.idioms(&POLITE);
        let head = self.head();
        let pleads = (head + 1..self.tokens.len()).any(|at| matches!(self.word(at), "please" | "pls" | "plz"));
        if pleads && matches!(self.word(head), "can" | "could" | "may") {
            found[head] = true;
        }
        found
    }

    /// Tokens that only say that something is to be done: “should be”, “needs to be”. At the head of a sentence they ask.
    pub(crate) fn obligations(&self) -> Vec<bool> {
        let mut found = self.idioms(&OBLIGATIONS);
        if let Some(first) = found.get_mut(self.head()) {
            *first &= self.word(self.head()) == "lets";
        }
        found
    }

    fn idioms(&self, idioms: &[&[&str]]) -> Vec<bool> {
        let mut found = vec![false; self.tokens.len()];
        for at in 0..self.tokens.len() {
            for idiom in idioms.iter().filter(|idiom| self.has(at, idiom)) {
                found[at..at + idiom.len()].fill(true);
            }
        }
        found
    }

    /// The first token that is no courtesy.
    fn head(&self) -> usize {
        (0..self.tokens.len()).find(|at| !COURTESIES.contains(&self.word(*at))).unwrap_or(self.tokens.len())
    }
}

/// The marker of a clause that is no request, or `None` if it is one. Words that the target's matched phrase has, and
/// beginnings like those of the target's phrases, mark nothing.
pub(crate) fn marker(said: &Said<'_>, target: &Target, phrase: &str) -> Option<Marker> {
    let polite = said.polite();
    let is_polite = polite.contains(&true);
    let usual: Vec<String> = words_of(phrase).collect();
    let free = |at: usize| !polite[at] && !said.word(at).is_empty() && !usual.iter().any(|word| word == said.word(at));
    let at_head = said.head();
    let phrases = || target.phrases.iter().map(String::as_str).chain([phrase]);
    let tells = phrases().any(|phrase| words_of(phrase).next().is_some_and(|word| states_or_asks(&word)));
    let found = |modality, at: usize, count: usize| Some(Marker { modality, range: said.range(at, count) });

    for at in (0..said.tokens.len()).filter(|at| free(*at)) {
        let word = said.word(at);
        let is_number = word == "no" && said.word(at + 1).starts_with(|c: char| c.is_ascii_digit());
        if NEGATIONS.contains(&word) && !is_number {
            // `do not` is one marker.
            let helped = at > 0 && word == "not" && INVERTED.contains(&said.word(at - 1));
            let from = at - usize::from(helped);
            return found(Modality::Negation, from, at + 1 - from);
        }
    }
    for at in (0..said.tokens.len()).filter(|at| free(*at)) {
        let word = said.word(at);
        if CONDITIONS.contains(&word) {
            return found(Modality::Condition, at, 1);
        }
        if at > at_head && REPORTS.contains(&word) {
            return found(Modality::Report, at, 1);
        }
        if let Some(wish) = WISHES.iter().find(|wish| said.has(at, wish)) {
            return found(Modality::Wish, at, wish.len());
        }
    }
    if at_head < said.tokens.len() && free(at_head) && !is_polite && !tells {
        let word = said.word(at_head);
        let asks = QUESTION_WORDS.contains(&word)
            || (is_inverted(&said.tokens[at_head])
                && (!matches!(word, "do" | "have") || PRONOUNS.contains(&said.word(at_head + 1))));
        if asks {
            return found(Modality::Question, at_head, 1);
        }
        if CONDITIONS_AT_THE_HEAD.contains(&word) {
            return found(Modality::Condition, at_head, 1);
        }
    }
    let expected = phrases().any(|text| text.contains('?')) || words_of(phrase).next().is_some_and(|word| asks(&word));
    if let Some(range) = said.question_mark.clone().filter(|_| !is_polite && !expected) {
        return Some(Marker { modality: Modality::Question, range });
    }
    past(said, target, &free, at_head)
}

/// Whether a word is a verb that asks if it stands before its subject. “We're done” is no “were we done”.
pub(crate) fn is_inverted(token: &Token) -> bool {
    let is_contraction = token.word == "were" && token.range.len() > token.word.len();
    INVERTED.contains(&token.word.as_str()) && !is_contraction
}

/// Somebody tells that a record was made or removed before.
fn past(said: &Said<'_>, target: &Target, free: &dyn Fn(usize) -> bool, head: usize) -> Option<Marker> {
    let is_order = said.tokens.get(head).is_some_and(|token| token.actions != 0);
    let found = |at: usize, count: usize| Some(Marker { modality: Modality::Past, range: said.range(at, count) });
    for at in (0..said.tokens.len()).filter(|at| free(*at)) {
        if let Some(words) = PAST.iter().find(|words| !is_order && !target.reads_only && said.has(at, words)) {
            return found(at, words.len());
        }
    }
    if !matches!(target.tier(), Tier::Create | Tier::Remove) {
        return None;
    }
    let subject = PRONOUNS.contains(&said.word(head));
    let verb =
        (head + 1..head + 3).find(|at| said.tokens.get(*at).is_some() && free(*at) && is_past(said.word(*at)))?;
    if subject { found(verb, 1) } else { None }
}

/// Whether a word is the past form of a known action.
fn is_past(word: &str) -> bool {
    let stem = word.strip_suffix("ed").filter(|stem| stem.len() >= 2);
    let known = |stem: &str| actions_of(stem) != 0;
    stem.is_some_and(|stem| known(stem) || known(&format!("{stem}e")) || doubled(stem).is_some_and(known))
        || matches!(word, "made" | "took" | "wrote" | "sent" | "drew" | "threw")
}

/// A stem without its doubled last letter: `dropp` is `drop`.
fn doubled(stem: &str) -> Option<&str> {
    let shorter = stem.get(..stem.len() - 1)?;
    (shorter.chars().last() == stem.chars().last()).then_some(shorter)
}

fn states_or_asks(word: &str) -> bool {
    asks(word) || PRONOUNS.contains(&word) || STATEMENT_WORDS.contains(&word)
}

fn asks(word: &str) -> bool {
    QUESTION_WORDS.contains(&word) || (INVERTED.contains(&word) && word != "do")
}

/// The words of a phrase in lower case, without apostrophes.
fn words_of(phrase: &str) -> impl Iterator<Item = String> {
    let words = phrase.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    words.map(|word| word.replace('\'', "").to_lowercase())
}
