//! The requirements of a group of members before it can be decided: locks, and the rows that its preconditions refer to.
//!
//! The first round trip takes the locks and reads. Then the members are decided in memory, one by one. Every
//! transaction takes its locks in the same order, which prevents deadlocks:
//!
//! 1. Advisory locks, sorted by number, for what has no row to lock: a key that must be free, a record that must be
//!    absent, a unique value, a list, an account. A member that relies on a list takes its lock exclusively; members that
//!    add to it share it. A lock's number is a hash: a collision only causes an unnecessary wait.
//! 2. Rows (`FOR UPDATE`) by primary key: runs, records, approvals, dead letters, signals. For a list that a member
//!    relies on, its records, so that they can neither change nor leave it.
//! 3. Plain reads. Their snapshot is newer than the locks, so their results cannot change before the commit.
//!
//! An old owner of a run is rejected because `RunAt` compares `seq` and fence with the locked row: a take-over appends
//! an event, so `seq` has moved on. Two owners that commit at the same time meet at the row lock; even without it, the
//! primary key of `log` would let only one of them append after the same event. The fence matters for a node that lost
//! a run and got it back while one of its calls was queued.
//!
//! Runs that must be absent are not locked: two inserts of one id cannot both succeed, and the loser is retried.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use tokio_postgres::Row;
use uuid::Uuid;

use super::accounts::{AccountKey, ENTRIES, EntryKey, TOTALS, account_key, entry_key};
use super::connection::{Question, values};
use super::text::slot;
use crate::accounts::subject;
use crate::{IndexEntry, Member, Precondition, Write};

/// A run, approval or dead letter: tenant and id.
pub(super) type Id<'a> = (&'a str, Uuid);
/// A record: tenant, kind and id.
pub(super) type RecordKey<'a> = (&'a str, &'a str, Uuid);
/// An index value: tenant, kind, field, and the encoded value.
pub(super) type Slot<'a> = (&'a str, &'a str, Cow<'a, str>, Cow<'a, str>);
/// A signal: tenant, run, and its encoded id.
pub(super) type SignalKey<'a> = (&'a str, Uuid, Cow<'a, str>);

/// Everything a group needs, without duplicates and in lock order.
#[derive(Default)]
pub(super) struct Requirements<'a> {
    /// Numbers of advisory locks, and whether each is exclusive.
    locks: BTreeMap<i64, bool>,
    pub(super) runs: Vec<Id<'a>>,
    pub(super) records: Vec<RecordKey<'a>>,
    pub(super) unique: Vec<Slot<'a>>,
    pub(super) lists: Vec<Slot<'a>>,
    pub(super) keys: Vec<(&'a str, Cow<'a, str>)>,
    pub(super) approvals: Vec<Id<'a>>,
    pub(super) letters: Vec<Id<'a>>,
    pub(super) signals: Vec<SignalKey<'a>>,
    pub(super) accounts: Vec<AccountKey>,
    pub(super) entries: Vec<EntryKey>,
}

pub(super) fn entry_slot<'a>(tenant: &'a str, kind: &'a str, entry: &'a IndexEntry) -> Slot<'a> {
    (tenant, kind, Cow::Borrowed(&entry.field), Cow::Borrowed(entry.value.as_str()))
}

/// The number of a lock: FNV-1a over its name, equal in every build.
fn lock_number(parts: &[&[u8]]) -> i64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for part in parts {
        for byte in part.iter().chain(&[0xff]) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    // FNV mixes the upper bits of short names poorly.
    hash ^= hash >> 29;
    hash.wrapping_mul(0xbf58_476d_1ce4_e5b9) as i64
}

impl<'a> Requirements<'a> {
    /// Collects the requirements of all members. `schema` separates the locks of stores that share a database.
    pub(super) fn of(members: impl IntoIterator<Item = &'a Member>, schema: &str) -> Self {
        let mut requirements = Self::default();
        for member in members {
            requirements.add(member, schema);
        }
        requirements.put_in_order();
        requirements
    }

