//! Reads. Each query runs on a pooled connection and sees the last commit.

use brain_core::{
    ApprovalId, ApprovalStatus, Digest, JobKey, Millis, NodeId, RecordId, RunId, RunStatus, TenantId, Timestamp,
    TokenId,
};
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params, params_from_iter};
use serde_json::Value;

use super::{SqliteStore, failed};
use crate::traits::{Approvals, DeadLetters, Definitions, Runs, Scheduling, StoreError, Tokens};
use crate::{
    ApprovalRow, ArtifactRow, Backlog, Claim, DeadLetterRow, LogRow, NodeRow, Page, QueuePlace, RunRow, RunSchedule,
    Scope, SystemScope, TokenRow,
};

type Bytes = [u8; 16];

pub(super) fn record_id(bytes: Bytes) -> RecordId {
    RecordId::from_uuid(uuid::Uuid::from_bytes(bytes))
}

pub(super) fn uuid(row: &Row<'_>, column: usize) -> rusqlite::Result<uuid::Uuid> {
    Ok(uuid::Uuid::from_bytes(row.get::<_, Bytes>(column)?))
}

pub(super) fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    Ok(Timestamp::from_millis(row.get(column)?))
}

fn broken(column: usize, reason: String) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, reason.into())
}

pub(super) fn json<T: serde::de::DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| broken(column, error.to_string()))
}

pub(super) fn tenant(row: &Row<'_>, column: usize) -> rusqlite::Result<TenantId> {
    row.get::<_, String>(column)?.parse().map_err(|error: brain_core::IdError| broken(column, error.to_string()))
}

pub(super) fn cursor<T: std::str::FromStr>(text: Option<&str>) -> Result<Option<T>, StoreError> {
    text.map(|text| text.parse().map_err(|_| StoreError::BadCursor(text.to_owned()))).transpose()
}

/// The largest id: where a descending list starts.
const LAST: Bytes = [0xff; 16];

