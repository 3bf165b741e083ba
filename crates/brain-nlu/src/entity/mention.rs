//! Mentions: the parts of an utterance that may name an entity.

use std::ops::Range;

use super::reference::description;
use crate::text::speller::is_word;
use brain_english::actions::is_action;
use brain_english::function_words::is_function_word;
use brain_english::names::{BEFORE_NAMES, BESIDE_NAMES, CAPITALISED_DETERMINERS, NAME_PARTICLES};
use brain_english::thesaurus::begins_action;

/// Maximum number of words in a name.
const MAX_WORDS: usize = 6;
/// Maximum number of characters in a name.
const MAX_CHARS: usize = 120;

/// Why a part of an utterance looks like a name, the strongest reason first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// It is quoted.
    Quoted,
    /// It contains digits or is an address: `Q-1042`.
    Identifier,
    /// Its words are capitalised.
    Capitalised,
    /// It is in the position of a name: after `for`, before a noun of its type.
    Placed,
}

/// A part of an utterance that may name an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// Its position, in bytes.
    pub span: Range<usize>,
    /// Why it looks like a name.
    pub shape: Shape,
}

/// A word and its position.
struct Word<'a> {
    text: &'a str,
    span: Range<usize>,
}

fn split(text: &str) -> Vec<Word<'_>> {
    let mut list = Vec::new();
    for part in text.split_whitespace() {
        let start = part.as_ptr() as usize - text.as_ptr() as usize;
        let bare = part.trim_matches(|c: char| !c.is_alphanumeric() && c != '&' && c != '+');
        if !bare.is_empty() {
            let from = start + (bare.as_ptr() as usize - part.as_ptr() as usize);
            list.push(Word { text: bare, span: from..from + bare.len() });
        }
    }
    list
}

/// Words next to a name that are not part of it.
fn is_beside(word: &str) -> bool {
    let bare = word.trim_end_matches("'s").trim_end_matches("’s");
    is_function_word(bare) || BESIDE_NAMES.contains(&bare)
}

/// The name in a text, without function words, nouns of its type and a possessive around it. `None` if nothing
/// remains, or too much.
pub fn said_name<'a>(text: &'a str, nouns: &[String]) -> Option<&'a str> {
    let words = split(text);
    let mut rest = words.as_slice();
    loop {
        let before = rest.len();
        for noun in nouns {
            let parts: Vec<String> = noun.split_whitespace().map(str::to_lowercase).collect();
            let is = |some: &[Word<'_>]| {
                some.len() == parts.len()
                    && some.iter().zip(&parts).all(|(word, part)| {
                        let word = word.text.to_lowercase();
                        word == *part || word.strip_suffix('s') == Some(part)
                    })
            };
            if parts.is_empty() || rest.len() < parts.len() {
                continue;
            }
            if is(&rest[..parts.len()]) {
                rest = &rest[parts.len()..];
            } else if is(&rest[rest.len() - parts.len()..]) {
                rest = &rest[..rest.len() - parts.len()];
            }
        }
        // `Will Smith` does not start with a function word. Articles at the start of a sentence are capitalised.
        if let Some((first, others)) = rest.split_first()
            && (is_beside(first.text) || CAPITALISED_DETERMINERS.contains(&first.text))
        {
            rest = others;
        }
        if let Some((last, others)) = rest.split_last()
            && is_beside(last.text)
        {
            rest = others;
        }
        if rest.len() == before {
            break;
        }
    }
    let (first, last) = (rest.first()?, rest.last()?);
    let name = &text[first.span.start..last.span.end];
    let name = name.strip_suffix("'s").or_else(|| name.strip_suffix("’s")).unwrap_or(name);
    let fits = rest.len() <= MAX_WORDS && name.chars().count() <= MAX_CHARS && !name.contains(['\n', '\r', ';']);
    (fits && !rest.iter().any(|word| is_uuid(word.text))).then_some(name)
}

/// [`said_name`] for a slot: with its entity type and the nouns of the domain.
pub(crate) fn naming<'a>(text: &'a str, kind: &str, nouns: &[String]) -> Option<&'a str> {
    let mut all = vec![kind.replace('_', " ")];
    all.extend(nouns.iter().cloned());
    description(text, &all).or_else(|| said_name(owner(text), &all))
}

