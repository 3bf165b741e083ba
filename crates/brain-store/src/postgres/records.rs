//! Reads records: by id, by index values, and by full-text search.

use brain_core::RecordId;
use tokio_postgres::Row;
use uuid::Uuid;

use super::connection::{Param, Question, values};
use super::pool::{Again, Tables, Who};
use super::read::{count, cursor, each, first, free_text, get, json, named, time};
use super::{PostgresStore, text};
use crate::traits::{MAX_OF_VALUE, any_of};
use crate::{IndexValue, Page, RecordFilter, RecordRow, Records, Scope, StoreError};

/// Rows per fetch when each must be filtered in memory.
const BATCH: i64 = 500;

/// Matches any of several values. The inner limit bounds the cost of a very common value.
const BY_ANY: &str = "
SELECT r.kind, r.id, r.revision, r.state, r.created_at, r.updated_at, r.body
FROM (
    SELECT i.id, count(*) AS n FROM unnest($4::text[]) AS v (value)
    CROSS JOIN LATERAL (
        SELECT x.id FROM record_index x
        WHERE x.tenant = $1 AND x.kind = $2 AND x.field = $3 AND x.value = v.value ORDER BY x.id LIMIT $5
    ) AS i
    GROUP BY i.id ORDER BY n DESC, i.id LIMIT $6
) AS i
JOIN records r ON r.tenant = $1 AND r.kind = $2 AND r.id = i.id ORDER BY i.n DESC, r.id";

/// Matches all of several values: scans one and probes the others.
const BY_ALL: &str = "
SELECT r.kind, r.id, r.revision, r.state, r.created_at, r.updated_at, r.body
FROM record_index x JOIN records r ON r.tenant = $1 AND r.kind = $2 AND r.id = x.id
WHERE x.tenant = $1 AND x.kind = $2 AND x.field = $3 AND x.value = $4 AND NOT EXISTS (
    SELECT FROM unnest($5::text[]) AS v (value) WHERE NOT EXISTS (
        SELECT FROM record_index y
        WHERE y.tenant = $1 AND y.kind = $2 AND y.field = $3 AND y.value = v.value AND y.id = x.id
    )
)
ORDER BY x.id LIMIT $6";

pub(super) fn record_row(row: &Row) -> Result<RecordRow, StoreError> {
    Ok(RecordRow {
        kind: get(row, 0)?,
        id: RecordId::from_uuid(get(row, 1)?),
        revision: get::<i64>(row, 2)? as u64,
        state: get::<Option<&str>>(row, 3)?.map(|_| free_text(row, 3)).transpose()?,
        created_at: time(row, 4)?,
        updated_at: time(row, 5)?,
        body: json(row, 6)?,
    })
}

/// The SQL of a list: scans the first indexed value and probes the others.
fn list_sql(filter: &RecordFilter) -> String {
    let mut sql = String::from("SELECT r.kind, r.id, r.revision, r.state, r.created_at, r.updated_at, r.body FROM ");
    let entry = |table: &str, n: usize| {
        format!("{table} WHERE tenant = $1 AND kind = $2 AND field = ${n} AND value = ${}", n + 1)
    };
    let mut next = 5;
    let mut also = String::new();
    for n in 0..filter.indexed.len() {
        let (index, unique) = (entry("record_index", next), entry("record_unique", next));
        if n == 0 {
            sql.push_str(&format!("(SELECT id FROM {index} UNION SELECT id FROM {unique}) AS i JOIN "));
            also.push_str("r.id = i.id AND ");
        } else {
            also.push_str(&format!(
                "(EXISTS (SELECT FROM {index} AND id = r.id) OR EXISTS (SELECT FROM {unique} AND id = r.id)) AND "
            ));
        }
        next += 2;
    }
    let where_ = if filter.indexed.is_empty() { "WHERE" } else { "ON" };
    sql.push_str(&format!("records r {where_} {also}"));
    sql.push_str("r.tenant = $1 AND r.kind = $2 AND r.id > $3");
    if filter.state.is_some() {
        sql.push_str(&format!(" AND r.state = ${next}"));
    }
    sql.push_str(" ORDER BY r.id LIMIT $4");
    sql
}

impl Records for PostgresStore {
    fn record(&self, scope: &Scope, kind: &str, id: RecordId) -> Result<Option<RecordRow>, StoreError> {
        let sql = "SELECT kind, id, revision, state, created_at, updated_at, body FROM records
                   WHERE tenant = $1 AND kind = $2 AND id = $3";
        first(&self.of_records(scope, sql, values![named(scope), kind.to_owned(), id.as_uuid()])?, record_row)
    }

