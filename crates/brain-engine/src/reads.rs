//! Reads of a turn, prefetched where the store is a server. A deciding thread never waits for such a store: a turn that
//! misses a read is dropped, a loader performs the read, and the turn is decided again with the answer.

use brain_core::{JobKey, RecordId, RunId};
use brain_store::{ApprovalRow, DeadLetterRow, Page, RecordFilter, RecordRow, Scope, SignalRow, Store, StoreError};

use crate::core::{ChildStart, child_start};

/// Maximum number of missed reads of one turn before it reads in place.
const MAX_MISSES: usize = 64;

/// A read of a turn.
#[derive(Clone, Debug, PartialEq)]
pub enum Read {
    /// One record.
    Record(String, RecordId),
    /// Matching records, up to a limit.
    Records(String, RecordFilter, usize),
    /// Records that contain words, up to a limit.
    Search(String, String, usize),
    /// The inbox of the run.
    Signals,
    /// A dead letter.
    Letter(JobKey),
    /// The approvals of the run.
    Approvals,
    /// Whether a job has started its child run, and whether it waits for that run.
    Child(JobKey, bool),
}

/// The answer to a read.
#[derive(Clone, Debug)]
pub enum Found {
    /// For [`Read::Record`].
    Record(Option<RecordRow>),
    /// For [`Read::Records`].
    Records(Page<RecordRow>),
    /// For [`Read::Search`].
    Search(Vec<RecordRow>),
    /// For [`Read::Signals`].
    Signals(Vec<SignalRow>),
    /// For [`Read::Letter`].
    Letter(Option<DeadLetterRow>),
    /// For [`Read::Approvals`].
    Approvals(Vec<ApprovalRow>),
    /// For [`Read::Child`].
    Child(ChildStart),
}

/// Reads and their answers.
pub type Answers = Vec<(Read, Result<Found, StoreError>)>;

impl Read {
    /// Performs the read.
    pub fn perform(&self, store: &dyn Store, scope: &Scope, run: Option<RunId>) -> Result<Found, StoreError> {
        Ok(match self {
            Self::Record(kind, id) => Found::Record(store.record(scope, kind, *id)?),
            Self::Records(kind, filter, limit) => Found::Records(store.records(scope, kind, filter, *limit, None)?),
            Self::Search(kind, query, limit) => Found::Search(store.search(scope, kind, query, *limit)?),
            Self::Signals => Found::Signals(run.map_or(Ok(Vec::new()), |run| store.signals(scope, run))?),
            Self::Letter(id) => Found::Letter(store.dead_letter(scope, *id)?),
            Self::Approvals => Found::Approvals(run.map_or(Ok(Vec::new()), |run| store.approvals_of(scope, run))?),
            Self::Child(job, waits) => {
                Found::Child(run.map_or(Ok(ChildStart::Never), |run| child_start(store, scope, run, *job, *waits))?)
            }
        })
    }
}

/// The reads of one turn.
pub(crate) struct Reader<'a> {
    store: &'a dyn Store,
    scope: &'a Scope,
    run: Option<RunId>,
    /// The prefetched answers.
    known: &'a [(Read, Result<Found, StoreError>)],
    /// Whether a miss is recorded in `missed` instead of being read in place.
    leaves: bool,
    /// Whether long reads are recorded in `missed`, whatever the store.
    leaves_long: bool,
    missed: Vec<Read>,
}

impl<'a> Reader<'a> {
    /// A reader that reads in place, for callers that may block on the store. It belongs to no run.
    pub(crate) fn waiting(store: &'a dyn Store, scope: &'a Scope) -> Self {
        Self { store, scope, run: None, known: &[], leaves: false, leaves_long: false, missed: Vec::new() }
    }

