//! Requests with values that are not one value: Brain asks and never takes half of them.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use brain_embed::StaticTable;
use serde_json::{Map, Value, json};

use super::*;
use crate::{SlotKind, SlotSpec, Surroundings, Target, TargetKind, Tuning, Vocabulary};

static POTTERY: LazyLock<Vocabulary> = LazyLock::new(pottery);

fn slot(kind: SlotKind) -> SlotSpec {
    SlotSpec { kind, required: true, has_default: false, entity: None }
}

fn optional(kind: SlotKind) -> SlotSpec {
    SlotSpec { required: false, ..slot(kind) }
}

fn target(name: &str, slots: Vec<(&str, SlotSpec)>, phrases: &[&str]) -> Target {
    Target {
        name: name.into(),
        kind: TargetKind::Tool,
        title: name.into(),
        nouns: vec![],
        synonyms: vec![],
        intent_tier: None,
        destructive: false,
        generated: Vec::new(),
        reads_only: false,
        slots: slots.into_iter().map(|(name, slot)| (name.to_owned(), slot)).collect::<BTreeMap<_, _>>(),
        phrases: phrases.iter().map(|phrase| (*phrase).to_owned()).collect(),
    }
}

fn pottery() -> Vocabulary {
    let targets = vec![
        target(
            "members.pay",
            vec![("name", slot(SlotKind::Text)), ("amount", slot(SlotKind::Money))],
            &["{name} paid {amount}", "record a payment of {amount} from {name}"],
        ),
        target(
            "members.charge",
            vec![("name", slot(SlotKind::Text)), ("amount", slot(SlotKind::Money))],
            &["charge {name} {amount}", "charge {name} {amount} euro"],
        ),
        target(
            "members.bill",
            vec![
                ("member_id", SlotSpec { entity: Some("member".into()), ..slot(SlotKind::Uuid) }),
                ("amount", slot(SlotKind::Money)),
            ],
            &["bill {member_id} {amount}"],
        ),
        target(
            "clay.take",
            vec![("name", slot(SlotKind::Text)), ("weight", slot(SlotKind::quantity("kg")))],
            &["{name} took {weight} of clay"],
        ),
        target(
            "firing.plan",
            vec![("day", slot(SlotKind::Date))],
            &["plan a glaze firing on {day}", "plan a raku firing {day}"],
        ),
        target(
            "stock.count",
            vec![("least", slot(SlotKind::Integer)), ("most", slot(SlotKind::Integer))],
            &["show shelves with between {least} and {most} pots"],
        ),
        target("pots.list", vec![("max_price", optional(SlotKind::Money))], &["list pots", "show me the pots"]),
        target("stale.list", vec![("days", slot(SlotKind::Integer))], &["pots that dried for more than {days} days"]),
    ];
    Vocabulary::compile(targets, Arc::new(StaticTable::built_in()), Tuning::default()).unwrap()
}

/// Sunday, 15 November 2026, in Ireland.
fn read(text: &str) -> Understanding {
    let now = jiff::civil::date(2026, 11, 15).at(10, 0, 0, 0).to_zoned(jiff::tz::TimeZone::UTC).unwrap();
    understand(&POTTERY, text, &Context::fresh(Surroundings::new(now, "IE", "EUR")))
}

