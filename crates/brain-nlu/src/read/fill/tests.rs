//! Values that no phrase gives to a slot.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use brain_embed::StaticTable;
use brain_slot::Normal;
use jiff::civil::Date;
use serde_json::{Value, json};

use crate::read::Reader;
use crate::{
    Context, SlotKind, SlotSpec, Surroundings, Target, TargetKind, Tuning, Understanding, Vocabulary, understand,
};

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
    let slot = |kind: SlotKind, required: bool| SlotSpec { kind, required, has_default: false, entity: None };
    let target = |name: &str, slots: Vec<(&str, SlotSpec)>, phrases: &[&str]| Target {
        name: name.into(),
        kind: TargetKind::Tool,
        title: name.into(),
        nouns: vec![],
        synonyms: vec![],
        intent_tier: None,
        destructive: false,
        reads_only: false,
        slots: slots.into_iter().map(|(name, slot)| (name.to_owned(), slot)).collect::<BTreeMap<_, _>>(),
        phrases: phrases.iter().map(|phrase| (*phrase).to_owned()).collect(),
        generated: Vec::new(),
    };
    let dates = || vec![("from", slot(SlotKind::Date, false)), ("to", slot(SlotKind::Date, false))];
    let prices = || vec![("min_price", slot(SlotKind::Money, false)), ("max_price", slot(SlotKind::Money, false))];
    let sizes = || vec![("width", slot(SlotKind::Integer, true)), ("height", slot(SlotKind::Integer, true))];
    let targets = vec![
        target("visits.list", dates(), &["list visits", "show all site visits"]),
        target("quotes.search", prices(), &["search quotes", "find quotes by price"]),
        target("windows.order", sizes(), &["order a window", "get a new window"]),
        target("tiles.reserve", vec![("count", slot(SlotKind::Integer, true))], &["reserve roof tiles"]),
        target(
            "payments.book",
            vec![("amount", slot(SlotKind::Decimal, true)), ("instalments", slot(SlotKind::Integer, false))],
            &["book a payment"],
        ),
    ];
    Vocabulary::compile(targets, Arc::new(StaticTable::built_in()), Tuning::default()).unwrap()
});

/// The slots of the one request, and whether all of them are marked as inferred.
fn read_after(text: &str, last: &[(&str, Value)]) -> (String, BTreeMap<String, Value>) {
    let mut context = Context::fresh(Surroundings::new(
        Date::constant(2026, 11, 16).at(10, 0, 0, 0).to_zoned(jiff::tz::TimeZone::UTC).unwrap(),
        "AU",
        "",
    ));
    context.last = last.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let Understanding::Clear { intents } = understand(&VOCABULARY, text, &context) else {
        panic!("“{text}” is not clear");
    };
    let slots = intents[0].slots.iter();
    assert!(slots.clone().all(|slot| slot.inferred.is_some()), "{:#?}", intents[0].slots);
    (intents[0].target.clone(), slots.map(|slot| (slot.name.clone(), slot.value.clone())).collect())
}

fn read(text: &str) -> (String, BTreeMap<String, Value>) {
    read_after(text, &[])
}

fn found(target: &str, slots: &[(&str, Value)]) -> (String, BTreeMap<String, Value>) {
    (target.to_owned(), slots.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
}

#[test]
fn a_range_fills_a_pair() {
    let days = [("from", json!("2026-11-16")), ("to", json!("2026-11-20"))];
    assert_eq!(read("list visits from 16 November to 20 November"), found("visits.list", &days));
    assert_eq!(read("list visits since 16 November"), found("visits.list", &days[..1]));
    let prices = [("min_price", json!("500")), ("max_price", json!("900"))];
    assert_eq!(read("search quotes between $500 and $900"), found("quotes.search", &prices));
    assert_eq!(read("search quotes up to $900"), found("quotes.search", &prices[1..]));
}

#[test]
fn a_value_next_to_a_slots_name_fills_the_slot() {
    let size = [("width", json!(90)), ("height", json!(120))];
    assert_eq!(read("order a window with a height of 120 and a width of 90"), found("windows.order", &size));
    assert_eq!(read("order a window, width 90"), found("windows.order", &size[..1]));
    assert_eq!(read("order a window, 90 width, 120 height"), found("windows.order", &size));
}

#[test]
fn an_ambiguous_value_fills_no_slot() {
    assert_eq!(read("order a window of 90 by 120"), found("windows.order", &[]));
    assert_eq!(read("order a window of 90"), found("windows.order", &[]));
    assert_eq!(read("reserve roof tiles, 40 or 50 of them"), found("tiles.reserve", &[]));
    assert_eq!(read("book a payment of 250"), found("payments.book", &[("amount", json!("250"))]), "it is needed");
}

#[test]
fn a_relative_amount_needs_its_base() {
    let before = [("count", json!(40))];
    assert_eq!(
        read_after("reserve twice as many roof tiles", &before),
        found("tiles.reserve", &[("count", json!(80))])
    );
    assert_eq!(read_after("reserve 10 more roof tiles", &before), found("tiles.reserve", &[("count", json!(50))]));
    assert_eq!(read("reserve 10 more roof tiles"), found("tiles.reserve", &[]), "ten more than what?");
}

static TEXTS: LazyLock<Vocabulary> = LazyLock::new(|| {
    let text = |required: bool| SlotSpec { kind: SlotKind::Text, required, has_default: false, entity: None };
    let target = |name: &str, title: &str, slot: &str, phrases: &[&str]| Target {
        name: name.into(),
        kind: TargetKind::Tool,
        title: title.into(),
        nouns: vec![],
        synonyms: vec![],
        intent_tier: None,
        destructive: false,
        reads_only: false,
        generated: Vec::new(),
        slots: BTreeMap::from([(slot.to_owned(), text(true))]),
        phrases: phrases.iter().map(|phrase| (*phrase).to_owned()).collect(),
    };
    let reminders =
        ["remind me to {what}", "set a reminder to {what}", "add a reminder: {what}", "please remind me to {what}"];
    let notes =
        ["write a note saying {text}", "note that {text}", "make a note that {text}", "add a note saying {text}"];
    let targets = vec![
        target("reminders.add", "Add a reminder", "what", &reminders),
        target("notes.add", "Write a note", "text", &notes),
    ];
    Vocabulary::compile(targets, Arc::new(StaticTable::built_in()), Tuning::default()).unwrap()
});

/// What is filled if no phrase assigned a slot: value and reason.
fn filled(target: usize, text: &str) -> Vec<(Option<Value>, Option<String>)> {
    let now = Date::constant(2026, 11, 16).at(10, 0, 0, 0).to_zoned(jiff::tz::TimeZone::UTC).unwrap();
    let (normal, context) = (Normal::new(text), Context::fresh(Surroundings::new(now, "AU", "")));
    let (nearest, missed) = (RefCell::default(), RefCell::default());
    let reader = Reader { vocabulary: &TEXTS, normal: &normal, text, context: &context, nearest, missed };
    let captures = super::slots(&reader, &(0..normal.len()), &TEXTS.targets[target], None);
    captures.into_iter().map(|capture| (capture.value, capture.guessed)).collect()
}

#[test]
fn a_text_is_found_by_the_words_around_it_and_marked_as_inferred() {
    let why = "“what” is usually in this position".to_owned();
    let expected = [(Some(json!("Water the plants")), Some(why))];
    assert_eq!(filled(0, "please remind me to Water the plants"), expected);
}

#[test]
fn no_text_is_made_up_where_none_stands() {
    assert!(filled(0, "add a reminder").is_empty());
    assert!(filled(1, "write a note").is_empty());
}
