//! Lookups of records by index entries.

use serde_json::json;

use super::sample::{self, scope};
use super::{commit, entry, put};
use crate::{IndexValue, Outcome, Precondition, RecordFilter, Store, Write};

pub(super) fn a_record_is_rewritten_without_a_new_revision(store: &dyn Store) {
    let scope = scope("default");
    let by = |value: &str| RecordFilter { indexed: vec![("~name".into(), value.into())], ..RecordFilter::default() };
    let there = |filter: &RecordFilter| store.records(&scope, "item", filter, 10, None).expect("reads").items;
    for revision in [1, 2] {
        let row = sample::record("item", 1, revision, None, json!({"name": "Kim"}));
        let old = put(row.clone(), vec![entry("~name", "old", false)], Some("old"));
        assert_eq!(commit(store, &scope, vec![], vec![old]), Outcome::Committed);
        let unchanged = Precondition::Record { kind: "item".into(), id: row.id, revision: Some(revision) };
        let new = put(row.clone(), vec![entry("~name", "new", false)], Some("new"));
        assert_eq!(commit(store, &scope, vec![unchanged], vec![new]), Outcome::Committed);
        assert_eq!(there(&by("new")), [row], "revision {revision}");
        assert!(there(&by("old")).is_empty(), "revision {revision}");
        let called = |value: &str| store.records_by_all(&scope, "item", "~name", &[value.into()], 10).expect("reads");
        assert_eq!((called("new").len(), called("old").len()), (1, 0), "revision {revision}");
        assert_eq!(store.search(&scope, "item", "new", 10).expect("reads").len(), 1);
        assert!(store.search(&scope, "item", "old", 10).expect("reads").is_empty());
    }
    let silent = put(sample::record("item", 1, 3, None, json!({"name": "Kim"})), vec![], None);
    assert_eq!(commit(store, &scope, vec![], vec![silent]), Outcome::Committed);
    assert!(store.search(&scope, "item", "new", 10).expect("reads").is_empty(), "removed words are not found");
    assert!(there(&by("new")).is_empty(), "removed index entries are not found");
    let again = put(sample::record("item", 1, 4, None, json!({})), vec![entry("~name", "again", false)], None);
    assert_eq!(commit(store, &scope, vec![], vec![again]), Outcome::Committed);
    assert_eq!(there(&by("again")).len(), 1);
    let gone = Write::DeleteRecord { kind: "item".into(), id: sample::record_id(1) };
    assert_eq!(commit(store, &scope, vec![], vec![gone]), Outcome::Committed);
    assert!(there(&by("again")).is_empty(), "a deleted record has no index entries");
}

pub(super) fn records_are_found_by_all_of_several_values(store: &dyn Store) {
    let scope = scope("default");
    for n in 1..=6_u64 {
        let row = sample::record("item", n, 1, None, json!({"n": n}));
        let index = vec![
            entry("~word", &format!("half {}", n % 2), false),
            entry("~word", &format!("third {}", n % 3), false),
            entry("~other", "all", false),
            entry("size", "all", false),
        ];
        assert_eq!(commit(store, &scope, vec![], vec![put(row, index, Some("text"))]), Outcome::Committed);
    }
    let find = |kind: &str, field: &str, values: &[&str], limit| -> Vec<u64> {
        let values: Vec<IndexValue> = values.iter().map(|value| IndexValue::of(value)).collect();
        let rows = store.records_by_all(&scope, kind, field, &values, limit).expect("reads");
        rows.iter().map(|row| row.body["n"].as_u64().expect("a number")).collect()
    };
    assert_eq!(find("item", "~word", &["half 0"], 10), [2, 4, 6]);
    assert_eq!(find("item", "~word", &["half 0"], 2), [2, 4], "the older ones first");
    assert_eq!(find("item", "~word", &["half 0", "third 1"], 10), [4]);
    assert_eq!(find("item", "~word", &["third 1", "half 0", "third 1"], 10), [4]);
    assert!(find("item", "~word", &["half 0", "half 1"], 10).is_empty());
    assert!(find("item", "~word", &["half"], 10).is_empty(), "a value matches only as a whole");
    assert!(find("item", "~word", &[], 10).is_empty() && find("item", "~word", &["all"], 10).is_empty());
    assert!(find("thing", "~word", &["half 0"], 10).is_empty(), "only records of that type");
    let other = store.records_by_all(&sample::scope("other"), "item", "~word", &["half 0".into()], 10);
    assert!(other.expect("reads").is_empty(), "nothing of another tenant");
    // Index entries combine with other filters.
    let filter = RecordFilter {
        indexed: vec![
            ("~word".into(), "half 0".into()),
            ("~other".into(), "all".into()),
            ("size".into(), "all".into()),
        ],
        ..RecordFilter::default()
    };
    let first = store.records(&scope, "item", &filter, 2, None).expect("reads");
    let rest = store.records(&scope, "item", &filter, 2, first.next.as_deref()).expect("reads");
    assert_eq!((first.items.len(), rest.items.len()), (2, 1), "page by page");
}

