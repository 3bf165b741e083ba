//! Group commit. Batches that arrive while a transaction is under way share the next one: two round trips and one sync,
//! however many runs share them.
//!
//! If PostgreSQL aborts a transaction (a deadlock, a concurrent insert of the same row), each batch is retried on its
//! own, so that one batch's conflict does not affect the others. If the error is in a batch itself and would recur, its
//! members are committed one by one, and only the rejected member gets [`crate::Outcome::Refused`].
//!
//! A writer waits only briefly for a lock that another session holds. Then it commits the members separately, and only
//! those that need the lock get [`crate::Outcome::Blocked`]; the caller retries them later. So a lock on some rows never
//! holds up commits that do not need them.
//!
//! If the connection breaks during `COMMIT`, the server is asked whether the transaction was committed. If the server
//! cannot be asked either, the caller gets an error that says the outcome is unknown. That is safe: the engine reads
//! the run again and decides again, and its next commit requires the event count and fence that it read
//! ([`crate::Precondition::RunAt`]), or that the run is absent. Neither holds if the lost commit happened meanwhile,
//! and all other effects of a run are in that same commit.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Error, Row};
use uuid::Uuid;

use super::Shared;
use super::changes::Changes;
use super::connection::{Connection, Question, Role, failed, is_lost, values};
use super::requirements::{Part, Requirements};
use super::view::View;
use crate::{CommitDone, CommitResult, Member, Outcome, Precondition, StoreError, StoreStats, Write};

/// Maximum number of members per transaction.
const MAX_MEMBERS: usize = 256;
/// Maximum number of advisory locks per transaction, unless a single batch needs more. A server has room for about
/// 6,400.
const MAX_LOCKS: usize = 1000;
/// Maximum bytes of blobs per transaction, unless a single batch has more.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Attempts at a batch that fails with a transient error.
const TRIES: u32 = 6;
/// Lock timeout of a transaction.
const LOCKED: Duration = Duration::from_secs(1);
/// Lock timeout while other members wait behind the ones that need the lock.
const LOCKED_ALONE: Duration = Duration::from_millis(50);
/// How long after a lock timeout members about records are committed separately from the start.
const WARY: Duration = Duration::from_secs(2);
/// After this many blocked members in a row, the following members count as blocked without a try.
const MAX_BLOCKED: usize = 5;
/// How often, and at which interval, the server is asked about the outcome of a transaction. The total exceeds the
/// server's idle-in-transaction timeout: a transaction that is not committed by then never will be.
const INQUIRIES: u32 = 120;
const BETWEEN_INQUIRIES: Duration = Duration::from_millis(250);

/// Members that were submitted together.
pub(super) struct Batch {
    pub(super) members: Vec<Member>,
    pub(super) done: CommitDone,
}

impl Batch {
    /// An upper bound of advisory locks, and the bytes of blobs.
    fn weight(&self) -> (usize, usize) {
        let (mut locks, mut bytes) = (0, 0);
        for member in &self.members {
            locks += member.preconditions.len();
            for write in &member.writes {
                match write {
                    Write::PutRecord { index, .. } => locks += 1 + index.len(),
                    Write::DeleteRecord { .. } | Write::TakeKey { .. } => locks += 1,
                    Write::PutBlob { bytes: content, .. } => bytes += content.len(),
                    _ => {}
                }
            }
        }
        (locks, bytes)
    }
}

/// Batches that wait to be committed.
#[derive(Default)]
pub(super) struct Queue {
    waiting: Mutex<VecDeque<Batch>>,
    closed: AtomicBool,
    come: Notify,
}

