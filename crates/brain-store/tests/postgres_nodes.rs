//! Several stores on one PostgreSQL database, as with several nodes: nothing is lost or done twice.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::collections::BTreeSet;
use std::sync::{Arc, Barrier};

use brain_core::{Millis, NodeId, RunStatus, SeededRandom};
use brain_store::conformance::sample::{self, at};
use brain_store::{
    Audit, Claim, Commit, Conflict, DeadLetters, Feed, IndexEntry, Lane, Lanes, Member, Outcome, PostgresStore,
    Precondition, QueuePlace, RecordFilter, Records, RunSchedule, Runs, Scheduling, SystemScope, Write,
};
use brain_testbed::Postgres;
use common::{commit, new_run, put};
use serde_json::json;

/// A cluster with two stores on one database.
fn two() -> (Postgres, PostgresStore, PostgresStore) {
    let cluster = Postgres::start().unwrap();
    let url = cluster.url(&cluster.new_database());
    let (one, two) = (PostgresStore::connect(&url).unwrap(), PostgresStore::connect(&url).unwrap());
    (cluster, one, two)
}

fn entry(field: &str, value: &str, unique: bool) -> IndexEntry {
    IndexEntry { field: field.into(), value: value.into(), unique }
}

fn claim(n: u64, now: u64) -> Claim {
    Claim { node: NodeId::generate(at(n), &mut SeededRandom::new(n)), now: at(now), until: at(now + 5_000) }
}

#[test]
fn a_run_that_one_node_claimed_is_not_given_to_another() {
    let (_cluster, one, two) = two();
    let scope = sample::scope("default");
    for n in 1..=40 {
        let mut row = sample::run(&scope, n);
        row.schedule.wake_at = Some(at(n));
        row.schedule.queued = (n > 20).then(|| QueuePlace { order: n as i64, limit: "node".into() });
        commit(&one, &scope, vec![], vec![Write::NewRun(Box::new(row))]);
    }
    let due = |store: &PostgresStore, node, now, limit| -> BTreeSet<_> {
        let rows = store.due(SystemScope, &claim(node, now), limit).unwrap();
        rows.into_iter().map(|(_, run, _)| run).collect()
    };
    // Both nodes fetch small batches at the same time until nothing is left.
    let start = Barrier::new(2);
    let ask = |store: &PostgresStore, node| {
        start.wait();
        let mut all = BTreeSet::new();
        for limit in 1..=10 {
            all.extend(due(store, node, 20, limit));
        }
        all
    };
    let (first, second) = std::thread::scope(|threads| {
        let other = threads.spawn(|| ask(&two, 2));
        (ask(&one, 1), other.join().unwrap())
    });
    assert!(first.is_disjoint(&second), "no run was given to both");
    assert!(first.len() + second.len() <= 20);
    assert_eq!(due(&one, 3, 20, 99).len(), 20 - first.len() - second.len(), "a third node gets the rest");
    assert!(due(&one, 1, 21, 99).is_superset(&first), "a node gets its own claims again");
    assert_eq!(due(&one, 4, 6_000, 99).len(), 40, "a claim ends");
    let queued = |node, now| one.queued(SystemScope, &claim(node, now), scope.tenant(), &[], 99).unwrap();
    assert_eq!(queued(5, 6_001).len(), 0, "claims hold for `due` and `queued` alike");
    assert_eq!(queued(4, 6_001).len(), 20);
    // Advancing a run ends the claim on it.
    let moved = Write::UpdateRun {
        run: sample::run_id(30),
        status: RunStatus::Running,
        at: at(6_002),
        schedule: RunSchedule { seq: 2, fence: 1, wake_at: Some(at(1)), ..RunSchedule::default() },
        program: None,
    };
    commit(&one, &scope, vec![], vec![moved]);
    assert_eq!(due(&one, 5, 6_003, 99), BTreeSet::from([sample::run_id(30)]));
}

