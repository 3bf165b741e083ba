//! `brain backup` and `brain restore`: a store in one file, and back.

use std::path::Path;

use anyhow::{Result, bail};
use brain_core::Clock;
use brain_engine::Liveness;
use brain_store::{Scheduling, SqliteContents, SqliteStore, SystemScope, redact};
use serde_json::json;

use crate::cli::{BackupArgs, Global};
use crate::open::{self, Place};
use crate::show::{self, BOLD, DIM, GREEN};
use crate::system::{ProcessLiveness, SystemClock};

/// Writes the store into a file, while it is being used.
pub(crate) fn backup(global: &Global, args: &BackupArgs) -> Result<bool> {
    let path = match open::place(global)? {
        Place::Sqlite(path) => path,
        Place::Postgres(url) => return use_postgres(global, "backup", &dump_command(&url, &args.file)),
        Place::Memory => bail!("a store in memory is gone with its process; name another one with --store"),
    };
    if !path.is_file() {
        bail!("there is no store at {}", path.display());
    }
    if args.file.exists() {
        if args.file.canonicalize()? == path.canonicalize()? {
            bail!("{} is the store itself; name another file", args.file.display());
        }
        // A backup has no such file beside it; a store that a process has open does.
        let mut wal = args.file.clone().into_os_string();
        wal.push("-wal");
        if Path::new(&wal).exists() {
            bail!("{} looks like a store in use; name another file", args.file.display());
        }
    }
    let contents = SqliteStore::backup(&path, &args.file, args.force)?;
    tell(global, "backup", &args.file, &contents);
    if !global.json {
        anstream::println!("{DIM}→{DIM:#} elsewhere: brain restore {} --store sqlite:PATH", args.file.display());
    }
    Ok(true)
}

/// Makes the store from a file.
pub(crate) fn restore(global: &Global, args: &BackupArgs) -> Result<bool> {
    let path = match open::place(global)? {
        Place::Sqlite(path) => path,
        Place::Postgres(url) => return use_postgres(global, "restore", &restore_command(&url, &args.file)),
        Place::Memory => bail!("a store in memory is gone with its process; name another one with --store"),
    };
    if path.exists() {
        refuse_if_used(&path, args.force)?;
    }
    let contents = SqliteStore::restore(&args.file, &path)?;
    tell(global, "restore", &path, &contents);
    if !global.json {
        if contents.owned_runs > 0 {
            anstream::println!(
                "{DIM}{} runs had an outside call under way. The next server takes them over; what must not be called twice waits in `brain dlq list`.{DIM:#}",
                contents.owned_runs
            );
        }
        anstream::println!("{DIM}→{DIM:#} start: brain serve --store sqlite:{}", path.display());
    }
    Ok(true)
}

/// Nobody's work is replaced by accident, and nobody's file is replaced while it is used.
fn refuse_if_used(path: &Path, force: bool) -> Result<()> {
    // Anything but a store is refused here, whatever was said.
    let there = match SqliteStore::inspect(path) {
        Ok(there) => there,
        Err(_) if std::fs::metadata(path)?.len() == 0 => return Ok(()),
        Err(_) if force => return Ok(()),
        Err(error) => bail!("{error}; replace it with --force"),
    };
    refuse_if_worked_on(path)?;
    if (there.runs > 0 || there.records > 0) && !force {
        bail!(
            "{} holds {} runs and {} records; nothing was changed. Replace it with --force, or name another store with --store",
            path.display(),
            there.runs,
            there.records
        );
    }
    Ok(())
}

/// A file that a process has open as its store is not replaced. A process that stands still has let its lease lapse and
/// is still there: only one that is known to be gone does not count.
fn refuse_if_worked_on(path: &Path) -> Result<()> {
    if SqliteStore::inspect(path).is_err() {
        return Ok(());
    }
    for node in SqliteStore::open(path)?.nodes(SystemScope, SystemClock.now())? {
        let there = node.lapsed.is_none() && !ProcessLiveness.is_gone(&node.liveness);
        if there || ProcessLiveness.is_there(&node.liveness) {
            bail!("node {} works on {}; stop it first", node.id, path.display());
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
    anstream::println!(
        "{GREEN}✓{GREEN:#} {BOLD}{}{BOLD:#} {verb} {runs} runs ({open_runs} under way), {records} records and {blobs} blobs of {tenants} tenants {DIM}· {bytes} bytes{changed}{DIM:#}",
        file.display()
    );
}

/// What PostgreSQL does better itself.
fn use_postgres(global: &Global, what: &str, command: &str) -> Result<bool> {
    if global.json {
        show::json(&json!({"ok": false, "use": command}));
    } else {
        anstream::println!("A store in PostgreSQL is the database's own to {what}. As its owner's superuser:");
        anstream::println!("{DIM}→{DIM:#} {command}");
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
