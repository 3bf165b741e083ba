//! Two requests of which the second is cut short: “open a ticket for Nordlicht: VPN down, and one for Huber: printer
//! offline”, “submit the Vella inspection, then make a quote from it”. The second is read with the words that it leaves
//! out: the beginning of the first, or the name of its record.

use std::ops::Range;

use crate::entity::is_name_like;
use crate::phrase::vocabulary::{Target, Vocabulary};
use crate::read::carry::{CARRIED, carry};
use crate::read::coordination::shift;
use crate::read::matcher::MENTION;
use crate::understanding::{Confidence, Intent, SlotValue, Source, Stage, Understanding};
use brain_english::actions::is_action;
use brain_english::inflection::inflected;
use brain_english::modality::PRONOUNS;
use brain_slot::SlotKind;

/// Longer texts are prose.
const MAX_BYTES: usize = 300;
/// Maximum number of readings for one utterance.
const MAX_READINGS: usize = 24;
/// Maximum number of words that the second request takes from the first.
const MAX_SHARED: usize = 9;
/// What may stand between two requests, longest first.
const JOINTS: [&str; 22] = [
    ", and after that ", ", after that ", " and after that ", ". oh and ", ", and then ", ". And then ", ". Then ",
    ". then ", " and then ", ", then ", ". And ", ". and ", ". Also ", ". also ", ", and ", "; ", " & ", " and ", ". ",
    ", ", " then ", " plus ",
];
/// Words at the end of the second request.
const CLOSING: [&str; 4] = [" as well", " too", " also", " instead"];
/// Words before the first of two requests that is named second, and whether it comes first.
const TIMES: [(&str, bool); 6] = [
    ("before you ", false),
    ("before we ", false),
    ("before u ", false),
    ("after you ", true),
    ("once you ", true),
    ("after we ", true),
];

/// A text that was put together from parts of another.
#[derive(Default)]
struct Rewritten {
    text: String,
    /// For each byte its place in the other text.
    origin: Vec<usize>,
}

impl Rewritten {
    fn copy(&mut self, text: &str, range: Range<usize>) {
        self.text.push_str(&text[range.clone()]);
        self.origin.extend(range);
    }

    fn insert(&mut self, words: &str, at: usize) {
        self.text.push_str(words);
        self.origin.extend(words.bytes().map(|_| at));
    }

    /// Moves the spans of a reading to their places in the other text.
    fn moved(&self, intent: &mut Intent, whole: &Range<usize>) {
        shift(intent, |at| self.origin.get(at).copied().unwrap_or(whole.end));
        intent.span = whole.clone();
        intent.confidence = intent.confidence.min(Confidence::Medium);
    }
}

/// Finds the requests of a text that is not understood as one.
pub(super) struct Joined<'a> {
    pub(super) vocabulary: &'a Vocabulary,
    pub(super) text: &'a str,
    pub(super) read: &'a dyn Fn(&str) -> Understanding,
    pub(super) is_whole: &'a dyn Fn(&Understanding) -> bool,
}

