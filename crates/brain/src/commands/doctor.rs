//! `brain doctor`: checks packs, store, secrets, hosts and clock.

mod fits;

use std::time::Instant;

use anyhow::Result;
use brain_core::{ApprovalStatus, Clock, Millis};
use brain_store::SystemScope;

use crate::cli::Global;
use crate::show::{DIM, GREEN, RED, YELLOW};
use crate::system::SystemClock;
use crate::{open, show};

struct Finding {
    what: &'static str,
    level: Level,
    detail: String,
}

impl Finding {
    fn good(what: &'static str, detail: impl Into<String>) -> Self {
        Self { what, level: Level::Good, detail: detail.into() }
    }

    fn look(what: &'static str, detail: impl Into<String>) -> Self {
        Self { what, level: Level::Look, detail: detail.into() }
    }

    fn bad(what: &'static str, detail: impl Into<String>) -> Self {
        Self { what, level: Level::Bad, detail: detail.into() }
    }
}

/// Severity of a finding; only `Bad` makes the command fail.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Good,
    Look,
    Bad,
}

pub(crate) fn run(global: &Global) -> Result<bool> {
    let mut findings = Vec::new();
    let mut note = |what, level, detail: String| findings.push(Finding { what, level, detail });
    note("version", Level::Good, env!("CARGO_PKG_VERSION").to_owned());
    let mut registry = None;
    match open::load_packs(&[], global) {
        Ok(loaded) => {
            let names: Vec<&str> = loaded.registry.packs().keys().map(String::as_str).collect();
            let level = if loaded.warnings.is_empty() { Level::Good } else { Level::Look };
            let tools = loaded.registry.tools().len();
            note(
                "packs",
                level,
                format!("{} ({tools} tools, {} warnings)", names.join(", "), loaded.warnings.warnings()),
            );
            registry = Some(loaded.registry);
        }
        Err(report) => note(
            "packs",
            Level::Bad,
            format!("{}; see `brain pack check`", crate::show::count(report.errors(), "error")),
        ),
    }
    match open::store(global) {
        Ok(store) => {
            note("store", Level::Good, open::store_url(global)?);
            let started = Instant::now();
            let node = brain_core::NodeId::generate(SystemClock.now(), &mut crate::system::SystemRandom);
            let written = store
                .heartbeat(SystemScope, node, SystemClock.now(), Millis(0), "doctor")
                .and_then(|()| store.forget_node(SystemScope, node));
            match written {
                Ok(()) => note(
                    "commit",
                    Level::Good,
                    format!("two durable commits took {:.1} ms", started.elapsed().as_secs_f64() * 1e3),
                ),
                Err(error) => note("commit", Level::Bad, error.to_string()),
            }
            let scope = open::scope(global)?;
            let letters = store.letters(&scope, Some(true), 100, None)?.items.len();
            let waiting = store.approvals(&scope, Some(ApprovalStatus::Pending), 100, None)?.items.len();
            let level = if letters > 0 { Level::Look } else { Level::Good };
            note(
                "dead letters",
                level,
                if letters > 0 { format!("{letters} open: brain dlq list") } else { "none".into() },
            );
            note(
                "approvals",
                Level::Good,
                if waiting > 0 { format!("{waiting} pending: brain approve") } else { "none pending".into() },
            );
            if let Some(registry) = &registry {
                let behind = super::records::behind(registry, store.as_ref(), &scope)?;
                let (level, detail) = match behind.as_slice() {
                    [] => (Level::Good, "lookup indexes are up to date".to_owned()),
                    types => {
                        (Level::Look, format!("stale lookup indexes for {}: brain records reindex", types.join(", ")))
                    }
                };
                note("indexes", level, detail);
                let Finding { what, level, detail } = fits::store_fits(registry, store.as_ref(), &scope)?;
                note(what, level, detail);
            }
            let Finding { what, level, detail } = fits::clock(store.as_ref(), &scope)?;
            note(what, level, detail);
            let running: Vec<String> = store
                .count_by_status(SystemScope)?
                .into_iter()
                .map(|(status, count)| format!("{count} {status}"))
                .collect();
            note("runs", Level::Good, if running.is_empty() { "all completed".into() } else { running.join(", ") });
        }
        Err(error) => note("store", Level::Bad, format!("{error:#}")),
    }
    if let Some(registry) = &registry {
        findings.push(fits::secrets(registry));
        findings.push(fits::hosts(registry));
    }
    let ok = findings.iter().all(|finding| finding.level != Level::Bad);
    if global.json {
        let list: Vec<_> = findings
            .iter()
            .map(|one| {
                let level = match one.level {
                    Level::Good => "good",
                    Level::Look => "look",
                    Level::Bad => "bad",
                };
                serde_json::json!({"check": one.what, "level": level, "detail": one.detail})
            })
            .collect();
        show::json(&serde_json::json!({"ok": ok, "checks": list}));
        return Ok(ok);
    }
    for finding in &findings {
        let mark = match finding.level {
            Level::Good => format!("{GREEN}✓{GREEN:#}"),
            Level::Look => format!("{YELLOW}!{YELLOW:#}"),
            Level::Bad => format!("{RED}✗{RED:#}"),
        };
        anstream::println!("{mark} {:<14} {DIM}{}{DIM:#}", finding.what, finding.detail);
    }
    Ok(ok)
}
