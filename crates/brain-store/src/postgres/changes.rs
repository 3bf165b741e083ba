//! Collects the final row values of a group of members and writes them with one statement per table, however many rows
//! there are. Rows are sorted by key, so that concurrent transactions wait for each other without a deadlock.

use std::borrow::Cow;
use std::collections::BTreeMap;

use brain_core::{Digest, RunStatus, Timestamp};
use serde_json::Value;
use uuid::Uuid;

use super::accounts::{AccountKey, EntryKey};
use super::blobs::CHUNK;
use super::connection::{Question, values};
use super::requirements::{Id, RecordKey, SignalKey, Slot};
use super::statements;
use super::text::{lexemes, slot, written};
use super::view::{Entry, Known, View};
use crate::accounts::Held;
use crate::{
    ApprovalRow, DeadLetterRow, IndexEntry, LogRow, OfferRow, RecordRow, RunRow, RunSchedule, SignalRow, Write,
};

/// The columns of a run that can change.
struct RunChange<'a> {
    status: RunStatus,
    at: Timestamp,
    schedule: &'a RunSchedule,
    program: Option<Digest>,
}

struct Put<'a> {
    row: &'a RecordRow,
    index: &'a [IndexEntry],
    text: Option<&'a str>,
}

struct Blob<'a> {
    media_type: &'a str,
    at: Timestamp,
    bytes: &'a [u8],
}

/// A link without its timestamp: tenant, run, kind, record, step, role.
type Link<'a> = (&'a str, Uuid, &'a str, Uuid, &'a str, &'a str);

#[derive(Default)]
pub(super) struct Changes<'a> {
    new_runs: BTreeMap<Id<'a>, (&'a RunRow, RunChange<'a>)>,
    runs: BTreeMap<Id<'a>, RunChange<'a>>,
    log: Vec<(&'a str, &'a LogRow)>,
    /// `None` for a deleted record.
    records: BTreeMap<RecordKey<'a>, Option<Put<'a>>>,
    /// The records before the group's changes.
    originals: BTreeMap<RecordKey<'a>, Option<Known>>,
    links: BTreeMap<Link<'a>, Timestamp>,
    letters: BTreeMap<Id<'a>, &'a DeadLetterRow>,
    approvals: BTreeMap<Id<'a>, &'a ApprovalRow>,
    definitions: BTreeMap<Digest, (&'static str, &'a Value)>,
    keys: BTreeMap<(&'a str, Cow<'a, str>), (Digest, Uuid)>,
    /// `None` for a withdrawn offer.
    offers: BTreeMap<Id<'a>, Option<&'a OfferRow>>,
    taken_signals: BTreeMap<SignalKey<'a>, ()>,
    /// In order of arrival.
    signals: Vec<(SignalKey<'a>, &'a SignalRow)>,
    blobs: BTreeMap<(&'a str, Digest), Blob<'a>>,
    /// Writes of retention, in order.
    retention: Vec<(&'a str, &'a Write)>,
    totals: BTreeMap<AccountKey, i64>,
    /// `None` for a released entry.
    entries: BTreeMap<EntryKey, Option<Held>>,
    pub(super) members: u64,
    pub(super) rows: u64,
    pub(super) bytes: u64,
}

impl<'a> Changes<'a> {
    /// Whether there is nothing to write.
    pub(super) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The number of new runs.
    pub(super) fn new_runs(&self) -> usize {
        self.new_runs.len()
    }

    /// A row that is appended to a log, if any: tenant, run, number.
    pub(super) fn log_row(&self) -> Option<(String, Uuid, i64)> {
        self.log.first().map(|(tenant, row)| ((*tenant).to_owned(), row.run.as_uuid(), row.seq as i64))
    }

