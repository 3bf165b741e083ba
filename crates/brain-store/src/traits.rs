//! What a store can do. Narrow traits for reading; one way to write.

use std::sync::Arc;

use brain_core::{
    ApprovalId, ApprovalStatus, Digest, JobKey, Millis, NodeId, RecordId, RunId, RunStatus, TenantId, Timestamp,
    TokenId,
};
use serde_json::Value;

use crate::{
    Accounts, ApprovalRow, ArtifactRow, Audit, Backlog, BlobRow, Claim, DeadLetterRow, Dump, FeedPage, IndexEntry,
    LogRow, NodeRow, OfferRow, Page, RecordFilter, RecordRow, Retention, RunRow, RunSchedule, Scope, SignalRow,
    SystemScope, TokenRow,
};

/// The store could not answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// The file, disk or server did not do its part. A commit that ends so may have been written, whole members of it,
    /// before its end could be reported; it is not written later.
    #[error("the store failed: {0}")]
    Failed(String),
    /// Someone else's bug or an old file.
    #[error("the store holds something this build cannot read: {0}")]
    Unreadable(String),
    /// More records than one decision may rely on.
    #[error("there are more than {limit} records of type `{kind}` in this list")]
    TooMany {
        /// The type.
        kind: String,
        /// How many may be listed.
        limit: usize,
    },
    /// A cursor that this store did not give out.
    #[error("`{0}` is not a cursor of this list")]
    BadCursor(String),
}

/// What must still be true when a member is committed.
#[derive(Clone, Debug, PartialEq)]
pub enum Precondition {
    /// The run does not exist.
    RunAbsent(RunId),
    /// The run has exactly so many events and this fence.
    RunAt {
        /// The run.
        run: RunId,
        /// Its number of events.
        seq: u64,
        /// Its fence.
        fence: u64,
    },
    /// The record has this revision; `None`: there is no such record.
    Record {
        /// The type.
        kind: String,
        /// The record.
        id: RecordId,
        /// The revision that was read.
        revision: Option<u64>,
    },
    /// The records with this value in an indexed field are exactly the ones that were read.
    Listed {
        /// The type.
        kind: String,
        /// The indexed field.
        field: String,
        /// Its value as text.
        value: String,
        /// [`crate::fingerprint`] of their ids and revisions.
        fingerprint: Digest,
    },
    /// No run was accepted under this key.
    KeyFree(String),
    /// The approval is still pending.
    ApprovalPending(ApprovalId),
    /// The dead letter is still open.
    LetterOpen(JobKey),
    /// The signal is there and nobody has taken it.
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
    /// A run's columns that change.
    UpdateRun {
        /// The run.
        run: RunId,
        /// Its status.
        status: RunStatus,
        /// When.
        at: Timestamp,
        /// Its scheduling columns.
        schedule: RunSchedule,
        /// What it runs, if that is new.
        program: Option<Digest>,
    },
    /// Events at the end of a run's log. Shared, because the engine goes on with the same row.
    Append(Arc<LogRow>),
    /// A record as it is from now on, with all its index entries and its words for full-text search.
    PutRecord {
        /// The record.
        row: RecordRow,
        /// All values by which it is found.
        index: Vec<IndexEntry>,
        /// The words; `None` if its type is not searched.
        text: Option<String>,
    },
    /// A record is gone.
    DeleteRecord {
        /// The type.
        kind: String,
        /// The record.
        id: RecordId,
    },
    /// A link from a step to a record.
    Link(ArtifactRow),
    /// A dead letter as it is from now on.
    PutLetter(DeadLetterRow),
    /// An approval as it is from now on.
    PutApproval(ApprovalRow),
    /// A program or definition, unless it is there already.
    Define {
        /// Its hash.
        hash: Digest,
        /// `program`, `tool` or `record`.
        kind: &'static str,
        /// Its content.
        body: Value,
    },
    /// An idempotency key was used for this request.
    TakeKey {
        /// The caller's key.
        key: String,
        /// The digest of the request.
        digest: Digest,
        /// The run that answers it.
        run: RunId,
    },
    /// A run gets a number, which no other run of the store has or had. Nothing if it has one.
    Number {
        /// The run.
        run: RunId,
        /// The number that it had in another store; `None`: the next one.
        number: Option<i64>,
    },
    /// A job may be taken by external workers, as described here from now on.
    Offer(OfferRow),
    /// A job may no longer be taken. Nothing if it was not offered.
    Withdraw(JobKey),
    /// No job of this run may be taken any more.
    WithdrawAll(RunId),
    /// A signal for a run. Nothing if one with the same run and id is there and was not taken.
    Signal(SignalRow),
    /// A signal was looked at and is gone. Nothing if it is not there.
    TakeSignal {
        /// The run.
        run: RunId,
        /// The signal.
        id: String,
    },
    /// A large value of the tenant, whole. Nothing if it is there. What comes in pieces is [`Blobs::begin_blob`].
    PutBlob {
        /// The digest of the bytes; the caller has computed it with [`Digest::of`].
        hash: Digest,
        /// What they are.
        media_type: String,
        /// When.
        at: Timestamp,
        /// The bytes.
        bytes: Arc<[u8]>,
    },
    /// The payloads of a run that is over are replaced by what is left of them, and the run is marked. Its events stay.
    Erase {
        /// The run.
        run: RunId,
        /// What is left of the request.
        request: Value,
        /// What is left of the payloads of each row of its log, by the number of the row's first event.
        rows: Vec<(u64, Vec<Value>)>,
    },
    /// Rows of a run's log are gone, by the numbers of their first events: an event that is written in the same commit says
    /// what they said.
    DropLog {
        /// The run.
        run: RunId,
        /// The rows.
        seqs: Vec<u64>,
    },
    /// A run is gone, with its log, links, keys, approvals, signals and closed letters. Of one that is gone already, what came
    /// since goes.
    DropRun(RunId),
    /// A blob that nothing refers to, from this moment on unless an earlier one is known; `None`: something does.
    /// Storing the same bytes again says so too.
    NoteBlob {
        /// The blob.
        hash: Digest,
        /// Since when nothing refers to it.
        unused_since: Option<Timestamp>,
    },
    /// Reserves an amount on an account under a cap. If what is reserved and spent there would pass `limit`, the whole member
    /// is a [`Conflict::OverLimit`]. Nothing if the account has an entry with this id, reserved or settled: reserving
    /// twice counts once. See [`Accounts`](crate::Accounts).
    Reserve {
        /// The account.
        account: String,
        /// Tells the entry apart from the account's others; the caller's choice.
        id: String,
        /// The most that may be spent, in the smallest unit; below zero counts as zero.
        amount: i64,
        /// What the account may hold at most, this entry included.
        limit: i64,
    },
    /// What was spent takes the place of what was reserved, and is final: a second settlement of the entry changes
    /// nothing. Never refused, also without a reservation and above the cap: what was spent was spent.
    Settle {
        /// The account.
        account: String,
        /// The entry.
        id: String,
        /// What was spent; below zero counts as zero.
        amount: i64,
    },
    /// Nothing was spent: what was reserved is free again, and may be reserved again under the same id. Nothing if the
    /// entry was settled or is not there.
    Release {
        /// The account.
        account: String,
        /// The entry.
        id: String,
    },
    /// An account is gone with all its entries: its day is long over, or its run was deleted. In a member of its own.
    DropAccount(String),
    /// A blob is gone if nothing has referred to it since before this moment. Nothing otherwise: whoever stores the
    /// same bytes again keeps it, also in the commit just before this one.
    DropBlob {
        /// The blob.
        hash: Digest,
        /// The moment.
        unused_before: Timestamp,
    },
}

