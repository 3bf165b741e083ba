//! Retention in SQLite. The space of deleted rows is reused.
//!
//! Row numbers of the log are feed positions and must never be reused. SQLite assigns the highest existing number plus
//! one, so the row with the highest number is not deleted: it is emptied and detached from its run until a later row
//! exists.

use brain_core::{Digest, JobKey, RecordId, RunId, TenantId, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;

use super::blobs::{SPAN, blob_row, sweep};
use super::find::{RECORD, record_row};
use super::offers::offer_row;
use super::read::{RUN, cursor, json, letter_row, many, run_row, tenant as tenant_of, time};
use super::writer::WriterCommand;
use super::{SqliteStore, failed, write_on};
use crate::{
    Audit, AuditRow, BlobRow, DeadLetterRow, DefinitionRow, Dump, IndexEntry, OfferRow, Old, Page, Referrer, Retention,
    RunRow, Scope, StoreError, Sudo, SystemScope, WholeRecord,
};

/// The run id of an emptied row.
const NOBODY: [u8; 16] = [0; 16];
/// The final statuses, as in [`brain_core::RunStatus::is_over`].
const OVER: &str = "('completed', 'failed', 'cancelled', 'compensated')";

/// Replaces the payloads of a run; returns the bytes written.
pub(super) fn erase(
    connection: &Connection,
    tenant: &str,
    run: RunId,
    request: &Value,
    rows: &[(u64, Vec<Value>)],
) -> rusqlite::Result<usize> {
    let (run, request) = (run.as_uuid(), request.to_string());
    let mut bytes = request.len() + 64;
    let there = connection
        .prepare_cached("UPDATE runs SET request = ?3, erased = 1 WHERE tenant = ?1 AND id = ?2")?
        .execute(params![tenant, run.as_bytes(), request])?;
    // The log is keyed by run alone, so check that the run belongs to the tenant.
    if there == 0 {
        return Ok(0);
    }
    let mut statement = connection.prepare_cached("UPDATE log SET payloads = ?3 WHERE run = ?1 AND seq = ?2")?;
    for (seq, payloads) in rows {
        let text = (!payloads.is_empty()).then(|| serde_json::to_string(payloads).expect("payloads are JSON"));
        bytes += text.as_ref().map_or(0, String::len);
        statement.execute(params![run.as_bytes(), *seq as i64, text])?;
    }
    Ok(bytes)
}

/// Deletes rows of a log. The row with the highest position stays; the caller has written a later one.
pub(super) fn drop_log(connection: &Connection, tenant: &str, run: RunId, seqs: &[u64]) -> rusqlite::Result<()> {
    let ours = connection
        .prepare_cached("SELECT 1 FROM runs WHERE tenant = ?1 AND id = ?2")?
        .exists(params![tenant, run.as_uuid().as_bytes()])?;
    let mut statement = connection
        .prepare_cached("DELETE FROM log WHERE run = ?1 AND seq = ?2 AND pos < (SELECT max(pos) FROM log)")?;
    for seq in seqs.iter().filter(|_| ours) {
        statement.execute(params![run.as_uuid().as_bytes(), *seq as i64])?;
    }
    Ok(())
}

/// Deletes a run and what belongs to it.
pub(super) fn drop_run(connection: &Connection, tenant: &str, run: RunId) -> rusqlite::Result<()> {
    let run = run.as_uuid();
    let there = connection
        .prepare_cached("DELETE FROM runs WHERE tenant = ?1 AND id = ?2")?
        .execute(params![tenant, run.as_bytes()])?;
    for sql in [
        "DELETE FROM artifacts WHERE tenant = ?1 AND run = ?2",
        "DELETE FROM request_keys WHERE tenant = ?1 AND run = ?2",
        "DELETE FROM run_numbers WHERE tenant = ?1 AND run = ?2",
        "DELETE FROM approvals WHERE tenant = ?1 AND run = ?2",
        "DELETE FROM signals WHERE tenant = ?1 AND run = ?2",
        "DELETE FROM dead_letters WHERE tenant = ?1 AND run = ?2 AND NOT open",
    ] {
        connection.prepare_cached(sql)?.execute(params![tenant, run.as_bytes()])?;
    }
    // Log rows have no tenant, so they are deleted only if the run belonged to it.
    if there == 0 {
        return Ok(());
    }
    let last: Option<i64> =
        connection.prepare_cached("SELECT max(pos) FROM log")?.query_row([], |row| row.get(0)).optional()?.flatten();
    let last = last.unwrap_or(0);
    connection.prepare_cached("DELETE FROM log WHERE run = ?1 AND pos < ?2")?.execute(params![NOBODY, last])?;
    connection.prepare_cached("DELETE FROM log WHERE run = ?1 AND pos < ?2")?.execute(params![run.as_bytes(), last])?;
    connection
        .prepare_cached("UPDATE log SET run = ?1, seq = 0, events = '[]', payloads = NULL WHERE pos = ?2 AND run = ?3")?
        .execute(params![NOBODY, last, run.as_bytes()])
        .map(drop)
}

/// Records since when a blob is unused, or that it is used.
pub(super) fn note_blob(
    connection: &Connection,
    tenant: &str,
    hash: Digest,
    unused_since: Option<Timestamp>,
) -> rusqlite::Result<()> {
    let sql = "UPDATE blobs SET unused_since = iif(?3 IS NULL, NULL, coalesce(unused_since, ?3))
               WHERE tenant = ?1 AND hash = ?2";
    let since = unused_since.map(|at| at.as_millis());
    connection.prepare_cached(sql)?.execute(params![tenant, hash.as_bytes(), since]).map(drop)
}

/// Deletes an unused blob. Its chunks are deleted like those of an abandoned upload.
pub(super) fn drop_blob(
    connection: &Connection,
    tenant: &str,
    hash: Digest,
    unused_before: Timestamp,
) -> rusqlite::Result<()> {
    let first: Option<i64> = connection
        .prepare_cached("DELETE FROM blobs WHERE tenant = ?1 AND hash = ?2 AND unused_since <= ?3 RETURNING first")?
        .query_row(params![tenant, hash.as_bytes(), unused_before.as_millis()], |row| row.get(0))
        .optional()?;
    let Some(first) = first else { return Ok(()) };
    connection
        .prepare_cached("INSERT OR REPLACE INTO blob_uploads (id, given_up) VALUES (?1, 1)")?
        .execute([first / SPAN])
        .map(drop)
}

/// Audit entries deleted per commit.
const TRIMMED_AT_ONCE: i64 = 500;

/// Gives free space back to the file system.
pub(super) fn compact(connection: &Connection) -> Result<(), StoreError> {
    let busy = |error: rusqlite::Error| match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
            StoreError::Failed("another process writes to the file; stop it and try again".into())
        }
        _ => failed(error),
    };
    connection.execute_batch("VACUUM").map_err(busy)?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).map_err(busy)
}

