//! Backups of a SQLite store: one consistent file, made while other processes write.

use std::path::{Path, PathBuf};

use brain_core::Timestamp;
use rusqlite::{Connection, OpenFlags};

use super::{SqliteStore, failed, named, open_file, schema};
use crate::StoreError;

/// A summary of a store file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The version of its tables.
    pub version: i64,
    /// Its size in bytes.
    pub bytes: u64,
    /// Number of tenants with runs.
    pub tenants: u64,
    /// Number of runs.
    pub runs: u64,
    /// Runs that have not ended.
    pub open_runs: u64,
    /// Runs owned by a node when the file was written: an external call may have been under way.
    pub owned_runs: u64,
    /// Number of records.
    pub records: u64,
    /// Number of blobs.
    pub blobs: u64,
    /// When a run last changed.
    pub changed_at: Option<Timestamp>,
}

impl SqliteStore {
    /// Whether a path is that of a store, or of a file that SQLite keeps beside it.
    pub fn is_part_of(store: &Path, path: &Path) -> bool {
        let whole = |path: &Path| {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let real = path.canonicalize().ok();
            real.or_else(|| Some(folder.canonicalize().ok()?.join(path.file_name()?)))
        };
        let (Some(store), Some(path)) = (whole(store), whole(path)) else { return false };
        ["", "-wal", "-shm", "-journal"].iter().any(|end| {
            let mut part = store.clone().into_os_string();
            part.push(end);
            path.as_os_str() == part
        })
    }

    /// Writes a consistent copy of a store into a new file. Works from any process while others write to the store. The
    /// file appears under its name when it is complete and synced; an existing file is replaced only with `force`.
    pub fn backup(from: &Path, to: &Path, force: bool) -> Result<Contents, StoreError> {
        if to.exists() && !force {
            return Err(StoreError::Failed(format!("{} already exists; replace it with --force", to.display())));
        }
        if Self::is_part_of(from, to) {
            let message = format!("{} is a part of the store that would be saved; name another file", to.display());
            return Err(StoreError::Failed(message));
        }
        let source = look_at(from)?;
        let partial = beside(to, "partial");
        remove(&partial)?;
        let target = partial.to_str().ok_or_else(|| StoreError::Failed("the file name is not UTF-8".into()))?;
        let copied = source.execute("VACUUM INTO ?1", [target]).map_err(|error| unwritten(to, &error.to_string()));
        let done = copied.and_then(|_| contents(&partial)).and_then(|contents| {
            put_in_place(&partial, to)?;
            Ok(contents)
        });
        done.inspect_err(|_| clear(&partial))
    }

    /// Summarises a store file. Rejects one that is damaged or that another program or a newer build wrote.
    pub fn inspect(file: &Path) -> Result<Contents, StoreError> {
        contents(file)
    }

    /// Creates the store at `to` from a backup. An existing store is replaced: the caller has made sure that no process
    /// uses it. The leases of all nodes in the backup are ended and their processes forgotten, because this may be
    /// another machine: their runs are taken over like those of dead nodes.
    pub fn restore(file: &Path, to: &Path) -> Result<Contents, StoreError> {
        let found = contents(file)?;
        let partial = beside(to, "restoring");
        remove(&partial)?;
        let io = |error: std::io::Error| unwritten(to, &error.to_string());
        if let Some(folder) = to.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(io)?;
        }
        let copied = std::fs::copy(file, &partial).map_err(io);
        let done = copied.and_then(|_| prepare(&partial)).and_then(|()| {
            // The WAL files beside an old store belong to that store.
            for suffix in ["-wal", "-shm"] {
                remove(&with_suffix(to, suffix))?;
            }
            put_in_place(&partial, to)
        });
        done.inspect_err(|_| clear(&partial))?;
        Ok(found)
    }
}

