//! `brain gc`: erases and deletes what has been kept long enough; a server does it once an hour.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use brain_core::{Clock, Millis, TenantId};
use brain_engine::{BLOB_GRACE, Keep, LONG, Swept, sweep};
use brain_kernel::{Kernel, sweep_corrections};
use brain_store::{Scope, Store, Sudo, SystemScope};
use serde_json::json;

use crate::cli::{GcArgs, Global};
use crate::config::Config;
use crate::show::{BOLD, DIM, GREEN};
use crate::system::SystemClock;
use crate::{open, show};

/// How long a server waits before its first time.
const FIRST: Duration = Duration::from_secs(60);
/// How long it waits between two times.
const BETWEEN: Duration = Duration::from_secs(60 * 60);
/// If another server has done it within this time, it is not done again.
const DONE_LATELY: Millis = Millis(55 * 60 * 1000);
/// Rows of the audit that are looked at to find that out.
const LOOKED_AT: usize = 50;
/// Who does it when a server does.
const SERVER: &str = "server";

/// How long what a tenant did is kept; `None` if for ever.
fn keep(config: &Config, tenant: &TenantId) -> Option<Keep> {
    let keep = config.keep(tenant);
    let ends = keep.payloads.is_some() || keep.runs.is_some();
    ends.then_some(Keep { payloads: keep.payloads, runs: keep.runs, blobs: BLOB_GRACE, long: LONG })
}

pub(crate) fn run(global: &Global, args: &GcArgs) -> Result<bool> {
    let config = Config::read(global.config.as_deref())?;
    let store = open::store(global)?;
    let tenants = if args.all {
        let detail = if args.dry_run { "dry run" } else { "" };
        let sudo = super::audit::sudo(store.as_ref(), "gc", None, detail)?;
        store.tenants(&sudo)?
    } else {
        vec![global.tenant().parse()?]
    };
    let mut list = Vec::new();
    for tenant in tenants {
        let swept = match keep(&config, &tenant) {
            Some(keep) => {
                let keep = Keep { blobs: args.blob_grace.unwrap_or(keep.blobs), ..keep };
                let scope = Scope::of(tenant.clone());
                let swept = sweep(store.as_ref(), &scope, SystemClock.now(), keep, args.dry_run)?;
                Some((swept, sweep_corrections(store.as_ref(), &scope, args.dry_run)?))
            }
            None => None,
        };
        list.push((tenant, swept));
    }
    if args.compact && !args.dry_run {
        let sudo = super::audit::sudo(store.as_ref(), "compact", None, "gc --compact")?;
        store.compact(&sudo).context("the free space could not be given back")?;
    }
    if global.json {
        let items: Vec<_> = list.iter().map(|(tenant, swept)| row(tenant, *swept)).collect();
        show::json(&json!({"dry_run": args.dry_run, "tenants": items}));
        return Ok(true);
    }
    for (tenant, swept) in &list {
        tell(tenant, *swept, args.dry_run);
    }
    if list.is_empty() {
        anstream::println!("There are no tenants yet.");
    }
    if !config.keeps() {
        anstream::println!(
            "{DIM}→{DIM:#} say how long things are kept, in the file of --config: tenants: {{\"*\": {{keep: {{payloads: 30d, runs: 365d}}}}}}"
        );
    }
    Ok(true)
}

/// What went of a tenant, and how many corrections with it; `None` if nothing expires.
type Gone = Option<(Swept, u64)>;

fn row(tenant: &TenantId, gone: Gone) -> serde_json::Value {
    let kept_for_ever = gone.is_none();
    let (swept, corrections_deleted) = gone.unwrap_or_default();
    json!({
        "tenant": tenant, "kept_for_ever": kept_for_ever, "runs_erased": swept.runs_erased,
        "runs_deleted": swept.runs_deleted, "runs_compacted": swept.runs_compacted, "blobs_deleted": swept.blobs_deleted,
        "blobs_unused": swept.blobs_unused, "bytes": swept.bytes, "corrections_deleted": corrections_deleted,
    })
}

fn tell(tenant: &TenantId, gone: Gone, dry_run: bool) {
    let Some((swept, corrections)) = gone else {
        return anstream::println!("{BOLD}{tenant}{BOLD:#}  nothing expires: everything is kept for ever");
    };
    let would = if dry_run { "would be " } else { "" };
    let Swept { runs_erased, runs_deleted, runs_compacted, blobs_deleted, blobs_unused, bytes } = swept;
    anstream::println!(
        "{GREEN}✓{GREEN:#} {BOLD}{tenant}{BOLD:#}  {runs_erased} runs {would}erased, {runs_deleted} {would}deleted, {runs_compacted} {would}compacted, {blobs_deleted} blobs {would}deleted, {corrections} corrections {would}forgotten {DIM}· {bytes} bytes · {blobs_unused} blobs unused, kept for now{DIM:#}"
    );
}

/// What a server does by itself, on a thread that ends with the process: every commit of it is whole.
pub(crate) fn keep_house(config: Option<PathBuf>, kernel: &Arc<Kernel>) {
    let kernel = Arc::downgrade(kernel);
    let work = move || {
        let mut wait = FIRST;
        loop {
            std::thread::sleep(wait);
            wait = BETWEEN;
            let Some(kernel) = kernel.upgrade() else { return };
            if let Err(error) = keep_house_once(config.as_deref(), kernel.store().as_ref()) {
                tracing::warn!(error = %format!("{error:#}"), "gc did not work out; again in an hour");
            }
        }
    };
    if let Err(error) = std::thread::Builder::new().name("brain-gc".into()).spawn(work) {
        tracing::warn!(%error, "nothing expires by itself: there is no thread for it");
    }
}

fn keep_house_once(config: Option<&Path>, store: &dyn Store) -> Result<()> {
    // Read anew: whoever changes it need not start the server again.
    let config = Config::read(config)?;
    if !config.keeps() {
        return Ok(());
    }
    let now = SystemClock.now();
    let lately = |row: &brain_store::AuditRow| row.what == "gc" && row.who == SERVER && row.at.plus(DONE_LATELY) > now;
    // Two servers that do it at once do no harm, only work: what each does names what it has read.
    if store.audit(SystemScope, LOOKED_AT)?.iter().any(lately) {
        return Ok(());
    }
    let sudo = Sudo::because(store, now, SERVER, "gc", None, "once an hour")?;
    for tenant in store.tenants(&sudo)? {
        let Some(keep) = keep(&config, &tenant) else { continue };
        let scope = Scope::of(tenant.clone());
        let swept = sweep(store, &scope, SystemClock.now(), keep, false)?;
        sweep_corrections(store, &scope, false)?;
        if swept != Swept::default() {
            tracing::info!(%tenant, ?swept, "what has been kept long enough went");
        }
    }
    Ok(())
}
