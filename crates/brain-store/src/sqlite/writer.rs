//! The single writer thread, with group commit: commands that arrive during a commit share the next one, so that many
//! runs share one sync.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError};

use rusqlite::{Connection, OptionalExtension, params};

use super::records::{forget_entries, forget_words, put_record};
use crate::traits::{CommitDone, Conflict, Member, Outcome, Precondition, StoreError, StoreStats, Write};
use crate::{BlobRow, IndexEntry, RecordRow, Scope};

/// Maximum number of commands per commit.
const MAX_GROUP: usize = 1024;
/// Size of the write-ahead log at which it is checkpointed, in pages of 4 KiB.
const CHECKPOINT_PAGES: i64 = 4000;

/// Commits between two checks of the size of the write-ahead log.
const CHECK_EVERY: u32 = 64;
/// Bytes written between two such checks.
const CHECK_BYTES: u64 = 16 * 1024 * 1024;

/// Returns the bytes of content it wrote. May be called again after a rollback.
type Change = Box<dyn FnMut(&Connection) -> rusqlite::Result<usize> + Send>;
type ChangeDone = Box<dyn FnOnce(Result<(), StoreError>) + Send>;

/// A command for the writer.
pub(super) enum WriterCommand {
    /// Members with preconditions.
    Commit(Vec<Member>, CommitDone),
    /// A change without preconditions.
    Change(Change, ChangeDone),
    /// There are abandoned uploads, whose chunks are deleted when the writer is idle.
    Sweep,
    /// Returns free space to the file system, between commits, because it cannot be part of one.
    Compact(ChangeDone),
    /// Checkpoints the write-ahead log.
    Checkpoint(ChangeDone),
    /// Closes the store; later commands are dropped.
    Close,
}

/// Counters since the store was opened.
#[derive(Default)]
pub(super) struct Counters {
    commits: AtomicU64,
    syncs: AtomicU64,
    members: AtomicU64,
    rows: AtomicU64,
    bytes: AtomicU64,
}

impl Counters {
    pub(super) fn read(&self) -> StoreStats {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        StoreStats {
            commits: get(&self.commits),
            syncs: get(&self.syncs),
            members: get(&self.members),
            rows: get(&self.rows),
            bytes: get(&self.bytes),
        }
    }

    /// Counts a durable commit.
    fn committed(&self, tally: &Tally) {
        let add = |counter: &AtomicU64, by: u64| counter.fetch_add(by, Ordering::Relaxed);
        add(&self.commits, 1);
        add(&self.syncs, 1);
        add(&self.members, tally.members);
        add(&self.rows, tally.rows);
        add(&self.bytes, tally.bytes);
    }
}

/// What a transaction writes; added to the counters when it is durable.
#[derive(Clone, Copy, Default)]
struct Tally {
    members: u64,
    rows: u64,
    bytes: u64,
}

impl Tally {
    fn wrote(&mut self, rows: u64, bytes: usize) {
        self.rows += rows;
        self.bytes += bytes as u64;
    }
}