/// Writes that belong together: all are applied, or none.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Whose rows these are.
    pub scope: Scope,
    /// What must still be true.
    pub preconditions: Vec<Precondition>,
    /// What changes.
    pub writes: Vec<Write>,
}

/// What became of a member.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It is durable.
    Committed,
    /// Something it relied on has changed; nothing of it was written.
    Conflict(Conflict),
    /// The database will not take it, for the reason that it gives: nothing of it was written, and trying again does not
    /// help. Only this member is concerned.
    Refused(String),
}

/// What had changed.
#[derive(Clone, Debug, PartialEq)]
pub enum Conflict {
    /// This precondition did not hold.
    Precondition(Precondition),
    /// Another record has a value that must be unique.
    Unique {
        /// The type.
        kind: String,
        /// The field or key.
        field: String,
        /// The record that has it.
        holder: RecordId,
    },
    /// An account has no room for what was to be reserved.
    OverLimit {
        /// The account.
        account: String,
        /// What is reserved and spent on it.
        total: i64,
        /// What it may hold.
        limit: i64,
    },
}

/// What became of a batch: an outcome for each member, in order.
pub type CommitResult = Result<Vec<Outcome>, StoreError>;

/// Called once, from any thread, when the batch is durable or has failed.
pub type CommitDone = Box<dyn FnOnce(CommitResult) + Send>;

/// Counts since the store was opened: what tests assert and benchmarks report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreStats {
    /// Durable commits.
    pub commits: u64,
    /// Times the disk was asked to sync for them.
    pub syncs: u64,
    /// Members committed.
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