/// A query over a table that may refer to blobs: its key, and the text if it contains references. Each page reads a
/// fixed number of rows in key order, so its cost is bounded.
fn referrers(place: Referrer) -> String {
    let (key, rows) = match place {
        Referrer::Log => (
            "pos",
            "SELECT log.pos AS pos, log.payloads AS content FROM log
             WHERE log.pos > CAST(?2 AS INTEGER) AND EXISTS (SELECT 1 FROM runs WHERE tenant = ?1 AND id = log.run)
             ORDER BY log.pos LIMIT ?3",
        ),
        Referrer::Runs => (
            "hex(id)",
            "SELECT id, request AS content FROM runs WHERE tenant = ?1 AND id > unhex(?2) ORDER BY id LIMIT ?3",
        ),
        Referrer::Records => (
            "hex(id) || kind",
            "SELECT kind, id, body AS content FROM records
             WHERE tenant = ?1 AND (kind, id) > (substr(?2, 33), unhex(substr(?2, 1, 32))) ORDER BY kind, id LIMIT ?3",
        ),
        Referrer::Letters => (
            "hex(id)",
            "SELECT id, body AS content FROM dead_letters WHERE tenant = ?1 AND id > unhex(?2) ORDER BY id LIMIT ?3",
        ),
        Referrer::Approvals => (
            "hex(id)",
            "SELECT id, body AS content FROM approvals WHERE tenant = ?1 AND id > unhex(?2) ORDER BY id LIMIT ?3",
        ),
        Referrer::Signals => (
            "n",
            "SELECT n, body AS content FROM signals WHERE tenant = ?1 AND n > CAST(?2 AS INTEGER) ORDER BY n LIMIT ?3",
        ),
    };
    format!("SELECT {key}, CASE WHEN content LIKE '%$blob%' THEN content END FROM ({rows})")
}

