//! One connection: opening it, its role, and pipelined queries.

use std::borrow::Cow;
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{AsyncMessage, Client, Error, NoTls, Row, Statement};

use super::address::{Address, reason};
use super::tls::Tls;
use crate::StoreError;

/// Maximum number of prepared statements per connection. Fixed statements are fewer; lists with many filters add more.
const PREPARED: usize = 300;

/// The privileges of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The user of the address: creates tables, gathers statistics.
    Owner,
    /// Reads and writes all tenants: commits and scheduling.
    Engine,
    /// Reads one tenant at a time.
    Api,
}

/// A parameter of a statement.
pub(super) type Param<'a> = Box<dyn ToSql + Sync + Send + 'a>;

/// A statement with its parameters.
pub(super) struct Question<'a> {
    pub(super) sql: Cow<'static, str>,
    pub(super) params: Vec<Param<'a>>,
}

impl<'a> Question<'a> {
    pub(super) fn new(sql: impl Into<Cow<'static, str>>, params: Vec<Param<'a>>) -> Self {
        Self { sql: sql.into(), params }
    }
}

/// Builds the parameters of a [`Question`].
macro_rules! values {
    ($($value:expr),* $(,)?) => { vec![$(Box::new($value) as $crate::postgres::connection::Param<'_>),*] };
}
pub(super) use values;

/// Called for every notification with the sending server process, and with `None` when the connection is lost.
pub(super) type Notified = Box<dyn Fn(Option<i32>) + Send>;

pub(super) struct Connection {
    pub(super) client: Client,
    prepared: HashMap<String, Statement>,
    /// The tenant whose rows are currently visible under row-level security.
    tenant: String,
}

/// Whether the connection failed, rather than the statement.
pub(super) fn is_lost(error: &Error) -> bool {
    match error.code() {
        Some(code) => {
            let shutdown = [SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN, SqlState::CANNOT_CONNECT_NOW];
            shutdown.contains(code) || code.code().starts_with("08") || is_idle_timeout(code)
        }
        None => {
            error.is_closed() || std::error::Error::source(error).is_some_and(|source| source.is::<std::io::Error>())
        }
    }
}

fn is_idle_timeout(code: &SqlState) -> bool {
    *code == SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT
}

/// Converts an error.
pub(super) fn failed(error: &Error) -> StoreError {
    match error.as_db_error() {
        Some(said) => {
            let detail = said.detail().map(|detail| format!(" ({detail})")).unwrap_or_default();
            let why = format!("PostgreSQL: {}{detail}", said.message());
            match said.code() {
                code if *code == SqlState::LOCK_NOT_AVAILABLE => StoreError::Locked(why),
                code if *code == SqlState::DISK_FULL => StoreError::Full(why),
                _ => StoreError::Failed(why),
            }
        }
        None if is_lost(error) => {
            StoreError::Failed(format!("the connection to PostgreSQL was lost: {}", reason(error)))
        }
        None => StoreError::Failed(reason(error)),
    }
}

fn refused(address: &Address, error: &Error) -> StoreError {
    let shown = &address.shown;
    let user = address.config.get_user().unwrap_or_default();
    let database = address.config.get_dbname().unwrap_or(user);
    let Some(said) = error.as_db_error() else {
        let why = reason(error);
        return StoreError::Failed(format!("{shown}: PostgreSQL cannot be reached at {}: {why}", address.place()));
    };
    let why = match said.code() {
        code if *code == SqlState::INVALID_PASSWORD || *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
            format!("PostgreSQL rejected the login of `{user}` ({})", said.message())
        }
        code if *code == SqlState::INVALID_CATALOG_NAME => {
            format!("there is no database `{database}`; make it with `createdb {database}`")
        }
        code if *code == SqlState::TOO_MANY_CONNECTIONS => {
            format!("PostgreSQL has no connection left ({}); raise max_connections", said.message())
        }
        _ => format!("PostgreSQL: {}", said.message()),
    };
    StoreError::Failed(format!("{shown}: {why}"))
}

impl Connection {
    /// Opens a connection. Without `roles`, a session setting takes the place of the store's roles.
    pub(super) async fn open(address: &Address, role: Role, roles: bool) -> Result<Self, StoreError> {
        Self::listen(address, role, roles, Box::new(|_| {})).await
    }

    /// Opens a connection and forwards its notifications.
    pub(super) async fn listen(
        address: &Address,
        role: Role,
        roles: bool,
        notified: Notified,
    ) -> Result<Self, StoreError> {
        let client = if address.requires_tls() {
            let tls = Tls::new(address.root_certificate.as_deref())?;
            let (client, connection) = address.config.connect(tls).await.map_err(|error| refused(address, &error))?;
            tokio::spawn(drive(connection, notified));
            client
        } else {
            let (client, connection) = address.config.connect(NoTls).await.map_err(|error| refused(address, &error))?;
            tokio::spawn(drive(connection, notified));
            client
        };
        let setup = setup(&address.schema, role, roles);
        client.batch_execute(&setup).await.map_err(|error| failed(&error))?;
        Ok(Self { client, prepared: HashMap::new(), tenant: String::new() })
    }

    /// Sends questions in one round trip and returns the rows of each. Fails with the first error; later questions may
    /// or may not have run.
    pub(super) async fn ask(&mut self, questions: &[Question<'_>]) -> Result<Vec<Vec<Row>>, Error> {
        self.send(&questions.iter().collect::<Vec<_>>()).await?.into_iter().collect()
    }

    /// Like [`Connection::ask`], with a result per question. If the call itself fails, no question was sent.
    pub(super) async fn send(&mut self, questions: &[&Question<'_>]) -> Result<Vec<Result<Vec<Row>, Error>>, Error> {
        let mut statements = Vec::with_capacity(questions.len());
        for question in questions {
            statements.push(self.prepare(&question.sql).await?);
        }
        let answers = questions.iter().zip(&statements).map(|(question, statement)| {
            let params: Vec<&(dyn ToSql + Sync)> = question.params.iter().map(|param| &**param as _).collect();
            let client = &self.client;
            Box::pin(async move { client.query(statement, &params).await }) as Answer<'_>
        });
        Ok(Pipeline::new(answers.collect()).await)
    }

    /// Like [`Connection::ask`], restricted to the rows of one tenant by row-level security.
    pub(super) async fn ask_as(&mut self, tenant: &str, questions: &[Question<'_>]) -> Result<Vec<Vec<Row>>, Error> {
        if self.tenant == tenant {
            return self.ask(questions).await;
        }
        // Until the server confirms, it is unknown whose rows this connection sees.
        self.tenant.clear();
        let becomes = Question::new("SELECT set_config('brain.tenant', $1, false)", values![tenant.to_owned()]);
        let all: Vec<&Question<'_>> = std::iter::once(&becomes).chain(questions).collect();
        let mut answers: Vec<Vec<Row>> = self.send(&all).await?.into_iter().collect::<Result<_, _>>()?;
        tenant.clone_into(&mut self.tenant);
        answers.remove(0);
        Ok(answers)
    }

    async fn prepare(&mut self, sql: &str) -> Result<Statement, Error> {
        if let Some(statement) = self.prepared.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(sql).await?;
        if self.prepared.len() >= PREPARED {
            self.prepared.clear();
        }
        self.prepared.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

/// The settings of every connection. Every statement of this store has a fitting index. With default costs, the planner
/// would scan tables that were empty when statistics were last gathered, and keep doing so.
fn setup(schema: &str, role: Role, roles: bool) -> String {
    let mut sql = format!(
        "SET search_path = \"{schema}\";
         SET client_min_messages = warning;
         SET jit = off;
         SET plan_cache_mode = force_generic_plan;
         SET enable_seqscan = off;
         SET enable_hashjoin = off;
         SET enable_mergejoin = off;
         SET lock_timeout = '20s';
         SET idle_in_transaction_session_timeout = '20s';
         SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';\n"
    );
    match (role, roles) {
        (Role::Owner, _) | (Role::Api, false) => {}
        (Role::Engine, true) => sql.push_str("SET ROLE brain_engine;"),
        (Role::Engine, false) => sql.push_str("SET brain.system = 'on';"),
        (Role::Api, true) => sql.push_str("SET ROLE brain_api;"),
    }
    if role == Role::Api {
        sql.push_str("SET default_transaction_read_only = on;");
    }
    sql
}

/// Polls a connection until it ends.
async fn drive<S, T>(mut connection: tokio_postgres::Connection<S, T>, notified: Notified)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
    T: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
{
    loop {
        match std::future::poll_fn(|cx| connection.poll_message(cx)).await {
            Some(Ok(AsyncMessage::Notification(news))) => notified(Some(news.process_id())),
            Some(Ok(_)) => {}
            Some(Err(error)) => {
                tracing::debug!(error = reason(&error), "a connection to PostgreSQL ended");
                break;
            }
            None => break,
        }
    }
    notified(None);
}

type Answer<'a> = Pin<Box<dyn Future<Output = Result<Vec<Row>, Error>> + Send + 'a>>;

/// Awaits answers together. The first poll of a future sends its question, so all go out in order without waiting for
/// each other: one round trip.
struct Pipeline<'a> {
    waiting: Vec<Option<Answer<'a>>>,
    answers: Vec<Option<Result<Vec<Row>, Error>>>,
}

impl<'a> Pipeline<'a> {
    fn new(waiting: Vec<Answer<'a>>) -> Self {
        let answers = waiting.iter().map(|_| None).collect();
        Self { waiting: waiting.into_iter().map(Some).collect(), answers }
    }
}

impl Future for Pipeline<'_> {
    type Output = Vec<Result<Vec<Row>, Error>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        for (waiting, answer) in this.waiting.iter_mut().zip(&mut this.answers) {
            if let Some(future) = waiting
                && let Poll::Ready(result) = future.as_mut().poll(cx)
            {
                *answer = Some(result);
                *waiting = None;
            }
        }
        if this.answers.iter().all(Option::is_some) {
            Poll::Ready(this.answers.drain(..).flatten().collect())
        } else {
            Poll::Pending
        }
    }
}
