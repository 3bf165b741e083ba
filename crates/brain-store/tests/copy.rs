//! Copying between any two stores, in both directions, loses and changes nothing; an interrupted copy can be resumed.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

use std::sync::Arc;
use std::time::Instant;

use brain_core::{ApprovalId, ApprovalStatus, Digest, JobKey, Millis, NodeId, RunStatus, TokenId};
use brain_store::conformance::sample::{self, at, scope};
use brain_store::copy::{Part, copy_shared, copy_tenant, is_empty, survey};
use brain_store::{
    ApprovalRow, ArtifactRow, Commit, DeadLetterRow, IndexEntry, Member, MemoryStore, OfferRow, PostgresStore,
    QueuePlace, Scope, SignalRow, SqliteStore, Store, Sudo, SystemScope, TokenRow, Write,
};
use brain_testbed::Postgres;
use serde_json::json;

const RUNS: u64 = 450;

/// Fills a store with rows of every kind, some with more than fit into a page.
fn fill(store: &dyn Store, scope: &Scope) {
    let mut members = Vec::new();
    for n in 1..=RUNS {
        let run = sample::run_id(n);
        let mut row = sample::run(scope, n);
        row.status = [RunStatus::Completed, RunStatus::Waiting, RunStatus::Running][n as usize % 3];
        row.erased = n % 7 == 0;
        row.schedule.owner = (n % 3 == 2).then(|| NodeId::from_uuid(sample::run_id(1).as_uuid()));
        row.schedule.wake_at = (n % 3 == 1).then(|| at(n).plus(Millis(60_000)));
        row.schedule.queued = (n % 50 == 1).then(|| QueuePlace { order: n as i64 - 9, limit: "tool a.b".into() });
        let link = ArtifactRow {
            kind: "task".into(),
            record: sample::record_id(n),
            run,
            step: "s1".into(),
            role: "created".into(),
            at: at(n),
        };
        let mut writes = vec![
            Write::NewRun(Box::new(row)),
            Write::Append(sample::log(n, 0).into()),
            Write::Append(sample::log(n, 2).into()),
            Write::TakeKey { key: format!("key {n} \u{1}é"), digest: Digest::of(b"request"), run },
            Write::Link(link),
            Write::Define { hash: Digest::of(&n.to_be_bytes()), kind: "program", body: json!({"n": n}) },
        ];
        if n % 10 == 0 {
            let id = JobKey::from_uuid(run.as_uuid());
            let body = json!({"step": "s1", "failure": {"message": "it did not answer"}});
            let open = n % 20 == 0;
            writes.push(Write::PutLetter(DeadLetterRow { id, run, tool: "a.b".into(), opened_at: at(n), open, body }));
            let id = ApprovalId::from_uuid(run.as_uuid());
            let (status, body) = (ApprovalStatus::Pending, json!({"asks": ["Do it?"]}));
            writes.push(Write::PutApproval(ApprovalRow { id, run, status, asked_at: at(n), body }));
            for id in ["b", "a"] {
                writes.push(Write::Signal(SignalRow { run, id: id.into(), at: at(n), body: json!({"id": id}) }));
            }
            let key = JobKey::from_uuid(run.as_uuid());
            writes.push(Write::Offer(OfferRow { key, run, topic: "work".into(), order: n as i64 }));
        }
        let (account, id) = (format!("day {}", n % 2), format!("run {n}"));
        writes.push(match n % 3 {
            0 => Write::Settle { account, id, amount: n as i64 },
            _ => Write::Reserve { account, id, amount: n as i64, limit: i64::MAX },
        });
        members.push(Member { scope: scope.clone(), preconditions: vec![], writes });
    }
    for n in 1..=RUNS {
        let kind = if n % 2 == 0 { "task" } else { "lead" };
        let row = sample::record(kind, n, 1 + n % 3, Some("open"), json!({"name": format!("Nº {n} \u{0} x")}));
        let entry =
            |field: &str, unique| IndexEntry { field: field.into(), value: format!("v{n}").as_str().into(), unique };
        let index = vec![entry("a", false), entry("b", true)];
        let text = (n % 2 == 0).then(|| format!("Müller & Söhne number {n}"));
        let write = Write::PutRecord { row, index, text };
        members.push(Member { scope: scope.clone(), preconditions: vec![], writes: vec![write] });
    }
    for (n, size) in [0, 10, 300_000, 2_500_000].into_iter().enumerate() {
        let bytes: Arc<[u8]> = vec![n as u8; size].into();
        let write =
            Write::PutBlob { hash: Digest::of(&bytes), media_type: "image/png".into(), at: at(n as u64), bytes };
        members.push(Member { scope: scope.clone(), preconditions: vec![], writes: vec![write] });
    }
    for batch in members.chunks(100) {
        store.commit_now(batch.to_vec()).unwrap();
    }
    store
        .heartbeat(SystemScope, NodeId::from_uuid(sample::run_id(1).as_uuid()), at(1_000_000), Millis(1_000), "alive")
        .unwrap();
    let token = TokenRow {
        id: TokenId::from_uuid(sample::run_id(2).as_uuid()),
        tenant: scope.tenant().clone(),
        hash: Digest::of(b"secret"),
        label: "a token".into(),
        created_at: at(1),
        expires_at: Some(at(9)),
        approver: true,
        permissions: Some(vec!["x".into()]),
        tier: None,
        revoked: false,
    };
    store.put_token(&token).unwrap();
}

