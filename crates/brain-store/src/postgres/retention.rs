//! Retention in PostgreSQL. Vacuum makes the space of deleted rows reusable.

use brain_core::{Digest, JobKey, RecordId, RunId, TenantId, Timestamp};
use uuid::Uuid;

use super::connection::{Connection, Param, Question, Role, failed, values};
use super::pool::{Again, Who};
use super::read::{
    count, cursor, digest, each, free_text, get, json, letter_row, named, offer_row, run_row, tenant, time,
};
use super::{PostgresStore, blobs, records, text, wait};
use crate::{
    Audit, AuditRow, BlobRow, DeadLetterRow, DefinitionRow, Dump, IndexEntry, OfferRow, Old, Page, Referrer, Retention,
    RunRow, Scope, StoreError, Sudo, SystemScope, WholeRecord, Write,
};

/// Feed positions per statement.
const WINDOW: i64 = 10_000;

const ERASE: &str = "UPDATE runs SET request = $3, erased = 1 WHERE tenant = $1 AND id = $2";
const ERASE_LOG: &str = "
UPDATE log l SET payloads = q.payloads FROM unnest($3::bigint[], $4::text[]) AS q (seq, payloads)
WHERE l.tenant = $1 AND l.run = $2 AND l.seq = q.seq";

const NUMBER: &str = "INSERT INTO run_numbers (tenant, run) VALUES ($1, $2) ON CONFLICT (tenant, run) DO NOTHING";
/// Assigns a number from another store; numbers assigned later come after it.
const NUMBERED: &str = "
WITH given AS (INSERT INTO run_numbers (n, tenant, run) VALUES ($3, $1, $2) ON CONFLICT (tenant, run) DO NOTHING)
SELECT setval(pg_get_serial_sequence('run_numbers', 'n'), greatest($3, nextval(pg_get_serial_sequence('run_numbers', 'n'))))";
const WITHDRAW_ALL: &str = "DELETE FROM offers WHERE tenant = $1 AND run = $2";
const DROP_RUN: &str = "
WITH a AS (DELETE FROM log WHERE tenant = $1 AND run = $2),
b AS (DELETE FROM artifacts WHERE tenant = $1 AND run = $2),
c AS (DELETE FROM request_keys WHERE tenant = $1 AND run = $2),
n AS (DELETE FROM run_numbers WHERE tenant = $1 AND run = $2),
d AS (DELETE FROM approvals WHERE tenant = $1 AND run = $2),
e AS (DELETE FROM signals WHERE tenant = $1 AND run = $2),
f AS (DELETE FROM dead_letters WHERE tenant = $1 AND run = $2 AND NOT open)
DELETE FROM runs WHERE tenant = $1 AND id = $2";

const DROP_LOG: &str = "DELETE FROM log WHERE tenant = $1 AND run = $2 AND seq = ANY($3)";

const NOTE_BLOB: &str = "
UPDATE blobs SET unused_since = CASE WHEN $3::bigint IS NULL THEN NULL ELSE coalesce(unused_since, $3) END
WHERE tenant = $1 AND hash = $2";

/// The chunks are deleted like those of an abandoned upload.
const DROP_BLOB: &str = "
WITH gone AS (DELETE FROM blobs WHERE tenant = $1 AND hash = $2 AND unused_since <= $3 RETURNING tenant, source)
INSERT INTO blob_uploads (source, tenant, given_up) SELECT source, tenant, true FROM gone";

/// Deletes positions of rows that no longer exist.
const TRIM: &str = "
DELETE FROM feed f WHERE f.tenant = $1 AND f.pos > $2 AND f.pos <= $3
AND NOT EXISTS (SELECT FROM log l WHERE l.tenant = f.tenant AND l.run = f.run AND l.seq = f.seq)";

