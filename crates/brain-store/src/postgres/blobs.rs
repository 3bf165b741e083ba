//! Blobs in PostgreSQL: rows of 256 KiB, so that neither memory nor a transaction grows with the size of a blob.
//!
//! An upload has a row in the table of uploads before anyone sees it. The statement that finishes it inserts the blob's
//! row, which makes it visible, and ends the upload. An abandoned upload is marked, and its chunks are deleted in small
//! batches. A process that died cannot mark its uploads: one without writes for an hour, by the server's clock, is an
//! orphan. A writer that returns to an orphan gets an error and must start again.

use std::sync::Arc;

use brain_core::{Digest, DigestStream, TenantId, Timestamp};
use tokio::runtime::Handle;
use tokio_postgres::Row;

use super::connection::{Question, values};
use super::pool::{self, Again, Tables, Who};
use super::read::{digest, first, free_text, get, named, time};
use super::{PostgresStore, Shared, statements, text, wait};
use crate::{BlobRow, BlobWriter, Blobs, Lane, Scope, StoreError};

/// Bytes per chunk.
pub(super) const CHUNK: usize = 256 * 1024;
/// Bytes of an upload per commit.
const BATCH: usize = 4 * CHUNK;
/// Chunks per read.
const READ: i32 = 16;
/// Maximum number of chunks of a blob: at 256 KiB, 256 GiB.
const MOST: i32 = 1 << 20;
/// Chunks per delete.
const SWEPT_AT_ONCE: i64 = 64;

pub(super) fn blob_row(row: &Row) -> Result<BlobRow, StoreError> {
    Ok(BlobRow {
        hash: digest(get(row, 0)?)?,
        size: get::<i64>(row, 1)? as u64,
        media_type: free_text(row, 2)?,
        at: time(row, 3)?,
    })
}

const BLOB: &str = "SELECT hash, size, media_type, at FROM blobs WHERE tenant = $1 AND hash = $2";

/// Chunks of a blob, starting with the one that contains byte `$3`.
const CHUNKS: &str = "
SELECT b.size, b.chunk_size, c.n, c.bytes FROM blobs b
LEFT JOIN LATERAL (
    SELECT n, bytes FROM blob_chunks
    WHERE source = b.source AND n >= $3::bigint / b.chunk_size AND n <= $4::bigint / b.chunk_size ORDER BY n LIMIT $5
) AS c ON true
WHERE b.tenant = $1 AND b.hash = $2 ORDER BY c.n";

impl Blobs for PostgresStore {
    fn blob(&self, scope: &Scope, hash: Digest) -> Result<Option<BlobRow>, StoreError> {
        first(&self.scoped(scope, BLOB, values![named(scope), hash.as_bytes().to_vec()])?, blob_row)
    }

    fn blob_part(&self, scope: &Scope, hash: Digest, offset: u64, max: usize) -> Result<Vec<u8>, StoreError> {
        let mut part = Vec::new();
        let mut at = offset;
        let asked = offset.saturating_add(max as u64);
        while at < asked {
            let from = i64::try_from(at).unwrap_or(i64::MAX);
            let to = i64::try_from(asked - 1).unwrap_or(i64::MAX);
            let params = values![named(scope), hash.as_bytes().to_vec(), from, to, i64::from(READ)];
            let rows = self.scoped(scope, CHUNKS, params)?;
            let Some(row) = rows.first() else { break };
            let (size, chunk) = (get::<i64>(row, 0)? as u64, get::<i32>(row, 1)?.max(1) as u64);
            let end = asked.min(size);
            if at >= end {
                break;
            }
            let before = at;
            for row in &rows {
                let (Some(n), Some(bytes)) = (get::<Option<i32>>(row, 2)?, get::<Option<&[u8]>>(row, 3)?) else {
                    break;
                };
                let (skip, wanted) = (at % chunk, (chunk - at % chunk).min(end - at));
                let found = bytes.get(skip as usize..(skip + wanted) as usize).filter(|_| n as u64 == at / chunk);
                let Some(found) = found else { break };
                part.extend_from_slice(found);
                at += wanted;
            }
            if at == before {
                return Err(StoreError::Unreadable(format!("the blob {hash} lacks bytes from {at} on")));
            }
            if at >= end {
                break;
            }
        }
        Ok(part)
    }

