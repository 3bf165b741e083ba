//! `brain doctor`: checks packs, store, secrets, hosts and clock.

mod fits;

use std::time::Instant;

use anyhow::Result;
use brain_core::{ApprovalStatus, Clock, Millis};
use brain_kernel::{Kernel, NextAction};
use brain_registry::Registry;
use brain_server::wire::{Doctor, DoctorCheck};
use brain_store::{Scope, Store, SystemScope};

use crate::cli::Global;
use crate::config::Config;
use crate::remote::{self, Need};
use crate::show::{DIM, GREEN, RED, YELLOW};
use crate::system::SystemClock;
use crate::{next_action, open, show, table};

/// Waiting things that are counted at most.
const MANY: usize = 100;
/// The checks that depend on the packs and settings of a server.
const OF_PACKS: [&str; 5] = ["packs", "pack and store", "indexes", "secrets", "hosts"];

struct Finding {
    what: &'static str,
    level: Level,
    detail: String,
    actions: Vec<NextAction>,
}

impl Finding {
    fn new(what: &'static str, level: Level, detail: impl Into<String>) -> Self {
        Self { what, level, detail: detail.into(), actions: Vec::new() }
    }

    fn good(what: &'static str, detail: impl Into<String>) -> Self {
        Self::new(what, Level::Good, detail)
    }

    fn look(what: &'static str, detail: impl Into<String>) -> Self {
        Self::new(what, Level::Look, detail)
    }

    fn bad(what: &'static str, detail: impl Into<String>) -> Self {
        Self::new(what, Level::Bad, detail)
    }

    /// Adds a next action. It is kept as data, because the client renders it as a command for its own target.
    fn then(mut self, action: NextAction) -> Self {
        self.actions.push(action);
        self
    }
}

/// Severity of a finding; only `Bad` makes the command fail.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Good,
    Look,
    Bad,
}

impl From<Finding> for DoctorCheck {
    fn from(one: Finding) -> Self {
        let level = match one.level {
            Level::Good => "good",
            Level::Look => "look",
            Level::Bad => "bad",
        };
        Self { check: one.what.to_owned(), level: level.to_owned(), detail: one.detail, actions: one.actions }
    }
}

pub(crate) fn run(global: &Global) -> Result<bool> {
    let checks = if super::is_remote(global)? { ask(global)?.checks } else { here(global)? };
    let ok = checks.iter().all(|check| check.level != "bad");
    if global.json {
        show::json(&Doctor { ok, checks });
        return Ok(ok);
    }
    for DoctorCheck { check, level, detail, actions } in &checks {
        let mark = match level.as_str() {
            "good" => format!("{GREEN}✓{GREEN:#}"),
            "look" => format!("{YELLOW}!{YELLOW:#}"),
            _ => format!("{RED}✗{RED:#}"),
        };
        let mut head = format!("{mark} {check:<14}");
        for line in table::wrap_all(&with_commands(detail, actions), table::width().saturating_sub(18)) {
            outln!("{head}  {DIM}{line}{DIM:#}");
            head = " ".repeat(16);
        }
    }
    Ok(ok)
}

/// What was found, and the commands that do something about it.
fn with_commands(detail: &str, actions: &[NextAction]) -> String {
    let commands = actions.iter().filter_map(next_action::command);
    std::iter::once(detail.to_owned()).chain(commands).collect::<Vec<_>>().join(": ")
}

/// What the server that commands talk to finds.
fn ask(global: &Global) -> Result<Doctor> {
    // There is no need to say that --pack is not the server's.
    let global = Global { quiet: true, ..global.clone() };
    super::talk(&global, Need::Existing, async |client| client.get("/v1/doctor").await)
}

/// Checks the store of this command. If a server answers for the store, its packs and its settings decide, unless the
/// command names packs to check.
fn here(global: &Global) -> Result<Vec<DoctorCheck>> {
    let server = if remote::listens(global)? { Some(ask(global)) } else { None };
    if let Some(Ok(found)) = &server
        && !global.settings.is_given("packs")
    {
        let mut checks = found.checks.clone();
        checks.push(
            of_server(found, open::load_packs(&[], global).ok().map(|loaded| loaded.registry).as_ref(), false).into(),
        );
        return Ok(checks);
    }
    let mut findings = vec![version()];
    let registry = match open::load_packs(&[], global) {
        Ok(loaded) => {
            findings.push(packs(&loaded.registry, loaded.warnings.warnings()));
            Some(loaded.registry)
        }
        Err(report) => {
            let errors = show::count(report.errors(), "error");
            findings.push(Finding::bad("packs", format!("{errors}; see `brain pack check`")));
            None
        }
    };
    match open::store(global) {
        Ok(store) => {
            let (url, scope) = (open::store_url(global)?, open::scope(global)?);
            findings.extend(of_store(&url, store.as_ref(), &scope, registry.as_ref())?);
        }
        Err(error) => findings.push(Finding::bad("store", format!("{error:#}"))),
    }
    findings.extend(registry.as_ref().map(|registry| of_machine(registry, global.config())).into_iter().flatten());
    match server {
        Some(Ok(found)) => findings.push(of_server(&found, registry.as_ref(), true)),
        Some(Err(error)) => findings.push(Finding::look("server", format!("the server of this store: {error:#}"))),
        None => {}
    }
    Ok(findings.into_iter().map(DoctorCheck::from).collect())
}

