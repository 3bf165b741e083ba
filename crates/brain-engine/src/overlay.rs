//! A read-your-writes view of the records: decisions are taken over it, and it remembers what they relied on.

use std::collections::{BTreeMap, BTreeSet};

use brain_core::RecordId;
use brain_store::{IndexEntry, Precondition, RecordFilter, RecordRow, Scope, Store, StoreError, Write};

use crate::reads::{Read, Reader};

/// More records than this are not read in one decision.
const MAX_LISTED: usize = 10_000;

type Key = (String, RecordId);

struct Put {
    row: RecordRow,
    index: Vec<IndexEntry>,
    text: Option<String>,
}

fn too_many(kind: &str) -> StoreError {
    StoreError::TooMany { kind: kind.to_owned(), limit: MAX_LISTED }
}

/// What one turn has read and would write. Nothing reaches the store before the commit.
pub struct RecordView<'a> {
    pub(crate) reader: Reader<'a>,
    /// The revision of every record that was read by id or is written; `None` if there was none.
    seen: BTreeMap<Key, Option<u64>>,
    /// Records as they will be; `None` once deleted.
    changed: BTreeMap<Key, Option<Put>>,
    /// Lists that must be the same at the commit.
    relied: Vec<Precondition>,
    /// How to go back: what was first seen, and what a change replaced.
    journal: Vec<Entry>,
    /// Why the store could not be read, if that happened: whatever was decided, it was decided without looking.
    away: Option<StoreError>,
}

enum Entry {
    Saw(Key),
    Changed(Key, Option<Option<Put>>),
}

/// A state of the view to come back to.
pub(crate) struct Savepoint {
    journal: usize,
    relied: usize,
}

impl<'a> RecordView<'a> {
    /// A view with nothing read and nothing written, for somebody who may wait for the store.
    pub fn new(store: &'a dyn Store, scope: &'a Scope) -> Self {
        Self::over(Reader::waiting(store, scope))
    }

    /// A view with nothing read and nothing written.
    pub(crate) fn over(reader: Reader<'a>) -> Self {
        let (seen, changed) = (BTreeMap::new(), BTreeMap::new());
        Self { reader, seen, changed, relied: Vec::new(), journal: Vec::new(), away: None }
    }

    /// One record, with the writes of this turn. The commit will insist that nobody has changed it meanwhile.
    pub fn get(&mut self, kind: &str, id: RecordId) -> Result<Option<RecordRow>, StoreError> {
        let key = (kind.to_owned(), id);
        if let Some(change) = self.changed.get(&key) {
            return Ok(change.as_ref().map(|put| put.row.clone()));
        }
        let row = self.reader.record(kind, id);
        let row = self.noted(row)?;
        self.saw(key, row.as_ref().map(|row| row.revision));
        Ok(row)
    }

    /// Records that match, oldest first, with the writes of this turn. A list relies on nothing: a record that
    /// someone adds meanwhile is not a conflict. Whoever asks for all of them gets all, or [`StoreError::TooMany`].
    pub fn list(&mut self, kind: &str, filter: &RecordFilter, limit: usize) -> Result<Vec<RecordRow>, StoreError> {
        let whole = limit > MAX_LISTED;
        let limit = limit.min(MAX_LISTED);
        let hidden = self.changed.keys().filter(|(of, _)| of == kind).count();
        let page = self.reader.records(kind, filter, limit + hidden);
        let page = self.noted(page)?;
        if whole && page.next.is_some() {
            return Err(too_many(kind));
        }
        Ok(self.merge(kind, page.items, limit, |put| filter.matches(&put.row, &put.index)))
    }

    /// [`RecordView::list`] for a decision that relies on the list being complete: the commit will insist that the
    /// records with that value in the first indexed field of the filter are still the same.
    pub fn list_relied(
        &mut self,
        kind: &str,
        filter: &RecordFilter,
        limit: usize,
    ) -> Result<Vec<RecordRow>, StoreError> {
        if let Some((field, value)) = filter.indexed.first() {
            let whole = RecordFilter { indexed: vec![(field.clone(), value.clone())], ..RecordFilter::default() };
            let page = self.reader.records(kind, &whole, MAX_LISTED);
            let page = self.noted(page)?;
            // The commit compares with all records that have the value: a part of them would never be the same.
            if page.next.is_some() {
                return Err(too_many(kind));
            }
            let fingerprint = brain_store::fingerprint(page.items.iter().map(|row| (row.id, row.revision)));
            let (kind, field, value) = (kind.to_owned(), field.clone(), value.clone());
            self.relied.push(Precondition::Listed { kind, field, value, fingerprint });
        }
        self.list(kind, filter, limit)
    }

