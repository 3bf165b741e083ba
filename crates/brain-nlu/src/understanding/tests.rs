//! Readings of the kinds of requests that people make.

use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crate::{SlotKind, SlotSpec, Target};

const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

fn slot(kind: SlotKind) -> SlotSpec {
    SlotSpec { kind, required: true, has_default: false }
}

fn target(name: &str, slots: Vec<(&str, SlotSpec)>, phrases: &[&str]) -> Target {
    Target {
        name: name.into(),
        kind: TargetKind::Tool,
        title: name.into(),
        slots: slots.into_iter().map(|(name, slot)| (name.to_owned(), slot)).collect::<BTreeMap<_, _>>(),
        phrases: phrases.iter().map(|phrase| (*phrase).to_owned()).collect(),
    }
}

fn vocabulary() -> Vocabulary {
    let severity = SlotKind::Enum(["low", "medium", "high"].map(|token| (token.to_owned(), vec![])).to_vec());
    let domain = SlotSpec { kind: SlotKind::Text, required: false, has_default: true };
    Vocabulary::compile(vec![
        target("os.health_check", vec![], &["system status", "health check"]),
        target("os.create_note", vec![("content", slot(SlotKind::Text))], &["create note: {content}"]),
        target("os.create_task", vec![("title", slot(SlotKind::Text)), ("domain", domain)], &["create task: {title}"]),
        target("os.complete_task", vec![("task_id", slot(SlotKind::Uuid))], &["complete task {task_id}"]),
        target("os.list_tasks", vec![], &["list tasks", "show my tasks"]),
        target(
            "leads.create",
            vec![("name", slot(SlotKind::Text)), ("phone", slot(SlotKind::Phone)), ("suburb", slot(SlotKind::Text))],
            &["new lead: {name} {phone} in {suburb}"],
        ),
        target("leads.list_by_stage", vec![], &["list leads"]),
        target(
            "inspection.add_measurement",
            vec![
                ("inspection_id", slot(SlotKind::Uuid)),
                ("description", slot(SlotKind::Text)),
                ("value", slot(SlotKind::Decimal)),
                ("unit", slot(SlotKind::Text)),
            ],
            &["add measurement to {inspection_id}: {description} {value} {unit}"],
        ),
        target(
            "inspection.add_defect",
            vec![
                ("inspection_id", slot(SlotKind::Uuid)),
                ("description", slot(SlotKind::Text)),
                ("severity", slot(severity)),
            ],
            &["add defect to {inspection_id}: {description} {severity}"],
        ),
        target(
            "quote.add_item",
            vec![
                ("quote_id", slot(SlotKind::Uuid)),
                ("quantity", slot(SlotKind::Decimal)),
                ("description", slot(SlotKind::Text)),
                ("unit_price", slot(SlotKind::Money)),
            ],
            &["add item to quote {quote_id}: {quantity}x {description} ${unit_price}"],
        ),
    ])
    .unwrap()
}

fn read(text: &str) -> Understanding {
    let around = Surroundings { today: jiff::civil::Date::constant(2026, 11, 15), month_first: false };
    understand(&vocabulary(), text, &around)
}

fn clear(text: &str) -> Vec<(String, Value)> {
    let Understanding::Clear { intents } = read(text) else { panic!("{text}: {:?}", read(text)) };
    intents
        .into_iter()
        .map(|intent| {
            let slots = intent.slots.into_iter().map(|slot| (slot.name, slot.value)).collect();
            (intent.target, Value::Object(slots))
        })
        .collect()
}

fn one(text: &str) -> (String, Value) {
    let mut intents = clear(text);
    assert_eq!(intents.len(), 1, "{text}: {intents:?}");
    intents.remove(0)
}

#[test]
fn every_pattern_of_the_planner_is_read_with_its_slots() {
    assert_eq!(one("system status"), ("os.health_check".into(), json!({})));
    assert_eq!(one("Create Task: Call Bob"), ("os.create_task".into(), json!({"title": "Call Bob"})));
    assert_eq!(one(&format!("complete task {ID}")), ("os.complete_task".into(), json!({"task_id": ID})));
    assert_eq!(
        one("new lead: Mary Ann Smith 0412 345 678 in North Ryde"),
        ("leads.create".into(), json!({"name": "Mary Ann Smith", "phone": "0412 345 678", "suburb": "North Ryde"}))
    );
    assert_eq!(
        one("new lead: Bob +61 412 345 678 in Ryde").1,
        json!({"name": "Bob", "phone": "+61 412 345 678", "suburb": "Ryde"})
    );
    assert_eq!(
        one(&format!("add measurement to {ID}: Level 2 ridge 12.5 m")).1,
        json!({"inspection_id": ID, "description": "Level 2 ridge", "value": "12.5", "unit": "m"})
    );
    assert_eq!(one(&format!("add measurement to {ID}: gutter 7m")).1["unit"], "m");
    assert_eq!(
        one(&format!("add defect to {ID}: high ridge tile cracked HIGH")).1,
        json!({"inspection_id": ID, "description": "high ridge tile cracked", "severity": "high"})
    );
    assert_eq!(
        one(&format!("add item to quote {ID}: 2.5x Ridge tiles, 600mm $1,045.50")).1,
        json!({"quote_id": ID, "quantity": "2.5", "description": "Ridge tiles, 600mm", "unit_price": "1045.50"})
    );
}

