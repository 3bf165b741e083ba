//! One suite for every store, covering what the engine relies on. A store's tests call [`run`] with a constructor.

pub mod accounts;
mod blobs;
mod feed;
mod found;
mod numbers;
mod offers;
mod queue;
mod refused;
mod retention;
mod signals;

use std::sync::Arc;

use brain_core::{
    ApprovalId, ApprovalStatus, Digest, JobKey, Millis, NodeId, RecordId, RunId, RunStatus, SeededRandom, TenantId,
    Timestamp, TokenId,
};
use serde_json::{Value, json};

use crate::{
    ApprovalRow, ArtifactRow, Claim, Conflict, DeadLetterRow, IndexEntry, LogEvent, LogRow, Member, Outcome,
    Precondition, RecordFilter, RecordRow, RunRow, RunSchedule, Scope, Store, SystemScope, TokenRow, Write,
};

/// Makes an empty store.
pub type Make<'a> = &'a dyn Fn() -> Arc<dyn Store>;

type Case = fn(&dyn Store);

/// Runs the whole suite; panics at the first failure with the expectation that does not hold.
pub fn run(make: Make<'_>) {
    let cases: [(&str, Case); 41] = [
        ("a run and its log read back as written", a_run_and_its_log_read_back_as_written),
        ("a broken precondition writes nothing", a_broken_precondition_writes_nothing),
        ("an old fence is refused", an_old_fence_is_refused),
        ("members of one batch see each other", members_of_one_batch_see_each_other),
        ("a key is taken once", a_key_is_taken_once),
        ("a unique value has one holder", a_unique_value_has_one_holder),
        ("records are listed by state, index and field", records_are_listed_by_state_index_and_field),
        ("a record is rewritten without a new revision", found::a_record_is_rewritten_without_a_new_revision),
        ("records are found by all of several values", found::records_are_found_by_all_of_several_values),
        ("records are found by any of several values", found::records_are_found_by_any_of_several_values),
        ("a list that a commit relies on must be unchanged", a_list_that_was_relied_on_must_be_the_same),
        ("records are found by their words", records_are_found_by_their_words),
        ("tenants do not see each other", tenants_do_not_see_each_other),
        ("lists are cut into pages", lists_are_cut_into_pages),
        ("due runs come by time", due_runs_come_by_time),
        ("a node's runs are found by its id", a_nodes_runs_are_found_by_its_id),
        ("the backlog counts all tenants", queue::the_backlog_counts_all_tenants),
        ("letters and approvals change state once", letters_and_approvals_change_state_once),
        ("definitions and tokens stay", definitions_and_tokens_stay),
        ("offers come by topic and order", offers::offers_come_by_topic_and_order),
        ("an offer is replaced and withdrawn", offers::an_offer_is_replaced_and_withdrawn),
        ("all offers of a run are withdrawn", offers::all_offers_of_a_run_are_withdrawn),
        ("a signal is stored once until it is taken", signals::a_signal_is_stored_once_until_it_is_taken),
        ("runs with signals are found", signals::runs_with_signals_are_found),
        ("a blob reads back whole and in parts", blobs::a_blob_reads_back_whole_and_in_parts),
        ("a blob written in pieces is the same blob", blobs::a_blob_written_in_pieces_is_the_same_blob),
        ("a blob is visible when it is finished", blobs::a_blob_is_visible_when_it_is_finished),
        ("blobs belong to one tenant", blobs::blobs_belong_to_one_tenant),
        ("queued runs come by tenant and order", queue::queued_runs_come_by_tenant_and_order),
        ("the feed resumes after a position", feed::the_feed_resumes_after_a_position),
        ("old runs are found and erased", retention::old_runs_are_found_and_erased),
        ("deleting a run deletes what belongs to it", retention::deleting_a_run_deletes_what_belongs_to_it),
        ("rows of a log are deleted once compacted", retention::rows_of_a_log_are_deleted_once_compacted),
        ("unused blobs are deleted and used ones stay", retention::unused_blobs_are_deleted_and_used_ones_stay),
        ("everything can be read for copying", retention::everything_can_be_read_for_copying),
        ("the audit records every use of sudo", retention::the_audit_records_every_use_of_sudo),
        ("old entries of the audit are deleted", retention::old_entries_of_the_audit_are_deleted),
        ("references are found page by page", retention::references_are_found_page_by_page),
        ("numbers of runs are assigned once", numbers::numbers_of_runs),
        ("a cap holds and names its account", accounts::a_cap_holds_and_names_its_account),
        (
            "settled amounts are final and released amounts are free",
            accounts::settled_amounts_are_final_and_released_amounts_are_free,
        ),
    ];
    for (name, case) in cases {
        let store = make();
        println!("conformance: {name}");
        case(store.as_ref());
    }
}

