//! `brain admin migrate`: upgrades the tables of the store.

use anyhow::{Result, bail};
use brain_store::{Migration, PostgresStore, SqliteStore};

use crate::cli::Global;
use crate::open::{self, StoreLocation};
use crate::show;

pub(crate) fn run(global: &Global, dry_run: bool) -> Result<bool> {
    let Migration { from, to } = match open::location(global)? {
        StoreLocation::Sqlite(path) => SqliteStore::migrate(&path, dry_run)?,
        StoreLocation::Postgres(url) => PostgresStore::migrate(&url, dry_run)?,
        StoreLocation::Memory => bail!("a store in memory has no tables; name one with --store"),
    };
    let store = open::store_url(global)?;
    if global.json {
        show::json(&serde_json::json!({"store": store, "from": from, "to": to, "dry_run": dry_run}));
        return Ok(true);
    }
    match (from, dry_run) {
        (from, _) if from == to => outln!("{store} has format {to}: nothing to do."),
        (0, true) => outln!("{store} is empty: tables would be created in format {to}."),
        (0, false) => outln!("{store}: tables created in format {to}."),
        (from, true) => outln!("{store} would be upgraded from format {from} to {to}."),
        (from, false) => outln!("{store}: format {from} → {to}."),
    }
    Ok(true)
}
