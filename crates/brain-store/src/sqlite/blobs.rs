//! Blobs in SQLite: rows of 256 KiB, so that neither memory nor the writer's time grows with the size of a blob.
//!
//! An upload has a row in the table of uploads before its first chunk is written. The commit that finishes it inserts
//! the blob's row, which makes it visible, and ends the upload. An abandoned upload is marked, and the writer deletes
//! its chunks when it is idle. Uploads of a crashed process are found when the file is opened: uploading processes hold
//! a shared lock on a file beside the store, so an upload without a lock holder is an orphan.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

use brain_core::{Digest, DigestStream, TenantId, Timestamp};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::read::{one, time};
use super::writer::WriterCommand;
use super::{SqliteStore, failed, write_on};
use crate::{BlobRow, BlobWriter, Blobs, Scope, StoreError};

/// Bytes per chunk.
const CHUNK: usize = 256 * 1024;
/// Bytes of an upload per commit: a few milliseconds of the writer's time.
const BATCH: usize = 4 * CHUNK;
/// Chunk numbers reserved for one blob: at 256 KiB, 256 GiB.
pub(super) const SPAN: i64 = 1 << 20;
/// Chunks per delete.
const SWEPT_AT_ONCE: i64 = 16;

fn lock_path(store: &Path) -> PathBuf {
    let mut name = store.as_os_str().to_owned();
    name.push("-uploads");
    name.into()
}

fn open_lock(store: &Path) -> std::io::Result<File> {
    File::options().create(true).truncate(false).write(true).open(lock_path(store))
}

/// Marks the uploads of dead processes as abandoned. Costs one query on a table that is empty unless a process crashed.
pub(super) fn give_up_orphans(connection: &Connection, store: &Path) -> rusqlite::Result<()> {
    if !connection.prepare("SELECT 1 FROM blob_uploads WHERE NOT given_up LIMIT 1")?.exists([])? {
        return Ok(());
    }
    // Another process is uploading, or the lock is unavailable: the next process to open the file tries again.
    let Ok(lock) = open_lock(store) else { return Ok(()) };
    if lock.try_lock().is_err() {
        return Ok(());
    }
    connection.execute("UPDATE blob_uploads SET given_up = 1", []).map(drop)
}

/// Deletes some chunks of abandoned uploads; returns whether there may be more.
pub(super) fn sweep(connection: &Connection) -> rusqlite::Result<bool> {
    let next: Option<i64> = connection
        .prepare_cached("SELECT id FROM blob_uploads WHERE given_up ORDER BY id LIMIT 1")?
        .query_row([], |row| row.get(0))
        .optional()?;
    let Some(upload) = next else { return Ok(false) };
    let deleted = connection
        .prepare_cached(
            "DELETE FROM blob_chunks WHERE n IN (SELECT n FROM blob_chunks WHERE n >= ?1 AND n < ?2 LIMIT ?3)",
        )?
        .execute(params![upload * SPAN, (upload + 1) * SPAN, SWEPT_AT_ONCE])?;
    if deleted == 0 {
        connection.prepare_cached("DELETE FROM blob_uploads WHERE id = ?1")?.execute([upload])?;
    }
    Ok(true)
}

fn begin(connection: &Connection) -> rusqlite::Result<i64> {
    connection.prepare_cached("INSERT INTO blob_uploads (given_up) VALUES (0)")?.execute([])?;
    Ok(connection.last_insert_rowid())
}

/// Writes the chunks of an upload, starting with number `from`.
fn write_chunks(connection: &Connection, upload: i64, from: i64, bytes: &[u8]) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached("INSERT INTO blob_chunks VALUES (?1, ?2)")?;
    for (n, chunk) in (from..).zip(bytes.chunks(CHUNK)) {
        statement.execute(params![upload * SPAN + n, chunk])?;
    }
    Ok(())
}

/// Publishes an upload as the blob `row`; returns whether the blob is new. If it is not, the upload is abandoned.
fn publish(connection: &Connection, tenant: &str, row: &BlobRow, upload: i64) -> rusqlite::Result<bool> {
    let new = connection
        .prepare_cached("INSERT OR IGNORE INTO blobs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, NULL)")?
        .execute(params![
            tenant,
            row.hash.as_bytes(),
            row.size as i64,
            row.media_type,
            row.at.as_millis(),
            upload * SPAN,
            CHUNK as i64
        ])?
        > 0;
    let end = if new {
        "DELETE FROM blob_uploads WHERE id = ?1"
    } else {
        is_used(connection, tenant, row.hash)?;
        "UPDATE blob_uploads SET given_up = 1 WHERE id = ?1"
    };
    connection.prepare_cached(end)?.execute([upload])?;
    Ok(new)
}

