//! Accounts: what may be spent under a cap, decided inside the commit.
//!
//! An account belongs to a tenant and has a name of the caller's choosing: a run, a user and a day, a tenant and a day. It
//! is a sum of entries. An entry is first *reserved* with the most that it may cost, and later *settled* with what it did
//! cost, or *released*. Amounts are integers in the smallest unit that the caller counts in, such as micro-cents.
//!
//! Reserving relies on nothing that was read before: members that reserve on the same account never conflict with each
//! other, whoever comes first, until the cap is reached. One that would pass the cap is a
//! [`Conflict::OverLimit`](crate::Conflict), so that parallel spenders never pass it together.

use std::collections::BTreeMap;

use brain_core::TenantId;

use crate::{Conflict, Scope, StoreError, Write};

/// An entry of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountEntry {
    /// The account.
    pub account: String,
    /// Tells it apart from the account's other entries.
    pub id: String,
    /// What is reserved, or what was spent.
    pub amount: i64,
    /// Whether it is final.
    pub settled: bool,
}

/// Reading accounts.
pub trait Accounts {
    /// What is reserved and spent on an account; 0 if nothing ever was.
    fn account_total(&self, scope: &Scope, account: &str) -> Result<i64, StoreError>;
    /// Entries of all accounts, by account and id, from after this one on.
    fn account_entries(
        &self,
        scope: &Scope,
        after: Option<&(String, String)>,
        limit: usize,
    ) -> Result<Vec<AccountEntry>, StoreError>;
}

/// What an entry holds: its amount and whether that is final.
pub(crate) type Held = (i64, bool);

/// The account and the entry that a write is about, if it is about one.
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

/// What the writes of one member make of accounts, on top of what is stored.
#[derive(Default)]
pub(crate) struct Overlay {
    pub(crate) totals: BTreeMap<String, i64>,
    pub(crate) entries: BTreeMap<(String, String), Option<Held>>,
}

impl Overlay {
    /// Adds a write. `total` and `entry` give what is stored.
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
pub(crate) struct Books {
    totals: BTreeMap<(TenantId, String), i64>,
    entries: BTreeMap<(TenantId, String, String), Held>,
}

impl Books {
    /// What the writes of a member make of the accounts, or what keeps them from it.
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