impl Queue {
    /// Adds a batch, or returns it if the store is closed.
    pub(super) fn push(&self, batch: Batch) -> Result<(), Batch> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if self.closed.load(Ordering::Acquire) {
            return Err(batch);
        }
        waiting.push_back(batch);
        drop(waiting);
        self.come.notify_one();
        Ok(())
    }

    /// Accepts no more batches; those in the queue are still committed.
    pub(super) fn close(&self) {
        let _waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        self.closed.store(true, Ordering::Release);
        self.come.notify_waiters();
        // Once more, for a writer that is just about to wait.
        self.come.notify_one();
    }

    /// Takes queued batches, up to the limits of one transaction; `None` when the store is closed and the queue is
    /// empty.
    async fn take(&self) -> Option<Vec<Batch>> {
        loop {
            let come = self.come.notified();
            if let Some(group) = self.take_now() {
                return Some(group);
            }
            if self.closed.load(Ordering::Acquire) {
                self.come.notify_one();
                return None;
            }
            come.await;
        }
    }

    fn take_now(&self) -> Option<Vec<Batch>> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut group, mut members, mut locks, mut bytes) = (Vec::new(), 0, 0, 0);
        while let Some(next) = waiting.front() {
            let (more_locks, more_bytes) = next.weight();
            members += next.members.len();
            locks += more_locks;
            bytes += more_bytes;
            let full = members > MAX_MEMBERS || locks > MAX_LOCKS || bytes > MAX_BYTES;
            if full && !group.is_empty() {
                break;
            }
            group.extend(waiting.pop_front());
        }
        if !waiting.is_empty() {
            self.come.notify_one();
        }
        (!group.is_empty()).then_some(group)
    }
}

/// Counters since the store was opened.
#[derive(Default)]
pub(super) struct Counters {
    commits: AtomicU64,
    members: AtomicU64,
    rows: AtomicU64,
    bytes: AtomicU64,
}

impl Counters {
    pub(super) fn read(&self) -> StoreStats {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let commits = get(&self.commits);
        // Each commit waits for a sync, although PostgreSQL may combine several.
        StoreStats {
            commits,
            syncs: commits,
            members: get(&self.members),
            rows: get(&self.rows),
            bytes: get(&self.bytes),
        }
    }

