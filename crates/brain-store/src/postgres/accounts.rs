//! Accounts in PostgreSQL. A transaction that changes an account holds its advisory lock until the commit, see
//! [`super::requirements`]. Members of one group share the lock, so many spenders cost one wait.

use super::PostgresStore;
use super::connection::{Question, values};
use super::read::{count, each, first, free_text, get, named};
use super::text::slot;
use crate::accounts::Accounts;
use crate::{AccountEntry, Scope, StoreError};

pub(super) const TOTALS: &str = "
SELECT q.n, a.total FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS q (tenant, account, n)
JOIN accounts a ON a.tenant = q.tenant AND a.account = q.account";

pub(super) const ENTRIES: &str = "
SELECT q.n, e.amount, e.settled
FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS q (tenant, account, id, n)
JOIN account_entries e ON e.tenant = q.tenant AND e.account = q.account AND e.id = q.id";

const PUT_TOTALS: &str = "
INSERT INTO accounts (tenant, account, total) SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[])
ON CONFLICT (tenant, account) DO UPDATE SET total = excluded.total";

const PUT_ENTRIES: &str = "
INSERT INTO account_entries (tenant, account, id, amount, settled)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::boolean[])
ON CONFLICT (tenant, account, id) DO UPDATE SET amount = excluded.amount, settled = excluded.settled";

const ENTRIES_GONE: &str = "
DELETE FROM account_entries r USING unnest($1::text[], $2::text[], $3::text[]) AS q (tenant, account, id)
WHERE r.tenant = q.tenant AND r.account = q.account AND r.id = q.id";

pub(super) const DROP: &str = "
WITH entries AS (DELETE FROM account_entries WHERE tenant = $1 AND account = $2)
DELETE FROM accounts WHERE tenant = $1 AND account = $2";

/// An account: tenant and encoded name.
pub(super) type AccountKey = (String, String);
/// An entry: tenant, encoded account, encoded id.
pub(super) type EntryKey = (String, String, String);

pub(super) fn account_key(tenant: &str, account: &str) -> AccountKey {
    (tenant.to_owned(), slot(account).into_owned())
}

pub(super) fn entry_key(tenant: &str, account: &str, id: &str) -> EntryKey {
    (tenant.to_owned(), slot(account).into_owned(), slot(id).into_owned())
}

/// The statements that write the final totals and entries.
pub(super) fn write(
    totals: std::collections::BTreeMap<AccountKey, i64>,
    entries: std::collections::BTreeMap<EntryKey, Option<crate::accounts::Held>>,
    out: &mut Vec<Question<'_>>,
) {
    if !totals.is_empty() {
        let sums: Vec<i64> = totals.values().copied().collect();
        let (tenants, accounts): (Vec<String>, Vec<String>) = totals.into_keys().unzip();
        out.push(Question::new(PUT_TOTALS, values![tenants, accounts, sums]));
    }
    let (there, gone): (Vec<_>, Vec<_>) = entries.into_iter().partition(|(_, held)| held.is_some());
    let columns = |list: &[(EntryKey, Option<crate::accounts::Held>)]| {
        let tenants: Vec<String> = list.iter().map(|(key, _)| key.0.clone()).collect();
        let accounts: Vec<String> = list.iter().map(|(key, _)| key.1.clone()).collect();
        let ids: Vec<String> = list.iter().map(|(key, _)| key.2.clone()).collect();
        (tenants, accounts, ids)
    };
    if !there.is_empty() {
        let (tenants, accounts, ids) = columns(&there);
        let amounts: Vec<i64> = there.iter().filter_map(|(_, held)| held.map(|held| held.0)).collect();
        let settled: Vec<bool> = there.iter().filter_map(|(_, held)| held.map(|held| held.1)).collect();
        out.push(Question::new(PUT_ENTRIES, values![tenants, accounts, ids, amounts, settled]));
    }
    if !gone.is_empty() {
        let (tenants, accounts, ids) = columns(&gone);
        out.push(Question::new(ENTRIES_GONE, values![tenants, accounts, ids]));
    }
}

impl Accounts for PostgresStore {
    fn account_total(&self, scope: &Scope, account: &str) -> Result<i64, StoreError> {
        let sql = "SELECT total FROM accounts WHERE tenant = $1 AND account = $2";
        let rows = self.scoped(scope, sql, values![named(scope), slot(account).into_owned()])?;
        Ok(first(&rows, |row| get(row, 0))?.unwrap_or(0))
    }

    fn account_entries(
        &self,
        scope: &Scope,
        after: Option<&(String, String)>,
        limit: usize,
    ) -> Result<Vec<AccountEntry>, StoreError> {
        let (account, id) = after.map_or((String::new(), String::new()), |(account, id)| {
            (slot(account).into_owned(), slot(id).into_owned())
        });
        let sql = "SELECT account, id, amount, settled FROM account_entries
                   WHERE tenant = $1 AND (account, id) > ($2, $3) ORDER BY account, id LIMIT $4";
        each(&self.scoped(scope, sql, values![named(scope), account, id, count(limit)])?, |row| {
            Ok(AccountEntry {
                account: free_text(row, 0)?,
                id: free_text(row, 1)?,
                amount: get(row, 2)?,
                settled: get(row, 3)?,
            })
        })
    }
}
