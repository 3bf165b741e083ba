//! Accounts: spending under a cap, checked inside the commit.
//!
//! An account belongs to a tenant and has a name that the caller chooses: a run, a user and a day, a tenant and a day.
//! Its total is a sum of entries. An entry is first *reserved* with its maximum cost, and later *settled* with its
//! actual cost, or *released*. Amounts are integers in the caller's smallest unit, such as micro-cents.
//!
//! Reserving depends on no earlier read: members that reserve on the same account conflict only when the cap is
//! reached. A reservation that would exceed the cap is a [`Conflict::OverLimit`](crate::Conflict), so concurrent
//! spenders cannot exceed it together.

use std::collections::BTreeMap;

use brain_core::TenantId;

use crate::{Conflict, Scope, StoreError, Write};

/// An entry of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountEntry {
    /// The account's name.
    pub account: String,
    /// Unique within the account.
    pub id: String,
    /// The reserved amount, or the spent one once it is settled.
    pub amount: i64,
    /// Whether the amount is final.
    pub settled: bool,
}

/// Reading accounts.
pub trait Accounts {
    /// The sum of reserved and spent amounts; 0 for an unknown account.
    fn account_total(&self, scope: &Scope, account: &str) -> Result<i64, StoreError>;
    /// Entries of all accounts, ordered by account and id, after this one.
    fn account_entries(
        &self,
        scope: &Scope,
        after: Option<&(String, String)>,
        limit: usize,
    ) -> Result<Vec<AccountEntry>, StoreError>;
}

/// The value of an entry: its amount, and whether that is final.
pub(crate) type Held = (i64, bool);

/// The account and the entry that a write changes, if it changes one.
pub(crate) fn subject(write: &Write) -> Option<(&str, &str)> {
    match write {
        Write::Reserve { account, id, .. } | Write::Settle { account, id, .. } | Write::Release { account, id } => {
            Some((account, id))
        }
        _ => None,
    }
}

/// The total and the entry after a write; `None` if it changes nothing.
pub(crate) fn step(write: &Write, total: i64, entry: Option<Held>) -> Result<Option<(i64, Option<Held>)>, Conflict> {
    Ok(match (write, entry) {
        (Write::Reserve { account, amount, limit, .. }, None) => {
            let amount = (*amount).max(0);
            let sum = total.saturating_add(amount);
            if sum > *limit {
                return Err(Conflict::OverLimit { account: account.clone(), total, limit: *limit });
            }
            Some((sum, Some((amount, false))))
        }
        (Write::Settle { amount, .. }, None | Some((_, false))) => {
            let (amount, held) = ((*amount).max(0), entry.map_or(0, |(held, _)| held));
            Some((total.saturating_sub(held).saturating_add(amount), Some((amount, true))))
        }
        (Write::Release { .. }, Some((held, false))) => Some((total.saturating_sub(held), None)),
        _ => None,
    })
}

/// The account changes of one member, on top of the stored values.
#[derive(Default)]
pub(crate) struct Overlay {
    pub(crate) totals: BTreeMap<String, i64>,
    pub(crate) entries: BTreeMap<(String, String), Option<Held>>,
}

impl Overlay {
    /// Adds a write. `total` and `entry` read the stored values.
    pub(crate) fn take<E>(
        &mut self,
        write: &Write,
        total: impl FnOnce(&str) -> Result<i64, E>,
        entry: impl FnOnce(&str, &str) -> Result<Option<Held>, E>,
    ) -> Result<Option<Conflict>, E> {
        let Some((account, id)) = subject(write) else { return Ok(None) };
        let key = (account.to_owned(), id.to_owned());
        let held = match self.entries.get(&key) {
            Some(held) => *held,
            None => entry(account, id)?,
        };
        let sum = match self.totals.get(account) {
            Some(sum) => *sum,
            None => total(account)?,
        };
        match step(write, sum, held) {
            Err(conflict) => Ok(Some(conflict)),
            Ok(None) => Ok(None),
            Ok(Some((sum, held))) => {
                self.totals.insert(key.0.clone(), sum);
                self.entries.insert(key, held);
                Ok(None)
            }
        }
    }
}

/// Accounts in memory.
#[derive(Default)]
pub(crate) struct Ledger {
    totals: BTreeMap<(TenantId, String), i64>,
    entries: BTreeMap<(TenantId, String, String), Held>,
}

impl Ledger {
    /// The account changes of a member, or the conflict that prevents them.
    pub(crate) fn check(&self, tenant: &TenantId, writes: &[Write]) -> Result<Overlay, Conflict> {
        let mut overlay = Overlay::default();
        for write in writes {
            let total = |account: &str| Ok(self.total(tenant, account));
            let entry = |account: &str, id: &str| {
                Ok(self.entries.get(&(tenant.clone(), account.to_owned(), id.to_owned())).copied())
            };
            let taken: Result<_, std::convert::Infallible> = overlay.take(write, total, entry);
            if let Ok(Some(conflict)) = taken {
                return Err(conflict);
            }
        }
        Ok(overlay)
    }

    pub(crate) fn apply(&mut self, tenant: &TenantId, overlay: Overlay) {
        for (account, total) in overlay.totals {
            self.totals.insert((tenant.clone(), account), total);
        }
        for ((account, id), held) in overlay.entries {
            let key = (tenant.clone(), account, id);
            match held {
                Some(held) => drop(self.entries.insert(key, held)),
                None => drop(self.entries.remove(&key)),
            }
        }
    }

    pub(crate) fn drop_account(&mut self, tenant: &TenantId, account: &str) {
        self.totals.remove(&(tenant.clone(), account.to_owned()));
        self.entries.retain(|(owner, of, _), _| owner != tenant || of != account);
    }

    pub(crate) fn total(&self, tenant: &TenantId, account: &str) -> i64 {
        self.totals.get(&(tenant.clone(), account.to_owned())).copied().unwrap_or(0)
    }

    pub(crate) fn after(&self, tenant: &TenantId, after: Option<&(String, String)>, limit: usize) -> Vec<AccountEntry> {
        let later = |account: &String, id: &String| after.is_none_or(|(a, i)| (account, id) > (a, i));
        let ours = self.entries.iter().filter(|((owner, account, id), _)| owner == tenant && later(account, id));
        let row = |((_, account, id), (amount, settled)): (&(TenantId, String, String), &Held)| AccountEntry {
            account: account.clone(),
            id: id.clone(),
            amount: *amount,
            settled: *settled,
        };
        ours.map(row).take(limit).collect()
    }
}
