//! Finds expressions of the thesaurus in a clause.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use brain_english::inflection::inflected;
use brain_english::thesaurus::{Kind, groups};

/// Strength of an expression that nearly always means its group, and of one that often does.
const STRONG: f32 = 1.0;
const WEAK: f32 = 0.5;
/// Maximum number of words between a verb and its particle: `throw the old list out`.
const MAX_GAP: usize = 4;
/// Particles that may stand apart from their verb.
const PARTICLES: [&str; 11] = ["up", "down", "off", "out", "away", "back", "in", "on", "over", "through", "together"];

/// An expression of the thesaurus.
struct Entry {
    rest: Vec<&'static str>,
    group: u16,
    strength: f32,
}

/// Every expression by its first word.
static LEXICON: LazyLock<BTreeMap<&'static str, Vec<Entry>>> = LazyLock::new(|| {
    let mut found: BTreeMap<&'static str, Vec<Entry>> = BTreeMap::new();
    for (number, group) in groups().enumerate() {
        let strong = group.strong.iter().map(|text| (text, STRONG));
        for (text, strength) in strong.chain(group.weak.iter().map(|text| (text, WEAK))) {
            let mut words = text.split(' ');
            let Some(first) = words.next() else { continue };
            let entry = Entry { rest: words.collect(), group: number as u16, strength };
            found.entry(first).or_default().push(entry);
        }
    }
    found
});

/// The kind of every group.
static KINDS: LazyLock<Vec<Kind>> = LazyLock::new(|| groups().map(|group| group.kind).collect());

/// The kind of a group.
pub(super) fn kind_of(group: u16) -> Kind {
    KINDS[usize::from(group)]
}

/// The number of groups.
pub(super) fn count() -> usize {
    KINDS.len()
}

/// A group that a clause expresses.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expressed {
    pub(crate) group: u16,
    /// 0 to 1.
    pub(crate) strength: f32,
    /// The words that express it, by number.
    pub(crate) words: Vec<usize>,
}

/// The groups that words express, each once, by its strongest expression. Words are folded, without apostrophes; empty
/// ones are skipped.
pub(crate) fn expressed(words: &[&str]) -> Vec<Expressed> {
    let mut found: Vec<Expressed> = Vec::new();
    for at in 0..words.len() {
        for form in forms(words[at]) {
            for entry in LEXICON.get(form.as_str()).into_iter().flatten() {
                let Some(matched) = matches(words, at, &entry.rest) else { continue };
                // Longer expressions are more certain.
                let strength = if entry.rest.is_empty() { 0.9 * entry.strength } else { entry.strength };
                match found.iter_mut().find(|one| one.group == entry.group) {
                    Some(known)
                        if known.strength > strength
                            || (known.strength == strength && known.words.len() >= matched.len()) => {}
                    Some(known) => *known = Expressed { group: entry.group, strength, words: matched },
                    None => found.push(Expressed { group: entry.group, strength, words: matched }),
                }
            }
        }
    }
    // “list” in “to-do list” is no action.
    let inside = |one: &Expressed, other: &Expressed| {
        one.words.len() < other.words.len() && one.words.iter().all(|word| other.words.contains(word))
    };
    let all = found.clone();
    found.retain(|one| !all.iter().any(|other| inside(one, other)));
    found
}

/// The words of an expression that begins at a word, if all are there.
fn matches(words: &[&str], first: usize, rest: &[&'static str]) -> Option<Vec<usize>> {
    let mut matched = vec![first];
    let mut at = first + 1;
    for (number, expected) in rest.iter().enumerate() {
        let is = |at: usize| {
            words.get(at).is_some_and(|word| word == expected || (word.len() > 3 && inflected(word, expected)))
        };
        let gap = if number == 0 && rest.len() == 1 && PARTICLES.contains(expected) { MAX_GAP } else { 0 };
        let place = (at..=at + gap).find(|at| is(*at))?;
        matched.push(place);
        at = place + 1;
    }
    Some(matched)
}

/// A word and the base forms that it may be an inflection of.
fn forms(word: &str) -> Vec<String> {
    let mut list = vec![word.to_owned()];
    if word.len() < 4 || !word.is_ascii() {
        return list;
    }
    let mut add = |stem: &str, ending: &str| {
        if stem.len() >= 2 {
            list.push(format!("{stem}{ending}"));
        }
    };
    for ending in ["ed", "ing"] {
        if let Some(stem) = word.strip_suffix(ending) {
            add(stem, "");
            add(stem, "e");
            let bytes = stem.as_bytes();
            if bytes.len() > 2 && bytes[bytes.len() - 1] == bytes[bytes.len() - 2] {
                add(&stem[..stem.len() - 1], "");
            }
        }
    }
    if let Some(stem) = word.strip_suffix("ied").or_else(|| word.strip_suffix("ies")) {
        add(stem, "y");
    }
    if let Some(stem) = word.strip_suffix("es") {
        add(stem, "");
    }
    if let Some(stem) = word.strip_suffix('s').filter(|stem| !stem.ends_with('s')) {
        add(stem, "");
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<&'static str> {
        let words: Vec<&str> = text.split(' ').collect();
        let all: Vec<&'static str> = groups().map(|group| group.name).collect();
        expressed(&words).into_iter().map(|one| all[usize::from(one.group)]).collect()
    }

    #[test]
    fn expressions_are_found_in_any_form_and_taken_apart() {
        assert!(
            names("please jot down the gate code").contains(&"note"),
            "{:?}",
            names("please jot down the gate code")
        );
        assert!(names("throw the old list out").contains(&"delete"));
        assert!(names("deleted").contains(&"delete"));
        assert!(names("qwertz").is_empty());
    }
}