/// The statements for one write of retention.
pub(super) fn write<'a>(tenant: &'a str, write: &'a Write, out: &mut Vec<Question<'a>>) {
    match write {
        Write::Erase { run, request, rows } => {
            out.push(Question::new(ERASE, values![tenant, run.as_uuid(), request.to_string()]));
            let seqs: Vec<i64> = rows.iter().map(|(seq, _)| *seq as i64).collect();
            let texts: Vec<Option<String>> = rows
                .iter()
                .map(|(_, list)| (!list.is_empty()).then(|| serde_json::to_string(list).expect("payloads are JSON")))
                .collect();
            out.push(Question::new(ERASE_LOG, values![tenant, run.as_uuid(), seqs, texts]));
        }
        Write::DropLog { run, seqs } => {
            let seqs: Vec<i64> = seqs.iter().map(|seq| *seq as i64).collect();
            out.push(Question::new(DROP_LOG, values![tenant, run.as_uuid(), seqs]));
        }
        Write::DropAccount(account) => {
            out.push(Question::new(super::accounts::DROP, values![tenant, text::slot(account).into_owned()]));
        }
        Write::DropRun(run) => out.push(Question::new(DROP_RUN, values![tenant, run.as_uuid()])),
        Write::Number { run, number: None } => out.push(Question::new(NUMBER, values![tenant, run.as_uuid()])),
        Write::Number { run, number: Some(number) } => {
            out.push(Question::new(NUMBERED, values![tenant, run.as_uuid(), *number]));
        }
        Write::WithdrawAll(run) => out.push(Question::new(WITHDRAW_ALL, values![tenant, run.as_uuid()])),
        Write::NoteBlob { hash, unused_since } => {
            let since = unused_since.map(|at| at.as_millis());
            out.push(Question::new(NOTE_BLOB, values![tenant, hash.as_bytes().to_vec(), since]));
        }
        Write::DropBlob { hash, unused_before } => {
            let before = unused_before.as_millis();
            out.push(Question::new(DROP_BLOB, values![tenant, hash.as_bytes().to_vec(), before]));
        }
        _ => {}
    }
}

const RUN: &str = "tenant, id, created_at, updated_at, status, program, seq, owner, fence, wake_at, priority, request,
    queue_order, queue_limit, erased";

/// Audit entries deleted per statement.
const TRIMMED_AT_ONCE: i64 = 500;

/// The setting permits deleting audit entries older than a time, until the end of the statement.
const TRIM_AUDIT: &str = "
WITH open AS (SELECT set_config('brain.audit_before', $1::bigint::text, true) AS set),
gone AS (
    DELETE FROM audit WHERE n IN (
        SELECT a.n FROM open, LATERAL (SELECT n FROM audit WHERE at < $1 ORDER BY at LIMIT $2) AS a WHERE open.set IS NOT NULL
    ) RETURNING n
)
SELECT count(*) FROM gone";

fn audit_columns(row: &AuditRow) -> Vec<Param<'static>> {
    values![
        row.at.as_millis(),
        text::written(&row.who).into_owned(),
        row.what.clone(),
        row.tenant.as_ref().map(|tenant| tenant.as_str().to_owned()),
        text::written(&row.detail).into_owned(),
    ]
}

/// A query over a table that may refer to blobs: its key, as a cursor and as columns, and the text if it contains
/// references. Each page reads a fixed number of rows in primary key order, so its cost is bounded.
fn referrers(place: Referrer) -> String {
    let by_id = ("id::text", "id > coalesce(nullif($2, ''), '00000000-0000-0000-0000-000000000000')::uuid", "id");
    let (table, content, (cursor, after, order)) = match place {
        Referrer::Log => (
            "log",
            "payloads",
            (
                "run::text || seq::text",
                "(run, seq) > (coalesce(nullif(left($2, 36), ''), '00000000-0000-0000-0000-000000000000')::uuid,
                               coalesce(nullif(substr($2, 37), ''), '-1')::bigint)",
                "run, seq",
            ),
        ),
        Referrer::Runs => ("runs", "request", by_id),
        Referrer::Records => (
            "records",
            "body",
            (
                "id::text || kind",
                "(kind, id) > (substr($2, 37) COLLATE \"C\",
                               coalesce(nullif(left($2, 36), ''), '00000000-0000-0000-0000-000000000000')::uuid)",
                "kind, id",
            ),
        ),
        Referrer::Letters => ("dead_letters", "body", by_id),
        Referrer::Approvals => ("approvals", "body", by_id),
        Referrer::Signals => (
            "signals",
            "body",
            (
                "run::text || slot",
                "(run, slot) > (coalesce(nullif(left($2, 36), ''), '00000000-0000-0000-0000-000000000000')::uuid,
                                substr($2, 37) COLLATE \"C\")",
                "run, slot",
            ),
        ),
    };
    format!(
        "SELECT {cursor}, CASE WHEN {content} LIKE '%$blob%' THEN {content} END FROM (
             SELECT * FROM {table} WHERE tenant = $1 AND {after} ORDER BY {order} LIMIT $3
         ) AS page ORDER BY {order}"
    )
}