pub(super) fn records_are_found_by_any_of_several_values(store: &dyn Store) {
    let scope = scope("default");
    for n in 1..=6_u64 {
        let row = sample::record("item", n, 1, None, json!({"n": n}));
        let index = vec![
            entry("~alike", &format!("k{}", n % 3), false),
            entry("~alike", &format!("l{n}"), false),
            entry("number", &n.to_string(), true),
        ];
        assert_eq!(commit(store, &scope, vec![], vec![put(row, index, None)]), Outcome::Committed);
    }
    let find = |field: &str, values: &[&str], limit| -> Vec<u64> {
        let values: Vec<IndexValue> = values.iter().map(|value| IndexValue::of(value)).collect();
        let rows = store.records_by_any(&scope, "item", field, &values, limit).expect("reads");
        rows.iter().map(|row| row.body["n"].as_u64().expect("a number")).collect()
    };
    assert_eq!(find("~alike", &["k0", "l1", "l3", "no\0where"], 10), [3, 1, 6], "each once, most in common first");
    assert_eq!(find("~alike", &["k0", "l1", "l3"], 2), [3, 1]);
    assert_eq!(find("~alike", &["k0", "l1", "k0", "l1"], 9), [1, 3, 6], "a value counts once");
    assert!(find("number", &["2", "5"], 10).is_empty(), "unique values are found by `records` only");
    assert!(find("~alike", &[], 10).is_empty() && find("~alike", &["k9"], 10).is_empty());
    assert!(find("number", &["k0"], 10).is_empty(), "only entries of that field");
    let other = sample::scope("other");
    let none = store.records_by_any(&other, "item", "~alike", &["k0".into()], 10).expect("reads");
    assert!(none.is_empty(), "nothing of another tenant");
    let many: Vec<IndexValue> = (0..crate::MAX_ANY + 5).map(|n| IndexValue::of(&format!("l{}", n + 4))).collect();
    let rows = store.records_by_any(&scope, "item", "~alike", &many, 10).expect("reads");
    assert_eq!(rows.len(), 3, "only the first values up to the limit are looked up");
    let same = |n: usize| {
        let row = sample::record("many", n as u64, 1, None, json!({}));
        put(row, vec![entry("~alike", "same", false), entry("~alike", &format!("own{n}"), false)], None)
    };
    let all = crate::MAX_OF_VALUE + 5;
    assert_eq!(commit(store, &scope, vec![], (1..=all).map(same).collect()), Outcome::Committed);
    let wanted = ["same".into(), IndexValue::of(&format!("own{all}"))];
    let rows = store.records_by_any(&scope, "many", "~alike", &wanted, 1000).expect("reads");
    assert_eq!(rows.len(), crate::MAX_OF_VALUE + 1, "a very common value is read only up to a limit");
    assert_eq!(rows.last().map(|row| row.id), Some(sample::record_id(all as u64)));
}
