//! A vocabulary's phrases as training examples. A phrase says where a value occurs but not what it is, so values of
//! each slot's type are generated.

use std::collections::BTreeMap;

use brain_core::{Random as _, SeededRandom};
use brain_embed::StaticTable;
use brain_english::background::BACKGROUND;
use brain_english::sample_values::{
    ADDRESSES, AMOUNTS, COMPANY_ENDINGS, DATES, DURATIONS, EMAILS, FAMILY_NAMES, GIVEN_NAMES, IDS, NUMBERS, PHONES,
    TEXTS, TIMES,
};
use brain_slot::{Normal, SlotKind};

use super::case::{Case, Piece};
use super::features::hash;
use super::tokens::tokens;
use super::{Cases, MOST_ROUNDS_OF_PHRASES, Token};
use crate::phrase::Phrase;
use crate::phrase::pattern::{Raw, walk};
use crate::phrase::vocabulary::{SlotSpec, Target};

/// Generated values for each slot.
const VALUES: usize = 48;
/// Rows of the table before this one are function words and single signs.
const FIRST_WORD: u64 = 2_000;

impl SlotSpec {
    /// Whether the model may fill it: a text, or the name of a record.
    pub(crate) fn is_open(&self) -> bool {
        self.kind.is_text() || self.is_named()
    }

    /// A coarse class of its values. Slots with the same name but different classes are treated as different slots.
    fn group(&self) -> &'static str {
        match &self.kind {
            _ if self.is_named() => "name",
            SlotKind::Text => "text",
            SlotKind::Enum(_) => "choice",
            SlotKind::Integer | SlotKind::Decimal | SlotKind::Quantity(_) => "number",
            SlotKind::Date | SlotKind::Time | SlotKind::DateTime | SlotKind::Duration => "time",
            SlotKind::List(_) => "list",
            _ => "other",
        }
    }

    /// The name of a target's slot in a model: slots of the same name and kind of value learn from each other.
    fn label(&self, name: &str) -> String {
        format!("{name}:{}", self.group())
    }
}

/// The slot's own name, without the kind of its values.
pub(crate) fn slot_name(label: &str) -> &str {
    label.rsplit_once(':').map_or(label, |(name, _)| name)
}

/// Training examples, with the text of the phrase that each is made of.
#[derive(Clone, Debug, Default)]
pub(crate) struct PhraseCases<'a> {
    pub(crate) cases: Cases,
    pub(crate) texts: Vec<&'a str>,
}

/// The training examples of a vocabulary. Targets without a text and without a name to find have none.
pub(crate) fn cases<'a>(targets: &[Target], phrases: &'a [Phrase]) -> PhraseCases<'a> {
    let learns: Vec<bool> = targets.iter().map(|target| target.slots.values().any(SlotSpec::is_open)).collect();
    let mut number: BTreeMap<String, (u16, &str, &SlotSpec)> = BTreeMap::new();
    for (target, _) in targets.iter().zip(&learns).filter(|(_, learns)| **learns) {
        for (name, slot) in &target.slots {
            number.entry(slot.label(name)).or_insert((0, name, slot));
        }
    }
    let (mut found, mut texts) = (Cases { most_rounds: MOST_ROUNDS_OF_PHRASES, ..Cases::default() }, Vec::new());
    for (at, (label, (number, name, slot))) in number.iter_mut().enumerate() {
        *number = at as u16;
        let values = values(slot, name);
        if let SlotKind::Enum(_) = slot.kind {
            found.known.extend(values.iter().map(|value| (at as u16, value.clone())));
        }
        found.slots.push(label.clone());
        found.pools.push(values);
    }
    for (target, learns) in targets.iter().zip(&learns) {
        let slots = target.slots.iter().filter(|_| *learns).map(|(name, slot)| number[&slot.label(name)].0);
        found.targets.push(slots.collect());
    }
    for phrase in phrases.iter().filter(|phrase| learns[phrase.target]) {
        let target = &targets[phrase.target];
        let slot = |name: &str| target.slots.get(name).map(|slot| number[&slot.label(name)].0);
        found.cases.push(Case { target: phrase.target as u32, pieces: pieces(&phrase.text, slot) });
        texts.push(&*phrase.text);
    }
    PhraseCases { cases: found, texts }
}

