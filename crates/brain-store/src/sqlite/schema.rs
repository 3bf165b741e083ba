//! The tables. A file records its version; an older one is migrated, a newer one is rejected.

use rusqlite::{Connection, params};

use super::names;
use super::records::{add_entries, written_entries};
use crate::{IndexEntry, IndexValue, Migration, StoreError};

/// `STEPS[n]` migrates a file from version `n` to `n + 1`; an empty file has version 0. Released steps never change: a
/// new version is a new entry.
const STEPS: [Step; 8] = [
    Step { tables: FIRST, fill: None },
    Step { tables: REACH, fill: None },
    Step { tables: FLOW, fill: None },
    Step { tables: KEEP, fill: None },
    Step { tables: CALLED, fill: Some(names::fill) },
    Step { tables: CAPS, fill: None },
    Step { tables: NUMBERS, fill: None },
    Step { tables: DIGESTS, fill: Some(index_by_digest) },
];

/// A migration from one version to the next.
struct Step {
    /// The statements that create and change tables.
    tables: &'static str,
    /// Fills new tables from existing rows.
    fill: Option<fn(&Connection) -> rusqlite::Result<()>>,
}

impl Step {
    fn take(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection.execute_batch(self.tables)?;
        self.fill.map_or(Ok(()), |fill| fill(connection))
    }
}

/// The version of the tables that this build reads and writes.
pub(super) const VERSION: i64 = STEPS.len() as i64;