/// For stores that may reject rows: only the rejected member is affected. [`crate::MemoryStore`] accepts everything.
pub fn run_refusals(make: Make<'_>) {
    refused::a_rejected_member_fails_alone(make().as_ref());
    refused::a_group_commits_without_its_rejected_members(make().as_ref());
}

/// Sample rows, numbered so that they differ.
pub mod sample {
    use super::{
        Digest, LogEvent, LogRow, Millis, RecordId, RecordRow, RunId, RunRow, RunSchedule, Scope, SeededRandom,
    };
    use super::{TenantId, Timestamp, Value, json};

    /// A time some milliseconds after the suite's epoch.
    pub fn at(millis: u64) -> Timestamp {
        Timestamp::from_millis(1_800_000_000_000).plus(Millis(millis))
    }

    /// The scope of a tenant.
    pub fn scope(tenant: &str) -> Scope {
        Scope::of(tenant.parse::<TenantId>().expect("a tenant name"))
    }

    /// The `n`th run id.
    pub fn run_id(n: u64) -> RunId {
        RunId::generate(at(n), &mut SeededRandom::new(n))
    }

    /// The `n`th record id.
    pub fn record_id(n: u64) -> RecordId {
        RecordId::generate(at(n), &mut SeededRandom::new(n))
    }

    /// The `n`th run of a tenant.
    pub fn run(scope: &Scope, n: u64) -> RunRow {
        RunRow {
            id: run_id(n),
            tenant: scope.tenant().clone(),
            created_at: at(n),
            updated_at: at(n),
            status: brain_core::RunStatus::Running,
            program: Some(Digest::of(b"program")),
            request: json!({"message": format!("run {n}"), "unicode": "é — \u{1f600}"}),
            erased: false,
            schedule: RunSchedule { seq: 2, owner: None, fence: 1, wake_at: None, priority: 5, queued: None },
        }
    }

    /// A log row with two events and a payload.
    pub fn log(n: u64, seq: u64) -> LogRow {
        LogRow {
            run: run_id(n),
            seq,
            at: at(n),
            events: vec![
                LogEvent::new(101, 1, &json!({}), None),
                LogEvent::new(106, 1, &json!({"job": {"step": 0}}), Some(0)),
            ],
            payloads: vec![json!({"result": {"total": "12.30"}})],
        }
    }

    /// The `n`th record of a type.
    pub fn record(kind: &str, n: u64, revision: u64, state: Option<&str>, body: Value) -> RecordRow {
        RecordRow {
            kind: kind.into(),
            id: record_id(n),
            revision,
            state: state.map(str::to_owned),
            created_at: at(n),
            updated_at: at(n + revision),
            body,
        }
    }
}

use sample::{at, scope};

fn commit(store: &dyn Store, scope: &Scope, preconditions: Vec<Precondition>, writes: Vec<Write>) -> Outcome {
    let member = Member { scope: scope.clone(), preconditions, writes };
    let outcomes = store.commit_now(vec![member]).expect("the store works");
    outcomes.into_iter().next().expect("an outcome for each member")
}

