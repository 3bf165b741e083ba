//! Readings of the kinds of requests that people make.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use brain_embed::StaticTable;
use serde_json::{Value, json};

use super::*;
use crate::{Modality, Role, SlotKind, SlotSpec, Surroundings, Target, Tuning};

static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(vocabulary);

const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

fn slot(kind: SlotKind) -> SlotSpec {
    SlotSpec { kind, required: true, has_default: false, entity: None }
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
        reads_only: name.contains("list") || name.contains("health"),
        slots: slots.into_iter().map(|(name, slot)| (name.to_owned(), slot)).collect::<BTreeMap<_, _>>(),
        phrases: phrases.iter().map(|phrase| (*phrase).to_owned()).collect(),
    }
}

fn vocabulary() -> Vocabulary {
    let severity = SlotKind::Enum(["low", "medium", "high"].map(|token| (token.to_owned(), vec![])).to_vec());
    let domain = SlotSpec { kind: SlotKind::Text, required: false, has_default: true, entity: None };
    compile(vec![
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
}

fn compile(targets: Vec<Target>) -> Vocabulary {
    Vocabulary::compile(targets, Arc::new(StaticTable::built_in()), Tuning::default()).unwrap()
}

pub(super) fn fresh() -> Context<'static> {
    Context::fresh(Surroundings::new(
        jiff::civil::date(2026, 11, 15).at(10, 0, 0, 0).to_zoned(jiff::tz::TimeZone::UTC).unwrap(),
        "",
        "",
    ))
}

fn read(text: &str) -> Understanding {
    understand(&VOCABULARY, text, &fresh())
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
fn defaults_and_inferred_values_lower_confidence() {
    let confidence = |text: &str| match read(text) {
        Understanding::Clear { intents } => intents[0].confidence,
        Understanding::Ask(_) => Confidence::Low,
        Understanding::Unknown { .. } | Understanding::SmallTalk { .. } => Confidence::None,
    };
    assert_eq!(confidence("create note: x"), Confidence::High);
    assert_eq!(confidence("create task: x"), Confidence::Medium);
    assert_eq!(confidence("make me a sandwich"), Confidence::None);
}

#[test]
fn an_invalid_value_is_not_the_same_as_no_match() {
    let Understanding::Clear { intents } = read("complete task 1234-broken") else { panic!() };
    assert_eq!(intents[0].target, "os.complete_task");
    assert_eq!(intents[0].invalid, [InvalidSlot { name: "task_id".into(), text: "1234-broken".into(), why: None }]);
}

#[test]
fn two_equal_readings_are_a_question() {
    let vocabulary = compile(vec![
        target("a.one", vec![("x", slot(SlotKind::Text))], &["open {x}"]),
        target("b.two", vec![("y", slot(SlotKind::Text))], &["open {y}"]),
    ]);
    let Understanding::Ask(question) = understand(&vocabulary, "open sesame", &fresh()) else { panic!() };
    assert_eq!(question.options.len(), 2);
    assert!(question.options.iter().all(|option| option.confidence == Confidence::Low));
}

#[test]
fn out_of_scope_utterances_lead_to_no_action() {
    for text in ["zzz", "what is the capital of portugal", "is it going to rain"] {
        let Understanding::Unknown { nearest } = read(text) else { panic!("{text}: {:?}", read(text)) };
        assert!(nearest.len() <= 3);
    }
}

#[test]
fn typos_fillers_word_order_and_synonyms_are_tolerated() {
    for (text, target, slots) in [
        ("pls creat a task: Call Bob", "os.create_task", json!({"title": "Call Bob"})),
        ("could you please list my tasks", "os.list_tasks", json!({})),
        ("shwo my taks", "os.list_tasks", json!({})),
        ("helth check", "os.health_check", json!({})),
        ("add note: buy milk", "os.create_note", json!({"content": "buy milk"})),
        (
            "new laed: Bob Lee 0412 345 678 in Ryde",
            "leads.create",
            json!({"name": "Bob Lee", "phone": "0412 345 678", "suburb": "Ryde"}),
        ),
    ] {
        assert_eq!(one(text), (target.into(), slots), "{text}");
    }
    let Understanding::Clear { intents } = read("shwo my taks") else { panic!() };
    assert_eq!(intents[0].evidence.tier, Stage::Pattern);
    assert_eq!(intents[0].evidence.taken_for, [("shwo".into(), "show".into()), ("taks".into(), "tasks".into())]);
    assert_eq!(intents[0].confidence, Confidence::Medium, "it was inferred");
}

/// Whether search was asked, and what was read.
fn searched(vocabulary: &Vocabulary, text: &str, context: &Context<'_>) -> (bool, Understanding) {
    let found = understand(vocabulary, text, context);
    let intents = match &found {
        Understanding::Clear { intents } => intents.as_slice(),
        Understanding::Ask(question) => question.options.as_slice(),
        _ => &[],
    };
    (intents.iter().any(|intent| intent.evidence.search.is_some()), found)
}

#[test]
fn a_word_for_word_match_needs_no_search() {
    let vocabulary = compile(archive_or_delete());
    let ask = |text: &str| searched(&vocabulary, &text.replace("ID", ID), &fresh());
    for text in ["please archive the lead ID", "hey, I would like you to put lead ID away", "could you list all leads"]
    {
        let (searched, found) = ask(text);
        let Understanding::Clear { intents } = found else { panic!("{text}: {found:?}") };
        assert!(!searched && intents[0].evidence.tier != Stage::Search, "{text}: {intents:?}");
        assert!(intents[0].evidence.score > 0.5, "{text}: {intents:?}");
    }
    // Other words, one too many, one that is missing, a value that is missing, or something that would be taken away.
    for text in [
        "please store the lead ID",
        "archive the old lead ID",
        "please archive ID",
        "archive the lead",
        "please delete the lead ID",
    ] {
        assert!(ask(text).0, "{text}: {:?}", ask(text));
    }
    // A target that is out of the question is never matched.
    let mut context = fresh();
    context.excluded.insert("leads.archive".into(), "it is archived already".into());
    let (_, found) = searched(&vocabulary, &format!("please archive the lead {ID}"), &context);
    assert!(!matches!(&found, Understanding::Clear { intents } if intents[0].target == "leads.archive"), "{found:?}");
}

#[test]
fn two_word_for_word_matches_lead_to_a_question() {
    let targets =
        vec![target("a.one", vec![], &["show open jobs"]), target("b.one", vec![], &["show the open jobs now"])];
    let found = understand(&compile(targets), "please show all the open jobs", &fresh());
    assert!(matches!(found, Understanding::Ask(_)), "{found:?}");
}

#[test]
fn negations_questions_and_conditions_lead_to_a_question() {
    let asked = |text: &str| matches!(read(&text.replace("ID", ID)), Understanding::Ask(_));
    for text in [
        "do not complete task ID",
        "please don't complete the task ID",
        "did you complete task ID",
        "hey, have you completed task ID?",
        "how do I complete task ID",
        "what if I complete task ID",
        "if Bob agrees complete task ID",
        "never list my tasks",
        "I did not complete task ID",
        "I said do not complete task ID",
        "make sure you never complete task ID",
    ] {
        assert!(asked(text), "{text}: {:?}", read(&text.replace("ID", ID)));
    }
    for (text, doubt) in [
        ("Please don't complete the task ID", "don't"),
        ("Do not  complete task ID", "Do not"),
        ("I said don't complete task ID", "don't"),
        ("I did not complete task ID", "did not"),
    ] {
        let Understanding::Ask(question) = read(&text.replace("ID", ID)) else { panic!("{text}") };
        assert_eq!(question.options[0].evidence.doubt.as_deref(), Some(doubt), "{text}");
    }
    // Courtesies, words of a value, and questions that want to be shown something.
    for (text, target) in [
        ("could you please complete task ID", "os.complete_task"),
        ("can we complete the task ID", "os.complete_task"),
        ("please create a task: do not forget why Bob did not call", "os.create_task"),
        ("how do I list my tasks", "os.list_tasks"),
    ] {
        assert_eq!(one(&text.replace("ID", ID)).0, target, "{text}");
    }
    // What people are known to say is no doubt.
    let never = target("doors.lock", vec![], &["do not let anybody in", "lock the doors"]);
    let vocabulary = compile(vec![never, target("doors.unlock", vec![], &["open up", "let everybody in"])]);
    let found = understand(&vocabulary, "please do not let anybody in", &fresh());
    assert!(matches!(&found, Understanding::Clear { intents } if intents[0].target == "doors.lock"), "{found:?}");
    let pin = target("card.change_pin", vec![], &["how do I change my pin", "I need another pin", "change the pin"]);
    let vocabulary = compile(vec![pin, target("card.order", vec![], &["where is my card", "order a card"])]);
    let found = understand(&vocabulary, "is it possible for you to change the pin", &fresh());
    let doubt = |found: &Understanding| serde_json::to_string(found).unwrap().contains("\"doubt\"");
    assert!(!doubt(&found), "it is asked for with questions: {found:?}");
}

#[test]
fn a_quoted_value_is_never_a_request() {
    assert_eq!(one("creat task: \"list leads and list tasks\"").1, json!({"title": "list leads and list tasks"}));
}

fn archive_or_delete() -> Vec<Target> {
    let id = || vec![("lead_id", SlotSpec { entity: Some("lead".into()), ..slot(SlotKind::Uuid) })];
    let mut delete = target("leads.delete", id(), &["delete lead {lead_id}", "remove lead {lead_id} for good"]);
    delete.destructive = true;
    let archive = target("leads.archive", id(), &["archive lead {lead_id}", "put lead {lead_id} away"]);
    let list = target("leads.list", vec![], &["list leads", "show all leads"]);
    vec![archive, delete, list]
}

#[test]
fn no_destructive_target_is_chosen_by_similarity() {
    let vocabulary = compile(archive_or_delete());
    for said in
        ["delet lead", "get rid of lead", "drop the lead", "archive lead", "clear out lead", "dlete lead", "hide lead"]
    {
        let text = format!("{said} {ID}");
        if let Understanding::Clear { intents } = understand(&vocabulary, &text, &fresh()) {
            assert!(intents.iter().all(|intent| intent.target != "leads.delete"), "{text}: {intents:?}");
        }
    }
    let Understanding::Clear { intents } = understand(&vocabulary, &format!("please delete the lead {ID}"), &fresh())
    else {
        panic!()
    };
    assert_eq!(intents[0].target, "leads.delete", "its own word was said");
}

#[test]
fn the_conversation_excludes_boosts_and_fills_slots() {
    let vocabulary = compile(archive_or_delete());
    let mut context = fresh();
    context.excluded.insert("leads.archive".into(), "it is archived already".into());
    let found = understand(&vocabulary, &format!("archive lead {ID}"), &context);
    let named = |found: &Understanding| serde_json::to_string(found).unwrap().contains("\"target\":\"leads.archive\"");
    assert!(!named(&found), "{found:?}");
    let mut context = fresh();
    context.focus.push(crate::Focus { kind: "lead".into(), value: json!(ID), name: "Bob Lee".into() });
    let Understanding::Clear { intents } = understand(&vocabulary, "archive lead", &context) else { panic!() };
    assert_eq!(intents[0].slots[0].value, json!(ID));
    assert!(intents[0].slots[0].inferred.as_deref().unwrap().contains("Bob Lee"));
    assert_eq!(intents[0].confidence, Confidence::Medium);
}

#[test]
fn taught_phrases_apply_at_once_and_to_the_right_people() {
    use crate::{Taught, TaughtPhrase};
    let phrase = |text: &str, target: &str, actor: Option<&str>| TaughtPhrase {
        text: text.into(),
        target: target.into(),
        actor: actor.map(str::to_owned),
    };
    let phrases = [
        phrase("ring {title}", "os.create_task", None),
        phrase("list leads", "os.list_tasks", Some("ann")),
        phrase("gone", "no.such_tool", None),
    ];
    let taught = Taught::build(&VOCABULARY, &phrases, &[], None).unwrap();
    let read_as = |text: &str, actor: &'static str| {
        let context = Context { taught: Some(&taught), actor: Some(actor), ..fresh() };
        match understand(&VOCABULARY, text, &context) {
            Understanding::Clear { intents } => (intents[0].target.clone(), intents[0].evidence.source),
            other => panic!("{text}: {other:?}"),
        }
    };
    assert_eq!(read_as("ring Bob", "bob"), ("os.create_task".into(), Source::Taught));
    assert_eq!(read_as("please ring Bob", "bob"), ("os.create_task".into(), Source::Taught));
    assert_eq!(read_as("list leads", "ann"), ("os.list_tasks".into(), Source::Own));
    assert_eq!(read_as("list leads", "bob"), ("leads.list_by_stage".into(), Source::Pack));
}

#[test]
fn a_rejected_phrase_and_its_paraphrases_are_blocked() {
    use crate::learn::Blocked;
    use crate::{Taught, TaughtPhrase};
    let taught = [TaughtPhrase { text: "ring {title}".into(), target: "os.create_task".into(), actor: None }];
    let block = |phrase: &str, target: &str| Blocked {
        phrase: phrase.into(),
        target: target.into(),
        why: "too generic".into(),
        by: "ann".into(),
        at: brain_core::Timestamp::default(),
    };
    let read_with = |blocked: &[Blocked], text: &str| {
        let taught = Taught::build(&VOCABULARY, &taught, blocked, None).unwrap();
        understand(&VOCABULARY, text, &Context { taught: Some(&taught), ..fresh() })
    };
    let leads_to = |found: &Understanding, target: &str| match found {
        Understanding::Clear { intents } => intents.iter().any(|intent| intent.target == target),
        _ => false,
    };
    for (phrase, target, says) in [
        ("ring {title}", "os.create_task", "ring Bob"),
        ("list leads", "leads.list_by_stage", "please list leads"),
        ("show my tasks", "os.list_tasks", "shwo my taks"),
    ] {
        assert!(leads_to(&read_with(&[], says), target), "{says}");
        let found = read_with(&[block(phrase, target)], says);
        assert!(!leads_to(&found, target), "{says}: {found:?}");
        // Another target is not concerned.
        assert!(leads_to(&read_with(&[block(phrase, "os.create_note")], says), target), "{says}");
    }
    // What matches another phrase whole is not lost because it is like the one that was rejected.
    assert!(leads_to(
        &read_with(&[block("list my leads", "leads.list_by_stage")], "list leads"),
        "leads.list_by_stage"
    ));
}

#[test]
fn a_loaded_snapshot_gives_the_same_readings() {
    let loaded = vocabulary();
    assert_eq!(loaded.key(), VOCABULARY.key());
    loaded.load(&VOCABULARY.snapshot()).unwrap();
    for text in ["shwo my taks", "anything about leads", "what is left to do", "sing a song"] {
        assert_eq!(understand(&loaded, text, &fresh()), read(text), "{text}");
    }
    assert!(vocabulary().load(b"nonsense").is_err());
    let mut other = archive_or_delete();
    assert_ne!(
        compile(other.clone()).key(),
        compile({
            other[0].phrases.pop();
            other
        })
        .key()
    );
}

#[test]
fn a_small_change_keeps_the_calibration() {
    VOCABULARY.prepare();
    let mut targets = VOCABULARY.targets().to_vec();
    targets[1].phrases.push("write down {content}".into());
    let changed = compile(targets);
    changed.prepare_from(&VOCABULARY);
    let Understanding::Clear { intents } = understand(&changed, "pls write down milk", &fresh()) else { panic!() };
    assert_eq!(intents[0].target, "os.create_note");
}

fn named() -> Vocabulary {
    let entity = |kind: &str| SlotSpec { entity: Some(kind.to_owned()), ..slot(SlotKind::Uuid) };
    let stage = SlotKind::Enum(["won", "lost"].map(|token| (token.to_owned(), vec![])).to_vec());
    compile(vec![
        target("os.create_task", vec![("title", slot(SlotKind::Text))], &["create task: {title}"]),
        target("leads.get", vec![("lead_id", entity("lead"))], &["show lead {lead_id}"]),
        target(
            "leads.move",
            vec![("lead_id", entity("lead")), ("stage", slot(stage))],
            &["move lead {lead_id} to {stage}"],
        ),
        target("inspection.create", vec![("lead_id", entity("lead"))], &["create inspection for lead {lead_id}"]),
        target(
            "inspection.measure",
            vec![
                ("inspection_id", entity("inspection")),
                ("what", slot(SlotKind::Text)),
                ("value", slot(SlotKind::Decimal)),
            ],
            &["add measurement to {inspection_id}: {what} {value}"],
        ),
        Target {
            nouns: vec!["quote".into()],
            ..target("quote.finalize", vec![("quote_id", entity("quote"))], &["finalize quote {quote_id}"])
        },
    ])
}

#[test]
fn an_entity_may_be_given_by_name() {
    let vocabulary = named();
    let read = |text: &str| -> Vec<(String, Value)> {
        let Understanding::Clear { intents } = understand(&vocabulary, text, &fresh()) else { return Vec::new() };
        let slots = |intent: &Intent| intent.slots.iter().map(|slot| (slot.name.clone(), slot.value.clone())).collect();
        intents.iter().map(|intent| (intent.target.clone(), Value::Object(slots(intent)))).collect()
    };
    let lead = |name: &str| json!({"lead_id": {"mention": name}});
    for (text, target, slots) in [
        ("show lead Kim Park", "leads.get", lead("Kim Park")),
        ("show lead kim park", "leads.get", lead("kim park")),
        ("Show lead “Kim Park”!", "leads.get", lead("Kim Park")),
        ("show lead Q-1042", "leads.get", lead("Q-1042")),
        ("show lead 0412 345 678", "leads.get", lead("0412 345 678")),
        ("move lead Kim Park to won", "leads.move", json!({"lead_id": {"mention": "Kim Park"}, "stage": "won"})),
        (
            "add measurement to Kim Park: roof length 12.5",
            "inspection.measure",
            json!({"inspection_id": {"mention": "Kim Park"}, "what": "roof length", "value": "12.5"}),
        ),
        ("please create an inspection for lead Kim Park", "inspection.create", lead("Kim Park")),
        ("finalise the Smith quote", "quote.finalize", json!({"quote_id": {"mention": "Smith"}})),
    ] {
        assert_eq!(read(text), [(target.to_owned(), slots)], "{text}");
    }
    assert_eq!(read(&format!("show lead {ID}")), [("leads.get".to_owned(), json!({"lead_id": ID}))]);
    assert_eq!(
        read("create task: ring Bob and show lead Kim Park"),
        [("os.create_task".to_owned(), json!({"title": "ring Bob"})), ("leads.get".to_owned(), lead("Kim Park"))]
    );
    assert_eq!(read("create task: ring Bob and show lead times").len(), 1, "not written like a name");
    for text in ["finalize quote", "finalize the quote", "finalize quote please", "show lead"] {
        assert!(read(text).iter().all(|(_, slots)| slots == &json!({})), "{text}: {:?}", read(text));
    }
}

#[test]
fn long_and_hostile_texts_terminate() {
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

#[test]
fn an_exact_title_requests_its_target() {
    let vocabulary = compile(vec![
        Target {
            title: "Finish a job".into(),
            ..target("jobs.close", vec![("id", slot(SlotKind::Uuid))], &["wrap up {id}"])
        },
        Target { title: "Start a job".into(), ..target("jobs.open", vec![], &["finish a job", "get going"]) },
    ]);
    let context = fresh();
    for said in ["Finish a job", "finish a job!", "jobs.close"] {
        let Understanding::Clear { intents } = understand(&vocabulary, said, &context) else { panic!("{said}") };
        assert_eq!((intents[0].target.as_str(), intents[0].evidence.source), ("jobs.close", Source::Label), "{said}");
    }
    let taught = crate::TaughtPhrase { text: "finish a job".into(), target: "jobs.open".into(), actor: None };
    let taught = crate::Taught::build(&vocabulary, &[taught], &[], None).unwrap();
    let context = Context { taught: Some(&taught), ..fresh() };
    let Understanding::Clear { intents } = understand(&vocabulary, "finish a job", &context) else { panic!() };
    assert_eq!(intents[0].target, "jobs.open", "what was taught here counts more");
}

/// A pack with records, tools that read them and tools that change them.
fn desk() -> Vocabulary {
    let id = |kind: &str| SlotSpec { entity: Some(kind.to_owned()), ..slot(SlotKind::Uuid) };
    let stage = SlotKind::Enum(["new", "won", "lost"].map(|token| (token.to_owned(), vec![])).to_vec());
    let reads = |target: Target| Target { reads_only: true, nouns: vec!["lead".into(), "enquiry".into()], ..target };
    let writes = |target: Target| Target { reads_only: false, ..reads(target) };
    compile(vec![
        reads(target("leads.get", vec![("lead_id", id("lead"))], &["show lead {lead_id}", "lead details {lead_id}"])),
        reads(target("leads.list", vec![], &["list leads", "show my leads"])),
        writes(target(
            "leads.move",
            vec![("lead_id", id("lead")), ("stage", slot(stage))],
            &["mark lead {lead_id} as {stage}", "move lead {lead_id} to {stage}"],
        )),
        writes(target(
            "firing.plan",
            vec![("day", slot(SlotKind::Date))],
            &["plan a firing on {day}", "fire on {day}"],
        )),
        Target {
            nouns: vec!["note".into()],
            ..target(
                "notes.create",
                vec![("content", slot(SlotKind::Text))],
                &["create note: {content}", "note that {content}"],
            )
        },
    ])
}

fn desk_reads(text: &str) -> Understanding {
    static DESK: LazyLock<Vocabulary> = LazyLock::new(desk);
    understand(&DESK, text, &fresh())
}

#[test]
fn a_question_never_leads_to_a_change() {
    for text in [
        "is lead Bob Smith lost?",
        "mark lead Bob Smith as lost?",
        "has lead Bob Smith been lost",
        "did you mark lead Bob Smith as lost",
    ] {
        match desk_reads(text) {
            Understanding::Clear { intents } => {
                let shown: Vec<&str> = intents.iter().map(|intent| intent.target.as_str()).collect();
                assert_eq!(shown, ["leads.get"], "{text}");
                assert_eq!(intents[0].slots[0].value, json!({"mention": "Bob Smith"}), "{text}");
            }
            Understanding::Ask(question) => assert!(!question.options.is_empty(), "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
    let Understanding::Clear { intents } = desk_reads("can you mark lead Bob Smith as lost?") else { panic!() };
    assert_eq!(intents[0].target, "leads.move", "a polite request is one");
}

#[test]
fn what_is_no_request_is_asked_about_wherever_it_says_so() {
    for (text, modality) in [
        ("mark lead Bob Smith as lost if he calls", Modality::Condition),
        ("the boss reckons mark lead Bob Smith as lost", Modality::Report),
        ("I might mark lead Bob Smith as lost", Modality::Wish),
        ("I would not mark lead Bob Smith as lost", Modality::Negation),
    ] {
        let Understanding::Ask(question) = desk_reads(text) else { panic!("{text}: {:?}", desk_reads(text)) };
        assert_eq!(question.options[0].evidence.modality, Some(modality), "{text}: {question:?}");
    }
    let Understanding::Clear { intents } = desk_reads("create note: don't call Bob if he might be out") else {
        panic!()
    };
    assert_eq!(intents[0].target, "notes.create", "words of a value mark nothing");
}

#[test]
fn words_left_over_that_matter_are_asked_about() {
    for (text, word) in [
        ("mark lead Bob Smith as lost every week", "every"),
        ("mark lead Bob Smith as lost for 300", "300"),
        ("mark only lead Bob Smith as lost", "only"),
    ] {
        let Understanding::Ask(question) = desk_reads(text) else { panic!("{text}: {:?}", desk_reads(text)) };
        let left: Vec<&str> = question.leftover.iter().map(|span| &text[span.clone()]).collect();
        assert!(left.contains(&word), "{text}: {left:?}");
        assert!(question.text.contains(word), "{}", question.text);
    }
}

#[test]
fn the_account_covers_every_word_in_order() {
    let text = "please mark the lead Bob Smith as lost";
    let Understanding::Clear { intents } = desk_reads(text) else { panic!("{:?}", desk_reads(text)) };
    let account: Vec<(&str, Role)> =
        intents[0].account.iter().map(|part| (&text[part.span.clone()], part.role)).collect();
    let expected = [
        ("please", Role::Filler),
        ("mark", Role::Phrase),
        ("the", Role::Filler),
        ("lead", Role::Phrase),
        ("Bob Smith", Role::Slot),
        ("as", Role::Phrase),
        ("lost", Role::Slot),
    ];
    assert_eq!(account, expected);
}

#[test]
fn a_list_where_one_value_belongs_becomes_several_requests() {
    let all = |text: &str| -> Vec<Value> {
        let Understanding::Clear { intents } = desk_reads(text) else { panic!("{text}: {:?}", desk_reads(text)) };
        let slots = |intent: &Intent| intent.slots.iter().map(|slot| (slot.name.clone(), slot.value.clone())).collect();
        for intent in &intents {
            assert!(intent.confidence <= Confidence::Medium || intents.len() == 1, "{text}");
            for slot in &intent.slots {
                assert!(text.get(slot.span.clone()).is_some(), "{text}: {slot:?}");
            }
        }
        intents.iter().map(|intent| Value::Object(slots(intent))).collect()
    };
    let lost = |name: &str| json!({"lead_id": {"mention": name}, "stage": "lost"});
    assert_eq!(all("mark leads Nguyen, Carr and Tran as lost"), [lost("Nguyen"), lost("Carr"), lost("Tran")]);
    assert_eq!(all("create note: buy milk and bread"), [json!({"content": "buy milk and bread"})]);
}

#[test]
fn other_words_than_a_phrases_are_understood_or_offered() {
    for (text, target) in
        [("jot down that the gate code is 4471", "notes.create"), ("bring up the Smith enquiry", "leads.get")]
    {
        let offered = match desk_reads(text) {
            Understanding::Clear { intents } => intents,
            Understanding::Ask(question) => question.options,
            other => panic!("{text}: {other:?}"),
        };
        assert!(offered.iter().any(|intent| intent.target == target), "{text}: {offered:?}");
    }
}

/// A vocabulary with one tool that takes two texts, and the slots that are read from a request for it.
fn two_texts(phrase: &str, text: &str) -> BTreeMap<String, Value> {
    let slots = ["subject", "text"].map(|name| {
        let slot = SlotSpec { kind: SlotKind::Text, required: true, has_default: false, entity: None };
        (name.to_owned(), slot)
    });
    let target = Target {
        name: "comments.add".into(),
        kind: TargetKind::Tool,
        title: "Comment".into(),
        nouns: vec![],
        synonyms: vec![],
        intent_tier: None,
        destructive: false,
        reads_only: false,
        slots: slots.into_iter().collect(),
        phrases: vec![phrase.into()],
        generated: Vec::new(),
    };
    let encoder = Arc::new(StaticTable::built_in());
    let vocabulary = Vocabulary::compile(vec![target], encoder, Tuning::default()).unwrap();
    match understand(&vocabulary, text, &fresh()) {
        Understanding::Clear { mut intents } if intents.len() == 1 => {
            intents.remove(0).slots.into_iter().map(|slot| (slot.name, slot.value)).collect()
        }
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn two_texts_are_split_where_the_phrase_says() {
    let slots = |subject: &str, text: &str| {
        BTreeMap::from([("subject".to_owned(), json!(subject)), ("text".to_owned(), json!(text))])
    };
    let by_colon = "comment on {subject}: {text}";
    assert_eq!(two_texts(by_colon, "comment on blue door: needs paint"), slots("blue door", "needs paint"));
    assert_eq!(two_texts(by_colon, "comment on blue door: hi"), slots("blue door", "hi"));
    let by_word = "rename {subject} to {text}";
    assert_eq!(two_texts(by_word, "rename the blue door to Hi"), slots("the blue door", "Hi"));
    assert_eq!(two_texts(by_word, "rename the blue door to Red"), slots("the blue door", "Red"));
}