    /// Counts a durable commit.
    pub(super) fn committed(&self, members: u64, rows: u64, bytes: u64) {
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.members.fetch_add(members, Ordering::Relaxed);
        self.rows.fetch_add(rows, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// Remembers that another session holds locks, so that only the first commit waits for the full lock timeout.
pub(super) struct Locks {
    opened: Instant,
    /// Milliseconds after `opened` until which commits are wary.
    until: AtomicU64,
}

impl Default for Locks {
    fn default() -> Self {
        Self { opened: Instant::now(), until: AtomicU64::new(0) }
    }
}

impl Locks {
    /// A lock timeout happened.
    fn seen(&self) {
        let until = (self.opened.elapsed() + WARY).as_millis();
        self.until.store(u64::try_from(until).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Whether a lock timeout happened lately.
    fn are_held(&self) -> bool {
        self.opened.elapsed().as_millis() < u128::from(self.until.load(Ordering::Relaxed))
    }
}

/// Why a transaction failed.
enum Trouble {
    /// No connection can be opened.
    Unreachable(StoreError),
    /// The connection broke before the commit: nothing was written.
    Lost(StoreError),
    /// The connection broke during the commit.
    Unknown(Traces, Vec<Outcome>, StoreError),
    /// The server aborted the transaction: nothing was written.
    Refused(SqlState, StoreError),
    /// A stored row cannot be read.
    Unreadable(StoreError),
}

/// How to find out whether a transaction was committed.
struct Traces {
    /// Its transaction id.
    transaction: String,
    /// A log row that it wrote: tenant, run, number.
    row: Option<(String, Uuid, i64)>,
}

/// A writer task. It runs until the store is closed.
pub(super) async fn write_forever(shared: Arc<Shared>) {
    let mut connection = None;
    while let Some(group) = shared.queue.take().await {
        let mut work = vec![group];
        while let Some(mut batches) = work.pop() {
            let members: Vec<&Member> = batches.iter().flat_map(|batch| &batch.members).collect();
            let wary = shared.locks.are_held() && members.iter().any(|member| is_about_records(member));
            let mut result = if wary {
                Err(Failure { error: super::closed(), whose: Whose::Lock })
            } else {
                commit_patiently(&shared, &mut connection, &members, batches.len() == 1).await
            };
            match result.as_ref().map_err(|failure| failure.whose) {
                Err(Whose::Somebodys) if batches.len() > 1 => {
                    work.extend(batches.drain(..).rev().map(|batch| vec![batch]));
                    continue;
                }
                Err(Whose::Somebodys) => result = one_by_one(&shared, &mut connection, &members).await,
                Err(Whose::Lock) => result = around_locks(&shared, &mut connection, &members).await,
                Ok(_) | Err(Whose::Everybodys) => {}
            }
            match result {
                Err(Failure { error, .. }) => {
                    tracing::error!(%error, "a commit failed");
                    batches.into_iter().for_each(|batch| tell(batch.done, Err(error.clone())));
                }
                Ok(outcomes) => {
                    let mut outcomes = outcomes.into_iter();
                    for batch in batches {
                        let own: Vec<Outcome> = outcomes.by_ref().take(batch.members.len()).collect();
                        tell(
                            batch.done,
                            match own.as_slice() {
                                [Outcome::Blocked(why)] => Err(StoreError::Locked(why.clone())),
                                _ => Ok(own),
                            },
                        );
                    }
                }
            }
        }
    }
}

/// Whether a member reads or writes records. Other programs are most likely to lock their tables.
fn is_about_records(member: &Member) -> bool {
    let relies = |one: &Precondition| matches!(one, Precondition::Record { .. } | Precondition::Listed { .. });
    let writes = |one: &Write| matches!(one, Write::PutRecord { .. } | Write::DeleteRecord { .. });
    member.preconditions.iter().any(relies) || member.writes.iter().any(writes)
}

/// Commits members after a lock timeout: first those that need no records, then the others, and each in its own
/// transaction if a lock blocks the part.
async fn around_locks(
    shared: &Shared,
    connection: &mut Option<Connection>,
    members: &[&Member],
) -> Result<Vec<Outcome>, Failure> {
    if !shared.locks.are_held() {
        shared.locks.seen();
    }
    let (about, others): (Vec<usize>, Vec<usize>) = (0..members.len()).partition(|n| is_about_records(members[*n]));
    let mut outcomes: Vec<(usize, Outcome)> = Vec::with_capacity(members.len());
    for part in [others, about].into_iter().filter(|part| !part.is_empty()) {
        let own: Vec<&Member> = part.iter().map(|n| members[*n]).collect();
        // The others wait for the answer, so nobody waits long for a lock any more.
        wait_for_locks(connection, LOCKED_ALONE).await;
        let tried = commit_patiently(shared, connection, &own, true).await;
        let written = match tried {
            Err(Failure { whose: Whose::Lock | Whose::Somebodys, .. }) => one_by_one(shared, connection, &own).await,
            tried => tried,
        };
        wait_for_locks(connection, LOCKED).await;
        outcomes.extend(part.into_iter().zip(written?));
    }
    outcomes.sort_by_key(|(n, _)| *n);
    Ok(outcomes.into_iter().map(|(_, outcome)| outcome).collect())
}

/// Changes the lock timeout of a connection; drops a connection that does not accept it.
async fn wait_for_locks(connection: &mut Option<Connection>, long: Duration) {
    if let Some(open) = connection
        && open.client.batch_execute(&format!("SET lock_timeout = {}", long.as_millis())).await.is_err()
    {
        *connection = None;
    }
}

/// Calls a callback and catches its panic, so that the writer survives.
fn tell(done: CommitDone, result: CommitResult) {
    if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| done(result))).is_err() {
        tracing::error!("the callback of a commit panicked");
    }
}

/// A commit that was given up.
struct Failure {
    error: StoreError,
    whose: Whose,
}

/// Which members a failure concerns.
#[derive(Clone, Copy)]
enum Whose {
    /// All of them.
    Everybodys,
    /// A single batch, or a single member of the only batch, may be the cause, so that the others can be committed
    /// without it.
    Somebodys,
    /// Those that need what another session has locked.
    Lock,
}

/// Commits a group in one transaction, retrying where that may help.
async fn commit_patiently(
    shared: &Shared,
    connection: &mut Option<Connection>,
    members: &[&Member],
    is_one_batch: bool,
) -> Result<Vec<Outcome>, Failure> {
    let given_up = |error, whose| Err(Failure { error, whose });
    let (mut breaks, mut tries) = (0, 0);
    loop {
        let trouble = match commit_once(shared, connection, members).await {
            Ok(outcomes) => return Ok(outcomes),
            Err(trouble) => trouble,
        };
        match trouble {
            Trouble::Unreachable(error) => return given_up(error, Whose::Everybodys),
            // The unreadable row concerns one member; the others can go on.
            Trouble::Unreadable(error) if members.len() > 1 => return given_up(error, Whose::Somebodys),
            Trouble::Unreadable(error) => return Ok(vec![refused(error)]),
            Trouble::Lost(error) => {
                *connection = None;
                breaks += 1;
                if breaks > 1 {
                    return given_up(error, Whose::Everybodys);
                }
            }
            Trouble::Unknown(traces, outcomes, error) => {
                *connection = None;
                match inquire(shared, connection, &traces).await {
                    Some(true) => {
                        shared.committed_unseen(&outcomes);
                        return Ok(outcomes);
                    }
                    Some(false) => {
                        breaks += 1;
                        if breaks > 1 {
                            return given_up(error, Whose::Everybodys);
                        }
                    }
                    None => {
                        let unknown = format!("{error}; it is unknown whether it was written");
                        return given_up(StoreError::Failed(unknown), Whose::Everybodys);
                    }
                }
            }
            Trouble::Refused(code, error) if code == SqlState::LOCK_NOT_AVAILABLE => {
                return given_up(error, Whose::Lock);
            }
            // Split into batches first: that is faster and finds the batch at fault.
            Trouble::Refused(_, error) if !is_one_batch => return given_up(error, Whose::Somebodys),
            Trouble::Refused(code, error) if passes(&code) && tries < TRIES => {
                tries += 1;
                tracing::debug!(%error, tries, "retrying a commit");
                tokio::time::sleep(Duration::from_millis(u64::from(tries * tries))).await;
            }
            // The batch contains a member that will be rejected, or needs more locks than the server has room for.
            Trouble::Refused(code, error) if members.len() > 1 && (is_data_error(&code) || is_too_much(&code)) => {
                return given_up(error, Whose::Somebodys);
            }
            Trouble::Refused(code, error) if is_data_error(&code) => return Ok(vec![refused(error)]),
            Trouble::Refused(code, StoreError::Failed(reason)) if is_too_much(&code) => {
                let hint = "raise max_locks_per_transaction";
                return given_up(StoreError::Failed(format!("{reason}; {hint}")), Whose::Everybodys);
            }
            Trouble::Refused(_, error) => return given_up(error, Whose::Everybodys),
        }
    }
}

/// The outcome of a single member that the database rejects.
fn refused(error: StoreError) -> Outcome {
    tracing::warn!(%error, "the database rejected a member of a commit; the others are committed without it");
    Outcome::Refused(match error {
        StoreError::Failed(why) | StoreError::Full(why) | StoreError::Locked(why) => why,
        other => other.to_string(),
    })
}

/// Whether the cause is the data itself: a value that a column rejects (class 22), a constraint violation (23), a limit
/// exceeded (54). Retrying gives the same error. All other errors concern every member.
fn is_data_error(code: &SqlState) -> bool {
    ["22", "23", "54"].iter().any(|class| code.code().starts_with(class))
}

/// Whether the server lacks room for the locks.
fn is_too_much(code: &SqlState) -> bool {
    *code == SqlState::OUT_OF_MEMORY
}

/// Whether the error is transient: a conflict with concurrent transactions.
fn passes(code: &SqlState) -> bool {
    [
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::UNIQUE_VIOLATION,
        SqlState::QUERY_CANCELED,
    ]
    .contains(code)
}

/// Commits each member in its own transaction, in order.
async fn one_by_one(
    shared: &Shared,
    connection: &mut Option<Connection>,
    members: &[&Member],
) -> Result<Vec<Outcome>, Failure> {
    let mut outcomes = Vec::with_capacity(members.len());
    let mut blocked = 0;
    for member in members {
        if blocked >= MAX_BLOCKED {
            outcomes.push(Outcome::Blocked("another session has locked rows that it needs".into()));
            continue;
        }
        match commit_patiently(shared, connection, &[*member], true).await {
            Ok(one) => {
                blocked = 0;
                outcomes.extend(one);
            }
            Err(Failure { error, whose: Whose::Lock }) => {
                shared.locks.seen();
                blocked += 1;
                outcomes.push(Outcome::Blocked(match error {
                    StoreError::Locked(why) => why,
                    other => other.to_string(),
                }));
            }
            Err(Failure { error, .. }) if outcomes.is_empty() => {
                return Err(Failure { error, whose: Whose::Everybodys });
            }
            Err(Failure { error, .. }) => {
                let text = format!("{error}; {} of {} members were written", outcomes.len(), members.len());
                return Err(Failure { error: StoreError::Failed(text), whose: Whose::Everybodys });
            }
        }
    }
    Ok(outcomes)
}

/// The transaction id alone is no proof: a server that crashed reuses ids of transactions that never reached the disk.
/// A log row with that id is proof, because no two transactions write the same row.
const INQUIRY: &str = "
SELECT pg_xact_status($1::text::xid8),
       EXISTS (SELECT FROM log WHERE tenant = $2 AND run = $3 AND seq = $4 AND xmin::text = $5)";

/// Asks whether a transaction was committed; `None` if the server cannot tell.
async fn inquire(shared: &Shared, connection: &mut Option<Connection>, traces: &Traces) -> Option<bool> {
    let number = traces.transaction.parse::<u64>().ok()?;
    let (tenant, run, seq) = traces.row.clone().unwrap_or_default();
    for _ in 0..INQUIRIES {
        if let Ok(asked) = opened(shared, connection).await {
            // Rows carry the lower 32 bits of the id.
            let short = (number as u32).to_string();
            let params = values![number.to_string(), tenant.clone(), run, seq, short.clone()];
            match asked.ask(&[Question::new(INQUIRY, params)]).await {
                Ok(rows) => {
                    let row = rows.first()?.first()?;
                    match (row.get::<_, Option<&str>>(0), row.get(1)) {
                        (_, true) => return Some(true),
                        (Some("aborted"), false) => return Some(false),
                        // Our transaction would have left its row, so another transaction has the id now.
                        (Some("committed"), false) => return traces.row.is_some().then_some(false),
                        // The server has not noticed yet that our connection is gone. Terminate the backend, so that
                        // the transaction is not committed later.
                        (Some(_), false) => end(shared, &short).await,
                        (None, false) => return None,
                    }
                }
                Err(error) if is_lost(&error) => *connection = None,
                // The server has not assigned this id, or not any more: it crashed before anything was durable.
                Err(error) if error.code() == Some(&SqlState::INVALID_PARAMETER_VALUE) => return Some(false),
                Err(_) => return None,
            }
        }
        tokio::time::sleep(BETWEEN_INQUIRIES).await;
    }
    None
}

/// Terminates the backend of a transaction of ours, if it still exists.
async fn end(shared: &Shared, transaction: &str) {
    let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
               WHERE backend_xid::text = $1 AND datname = current_database() AND usename = session_user
               AND pid <> pg_backend_pid()";
    if let Ok(mut owner) = Connection::open(&shared.address, Role::Owner, shared.roles).await {
        drop(owner.ask(&[Question::new(sql, values![transaction.to_owned()])]).await);
    }
}

async fn opened<'c>(shared: &Shared, connection: &'c mut Option<Connection>) -> Result<&'c mut Connection, StoreError> {
    let usable = connection.take().filter(|connection| !connection.client.is_closed());
    let connected = match usable {
        Some(connected) => connected,
        None => {
            let new = Connection::open(&shared.address, Role::Engine, shared.roles).await?;
            let limit = format!("SET lock_timeout = {}", LOCKED.as_millis());
            new.client.batch_execute(&limit).await.map_err(|error| failed(&error))?;
            new
        }
    };
    Ok(connection.insert(connected))
}

/// Runs one transaction from begin to commit.
async fn commit_once(
    shared: &Shared,
    connection: &mut Option<Connection>,
    members: &[&Member],
) -> Result<Vec<Outcome>, Trouble> {
    let connection = opened(shared, connection).await.map_err(Trouble::Unreachable)?;
    let requirements = Requirements::of(members.iter().copied(), &shared.address.schema);
    let (transaction, view) = match begin(connection, &requirements).await {
        Ok(begun) => begun,
        Err(trouble) => return Err(rolled_back(connection, trouble).await),
    };
    let (outcomes, mut changes) = apply_members(members, view);
    let new_runs = changes.new_runs();
    let traces = Traces { transaction, row: changes.log_row() };
    let mut questions = changes.questions();
    questions.push(Question::new("COMMIT", vec![]));
    let answers = match connection.send(&questions.iter().collect::<Vec<_>>()).await {
        Ok(answers) => answers,
        // A statement could not be prepared, so `COMMIT` was not sent.
        Err(error) => return Err(rolled_back(connection, not_written(&error)).await),
    };
    for (n, answer) in answers.iter().enumerate() {
        let Err(error) = answer else { continue };
        // The error is not an answer to `COMMIT` itself, so the transaction had already failed. (`COMMIT` of a failed
        // transaction rolls it back.)
        let is_commit = n + 1 == answers.len();
        return match error.as_db_error() {
            Some(_) if !is_commit || !is_lost(error) => Err(not_written(error)),
            _ => Err(Trouble::Unknown(traces, outcomes, failed(error))),
        };
    }
    if !changes.is_empty() {
        shared.counters.committed(changes.members, changes.rows, changes.bytes);
        shared.committed(new_runs as u64);
    }
    Ok(outcomes)
}

fn not_written(error: &Error) -> Trouble {
    let reason = failed(error);
    match error.code() {
        Some(code) if !is_lost(error) => Trouble::Refused(code.clone(), reason),
        None if !is_lost(error) => Trouble::Refused(SqlState::DATA_EXCEPTION, reason),
        _ => Trouble::Lost(reason),
    }
}

/// The first round trip: the transaction id, and the rows to decide on.
async fn begin<'a>(
    connection: &mut Connection,
    requirements: &Requirements<'a>,
) -> Result<(String, View<'a>), Trouble> {
    let (parts, questions): (Vec<Part>, Vec<Question<'_>>) = requirements.questions().into_iter().unzip();
    let answers = connection.ask(&questions).await.map_err(|error| not_written(&error))?;
    let transaction = answers[1].first().map(|row| row.get(0)).unwrap_or_default();
    let answers: Vec<(Part, Vec<Row>)> = parts.into_iter().zip(answers).collect();
    let view = View::new(requirements, &answers).map_err(Trouble::Unreadable)?;
    Ok((transaction, view))
}

/// Rolls the transaction back.
async fn rolled_back(connection: &mut Connection, trouble: Trouble) -> Trouble {
    if connection.client.batch_execute("ROLLBACK").await.is_err() {
        tracing::debug!("a transaction ended with its connection");
    }
    trouble
}

/// Checks and applies the members in order, each on top of the changes of those before it.
fn apply_members<'a>(members: &[&'a Member], mut view: View<'a>) -> (Vec<Outcome>, Changes<'a>) {
    let mut changes = Changes::default();
    let mut outcomes = Vec::with_capacity(members.len());
    for member in members {
        if let Some(conflict) = view.conflict(member) {
            outcomes.push(Outcome::Conflict(conflict));
            continue;
        }
        let tenant = member.scope.tenant().as_str();
        for write in &member.writes {
            changes.add(tenant, write, &view);
            view.apply(tenant, write);
        }
        changes.members += 1;
        outcomes.push(Outcome::Committed);
    }
    (outcomes, changes)
}
