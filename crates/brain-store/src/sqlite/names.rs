//! What people call records ([`IndexEntry::is_name`]), in SQLite.
//!
//! A name is many entries, each somewhere else: in a B-tree every one of them is a page to read, to log and to write
//! back. So they are words of a full-text index, which is written in sorted runs that are merged later: what many records
//! are called goes into few pages, and takes a fraction of the room.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use brain_core::Digest;
use rusqlite::{Connection, params};

use super::failed;
use super::find::{RECORD, record_row};
use super::read::{many, one};
use super::records::kept_entries;
use crate::traits::{MAX_OF_VALUE, StoreError, any_of};
use crate::{IndexEntry, RecordRow, Scope};

/// The word that stands for an entry. It is made of all that an entry is found by: records of other tenants and types
/// do not have it.
pub(super) fn word(tenant: &str, kind: &str, field: &str, value: &str) -> String {
    let digest = Digest::of([tenant, kind, field, value].join("\0").as_bytes());
    let start: [u8; 8] = std::array::from_fn(|at| digest.as_bytes()[at]);
    format!("{:016x}", u64::from_be_bytes(start))
}

/// The words of all that a record is called; `None` if nobody calls it anything.
pub(super) fn words(tenant: &str, kind: &str, index: &[IndexEntry]) -> Option<String> {
    let names = index.iter().filter(|entry| entry.is_name());
    let words: Vec<String> = names.map(|entry| word(tenant, kind, &entry.field, &entry.value)).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// Writes what a record is called that has not been called anything.
pub(super) fn put(connection: &Connection, number: i64, words: &str) -> rusqlite::Result<()> {
    let sql = "INSERT INTO record_names (rowid, words) VALUES (?1, ?2)";
    connection.prepare_cached(sql)?.execute(params![number, words]).map(drop)
}

/// Deletes what a record is called, if it is called anything.
pub(super) fn forget(connection: &Connection, number: i64) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM record_names WHERE rowid = ?1")?.execute([number]).map(drop)
}

/// Records that have all of these values.
pub(super) fn by_all(
    connection: &Connection,
    scope: &Scope,
    kind: &str,
    field: &str,
    values: &[String],
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

/// Records that have any of these values, those with most of them first.
pub(super) fn by_any(
    connection: &Connection,
    scope: &Scope,
    kind: &str,
    field: &str,
    values: &[String],
    limit: usize,
) -> Result<Vec<RecordRow>, StoreError> {
    let tenant = scope.tenant().as_str();
    // One look at the file for all of it.
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

/// The numbers of the records that have these words, the older ones first.
fn numbers(connection: &Connection, expression: &str, limit: usize) -> Result<Vec<i64>, StoreError> {
    let sql = "SELECT rowid FROM record_names WHERE record_names MATCH ?1 ORDER BY rowid LIMIT ?2";
    many(connection, sql, &[&expression, &(limit as i64)], |row| row.get(0))
}

/// The records of these numbers, in this order.
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

/// Fills the index from the entries that are kept with the records.
pub(super) fn fill(connection: &Connection) -> rusqlite::Result<()> {
    let mut named = connection.prepare("SELECT tenant, kind, id, entries FROM records WHERE entries LIKE '%\"~%'")?;
    let mut rows = named.query([])?;
    while let Some(row) = rows.next()? {
        let (tenant, kind): (String, String) = (row.get(0)?, row.get(1)?);
        let (id, entries): ([u8; 16], String) = (row.get(2)?, row.get(3)?);
        let Some(words) = words(&tenant, &kind, &kept_entries(&entries)) else { continue };
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