fn put(row: RecordRow, index: Vec<IndexEntry>, text: Option<&str>) -> Write {
    Write::PutRecord { row, index, text: text.map(str::to_owned) }
}

fn entry(field: &str, value: &str, unique: bool) -> IndexEntry {
    IndexEntry { field: field.into(), value: value.into(), unique }
}

fn new_run(store: &dyn Store, scope: &Scope, row: RunRow) {
    let outcome = commit(store, scope, vec![Precondition::RunAbsent(row.id)], vec![Write::NewRun(Box::new(row))]);
    assert_eq!(outcome, Outcome::Committed);
}

fn a_run_and_its_log_read_back_as_written(store: &dyn Store) {
    let scope = scope("default");
    let row = sample::run(&scope, 1);
    let link = ArtifactRow {
        kind: "task".into(),
        record: sample::record_id(4),
        run: row.id,
        step: "a".into(),
        role: "created".into(),
        at: at(1),
    };
    let writes = vec![
        Write::NewRun(Box::new(row.clone())),
        Write::Append(sample::log(1, 0).into()),
        Write::Link(link.clone()),
        Write::Link(link.clone()),
    ];
    assert_eq!(commit(store, &scope, vec![Precondition::RunAbsent(row.id)], writes), Outcome::Committed);
    assert_eq!(store.run(&scope, row.id).expect("reads"), Some(row.clone()));
    let schedule = RunSchedule { seq: 4, fence: 1, priority: 9, ..RunSchedule::default() };
    let update = Write::UpdateRun {
        run: row.id,
        status: RunStatus::Completed,
        at: at(9),
        schedule: schedule.clone(),
        program: None,
    };
    let unpaid = LogRow { payloads: vec![], ..sample::log(1, 2) };
    let there = Precondition::RunAt { run: row.id, seq: 2, fence: 1 };
    assert_eq!(
        commit(store, &scope, vec![there], vec![update, Write::Append(unpaid.clone().into())]),
        Outcome::Committed
    );
    let after = store.run(&scope, row.id).expect("reads").expect("is there");
    assert_eq!((after.status.as_str(), after.updated_at, &after.schedule), ("completed", at(9), &schedule));
    assert_eq!(after.program, row.program, "an update without a program keeps the old one");
    assert_eq!(store.log(&scope, row.id).expect("reads"), [sample::log(1, 0), unpaid]);
    assert_eq!(store.artifacts(&scope, row.id).expect("reads"), [link], "a link is stored once");
    assert_eq!(store.run(&scope, sample::run_id(77)).expect("reads"), None);
}

fn a_broken_precondition_writes_nothing(store: &dyn Store) {
    let scope = scope("default");
    new_run(store, &scope, sample::run(&scope, 1));
    let stale = Precondition::RunAt { run: sample::run_id(1), seq: 1, fence: 1 };
    let task = sample::record("task", 1, 1, None, json!({"title": "x"}));
    let writes = vec![put(task.clone(), vec![], None), Write::Append(sample::log(1, 2).into())];
    let outcome = commit(store, &scope, vec![stale.clone()], writes);
    assert_eq!(outcome, Outcome::Conflict(Conflict::Precondition(stale)));
    assert_eq!(store.record(&scope, "task", task.id).expect("reads"), None);
    assert!(store.log(&scope, sample::run_id(1)).expect("reads").is_empty());
    let twice = Precondition::RunAbsent(sample::run_id(1));
    let outcome = commit(store, &scope, vec![twice.clone()], vec![]);
    assert_eq!(outcome, Outcome::Conflict(Conflict::Precondition(twice)));
}

