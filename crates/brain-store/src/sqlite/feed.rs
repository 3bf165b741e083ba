//! The feed in SQLite: a file has one writer at a time, so the numbers of the log's rows rise in the order in which
//! they became visible, and are positions as they are.

use super::SqliteStore;
use super::read::{log_row, many, one};
use std::sync::Arc;

use crate::{Feed, FeedPage, Heard, Lane, Lanes, Scope, Store, StoreError, SystemScope, Watch};

/// Rows of all tenants that one question looks at.
const WINDOW: i64 = 5_000;

impl Feed for SqliteStore {
    fn feed(&self, scope: &Scope, after: u64, limit: usize) -> Result<FeedPage, StoreError> {
        let after = i64::try_from(after).unwrap_or(i64::MAX);
        self.read(|connection| {
            // What is written while this reads comes after `upto`.
            let sql = "SELECT max(pos) FROM (SELECT pos FROM log WHERE pos > ?1 ORDER BY pos LIMIT ?2)";
            let upto: Option<i64> = one(connection, sql, &[&after, &WINDOW], |row| row.get(0))?.flatten();
            let Some(upto) = upto else { return Ok(FeedPage { items: Vec::new(), upto: after as u64 }) };
            let sql = "SELECT log.run, log.seq, log.at, log.events, log.payloads, log.pos FROM log
                       JOIN runs ON runs.tenant = ?1 AND runs.id = log.run
                       WHERE log.pos > ?2 AND log.pos <= ?3 ORDER BY log.pos LIMIT ?4";
            let parameters: [&dyn rusqlite::ToSql; 4] = [&scope.tenant().as_str(), &after, &upto, &(limit as i64)];
            let items = many(connection, sql, &parameters, |row| Ok((row.get::<_, i64>(5)? as u64, log_row(row)?)))?;
            let upto = if items.len() < limit { upto as u64 } else { items.last().map_or(upto as u64, |last| last.0) };
            Ok(FeedPage { items, upto })
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
    /// Readers do not wait for each other: one that finds none in the pool opens another connection to the file.
    fn lane(self: Arc<Self>, _: Lane) -> Arc<dyn Store> {
        self
    }
}

impl Watch for SqliteStore {
    /// A file tells nobody; processes that share one ask now and then.
    fn watch(&self, _: Heard) {}
}
