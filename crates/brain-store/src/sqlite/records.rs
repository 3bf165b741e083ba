//! Writes records in SQLite.

use rusqlite::{Connection, OptionalExtension, params};

use super::names;
use crate::{IndexEntry, RecordRow};

/// Writes a record with its index entries and words; returns the rows and bytes written.
pub(super) fn put_record(
    connection: &Connection,
    tenant: &str,
    row: &RecordRow,
    index: &[IndexEntry],
    text: Option<&str>,
) -> rusqlite::Result<(u64, usize)> {
    let id = row.id.as_uuid();
    let body = row.body.to_string();
    let entries = written_entries(index);
    // A record with revision 1 is almost always new, so try to insert before looking for an old one.
    let is_new = row.revision == 1 && insert(connection, tenant, row, &body, entries.as_deref())?;
    let old: Option<Option<String>> = if is_new {
        None
    } else {
        connection
            .prepare_cached("SELECT entries FROM records WHERE tenant = ?1 AND kind = ?2 AND id = ?3")?
            .query_row(params![tenant, row.kind, id.as_bytes()], |row| row.get(0))
            .optional()?
    };
    let rows = 1 + index.len() as u64 + u64::from(text.is_some());
    let bytes = body.len() + entries.as_ref().map_or(0, String::len) + text.map_or(0, str::len) + 96;
    if let Some(old_entries) = &old {
        connection
            .prepare_cached(
                "UPDATE records SET revision = ?4, state = ?5, updated_at = ?6, body = ?7, entries = ?8
                 WHERE tenant = ?1 AND kind = ?2 AND id = ?3",
            )?
            .execute(params![
                tenant,
                row.kind,
                id.as_bytes(),
                row.revision as i64,
                row.state,
                row.updated_at.as_millis(),
                body,
                entries
            ])?;
        if *old_entries != entries {
            forget_entries(connection, tenant, &row.kind, id.as_bytes(), old_entries.as_deref())?;
        }
    } else if !is_new {
        insert(connection, tenant, row, &body, entries.as_deref())?;
    }
    let is_found_otherwise = old.as_ref().is_none_or(|old_entries| *old_entries != entries);
    if is_found_otherwise {
        add_entries(connection, tenant, &row.kind, id.as_bytes(), index)?;
    }
    let words = Words { text, names: names::words(tenant, &row.kind, index), is_renamed: is_found_otherwise };
    words.put(connection, tenant, row, old.is_some())?;
    Ok((rows, bytes))
}

/// Inserts a record; returns whether it is new.
fn insert(
    connection: &Connection,
    tenant: &str,
    row: &RecordRow,
    body: &str,
    entries: Option<&str>,
) -> rusqlite::Result<bool> {
    let sql = "INSERT INTO records VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT DO NOTHING";
    let inserted = connection.prepare_cached(sql)?.execute(params![
        tenant,
        row.kind,
        row.id.as_uuid().as_bytes(),
        row.revision as i64,
        row.state,
        row.created_at.as_millis(),
        row.updated_at.as_millis(),
        body,
        entries
    ])?;
    Ok(inserted == 1)
}

/// The full-text words of a record: those of its text, and those of its names.
struct Words<'a> {
    text: Option<&'a str>,
    names: Option<String>,
    /// Whether it may have had other names before.
    is_renamed: bool,
}

