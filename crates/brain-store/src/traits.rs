//! The interface of a store: narrow traits for reading, one way to write.

use std::sync::Arc;

use brain_core::{
    ApprovalId, ApprovalStatus, Digest, JobKey, Millis, NodeId, RecordId, RunId, RunStatus, TenantId, Timestamp,
    TokenId,
};
use serde_json::Value;

use crate::{
    Accounts, ApprovalRow, ArtifactRow, Audit, Backlog, BlobRow, Claim, DeadLetterRow, Dump, FeedPage, IndexEntry,
    IndexValue, LogRow, NodeRow, OfferRow, Page, RecordFilter, RecordRow, Retention, RunRow, RunSchedule, Scope,
    SignalRow, SystemScope, TokenRow,
};

/// Why the store could not answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The file, disk or server failed. A failed commit may have written whole members before the failure; it writes
    /// nothing later.
    #[error("the store failed: {0}")]
    Failed(String),
    /// The disk has no room. Nothing was written.
    #[error("the store failed because its disk is full: {0}")]
    Full(String),
    /// Another session has locked what this needs. Nothing was written.
    #[error("the store failed because another session holds a lock: {0}")]
    Locked(String),
    /// A stored value cannot be decoded: a bug, or a file of another build.
    #[error("the stored data cannot be read: {0}")]
    Unreadable(String),
    /// More records than one decision may rely on.
    #[error("there are more than {limit} records of type `{kind}` in this list")]
    TooMany {
        /// The record type.
        kind: String,
        /// Maximum length of the list.
        limit: usize,
    },
    /// A cursor that does not belong to this list.
    #[error("`{0}` is not a cursor of this list")]
    BadCursor(String),
}

impl StoreError {
    /// Whether a later attempt may succeed without a change to the data.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Failed(_) | Self::Full(_) | Self::Locked(_))
    }
}

