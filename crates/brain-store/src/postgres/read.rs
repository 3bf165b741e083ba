//! Reads runs, dead letters, approvals, offers, signals, definitions and tokens.

use brain_core::{
    ApprovalId, ApprovalStatus, Digest, JobKey, NodeId, RecordId, RunId, RunStatus, TenantId, Timestamp, TokenId,
};
use serde_json::Value;
use tokio_postgres::Row;
use tokio_postgres::types::FromSql;
use uuid::Uuid;

use super::connection::{Question, values};
use super::pool::{Again, Who};
use super::{PostgresStore, text};
use crate::traits::{Approvals, DeadLetters, Definitions, Offers, Runs, Signals, StoreError, Tokens};
use crate::{
    ApprovalRow, ArtifactRow, DeadLetterRow, LogRow, OfferRow, Page, QueuePlace, RunRow, RunSchedule, Scope, SignalRow,
    SystemScope, TokenRow,
};

/// The largest id: where a descending list starts.
const LAST: Uuid = Uuid::max();

/// Reads a column. A value that does not decode was written by another build.
pub(super) fn get<'r, T: FromSql<'r>>(row: &'r Row, column: usize) -> Result<T, StoreError> {
    row.try_get(column).map_err(|error| StoreError::Unreadable(super::address::reason(&error)))
}

pub(super) fn json<T: serde::de::DeserializeOwned>(row: &Row, column: usize) -> Result<T, StoreError> {
    serde_json::from_str(get(row, column)?).map_err(|error| StoreError::Unreadable(error.to_string()))
}

pub(super) fn time(row: &Row, column: usize) -> Result<Timestamp, StoreError> {
    Ok(Timestamp::from_millis(get(row, column)?))
}

pub(super) fn tenant(row: &Row, column: usize) -> Result<TenantId, StoreError> {
    get::<&str>(row, column)?.parse().map_err(|error: brain_core::IdError| StoreError::Unreadable(error.to_string()))
}

pub(super) fn digest(bytes: &[u8]) -> Result<Digest, StoreError> {
    let bytes = bytes.try_into().map_err(|_| StoreError::Unreadable("a digest has 32 bytes".into()))?;
    Ok(Digest::from_bytes(bytes))
}

/// Reads a text that users chose, which may be encoded.
pub(super) fn free_text(row: &Row, column: usize) -> Result<String, StoreError> {
    Ok(text::read(get(row, column)?))
}

pub(super) fn cursor<T: std::str::FromStr>(text: Option<&str>) -> Result<Option<T>, StoreError> {
    text.map(|text| text.parse().map_err(|_| StoreError::BadCursor(text.to_owned()))).transpose()
}

