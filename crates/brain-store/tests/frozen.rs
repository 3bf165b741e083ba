//! The tables of both databases. A released table is never changed; a new version is a new migration step.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

use std::path::{Path, PathBuf};

use brain_store::{PostgresStore, SqliteStore};
use brain_testbed::{Postgres, assert_golden};

fn golden(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(file)
}

#[test]
fn the_tables_of_sqlite_are_frozen() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("new.db");
    drop(SqliteStore::open(&file).unwrap());
    let connection = rusqlite::Connection::open(&file).unwrap();
    let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    let mut statement = connection
        .prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY tbl_name, type DESC, name")
        .unwrap();
    let tables = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let tables: Vec<String> = tables.map(|sql| sql.unwrap() + ";").collect();
    assert_golden(&golden("sqlite.sql"), &format!("-- version {version}\n{}", tables.join("\n")));
}

#[test]
fn the_tables_of_postgresql_are_frozen() {
    let cluster = Postgres::start().unwrap();
    let database = cluster.new_database();
    drop(PostgresStore::connect(&cluster.url(&database)).unwrap());
    let ask = |what: &str, sql: &str| format!("-- {what}\n{}\n", cluster.sql(&database, sql));
    let text = [
        ask("version", "SELECT version FROM brain.format"),
        ask(
            "columns: table, column, type, nullable, default",
            "SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod)
                 || CASE WHEN k.collname = 'C' THEN ' COLLATE \"C\"' ELSE '' END,
                 CASE WHEN a.attnotnull THEN 'not null' ELSE 'null' END,
                 CASE WHEN a.attidentity <> '' THEN 'identity' ELSE coalesce(pg_get_expr(d.adbin, d.adrelid), '') END
             FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
             LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
             LEFT JOIN pg_collation k ON k.oid = a.attcollation
             WHERE n.nspname = 'brain' AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
             ORDER BY c.relname COLLATE \"C\", a.attnum",
        ),
        ask("indexes", "SELECT indexdef FROM pg_indexes WHERE schemaname = 'brain' ORDER BY indexname COLLATE \"C\""),
        ask(
            "row-level security: table, policy, command, condition",
            "SELECT tablename, policyname, cmd, qual FROM pg_policies WHERE schemaname = 'brain'
             ORDER BY tablename COLLATE \"C\", policyname COLLATE \"C\"",
        ),
    ];
    assert_golden(&golden("postgresql.txt"), &text.join("\n"));
}