#[test]
fn a_run_is_given_only_to_the_node_that_owns_it() {
    let (_cluster, one, two) = two();
    let scope = sample::scope("default");
    let mut row = sample::run(&scope, 1);
    row.schedule.owner = Some(claim(1, 0).node);
    row.schedule.wake_at = Some(at(1));
    row.schedule.queued = Some(QueuePlace { order: 1, limit: "node".into() });
    commit(&one, &scope, vec![], vec![Write::NewRun(Box::new(row))]);
    let due = |store: &PostgresStore, node| store.due(SystemScope, &claim(node, 5), 9).unwrap().len();
    let queued =
        |store: &PostgresStore, node| store.queued(SystemScope, &claim(node, 5), scope.tenant(), &[], 9).unwrap().len();
    assert_eq!((due(&two, 2), queued(&two, 2)), (0, 0), "another node does not get it");
    assert_eq!((due(&one, 1), queued(&one, 1)), (1, 1), "its owner still gets it");
}

#[test]
fn leases_use_the_clock_of_the_database() {
    let (_cluster, one, two) = two();
    let node = claim(1, 0).node;
    // Two machines whose clocks differ by decades.
    one.heartbeat(SystemScope, node, at(0), Millis(60_000), "").unwrap();
    let late = brain_core::Timestamp::from_millis(i64::MAX / 2);
    assert_eq!(two.nodes(SystemScope, late).unwrap()[0].lapsed, None);
    two.heartbeat(SystemScope, node, late, Millis(0), "").unwrap();
    assert!(one.nodes(SystemScope, at(0)).unwrap()[0].lapsed.is_some_and(|ago| ago < Millis(60_000)));
}

#[test]
fn heartbeats_and_decisions_do_not_wait_for_queries_of_the_api() {
    let cluster = Postgres::start().unwrap();
    let database = cluster.new_database();
    let store = Arc::new(PostgresStore::connect(&cluster.url(&database)).unwrap());
    let scope = sample::scope("default");
    new_run(&*store, &scope, 1);
    let waiting = |count: usize| {
        let sql =
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
        while cluster.sql(&database, sql).parse::<usize>().unwrap() < count {
            std::thread::yield_now();
        }
    };
    std::thread::scope(|threads| {
        let lock = "BEGIN; LOCK TABLE brain.audit, brain.dead_letters; SELECT pg_advisory_lock(4712), pg_sleep(60)";
        let holder = threads.spawn(|| cluster.sql(&database, lock));
        let held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4712 AND granted";
        while cluster.sql(&database, held) != "1" {
            std::thread::yield_now();
        }
        // More queries than the API has connections.
        for _ in 0..6 {
            threads.spawn(|| store.audit(SystemScope, 1));
        }
        for _ in 0..12 {
            threads.spawn(|| store.dead_letters(&scope, None, 1, None));
        }
        waiting(11);
        let keeping = store.clone().lane(Lane::Keeping);
        keeping.heartbeat(SystemScope, claim(1, 0).node, at(0), Millis(60_000), "").unwrap();
        assert_eq!(keeping.owned_by(SystemScope, claim(1, 0).node, 9).unwrap(), []);
        let deciding = store.clone().lane(Lane::Deciding);
        assert!(deciding.run(&scope, sample::run_id(1)).unwrap().is_some());
        assert!(deciding.definition(brain_core::Digest::of(b"none")).unwrap().is_none());
        waiting(11);
        // A statement that is blocked ends with an error before the lease does.
        let locked = keeping.audit(SystemScope, 1).unwrap_err().to_string();
        assert!(locked.contains("statement timeout"), "{locked}");
        let end = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4712";
        cluster.sql(&database, end);
        drop(holder.join());
    });
}

