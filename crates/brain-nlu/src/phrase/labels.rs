//! Names that ask for a target when they are all that is said: its name, its title, and its synonyms or aliases.

use crate::lookup::MatchType;
use crate::phrase::Phrase;
use crate::phrase::vocabulary::Target;
use crate::text::tokens::quick_hash;
use brain_slot::folded;

/// One name of a target.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub(crate) phrase: Phrase,
    /// How a text that equals it is matched.
    pub(crate) named: MatchType,
}

/// The names of all targets, with an index by the hash of their words.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels {
    all: Vec<Label>,
    /// Sorted after [`Labels::finish`].
    by_words: Vec<(u32, u32)>,
}

impl Labels {
    /// Adds the names of a target. Names that are not valid phrases are skipped: nobody types them literally.
    pub(crate) fn add(&mut self, number: usize, target: &Target) {
        let own = [&target.title, &target.name].map(|text| (text, MatchType::Exact));
        let others = target.synonyms.iter().map(|text| (text, MatchType::Synonym));
        for (text, named) in own.into_iter().chain(others) {
            let words = words(text);
            if words.is_empty() || (named == MatchType::Synonym && self.has(number, &words)) {
                continue;
            }
            if let Ok((phrase, _)) = Phrase::new(number, text, target) {
                self.by_words.push((quick_hash(&words), self.all.len() as u32));
                self.all.push(Label { phrase, named });
            }
        }
    }

    fn has(&self, number: usize, said: &str) -> bool {
        let own = self.all.iter().rev().take_while(|label| label.phrase.target == number);
        own.into_iter().any(|label| words(&label.phrase.text) == said)
    }

    /// Sorts the index; call it after the last `add`.
    pub(crate) fn finish(&mut self) {
        self.by_words.sort_unstable();
    }

    /// The first name of a target.
    pub(crate) fn of(&self, target: usize) -> Option<&Phrase> {
        let first = self.all.partition_point(|label| label.phrase.target < target);
        self.all.get(first).map(|label| &label.phrase).filter(|phrase| phrase.target == target)
    }

    /// The names that equal a folded text.
    pub(crate) fn find(&self, text: &str) -> impl Iterator<Item = &Label> {
        let said = joined(text);
        let hash = quick_hash(&said);
        let from = self.by_words.partition_point(|(other, _)| *other < hash);
        let alike = self.by_words[from..].iter().take_while(move |(other, _)| *other == hash);
        alike.map(|(_, at)| &self.all[*at as usize]).filter(move |label| words(&label.phrase.text) == said)
    }
}

/// The form in which names are compared: folded words, joined by single spaces.
pub(crate) fn words(text: &str) -> String {
    joined(&folded(text))
}

fn joined(text: &str) -> String {
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}
