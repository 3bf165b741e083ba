//! Keeping house in PostgreSQL: what is old goes; vacuum makes its space fit for use again.

use brain_core::{Digest, JobKey, RecordId, RunId, TenantId, Timestamp};
use uuid::Uuid;

use super::connection::{Connection, Question, Role, failed, values};
use super::pool::{Again, Who};
use super::read::{
    count, cursor, digest, each, free_text, get, json, letter_row, named, offer_row, run_row, tenant, time,
};
use super::{PostgresStore, blobs, records, text, wait};
use crate::{
    Audit, AuditRow, BlobRow, DeadLetterRow, DefinitionRow, Dump, IndexEntry, OfferRow, Old, Page, Referrer, Retention,
    RunRow, Scope, StoreError, Sudo, SystemScope, WholeRecord, Write,
};

/// Positions of the feed that are looked at together.
const WINDOW: i64 = 10_000;

const ERASE: &str = "UPDATE runs SET request = $3, erased = 1 WHERE tenant = $1 AND id = $2";
const ERASE_LOG: &str = "
UPDATE log l SET payloads = q.payloads FROM unnest($3::bigint[], $4::text[]) AS q (seq, payloads)
WHERE l.tenant = $1 AND l.run = $2 AND l.seq = q.seq";

const WITHDRAW_ALL: &str = "DELETE FROM offers WHERE tenant = $1 AND run = $2";
const DROP_RUN: &str = "
WITH a AS (DELETE FROM log WHERE tenant = $1 AND run = $2),
b AS (DELETE FROM artifacts WHERE tenant = $1 AND run = $2),
c AS (DELETE FROM request_keys WHERE tenant = $1 AND run = $2),
d AS (DELETE FROM approvals WHERE tenant = $1 AND run = $2),
e AS (DELETE FROM signals WHERE tenant = $1 AND run = $2),
f AS (DELETE FROM dead_letters WHERE tenant = $1 AND run = $2 AND NOT open)
DELETE FROM runs WHERE tenant = $1 AND id = $2";

const DROP_LOG: &str = "DELETE FROM log WHERE tenant = $1 AND run = $2 AND seq = ANY($3)";

const NOTE_BLOB: &str = "
UPDATE blobs SET unused_since = CASE WHEN $3::bigint IS NULL THEN NULL ELSE coalesce(unused_since, $3) END
WHERE tenant = $1 AND hash = $2";

/// Its chunks go as those of an upload that was given up do.
const DROP_BLOB: &str = "
WITH gone AS (DELETE FROM blobs WHERE tenant = $1 AND hash = $2 AND unused_since <= $3 RETURNING tenant, source)
INSERT INTO blob_uploads (source, tenant, given_up) SELECT source, tenant, true FROM gone";

/// Positions of rows that are gone.
const TRIM: &str = "
DELETE FROM feed f WHERE f.tenant = $1 AND f.pos > $2 AND f.pos <= $3
AND NOT EXISTS (SELECT FROM log l WHERE l.tenant = f.tenant AND l.run = f.run AND l.seq = f.seq)";

/// The statements of one write of retention.
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
        Write::DropRun(run) => out.push(Question::new(DROP_RUN, values![tenant, run.as_uuid()])),
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

/// A place where references may stand: its table, its text, and how its rows are told apart and ordered.
fn referrers(place: Referrer) -> String {
    let (table, content, key) = match place {
        Referrer::Log => ("log", "payloads", "run::text || '/' || lpad(seq::text, 20, '0')"),
        Referrer::Runs => ("runs", "request", "id::text"),
        Referrer::Records => ("records", "body", "kind || '/' || id::text"),
        Referrer::Letters => ("dead_letters", "body", "id::text"),
        Referrer::Approvals => ("approvals", "body", "id::text"),
        Referrer::Signals => ("signals", "body", "lpad(n::text, 20, '0')"),
    };
    format!(
        "SELECT ({key}) COLLATE \"C\" AS place, {content} FROM {table}
         WHERE tenant = $1 AND ({key}) COLLATE \"C\" > $2 AND {content} LIKE '%$blob%' ORDER BY place LIMIT $3"
    )
}

impl Retention for PostgresStore {
    fn tenants(&self, _: &Sudo) -> Result<Vec<TenantId>, StoreError> {
        let sql = "SELECT tenant FROM runs UNION SELECT tenant FROM records UNION SELECT tenant FROM blobs
                   UNION SELECT tenant FROM tokens ORDER BY 1";
        each(&self.system(sql, vec![])?, |row| tenant(row, 0))
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

    fn letters_of(&self, scope: &Scope, run: RunId) -> Result<Vec<DeadLetterRow>, StoreError> {
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
        Ok(Page { items: each(&rows, |row| get(row, 1))?, next })
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
            // Only the owner may.
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
            let index = entries.into_iter().map(|(field, value, unique)| IndexEntry { field, value, unique });
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
        let sql = "INSERT INTO audit (at, who, what, tenant, detail) SELECT $1::bigint, $2::text, $3::text, $4::text, $5::text
                   WHERE NOT EXISTS
                   (SELECT FROM audit WHERE at = $1 AND who = $2 AND what = $3 AND tenant IS NOT DISTINCT FROM $4
                    AND detail = $5)";
        let params = values![
            row.at.as_millis(),
            text::written(&row.who).into_owned(),
            row.what.clone(),
            row.tenant.as_ref().map(|tenant| tenant.as_str().to_owned()),
            text::written(&row.detail).into_owned(),
        ];
        self.system(sql, params)?;
        self.shared.counters.committed(0, 1, 0);
        Ok(())
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