/// Runs until the store is closed.
pub(super) fn run(mut connection: Connection, commands: &Receiver<WriterCommand>, counters: &Counters) {
    let mut group = Vec::new();
    let mut commits: u32 = 0;
    let mut bytes_checked = 0;
    // A process that died during an upload has left chunks.
    let mut sweep = true;
    loop {
        // Delete abandoned chunks only when idle, a few at a time.
        let first = match commands.try_recv() {
            Ok(first) => first,
            Err(TryRecvError::Empty) if sweep => {
                sweep = sweep_once(&connection);
                continue;
            }
            Err(_) => match commands.recv() {
                Ok(first) => first,
                Err(_) => return,
            },
        };
        group.push(first);
        while group.len() < MAX_GROUP
            && let Ok(next) = commands.try_recv()
        {
            group.push(next);
        }
        sweep |= group.iter().any(|command| matches!(command, WriterCommand::Sweep));
        let close = group.iter().any(|command| matches!(command, WriterCommand::Close));
        group.retain(|command| !matches!(command, WriterCommand::Sweep | WriterCommand::Close));
        let apart =
            |command: &mut WriterCommand| matches!(command, WriterCommand::Compact(_) | WriterCommand::Checkpoint(_));
        let between: Vec<WriterCommand> = group.extract_if(.., apart).collect();
        if !group.is_empty() {
            commit_group(&mut connection, &mut group, counters);
            commits = commits.wrapping_add(1);
        }
        for command in between {
            match command {
                WriterCommand::Compact(done) => done(super::retention::compact(&connection)),
                WriterCommand::Checkpoint(done) => done(checkpoint_all(&connection)),
                _ => {}
            }
        }
        if close {
            if let Err(error) = checkpoint_all(&connection) {
                tracing::info!(%error, "the write-ahead log could not be emptied; it stays beside the file");
            }
            return;
        }
        // After many small commits or a few large ones.
        let bytes = counters.bytes.load(Ordering::Relaxed);
        if commits.is_multiple_of(CHECK_EVERY) || bytes - bytes_checked >= CHECK_BYTES {
            bytes_checked = bytes;
            checkpoint_if_due(&connection, counters);
        }
    }
}

/// Checkpoints the whole write-ahead log and empties it, so that the file alone is the store. Readers and other
/// processes may prevent that for a while.
fn checkpoint_all(connection: &Connection) -> Result<(), StoreError> {
    let busy: i64 =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0)).map_err(super::failed)?;
    if busy == 0 { Ok(()) } else { Err(StoreError::Failed("another process uses the file".into())) }
}

/// Deletes some abandoned chunks; returns whether there may be more.
fn sweep_once(connection: &Connection) -> bool {
    super::blobs::sweep(connection).unwrap_or_else(|error| {
        tracing::warn!(%error, "chunks of an abandoned upload could not be deleted; they stay until the next start");
        false
    })
}

/// The result of a command in a committed group.
enum Answer {
    Commit(Vec<Outcome>),
    Change(Result<(), StoreError>),
}

/// Commits a group and reports the results. If the database rejects a member, the group is written again with a
/// savepoint around each member, so that only that one is rejected. Groups without a rejection do not pay for
/// savepoints.
fn commit_group(connection: &mut Connection, group: &mut Vec<WriterCommand>, counters: &Counters) {
    let result = match write_group(connection, group, false, counters) {
        Err(error) if is_data_error(&error) => {
            tracing::warn!(%error, "the database rejected a member of a commit; the others are committed without it");
            write_group(connection, group, true, counters)
        }
        other => other,
    };
    match result {
        Ok(answers) => {
            for (command, answer) in group.drain(..).zip(answers) {
                match (command, answer) {
                    (WriterCommand::Commit(_, done), Answer::Commit(outcomes)) => done(Ok(outcomes)),
                    (WriterCommand::Change(change, done), Answer::Change(result)) => {
                        // Drop first: the caller may want to reclaim its buffer.
                        drop(change);
                        done(result);
                    }
                    _ => {}
                }
            }
        }
        Err(error) => {
            tracing::error!(%error, "a commit failed; none of it was written");
            let failed = || super::failed_write(&error);
            for command in group.drain(..) {
                match command {
                    WriterCommand::Commit(_, done) => done(Err(failed())),
                    WriterCommand::Change(_, done) => done(Err(failed())),
                    WriterCommand::Sweep
                    | WriterCommand::Compact(_)
                    | WriterCommand::Checkpoint(_)
                    | WriterCommand::Close => {}
                }
            }
        }
    }
}

/// Whether the cause is the data of a member, or the rows it refers to. Retrying gives the same error, and other
/// members are not affected. All other errors (no space, no memory, a busy or damaged file) affect every member.
fn is_data_error(error: &rusqlite::Error) -> bool {
    use rusqlite::{Error, ErrorCode};
    match error {
        Error::SqliteFailure(failure, _) => matches!(
            failure.code,
            ErrorCode::ConstraintViolation
                | ErrorCode::TypeMismatch
                | ErrorCode::TooBig
                | ErrorCode::ParameterOutOfRange
        ),
        Error::ToSqlConversionFailure(_)
        | Error::FromSqlConversionFailure(..)
        | Error::IntegralValueOutOfRange(..)
        | Error::InvalidColumnType(..)
        | Error::Utf8Error(..) => true,
        _ => false,
    }
}