pub(super) fn many<T>(
    connection: &Connection,
    sql: &str,
    parameters: &[&dyn ToSql],
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, StoreError> {
    let mut statement = connection.prepare_cached(sql).map_err(failed)?;
    let rows = statement.query_map(params_from_iter(parameters), read).map_err(failed)?;
    rows.collect::<rusqlite::Result<_>>().map_err(failed)
}

/// [`many`], skipping rows that cannot be read, with a warning for each.
pub(super) fn many_readable<T>(
    connection: &Connection,
    sql: &str,
    parameters: &[&dyn ToSql],
    what: &str,
    mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, StoreError> {
    let rows = many(connection, sql, parameters, |row| {
        Ok(read(row).map_err(|error| tracing::warn!(%error, "{what} cannot be read; skipping it")).ok())
    })?;
    Ok(rows.into_iter().flatten().collect())
}

pub(super) fn one<T>(
    connection: &Connection,
    sql: &str,
    parameters: &[&dyn ToSql],
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Option<T>, StoreError> {
    let mut statement = connection.prepare_cached(sql).map_err(failed)?;
    statement.query_row(params_from_iter(parameters), read).optional().map_err(failed)
}

pub(super) const RUN: &str =
    "tenant, id, created_at, updated_at, status, program, seq, owner, fence, wake_at, priority, request,
    queue_order, queue_limit, erased";

pub(super) fn run_row(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    Ok(RunRow {
        tenant: tenant(row, 0)?,
        id: RunId::from_uuid(uuid(row, 1)?),
        created_at: time(row, 2)?,
        updated_at: time(row, 3)?,
        status: RunStatus::stored(row.get_ref(4)?.as_str()?),
        program: row.get::<_, Option<[u8; 32]>>(5)?.map(Digest::from_bytes),
        schedule: RunSchedule {
            seq: row.get::<_, i64>(6)? as u64,
            owner: row.get::<_, Option<Bytes>>(7)?.map(|bytes| NodeId::from_uuid(uuid::Uuid::from_bytes(bytes))),
            fence: row.get::<_, i64>(8)? as u64,
            wake_at: row.get::<_, Option<i64>>(9)?.map(Timestamp::from_millis),
            priority: row.get(10)?,
            queued: match (row.get(12)?, row.get(13)?) {
                (Some(order), Some(limit)) => Some(QueuePlace { order, limit }),
                _ => None,
            },
        },
        request: RunRow::request_of(row.get_ref(11)?.as_str().map_err(|error| error.to_string())),
        erased: row.get(14)?,
    })
}

pub(super) fn run_id(row: &Row<'_>, column: usize) -> rusqlite::Result<RunId> {
    Ok(RunId::from_uuid(uuid(row, column)?))
}

/// Reads run, number, time, events and payloads of a log row.
pub(super) fn log_row(row: &Row<'_>) -> rusqlite::Result<LogRow> {
    let empty = row.get_ref(4)? == rusqlite::types::ValueRef::Null;
    Ok(LogRow {
        run: RunId::from_uuid(uuid(row, 0)?),
        seq: row.get::<_, i64>(1)? as u64,
        at: time(row, 2)?,
        events: json(row, 3)?,
        payloads: if empty { Vec::new() } else { json(row, 4)? },
    })
}

fn run(connection: &Connection, scope: &Scope, id: RunId) -> Result<Option<RunRow>, StoreError> {
    let sql = format!("SELECT {RUN} FROM runs WHERE tenant = ?1 AND id = ?2");
    one(connection, &sql, &[&scope.tenant().as_str(), id.as_uuid().as_bytes()], run_row)
}

fn log(connection: &Connection, scope: &Scope, id: RunId) -> Result<Vec<LogRow>, StoreError> {
    // The log is keyed by run alone, so the join checks the tenant.
    let sql = "SELECT log.run, log.seq, log.at, log.events, log.payloads FROM log
               JOIN runs ON runs.tenant = ?1 AND runs.id = log.run WHERE log.run = ?2 ORDER BY log.seq";
    many(connection, sql, &[&scope.tenant().as_str(), id.as_uuid().as_bytes()], log_row)
}

impl Runs for SqliteStore {
    fn run(&self, scope: &Scope, id: RunId) -> Result<Option<RunRow>, StoreError> {
        self.read(|connection| run(connection, scope, id))
    }

    fn runs(
        &self,
        scope: &Scope,
        status: Option<RunStatus>,
        limit: usize,
        from: Option<&str>,
    ) -> Result<Page<RunRow>, StoreError> {
        let before = cursor::<RunId>(from)?.map_or(LAST, |id| *id.as_uuid().as_bytes());
        self.read(|connection| {
            let items = if let Some(status) = status {
                // Most runs are completed, so a scan by id finds them quickly. The other statuses have a partial index.
                let indexed = if status == RunStatus::Completed { "" } else { "AND status <> 'completed'" };
                let sql = format!(
                    "SELECT {RUN} FROM runs WHERE tenant = ?1 AND id < ?2 AND status = ?4 {indexed}
                     ORDER BY id DESC LIMIT ?3"
                );
                many(
                    connection,
                    &sql,
                    &[&scope.tenant().as_str(), &before, &(limit as i64 + 1), &status.as_str()],
                    run_row,
                )?
            } else {
                let sql = format!("SELECT {RUN} FROM runs WHERE tenant = ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3");
                many(connection, &sql, &[&scope.tenant().as_str(), &before, &(limit as i64 + 1)], run_row)?
            };
            Ok(Page::cut(items, limit, |row| row.id.to_string()))
        })
    }

    fn log(&self, scope: &Scope, id: RunId) -> Result<Vec<LogRow>, StoreError> {
        self.read(|connection| log(connection, scope, id))
    }

    fn run_and_log(&self, scope: &Scope, id: RunId) -> Result<Option<(RunRow, Vec<LogRow>)>, StoreError> {
        self.read(|connection| {
            // One transaction, so that both statements read the same snapshot.
            let snapshot = connection.unchecked_transaction().map_err(failed)?;
            let found = run(&snapshot, scope, id)?;
            let found = found.map(|row| Ok((row, log(&snapshot, scope, id)?))).transpose();
            snapshot.finish().map_err(failed)?;
            found
        })
    }

    fn by_key(&self, scope: &Scope, key: &str) -> Result<Option<(RunId, Digest)>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT run, digest FROM request_keys WHERE tenant = ?1 AND key = ?2";
            one(connection, sql, &[&scope.tenant().as_str(), &key], |row| {
                Ok((RunId::from_uuid(uuid(row, 0)?), Digest::from_bytes(row.get(1)?)))
            })
        })
    }

    fn number_of(&self, scope: &Scope, run: RunId) -> Result<Option<i64>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT n FROM run_numbers WHERE tenant = ?1 AND run = ?2";
            one(connection, sql, &[&scope.tenant().as_str(), run.as_uuid().as_bytes()], |row| row.get(0))
        })
    }

    fn run_numbered(&self, scope: &Scope, number: i64) -> Result<Option<RunId>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT run FROM run_numbers WHERE tenant = ?1 AND n = ?2";
            one(connection, sql, &[&scope.tenant().as_str(), &number], |row| run_id(row, 0))
        })
    }

    fn artifacts(&self, scope: &Scope, run: RunId) -> Result<Vec<ArtifactRow>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT kind, record, run, step, role, at FROM artifacts WHERE tenant = ?1 AND run = ?2
                       ORDER BY kind, record, step, role";
            many(connection, sql, &[&scope.tenant().as_str(), run.as_uuid().as_bytes()], |row| {
                Ok(ArtifactRow {
                    kind: row.get(0)?,
                    record: record_id(row.get(1)?),
                    run: RunId::from_uuid(uuid(row, 2)?),
                    step: row.get(3)?,
                    role: row.get(4)?,
                    at: time(row, 5)?,
                })
            })
        })
    }
}

