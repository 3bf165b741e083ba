//! The canonical form of phrases: folded, without politeness.

use brain_english::function_words::is_function_word;
use brain_slot::folded;

/// Polite words around a request. Matching ignores them, so phrases are stored without them.
const POLITE_BEFORE: [&str; 16] = [
    "please", "pls", "hey", "hi", "ok", "can you", "could you", "would you", "will you", "can i", "i want to",
    "i need to", "i would like to", "i'd like to", "i want you to", "let's",
];
const POLITE_BEHIND: [&str; 5] = ["please", "pls", "thanks", "thank you", "for me"];

/// The words and `{slots}` of a phrase, folded.
pub(super) fn words(phrase: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut slot = false;
    for c in folded(phrase).chars() {
        match c {
            '{' => {
                words.push(std::mem::take(&mut word));
                slot = true;
                word.push(c);
            }
            '}' if slot => {
                slot = false;
                word.push(c);
                words.push(std::mem::take(&mut word));
            }
            c if slot || c.is_alphanumeric() || c == '\'' => word.push(c),
            _ => words.push(std::mem::take(&mut word)),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// The canonical form of a phrase: folded words and `{slots}`, separated by single spaces, without politeness.
pub fn plain(phrase: &str) -> String {
    let words = words(phrase);
    let mut rest = words.as_slice();
    while let Some(length) = POLITE_BEFORE.iter().find_map(|polite| begins(rest, polite)).filter(|n| *n < rest.len()) {
        rest = &rest[length..];
    }
    while let Some(length) = POLITE_BEHIND.iter().find_map(|polite| ends(rest, polite)).filter(|n| *n < rest.len()) {
        rest = &rest[..rest.len() - length];
    }
    rest.join(" ")
}

fn begins(words: &[String], phrase: &str) -> Option<usize> {
    let length = phrase.split(' ').count();
    (words.len() >= length && words[..length].iter().eq(phrase.split(' '))).then_some(length)
}

fn ends(words: &[String], phrase: &str) -> Option<usize> {
    let length = phrase.split(' ').count();
    let from = words.len().checked_sub(length)?;
    words[from..].iter().eq(phrase.split(' ')).then_some(length)
}

pub(super) fn is_slot(word: &str) -> bool {
    word.starts_with('{')
}

/// Whether two phrases are equivalent: equal except for slot names.
pub(crate) fn same(a: &str, b: &str) -> bool {
    shape(a) == shape(b)
}

/// A key that equivalent phrases share.
pub fn shape(phrase: &str) -> String {
    let words = words(&plain(phrase)).into_iter();
    let words: Vec<String> = words.map(|word| if is_slot(&word) { "{}".to_owned() } else { word }).collect();
    words.join(" ")
}

/// The share of function words, 0 to 1; slots do not count.
pub(super) fn stop_share(phrase: &str) -> f64 {
    let words: Vec<String> = words(phrase).into_iter().filter(|word| !is_slot(word)).collect();
    let stops = words.iter().filter(|word| is_function_word(&word.replace('\'', ""))).count();
    if words.is_empty() { 1.0 } else { stops as f64 / words.len() as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn politeness_and_punctuation_are_left_out() {
        assert_eq!(plain("Please, could you Spin up a fund for {Name}!"), "spin up a fund for {name}");
        assert_eq!(plain("spin up a fund, please"), "spin up a fund");
        assert_eq!(plain("please"), "please", "nothing would be left");
        assert_eq!(plain("  "), "");
    }

    #[test]
    fn slot_names_do_not_matter() {
        assert!(same("add {n} {what}", "please add {count} {item}"));
        assert!(!same("add {n} {what}", "add {n}") && !same("add tiles", "add {n}"));
    }

    #[test]
    fn the_share_of_function_words_is_computed() {
        assert!((stop_share("what is the thing {x}") - 0.75).abs() < 1e-9);
        assert!((stop_share("{x}") - 1.0).abs() < 1e-9);
        assert!(stop_share("spin up a fund") < 0.7);
    }
}