/// Writes a group in one transaction and returns a result for each command, in order. With `apart`, a rejected member
/// is rolled back alone; without, it ends the transaction.
fn write_group(
    connection: &mut Connection,
    group: &mut [WriterCommand],
    apart: bool,
    counters: &Counters,
) -> rusqlite::Result<Vec<Answer>> {
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let mut tally = Tally::default();
    let mut answers = Vec::with_capacity(group.len());
    for command in group {
        answers.push(match command {
            WriterCommand::Commit(members, _) => {
                let mut outcomes = Vec::with_capacity(members.len());
                for member in members {
                    let written =
                        guarded(&transaction, apart, &mut tally, |tally| write_member(&transaction, member, tally))?;
                    outcomes.push(written.unwrap_or_else(|error| Outcome::Refused(error.to_string())));
                }
                Answer::Commit(outcomes)
            }
            WriterCommand::Change(change, _) => {
                let written = guarded(&transaction, apart, &mut tally, |tally| {
                    let bytes = change(&transaction)?;
                    tally.wrote(1, bytes);
                    Ok(())
                })?;
                Answer::Change(written.map_err(|error| super::failed_write(&error)))
            }
            WriterCommand::Sweep | WriterCommand::Compact(_) | WriterCommand::Checkpoint(_) | WriterCommand::Close => {
                Answer::Change(Ok(()))
            }
        });
    }
    transaction.commit()?;
    counters.committed(&tally);
    Ok(answers)
}

/// Writes one member. With `apart`, a rejection caused by its own data (the inner error) is rolled back alone.
fn guarded<T>(
    connection: &Connection,
    apart: bool,
    tally: &mut Tally,
    write: impl FnOnce(&mut Tally) -> rusqlite::Result<T>,
) -> rusqlite::Result<rusqlite::Result<T>> {
    if !apart {
        return write(tally).map(Ok);
    }
    let before = *tally;
    let say = |sql| connection.prepare_cached(sql)?.execute([]).map(drop);
    say("SAVEPOINT one")?;
    let written = write(tally);
    match &written {
        Err(error) if is_data_error(error) => {
            say("ROLLBACK TO one")?;
            *tally = before;
        }
        Err(_) => return written.map(Ok),
        Ok(_) => {}
    }
    say("RELEASE one")?;
    Ok(written)
}

/// Checkpoints the log when it has grown. Costs two syncs: the log, then the file.
fn checkpoint_if_due(connection: &Connection, counters: &Counters) {
    let due = connection.query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| row.get::<_, i64>(1));
    if !due.is_ok_and(|pages| pages >= CHECKPOINT_PAGES) {
        return;
    }
    let done = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
    match done {
        Ok(()) => {
            counters.syncs.fetch_add(2, Ordering::Relaxed);
        }
        Err(error) => tracing::warn!(%error, "checkpointing the write-ahead log failed; retrying later"),
    }
}

fn write_member(connection: &Connection, member: &Member, tally: &mut Tally) -> rusqlite::Result<Outcome> {
    for precondition in &member.preconditions {
        if !holds(connection, &member.scope, precondition)? {
            return Ok(Outcome::Conflict(Conflict::Precondition(precondition.clone())));
        }
    }
    for write in &member.writes {
        if let Write::PutRecord { row, index, .. } = write
            && let Some(conflict) = taken(connection, &member.scope, row, index)?
        {
            return Ok(Outcome::Conflict(conflict));
        }
    }
    match super::accounts::check(connection, member)? {
        Err(conflict) => return Ok(Outcome::Conflict(conflict)),
        Ok(booked) => {
            let rows = super::accounts::apply(connection, member.scope.tenant().as_str(), &booked)?;
            tally.wrote(rows, 64 * rows as usize);
        }
    }
    for write in &member.writes {
        apply(connection, &member.scope, write, tally)?;
    }
    tally.members += 1;
    Ok(Outcome::Committed)
}