fn count(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

impl Retention for SqliteStore {
    fn tenants(&self, _: &Sudo) -> Result<Vec<TenantId>, StoreError> {
        self.read(|connection| {
            // Skips from one tenant to the next along each primary key (a loose index scan).
            let mut tenants = std::collections::BTreeSet::new();
            for table in ["runs", "records", "blobs"] {
                let sql = format!(
                    "WITH RECURSIVE t (tenant) AS (
                         SELECT (SELECT min(tenant) FROM {table})
                         UNION ALL
                         SELECT (SELECT min(tenant) FROM {table} WHERE tenant > t.tenant) FROM t
                         WHERE t.tenant IS NOT NULL
                     ) SELECT tenant FROM t WHERE tenant IS NOT NULL"
                );
                tenants.extend(many(connection, &sql, &[], |row| tenant_of(row, 0))?);
            }
            tenants.extend(many(connection, "SELECT DISTINCT tenant FROM tokens", &[], |row| tenant_of(row, 0))?);
            Ok(tenants.into_iter().collect())
        })
    }

    fn runs_after(
        &self,
        scope: &Scope,
        old: Option<Old>,
        after: Option<RunId>,
        limit: usize,
    ) -> Result<Vec<RunRow>, StoreError> {
        let after = after.map_or(NOBODY, |id| *id.as_uuid().as_bytes());
        let (before, erased) = (old.map(|old| old.changed_before.as_millis()), old.and_then(|old| old.erased));
        let which = if old.is_some() {
            format!("AND status IN {OVER} AND updated_at < ?4 AND (?5 IS NULL OR erased = ?5)")
        } else {
            "AND ?4 IS NULL AND ?5 IS NULL".to_owned()
        };
        let sql = format!("SELECT {RUN} FROM runs WHERE tenant = ?1 AND id > ?2 {which} ORDER BY id LIMIT ?3");
        let tenant = scope.tenant().as_str();
        self.read(|connection| many(connection, &sql, &[&tenant, &after, &count(limit), &before, &erased], run_row))
    }

    fn dead_letters_of(&self, scope: &Scope, run: RunId) -> Result<Vec<DeadLetterRow>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT id, run, tool, opened_at, open, body FROM dead_letters WHERE tenant = ?1 AND run = ?2
                       ORDER BY id";
            many(connection, sql, &[&scope.tenant().as_str(), run.as_uuid().as_bytes()], letter_row)
        })
    }

    fn blobs(
        &self,
        scope: &Scope,
        after: Option<Digest>,
        limit: usize,
    ) -> Result<Vec<(BlobRow, Option<Timestamp>)>, StoreError> {
        let after = after.map_or_else(Vec::new, |hash| hash.as_bytes().to_vec());
        self.read(|connection| {
            let sql = "SELECT hash, size, media_type, at, unused_since FROM blobs WHERE tenant = ?1 AND hash > ?2
                       ORDER BY hash LIMIT ?3";
            many(connection, sql, &[&scope.tenant().as_str(), &after, &count(limit)], |row| {
                Ok((blob_row(row)?, row.get::<_, Option<i64>>(4)?.map(Timestamp::from_millis)))
            })
        })
    }

    fn blob_referrers(
        &self,
        scope: &Scope,
        place: Referrer,
        from: Option<&str>,
        limit: usize,
    ) -> Result<Page<String>, StoreError> {
        let numbered = matches!(place, Referrer::Log | Referrer::Signals);
        let from = if numbered { cursor::<i64>(from)?.unwrap_or(0).to_string() } else { from.unwrap_or("").to_owned() };
        self.read(|connection| {
            let sql = referrers(place);
            let rows = many(connection, &sql, &[&scope.tenant().as_str(), &from, &count(limit)], |row| {
                let at = if numbered { row.get::<_, i64>(0)?.to_string() } else { row.get(0)? };
                Ok((at, row.get::<_, Option<String>>(1)?))
            })?;
            let next = if rows.len() == limit { rows.last().map(|(at, _)| at.clone()) } else { None };
            Ok(Page { items: rows.into_iter().filter_map(|(_, text)| text).collect(), next })
        })
    }

    fn tidy(&self, _: &Scope) -> Result<(), StoreError> {
        let more = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
        while more.load(std::sync::atomic::Ordering::Relaxed) {
            let answer = more.clone();
            write_on(&self.writer, move |connection| {
                answer.store(sweep(connection)?, std::sync::atomic::Ordering::Relaxed);
                Ok(0)
            })?;
        }
        Ok(())
    }

    fn compact(&self, _: &Sudo) -> Result<(), StoreError> {
        self.between_commits(WriterCommand::Compact)
    }
}

