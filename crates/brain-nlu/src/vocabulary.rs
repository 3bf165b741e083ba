//! The compiled vocabulary: every phrase of every tool and playbook, found by its first word.

use std::collections::BTreeMap;

use crate::pattern::{PatternError, Piece, parse};
use crate::slot::SlotKind;

/// What an utterance can ask for.
#[derive(Clone, Debug)]
pub struct Target {
    /// `domain.name`.
    pub name: String,
    /// A tool or a playbook.
    pub kind: TargetKind,
    /// What people read.
    pub title: String,
    /// Its slots.
    pub slots: BTreeMap<String, SlotSpec>,
    /// How people ask for it.
    pub phrases: Vec<String>,
}

/// What kind of target it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum TargetKind {
    Tool,
    Playbook,
}

/// One slot of a target.
#[derive(Clone, Debug)]
pub struct SlotSpec {
    /// What it holds.
    pub kind: SlotKind,
    /// Whether the target cannot do without it.
    pub required: bool,
    /// Whether there is a value if nobody says one.
    pub has_default: bool,
}

/// One phrase, taken apart.
pub(crate) struct Phrase {
    pub(crate) target: usize,
    pub(crate) text: String,
    pub(crate) pieces: Vec<Piece>,
    /// Letters in its words: the more, the more specific it is.
    pub(crate) weight: usize,
    pub(crate) words: usize,
    pub(crate) free_texts: usize,
}

/// Every phrase, ready to be matched.
pub struct Vocabulary {
    pub(crate) targets: Vec<Target>,
    pub(crate) phrases: Vec<Phrase>,
    /// Phrases by their first word; those that start with a slot are tried always.
    by_first_word: BTreeMap<String, Vec<usize>>,
    starting_with_slot: Vec<usize>,
}

impl Vocabulary {
    /// Compiles targets. A phrase that cannot be taken apart, or names a slot that its target has not, is an error
    /// (the pack check finds it first).
    pub fn compile(targets: Vec<Target>) -> Result<Self, PatternError> {
        let mut phrases = Vec::new();
        let mut by_first_word: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut starting_with_slot = Vec::new();
        for (number, target) in targets.iter().enumerate() {
            for text in &target.phrases {
                let pieces = parse(text)?;
                for piece in &pieces {
                    if let Piece::Slot(name) = piece
                        && !target.slots.contains_key(name)
                    {
                        let message = format!("`{}` has no input `{name}`", target.name);
                        return Err(PatternError { at: 0, message });
                    }
                }
                let words = pieces.iter().filter_map(|piece| match piece {
                    Piece::Word(word) => Some(word.chars().count()),
                    _ => None,
                });
                let is_text = |name: &str| target.slots.get(name).is_some_and(|slot| slot.kind.is_text());
                let phrase = Phrase {
                    target: number,
                    text: text.clone(),
                    weight: words.clone().sum(),
                    words: words.count(),
                    free_texts: pieces
                        .iter()
                        .filter(|piece| matches!(piece, Piece::Slot(name) if is_text(name)))
                        .count(),
                    pieces,
                };
                match phrase.pieces.first() {
                    Some(Piece::Word(word)) => by_first_word.entry(word.clone()).or_default().push(phrases.len()),
                    _ => starting_with_slot.push(phrases.len()),
                }
                phrases.push(phrase);
            }
        }
        Ok(Self { targets, phrases, by_first_word, starting_with_slot })
    }

    /// Phrases that could match an utterance that begins with this word.
    pub(crate) fn candidates(&self, first_word: &str) -> impl Iterator<Item = &Phrase> {
        let named = self.by_first_word.get(first_word).map_or(&[][..], Vec::as_slice);
        named.iter().chain(&self.starting_with_slot).map(|&number| &self.phrases[number])
    }

    /// Whether some phrase begins with this word.
    pub(crate) fn begins_phrase(&self, word: &str) -> bool {
        self.by_first_word.contains_key(word)
    }

    /// How many phrases there are.
    pub fn len(&self) -> usize {
        self.phrases.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.phrases.is_empty()
    }
}