/// The name behind what belongs to it: “application of Noor Hussain”.
fn owner(text: &str) -> &str {
    let Some((thing, name)) = text.split_once(" of ") else { return text };
    let plain = |word: &str| word.chars().all(|c| c.is_lowercase() || c == '-');
    let is_name = is_name_like(name) && name.split_whitespace().count() > 1;
    if is_name && thing.split_whitespace().all(plain) { name } else { text }
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36 && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

/// Whether a text looks like a name: capital letters, digits, and particles of names.
pub(crate) fn is_name_like(text: &str) -> bool {
    let words = split(text);
    let is_particle = |word: &str| {
        matches!(
            word,
            "van"
                | "von"
                | "de"
                | "der"
                | "den"
                | "da"
                | "di"
                | "du"
                | "la"
                | "le"
                | "bin"
                | "al"
                | "of"
                | "the"
                | "and"
                | "&"
        )
    };
    words.iter().all(|word| is_capital(word.text) || is_particle(word.text))
        && words.first().is_some_and(|word| is_capital(word.text) || words.len() > 1)
        && words.last().is_some_and(|word| is_capital(word.text))
}

fn is_capital(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit()) || word.contains('@') || word.starts_with(char::is_uppercase)
}

/// Parts of a clause that may name an entity, the most likely first. Skips the positions in `taken` and words that
/// `is_ours` recognises as part of the request.
pub fn mentions(text: &str, nouns: &[String], taken: &[Range<usize>], is_ours: &dyn Fn(&str) -> bool) -> Vec<Mention> {
    let words = split(text);
    let quoted = quotations(text);
    let in_quotes = |span: &Range<usize>| quoted.iter().any(|one| one.start <= span.start && span.end <= one.end);
    let free = |span: &Range<usize>| taken.iter().all(|one| one.end <= span.start || span.end <= one.start);
    let mut list: Vec<Mention> = quoted
        .iter()
        .filter(|span| free(span) && said_name(&text[(*span).clone()], nouns).is_some())
        .map(|span| Mention { span: span.clone(), shape: Shape::Quoted })
        .collect();
    let ours = |word: &Word<'_>| {
        let lower = word.text.to_lowercase();
        is_ours(&lower) || nouns.iter().any(|noun| noun.split_whitespace().any(|part| part == lower))
    };
    let usable = |word: &Word<'_>| free(&word.span) && !in_quotes(&word.span) && !is_uuid(word.text);
    // Runs of capitalised words. The first word of a sentence is always capitalised: it begins a name if it is no ordinary
    // word, or if another capitalised word follows.
    let next = words.get(1).filter(|next| joined(text, &words[0], next) && !ours(next));
    let names_from_start =
        words.first().is_some_and(|first| begins_name(first.text, next.is_some_and(|next| is_capital(next.text))));
    let mut at = 0;
    while at < words.len() {
        let starts = |at: usize| {
            let word = &words[at];
            let begins = at > 0 || names_from_start || word.text.contains(|c: char| c.is_ascii_digit());
            begins && usable(word) && is_capital(word.text) && !ours(word) && !is_joint(word.text)
        };
        if !starts(at) {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        let mut last = at + 1;
        while end < words.len()
            && end - at < MAX_WORDS
            && usable(&words[end])
            && joined(text, &words[end - 1], &words[end])
        {
            if is_capital(words[end].text) && !ours(&words[end]) {
                last = end + 1;
            } else if !NAME_PARTICLES.contains(&words[end].text) {
                break;
            }
            end += 1;
        }
        let span = words[at].span.start..words[last - 1].span.end;
        let has_digits = text[span.clone()].contains(|c: char| c.is_ascii_digit());
        let shape = if last == at + 1 && has_digits { Shape::Identifier } else { Shape::Capitalised };
        list.push(Mention { span, shape });
        at = last;
    }
    list.extend(placed(text, &words, &usable, &ours));
    list.sort_by_key(|mention| (mention.shape, mention.span.start));
    list
}

/// Whether the first word of a sentence begins a name: it is no ordinary word, or another capitalised word follows.
pub(crate) fn begins_name(word: &str, before_capital: bool) -> bool {
    let lower = word.to_lowercase();
    !is_function_word(&lower) && !is_action(&lower) && !begins_action(&lower) && (before_capital || !is_word(&lower))
}

/// Function words that start no name, even in title case.
fn is_joint(word: &str) -> bool {
    let word = word.to_lowercase().replace('’', "'");
    if word.starts_with("i'") {
        return true;
    }
    matches!(
        word.as_str(),
        "a" | "an"
            | "and"
            | "at"
            | "by"
            | "for"
            | "from"
            | "i"
            | "in"
            | "my"
            | "of"
            | "on"
            | "please"
            | "the"
            | "to"
            | "with"
    )
}

/// Whether only space is between two words.
fn joined(text: &str, one: &Word<'_>, next: &Word<'_>) -> bool {
    text[one.span.end..next.span.start].chars().all(|c| c.is_whitespace() || c == '.')
}

