//! Phrases: words and `{slots}`.

use std::ops::Range;

use serde_json::Value;

/// A part of a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part<'p> {
    /// Words and punctuation.
    Words(&'p str),
    /// A slot and its range in the phrase.
    Slot(&'p str, Range<usize>),
}

/// A syntax error in a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PhraseProblem {
    /// What is wrong.
    pub(crate) message: String,
    /// Where in the phrase.
    pub(crate) range: Range<usize>,
}

/// The parts of a phrase, in order.
pub(crate) fn parts(phrase: &str) -> Result<Vec<Part<'_>>, PhraseProblem> {
    let problem = |message: String, range| PhraseProblem { message, range };
    let mut parts = Vec::new();
    let mut at = 0;
    while at < phrase.len() {
        let rest = &phrase[at..];
        match rest.find(['{', '}']) {
            None => {
                parts.push(Part::Words(rest));
                break;
            }
            Some(brace) => {
                if brace > 0 {
                    parts.push(Part::Words(&rest[..brace]));
                }
                let start = at + brace;
                if phrase[start..].starts_with('}') {
                    return Err(problem("this brace closes nothing".into(), start..start + 1));
                }
                let Some(length) = phrase[start..].find('}') else {
                    return Err(problem("this slot is not closed".into(), start..phrase.len()));
                };
                let name = &phrase[start + 1..start + length];
                let range = start..start + length + 1;
                if name.is_empty() || !name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_') {
                    return Err(problem(format!("`{{{name}}}` is not a slot"), range));
                }
                if parts.iter().any(|part| matches!(part, Part::Slot(other, _) if *other == name)) {
                    return Err(problem(format!("the slot `{name}` occurs twice"), range));
                }
                parts.push(Part::Slot(name, range));
                at = start + length + 1;
                continue;
            }
        }
    }
    Ok(parts)
}

impl<'p> Part<'p> {
    /// The slot, if this is one.
    pub(crate) fn slot(&self) -> Option<(&'p str, Range<usize>)> {
        match self {
            Self::Slot(name, range) => Some((name, range.clone())),
            Self::Words(_) => None,
        }
    }

    /// Whether it contains a word.
    pub(crate) fn has_word(&self) -> bool {
        matches!(self, Self::Words(text) if text.chars().any(char::is_alphabetic))
    }

    /// The key that equivalent phrases share: words without case and punctuation, slots by type.
    pub(crate) fn key(&self, schema: &Value) -> String {
        match self {
            Self::Words(text) => {
                text.to_lowercase().chars().map(|c| if c.is_alphanumeric() || c == '\'' { c } else { ' ' }).collect()
            }
            Self::Slot(name, _) => {
                let property = &schema["properties"][*name];
                let kind = if property.get("enum").is_some() {
                    property["enum"].to_string().replace(' ', "_")
                } else {
                    let format = property["format"].as_str().or_else(|| property["type"].as_str()).unwrap_or("any");
                    format.to_owned()
                };
                format!(" {{{kind}}} ")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_words_and_slots() {
        let got = parts("add {quantity}x {description}").unwrap();
        assert_eq!(
            got,
            [Part::Words("add "), Part::Slot("quantity", 4..14), Part::Words("x "), Part::Slot("description", 16..29)]
        );
        assert_eq!(parts("hello").unwrap(), [Part::Words("hello")]);
    }

    #[test]
    fn broken_braces_are_told_with_their_place() {
        for (phrase, range) in [("a {b", 2..4), ("a }b", 2..3), ("a {B}", 2..5), ("a {}", 2..4), ("{a} {a}", 4..7)] {
            assert_eq!(parts(phrase).unwrap_err().range, range, "{phrase}");
        }
    }
}
