//! The store in one SQLite file: WAL, `synchronous=FULL`, one writer thread with group commit, and a pool of readers.

mod accounts;
mod backup;
mod blobs;
mod feed;
mod find;
mod names;
mod offers;
mod read;
mod records;
mod retention;
mod schema;
mod signals;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};

use rusqlite::{Connection, OpenFlags};

use crate::Migration;
use crate::traits::{Commit, CommitDone, CommitResult, Member, StoreError, StoreStats};
use writer::{Counters, WriterCommand};

pub use backup::Contents;

/// Readers that stay open between uses.
const POOLED_READERS: usize = 8;

/// Page cache of a reader, in KiB (negative, as SQLite expects): enough for the upper pages of the indexes.
const READER_CACHE: i32 = -8_000;

/// The store in one SQLite file.
pub struct SqliteStore {
    path: PathBuf,
    writer: Sender<WriterCommand>,
    thread: Option<std::thread::JoinHandle<()>>,
    counters: std::sync::Arc<Counters>,
    readers: Mutex<Vec<Connection>>,
    /// Held while this process uploads, so that other processes do not treat its uploads as orphans.
    uploading: Mutex<std::sync::Weak<std::fs::File>>,
}

fn failed(error: rusqlite::Error) -> StoreError {
    match error {
        // The stored value is not what this build writes, so a retry gives the same error.
        rusqlite::Error::FromSqlConversionFailure(..) | rusqlite::Error::InvalidColumnType(..) => {
            StoreError::Unreadable(error.to_string())
        }
        other => failed_write(&other),
    }
}

/// The error of a write that SQLite rejected.
fn failed_write(error: &rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DiskFull) => StoreError::Full(error.to_string()),
        _ => StoreError::Failed(error.to_string()),
    }
}

impl SqliteStore {
    /// Opens a file, creating it if it does not exist.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let named = |error| named(path, error);
        let mut connection = open_file(path)?;
        schema::prepare(&mut connection, false).map_err(named)?;
        blobs::give_up_orphans(&connection, path).map_err(failed).map_err(named)?;
        let counters = std::sync::Arc::new(Counters::default());
        let (send, receive) = channel();
        let shared = counters.clone();
        let thread = std::thread::Builder::new()
            .name("brain-sqlite-writer".into())
            .spawn(move || writer::run(connection, &receive, &shared))
            .map_err(|error| StoreError::Failed(error.to_string()))?;
        Ok(Self {
            path: path.to_owned(),
            writer: send,
            thread: Some(thread),
            counters,
            readers: Mutex::new(Vec::new()),
            uploading: Mutex::default(),
        })
    }

    /// Creates the tables in a new file and upgrades an older one. Rejects a file that a newer build or another program
    /// wrote. A dry run only reports what would be done.
    pub fn migrate(path: &Path, dry_run: bool) -> Result<Migration, StoreError> {
        if dry_run && !path.exists() {
            return Ok(Migration { from: 0, to: schema::VERSION });
        }
        let looked = || Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(failed);
        let mut connection = if dry_run { looked() } else { open_file(path) }.map_err(|error| named(path, error))?;
        schema::prepare(&mut connection, dry_run).map_err(|error| named(path, error))
    }

    /// Runs a query on a pooled reader.
    fn read<T>(&self, query: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let pooled = self.readers.lock().ok().and_then(|mut readers| readers.pop());
        let connection = match pooled {
            Some(connection) => connection,
            None => self.open_reader().map_err(failed)?,
        };
        let result = query(&connection);
        if let Ok(mut readers) = self.readers.lock()
            && readers.len() < POOLED_READERS
        {
            readers.push(connection);
        }
        result
    }

    fn open_reader(&self) -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        connection.busy_timeout(std::time::Duration::from_secs(10))?;
        connection.pragma_update(None, "cache_size", READER_CACHE)?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(connection)
    }

    /// Runs a command on the writer between commits, because it cannot be part of one.
    fn between_commits(
        &self,
        command: impl FnOnce(Box<dyn FnOnce(Result<(), StoreError>) + Send>) -> WriterCommand,
    ) -> Result<(), StoreError> {
        let closed = || StoreError::Failed("the store was closed".into());
        let (send, receive) = std::sync::mpsc::sync_channel(1);
        self.writer.send(command(Box::new(move |result| drop(send.send(result))))).map_err(|_| closed())?;
        receive.recv().unwrap_or_else(|_| Err(closed()))
    }

    /// Runs a change on the writer, possibly in a shared transaction, and waits until it is durable.
    fn write(
        &self,
        mut change: impl FnMut(&Connection) -> rusqlite::Result<()> + Send + 'static,
    ) -> Result<(), StoreError> {
        write_on(&self.writer, move |connection| change(connection).map(|()| 0))
    }
}

/// Runs a change on the writer and waits until it is durable. `change` returns the bytes of content it wrote. It is
/// called again if another part of the same transaction is rejected.
fn write_on(
    writer: &Sender<WriterCommand>,
    change: impl FnMut(&Connection) -> rusqlite::Result<usize> + Send + 'static,
) -> Result<(), StoreError> {
    let (send, receive) = std::sync::mpsc::sync_channel(1);
    let done = Box::new(move |result: Result<(), StoreError>| drop(send.send(result)));
    let closed = || StoreError::Failed("the store was closed".into());
    writer.send(WriterCommand::Change(Box::new(change), done)).map_err(|_| closed())?;
    receive.recv().unwrap_or_else(|_| Err(closed()))
}

fn named(path: &Path, error: StoreError) -> StoreError {
    match error {
        StoreError::Failed(reason) => StoreError::Failed(format!("{}: {reason}", path.display())),
        StoreError::Full(reason) => StoreError::Full(format!("{}: {reason}", path.display())),
        StoreError::Unreadable(reason) => StoreError::Unreadable(format!("{}: {reason}", path.display())),
        other => other,
    }
}

/// Opens a writable connection, creating the file if it does not exist.
fn open_file(path: &Path) -> Result<Connection, StoreError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)
            .map_err(|error| StoreError::Failed(format!("{}: {error}", folder.display())))?;
    }
    let connection = Connection::open(path).map_err(failed).map_err(|error| named(path, error))?;
    configure(&connection).map_err(failed).map_err(|error| named(path, error))?;
    Ok(connection)
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(std::time::Duration::from_secs(10))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    // The writer checkpoints by itself, between commits.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "cache_size", -16_000)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

impl Commit for SqliteStore {
    fn commit(&self, members: Vec<Member>, done: CommitDone) {
        if let Err(unsent) = self.writer.send(WriterCommand::Commit(members, done))
            && let WriterCommand::Commit(_, done) = unsent.0
        {
            let result: CommitResult = Err(StoreError::Failed("the store was closed".into()));
            done(result);
        }
    }

    fn stats(&self) -> StoreStats {
        self.counters.read()
    }

    fn checkpoint(&self) -> Result<(), StoreError> {
        self.between_commits(WriterCommand::Checkpoint)
    }
}

impl Drop for SqliteStore {
    /// Commits everything submitted before closing. Uploads that outlive the store fail at their next write.
    fn drop(&mut self) {
        drop(self.writer.send(WriterCommand::Close));
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
