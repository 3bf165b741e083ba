//! Backups of a SQLite store: one file, consistent, made while other processes write.

use std::path::{Path, PathBuf};

use brain_core::Timestamp;
use rusqlite::{Connection, OpenFlags};

use super::{SqliteStore, failed, named, open_file, schema};
use crate::StoreError;

/// What a store file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The version of its tables.
    pub version: i64,
    /// Its size in bytes.
    pub bytes: u64,
    /// Tenants that have runs.
    pub tenants: u64,
    /// Runs.
    pub runs: u64,
    /// Runs that are not over.
    pub open_runs: u64,
    /// Runs with an outside call under way when the file was written.
    pub owned_runs: u64,
    /// Records.
    pub records: u64,
    /// Large values.
    pub blobs: u64,
    /// When a run last changed.
    pub changed_at: Option<Timestamp>,
}

impl SqliteStore {
    /// Writes a copy of a store into a new file, as it is at one moment. Works from any process while others write to the
    /// store. The file appears under its name when it is whole and synced; one that is there is replaced only with `force`.
    pub fn backup(from: &Path, to: &Path, force: bool) -> Result<Contents, StoreError> {
        if to.exists() && !force {
            return Err(StoreError::Failed(format!("{} exists already; replace it with --force", to.display())));
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

    /// What a store file holds. Refuses one that is damaged, that another program has written or a newer build.
    pub fn inspect(file: &Path) -> Result<Contents, StoreError> {
        contents(file)
    }

    /// Makes the store at `to` from a backup. What was there is replaced: whoever calls this has made sure that nobody uses
    /// it. The leases of the nodes that the backup knows are over, and none of them is recognised by its process: this
    /// may be another machine, and its runs are taken over as those of nodes that died.
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
            // What lies beside an old file belongs to that file.
            for suffix in ["-wal", "-shm"] {
                remove(&with_suffix(to, suffix))?;
            }
            put_in_place(&partial, to)
        });
        done.inspect_err(|_| clear(&partial))?;
        Ok(found)
    }
}

/// Brings the tables up to date and forgets who worked on the store.
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

/// A connection that only reads. A store that is being written may have to be looked at through its write-ahead log.
fn look_at(path: &Path) -> Result<Connection, StoreError> {
    if !path.is_file() {
        return Err(StoreError::Failed(format!("there is no file {}", path.display())));
    }
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).or_else(|_| {
        // A backup may lie where nothing can be written.
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
        Err(error) => return Err(damaged(format!("this is no store: {error}"))),
    }
    let version = schema::prepare(&mut connection, true).map_err(|error| named(path, error))?.from;
    if version == 0 {
        return Err(damaged("the file is empty: it is no backup".into()));
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

/// A name beside a file, for what is not finished.
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

/// A file could not be written: what it was to be, and what to look at.
fn unwritten(to: &Path, why: &str) -> StoreError {
    StoreError::Failed(format!(
        "{} could not be written ({why}): there may be too little room on the disk, or a limit on the size of files \
         (`ulimit -f`). What was written of it has been removed",
        to.display()
    ))
}

/// Removes what is not finished, with what SQLite put beside it.
fn clear(partial: &Path) {
    for suffix in ["", "-journal", "-wal", "-shm"] {
        drop(std::fs::remove_file(with_suffix(partial, suffix)));
    }
}

/// Syncs a finished file and gives it its name.
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