/// A condition that must hold when a member is committed.
#[derive(Clone, Debug, PartialEq)]
pub enum Precondition {
    /// The run does not exist.
    RunAbsent(RunId),
    /// The run has exactly this many events and this fence.
    RunAt {
        /// The run.
        run: RunId,
        /// Its number of events.
        seq: u64,
        /// Its fence.
        fence: u64,
    },
    /// The record has this revision; `None` means that it does not exist.
    Record {
        /// The type.
        kind: String,
        /// The record.
        id: RecordId,
        /// The revision that was read.
        revision: Option<u64>,
    },
    /// The records with this value in an indexed field are exactly those that were read.
    Listed {
        /// The type.
        kind: String,
        /// The indexed field.
        field: String,
        /// Its value.
        value: IndexValue,
        /// [`crate::fingerprint`] of their ids and revisions.
        fingerprint: Digest,
    },
    /// No run was accepted under this key.
    KeyFree(String),
    /// The approval is still pending.
    ApprovalPending(ApprovalId),
    /// The dead letter is still open.
    LetterOpen(JobKey),
    /// The signal exists and was not taken.
    SignalPresent {
        /// The run.
        run: RunId,
        /// The signal.
        id: String,
    },
}

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub enum Write {
    /// A new run.
    NewRun(Box<RunRow>),
    /// The changed columns of a run.
    UpdateRun {
        /// The run.
        run: RunId,
        /// Its status.
        status: RunStatus,
        /// When it changed.
        at: Timestamp,
        /// Its scheduling columns.
        schedule: RunSchedule,
        /// Its program, if that is new.
        program: Option<Digest>,
    },
    /// Appends events to a run's log. Shared, because the engine continues with the same row.
    Append(Arc<LogRow>),
    /// Inserts or replaces a record, with all its index entries and its words for full-text search.
    PutRecord {
        /// The record.
        row: RecordRow,
        /// All its index entries.
        index: Vec<IndexEntry>,
        /// The words; `None` if its type has no search fields.
        text: Option<String>,
    },
    /// Deletes a record.
    DeleteRecord {
        /// The type.
        kind: String,
        /// The record.
        id: RecordId,
    },
    /// A link from a step to a record.
    Link(ArtifactRow),
    /// Inserts or replaces a dead letter.
    PutLetter(DeadLetterRow),
    /// Inserts or replaces an approval.
    PutApproval(ApprovalRow),
    /// Inserts a program or definition unless it exists.
    Define {
        /// Its hash.
        hash: Digest,
        /// `program`, `tool` or `record`.
        kind: &'static str,
        /// Its content.
        body: Value,
    },
    /// Records that an idempotency key was used for this request.
    TakeKey {
        /// The caller's key.
        key: String,
        /// The digest of the request.
        digest: Digest,
        /// The run that the request started.
        run: RunId,
    },
    /// Assigns a number to a run that has none. Numbers are unique in the store and never reused.
    Number {
        /// The run.
        run: RunId,
        /// The number that it had in another store; `None` for the next free one.
        number: Option<i64>,
    },
    /// Inserts or replaces the offer of a job to external workers.
    Offer(OfferRow),
    /// Withdraws an offer. Does nothing if there is none.
    Withdraw(JobKey),
    /// Withdraws all offers of a run.
    WithdrawAll(RunId),
    /// Adds a signal to a run. Does nothing if one with the same run and id is pending.
    Signal(SignalRow),
    /// Deletes a signal that was processed. Does nothing if it does not exist.
    TakeSignal {
        /// The run.
        run: RunId,
        /// The signal.
        id: String,
    },
    /// Stores a whole blob. Does nothing if it exists. For a blob that arrives in pieces see [`Blobs::begin_blob`].
    PutBlob {
        /// The digest of the bytes, computed by the caller with [`Digest::of`].
        hash: Digest,
        /// The media type.
        media_type: String,
        /// When it was stored.
        at: Timestamp,
        /// The bytes.
        bytes: Arc<[u8]>,
    },
    /// Erases the payloads of an ended run and marks the run. Its events stay.
    Erase {
        /// The run.
        run: RunId,
        /// The redacted request.
        request: Value,
        /// The redacted payloads of each log row, by the number of the row's first event.
        rows: Vec<(u64, Vec<Value>)>,
    },
    /// Deletes rows of a run's log, by the numbers of their first events. An event in the same commit carries a
    /// snapshot that replaces them.
    DropLog {
        /// The run.
        run: RunId,
        /// The rows.
        seqs: Vec<u64>,
    },
    /// Deletes a run with its log, links, keys, approvals, signals and closed dead letters. If the run is already
    /// deleted, rows that arrived since are deleted.
    DropRun(RunId),
    /// Marks a blob as unused since this time, unless it already has an earlier mark; `None` clears the mark. Storing
    /// the same bytes again clears it too.
    NoteBlob {
        /// The blob.
        hash: Digest,
        /// Since when it is unused.
        unused_since: Option<Timestamp>,
    },
    /// Reserves an amount on an account under a cap. If the total would exceed `limit`, the whole member fails with
    /// [`Conflict::OverLimit`]. Does nothing if the account has an entry with this id, so reserving twice counts once.
    /// See [`Accounts`](crate::Accounts).
    Reserve {
        /// The account.
        account: String,
        /// Unique within the account; chosen by the caller.
        id: String,
        /// The maximum cost, in the smallest unit; negative counts as zero.
        amount: i64,
        /// The cap on the account's total, including this entry.
        limit: i64,
    },
    /// Replaces a reservation by the actual cost, which is final: a second settlement changes nothing. Never rejected,
    /// even without a reservation or above the cap, because the amount has been spent.
    Settle {
        /// The account.
        account: String,
        /// The entry.
        id: String,
        /// The actual cost; negative counts as zero.
        amount: i64,
    },
    /// Releases a reservation; the same id may be reserved again. Does nothing if the entry was settled or does not
    /// exist.
    Release {
        /// The account.
        account: String,
        /// The entry.
        id: String,
    },
    /// Deletes an account with all its entries, when its day has passed or its run was deleted. Must be a member of its
    /// own.
    DropAccount(String),
    /// Deletes a blob that has been unused since before this time. Does nothing otherwise: storing the same bytes again
    /// clears the mark, even in the commit just before this one.
    DropBlob {
        /// The blob.
        hash: Digest,
        /// The latest time of the mark.
        unused_before: Timestamp,
    },
}

/// Writes that are applied together or not at all.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The tenant of the rows.
    pub scope: Scope,
    /// Conditions that must hold.
    pub preconditions: Vec<Precondition>,
    /// The changes.
    pub writes: Vec<Write>,
}

/// The result of committing a member.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It is durable.
    Committed,
    /// A precondition does not hold any more; nothing was written.
    Conflict(Conflict),
    /// The database rejects the member, with this reason: nothing was written, and a retry would not help. Other
    /// members are not affected.
    Refused(String),
    /// Another session has locked rows that it needs. Nothing of it was written; a later attempt may succeed. A batch of
    /// one member fails instead.
    Blocked(String),
}

