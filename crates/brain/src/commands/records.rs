//! `brain records reindex`: rebuilds record lookup indexes.

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use brain_core::TenantId;
use brain_kernel::{Reindexed, is_behind, reindex};
use brain_registry::Registry;
use brain_registry::model::RecordDef;
use brain_store::{Scope, Store};
use serde_json::json;

use crate::cli::{Global, ReindexArgs};
use crate::progress::Progress;
use crate::show::{BOLD, DIM, GREEN, RED};
use crate::system::SystemClock;
use crate::{open, show};

pub(crate) fn run(global: &Global, args: &ReindexArgs) -> Result<bool> {
    let registry = open::registry(global)?;
    let types = types(&registry, args.record_type.as_deref())?;
    let store = open::store(global)?;
    let tenants: Vec<TenantId> = if args.all {
        let detail = if args.dry_run { "dry run" } else { "" };
        let sudo = super::audit::sudo(global, store.as_ref(), "records reindex", None, detail)?;
        store.tenants(&sudo)?
    } else {
        vec![global.tenant().parse()?]
    };
    let mut list = Vec::new();
    for tenant in tenants {
        for def in &types {
            let done = one(global, store.as_ref(), &tenant, def, args.dry_run)
                .with_context(|| format!("not all records of `{}` were checked; run the command again", def.name))?;
            if done.looked_at > 0 {
                tell(global, &tenant, def, &done, args.dry_run);
                list.push((tenant.clone(), def.name.clone(), done));
            }
        }
    }
    let ok = list.iter().all(|(_, _, done)| done.refused == 0);
    if global.json {
        let items = list.iter().map(|(tenant, kind, done)| {
            json!({
                "tenant": tenant, "type": kind, "looked_at": done.looked_at, "indexed": done.indexed,
                "written_meanwhile": done.written_meanwhile, "refused": done.refused, "reasons": done.reasons,
            })
        });
        show::json(&json!({"ok": ok, "dry_run": args.dry_run, "types": items.collect::<Vec<_>>()}));
    } else if list.is_empty() {
        anstream::println!("No records of this type.");
    }
    Ok(ok)
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

fn tell(global: &Global, tenant: &TenantId, def: &RecordDef, done: &Reindexed, dry_run: bool) {
    if global.json {
        return;
    }
    let mark = if done.refused == 0 { format!("{GREEN}✓{GREEN:#}") } else { format!("{RED}✗{RED:#}") };
    let would = if dry_run { "would be " } else { "" };
    let Reindexed { looked_at, indexed, written_meanwhile, refused, reasons } = done;
    anstream::println!(
        "{mark} {BOLD}{tenant}{BOLD:#}  {}: {looked_at} checked, {indexed} {would}reindexed {DIM}· {written_meanwhile} updated concurrently · {refused} refused{DIM:#}",
        def.name
    );
    for reason in reasons {
        anstream::println!("    {reason}");
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