fn one(text: &str) -> Intent {
    match read(text) {
        Understanding::Clear { mut intents } if intents.len() == 1 => intents.remove(0),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn an_unclear_value_is_asked_for_with_its_reason() {
    let mut wrong = Vec::new();
    for (text, slot, said, why) in [
        ("Maria paid 5 or 6 euro", "amount", "5 or 6 euro", "“5 or 6 euro” could be 5.00 or 6.00."),
        ("Maria paid half", "amount", "half", "“half” is not one complete value."),
        ("Maria paid about 20 euro", "amount", "about 20 euro", "“about 20 euro” is not exact."),
        ("Maria paid 1.250", "amount", "1.250", "“1.250” could be 1250 or 1.25."),
        ("charge Maria $12.50", "amount", "$12.50", "“$12.50” is in another currency; this pack uses EUR."),
        ("charge Maria 5 or 6 euro", "amount", "5 or 6 euro", "“5 or 6 euro” could be 5.00 or 6.00."),
        ("please charge Maria 5 or 6 euro", "amount", "5 or 6 euro", "“5 or 6 euro” could be 5.00 or 6.00."),
        ("Maria took 2 bags of clay", "weight", "2 bags", "“2 bags” is not an amount in kg."),
        ("Maria took 2-3 kg of clay", "weight", "2-3 kg", "“2-3 kg” is a range, not one value."),
        ("plan a glaze firing on 31 November", "day", "31 November", "There is no 31 November."),
        ("plan a glaze firing on Friday the 13th", "day", "Friday the 13th", "13 December is a Sunday, not a Friday."),
        (
            "plan a glaze firing on Friday and Saturday",
            "day",
            "Friday and Saturday",
            "“Friday and Saturday” is more than one value.",
        ),
        (
            "plan a glaze firing on Friday or Saturday",
            "day",
            "Friday or Saturday",
            "“Friday or Saturday” could be 20 November or 21 November.",
        ),
        (
            "plan a raku firing every Friday",
            "day",
            "every Friday",
            "“every Friday” happens more than once; this needs one time.",
        ),
        ("could you plan a glaze firing for 31 November", "day", "31 November", "There is no 31 November."),
    ] {
        let invalid: Vec<InvalidSlot> = match read(text) {
            Understanding::Clear { intents } => intents.into_iter().flat_map(|intent| intent.invalid).collect(),
            other => {
                wrong.push(format!("{text}: {other:?}"));
                continue;
            }
        };
        let expected = vec![InvalidSlot { name: slot.into(), text: said.into(), why: Some(why.into()) }];
        if invalid != expected {
            wrong.push(format!("{text}: {invalid:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_value_as_people_write_it_is_taken_whole() {
    for (text, slots) in [
        ("Aoife paid 4,63", json!({"name": "Aoife", "amount": "4.63"})),
        ("Maria paid 10 euro 50", json!({"name": "Maria", "amount": "10.50"})),
        ("Maria paid 4 euro 63 cent", json!({"name": "Maria", "amount": "4.63"})),
        ("Maria paid 1.250,00", json!({"name": "Maria", "amount": "1250.00"})),
        ("charge Maria 12 euro", json!({"name": "Maria", "amount": "12"})),
        ("Maria took two and a half kilos of clay", json!({"name": "Maria", "weight": "2.5"})),
        ("Maria took half a kilo of clay", json!({"name": "Maria", "weight": "0.5"})),
        ("plan a glaze firing on Friday the 20th", json!({"day": "2026-11-20"})),
    ] {
        let intent = one(text);
        let said: Map<String, Value> = intent.slots.into_iter().map(|slot| (slot.name, slot.value)).collect();
        assert_eq!((Value::Object(said), intent.invalid), (slots, vec![]), "{text}");
    }
}

#[test]
fn a_phrase_may_say_the_words_of_a_range_itself() {
    let slots = |text: &str| -> Value {
        let intent = one(text);
        assert_eq!(intent.invalid, [], "{text}");
        intent.slots.into_iter().map(|slot| (slot.name, slot.value)).collect::<Map<_, _>>().into()
    };
    assert_eq!(slots("show shelves with between 5 and 10 pots"), json!({"least": 5, "most": 10}));
    assert_eq!(slots("please show shelves with between 5 and 10 pots"), json!({"least": 5, "most": 10}));
    assert_eq!(slots("pots that dried for more than 3 days"), json!({"days": 3}));
    assert_eq!(slots("show me the pots under 200 euro"), json!({"max_price": "200"}));
}

#[test]
fn what_counts_other_things_does_not_hide_a_value() {
    let Understanding::Ask(question) = read("Maria paid 20 for 3 bowls") else { panic!() };
    let amount = question.options[0].slots.iter().find(|slot| slot.name == "amount");
    assert_eq!(amount.map(|slot| &slot.value), Some(&json!("20")));
    assert_eq!(question.options[0].invalid, []);
}

#[test]
fn each_name_of_a_list_has_the_amount_next_to_it() {
    let Understanding::Clear { intents } = read("bill Ann Bell 3 and Bea Cole 4") else { panic!() };
    let slots = |intent: &Intent| -> Vec<(String, Value)> {
        let mut slots: Vec<_> = intent.slots.iter().map(|slot| (slot.name.clone(), slot.value.clone())).collect();
        slots.sort_by(|a, b| a.0.cmp(&b.0));
        slots
    };
    let billed = |name: &str, amount: &str| {
        vec![("amount".to_owned(), json!(amount)), ("member_id".to_owned(), json!({"mention": name}))]
    };
    let all: Vec<_> = intents.iter().map(slots).collect();
    assert_eq!(all, [billed("Ann Bell", "3"), billed("Bea Cole", "4")]);
}
