//! Retention, copying and the audit.

use std::sync::Arc;

use brain_core::{ApprovalId, ApprovalStatus, Digest, JobKey, RunStatus, SeededRandom, Timestamp};
use serde_json::json;

use super::sample::{self, at, scope};
use super::{Outcome, Precondition, Scope, Store, SystemScope, Write, commit};
use crate::{
    ApprovalRow, ArtifactRow, AuditRow, DeadLetterRow, IndexEntry, OfferRow, Old, Referrer, SignalRow, Sudo, used_blobs,
};

fn sudo(store: &dyn Store) -> Sudo {
    Sudo::because(store, at(1), "tester", "conformance", None, "a test").expect("is noted")
}

pub(super) fn committed(store: &dyn Store, scope: &Scope, writes: Vec<Write>) {
    assert_eq!(commit(store, scope, vec![], writes), Outcome::Committed);
}

fn letter(run: u64, n: u64, open: bool) -> DeadLetterRow {
    let id = JobKey::from_uuid(sample::run_id(n).as_uuid());
    DeadLetterRow { id, run: sample::run_id(run), tool: "a.b".into(), opened_at: at(n), open, body: json!({"n": n}) }
}

/// A run with one row of everything that may belong to a run.
fn whole(store: &dyn Store, scope: &Scope, n: u64, status: RunStatus) {
    let run = sample::run_id(n);
    let mut row = sample::run(scope, n);
    row.status = status;
    let approval = ApprovalRow {
        id: ApprovalId::from_uuid(run.as_uuid()),
        run,
        status: ApprovalStatus::Approved,
        asked_at: at(n),
        body: json!({"asks": ["x"]}),
    };
    let link = ArtifactRow {
        kind: "task".into(),
        record: sample::record_id(n),
        run,
        step: "s1".into(),
        role: "created".into(),
        at: at(n),
    };
    let writes = vec![
        Write::NewRun(Box::new(row)),
        Write::Append(sample::log(n, 0).into()),
        Write::Append(sample::log(n, 2).into()),
        Write::TakeKey { key: format!("key {n}"), digest: Digest::of(b"request"), run },
        Write::PutApproval(approval),
        Write::PutLetter(letter(n, 100 + n, false)),
        Write::Link(link),
        Write::Signal(SignalRow { run, id: "late".into(), at: at(n), body: json!({}) }),
    ];
    committed(store, scope, writes);
}

pub(super) fn old_runs_are_found_and_erased(store: &dyn Store) {
    let (ours, theirs) = (scope("ours"), scope("theirs"));
    for (n, status) in [
        (1, RunStatus::Completed),
        (2, RunStatus::Failed),
        (3, RunStatus::Waiting),
        (4, RunStatus::Cancelled),
        (5, RunStatus::Compensated),
    ] {
        whole(store, &ours, n, status);
    }
    whole(store, &theirs, 6, RunStatus::Completed);
    let old = |millis, erased| Some(Old { changed_before: at(millis), erased });
    let list = |old, after: Option<u64>, limit| -> Vec<_> {
        let rows = store.runs_after(&ours, old, after.map(sample::run_id), limit).expect("reads");
        rows.into_iter().map(|row| row.id).collect()
    };
    let ids = |list: &[u64]| list.iter().map(|n| sample::run_id(*n)).collect::<Vec<_>>();
    assert_eq!(list(None, None, 10), ids(&[1, 2, 3, 4, 5]), "all, oldest first");
    assert_eq!(list(None, Some(2), 2), ids(&[3, 4]));
    assert_eq!(list(old(100, None), None, 10), ids(&[1, 2, 4, 5]), "those that have ended");
    assert_eq!(list(old(4, None), None, 10), ids(&[1, 2]), "and last changed before that");
    assert_eq!(list(old(100, None), Some(1), 2), ids(&[2, 4]));

    let run = sample::run_id(1);
    let left = json!({"erased": Digest::of(b"x")});
    let erase = || Write::Erase { run, request: left.clone(), rows: vec![(0, vec![left.clone()])] };
    committed(store, &theirs, vec![erase()]);
    assert!(!store.run(&ours, run).expect("reads").expect("is there").erased, "another tenant's stays");
    let moved = Precondition::RunAt { run, seq: 3, fence: 1 };
    assert!(matches!(commit(store, &ours, vec![moved], vec![erase()]), Outcome::Conflict(_)));
    let here = Precondition::RunAt { run, seq: 2, fence: 1 };
    assert_eq!(commit(store, &ours, vec![here], vec![erase()]), Outcome::Committed);
    let row = store.run(&ours, run).expect("reads").expect("is there");
    assert_eq!((row.erased, &row.request, row.updated_at), (true, &left, at(1)));
    let log = store.log(&ours, run).expect("reads");
    assert_eq!(log[0].payloads, [left]);
    assert_eq!(log[0].events, sample::log(1, 0).events, "events stay");
    assert_eq!(log[1], sample::log(1, 2), "other rows stay");
    assert_eq!(list(old(100, Some(false)), None, 10), ids(&[2, 4, 5]));
    assert_eq!(list(old(100, Some(true)), None, 10), ids(&[1]));
}