#[test]
fn a_reader_of_the_feed_sees_every_row_once_while_others_write() {
    const EACH: u64 = 300;
    let (_cluster, one, two) = two();
    let scope = sample::scope("default");
    let write = |store: &PostgresStore, from: u64| {
        for n in from..from + EACH {
            let writes = vec![Write::NewRun(Box::new(sample::run(&scope, n))), Write::Append(sample::log(n, 0).into())];
            assert_eq!(commit(store, &scope, vec![], writes), Outcome::Committed);
        }
    };
    let mut seen = Vec::new();
    std::thread::scope(|threads| {
        let writers = [threads.spawn(|| write(&one, 0)), threads.spawn(|| write(&two, EACH))];
        let mut upto = 0;
        loop {
            // Nothing is written after the last page if this holds before it is read.
            let over = writers.iter().all(std::thread::ScopedJoinHandle::is_finished);
            let page = one.feed(&scope, upto, 3).unwrap();
            assert!(page.items.iter().all(|(position, _)| *position > upto), "no row comes twice");
            upto = page.upto;
            seen.extend(page.items.iter().map(|(_, row)| row.run));
            let behind = page.items.len() == 3 || upto < one.feed_end(SystemScope).unwrap();
            if over && !behind && seen.len() >= 2 * EACH as usize {
                break;
            }
            assert!(!(over && !behind && upto >= 2 * EACH), "rows were passed over: {} of {}", seen.len(), 2 * EACH);
        }
    });
    let unique: BTreeSet<_> = seen.iter().copied().collect();
    assert_eq!((seen.len(), unique.len()), (2 * EACH as usize, 2 * EACH as usize));
}

#[test]
fn an_old_owner_is_rejected_by_its_fence() {
    let (_cluster, one, two) = two();
    let scope = sample::scope("default");
    new_run(&one, &scope, 1);
    let held = |fence| Precondition::RunAt { run: sample::run_id(1), seq: 2, fence };
    let schedule = RunSchedule { seq: 2, fence: 2, priority: 5, ..RunSchedule::default() };
    let take_over =
        Write::UpdateRun { run: sample::run_id(1), status: RunStatus::Running, at: at(2), schedule, program: None };
    assert_eq!(commit(&two, &scope, vec![held(1)], vec![take_over]), Outcome::Committed);
    let late = commit(&one, &scope, vec![held(1)], vec![Write::Append(sample::log(1, 2).into())]);
    assert_eq!(late, Outcome::Conflict(Conflict::Precondition(held(1))));
    assert!(one.log(&scope, sample::run_id(1)).unwrap().is_empty());
}

#[test]
fn no_update_is_lost_when_two_nodes_update_the_same_records() {
    const EACH: u64 = 60;
    const COUNTERS: u64 = 4;
    let (_cluster, one, two) = two();
    let scope = sample::scope("default");
    for n in 0..COUNTERS {
        let row = sample::record("counter", n, 1, None, json!({"count": 0}));
        commit(&one, &scope, vec![], vec![put(row, vec![entry("all", "yes", false)], None)]);
    }
    let count = |store: &PostgresStore, seed: u64| {
        for n in 0..EACH {
            loop {
                // Two counters at once, in either order: without ordered locks this would deadlock.
                let picked = [(n + seed) % COUNTERS, (n * 3 + seed + 1) % COUNTERS];
                let mut picked: Vec<u64> = picked.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
                if seed == 1 {
                    picked.reverse();
                }
                let (mut preconditions, mut writes) = (Vec::new(), Vec::new());
                for n in picked {
                    let read = store.record(&scope, "counter", sample::record_id(n)).unwrap().unwrap();
                    let revision = Some(read.revision);
                    preconditions.push(Precondition::Record { kind: "counter".into(), id: read.id, revision });
                    let next = json!({"count": read.body["count"].as_u64().unwrap() + 1});
                    let row = sample::record("counter", n, read.revision + 1, None, next);
                    writes.push(put(row, vec![entry("all", "yes", false)], None));
                }
                if commit(store, &scope, preconditions, writes) == Outcome::Committed {
                    break;
                }
            }
        }
    };
    std::thread::scope(|threads| {
        for (store, seed) in [(&one, 0), (&two, 1), (&one, 2), (&two, 3)] {
            threads.spawn(move || count(store, seed));
        }
    });
    let page = one.records(&scope, "counter", &RecordFilter::default(), 10, None).unwrap();
    let (total, revisions) = page.items.iter().fold((0, 0), |(total, revisions), row| {
        (total + row.body["count"].as_u64().unwrap(), revisions + row.revision - 1)
    });
    let expected: u64 = (0..4u64)
        .flat_map(|seed| (0..EACH).map(move |n| ((n + seed) % COUNTERS, (n * 3 + seed + 1) % COUNTERS)))
        .map(|(a, b)| if a == b { 1 } else { 2 })
        .sum();
    assert_eq!((total, revisions), (expected, expected));
}

