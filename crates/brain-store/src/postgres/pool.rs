//! Connection pools for queries: a few connections per kind, opened on demand and replaced when they break. Records have
//! pools of their own, because other programs are most likely to lock their tables: queries about runs, tokens and
//! schedules do not wait behind queries about locked records.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio_postgres::Row;

use super::Shared;
use super::connection::{Connection, Question, Role, failed, is_lost};
use crate::{Lane, StoreError};

/// Lock timeout of a query.
const LOCKED: Duration = Duration::from_secs(10);
/// How long a query waits for a free connection.
const QUEUED: Duration = Duration::from_secs(10);

/// Whose rows a question may read.
#[derive(Clone, Debug)]
pub(super) enum Who {
    /// One tenant's rows; row-level security hides the others.
    Tenant(String),
    /// The rows of all tenants.
    Engine,
}

/// Which tables a question reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tables {
    /// Records and their indexes.
    Records,
    /// All others.
    Others,
}

/// How large the pools of a lane are.
#[derive(Clone, Copy)]
pub(super) struct Size {
    /// Connections that read one tenant's rows.
    pub(super) scoped: usize,
    /// Connections that query all tenants.
    pub(super) system: usize,
    /// Connections of each kind that read records.
    pub(super) records: usize,
    /// How long a statement may take.
    pub(super) timeout: Duration,
}

/// The connections of one lane.
pub(super) struct Pools {
    scoped: Pool,
    system: Pool,
    records: Pool,
    record_search: Pool,
}

impl Pools {
    pub(super) fn new(size: Size) -> Self {
        Self {
            scoped: Pool::new(Role::Api, size.scoped, size.timeout),
            system: Pool::new(Role::Engine, size.system, size.timeout),
            records: Pool::new(Role::Api, size.records, size.timeout),
            record_search: Pool::new(Role::Engine, size.records, size.timeout),
        }
    }

    fn of(&self, who: &Who, tables: Tables) -> &Pool {
        match (who, tables) {
            (Who::Tenant(_), Tables::Others) => &self.scoped,
            (Who::Engine, Tables::Others) => &self.system,
            (Who::Tenant(_), Tables::Records) => &self.records,
            (Who::Engine, Tables::Records) => &self.record_search,
        }
    }
}

struct Pool {
    role: Role,
    timeout: Duration,
    idle: Mutex<Vec<Connection>>,
    /// One permit per connection; callers wait for a free one.
    permits: Semaphore,
}

impl Pool {
    fn new(role: Role, size: usize, timeout: Duration) -> Self {
        Self { role, timeout, idle: Mutex::default(), permits: Semaphore::new(size) }
    }

    async fn open(&self, shared: &Shared) -> Result<Connection, StoreError> {
        let connection = Connection::open(&shared.address, self.role, shared.roles).await?;
        let limit = format!(
            "SET statement_timeout = {}; SET lock_timeout = {}",
            self.timeout.as_millis(),
            LOCKED.min(self.timeout).as_millis()
        );
        connection.client.batch_execute(&limit).await.map_err(|error| failed(&error))?;
        Ok(connection)
    }

    fn pooled(&self) -> Option<Connection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|connection| !connection.client.is_closed());
        idle.pop()
    }

    fn give_back(&self, connection: Connection) {
        if !connection.client.is_closed() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        }
    }
}

/// Whether a question may be retried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// It is idempotent: if an idle connection turns out to be dead, the question is sent again over a new one.
    Harmless,
    /// It must not run twice.
    Never,
}

/// Sends questions over a pooled connection and returns the rows of each.
pub(super) async fn ask(
    shared: &Shared,
    lane: Lane,
    who: &Who,
    tables: Tables,
    again: Again,
    questions: &[Question<'_>],
) -> Result<Vec<Vec<Row>>, StoreError> {
    let pool = shared.lanes[lane as usize].of(who, tables);
    let _permit = match tokio::time::timeout(QUEUED, pool.permits.acquire()).await {
        Ok(permit) => permit.map_err(|_| super::closed())?,
        Err(_) => return Err(StoreError::Failed("every connection to PostgreSQL is busy; try again".into())),
    };
    let mut pooled = pool.pooled();
    loop {
        let had_been_idle = pooled.is_some();
        let mut connection = match pooled.take() {
            Some(connection) => connection,
            None => pool.open(shared).await?,
        };
        let asked = match who {
            Who::Tenant(tenant) => connection.ask_as(tenant, questions).await,
            Who::Engine => connection.ask(questions).await,
        };
        match asked {
            Ok(rows) => {
                pool.give_back(connection);
                return Ok(rows);
            }
            Err(error) if is_lost(&error) => {
                if !had_been_idle || again == Again::Never {
                    return Err(failed(&error));
                }
            }
            Err(error) => {
                pool.give_back(connection);
                return Err(failed(&error));
            }
        }
    }
}
