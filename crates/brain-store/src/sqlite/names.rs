//! Names of records ([`IndexEntry::is_name`]), in SQLite.
//!
//! A record has many name entries, spread over the key space: in a B-tree, each would be a page to read, log and write
//! back. So they are words of a full-text index, which writes sorted runs and merges them later: the names of many
//! records go into few pages and take a fraction of the space.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use brain_core::Digest;
use rusqlite::{Connection, params};

use super::failed;
use super::find::{RECORD, record_row};
use super::read::{many, one};
use super::records::stored_entries;
use crate::traits::{MAX_OF_VALUE, StoreError, any_of};
use crate::{IndexEntry, IndexValue, RecordRow, Scope};

/// The word of an entry: a hash of tenant, type, field and value, so that records of other tenants and types never
/// match.
pub(super) fn word(tenant: &str, kind: &str, field: &str, value: &IndexValue) -> String {
    let digest = Digest::of([tenant, kind, field, value.as_str()].join("\0").as_bytes());
    let start: [u8; 8] = std::array::from_fn(|at| digest.as_bytes()[at]);
    format!("{:016x}", u64::from_be_bytes(start))
}

/// The words of all names of a record; `None` if it has none.
pub(super) fn words(tenant: &str, kind: &str, index: &[IndexEntry]) -> Option<String> {
    let names = index.iter().filter(|entry| entry.is_name());
    let words: Vec<String> = names.map(|entry| word(tenant, kind, &entry.field, &entry.value)).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Indexes the names of a record that had none.
pub(super) fn put(connection: &Connection, number: i64, words: &str) -> rusqlite::Result<()> {
    let sql = "INSERT INTO record_names (rowid, words) VALUES (?1, ?2)";
    connection.prepare_cached(sql)?.execute(params![number, words]).map(drop)
}

/// Removes the names of a record, if it has any.
pub(super) fn forget(connection: &Connection, number: i64) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM record_names WHERE rowid = ?1")?.execute([number]).map(drop)
}

/// Records with all of these values.
pub(super) fn by_all(
    connection: &Connection,
    scope: &Scope,
    kind: &str,
    field: &str,
    values: &[IndexValue],
    limit: usize,
) -> Result<Vec<RecordRow>, StoreError> {
    let tenant = scope.tenant().as_str();
    let words: Vec<String> = any_of(values).iter().map(|value| word(tenant, kind, field, value)).collect();
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let _snapshot = connection.unchecked_transaction().map_err(failed)?;
    let found = numbers(connection, &format!("\"{}\"", words.join("\" \"")), limit)?;
    records(connection, tenant, kind, found)
}

/// Records with any of these values, most matches first.
pub(super) fn by_any(
    connection: &Connection,
    scope: &Scope,
    kind: &str,
    field: &str,
    values: &[IndexValue],
    limit: usize,
) -> Result<Vec<RecordRow>, StoreError> {
    let tenant = scope.tenant().as_str();
    // One snapshot for all queries.
    let _snapshot = connection.unchecked_transaction().map_err(failed)?;
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    for value in any_of(values) {
        let word = word(tenant, kind, field, value);
        for number in numbers(connection, &format!("\"{word}\""), MAX_OF_VALUE)? {
            *counts.entry(number).or_default() += 1;
        }
    }
    let mut best: Vec<(i64, usize)> = counts.into_iter().collect();
    best.sort_by_key(|(number, count)| (Reverse(*count), *number));
    records(connection, tenant, kind, best.into_iter().take(limit).map(|(number, _)| number))
}

/// The numbers of the records with these words, oldest first.
fn numbers(connection: &Connection, expression: &str, limit: usize) -> Result<Vec<i64>, StoreError> {
    let sql = "SELECT rowid FROM record_names WHERE record_names MATCH ?1 ORDER BY rowid LIMIT ?2";
    many(connection, sql, &[&expression, &(limit as i64)], |row| row.get(0))
}

/// The records with these numbers, in this order.
fn records(
    connection: &Connection,
    tenant: &str,
    kind: &str,
    numbers: impl IntoIterator<Item = i64>,
) -> Result<Vec<RecordRow>, StoreError> {
    let sql = format!(
        "SELECT {RECORD} FROM record_numbers m JOIN records r ON r.tenant = m.tenant AND r.kind = m.kind AND r.id = m.id
         WHERE m.n = ?1 AND m.tenant = ?2 AND m.kind = ?3"
    );
    let rows = numbers.into_iter().map(|number| one(connection, &sql, &[&number, &tenant, &kind], record_row));
    rows.filter_map(Result::transpose).collect()
}

/// Fills the index from the entries stored with the records.
pub(super) fn fill(connection: &Connection) -> rusqlite::Result<()> {
    let mut named = connection.prepare("SELECT tenant, kind, id, entries FROM records WHERE entries LIKE '%\"~%'")?;
    let mut rows = named.query([])?;
    while let Some(row) = rows.next()? {
        let (tenant, kind): (String, String) = (row.get(0)?, row.get(1)?);
        let (id, entries): ([u8; 16], String) = (row.get(2)?, row.get(3)?);
        let Some(words) = words(&tenant, &kind, &stored_entries(&entries)) else { continue };
        let number = connection
            .prepare_cached(
                "INSERT INTO record_numbers (tenant, kind, id) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET kind = kind RETURNING n",
            )?
            .query_row(params![tenant, kind, id], |row| row.get(0))?;
        put(connection, number, &words)?;
    }
    Ok(())
}
