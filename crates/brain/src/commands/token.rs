//! `brain token`: bearer tokens for the HTTP API.

use anyhow::{Context, Result};
use brain_core::{Clock, Millis, TenantId, TokenId};

use crate::cli::{Global, TokenCommand};
use crate::show::{BOLD, DIM};
use crate::system::{SystemClock, SystemRandom};
use crate::{open, show};

pub(crate) fn run(global: &Global, command: TokenCommand) -> Result<bool> {
    let store = open::store(global)?;
    match command {
        TokenCommand::New { label, approver, permissions, tier, expires_in } => {
            let tenant: TenantId = global.tenant().parse()?;
            let now = SystemClock.now();
            let expires = expires_in.map(|text| text.parse::<Millis>()).transpose()?.map(|length| now.plus(length));
            let mut secret = [0; 32];
            getrandom::fill(&mut secret).context("the operating system has no random numbers")?;
            let permissions = (!permissions.is_empty()).then_some(permissions);
            let grants = brain_server::Grants { approver, permissions, tier };
            let (row, shown) = brain_server::new_token(tenant, &label, grants, expires, now, &mut SystemRandom, secret);
            let detail = format!("{} “{label}”", row.id);
            super::audit::sudo(store.as_ref(), "token new", Some(&row.tenant), &detail)?;
            store.put_token(&row)?;
            if global.json {
                show::json(
                    &serde_json::json!({"id": row.id, "tenant": row.tenant, "token": shown, "approver": approver, "permissions": row.permissions, "tier": row.tier, "expires_at": row.expires_at}),
                );
            } else {
                anstream::println!("{BOLD}{shown}{BOLD:#}");
                anstream::println!(
                    "{DIM}For tenant `{}`. It is shown only now; send it as `Authorization: Bearer …`.{DIM:#}",
                    row.tenant
                );
            }
            Ok(true)
        }
        TokenCommand::List => {
            let rows = store.tokens()?;
            if global.json {
                let items: Vec<_> = rows
                    .iter()
                    .map(|row| serde_json::json!({"id": row.id, "tenant": row.tenant, "label": row.label, "created_at": row.created_at, "expires_at": row.expires_at, "approver": row.approver, "permissions": row.permissions, "tier": row.tier, "revoked": row.revoked}))
                    .collect();
                show::json(&serde_json::json!({"items": items, "next_cursor": null}));
                return Ok(true);
            }
            if rows.is_empty() {
                anstream::println!("No tokens. Make one: brain token new --tenant acme");
            }
            for row in rows {
                let state = if row.revoked { "revoked" } else { "valid" };
                let ends = row.expires_at.map_or_else(|| "never".into(), show::moment);
                anstream::println!("{}  {:<12} {:<16} {state}, ends {ends}", row.id, row.tenant.to_string(), row.label);
            }
            Ok(true)
        }
        TokenCommand::Revoke { id } => {
            let id: TokenId = id.parse()?;
            let mut row = store.token(id)?.with_context(|| format!("there is no token {id}"))?;
            row.revoked = true;
            super::audit::sudo(store.as_ref(), "token revoke", Some(&row.tenant), &id.to_string())?;
            store.put_token(&row)?;
            if global.json {
                show::json(&serde_json::json!({"id": id, "revoked": true}));
            } else {
                anstream::println!("Revoked token {id}.");
            }
            Ok(true)
        }
    }
}
