//! Signals in SQLite.

use brain_core::{RunId, TenantId};
use rusqlite::{Connection, params};

use super::SqliteStore;
use super::read::{json, many, tenant, time, uuid};
use crate::{Scope, SignalRow, Signals, StoreError, SystemScope};

/// Writes a signal unless it exists; returns the bytes written.
pub(super) fn put(connection: &Connection, tenant: &str, row: &SignalRow) -> rusqlite::Result<usize> {
    let body = row.body.to_string();
    connection
        .prepare_cached(
            "INSERT INTO signals (tenant, run, id, at, body) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (tenant, run, id) DO NOTHING",
        )?
        .execute(params![tenant, row.run.as_uuid().as_bytes(), row.id, row.at.as_millis(), body])?;
    Ok(body.len() + 64)
}

/// Deletes a signal.
pub(super) fn take(connection: &Connection, tenant: &str, run: RunId, id: &str) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM signals WHERE tenant = ?1 AND run = ?2 AND id = ?3")?
        .execute(params![tenant, run.as_uuid().as_bytes(), id])
        .map(drop)
}

impl Signals for SqliteStore {
    fn signals(&self, scope: &Scope, run: RunId) -> Result<Vec<SignalRow>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT run, id, at, body FROM signals WHERE tenant = ?1 AND run = ?2 ORDER BY at, n";
            many(connection, sql, &[&scope.tenant().as_str(), run.as_uuid().as_bytes()], |row| {
                Ok(SignalRow {
                    run: RunId::from_uuid(uuid(row, 0)?),
                    id: row.get(1)?,
                    at: time(row, 2)?,
                    body: json(row, 3)?,
                })
            })
        })
    }

    fn signalled(
        &self,
        _: SystemScope,
        after: Option<&(TenantId, RunId)>,
        limit: usize,
    ) -> Result<Vec<(TenantId, RunId)>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT DISTINCT tenant, run FROM signals WHERE (tenant, run) > (?2, ?3)
                       ORDER BY tenant, run LIMIT ?1";
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let (from, run) = after.map_or(("", [0; 16]), |(tenant, run)| (tenant.as_str(), *run.as_uuid().as_bytes()));
            many(connection, sql, &[&limit, &from, &run], |row| Ok((tenant(row, 0)?, RunId::from_uuid(uuid(row, 1)?))))
        })
    }
}
