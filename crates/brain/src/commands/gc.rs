//! `brain admin gc`: applies the configured retention and ends overdue dead letters; a server does so once an hour.

use std::sync::Arc;

use anyhow::{Context, Result};
use brain_core::{Clock, Millis, TenantId, Timestamp};
use brain_engine::{BLOB_GRACE, Keep, LONG, Swept as Gone, sweep};
use brain_kernel::{Kernel, overdue_letters, sweep_corrections, sweep_notes};
use brain_server::Sweeping;
use brain_server::wire::{Sweep, Swept, SweptTenant};
use brain_store::{Scope, Store, Sudo};

use crate::cli::{GcArgs, Global};
use crate::config::Config;
use crate::progress::Progress;
use crate::remote::Need;
use crate::show::{BOLD, DIM, GREEN};
use crate::system::{SystemClock, user_name};
use crate::{open, show};

/// The retention of a tenant; `None` if nothing expires.
fn keep(config: &Config, tenant: &TenantId) -> Option<Keep> {
    let keep = config.keep(tenant);
    let ends = keep.payloads.is_some() || keep.runs.is_some();
    ends.then_some(Keep { payloads: keep.payloads, runs: keep.runs, blobs: BLOB_GRACE, long: LONG })
}

pub(crate) fn run(global: &Global, args: &GcArgs) -> Result<bool> {
    // A configuration that was named for this command, and not that of the server, is applied here.
    let own = global.config.is_some() || !global.setting.is_empty() || args.blob_grace.is_some();
    let (tenants, sets) = if super::has_server(global)? && (!own || super::is_remote(global)?) {
        let body = Sweep { all: Some(args.all), dry_run: Some(args.dry_run), compact: Some(args.compact) };
        let done: Swept = super::talk(global, Need::Existing, async |client| client.post("/v1/gc", &body).await)?;
        (done.tenants, true)
    } else {
        (here(global, args)?, global.config().keeps())
    };
    if global.json {
        show::json(&Swept { dry_run: args.dry_run, tenants });
        return Ok(true);
    }
    tenants.iter().for_each(|tenant| tell(tenant, args.dry_run));
    if tenants.is_empty() {
        outln!("There are no tenants yet.");
    }
    if !sets {
        outln!(
            "{DIM}→{DIM:#} set the retention in brain.yaml: tenants: {{\"*\": {{keep: {{payloads: 30d, runs: 365d}}}}}}"
        );
    }
    Ok(true)
}

/// Applies the retention to the store of this command.
fn here(global: &Global, args: &GcArgs) -> Result<Vec<SweptTenant>> {
    open::expect_store(global)?;
    let (config, store) = (global.config(), open::store(global)?);
    let (who, tenant) = (global.acting_as.clone().unwrap_or_else(user_name), global.tenant().parse()?);
    let what =
        Sweeping { tenant: (!args.all).then_some(tenant), dry_run: args.dry_run, compact: args.compact, by: &who };
    let bar = Progress::new(global, "sweeping tenants", None);
    let letters = |tenant: &TenantId| expire_letters(global, &store, tenant, args.dry_run);
    sweep_tenants(config, store.as_ref(), &what, args.blob_grace, &letters, &|| bar.add(1))
}

/// Applies the retention to one tenant, or to all. `begin` is called for each of them, and `letters` ends its overdue
/// dead letters, or counts them in a dry run.
pub(super) fn sweep_tenants(
    config: &Config,
    store: &dyn Store,
    what: &Sweeping<'_>,
    blob_grace: Option<Millis>,
    letters: &dyn Fn(&TenantId) -> Result<u64>,
    begin: &dyn Fn(),
) -> Result<Vec<SweptTenant>> {
    let dry_run = what.dry_run;
    let sudo = |action: &str, detail: &str| Sudo::because(store, SystemClock.now(), what.by, action, None, detail);
    let tenants = match &what.tenant {
        Some(tenant) => vec![tenant.clone()],
        None => {
            let sudo = sudo("gc", if dry_run { "dry run" } else { "" })?;
            if !dry_run {
                trim_audit(config, store, &sudo)?;
            }
            store.tenants(&sudo)?
        }
    };
    let mut list = Vec::new();
    for tenant in tenants {
        begin();
        // First: a run whose letter ends can be swept in the same round.
        let letters_expired = letters(&tenant)?;
        let Some(keep) = keep(config, &tenant) else {
            let tenant = tenant.to_string();
            list.push(SweptTenant { tenant, kept_for_ever: true, letters_expired, ..SweptTenant::default() });
            continue;
        };
        let keep = Keep { blobs: blob_grace.unwrap_or(keep.blobs), ..keep };
        let scope = Scope::of(tenant.clone());
        let gone = sweep(store, &scope, SystemClock.now(), keep, dry_run)?;
        list.push(SweptTenant {
            tenant: tenant.to_string(),
            kept_for_ever: false,
            runs_erased: gone.runs_erased,
            runs_deleted: gone.runs_deleted,
            runs_compacted: gone.runs_compacted,
            blobs_deleted: gone.blobs_deleted,
            blobs_unused: gone.blobs_unused,
            bytes: gone.bytes,
            corrections_deleted: sweep_corrections(store, &scope, dry_run)?,
            notes_deleted: sweep_notes(store, &scope, dry_run)?,
            letters_expired,
        });
    }
    if what.compact && !dry_run {
        let sudo = sudo("compact", "gc --compact")?;
        store.compact(&sudo).context("free space could not be returned to the file system")?;
    }
    Ok(list)
}

