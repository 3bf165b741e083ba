//! What sounds like a request and is none: “do not …”, “did you …”, “how do I …”, “if …”. It is asked about, not done.

use std::ops::Range;

use crate::english::actions::Tier;
use crate::english::modality::{
    AFTER_WHAT, AUXILIARIES, COURTESIES, NEGATIONS, NEGATIONS_AFTER_PRONOUN, PRONOUNS, QUESTION_WORDS,
    QUESTION_WORDS_BEFORE_PRONOUN, STATEMENT_WORDS,
};
use crate::phrase::vocabulary::Target;
use crate::read::Reader;
use crate::text::tokens::Token;
use crate::understanding::Intent;

/// The words before a request that say that it is none, or not yet. Whoever asks a question may well want to be shown
/// something: only what changes something must not follow from one. What people are known to ask for with questions, or
/// by telling how things are, is asked for so.
pub(crate) fn doubt<'a>(reader: &Reader<'a>, tokens: &[Token], intent: &Intent, target: &Target) -> Option<&'a str> {
    let is_value = |token: &&Token| {
        let span = reader.normal.span(token.range.clone());
        token.quoted || intent.slots.iter().any(|slot| slot.span.start < span.end && span.start < slot.span.end)
    };
    let said: Vec<&Token> = tokens.iter().take_while(|token| !is_value(token)).collect();
    let phrases = || target.phrases.iter().map(String::as_str).chain([intent.evidence.phrase.as_str()]);
    let range = at_the_head(&said, target, phrases).or_else(|| forbids(&said, phrases))?;
    Some(&reader.text[reader.normal.span(range)])
}

/// Doubts before the request.
fn at_the_head<'a, P: Iterator<Item = &'a str>>(
    said: &[&Token],
    target: &Target,
    phrases: impl Fn() -> P,
) -> Option<Range<usize>> {
    let from = said.iter().position(|token| !COURTESIES.contains(&token.word.as_str()))?;
    let word = |at: usize| said.get(from + at).map_or("", |token| token.word.as_str());
    let words = [word(0), word(1), word(2)];
    let changes = || !matches!(target.tier(), Tier::View | Tier::Analyze);
    let count = if let Some(count) = refuses(words) {
        Some(count).filter(|_| !phrases().any(|phrase| begins(phrase, |word| word == words[0])))
    } else {
        let count = denies(words).or_else(|| asks(words).filter(|_| changes()));
        count.filter(|_| !phrases().any(|phrase| begins(phrase, tells)))
    }?;
    Some(said[from].range.start..said[from + count - 1].range.end)
}

/// Where somebody says, after whatever else, what not to do: “I said do not archive …”.
fn forbids<'a, P: Iterator<Item = &'a str>>(said: &[&Token], phrases: impl Fn() -> P) -> Option<Range<usize>> {
    let pair = said.windows(2).find(|pair| NEGATIONS.contains(&pair[0].word.as_str()) && pair[1].actions != 0)?;
    let is_usual = phrases().any(|phrase| words_of(phrase).any(|word| word == pair[0].word));
    (!is_usual).then(|| pair[0].range.start..pair[1].range.end)
}

/// How many of the words say that something is not to be done.
fn refuses(words: [&str; 3]) -> Option<usize> {
    match words {
        ["do", "not", _] => Some(2),
        [first, _, _] => NEGATIONS.contains(&first).then_some(1),
    }
}

/// How many of the words say that somebody did not, or does not want to.
fn denies([first, second, third]: [&str; 3]) -> Option<usize> {
    if !PRONOUNS.contains(&first) {
        return None;
    }
    let helped = AUXILIARIES.contains(&second) && third == "not";
    if NEGATIONS_AFTER_PRONOUN.contains(&second) { Some(2) } else { helped.then_some(3) }
}

/// How many of the words ask, or tell when.
fn asks([first, second, _]: [&str; 3]) -> Option<usize> {
    let to_somebody = QUESTION_WORDS_BEFORE_PRONOUN.contains(&first) && PRONOUNS.contains(&second);
    if to_somebody || (first == "what" && AFTER_WHAT.contains(&second)) {
        return Some(2);
    }
    QUESTION_WORDS.contains(&first).then_some(1)
}

/// Whether a phrase that begins with this word asks or tells something, and orders nothing.
fn tells(word: &str) -> bool {
    QUESTION_WORDS.contains(&word)
        || (QUESTION_WORDS_BEFORE_PRONOUN.contains(&word) && word != "do")
        || PRONOUNS.contains(&word)
        || STATEMENT_WORDS.contains(&word)
}

fn begins(phrase: &str, with: impl Fn(&str) -> bool) -> bool {
    words_of(phrase).next().is_some_and(|word| with(&word))
}

/// In lower case, without apostrophes.
fn words_of(phrase: &str) -> impl Iterator<Item = String> {
    let words = phrase.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    words.map(|word| word.replace('\'', "").to_lowercase())
}
