//! `brain serve`: runs the HTTP API until it is stopped.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use brain_core::Clock;
use brain_kernel::{KernelSlot, ReloadError};
use brain_server::ServerConfig;
use brain_store::Store;

use super::upkeep::Own;
use crate::cli::{Global, ServeArgs};
use crate::notify;
use crate::open;
use crate::remote::socket_path;
use crate::show::{BOLD, DIM, YELLOW};
use crate::system::SystemClock;

/// The default address.
pub(crate) const ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7700);
/// The default maximum size of an uploaded file, in mebibytes.
const MAX_BLOB_MIB: u64 = 1024;

pub(crate) fn run(global: &Global, args: &ServeArgs) -> Result<bool> {
    let runtime = open::runtime()?;
    runtime.block_on(async {
        let global = &Global { paused: args.paused, ..global.clone() };
        let file = global.config();
        let address = file.address.unwrap_or(ADDRESS);
        // Before anything listens: a receiver that cannot be used ends the command.
        let receivers = notify::receivers(file.notify())?;
        let (registry, store) = (open::registry(global)?, open::store(global)?);
        refuse_without_token(store.as_ref(), address, args)?;
        let kernel = open::kernel_over(global, registry, store, true)?;
        let again = global.clone();
        let slot = KernelSlot::new(kernel.clone(), Box::new(move || open::load_packs(&[], &again)));
        // Warm up in the background, so that the first request does not wait for it.
        let starting = kernel.clone();
        tokio::task::spawn_blocking(move || starting.warm_up());
        let drain = file.drain().as_std();
        let mut config = ServerConfig {
            max_blob: file.max_blob_mib.unwrap_or(MAX_BLOB_MIB) << 20,
            socket: socket_path(global)?,
            // Clients that wait for a call in flight still get the answer.
            shutdown_grace: drain,
            upkeep: Some(Arc::new(Own { settings: global.settings.clone(), store: open::store_url(global)? })),
            ..ServerConfig::new(address)
        };
        if let Some(limit) = file.request_time() {
            config.request_timeout = limit.as_std();
        }
        if let Some(limit) = file.slow_request() {
            config.slow_request = limit.as_std();
        }
        let mut signals = count_signals();
        let (mut first, engine) = (signals.clone(), kernel.engine().clone());
        let stopping = async move {
            drop(first.wait_for(|signals| *signals >= 1).await);
            tracing::info!(outside_calls = engine.outside_jobs(), "stopping");
            engine.pause(true);
            engine.retire();
        };
        let (bound, serving) = brain_server::bind(slot.clone(), config, stopping)
            .await
            .with_context(|| format!("cannot listen on {address}"))?;
        let addr = bound.addr;
        if global.public_url.is_none() {
            kernel.set_public_url(&format!("http://{addr}"));
        }
        let tools = kernel.registry().tools().values().filter(|tool| !tool.def.is_generated()).count();
        if global.json {
            crate::out::text(format_args!("{}\n", serde_json::json!({"listening": addr, "socket": bound.socket, "store": open::store_url(global)?, "tools": tools})));
        } else {
            outln!("Brain listens on {BOLD}http://{addr}{BOLD:#}");
            outln!(
                "{DIM}store {} · {tools} tools · API reference at /docs · Ctrl-C stops{DIM:#}",
                open::store_url(global)?
            );
        }
        let packs: Vec<String> =
            kernel.registry().packs().values().map(|pack| format!("{} {}", pack.name, pack.version)).collect();
        let (version, store) = (env!("CARGO_PKG_VERSION"), open::store_url(global)?);
        tracing::info!(address = %addr, store, packs = packs.join(", "), tools, version, "started");
        if args.paused && !global.json {
            outln!("{YELLOW}Paused{YELLOW:#}: no external calls, timers or take-overs. Record steps still run.");
            outln!(
                "{DIM}→{DIM:#} to resume: curl -X PUT http://{addr}/v1/system/paused -H 'content-type: application/json' -d '{{\"paused\": false}}'"
            );
        }
        let behind = super::records::behind(kernel.registry(), kernel.store().as_ref(), &open::scope(global)?)?;
        if !behind.is_empty() {
            anstream::eprintln!(
                "{YELLOW}!{YELLOW:#} The lookup fields of {} changed. Run `brain records reindex` to update existing records.",
                behind.join(", ")
            );
        }
        let reached_at = global.public_url.clone().unwrap_or_else(|| format!("http://{addr}"));
        notify::start(file.notify(), receivers, kernel.engine(), &reached_at)?;
        super::housekeeping::start(global.settings.clone(), &slot);
        reload_on_hangup(slot);
        let ended = async {
            serving.await?;
            let under_way = kernel.engine().outside_jobs();
            if under_way > 0 {
                tracing::warn!(under_way, "waiting for external calls; a second signal stops at once");
            }
            anyhow::Ok(kernel.engine().drain(drain).await)
        };
        // Open requests and external calls share the grace period, so that a service manager with the same timeout
        // never has to kill.
        let mut asked = signals.clone();
        let late = async move {
            drop(asked.wait_for(|signals| *signals >= 1).await);
            tokio::time::sleep(drain).await;
        };
        let drained = tokio::select! {
            drained = ended => drained?,
            () = late => kernel.engine().outside_jobs() == 0,
            _ = signals.wait_for(|signals| *signals >= 2) => false,
        };
        if !drained {
            let under_way = kernel.engine().outside_jobs();
            tracing::warn!(under_way, "external calls were still in flight; the next server takes them over");
        }
        kernel.engine().stop();
        if let Err(error) = kernel.store().checkpoint() {
            tracing::warn!(%error, "the write-ahead log could not be merged into the store file; keep the files next to it");
        }
        tracing::info!(drained, "stopped");
        Ok(true)
    })
}

