//! Background tasks, which any node may run: assigning feed positions, announcing commits, gathering statistics, and
//! deleting abandoned uploads.
//!
//! A sequencer assigns positions, one transaction at a time: a commit leaves a row in `feed_pending`, and the sequencer
//! moves all visible rows into `feed` with increasing positions. A row that becomes visible late gets a later position,
//! so a reader that resumes after a position never misses a row.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::Shared;
use super::connection::{Connection, Question, Role, failed, values};
use crate::StoreError;

/// Commits within this interval share one pass of the sequencer and one announcement.
const COALESCE: Duration = Duration::from_millis(20);
/// Interval of sequencer passes without a local commit: another node may have died before its pass.
const POLL: Duration = Duration::from_secs(1);
/// Interval of deleting abandoned uploads.
const SWEEP: Duration = Duration::from_secs(600);
/// Numbers of new runs at which statistics are gathered. PostgreSQL does so by itself, but too late for tables that
/// grow from empty.
const ANALYZE_AT: [u64; 2] = [1_000, 50_000];

const LOCK: &str = "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))";

const MOVE: &str = "
WITH taken AS (DELETE FROM feed_pending RETURNING n, tenant, run, seq),
     total AS (SELECT count(*) AS rows FROM taken),
     moved AS (UPDATE feed_state SET last = last + total.rows FROM total WHERE total.rows > 0 RETURNING last - total.rows AS first)
INSERT INTO feed (tenant, pos, run, seq)
SELECT t.tenant, m.first + row_number() OVER (ORDER BY t.n), t.run, t.seq FROM taken t, moved m";

/// Runs the sequencer and the announcer.
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
            // Another node holds the lock and may not have seen the latest commits here, so try again.
            Ok(false) => shared.changed.notify_one(),
            Err(error) => {
                tracing::debug!(%error, "assigning feed positions failed; retrying");
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
            shared.watchers.own.store(rows[0][0].get(0), Ordering::Relaxed);
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

/// Gathers statistics early on, and deletes abandoned uploads.
pub(super) async fn look_after_the_tables(shared: Arc<Shared>) {
    loop {
        if let Err(error) = super::blobs::sweep(&shared).await {
            tracing::debug!(%error, "deleting abandoned uploads failed; retrying later");
        }
        if tokio::time::timeout(SWEEP, shared.grown.notified()).await.is_ok()
            && let Err(error) = analyze(&shared).await
        {
            tracing::debug!(%error, "gathering statistics failed; PostgreSQL will gather them later");
        }
    }
}

/// Whether the number of new runs has crossed one of the thresholds.
pub(super) fn passes_a_mark(before: u64, after: u64) -> bool {
    ANALYZE_AT.iter().any(|mark| before < *mark && after >= *mark)
}

async fn analyze(shared: &Shared) -> Result<(), StoreError> {
    // Only the owner may analyze.
    let connection = Connection::open(&shared.address, Role::Owner, shared.roles).await?;
    for table in ["runs", "log", "records", "record_index", "offers", "signals", "artifacts"] {
        connection.client.batch_execute(&format!("ANALYZE {table}")).await.map_err(|error| failed(&error))?;
    }
    Ok(())
}