fn holds(connection: &Connection, scope: &Scope, precondition: &Precondition) -> rusqlite::Result<bool> {
    let tenant = scope.tenant().as_str();
    match precondition {
        Precondition::RunAbsent(run) => Ok(!connection
            .prepare_cached("SELECT 1 FROM runs WHERE tenant = ?1 AND id = ?2")?
            .exists(params![tenant, run.as_uuid().as_bytes()])?),
        Precondition::RunAt { run, seq, fence } => {
            let found: Option<(i64, i64)> = connection
                .prepare_cached("SELECT seq, fence FROM runs WHERE tenant = ?1 AND id = ?2")?
                .query_row(params![tenant, run.as_uuid().as_bytes()], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            Ok(found == Some((*seq as i64, *fence as i64)))
        }
        Precondition::Record { kind, id, revision } => {
            let found: Option<i64> = connection
                .prepare_cached("SELECT revision FROM records WHERE tenant = ?1 AND kind = ?2 AND id = ?3")?
                .query_row(params![tenant, kind, id.as_uuid().as_bytes()], |row| row.get(0))
                .optional()?;
            Ok(found == revision.map(|revision| revision as i64))
        }
        Precondition::Listed { kind, field, value, fingerprint } => {
            let mut statement = connection.prepare_cached(
                "SELECT r.id, r.revision FROM record_index i
                 JOIN records r ON r.tenant = i.tenant AND r.kind = i.kind AND r.id = i.id
                 WHERE i.tenant = ?1 AND i.kind = ?2 AND i.field = ?3 AND i.value = ?4 ORDER BY i.id",
            )?;
            let rows = statement.query_map(params![tenant, kind, field, value.as_str()], |row| {
                Ok((super::read::record_id(row.get(0)?), row.get::<_, i64>(1)? as u64))
            })?;
            let there: Vec<_> = rows.collect::<rusqlite::Result<_>>()?;
            Ok(crate::fingerprint(there) == *fingerprint)
        }
        Precondition::KeyFree(key) => Ok(!connection
            .prepare_cached("SELECT 1 FROM request_keys WHERE tenant = ?1 AND key = ?2")?
            .exists(params![tenant, key])?),
        Precondition::ApprovalPending(id) => connection
            .prepare_cached("SELECT 1 FROM approvals WHERE tenant = ?1 AND id = ?2 AND status = 'pending'")?
            .exists(params![tenant, id.as_uuid().as_bytes()]),
        Precondition::LetterOpen(id) => connection
            .prepare_cached("SELECT 1 FROM dead_letters WHERE tenant = ?1 AND id = ?2 AND open = 1")?
            .exists(params![tenant, id.as_uuid().as_bytes()]),
        Precondition::SignalPresent { run, id } => connection
            .prepare_cached("SELECT 1 FROM signals WHERE tenant = ?1 AND run = ?2 AND id = ?3")?
            .exists(params![tenant, run.as_uuid().as_bytes(), id]),
    }
}

fn taken(
    connection: &Connection,
    scope: &Scope,
    row: &RecordRow,
    index: &[IndexEntry],
) -> rusqlite::Result<Option<Conflict>> {
    for entry in index.iter().filter(|entry| entry.unique) {
        let holder: Option<[u8; 16]> = connection
            .prepare_cached(
                "SELECT id FROM record_unique WHERE tenant = ?1 AND kind = ?2 AND field = ?3 AND value = ?4",
            )?
            .query_row(params![scope.tenant().as_str(), row.kind, entry.field, entry.value.as_str()], |row| row.get(0))
            .optional()?;
        if let Some(holder) = holder
            && holder != *row.id.as_uuid().as_bytes()
        {
            let holder = super::read::record_id(holder);
            return Ok(Some(Conflict::Unique { kind: row.kind.clone(), field: entry.field.clone(), holder }));
        }
    }
    Ok(None)
}

fn apply(connection: &Connection, scope: &Scope, write: &Write, tally: &mut Tally) -> rusqlite::Result<()> {
    let tenant = scope.tenant().as_str();
    match write {
        Write::NewRun(row) => {
            let request = row.request.to_string();
            connection
                .prepare_cached(
                    "INSERT INTO runs (tenant, id, created_at, updated_at, status, program, seq, owner, fence, wake_at,
                     priority, request, queue_order, queue_limit, erased)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
                )?
                .execute(params![
                    tenant,
                    row.id.as_uuid().as_bytes(),
                    row.created_at.as_millis(),
                    row.updated_at.as_millis(),
                    row.status.as_str(),
                    row.program.as_ref().map(brain_core::Digest::as_bytes),
                    row.schedule.seq as i64,
                    row.schedule.owner.as_ref().map(|node| *node.as_uuid().as_bytes()),
                    row.schedule.fence as i64,
                    row.schedule.wake_at.map(|at| at.as_millis()),
                    row.schedule.priority,
                    request,
                    row.schedule.queued.as_ref().map(|place| place.order),
                    row.schedule.queued.as_ref().map(|place| &place.limit),
                    row.erased,
                ])?;
            tally.wrote(1, request.len() + 128);
        }
        Write::UpdateRun { run, status, at, schedule, program } => {
            connection
                .prepare_cached(
                    "UPDATE runs SET status = ?3, updated_at = ?4, seq = ?5, owner = ?6, fence = ?7, wake_at = ?8,
                     priority = ?9, program = coalesce(?10, program), queue_order = ?11, queue_limit = ?12
                     WHERE tenant = ?1 AND id = ?2",
                )?
                .execute(params![
                    tenant,
                    run.as_uuid().as_bytes(),
                    status.as_str(),
                    at.as_millis(),
                    schedule.seq as i64,
                    schedule.owner.as_ref().map(|node| *node.as_uuid().as_bytes()),
                    schedule.fence as i64,
                    schedule.wake_at.map(|at| at.as_millis()),
                    schedule.priority,
                    program.as_ref().map(brain_core::Digest::as_bytes),
                    schedule.queued.as_ref().map(|place| place.order),
                    schedule.queued.as_ref().map(|place| &place.limit),
                ])?;
            tally.wrote(1, 128);
        }
        Write::Append(row) => {
            let events = serde_json::to_string(&row.events).expect("events are JSON");
            let payloads =
                (!row.payloads.is_empty()).then(|| serde_json::to_string(&row.payloads).expect("payloads are JSON"));
            connection
                .prepare_cached("INSERT INTO log (run, seq, at, events, payloads) VALUES (?1, ?2, ?3, ?4, ?5)")?
                .execute(params![row.run.as_uuid().as_bytes(), row.seq as i64, row.at.as_millis(), events, payloads])?;
            tally.wrote(1, events.len() + payloads.map_or(0, |text| text.len()) + 32);
        }
        Write::PutRecord { row, index, text } => {
            let (rows, bytes) = put_record(connection, tenant, row, index, text.as_deref())?;
            tally.wrote(rows, bytes);
        }
        Write::DeleteRecord { kind, id } => {
            let id = id.as_uuid();
            let found: Option<Option<String>> = connection
                .prepare_cached("DELETE FROM records WHERE tenant = ?1 AND kind = ?2 AND id = ?3 RETURNING entries")?
                .query_row(params![tenant, kind, id.as_bytes()], |row| row.get(0))
                .optional()?;
            if let Some(entries) = found {
                forget_entries(connection, tenant, kind, id.as_bytes(), entries.as_deref())?;
                forget_words(connection, tenant, kind, id.as_bytes())?;
            }
            tally.wrote(1, 64);
        }
        Write::Link(row) => {
            connection.prepare_cached("INSERT OR IGNORE INTO artifacts VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?.execute(
                params![
                    tenant,
                    row.run.as_uuid().as_bytes(),
                    row.kind,
                    row.record.as_uuid().as_bytes(),
                    row.step,
                    row.role,
                    row.at.as_millis()
                ],
            )?;
            tally.wrote(1, 80);
        }
        Write::PutLetter(row) => {
            let body = row.body.to_string();
            connection
                .prepare_cached("INSERT OR REPLACE INTO dead_letters VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?
                .execute(params![
                    tenant,
                    row.id.as_uuid().as_bytes(),
                    row.run.as_uuid().as_bytes(),
                    row.tool,
                    row.opened_at.as_millis(),
                    row.open,
                    body
                ])?;
            tally.wrote(1, body.len() + 64);
        }
        Write::PutApproval(row) => {
            let body = row.body.to_string();
            connection.prepare_cached("INSERT OR REPLACE INTO approvals VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?.execute(
                params![
                    tenant,
                    row.id.as_uuid().as_bytes(),
                    row.run.as_uuid().as_bytes(),
                    row.status.as_str(),
                    row.asked_at.as_millis(),
                    body
                ],
            )?;
            tally.wrote(1, body.len() + 64);
        }
        Write::Define { hash, kind, body } => {
            let body = body.to_string();
            connection.prepare_cached("INSERT OR IGNORE INTO definitions VALUES (?1, ?2, ?3)")?.execute(params![
                hash.as_bytes(),
                kind,
                body
            ])?;
            tally.wrote(1, body.len() + 40);
        }
        Write::TakeKey { key, digest, run } => {
            connection.prepare_cached("INSERT INTO request_keys VALUES (?1, ?2, ?3, ?4)")?.execute(params![
                tenant,
                key,
                digest.as_bytes(),
                run.as_uuid().as_bytes()
            ])?;
            tally.wrote(1, key.len() + 64);
        }
        Write::Offer(row) => tally.wrote(1, super::offers::put(connection, tenant, row)?),
        Write::Withdraw(key) => {
            super::offers::withdraw(connection, tenant, *key)?;
            tally.wrote(1, 64);
        }
        Write::WithdrawAll(run) => {
            super::offers::withdraw_all(connection, tenant, *run)?;
            tally.wrote(1, 64);
        }
        Write::Signal(row) => tally.wrote(1, super::signals::put(connection, tenant, row)?),
        Write::TakeSignal { run, id } => {
            super::signals::take(connection, tenant, *run, id)?;
            tally.wrote(1, 64);
        }
        Write::PutBlob { hash, media_type, at, bytes } => {
            let row = BlobRow { hash: *hash, size: bytes.len() as u64, media_type: media_type.clone(), at: *at };
            tally.wrote(1, super::blobs::put(connection, tenant, &row, bytes)?);
        }
        // Applied with the whole member.
        Write::Reserve { .. } | Write::Settle { .. } | Write::Release { .. } => {}
        Write::DropAccount(account) => {
            super::accounts::drop_account(connection, tenant, account)?;
            tally.wrote(1, 64);
        }
        Write::Erase { run, request, rows } => {
            tally.wrote(1 + rows.len() as u64, super::retention::erase(connection, tenant, *run, request, rows)?);
        }
        Write::DropLog { run, seqs } => {
            super::retention::drop_log(connection, tenant, *run, seqs)?;
            tally.wrote(seqs.len() as u64, 64);
        }
        Write::Number { run, number } => {
            connection
                .prepare_cached(
                    "INSERT INTO run_numbers (n, tenant, run) VALUES (?1, ?2, ?3) ON CONFLICT (tenant, run) DO NOTHING",
                )?
                .execute(params![number, tenant, run.as_uuid().as_bytes()])?;
            tally.wrote(1, 64);
        }
        Write::DropRun(run) => {
            super::retention::drop_run(connection, tenant, *run)?;
            tally.wrote(1, 64);
        }
        Write::NoteBlob { hash, unused_since } => {
            super::retention::note_blob(connection, tenant, *hash, *unused_since)?;
            tally.wrote(1, 64);
        }
        Write::DropBlob { hash, unused_before } => {
            super::retention::drop_blob(connection, tenant, *hash, *unused_before)?;
            tally.wrote(1, 64);
        }
    }
    Ok(())
}
