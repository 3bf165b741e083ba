//! The PostgreSQL store: the conformance suite, and its own promises.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use brain_store::conformance::{self, sample};
use brain_store::{
    ArtifactRow, Blobs, Commit, Feed, IndexEntry, Member, Outcome, PostgresStore, Precondition, RecordFilter, Records,
    Runs, Signals, Store, StoreError, Watch, Write,
};
use brain_testbed::Postgres;
use common::{commit, eventually, new_run, put};
use serde_json::json;

#[test]
fn the_postgres_store_conforms() {
    let cluster = Postgres::start().unwrap();
    let make = || {
        let url = cluster.url(&cluster.new_database());
        Arc::new(PostgresStore::connect(&url).unwrap()) as Arc<dyn Store>
    };
    conformance::run(&make);
    conformance::run_refusals(&make);
}

#[test]
fn a_text_that_postgres_rejects_fails_alone_and_at_once() {
    let cluster = Postgres::start().unwrap();
    let store = PostgresStore::connect(&cluster.url(&cluster.new_database())).unwrap();
    let scope = sample::scope("default");
    let member = |n: u64, role: &str| {
        let run = sample::run(&scope, n);
        let link = ArtifactRow {
            kind: "task".into(),
            record: sample::record_id(n),
            run: run.id,
            step: "s1".into(),
            role: role.into(),
            at: sample::at(n),
        };
        Member {
            scope: scope.clone(),
            preconditions: vec![],
            writes: vec![Write::NewRun(Box::new(run)), Write::Link(link)],
        }
    };
    let outcomes = store.commit_now(vec![member(1, "made"), member(2, "ma\0de"), member(3, "made")]).unwrap();
    assert_eq!((&outcomes[0], &outcomes[2]), (&Outcome::Committed, &Outcome::Committed));
    assert!(matches!(&outcomes[1], Outcome::Refused(why) if why.contains("0x00")), "{outcomes:?}");
    let there: Vec<bool> = (1..=3).map(|n| store.run(&scope, sample::run_id(n)).unwrap().is_some()).collect();
    assert_eq!(there, [true, false, true]);
    assert_eq!(store.stats().members, 2);
}

#[test]
fn a_login_that_cannot_create_roles_conforms_too() {
    let cluster = Postgres::start().unwrap();
    cluster.sql("postgres", "CREATE ROLE plain LOGIN PASSWORD 'plain'");
    let make = || {
        let database = cluster.new_database();
        cluster.sql("postgres", &format!("ALTER DATABASE {database} OWNER TO plain"));
        let url = cluster.url_as("plain", "plain", &database);
        (Arc::new(PostgresStore::connect(&url).unwrap()) as Arc<dyn Store>, database)
    };
    conformance::run(&|| make().0);
    let (store, database) = make();
    assert_eq!(cluster.sql(&database, "SELECT roles FROM brain.format"), "f");
    new_run(store.as_ref(), &sample::scope("ours"), 1);
    // Without a tenant setting, the owner sees no rows.
    let seen = cluster.sql(&database, "SET ROLE plain; SELECT count(*) FROM brain.runs");
    assert_eq!(seen, "0");
}