impl Dump for SqliteStore {
    fn keys_of(&self, scope: &Scope, run: RunId) -> Result<Vec<(String, Digest)>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT key, digest FROM request_keys WHERE tenant = ?1 AND run = ?2 ORDER BY key";
            many(connection, sql, &[&scope.tenant().as_str(), run.as_uuid().as_bytes()], |row| {
                Ok((row.get(0)?, Digest::from_bytes(row.get(1)?)))
            })
        })
    }

    fn offers_after(&self, scope: &Scope, after: Option<JobKey>, limit: usize) -> Result<Vec<OfferRow>, StoreError> {
        let after = after.map_or(NOBODY, |key| *key.as_uuid().as_bytes());
        self.read(|connection| {
            let sql = "SELECT key, run, topic, place FROM offers WHERE tenant = ?1 AND key > ?2 ORDER BY key LIMIT ?3";
            many(connection, sql, &[&scope.tenant().as_str(), &after, &count(limit)], offer_row)
        })
    }

    fn records_after(
        &self,
        scope: &Scope,
        after: Option<&(String, RecordId)>,
        limit: usize,
    ) -> Result<Vec<WholeRecord>, StoreError> {
        let (kind, id) = after.map_or(("", NOBODY), |(kind, id)| (kind.as_str(), *id.as_uuid().as_bytes()));
        self.read(|connection| {
            let sql = format!(
                "SELECT {RECORD}, r.entries, m.content FROM records r
                 LEFT JOIN record_numbers m ON m.tenant = r.tenant AND m.kind = r.kind AND m.id = r.id
                 WHERE r.tenant = ?1 AND (r.kind, r.id) > (?2, ?3) ORDER BY r.kind, r.id LIMIT ?4"
            );
            many(connection, &sql, &[&scope.tenant().as_str(), &kind, &id, &count(limit)], |row| {
                let entries: Vec<(String, String, bool)> =
                    if row.get_ref(7)? == rusqlite::types::ValueRef::Null { Vec::new() } else { json(row, 7)? };
                let index = entries.into_iter().map(IndexEntry::stored);
                Ok(WholeRecord { row: record_row(row)?, index: index.collect(), text: row.get(8)? })
            })
        })
    }

    fn definitions_after(
        &self,
        _: &Sudo,
        after: Option<Digest>,
        limit: usize,
    ) -> Result<Vec<DefinitionRow>, StoreError> {
        let after = after.map_or_else(Vec::new, |hash| hash.as_bytes().to_vec());
        self.read(|connection| {
            let sql = "SELECT hash, kind, body FROM definitions WHERE hash > ?1 ORDER BY hash LIMIT ?2";
            many(connection, sql, &[&after, &count(limit)], |row| {
                Ok(DefinitionRow { hash: Digest::from_bytes(row.get(0)?), kind: row.get(1)?, body: json(row, 2)? })
            })
        })
    }
}

impl Audit for SqliteStore {
    fn note(&self, row: &AuditRow) -> Result<(), StoreError> {
        let row = row.clone();
        self.write(move |connection| {
            let sql = "INSERT INTO audit (at, who, what, tenant, detail) VALUES (?1, ?2, ?3, ?4, ?5)";
            let tenant = row.tenant.as_ref().map(TenantId::as_str);
            let params = params![row.at.as_millis(), row.who, row.what, tenant, row.detail];
            connection.prepare_cached(sql)?.execute(params).map(drop)
        })
    }

    fn note_once(&self, row: &AuditRow) -> Result<(), StoreError> {
        let row = row.clone();
        self.write(move |connection| {
            // The index on `at` leaves a handful of rows to compare.
            let sql = "INSERT INTO audit (at, who, what, tenant, detail) SELECT ?1, ?2, ?3, ?4, ?5 WHERE NOT EXISTS
                       (SELECT 1 FROM audit WHERE at = ?1 AND (who, what, tenant, detail) IS (?2, ?3, ?4, ?5))";
            let tenant = row.tenant.as_ref().map(TenantId::as_str);
            let params = params![row.at.as_millis(), row.who, row.what, tenant, row.detail];
            connection.prepare_cached(sql)?.execute(params).map(drop)
        })
    }

    fn trim_audit(&self, _: &Sudo, before: Timestamp) -> Result<u64, StoreError> {
        let mut gone = 0;
        loop {
            let deleted = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
            let answer = deleted.clone();
            self.write(move |connection| {
                let open = "UPDATE audit_since SET at = ?1";
                connection.prepare_cached(open)?.execute([before.as_millis()])?;
                let sql = "DELETE FROM audit WHERE n IN (SELECT n FROM audit WHERE at < ?1 ORDER BY at LIMIT ?2)";
                let rows = connection.prepare_cached(sql)?.execute([before.as_millis(), TRIMMED_AT_ONCE])?;
                answer.store(rows as u64, std::sync::atomic::Ordering::Relaxed);
                connection.prepare_cached(open)?.execute([i64::MIN]).map(drop)
            })?;
            let rows = deleted.load(std::sync::atomic::Ordering::Relaxed);
            gone += rows;
            if rows < TRIMMED_AT_ONCE as u64 {
                return Ok(gone);
            }
        }
    }

    fn audit(&self, _: SystemScope, limit: usize) -> Result<Vec<AuditRow>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT at, who, what, tenant, detail FROM audit ORDER BY at DESC, n DESC LIMIT ?1";
            many(connection, sql, &[&count(limit)], |row| {
                let tenant = if row.get_ref(3)? == rusqlite::types::ValueRef::Null { None } else { Some(3) };
                Ok(AuditRow {
                    at: time(row, 0)?,
                    who: row.get(1)?,
                    what: row.get(2)?,
                    tenant: tenant.map(|column| tenant_of(row, column)).transpose()?,
                    detail: row.get(4)?,
                })
            })
        })
    }
}
