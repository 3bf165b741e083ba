//! Offers to workers.

use brain_core::{JobKey, SeededRandom};

use super::sample::{self, at, scope};
use super::{Outcome, Store, Write, commit};
use crate::OfferRow;

fn key(n: u64) -> JobKey {
    JobKey::generate(at(n), &mut SeededRandom::new(n))
}

fn offer(n: u64, topic: &str, order: i64) -> OfferRow {
    OfferRow { key: key(n), run: sample::run_id(n), topic: topic.into(), order }
}

fn topics(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

pub(super) fn offers_come_by_topic_and_order(store: &dyn Store) {
    let (ours, theirs) = (scope("ours"), scope("theirs"));
    let rows = [offer(1, "mail", 30), offer(2, "print", -5), offer(3, "mail", 10), offer(4, "mail", 10)];
    let writes = rows.iter().cloned().map(Write::Offer).collect();
    assert_eq!(commit(store, &ours, vec![], writes), Outcome::Committed);
    let list = |names: &[&str], limit| store.offers(&ours, &topics(names), limit).expect("reads");
    let [one, two, three, four] = rows.clone();
    assert_eq!(list(&["mail"], 10), [three.clone(), four.clone(), one.clone()], "lower first, then by key");
    assert_eq!(list(&["mail", "print", "mail"], 10), [two.clone(), three.clone(), four, one], "a topic counts once");
    assert_eq!(list(&["mail", "print"], 2), [two, three]);
    assert_eq!(list(&["fax"], 10), []);
    assert_eq!(list(&[], 10), []);
    assert_eq!(list(&["mail"], 0), []);
    assert_eq!(store.offers(&theirs, &topics(&["mail"]), 10).expect("reads"), []);
    assert_eq!(store.offer(&theirs, key(1)).expect("reads"), None);
}

pub(super) fn an_offer_is_replaced_and_withdrawn(store: &dyn Store) {
    let (ours, theirs) = (scope("ours"), scope("theirs"));
    assert_eq!(commit(store, &ours, vec![], vec![Write::Offer(offer(1, "mail", 1))]), Outcome::Committed);
    assert_eq!(commit(store, &ours, vec![], vec![Write::Offer(offer(1, "print", 2))]), Outcome::Committed);
    assert_eq!(store.offer(&ours, key(1)).expect("reads"), Some(offer(1, "print", 2)));
    assert_eq!(store.offers(&ours, &topics(&["mail"]), 10).expect("reads"), [], "it has left its old topic");
    assert_eq!(commit(store, &theirs, vec![], vec![Write::Withdraw(key(1))]), Outcome::Committed);
    assert!(store.offer(&ours, key(1)).expect("reads").is_some(), "another tenant cannot withdraw it");
    for _ in 0..2 {
        assert_eq!(commit(store, &ours, vec![], vec![Write::Withdraw(key(1))]), Outcome::Committed);
        assert_eq!(store.offer(&ours, key(1)).expect("reads"), None);
    }
    assert_eq!(store.offers(&ours, &topics(&["print"]), 10).expect("reads"), []);
}

pub(super) fn all_offers_of_a_run_are_withdrawn(store: &dyn Store) {
    let (ours, theirs) = (scope("ours"), scope("theirs"));
    let other = OfferRow { run: sample::run_id(9), ..offer(3, "mail", 3) };
    let same = OfferRow { run: sample::run_id(1), ..offer(2, "print", 2) };
    let writes = [offer(1, "mail", 1), same, other.clone()].map(Write::Offer).into();
    assert_eq!(commit(store, &ours, vec![], writes), Outcome::Committed);
    assert_eq!(commit(store, &theirs, vec![], vec![Write::Offer(offer(1, "mail", 1))]), Outcome::Committed);
    assert_eq!(commit(store, &ours, vec![], vec![Write::WithdrawAll(sample::run_id(1))]), Outcome::Committed);
    assert_eq!(store.offers(&ours, &topics(&["mail", "print"]), 10).expect("reads"), [other]);
    assert_eq!(store.offers(&theirs, &topics(&["mail"]), 10).expect("reads").len(), 1, "another tenant's stay");
}