#[test]
fn a_tenants_connection_sees_only_its_rows_whatever_it_queries() {
    let cluster = Postgres::start().unwrap();
    let database = cluster.new_database();
    let store = PostgresStore::connect(&cluster.url(&database)).unwrap();
    for (n, name) in [(1, "ours"), (2, "theirs"), (3, "ours")] {
        let scope = sample::scope(name);
        new_run(&store, &scope, n);
        let record = sample::record("task", n, 1, None, json!({}));
        let index = vec![IndexEntry { field: "f".into(), value: "v".into(), unique: false }];
        commit(&store, &scope, vec![], vec![Write::PutRecord { row: record, index, text: Some("word".into()) }]);
    }
    let as_api = |sql: &str| cluster.sql(&database, &format!("SET search_path = brain; SET ROLE brain_api; {sql}"));
    assert_eq!(as_api("SELECT count(*) FROM runs"), "0", "no rows without a tenant");
    let tables = "runs records record_index record_words log";
    for table in tables.split(' ') {
        let ask = format!("SET brain.tenant = 'ours'; SELECT DISTINCT tenant FROM {table}");
        let found = as_api(&ask);
        assert!(found == "ours" || (table == "log" && found.is_empty()), "{table}: {found}");
    }
    let write = std::panic::catch_unwind(|| as_api("SET brain.tenant = 'ours'; DELETE FROM runs"));
    assert!(write.is_err(), "the read-only role cannot write");
    let tokens = std::panic::catch_unwind(|| as_api("SELECT * FROM tokens"));
    assert!(tokens.is_err(), "the read-only role cannot read tokens");
    let unprotected = "SELECT string_agg(c.relname, ' ') FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        AND a.attname = 'tenant' WHERE c.relnamespace = 'brain'::regnamespace AND c.relkind = 'r'
        AND NOT (c.relrowsecurity AND c.relforcerowsecurity)";
    assert_eq!(cluster.sql(&database, unprotected), "tokens");
}

#[test]
fn connection_errors_do_not_show_the_password() {
    let cluster = Postgres::start().unwrap();
    let database = cluster.new_database();
    let refused = |url: &str| match PostgresStore::connect(url) {
        Ok(_) => panic!("{url} was opened"),
        Err(error) => error.to_string(),
    };
    let wrong = refused(&cluster.url_as("tester", "wr0ng-secret", &database));
    assert!(wrong.contains("rejected the login of `tester`") && !wrong.contains("wr0ng-secret"), "{wrong}");
    let missing = refused(&cluster.url("nowhere"));
    assert!(missing.contains("no database `nowhere`") && missing.contains("createdb"), "{missing}");
    let unreachable = refused("postgres://a:s3cret@127.0.0.1:9/x");
    assert!(
        unreachable.contains("cannot be reached at 127.0.0.1:9") && !unreachable.contains("s3cret"),
        "{unreachable}"
    );
    cluster.sql(&database, "CREATE SCHEMA brain; CREATE TABLE brain.theirs (x int)");
    let foreign = refused(&cluster.url(&database));
    assert!(foreign.contains("another program"), "{foreign}");
    let beside = format!("{}?brain_schema=beside", cluster.url(&database));
    drop(PostgresStore::connect(&beside).unwrap());
    cluster.sql(&database, "UPDATE beside.format SET version = 99");
    let newer = refused(&beside);
    assert!(newer.contains("format 99"), "{newer}");
    let plain = refused(&format!("{}?sslmode=require", cluster.url(&database)));
    assert!(plain.contains("cannot be reached") && plain.to_lowercase().contains("tls"), "{plain}");
}

#[test]
fn migrating_reports_what_it_did_and_a_dry_run_does_nothing() {
    let cluster = Postgres::start().unwrap();
    let url = cluster.url(&cluster.new_database());
    let before = PostgresStore::migrate(&url, true).unwrap();
    assert_eq!((before, before.from), (PostgresStore::migrate(&url, true).unwrap(), 0));
    // Several nodes start at once: one creates the tables, the others find them.
    let made: Vec<_> = std::thread::scope(|scope| {
        let nodes: Vec<_> = (0..4).map(|_| scope.spawn(|| PostgresStore::migrate(&url, false).unwrap())).collect();
        nodes.into_iter().map(|node| node.join().unwrap()).collect()
    });
    assert_eq!(made.iter().filter(|one| one.from == 0).count(), 1, "{made:?}");
    let after = PostgresStore::migrate(&url, false).unwrap();
    assert_eq!((after.from, after.to), (before.to, before.to));
}