fn an_old_fence_is_refused(store: &dyn Store) {
    let scope = scope("default");
    new_run(store, &scope, sample::run(&scope, 1));
    let take_over = |fence: u64| Write::UpdateRun {
        run: sample::run_id(1),
        status: RunStatus::Running,
        at: at(2),
        schedule: RunSchedule { seq: 2, fence: fence + 1, priority: 5, ..RunSchedule::default() },
        program: None,
    };
    let held = |fence| Precondition::RunAt { run: sample::run_id(1), seq: 2, fence };
    assert_eq!(commit(store, &scope, vec![held(1)], vec![take_over(1)]), Outcome::Committed);
    let late = commit(store, &scope, vec![held(1)], vec![Write::Append(sample::log(1, 2).into())]);
    assert_eq!(late, Outcome::Conflict(Conflict::Precondition(held(1))));
    assert_eq!(commit(store, &scope, vec![held(2)], vec![take_over(2)]), Outcome::Committed);
}

fn members_of_one_batch_see_each_other(store: &dyn Store) {
    let scope = scope("default");
    let member = |revision: Option<u64>, next: u64| Member {
        scope: scope.clone(),
        preconditions: vec![Precondition::Record { kind: "task".into(), id: sample::record_id(1), revision }],
        writes: vec![put(sample::record("task", 1, next, None, json!({"n": next})), vec![], None)],
    };
    let outcomes =
        store.commit_now(vec![member(None, 1), member(None, 1), member(Some(1), 2)]).expect("the store works");
    assert_eq!(outcomes[0], Outcome::Committed);
    assert!(matches!(outcomes[1], Outcome::Conflict(_)), "the second insert of one record is a conflict");
    assert_eq!(outcomes[2], Outcome::Committed);
    let row = store.record(&scope, "task", sample::record_id(1)).expect("reads").expect("is there");
    assert_eq!((row.revision, row.body), (2, json!({"n": 2})));
}

fn a_key_is_taken_once(store: &dyn Store) {
    let scope = scope("default");
    let take = || {
        let write = Write::TakeKey { key: "k1".into(), digest: Digest::of(b"body"), run: sample::run_id(1) };
        commit(store, &scope, vec![Precondition::KeyFree("k1".into())], vec![write])
    };
    assert_eq!(take(), Outcome::Committed);
    assert_eq!(take(), Outcome::Conflict(Conflict::Precondition(Precondition::KeyFree("k1".into()))));
    let found = store.by_key(&scope, "k1").expect("reads");
    assert_eq!(found, Some((sample::run_id(1), Digest::of(b"body"))));
    assert_eq!(store.by_key(&scope, "k2").expect("reads"), None);
}

fn a_unique_value_has_one_holder(store: &dyn Store) {
    let scope = scope("default");
    let lead = |n, revision, phone: &str| {
        put(sample::record("lead", n, revision, None, json!({})), vec![entry("phone", phone, true)], None)
    };
    assert_eq!(commit(store, &scope, vec![], vec![lead(1, 1, "1")]), Outcome::Committed);
    let taken = Conflict::Unique { kind: "lead".into(), field: "phone".into(), holder: sample::record_id(1) };
    assert_eq!(commit(store, &scope, vec![], vec![lead(2, 1, "1")]), Outcome::Conflict(taken));
    assert_eq!(commit(store, &scope, vec![], vec![lead(1, 2, "2")]), Outcome::Committed);
    assert_eq!(commit(store, &scope, vec![], vec![lead(2, 1, "1")]), Outcome::Committed, "a freed value can be reused");
    let gone = Write::DeleteRecord { kind: "lead".into(), id: sample::record_id(1) };
    assert_eq!(commit(store, &scope, vec![], vec![gone]), Outcome::Committed);
    assert_eq!(commit(store, &scope, vec![], vec![lead(3, 1, "2")]), Outcome::Committed);
    let by_phone = RecordFilter { indexed: vec![("phone".into(), "2".into())], ..RecordFilter::default() };
    let found = store.records(&scope, "lead", &by_phone, 10, None).expect("reads").items;
    assert_eq!(found.iter().map(|row| row.id).collect::<Vec<_>>(), [sample::record_id(3)]);
}

