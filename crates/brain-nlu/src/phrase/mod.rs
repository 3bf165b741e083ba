//! One phrase of a target. Phrases are parsed lazily: a vocabulary has thousands, and most are never looked at.

mod by_word;
pub(crate) mod labels;
pub(crate) mod pattern;
mod sketch;
pub(crate) mod taught;
pub(crate) mod vocabulary;

use std::sync::OnceLock;

use crate::phrase::pattern::{PatternError, Piece, Raw, parse, walk};
use crate::phrase::vocabulary::Target;
use crate::read::align::{Part, parts};
use crate::text::tokens::quick_hash;
use brain_slot::folded;

#[derive(Clone, Debug)]
pub(crate) struct Phrase {
    pub(crate) target: usize,
    pub(crate) text: Box<str>,
    /// Number of letters in its words: a measure of how specific it is.
    pub(crate) weight: usize,
    pub(crate) words: usize,
    pub(crate) free_texts: usize,
    /// Whether it was generated instead of written.
    pub(crate) generated: bool,
    /// The phrase as it was written, if this is a variant in another order.
    pub(crate) written: Option<Box<str>>,
    pieces: OnceLock<Vec<Piece>>,
    /// Its pieces, prepared for alignment.
    parts: OnceLock<Vec<Part>>,
}

/// How a phrase begins, as hashes of its first words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// A word, then another word or (`None`) something else.
    Word(u32, Option<u32>),
    /// A slot or a punctuation mark.
    Other,
}

impl Phrase {
    /// Parses a phrase of target `number`. Syntax errors and slots that the target does not have are errors.
    pub(crate) fn new(number: usize, text: &str, target: &Target) -> Result<(Self, Beginning), PatternError> {
        let (mut weight, mut words, mut free_texts, mut count) = (0, 0, 0, 0);
        let mut beginning = Beginning::Other;
        let mut unknown = None;
        walk(text, |piece| {
            match (piece, count, beginning) {
                (Raw::Word(word), 0, _) => beginning = Beginning::Word(word_hash(word), None),
                (Raw::Word(word), 1, Beginning::Word(first, _)) => {
                    beginning = Beginning::Word(first, Some(word_hash(word)));
                }
                _ => {}
            }
            count += 1;
            match piece {
                Raw::Word(word) => {
                    words += 1;
                    weight += word.chars().count();
                }
                Raw::Slot(name) => match target.slots.get(name) {
                    Some(slot) => free_texts += usize::from(slot.kind.is_text()),
                    None => unknown = Some(name),
                },
                Raw::Mark(_) => {}
            }
        })?;
        if let Some(name) = unknown {
            let message = format!("`{}` has no input `{name}`", target.name);
            return Err(PatternError { at: 0, message });
        }
        let (pieces, parts) = (OnceLock::new(), OnceLock::new());
        Ok((
            Self {
                target: number,
                text: text.into(),
                weight,
                words,
                free_texts,
                generated: false,
                written: None,
                pieces,
                parts,
            },
            beginning,
        ))
    }

    /// The phrase as people know it.
    pub(crate) fn shown(&self) -> &str {
        self.written.as_deref().unwrap_or(&self.text)
    }

    pub(crate) fn pieces(&self) -> &[Piece] {
        self.pieces.get_or_init(|| parse(&self.text).expect("the constructor has already parsed it"))
    }

    pub(crate) fn parts(&self, target: &Target) -> &[Part] {
        self.parts.get_or_init(|| parts(self.pieces(), target))
    }
}

/// The phrase with names before what they name, if it has them after: `assign ticket {ticket_id} to {agent_id}` is also
/// `assign {ticket_id} ticket to {agent_id}`. People say “the printer ticket”.
pub(crate) fn with_names_first(text: &str, target: &Target) -> Option<String> {
    let words: Vec<&str> = text.split(' ').collect();
    let mut turned: Vec<String> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let bare = word.trim_end_matches([':', ',']);
        let mark = &word[bare.len()..];
        let name = bare.strip_prefix('{').and_then(|slot| slot.strip_suffix('}'));
        let slot = name.and_then(|name| target.slots.get(name)).filter(|slot| slot.is_named());
        let Some(kind) = slot.and_then(|slot| slot.entity.as_deref()) else {
            turned.push((*word).to_owned());
            continue;
        };
        let is_noun = |word: &str| {
            word == kind || kind.rsplit('_').next() == Some(word) || target.nouns.iter().any(|one| one == word)
        };
        let noun = match at.checked_sub(1).map(|before| words[before]).filter(|before| is_noun(before)) {
            Some(before) => {
                turned.pop();
                before.to_owned()
            }
            None => kind.replace('_', " "),
        };
        turned.push(bare.to_owned());
        turned.push(format!("{noun}{mark}"));
    }
    let turned = turned.join(" ");
    (turned != text).then_some(turned)
}

