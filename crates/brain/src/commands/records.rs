//! `brain records reindex`: rebuilds record lookup indexes.

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use brain_core::TenantId;
use brain_kernel::{Reindexed, is_behind, reindex};
use brain_registry::Registry;
use brain_registry::model::RecordDef;
use brain_server::wire::{Reindex, ReindexedType, ReindexedTypes};
use brain_store::{Scope, Store};

use crate::cli::{Global, ReindexArgs};
use crate::progress::Progress;
use crate::remote::Need;
use crate::show::{BOLD, DIM, GREEN, RED};
use crate::system::SystemClock;
use crate::{open, show};

pub(crate) fn run(global: &Global, args: &ReindexArgs) -> Result<bool> {
    let done = if super::has_server(global)? {
        let body = Reindex { record_type: args.record_type.clone(), all: Some(args.all), dry_run: Some(args.dry_run) };
        super::talk(global, Need::Existing, async |client| client.post("/v1/reindex", &body).await)?
    } else {
        here(global, args)?
    };
    if global.json {
        show::json(&done);
        return Ok(done.ok);
    }
    done.types.iter().for_each(|one| tell(one, args.dry_run));
    if done.types.is_empty() {
        let of = args.record_type.as_ref().map(|name| format!(" of type `{name}`")).unwrap_or_default();
        outln!("There are no records{of}.");
    }
    Ok(done.ok)
}

/// Rebuilds the indexes in the store of this command.
fn here(global: &Global, args: &ReindexArgs) -> Result<ReindexedTypes> {
    open::expect_store(global)?;
    let registry = open::registry(global)?;
    let defs = types(&registry, args.record_type.as_deref())?;
    let store = open::store(global)?;
    let tenants: Vec<TenantId> = if args.all {
        let detail = if args.dry_run { "dry run" } else { "" };
        let sudo = super::audit::sudo(global, store.as_ref(), "records reindex", None, detail)?;
        store.tenants(&sudo)?
    } else {
        vec![global.tenant().parse()?]
    };
    let mut types = Vec::new();
    for tenant in tenants {
        for def in &defs {
            let done = one(global, store.as_ref(), &tenant, def, args.dry_run)
                .with_context(|| format!("not all records of `{}` were checked; run the command again", def.name))?;
            if done.looked_at > 0 {
                types.push(ReindexedType::of(tenant.as_str(), &def.name, done));
            }
        }
    }
    Ok(ReindexedTypes { ok: types.iter().all(|one| one.refused == 0), dry_run: args.dry_run, types })
}

/// The named type, or all of them.
fn types(registry: &Registry, named: Option<&str>) -> Result<Vec<Arc<RecordDef>>> {
    let Some(name) = named else { return Ok(registry.records().values().cloned().collect()) };
    let Some(def) = registry.record(name) else {
        let known: Vec<&str> = registry.records().keys().map(String::as_str).collect();
        bail!("the packs have no record type `{name}`; they have {}", known.join(", "));
    };
    Ok(vec![def.clone()])
}

fn one(global: &Global, store: &dyn Store, tenant: &TenantId, def: &RecordDef, dry_run: bool) -> Result<Reindexed> {
    let bar = Progress::new(global, &format!("{tenant}: checking {}", def.name), None);
    let mut progress = |done: &Reindexed| bar.at(done.looked_at);
    Ok(reindex(store, &Scope::of(tenant.clone()), &SystemClock, def, dry_run, &mut progress)?)
}

fn tell(one: &ReindexedType, dry_run: bool) {
    let ReindexedType { tenant, record_type, looked_at, indexed, written_meanwhile, refused, reasons } = one;
    let mark = if *refused == 0 { format!("{GREEN}✓{GREEN:#}") } else { format!("{RED}✗{RED:#}") };
    let would = if dry_run { "would be " } else { "" };
    outln!(
        "{mark} {BOLD}{tenant}{BOLD:#}  {record_type}: {looked_at} checked, {indexed} {would}reindexed {DIM}· {written_meanwhile} updated concurrently · {refused} refused{DIM:#}"
    );
    for reason in reasons {
        outln!("    {reason}");
    }
}

/// The record types with stale lookup indexes.
pub(crate) fn behind(registry: &Registry, store: &dyn Store, scope: &Scope) -> Result<Vec<String>> {
    let mut list = Vec::new();
    for def in registry.records().values() {
        if is_behind(store, scope, &SystemClock, def)? {
            list.push(def.name.clone());
        }
    }
    Ok(list)
}