fn sudo(store: &dyn Store) -> Sudo {
    Sudo::because(store, at(5), "tester", "store copy", None, "a test").unwrap()
}

fn copy(from: &dyn Store, to: &dyn Store, scopes: &[Scope]) -> u64 {
    let began = Instant::now();
    let mut rows = copy_shared(from, to, &sudo(from), &scopes[0], None).unwrap().total();
    for scope in scopes {
        rows += copy_tenant(from, to, scope, &mut |_| {}).unwrap().total();
    }
    let took = began.elapsed().as_secs_f64();
    println!("{rows} rows in {took:.2} s: {:.0} rows/s", rows as f64 / took);
    rows
}

fn same(one: &dyn Store, other: &dyn Store, scopes: &[Scope]) {
    for scope in scopes {
        let (counts, digest) = survey(one, scope).unwrap();
        assert_eq!((counts.of(Part::Runs), counts.of(Part::Log)), (RUNS, 2 * RUNS));
        assert_eq!(survey(other, scope).unwrap(), (counts, digest));
        let [found, again] = [one, other].map(|store| {
            let rows = store.search(scope, "task", "söhne number 42", 50).unwrap();
            rows.into_iter().map(|row| row.id).collect::<std::collections::BTreeSet<_>>()
        });
        assert!(found == again && found.contains(&sample::record_id(42)), "the same words find them");
        // Blobs are equal byte by byte.
        for (row, _) in one.blobs(scope, None, 100).unwrap() {
            let [a, b] = [one, other].map(|store| store.blob_part(scope, row.hash, 0, usize::MAX).unwrap());
            assert!(a == b && Digest::of(&a) == row.hash);
        }
    }
    assert_eq!(one.tokens().unwrap(), other.tokens().unwrap());
    assert_eq!(
        one.definition(Digest::of(&7u64.to_be_bytes())).unwrap(),
        other.definition(Digest::of(&7u64.to_be_bytes())).unwrap()
    );
    assert!(
        one.audit(SystemScope, 100).unwrap().iter().all(|row| other.audit(SystemScope, 100).unwrap().contains(row))
    );
    let nodes = other.nodes(SystemScope, at(2)).unwrap();
    assert!(nodes.len() == 1 && nodes[0].lapsed.is_some(), "the lease of a copied node has ended: {nodes:?}");
}

#[test]
fn a_copy_from_sqlite_to_postgres_and_back_is_identical() {
    let folder = tempfile::tempdir().unwrap();
    let cluster = Postgres::start().unwrap();
    let first = SqliteStore::open(&folder.path().join("first.db")).unwrap();
    let scopes = [scope("acme")];
    fill(&first, &scopes[0]);
    let middle = PostgresStore::connect(&cluster.url(&cluster.new_database())).unwrap();
    assert!(is_empty(&middle, &scopes[0]).unwrap());
    let rows = copy(&first, &middle, &scopes);
    assert!(!is_empty(&middle, &scopes[0]).unwrap());
    same(&first, &middle, &scopes);
    let last = SqliteStore::open(&folder.path().join("last.db")).unwrap();
    // Copying back adds its own entry to the audit.
    assert_eq!(copy(&middle, &last, &scopes), rows + 1);
    same(&first, &last, &scopes);
}

#[test]
fn an_interrupted_copy_can_be_resumed_and_repeating_it_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let from = MemoryStore::new();
    let scopes = [scope("acme")];
    fill(&from, &scopes[0]);
    let to = SqliteStore::open(&folder.path().join("to.db")).unwrap();
    // An interrupted copy has left whole runs and whole records.
    let stopped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        copy_tenant(&from, &to, &scopes[0], &mut |counts| assert!(counts.of(Part::Runs) < 200, "pulled the plug"))
            .unwrap()
    }));
    assert!(stopped.is_err());
    let there = survey(&to, &scopes[0]).unwrap().0;
    assert!(there.of(Part::Runs) >= 200 && there.of(Part::Log) == 2 * there.of(Part::Runs));
    copy(&from, &to, &scopes);
    same(&from, &to, &scopes);
    assert_eq!(copy_tenant(&from, &to, &scopes[0], &mut |_| {}).unwrap().of(Part::Runs), 0);
    same(&from, &to, &scopes);
}

#[test]
fn one_tenant_is_copied_without_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let from = SqliteStore::open(&folder.path().join("from.db")).unwrap();
    let (acme, other) = (scope("acme"), scope("other"));
    fill(&from, &acme);
    let secret = Write::NewRun(Box::new(sample::run(&other, 9_000)));
    from.commit_now(vec![Member { scope: other.clone(), preconditions: vec![], writes: vec![secret] }]).unwrap();
    let to = MemoryStore::new();
    let tenant = acme.tenant().clone();
    copy_shared(&from, &to, &sudo(&from), &acme, Some(&tenant)).unwrap();
    copy_tenant(&from, &to, &acme, &mut |_| {}).unwrap();
    assert_eq!(survey(&from, &acme).unwrap(), survey(&to, &acme).unwrap());
    assert!(is_empty(&to, &other).unwrap());
}