/// Marks existing bytes as used, because a reference follows in the same commit or soon after.
fn is_used(connection: &Connection, tenant: &str, hash: Digest) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "UPDATE blobs SET unused_since = NULL WHERE tenant = ?1 AND hash = ?2 AND unused_since IS NOT NULL",
        )?
        .execute(params![tenant, hash.as_bytes()])
        .map(drop)
}

/// Writes a whole blob unless it exists; returns the bytes written.
pub(super) fn put(connection: &Connection, tenant: &str, row: &BlobRow, bytes: &[u8]) -> rusqlite::Result<usize> {
    let there = connection
        .prepare_cached("SELECT 1 FROM blobs WHERE tenant = ?1 AND hash = ?2")?
        .exists(params![tenant, row.hash.as_bytes()])?;
    if there {
        is_used(connection, tenant, row.hash)?;
        return Ok(0);
    }
    let upload = begin(connection)?;
    write_chunks(connection, upload, 0, bytes)?;
    publish(connection, tenant, row, upload)?;
    Ok(bytes.len() + 128)
}

pub(super) fn blob_row(row: &Row<'_>) -> rusqlite::Result<BlobRow> {
    Ok(BlobRow {
        hash: Digest::from_bytes(row.get(0)?),
        size: row.get::<_, i64>(1)? as u64,
        media_type: row.get(2)?,
        at: time(row, 3)?,
    })
}

impl Blobs for SqliteStore {
    fn blob(&self, scope: &Scope, hash: Digest) -> Result<Option<BlobRow>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT hash, size, media_type, at FROM blobs WHERE tenant = ?1 AND hash = ?2";
            one(connection, sql, &[&scope.tenant().as_str(), hash.as_bytes()], blob_row)
        })
    }

    fn blob_part(&self, scope: &Scope, hash: Digest, offset: u64, max: usize) -> Result<Vec<u8>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT size, first, chunk_size FROM blobs WHERE tenant = ?1 AND hash = ?2";
            let found = one(connection, sql, &[&scope.tenant().as_str(), hash.as_bytes()], |row| {
                Ok((row.get::<_, i64>(0)? as u64, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?.max(1) as u64))
            })?;
            let Some((size, first, chunk)) = found else { return Ok(Vec::new()) };
            let end = offset.saturating_add(max as u64).min(size);
            let mut part = Vec::with_capacity(end.saturating_sub(offset) as usize);
            let mut at = offset;
            let mut statement =
                connection.prepare_cached("SELECT bytes FROM blob_chunks WHERE n = ?1").map_err(failed)?;
            while at < end {
                let (n, skip) = (first + (at / chunk) as i64, at % chunk);
                let wanted = (chunk - skip).min(end - at);
                let copied = statement
                    .query_row([n], |row| {
                        let bytes = row.get_ref(0)?.as_blob()?;
                        let found = bytes.get(skip as usize..(skip + wanted) as usize);
                        part.extend_from_slice(found.unwrap_or_default());
                        Ok(found.is_some())
                    })
                    .optional()
                    .map_err(failed)?;
                if copied != Some(true) {
                    return Err(StoreError::Unreadable(format!("the blob {hash} lacks bytes from {at} on")));
                }
                at += wanted;
            }
            Ok(part)
        })
    }

    fn begin_blob(&self, scope: &Scope, media_type: &str, at: Timestamp) -> Result<Box<dyn BlobWriter>, StoreError> {
        Ok(Box::new(Upload {
            writer: self.writer.clone(),
            _lock: self.upload_lock()?,
            tenant: scope.tenant().clone(),
            media_type: media_type.to_owned(),
            at,
            id: None,
            chunks: 0,
            size: 0,
            digest: DigestStream::default(),
            buffer: Vec::new(),
            broken: false,
        }))
    }
}

impl SqliteStore {
    /// The lock that marks this process as uploading.
    fn upload_lock(&self) -> Result<Arc<File>, StoreError> {
        let mut held = self.uploading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = held.upgrade() {
            return Ok(lock);
        }
        let lock = open_lock(&self.path)
            .and_then(|lock| lock.lock_shared().map(|()| Arc::new(lock)))
            .map_err(|error| StoreError::Failed(format!("{}: {error}", lock_path(&self.path).display())))?;
        *held = Arc::downgrade(&lock);
        Ok(lock)
    }
}

