//! `brain admin store copy`: copies one store into another.

use std::time::Instant;

use anyhow::{Result, bail};
use brain_core::{Clock, TenantId};
use brain_engine::Liveness;
use brain_store::copy::{Counts, Part, copy_shared, copy_tenant, is_empty, survey};
use brain_store::{Scope, Store, SystemScope, redact};
use serde_json::{Map, Value, json};

use crate::cli::{CopyArgs, Global};
use crate::progress::Progress;
use crate::show::{BOLD, DIM, GREEN};
use crate::system::{ProcessLiveness, SystemClock};
use crate::{open, show};

pub(crate) fn copy(global: &Global, args: &CopyArgs) -> Result<bool> {
    if args.from == args.to {
        bail!("the source and the target are the same store");
    }
    // Opening a missing file would create it.
    if let Some(path) = args.from.strip_prefix("sqlite:").map(|path| path.strip_prefix("//").unwrap_or(path))
        && !std::path::Path::new(path).exists()
    {
        bail!("there is no file {path}");
    }
    let from = open::store_at(&args.from)?;
    let only: Option<TenantId> =
        global.tenant.as_ref().filter(|_| global.settings.is_given("tenant")).map(|name| name.parse()).transpose()?;
    if !args.force {
        refuse_if_alive(from.as_ref())?;
    }
    let detail = format!("from {} to {}", redact(&args.from), redact(&args.to));
    let sudo = super::audit::sudo(global, from.as_ref(), "store copy", only.as_ref(), &detail)?;
    let tenants = match &only {
        Some(tenant) => vec![tenant.clone()],
        None => from.tenants(&sudo)?,
    };
    let scopes: Vec<Scope> = tenants.iter().cloned().map(Scope::of).collect();
    // Opening the target would create its tables.
    if args.dry_run {
        return dry_run(global, from.as_ref(), &scopes);
    }
    let to = open::store_at(&args.to)?;
    if !args.go_on {
        for scope in &scopes {
            if !is_empty(to.as_ref(), scope)? {
                bail!(
                    "the target already has runs or records of tenant `{}`; nothing was written. Use an empty store, or continue an interrupted copy with --continue",
                    scope.tenant()
                );
            }
        }
    }
    super::audit::sudo(global, to.as_ref(), "store copy", only.as_ref(), &detail)?;
    let started = Instant::now();
    let Some(first) = scopes.first() else { bail!("the source is empty") };
    let mut copied = vec![copy_shared(from.as_ref(), to.as_ref(), &sudo, first, only.as_ref())?];
    for scope in &scopes {
        let bar = Progress::new(global, &format!("copying {}", scope.tenant()), None);
        copied.push(copy_tenant(from.as_ref(), to.as_ref(), scope, &mut |counts| bar.at(counts.total()))?);
    }
    let took = started.elapsed();
    let differ: Vec<&TenantId> = scopes
        .iter()
        .filter_map(|scope| match (survey(from.as_ref(), scope), survey(to.as_ref(), scope)) {
            (Ok(source), Ok(target)) if source == target => None,
            _ => Some(scope.tenant()),
        })
        .collect();
    let same = differ.is_empty();
    let rows: u64 = copied.iter().map(Counts::total).sum();
    if global.json {
        show::json(&json!({
            "ok": same, "tenants": tenants, "rows": table(&copied), "total": rows, "differ": differ,
            "milliseconds": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        }));
        return Ok(same);
    }
    show_table(&copied);
    outln!("{DIM}{rows} rows in {:.1} s{DIM:#}", took.as_secs_f64());
    if same {
        outln!(
            "{GREEN}✓{GREEN:#} The copy is complete: both stores hold the same data for {}.",
            show::count(scopes.len(), "tenant")
        );
        outln!("{DIM}→{DIM:#} start: brain serve --store {}", redact(&args.to));
    } else {
        let names: Vec<&str> = differ.iter().map(|tenant| tenant.as_str()).collect();
        bail!("the stores differ for {}: one of them was written to during the copy", names.join(", "));
    }
    Ok(same)
}

/// Refuses a source that a process still writes to: the copy would diverge from it.
fn refuse_if_alive(store: &dyn Store) -> Result<()> {
    for node in store.nodes(SystemScope, SystemClock.now())? {
        if node.lapsed.is_none() && !ProcessLiveness.is_gone(&node.liveness) {
            let node = node.id;
            bail!("node {node} is using the source; stop it first, or copy its current state with --force");
        }
    }
    Ok(())
}

fn dry_run(global: &Global, from: &dyn Store, scopes: &[Scope]) -> Result<bool> {
    let counts: Vec<Counts> = scopes.iter().map(|scope| Ok(survey(from, scope)?.0)).collect::<Result<_>>()?;
    if global.json {
        let tenants: Vec<&TenantId> = scopes.iter().map(Scope::tenant).collect();
        show::json(&json!({"dry_run": true, "tenants": tenants, "rows": table(&counts)}));
    } else {
        show_table(&counts);
        outln!("{DIM}nothing was written{DIM:#}");
    }
    Ok(true)
}

fn table(list: &[Counts]) -> Value {
    let row = |part: Part| {
        let rows: u64 = list.iter().map(|counts| counts.of(part)).sum();
        (part.name().replace(' ', "_"), json!(rows))
    };
    Value::Object(Part::ALL.into_iter().map(row).collect::<Map<_, _>>())
}

fn show_table(list: &[Counts]) {
    for part in Part::ALL {
        let rows: u64 = list.iter().map(|counts| counts.of(part)).sum();
        if rows > 0 {
            outln!("{BOLD}{rows:>10}{BOLD:#}  {}", part.name());
        }
    }
}