fn pieces(phrase: &str, slot: impl Fn(&str) -> Option<u16>) -> Vec<Piece> {
    let mut found: Vec<Piece> = Vec::new();
    // Phrases were parsed before: there is no error.
    let _ = walk(phrase, |piece| {
        let mut buffer = [0; 4];
        let words = match piece {
            Raw::Slot(name) => {
                found.extend(slot(name).map(|slot| Piece::Value { slot, words: Vec::new() }));
                return;
            }
            Raw::Word(word) => split(word),
            Raw::Mark(mark) => split(mark.encode_utf8(&mut buffer)),
        };
        match found.last_mut() {
            Some(Piece::Words(before)) => before.extend(words),
            _ => found.push(Piece::Words(words)),
        }
    });
    found
}

fn split(text: &str) -> Vec<String> {
    tokens(&Normal::new(text).chars).into_iter().map(|Token { text, .. }| text).collect()
}

/// Values of a slot.
fn values(slot: &SlotSpec, name: &str) -> Vec<Vec<String>> {
    if let SlotKind::Enum(values) = &slot.kind {
        let labels = values.iter().flat_map(|(token, labels)| std::iter::once(token).chain(labels));
        return labels.map(|label| split(&label.replace('_', " "))).filter(|words| !words.is_empty()).collect();
    }
    let mut random = SeededRandom::new(hash(&["values", name, slot.group()]));
    (0..VALUES).map(|_| split(&value(slot, &mut random))).filter(|words| !words.is_empty()).collect()
}

fn value(slot: &SlotSpec, random: &mut SeededRandom) -> String {
    fn one<'a>(list: &[&'a str], random: &mut SeededRandom) -> &'a str {
        list[random.next_u64() as usize % list.len()]
    }
    if slot.is_named() {
        return record_name(random);
    }
    match &slot.kind {
        SlotKind::Text => match random.next_u64() % 8 {
            0 => record_name(random),
            1..4 => one(&TEXTS, random).to_owned(),
            4 | 5 => words_of(one(&BACKGROUND, random), random),
            _ => random_words(random),
        },
        SlotKind::Uuid => one(&IDS, random).to_owned(),
        SlotKind::Integer | SlotKind::Decimal => one(&NUMBERS, random).to_owned(),
        SlotKind::Quantity(unit) => format!("{} {unit}", one(&NUMBERS, random)),
        SlotKind::Money => one(&AMOUNTS, random).to_owned(),
        SlotKind::Phone => one(&PHONES, random).to_owned(),
        SlotKind::Email => one(&EMAILS, random).to_owned(),
        SlotKind::Url => one(&ADDRESSES, random).to_owned(),
        SlotKind::Date => one(&DATES, random).to_owned(),
        SlotKind::Time => one(&TIMES, random).to_owned(),
        SlotKind::DateTime => format!("{} at {}", one(&DATES, random), one(&TIMES, random)),
        SlotKind::Duration => one(&DURATIONS, random).to_owned(),
        SlotKind::Boolean => one(&["yes", "no", "true", "false"], random).to_owned(),
        SlotKind::Enum(values) => values.first().map(|(token, _)| token.clone()).unwrap_or_default(),
        SlotKind::List(item) => {
            let item = SlotSpec { kind: (**item).clone(), entity: None, ..*slot };
            format!("{} and {}", value(&item, random), value(&item, random))
        }
    }
}

/// A person, a company or a thing.
fn record_name(random: &mut SeededRandom) -> String {
    let mut one = |list: &[&str]| list[random.next_u64() as usize % list.len()].to_owned();
    let (given, family, ending) = (one(&GIVEN_NAMES), one(&FAMILY_NAMES), one(&COMPANY_ENDINGS));
    match random.next_u64() % 6 {
        0 => given,
        1 | 2 => format!("{given} {family}"),
        3 => family,
        4 => format!("{family} {ending}"),
        _ => random_words(random),
    }
}

/// A few neighbouring words of a sentence.
fn words_of(sentence: &str, random: &mut SeededRandom) -> String {
    let words: Vec<&str> = sentence.split(' ').collect();
    let length = (1 + random.next_u64() as usize % 6).min(words.len());
    let from = random.next_u64() as usize % (words.len() - length + 1);
    words[from..from + length].join(" ")
}

/// One to three words of the table, so that no word says by itself whether it is part of a value.
fn random_words(random: &mut SeededRandom) -> String {
    let table = StaticTable::built_in();
    let mut found: Vec<&str> = Vec::new();
    let count = 1 + random.next_u64() as usize % 3;
    while found.len() < count {
        let row = FIRST_WORD + random.next_u64() % (table.rows() as u64 - FIRST_WORD);
        let piece = table.piece_text(row as u32);
        if piece.len() > 2 && piece.bytes().all(|byte| byte.is_ascii_lowercase()) {
            found.push(piece);
        }
    }
    found.join(" ")
}