fn records_are_listed_by_state_index_and_field(store: &dyn Store) {
    let scope = scope("default");
    for n in 1..=6 {
        let state = if n % 2 == 0 { "open" } else { "done" };
        let body = json!({"quote": n % 3, "label": format!("l{n}"), "flag": n == 4, "nested": {"a": [n]}});
        let row = sample::record("item", n, 1, Some(state), body);
        let written = put(row, vec![entry("quote", &(n % 3).to_string(), false)], None);
        assert_eq!(commit(store, &scope, vec![], vec![written]), Outcome::Committed);
    }
    let list = |filter: &RecordFilter| -> Vec<u64> {
        let page = store.records(&scope, "item", filter, 10, None).expect("reads");
        let number = |row: &RecordRow| (1..=6).find(|n| sample::record_id(*n) == row.id).expect("a sample");
        page.items.iter().map(number).collect()
    };
    assert_eq!(list(&RecordFilter::default()), [1, 2, 3, 4, 5, 6]);
    assert_eq!(list(&RecordFilter { state: Some("open".into()), ..RecordFilter::default() }), [2, 4, 6]);
    let third = RecordFilter { indexed: vec![("quote".into(), "0".into())], ..RecordFilter::default() };
    assert_eq!(list(&third), [3, 6]);
    assert_eq!(list(&RecordFilter { state: Some("done".into()), ..third }), [3]);
    for (field, value, expected) in [
        ("label", json!("l5"), vec![5]),
        ("flag", json!(true), vec![4]),
        ("quote", json!(1), vec![1, 4]),
        ("nested", json!({"a": [2]}), vec![2]),
        ("missing", json!("x"), vec![]),
    ] {
        let filter = RecordFilter { fields: vec![(field.into(), value)], ..RecordFilter::default() };
        assert_eq!(list(&filter), expected, "{field}");
    }
    let moved =
        put(sample::record("item", 3, 2, Some("done"), json!({"quote": 9})), vec![entry("quote", "9", false)], None);
    assert_eq!(commit(store, &scope, vec![], vec![moved]), Outcome::Committed);
    let third = RecordFilter { indexed: vec![("quote".into(), "0".into())], ..RecordFilter::default() };
    assert_eq!(list(&third), [6], "an old index entry is gone");
}

fn a_list_that_was_relied_on_must_be_the_same(store: &dyn Store) {
    let scope = scope("default");
    let item = |n, revision, quote: &str| {
        put(sample::record("item", n, revision, None, json!({})), vec![entry("quote", quote, false)], None)
    };
    assert_eq!(commit(store, &scope, vec![], vec![item(1, 1, "q"), item(2, 1, "other")]), Outcome::Committed);
    let listed = |members: &[(u64, u64)]| Precondition::Listed {
        kind: "item".into(),
        field: "quote".into(),
        value: "q".into(),
        fingerprint: crate::fingerprint(members.iter().map(|(n, revision)| (sample::record_id(*n), *revision))),
    };
    assert_eq!(commit(store, &scope, vec![listed(&[(1, 1)])], vec![item(3, 1, "q")]), Outcome::Committed);
    let stale = commit(store, &scope, vec![listed(&[(1, 1)])], vec![item(4, 1, "q")]);
    assert_eq!(stale, Outcome::Conflict(Conflict::Precondition(listed(&[(1, 1)]))), "one was added");
    assert_eq!(commit(store, &scope, vec![listed(&[(1, 1), (3, 1)])], vec![item(1, 2, "q")]), Outcome::Committed);
    assert!(
        matches!(commit(store, &scope, vec![listed(&[(1, 1), (3, 1)])], vec![]), Outcome::Conflict(_)),
        "one was changed"
    );
    assert_eq!(commit(store, &scope, vec![listed(&[(1, 2), (3, 1)])], vec![]), Outcome::Committed);
}