/// Why a member conflicts.
#[derive(Clone, Debug, PartialEq)]
pub enum Conflict {
    /// This precondition does not hold.
    Precondition(Precondition),
    /// Another record has the same value in a unique field.
    Unique {
        /// The type.
        kind: String,
        /// The field or key.
        field: String,
        /// The record that has it.
        holder: RecordId,
    },
    /// A reservation would exceed the cap of an account.
    OverLimit {
        /// The account.
        account: String,
        /// Its current total.
        total: i64,
        /// Its cap.
        limit: i64,
    },
}

/// The result of a batch: an outcome for each member, in order.
pub type CommitResult = Result<Vec<Outcome>, StoreError>;

/// Called once, from any thread, when the batch is durable or has failed.
pub type CommitDone = Box<dyn FnOnce(CommitResult) + Send>;

/// Counts since the store was opened: what tests assert and benchmarks report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreStats {
    /// Durable commits.
    pub commits: u64,
    /// Syncs to disk for these commits.
    pub syncs: u64,
    /// Atomic writes in these commits: one commit may hold several.
    pub members: u64,
    /// Rows written.
    pub rows: u64,
    /// Bytes of content in those rows.
    pub bytes: u64,
}

/// Runs and their logs.
pub trait Runs {
    /// One run.
    fn run(&self, scope: &Scope, id: RunId) -> Result<Option<RunRow>, StoreError>;
    /// Runs, newest first.
    fn runs(
        &self,
        scope: &Scope,
        status: Option<RunStatus>,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<RunRow>, StoreError>;
    /// The log of a run, from the beginning.
    fn log(&self, scope: &Scope, id: RunId) -> Result<Vec<LogRow>, StoreError>;
    /// A run and its log as they were at one moment.
    fn run_and_log(&self, scope: &Scope, id: RunId) -> Result<Option<(RunRow, Vec<LogRow>)>, StoreError>;
    /// The run that was accepted under a key, and the digest of its request.
    fn by_key(&self, scope: &Scope, key: &str) -> Result<Option<(RunId, Digest)>, StoreError>;
    /// The number of a run, if it was given one with [`Write::Number`].
    fn number_of(&self, scope: &Scope, run: RunId) -> Result<Option<i64>, StoreError>;
    /// The run with a number.
    fn run_numbered(&self, scope: &Scope, number: i64) -> Result<Option<RunId>, StoreError>;
    /// The links of a run.
    fn artifacts(&self, scope: &Scope, run: RunId) -> Result<Vec<ArtifactRow>, StoreError>;
}

/// Maximum number of values in one [`Records::records_by_any`] or [`Records::records_by_all`].
pub const MAX_ANY: usize = 64;
/// Maximum number of records per value that [`Records::records_by_any`] reads.
pub const MAX_OF_VALUE: usize = 64;

/// The values to look up, in the caller's order and without duplicates.
pub(crate) fn any_of(values: &[IndexValue]) -> Vec<&IndexValue> {
    let mut wanted: Vec<&IndexValue> = Vec::new();
    for value in values.iter().take(MAX_ANY) {
        if !wanted.contains(&value) {
            wanted.push(value);
        }
    }
    wanted
}

/// Reads business objects by id, by indexed value and by words.
pub trait Records {
    /// One record.
    fn record(&self, scope: &Scope, kind: &str, id: RecordId) -> Result<Option<RecordRow>, StoreError>;
    /// Records in order of creation.
    fn records(
        &self,
        scope: &Scope,
        kind: &str,
        filter: &RecordFilter,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<RecordRow>, StoreError>;
    /// Records that have all of these names ([`crate::IndexEntry::is_name`]), oldest first. Only the first [`MAX_ANY`]
    /// values count. The last should be the rarest: a store may scan its records and test them for the others.
    fn records_by_all(
        &self,
        scope: &Scope,
        kind: &str,
        field: &str,
        values: &[IndexValue],
        limit: usize,
    ) -> Result<Vec<RecordRow>, StoreError>;
    /// Records that have any of these names ([`crate::IndexEntry::is_name`]), most matches first, then oldest first.
    /// Only the first [`MAX_ANY`] values count, and of each value the first [`MAX_OF_VALUE`] records, which bounds the
    /// cost of common values.
    fn records_by_any(
        &self,
        scope: &Scope,
        kind: &str,
        field: &str,
        values: &[IndexValue],
        limit: usize,
    ) -> Result<Vec<RecordRow>, StoreError>;
    /// Records that contain all of these words (the last may be a prefix), best match first.
    fn search(&self, scope: &Scope, kind: &str, query: &str, limit: usize) -> Result<Vec<RecordRow>, StoreError>;
}

/// Reads jobs that only a person can move on.
pub trait DeadLetters {
    /// One letter.
    fn dead_letter(&self, scope: &Scope, id: JobKey) -> Result<Option<DeadLetterRow>, StoreError>;
    /// Letters, newest first.
    fn dead_letters(
        &self,
        scope: &Scope,
        open: Option<bool>,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<DeadLetterRow>, StoreError>;
}

/// Reads plans and steps that wait for approval, and those already decided.
pub trait Approvals {
    /// One approval.
    fn approval(&self, scope: &Scope, id: ApprovalId) -> Result<Option<ApprovalRow>, StoreError>;
    /// The approvals of a run, oldest first.
    fn approvals_of(&self, scope: &Scope, run: RunId) -> Result<Vec<ApprovalRow>, StoreError>;
    /// Approvals, newest first.
    fn approvals(
        &self,
        scope: &Scope,
        status: Option<ApprovalStatus>,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<ApprovalRow>, StoreError>;
}

/// Jobs that external workers may lease.
pub trait Offers {
    /// Offers of these topics, by order, then by key.
    fn offers(&self, scope: &Scope, topics: &[String], limit: usize) -> Result<Vec<OfferRow>, StoreError>;
    /// One offer.
    fn offer(&self, scope: &Scope, key: JobKey) -> Result<Option<OfferRow>, StoreError>;
}

/// The inbox of runs.
pub trait Signals {
    /// The pending signals of a run, oldest first, then in order of arrival.
    fn signals(&self, scope: &Scope, run: RunId) -> Result<Vec<SignalRow>, StoreError>;
    /// Runs that have signals, without duplicates, by tenant and id, after this one.
    fn signalled(
        &self,
        system: SystemScope,
        after: Option<&(TenantId, RunId)>,
        limit: usize,
    ) -> Result<Vec<(TenantId, RunId)>, StoreError>;
}

/// Blobs of a tenant, by the SHA-256 of their bytes.
pub trait Blobs {
    /// The metadata of a blob; `None` if the tenant has no such blob.
    fn blob(&self, scope: &Scope, hash: Digest) -> Result<Option<BlobRow>, StoreError>;
    /// Reads up to `max` bytes of a blob, starting at `offset`. Empty past its end, or if there is no such blob.
    fn blob_part(&self, scope: &Scope, hash: Digest, offset: u64, max: usize) -> Result<Vec<u8>, StoreError>;
    /// Starts a blob that is written in pieces.
    fn begin_blob(&self, scope: &Scope, media_type: &str, at: Timestamp) -> Result<Box<dyn BlobWriter>, StoreError>;
}

/// Writes a blob in bounded memory. The blob is invisible until it is finished; dropping the writer before that leaves
/// nothing behind.
pub trait BlobWriter: Send {
    /// Appends bytes. May block on the disk.
    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError>;
    /// Makes the blob durable and visible. If the tenant already has these bytes, returns the existing blob.
    fn finish(self: Box<Self>) -> Result<BlobRow, StoreError>;
}

/// Programs and definitions, by hash. They belong to no tenant, because a hash identifies its content.
pub trait Definitions {
    /// One definition.
    fn definition(&self, hash: Digest) -> Result<Option<Value>, StoreError>;
}

/// Bearer tokens. They are looked up before a tenant is known.
pub trait Tokens {
    /// Stores a token.
    fn put_token(&self, row: &TokenRow) -> Result<(), StoreError>;
    /// One token.
    fn token(&self, id: TokenId) -> Result<Option<TokenRow>, StoreError>;
    /// All tokens, newest first.
    fn tokens(&self) -> Result<Vec<TokenRow>, StoreError>;
}

/// Queries of the scheduler, over all tenants.
pub trait Scheduling {
    /// Renews a node's lease for `lease` from now on. `now` is the caller's clock; a store that several machines share
    /// ignores it and uses the database's clock, so that their clocks need not agree. `liveness` lets a later process
    /// on the same machine check whether this one still runs.
    fn heartbeat(
        &self,
        system: SystemScope,
        node: NodeId,
        now: Timestamp,
        lease: Millis,
        liveness: &str,
    ) -> Result<(), StoreError>;
    /// All known nodes by id, with the state of their leases by the same clock as [`Scheduling::heartbeat`].
    fn nodes(&self, system: SystemScope, now: Timestamp) -> Result<Vec<NodeRow>, StoreError>;
    /// Deletes a node that owns no runs.
    fn forget_node(&self, system: SystemScope, node: NodeId) -> Result<(), StoreError>;
    /// Runs that a node owns, oldest first.
    fn owned_by(&self, system: SystemScope, node: NodeId, limit: usize) -> Result<Vec<(TenantId, RunId)>, StoreError>;
    /// Runs that are due, most urgent first; `(tenant, run, wake_at)`. A shared store leaves out runs that another node
    /// has claimed.
    fn due(
        &self,
        system: SystemScope,
        claim: &Claim,
        limit: usize,
    ) -> Result<Vec<(TenantId, RunId, Timestamp)>, StoreError>;
    /// The tenants that have runs in the queue, in order.
    fn queued_tenants(&self, system: SystemScope) -> Result<Vec<TenantId>, StoreError>;
    /// Runs of a tenant that wait for a free slot, except those that wait for these limits; lowest order first. A
    /// shared store leaves out runs that another node has claimed.
    fn queued(
        &self,
        system: SystemScope,
        claim: &Claim,
        tenant: &TenantId,
        except: &[String],
        limit: usize,
    ) -> Result<Vec<RunId>, StoreError>;
    /// The time at which the next run is due.
    fn next_wake(&self, system: SystemScope) -> Result<Option<Timestamp>, StoreError>;
    /// Number of runs per status, without completed ones, for metrics.
    fn count_by_status(&self, system: SystemScope) -> Result<Vec<(RunStatus, u64)>, StoreError>;
    /// The time of the store's own clock; `None` if it uses the clock of its callers.
    fn clock(&self, _: SystemScope) -> Result<Option<Timestamp>, StoreError> {
        Ok(None)
    }
    /// Queue sizes and ages over all tenants, for metrics. `priority_step` is how far one step of priority moves a run
    /// ahead.
    fn backlog(&self, system: SystemScope, priority_step: i64) -> Result<Backlog, StoreError>;
}

/// All log rows, in an order that never changes.
pub trait Feed {
    /// Log rows of a tenant after a position, at most `limit`. A row that becomes visible later has a later position,
    /// so a reader that resumes at `upto` misses nothing.
    fn feed(&self, scope: &Scope, after: u64, limit: usize) -> Result<FeedPage, StoreError>;
    /// The last assigned position.
    fn feed_end(&self, system: SystemScope) -> Result<u64, StoreError>;
}

/// Called, from any thread, when another process may have written something.
pub type OnChange = Box<dyn Fn() + Send + Sync>;

/// Notifications of changes by other processes.
pub trait Watch {
    /// Registers a callback for changes by other processes. Several changes may share one call, and calls may be
    /// missed, so polling stays necessary. A store without notifications never calls it.
    fn watch(&self, on_change: OnChange);
}

/// A group of readers. In a store with few connections, no lane waits behind the queries of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Lane {
    /// People and programs: lists, searches, streams, retention.
    #[default]
    Api,
    /// The threads that decide runs.
    Deciding,
    /// A node's heartbeat and its search for work. A heartbeat that is delayed too long costs the node its runs.
    Keeping,
}

/// Handles of one store for readers that must not wait for each other.
pub trait Lanes {
    /// A handle for readers of this lane. A store without shared connections returns itself.
    fn lane(self: Arc<Self>, lane: Lane) -> Arc<dyn Store>;

