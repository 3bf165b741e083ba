//! Checks that the packs fit the store and this machine: tools and record types that no pack has, secrets that cannot
//! be resolved, unreachable hosts, clock skew.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use anyhow::Result;
use brain_core::{Clock, Millis, RecordId, Timestamp};
use brain_registry::Registry;
use brain_registry::model::{Auth, Behavior};
use brain_store::{Scope, Store, SystemScope};
use brain_tools::resolve_secret;
use brain_vm::Program;

use super::Finding;
use crate::notify::NotifyConfig;
use crate::system::SystemClock;

/// Number of newest runs to inspect.
const RUNS: usize = 200;
/// Maximum number of names in a finding.
const NAMED: usize = 5;
/// Maximum number of hosts to try.
const HOSTS: usize = 32;
/// Connection timeout.
const CONNECT: Duration = Duration::from_secs(3);
/// Tolerated clock skew.
const SKEW: Millis = Millis(5_000);
/// The largest possible id.
const LAST: &str = "ffffffff-ffff-ffff-ffff-ffffffffffff";
/// Prefix of Brain's own record types.
const OWN: &str = "brain.";

/// Checks that the loaded packs have every tool and record type that a tenant's runs and records use.
pub(super) fn store_fits(registry: &Registry, store: &dyn Store, scope: &Scope) -> Result<Finding> {
    let (mut known, mut unknown) = (0, BTreeSet::new());
    for name in tools_of_runs(store, scope)? {
        if registry.tool(&name).is_some() {
            known += 1;
        } else {
            unknown.insert(format!("tool {name}"));
        }
    }
    for kind in record_types(store, scope)? {
        if registry.records().contains_key(&kind) {
            known += 1;
        } else {
            unknown.insert(format!("record type {kind}"));
        }
    }
    let names: Vec<&str> = unknown.iter().take(NAMED).map(String::as_str).collect();
    let more = if unknown.len() > NAMED { format!(" and {} more", unknown.len() - NAMED) } else { String::new() };
    let list = format!("{}{more}", names.join(", "));
    Ok(match (known, unknown.len()) {
        (_, 0) => Finding::good("pack and store", "the packs have every tool and record type that the store uses"),
        (0, _) => Finding::bad(
            "pack and store",
            format!("no loaded pack has {list}, which the store uses: check --pack and --store"),
        ),
        _ => Finding::look(
            "pack and store",
            format!("used by the store, but not in any loaded pack: {list}; runs in progress keep their definitions"),
        ),
    })
}

/// The tools of the newest runs' plans.
fn tools_of_runs(store: &dyn Store, scope: &Scope) -> Result<BTreeSet<String>> {
    let rows = store.runs(scope, None, RUNS, None)?.items;
    let programs: BTreeSet<_> = rows.iter().filter_map(|row| row.program).collect();
    let mut tools = BTreeSet::new();
    for hash in programs {
        let Some(body) = store.definition(hash)? else { continue };
        let Ok(program) = serde_json::from_value::<Program>(body) else { continue };
        tools.extend(program.steps.iter().flat_map(|step| step.tools()).map(|tool| tool.name.clone()));
    }
    Ok(tools)
}

/// The tenant's record types, with one lookup per type.
fn record_types(store: &dyn Store, scope: &Scope) -> Result<Vec<String>> {
    let last: RecordId = LAST.parse().expect("the largest UUID is one");
    let mut kinds: Vec<String> = Vec::new();
    let mut after: Option<(String, RecordId)> = None;
    while let Some(found) = store.records_after(scope, after.as_ref(), 1)?.into_iter().next() {
        kinds.push(found.row.kind.clone());
        after = Some((found.row.kind, last));
    }
    kinds.retain(|kind| !kind.starts_with(OWN));
    Ok(kinds)
}

/// Checks that every secret that the packs and the notifications refer to can be resolved here.
pub(super) fn secrets(registry: &Registry, notify: &NotifyConfig) -> Finding {
    let mut missing: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut count = BTreeSet::new();
    for tool in registry.tools().values() {
        let auth = match &tool.def.behavior {
            Behavior::Http(http) => http.auth.as_ref(),
            _ => None,
        };
        let of_auth = auth.map(|auth| match auth {
            Auth::Bearer(reference)
            | Auth::Header { value: reference, .. }
            | Auth::Basic { password: reference, .. } => reference,
        });
        for reference in of_auth.into_iter().chain(tool.def.delegate.as_ref().map(|delegate| &delegate.secret)) {
            count.insert(reference);
            if let Err(error) = resolve_secret(reference) {
                missing.entry(error.to_string()).or_default().push(&tool.def.name);
            }
        }
    }
    if let Some(reference) = notify.secret.as_ref().filter(|_| notify.webhook.is_some()) {
        count.insert(reference);
        if let Err(error) = resolve_secret(reference) {
            missing.entry(error.to_string()).or_default().push("notify.webhook");
        }
    }
    if missing.is_empty() {
        let detail = match count.len() {
            0 => "none needed".to_owned(),
            number => format!("{} can be read", crate::show::count(number, "secret")),
        };
        return Finding::good("secrets", detail);
    }
    let list = missing.iter().map(|(why, tools)| format!("{why} (used by {})", tools.join(", ")));
    Finding::bad("secrets", list.collect::<Vec<_>>().join("; "))
}

