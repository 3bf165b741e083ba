//! Commits. What has been handed over while others were being committed goes into the next transaction together: two
//! round trips and one sync, however many runs share them.
//!
//! A transaction that PostgreSQL refuses (a deadlock, a row that somebody else has just inserted) is tried again, each
//! batch on its own, so that one batch's trouble is not its neighbours'. If it refuses what a batch says, and would
//! again, its members are committed one by one, and only the one that is refused hears of it
//! ([`crate::Outcome::Refused`]). If the connection breaks while `COMMIT` is
//! under way, the server is asked what became of the transaction. If it cannot be asked either, the caller is told that
//! nobody knows. That is safe: the engine then reads the run again and decides anew, and its next commit names the
//! number of events and the fence it has read ([`crate::Precondition::RunAt`]) or that the run is absent, which do not
//! hold if the lost commit happened meanwhile; all other effects of a run are in that same commit.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Error, Row};
use uuid::Uuid;

use super::Shared;
use super::changes::Changes;
use super::connection::{Connection, Question, Role, failed, is_lost, values};
use super::need::{Need, Part};
use super::view::View;
use crate::{CommitDone, CommitResult, Member, Outcome, StoreError, StoreStats, Write};

/// Members that share one transaction at most.
const MAX_MEMBERS: usize = 256;
/// Advisory locks that one transaction takes at most, but for a batch that needs more. A server has room for about 6,400.
const MAX_LOCKS: usize = 1000;
/// Bytes of blobs in one transaction, but for a batch that has more.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// How often a batch that is refused for reasons that pass is tried.
const TRIES: u32 = 6;
/// How often, and how long apart, the server is asked what became of a transaction. Together longer than a server lets a
/// transaction stand idle: what it has not committed by then, it will not commit later.
const INQUIRIES: u32 = 120;
const BETWEEN_INQUIRIES: Duration = Duration::from_millis(250);

/// Members that were handed over together.
pub(super) struct Batch {
    pub(super) members: Vec<Member>,
    pub(super) done: CommitDone,
}

impl Batch {
    /// Advisory locks, at most, and bytes of blobs.
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

/// What waits to be committed.
#[derive(Default)]
pub(super) struct Queue {
    waiting: Mutex<VecDeque<Batch>>,
    closed: AtomicBool,
    come: Notify,
}

impl Queue {
    /// Hands a batch over, or gives it back if the store is closed.
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

    /// Nothing more comes; what is there is still committed.
    pub(super) fn close(&self) {
        let _waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        self.closed.store(true, Ordering::Release);
        self.come.notify_waiters();
        // One more for a writer that is just about to wait.
        self.come.notify_one();
    }

    /// Whatever waits, up to the bounds of one transaction; `None` when the store is closed and nothing is left.
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

/// What was done since the store was opened.
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
        // Every commit is a sync that was waited for; PostgreSQL may have made one of several.
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

/// Why a transaction did not come to its end.
enum Trouble {
    /// There is no connection to be had.
    Unreachable(StoreError),
    /// The connection broke before the commit: nothing was written.
    Lost(StoreError),
    /// The connection broke during the commit.
    Unknown(Traces, Vec<Outcome>, StoreError),
    /// The server refused: nothing was written.
    Refused(SqlState, StoreError),
    /// What is there cannot be read.
    Unreadable(StoreError),
}

/// By what a transaction is recognised.
struct Traces {
    /// Its number.
    transaction: String,
    /// A row of the log that it wrote: tenant, run, number.
    row: Option<(String, Uuid, i64)>,
}

/// One of the writers. Works until the store is closed.
pub(super) async fn write_forever(shared: Arc<Shared>) {
    let mut connection = None;
    while let Some(group) = shared.queue.take().await {
        let mut work = vec![group];
        while let Some(mut batches) = work.pop() {
            let members: Vec<&Member> = batches.iter().flat_map(|batch| &batch.members).collect();
            let mut result = commit_patiently(&shared, &mut connection, &members, batches.len() == 1).await;
            if result.as_ref().is_err_and(|failure| failure.is_somebodys) {
                if batches.len() > 1 {
                    work.extend(batches.drain(..).rev().map(|batch| vec![batch]));
                    continue;
                }
                result = one_by_one(&shared, &mut connection, &members).await;
            }
            match result {
                Err(Failure { error, .. }) => {
                    tracing::error!(%error, "a commit failed");
                    batches.into_iter().for_each(|batch| tell(batch.done, Err(error.clone())));
                }
                Ok(outcomes) => {
                    let mut outcomes = outcomes.into_iter();
                    for batch in batches {
                        let own = outcomes.by_ref().take(batch.members.len()).collect();
                        tell(batch.done, Ok(own));
                    }
                }
            }
        }
    }
}

/// A callback that panics is its owner's trouble, not the writer's.
fn tell(done: CommitDone, result: CommitResult) {
    if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| done(result))).is_err() {
        tracing::error!("whoever waited for a commit panicked when it was told");
    }
}