/// The words after `for`, `of`, `to`, `with`, up to the next function word.
fn placed(
    text: &str,
    words: &[Word<'_>],
    usable: &dyn Fn(&Word<'_>) -> bool,
    ours: &dyn Fn(&Word<'_>) -> bool,
) -> Vec<Mention> {
    let mut list = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if !BEFORE_NAMES.contains(&word.text.to_lowercase().as_str()) {
            continue;
        }
        let from = at + 1;
        let mut end = from;
        while end < words.len() && end - from < MAX_WORDS {
            let next = &words[end];
            let apart = end > from && !joined(text, &words[end - 1], next);
            if apart || !usable(next) || ours(next) || is_beside(&next.text.to_lowercase()) {
                break;
            }
            end += 1;
        }
        if end > from {
            list.push(Mention { span: words[from].span.start..words[end - 1].span.end, shape: Shape::Placed });
        }
    }
    list
}

fn quotations(text: &str) -> Vec<Range<usize>> {
    let mut list = Vec::new();
    let mut open: Option<usize> = None;
    for (at, c) in text.char_indices().filter(|(_, c)| matches!(c, '"' | '“' | '”' | '„')) {
        match open.take() {
            Some(from) if at > from => list.push(from..at),
            _ => open = Some(at + c.len_utf8()),
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nouns(list: &[&str]) -> Vec<String> {
        list.iter().map(|noun| (*noun).to_owned()).collect()
    }

    #[test]
    fn a_name_is_what_is_left_without_the_words_around_it() {
        let nouns = nouns(&["quote", "site visit"]);
        for (text, name) in [
            ("for the Smith quote", Some("Smith")),
            ("quote Q-1042, please", Some("Q-1042")),
            ("Bob Smith's site visit", Some("Bob Smith")),
            ("Will Smith", Some("Will Smith")),
            ("The Beatles", Some("Beatles")),
            ("kim park", Some("kim park")),
            ("“Kim Park”", Some("Kim Park")),
            ("the quote", None),
            ("the last one", None),
            ("please", None),
            ("", None),
            ("quote 01890a5d-ac96-774b-bcce-b302099a8057", None),
            ("one two three four five six seven eight", None),
        ] {
            assert_eq!(said_name(text, &nouns), name, "{text}");
        }
    }

    #[test]
    fn names_are_capitalised() {
        for text in ["Kim Park", "Q-1042", "Ludwig van Beethoven", "Smith & Sons", "bob@example.com"] {
            assert!(is_name_like(text), "{text}");
        }
        for text in ["lead times", "for Bob", "Kim and", "the", ""] {
            assert!(!is_name_like(text), "{text}");
        }
    }

    #[test]
    fn mentions_are_found_in_the_positions_of_names() {
        let is_ours = |word: &str| matches!(word, "finalise" | "inspection" | "create" | "start");
        let found = |text: &str| -> Vec<(String, Shape)> {
            let list = mentions(text, &nouns(&["quote", "lead"]), &[], &is_ours);
            list.into_iter().map(|one| (text[one.span].to_owned(), one.shape)).collect()
        };
        assert_eq!(found("Finalise the Smith quote")[0], ("Smith".into(), Shape::Capitalised));
        assert_eq!(found("create inspection for Kim Park, please")[0], ("Kim Park".into(), Shape::Capitalised));
        assert_eq!(found("start an inspection for kim park")[0], ("kim park".into(), Shape::Placed));
        assert_eq!(found("Create Inspection For Lead Kim Park")[0], ("Kim Park".into(), Shape::Capitalised));
        assert_eq!(found("finalise Q-1042")[0], ("Q-1042".into(), Shape::Identifier));
        assert_eq!(found("finalise the quote of \"kim park\"")[0], ("kim park".into(), Shape::Quoted));
        assert_eq!(found("finalise the smith quote")[0], ("smith".into(), Shape::Placed));
        assert!(found("finalise the quote").is_empty());
        let text = "create inspection for Kim Park";
        let taken = std::slice::from_ref(&(22..30));
        assert!(mentions(text, &[], taken, &is_ours).is_empty(), "taken");
    }

    mod any_text {
        use proptest::prelude::*;

        proptest! {
            #[test]
            fn spans_lie_inside_and_nothing_panics(text in "\\PC{0,80}") {
                let nouns = super::nouns(&["lead"]);
                let _ = super::said_name(&text, &nouns);
                for mention in super::mentions(&text, &nouns, &[], &|_| false) {
                    prop_assert!(text.get(mention.span).is_some());
                }
            }
        }
    }
}