pub(super) fn rows_of_a_log_are_deleted_once_compacted(store: &dyn Store) {
    let (ours, theirs) = (scope("ours"), scope("theirs"));
    whole(store, &ours, 1, RunStatus::Running);
    let run = sample::run_id(1);
    let drop = || Write::DropLog { run, seqs: vec![2] };
    committed(store, &theirs, vec![drop()]);
    assert_eq!(store.log(&ours, run).expect("reads").len(), 2, "another tenant's stay");
    committed(store, &ours, vec![Write::Append(sample::log(1, 4).into()), drop()]);
    let seqs: Vec<u64> = store.log(&ours, run).expect("reads").iter().map(|row| row.seq).collect();
    assert_eq!(seqs, [0, 4]);
}

pub(super) fn deleting_a_run_deletes_what_belongs_to_it(store: &dyn Store) {
    let (ours, theirs) = (scope("ours"), scope("theirs"));
    whole(store, &ours, 1, RunStatus::Completed);
    whole(store, &ours, 2, RunStatus::Completed);
    committed(store, &ours, vec![Write::PutLetter(letter(1, 200, true))]);
    let end = || store.feed_end(SystemScope).expect("reads");
    committed(store, &theirs, vec![Write::DropRun(sample::run_id(2))]);
    assert!(store.run(&ours, sample::run_id(2)).expect("reads").is_some(), "another tenant's stays");
    for n in [1, 2] {
        let (run, before) = (sample::run_id(n), end());
        committed(store, &ours, vec![Write::DropRun(run)]);
        store.tidy(&ours).expect("tidies");
        assert_eq!(store.run(&ours, run).expect("reads"), None);
        assert_eq!(store.log(&ours, run).expect("reads"), []);
        assert_eq!(store.artifacts(&ours, run).expect("reads"), []);
        assert_eq!(store.approvals_of(&ours, run).expect("reads"), []);
        assert_eq!(store.signals(&ours, run).expect("reads"), []);
        assert_eq!(store.by_key(&ours, &format!("key {n}")).expect("reads"), None);
        assert!(end() >= before, "positions are not reused");
    }
    assert_eq!(
        store.dead_letters_of(&ours, sample::run_id(1)).expect("reads"),
        [letter(1, 200, true)],
        "open ones stay"
    );
    assert_eq!(store.dead_letters_of(&ours, sample::run_id(2)).expect("reads"), []);
    // Readers of the feed resume after everything that was ever in it.
    let before = end();
    whole(store, &ours, 3, RunStatus::Running);
    let began = std::time::Instant::now();
    let mut page = store.feed(&ours, before, 10).expect("reads");
    while page.items.len() < 2 && began.elapsed().as_secs() < 10 {
        page = store.feed(&ours, before, 10).expect("reads");
    }
    assert_eq!(page.items.len(), 2, "later rows have later positions");
    assert!(page.items.iter().all(|(position, row)| *position > before && row.run == sample::run_id(3)));
}