/// A commit that was given up.
struct Failure {
    error: StoreError,
    /// Whether one of the batches, or of the members of the only one, may be the reason, and the others go through
    /// without it.
    is_somebodys: bool,
}

/// Commits a group in one transaction, trying again where that may help.
async fn commit_patiently(
    shared: &Shared,
    connection: &mut Option<Connection>,
    members: &[&Member],
    is_one_batch: bool,
) -> Result<Vec<Outcome>, Failure> {
    let given_up = |error, is_somebodys| Err(Failure { error, is_somebodys });
    let (mut breaks, mut tries) = (0, 0);
    loop {
        let trouble = match commit_once(shared, connection, members).await {
            Ok(outcomes) => return Ok(outcomes),
            Err(trouble) => trouble,
        };
        match trouble {
            Trouble::Unreachable(error) => return given_up(error, false),
            // A row that a member is about; the others are not concerned.
            Trouble::Unreadable(error) if members.len() > 1 => return given_up(error, true),
            Trouble::Unreadable(error) => return Ok(vec![refused(error)]),
            Trouble::Lost(error) => {
                *connection = None;
                breaks += 1;
                if breaks > 1 {
                    return given_up(error, false);
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
                            return given_up(error, false);
                        }
                    }
                    None => {
                        let unknown = format!("{error}; whether it was written is not known");
                        return given_up(StoreError::Failed(unknown), false);
                    }
                }
            }
            // Smaller pieces first: it is quicker, and says whose trouble it is.
            Trouble::Refused(_, error) if !is_one_batch => return given_up(error, true),
            Trouble::Refused(code, error) if passes(&code) && tries < TRIES => {
                tries += 1;
                tracing::debug!(%error, tries, "a commit is tried again");
                tokio::time::sleep(Duration::from_millis(u64::from(tries * tries))).await;
            }
            // What a batch says will not be taken, or it needs more locks than the server has room for.
            Trouble::Refused(code, error) if members.len() > 1 && (is_its_own(&code) || is_too_much(&code)) => {
                return given_up(error, true);
            }
            Trouble::Refused(code, error) if is_its_own(&code) => return Ok(vec![refused(error)]),
            Trouble::Refused(code, StoreError::Failed(reason)) if is_too_much(&code) => {
                let hint = "raise max_locks_per_transaction";
                return given_up(StoreError::Failed(format!("{reason}; {hint}")), false);
            }
            Trouble::Refused(_, error) => return given_up(error, false),
        }
    }
}

/// What becomes of the only member of a transaction that will not be taken.
fn refused(error: StoreError) -> Outcome {
    tracing::warn!(%error, "a part of a commit was refused; the rest is written without it");
    Outcome::Refused(match error {
        StoreError::Failed(why) => why,
        other => other.to_string(),
    })
}

/// Whether the reason lies in what was to be written: a value that a column does not take (class 22), a row that there is
/// already (23), more than fits (54). Trying again gives the same. All other reasons are everybody's.
fn is_its_own(code: &SqlState) -> bool {
    ["22", "23", "54"].iter().any(|class| code.code().starts_with(class))
}

/// Whether the server has no room for it.
fn is_too_much(code: &SqlState) -> bool {
    *code == SqlState::OUT_OF_MEMORY
}

/// Reasons that may be gone the next time: others were in the way.
fn passes(code: &SqlState) -> bool {
    [
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::UNIQUE_VIOLATION,
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::QUERY_CANCELED,
    ]
    .contains(code)
}

/// Commits the members of a batch in transactions of their own, in order.
async fn one_by_one(
    shared: &Shared,
    connection: &mut Option<Connection>,
    members: &[&Member],
) -> Result<Vec<Outcome>, Failure> {
    let mut outcomes = Vec::with_capacity(members.len());
    for member in members {
        match commit_patiently(shared, connection, &[*member], true).await {
            Ok(one) => outcomes.extend(one),
            Err(Failure { error, .. }) if outcomes.is_empty() => return Err(Failure { error, is_somebodys: false }),
            Err(Failure { error, .. }) => {
                let told = format!("{error}; {} of {} members were written", outcomes.len(), members.len());
                return Err(Failure { error: StoreError::Failed(told), is_somebodys: false });
            }
        }
    }
    Ok(outcomes)
}