    /// Adds a write. `view` is the state before it.
    pub(super) fn add(&mut self, tenant: &'a str, write: &'a Write, view: &View<'a>) {
        self.rows += 1;
        match write {
            Write::NewRun(row) => {
                let change =
                    RunChange { status: row.status, at: row.updated_at, schedule: &row.schedule, program: row.program };
                self.new_runs.insert((tenant, row.id.as_uuid()), (row, change));
            }
            Write::UpdateRun { run, status, at, schedule, program } => {
                let key = (tenant, run.as_uuid());
                let change = |before: Option<Digest>| RunChange {
                    status: *status,
                    at: *at,
                    schedule,
                    program: program.or(before),
                };
                if let Some((_, new)) = self.new_runs.get_mut(&key) {
                    *new = change(new.program);
                } else {
                    let before = self.runs.get(&key).and_then(|earlier| earlier.program);
                    self.runs.insert(key, change(before));
                }
            }
            Write::Append(row) => self.log.push((tenant, row)),
            Write::PutRecord { row, index, text } => {
                let key = (tenant, row.kind.as_str(), row.id.as_uuid());
                self.rows += index.len() as u64 + u64::from(text.is_some());
                self.originals.entry(key).or_insert_with(|| view.record(&key).cloned());
                self.records.insert(key, Some(Put { row, index, text: text.as_deref() }));
            }
            Write::DeleteRecord { kind, id } => {
                let key = (tenant, kind.as_str(), id.as_uuid());
                self.originals.entry(key).or_insert_with(|| view.record(&key).cloned());
                self.records.insert(key, None);
            }
            Write::Link(row) => {
                let key = (tenant, row.run.as_uuid(), row.kind.as_str(), row.record.as_uuid(), &*row.step, &*row.role);
                self.links.entry(key).or_insert(row.at);
            }
            Write::PutLetter(row) => drop(self.letters.insert((tenant, row.id.as_uuid()), row)),
            Write::PutApproval(row) => drop(self.approvals.insert((tenant, row.id.as_uuid()), row)),
            Write::Define { hash, kind, body } => drop(self.definitions.entry(*hash).or_insert((kind, body))),
            Write::TakeKey { key, digest, run } => {
                self.keys.insert((tenant, slot(key)), (*digest, run.as_uuid()));
            }
            Write::Offer(row) => drop(self.offers.insert((tenant, row.key.as_uuid()), Some(row))),
            Write::Withdraw(key) => drop(self.offers.insert((tenant, key.as_uuid()), None)),
            Write::Signal(row) => {
                let key = (tenant, row.run.as_uuid(), slot(&row.id));
                if self.signals.iter().all(|(there, _)| *there != key) {
                    self.signals.push((key, row));
                }
            }
            Write::TakeSignal { run, id } => {
                let key = (tenant, run.as_uuid(), slot(id));
                self.signals.retain(|(there, _)| *there != key);
                self.taken_signals.insert(key, ());
            }
            Write::PutBlob { hash, media_type, at, bytes } => {
                self.blobs.entry((tenant, *hash)).or_insert(Blob { media_type, at: *at, bytes });
            }
            Write::Reserve { .. } | Write::Settle { .. } | Write::Release { .. } => {
                if let Some((account, entry, total, held)) = view.booked(tenant, write) {
                    self.bytes += 64;
                    self.totals.insert(account, total);
                    self.entries.insert(entry, held);
                }
            }
            Write::DropAccount(_)
            | Write::Erase { .. }
            | Write::DropLog { .. }
            | Write::DropRun(_)
            | Write::WithdrawAll(_)
            | Write::Number { .. }
            | Write::NoteBlob { .. }
            | Write::DropBlob { .. } => {
                self.retention.push((tenant, write));
            }
        }
    }