impl Retention for PostgresStore {
    fn tenants(&self, _: &Sudo) -> Result<Vec<TenantId>, StoreError> {
        // Skips from one tenant to the next along each primary key (a loose index scan).
        let next = |table: &str| {
            let sql = format!(
                "WITH RECURSIVE t (tenant) AS (
                     (SELECT tenant FROM {table} ORDER BY tenant LIMIT 1)
                     UNION ALL
                     SELECT (SELECT r.tenant FROM {table} r WHERE r.tenant > t.tenant ORDER BY r.tenant LIMIT 1)
                     FROM t WHERE t.tenant IS NOT NULL
                 ) SELECT tenant FROM t WHERE tenant IS NOT NULL"
            );
            Question::new(sql, vec![])
        };
        let mut questions: Vec<Question<'static>> = ["runs", "records", "blobs"].map(next).into();
        questions.push(Question::new("SELECT DISTINCT tenant FROM tokens", vec![]));
        let answers = self.ask(Who::Engine, Again::Harmless, questions)?;
        let found: std::collections::BTreeSet<TenantId> =
            answers.iter().flatten().map(|row| tenant(row, 0)).collect::<Result<_, _>>()?;
        Ok(found.into_iter().collect())
    }

    fn runs_after(
        &self,
        scope: &Scope,
        old: Option<Old>,
        after: Option<RunId>,
        limit: usize,
    ) -> Result<Vec<RunRow>, StoreError> {
        let mut params = values![named(scope), after.map_or(Uuid::nil(), |id| id.as_uuid()), count(limit)];
        let which = if let Some(old) = old {
            params.extend(values![old.changed_before.as_millis(), old.erased.map(i16::from)]);
            "AND status IN ('completed', 'failed', 'cancelled', 'compensated') AND updated_at < $4
             AND ($5::smallint IS NULL OR erased = $5)"
        } else {
            ""
        };
        let sql = format!("SELECT {RUN} FROM runs WHERE tenant = $1 AND id > $2 {which} ORDER BY id LIMIT $3");
        each(&self.scoped(scope, sql, params)?, run_row)
    }

    fn dead_letters_of(&self, scope: &Scope, run: RunId) -> Result<Vec<DeadLetterRow>, StoreError> {
        let sql = "SELECT id, run, tool, opened_at, open, body FROM dead_letters WHERE tenant = $1 AND run = $2
                   ORDER BY id";
        each(&self.scoped(scope, sql, values![named(scope), run.as_uuid()])?, letter_row)
    }

    fn blobs(
        &self,
        scope: &Scope,
        after: Option<Digest>,
        limit: usize,
    ) -> Result<Vec<(BlobRow, Option<Timestamp>)>, StoreError> {
        let after = after.map_or_else(Vec::new, |hash| hash.as_bytes().to_vec());
        let sql = "SELECT hash, size, media_type, at, unused_since FROM blobs WHERE tenant = $1 AND hash > $2
                   ORDER BY hash LIMIT $3";
        each(&self.scoped(scope, sql, values![named(scope), after, count(limit)])?, |row| {
            Ok((blobs::blob_row(row)?, get::<Option<i64>>(row, 4)?.map(Timestamp::from_millis)))
        })
    }

    fn blob_referrers(
        &self,
        scope: &Scope,
        place: Referrer,
        from: Option<&str>,
        limit: usize,
    ) -> Result<Page<String>, StoreError> {
        let from = cursor::<String>(from)?.unwrap_or_default();
        let rows = self.scoped(scope, referrers(place), values![named(scope), from, count(limit)])?;
        let next = if rows.len() == limit { rows.last().map(|row| get(row, 0)).transpose()? } else { None };
        let texts = each(&rows, |row| get::<Option<String>>(row, 1))?;
        Ok(Page { items: texts.into_iter().flatten().collect(), next })
    }

    fn tidy(&self, scope: &Scope) -> Result<(), StoreError> {
        let shared = self.shared.clone();
        wait(self.handle()?, async move { blobs::sweep(&shared).await })?;
        let sql = "SELECT coalesce(min(pos), 1) - 1, coalesce(max(pos), 0) FROM feed WHERE tenant = $1";
        let rows = self.system(sql, values![named(scope)])?;
        let Some(row) = rows.first() else { return Ok(()) };
        let (mut from, last) = (get::<i64>(row, 0)?, get::<i64>(row, 1)?);
        while from < last {
            let to = from.saturating_add(WINDOW).min(last);
            let question = Question::new(TRIM, values![named(scope), from, to]);
            self.ask(Who::Engine, Again::Harmless, vec![question])?;
            from = to;
        }
        Ok(())
    }

    fn compact(&self, _: &Sudo) -> Result<(), StoreError> {
        let shared = self.shared.clone();
        wait(self.handle()?, async move {
            // Only the owner may vacuum.
            let connection = Connection::open(&shared.address, Role::Owner, shared.roles).await?;
            for table in [
                "runs", "log", "feed", "request_keys", "artifacts", "dead_letters", "approvals", "signals", "blobs",
                "blob_chunks", "blob_uploads",
            ] {
                let sql = format!("VACUUM {table}");
                connection.client.batch_execute(&sql).await.map_err(|error| failed(&error))?;
            }
            Ok(())
        })
    }
}

