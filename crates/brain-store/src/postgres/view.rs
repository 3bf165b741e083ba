//! The rows that a group of members refers to: read once, then updated in memory as the members are decided one by one.
//! Members of one group therefore see each other's changes, and a group need not be split where members overlap.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use brain_core::{ApprovalStatus, RecordId};
use tokio_postgres::Row;
use uuid::Uuid;

use super::accounts::{AccountKey, EntryKey, account_key, entry_key};
use super::requirements::{Id, Part, RecordKey, Requirements, SignalKey, Slot, entry_slot};
use super::text::slot;
use crate::accounts::{Held, Overlay, step, subject};
use crate::{Conflict, Member, Precondition, Scope, StoreError, Write};

/// An index entry: field, value, whether it is unique; as in the column `entries`.
pub(super) type Entry = (String, String, bool);

/// The current state of a record.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub(super) revision: u64,
    pub(super) entries: Vec<Entry>,
}

#[derive(Default)]
pub(super) struct View<'a> {
    /// Event count and fence.
    runs: BTreeMap<Id<'a>, (u64, u64)>,
    records: BTreeMap<RecordKey<'a>, Known>,
    unique: BTreeMap<Slot<'a>, Uuid>,
    /// Only lists that a member relies on.
    lists: BTreeMap<Slot<'a>, BTreeMap<Uuid, u64>>,
    taken_keys: BTreeSet<(&'a str, Cow<'a, str>)>,
    pending: BTreeSet<Id<'a>>,
    open: BTreeSet<Id<'a>>,
    signals: BTreeSet<SignalKey<'a>>,
    totals: BTreeMap<AccountKey, i64>,
    entries: BTreeMap<EntryKey, Held>,
}

fn numbered(row: &Row) -> usize {
    usize::try_from(row.get::<_, i64>(0) - 1).unwrap_or(usize::MAX)
}

impl<'a> View<'a> {
    /// Builds the view from the answers of the first round trip.
    pub(super) fn new(requirements: &Requirements<'a>, answers: &[(Part, Vec<Row>)]) -> Result<Self, StoreError> {
        let mut view = Self {
            lists: requirements.lists.iter().map(|list| (list.clone(), BTreeMap::new())).collect(),
            ..Self::default()
        };
        for (part, rows) in answers {
            for row in rows {
                view.take(requirements, *part, row)?;
            }
        }
        Ok(view)
    }

    fn take(&mut self, requirements: &Requirements<'a>, part: Part, row: &Row) -> Result<(), StoreError> {
        match part {
            Part::Begin | Part::Transaction | Part::Locks => {}
            Part::Runs => {
                let (seq, fence): (i64, i64) = (row.get(1), row.get(2));
                self.runs.insert(requirements.runs[numbered(row)], (seq as u64, fence as u64));
            }
            Part::Records => {
                let Some(n) = requirements.record_of(row) else { return Ok(()) };
                let entries: Option<&str> = row.get(4);
                let entries = entries.map_or(Ok(Vec::new()), serde_json::from_str);
                let entries = entries.map_err(|error| StoreError::Unreadable(format!("index entries: {error}")))?;
                self.records.insert(requirements.records[n], Known { revision: row.get::<_, i64>(3) as u64, entries });
            }
            Part::Approvals => drop(self.pending.insert(requirements.approvals[numbered(row)])),
            Part::Letters => drop(self.open.insert(requirements.letters[numbered(row)])),
            Part::Signals => drop(self.signals.insert(requirements.signals[numbered(row)].clone())),
            Part::Unique => drop(self.unique.insert(requirements.unique[numbered(row)].clone(), row.get(1))),
            Part::Lists => {
                let list = self.lists.entry(requirements.lists[numbered(row)].clone()).or_default();
                list.insert(row.get(1), row.get::<_, i64>(2) as u64);
            }
            Part::Accounts => drop(self.totals.insert(requirements.accounts[numbered(row)].clone(), row.get(1))),
            Part::Entries => {
                let key = requirements.entries[numbered(row)].clone();
                self.entries.insert(key, (row.get(1), row.get(2)));
            }
            Part::Keys => drop(self.taken_keys.insert(requirements.keys[numbered(row)].clone())),
        }
        Ok(())
    }

    /// The current state of a record, if it exists.
    pub(super) fn record(&self, key: &RecordKey<'a>) -> Option<&Known> {
        self.records.get(key)
    }

    fn holds(&self, scope: &'a Scope, precondition: &'a Precondition) -> bool {
        let tenant = scope.tenant().as_str();
        match precondition {
            Precondition::RunAbsent(run) => !self.runs.contains_key(&(tenant, run.as_uuid())),
            Precondition::RunAt { run, seq, fence } => self.runs.get(&(tenant, run.as_uuid())) == Some(&(*seq, *fence)),
            Precondition::Record { kind, id, revision } => {
                self.records.get(&(tenant, kind, id.as_uuid())).map(|known| known.revision) == *revision
            }
            Precondition::Listed { kind, field, value, fingerprint } => {
                let list =
                    self.lists.get(&(tenant, kind, Cow::Borrowed(field.as_str()), Cow::Borrowed(value.as_str())));
                let there = list.into_iter().flatten().map(|(id, revision)| (RecordId::from_uuid(*id), *revision));
                crate::fingerprint(there) == *fingerprint
            }
            Precondition::KeyFree(key) => !self.taken_keys.contains(&(tenant, slot(key))),
            Precondition::ApprovalPending(id) => self.pending.contains(&(tenant, id.as_uuid())),
            Precondition::LetterOpen(id) => self.open.contains(&(tenant, id.as_uuid())),
            Precondition::SignalPresent { run, id } => self.signals.contains(&(tenant, run.as_uuid(), slot(id))),
        }
    }