    /// The statements, in the same order in every transaction.
    pub(super) fn questions(&mut self) -> Vec<Question<'a>> {
        let mut out = Vec::new();
        self.define(&mut out);
        self.write_runs(&mut out);
        self.write_log(&mut out);
        self.write_records(&mut out);
        self.write_links(&mut out);
        self.write_waiting(&mut out);
        self.write_keys(&mut out);
        self.write_offers(&mut out);
        self.write_signals(&mut out);
        self.write_blobs(&mut out);
        super::accounts::write(std::mem::take(&mut self.totals), std::mem::take(&mut self.entries), &mut out);
        for (tenant, write) in std::mem::take(&mut self.retention) {
            super::retention::write(tenant, write, &mut out);
        }
        out
    }

    /// Serialises JSON and counts its bytes.
    fn json(&mut self, value: &Value) -> String {
        let text = value.to_string();
        self.bytes += text.len() as u64;
        text
    }

    fn define(&mut self, out: &mut Vec<Question<'a>>) {
        let definitions = std::mem::take(&mut self.definitions);
        if definitions.is_empty() {
            return;
        }
        let hashes: Vec<Vec<u8>> = definitions.keys().map(|hash| hash.as_bytes().to_vec()).collect();
        let kinds: Vec<&str> = definitions.values().map(|(kind, _)| *kind).collect();
        let bodies: Vec<String> = definitions.values().map(|(_, body)| self.json(body)).collect();
        out.push(Question::new(statements::DEFINITIONS, values![hashes, kinds, bodies]));
    }

    fn write_runs(&mut self, out: &mut Vec<Question<'a>>) {
        let new = std::mem::take(&mut self.new_runs);
        if !new.is_empty() {
            let (tenants, ids): (Vec<&str>, Vec<Uuid>) = new.keys().copied().unzip();
            let created: Vec<i64> = new.values().map(|(row, _)| row.created_at.as_millis()).collect();
            let requests: Vec<String> = new.values().map(|(row, _)| self.json(&row.request)).collect();
            let columns = Columns::new(new.values().map(|(_, change)| change));
            self.bytes += 128 * new.len() as u64;
            let erased: Vec<i16> = new.values().map(|(row, _)| i16::from(row.erased)).collect();
            let mut params = values![tenants, ids, created, requests];
            params.extend(columns.params());
            params.extend(values![erased]);
            out.push(Question::new(statements::NEW_RUNS, params));
        }
        let changed = std::mem::take(&mut self.runs);
        if !changed.is_empty() {
            let (tenants, ids): (Vec<&str>, Vec<Uuid>) = changed.keys().copied().unzip();
            let columns = Columns::new(changed.values());
            self.bytes += 128 * changed.len() as u64;
            let mut params = values![tenants, ids];
            params.extend(columns.params());
            out.push(Question::new(statements::RUNS, params));
        }
    }

    fn write_log(&mut self, out: &mut Vec<Question<'a>>) {
        let log = std::mem::take(&mut self.log);
        if log.is_empty() {
            return;
        }
        let tenants: Vec<&str> = log.iter().map(|(tenant, _)| *tenant).collect();
        let runs: Vec<Uuid> = log.iter().map(|(_, row)| row.run.as_uuid()).collect();
        let seqs: Vec<i64> = log.iter().map(|(_, row)| row.seq as i64).collect();
        let times: Vec<i64> = log.iter().map(|(_, row)| row.at.as_millis()).collect();
        let text = |value: Result<String, serde_json::Error>| value.expect("events and payloads are JSON");
        let events: Vec<String> = log.iter().map(|(_, row)| text(serde_json::to_string(&row.events))).collect();
        let payloads: Vec<Option<String>> = log
            .iter()
            .map(|(_, row)| (!row.payloads.is_empty()).then(|| text(serde_json::to_string(&row.payloads))))
            .collect();
        let sizes = events.iter().map(String::len).chain(payloads.iter().flatten().map(String::len));
        self.bytes += sizes.sum::<usize>() as u64 + 32 * log.len() as u64;
        let params = values![tenants.clone(), runs.clone(), seqs.clone(), times, events, payloads];
        out.push(Question::new(statements::LOG, params));
        out.push(Question::new(statements::PENDING, values![tenants, runs, seqs]));
    }

    fn write_records(&mut self, out: &mut Vec<Question<'a>>) {
        let records = std::mem::take(&mut self.records);
        let originals = std::mem::take(&mut self.originals);
        if records.is_empty() {
            return;
        }
        let (mut put, mut gone): (Vec<(RecordKey<'a>, &Put<'a>)>, Vec<RecordKey<'a>>) = (Vec::new(), Vec::new());
        // Index entries to add and remove; unique fields are separate.
        let (mut added, mut removed) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        let mut silent: Vec<RecordKey<'a>> = Vec::new();
        for (key, change) in &records {
            let before = originals.get(key).and_then(Option::as_ref);
            let old: &[Entry] = before.map_or(&[], |known| &known.entries);
            let new = change.as_ref().map_or(&[][..], |put| put.index);
            let same = |a: &Entry, b: &IndexEntry| a.0 == b.field && a.1 == b.value.as_str() && a.2 == b.unique;
            for entry in old.iter().filter(|old| !new.iter().any(|new| same(old, new))) {
                let slot = (Cow::Owned(entry.0.clone()), Cow::Owned(entry.1.clone()));
                removed[usize::from(entry.2)].push(((key.0, key.1, slot.0, slot.1), key.2));
            }
            for entry in new.iter().filter(|new| !old.iter().any(|old| same(old, new))) {
                let slot = (Cow::Borrowed(entry.field.as_str()), Cow::Borrowed(entry.value.as_str()));
                added[usize::from(entry.unique)].push(((key.0, key.1, slot.0, slot.1), key.2));
            }
            match change {
                Some(change) => {
                    put.push((*key, change));
                    if change.text.is_none() && before.is_some() {
                        silent.push(*key);
                    }
                }
                None if before.is_some() => gone.push(*key),
                None => {}
            }
        }
        silent.extend(&gone);
        if !gone.is_empty() {
            out.push(Question::new(statements::RECORDS_GONE, record_columns(&gone)));
        }
        if !put.is_empty() {
            out.push(self.put_records(&put));
        }
        for (unique, sql) in [(0, statements::INDEX_GONE), (1, statements::UNIQUE_GONE)] {
            if !removed[unique].is_empty() {
                out.push(Question::new(sql, entry_columns(std::mem::take(&mut removed[unique]))));
            }
        }
        for (unique, sql) in [(0, statements::INDEX), (1, statements::UNIQUE)] {
            if !added[unique].is_empty() {
                out.push(Question::new(sql, entry_columns(std::mem::take(&mut added[unique]))));
            }
        }
        if !silent.is_empty() {
            out.push(Question::new(statements::WORDS_GONE, record_columns(&silent)));
        }
        let spoken: Vec<(RecordKey<'a>, &'a str)> =
            put.iter().filter_map(|(key, put)| put.text.map(|text| (*key, text))).collect();
        for ((tenant, kind, id), text) in spoken {
            self.bytes += text.len() as u64;
            // One statement per record: PostgreSQL has no arrays of arrays of different lengths.
            let params = values![tenant, kind, id, written(text).into_owned(), lexemes(tenant, kind, text)];
            out.push(Question::new(statements::WORDS, params));
        }
    }

    fn put_records(&mut self, put: &[(RecordKey<'a>, &Put<'a>)]) -> Question<'a> {
        let mut params = record_columns(&put.iter().map(|(key, _)| *key).collect::<Vec<_>>());
        let revisions: Vec<i64> = put.iter().map(|(_, put)| put.row.revision as i64).collect();
        let states: Vec<Option<Cow<'a, str>>> =
            put.iter().map(|(_, put)| put.row.state.as_deref().map(written)).collect();
        let created: Vec<i64> = put.iter().map(|(_, put)| put.row.created_at.as_millis()).collect();
        let updated: Vec<i64> = put.iter().map(|(_, put)| put.row.updated_at.as_millis()).collect();
        let bodies: Vec<String> = put.iter().map(|(_, put)| self.json(&put.row.body)).collect();
        let entries: Vec<Option<String>> = put
            .iter()
            .map(|(_, put)| {
                let list: Vec<_> = put.index.iter().map(|one| (&one.field, one.value.as_str(), one.unique)).collect();
                (!list.is_empty()).then(|| serde_json::to_string(&list).expect("index entries are JSON"))
            })
            .collect();
        self.bytes += entries.iter().flatten().map(String::len).sum::<usize>() as u64 + 96 * put.len() as u64;
        params.extend(values![revisions, states, created, updated, bodies, entries]);
        Question::new(statements::RECORDS, params)
    }

    fn write_links(&mut self, out: &mut Vec<Question<'a>>) {
        let links = std::mem::take(&mut self.links);
        if links.is_empty() {
            return;
        }
        self.bytes += 80 * links.len() as u64;
        let tenants: Vec<&str> = links.keys().map(|key| key.0).collect();
        let runs: Vec<Uuid> = links.keys().map(|key| key.1).collect();
        let kinds: Vec<&str> = links.keys().map(|key| key.2).collect();
        let records: Vec<Uuid> = links.keys().map(|key| key.3).collect();
        let steps: Vec<&str> = links.keys().map(|key| key.4).collect();
        let roles: Vec<&str> = links.keys().map(|key| key.5).collect();
        let times: Vec<i64> = links.values().map(|at| at.as_millis()).collect();
        out.push(Question::new(statements::LINKS, values![tenants, runs, kinds, records, steps, roles, times]));
    }

    /// Writes dead letters and approvals.
    fn write_waiting(&mut self, out: &mut Vec<Question<'a>>) {
        let letters = std::mem::take(&mut self.letters);
        if !letters.is_empty() {
            let (tenants, ids): (Vec<&str>, Vec<Uuid>) = letters.keys().copied().unzip();
            let runs: Vec<Uuid> = letters.values().map(|row| row.run.as_uuid()).collect();
            let tools: Vec<&str> = letters.values().map(|row| row.tool.as_str()).collect();
            let times: Vec<i64> = letters.values().map(|row| row.opened_at.as_millis()).collect();
            let open: Vec<bool> = letters.values().map(|row| row.open).collect();
            let bodies: Vec<String> = letters.values().map(|row| self.json(&row.body)).collect();
            out.push(Question::new(statements::LETTERS, values![tenants, ids, runs, tools, times, open, bodies]));
        }
        let approvals = std::mem::take(&mut self.approvals);
        if !approvals.is_empty() {
            let (tenants, ids): (Vec<&str>, Vec<Uuid>) = approvals.keys().copied().unzip();
            let runs: Vec<Uuid> = approvals.values().map(|row| row.run.as_uuid()).collect();
            let states: Vec<&str> = approvals.values().map(|row| row.status.as_str()).collect();
            let times: Vec<i64> = approvals.values().map(|row| row.asked_at.as_millis()).collect();
            let bodies: Vec<String> = approvals.values().map(|row| self.json(&row.body)).collect();
            out.push(Question::new(statements::APPROVALS, values![tenants, ids, runs, states, times, bodies]));
        }
    }

    fn write_keys(&mut self, out: &mut Vec<Question<'a>>) {
        let keys = std::mem::take(&mut self.keys);
        if keys.is_empty() {
            return;
        }
        self.bytes += 96 * keys.len() as u64;
        let digests: Vec<Vec<u8>> = keys.values().map(|(digest, _)| digest.as_bytes().to_vec()).collect();
        let runs: Vec<Uuid> = keys.values().map(|(_, run)| *run).collect();
        let (tenants, keys): (Vec<&str>, Vec<Cow<'a, str>>) = keys.into_keys().unzip();
        out.push(Question::new(statements::KEYS, values![tenants, keys, digests, runs]));
    }

    fn write_offers(&mut self, out: &mut Vec<Question<'a>>) {
        let offers = std::mem::take(&mut self.offers);
        self.bytes += 64 * offers.len() as u64;
        let gone: Vec<Id<'a>> = offers.iter().filter(|(_, row)| row.is_none()).map(|(key, _)| *key).collect();
        if !gone.is_empty() {
            let (tenants, keys): (Vec<&str>, Vec<Uuid>) = gone.into_iter().unzip();
            out.push(Question::new(statements::OFFERS_GONE, values![tenants, keys]));
        }
        let there: Vec<(Id<'a>, &OfferRow)> = offers.iter().filter_map(|(key, row)| Some((*key, (*row)?))).collect();
        if !there.is_empty() {
            let (tenants, keys): (Vec<&str>, Vec<Uuid>) = there.iter().map(|(key, _)| *key).unzip();
            let runs: Vec<Uuid> = there.iter().map(|(_, row)| row.run.as_uuid()).collect();
            let topics: Vec<String> = there.iter().map(|(_, row)| written(&row.topic).into_owned()).collect();
            let places: Vec<i64> = there.iter().map(|(_, row)| row.order).collect();
            out.push(Question::new(statements::OFFERS, values![tenants, keys, runs, topics, places]));
        }
    }

    fn write_signals(&mut self, out: &mut Vec<Question<'a>>) {
        let taken = std::mem::take(&mut self.taken_signals);
        if !taken.is_empty() {
            let tenants: Vec<&str> = taken.keys().map(|key| key.0).collect();
            let runs: Vec<Uuid> = taken.keys().map(|key| key.1).collect();
            let slots: Vec<Cow<'a, str>> = taken.into_keys().map(|key| key.2).collect();
            out.push(Question::new(statements::SIGNALS_GONE, values![tenants, runs, slots]));
        }
        let sent = std::mem::take(&mut self.signals);
        if !sent.is_empty() {
            let tenants: Vec<&str> = sent.iter().map(|(key, _)| key.0).collect();
            let runs: Vec<Uuid> = sent.iter().map(|(key, _)| key.1).collect();
            let ids: Vec<Cow<'a, str>> = sent.iter().map(|(_, row)| written(&row.id)).collect();
            let times: Vec<i64> = sent.iter().map(|(_, row)| row.at.as_millis()).collect();
            let bodies: Vec<String> = sent.iter().map(|(_, row)| self.json(&row.body)).collect();
            let slots: Vec<Cow<'a, str>> = sent.into_iter().map(|(key, _)| key.2).collect();
            out.push(Question::new(statements::SIGNALS, values![tenants, runs, slots, ids, times, bodies]));
        }
    }

    fn write_blobs(&mut self, out: &mut Vec<Question<'a>>) {
        // One statement per blob, because blobs are large.
        for ((tenant, hash), blob) in std::mem::take(&mut self.blobs) {
            self.bytes += blob.bytes.len() as u64 + 128;
            let chunks: Vec<&'a [u8]> = blob.bytes.chunks(CHUNK).collect();
            let (size, media_type) = (blob.bytes.len() as i64, written(blob.media_type));
            let hash = hash.as_bytes().to_vec();
            let params = values![tenant, hash, size, media_type, blob.at.as_millis(), CHUNK as i32, chunks];
            out.push(Question::new(statements::BLOB, params));
        }
    }
}

/// The columns that inserts and updates of runs share.
struct Columns<'a> {
    updated: Vec<i64>,
    status: Vec<&'a str>,
    program: Vec<Option<Vec<u8>>>,
    seq: Vec<i64>,
    owner: Vec<Option<Uuid>>,
    fence: Vec<i64>,
    wake_at: Vec<Option<i64>>,
    priority: Vec<i16>,
    order: Vec<Option<i64>>,
    limit: Vec<Option<&'a str>>,
}

