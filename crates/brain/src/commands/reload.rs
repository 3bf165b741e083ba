//! `brain reload`: makes a running server reload its packs.

use anyhow::{Result, bail};
use brain_server::wire::PacksReloaded;
use serde_json::json;

use super::serve::ADDRESS;
use crate::cli::Global;
use crate::config::{Given, Settings};
use crate::remote::{Need, Refused, Target, target};
use crate::show;
use crate::show::{BOLD, DIM, RED};

pub(crate) fn run(global: &Global) -> Result<bool> {
    let global = &at_usual_address(global)?;
    super::talk(global, Need::Existing, async |client| {
        if !client.is_server() {
            bail!("no server runs on this store; name one with --server URL");
        }
        let done: PacksReloaded = match client.post("/v1/packs/reload", &json!({})).await {
            Ok(done) => done,
            Err(error) => return refused(global, error),
        };
        if global.json {
            show::json(&done);
            return Ok(true);
        }
        for (name, version) in &done.packs {
            outln!("{BOLD}{name}{BOLD:#} {version}");
        }
        for (names, label) in [(&done.changed, "new or changed"), (&done.removed, "removed")] {
            if !names.is_empty() {
                outln!("{DIM}{label}: {}{DIM:#}", names.join(", "));
            }
        }
        outln!("Reloaded {}.", show::count(done.tools, "tool"));
        Ok(true)
    })
}

/// Without a server of the store, the one at the configured or usual address is meant.
fn at_usual_address(global: &Global) -> Result<Global> {
    let is_store = matches!(target(global)?, Target::Store);
    if !is_store || crate::remote::listens(global)? || global.settings.is_given("store") {
        return Ok(global.clone());
    }
    let address = global.config().address.unwrap_or(ADDRESS);
    let given = vec![Given::flag("server", "--server", format!("http://{address}"))];
    let settings = Settings::resolve(global.config.as_deref(), given)?;
    Ok(Global { settings: std::sync::Arc::new(settings), ..global.clone() })
}

fn refused(global: &Global, error: anyhow::Error) -> Result<bool> {
    let Some(Refused(document)) = error.downcast_ref::<Refused>().filter(|_| !global.json) else { return Err(error) };
    for one in &document.errors {
        anstream::eprintln!("{RED}✗{RED:#} {}  {}", one.field, one.message);
    }
    anstream::eprintln!("{}", document.detail);
    Ok(false)
}
