//! The store in PostgreSQL, which several machines may share: group commits over a few connections, queries over a few
//! more, and row-level security behind the `Scope`.
//!
//! The traits are synchronous and are called from plain threads and from within callers' Tokio runtimes, where
//! `block_on` is forbidden. So the store has a small runtime of its own: callers submit their query to it and wait on a
//! channel.

mod accounts;
mod address;
mod blobs;
mod changes;
mod commit;
mod connection;
mod feed;
mod notify;
mod pool;
mod read;
mod records;
mod requirements;
mod retention;
mod scheduling;
mod schema;
mod statements;
mod text;
mod tls;
mod upkeep;
mod view;

use std::borrow::Cow;
use std::cell::Cell;
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime, RuntimeFlavor};
use tokio::sync::Notify;
use tokio::task::block_in_place;
use tokio_postgres::Row;

use crate::traits::{Commit, CommitDone, Lane, Lanes, Member, Outcome, Store, StoreError, StoreStats};
use crate::{Migration, Scope};
use address::Address;
use commit::{Batch, Counters, Locks, Queue};
use connection::{Param, Question};
use pool::{Again, Pools, Size, Tables, Who};

pub use address::{check_url, redact};

/// Threads of the store's own runtime.
const THREADS: usize = 2;
/// Number of connections that commit.
const WRITERS: usize = 3;
/// Connections per lane: how many read one tenant's rows, how many query all tenants, how many read records, and the
/// statement timeout. A heartbeat must be faster than its lease; a decision that waits longer than its timeout is better
/// retried.
const API: Size = Size { scoped: 8, system: 3, records: 4, timeout: Duration::from_secs(60) };
const DECIDING: Size = Size { scoped: 8, system: 1, records: 4, timeout: Duration::from_secs(10) };
const KEEPING: Size = Size { scoped: 1, system: 1, records: 1, timeout: Duration::from_secs(4) };
/// How long closing waits for commits under way.
const CLOSING: Duration = Duration::from_secs(30);

thread_local! {
    /// Whether this thread belongs to a store's runtime.
    static OWN: Cell<bool> = const { Cell::new(false) };
}

/// The store in a PostgreSQL database.
pub struct PostgresStore {
    shared: Arc<Shared>,
    running: Arc<Running>,
    /// The lane whose connections this handle uses.
    lane: Lane,
}

/// Shut down with the last handle of a store.
struct Running {
    shared: Arc<Shared>,
    runtime: Option<Runtime>,
    /// Disconnected when the last writer has ended.
    writing: Mutex<Receiver<()>>,
}

/// State shared by the tasks of a store.
struct Shared {
    address: Address,
    /// Whether the roles of the store are used.
    roles: bool,
    /// Indexed by [`Lane`].
    lanes: [Pools; 3],
    queue: Queue,
    /// What commits know about locks of other sessions.
    locks: Locks,
    counters: Counters,
    /// Notified when this process has committed something.
    changed: Notify,
    /// Notified when enough rows were added to gather statistics.
    grown: Notify,
    new_runs: AtomicU64,
    watchers: notify::Watchers,
}

impl Shared {
    /// Notifies the background tasks about a commit.
    fn committed(&self, new_runs: u64) {
        self.changed.notify_one();
        if new_runs > 0 {
            let before = self.new_runs.fetch_add(new_runs, Ordering::Relaxed);
            if upkeep::passes_a_mark(before, before + new_runs) {
                self.grown.notify_one();
            }
        }
    }

    /// Counts a commit whose success only the server could confirm.
    fn committed_unseen(&self, outcomes: &[Outcome]) {
        let members = outcomes.iter().filter(|outcome| **outcome == Outcome::Committed).count();
        self.counters.committed(members as u64, 0, 0);
        self.committed(0);
    }
}

fn closed() -> StoreError {
    StoreError::Failed("the store was closed".into())
}

fn runtime() -> Result<Runtime, StoreError> {
    Builder::new_multi_thread()
        .worker_threads(THREADS)
        .thread_name("brain-postgres")
        .on_thread_start(|| OWN.set(true))
        .enable_io()
        .enable_time()
        .build()
        .map_err(|error| StoreError::Failed(error.to_string()))
}

/// Runs a future on the store's runtime and blocks until it is done. A worker thread of a caller's Tokio runtime first
/// hands its other tasks over, so that a slow database does not block them.
fn wait<T: Send + 'static>(
    runtime: &Handle,
    work: impl Future<Output = Result<T, StoreError>> + Send + 'static,
) -> Result<T, StoreError> {
    if OWN.get() {
        return Err(StoreError::Failed(
            "a callback must not query the store that called it: that would deadlock".into(),
        ));
    }
    let (send, receive) = sync_channel(1);
    runtime.spawn(async move { drop(send.send(work.await)) });
    let receive = || receive.recv().unwrap_or_else(|_| Err(closed()));
    match Handle::try_current().map(|caller| caller.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => block_in_place(receive),
        _ => receive(),
    }
}

