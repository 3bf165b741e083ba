//! `brain audit`: lists administrative actions on all tenants' data.

use anyhow::Result;
use brain_core::{Clock, TenantId};
use brain_store::{Store, Sudo, SystemScope};

use crate::cli::Global;
use crate::show::DIM;
use crate::system::SystemClock;
use crate::{open, show};

pub(crate) fn run(global: &Global, limit: usize) -> Result<bool> {
    let rows = open::store(global)?.audit(SystemScope, limit)?;
    if global.json {
        let items: Vec<_> = rows
            .iter()
            .map(|row| {
                serde_json::json!({"at": row.at, "who": row.who, "what": row.what, "tenant": row.tenant, "detail": row.detail})
            })
            .collect();
        show::json(&serde_json::json!({"items": items}));
        return Ok(true);
    }
    if rows.is_empty() {
        anstream::println!("No administrative actions recorded.");
    }
    for row in rows {
        let tenant = row.tenant.as_ref().map_or("all", TenantId::as_str);
        let at = show::moment(row.at);
        anstream::println!("{at}  {:<12} {tenant:<12} {} {DIM}{}{DIM:#}", row.what, row.who, row.detail);
    }
    Ok(true)
}

/// Grants access to all tenants' data by recording the action in the audit log.
pub(crate) fn sudo(store: &dyn Store, what: &str, tenant: Option<&TenantId>, detail: &str) -> Result<Sudo> {
    let who = std::env::var("USER").ok().filter(|user| !user.is_empty()).unwrap_or_else(|| "command line".into());
    Ok(Sudo::because(store, SystemClock.now(), &who, what, tenant, detail)?)
}