/// Converts a limit for SQL.
pub(super) fn count(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

pub(super) fn each<T>(rows: &[Row], read: impl Fn(&Row) -> Result<T, StoreError>) -> Result<Vec<T>, StoreError> {
    rows.iter().map(read).collect()
}

pub(super) fn first<T>(rows: &[Row], read: impl Fn(&Row) -> Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    rows.first().map(read).transpose()
}

pub(super) fn named(scope: &Scope) -> String {
    scope.tenant().as_str().to_owned()
}

pub(super) fn run_row(row: &Row) -> Result<RunRow, StoreError> {
    let queued = match (get::<Option<i64>>(row, 12)?, get::<Option<String>>(row, 13)?) {
        (Some(order), Some(limit)) => Some(QueuePlace { order, limit }),
        _ => None,
    };
    Ok(RunRow {
        tenant: tenant(row, 0)?,
        id: RunId::from_uuid(get(row, 1)?),
        created_at: time(row, 2)?,
        updated_at: time(row, 3)?,
        status: RunStatus::stored(get(row, 4)?),
        program: get::<Option<&[u8]>>(row, 5)?.map(digest).transpose()?,
        schedule: RunSchedule {
            seq: get::<i64>(row, 6)? as u64,
            owner: get::<Option<Uuid>>(row, 7)?.map(NodeId::from_uuid),
            fence: get::<i64>(row, 8)? as u64,
            wake_at: get::<Option<i64>>(row, 9)?.map(Timestamp::from_millis),
            priority: u8::try_from(get::<i16>(row, 10)?).unwrap_or(u8::MAX),
            queued,
        },
        request: RunRow::request_of(get::<&str>(row, 11).map_err(|error| error.to_string())),
        erased: get::<i16>(row, 14)? != 0,
    })
}

/// Reads run, number, time, events and payloads of a log row.
pub(super) fn log_row(row: &Row) -> Result<LogRow, StoreError> {
    log_row_at(row, 0)
}

/// Like [`log_row`], starting at a column.
fn log_row_at(row: &Row, at: usize) -> Result<LogRow, StoreError> {
    Ok(LogRow {
        run: RunId::from_uuid(get(row, at)?),
        seq: get::<i64>(row, at + 1)? as u64,
        at: time(row, at + 2)?,
        events: json(row, at + 3)?,
        payloads: if get::<Option<&str>>(row, at + 4)?.is_some() { json(row, at + 4)? } else { Vec::new() },
    })
}

impl Runs for PostgresStore {
    fn run(&self, scope: &Scope, id: RunId) -> Result<Option<RunRow>, StoreError> {
        let sql = "SELECT tenant, id, created_at, updated_at, status, program, seq, owner, fence, wake_at, priority,
                   request, queue_order, queue_limit, erased FROM runs WHERE tenant = $1 AND id = $2";
        first(&self.scoped(scope, sql, values![named(scope), id.as_uuid()])?, run_row)
    }

    fn runs(
        &self,
        scope: &Scope,
        status: Option<RunStatus>,
        limit: usize,
        from: Option<&str>,
    ) -> Result<Page<RunRow>, StoreError> {
        let before = cursor::<RunId>(from)?.map_or(LAST, |id| id.as_uuid());
        let mut params = values![named(scope), before, count(limit).saturating_add(1)];
        let by_status = match status {
            None => "",
            // Most runs are completed, so a scan by id finds them quickly. The other statuses have a partial index.
            Some(RunStatus::Completed) => "AND status = 'completed'",
            Some(status) => {
                params.extend(values![status.as_str().to_owned()]);
                "AND status = $4 AND status <> 'completed'"
            }
        };
        let sql = format!(
            "SELECT tenant, id, created_at, updated_at, status, program, seq, owner, fence, wake_at, priority, request,
             queue_order, queue_limit, erased FROM runs WHERE tenant = $1 AND id < $2 {by_status} ORDER BY id DESC LIMIT $3"
        );
        let items = each(&self.scoped(scope, sql, params)?, run_row)?;
        Ok(Page::cut(items, limit, |row| row.id.to_string()))
    }

    fn log(&self, scope: &Scope, id: RunId) -> Result<Vec<LogRow>, StoreError> {
        let sql = "SELECT run, seq, at, events, payloads FROM log WHERE tenant = $1 AND run = $2 ORDER BY seq";
        each(&self.scoped(scope, sql, values![named(scope), id.as_uuid()])?, log_row)
    }

    fn run_and_log(&self, scope: &Scope, id: RunId) -> Result<Option<(RunRow, Vec<LogRow>)>, StoreError> {
        // One statement, so that both come from one snapshot. Only the first row carries the request.
        let sql = "SELECT r.tenant, r.id, r.created_at, r.updated_at, r.status, r.program, r.seq, r.owner, r.fence,
                   r.wake_at, r.priority, CASE WHEN row_number() OVER (ORDER BY l.seq) = 1 THEN r.request END,
                   r.queue_order, r.queue_limit, r.erased, l.run, l.seq, l.at, l.events, l.payloads
                   FROM runs r LEFT JOIN log l ON l.tenant = r.tenant AND l.run = r.id
                   WHERE r.tenant = $1 AND r.id = $2 ORDER BY l.seq";
        let rows = self.scoped(scope, sql, values![named(scope), id.as_uuid()])?;
        let Some(run) = first(&rows, run_row)? else { return Ok(None) };
        let empty = rows.first().is_some_and(|row| get::<Option<Uuid>>(row, 15).is_ok_and(|run| run.is_none()));
        let log = if empty { Vec::new() } else { each(&rows, |row| log_row_at(row, 15))? };
        Ok(Some((run, log)))
    }

    fn by_key(&self, scope: &Scope, key: &str) -> Result<Option<(RunId, Digest)>, StoreError> {
        let sql = "SELECT run, digest FROM request_keys WHERE tenant = $1 AND key = $2";
        let rows = self.scoped(scope, sql, values![named(scope), text::slot(key).into_owned()])?;
        first(&rows, |row| Ok((RunId::from_uuid(get(row, 0)?), digest(get(row, 1)?)?)))
    }

    fn number_of(&self, scope: &Scope, run: RunId) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT n FROM run_numbers WHERE tenant = $1 AND run = $2";
        first(&self.scoped(scope, sql, values![named(scope), run.as_uuid()])?, |row| get(row, 0))
    }

    fn run_numbered(&self, scope: &Scope, number: i64) -> Result<Option<RunId>, StoreError> {
        let sql = "SELECT run FROM run_numbers WHERE tenant = $1 AND n = $2";
        first(&self.scoped(scope, sql, values![named(scope), number])?, |row| Ok(RunId::from_uuid(get(row, 0)?)))
    }

    fn artifacts(&self, scope: &Scope, run: RunId) -> Result<Vec<ArtifactRow>, StoreError> {
        let sql = "SELECT kind, record, run, step, role, at FROM artifacts WHERE tenant = $1 AND run = $2
                   ORDER BY kind, record, step, role";
        each(&self.scoped(scope, sql, values![named(scope), run.as_uuid()])?, |row| {
            Ok(ArtifactRow {
                kind: get(row, 0)?,
                record: RecordId::from_uuid(get(row, 1)?),
                run: RunId::from_uuid(get(row, 2)?),
                step: get(row, 3)?,
                role: get(row, 4)?,
                at: time(row, 5)?,
            })
        })
    }
}

