//! Offers in SQLite.

use brain_core::{JobKey, RunId};
use rusqlite::{Connection, Row, params};

use super::SqliteStore;
use super::read::{many_readable, one, uuid};
use crate::{OfferRow, Offers, Scope, StoreError};

/// Writes an offer; returns the bytes written.
pub(super) fn put(connection: &Connection, tenant: &str, row: &OfferRow) -> rusqlite::Result<usize> {
    connection.prepare_cached("INSERT OR REPLACE INTO offers VALUES (?1, ?2, ?3, ?4, ?5)")?.execute(params![
        tenant,
        row.key.as_uuid().as_bytes(),
        row.run.as_uuid().as_bytes(),
        row.topic,
        row.order
    ])?;
    Ok(row.topic.len() + 64)
}

/// Withdraws an offer.
pub(super) fn withdraw(connection: &Connection, tenant: &str, key: JobKey) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM offers WHERE tenant = ?1 AND key = ?2")?
        .execute(params![tenant, key.as_uuid().as_bytes()])
        .map(drop)
}

/// Withdraws all offers of a run. Rare, so a scan of the tenant's offers is acceptable.
pub(super) fn withdraw_all(connection: &Connection, tenant: &str, run: RunId) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM offers WHERE tenant = ?1 AND run = ?2")?
        .execute(params![tenant, run.as_uuid().as_bytes()])
        .map(drop)
}

pub(super) fn offer_row(row: &Row<'_>) -> rusqlite::Result<OfferRow> {
    Ok(OfferRow {
        key: JobKey::from_uuid(uuid(row, 0)?),
        run: RunId::from_uuid(uuid(row, 1)?),
        topic: row.get(2)?,
        order: row.get(3)?,
    })
}

impl Offers for SqliteStore {
    fn offers(&self, scope: &Scope, topics: &[String], limit: usize) -> Result<Vec<OfferRow>, StoreError> {
        let mut topics: Vec<&String> = topics.iter().collect();
        topics.sort_unstable();
        topics.dedup();
        let limited = i64::try_from(limit).unwrap_or(i64::MAX);
        self.read(|connection| {
            // The index is sorted within each topic; sorting across topics would read every offer.
            let sql = "SELECT key, run, topic, place FROM offers WHERE tenant = ?1 AND topic = ?2
                       ORDER BY place, key LIMIT ?3";
            let mut rows = Vec::new();
            for topic in topics {
                let parameters: [&dyn rusqlite::ToSql; 3] = [&scope.tenant().as_str(), topic, &limited];
                rows.extend(many_readable(connection, sql, &parameters, "an offer", offer_row)?);
            }
            rows.sort_by_key(|row| (row.order, row.key));
            rows.truncate(limit);
            Ok(rows)
        })
    }

    fn offer(&self, scope: &Scope, key: JobKey) -> Result<Option<OfferRow>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT key, run, topic, place FROM offers WHERE tenant = ?1 AND key = ?2";
            one(connection, sql, &[&scope.tenant().as_str(), key.as_uuid().as_bytes()], offer_row)
        })
    }
}