    fn add(&mut self, member: &'a Member, schema: &str) {
        let tenant = member.scope.tenant().as_str();
        let number = |parts: [&[u8]; 4]| {
            lock_number(&[schema.as_bytes(), tenant.as_bytes(), parts[0], parts[1], parts[2], parts[3]])
        };
        let list_lock = |slot: &Slot<'_>| number([b"list", slot.1.as_bytes(), slot.2.as_bytes(), slot.3.as_bytes()]);
        let record_lock = |kind: &str, id: Uuid| number([b"record", kind.as_bytes(), id.as_bytes(), b""]);
        let account_lock = |account: &str| number([b"account", account.as_bytes(), b"", b""]);
        let key_lock = |key: &str| number([b"key", key.as_bytes(), b"", b""]);
        // A record with a known revision has a row to lock; if the row is missing, the precondition fails anyway.
        let mut read = BTreeSet::new();
        for precondition in &member.preconditions {
            match precondition {
                Precondition::RunAbsent(run) | Precondition::RunAt { run, .. } => {
                    self.runs.push((tenant, run.as_uuid()));
                }
                Precondition::Record { kind, id, revision } => {
                    self.records.push((tenant, kind, id.as_uuid()));
                    if revision.is_some() {
                        read.insert((kind.as_str(), id.as_uuid()));
                    } else {
                        self.locks.insert(record_lock(kind, id.as_uuid()), true);
                    }
                }
                Precondition::Listed { kind, field, value, .. } => {
                    let list: Slot<'a> = (tenant, kind, Cow::Borrowed(field), Cow::Borrowed(value.as_str()));
                    self.locks.insert(list_lock(&list), true);
                    self.lists.push(list);
                }
                Precondition::KeyFree(key) => {
                    let key = slot(key);
                    self.locks.insert(key_lock(&key), true);
                    self.keys.push((tenant, key));
                }
                Precondition::ApprovalPending(id) => self.approvals.push((tenant, id.as_uuid())),
                Precondition::LetterOpen(id) => self.letters.push((tenant, id.as_uuid())),
                Precondition::SignalPresent { run, id } => self.signals.push((tenant, run.as_uuid(), slot(id))),
            }
        }
        for write in &member.writes {
            match write {
                Write::UpdateRun { run, .. }
                | Write::Erase { run, .. }
                | Write::DropLog { run, .. }
                | Write::DropRun(run) => self.runs.push((tenant, run.as_uuid())),
                Write::PutRecord { row, index, .. } => {
                    let id = row.id.as_uuid();
                    self.records.push((tenant, &row.kind, id));
                    if !read.contains(&(row.kind.as_str(), id)) {
                        self.locks.insert(record_lock(&row.kind, id), true);
                    }
                    for entry in index {
                        let slot = entry_slot(tenant, &row.kind, entry);
                        *self.locks.entry(list_lock(&slot)).or_default() |= entry.unique;
                        if entry.unique {
                            self.unique.push(slot);
                        }
                    }
                }
                Write::DeleteRecord { kind, id } => {
                    self.records.push((tenant, kind, id.as_uuid()));
                    if !read.contains(&(kind.as_str(), id.as_uuid())) {
                        self.locks.insert(record_lock(kind, id.as_uuid()), true);
                    }
                }
                Write::TakeKey { key, .. } => {
                    self.locks.insert(key_lock(&slot(key)), true);
                }
                Write::DropAccount(account) => {
                    self.locks.insert(account_lock(&slot(account)), true);
                }
                _ => {}
            }
            if let Some((account, id)) = subject(write) {
                self.locks.insert(account_lock(&slot(account)), true);
                self.accounts.push(account_key(tenant, account));
                self.entries.push(entry_key(tenant, account, id));
            }
        }
    }