pub(super) fn letter_row(row: &Row) -> Result<DeadLetterRow, StoreError> {
    Ok(DeadLetterRow {
        id: JobKey::from_uuid(get(row, 0)?),
        run: RunId::from_uuid(get(row, 1)?),
        tool: get(row, 2)?,
        opened_at: time(row, 3)?,
        open: get(row, 4)?,
        body: json(row, 5)?,
    })
}

impl DeadLetters for PostgresStore {
    fn dead_letter(&self, scope: &Scope, id: JobKey) -> Result<Option<DeadLetterRow>, StoreError> {
        let sql = "SELECT id, run, tool, opened_at, open, body FROM dead_letters WHERE tenant = $1 AND id = $2";
        first(&self.scoped(scope, sql, values![named(scope), id.as_uuid()])?, letter_row)
    }

    fn dead_letters(
        &self,
        scope: &Scope,
        open: Option<bool>,
        limit: usize,
        from: Option<&str>,
    ) -> Result<Page<DeadLetterRow>, StoreError> {
        let before = cursor::<JobKey>(from)?.map_or(LAST, |id| id.as_uuid());
        // Open letters have a partial index; most letters are closed.
        let which = match open {
            None => "",
            Some(true) => "AND open",
            Some(false) => "AND NOT open",
        };
        let sql = format!(
            "SELECT id, run, tool, opened_at, open, body FROM dead_letters
             WHERE tenant = $1 AND id < $2 {which} ORDER BY id DESC LIMIT $3"
        );
        let rows = self.scoped(scope, sql, values![named(scope), before, count(limit).saturating_add(1)])?;
        Ok(Page::cut(each(&rows, letter_row)?, limit, |row: &DeadLetterRow| row.id.to_string()))
    }
}