pub(super) fn unused_blobs_are_deleted_and_used_ones_stay(store: &dyn Store) {
    let scope = scope("default");
    let content = |n: u64| format!("content {n}").into_bytes();
    let hash = |n| Digest::of(&content(n));
    let put = |n: u64| Write::PutBlob {
        hash: hash(n),
        media_type: "text/plain".into(),
        at: at(n),
        bytes: Arc::from(content(n)),
    };
    let refer = |n| json!({"$blob": hash(n), "size": 9, "media_type": "text/plain"});
    for n in 1..=9 {
        committed(store, &scope, vec![put(n)]);
    }
    // A list of references that was itself large enough to become a blob.
    let list = json!([refer(7)]).to_string().into_bytes();
    let of_list = Digest::of(&list);
    let json_type = "application/json".to_owned();
    let put_list = Write::PutBlob { hash: of_list, media_type: json_type, at: at(1), bytes: list.into() };
    let mut run = sample::run(&scope, 1);
    run.request = refer(1);
    let mut log = sample::log(1, 0);
    log.payloads = vec![json!({"deep": [refer(2)]}), json!({"$blob": of_list})];
    let record = sample::record("task", 1, 1, None, json!({"file": refer(3)}));
    let mut dead = letter(1, 50, true);
    dead.body = refer(4);
    let approval = ApprovalRow {
        id: ApprovalId::from_uuid(sample::run_id(1).as_uuid()),
        run: sample::run_id(1),
        status: ApprovalStatus::Pending,
        asked_at: at(1),
        body: refer(5),
    };
    let signal = SignalRow { run: sample::run_id(1), id: "s".into(), at: at(1), body: refer(6) };
    let writes = vec![
        put_list,
        Write::NewRun(Box::new(run)),
        Write::Append(log.into()),
        Write::PutRecord { row: record, index: vec![], text: None },
        Write::PutLetter(dead),
        Write::PutApproval(approval),
        Write::Signal(signal),
    ];
    committed(store, &scope, writes);
    let used = used_blobs(store, &scope).expect("reads");
    let expected: std::collections::BTreeSet<Digest> = (1..=7).map(hash).chain([of_list]).collect();
    assert_eq!(used, expected);

    let note = |n, since: Option<u64>| Write::NoteBlob { hash: hash(n), unused_since: since.map(at) };
    let drop = |n, before: u64| Write::DropBlob { hash: hash(n), unused_before: at(before) };
    let there = |n| store.blob(&scope, hash(n)).expect("reads").is_some();
    let since = |n| {
        let all = store.blobs(&scope, None, 100).expect("reads");
        assert!(all.is_sorted_by_key(|(row, _)| row.hash));
        all.into_iter().find(|(row, _)| row.hash == hash(n)).expect("is there").1
    };
    committed(store, &scope, vec![drop(8, 1000)]);
    assert!(there(8), "it was not marked as unused");
    committed(store, &scope, vec![note(8, Some(50)), note(9, Some(50))]);
    committed(store, &scope, vec![note(8, Some(60))]);
    assert_eq!(since(8), Some(at(50)), "the first mark counts");
    committed(store, &scope, vec![drop(8, 49)]);
    assert!(there(8), "it was in use at that time");
    // Writing the same bytes again, whole or in pieces, clears the mark, so a pending deletion does nothing.
    committed(store, &scope, vec![put(8)]);
    let mut again = store.begin_blob(&scope, "text/plain", at(70)).expect("begins");
    again.write(&content(9)).expect("writes");
    again.finish().expect("finishes");
    assert_eq!((since(8), since(9)), (None, None));
    committed(store, &scope, vec![drop(8, 1000), drop(9, 1000)]);
    assert!(there(8) && there(9));
    committed(store, &scope, vec![note(8, Some(80))]);
    committed(store, &scope, vec![note(8, None)]);
    assert_eq!(since(8), None);
    committed(store, &scope, vec![note(8, Some(80)), drop(8, 80)]);
    store.tidy(&scope).expect("tidies");
    assert!(!there(8));
    committed(store, &scope, vec![put(8)]);
    let read = store.blob_part(&scope, hash(8), 0, 100).expect("reads");
    assert_eq!(read, content(8), "it can be written again");
}