fn records_are_found_by_their_words(store: &dyn Store) {
    let scope = scope("default");
    for (n, words) in [(1, "Broken ridge tile, north side"), (2, "Ridge capping quote"), (3, "call the north office")] {
        let row = sample::record("note", n, 1, None, json!({"content": words}));
        assert_eq!(commit(store, &scope, vec![], vec![put(row, vec![], Some(words))]), Outcome::Committed);
    }
    let find = |query: &str| -> Vec<u64> {
        let rows = store.search(&scope, "note", query, 10).expect("reads");
        let mut found: Vec<u64> =
            rows.iter().map(|row| (1..=3).find(|n| sample::record_id(*n) == row.id).expect("a sample")).collect();
        found.sort_unstable();
        found
    };
    assert_eq!(find("ridge"), [1, 2]);
    assert_eq!(find("NORTH ridge"), [1]);
    assert_eq!(find("capp"), [2], "the last word may be a prefix");
    assert_eq!(find("\"north\" OR -x* ("), [] as [u64; 0], "operators are searched as words");
    assert_eq!(find("  "), [] as [u64; 0]);
    assert_eq!(find("absent"), [] as [u64; 0]);
    let changed = sample::record("note", 1, 2, None, json!({"content": "gutter"}));
    assert_eq!(commit(store, &scope, vec![], vec![put(changed, vec![], Some("gutter"))]), Outcome::Committed);
    assert_eq!((find("ridge"), find("gutter")), (vec![2], vec![1]));
    let gone = Write::DeleteRecord { kind: "note".into(), id: sample::record_id(2) };
    assert_eq!(commit(store, &scope, vec![], vec![gone]), Outcome::Committed);
    assert_eq!(find("ridge"), [] as [u64; 0]);
}

fn tenants_do_not_see_each_other(store: &dyn Store) {
    let (ours, theirs) = (scope("ours"), scope("theirs"));
    let row = sample::run(&ours, 1);
    let task = sample::record("task", 1, 1, None, json!({"title": "secret"}));
    let writes = vec![
        Write::NewRun(Box::new(row.clone())),
        Write::Append(sample::log(1, 0).into()),
        put(task.clone(), vec![entry("title", "secret", true)], Some("secret")),
        Write::TakeKey { key: "k".into(), digest: Digest::of(b""), run: row.id },
        Write::Link(ArtifactRow {
            kind: "task".into(),
            record: task.id,
            run: row.id,
            step: "a".into(),
            role: "created".into(),
            at: at(1),
        }),
    ];
    assert_eq!(commit(store, &ours, vec![], writes), Outcome::Committed);
    assert!(store.run(&theirs, row.id).expect("reads").is_none());
    assert!(store.runs(&theirs, None, 10, None).expect("reads").items.is_empty());
    assert!(store.log(&theirs, row.id).expect("reads").is_empty());
    assert!(store.by_key(&theirs, "k").expect("reads").is_none());
    assert!(store.artifacts(&theirs, row.id).expect("reads").is_empty());
    assert!(store.record(&theirs, "task", task.id).expect("reads").is_none());
    assert!(store.records(&theirs, "task", &RecordFilter::default(), 10, None).expect("reads").items.is_empty());
    assert!(store.search(&theirs, "task", "secret", 10).expect("reads").is_empty());
    let same = put(sample::record("task", 2, 1, None, json!({})), vec![entry("title", "secret", true)], None);
    assert_eq!(commit(store, &theirs, vec![], vec![same]), Outcome::Committed, "uniqueness is per tenant");
    let touch = Precondition::RunAt { run: row.id, seq: 2, fence: 1 };
    assert!(matches!(commit(store, &theirs, vec![touch], vec![]), Outcome::Conflict(_)));
}

