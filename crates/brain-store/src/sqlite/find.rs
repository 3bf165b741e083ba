//! Reads records: by id, by index values, and by full-text search.

use brain_core::RecordId;
use rusqlite::{Row, ToSql};

use super::read::{cursor, json, many, one, record_id, time};
use super::{SqliteStore, names};
use crate::traits::{Records, StoreError};
use crate::{IndexValue, NAMES, Page, RecordFilter, RecordRow, Scope};

pub(super) const RECORD: &str = "r.kind, r.id, r.revision, r.state, r.created_at, r.updated_at, r.body";

pub(super) fn record_row(row: &Row<'_>) -> rusqlite::Result<RecordRow> {
    Ok(RecordRow {
        kind: row.get(0)?,
        id: record_id(row.get(1)?),
        revision: row.get::<_, i64>(2)? as u64,
        state: row.get(3)?,
        created_at: time(row, 4)?,
        updated_at: time(row, 5)?,
        body: json(row, 6)?,
    })
}

/// The SQL of a list. With index values, the plus before `r.id` makes SQLite start at the index instead of scanning all
/// records of the type.
fn list_sql(filter: &RecordFilter) -> String {
    let id = if filter.indexed.is_empty() { "r.id" } else { "+r.id" };
    let mut sql = format!("SELECT {RECORD} FROM records r WHERE r.tenant = ?1 AND r.kind = ?2 AND {id} > ?3");
    let mut next = 5;
    if filter.state.is_some() {
        sql.push_str(&format!(" AND r.state = ?{next}"));
        next += 1;
    }
    for (n, (field, _)) in filter.indexed.iter().enumerate() {
        if field.starts_with(NAMES) {
            let called = "SELECT m.id FROM record_names c CROSS JOIN record_numbers m ON m.n = c.rowid";
            sql.push_str(&format!(" AND r.id IN ({called} WHERE c.record_names MATCH ?{})", next + 1));
            next += 2;
            continue;
        }
        let of = |table: &str| {
            format!(
                "SELECT id FROM {table} WHERE tenant = ?1 AND kind = ?2 AND field = ?{next} AND value = ?{}",
                next + 1
            )
        };
        let (index, unique) = (of("record_index"), of("record_unique"));
        // Scans the first value; the others are probed for each match.
        sql.push_str(&if n == 0 {
            format!(" AND r.id IN ({index} UNION ALL {unique})")
        } else {
            format!(" AND (EXISTS ({index} AND id = r.id) OR EXISTS ({unique} AND id = r.id))")
        });
        next += 2;
    }
    for _ in &filter.fields {
        sql.push_str(&format!(" AND r.body -> ?{next} = ?{}", next + 1));
        next += 2;
    }
    sql.push_str(" ORDER BY r.id LIMIT ?4");
    sql
}

/// The text that an index value is compared with.
fn sought(tenant: &str, kind: &str, field: &str, value: &IndexValue) -> String {
    if field.starts_with(NAMES) { names::word(tenant, kind, field, value) } else { value.as_str().to_owned() }
}

impl Records for SqliteStore {
    fn record(&self, scope: &Scope, kind: &str, id: RecordId) -> Result<Option<RecordRow>, StoreError> {
        self.read(|connection| {
            let sql = format!("SELECT {RECORD} FROM records r WHERE r.tenant = ?1 AND r.kind = ?2 AND r.id = ?3");
            one(connection, &sql, &[&scope.tenant().as_str(), &kind, id.as_uuid().as_bytes()], record_row)
        })
    }

    fn records(
        &self,
        scope: &Scope,
        kind: &str,
        filter: &RecordFilter,
        limit: usize,
        from: Option<&str>,
    ) -> Result<Page<RecordRow>, StoreError> {
        let after = cursor::<RecordId>(from)?.map_or([0; 16], |id| *id.as_uuid().as_bytes());
        let sql = list_sql(filter);
        let tenant = scope.tenant().as_str();
        let fetch = limit as i64 + 1;
        let paths: Vec<String> =
            filter.fields.iter().map(|(field, _)| format!("$.\"{}\"", field.replace('"', ""))).collect();
        let indexed: Vec<String> =
            filter.indexed.iter().map(|(field, value)| sought(tenant, kind, field, value)).collect();
        let values: Vec<String> = filter.fields.iter().map(|(_, value)| value.to_string()).collect();
        let mut parameters: Vec<&dyn ToSql> = vec![&tenant, &kind, &after, &fetch];
        if let Some(state) = &filter.state {
            parameters.push(state);
        }
        for ((field, _), value) in filter.indexed.iter().zip(&indexed) {
            parameters.push(field);
            parameters.push(value);
        }
        for (path, value) in paths.iter().zip(&values) {
            parameters.push(path);
            parameters.push(value);
        }
        self.read(|connection| {
            let items = many(connection, &sql, &parameters, record_row)?;
            Ok(Page::cut(items, limit, |row: &RecordRow| row.id.to_string()))
        })
    }

    fn records_by_all(
        &self,
        scope: &Scope,
        kind: &str,
        field: &str,
        values: &[IndexValue],
        limit: usize,
    ) -> Result<Vec<RecordRow>, StoreError> {
        self.read(|connection| names::by_all(connection, scope, kind, field, values, limit))
    }

    fn records_by_any(
        &self,
        scope: &Scope,
        kind: &str,
        field: &str,
        values: &[IndexValue],
        limit: usize,
    ) -> Result<Vec<RecordRow>, StoreError> {
        self.read(|connection| names::by_any(connection, scope, kind, field, values, limit))
    }

    fn search(&self, scope: &Scope, kind: &str, query: &str, limit: usize) -> Result<Vec<RecordRow>, StoreError> {
        let words = crate::search_words(query);
        if words.is_empty() {
            return Ok(Vec::new());
        }
        // Operators have no meaning within quotes; the last word may be a prefix.
        let expression = words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" ") + "*";
        self.read(|connection| {
            let sql = format!(
                "SELECT {RECORD} FROM record_words w JOIN record_numbers m ON m.n = w.rowid
                 JOIN records r ON r.tenant = m.tenant AND r.kind = m.kind AND r.id = m.id
                 WHERE w.words MATCH ?3 AND r.tenant = ?1 AND r.kind = ?2 ORDER BY w.rank, r.id LIMIT ?4"
            );
            many(connection, &sql, &[&scope.tenant().as_str(), &kind, &expression, &(limit as i64)], record_row)
        })
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::{Connection, params_from_iter};
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_list_by_value_scans_no_other_records() {
        let mut connection = Connection::open_in_memory().unwrap();
        super::super::schema::prepare(&mut connection, false).unwrap();
        let entry = |field: &str| (field.to_owned(), IndexValue::of("x"));
        for filter in [
            RecordFilter { indexed: vec![entry("~name")], ..RecordFilter::default() },
            RecordFilter {
                indexed: vec![entry("~word"), entry("~word")],
                state: Some("new".into()),
                fields: vec![("a".into(), Value::Null)],
            },
        ] {
            let sql = format!("EXPLAIN QUERY PLAN {}", list_sql(&filter));
            let mut statement = connection.prepare(&sql).unwrap();
            let count = statement.parameter_count();
            let rows = statement.query_map(params_from_iter(vec![""; count]), |row| row.get::<_, String>(3)).unwrap();
            let plan: Vec<String> = rows.collect::<rusqlite::Result<_>>().unwrap();
            assert!(plan.iter().any(|step| step.starts_with("SEARCH r ") && step.contains("id=?")), "{plan:#?}");
            assert!(!plan.iter().any(|step| step.starts_with("SCAN r")), "{plan:#?}");
        }
    }
}
