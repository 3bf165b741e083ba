//! The feed in SQLite. A file has one writer at a time, so the row numbers of the log increase in the order in which
//! rows become visible, and serve as positions.

use std::sync::Arc;

use super::SqliteStore;
use super::read::{log_row, many, one, run_id, time};
use crate::{BrokenRow, Feed, FeedPage, Lane, Lanes, LogRow, OnChange, Scope, Store, StoreError, SystemScope, Watch};

/// Rows of all tenants per query.
const WINDOW: i64 = 5_000;

impl Feed for SqliteStore {
    fn feed(&self, scope: &Scope, after: u64, limit: usize) -> Result<FeedPage, StoreError> {
        let after = i64::try_from(after).unwrap_or(i64::MAX);
        self.read(|connection| {
            // Rows written meanwhile come after `upto`.
            let sql = "SELECT max(pos) FROM (SELECT pos FROM log WHERE pos > ?1 ORDER BY pos LIMIT ?2)";
            let upto: Option<i64> = one(connection, sql, &[&after, &WINDOW], |row| row.get(0))?.flatten();
            let Some(upto) = upto else {
                return Ok(FeedPage { items: Vec::new(), broken: Vec::new(), upto: after as u64 });
            };
            let sql = "SELECT log.run, log.seq, log.at, log.events, log.payloads, log.pos FROM log
                       JOIN runs ON runs.tenant = ?1 AND runs.id = log.run
                       WHERE log.pos > ?2 AND log.pos <= ?3 ORDER BY log.pos LIMIT ?4";
            let parameters: [&dyn rusqlite::ToSql; 4] = [&scope.tenant().as_str(), &after, &upto, &(limit as i64)];
            let rows = many(connection, sql, &parameters, |row| {
                let position = row.get::<_, i64>(5)? as u64;
                Ok(match log_row(row) {
                    Ok(found) => Ok((position, found)),
                    Err(error) => Err(BrokenRow {
                        position,
                        run: run_id(row, 0)?,
                        seq: row.get::<_, i64>(1)? as u64,
                        at: time(row, 2)?,
                        why: error.to_string(),
                    }),
                })
            })?;
            let position =
                |row: &Result<(u64, LogRow), BrokenRow>| row.as_ref().map_or_else(|row| row.position, |row| row.0);
            let upto = if rows.len() < limit { upto as u64 } else { rows.last().map_or(upto as u64, position) };
            let (mut items, mut broken) = (Vec::with_capacity(rows.len()), Vec::new());
            for row in rows {
                match row {
                    Ok(item) => items.push(item),
                    Err(row) => broken.push(row),
                }
            }
            Ok(FeedPage { items, broken, upto })
        })
    }

    fn feed_end(&self, _: SystemScope) -> Result<u64, StoreError> {
        self.read(|connection| {
            let last = one(connection, "SELECT max(pos) FROM log", &[], |row| row.get::<_, Option<i64>>(0))?;
            Ok(last.flatten().unwrap_or(0) as u64)
        })
    }
}

impl Lanes for SqliteStore {
    /// Returns the store itself: readers do not wait for each other, because an empty pool opens another connection.
    fn lane(self: Arc<Self>, _: Lane) -> Arc<dyn Store> {
        self
    }
}

impl Watch for SqliteStore {
    /// Does nothing: SQLite has no notifications, so processes that share a file must poll.
    fn watch(&self, _: OnChange) {}
}
