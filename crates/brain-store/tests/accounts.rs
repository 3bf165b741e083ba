//! Concurrent spenders never exceed the cap of an account.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::Barrier;
use std::sync::atomic::{AtomicI64, Ordering};

use brain_store::conformance::accounts::reserve;
use brain_store::conformance::sample;
use brain_store::{Conflict, Outcome, PostgresStore, SqliteStore, Store, Write};
use brain_testbed::Postgres;
use common::commit;

const LIMIT: i64 = 1_000;
const SPENDERS: usize = 8;
const EACH: usize = 125;

/// Makes a thousand reservations from several threads over one or two stores; some are settled for less, some released.
fn spend(stores: &[&dyn Store]) {
    let scope = sample::scope("default");
    let (held, refused) = (AtomicI64::new(0), AtomicI64::new(0));
    let start = Barrier::new(SPENDERS);
    std::thread::scope(|threads| {
        for spender in 0..SPENDERS {
            let (scope, held, refused, start) = (&scope, &held, &refused, &start);
            let store = stores[spender % stores.len()];
            threads.spawn(move || {
                start.wait();
                for n in 0..EACH {
                    let id = format!("{spender}/{n}");
                    let both =
                        vec![reserve("tenant/day", &id, 7, LIMIT), reserve(&format!("run:{spender}"), &id, 7, 500)];
                    match commit(store, scope, vec![], both) {
                        Outcome::Committed => {}
                        Outcome::Conflict(Conflict::OverLimit { account, total, limit }) => {
                            assert!(total + 7 > limit && total <= LIMIT, "{account}: {total}");
                            refused.fetch_add(1, Ordering::Relaxed);
                            continue;
                        }
                        other => panic!("{other:?}"),
                    }
                    assert!(store.account_total(scope, "tenant/day").unwrap() <= LIMIT, "the cap is never exceeded");
                    let account = "tenant/day".to_owned();
                    let (kept, end) = match n % 3 {
                        0 => (4, Write::Settle { account, id, amount: 4 }),
                        1 => (0, Write::Release { account, id }),
                        _ => (7, Write::Settle { account, id, amount: 7 }),
                    };
                    assert_eq!(commit(store, scope, vec![], vec![end]), Outcome::Committed);
                    held.fetch_add(kept, Ordering::Relaxed);
                }
            });
        }
    });
    let total = stores[0].account_total(&scope, "tenant/day").unwrap();
    assert_eq!(total, held.load(Ordering::Relaxed), "nothing is counted twice and nothing is lost");
    assert!(refused.load(Ordering::Relaxed) > 0 && total > LIMIT - 7 && total <= LIMIT, "the cap is used up: {total}");
    let entries = stores[0].account_entries(&scope, None, 10_000).unwrap();
    let sum: i64 = entries.iter().filter(|entry| entry.account == "tenant/day").map(|entry| entry.amount).sum();
    assert_eq!(sum, total);
}

#[test]
fn concurrent_spenders_never_exceed_a_cap_in_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("caps.db");
    // Two processes with the same file.
    let (one, two) = (SqliteStore::open(&path).unwrap(), SqliteStore::open(&path).unwrap());
    spend(&[&one, &two]);
}

#[test]
fn concurrent_spenders_never_exceed_a_cap_in_postgres() {
    let cluster = Postgres::start().unwrap();
    let url = cluster.url(&cluster.new_database());
    let (one, two) = (PostgresStore::connect(&url).unwrap(), PostgresStore::connect(&url).unwrap());
    spend(&[&one, &two]);
}