fn approval_row(row: &Row) -> Result<ApprovalRow, StoreError> {
    Ok(ApprovalRow {
        id: ApprovalId::from_uuid(get(row, 0)?),
        run: RunId::from_uuid(get(row, 1)?),
        status: ApprovalStatus::stored(get(row, 2)?),
        asked_at: time(row, 3)?,
        body: json(row, 4)?,
    })
}

impl Approvals for PostgresStore {
    fn approval(&self, scope: &Scope, id: ApprovalId) -> Result<Option<ApprovalRow>, StoreError> {
        let sql = "SELECT id, run, status, asked_at, body FROM approvals WHERE tenant = $1 AND id = $2";
        first(&self.scoped(scope, sql, values![named(scope), id.as_uuid()])?, approval_row)
    }

    fn approvals_of(&self, scope: &Scope, run: RunId) -> Result<Vec<ApprovalRow>, StoreError> {
        let sql = "SELECT id, run, status, asked_at, body FROM approvals WHERE tenant = $1 AND run = $2 ORDER BY id";
        each(&self.scoped(scope, sql, values![named(scope), run.as_uuid()])?, approval_row)
    }

    fn approvals(
        &self,
        scope: &Scope,
        status: Option<ApprovalStatus>,
        limit: usize,
        from: Option<&str>,
    ) -> Result<Page<ApprovalRow>, StoreError> {
        let before = cursor::<ApprovalId>(from)?.map_or(LAST, |id| id.as_uuid());
        let mut params = values![named(scope), before, count(limit).saturating_add(1)];
        let which = if status.is_some() { "AND status = $4" } else { "" };
        params.extend(status.into_iter().flat_map(|status| values![status.as_str().to_owned()]));
        let sql = format!(
            "SELECT id, run, status, asked_at, body FROM approvals
             WHERE tenant = $1 AND id < $2 {which} ORDER BY id DESC LIMIT $3"
        );
        let rows = self.scoped(scope, sql, params)?;
        Ok(Page::cut(each(&rows, approval_row)?, limit, |row: &ApprovalRow| row.id.to_string()))
    }
}

pub(super) fn offer_row(row: &Row) -> Result<OfferRow, StoreError> {
    Ok(OfferRow {
        key: JobKey::from_uuid(get(row, 0)?),
        run: RunId::from_uuid(get(row, 1)?),
        topic: free_text(row, 2)?,
        order: get(row, 3)?,
    })
}

impl Offers for PostgresStore {
    fn offers(&self, scope: &Scope, topics: &[String], limit: usize) -> Result<Vec<OfferRow>, StoreError> {
        let mut topics: Vec<&String> = topics.iter().collect();
        topics.sort_unstable();
        topics.dedup();
        if topics.is_empty() {
            return Ok(Vec::new());
        }
        // The index is sorted within each topic; sorting across topics would read every offer.
        let sql = "SELECT key, run, topic, place FROM offers WHERE tenant = $1 AND topic = $2
                   ORDER BY place, key LIMIT $3";
        let question =
            |topic: &String| Question::new(sql, values![named(scope), text::written(topic).into_owned(), count(limit)]);
        let questions = topics.into_iter().map(question).collect();
        let answers = self.ask(Who::Tenant(named(scope)), Again::Harmless, questions)?;
        let mut rows = each(&answers.into_iter().flatten().collect::<Vec<_>>(), offer_row)?;
        rows.sort_by_key(|row| (row.order, row.key));
        rows.truncate(limit);
        Ok(rows)
    }

    fn offer(&self, scope: &Scope, key: JobKey) -> Result<Option<OfferRow>, StoreError> {
        let sql = "SELECT key, run, topic, place FROM offers WHERE tenant = $1 AND key = $2";
        first(&self.scoped(scope, sql, values![named(scope), key.as_uuid()])?, offer_row)
    }
}