    /// A reader for one turn, with the answers that were prefetched for it.
    pub(crate) fn of_turn(store: &'a dyn Store, scope: &'a Scope, run: RunId, known: &'a Answers) -> Self {
        let leaves_long = known.len() < MAX_MISSES;
        let leaves = store.reads_wait() && leaves_long;
        Self { store, scope, run: Some(run), known, leaves, leaves_long, missed: Vec::new() }
    }

    fn read<T>(&mut self, read: Read, pick: impl FnOnce(Found) -> Option<T>) -> Result<T, StoreError> {
        self.read_or_leave(read, self.leaves, pick)
    }

    fn read_or_leave<T>(
        &mut self,
        read: Read,
        leaves: bool,
        pick: impl FnOnce(Found) -> Option<T>,
    ) -> Result<T, StoreError> {
        let answer = match self.known.iter().find(|(known, _)| *known == read) {
            Some((_, answer)) => answer.clone()?,
            None if leaves => {
                if !self.missed.contains(&read) {
                    self.missed.push(read);
                }
                return Err(StoreError::Failed("not read yet".to_owned()));
            }
            None => read.perform(self.store, self.scope, self.run)?,
        };
        pick(answer).ok_or_else(|| StoreError::Failed("the answer does not match the read".to_owned()))
    }

    pub(crate) fn record(&mut self, kind: &str, id: RecordId) -> Result<Option<RecordRow>, StoreError> {
        self.read(Read::Record(kind.to_owned(), id), |found| match found {
            Found::Record(row) => Some(row),
            _ => None,
        })
    }

    pub(crate) fn records(
        &mut self,
        kind: &str,
        filter: &RecordFilter,
        limit: usize,
    ) -> Result<Page<RecordRow>, StoreError> {
        self.read(Read::Records(kind.to_owned(), filter.clone(), limit), |found| match found {
            Found::Records(page) => Some(page),
            _ => None,
        })
    }

    /// [`Reader::records`] for a list that takes long to read: no deciding thread reads it, whatever the store.
    pub(crate) fn many_records(
        &mut self,
        kind: &str,
        filter: &RecordFilter,
        limit: usize,
    ) -> Result<Page<RecordRow>, StoreError> {
        let read = Read::Records(kind.to_owned(), filter.clone(), limit);
        self.read_or_leave(read, self.leaves_long, |found| match found {
            Found::Records(page) => Some(page),
            _ => None,
        })
    }

    pub(crate) fn search(&mut self, kind: &str, query: &str, limit: usize) -> Result<Vec<RecordRow>, StoreError> {
        self.read(Read::Search(kind.to_owned(), query.to_owned(), limit), |found| match found {
            Found::Search(rows) => Some(rows),
            _ => None,
        })
    }

    pub(crate) fn signals(&mut self) -> Result<Vec<SignalRow>, StoreError> {
        self.read(Read::Signals, |found| match found {
            Found::Signals(rows) => Some(rows),
            _ => None,
        })
    }

    pub(crate) fn letter(&mut self, id: JobKey) -> Result<Option<DeadLetterRow>, StoreError> {
        self.read(Read::Letter(id), |found| match found {
            Found::Letter(row) => Some(row),
            _ => None,
        })
    }

    pub(crate) fn approvals(&mut self) -> Result<Vec<ApprovalRow>, StoreError> {
        self.read(Read::Approvals, |found| match found {
            Found::Approvals(rows) => Some(rows),
            _ => None,
        })
    }

    pub(crate) fn child(&mut self, job: JobKey, waits: bool) -> Result<ChildStart, StoreError> {
        self.read(Read::Child(job, waits), |found| match found {
            Found::Child(start) => Some(start),
            _ => None,
        })
    }

    /// Whether reads are missing, so that the turn cannot be decided yet.
    pub(crate) fn misses(&self) -> bool {
        !self.missed.is_empty()
    }

    /// Takes the missing reads.
    pub(crate) fn take_missed(&mut self) -> Vec<Read> {
        std::mem::take(&mut self.missed)
    }
}