/// The hash of a word in folded form.
fn word_hash(word: &str) -> u32 {
    if word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        quick_hash(word)
    } else {
        quick_hash(&folded(word))
    }
}

/// An index of phrases by their first two words.
#[derive(Clone, Debug, Default)]
pub(crate) struct Beginnings {
    /// Hashes of the first and second word (0 if the second is not a word), and the phrase; sorted. Collisions are
    /// resolved when the phrase is matched.
    by_words: Vec<(u32, u32, u32)>,
    /// Phrases that do not begin with a word; always candidates.
    others: Vec<u32>,
}

impl Beginnings {
    pub(crate) fn add(&mut self, number: usize, beginning: Beginning) {
        match beginning {
            Beginning::Word(first, second) => self.by_words.push((first, second.unwrap_or(0), number as u32)),
            Beginning::Other => self.others.push(number as u32),
        }
    }

    /// Sorts the index; call it after the last `add`.
    pub(crate) fn finish(&mut self) {
        self.by_words.sort_unstable();
    }

    /// Phrases that could match an utterance beginning with these folded words.
    pub(crate) fn candidates(&self, first: &str, second: Option<&str>) -> impl Iterator<Item = usize> {
        let first = quick_hash(first);
        let both = second.map_or(&[][..], |second| self.with(first, quick_hash(second)));
        let named = both.iter().chain(self.with(first, 0)).map(|(_, _, number)| number);
        named.map(|number| *number as usize).chain(self.with_any())
    }

    fn with(&self, first: u32, second: u32) -> &[(u32, u32, u32)] {
        let from = self.by_words.partition_point(|(a, b, _)| (*a, *b) < (first, second));
        let count = self.by_words[from..].partition_point(|(a, b, _)| (*a, *b) == (first, second));
        &self.by_words[from..from + count]
    }

    /// Phrases that do not begin with a word.
    pub(crate) fn with_any(&self) -> impl Iterator<Item = usize> {
        self.others.iter().map(|number| *number as usize)
    }

    /// Phrases that begin with this word.
    pub(crate) fn with_first(&self, word: &str) -> impl Iterator<Item = usize> {
        let first = quick_hash(word);
        let from = self.by_words.partition_point(|(a, _, _)| *a < first);
        let own = self.by_words[from..].iter().take_while(move |(a, _, _)| *a == first);
        own.map(|(_, _, number)| *number as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_indexed_by_their_first_words() {
        let mut all = Beginnings::default();
        let begins = |text: &str| {
            let mut found = Vec::new();
            walk(text, |piece| found.push(piece)).unwrap();
            match found.as_slice() {
                [Raw::Word(first), Raw::Word(second), ..] => Beginning::Word(word_hash(first), Some(word_hash(second))),
                [Raw::Word(first), ..] => Beginning::Word(word_hash(first), None),
                _ => Beginning::Other,
            }
        };
        let phrases = ["Show tasks", "show {what}", "{who} is ill", "show the tasks", "ÄNDERE alles"];
        for (number, text) in phrases.iter().enumerate() {
            all.add(number, begins(text));
        }
        all.finish();
        let found = |first: &str, second: Option<&str>| all.candidates(first, second).collect::<Vec<_>>();
        assert_eq!(found("show", Some("tasks")), [0, 1, 2]);
        assert_eq!(found("show", None), [1, 2]);
        assert_eq!(found("ändere", Some("alles")), [4, 2]);
        assert_eq!(found("hide", Some("tasks")), [2]);
        assert_eq!(all.with_first("show").count(), 3);
        assert_eq!(all.with_first("tasks").count(), 0);
    }
}