#[test]
fn punctuation_case_and_spacing_do_not_matter() {
    for text in ["LIST TASKS", "  list   tasks ", "List tasks.", "list tasks!"] {
        assert_eq!(one(text).0, "os.list_tasks", "{text}");
    }
    assert_eq!(one("create task Call Bob").1, json!({"title": "Call Bob"}));
    assert_eq!(one("create task: “Call Bob; then list tasks”").1, json!({"title": "Call Bob; then list tasks"}));
}

#[test]
fn several_requests_are_split_and_values_are_not() {
    let names = |text: &str| clear(text).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names("list tasks and list leads"), ["os.list_tasks", "leads.list_by_stage"]);
    assert_eq!(names("create task: A\ncreate task: B; list leads").len(), 3);
    assert_eq!(
        clear("create task: buy bread and butter and then list leads"),
        [
            ("os.create_task".to_owned(), json!({"title": "buy bread and butter"})),
            ("leads.list_by_stage".to_owned(), json!({})),
        ]
    );
    assert_eq!(one("create note: Bob, Jane and Al").1, json!({"content": "Bob, Jane and Al"}));
    assert_eq!(one("create note: first line\nsecond line").1, json!({"content": "first line\nsecond line"}));
    let eleven = (1..=11).map(|n| format!("create task: T{n}")).collect::<Vec<_>>();
    assert_eq!(names(&eleven.join(" and ")).len(), 11);
    assert_eq!(names(&eleven.join(", ")).len(), 11);
}

#[test]
fn confidence_says_what_was_filled_in() {
    let confidence = |text: &str| match read(text) {
        Understanding::Clear { intents } => intents[0].confidence,
        Understanding::Ask(_) => Confidence::Low,
        Understanding::Unknown { .. } => Confidence::None,
    };
    assert_eq!(confidence("create note: x"), Confidence::High);
    assert_eq!(confidence("create task: x"), Confidence::Medium);
    assert_eq!(confidence("make me a sandwich"), Confidence::None);
}

#[test]
fn a_broken_value_is_told_apart_from_no_match() {
    let Understanding::Clear { intents } = read("complete task 1234-broken") else { panic!() };
    assert_eq!(intents[0].target, "os.complete_task");
    assert_eq!(intents[0].invalid, [InvalidSlot { name: "task_id".into(), text: "1234-broken".into() }]);
}

#[test]
fn two_equal_readings_are_a_question() {
    let vocabulary = Vocabulary::compile(vec![
        target("a.one", vec![("x", slot(SlotKind::Text))], &["open {x}"]),
        target("b.two", vec![("y", slot(SlotKind::Text))], &["open {y}"]),
    ])
    .unwrap();
    let around = Surroundings { today: jiff::civil::Date::constant(2026, 11, 15), month_first: false };
    let Understanding::Ask(question) = understand(&vocabulary, "open sesame", &around) else { panic!() };
    assert_eq!(question.options.len(), 2);
    assert!(question.options.iter().all(|option| option.confidence == Confidence::Low));
}

#[test]
fn the_nearest_phrases_are_offered() {
    let Understanding::Unknown { nearest } = read("crate a tsk for Bob") else { panic!() };
    assert_eq!(nearest[0].target, "os.create_task");
    let Understanding::Unknown { nearest } = read("zzz") else { panic!() };
    assert!(nearest.is_empty());
}

#[test]
fn long_and_hostile_texts_end_quickly() {
    for text in [
        "create note: ".to_owned() + &"and list tasks ".repeat(4000),
        "new lead: ".to_owned() + &"1 ".repeat(30_000),
        "\"".repeat(60_000),
        "{".repeat(1000),
    ] {
        let _ = read(&text);
    }
}

mod never_panics {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn on_any_text(text in "\\PC{0,200}") {
            let _ = super::read(&text);
        }

        #[test]
        fn on_mangled_requests(cut in 0_usize..80, with in "[ :\"';$0-9a-zé\n-]{0,12}") {
            let whole = format!("add item to quote {}: 2x Ridge tiles $45.50 and list tasks", super::ID);
            let mut text = whole.clone();
            let at = cut.min(whole.len());
            text.replace_range(at..(at + with.len()).min(whole.len()), &with);
            let _ = super::read(&text);
        }
    }
}