pub(super) fn letter_row(row: &Row<'_>) -> rusqlite::Result<DeadLetterRow> {
    Ok(DeadLetterRow {
        id: JobKey::from_uuid(uuid(row, 0)?),
        run: RunId::from_uuid(uuid(row, 1)?),
        tool: row.get(2)?,
        opened_at: time(row, 3)?,
        open: row.get(4)?,
        body: json(row, 5)?,
    })
}

impl DeadLetters for SqliteStore {
    fn dead_letter(&self, scope: &Scope, id: JobKey) -> Result<Option<DeadLetterRow>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT id, run, tool, opened_at, open, body FROM dead_letters WHERE tenant = ?1 AND id = ?2";
            one(connection, sql, &[&scope.tenant().as_str(), id.as_uuid().as_bytes()], letter_row)
        })
    }

    fn dead_letters(
        &self,
        scope: &Scope,
        open: Option<bool>,
        limit: usize,
        from: Option<&str>,
    ) -> Result<Page<DeadLetterRow>, StoreError> {
        let before = cursor::<JobKey>(from)?.map_or(LAST, |id| *id.as_uuid().as_bytes());
        self.read(|connection| {
            // Open letters have a partial index; most letters are closed.
            let which = match open {
                None => "",
                Some(true) => "AND open = 1",
                Some(false) => "AND open = 0",
            };
            let sql = format!(
                "SELECT id, run, tool, opened_at, open, body FROM dead_letters
                 WHERE tenant = ?1 AND id < ?2 {which} ORDER BY id DESC LIMIT ?3"
            );
            let items = many(connection, &sql, &[&scope.tenant().as_str(), &before, &(limit as i64 + 1)], letter_row)?;
            Ok(Page::cut(items, limit, |row: &DeadLetterRow| row.id.to_string()))
        })
    }
}

fn approval_row(row: &Row<'_>) -> rusqlite::Result<ApprovalRow> {
    Ok(ApprovalRow {
        id: ApprovalId::from_uuid(uuid(row, 0)?),
        run: RunId::from_uuid(uuid(row, 1)?),
        status: ApprovalStatus::stored(row.get_ref(2)?.as_str()?),
        asked_at: time(row, 3)?,
        body: json(row, 4)?,
    })
}

impl Approvals for SqliteStore {
    fn approval(&self, scope: &Scope, id: ApprovalId) -> Result<Option<ApprovalRow>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT id, run, status, asked_at, body FROM approvals WHERE tenant = ?1 AND id = ?2";
            one(connection, sql, &[&scope.tenant().as_str(), id.as_uuid().as_bytes()], approval_row)
        })
    }

    fn approvals_of(&self, scope: &Scope, run: RunId) -> Result<Vec<ApprovalRow>, StoreError> {
        self.read(|connection| {
            let sql =
                "SELECT id, run, status, asked_at, body FROM approvals WHERE tenant = ?1 AND run = ?2 ORDER BY id";
            many(connection, sql, &[&scope.tenant().as_str(), run.as_uuid().as_bytes()], approval_row)
        })
    }

    fn approvals(
        &self,
        scope: &Scope,
        status: Option<ApprovalStatus>,
        limit: usize,
        from: Option<&str>,
    ) -> Result<Page<ApprovalRow>, StoreError> {
        let before = cursor::<ApprovalId>(from)?.map_or(LAST, |id| *id.as_uuid().as_bytes());
        self.read(|connection| {
            let which = if status.is_some() { "AND status = ?4" } else { "AND ?4 IS NULL" };
            let sql = format!(
                "SELECT id, run, status, asked_at, body FROM approvals
                 WHERE tenant = ?1 AND id < ?2 {which} ORDER BY id DESC LIMIT ?3"
            );
            let items = many(
                connection,
                &sql,
                &[&scope.tenant().as_str(), &before, &(limit as i64 + 1), &status.map(ApprovalStatus::as_str)],
                approval_row,
            )?;
            Ok(Page::cut(items, limit, |row: &ApprovalRow| row.id.to_string()))
        })
    }
}