/// Refuses to listen beyond loopback without a token: usually a mistake.
fn refuse_without_token(store: &dyn Store, address: SocketAddr, args: &ServeArgs) -> Result<()> {
    if address.ip().to_canonical().is_loopback() || args.without_tokens {
        return Ok(());
    }
    let now = SystemClock.now();
    if !store.tokens()?.iter().any(|token| !token.revoked && token.expires_at.is_none_or(|end| end > now)) {
        bail!(
            "{address} is not a loopback address, and the store has no token that is valid: nobody could use this server. \
             Make one with `brain admin token new --tenant TENANT`, or start with --without-tokens and make it later"
        );
    }
    Ok(())
}

/// Reloads the packs on SIGHUP.
fn reload_on_hangup(slot: KernelSlot) {
    #[cfg(unix)]
    {
        let Ok(mut hangup) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()) else {
            tracing::warn!("SIGHUP cannot be caught; use `brain reload`");
            return;
        };
        tokio::spawn(async move {
            while hangup.recv().await.is_some() {
                let slot = slot.clone();
                drop(tokio::task::spawn_blocking(move || reload(&slot)).await);
            }
        });
    }
    #[cfg(not(unix))]
    drop(slot);
}

/// Reloads the packs and logs the outcome with every error.
fn reload(slot: &KernelSlot) {
    match slot.reload() {
        Ok(done) => {
            tracing::info!(packs = ?done.packs, tools = done.tools, changed = done.changed.len(), "packs reloaded");
        }
        Err(ReloadError::Refused(report)) => {
            for one in report.diagnostics() {
                let place = format!("{}:{}:{}", one.file, one.line, one.column);
                tracing::warn!(code = one.code, place, "{}", one.message);
            }
            tracing::warn!(errors = report.errors(), "packs not reloaded; the previous ones stay in use");
        }
        Err(error) => tracing::warn!(%error, "packs not reloaded"),
    }
}

/// Counts stop signals. The counting task starts with the call.
fn count_signals() -> tokio::sync::watch::Receiver<u32> {
    let (send, receive) = tokio::sync::watch::channel(0);
    tokio::spawn(async move {
        loop {
            stop_signal().await;
            send.send_modify(|signals| *signals += 1);
        }
    });
    receive
}

/// Waits for Ctrl-C or SIGTERM.
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