impl Dump for PostgresStore {
    fn keys_of(&self, scope: &Scope, run: RunId) -> Result<Vec<(String, Digest)>, StoreError> {
        let sql = "SELECT key, digest FROM request_keys WHERE tenant = $1 AND run = $2 ORDER BY key";
        each(&self.scoped(scope, sql, values![named(scope), run.as_uuid()])?, |row| {
            Ok((free_text(row, 0)?, digest(get(row, 1)?)?))
        })
    }

    fn offers_after(&self, scope: &Scope, after: Option<JobKey>, limit: usize) -> Result<Vec<OfferRow>, StoreError> {
        let after = after.map_or(Uuid::nil(), |key| key.as_uuid());
        let sql = "SELECT key, run, topic, place FROM offers WHERE tenant = $1 AND key > $2 ORDER BY key LIMIT $3";
        each(&self.scoped(scope, sql, values![named(scope), after, count(limit)])?, offer_row)
    }

    fn records_after(
        &self,
        scope: &Scope,
        after: Option<&(String, RecordId)>,
        limit: usize,
    ) -> Result<Vec<WholeRecord>, StoreError> {
        let (kind, id) = after.map_or((String::new(), Uuid::nil()), |(kind, id)| (kind.clone(), id.as_uuid()));
        let sql = "SELECT r.kind, r.id, r.revision, r.state, r.created_at, r.updated_at, r.body, r.entries, w.content
                   FROM records r LEFT JOIN record_words w ON w.tenant = r.tenant AND w.kind = r.kind AND w.id = r.id
                   WHERE r.tenant = $1 AND (r.kind, r.id) > ($2, $3) ORDER BY r.kind, r.id LIMIT $4";
        each(&self.scoped(scope, sql, values![named(scope), kind, id, count(limit)])?, |row| {
            let entries: Vec<(String, String, bool)> =
                if get::<Option<&str>>(row, 7)?.is_some() { json(row, 7)? } else { Vec::new() };
            let index = entries.into_iter().map(IndexEntry::stored);
            let text = get::<Option<String>>(row, 8)?.map(text::read);
            Ok(WholeRecord { row: records::record_row(row)?, index: index.collect(), text })
        })
    }

    fn definitions_after(
        &self,
        _: &Sudo,
        after: Option<Digest>,
        limit: usize,
    ) -> Result<Vec<DefinitionRow>, StoreError> {
        let after = after.map_or_else(Vec::new, |hash| hash.as_bytes().to_vec());
        let sql = "SELECT hash, kind, body FROM definitions WHERE hash > $1 ORDER BY hash LIMIT $2";
        each(&self.system(sql, values![after, count(limit)])?, |row| {
            Ok(DefinitionRow { hash: digest(get(row, 0)?)?, kind: get(row, 1)?, body: json(row, 2)? })
        })
    }
}

impl Audit for PostgresStore {
    fn note(&self, row: &AuditRow) -> Result<(), StoreError> {
        let sql = "INSERT INTO audit (at, who, what, tenant, detail) VALUES ($1, $2, $3, $4, $5)";
        self.system(sql, audit_columns(row))?;
        self.shared.counters.committed(0, 1, 0);
        Ok(())
    }

    fn note_once(&self, row: &AuditRow) -> Result<(), StoreError> {
        let sql = "INSERT INTO audit (at, who, what, tenant, detail) SELECT $1::bigint, $2::text, $3::text, $4::text, $5::text
                   WHERE NOT EXISTS
                   (SELECT FROM audit WHERE at = $1 AND who = $2 AND what = $3 AND tenant IS NOT DISTINCT FROM $4
                    AND detail = $5)";
        self.system(sql, audit_columns(row))?;
        self.shared.counters.committed(0, 1, 0);
        Ok(())
    }

    fn trim_audit(&self, _: &Sudo, before: Timestamp) -> Result<u64, StoreError> {
        let mut gone = 0;
        loop {
            let rows = self.system(TRIM_AUDIT, values![before.as_millis(), TRIMMED_AT_ONCE])?;
            let deleted = rows.first().map_or(Ok(0), |row| get::<i64>(row, 0))?;
            gone += deleted as u64;
            if deleted < TRIMMED_AT_ONCE {
                return Ok(gone);
            }
        }
    }

    fn audit(&self, _: SystemScope, limit: usize) -> Result<Vec<AuditRow>, StoreError> {
        let sql = "SELECT at, who, what, tenant, detail FROM audit ORDER BY at DESC, n DESC LIMIT $1";
        each(&self.system(sql, values![count(limit)])?, |row| {
            Ok(AuditRow {
                at: time(row, 0)?,
                who: free_text(row, 1)?,
                what: get(row, 2)?,
                tenant: get::<Option<&str>>(row, 3)?.map(|_| tenant(row, 3)).transpose()?,
                detail: free_text(row, 4)?,
            })
        })
    }
}
