//! `brain admin backup` and `brain admin restore`: a store to and from one file.

use std::path::Path;

use anyhow::{Result, bail};
use brain_core::Clock;
use brain_engine::Liveness;
use brain_server::wire::ProblemDocument;
use brain_store::{Scheduling, SqliteContents, SqliteStore, SystemScope, redact};
use serde_json::json;

use crate::cli::{BackupArgs, Global, RestoreArgs};
use crate::open::{self, StoreLocation};
use crate::remote::Refused;
use crate::show::{self, BOLD, DIM, GREEN};
use crate::system::{ProcessLiveness, SystemClock};

/// Writes the store to a file while it is in use.
pub(crate) fn backup(global: &Global, args: &BackupArgs) -> Result<bool> {
    let path = match open::location(global)? {
        StoreLocation::Sqlite(path) => path,
        StoreLocation::Postgres(url) => return use_postgres(global, "backup", &dump_command(&url, &args.file)),
        StoreLocation::Memory => {
            bail!("a store in memory is lost when its process ends; name another one with --store")
        }
    };
    if !path.is_file() {
        bail!("there is no store at {}", path.display());
    }
    if args.file.exists() {
        if !args.force {
            let detail = format!("{} already exists; replace it with --force", args.file.display());
            return Err(Refused(ProblemDocument::of_existing_file(&detail)).into());
        }
        if args.file.canonicalize()? == path.canonicalize()? {
            bail!("{} is the store itself; name another file", args.file.display());
        }
        // An open SQLite store has a write-ahead log next to it; a backup does not.
        let mut wal = args.file.clone().into_os_string();
        wal.push("-wal");
        if Path::new(&wal).exists() {
            bail!("{} looks like a store in use; name another file", args.file.display());
        }
    }
    let contents = SqliteStore::backup(&path, &args.file, args.force)?;
    tell(global, "backup", &args.file, &contents);
    if !global.json {
        outln!("{DIM}→{DIM:#} to restore: brain admin restore {} --store sqlite:PATH", args.file.display());
    }
    Ok(true)
}

/// Restores the store from a file.
pub(crate) fn restore(global: &Global, args: &RestoreArgs) -> Result<bool> {
    let path = match open::location(global)? {
        StoreLocation::Sqlite(path) => path,
        StoreLocation::Postgres(url) => return use_postgres(global, "restore", &restore_command(&url, &args.file)),
        StoreLocation::Memory => {
            bail!("a store in memory is lost when its process ends; name another one with --store")
        }
    };
    if !args.file.is_file() {
        let detail = format!("there is no file {}", args.file.display());
        return Err(Refused(ProblemDocument::of_missing_file(&detail)).into());
    }
    if path.exists() {
        refuse_if_used(&path, args.force)?;
    }
    let contents = SqliteStore::restore(&args.file, &path)?;
    tell(global, "restore", &path, &contents);
    if !global.json {
        if contents.owned_runs > 0 {
            let runs = show::count(contents.owned_runs, "run");
            outln!("{DIM}{runs} had an external call in flight. The next server takes over;{DIM:#}");
            outln!("{DIM}calls that must not be repeated wait in `brain dlq list`.{DIM:#}");
        }
        outln!("{DIM}→{DIM:#} start: brain serve --store sqlite:{}", path.display());
    }
    Ok(true)
}

/// Refuses to overwrite data without --force, and to overwrite a store in use at all.
fn refuse_if_used(path: &Path, force: bool) -> Result<()> {
    // A file that is not a store is refused even with --force.
    let there = match SqliteStore::inspect(path) {
        Ok(there) => there,
        Err(_) if std::fs::metadata(path)?.len() == 0 => return Ok(()),
        Err(_) if force => return Ok(()),
        Err(error) => bail!("{error}; replace it with --force"),
    };
    refuse_if_worked_on(path)?;
    if (there.runs > 0 || there.records > 0) && !force {
        bail!(
            "{} holds {} and {}; nothing was changed. Replace it with --force, or name another store with --store",
            path.display(),
            show::count(there.runs, "run"),
            show::count(there.records, "record")
        );
    }
    Ok(())
}

/// Refuses to replace a store that a process has open. A paused process loses its lease but still has the file open, so
/// only a process that is known to be gone is ignored.
fn refuse_if_worked_on(path: &Path) -> Result<()> {
    if SqliteStore::inspect(path).is_err() {
        return Ok(());
    }
    for node in SqliteStore::open(path)?.nodes(SystemScope, SystemClock.now())? {
        let there = node.lapsed.is_none() && !ProcessLiveness.is_gone(&node.liveness);
        if there || ProcessLiveness.is_there(&node.liveness) {
            bail!("node {} is using {}; stop it first", node.id, path.display());
        }
    }
    Ok(())
}

fn tell(global: &Global, what: &str, file: &Path, contents: &SqliteContents) {
    let SqliteContents { version, bytes, tenants, runs, open_runs, owned_runs, records, blobs, changed_at } = contents;
    if global.json {
        return show::json(&json!({
            what: file, "format": version, "bytes": bytes, "tenants": tenants, "runs": runs, "open_runs": open_runs,
            "owned_runs": owned_runs, "records": records, "blobs": blobs, "changed_at": changed_at,
        }));
    }
    let verb = if what == "backup" { "holds" } else { "now holds" };
    let changed = changed_at.map(|at| format!(" · last change {at}")).unwrap_or_default();
    let count = show::count::<u64>;
    let (runs, records, blobs) = (count(*runs, "run"), count(*records, "record"), count(*blobs, "blob"));
    outln!("{GREEN}✓{GREEN:#} {BOLD}{}{BOLD:#}", file.display());
    outln!("  {verb} {runs} ({open_runs} in progress), {records} and {blobs} of {}", count(*tenants, "tenant"));
    outln!("  {DIM}{bytes} bytes{changed}{DIM:#}");
}

/// Prints the PostgreSQL command to use instead.
fn use_postgres(global: &Global, what: &str, command: &str) -> Result<bool> {
    if global.json {
        show::json(&json!({"ok": false, "use": command}));
    } else {
        outln!("PostgreSQL has its own tools to {what} a database. As a superuser:");
        outln!("{DIM}→{DIM:#} {command}");
    }
    Ok(false)
}

fn schema_of(url: &str) -> String {
    let named = url.split(['?', '&']).find_map(|part| part.strip_prefix("brain_schema="));
    named.unwrap_or("brain").to_owned()
}

fn dump_command(url: &str, file: &Path) -> String {
    let bare = redact(url.split('?').next().unwrap_or(url));
    format!("pg_dump --format=custom --schema={} --file={} '{bare}'", schema_of(url), file.display())
}

fn restore_command(url: &str, file: &Path) -> String {
    let bare = redact(url.split('?').next().unwrap_or(url));
    format!("pg_restore --exit-on-error --dbname='{bare}' {}", file.display())
}