impl Definitions for SqliteStore {
    fn definition(&self, hash: Digest) -> Result<Option<Value>, StoreError> {
        self.read(|connection| {
            one(connection, "SELECT body FROM definitions WHERE hash = ?1", &[hash.as_bytes()], |row| json(row, 0))
        })
    }
}

fn token_row(row: &Row<'_>) -> rusqlite::Result<TokenRow> {
    let grants: Option<String> = row.get(8)?;
    let grants: serde_json::Value = grants.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    Ok(TokenRow {
        id: TokenId::from_uuid(uuid(row, 0)?),
        tenant: tenant(row, 1)?,
        hash: Digest::from_bytes(row.get(2)?),
        label: row.get(3)?,
        created_at: time(row, 4)?,
        expires_at: row.get::<_, Option<i64>>(5)?.map(Timestamp::from_millis),
        approver: row.get(6)?,
        revoked: row.get(7)?,
        permissions: serde_json::from_value(grants["permissions"].clone()).unwrap_or_default(),
        tier: serde_json::from_value(grants["tier"].clone()).unwrap_or_default(),
    })
}

const TOKEN: &str = "id, tenant, hash, label, created_at, expires_at, approver, revoked, grants";

impl Tokens for SqliteStore {
    fn put_token(&self, row: &TokenRow) -> Result<(), StoreError> {
        let row = row.clone();
        self.write(move |connection| {
            connection
                .execute(
                    "INSERT OR REPLACE INTO tokens VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                    params![
                        row.id.as_uuid().as_bytes(),
                        row.tenant.as_str(),
                        row.hash.as_bytes(),
                        row.label,
                        row.created_at.as_millis(),
                        row.expires_at.map(|at| at.as_millis()),
                        row.approver,
                        row.revoked,
                        serde_json::json!({"permissions": row.permissions, "tier": row.tier}).to_string()
                    ],
                )
                .map(drop)
        })
    }

    fn token(&self, id: TokenId) -> Result<Option<TokenRow>, StoreError> {
        self.read(|connection| {
            one(connection, &format!("SELECT {TOKEN} FROM tokens WHERE id = ?1"), &[id.as_uuid().as_bytes()], token_row)
        })
    }

    fn tokens(&self) -> Result<Vec<TokenRow>, StoreError> {
        self.read(|connection| {
            many(connection, &format!("SELECT {TOKEN} FROM tokens ORDER BY id DESC"), &[], token_row)
        })
    }
}

impl Scheduling for SqliteStore {
    fn heartbeat(
        &self,
        _: SystemScope,
        node: NodeId,
        now: Timestamp,
        lease: Millis,
        liveness: &str,
    ) -> Result<(), StoreError> {
        let (until, liveness) = (now.plus(lease), liveness.to_owned());
        self.write(move |connection| {
            connection
                .prepare_cached("INSERT OR REPLACE INTO nodes VALUES (?1, ?2, ?3)")?
                .execute(params![node.as_uuid().as_bytes(), until.as_millis(), liveness])
                .map(drop)
        })
    }

    fn nodes(&self, _: SystemScope, now: Timestamp) -> Result<Vec<NodeRow>, StoreError> {
        self.read(|connection| {
            many(connection, "SELECT id, until, liveness FROM nodes ORDER BY id", &[], |row| {
                Ok(NodeRow::at(now, NodeId::from_uuid(uuid(row, 0)?), time(row, 1)?, row.get(2)?))
            })
        })
    }

    fn forget_node(&self, _: SystemScope, node: NodeId) -> Result<(), StoreError> {
        self.write(move |connection| {
            connection.execute("DELETE FROM nodes WHERE id = ?1", [node.as_uuid().as_bytes()]).map(drop)
        })
    }