impl<'a> Columns<'a> {
    fn new<'c>(changes: impl Iterator<Item = &'c RunChange<'a>> + Clone) -> Self
    where
        'a: 'c,
    {
        let schedules = || changes.clone().map(|change| change.schedule);
        Self {
            updated: changes.clone().map(|change| change.at.as_millis()).collect(),
            status: changes.clone().map(|change| change.status.as_str()).collect(),
            program: changes.clone().map(|change| change.program.map(|hash| hash.as_bytes().to_vec())).collect(),
            seq: schedules().map(|schedule| schedule.seq as i64).collect(),
            owner: schedules().map(|schedule| schedule.owner.map(|node| node.as_uuid())).collect(),
            fence: schedules().map(|schedule| schedule.fence as i64).collect(),
            wake_at: schedules().map(|schedule| schedule.wake_at.map(|at| at.as_millis())).collect(),
            priority: schedules().map(|schedule| i16::from(schedule.priority)).collect(),
            order: schedules().map(|schedule| schedule.queued.as_ref().map(|place| place.order)).collect(),
            limit: schedules().map(|schedule| schedule.queued.as_ref().map(|place| &*place.limit)).collect(),
        }
    }

    fn params(self) -> Vec<super::connection::Param<'a>> {
        let Self { updated, status, program, seq, owner, fence, wake_at, priority, order, limit } = self;
        values![updated, status, program, seq, owner, fence, wake_at, priority, order, limit]
    }
}

fn record_columns<'a>(keys: &[RecordKey<'a>]) -> Vec<super::connection::Param<'a>> {
    let tenants: Vec<&str> = keys.iter().map(|key| key.0).collect();
    let kinds: Vec<&str> = keys.iter().map(|key| key.1).collect();
    let ids: Vec<Uuid> = keys.iter().map(|key| key.2).collect();
    values![tenants, kinds, ids]
}

fn entry_columns<'a>(mut entries: Vec<(Slot<'a>, Uuid)>) -> Vec<super::connection::Param<'a>> {
    entries.sort_unstable();
    let (mut tenants, mut kinds, mut fields, mut contents, mut ids) = (vec![], vec![], vec![], vec![], vec![]);
    for ((tenant, kind, field, value), id) in entries {
        tenants.push(tenant);
        kinds.push(kind);
        fields.push(field);
        contents.push(value);
        ids.push(id);
    }
    values![tenants, kinds, fields, contents, ids]
}