    fn begin_blob(&self, scope: &Scope, media_type: &str, at: Timestamp) -> Result<Box<dyn BlobWriter>, StoreError> {
        Ok(Box::new(Upload {
            shared: self.shared.clone(),
            runtime: self.handle()?.clone(),
            tenant: scope.tenant().clone(),
            media_type: media_type.to_owned(),
            at,
            source: None,
            chunks: 0,
            size: 0,
            digest: DigestStream::default(),
            buffer: Vec::new(),
            broken: false,
        }))
    }
}

const BEGIN: &str = "
WITH new AS (INSERT INTO blob_uploads (source, tenant) VALUES (nextval('blob_sources'), $1) RETURNING source)
INSERT INTO blob_chunks (tenant, source, n, bytes)
SELECT $1, new.source, $2 + c.n - 1, c.bytes FROM new, unnest($3::bytea[]) WITH ORDINALITY AS c (bytes, n)
RETURNING source";

const GO_ON: &str = "
WITH there AS (UPDATE blob_uploads SET touched_at = now() WHERE source = $4 AND NOT given_up RETURNING source)
INSERT INTO blob_chunks (tenant, source, n, bytes)
SELECT $1, there.source, $2 + c.n - 1, c.bytes FROM there, unnest($3::bytea[]) WITH ORDINALITY AS c (bytes, n)
RETURNING source";

/// Writes the last chunks and the blob's row, and ends the upload: deleted if the blob is new, abandoned if it existed.
const FINISH: &str = "
WITH there AS (SELECT source FROM blob_uploads WHERE source = $4 AND NOT given_up FOR UPDATE),
used AS (UPDATE blobs SET unused_since = NULL WHERE tenant = $1 AND hash = $5 AND unused_since IS NOT NULL),
rest AS (
    INSERT INTO blob_chunks (tenant, source, n, bytes)
    SELECT $1, there.source, $2 + c.n - 1, c.bytes FROM there, unnest($3::bytea[]) WITH ORDINALITY AS c (bytes, n)
),
new AS (
    INSERT INTO blobs (tenant, hash, size, media_type, at, source, chunk_size)
    SELECT $1, $5, $6, $7, $8, there.source, $9 FROM there ON CONFLICT (tenant, hash) DO NOTHING RETURNING source
),
ended AS (DELETE FROM blob_uploads u USING new WHERE u.source = new.source),
given_up AS (UPDATE blob_uploads SET given_up = true WHERE source = $4 AND NOT EXISTS (SELECT FROM new))
SELECT source FROM there";

struct Upload {
    shared: Arc<Shared>,
    runtime: Handle,
    tenant: TenantId,
    media_type: String,
    at: Timestamp,
    /// Set once a batch was written: a small blob needs only one statement.
    source: Option<i64>,
    chunks: i32,
    size: u64,
    digest: DigestStream,
    /// Bytes not written yet, less than a batch.
    buffer: Vec<u8>,
    /// Set while a write is incomplete: after a failure the upload must not be finished.
    broken: bool,
}

fn start_anew() -> StoreError {
    StoreError::Failed("a part of the blob could not be written; upload it again".into())
}

impl Upload {
    fn check(&self) -> Result<(), StoreError> {
        if self.broken { Err(start_anew()) } else { Ok(()) }
    }

    fn ask(&self, question: Question<'static>) -> Result<Vec<Row>, StoreError> {
        let shared = self.shared.clone();
        wait(&self.runtime, async move {
            let mut rows =
                pool::ask(&shared, Lane::Api, &Who::Engine, Tables::Others, Again::Never, &[question]).await?;
            Ok(rows.pop().unwrap_or_default())
        })
    }

