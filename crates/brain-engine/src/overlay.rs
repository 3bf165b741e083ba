//! A read-your-writes view of the records. Decisions read through it, and it records what they relied on.

use std::collections::{BTreeMap, BTreeSet};

use brain_core::RecordId;
use brain_store::{IndexEntry, Precondition, RecordFilter, RecordRow, Scope, Store, StoreError, Write};

use crate::reads::{Read, Reader};

/// Maximum number of records that one decision may list.
pub const MAX_LISTED: usize = 10_000;

type Key = (String, RecordId);

struct Put {
    row: RecordRow,
    index: Vec<IndexEntry>,
    text: Option<String>,
}

fn too_many(kind: &str) -> StoreError {
    StoreError::TooMany { kind: kind.to_owned(), limit: MAX_LISTED }
}

/// The reads and pending writes of one turn. Nothing reaches the store before the commit.
pub struct RecordView<'a> {
    pub(crate) reader: Reader<'a>,
    /// Revisions of all records that were read by id or are written; `None` if a record did not exist.
    seen: BTreeMap<Key, Option<u64>>,
    /// Records with their pending changes; `None` for deleted ones.
    changed: BTreeMap<Key, Option<Put>>,
    /// Lists that must be unchanged at the commit.
    relied: Vec<Precondition>,
    /// The undo journal: first reads, and values that changes replaced.
    journal: Vec<Entry>,
    /// Set if the store could not be read: the turn must then be decided again, whatever it decided.
    away: Option<StoreError>,
    /// Records that cannot be inserted, because they were there at the last try.
    taken: BTreeSet<Key>,
}

enum Entry {
    Saw(Key),
    Changed(Key, Option<Option<Put>>),
}

/// A state of the view that can be restored.
pub(crate) struct Savepoint {
    journal: usize,
    relied: usize,
}

impl<'a> RecordView<'a> {
    /// An empty view for callers that may block on the store.
    pub fn new(store: &'a dyn Store, scope: &'a Scope) -> Self {
        Self::over(Reader::waiting(store, scope))
    }

    /// An empty view over a reader.
    pub(crate) fn over(reader: Reader<'a>) -> Self {
        let (seen, changed) = (BTreeMap::new(), BTreeMap::new());
        Self { reader, seen, changed, relied: Vec::new(), journal: Vec::new(), away: None, taken: BTreeSet::new() }
    }

    /// A view in which these records cannot be inserted.
    pub(crate) fn without(self, taken: &BTreeSet<(String, RecordId)>) -> Self {
        Self { taken: taken.clone(), ..self }
    }

    /// Whether a record that cannot be inserted is to be inserted: deciding again would never succeed.
    pub(crate) fn inserts_taken(&self) -> bool {
        self.taken.iter().any(|key| self.seen.get(key) == Some(&None) && matches!(self.changed.get(key), Some(Some(_))))
    }

    /// One record, with the writes of this turn. The commit requires that it has not changed meanwhile.
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

    /// Matching records, oldest first, with the writes of this turn. The list is no precondition: a record that is
    /// added meanwhile is not a conflict. Returns all records, or [`StoreError::TooMany`], if `limit` is larger than
    /// any list.
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

    /// The first [`MAX_LISTED`] matching records, oldest first, with the writes of this turn, and whether there are more.
    /// A turn that has not read them yet is decided again when they are there, so no deciding thread waits for them.
    pub fn scan(&mut self, kind: &str, filter: &RecordFilter) -> Result<(Vec<RecordRow>, bool), StoreError> {
        let hidden = self.changed.keys().filter(|(of, _)| of == kind).count();
        let page = self.reader.many_records(kind, filter, MAX_LISTED + hidden);
        let page = self.noted(page)?;
        let more = page.next.is_some();
        Ok((self.merge(kind, page.items, MAX_LISTED, |put| filter.matches(&put.row, &put.index)), more))
    }

    /// [`RecordView::list`] for a decision that relies on the complete list: the commit requires that the records with
    /// that value in the filter's first indexed field are unchanged.
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
            // The commit compares all records with the value, so a partial list would never match.
            if page.next.is_some() {
                return Err(too_many(kind));
            }
            let fingerprint = brain_store::fingerprint(page.items.iter().map(|row| (row.id, row.revision)));
            let (kind, field, value) = (kind.to_owned(), field.clone(), value.clone());
            self.relied.push(Precondition::Listed { kind, field, value, fingerprint });
        }
        self.list(kind, filter, limit)
    }

    /// Records that contain these words, best match first; those of this turn come last.
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

    /// Writes a record. Its revision must be one more than that of [`RecordView::get`], or 1 for a new record.
    pub fn put(&mut self, row: RecordRow, index: Vec<IndexEntry>, text: Option<String>) {
        let key = (row.kind.clone(), row.id);
        self.saw(key.clone(), row.revision.checked_sub(1).filter(|revision| *revision > 0));
        self.change(key, Some(Put { row, index, text }));
    }

    /// Deletes a record that [`RecordView::get`] returned.
    pub fn delete(&mut self, kind: &str, id: RecordId) {
        self.change((kind.to_owned(), id), None);
    }

    /// Records a store failure. A tool may handle the error as it likes; the turn is decided again once the store
    /// answers.
    fn noted<T>(&mut self, read: Result<T, StoreError>) -> Result<T, StoreError> {
        if let Err(error) = &read
            && error.is_transient()
        {
            self.away = Some(error.clone());
        }
        read
    }

    pub(crate) fn away(&self) -> Option<&StoreError> {
        self.away.as_ref()
    }

    /// Reads that must be performed before the turn can be decided.
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

    /// The preconditions and writes of the turn.
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
