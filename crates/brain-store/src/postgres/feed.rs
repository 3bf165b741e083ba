//! Reads the feed. The sequencer in [`super::upkeep`] assigns its positions.

use super::PostgresStore;
use super::connection::{Question, values};
use super::pool::{Again, Who};
use super::read::{count, get, log_row, named, time};
use brain_core::RunId;

use crate::{BrokenRow, Feed, FeedPage, Scope, StoreError, SystemScope};

impl Feed for PostgresStore {
    fn feed(&self, scope: &Scope, after: u64, limit: usize) -> Result<FeedPage, StoreError> {
        let from = i64::try_from(after).unwrap_or(i64::MAX);
        // Read the end first: positions assigned meanwhile are behind it.
        let end = Question::new("SELECT last FROM feed_state", vec![]);
        let sql = "SELECT l.run, l.seq, l.at, l.events, l.payloads, f.pos FROM feed f
                   JOIN log l ON l.tenant = f.tenant AND l.run = f.run AND l.seq = f.seq
                   WHERE f.tenant = $1 AND f.pos > $2 ORDER BY f.pos LIMIT $3";
        let items = Question::new(sql, values![named(scope), from, count(limit)]);
        let answers = self.ask(Who::Tenant(named(scope)), Again::Harmless, vec![end, items])?;
        let [end, rows] = answers.as_slice() else {
            return Ok(FeedPage { items: Vec::new(), broken: Vec::new(), upto: after });
        };
        let end = end.first().map_or(Ok(0), |row| get::<i64>(row, 0))? as u64;
        let (mut items, mut broken) = (Vec::with_capacity(rows.len()), Vec::new());
        let mut last = after;
        for row in rows {
            last = get::<i64>(row, 5)? as u64;
            match log_row(row) {
                Ok(found) => items.push((last, found)),
                Err(error) => broken.push(BrokenRow {
                    position: last,
                    run: RunId::from_uuid(get(row, 0)?),
                    seq: get::<i64>(row, 1)? as u64,
                    at: time(row, 2)?,
                    why: error.to_string(),
                }),
            }
        }
        let upto = if rows.len() < limit { end.max(last) } else { last };
        Ok(FeedPage { items, broken, upto })
    }

    fn feed_end(&self, _: SystemScope) -> Result<u64, StoreError> {
        let rows = self.system("SELECT last FROM feed_state", vec![])?;
        Ok(rows.first().map_or(Ok(0), |row| get::<i64>(row, 0))? as u64)
    }
}