impl Joined<'_> {
    /// The requests, if each is complete once the words that it leaves out are added.
    pub(super) fn requests(&self) -> Option<Understanding> {
        if self.text.len() > MAX_BYTES {
            return None;
        }
        let mut budget = MAX_READINGS;
        if let Some((first, second)) = self.timed() {
            return self.one_then_other(first, second, &mut budget);
        }
        let mut from = 0;
        while let Some((at, joint)) = self.next_joint(from) {
            from = at + 1;
            let tail = at + joint.len()..self.text.trim_end().len();
            if tail.is_empty() || at == 0 {
                continue;
            }
            if let Some(found) = self.at(0..at, tail, &mut budget) {
                return Some(found);
            }
        }
        None
    }

    /// The next joint outside quotation marks.
    fn next_joint(&self, from: usize) -> Option<(usize, &'static str)> {
        let is_quoted = |at: usize| self.text[..at].chars().filter(|c| matches!(c, '"' | '“' | '”')).count() % 2 == 1;
        (from..self.text.len()).filter(|at| self.text.is_char_boundary(*at) && !is_quoted(*at)).find_map(|at| {
            let joint = JOINTS.iter().find(|joint| self.text[at..].starts_with(**joint))?;
            Some((at, *joint))
        })
    }

    /// “Before you lock it, add a fee”: the requests in the order in which they are to be done.
    fn timed(&self) -> Option<(Range<usize>, Range<usize>)> {
        let (word, is_first) = TIMES
            .iter()
            .find(|(word, _)| self.text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)))?;
        let comma = word.len() + self.text[word.len()..].find(", ")?;
        let (inner, outer) = (word.len()..comma, comma + 2..self.text.trim_end().len());
        Some(if *is_first { (inner, outer) } else { (outer, inner) })
    }

    /// Two requests in this order, of which either may name the record of the other.
    fn one_then_other(&self, first: Range<usize>, second: Range<usize>, budget: &mut usize) -> Option<Understanding> {
        for (named, other) in [(&first, &second), (&second, &first)] {
            let mut head = self.whole(&Self::part(self.text, named.clone()), named, budget)?;
            let Some(mut tail) = self.with_names(&head, other, budget) else { continue };
            if named == &first {
                head.append(&mut tail);
                return Some(Understanding::Clear { intents: head });
            }
            tail.append(&mut head);
            return Some(Understanding::Clear { intents: tail });
        }
        None
    }

    fn at(&self, head: Range<usize>, tail: Range<usize>, budget: &mut usize) -> Option<Understanding> {
        let mut first = self.whole(&Self::part(self.text, head.clone()), &head, budget)?;
        // What only search found is too little to go on with.
        if first.iter().any(|intent| intent.evidence.tier == Stage::Search) {
            return None;
        }
        let end = CLOSING.iter().find(|word| self.text[tail.clone()].ends_with(**word)).map_or(0, |word| word.len());
        let bare = tail.start..tail.end - end;
        let mut second =
            self.with_names(&first, &bare, budget).or_else(|| self.cut_short(&head, &first, &bare, budget))?;
        let says_nothing = |one: &Intent| one.slots.is_empty() && first.iter().any(|other| other.target == one.target);
        if second.iter().any(|one| says_nothing(one) || first.iter().any(|other| is_same(one, other))) {
            return None;
        }
        first.append(&mut second);
        Some(Understanding::Clear { intents: first })
    }

    fn part(text: &str, range: Range<usize>) -> Rewritten {
        let mut found = Rewritten::default();
        found.copy(text, range);
        found
    }

    /// The requests of a rewritten text, if it is understood and none lacks a value.
    fn whole(&self, text: &Rewritten, whole: &Range<usize>, budget: &mut usize) -> Option<Vec<Intent>> {
        *budget = budget.checked_sub(1)?;
        let found = (self.read)(&text.text);
        if !(self.is_whole)(&found) {
            return None;
        }
        let Understanding::Clear { mut intents } = found else { return None };
        // A part of a sentence is too little for phrases that nobody has written.
        if intents.iter().any(|intent| intent.evidence.source == Source::Generated) {
            return None;
        }
        intents.iter_mut().for_each(|intent| text.moved(intent, whole));
        Some(intents)
    }

    /// The only request of a rewritten text, with the records that it leaves out.
    fn carried(&self, text: &Rewritten, like: &Intent, part: &Range<usize>, budget: &mut usize) -> Option<Intent> {
        *budget = budget.checked_sub(1)?;
        let Understanding::Clear { mut intents } = (self.read)(&text.text) else { return None };
        intents.iter_mut().for_each(|intent| text.moved(intent, part));
        let (intent, true) = (intents.pop()?, intents.is_empty()) else { return None };
        let mut both = Understanding::Clear { intents: vec![like.clone(), intent] };
        carry(self.vocabulary, self.text, &mut both);
        match both {
            Understanding::Clear { mut intents } if intents.len() == 2 => {
                let second = Understanding::Clear { intents: vec![intents.remove(1)] };
                let is_whole = (self.is_whole)(&second);
                match second {
                    Understanding::Clear { mut intents } if is_whole => intents.pop(),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A request as it stands, or with the name of the record before instead of “it”.
    fn with_names(&self, before: &[Intent], part: &Range<usize>, budget: &mut usize) -> Option<Vec<Intent>> {
        let said = &self.text[part.clone()];
        let first = said.split_whitespace().next().unwrap_or_default().to_lowercase();
        let starts = is_action(first.trim_matches(|c: char| !c.is_alphanumeric()))
            || self.vocabulary.begins_phrase(&first)
            || said.contains(':');
        if starts && let Some(found) = self.whole(&Self::part(self.text, part.clone()), part, budget) {
            return Some(found);
        }
        let pronoun = words(self.text, part.clone()).find(|(word, _)| {
            matches!(word.as_str(), "it" | "that" | "them" | "him" | "her" | "his" | "its" | "their" | "this")
        });
        let (word, at) = pronoun?;
        for (name, kind) in self.records(before) {
            let possessive = matches!(word.as_str(), "his" | "its" | "their")
                || (word == "her" && words(self.text, at.end..part.end).next().is_some());
            let variants = if possessive {
                vec![format!("{name}'s")]
            } else {
                vec![format!("{kind} {name}"), format!("the {name} {kind}"), name.clone()]
            };
            for variant in variants {
                let mut text = Rewritten::default();
                text.copy(self.text, part.start..at.start);
                text.insert(&variant, at.start);
                text.copy(self.text, at.end..part.end);
                if let Some(found) = self.whole(&text, part, budget) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// The names of the records of requests, with their kinds.
    fn records(&self, before: &[Intent]) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for intent in before.iter().rev() {
            let Some(target) = self.target(intent) else { continue };
            for slot in &intent.slots {
                let name = slot.value.get(MENTION).and_then(serde_json::Value::as_str);
                let kind = target.slots.get(&slot.name).and_then(|spec| spec.entity.as_deref());
                if let (Some(name), Some(kind)) = (name, kind) {
                    found.push((name.to_owned(), kind.replace('_', " ")));
                }
            }
        }
        found.truncate(2);
        found
    }

    fn target(&self, intent: &Intent) -> Option<&Target> {
        self.vocabulary.number_of(&intent.target).map(|number| &self.vocabulary.targets()[number])
    }

    /// Whether the second part of a sentence may lack its verb: it begins with a name, a kind or a preposition.
    fn may_go_on(&self, said: &[(String, Range<usize>)]) -> bool {
        let Some((word, range)) = said.first() else { return false };
        let joint = self.text[..range.start].trim_end();
        let named = self.text[range.clone()].starts_with(char::is_uppercase)
            || (word.contains(|c: char| c.is_ascii_digit()) && word.contains(|c: char| c.is_alphabetic()));
        let weak = joint.ends_with([',', '.']);
        !is_action(word) && !PRONOUNS.contains(&word.as_str()) && (named || !weak)
    }

    /// A request that leaves out the words with which the one before it begins.
    fn cut_short(
        &self,
        head: &Range<usize>,
        before: &[Intent],
        part: &Range<usize>,
        budget: &mut usize,
    ) -> Option<Vec<Intent>> {
        let [like] = before else { return None };
        let target = self.target(like)?;
        let said: Vec<(String, Range<usize>)> = words(self.text, part.clone()).collect();
        // “another one, …”, “one for …”, “a low one: …”, “the ones in …”, “the lost ones”.
        let one = said.iter().take(3).position(|(word, _)| matches!(word.as_str(), "one" | "ones"));
        let another = usize::from(said.first().is_some_and(|(word, _)| word == "another"));
        let noun = words(self.text, head.clone()).find(|(word, _)| {
            target.nouns.iter().any(|noun| noun == word || inflected(noun, word))
                || target.slots.values().any(|slot| slot.entity.as_deref() == Some(word))
        });
        // Without “one”, only what cannot be part of a free text is a second request.
        let is_text_only = target.slots.values().filter(|slot| slot.required).all(|slot| slot.kind.is_text());
        if one.is_none() && (is_text_only || !self.may_go_on(&said)) {
            return None;
        }
        let starts: Vec<usize> = words(self.text, head.clone()).map(|(_, range)| range.end).take(MAX_SHARED).collect();
        // Most of what the first says first: “list the open tickets in billing, then the ones in technical”.
        for end in starts.into_iter().rev() {
            for with_noun in [false, true] {
                let mut text = Rewritten::default();
                text.copy(self.text, head.start..end);
                text.insert(" ", part.start);
                match (one, &noun) {
                    (Some(at), noun) => {
                        let from = said[another.min(at)].1.start;
                        text.copy(self.text, from..said[at].1.start);
                        if let (true, Some((_, noun))) = (with_noun, noun) {
                            text.copy(self.text, noun.clone());
                        } else if with_noun {
                            continue;
                        }
                        text.copy(self.text, said[at].1.end..part.end);
                    }
                    (None, _) if with_noun => continue,
                    (None, _) => text.copy(self.text, part.clone()),
                }
                let Some(intent) = self.carried(&text, like, part, budget) else { continue };
                // Only a choice may be taken over with the words: “the open tickets in billing, then the ones …”.
                let is_article = |word: &str| matches!(word, "a" | "an" | "the");
                let describes =
                    one.is_some_and(|one| said[another.min(one)..one].iter().any(|(word, _)| !is_article(word)));
                let is_taken_over = |slot: &SlotValue| {
                    let kind = target.slots.get(&slot.name).map(|spec| &spec.kind);
                    head.contains(&slot.span.start)
                        && slot.inferred.as_deref() != Some(CARRIED)
                        && (describes || !matches!(kind, Some(SlotKind::Enum(_))))
                };
                if intent.slots.iter().any(is_taken_over) {
                    continue;
                }
                // Every value that differs is in the second part.
                let is_own = |intent: &Intent| {
                    let mut inside = intent.slots.iter().filter(|slot| part.contains(&slot.span.start)).peekable();
                    let is_odd = |slot: &SlotValue| {
                        let name = slot.value.get(MENTION).and_then(serde_json::Value::as_str);
                        name.is_some_and(|name| !is_name_like(name) && !self.text[part.clone()].contains("about "))
                    };
                    inside.peek().is_some() && (intent.evidence.tier == Stage::Exact || !inside.any(is_odd))
                };
                let is_alike = intent.target == like.target
                    || self.target(&intent).is_some_and(|other| other.action().0 == target.action().0);
                if is_alike && is_own(&intent) {
                    return Some(vec![intent]);
                }
            }
        }
        None
    }
}

/// Whether two requests ask for the same thing.
fn is_same(a: &Intent, b: &Intent) -> bool {
    let values =
        |intent: &Intent| intent.slots.iter().map(|slot| (slot.name.clone(), slot.value.clone())).collect::<Vec<_>>();
    a.target == b.target && values(a) == values(b)
}

/// The words of a part of a text in lower case, without punctuation, with their places.
fn words(text: &str, range: Range<usize>) -> impl Iterator<Item = (String, Range<usize>)> + '_ {
    text[range].split_whitespace().filter_map(move |word| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let start = bare.as_ptr() as usize - text.as_ptr() as usize;
        (!bare.is_empty()).then(|| (bare.to_lowercase(), start..start + bare.len()))
    })
}