pub(super) fn everything_can_be_read_for_copying(store: &dyn Store) {
    let (ours, theirs) = (scope("ours"), scope("theirs"));
    whole(store, &ours, 1, RunStatus::Completed);
    assert_eq!(store.keys_of(&ours, sample::run_id(1)).expect("reads"), [("key 1".into(), Digest::of(b"request"))]);
    assert_eq!(store.keys_of(&theirs, sample::run_id(1)).expect("reads"), []);
    let offer = |n: u64| OfferRow {
        key: JobKey::from_uuid(sample::run_id(n).as_uuid()),
        run: sample::run_id(n),
        topic: format!("topic {n}"),
        order: 9,
    };
    committed(store, &ours, (1..4).map(|n| Write::Offer(offer(n))).collect());
    assert_eq!(store.offers_after(&ours, None, 2).expect("reads"), [offer(1), offer(2)]);
    assert_eq!(store.offers_after(&ours, Some(offer(2).key), 2).expect("reads"), [offer(3)]);
    let entry = |unique| IndexEntry { field: "name".into(), value: "Ünï".into(), unique };
    for (kind, n, text) in [("task", 1, Some("Müller & Söhne")), ("lead", 2, None), ("task", 3, Some("x\ny"))] {
        let row = sample::record(kind, n, n, Some("open"), json!({"n": n}));
        let index = if n == 3 { vec![] } else { vec![entry(n == 1)] };
        committed(store, &ours, vec![Write::PutRecord { row, index, text: text.map(str::to_owned) }]);
    }
    let all = store.records_after(&ours, None, 10).expect("reads");
    let names: Vec<(&str, u64)> = all.iter().map(|one| (one.row.kind.as_str(), one.row.revision)).collect();
    assert_eq!(names, [("lead", 2), ("task", 1), ("task", 3)]);
    assert_eq!(all[1].text.as_deref(), Some("Müller & Söhne"));
    assert_eq!((&all[1].index, &all[0].index, &all[0].text), (&vec![entry(true)], &vec![entry(false)], &None));
    let after = (all[0].row.kind.clone(), all[0].row.id);
    assert_eq!(store.records_after(&ours, Some(&after), 1).expect("reads"), all[1..2]);
    let changed = sample::record("task", 1, 2, None, json!({}));
    committed(store, &ours, vec![Write::PutRecord { row: changed, index: vec![], text: Some("new words".into()) }]);
    let all = store.records_after(&ours, None, 10).expect("reads");
    assert_eq!(all[1].text.as_deref(), Some("new words"));

    let sudo = sudo(store);
    let define = |n: u64| Write::Define { hash: Digest::of(&[n as u8]), kind: "tool", body: json!({"n": n}) };
    committed(store, &ours, (0..3).map(define).collect());
    let first = store.definitions_after(&sudo, None, 2).expect("reads");
    let rest = store.definitions_after(&sudo, Some(first[1].hash), 2).expect("reads");
    assert_eq!((first.len(), rest.len()), (2, 1));
    assert!(first[0].hash < first[1].hash && first[1].hash < rest[0].hash && rest[0].kind == "tool");
    committed(store, &theirs, vec![Write::NewRun(Box::new(sample::run(&theirs, 9)))]);
    let tenants = store.tenants(&sudo).expect("reads");
    assert_eq!(tenants, [ours.tenant().clone(), theirs.tenant().clone()]);
}

