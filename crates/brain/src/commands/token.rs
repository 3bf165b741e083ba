//! `brain admin token`: bearer tokens for the HTTP API.

use anyhow::Result;
use brain_core::TokenId;
use brain_server::wire::{NewToken, Page, Token};
use serde_json::json;

use crate::cli::{Global, TokenCommand};
use crate::remote::Need;
use crate::show::{BOLD, DIM};
use crate::{show, table};

pub(crate) fn run(global: &Global, command: TokenCommand) -> Result<bool> {
    match command {
        TokenCommand::New { label, approver, permissions, tier, expires_in } => {
            let body = NewToken {
                label: Some(label),
                approver: Some(approver),
                permissions: Some(permissions).filter(|list| !list.is_empty()),
                tier,
                expires_in,
            };
            make(global, &body)
        }
        TokenCommand::List => list(global),
        TokenCommand::Revoke { id } => revoke(global, &id),
    }
}

fn make(global: &Global, body: &NewToken) -> Result<bool> {
    super::talk(global, Need::Writable, async |client| {
        let made: Token = client.post("/v1/tokens", body).await?;
        if global.json {
            show::json(&made);
            return Ok(true);
        }
        outln!("{BOLD}{}{BOLD:#}", made.token.unwrap_or_default());
        outln!("{DIM}For tenant `{}`. It is shown only now; send it as `Authorization: Bearer …`.{DIM:#}", made.tenant);
        Ok(true)
    })
}

fn list(global: &Global) -> Result<bool> {
    super::talk(global, Need::Existing, async |client| {
        let page: Page<Token> = client.get("/v1/tokens").await?;
        if global.json {
            show::json(&page);
            return Ok(true);
        }
        if page.items.is_empty() {
            outln!("No tokens. Make one: {}", crate::hint::command("admin token new"));
        }
        for token in page.items {
            let state = if token.revoked { "revoked" } else { "valid" };
            let ends = token.expires_at.as_deref().map(|at| format!("expires {}", show::moment_text(at)));
            let approver = if token.approver { "approver" } else { "" };
            let permissions = token.permissions.map(|list| list.join(", ")).unwrap_or_default();
            let facts = [
                format!("tenant {}", token.tenant),
                state.to_owned(),
                ends.unwrap_or_else(|| "does not expire".into()),
                approver.to_owned(),
                permissions,
            ];
            table::entry(&token.label, &facts, &token.id);
        }
        Ok(true)
    })
}

fn revoke(global: &Global, id: &str) -> Result<bool> {
    let id: TokenId = super::id(id, "token", "brain admin token list")?;
    super::talk(global, Need::Existing, async |client| {
        let token: Token = client.post(&format!("/v1/tokens/{id}/revoke"), &json!({})).await?;
        if global.json {
            show::json(&token);
        } else {
            outln!("Revoked token {id}.");
        }
        Ok(true)
    })
}
