//! Fitting and reading.

use std::collections::BTreeMap;

use super::phrases::PhraseCases;
use super::*;
use crate::phrase::Phrase;
use crate::{SlotKind, SlotSpec, Target, TargetKind};

/// Utterances with `[slot:value]` in them.
fn examples(list: &[(u32, &str)]) -> Vec<Labelled> {
    let example = |(target, marked): &(u32, &str)| {
        let mut found = Labelled { target: *target, ..Labelled::default() };
        let mut rest = *marked;
        while let Some((before, after)) = rest.split_once('[') {
            let (slot, after) = after.split_once(':').unwrap();
            let (value, after) = after.split_once(']').unwrap();
            found.text.push_str(before);
            let from = found.text.len();
            found.text.push_str(value);
            found.slots.push((slot.to_owned(), from..found.text.len()));
            rest = after;
        }
        found.text.push_str(rest);
        found
    };
    list.iter().map(example).collect()
}

const MUSIC: [(u32, &str); 14] = [
    (0, "play [song:yellow river] by [artist:christie]"),
    (0, "play [song:hey jude] from [artist:the beatles]"),
    (0, "i want to hear [song:one] by [artist:metallica]"),
    (0, "please play something by [artist:nina simone]"),
    (0, "put on [song:blue train]"),
    (0, "start [song:moon river] by [artist:andy williams] please"),
    (0, "could you play [song:jolene] by [artist:dolly parton]"),
    (1, "rate [book:the hobbit] [points:5] points"),
    (1, "give [book:dune] [points:4] out of 6"),
    (1, "i rate [book:emma] a [points:3]"),
    (1, "[points:2] points for [book:war and peace]"),
    (1, "give [points:1] stars to [book:persuasion]"),
    (1, "rate this book [points:6] points"),
    (1, "the book [book:middlemarch] gets [points:5] stars"),
];