/// The server that answers for the store: its packs, if they are not those of this command, and with `whole` what it found
/// wrong with them.
fn of_server(found: &Doctor, ours: Option<&Registry>, whole: bool) -> Finding {
    let theirs = found.checks.iter().find(|one| one.check == "packs").map_or("", |one| one.detail.as_str());
    let theirs = theirs.split(" (").next().unwrap_or_default();
    let ours = ours.map(pack_names).unwrap_or_default();
    let wrong =
        found.checks.iter().filter(|one| whole && one.level != "good" && OF_PACKS.contains(&one.check.as_str()));
    let wrong: Vec<String> = wrong.map(|one| format!("{}: {}", one.check, one.detail)).collect();
    if !wrong.is_empty() {
        return Finding::look(
            "server",
            format!("the server of this store has the packs {theirs}; {}", wrong.join("; ")),
        );
    }
    if ours != theirs {
        let detail =
            format!("the server of this store has the packs {theirs}, not {ours}; commands use those of the server");
        return Finding::look("server", detail);
    }
    Finding::good("server", "a server answers for this store over its Unix socket")
}

/// Checks the packs and the store of a server, on its machine.
pub(super) fn examine(kernel: &Kernel, scope: &Scope, url: &str, config: &Config) -> Result<Vec<DoctorCheck>> {
    let registry = kernel.registry();
    let mut findings = vec![version(), packs(registry, 0)];
    findings.extend(of_store(url, kernel.store().as_ref(), scope, Some(registry.as_ref()))?);
    findings.extend(of_machine(registry, config));
    Ok(findings.into_iter().map(DoctorCheck::from).collect())
}

fn version() -> Finding {
    Finding::good("version", env!("CARGO_PKG_VERSION"))
}

fn pack_names(registry: &Registry) -> String {
    registry.packs().keys().map(String::as_str).collect::<Vec<_>>().join(", ")
}

fn packs(registry: &Registry, warnings: usize) -> Finding {
    let declared = registry.tools().values().filter(|tool| !tool.def.is_generated()).count();
    let (tools, names) = (show::count(declared, "tool"), pack_names(registry));
    match warnings {
        0 => Finding::good("packs", format!("{names} ({tools})")),
        some => Finding::look("packs", format!("{names} ({tools}, {})", show::count(some, "warning"))),
    }
}

/// Checks that the store accepts writes and matches the packs, and lists what is waiting for a person.
fn of_store(url: &str, store: &dyn Store, scope: &Scope, registry: Option<&Registry>) -> Result<Vec<Finding>> {
    let mut findings = vec![Finding::good("store", url), commit(store)];
    let letters = store.dead_letters(scope, Some(true), MANY, None)?.items.len();
    findings.push(match letters {
        0 => Finding::good("dead letters", "none"),
        some => Finding::look("dead letters", format!("{} open", up_to(some))).then(NextAction::ListDeadLetters),
    });
    let pending = store.approvals(scope, Some(ApprovalStatus::Pending), MANY, None)?.items.len();
    findings.push(match pending {
        0 => Finding::good("approvals", "none pending"),
        some => Finding::good("approvals", format!("{} pending", up_to(some))).then(NextAction::ListApprovals),
    });
    if let Some(registry) = registry {
        let behind = super::records::behind(registry, store, scope)?;
        findings.push(match behind.as_slice() {
            [] => Finding::good("indexes", "lookup indexes are up to date"),
            types => {
                let detail = format!("stale lookup indexes for {}", types.join(", "));
                Finding::look("indexes", detail).then(NextAction::Reindex)
            }
        });
        findings.push(fits::store_fits(registry, store, scope)?);
    }
    findings.push(fits::clock(store, scope)?);
    let running = store.count_by_status(SystemScope)?.into_iter().map(|(status, count)| format!("{count} {status}"));
    let running: Vec<String> = running.collect();
    let all = if running.is_empty() { "none in progress".into() } else { running.join(", ") };
    findings.push(Finding::good("runs", all));
    Ok(findings)
}

/// Measures two durable commits.
fn commit(store: &dyn Store) -> Finding {
    let started = Instant::now();
    let node = brain_core::NodeId::generate(SystemClock.now(), &mut crate::system::SystemRandom);
    let written = store
        .heartbeat(SystemScope, node, SystemClock.now(), Millis(0), "doctor")
        .and_then(|()| store.forget_node(SystemScope, node));
    match written {
        Ok(()) => {
            let took = started.elapsed().as_secs_f64() * 1e3;
            Finding::good("commit", format!("two durable commits took {took:.1} ms"))
        }
        Err(error) => Finding::bad("commit", error.to_string()),
    }
}

fn of_machine(registry: &Registry, config: &Config) -> [Finding; 2] {
    [fits::secrets(registry, config.notify()), fits::hosts(registry, config.allow_private_hosts.unwrap_or(false))]
}

/// A number of items on one page, of which there may be more.
fn up_to(count: usize) -> String {
    if count == MANY { format!("{count} or more") } else { count.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_found_is_worded_as_a_command_here() {
        let found = DoctorCheck::from(Finding::good("approvals", "3 pending").then(NextAction::ListApprovals));
        assert_eq!(found.detail, "3 pending", "a server does not know the flags of the reader");
        assert_eq!(
            with_commands(&found.detail, &found.actions),
            format!("3 pending: {}", crate::hint::command("approve"))
        );
    }
}
