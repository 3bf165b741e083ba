//! Enumerations: tokens and labels, exact and approximate.

use std::ops::Range;

use serde_json::Value;

use super::ends_word;
use super::extract::starts_word;
use crate::normalise::folded;
use brain_english::inflection::inflected;

/// Minimum length of a label for typos to be tolerated: short words differ by one letter too often.
const FEWEST_FOR_TYPO: usize = 5;

/// A label with its punctuation replaced by spaces.
fn spaced(name: &str) -> String {
    folded(name).replace(['_', '-'], " ")
}

/// Labels and tokens at this position, longest first.
pub(super) fn one_of(chars: &[char], at: usize, values: &[(String, Vec<String>)]) -> Vec<(usize, Value)> {
    let mut found = Vec::new();
    for (token, labels) in values {
        for name in std::iter::once(token).chain(labels) {
            // Cheap test that rules out most names.
            let first = name.chars().next().unwrap_or_default();
            if first.is_ascii() && chars.get(at) != Some(&first.to_ascii_lowercase()) {
                continue;
            }
            let plain = folded(name);
            let length = plain.chars().count();
            let there = |form: &str| chars[at..].iter().copied().take(length).eq(form.chars());
            if (there(&plain) || there(&spaced(name))) && ends_word(chars, at + length) {
                found.push((at + length, Value::from(token.clone())));
            }
        }
    }
    found.sort_by_key(|(end, _)| std::cmp::Reverse(*end));
    found.dedup();
    found
}

/// How far a text is from a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Distance {
    Same,
    /// An inflected form.
    Inflected,
    /// One letter wrong.
    Typo,
}

/// Values anywhere in a text, also inflected or with one typo. A text equally near to two values names neither.
pub(super) fn near(chars: &[char], values: &[(String, Vec<String>)]) -> Vec<(Range<usize>, Value)> {
    let mut names: Vec<(String, usize, &str)> = Vec::new();
    for (token, labels) in values {
        for name in std::iter::once(token).chain(labels) {
            let name = spaced(name);
            let words = name.split_whitespace().count();
            names.push((name, words, token));
        }
    }
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let best = if starts_word(chars, at) { best_at(chars, at, &names) } else { None };
        match best {
            Some((end, token)) => {
                found.push((at..end, Value::from(token)));
                at = end;
            }
            None => at += 1,
        }
    }
    found
}

/// The value named at this position: the longest label, then the nearest.
fn best_at<'n>(chars: &[char], at: usize, names: &[(String, usize, &'n str)]) -> Option<(usize, &'n str)> {
    let mut best: Option<(std::cmp::Reverse<usize>, Distance, usize, &str)> = None;
    let mut tied = false;
    for (name, words, token) in names {
        if name.chars().next() != chars.get(at).copied() {
            continue;
        }
        let Some(end) = words_end(chars, at, *words) else { continue };
        let said: String = chars[at..end].iter().map(|c| if matches!(c, '_' | '-') { ' ' } else { *c }).collect();
        let Some(distance) = distance(&said, name) else { continue };
        let rank = (std::cmp::Reverse(*words), distance);
        match best {
            Some((words, distance, _, other)) if (words, distance) == rank => tied |= other != *token,
            Some((words, distance, ..)) if (words, distance) < rank => {}
            _ => {
                best = Some((rank.0, rank.1, end, token));
                tied = false;
            }
        }
    }
    best.filter(|_| !tied).map(|(_, _, end, token)| (end, token))
}

/// The end of `words` words.
fn words_end(chars: &[char], at: usize, words: usize) -> Option<usize> {
    let mut end = at;
    for number in 0..words {
        if number > 0 {
            while chars.get(end).is_some_and(|c| matches!(c, ' ' | '_' | '-')) {
                end += 1;
            }
        }
        let from = end;
        while chars.get(end).is_some_and(|c| c.is_alphanumeric() || *c == '\'') {
            end += 1;
        }
        if end == from {
            return None;
        }
    }
    (words > 0).then_some(end)
}

fn distance(said: &str, name: &str) -> Option<Distance> {
    if said == name {
        return Some(Distance::Same);
    }
    if inflected(said, name) {
        return Some(Distance::Inflected);
    }
    let long = name.chars().filter(|c| c.is_alphabetic()).count() >= FEWEST_FOR_TYPO;
    let close = said.chars().count().abs_diff(name.chars().count()) <= 1;
    (long && close && strsim::osa_distance(said, name) == 1).then_some(Distance::Typo)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> Vec<(String, Vec<String>)> {
        let named = |token: &str, labels: &[&str]| (token.to_owned(), labels.iter().map(|l| (*l).to_owned()).collect());
        vec![
            named("in_progress", &["Under way"]),
            named("done", &[]),
            named("critical", &["Very bad"]),
            named("battery", &[]),
        ]
    }

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn labels_and_tokens_both_name_a_value() {
        let values = values();
        assert_eq!(one_of(&chars("in progress now"), 0, &values), [(11, Value::from("in_progress"))]);
        assert_eq!(one_of(&chars("under way"), 0, &values), [(9, Value::from("in_progress"))]);
        assert_eq!(one_of(&chars("done"), 0, &values), [(4, Value::from("done"))]);
        assert!(one_of(&chars("doner"), 0, &values).is_empty());
        assert!(one_of(&chars("critcal"), 0, &values).is_empty(), "the exact stage forgives nothing");
    }

    #[test]
    fn other_forms_and_one_typo_are_found_in_a_text() {
        let found = |text: &str| {
            let found = near(&chars(text), &values()).into_iter();
            found.map(|(range, value)| (text[range].to_owned(), value.as_str().unwrap().to_owned())).collect::<Vec<_>>()
        };
        let one = |said: &str, token: &str| vec![(said.to_owned(), token.to_owned())];
        assert_eq!(found("show the critcal ones"), one("critcal", "critical"));
        assert_eq!(found("all batteries please"), one("batteries", "battery"));
        assert_eq!(found("what is in-progress?"), one("in-progress", "in_progress"));
        assert_eq!(found("it is nder way"), Vec::new(), "names begin alike");
        assert_eq!(found("it is undder way"), one("undder way", "in_progress"));
        assert_eq!(found("dona"), Vec::new(), "short words must be right");
        assert_eq!(found("very bad, and done").len(), 2);
    }

    #[test]
    fn a_text_equally_near_to_two_values_names_neither() {
        let values = [("parts".to_owned(), vec![]), ("party".to_owned(), vec![])];
        assert!(near(&chars("partz"), &values).is_empty());
        assert_eq!(near(&chars("party"), &values).len(), 1);
    }
}