#[test]
fn concurrent_inserts_of_a_unique_value_leave_one_holder() {
    let (_cluster, one, two) = two();
    let scope = sample::scope("default");
    let start = Barrier::new(4);
    let won: usize = std::thread::scope(|threads| {
        let workers: Vec<_> = [&one, &two, &one, &two]
            .into_iter()
            .enumerate()
            .map(|(worker, store)| {
                let (start, scope) = (&start, &scope);
                threads.spawn(move || {
                    let mut won = 0;
                    for value in 0..30 {
                        start.wait();
                        let n = value * 10 + worker as u64;
                        let row = sample::record("lead", n, 1, None, json!({}));
                        let write = put(row, vec![entry("phone", &value.to_string(), true)], None);
                        match commit(store, scope, vec![], vec![write]) {
                            Outcome::Committed => won += 1,
                            Outcome::Conflict(conflict) => assert!(matches!(conflict, Conflict::Unique { .. })),
                            Outcome::Refused(why) | Outcome::Blocked(why) => panic!("{why}"),
                        }
                    }
                    won
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).sum()
    });
    assert_eq!(won, 30);
    assert_eq!(one.records(&scope, "lead", &RecordFilter::default(), 100, None).unwrap().items.len(), 30);
}

#[test]
fn a_list_that_a_commit_relies_on_does_not_grow_before_it() {
    // Each worker adds to the list only if the list it read is shorter than the limit.
    const LIMIT: usize = 12;
    let (_cluster, one, two) = two();
    let scope = sample::scope("default");
    let by_quote = RecordFilter { indexed: vec![("quote".into(), "q".into())], ..RecordFilter::default() };
    std::thread::scope(|threads| {
        for (worker, store) in [&one, &two, &one, &two].into_iter().enumerate() {
            let (scope, by_quote) = (&scope, &by_quote);
            threads.spawn(move || {
                let mut n = worker as u64 * 1000;
                loop {
                    let there = store.records(scope, "item", by_quote, 100, None).unwrap().items;
                    if there.len() >= LIMIT {
                        return;
                    }
                    n += 1;
                    let listed = Precondition::Listed {
                        kind: "item".into(),
                        field: "quote".into(),
                        value: "q".into(),
                        fingerprint: brain_store::fingerprint(there.iter().map(|row| (row.id, row.revision))),
                    };
                    let row = sample::record("item", n, 1, None, json!({}));
                    commit(store, scope, vec![listed], vec![put(row, vec![entry("quote", "q", false)], None)]);
                }
            });
        }
    });
    assert_eq!(one.records(&scope, "item", &by_quote, 100, None).unwrap().items.len(), LIMIT);
}

#[test]
fn a_record_on_a_list_does_not_change_before_a_commit_that_relies_on_the_list() {
    // A total is stored with its parts. Changing a part relies on the total; writing the total relies on the list of
    // parts. If either were committed over a stale read, the two would differ in the end.
    let (_cluster, one, two) = two();
    let scope = sample::scope("default");
    let part = |n: u64, revision, amount: u64| {
        put(sample::record("part", n, revision, None, json!({"amount": amount})), vec![entry("of", "t", false)], None)
    };
    let total = |revision, sum: u64, parts: u64| {
        put(sample::record("total", 99, revision, None, json!({"sum": sum, "parts": parts})), vec![], None)
    };
    let writes = vec![part(1, 1, 0), part(2, 1, 0), total(1, 0, 0)];
    commit(&one, &scope, vec![], writes);
    let all = RecordFilter { indexed: vec![("of".into(), "t".into())], ..RecordFilter::default() };
    let read =
        |store: &PostgresStore, kind: &str, n| store.record(&scope, kind, sample::record_id(n)).unwrap().unwrap();
    let revision_of = |row: &brain_store::RecordRow| Precondition::Record {
        kind: row.kind.clone(),
        id: row.id,
        revision: Some(row.revision),
    };
    std::thread::scope(|threads| {
        let (read, revision_of, all, scope, part, total) = (&read, &revision_of, &all, &scope, &part, &total);
        for (store, n) in [(&one, 1), (&two, 2)] {
            threads.spawn(move || {
                for amount in 1..=25 {
                    let before = read(store, "part", n);
                    let write = part(n, before.revision + 1, amount);
                    assert_eq!(commit(store, scope, vec![revision_of(&before)], vec![write]), Outcome::Committed);
                    loop {
                        let sum = read(store, "total", 99);
                        let parts = store.records(scope, "part", all, 10, None).unwrap().items;
                        let listed = Precondition::Listed {
                            kind: "part".into(),
                            field: "of".into(),
                            value: "t".into(),
                            fingerprint: brain_store::fingerprint(parts.iter().map(|row| (row.id, row.revision))),
                        };
                        let now: u64 = parts.iter().map(|row| row.body["amount"].as_u64().unwrap()).sum();
                        let revisions = parts.iter().map(|row| row.revision).sum();
                        assert!(
                            sum.body["parts"].as_u64().unwrap() <= revisions + 1,
                            "the total is not ahead of its parts"
                        );
                        let write = total(sum.revision + 1, now, revisions);
                        let preconditions = vec![revision_of(&sum), listed];
                        if commit(store, scope, preconditions, vec![write]) == Outcome::Committed {
                            break;
                        }
                    }
                }
            });
        }
    });
    assert_eq!(read(&one, "total", 99).body["sum"], 50);
}

#[test]
fn members_see_the_changes_of_their_own_group_and_of_other_groups() {
    let (_cluster, one, two) = two();
    let scope = sample::scope("default");
    let lead = |n: u64, revision, phone: &str| {
        put(sample::record("lead", n, revision, None, json!({})), vec![entry("phone", phone, true)], None)
    };
    let member = |preconditions, writes| Member { scope: scope.clone(), preconditions, writes };
    let outcomes = one
        .commit_now(vec![
            member(vec![], vec![lead(1, 1, "a")]),
            member(vec![], vec![lead(2, 1, "a")]),
            member(vec![], vec![lead(1, 2, "b")]),
            member(vec![], vec![lead(2, 1, "a")]),
            member(vec![], vec![Write::DeleteRecord { kind: "lead".into(), id: sample::record_id(1) }]),
            member(vec![], vec![lead(3, 1, "b")]),
        ])
        .unwrap();
    let went_in: Vec<bool> = outcomes.iter().map(|outcome| *outcome == Outcome::Committed).collect();
    assert_eq!(went_in, [true, false, true, true, true, true]);
    let found = |phone: &str| {
        let filter = RecordFilter { indexed: vec![("phone".into(), phone.into())], ..RecordFilter::default() };
        two.records(&scope, "lead", &filter, 10, None).unwrap().items.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!((found("a"), found("b")), (vec![sample::record_id(2)], vec![sample::record_id(3)]));
    // A run that is created, advanced and appended to in one group.
    let row = sample::run(&scope, 7);
    let moved = Write::UpdateRun {
        run: row.id,
        status: RunStatus::Completed,
        at: at(9),
        schedule: RunSchedule { seq: 4, fence: 1, ..RunSchedule::default() },
        program: None,
    };
    let absent = Precondition::RunAbsent(row.id);
    let at_two = Precondition::RunAt { run: row.id, seq: 2, fence: 1 };
    let outcomes = two
        .commit_now(vec![
            member(
                vec![absent.clone()],
                vec![Write::NewRun(Box::new(row.clone())), Write::Append(sample::log(7, 0).into())],
            ),
            member(vec![absent.clone()], vec![]),
            member(vec![at_two], vec![moved, Write::Append(sample::log(7, 2).into())]),
        ])
        .unwrap();
    assert_eq!(outcomes[1], Outcome::Conflict(Conflict::Precondition(absent)));
    let read = one.run(&scope, row.id).unwrap().unwrap();
    assert_eq!((read.status.as_str(), read.schedule.seq, read.program), ("completed", 4, row.program));
    assert_eq!(one.log(&scope, row.id).unwrap().len(), 2);
}