impl PostgresStore {
    /// Connects and migrates the tables. See [`PostgresStore::migrate`].
    pub fn connect(url: &str) -> Result<Self, StoreError> {
        let address = Address::parse(url)?;
        let runtime = runtime()?;
        let place = address.clone();
        let (_, roles) = wait(runtime.handle(), async move { schema::migrate(&place, false).await })?;
        let shared = Arc::new(Shared {
            address,
            roles,
            lanes: [API, DECIDING, KEEPING].map(Pools::new),
            queue: Queue::default(),
            locks: Locks::default(),
            counters: Counters::default(),
            changed: Notify::new(),
            grown: Notify::new(),
            new_runs: AtomicU64::new(0),
            watchers: notify::Watchers::default(),
        });
        let (ended, writing) = sync_channel(0);
        for _ in 0..WRITERS {
            let (shared, ended) = (shared.clone(), ended.clone());
            runtime.spawn(async move {
                commit::write_forever(shared).await;
                drop(ended);
            });
        }
        runtime.spawn(upkeep::look_after_the_feed(shared.clone()));
        runtime.spawn(upkeep::look_after_the_tables(shared.clone()));
        runtime.spawn(notify::listen_forever(shared.clone()));
        let running = Running { shared: shared.clone(), runtime: Some(runtime), writing: Mutex::new(writing) };
        Ok(Self { shared, running: Arc::new(running), lane: Lane::Api })
    }

    /// Deletes the schema that the address names, with everything in it. For cleaning up after benchmarks.
    pub fn drop_schema(url: &str) -> Result<(), StoreError> {
        let address = Address::parse(url)?;
        let runtime = runtime()?;
        let done = wait(runtime.handle(), async move { schema::drop_all(&address).await });
        runtime.shutdown_background();
        done
    }

    /// Creates the tables in a new schema and upgrades an older one. Rejects a schema that a newer build or another
    /// program wrote. A dry run only reports what would be done.
    pub fn migrate(url: &str, dry_run: bool) -> Result<Migration, StoreError> {
        let address = Address::parse(url)?;
        let runtime = runtime()?;
        let done = wait(runtime.handle(), async move { schema::migrate(&address, dry_run).await });
        runtime.shutdown_background();
        done.map(|(migration, _)| migration)
    }

    fn handle(&self) -> Result<&Handle, StoreError> {
        self.running.runtime.as_ref().map(Runtime::handle).ok_or_else(closed)
    }

    /// Sends questions in one round trip and returns the rows of each.
    fn ask(&self, who: Who, again: Again, questions: Vec<Question<'static>>) -> Result<Vec<Vec<Row>>, StoreError> {
        self.ask_about(Tables::Others, who, again, questions)
    }

    fn ask_about(
        &self,
        tables: Tables,
        who: Who,
        again: Again,
        questions: Vec<Question<'static>>,
    ) -> Result<Vec<Vec<Row>>, StoreError> {
        let (shared, lane) = (self.shared.clone(), self.lane);
        wait(self.handle()?, async move { pool::ask(&shared, lane, &who, tables, again, &questions).await })
    }

    /// Runs one query about a tenant.
    fn scoped(
        &self,
        scope: &Scope,
        sql: impl Into<Cow<'static, str>>,
        params: Vec<Param<'static>>,
    ) -> Result<Vec<Row>, StoreError> {
        let who = Who::Tenant(scope.tenant().as_str().to_owned());
        let mut rows = self.ask(who, Again::Harmless, vec![Question::new(sql, params)])?;
        Ok(rows.pop().unwrap_or_default())
    }

    /// Runs one query about the records of a tenant.
    fn of_records(
        &self,
        scope: &Scope,
        sql: impl Into<Cow<'static, str>>,
        params: Vec<Param<'static>>,
    ) -> Result<Vec<Row>, StoreError> {
        let who = Who::Tenant(scope.tenant().as_str().to_owned());
        let mut rows = self.ask_about(Tables::Records, who, Again::Harmless, vec![Question::new(sql, params)])?;
        Ok(rows.pop().unwrap_or_default())
    }

    /// Runs one statement over all tenants. It must be idempotent, because it may be retried.
    fn system(&self, sql: &'static str, params: Vec<Param<'static>>) -> Result<Vec<Row>, StoreError> {
        let mut rows = self.ask(Who::Engine, Again::Harmless, vec![Question::new(sql, params)])?;
        Ok(rows.pop().unwrap_or_default())
    }
}

impl Commit for PostgresStore {
    /// `done` runs on a thread of the store and must not query the store.
    fn commit(&self, members: Vec<Member>, done: CommitDone) {
        if members.is_empty() {
            return done(Ok(Vec::new()));
        }
        if let Err(batch) = self.shared.queue.push(Batch { members, done }) {
            (batch.done)(Err(closed()));
        }
    }

    fn stats(&self) -> StoreStats {
        self.shared.counters.read()
    }
}

impl Lanes for PostgresStore {
    fn lane(self: Arc<Self>, lane: Lane) -> Arc<dyn Store> {
        Arc::new(Self { shared: self.shared.clone(), running: self.running.clone(), lane })
    }

    fn reads_wait(&self) -> bool {
        true
    }
}

impl Drop for Running {
    /// Commits everything submitted before closing. Uploads that outlive the store fail at their next write.
    fn drop(&mut self) {
        self.shared.queue.close();
        // The channel disconnects when the last writer has ended; nothing is ever sent.
        let writing = self.writing.get_mut().unwrap_or_else(PoisonError::into_inner);
        if writing.recv_timeout(CLOSING) == Err(RecvTimeoutError::Timeout) {
            tracing::error!("closing timed out with commits under way");
        }
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