fn read(model: &SequenceModel, target: u32, text: &str) -> Vec<(String, String)> {
    model.read(text, target).into_iter().map(|span| (span.slot.to_owned(), text[span.range].to_owned())).collect()
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(slot, value)| ((*slot).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn values_are_found_in_wordings_that_no_example_has() {
    let model = SequenceModel::fit(&examples(&MUSIC));
    let found = read(&model, 0, "I want to play Purple Rain by Prince");
    assert_eq!(found, pairs(&[("song", "Purple Rain"), ("artist", "Prince")]));
    let found = read(&model, 1, "please give Ulysses 3 points");
    assert_eq!(found, pairs(&[("book", "Ulysses"), ("points", "3")]));
}

#[test]
fn only_the_slots_of_the_target_are_found() {
    let model = SequenceModel::fit(&examples(&MUSIC));
    let found = model.read("play purple rain by prince", 1);
    assert!(found.iter().all(|span| span.slot == "book" || span.slot == "points"), "{found:?}");
    assert!(model.read("play purple rain by prince", 7).is_empty(), "there is no such target");
    assert!(model.read("", 0).is_empty() && model.read(&"word ".repeat(1000), 0).is_empty());
}

#[test]
fn a_likely_value_has_more_confidence_than_an_unlikely_one() {
    let model = SequenceModel::fit(&examples(&MUSIC));
    let of = |text: &str| {
        let found = model.read(text, 0);
        found.iter().find(|span| span.slot == "artist").map_or(0.0, |span| span.confidence)
    };
    let (plain, odd) = (of("play paranoid by black sabbath"), of("the window by the door sabbath it was"));
    assert!(plain > odd && plain > 0.5 && plain <= 1.0, "{plain} {odd}");
}

#[test]
fn the_same_examples_give_the_same_bytes() {
    let bytes = || postcard::to_allocvec(&SequenceModel::fit(&examples(&MUSIC))).unwrap();
    let (one, other) = (bytes(), bytes());
    assert!(one == other);
    let model: SequenceModel = postcard::from_bytes(&one).unwrap();
    let text = "play paranoid by black sabbath";
    assert_eq!(model.read(text, 0), SequenceModel::fit(&examples(&MUSIC)).read(text, 0));
}

#[test]
fn a_model_of_nothing_finds_nothing() {
    let model = SequenceModel::fit(&[]);
    assert!(model.read("play paranoid", 0).is_empty());
    let model = SequenceModel::fit(&examples(&[(0, "stop"), (0, "be quiet")]));
    assert!(model.read("stop now", 0).is_empty());
}

/// A vocabulary's targets and phrases: a text, a name and a number.
fn shop(reminders: &[&str]) -> (Vec<Target>, Vec<Phrase>) {
    let slot = |kind: SlotKind, entity: Option<&str>| SlotSpec {
        kind,
        required: true,
        has_default: false,
        entity: entity.map(str::to_owned),
    };
    let target = |name: &str, slots: Vec<(&str, SlotSpec)>, phrases: &[&str]| Target {
        name: name.into(),
        kind: TargetKind::Tool,
        title: name.into(),
        nouns: vec![],
        synonyms: vec![],
        intent_tier: None,
        destructive: false,
        reads_only: false,
        generated: Vec::new(),
        slots: slots.into_iter().map(|(name, slot)| (name.to_owned(), slot)).collect::<BTreeMap<_, _>>(),
        phrases: phrases.iter().map(|phrase| (*phrase).to_owned()).collect(),
    };
    let visits = ["visit {client} {times} times", "plan {times} visits to {client}", "go to {client}"];
    let number = slot(SlotKind::Integer, None);
    let targets = vec![
        target("reminders.add", vec![("what", slot(SlotKind::Text, None))], reminders),
        target(
            "visits.plan",
            vec![("client", slot(SlotKind::Uuid, Some("client"))), ("times", number.clone())],
            &visits,
        ),
        target("tiles.count", vec![("count", number)], &["count {count} tiles"]),
    ];
    let phrase = |(number, target): (usize, &Target)| {
        let phrases = target.phrases.iter();
        phrases.map(|text| Phrase::new(number, text, target).unwrap().0).collect::<Vec<_>>()
    };
    let phrases = targets.iter().enumerate().flat_map(phrase).collect();
    (targets, phrases)
}

const REMINDERS: [&str; 4] =
    ["remind me to {what}", "set a reminder to {what}", "add a reminder: {what}", "please remind me to {what}"];

fn of_phrases(reminders: &[&str]) -> SequenceModel {
    let (targets, phrases) = shop(reminders);
    let PhraseCases { cases, .. } = cases(&targets, &phrases);
    SequenceModel::of(&cases)
}

#[test]
fn phrases_without_values_are_enough() {
    let model = of_phrases(&REMINDERS);
    let found = read(&model, 0, "could you remind me to Water the Plants");
    assert_eq!(found, pairs(&[("what:text", "Water the Plants")]));
    assert_eq!(slot_name("what:text"), "what");
    let found = read(&model, 1, "please visit Olga Marsh 4 times");
    assert_eq!(found, pairs(&[("client:name", "Olga Marsh"), ("times:number", "4")]));
    assert!(model.read("count 12 tiles", 2).is_empty(), "its values are found by their type");
}

#[test]
fn a_changed_phrase_is_learned_without_forgetting_the_others() {
    let before = of_phrases(&REMINDERS);
    let changed = [&REMINDERS[..], &["do not let {what} slip my mind"]].concat();
    let (targets, phrases) = shop(&changed);
    let all = cases(&targets, &phrases);
    let number = all.texts.iter().position(|text| text.contains("slip")).unwrap();
    let after = SequenceModel::refit(&before, &all.cases, &[number]).unwrap();
    let said = "do not let the rent payment slip my mind";
    assert_eq!(read(&after, 0, said), pairs(&[("what:text", "the rent payment")]));
    assert_eq!(read(&after, 0, "could you remind me to call Bob"), pairs(&[("what:text", "call Bob")]));
    let same = SequenceModel::refit(&before, &cases(&targets, &phrases).cases, &[]).unwrap();
    assert!(postcard::to_allocvec(&same) == postcard::to_allocvec(&before));
}

#[test]
fn other_slots_are_fitted_from_scratch() {
    let before = of_phrases(&REMINDERS);
    let (mut targets, _) = shop(&[]);
    let slot = targets[1].slots["times"].clone();
    targets[0].slots.insert("count".to_owned(), slot);
    assert!(SequenceModel::refit(&before, &cases(&targets, &[]).cases, &[]).is_none());
}