/// Its number alone is no proof: a server that crashed gives the number of a transaction of which nothing reached the
/// disk to another one. A row of the log with that number is: no two transactions write the same one.
const INQUIRY: &str = "
SELECT pg_xact_status($1::text::xid8),
       EXISTS (SELECT FROM log WHERE tenant = $2 AND run = $3 AND seq = $4 AND xmin::text = $5)";

/// What became of a transaction: committed or not; `None`: nobody can say.
async fn inquire(shared: &Shared, connection: &mut Option<Connection>, traces: &Traces) -> Option<bool> {
    let number = traces.transaction.parse::<u64>().ok()?;
    let (tenant, run, seq) = traces.row.clone().unwrap_or_default();
    for _ in 0..INQUIRIES {
        if let Ok(asked) = opened(shared, connection).await {
            // Rows carry the lower half of the number.
            let short = (number as u32).to_string();
            let params = values![number.to_string(), tenant.clone(), run, seq, short.clone()];
            match asked.ask(&[Question::new(INQUIRY, params)]).await {
                Ok(rows) => {
                    let row = rows.first()?.first()?;
                    match (row.get::<_, Option<&str>>(0), row.get(1)) {
                        (_, true) => return Some(true),
                        (Some("aborted"), false) => return Some(false),
                        // It would have left its row: the number is somebody else's by now.
                        (Some("committed"), false) => return traces.row.is_some().then_some(false),
                        // The server has not noticed yet that we are gone. It is told, so that what was not
                        // committed by now is not committed later.
                        (Some(_), false) => end(shared, &short).await,
                        (None, false) => return None,
                    }
                }
                Err(error) if is_lost(&error) => *connection = None,
                // A number that this server has not given out yet, or no longer: it crashed before any of it was kept.
                Err(error) if error.code() == Some(&SqlState::INVALID_PARAMETER_VALUE) => return Some(false),
                Err(_) => return None,
            }
        }
        tokio::time::sleep(BETWEEN_INQUIRIES).await;
    }
    None
}

/// Ends the connection that a transaction of ours belongs to, if it is still there.
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
        None => Connection::open(&shared.address, Role::Engine, shared.roles).await?,
    };
    Ok(connection.insert(connected))
}

/// One transaction, from its beginning to its end.
async fn commit_once(
    shared: &Shared,
    connection: &mut Option<Connection>,
    members: &[&Member],
) -> Result<Vec<Outcome>, Trouble> {
    let connection = opened(shared, connection).await.map_err(Trouble::Unreachable)?;
    let need = Need::of(members.iter().copied(), &shared.address.schema);
    let (transaction, view) = match begin(connection, &need).await {
        Ok(begun) => begun,
        Err(trouble) => return Err(rolled_back(connection, trouble).await),
    };
    let (outcomes, mut changes) = decide(members, view);
    let new_runs = changes.new_runs();
    let traces = Traces { transaction, row: changes.log_row() };
    let mut questions = changes.questions();
    questions.push(Question::new("COMMIT", vec![]));
    let answers = match connection.send(&questions.iter().collect::<Vec<_>>()).await {
        Ok(answers) => answers,
        // A statement could not be prepared: the commit was not sent.
        Err(error) => return Err(rolled_back(connection, not_written(&error)).await),
    };
    for (n, answer) in answers.iter().enumerate() {
        let Err(error) = answer else { continue };
        // An answer from the server that is not to the commit itself: the transaction was over before it came to that.
        // (`COMMIT` of a failed transaction rolls it back.)
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

/// The first round trip: the transaction's number, and what there is.
async fn begin<'a>(connection: &mut Connection, need: &Need<'a>) -> Result<(String, View<'a>), Trouble> {
    let (parts, questions): (Vec<Part>, Vec<Question<'_>>) = need.questions().into_iter().unzip();
    let answers = connection.ask(&questions).await.map_err(|error| not_written(&error))?;
    let transaction = answers[1].first().map(|row| row.get(0)).unwrap_or_default();
    let answers: Vec<(Part, Vec<Row>)> = parts.into_iter().zip(answers).collect();
    let view = View::new(need, &answers).map_err(Trouble::Unreadable)?;
    Ok((transaction, view))
}

/// Leaves no transaction open behind.
async fn rolled_back(connection: &mut Connection, trouble: Trouble) -> Trouble {
    if connection.client.batch_execute("ROLLBACK").await.is_err() {
        tracing::debug!("a transaction ended with its connection");
    }
    trouble
}

/// Decides the members one after the other, each over what those before it leave.
fn decide<'a>(members: &[&'a Member], mut view: View<'a>) -> (Vec<Outcome>, Changes<'a>) {
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
