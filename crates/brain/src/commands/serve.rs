//! `brain serve`: the HTTP API, until it is told to stop.

use anyhow::{Context, Result};
use brain_server::ServerConfig;

use crate::cli::{Global, ServeArgs};
use crate::open;
use crate::show::{BOLD, DIM, YELLOW};

pub(crate) fn run(global: &Global, args: &ServeArgs) -> Result<bool> {
    let runtime = open::runtime()?;
    runtime.block_on(async {
        let global = &Global { paused: args.paused, ..global.clone() };
        let kernel = open::kernel(global, true)?;
        // The first who says something in their own words does not wait for it.
        let ears = kernel.clone();
        tokio::task::spawn_blocking(move || ears.listen());
        let config = ServerConfig { max_blob: args.max_blob_mib << 20, ..ServerConfig::new(args.addr) };
        let (addr, serving) = brain_server::bind(kernel.clone(), config, stop_signal())
            .await
            .with_context(|| format!("cannot listen on {}", args.addr))?;
        if global.public_url.is_none() {
            kernel.set_public_url(&format!("http://{addr}"));
        }
        let tools = kernel.registry().tools().len();
        if global.json {
            println!("{}", serde_json::json!({"listening": addr, "store": open::store_url(global)?, "tools": tools}));
        } else {
            anstream::println!("Brain listens on {BOLD}http://{addr}{BOLD:#}");
            anstream::println!(
                "{DIM}store {} · {tools} tools · API at /openapi.json · Ctrl-C stops{DIM:#}",
                open::store_url(global)?
            );
        }
        if args.paused && !global.json {
            anstream::println!("{YELLOW}Paused{YELLOW:#}: nothing is started, woken or taken over.");
            anstream::println!(
                "{DIM}→{DIM:#} go on: curl -X PUT http://{addr}/v1/system/paused -H 'content-type: application/json' -d '{{\"paused\": false}}'"
            );
        }
        let behind = super::records::behind(kernel.registry(), kernel.store().as_ref(), &open::scope(global)?)?;
        if !behind.is_empty() {
            anstream::eprintln!(
                "{YELLOW}!{YELLOW:#} What records of {} are found by has changed; bring older ones up to date: brain records reindex",
                behind.join(", ")
            );
        }
        super::house::keep(global.config.clone(), &kernel);
        serving.await?;
        kernel.engine().stop();
        Ok(true)
    })
}

/// Ctrl-C, or the signal that service managers send.
pub(crate) async fn stop_signal() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        let Ok(mut terminate) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) else {
            drop(interrupt.await);
            return;
        };
        tokio::select! {
            _ = interrupt => {}
            _ = terminate.recv() => {}
        }
    }
    #[cfg(not(unix))]
    drop(interrupt.await);
}