#[test]
fn a_late_commit_gets_a_late_position() {
    let cluster = Postgres::start().unwrap();
    let database = cluster.new_database();
    let store = PostgresStore::connect(&cluster.url(&database)).unwrap();
    let scope = sample::scope("default");
    new_run(&store, &scope, 1);
    let waits = |n: u32| {
        let count = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711";
        eventually(|| cluster.sql(&database, count) == n.to_string());
    };
    // One transaction writes to the log first and commits last: it waits for a lock until the others have been read.
    let late = std::thread::scope(|threads| {
        let holder = threads.spawn(|| cluster.sql(&database, "SELECT pg_advisory_lock(4711); SELECT pg_sleep(60)"));
        waits(1);
        let late = threads.spawn(|| {
            let run = sample::run_id(1);
            cluster.sql(
                &database,
                &format!(
                    "BEGIN; SET LOCAL search_path = brain;
                     INSERT INTO log VALUES ('default', '{run}', 90, 1, '[]', NULL);
                     INSERT INTO feed_pending (tenant, run, seq) VALUES ('default', '{run}', 90);
                     SELECT pg_advisory_lock(4711); COMMIT"
                ),
            )
        });
        waits(2);
        for seq in [0, 2] {
            commit(&store, &scope, vec![], vec![Write::Append(sample::log(1, seq).into())]);
        }
        let mut seen = Vec::new();
        let mut upto = 0;
        eventually(|| {
            let page = store.feed(&scope, upto, 10).unwrap();
            seen.extend(page.items.iter().map(|(_, row)| row.seq));
            upto = page.upto;
            seen.len() == 2
        });
        assert_eq!(seen, [0, 2], "uncommitted rows are invisible");
        cluster.sql(
            &database,
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND granted",
        );
        assert!(holder.join().is_err(), "its connection was cut");
        late.join().unwrap();
        let mut later = Vec::new();
        eventually(|| {
            let page = store.feed(&scope, upto, 10).unwrap();
            later.extend(page.items.iter().map(|(_, row)| row.seq));
            !later.is_empty()
        });
        later
    });
    assert_eq!(late, [90], "a reader that resumes has missed nothing");
}

#[test]
fn a_store_recovers_when_connections_are_cut_and_when_the_server_restarts() {
    let cluster = Postgres::start().unwrap();
    let database = cluster.new_database();
    let store = PostgresStore::connect(&cluster.url(&database)).unwrap();
    let scope = sample::scope("default");
    new_run(&store, &scope, 1);
    cluster.kill_connections(&database);
    // The dead connections were idle, so the failure goes unnoticed.
    assert!(store.run(&scope, sample::run_id(1)).unwrap().is_some());
    new_run(&store, &scope, 2);
    cluster.stop();
    let down = store.run(&scope, sample::run_id(1));
    assert!(matches!(&down, Err(StoreError::Failed(_))), "{down:?}");
    let member = Member { scope: scope.clone(), preconditions: vec![], writes: vec![] };
    assert!(store.commit_now(vec![member]).is_err());
    cluster.start_again().unwrap();
    assert!(store.run(&scope, sample::run_id(2)).unwrap().is_some());
    new_run(&store, &scope, 3);
    commit(&store, &scope, vec![], vec![Write::Append(sample::log(3, 0).into())]);
    eventually(|| store.feed(&scope, 0, 10).is_ok_and(|page| page.items.len() == 1));
}