const FIRST: &str = "
CREATE TABLE runs (
    tenant TEXT NOT NULL, id BLOB NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    status TEXT NOT NULL, program BLOB, seq INTEGER NOT NULL, owner BLOB, fence INTEGER NOT NULL, wake_at INTEGER,
    priority INTEGER NOT NULL, request TEXT NOT NULL,
    PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE INDEX runs_wake ON runs (wake_at, id) WHERE wake_at IS NOT NULL;
CREATE INDEX runs_owner ON runs (owner, id, tenant) WHERE owner IS NOT NULL;
CREATE INDEX runs_status ON runs (tenant, status, id) WHERE status <> 'completed';
-- Append-only; `pos` is also the order in which commits became visible.
CREATE TABLE log (
    pos INTEGER PRIMARY KEY, run BLOB NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL,
    events TEXT NOT NULL, payloads TEXT
);
CREATE UNIQUE INDEX log_run ON log (run, seq);
CREATE TABLE request_keys (
    tenant TEXT NOT NULL, key TEXT NOT NULL, digest BLOB NOT NULL, run BLOB NOT NULL, PRIMARY KEY (tenant, key)
) WITHOUT ROWID;
CREATE TABLE records (
    tenant TEXT NOT NULL, kind TEXT NOT NULL, id BLOB NOT NULL, revision INTEGER NOT NULL, state TEXT,
    created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, body TEXT NOT NULL, entries TEXT,
    PRIMARY KEY (tenant, kind, id)
) WITHOUT ROWID;
-- Full-text search numbers its rows; only records that are searched have one.
CREATE TABLE record_numbers (
    n INTEGER PRIMARY KEY, tenant TEXT NOT NULL, kind TEXT NOT NULL, id BLOB NOT NULL, UNIQUE (tenant, kind, id)
);
CREATE TABLE record_index (
    tenant TEXT NOT NULL, kind TEXT NOT NULL, field TEXT NOT NULL, value TEXT NOT NULL, id BLOB NOT NULL,
    PRIMARY KEY (tenant, kind, field, value, id)
) WITHOUT ROWID;
CREATE TABLE record_unique (
    tenant TEXT NOT NULL, kind TEXT NOT NULL, field TEXT NOT NULL, value TEXT NOT NULL, id BLOB NOT NULL,
    PRIMARY KEY (tenant, kind, field, value)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE record_words USING fts5(
    words, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
);
CREATE TABLE artifacts (
    tenant TEXT NOT NULL, run BLOB NOT NULL, kind TEXT NOT NULL, record BLOB NOT NULL, step TEXT NOT NULL,
    role TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (tenant, run, kind, record, step, role)
) WITHOUT ROWID;
CREATE TABLE dead_letters (
    tenant TEXT NOT NULL, id BLOB NOT NULL, run BLOB NOT NULL, tool TEXT NOT NULL, opened_at INTEGER NOT NULL,
    open INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE TABLE approvals (
    tenant TEXT NOT NULL, id BLOB NOT NULL, run BLOB NOT NULL, status TEXT NOT NULL, asked_at INTEGER NOT NULL,
    body TEXT NOT NULL, PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE INDEX approvals_run ON approvals (tenant, run);
CREATE TABLE definitions (hash BLOB PRIMARY KEY, kind TEXT NOT NULL, body TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE tokens (
    id BLOB PRIMARY KEY, tenant TEXT NOT NULL, hash BLOB NOT NULL, label TEXT NOT NULL, created_at INTEGER NOT NULL,
    expires_at INTEGER, approver INTEGER NOT NULL, revoked INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE nodes (id BLOB PRIMARY KEY, until INTEGER NOT NULL, liveness TEXT NOT NULL) WITHOUT ROWID;
";

/// External workers, signals, blobs.
const REACH: &str = "
-- `{permissions, tier}`; null: everything.
ALTER TABLE tokens ADD COLUMN grants TEXT;
CREATE TABLE offers (
    tenant TEXT NOT NULL, key BLOB NOT NULL, run BLOB NOT NULL, topic TEXT NOT NULL, place INTEGER NOT NULL,
    PRIMARY KEY (tenant, key)
) WITHOUT ROWID;
CREATE INDEX offers_topic ON offers (tenant, topic, place, key);
-- `n` rises with arrival.
CREATE TABLE signals (
    n INTEGER PRIMARY KEY, tenant TEXT NOT NULL, run BLOB NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL,
    body TEXT NOT NULL, UNIQUE (tenant, run, id)
);
-- The bytes of a blob are the chunks from `first` on, each of `chunk_size` bytes but for the last.
CREATE TABLE blobs (
    tenant TEXT NOT NULL, hash BLOB NOT NULL, size INTEGER NOT NULL, media_type TEXT NOT NULL, at INTEGER NOT NULL,
    first INTEGER NOT NULL, chunk_size INTEGER NOT NULL, PRIMARY KEY (tenant, hash)
) WITHOUT ROWID;
CREATE TABLE blob_chunks (n INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
-- Blobs that are not finished, and those that were given up until their chunks are deleted.
CREATE TABLE blob_uploads (id INTEGER PRIMARY KEY AUTOINCREMENT, given_up INTEGER NOT NULL);
CREATE INDEX blob_uploads_given_up ON blob_uploads (id) WHERE given_up;
";

/// The queue for free slots; erasure of payloads.
const FLOW: &str = "
ALTER TABLE runs ADD COLUMN queue_order INTEGER;
ALTER TABLE runs ADD COLUMN queue_limit TEXT;
ALTER TABLE runs ADD COLUMN erased INTEGER NOT NULL DEFAULT 0;
CREATE INDEX runs_queue ON runs (tenant, queue_order, id) WHERE queue_order IS NOT NULL;
";

/// Retention: deletion of runs with their rows, unused blobs, full-text contents, the audit.
const KEEP: &str = "
ALTER TABLE blobs ADD COLUMN unused_since INTEGER;
CREATE INDEX dead_letters_run ON dead_letters (tenant, run);
CREATE INDEX request_keys_run ON request_keys (tenant, run);
-- The index of words has no texts: those of records that are there already are put together from their words.
ALTER TABLE record_numbers ADD COLUMN content TEXT;
CREATE VIRTUAL TABLE temp.words_there USING fts5vocab('main', 'record_words', 'instance');
CREATE TEMP TABLE texts_there AS SELECT doc, group_concat(term, ' ') AS content
    FROM (SELECT doc, term FROM temp.words_there ORDER BY doc, offset) GROUP BY doc;
CREATE INDEX temp.texts_by_number ON texts_there (doc);
UPDATE record_numbers SET content = coalesce((SELECT t.content FROM temp.texts_there t WHERE t.doc = n), '');
DROP TABLE temp.texts_there;
DROP TABLE temp.words_there;
CREATE TABLE audit (
    n INTEGER PRIMARY KEY, at INTEGER NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL, tenant TEXT,
    detail TEXT NOT NULL
);
CREATE TRIGGER audit_stays BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'nothing leaves the audit'); END;
CREATE TRIGGER audit_stays_the_same BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'nothing changes in the audit'); END;
";

/// Accounts with caps; indexes for dead letters and approvals; deletion of old audit entries.
const CAPS: &str = "
CREATE TABLE accounts (
    tenant TEXT NOT NULL, account TEXT NOT NULL, total INTEGER NOT NULL, PRIMARY KEY (tenant, account)
) WITHOUT ROWID;
CREATE TABLE account_entries (
    tenant TEXT NOT NULL, account TEXT NOT NULL, id TEXT NOT NULL, amount INTEGER NOT NULL, settled INTEGER NOT NULL,
    PRIMARY KEY (tenant, account, id)
) WITHOUT ROWID;
CREATE INDEX dead_letters_open ON dead_letters (tenant, id) WHERE open = 1;
CREATE INDEX approvals_status ON approvals (tenant, status, id);
CREATE INDEX approvals_pending ON approvals (asked_at) WHERE status = 'pending';
CREATE INDEX audit_at ON audit (at, n);
-- Entries from before this moment may be deleted; set only while they are.
CREATE TABLE audit_since (single INTEGER PRIMARY KEY CHECK (single = 1), at INTEGER NOT NULL);
INSERT INTO audit_since VALUES (1, -9223372036854775808);
DROP TRIGGER audit_stays;
CREATE TRIGGER audit_stays BEFORE DELETE ON audit WHEN old.at >= (SELECT at FROM audit_since)
    BEGIN SELECT RAISE(ABORT, 'nothing leaves the audit before its time'); END;
";

/// Numbers of runs, for clients that need integer keys. A number is never reused.
const NUMBERS: &str = "
CREATE TABLE run_numbers (
    n INTEGER PRIMARY KEY AUTOINCREMENT, tenant TEXT NOT NULL, run BLOB NOT NULL, UNIQUE (tenant, run)
);
";

/// The index of records holds digests of values ([`IndexValue`]).
const DIGESTS: &str = "
DELETE FROM record_index;
DELETE FROM record_unique;
INSERT INTO record_names (record_names) VALUES ('delete-all');
";

/// Fills the index anew from the entries stored with the records, which have plain values until then.
fn index_by_digest(connection: &Connection) -> rusqlite::Result<()> {
    let mut stored = connection.prepare("SELECT tenant, kind, id, entries FROM records WHERE entries IS NOT NULL")?;
    let mut rows = stored.query([])?;
    let mut update =
        connection.prepare("UPDATE records SET entries = ?4 WHERE tenant = ?1 AND kind = ?2 AND id = ?3")?;
    while let Some(row) = rows.next()? {
        let (tenant, kind, id, entries): (String, String, [u8; 16], String) =
            (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        let plain: Vec<(String, String, bool)> = serde_json::from_str(&entries).unwrap_or_default();
        let index: Vec<IndexEntry> = plain
            .into_iter()
            .map(|(field, value, unique)| IndexEntry { field, value: IndexValue::of(&value), unique })
            .collect();
        update.execute(params![tenant, kind, id, written_entries(&index)])?;
        add_entries(connection, &tenant, &kind, &id, &index)?;
    }
    names::fill(connection)
}

/// An index of its own for the names of records: see [`names`]. A record with a number has a text, a name or both.
const CALLED: &str = "
CREATE VIRTUAL TABLE record_names USING fts5(
    words, content='', contentless_delete=1, detail=none, tokenize='ascii'
);
-- Fewer runs to look through: they are read far more often than written.
INSERT INTO record_names (record_names, rank) VALUES ('automerge', 2);
CREATE TABLE record_index_left (
    tenant TEXT NOT NULL, kind TEXT NOT NULL, field TEXT NOT NULL, value TEXT NOT NULL, id BLOB NOT NULL,
    PRIMARY KEY (tenant, kind, field, value, id)
) WITHOUT ROWID;
INSERT INTO record_index_left SELECT * FROM record_index WHERE field NOT GLOB '~*';
DROP TABLE record_index;
ALTER TABLE record_index_left RENAME TO record_index;
";

/// Creates or migrates the tables. Rejects a file that a newer build wrote. A dry run changes nothing.
pub(super) fn prepare(connection: &mut Connection, dry_run: bool) -> Result<Migration, StoreError> {
    let failed = |error: rusqlite::Error| StoreError::Failed(error.to_string());
    // Another process may be migrating too, so the version is read within the write transaction.
    let behavior =
        if dry_run { rusqlite::TransactionBehavior::Deferred } else { rusqlite::TransactionBehavior::Immediate };
    let transaction = connection.transaction_with_behavior(behavior).map_err(failed)?;
    let found: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(failed)?;
    if found == 0 {
        let tables: i64 =
            transaction.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0)).map_err(failed)?;
        if tables > 0 {
            return Err(StoreError::Unreadable(
                "this is a SQLite file of another program; give Brain a file of its own".into(),
            ));
        }
    }
    let missing = usize::try_from(found).ok().and_then(|done| STEPS.get(done..)).ok_or_else(|| {
        StoreError::Unreadable(format!(
            "the file has format {found}, but this build supports format {VERSION}; use the newer build"
        ))
    })?;
    let migration = Migration { from: found, to: VERSION };
    if missing.is_empty() || dry_run {
        return Ok(migration);
    }
    for step in missing {
        step.take(&transaction).map_err(failed)?;
    }
    transaction.pragma_update(None, "user_version", VERSION).map_err(failed)?;
    transaction.commit().map_err(failed)?;
    Ok(migration)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tables and indexes of a file, as they were declared.
    fn declared(connection: &Connection) -> Vec<String> {
        let mut statement =
            connection.prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name").unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.collect::<rusqlite::Result<_>>().unwrap()
    }

    #[test]
    fn names_survive_the_migration() {
        let mut old = Connection::open_in_memory().unwrap();
        for step in &STEPS[..4] {
            step.take(&old).unwrap();
        }
        old.pragma_update(None, "user_version", 4).unwrap();
        old.execute_batch(
            r#"INSERT INTO records VALUES ('t', 'lead', x'00000000000000000000000000000001', 1, NULL, 0, 0, '{}',
                   '[["size","~big",false],["~name","kim",false]]');
               INSERT INTO records VALUES ('t', 'lead', x'00000000000000000000000000000002', 1, NULL, 0, 0, '{}', NULL);
               INSERT INTO record_numbers VALUES (7, 't', 'lead', x'00000000000000000000000000000001', 'a text');
               INSERT INTO record_index VALUES ('t', 'lead', 'size', '~big', x'00000000000000000000000000000001');
               INSERT INTO record_index VALUES ('t', 'lead', '~name', 'kim', x'00000000000000000000000000000001');"#,
        )
        .unwrap();
        prepare(&mut old, false).unwrap();
        let word = names::word("t", "lead", "~name", &IndexValue::of("kim"));
        let sql = "SELECT m.n, m.content FROM record_names c JOIN record_numbers m ON m.n = c.rowid
                   WHERE record_names MATCH ?1";
        let found = old.query_row(sql, [word], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))).unwrap();
        assert_eq!(found, (7, "a text".into()));
        let left: Vec<String> = old
            .prepare("SELECT field || ' ' || value FROM record_index")
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .collect::<rusqlite::Result<_>>()
            .unwrap();
        let big = IndexValue::of("~big");
        assert_eq!(left, [format!("size {}", big.as_str())]);
        let stored: String = old.query_row("SELECT entries FROM records LIMIT 1", [], |row| row.get(0)).unwrap();
        let kim = IndexValue::of("kim");
        assert_eq!(stored, format!(r#"[["size","{}",false],["~name","{}",false]]"#, big.as_str(), kim.as_str()));
    }

    #[test]
    fn a_file_of_every_earlier_version_gets_the_tables_of_a_new_one() {
        let mut new = Connection::open_in_memory().unwrap();
        prepare(&mut new, false).unwrap();
        for version in 1..STEPS.len() {
            let mut old = Connection::open_in_memory().unwrap();
            for step in &STEPS[..version] {
                step.take(&old).unwrap();
            }
            old.pragma_update(None, "user_version", version as i64).unwrap();
            old.execute("INSERT INTO definitions VALUES (x'00', 'tool', '{}')", []).unwrap();
            let expected = Migration { from: version as i64, to: VERSION };
            assert_eq!(prepare(&mut old, true).unwrap(), expected, "a dry run reports it");
            assert_eq!(prepare(&mut old, false).unwrap(), expected, "the dry run changed nothing");
            assert_eq!(prepare(&mut old, false).unwrap().from, VERSION);
            assert_eq!(declared(&old), declared(&new), "from version {version}");
            let kept: i64 = old.query_row("SELECT count(*) FROM definitions", [], |row| row.get(0)).unwrap();
            assert_eq!(kept, 1, "existing rows stay");
        }
    }
}
