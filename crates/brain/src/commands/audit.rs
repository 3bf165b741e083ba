//! `brain admin audit`: lists administrative actions on all tenants' data.

use anyhow::Result;
use brain_core::{Clock, TenantId};
use brain_server::wire::{AuditEntry, Page};
use brain_store::{Store, Sudo};

use crate::cli::Global;
use crate::remote::Need;
use crate::system::{SystemClock, user_name};
use crate::{show, table};

pub(crate) fn run(global: &Global, limit: usize) -> Result<bool> {
    super::talk(global, Need::Existing, async |client| {
        let query = [("limit", Some(limit.clamp(1, 200).to_string()))];
        let page: Page<AuditEntry> = client.ask("/v1/audit", &query).await?;
        if global.json {
            show::json(&page);
            return Ok(true);
        }
        if page.items.is_empty() {
            outln!("No administrative actions recorded.");
        }
        for row in page.items {
            let tenant = row.tenant.map_or_else(|| "all tenants".into(), |tenant| format!("tenant {tenant}"));
            let facts = [show::moment_text(&row.at), format!("by {}", row.who), tenant, row.detail];
            table::entry(&row.what, &facts, "");
        }
        Ok(true)
    })
}

/// Grants access to all tenants' data by recording the action in the audit log.
pub(crate) fn sudo(
    global: &Global,
    store: &dyn Store,
    what: &str,
    tenant: Option<&TenantId>,
    detail: &str,
) -> Result<Sudo> {
    let who = global.acting_as.clone().unwrap_or_else(user_name);
    Ok(Sudo::because(store, SystemClock.now(), &who, what, tenant, detail)?)
}