fn lists_are_cut_into_pages(store: &dyn Store) {
    let scope = scope("default");
    for n in 1..=5 {
        let mut row = sample::run(&scope, n);
        row.status = if n == 3 { RunStatus::Failed } else { RunStatus::Completed };
        new_run(store, &scope, row);
        let record = put(sample::record("task", n, 1, None, json!({})), vec![], None);
        assert_eq!(commit(store, &scope, vec![], vec![record]), Outcome::Committed);
    }
    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let page = store.runs(&scope, None, 2, cursor.as_deref()).expect("reads");
        assert!(page.items.len() <= 2);
        seen.extend(page.items.iter().map(|row| row.id));
        match page.next {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    assert_eq!(seen, (1..=5).rev().map(sample::run_id).collect::<Vec<_>>(), "newest first, each once");
    let failed = store.runs(&scope, Some(RunStatus::Failed), 10, None).expect("reads").items;
    assert_eq!(failed.iter().map(|row| row.id).collect::<Vec<_>>(), [sample::run_id(3)]);
    assert_eq!(store.runs(&scope, Some(RunStatus::Completed), 10, None).expect("reads").items.len(), 4);
    let page = store.records(&scope, "task", &RecordFilter::default(), 3, None).expect("reads");
    let rest = store.records(&scope, "task", &RecordFilter::default(), 3, page.next.as_deref()).expect("reads");
    assert_eq!((page.items.len(), rest.items.len(), rest.next), (3, 2, None));
    assert!(store.runs(&scope, None, 2, Some("nonsense")).is_err(), "an invalid cursor is rejected");
}

/// The claim of a node that asks for work.
fn claim(now: u64) -> Claim {
    Claim { node: NodeId::generate(at(1), &mut SeededRandom::new(1)), now: at(now), until: at(now + 5_000) }
}

fn due_runs_come_by_time(store: &dyn Store) {
    let scope = scope("default");
    for (n, wake) in [(1, Some(30)), (2, Some(10)), (3, None), (4, Some(20))] {
        let mut row = sample::run(&scope, n);
        row.schedule.wake_at = wake.map(at);
        new_run(store, &scope, row);
    }
    let due = |now: u64, limit| -> Vec<RunId> {
        let rows = store.due(SystemScope, &claim(now), limit).expect("reads");
        rows.into_iter().map(|(_, run, _)| run).collect()
    };
    assert_eq!(due(9, 10), []);
    assert_eq!(due(20, 10), [sample::run_id(2), sample::run_id(4)]);
    assert_eq!(due(99, 1), [sample::run_id(2)]);
    assert_eq!(store.next_wake(SystemScope).expect("reads"), Some(at(10)));
    assert_eq!(store.count_by_status(SystemScope).expect("reads"), [(RunStatus::Running, 4)]);
}

fn a_nodes_runs_are_found_by_its_id(store: &dyn Store) {
    let scope = scope("default");
    let node = |n| NodeId::generate(at(n), &mut SeededRandom::new(n));
    for (n, owner) in [(1, Some(1)), (2, Some(2)), (3, Some(1)), (4, None)] {
        let mut row = sample::run(&scope, n);
        row.schedule.owner = owner.map(node);
        new_run(store, &scope, row);
    }
    // A shared store uses the clock of its database, so only leases of zero and of a very long time behave the same
    // everywhere.
    let lease = |n, lease, liveness| store.heartbeat(SystemScope, node(n), at(5), lease, liveness).expect("writes");
    lease(1, Millis(0), "pid 0");
    lease(1, Millis(1 << 40), "pid 1");
    lease(2, Millis(0), "pid 2");
    let nodes = store.nodes(SystemScope, at(9)).expect("reads");
    let seen: Vec<_> = nodes.iter().map(|row| (row.id, row.lapsed.is_some(), row.liveness.as_str())).collect();
    assert_eq!(seen, [(node(1), false, "pid 1"), (node(2), true, "pid 2")]);
    let owned = |n| -> Vec<RunId> {
        store.owned_by(SystemScope, node(n), 10).expect("reads").into_iter().map(|(_, run)| run).collect()
    };
    assert_eq!(owned(1), [sample::run_id(1), sample::run_id(3)]);
    assert_eq!(owned(2), [sample::run_id(2)]);
    store.forget_node(SystemScope, node(2)).expect("writes");
    assert_eq!(store.nodes(SystemScope, at(9)).expect("reads").len(), 1);
}

fn letters_and_approvals_change_state_once(store: &dyn Store) {
    let scope = scope("default");
    let id = JobKey::generate(at(1), &mut SeededRandom::new(1));
    let letter = |open| DeadLetterRow {
        id,
        run: sample::run_id(1),
        tool: "t.x".into(),
        opened_at: at(1),
        open,
        body: json!({"failure": {"code": "http_503"}}),
    };
    assert_eq!(commit(store, &scope, vec![], vec![Write::PutLetter(letter(true))]), Outcome::Committed);
    assert_eq!(store.dead_letter(&scope, id).expect("reads"), Some(letter(true)));
    let close = || commit(store, &scope, vec![Precondition::LetterOpen(id)], vec![Write::PutLetter(letter(false))]);
    assert_eq!(close(), Outcome::Committed);
    assert!(matches!(close(), Outcome::Conflict(_)), "a closed letter is not closed again");
    let count = |open| store.dead_letters(&scope, open, 10, None).expect("reads").items.len();
    assert_eq!((count(None), count(Some(true)), count(Some(false))), (1, 0, 1));

    let id = ApprovalId::generate(at(1), &mut SeededRandom::new(2));
    let approval =
        |status| ApprovalRow { id, run: sample::run_id(1), status, asked_at: at(1), body: json!({"digest": "d"}) };
    assert_eq!(
        commit(store, &scope, vec![], vec![Write::PutApproval(approval(ApprovalStatus::Pending))]),
        Outcome::Committed
    );
    let approve = || {
        let pending = vec![Precondition::ApprovalPending(id)];
        commit(store, &scope, pending, vec![Write::PutApproval(approval(ApprovalStatus::Approved))])
    };
    assert_eq!(approve(), Outcome::Committed);
    assert!(matches!(approve(), Outcome::Conflict(_)), "an approval is used once");
    assert_eq!(store.approval(&scope, id).expect("reads"), Some(approval(ApprovalStatus::Approved)));
    assert_eq!(store.approvals_of(&scope, sample::run_id(1)).expect("reads").len(), 1);
    assert_eq!(store.approvals(&scope, Some(ApprovalStatus::Pending), 10, None).expect("reads").items.len(), 0);
}

fn definitions_and_tokens_stay(store: &dyn Store) {
    let scope = scope("default");
    let hash = Digest::of(b"definition");
    let define = |body: Value| Write::Define { hash, kind: "tool", body };
    assert_eq!(commit(store, &scope, vec![], vec![define(json!({"a": 1}))]), Outcome::Committed);
    assert_eq!(commit(store, &scope, vec![], vec![define(json!({"a": 2}))]), Outcome::Committed);
    assert_eq!(store.definition(hash).expect("reads"), Some(json!({"a": 1})), "a definition never changes");
    assert_eq!(store.definition(Digest::of(b"other")).expect("reads"), None);
    let mut token = TokenRow {
        id: TokenId::generate(at(1), &mut SeededRandom::new(3)),
        tenant: "acme".parse().expect("a tenant name"),
        hash,
        label: "ci".into(),
        created_at: at(1),
        expires_at: Some(at(5)),
        approver: true,
        permissions: Some(vec!["walls.paint".into()]),
        tier: Some("premium".into()),
        revoked: false,
    };
    store.put_token(&token).expect("writes");
    assert_eq!(store.token(token.id).expect("reads"), Some(token.clone()));
    token.revoked = true;
    store.put_token(&token).expect("writes");
    assert_eq!(store.tokens().expect("reads"), [token]);
}