    fn put_in_order(&mut self) {
        fn once<T: Ord>(list: &mut Vec<T>) {
            list.sort_unstable();
            list.dedup();
        }
        once(&mut self.runs);
        once(&mut self.records);
        once(&mut self.unique);
        once(&mut self.lists);
        once(&mut self.keys);
        once(&mut self.approvals);
        once(&mut self.letters);
        once(&mut self.signals);
        once(&mut self.accounts);
        once(&mut self.entries);
    }

    /// The questions of the first round trip, with the kind of each answer.
    pub(super) fn questions(&self) -> Vec<(Part, Question<'_>)> {
        let mut questions = vec![
            (Part::Begin, Question::new("BEGIN ISOLATION LEVEL READ COMMITTED", vec![])),
            (Part::Transaction, Question::new("SELECT pg_current_xact_id()::text", vec![])),
        ];
        let mut ask = |part, sql: &'static str, params| questions.push((part, Question::new(sql, params)));
        if !self.locks.is_empty() {
            let (numbers, alone): (Vec<i64>, Vec<bool>) = self.locks.iter().map(|(n, alone)| (*n, *alone)).unzip();
            ask(Part::Locks, LOCKS, values![numbers, alone]);
        }
        if !self.runs.is_empty() {
            let (tenants, ids) = ids(&self.runs);
            ask(Part::Runs, RUNS, values![tenants, ids]);
        }
        if !self.records.is_empty() && self.lists.is_empty() {
            let [tenants, kinds] = [0, 1].map(|n| record_texts(&self.records, n));
            ask(Part::Records, RECORDS, values![tenants, kinds, record_ids(&self.records)]);
        }
        if !self.lists.is_empty() {
            let [tenants, kinds] = [0, 1].map(|n| record_texts(&self.records, n));
            let [t, k, f, v] = slot_columns(&self.lists);
            let params = values![tenants, kinds, record_ids(&self.records), t, k, f, v];
            ask(Part::Records, RECORDS_AND_LISTED, params);
        }
        if !self.approvals.is_empty() {
            let (tenants, ids) = ids(&self.approvals);
            ask(Part::Approvals, APPROVALS, values![tenants, ids]);
        }
        if !self.letters.is_empty() {
            let (tenants, ids) = ids(&self.letters);
            ask(Part::Letters, LETTERS, values![tenants, ids]);
        }
        if !self.signals.is_empty() {
            let tenants: Vec<&str> = self.signals.iter().map(|key| key.0).collect();
            let runs: Vec<Uuid> = self.signals.iter().map(|key| key.1).collect();
            let slots: Vec<&str> = self.signals.iter().map(|key| &*key.2).collect();
            ask(Part::Signals, SIGNALS, values![tenants, runs, slots]);
        }
        if !self.unique.is_empty() {
            let [t, k, f, v] = slot_columns(&self.unique);
            ask(Part::Unique, UNIQUE, values![t, k, f, v]);
        }
        if !self.lists.is_empty() {
            let [t, k, f, v] = slot_columns(&self.lists);
            ask(Part::Lists, LISTS, values![t, k, f, v]);
        }
        if !self.keys.is_empty() {
            let tenants: Vec<&str> = self.keys.iter().map(|key| key.0).collect();
            let keys: Vec<&str> = self.keys.iter().map(|key| &*key.1).collect();
            ask(Part::Keys, KEYS, values![tenants, keys]);
        }
        if !self.entries.is_empty() {
            let (tenants, accounts): (Vec<&str>, Vec<&str>) =
                self.accounts.iter().map(|key| (key.0.as_str(), key.1.as_str())).unzip();
            ask(Part::Accounts, TOTALS, values![tenants, accounts]);
            let column = |part: fn(&EntryKey) -> &str| self.entries.iter().map(part).collect::<Vec<&str>>();
            let params = values![column(|key| &key.0), column(|key| &key.1), column(|key| &key.2)];
            ask(Part::Entries, ENTRIES, params);
        }
        questions
    }

