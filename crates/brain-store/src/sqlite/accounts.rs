//! Accounts in SQLite. The single writer decides members one by one, so a total cannot change between read and write.

use rusqlite::{Connection, OptionalExtension, params};

use super::SqliteStore;
use super::read::{many, one};
use crate::accounts::{Accounts, Held, Overlay};
use crate::{AccountEntry, Conflict, Member, Scope, StoreError};

const TOTAL: &str = "SELECT total FROM accounts WHERE tenant = ?1 AND account = ?2";
const ENTRY: &str = "SELECT amount, settled FROM account_entries WHERE tenant = ?1 AND account = ?2 AND id = ?3";

/// The account changes of a member, or the conflict that prevents them.
pub(super) fn check(connection: &Connection, member: &Member) -> rusqlite::Result<Result<Overlay, Conflict>> {
    let tenant = member.scope.tenant().as_str();
    let mut overlay = Overlay::default();
    for write in &member.writes {
        let total = |account: &str| {
            let row = connection.prepare_cached(TOTAL)?.query_row(params![tenant, account], |row| row.get(0));
            Ok(row.optional()?.unwrap_or(0))
        };
        let entry = |account: &str, id: &str| -> rusqlite::Result<Option<Held>> {
            let mut statement = connection.prepare_cached(ENTRY)?;
            statement.query_row(params![tenant, account, id], |row| Ok((row.get(0)?, row.get(1)?))).optional()
        };
        if let Some(conflict) = overlay.take(write, total, entry)? {
            return Ok(Err(conflict));
        }
    }
    Ok(Ok(overlay))
}

/// Writes the changes that [`check`] computed. Returns the number of rows written.
pub(super) fn apply(connection: &Connection, tenant: &str, overlay: &Overlay) -> rusqlite::Result<u64> {
    for (account, total) in &overlay.totals {
        connection
            .prepare_cached("INSERT OR REPLACE INTO accounts VALUES (?1, ?2, ?3)")?
            .execute(params![tenant, account, total])?;
    }
    for ((account, id), held) in &overlay.entries {
        match held {
            Some((amount, settled)) => connection
                .prepare_cached("INSERT OR REPLACE INTO account_entries VALUES (?1, ?2, ?3, ?4, ?5)")?
                .execute(params![tenant, account, id, amount, settled])?,
            None => connection
                .prepare_cached("DELETE FROM account_entries WHERE tenant = ?1 AND account = ?2 AND id = ?3")?
                .execute(params![tenant, account, id])?,
        };
    }
    Ok((overlay.totals.len() + overlay.entries.len()) as u64)
}

pub(super) fn drop_account(connection: &Connection, tenant: &str, account: &str) -> rusqlite::Result<()> {
    for table in ["accounts", "account_entries"] {
        let sql = format!("DELETE FROM {table} WHERE tenant = ?1 AND account = ?2");
        connection.prepare_cached(&sql)?.execute(params![tenant, account])?;
    }
    Ok(())
}

impl Accounts for SqliteStore {
    fn account_total(&self, scope: &Scope, account: &str) -> Result<i64, StoreError> {
        self.read(|connection| {
            let total = one(connection, TOTAL, &[&scope.tenant().as_str(), &account], |row| row.get(0))?;
            Ok(total.unwrap_or(0))
        })
    }

    fn account_entries(
        &self,
        scope: &Scope,
        after: Option<&(String, String)>,
        limit: usize,
    ) -> Result<Vec<AccountEntry>, StoreError> {
        let (account, id) = after.map_or(("", ""), |(account, id)| (account.as_str(), id.as_str()));
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.read(|connection| {
            let sql = "SELECT account, id, amount, settled FROM account_entries
                       WHERE tenant = ?1 AND (account, id) > (?2, ?3) ORDER BY account, id LIMIT ?4";
            many(connection, sql, &[&scope.tenant().as_str(), &account, &id, &limit], |row| {
                Ok(AccountEntry { account: row.get(0)?, id: row.get(1)?, amount: row.get(2)?, settled: row.get(3)? })
            })
        })
    }
}