    /// The conflict that prevents a member from being committed, if any.
    pub(super) fn conflict(&self, member: &'a Member) -> Option<Conflict> {
        if let Some(broken) = member.preconditions.iter().find(|one| !self.holds(&member.scope, one)) {
            return Some(Conflict::Precondition(broken.clone()));
        }
        let tenant = member.scope.tenant().as_str();
        for write in &member.writes {
            let Write::PutRecord { row, index, .. } = write else { continue };
            for entry in index.iter().filter(|entry| entry.unique) {
                let holder = self.unique.get(&entry_slot(tenant, &row.kind, entry));
                if let Some(holder) = holder.filter(|holder| **holder != row.id.as_uuid()) {
                    let holder = RecordId::from_uuid(*holder);
                    return Some(Conflict::Unique { kind: row.kind.clone(), field: entry.field.clone(), holder });
                }
            }
        }
        let mut overlay = Overlay::default();
        member.writes.iter().find_map(|write| {
            let total = |account: &str| Ok(self.totals.get(&account_key(tenant, account)).copied().unwrap_or(0));
            let entry = |account: &str, id: &str| Ok(self.entries.get(&entry_key(tenant, account, id)).copied());
            let taken: Result<_, std::convert::Infallible> = overlay.take(write, total, entry);
            taken.ok().flatten()
        })
    }

    /// The keys, the total and the entry after an account write; `None` if it changes nothing.
    pub(super) fn booked(&self, tenant: &str, write: &Write) -> Option<(AccountKey, EntryKey, i64, Option<Held>)> {
        let (account, id) = subject(write)?;
        let (account, entry) = (account_key(tenant, account), entry_key(tenant, account, id));
        let total = self.totals.get(&account).copied().unwrap_or(0);
        let (total, held) = step(write, total, self.entries.get(&entry).copied()).ok().flatten()?;
        Some((account, entry, total, held))
    }

    /// Applies one write of a committed member.
    pub(super) fn apply(&mut self, tenant: &'a str, write: &'a Write) {
        match write {
            Write::NewRun(row) => {
                self.runs.insert((tenant, row.id.as_uuid()), (row.schedule.seq, row.schedule.fence));
            }
            Write::UpdateRun { run, schedule, .. } => {
                if let Some(known) = self.runs.get_mut(&(tenant, run.as_uuid())) {
                    *known = (schedule.seq, schedule.fence);
                }
            }
            Write::PutRecord { row, index, .. } => {
                let id = row.id.as_uuid();
                self.leave(tenant, &row.kind, id);
                for entry in index {
                    let slot = entry_slot(tenant, &row.kind, entry);
                    if let Some(list) = self.lists.get_mut(&slot) {
                        list.insert(id, row.revision);
                    }
                    if entry.unique {
                        self.unique.insert(slot, id);
                    }
                }
                let entries =
                    index.iter().map(|entry| (entry.field.clone(), entry.value.as_str().to_owned(), entry.unique));
                let known = Known { revision: row.revision, entries: entries.collect() };
                self.records.insert((tenant, &row.kind, id), known);
            }
            Write::DeleteRecord { kind, id } => {
                self.leave(tenant, kind, id.as_uuid());
                self.records.remove(&(tenant, kind.as_str(), id.as_uuid()));
            }
            Write::PutLetter(row) => set(&mut self.open, (tenant, row.id.as_uuid()), row.open),
            Write::PutApproval(row) => {
                set(&mut self.pending, (tenant, row.id.as_uuid()), row.status == ApprovalStatus::Pending)
            }
            Write::TakeKey { key, .. } => drop(self.taken_keys.insert((tenant, slot(key)))),
            Write::Signal(row) => drop(self.signals.insert((tenant, row.run.as_uuid(), slot(&row.id)))),
            Write::TakeSignal { run, id } => drop(self.signals.remove(&(tenant, run.as_uuid(), slot(id)))),
            Write::DropRun(run) => drop(self.runs.remove(&(tenant, run.as_uuid()))),
            Write::Reserve { .. } | Write::Settle { .. } | Write::Release { .. } => {
                if let Some((account, entry, total, held)) = self.booked(tenant, write) {
                    self.totals.insert(account, total);
                    match held {
                        Some(held) => drop(self.entries.insert(entry, held)),
                        None => drop(self.entries.remove(&entry)),
                    }
                }
            }
            Write::Append(_)
            | Write::DropAccount(_)
            | Write::Erase { .. }
            | Write::DropLog { .. }
            | Write::NoteBlob { .. }
            | Write::DropBlob { .. }
            | Write::Link(_)
            | Write::Define { .. }
            | Write::Offer(_)
            | Write::Withdraw(_)
            | Write::WithdrawAll(_)
            | Write::Number { .. }
            | Write::PutBlob { .. } => {}
        }
    }

    /// Removes a record from all lists and frees its unique values. The caller then replaces or removes it.
    fn leave(&mut self, tenant: &'a str, kind: &'a str, id: Uuid) {
        let Some(known) = self.records.get_mut(&(tenant, kind, id)) else { return };
        for (field, value, unique) in std::mem::take(&mut known.entries) {
            let slot: Slot<'a> = (tenant, kind, Cow::Owned(field), Cow::Owned(value));
            if let Some(list) = self.lists.get_mut(&slot) {
                list.remove(&id);
            }
            if unique && self.unique.get(&slot) == Some(&id) {
                self.unique.remove(&slot);
            }
        }
    }
}

fn set<T: Ord>(set: &mut BTreeSet<T>, key: T, there: bool) {
    if there {
        set.insert(key);
    } else {
        set.remove(&key);
    }
}