impl Signals for PostgresStore {
    fn signals(&self, scope: &Scope, run: RunId) -> Result<Vec<SignalRow>, StoreError> {
        let sql = "SELECT run, id, at, body FROM signals WHERE tenant = $1 AND run = $2 ORDER BY at, n";
        each(&self.scoped(scope, sql, values![named(scope), run.as_uuid()])?, |row| {
            Ok(SignalRow {
                run: RunId::from_uuid(get(row, 0)?),
                id: free_text(row, 1)?,
                at: time(row, 2)?,
                body: json(row, 3)?,
            })
        })
    }

    fn signalled(
        &self,
        _: SystemScope,
        after: Option<&(TenantId, RunId)>,
        limit: usize,
    ) -> Result<Vec<(TenantId, RunId)>, StoreError> {
        let (from, run) =
            after.map_or((String::new(), Uuid::nil()), |(tenant, run)| (tenant.as_str().to_owned(), run.as_uuid()));
        let sql = "SELECT DISTINCT tenant, run FROM signals WHERE (tenant, run) > ($2, $3)
                   ORDER BY tenant, run LIMIT $1";
        let rows = self.system(sql, values![count(limit), from, run])?;
        each(&rows, |row| Ok((tenant(row, 0)?, RunId::from_uuid(get(row, 1)?))))
    }
}

impl Definitions for PostgresStore {
    fn definition(&self, hash: Digest) -> Result<Option<Value>, StoreError> {
        let sql = "SELECT body FROM definitions WHERE hash = $1";
        first(&self.system(sql, values![hash.as_bytes().to_vec()])?, |row| json(row, 0))
    }
}

fn token_row(row: &Row) -> Result<TokenRow, StoreError> {
    let grants: Value = json(row, 8)?;
    Ok(TokenRow {
        id: TokenId::from_uuid(get(row, 0)?),
        tenant: tenant(row, 1)?,
        hash: digest(get(row, 2)?)?,
        label: free_text(row, 3)?,
        created_at: time(row, 4)?,
        expires_at: get::<Option<i64>>(row, 5)?.map(Timestamp::from_millis),
        approver: get(row, 6)?,
        revoked: get(row, 7)?,
        permissions: serde_json::from_value(grants["permissions"].clone()).unwrap_or_default(),
        tier: serde_json::from_value(grants["tier"].clone()).unwrap_or_default(),
    })
}

impl Tokens for PostgresStore {
    fn put_token(&self, row: &TokenRow) -> Result<(), StoreError> {
        let sql = "INSERT INTO tokens (id, tenant, hash, label, created_at, expires_at, approver, revoked, grants)
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
                   ON CONFLICT (id) DO UPDATE SET tenant = excluded.tenant, hash = excluded.hash,
                   label = excluded.label, created_at = excluded.created_at, expires_at = excluded.expires_at,
                   approver = excluded.approver, revoked = excluded.revoked, grants = excluded.grants";
        let grants = serde_json::json!({"permissions": row.permissions, "tier": row.tier}).to_string();
        let params = values![
            row.id.as_uuid(),
            row.tenant.as_str().to_owned(),
            row.hash.as_bytes().to_vec(),
            text::written(&row.label).into_owned(),
            row.created_at.as_millis(),
            row.expires_at.map(|at| at.as_millis()),
            row.approver,
            row.revoked,
            grants,
        ];
        self.system(sql, params)?;
        self.shared.counters.committed(0, 1, 0);
        Ok(())
    }

    fn token(&self, id: TokenId) -> Result<Option<TokenRow>, StoreError> {
        let sql = "SELECT id, tenant, hash, label, created_at, expires_at, approver, revoked, grants FROM tokens
                   WHERE id = $1";
        first(&self.system(sql, values![id.as_uuid()])?, token_row)
    }

    fn tokens(&self) -> Result<Vec<TokenRow>, StoreError> {
        let sql = "SELECT id, tenant, hash, label, created_at, expires_at, approver, revoked, grants FROM tokens
                   ORDER BY id DESC";
        each(&self.system(sql, vec![])?, token_row)
    }
}
