//! Connections for questions: a few of each kind, opened when they are needed and opened anew when they are broken.

use std::sync::{Mutex, PoisonError};

use tokio::sync::Semaphore;
use tokio_postgres::Row;

use super::Shared;
use super::connection::{Connection, Question, Role, failed, is_lost};
use crate::StoreError;

/// Whose rows a question is about.
#[derive(Clone, Debug)]
pub(super) enum Who {
    /// One tenant's: the connection sees no others.
    Tenant(String),
    /// Everyone's.
    Engine,
}

pub(super) struct Pool {
    role: Role,
    idle: Mutex<Vec<Connection>>,
    /// As many as may be in use at once; who comes later waits for one.
    permits: Semaphore,
}

impl Pool {
    pub(super) fn new(role: Role, size: usize) -> Self {
        Self { role, idle: Mutex::default(), permits: Semaphore::new(size) }
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

/// How often a question may be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// Asking twice is as good as asking once: a connection that had died while it was idle is replaced silently.
    Harmless,
    /// It must not happen twice.
    Never,
}

/// Asks, and gives the rows of each question.
pub(super) async fn ask(
    shared: &Shared,
    who: &Who,
    again: Again,
    questions: &[Question<'_>],
) -> Result<Vec<Vec<Row>>, StoreError> {
    let pool = match who {
        Who::Tenant(_) => &shared.scoped,
        Who::Engine => &shared.engine,
    };
    let _permit = pool.permits.acquire().await.map_err(|_| super::closed())?;
    let mut pooled = pool.pooled();
    loop {
        let had_been_idle = pooled.is_some();
        let mut connection = match pooled.take() {
            Some(connection) => connection,
            None => Connection::open(&shared.address, pool.role, shared.roles).await?,
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