fn tell(one: &SweptTenant, dry_run: bool) {
    let tenant = &one.tenant;
    let would = if dry_run { "would be " } else { "" };
    let count = show::count::<u64>;
    if one.letters_expired > 0 {
        let letters = count(one.letters_expired, "dead letter");
        outln!("{GREEN}✓{GREEN:#} {BOLD}{tenant}{BOLD:#}  {letters} {would}ended: nobody decided in time");
    }
    if one.kept_for_ever {
        return outln!("{BOLD}{tenant}{BOLD:#}  nothing expires: everything is kept forever");
    }
    outln!("{GREEN}✓{GREEN:#} {BOLD}{tenant}{BOLD:#}");
    outln!(
        "  {} {would}erased, {} {would}deleted, {} {would}compacted",
        count(one.runs_erased, "run"),
        one.runs_deleted,
        one.runs_compacted
    );
    outln!(
        "  {} {would}deleted ({}), {} unused and kept for now",
        count(one.blobs_deleted, "blob"),
        count(one.bytes, "byte"),
        one.blobs_unused
    );
    if one.corrections_deleted + one.notes_deleted > 0 {
        let (corrections, notes) = (count(one.corrections_deleted, "correction"), count(one.notes_deleted, "note"));
        outln!("  {corrections} and {notes} {would}deleted");
    }
}

/// Ends the dead letters of a tenant that nobody resolved in time; returns how many. A dry run only counts them.
fn expire_letters(global: &Global, store: &Arc<dyn Store>, tenant: &TenantId, dry_run: bool) -> Result<u64> {
    let due = count_overdue(global.config(), store.as_ref(), tenant)?;
    if dry_run || due == 0 {
        return Ok(due);
    }
    // The engine makes external calls on this runtime.
    let runtime = open::runtime()?;
    let _context = runtime.enter();
    let kernel = open::kernel_over(global, open::registry(global)?, store.clone(), false)?;
    let ended = end_letters(&kernel, tenant);
    kernel.engine().stop();
    ended
}

/// The number of dead letters of a tenant that are overdue.
pub(super) fn count_overdue(config: &Config, store: &dyn Store, tenant: &TenantId) -> Result<u64> {
    let Some(after) = config.expiry().letters else { return Ok(0) };
    Ok(overdue_letters(store, &Scope::of(tenant.clone()), after, SystemClock.now())?.len() as u64)
}

/// Ends the overdue dead letters of one tenant; returns how many.
pub(super) fn end_letters(kernel: &Kernel, tenant: &TenantId) -> Result<u64> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    Ok(runtime.block_on(kernel.expire_letters(&Scope::of(tenant.clone())))?)
}

/// Applies the retention of every tenant that has one configured.
pub(super) fn run_automatically(config: &Config, store: &dyn Store, sudo: &Sudo) -> Result<()> {
    trim_audit(config, store, sudo)?;
    let mut failed = None;
    for tenant in store.tenants(sudo)? {
        let Some(keep) = keep(config, &tenant) else { continue };
        let scope = Scope::of(tenant.clone());
        match sweep(store, &scope, SystemClock.now(), keep, false) {
            Ok(swept) if swept != Gone::default() => {
                tracing::info!(%tenant, ?swept, "retention applied");
            }
            Ok(_) => {}
            // A failure for one tenant must not stop the others.
            Err(error) => drop(failed.get_or_insert((tenant.clone(), error))),
        }
        if let Err(error) = sweep_corrections(store, &scope, false) {
            failed.get_or_insert((tenant.clone(), error));
        }
        if let Err(error) = sweep_notes(store, &scope, false) {
            failed.get_or_insert((tenant, error));
        }
    }
    match failed {
        Some((tenant, error)) => Err(error).with_context(|| format!("tenant {tenant}")),
        None => Ok(()),
    }
}

/// Deletes expired audit entries; returns how many.
fn trim_audit(config: &Config, store: &dyn Store, sudo: &Sudo) -> Result<u64> {
    let Some(retention) = config.audit() else { return Ok(0) };
    let length = i64::try_from(retention.0).unwrap_or(i64::MAX);
    let before = Timestamp::from_millis(SystemClock.now().as_millis().saturating_sub(length));
    Ok(store.trim_audit(sudo, before)?)
}