pub(super) fn the_audit_records_every_use_of_sudo(store: &dyn Store) {
    let tenant = scope("acme").tenant().clone();
    assert_eq!(store.audit(SystemScope, 10).expect("reads"), []);
    let one = Sudo::because(store, at(1), "ann", "gc", None, "é\n—").expect("is noted");
    assert_eq!(one.who(), "ann");
    Sudo::because(store, at(3), "bob", "token new", Some(&tenant), "label x").expect("is noted");
    let row = AuditRow { at: at(2), who: "cron".into(), what: "gc".into(), tenant: None, detail: String::new() };
    store.note(&row).expect("is noted");
    store.note_once(&row).expect("is there");
    let rows = store.audit(SystemScope, 10).expect("reads");
    let seen: Vec<(Timestamp, &str, Option<&str>)> = rows
        .iter()
        .map(|row| (row.at, row.who.as_str(), row.tenant.as_ref().map(brain_core::TenantId::as_str)))
        .collect();
    assert_eq!(seen, [(at(3), "bob", Some("acme")), (at(2), "cron", None), (at(1), "ann", None)], "newest first");
    assert_eq!(rows[2].detail, "é\n—");
    assert_eq!(store.audit(SystemScope, 1).expect("reads"), rows[..1]);
}

pub(super) fn old_entries_of_the_audit_are_deleted(store: &dyn Store) {
    let entry =
        |n: u64| AuditRow { at: at(n), who: "ann".into(), what: "test".into(), tenant: None, detail: String::new() };
    for n in 0..600 {
        store.note(&entry(n)).expect("writes");
    }
    store.note(&entry(599)).expect("writes");
    store.note_once(&entry(599)).expect("writes");
    store.note_once(&entry(600)).expect("writes");
    let count = || store.audit(SystemScope, 9_999).expect("reads").into_iter().filter(|row| row.what == "test").count();
    assert_eq!(count(), 602, "only `note_once` skips existing rows");
    let sudo = Sudo::because(store, at(601), "ann", "trim", None, "").expect("notes");
    assert_eq!(store.trim_audit(&sudo, at(590)).expect("deletes"), 590);
    assert_eq!(count(), 12);
    assert_eq!(store.trim_audit(&sudo, at(590)).expect("deletes"), 0);
}

pub(super) fn references_are_found_page_by_page(store: &dyn Store) {
    let (scope, other) = (scope("default"), scope("other"));
    let hash = |n: u64| Digest::of(&n.to_be_bytes());
    for n in 0..20 {
        // Every third row contains a reference, and another tenant's rows lie in between.
        let refers = if n % 3 == 0 { json!({"$blob": hash(n)}) } else { json!({"plain": n}) };
        for scope in [&scope, &other] {
            let mut run = sample::run(scope, if *scope == other { 1_000 + n } else { n });
            run.request = refers.clone();
            let mut log = sample::log(n, 0);
            log.run = run.id;
            log.payloads = vec![refers.clone()];
            let record = sample::record(if n % 2 == 0 { "even" } else { "odd" }, n, 1, None, refers.clone());
            let signal = SignalRow { run: run.id, id: format!("s/{n}"), at: at(n), body: refers.clone() };
            let letter = DeadLetterRow {
                id: JobKey::generate(at(n), &mut SeededRandom::new(n)),
                run: run.id,
                tool: "t".into(),
                opened_at: at(n),
                open: true,
                body: refers.clone(),
            };
            let approval = ApprovalRow {
                id: ApprovalId::generate(at(n), &mut SeededRandom::new(n)),
                run: run.id,
                status: ApprovalStatus::Pending,
                asked_at: at(n),
                body: refers.clone(),
            };
            let writes = vec![
                Write::NewRun(Box::new(run)),
                Write::Append(Arc::new(log)),
                Write::PutRecord { row: record, index: Vec::new(), text: None },
                Write::Signal(signal),
                Write::PutLetter(letter),
                Write::PutApproval(approval),
            ];
            assert_eq!(commit(store, scope, vec![], writes), Outcome::Committed);
        }
    }
    for place in Referrer::ALL {
        for limit in [1, 4, 100] {
            let (mut found, mut cursor) = (Vec::new(), None);
            loop {
                let page = store.blob_referrers(&scope, place, cursor.as_deref(), limit).expect("reads");
                found.extend(page.items);
                cursor = page.next;
                if cursor.is_none() {
                    break;
                }
            }
            assert_eq!(found.len(), 7, "{place:?}, {limit} at a time: each once");
            for n in (0..20).step_by(3) {
                assert!(found.iter().any(|text| text.contains(&hash(n).to_string())), "{place:?}: {n}");
            }
        }
    }
}
