//! Writing records in SQLite.

use rusqlite::{Connection, OptionalExtension, params};

use crate::{IndexEntry, RecordRow};

/// Writes a record with its index entries and its words; how many rows and bytes that were.
pub(super) fn put_record(
    connection: &Connection,
    tenant: &str,
    row: &RecordRow,
    index: &[IndexEntry],
    text: Option<&str>,
) -> rusqlite::Result<(u64, usize)> {
    let id = row.id.as_uuid();
    let body = row.body.to_string();
    let entries: Option<String> = (!index.is_empty()).then(|| {
        let list: Vec<_> = index.iter().map(|entry| (&entry.field, &entry.value, entry.unique)).collect();
        serde_json::to_string(&list).expect("index entries are JSON")
    });
    // The first revision of a record is almost always a new record: it is looked for only if it cannot be inserted.
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
    if old.as_ref().is_none_or(|old_entries| *old_entries != entries) {
        for entry in index {
            let table = if entry.unique {
                "INSERT OR REPLACE INTO record_unique VALUES (?1, ?2, ?3, ?4, ?5)"
            } else {
                "INSERT OR REPLACE INTO record_index VALUES (?1, ?2, ?3, ?4, ?5)"
            };
            connection.prepare_cached(table)?.execute(params![
                tenant,
                row.kind,
                entry.field,
                entry.value,
                id.as_bytes()
            ])?;
        }
    }
    match text {
        Some(text) => put_words(connection, tenant, row, old.is_some(), text)?,
        None if old.is_some() => forget_words(connection, tenant, &row.kind, id.as_bytes())?,
        None => {}
    }
    Ok((rows, bytes))
}

/// Inserts a record; whether there was none.
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

/// Replaces the words by which a record is found.
fn put_words(connection: &Connection, tenant: &str, row: &RecordRow, is_old: bool, text: &str) -> rusqlite::Result<()> {
    let id = row.id.as_uuid();
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
            .execute(params![number, text])?;
        number
    } else {
        connection
            .prepare_cached("INSERT INTO record_numbers (tenant, kind, id, content) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![tenant, row.kind, id.as_bytes(), text])?;
        connection.last_insert_rowid()
    };
    connection
        .prepare_cached("INSERT INTO record_words (rowid, words) VALUES (?1, ?2)")?
        .execute(params![number, text])
        .map(drop)
}

/// Deletes the words of a record, if it has any.
pub(super) fn forget_words(connection: &Connection, tenant: &str, kind: &str, id: &[u8; 16]) -> rusqlite::Result<()> {
    let number: Option<i64> = connection
        .prepare_cached("DELETE FROM record_numbers WHERE tenant = ?1 AND kind = ?2 AND id = ?3 RETURNING n")?
        .query_row(params![tenant, kind, id], |row| row.get(0))
        .optional()?;
    if let Some(number) = number {
        connection.prepare_cached("DELETE FROM record_words WHERE rowid = ?1")?.execute([number])?;
    }
    Ok(())
}

/// Deletes the index entries of a record.
pub(super) fn forget_entries(
    connection: &Connection,
    tenant: &str,
    kind: &str,
    id: &[u8; 16],
    entries: Option<&str>,
) -> rusqlite::Result<()> {
    let Some(entries) = entries else { return Ok(()) };
    let list: Vec<(String, String, bool)> = serde_json::from_str(entries).unwrap_or_default();
    for (field, value, unique) in list {
        let table = if unique { "record_unique" } else { "record_index" };
        connection
            .prepare_cached(&format!(
                "DELETE FROM {table} WHERE tenant = ?1 AND kind = ?2 AND field = ?3 AND value = ?4 AND id = ?5"
            ))?
            .execute(params![tenant, kind, field, value, id])?;
    }
    Ok(())
}