    fn records(
        &self,
        scope: &Scope,
        kind: &str,
        filter: &RecordFilter,
        limit: usize,
        from: Option<&str>,
    ) -> Result<Page<RecordRow>, StoreError> {
        let mut after = cursor::<RecordId>(from)?.map_or(Uuid::nil(), |id| id.as_uuid());
        let sql = list_sql(filter);
        let wanted = count(limit).saturating_add(1);
        // Fields without an index are compared here, as JSON, so some batches may contain no match.
        let batch = if filter.fields.is_empty() { wanted } else { wanted.max(BATCH) };
        let mut items: Vec<RecordRow> = Vec::new();
        loop {
            let mut params: Vec<Param<'static>> = values![named(scope), kind.to_owned(), after, batch];
            for (field, value) in &filter.indexed {
                params.extend(values![field.clone(), value.as_str().to_owned()]);
            }
            if let Some(state) = &filter.state {
                params.extend(values![text::written(state).into_owned()]);
            }
            let rows = each(&self.of_records(scope, sql.clone(), params)?, record_row)?;
            let more = rows.len() as i64 == batch;
            if let Some(last) = rows.last() {
                after = last.id.as_uuid();
            }
            let fits = |row: &RecordRow| filter.fields.iter().all(|(field, value)| row.body.get(field) == Some(value));
            items.extend(rows.into_iter().filter(fits));
            if !more || items.len() as i64 >= wanted {
                break;
            }
        }
        items.truncate(usize::try_from(wanted).unwrap_or(usize::MAX));
        Ok(Page::cut(items, limit, |row: &RecordRow| row.id.to_string()))
    }

    fn records_by_all(
        &self,
        scope: &Scope,
        kind: &str,
        field: &str,
        values: &[IndexValue],
        limit: usize,
    ) -> Result<Vec<RecordRow>, StoreError> {
        let mut wanted: Vec<String> = any_of(values).into_iter().map(|value| value.as_str().to_owned()).collect();
        let Some(first) = wanted.pop() else { return Ok(Vec::new()) };
        let params = values![named(scope), kind.to_owned(), field.to_owned(), first, wanted, count(limit)];
        each(&self.of_records(scope, BY_ALL, params)?, record_row)
    }

    fn records_by_any(
        &self,
        scope: &Scope,
        kind: &str,
        field: &str,
        values: &[IndexValue],
        limit: usize,
    ) -> Result<Vec<RecordRow>, StoreError> {
        let wanted: Vec<String> = any_of(values).into_iter().map(|value| value.as_str().to_owned()).collect();
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let params =
            values![named(scope), kind.to_owned(), field.to_owned(), wanted, count(MAX_OF_VALUE), count(limit)];
        each(&self.of_records(scope, BY_ANY, params)?, record_row)
    }

    /// Queries the full-text index over the engine's connection, because row-level security would prevent PostgreSQL
    /// from using it. That query returns ids only; the records are read with the tenant's privileges.
    fn search(&self, scope: &Scope, kind: &str, query: &str, limit: usize) -> Result<Vec<RecordRow>, StoreError> {
        let tenant = scope.tenant().as_str();
        let Some(asked) = text::query(tenant, kind, query) else { return Ok(Vec::new()) };
        let sql = "SELECT id FROM record_words WHERE words @@ $3::text::tsquery AND tenant = $1 AND kind = $2
                   ORDER BY ts_rank(words, $3::text::tsquery, 1) DESC, id LIMIT $4";
        let params = values![named(scope), kind.to_owned(), asked, count(limit)];
        let mut found =
            self.ask_about(Tables::Records, Who::Engine, Again::Harmless, vec![Question::new(sql, params)])?;
        let found = found.pop().unwrap_or_default();
        let ids: Vec<Uuid> = each(&found, |row| get(row, 0))?;
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let sql = "SELECT kind, id, revision, state, created_at, updated_at, body FROM records
                   WHERE tenant = $1 AND kind = $2 AND id = ANY ($3)";
        let rows = self.of_records(scope, sql, values![named(scope), kind.to_owned(), ids.clone()])?;
        let mut records = each(&rows, record_row)?;
        records.sort_by_key(|row| ids.iter().position(|id| *id == row.id.as_uuid()));
        Ok(records)
    }
}
