//! What sounds like a request and is none: “do not …”, “did you …”, “how do I …”, “if …”. It is asked about, not done.

use crate::actions::Tier;
use crate::read::Reader;
use crate::tokens::Token;
use crate::understanding::Intent;
use crate::vocabulary::Target;

/// Words that say no, in one spelling and without apostrophes.
const NO: [&str; 16] = [
    "not", "dont", "never", "cant", "cannot", "wont", "didnt", "doesnt", "isnt", "arent", "wasnt", "werent", "havent",
    "hasnt", "shouldnt", "mustnt",
];
/// Words before a request that say nothing.
const COURTESIES: [&str; 14] =
    ["hey", "hi", "hello", "please", "pls", "ok", "okay", "so", "and", "then", "well", "thanks", "sorry", "now"];
/// Words that begin a question or a condition,
const ASKING: [&str; 16] = [
    "how", "why", "when", "whenever", "where", "who", "whether", "if", "unless", "did", "does", "was", "were", "had",
    "should", "shall",
];
/// and those that do so before somebody.
const ASKING_SOMEBODY: [&str; 5] = ["do", "have", "has", "is", "are"];
const SOMEBODY: [&str; 11] = ["i", "you", "we", "they", "he", "she", "it", "anyone", "anybody", "someone", "somebody"];

/// The word around a request that says that it is none, or not yet. Words in its values do not count, nor those that its
/// target is asked for with. Whoever asks a question may well want to be shown something: only what changes something
/// must not follow from one.
pub(crate) fn doubt<'a>(reader: &Reader<'a>, tokens: &[Token], intent: &Intent, target: &Target) -> Option<&'a str> {
    let is_value = |token: &Token| {
        let span = reader.normal.span(token.range.clone());
        token.quoted || intent.slots.iter().any(|slot| slot.span.start < span.end && span.start < slot.span.end)
    };
    let is_usual = |token: &Token| {
        let mut phrases = target.phrases.iter().map(String::as_str).chain([intent.evidence.phrase.as_str()]);
        phrases.any(|phrase| has_word(phrase, &token.word))
    };
    let mut said = tokens.iter().filter(|token| !is_value(token));
    let no = said.clone().find(|token| NO.contains(&token.word.as_str()) && !is_usual(token));
    let found = if no.is_some() || matches!(target.tier(), Tier::View | Tier::Analyze) {
        no?
    } else {
        let first = said.find(|token| !COURTESIES.contains(&token.word.as_str()))?;
        let second = said.next().map_or("", |token| token.word.as_str());
        let asks = match first.word.as_str() {
            "what" => matches!(second, "if" | "happens" | "about"),
            word => ASKING.contains(&word) || (ASKING_SOMEBODY.contains(&word) && SOMEBODY.contains(&second)),
        };
        Some(first).filter(|first| asks && !is_usual(first))?
    };
    Some(&reader.text[reader.normal.span(found.range.clone())])
}

fn has_word(phrase: &str, word: &str) -> bool {
    let words = phrase.split(|c: char| !c.is_alphanumeric() && c != '\'');
    words.into_iter().any(|other| other.chars().filter(|c| *c != '\'').flat_map(char::to_lowercase).eq(word.chars()))
}
