//! Modality: recognises clauses that mention an action without requesting it (“don't …”, “did you …”, “how do I …”,
//! “if …”). They lead to a question, not to an action.

use std::ops::Range;

use crate::phrase::vocabulary::Target;
use crate::read::Reader;
use crate::text::tokens::Token;
use crate::understanding::Intent;
use brain_english::actions::Tier;
use brain_english::modality::{
    AFTER_WHAT, AUXILIARIES, COURTESIES, NEGATIONS, NEGATIONS_AFTER_PRONOUN, PRONOUNS, QUESTION_WORDS,
    QUESTION_WORDS_BEFORE_PRONOUN, STATEMENT_WORDS,
};

/// Words at the head of a clause that mark it as a refusal, question or condition instead of a request (“did you…”,
/// “don't…”, “if…”). Read-only targets may be triggered by a question; so may any target whose own phrases are
/// questions or statements.
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

/// A marker before the request itself.
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

/// A negated action later in the clause: “I said do not archive …”.
fn forbids<'a, P: Iterator<Item = &'a str>>(said: &[&Token], phrases: impl Fn() -> P) -> Option<Range<usize>> {
    let pair = said.windows(2).find(|pair| NEGATIONS.contains(&pair[0].word.as_str()) && pair[1].actions != 0)?;
    let is_usual = phrases().any(|phrase| words_of(phrase).any(|word| word == pair[0].word));
    (!is_usual).then(|| pair[0].range.start..pair[1].range.end)
}

/// Number of leading words that negate an order.
fn refuses(words: [&str; 3]) -> Option<usize> {
    match words {
        ["do", "not", _] => Some(2),
        [first, _, _] => NEGATIONS.contains(&first).then_some(1),
    }
}

/// Number of leading words that deny something: “I don't …”, “you should not …”.
fn denies([first, second, third]: [&str; 3]) -> Option<usize> {
    if !PRONOUNS.contains(&first) {
        return None;
    }
    let helped = AUXILIARIES.contains(&second) && third == "not";
    if NEGATIONS_AFTER_PRONOUN.contains(&second) { Some(2) } else { helped.then_some(3) }
}

/// Number of leading words that start a question or a condition.
fn asks([first, second, _]: [&str; 3]) -> Option<usize> {
    let to_somebody = QUESTION_WORDS_BEFORE_PRONOUN.contains(&first) && PRONOUNS.contains(&second);
    if to_somebody || (first == "what" && AFTER_WHAT.contains(&second)) {
        return Some(2);
    }
    QUESTION_WORDS.contains(&first).then_some(1)
}

/// Whether a phrase that begins with this word is a question or a statement.
fn tells(word: &str) -> bool {
    QUESTION_WORDS.contains(&word)
        || (QUESTION_WORDS_BEFORE_PRONOUN.contains(&word) && word != "do")
        || PRONOUNS.contains(&word)
        || STATEMENT_WORDS.contains(&word)
}

fn begins(phrase: &str, with: impl Fn(&str) -> bool) -> bool {
    words_of(phrase).next().is_some_and(|word| with(&word))
}

/// The words of a phrase in lower case, without apostrophes.
fn words_of(phrase: &str) -> impl Iterator<Item = String> {
    let words = phrase.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    words.map(|word| word.replace('\'', "").to_lowercase())
}