#[test]
fn commits_during_a_server_restart_happen_once_or_report_that_the_outcome_is_unknown() {
    let cluster = Postgres::start().unwrap();
    let database = cluster.new_database();
    let store = PostgresStore::connect(&cluster.url(&database)).unwrap();
    let scope = sample::scope("default");
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::scope(|threads| {
        let chaos = threads.spawn(|| {
            for round in 0..6 {
                std::thread::sleep(std::time::Duration::from_millis(60));
                if round % 3 == 2 {
                    cluster.stop();
                    cluster.start_again().unwrap();
                } else {
                    cluster.kill_connections(&database);
                }
            }
        });
        let mut n = 0;
        while !chaos.is_finished() {
            n += 1;
            let row = sample::run(&scope, n);
            let writes = vec![Write::NewRun(Box::new(row.clone())), Write::Append(sample::log(n, 0).into())];
            let preconditions = vec![Precondition::RunAbsent(row.id)];
            let member = Member { scope: scope.clone(), preconditions, writes };
            let send = send.clone();
            store.commit(vec![member], Box::new(move |result| send.send((n, result)).unwrap()));
            if n % 16 == 0 {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        }
    });
    drop(send);
    // Dropping the store waits for the last commits.
    drop(store);
    let store = PostgresStore::connect(&cluster.url(&database)).unwrap();
    let (mut written, mut failed) = (0, 0);
    for (n, result) in receive {
        let there = store.run(&scope, sample::run_id(n)).unwrap().is_some();
        match result {
            Ok(outcomes) => {
                assert_eq!(outcomes, [Outcome::Committed], "run {n}: only this commit creates it");
                assert!(there, "run {n} was reported as written");
                written += 1;
            }
            Err(error) if error.to_string().contains("unknown whether") => {}
            Err(error) => {
                assert!(!there, "run {n} was reported as not written: {error}");
                failed += 1;
            }
        }
    }
    println!("{written} written, {failed} failed");
    assert!(written > 0);
}

#[test]
fn commits_submitted_together_share_syncs() {
    let cluster = Postgres::start().unwrap();
    let store = PostgresStore::connect(&cluster.url(&cluster.new_database())).unwrap();
    let scope = sample::scope("default");
    let (send, receive) = std::sync::mpsc::channel();
    for n in 0..200 {
        let writes = vec![Write::NewRun(Box::new(sample::run(&scope, n)))];
        let member = Member { scope: scope.clone(), preconditions: vec![], writes };
        let send = send.clone();
        store.commit(vec![member], Box::new(move |result| send.send(result.is_ok()).unwrap()));
    }
    assert_eq!(receive.iter().take(200).filter(|ok| *ok).count(), 200);
    let after = store.stats();
    assert_eq!(after.members, 200);
    assert!(after.syncs < 100, "200 commits submitted at once took {} syncs", after.syncs);
}

#[test]
fn a_members_error_does_not_affect_the_others() {
    let cluster = Postgres::start().unwrap();
    let store = PostgresStore::connect(&cluster.url(&cluster.new_database())).unwrap();
    let scope = sample::scope("default");
    new_run(&store, &scope, 5);
    let (send, receive) = std::sync::mpsc::channel();
    for n in 0..20 {
        // Run 5 exists already, and this member has no precondition that checks it.
        let writes = vec![Write::NewRun(Box::new(sample::run(&scope, n)))];
        let member = Member { scope: scope.clone(), preconditions: vec![], writes };
        let send = send.clone();
        store.commit(vec![member], Box::new(move |result| send.send((n, result.unwrap().remove(0))).unwrap()));
    }
    let (well, rest): (Vec<_>, Vec<_>) = receive.iter().take(20).partition(|(_, one)| *one == Outcome::Committed);
    assert_eq!((well.len(), rest.len()), (19, 1));
    assert!(matches!(&rest[0], (5, Outcome::Refused(why)) if why.contains("duplicate key")), "{rest:?}");
}

#[test]
fn awkward_values_read_back_unchanged() {
    let cluster = Postgres::start().unwrap();
    let store = PostgresStore::connect(&cluster.url(&cluster.new_database())).unwrap();
    let scope = sample::scope("default");
    let long = "é\0".repeat(50_000);
    let body =
        json!({"nul": "a\0b", "long": long, "number": 1.0, "large": u64::MAX, "small": i64::MIN, "z": 1, "a": 2});
    let row = sample::record("odd", 1, 1, Some("st\0te"), body);
    let index = [("f", long.as_str()), ("g", "a\0b"), ("h", "a\u{1}0b")];
    let index =
        index.map(|(field, value)| IndexEntry { field: field.into(), value: value.into(), unique: field != "g" });
    let write = Write::PutRecord { row: row.clone(), index: index.to_vec(), text: Some(long.clone()) };
    assert_eq!(commit(&store, &scope, vec![], vec![write]), Outcome::Committed);
    let read = store.record(&scope, "odd", row.id).unwrap().unwrap();
    assert_eq!(read, row);
    assert_eq!(read.body.to_string(), row.body.to_string(), "byte for byte");
    for (field, value, found) in [("f", long.as_str(), 1), ("g", "a\0b", 1), ("g", "a\u{1}0b", 0), ("h", "a\u{1}0b", 1)]
    {
        let filter = RecordFilter { indexed: vec![(field.into(), value.into())], ..RecordFilter::default() };
        assert_eq!(store.records(&scope, "odd", &filter, 10, None).unwrap().items.len(), found, "{field}");
    }
    let signal = brain_store::SignalRow { run: sample::run_id(1), id: long, at: sample::at(1), body: json!(1.0) };
    commit(&store, &scope, vec![], vec![Write::Signal(signal.clone()), Write::Signal(signal.clone())]);
    assert_eq!(store.signals(&scope, signal.run).unwrap(), [signal]);
    let folded = put(sample::record("note", 2, 1, None, json!({})), vec![], Some("Das Café: über Österreich"));
    commit(&store, &scope, vec![], vec![folded]);
    for query in ["cafe", "CAFÉ uber", "oster"] {
        assert_eq!(store.search(&scope, "note", query, 5).unwrap().len(), 1, "{query}");
    }
}

#[test]
fn abandoned_and_orphaned_uploads_leave_nothing() {
    let cluster = Postgres::start().unwrap();
    let database = cluster.new_database();
    let store = PostgresStore::connect(&cluster.url(&database)).unwrap();
    let begin = || store.begin_blob(&sample::scope("default"), "text/plain", sample::at(1)).unwrap();
    let rows = || {
        cluster.sql(
            &database,
            "SELECT (SELECT count(*) FROM brain.blob_chunks), (SELECT count(*) FROM brain.blob_uploads)",
        )
    };
    let mut dropped = begin();
    dropped.write(&vec![2; 9 << 20]).unwrap();
    let mut kept = begin();
    kept.write(&[1; 3 << 20]).unwrap();
    assert_eq!(rows(), "48|2");
    drop(dropped);
    eventually(|| rows() == "12|1");
    kept.finish().unwrap();
    eventually(|| rows() == "12|0");
    let mut forgotten = begin();
    forgotten.write(&[3; 2 << 20]).unwrap();
    cluster.sql(&database, "UPDATE brain.blob_uploads SET touched_at = now() - interval '2 hours'");
    // The background tasks run when a store is opened.
    let other = PostgresStore::connect(&cluster.url(&database)).unwrap();
    eventually(|| rows() == "12|0");
    assert!(forgotten.write(&[3; 2 << 20]).is_err(), "the writer must start again");
    drop(other);
    drop(store);
}

#[test]
fn a_store_is_notified_of_other_stores_commits_and_not_of_its_own() {
    let cluster = Postgres::start().unwrap();
    let url = cluster.url(&cluster.new_database());
    let (one, two) = (PostgresStore::connect(&url).unwrap(), PostgresStore::connect(&url).unwrap());
    let changes = Arc::new(AtomicUsize::new(0));
    let counter = changes.clone();
    one.watch(Box::new(move || {
        counter.fetch_add(1, Ordering::SeqCst);
    }));
    let scope = sample::scope("default");
    let mut n = 0;
    // Listening starts shortly after `watch`.
    eventually(|| {
        n += 1;
        new_run(&two, &scope, n);
        changes.load(Ordering::SeqCst) > 0
    });
    let calls = changes.load(Ordering::SeqCst);
    assert!(calls <= n as usize, "many changes may be one call: {calls} for {n}");
}

#[test]
fn a_callback_that_queries_its_own_store_gets_an_error_and_does_not_hang() {
    let cluster = Postgres::start().unwrap();
    let store = Arc::new(PostgresStore::connect(&cluster.url(&cluster.new_database())).unwrap());
    let (send, receive) = std::sync::mpsc::channel();
    let scope = sample::scope("default");
    let member = Member { scope: scope.clone(), preconditions: vec![], writes: vec![] };
    let asked = store.clone();
    store.commit(vec![member], Box::new(move |_| send.send(asked.run(&scope, sample::run_id(1)).is_err()).unwrap()));
    assert!(receive.recv().unwrap());
}