    /// Whether reads wait for another process. Threads that must not block then leave reads to others.
    fn reads_wait(&self) -> bool {
        false
    }
}

/// The only way to write.
pub trait Commit {
    /// Commits members in order, each whole or not at all, and then calls `done`. Never blocks for the disk.
    fn commit(&self, members: Vec<Member>, done: CommitDone);

    /// Counts since the store was opened.
    fn stats(&self) -> StoreStats;

    /// Moves all committed data into the store's main file, if it has one, so that a copy of that file is complete. For
    /// a clean shutdown; commits are durable without it.
    fn checkpoint(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// [`Commit::commit`] for callers that can block.
    fn commit_now(&self, members: Vec<Member>) -> CommitResult {
        let (send, receive) = std::sync::mpsc::sync_channel(1);
        self.commit(members, Box::new(move |result| drop(send.send(result))));
        receive.recv().unwrap_or_else(|_| Err(StoreError::Failed("the store was closed".into())))
    }
}

/// All traits of a store.
pub trait Store:
    Runs
    + Records
    + DeadLetters
    + Approvals
    + Offers
    + Signals
    + Blobs
    + Definitions
    + Tokens
    + Scheduling
    + Feed
    + Watch
    + Lanes
    + Accounts
    + Retention
    + Dump
    + Audit
    + Commit
    + Send
    + Sync
{
}

impl<T> Store for T where
    T: Runs
        + Records
        + DeadLetters
        + Approvals
        + Offers
        + Signals
        + Blobs
        + Definitions
        + Tokens
        + Scheduling
        + Feed
        + Watch
        + Lanes
        + Accounts
        + Retention
        + Dump
        + Audit
        + Commit
        + Send
        + Sync
{
}