    fn owned_by(&self, _: SystemScope, node: NodeId, limit: usize) -> Result<Vec<(TenantId, RunId)>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT tenant, id FROM runs WHERE owner = ?1 ORDER BY id LIMIT ?2";
            many(connection, sql, &[node.as_uuid().as_bytes(), &(limit as i64)], |row| {
                Ok((tenant(row, 0)?, RunId::from_uuid(uuid(row, 1)?)))
            })
        })
    }

    fn due(
        &self,
        _: SystemScope,
        claim: &Claim,
        limit: usize,
    ) -> Result<Vec<(TenantId, RunId, Timestamp)>, StoreError> {
        let now = claim.now;
        self.read(|connection| {
            let sql = "SELECT tenant, id, wake_at FROM runs WHERE wake_at IS NOT NULL AND wake_at <= ?1
                       ORDER BY wake_at, id LIMIT ?2";
            many(connection, sql, &[&now.as_millis(), &(limit as i64)], |row| {
                Ok((tenant(row, 0)?, RunId::from_uuid(uuid(row, 1)?), time(row, 2)?))
            })
        })
    }

    fn queued_tenants(&self, _: SystemScope) -> Result<Vec<TenantId>, StoreError> {
        self.read(|connection| {
            // Skips from one tenant to the next along the index (a loose index scan).
            let sql = "WITH RECURSIVE t (tenant) AS (
                           SELECT (SELECT min(tenant) FROM runs WHERE queue_order IS NOT NULL)
                           UNION ALL
                           SELECT (SELECT min(tenant) FROM runs WHERE queue_order IS NOT NULL AND tenant > t.tenant)
                           FROM t WHERE t.tenant IS NOT NULL
                       ) SELECT tenant FROM t WHERE tenant IS NOT NULL";
            many(connection, sql, &[], |row| tenant(row, 0))
        })
    }

    fn queued(
        &self,
        _: SystemScope,
        _: &Claim,
        tenant: &TenantId,
        except: &[String],
        limit: usize,
    ) -> Result<Vec<RunId>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT id FROM runs WHERE tenant = ?1 AND queue_order IS NOT NULL
                       AND queue_limit NOT IN (SELECT value FROM json_each(?2)) ORDER BY queue_order, id LIMIT ?3";
            let except = Value::from(except).to_string();
            many(connection, sql, &[&tenant.as_str(), &except, &(limit as i64)], |row| {
                Ok(RunId::from_uuid(uuid(row, 0)?))
            })
        })
    }

    fn next_wake(&self, _: SystemScope) -> Result<Option<Timestamp>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT wake_at FROM runs WHERE wake_at IS NOT NULL ORDER BY wake_at LIMIT 1";
            one(connection, sql, &[], |row| time(row, 0))
        })
    }

    fn count_by_status(&self, _: SystemScope) -> Result<Vec<(RunStatus, u64)>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT status, count(*) FROM runs WHERE status <> 'completed' GROUP BY status ORDER BY status";
            many(connection, sql, &[], |row| {
                Ok((RunStatus::stored(row.get_ref(0)?.as_str()?), row.get::<_, i64>(1)? as u64))
            })
        })
    }

    fn backlog(&self, _: SystemScope, priority_step: i64) -> Result<Backlog, StoreError> {
        self.read(|connection| {
            let sql = "SELECT (SELECT count(*) FROM dead_letters WHERE open = 1),
                              (SELECT min(opened_at) FROM dead_letters WHERE open = 1),
                              (SELECT count(*) FROM approvals WHERE status = 'pending'),
                              (SELECT min(asked_at) FROM approvals WHERE status = 'pending'),
                              (SELECT count(*) FROM runs WHERE queue_order IS NOT NULL),
                              (SELECT min(queue_order + priority * ?1) FROM runs WHERE queue_order IS NOT NULL)";
            let count = |row: &rusqlite::Row<'_>, n| row.get::<_, i64>(n).map(|count| count as u64);
            let since =
                |row: &rusqlite::Row<'_>, n| row.get::<_, Option<i64>>(n).map(|at| at.map(Timestamp::from_millis));
            let read = |row: &rusqlite::Row<'_>| {
                Ok(Backlog {
                    letters: count(row, 0)?,
                    oldest_letter: since(row, 1)?,
                    approvals: count(row, 2)?,
                    oldest_approval: since(row, 3)?,
                    queued: count(row, 4)?,
                    oldest_queued: since(row, 5)?,
                })
            };
            Ok(one(connection, sql, &[&priority_step], read)?.unwrap_or_default())
        })
    }
}