    /// Records that contain these words, best first; those of this turn come last.
    pub fn search(&mut self, kind: &str, query: &str, limit: usize) -> Result<Vec<RecordRow>, StoreError> {
        let found = self.reader.search(kind, query, limit);
        let found = self.noted(found)?;
        let wanted = brain_store::search_words(query);
        let mut rows: Vec<RecordRow> =
            found.into_iter().filter(|row| !self.changed.contains_key(&(row.kind.clone(), row.id))).collect();
        for ((of, _), put) in &self.changed {
            let Some(put) = put else { continue };
            let text = put.text.as_deref().unwrap_or_default();
            if of == kind && brain_store::contains_words(text, &wanted) {
                rows.push(put.row.clone());
            }
        }
        rows.truncate(limit);
        Ok(rows)
    }

    /// Writes a record. Its revision must be one more than the one that [`RecordView::get`] gave, or 1.
    pub fn put(&mut self, row: RecordRow, index: Vec<IndexEntry>, text: Option<String>) {
        let key = (row.kind.clone(), row.id);
        self.saw(key.clone(), row.revision.checked_sub(1).filter(|revision| *revision > 0));
        self.change(key, Some(Put { row, index, text }));
    }

    /// Deletes a record that [`RecordView::get`] gave.
    pub fn delete(&mut self, kind: &str, id: RecordId) {
        self.change((kind.to_owned(), id), None);
    }

    /// A tool may make what it likes of a store that does not answer; the turn is decided again when it does.
    fn noted<T>(&mut self, read: Result<T, StoreError>) -> Result<T, StoreError> {
        if let Err(error @ StoreError::Failed(_)) = &read {
            self.away = Some(error.clone());
        }
        read
    }

    pub(crate) fn away(&self) -> Option<&StoreError> {
        self.away.as_ref()
    }

    /// What others must read before the turn can be decided.
    pub(crate) fn missed(&mut self) -> Vec<Read> {
        self.reader.take_missed()
    }

    fn saw(&mut self, key: Key, revision: Option<u64>) {
        if !self.seen.contains_key(&key) {
            self.journal.push(Entry::Saw(key.clone()));
            self.seen.insert(key, revision);
        }
    }

    fn change(&mut self, key: Key, to: Option<Put>) {
        let before = self.changed.insert(key.clone(), to);
        self.journal.push(Entry::Changed(key, before));
    }

    pub(crate) fn save(&self) -> Savepoint {
        Savepoint { journal: self.journal.len(), relied: self.relied.len() }
    }

    pub(crate) fn restore(&mut self, savepoint: Savepoint) {
        while self.journal.len() > savepoint.journal {
            match self.journal.pop() {
                Some(Entry::Saw(key)) => drop(self.seen.remove(&key)),
                Some(Entry::Changed(key, Some(before))) => drop(self.changed.insert(key, before)),
                Some(Entry::Changed(key, None)) => drop(self.changed.remove(&key)),
                None => break,
            }
        }
        self.relied.truncate(savepoint.relied);
    }

    /// What the turn relied on, and what it writes.
    pub(crate) fn finish(self) -> (Vec<Precondition>, Vec<Write>) {
        let seen = self.seen.into_iter();
        let mut preconditions: Vec<Precondition> =
            seen.map(|((kind, id), revision)| Precondition::Record { kind, id, revision }).collect();
        preconditions.extend(self.relied);
        let mut writes = Vec::with_capacity(self.changed.len());
        for ((kind, id), change) in self.changed {
            writes.push(match change {
                Some(put) => Write::PutRecord { row: put.row, index: put.index, text: put.text },
                None => Write::DeleteRecord { kind, id },
            });
        }
        (preconditions, writes)
    }

    fn merge(&self, kind: &str, stored: Vec<RecordRow>, limit: usize, fits: impl Fn(&Put) -> bool) -> Vec<RecordRow> {
        let mut rows: BTreeMap<RecordId, RecordRow> = stored.into_iter().map(|row| (row.id, row)).collect();
        let mine: BTreeSet<RecordId> = self.changed.keys().filter(|(of, _)| of == kind).map(|(_, id)| *id).collect();
        rows.retain(|id, _| !mine.contains(id));
        for ((of, id), change) in &self.changed {
            if let Some(put) = change
                && of == kind
                && fits(put)
            {
                rows.insert(*id, put.row.clone());
            }
        }
        rows.into_values().take(limit).collect()
    }
}
