//! The store in one SQLite file: WAL, `synchronous=FULL`, one writer thread that commits for everyone at once, and a
//! pool of readers.

mod accounts;
mod backup;
mod blobs;
mod feed;
mod find;
mod keep;
mod names;
mod offers;
mod read;
mod records;
mod schema;
mod signals;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};

use rusqlite::{Connection, OpenFlags};

use crate::Migration;
use crate::traits::{Commit, CommitDone, CommitResult, Member, StoreError, StoreStats};
use writer::{Command, Counters};

pub use backup::Contents;

/// Readers kept open between uses.
const POOLED_READERS: usize = 8;

/// What a reader keeps of the file, in KiB below zero: enough for the upper pages of the indexes.
const READER_CACHE: i32 = -8_000;

/// The store in one SQLite file.
pub struct SqliteStore {
    path: PathBuf,
    writer: Sender<Command>,
    thread: Option<std::thread::JoinHandle<()>>,
    counters: std::sync::Arc<Counters>,
    readers: Mutex<Vec<Connection>>,
    /// Held while there are uploads: tells other processes that those are not orphans.
    uploading: Mutex<std::sync::Weak<std::fs::File>>,
}

fn failed(error: rusqlite::Error) -> StoreError {
    match error {
        // What is there is not what this build writes: trying again gives the same.
        rusqlite::Error::FromSqlConversionFailure(..) | rusqlite::Error::InvalidColumnType(..) => {
            StoreError::Unreadable(error.to_string())
        }
        other => StoreError::Failed(other.to_string()),
    }
}

impl SqliteStore {
    /// Opens a file, making it if it is not there.
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

    /// Makes the tables in a new file and adds what an older one lacks, and does nothing else; refuses a file that a newer
    /// build or another program has written. A dry run only says what would be done.
    pub fn migrate(path: &Path, dry_run: bool) -> Result<Migration, StoreError> {
        if dry_run && !path.exists() {
            return Ok(Migration { from: 0, to: schema::VERSION });
        }
        let looked = || Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(failed);
        let mut connection = if dry_run { looked() } else { open_file(path) }.map_err(|error| named(path, error))?;
        schema::prepare(&mut connection, dry_run).map_err(|error| named(path, error))
    }

    /// Runs a query on a reader of the pool.
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

    /// Has the writer do something that cannot be part of a commit.
    fn between_commits(
        &self,
        command: impl FnOnce(Box<dyn FnOnce(Result<(), StoreError>) + Send>) -> Command,
    ) -> Result<(), StoreError> {
        let closed = || StoreError::Failed("the store was closed".into());
        let (send, receive) = std::sync::mpsc::sync_channel(1);
        self.writer.send(command(Box::new(move |result| drop(send.send(result))))).map_err(|_| closed())?;
        receive.recv().unwrap_or_else(|_| Err(closed()))
    }

    /// Runs something on the writer, in a transaction of its own or with others, and waits until it is durable.
    fn write(
        &self,
        mut change: impl FnMut(&Connection) -> rusqlite::Result<()> + Send + 'static,
    ) -> Result<(), StoreError> {
        write_on(&self.writer, move |connection| change(connection).map(|()| 0))
    }
}

/// Has the writer do something and waits until it is durable. `change` returns how many bytes of content it wrote; it is
/// called again if somebody else's part of the same transaction is refused.
fn write_on(
    writer: &Sender<Command>,
    change: impl FnMut(&Connection) -> rusqlite::Result<usize> + Send + 'static,
) -> Result<(), StoreError> {
    let (send, receive) = std::sync::mpsc::sync_channel(1);
    let done = Box::new(move |result: Result<(), StoreError>| drop(send.send(result)));
    let closed = || StoreError::Failed("the store was closed".into());
    writer.send(Command::Change(Box::new(change), done)).map_err(|_| closed())?;
    receive.recv().unwrap_or_else(|_| Err(closed()))
}

fn named(path: &Path, error: StoreError) -> StoreError {
    match error {
        StoreError::Failed(reason) => StoreError::Failed(format!("{}: {reason}", path.display())),
        StoreError::Unreadable(reason) => StoreError::Unreadable(format!("{}: {reason}", path.display())),
        other => other,
    }
}

/// A connection that may write; the file is made if it is not there.
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
    // Checkpoints are the writer's own work, between commits.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "cache_size", -16_000)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

impl Commit for SqliteStore {
    fn commit(&self, members: Vec<Member>, done: CommitDone) {
        if let Err(unsent) = self.writer.send(Command::Commit(members, done))
            && let Command::Commit(_, done) = unsent.0
        {
            let result: CommitResult = Err(StoreError::Failed("the store was closed".into()));
            done(result);
        }
    }

    fn stats(&self) -> StoreStats {
        self.counters.read()
    }

    fn checkpoint(&self) -> Result<(), StoreError> {
        self.between_commits(Command::Checkpoint)
    }
}

impl Drop for SqliteStore {
    /// What was handed over is committed before the store is gone. Uploads that outlive it fail at their next step.
    fn drop(&mut self) {
        drop(self.writer.send(Command::Close));
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}
