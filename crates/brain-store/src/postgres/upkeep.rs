//! What has to be done beside the commits, by whichever node comes to it: positions in the feed, announcements,
//! statistics, and what uploads leave behind.
//!
//! Positions are given by a sequencer, in transactions of its own, one at a time: a commit leaves a row in
//! `feed_pending`, and the sequencer moves all rows that it can see into `feed`, with rising positions. What becomes
//! visible late is moved late and gets a later position, so a reader that goes on where it was never misses it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::Shared;
use super::connection::{Connection, Question, Role, failed, values};
use crate::StoreError;

/// Commits within this time share a visit of the sequencer and an announcement.
const COALESCE: Duration = Duration::from_millis(20);
/// How often the sequencer looks without being called: other nodes may have died before they could.
const POLL: Duration = Duration::from_secs(1);
/// How often uploads are looked after.
const SWEEP: Duration = Duration::from_secs(600);
/// Numbers of new runs after which statistics are gathered: PostgreSQL does so on its own, but too late for tables that
/// grow from nothing.
const ANALYZE_AT: [u64; 2] = [1_000, 50_000];

const LOCK: &str = "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))";

const MOVE: &str = "
WITH taken AS (DELETE FROM feed_pending RETURNING n, tenant, run, seq),
     total AS (SELECT count(*) AS rows FROM taken),
     moved AS (UPDATE feed_state SET last = last + total.rows FROM total WHERE total.rows > 0 RETURNING last - total.rows AS first)
INSERT INTO feed (tenant, pos, run, seq)
SELECT t.tenant, m.first + row_number() OVER (ORDER BY t.n), t.run, t.seq FROM taken t, moved m";

/// The sequencer and the announcer.
pub(super) async fn look_after_the_feed(shared: Arc<Shared>) {
    let mut connection: Option<Connection> = None;
    loop {
        let called = tokio::time::timeout(POLL, shared.changed.notified()).await.is_ok();
        if called {
            tokio::time::sleep(COALESCE).await;
        }
        let done = visit(&shared, &mut connection, called).await;
        match done {
            Ok(true) => {}
            // Another node is at it and may not have seen what was committed here.
            Ok(false) => shared.changed.notify_one(),
            Err(error) => {
                tracing::debug!(%error, "the feed could not be brought up to date; trying again");
                connection = None;
                if called {
                    shared.changed.notify_one();
                }
                tokio::time::sleep(POLL).await;
            }
        }
    }
}

async fn visit(shared: &Shared, connection: &mut Option<Connection>, announce: bool) -> Result<bool, StoreError> {
    let said = |error: tokio_postgres::Error| failed(&error);
    let connection = match connection.take().filter(|connection| !connection.client.is_closed()) {
        Some(there) => connection.insert(there),
        None => {
            let mut new = Connection::open(&shared.address, Role::Engine, shared.roles).await?;
            let rows = new.ask(&[Question::new("SELECT pg_backend_pid()", vec![])]).await.map_err(said)?;
            shared.ears.own.store(rows[0][0].get(0), Ordering::Relaxed);
            connection.insert(new)
        }
    };
    let mut questions = Vec::new();
    if announce {
        questions.push(Question::new("SELECT pg_notify($1, '')", values![shared.address.channel()]));
    }
    questions.push(Question::new("BEGIN ISOLATION LEVEL READ COMMITTED", vec![]));
    questions.push(Question::new(LOCK, values![format!("brain feed {}", shared.address.schema)]));
    let answers = connection.ask(&questions).await.map_err(said)?;
    let ours: bool = answers.last().and_then(|rows| rows.first()).is_some_and(|row| row.get(0));
    let rest: &[Question<'_>] = &[Question::new(MOVE, vec![]), Question::new("COMMIT", vec![])];
    connection.ask(if ours { rest } else { &rest[1..] }).await.map_err(said)?;
    Ok(ours)
}

/// Statistics early on, and what uploads have left.
pub(super) async fn look_after_the_tables(shared: Arc<Shared>) {
    loop {
        if let Err(error) = super::blobs::sweep(&shared).await {
            tracing::debug!(%error, "what uploads left could not be deleted; trying again later");
        }
        if tokio::time::timeout(SWEEP, shared.grown.notified()).await.is_ok()
            && let Err(error) = analyze(&shared).await
        {
            tracing::debug!(%error, "statistics could not be gathered; PostgreSQL will do it");
        }
    }
}

/// Whether so many new runs pass one of the marks.
pub(super) fn passes_a_mark(before: u64, after: u64) -> bool {
    ANALYZE_AT.iter().any(|mark| before < *mark && after >= *mark)
}

async fn analyze(shared: &Shared) -> Result<(), StoreError> {
    // Only the owner may.
    let connection = Connection::open(&shared.address, Role::Owner, shared.roles).await?;
    for table in ["runs", "log", "records", "record_index", "offers", "signals", "artifacts"] {
        connection.client.batch_execute(&format!("ANALYZE {table}")).await.map_err(|error| failed(&error))?;
    }
    Ok(())
}