/// Migrates the tables and removes the leases of earlier nodes.
fn prepare(path: &Path) -> Result<(), StoreError> {
    let mut connection = open_file(path)?;
    schema::prepare(&mut connection, false).map_err(|error| named(path, error))?;
    connection
        .execute_batch(
            "BEGIN IMMEDIATE;
             INSERT OR IGNORE INTO nodes SELECT DISTINCT owner, 0, '' FROM runs WHERE owner IS NOT NULL;
             UPDATE nodes SET until = 0, liveness = '';
             COMMIT;
             PRAGMA wal_checkpoint(TRUNCATE);
             PRAGMA journal_mode = DELETE;",
        )
        .map_err(failed)
        .map_err(|error| named(path, error))
}

/// Opens a read-only connection. A store that is being written to may have to be read through its write-ahead log.
fn look_at(path: &Path) -> Result<Connection, StoreError> {
    if !path.is_file() {
        return Err(StoreError::Failed(format!("there is no file {}", path.display())));
    }
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).or_else(|_| {
        // The backup may be on a read-only file system.
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
    });
    let connection = connection.map_err(failed).map_err(|error| named(path, error))?;
    connection.busy_timeout(std::time::Duration::from_secs(10)).map_err(failed)?;
    Ok(connection)
}

fn contents(path: &Path) -> Result<Contents, StoreError> {
    let mut connection = look_at(path)?;
    let damaged = |why: String| StoreError::Unreadable(format!("{}: {why}", path.display()));
    let checked: Result<String, _> = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0));
    match checked {
        Ok(said) if said == "ok" => {}
        Ok(said) => return Err(damaged(format!("the file is damaged: {said}"))),
        Err(error) => return Err(damaged(format!("this is not a store: {error}"))),
    }
    let version = schema::prepare(&mut connection, true).map_err(|error| named(path, error))?.from;
    if version == 0 {
        return Err(damaged("the file is empty, so it is not a backup".into()));
    }
    let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).map(|count| count as u64);
    let read = || -> rusqlite::Result<Contents> {
        Ok(Contents {
            version,
            bytes: std::fs::metadata(path).map_or(0, |file| file.len()),
            tenants: count("SELECT count(DISTINCT tenant) FROM runs")?,
            runs: count("SELECT count(*) FROM runs")?,
            open_runs: count(
                "SELECT count(*) FROM runs WHERE status NOT IN ('completed', 'failed', 'cancelled', 'compensated')",
            )?,
            owned_runs: count("SELECT count(*) FROM runs WHERE owner IS NOT NULL")?,
            records: count("SELECT count(*) FROM records")?,
            blobs: count("SELECT count(*) FROM blobs")?,
            changed_at: connection
                .query_row("SELECT max(updated_at) FROM runs", [], |row| row.get::<_, Option<i64>>(0))?
                .map(Timestamp::from_millis),
        })
    };
    read().map_err(failed).map_err(|error| named(path, error))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The name of a temporary file beside a file.
fn beside(path: &Path, what: &str) -> PathBuf {
    with_suffix(path, &format!(".{what}"))
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(StoreError::Failed(format!("{}: {error}", path.display())))
        }
        _ => Ok(()),
    }
}

/// The error for a file that could not be written, with what to check.
fn unwritten(to: &Path, why: &str) -> StoreError {
    StoreError::Failed(format!(
        "{} could not be written ({why}): the disk may be full, or file sizes may be limited \
         (`ulimit -f`). The partial file was removed",
        to.display()
    ))
}

/// Removes an unfinished file and the files that SQLite put beside it.
fn clear(partial: &Path) {
    for suffix in ["", "-journal", "-wal", "-shm"] {
        drop(std::fs::remove_file(with_suffix(partial, suffix)));
    }
}

/// Syncs a finished file and renames it.
fn put_in_place(partial: &Path, to: &Path) -> Result<(), StoreError> {
    let done = std::fs::File::open(partial)
        .and_then(|file| file.sync_all())
        .and_then(|()| std::fs::rename(partial, to))
        .and_then(|()| {
            let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            std::fs::File::open(folder)?.sync_all()
        });
    done.map_err(|error| StoreError::Failed(format!("{}: {error}", to.display())))
}