/// Values that one [`Records::records_by_any`] or [`Records::records_by_all`] looks for.
pub const MAX_ANY: usize = 64;
/// Records of one value that [`Records::records_by_any`] looks at.
pub const MAX_OF_VALUE: usize = 64;

/// The values that are looked for: each once.
pub(crate) fn any_of(values: &[String]) -> Vec<&str> {
    let mut wanted: Vec<&str> = values.iter().take(MAX_ANY).map(String::as_str).collect();
    wanted.sort_unstable();
    wanted.dedup();
    wanted
}

/// Records.
pub trait Records {
    /// One record.
    fn record(&self, scope: &Scope, kind: &str, id: RecordId) -> Result<Option<RecordRow>, StoreError>;
    /// Records in the order in which they were made.
    fn records(
        &self,
        scope: &Scope,
        kind: &str,
        filter: &RecordFilter,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<RecordRow>, StoreError>;
    /// Records that people call by all of these values ([`crate::IndexEntry::is_name`]), the older ones first. The first
    /// [`MAX_ANY`] values count.
    fn records_by_all(
        &self,
        scope: &Scope,
        kind: &str,
        field: &str,
        values: &[String],
        limit: usize,
    ) -> Result<Vec<RecordRow>, StoreError>;
    /// Records that people call by any of these values ([`crate::IndexEntry::is_name`]), those with most of them first,
    /// then the older ones. The first [`MAX_ANY`] values count, and of each value the first [`MAX_OF_VALUE`] records, so
    /// that a value that very many records have does not cost more.
    fn records_by_any(
        &self,
        scope: &Scope,
        kind: &str,
        field: &str,
        values: &[String],
        limit: usize,
    ) -> Result<Vec<RecordRow>, StoreError>;
    /// Records that contain all of these words (the last may be the beginning of one), best first.
    fn search(&self, scope: &Scope, kind: &str, query: &str, limit: usize) -> Result<Vec<RecordRow>, StoreError>;
}

/// Dead letters.
pub trait DeadLetters {
    /// One letter.
    fn letter(&self, scope: &Scope, id: JobKey) -> Result<Option<DeadLetterRow>, StoreError>;
    /// Letters, newest first.
    fn letters(
        &self,
        scope: &Scope,
        open: Option<bool>,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<DeadLetterRow>, StoreError>;
}

/// Approvals.
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

/// Jobs that external workers may take.
pub trait Offers {
    /// Offers of these topics, those with the lowest order first, then by key.
    fn offers(&self, scope: &Scope, topics: &[String], limit: usize) -> Result<Vec<OfferRow>, StoreError>;
    /// One offer.
    fn offer(&self, scope: &Scope, key: JobKey) -> Result<Option<OfferRow>, StoreError>;
}

/// The inbox of runs.
pub trait Signals {
    /// The signals of a run that were not taken, oldest first; of the same moment, in the order of arrival.
    fn signals(&self, scope: &Scope, run: RunId) -> Result<Vec<SignalRow>, StoreError>;
    /// Runs that have signals, each once, by tenant and id, from after this one on.
    fn signalled(
        &self,
        system: SystemScope,
        after: Option<&(TenantId, RunId)>,
        limit: usize,
    ) -> Result<Vec<(TenantId, RunId)>, StoreError>;
}

/// Large values, per tenant, by the SHA-256 of their bytes.
pub trait Blobs {
    /// What is known of a blob; `None` if the tenant has no such blob.
    fn blob(&self, scope: &Scope, hash: Digest) -> Result<Option<BlobRow>, StoreError>;
    /// Bytes of a blob: from `offset`, `max` of them or as many as there are. None past its end or if there is no
    /// such blob.
    fn blob_part(&self, scope: &Scope, hash: Digest, offset: u64, max: usize) -> Result<Vec<u8>, StoreError>;
    /// Starts a blob whose bytes come in pieces.
    fn begin_blob(&self, scope: &Scope, media_type: &str, at: Timestamp) -> Result<Box<dyn BlobWriter>, StoreError>;
}

/// A blob that is being written, in bounded memory. Nobody sees it before it is finished; dropped before that, it
/// leaves nothing.
pub trait BlobWriter: Send {
    /// Adds bytes at the end. May wait for the disk.
    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError>;
    /// Makes the blob durable and visible. If the tenant had these bytes already, this is the blob that was there.
    fn finish(self: Box<Self>) -> Result<BlobRow, StoreError>;
}

/// Programs and definitions, by hash. They belong to no tenant: a hash names its content.
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

/// What the scheduler asks, over all tenants.
pub trait Scheduling {
    /// Renews a node's lease: it is valid for `lease` from now on. `now` is the caller's clock; a store that several
    /// machines share ignores it and uses the database's clock, so that machines need not agree about the time.
    /// `liveness` tells a later process on the same machine whether this one still runs.
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
    /// Forgets a node that owns nothing any more.
    fn forget_node(&self, system: SystemScope, node: NodeId) -> Result<(), StoreError>;
    /// Runs that a node owns, oldest first.
    fn owned_by(&self, system: SystemScope, node: NodeId, limit: usize) -> Result<Vec<(TenantId, RunId)>, StoreError>;
    /// Runs whose time has come, the most urgent first; `(tenant, run, wake_at)`. A store that several machines share
    /// leaves out what another node has claimed.
    fn due(
        &self,
        system: SystemScope,
        claim: &Claim,
        limit: usize,
    ) -> Result<Vec<(TenantId, RunId, Timestamp)>, StoreError>;
    /// The tenants that have runs in the queue, in order.
    fn queued_tenants(&self, system: SystemScope) -> Result<Vec<TenantId>, StoreError>;
    /// Runs of a tenant that wait for a free slot, but for those that wait for these limits; lowest order first. A
    /// store that several machines share leaves out what another node has claimed.
    fn queued(
        &self,
        system: SystemScope,
        claim: &Claim,
        tenant: &TenantId,
        except: &[String],
        limit: usize,
    ) -> Result<Vec<RunId>, StoreError>;
    /// When the next run wakes.
    fn next_wake(&self, system: SystemScope) -> Result<Option<Timestamp>, StoreError>;
    /// Runs by status, completed ones aside, for metrics.
    fn count_by_status(&self, system: SystemScope) -> Result<Vec<(RunStatus, u64)>, StoreError>;
    /// The time by the store's own clock; `None` if it has none and goes by its callers'.
    fn clock(&self, _: SystemScope) -> Result<Option<Timestamp>, StoreError> {
        Ok(None)
    }
    /// What waits, of all tenants, for metrics. `priority_step` is how much earlier in the queue one step of priority is.
    fn backlog(&self, system: SystemScope, priority_step: i64) -> Result<Backlog, StoreError>;
}

/// Everything that was written to logs, in an order that never changes.
pub trait Feed {
    /// What was written to the logs of a tenant after a position, at most so many rows. A row that becomes visible
    /// later has a later position than every row that could be seen before: whoever goes on at `upto` misses nothing.
    fn feed(&self, scope: &Scope, after: u64, limit: usize) -> Result<FeedPage, StoreError>;
    /// The last position that was given out.
    fn feed_end(&self, system: SystemScope) -> Result<u64, StoreError>;
}

/// Called, from any thread, when another process may have changed something.
pub type Heard = Box<dyn Fn() + Send + Sync>;

/// News from other processes.
pub trait Watch {
    /// Has this called when another process may have changed something; many changes may be one call, and a call may
    /// be missed: asking now and then stays necessary. A store without such news never calls.
    fn watch(&self, heard: Heard);
}

/// Who reads. In a store whose connections are few, no lane waits behind another one's questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Lane {
    /// People and programs: lists, searches, streams, upkeep.
    #[default]
    Api,
    /// The threads that decide runs.
    Deciding,
    /// A node's heartbeat and its search for work. A heartbeat that waits for ten seconds costs the node its runs.
    Keeping,
}

/// Handles of one store for readers that must not wait for each other.
pub trait Lanes {
    /// The same store for readers of this lane. A store without connections to share returns itself.
    fn lane(self: Arc<Self>, lane: Lane) -> Arc<dyn Store>;

    /// Whether reading waits for another process. Whoever must not wait has others read then.
    fn reads_wait(&self) -> bool {
        false
    }
}

/// The one way to write.
pub trait Commit {
    /// Commits members in order, each whole or not at all, and then calls `done`. Never blocks for the disk.
    fn commit(&self, members: Vec<Member>, done: CommitDone);

    /// Counts since the store was opened.
    fn stats(&self) -> StoreStats;

    /// Moves everything that was committed into the store's main file, if it has one: a copy of that file is then whole.
    /// For a clean end; commits are durable without it.
    fn checkpoint(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// [`Commit::commit`] for callers that can wait.
    fn commit_now(&self, members: Vec<Member>) -> CommitResult {
        let (send, receive) = std::sync::mpsc::sync_channel(1);
        self.commit(members, Box::new(move |result| drop(send.send(result))));
        receive.recv().unwrap_or_else(|_| Err(StoreError::Failed("the store was closed".into())))
    }
}

/// All of it.
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