    /// Commits the buffered bytes as whole chunks.
    fn flush(&mut self) -> Result<(), StoreError> {
        self.broken = true;
        let chunks = chunked(&self.buffer);
        let (tenant, count, bytes) = (self.tenant.as_str().to_owned(), chunks.len() as i32, self.buffer.len());
        if self.chunks + count > MOST {
            return Err(StoreError::Failed(format!("a blob has at most {} bytes", MOST as u64 * CHUNK as u64)));
        }
        let from = i64::from(self.chunks);
        let question = match self.source {
            None => Question::new(BEGIN, values![tenant, from, chunks]),
            Some(source) => Question::new(GO_ON, values![tenant, from, chunks, source]),
        };
        let rows = self.ask(question)?;
        // The upload was idle for so long that it was abandoned as an orphan.
        let row = rows.first().ok_or_else(start_anew)?;
        self.source = Some(get(row, 0)?);
        self.shared.counters.committed(0, rows.len() as u64, bytes as u64);
        self.buffer.clear();
        self.chunks += count;
        self.broken = false;
        Ok(())
    }
}

fn chunked(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.chunks(CHUNK).map(<[u8]>::to_vec).collect()
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
        let hash = self.digest.clone().finish();
        let (tenant, from, size) = (self.tenant.as_str().to_owned(), i64::from(self.chunks), self.size as i64);
        let (name, chunks) = (hash.as_bytes().to_vec(), chunked(&self.buffer));
        let (media_type, at) = (text::written(&self.media_type).into_owned(), self.at.as_millis());
        let question = match self.source {
            None => Question::new(
                statements::BLOB,
                values![tenant.clone(), name.clone(), size, media_type, at, CHUNK as i32, chunks],
            ),
            Some(source) => Question::new(
                FINISH,
                values![tenant.clone(), from, chunks, source, name.clone(), size, media_type, at, CHUNK as i32],
            ),
        };
        let finished = self.ask(question)?;
        let there = self.ask(Question::new(BLOB, values![tenant, name]))?;
        let row = first(&there, blob_row)?;
        if self.source.is_some() && finished.is_empty() {
            return Err(start_anew());
        }
        self.shared.counters.committed(0, 1, self.buffer.len() as u64 + 128);
        // The chunks belong to a blob now, or were abandoned in the same commit: dropping has nothing to clean up.
        if self.source.take().is_some() {
            sweep_soon(&self.runtime, self.shared.clone());
        }
        row.ok_or_else(start_anew)
    }
}

impl Drop for Upload {
    /// Does not block, because it may run in a cancelled async task.
    fn drop(&mut self) {
        let Some(source) = self.source else { return };
        let shared = self.shared.clone();
        self.runtime.spawn(async move {
            let give_up = Question::new("UPDATE blob_uploads SET given_up = true WHERE source = $1", values![source]);
            drop(pool::ask(&shared, Lane::Api, &Who::Engine, Tables::Others, Again::Harmless, &[give_up]).await);
            drop(sweep(&shared).await);
        });
    }
}

fn sweep_soon(runtime: &Handle, shared: Arc<Shared>) {
    runtime.spawn(async move { drop(sweep(&shared).await) });
}

/// Deletes the chunks of abandoned and orphaned uploads.
pub(super) async fn sweep(shared: &Shared) -> Result<(), StoreError> {
    let ask = async |sql: &'static str, params| {
        let mut rows =
            pool::ask(shared, Lane::Api, &Who::Engine, Tables::Others, Again::Harmless, &[Question::new(sql, params)])
                .await?;
        Ok::<_, StoreError>(rows.pop().unwrap_or_default())
    };
    let forgotten = "UPDATE blob_uploads SET given_up = true
                     WHERE NOT given_up AND touched_at < now() - interval '1 hour'";
    ask(forgotten, vec![]).await?;
    let next = "SELECT source FROM blob_uploads WHERE given_up ORDER BY source LIMIT 1";
    let some = "DELETE FROM blob_chunks WHERE source = $1 AND n IN
                (SELECT n FROM blob_chunks WHERE source = $1 ORDER BY n LIMIT $2) RETURNING n";
    while let Some(source) = first(&ask(next, vec![]).await?, |row| get::<i64>(row, 0))? {
        if ask(some, values![source, SWEPT_AT_ONCE]).await?.is_empty() {
            ask("DELETE FROM blob_uploads WHERE source = $1", values![source]).await?;
        }
    }
    Ok(())
}
