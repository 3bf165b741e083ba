//! `brain gc`: applies the configured retention and ends overdue dead letters; a server does so once an hour.

use std::sync::Arc;

use anyhow::{Context, Result};
use brain_core::{Clock, TenantId, Timestamp};
use brain_engine::{BLOB_GRACE, Keep, LONG, Swept, sweep};
use brain_kernel::{Kernel, overdue_letters, sweep_corrections, sweep_notes};
use brain_store::{Scope, Store, Sudo};
use serde_json::json;

use crate::cli::{GcArgs, Global};
use crate::config::Config;
use crate::progress::Progress;
use crate::show::{BOLD, DIM, GREEN};
use crate::system::SystemClock;
use crate::{open, show};

/// The retention of a tenant; `None` if nothing expires.
fn keep(config: &Config, tenant: &TenantId) -> Option<Keep> {
    let keep = config.keep(tenant);
    let ends = keep.payloads.is_some() || keep.runs.is_some();
    ends.then_some(Keep { payloads: keep.payloads, runs: keep.runs, blobs: BLOB_GRACE, long: LONG })
}

pub(crate) fn run(global: &Global, args: &GcArgs) -> Result<bool> {
    let config = global.config();
    let store = open::store(global)?;
    let tenants = if args.all {
        let detail = if args.dry_run { "dry run" } else { "" };
        let sudo = super::audit::sudo(global, store.as_ref(), "gc", None, detail)?;
        if !args.dry_run {
            trim_audit(config, store.as_ref(), &sudo)?;
        }
        store.tenants(&sudo)?
    } else {
        vec![global.tenant().parse()?]
    };
    // First: a run whose letter ends can be swept in the same round.
    let letters = expire_letters(global, &store, &tenants, args.dry_run)?;
    let mut list = Vec::new();
    let bar = Progress::new(global, "sweeping tenants", Some(tenants.len() as u64));
    for (tenant, letters) in tenants.into_iter().zip(letters) {
        bar.add(1);
        let swept = match keep(config, &tenant) {
            Some(keep) => {
                let keep = Keep { blobs: args.blob_grace.unwrap_or(keep.blobs), ..keep };
                let scope = Scope::of(tenant.clone());
                let swept = sweep(store.as_ref(), &scope, SystemClock.now(), keep, args.dry_run)?;
                let corrections = sweep_corrections(store.as_ref(), &scope, args.dry_run)?;
                Some((swept, corrections, sweep_notes(store.as_ref(), &scope, args.dry_run)?))
            }
            None => None,
        };
        list.push((tenant, swept, letters));
    }
    drop(bar);
    if args.compact && !args.dry_run {
        let sudo = super::audit::sudo(global, store.as_ref(), "compact", None, "gc --compact")?;
        store.compact(&sudo).context("free space could not be returned to the file system")?;
    }
    if global.json {
        let items: Vec<_> = list.iter().map(|(tenant, swept, letters)| row(tenant, *swept, *letters)).collect();
        show::json(&json!({"dry_run": args.dry_run, "tenants": items}));
        return Ok(true);
    }
    for (tenant, swept, letters) in &list {
        tell(tenant, *swept, *letters, args.dry_run);
    }
    if list.is_empty() {
        anstream::println!("There are no tenants yet.");
    }
    if !config.keeps() {
        anstream::println!(
            "{DIM}→{DIM:#} set the retention in brain.yaml: tenants: {{\"*\": {{keep: {{payloads: 30d, runs: 365d}}}}}}"
        );
    }
    Ok(true)
}

/// What a tenant's sweep deleted, with the numbers of corrections and of progress notes; `None` if nothing expires.
type Gone = Option<(Swept, u64, u64)>;

fn row(tenant: &TenantId, gone: Gone, letters: u64) -> serde_json::Value {
    let kept_for_ever = gone.is_none();
    let (swept, corrections_deleted, notes_deleted) = gone.unwrap_or_default();
    json!({
        "tenant": tenant, "kept_for_ever": kept_for_ever, "runs_erased": swept.runs_erased,
        "runs_deleted": swept.runs_deleted, "runs_compacted": swept.runs_compacted, "blobs_deleted": swept.blobs_deleted,
        "blobs_unused": swept.blobs_unused, "bytes": swept.bytes, "corrections_deleted": corrections_deleted,
        "notes_deleted": notes_deleted, "letters_expired": letters,
    })
}

fn tell(tenant: &TenantId, gone: Gone, letters: u64, dry_run: bool) {
    if letters > 0 {
        let would = if dry_run { "would be " } else { "" };
        let letters = show::count(letters as usize, "dead letter");
        anstream::println!("{GREEN}✓{GREEN:#} {BOLD}{tenant}{BOLD:#}  {letters} {would}ended: nobody decided in time");
    }
    let Some((swept, corrections, notes)) = gone else {
        return anstream::println!("{BOLD}{tenant}{BOLD:#}  nothing expires: everything is kept forever");
    };
    let would = if dry_run { "would be " } else { "" };
    let Swept { runs_erased, runs_deleted, runs_compacted, blobs_deleted, blobs_unused, bytes } = swept;
    anstream::println!(
        "{GREEN}✓{GREEN:#} {BOLD}{tenant}{BOLD:#}  {runs_erased} runs {would}erased, {runs_deleted} {would}deleted, {runs_compacted} {would}compacted, {blobs_deleted} blobs {would}deleted, {corrections} corrections and {notes} notes {would}forgotten {DIM}· {bytes} bytes · {blobs_unused} blobs unused, kept for now{DIM:#}"
    );
}

/// Ends the dead letters of tenants that nobody decided about in time; returns how many of each.
fn expire_letters(global: &Global, store: &Arc<dyn Store>, tenants: &[TenantId], dry_run: bool) -> Result<Vec<u64>> {
    let Some(after) = global.config().expiry().letters else { return Ok(vec![0; tenants.len()]) };
    let mut due = Vec::new();
    for tenant in tenants {
        let scope = Scope::of(tenant.clone());
        due.push(overdue_letters(store.as_ref(), &scope, after, SystemClock.now())?.len() as u64);
    }
    if dry_run || due.iter().all(|count| *count == 0) {
        return Ok(due);
    }
    // The engine makes outside calls on this runtime.
    let runtime = open::runtime()?;
    let _context = runtime.enter();
    let kernel = open::kernel_over(global, open::registry(global)?, store.clone(), false)?;
    let ended: Result<Vec<u64>> = tenants.iter().map(|tenant| end_letters(&kernel, tenant)).collect();
    kernel.engine().stop();
    ended
}

/// Ends the overdue dead letters of one tenant; returns how many.
pub(super) fn end_letters(kernel: &Kernel, tenant: &TenantId) -> Result<u64> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    Ok(runtime.block_on(kernel.expire_letters(&Scope::of(tenant.clone())))?)
}

/// Applies the retention of every tenant that has one configured.
pub(super) fn by_itself(config: &Config, store: &dyn Store, sudo: &Sudo) -> Result<()> {
    trim_audit(config, store, sudo)?;
    let mut failed = None;
    for tenant in store.tenants(sudo)? {
        let Some(keep) = keep(config, &tenant) else { continue };
        let scope = Scope::of(tenant.clone());
        match sweep(store, &scope, SystemClock.now(), keep, false) {
            Ok(swept) if swept != Swept::default() => {
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
    let Some(kept) = config.audit() else { return Ok(0) };
    let length = i64::try_from(kept.0).unwrap_or(i64::MAX);
    let before = Timestamp::from_millis(SystemClock.now().as_millis().saturating_sub(length));
    Ok(store.trim_audit(sudo, before)?)
}