struct Upload {
    writer: Sender<WriterCommand>,
    _lock: Arc<File>,
    tenant: TenantId,
    media_type: String,
    at: Timestamp,
    /// Set once a batch was written: a small blob needs only one commit.
    id: Option<i64>,
    chunks: i64,
    size: u64,
    digest: DigestStream,
    /// Bytes not written yet, less than a batch.
    buffer: Vec<u8>,
    /// Set while a write is incomplete: after a failure the upload must not be finished.
    broken: bool,
}

impl Upload {
    fn check(&self) -> Result<(), StoreError> {
        let broken = || StoreError::Failed("a part of the blob could not be written; upload it again".into());
        if self.broken { Err(broken()) } else { Ok(()) }
    }

    /// Commits the buffered bytes as whole chunks.
    fn flush(&mut self) -> Result<(), StoreError> {
        self.broken = true;
        let bytes = Arc::new(std::mem::take(&mut self.buffer));
        let lent = bytes.clone();
        let (id, from, count) = (self.id, self.chunks, bytes.len().div_ceil(CHUNK) as i64);
        if from + count > SPAN {
            return Err(StoreError::Failed(format!("a blob has at most {} bytes", SPAN as u64 * CHUNK as u64)));
        }
        let begun = Arc::new(Mutex::new(id));
        let answer = begun.clone();
        write_on(&self.writer, move |connection| {
            let upload = id.map_or_else(|| begin(connection), Ok)?;
            *answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(upload);
            write_chunks(connection, upload, from, &lent)?;
            Ok(lent.len())
        })?;
        // The writer has released the buffer, so reuse its memory.
        self.buffer = Arc::try_unwrap(bytes).unwrap_or_default();
        self.buffer.clear();
        self.id = *begun.lock().unwrap_or_else(PoisonError::into_inner);
        self.chunks += count;
        self.broken = false;
        Ok(())
    }
}

impl BlobWriter for Upload {
    fn write(&mut self, mut bytes: &[u8]) -> Result<(), StoreError> {
        self.check()?;
        self.digest.update(bytes);
        self.size += bytes.len() as u64;
        while !bytes.is_empty() {
            let (fits, rest) = bytes.split_at(bytes.len().min(BATCH - self.buffer.len()));
            self.buffer.extend_from_slice(fits);
            bytes = rest;
            if self.buffer.len() == BATCH {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<BlobRow, StoreError> {
        self.check()?;
        let row = BlobRow {
            hash: self.digest.clone().finish(),
            size: self.size,
            media_type: std::mem::take(&mut self.media_type),
            at: self.at,
        };
        let (id, from, tenant) = (self.id, self.chunks, self.tenant.clone());
        let rest = std::mem::take(&mut self.buffer);
        let there = Arc::new(Mutex::new(row.clone()));
        let answer = there.clone();
        write_on(&self.writer, move |connection| {
            let tenant = tenant.as_str();
            let upload = id.map_or_else(|| begin(connection), Ok)?;
            write_chunks(connection, upload, from, &rest)?;
            if !publish(connection, tenant, &row, upload)? {
                let found = connection
                    .prepare_cached("SELECT hash, size, media_type, at FROM blobs WHERE tenant = ?1 AND hash = ?2")?
                    .query_row(params![tenant, row.hash.as_bytes()], blob_row)?;
                *answer.lock().unwrap_or_else(PoisonError::into_inner) = found;
            }
            Ok(rest.len() + 128)
        })?;
        // The chunks belong to a blob now, or were abandoned in the same commit: dropping has nothing to clean up.
        self.id = None;
        drop(self.writer.send(WriterCommand::Sweep));
        let found = there.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(found)
    }
}

impl Drop for Upload {
    /// Does not block, because it may run in a cancelled async task.
    fn drop(&mut self) {
        let Some(upload) = self.id else { return };
        let change = move |connection: &Connection| {
            connection.execute("UPDATE blob_uploads SET given_up = 1 WHERE id = ?1", [upload])?;
            Ok(0)
        };
        drop(self.writer.send(WriterCommand::Change(Box::new(change), Box::new(drop))));
        drop(self.writer.send(WriterCommand::Sweep));
    }
}