    /// The index of the record that a row belongs to; `None` if the row was only locked.
    pub(super) fn record_of(&self, row: &Row) -> Option<usize> {
        let (tenant, kind, id): (&str, &str, Uuid) = (row.get(0), row.get(1), row.get(2));
        self.records.binary_search(&(tenant, kind, id)).ok()
    }
}

/// The kind of an answer in the first round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Begin,
    Transaction,
    Locks,
    Runs,
    Records,
    Approvals,
    Letters,
    Signals,
    Unique,
    Lists,
    Keys,
    Accounts,
    Entries,
}

fn ids<'a>(list: &[Id<'a>]) -> (Vec<&'a str>, Vec<Uuid>) {
    list.iter().copied().unzip()
}

fn record_texts<'a>(records: &[RecordKey<'a>], n: usize) -> Vec<&'a str> {
    records.iter().map(|key| if n == 0 { key.0 } else { key.1 }).collect()
}

fn record_ids(records: &[RecordKey<'_>]) -> Vec<Uuid> {
    records.iter().map(|key| key.2).collect()
}

fn slot_columns<'s>(slots: &'s [Slot<'_>]) -> [Vec<&'s str>; 4] {
    let column = |n: usize| {
        let part = |slot: &'s Slot<'_>| match n {
            0 => slot.0,
            1 => slot.1,
            2 => &*slot.2,
            _ => &*slot.3,
        };
        slots.iter().map(part).collect()
    };
    [0, 1, 2, 3].map(column)
}

/// Locks in array order, because the aggregate reads its rows in order.
const LOCKS: &str = "
SELECT count(CASE WHEN l.alone THEN pg_advisory_xact_lock(l.n) ELSE pg_advisory_xact_lock_shared(l.n) END)
FROM unnest($1::bigint[], $2::boolean[]) AS l (n, alone)";

const RUNS: &str = "
SELECT q.n, r.seq, r.fence FROM unnest($1::text[], $2::uuid[]) WITH ORDINALITY AS q (tenant, id, n)
JOIN runs r ON r.tenant = q.tenant AND r.id = q.id ORDER BY r.tenant, r.id FOR UPDATE OF r";

const RECORDS: &str = "
SELECT r.tenant, r.kind, r.id, r.revision, r.entries
FROM unnest($1::text[], $2::text[], $3::uuid[]) AS q (tenant, kind, id)
JOIN records r ON r.tenant = q.tenant AND r.kind = q.kind AND r.id = q.id
ORDER BY r.tenant, r.kind, r.id FOR UPDATE OF r";

const RECORDS_AND_LISTED: &str = "
SELECT r.tenant, r.kind, r.id, r.revision, r.entries
FROM (
    SELECT tenant COLLATE \"C\" AS tenant, kind COLLATE \"C\" AS kind, id
    FROM unnest($1::text[], $2::text[], $3::uuid[]) AS q (tenant, kind, id)
    UNION
    SELECT i.tenant, i.kind, i.id
    FROM unnest($4::text[], $5::text[], $6::text[], $7::text[]) AS q (tenant, kind, field, value)
    JOIN record_index i ON i.tenant = q.tenant AND i.kind = q.kind AND i.field = q.field AND i.value = q.value
    UNION
    SELECT u.tenant, u.kind, u.id
    FROM unnest($4::text[], $5::text[], $6::text[], $7::text[]) AS q (tenant, kind, field, value)
    JOIN record_unique u ON u.tenant = q.tenant AND u.kind = q.kind AND u.field = q.field AND u.value = q.value
) AS q JOIN records r ON r.tenant = q.tenant AND r.kind = q.kind AND r.id = q.id
ORDER BY r.tenant, r.kind, r.id FOR UPDATE OF r";

const APPROVALS: &str = "
SELECT q.n FROM unnest($1::text[], $2::uuid[]) WITH ORDINALITY AS q (tenant, id, n)
JOIN approvals r ON r.tenant = q.tenant AND r.id = q.id WHERE r.status = 'pending'
ORDER BY r.tenant, r.id FOR UPDATE OF r";

const LETTERS: &str = "
SELECT q.n FROM unnest($1::text[], $2::uuid[]) WITH ORDINALITY AS q (tenant, id, n)
JOIN dead_letters r ON r.tenant = q.tenant AND r.id = q.id WHERE r.open
ORDER BY r.tenant, r.id FOR UPDATE OF r";

const SIGNALS: &str = "
SELECT q.n FROM unnest($1::text[], $2::uuid[], $3::text[]) WITH ORDINALITY AS q (tenant, run, slot, n)
JOIN signals r ON r.tenant = q.tenant AND r.run = q.run AND r.slot = q.slot
ORDER BY r.tenant, r.run, r.slot FOR UPDATE OF r";

const UNIQUE: &str = "
SELECT q.n, u.id
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS q (tenant, kind, field, value, n)
JOIN record_unique u ON u.tenant = q.tenant AND u.kind = q.kind AND u.field = q.field AND u.value = q.value";

const LISTS: &str = "
SELECT q.n, r.id, r.revision
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS q (tenant, kind, field, value, n)
JOIN LATERAL (
    SELECT i.id FROM record_index i
    WHERE i.tenant = q.tenant AND i.kind = q.kind AND i.field = q.field AND i.value = q.value
    UNION
    SELECT u.id FROM record_unique u
    WHERE u.tenant = q.tenant AND u.kind = q.kind AND u.field = q.field AND u.value = q.value
) AS i ON true
JOIN records r ON r.tenant = q.tenant AND r.kind = q.kind AND r.id = i.id";

const KEYS: &str = "
SELECT q.n FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS q (tenant, key, n)
JOIN request_keys k ON k.tenant = q.tenant AND k.key = q.key";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IndexValue;

    #[test]
    fn lock_numbers_are_the_same_in_every_build_and_differ_by_part() {
        assert_ne!(lock_number(&[b"ab", b""]), lock_number(&[b"a", b"b"]));
        // Nodes of different builds must agree, so this number must never change.
        assert_eq!(lock_number(&[b"brain", b"default", b"key"]), 6_871_949_287_513_998_462);
    }

    #[test]
    fn relying_on_a_list_takes_its_lock_exclusively_and_adding_to_it_shares_it() {
        use crate::conformance::sample;
        let scope = sample::scope("default");
        let entry = IndexEntry { field: "job".into(), value: IndexValue::of("7"), unique: false };
        let row = sample::record("mark", 1, 2, None, serde_json::json!({}));
        let read = Precondition::Record { kind: "mark".into(), id: row.id, revision: Some(1) };
        let adds = Member {
            scope: scope.clone(),
            preconditions: vec![read],
            writes: vec![Write::PutRecord { row, index: vec![entry], text: None }],
        };
        let fingerprint = crate::fingerprint([]);
        let listed =
            Precondition::Listed { kind: "mark".into(), field: "job".into(), value: IndexValue::of("7"), fingerprint };
        let relies = Member { scope, preconditions: vec![listed], writes: Vec::new() };
        let locks = |members: &[&Member]| Requirements::of(members.iter().copied(), "brain").locks;
        let (shared, alone) = (locks(&[&adds]), locks(&[&relies]));
        assert_eq!(shared.values().collect::<Vec<_>>(), [&false]);
        assert_eq!(alone.values().collect::<Vec<_>>(), [&true]);
        assert!(shared.keys().eq(alone.keys()), "both use the same lock");
        assert_eq!(locks(&[&relies, &adds]), alone, "the exclusive lock wins, in either order");
        assert_eq!(locks(&[&adds, &relies]), alone);
        assert_ne!(Requirements::of([&relies], "other").locks, alone, "another schema has locks of its own");
    }
}
