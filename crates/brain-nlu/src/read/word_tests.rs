//! Names, synonyms, suggestions, and the question for the kind of action.

use std::sync::Arc;

use brain_embed::StaticTable;

use super::tests::fresh;
use super::*;
use crate::{Context, IntentTier, Target, TierId, Tuning, Vocabulary};

fn target(name: &str, synonyms: &[&str], phrases: &[&str]) -> Target {
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    let title = name.split('.').next_back().unwrap_or_default().replace('_', " ");
    Target { name: name.into(), title, synonyms: texts(synonyms), phrases: texts(phrases), ..Target::default() }
}

fn compile(targets: Vec<Target>, tiers: Vec<IntentTier>) -> Vocabulary {
    Vocabulary::compile(targets, Arc::new(StaticTable::built_in()), Tuning::default()).unwrap().with_tiers(tiers)
}

fn shop() -> Vocabulary {
    let mut wipe = target("shop.wipe_basket", &["clear out"], &["wipe the basket"]);
    wipe.destructive = true;
    let mut stop = target("shop.halt", &["stop"], &["halt the line"]);
    stop.reads_only = true;
    compile(
        vec![target("shop.process_payment", &["make_payment", "checkout"], &["settle the bill"]), wipe, stop],
        vec![],
    )
}

fn clear(vocabulary: &Vocabulary, text: &str) -> (String, Option<MatchType>, Stage) {
    match understand(vocabulary, text, &fresh()) {
        Understanding::Clear { intents } => {
            let one = intents.into_iter().next().unwrap();
            (one.target, one.evidence.match_type, one.evidence.tier)
        }
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn a_name_a_title_and_a_synonym_are_exact() {
    let shop = shop();
    for (text, how) in [
        ("shop.process_payment", MatchType::Exact),
        ("Process payment", MatchType::Exact),
        ("checkout", MatchType::Synonym),
        ("Make payment!", MatchType::Synonym),
    ] {
        assert_eq!(clear(&shop, text), ("shop.process_payment".into(), Some(how), Stage::Exact), "{text}");
    }
    // What people say to Brain itself is no synonym.
    assert!(matches!(understand(&shop, "stop", &fresh()), Understanding::SmallTalk { .. }));
    assert_eq!(clear(&shop, "clear out").0, "shop.wipe_basket");
}

#[test]
fn a_misspelt_name_is_found_and_a_destructive_one_is_asked_about() {
    let shop = shop();
    let found = clear(&shop, "shop.proces_payment");
    assert_eq!(found, ("shop.process_payment".into(), Some(MatchType::Fuzzy), Stage::Pattern));
    match understand(&shop, "shop.wipe_baskt", &fresh()) {
        Understanding::Ask(question) => assert_eq!(question.options[0].target, "shop.wipe_basket"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn nothing_destructive_and_nothing_remote_is_suggested() {
    let shop = shop();
    for text in ["baskets of strawberries taste nice", "quarterly tax law"] {
        match understand(&shop, text, &fresh()) {
            Understanding::Unknown { nearest } => {
                assert!(nearest.iter().all(|one| one.target == "shop.process_payment"), "{text}: {nearest:?}");
            }
            Understanding::Ask(question) => panic!("{text}: {question:?}"),
            _ => {}
        }
    }
}

fn funds() -> Vocabulary {
    let of = |name: &str, tier: &str, phrase: &str| {
        let intent_tier = (!tier.is_empty()).then(|| TierId::new(tier));
        Target { intent_tier, ..target(name, &[], &[phrase]) }
    };
    let kind = |id: &str, label: &str, kinds: Vec<IntentTier>| IntentTier {
        id: id.into(),
        label: label.into(),
        description: format!("about {id}"),
        kinds,
        ..IntentTier::default()
    };
    let kinds = vec![kind("one", "One fund", vec![]), kind("book", "A client's book", vec![])];
    let mut targets = vec![
        of("fund.load_book", "navigate.book", "load the fund book"),
        of("fund.browse_book", "navigate.book", "browse the fund book"),
        of("fund.print_book", "navigate.one", "print the fund book"),
        of("fund.create_book", "", "create the fund book"),
        of("fund.update_book", "", "update the fund book"),
        of("fund.calculate_book", "", "calculate the fund book"),
    ];
    targets.iter_mut().for_each(|target| target.reads_only = true);
    compile(targets, vec![kind("navigate", "Navigate and view", kinds)])
}

fn question(vocabulary: &Vocabulary, text: &str, tier: Option<&str>) -> Question {
    let context = Context { tier: tier.map(TierId::new), ..fresh() };
    match understand(vocabulary, text, &context) {
        Understanding::Ask(question) => question,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn too_many_targets_are_asked_for_by_kind_and_a_choice_with_one_left_goes_on() {
    let funds = funds();
    let first = question(&funds, "the fund book", None);
    assert_eq!(first.text, "What are you trying to do?");
    let shown: Vec<(String, String, usize)> = first
        .tiers
        .iter()
        .map(|option| (option.tier.to_string(), option.title.clone(), option.targets.len()))
        .collect();
    assert_eq!(shown[0], ("navigate".into(), "Navigate and view".into(), 3), "{first:?}");
    assert_eq!(first.tiers[0].description, "about navigate");
    assert_eq!(shown.iter().map(|(_, _, count)| count).sum::<usize>(), 6);
    // Three are left: few enough to be named.
    let named = question(&funds, "the fund book", Some("navigate"));
    assert_eq!((named.tiers.len(), named.options.len()), (0, 3), "{named:?}");
    let context = Context { tier: Some(TierId::new("create")), ..fresh() };
    match understand(&funds, "the fund book", &context) {
        Understanding::Clear { intents } => assert_eq!(intents[0].target, "fund.create_book"),
        other => panic!("{other:?}"),
    }
}