/// Checks that the packs' hosts may be called and accept connections. An unreachable host may come back, so that only
/// warns; a private one is refused until the operator allows it.
pub(super) fn hosts(registry: &Registry, allow_private: bool) -> Finding {
    let declared: BTreeSet<&String> = registry.packs().values().flat_map(|pack| &pack.hosts).collect();
    let wanted: Vec<(&String, u16)> =
        declared.into_iter().take(HOSTS).map(|host| (host, port(registry, host))).collect();
    let private: Vec<String> = match allow_private {
        true => Vec::new(),
        false => {
            wanted.iter().filter(|(host, port)| is_private(host, *port)).map(|(host, _)| (*host).clone()).collect()
        }
    };
    if !private.is_empty() {
        let detail = format!(
            "calls of {} are refused: a loopback or private address needs --allow-private-hosts or `allow_private_hosts`",
            private.join(", ")
        );
        return Finding::bad("hosts", detail);
    }
    let tried: Vec<Option<String>> = std::thread::scope(|threads| {
        let each = wanted.iter().map(|(host, port)| threads.spawn(|| reach(host, *port)));
        let running: Vec<_> = each.collect();
        running.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Some("the check failed".into()))).collect()
    });
    let failed: Vec<String> = tried.into_iter().flatten().collect();
    match (wanted.len(), failed.as_slice()) {
        (0, _) => Finding::good("hosts", "the packs call none"),
        (number, []) => Finding::good("hosts", format!("{} reachable", crate::show::count(number, "host"))),
        (_, failed) => Finding::look("hosts", failed.join("; ")),
    }
}

/// The port of a declared host, else the port in the URLs of the tools that call it.
fn port(registry: &Registry, host: &str) -> u16 {
    if let Some((_, port)) = host.rsplit_once(':')
        && let Ok(port) = port.parse()
    {
        return port;
    }
    let plain = format!("http://{host}");
    let calls_plain = registry.tools().values().any(|tool| match &tool.def.behavior {
        Behavior::Http(http) => http.url.source().as_str().is_some_and(|url| url.starts_with(&plain)),
        _ => false,
    });
    if calls_plain { 80 } else { 443 }
}

/// Whether every address of a host is loopback or private.
fn is_private(host: &str, port: u16) -> bool {
    let Ok(addresses) = (name_of(host), port).to_socket_addrs() else { return false };
    let addresses: Vec<_> = addresses.collect();
    !addresses.is_empty() && addresses.iter().all(|address| brain_tools::is_private(address.ip()))
}

/// A declared host without its port and the brackets of an IPv6 address.
fn name_of(host: &str) -> &str {
    let name = host.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()).map_or(host, |(name, _)| name);
    name.trim_start_matches('[').trim_end_matches(']')
}

/// Why a host cannot be reached; `None` if it can.
fn reach(host: &str, port: u16) -> Option<String> {
    let name = name_of(host);
    let failed = |why: String| Some(format!("cannot reach {name}:{port}: {why}"));
    let addresses = match (name, port).to_socket_addrs() {
        Ok(addresses) => addresses.collect::<Vec<_>>(),
        Err(error) => return failed(error.to_string()),
    };
    let mut last = "it has no address".to_owned();
    for address in addresses {
        match TcpStream::connect_timeout(&address, CONNECT) {
            Ok(_) => return None,
            Err(error) => last = error.to_string(),
        }
    }
    failed(last)
}

/// Checks this machine's clock against the database's, or else against the newest run.
pub(super) fn clock(store: &dyn Store, scope: &Scope) -> Result<Finding> {
    let now = SystemClock.now();
    if let Some(theirs) = store.clock(SystemScope)? {
        let off = Millis(now.as_millis().abs_diff(theirs.as_millis()));
        return Ok(if off > SKEW {
            Finding::look(
                "clock",
                format!("differs from the database's clock by {off}; timers and timestamps are wrong by as much"),
            )
        } else {
            Finding::good("clock", "agrees with the database's")
        });
    }
    let newest = store.runs(scope, None, 1, None)?.items.first().map(|row| row.updated_at.max(row.created_at));
    Ok(judge(now, newest))
}

fn judge(now: Timestamp, newest: Option<Timestamp>) -> Finding {
    match newest {
        Some(newest) if newest > now.plus(SKEW) => Finding::look(
            "clock",
            format!(
                "the newest run is from {newest}, {} ahead of this machine's clock: is the clock right?",
                newest.since(now)
            ),
        ),
        _ => Finding::good("clock", now.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn a_clock_behind_the_newest_run_is_noticed() {
        let now = Timestamp::from_millis(1_772_442_000_000);
        assert!(judge(now, None).level == Level::Good);
        assert!(judge(now, Some(now.plus(SKEW))).level == Level::Good, "a little is nothing");
        let finding = judge(now, Some(now.plus(Millis(3_600_000))));
        assert!(finding.level == Level::Look && finding.detail.contains("1h"), "{}", finding.detail);
    }
}
