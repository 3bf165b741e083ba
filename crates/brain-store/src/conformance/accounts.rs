//! Accounts: reserving under a cap, settling, releasing.

use super::commit;
use super::sample::scope;
use crate::{AccountEntry, Conflict, Outcome, Store, Write};

/// A write that reserves an amount.
pub fn reserve(account: &str, id: &str, amount: i64, limit: i64) -> Write {
    Write::Reserve { account: account.into(), id: id.into(), amount, limit }
}

fn settle(account: &str, id: &str, amount: i64) -> Write {
    Write::Settle { account: account.into(), id: id.into(), amount }
}

fn release(account: &str, id: &str) -> Write {
    Write::Release { account: account.into(), id: id.into() }
}

pub(super) fn a_cap_holds_and_names_its_account(store: &dyn Store) {
    let scope = scope("default");
    let book = |writes| commit(store, &scope, vec![], writes);
    let total = |account| store.account_total(&scope, account).expect("reads");
    assert_eq!(total("day"), 0);
    assert_eq!(book(vec![reserve("day", "a", 60, 100)]), Outcome::Committed);
    assert_eq!(book(vec![reserve("day", "a", 60, 100)]), Outcome::Committed, "the same entry counts once");
    assert_eq!(total("day"), 60);
    let over = Outcome::Conflict(Conflict::OverLimit { account: "day".into(), total: 60, limit: 100 });
    // All or nothing: the member's other account is unchanged.
    assert_eq!(book(vec![reserve("run", "b", 1, 100), reserve("day", "b", 41, 100)]), over);
    assert_eq!((total("day"), total("run")), (60, 0));
    // The entries of one member add up.
    let twice = vec![reserve("day", "c", 20, 100), reserve("day", "d", 21, 100)];
    assert_eq!(book(twice), Outcome::Conflict(Conflict::OverLimit { account: "day".into(), total: 80, limit: 100 }));
    assert_eq!(book(vec![reserve("day", "c", 20, 100), reserve("day", "d", 20, 100)]), Outcome::Committed);
    assert_eq!(total("day"), 100);
}

pub(super) fn settled_amounts_are_final_and_released_amounts_are_free(store: &dyn Store) {
    let (scope, other) = (scope("default"), scope("other"));
    let book = |writes| commit(store, &scope, vec![], writes);
    let total = || store.account_total(&scope, "day").expect("reads");
    book(vec![reserve("day", "a", 60, 100)]);
    assert_eq!(book(vec![settle("day", "a", 35)]), Outcome::Committed);
    assert_eq!(total(), 35, "the actual amount replaces the reservation");
    book(vec![settle("day", "a", 90)]);
    book(vec![release("day", "a")]);
    book(vec![reserve("day", "a", 60, 100)]);
    assert_eq!(total(), 35, "the first settlement is final");
    book(vec![reserve("day", "b", 65, 100)]);
    assert_eq!(total(), 100);
    book(vec![release("day", "b"), release("day", "never")]);
    assert_eq!(total(), 35);
    book(vec![reserve("day", "b", 10, 100)]);
    assert_eq!(total(), 45, "released amounts can be reserved again");
    assert_eq!(book(vec![settle("day", "late", 200)]), Outcome::Committed, "settling may exceed the cap");
    assert_eq!(total(), 245);
    // Writes of one member apply in order.
    book(vec![reserve("day", "e", 5, 999), settle("day", "e", 3), reserve("day", "f", 1, 999), release("day", "f")]);
    assert_eq!(total(), 248);
    let entry = |id: &str, amount, settled| AccountEntry { account: "day".into(), id: id.into(), amount, settled };
    let all = [entry("a", 35, true), entry("b", 10, false), entry("e", 3, true), entry("late", 200, true)];
    assert_eq!(store.account_entries(&scope, None, 9).expect("reads"), all);
    let after = ("day".to_owned(), "b".to_owned());
    assert_eq!(store.account_entries(&scope, Some(&after), 1).expect("reads"), all[2..3]);
    assert_eq!(store.account_total(&other, "day").expect("reads"), 0, "accounts belong to one tenant");
    assert!(store.account_entries(&other, None, 9).expect("reads").is_empty());
    book(vec![Write::DropAccount("day".into())]);
    assert_eq!(total(), 0);
    assert!(store.account_entries(&scope, None, 9).expect("reads").is_empty());
}