impl Words<'_> {
    /// Replaces the words of a record.
    fn put(&self, connection: &Connection, tenant: &str, row: &RecordRow, is_old: bool) -> rusqlite::Result<()> {
        let id = row.id.as_uuid();
        if self.text.is_none() && self.names.is_none() {
            return if is_old { forget_words(connection, tenant, &row.kind, id.as_bytes()) } else { Ok(()) };
        }
        let known: Option<i64> = if is_old {
            connection
                .prepare_cached("SELECT n FROM record_numbers WHERE tenant = ?1 AND kind = ?2 AND id = ?3")?
                .query_row(params![tenant, row.kind, id.as_bytes()], |row| row.get(0))
                .optional()?
        } else {
            None
        };
        let number = if let Some(number) = known {
            connection.prepare_cached("DELETE FROM record_words WHERE rowid = ?1")?.execute([number])?;
            connection
                .prepare_cached("UPDATE record_numbers SET content = ?2 WHERE n = ?1")?
                .execute(params![number, self.text])?;
            number
        } else {
            connection
                .prepare_cached("INSERT INTO record_numbers (tenant, kind, id, content) VALUES (?1, ?2, ?3, ?4)")?
                .execute(params![tenant, row.kind, id.as_bytes(), self.text])?;
            connection.last_insert_rowid()
        };
        if let Some(text) = self.text {
            connection
                .prepare_cached("INSERT INTO record_words (rowid, words) VALUES (?1, ?2)")?
                .execute(params![number, text])?;
        }
        if known.is_some() && self.is_renamed {
            names::forget(connection, number)?;
        }
        match &self.names {
            Some(words) if known.is_none() || self.is_renamed => names::put(connection, number, words),
            _ => Ok(()),
        }
    }
}

/// Deletes the words of a record, if it has any.
pub(super) fn forget_words(connection: &Connection, tenant: &str, kind: &str, id: &[u8; 16]) -> rusqlite::Result<()> {
    let number: Option<i64> = connection
        .prepare_cached("DELETE FROM record_numbers WHERE tenant = ?1 AND kind = ?2 AND id = ?3 RETURNING n")?
        .query_row(params![tenant, kind, id], |row| row.get(0))
        .optional()?;
    if let Some(number) = number {
        connection.prepare_cached("DELETE FROM record_words WHERE rowid = ?1")?.execute([number])?;
        names::forget(connection, number)?;
    }
    Ok(())
}

/// The index entries as they are stored with a record; `None` if there are none.
pub(super) fn written_entries(index: &[IndexEntry]) -> Option<String> {
    (!index.is_empty()).then(|| {
        let list: Vec<_> = index.iter().map(|entry| (&entry.field, entry.value.as_str(), entry.unique)).collect();
        serde_json::to_string(&list).expect("index entries are JSON")
    })
}

/// Adds the index entries of a record, except its names.
pub(super) fn add_entries(
    connection: &Connection,
    tenant: &str,
    kind: &str,
    id: &[u8; 16],
    index: &[IndexEntry],
) -> rusqlite::Result<()> {
    for entry in index.iter().filter(|entry| !entry.is_name()) {
        let table = if entry.unique {
            "INSERT OR REPLACE INTO record_unique VALUES (?1, ?2, ?3, ?4, ?5)"
        } else {
            "INSERT OR REPLACE INTO record_index VALUES (?1, ?2, ?3, ?4, ?5)"
        };
        let values = params![tenant, kind, entry.field, entry.value.as_str(), id];
        connection.prepare_cached(table)?.execute(values)?;
    }
    Ok(())
}

/// Parses the index entries stored with a record.
pub(super) fn stored_entries(entries: &str) -> Vec<IndexEntry> {
    let list: Vec<(String, String, bool)> = serde_json::from_str(entries).unwrap_or_default();
    list.into_iter().map(IndexEntry::stored).collect()
}

/// Deletes the index entries of a record, except its names.
pub(super) fn forget_entries(
    connection: &Connection,
    tenant: &str,
    kind: &str,
    id: &[u8; 16],
    entries: Option<&str>,
) -> rusqlite::Result<()> {
    let Some(entries) = entries else { return Ok(()) };
    for entry in stored_entries(entries).into_iter().filter(|entry| !entry.is_name()) {
        let table = if entry.unique { "record_unique" } else { "record_index" };
        connection
            .prepare_cached(&format!(
                "DELETE FROM {table} WHERE tenant = ?1 AND kind = ?2 AND field = ?3 AND value = ?4 AND id = ?5"
            ))?
            .execute(params![tenant, kind, entry.field, entry.value.as_str(), id])?;
    }
    Ok(())
}
