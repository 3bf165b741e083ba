//! A server's hourly housekeeping: applies retention, expires dead letters and promotes learned phrases.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use brain_core::{Clock, Millis};
use brain_kernel::{Kernel, KernelSlot};
use brain_store::{Scope, Store, Sudo, SystemScope};

use super::gc;
use crate::config::{Config, Settings};
use crate::system::SystemClock;

/// Delay before the first round.
const FIRST: Duration = Duration::from_secs(60);
/// Time between rounds.
const BETWEEN: Duration = Duration::from_secs(60 * 60);
/// A round is skipped if another server did one within this time.
const DONE_LATELY: Millis = Millis(55 * 60 * 1000);
/// Number of audit rows searched for that.
const LOOKED_AT: usize = 50;
/// The actor in the audit log.
const SERVER: &str = "server";

/// Starts the housekeeping thread. It ends with the process, which is safe because each of its commits is atomic.
pub(crate) fn start(settings: Arc<Settings>, slot: &KernelSlot) {
    let slot = slot.clone();
    let work = move || {
        let mut wait = FIRST;
        loop {
            std::thread::sleep(wait);
            wait = BETWEEN;
            for (what, done) in once(&settings, &slot.get()) {
                if let Err(error) = done {
                    tracing::warn!(error = %format!("{error:#}"), "{what} failed; will retry in an hour");
                }
            }
        }
    };
    if let Err(error) = std::thread::Builder::new().name("brain-upkeep".into()).spawn(work) {
        tracing::warn!(%error, "cannot start the housekeeping thread: retention and learning do not run");
    }
}

/// Runs all parts; a failure of one does not stop the others.
fn once(settings: &Settings, kernel: &Kernel) -> Vec<(&'static str, Result<()>)> {
    // Reread every time, so that changes take effect without a restart.
    let settings = match settings.again() {
        Ok(settings) => settings,
        Err(error) => return vec![("reading the configuration", Err(error))],
    };
    let config = settings.config();
    let store = kernel.store();
    let mut done = Vec::new();
    if config.keeps() {
        let swept = turn(store.as_ref(), "gc").and_then(|sudo| match sudo {
            Some(sudo) => gc::run_automatically(config, store.as_ref(), &sudo),
            None => Ok(()),
        });
        done.push(("gc", swept));
    }
    match overdue_letters(kernel) {
        Ok(false) => {}
        Ok(true) => {
            let expired = turn(store.as_ref(), "expire dead letters").and_then(|sudo| match sudo {
                Some(sudo) => expire_letters(kernel, &sudo),
                None => Ok(()),
            });
            done.push(("expiring dead letters", expired));
        }
        Err(error) => done.push(("expiring dead letters", Err(error))),
    }
    if config.learns_somewhere() {
        let learned = turn(store.as_ref(), "learn").and_then(|sudo| match sudo {
            Some(sudo) => learn(config, kernel, &sudo),
            None => Ok(()),
        });
        done.push(("learning", learned));
    }
    done
}

/// Grants access to all tenants unless another server did this round. Two concurrent rounds only duplicate work: their
/// writes have preconditions.
fn turn(store: &dyn Store, what: &str) -> Result<Option<Sudo>> {
    let now = SystemClock.now();
    let lately = |row: &brain_store::AuditRow| row.what == what && row.who == SERVER && row.at.plus(DONE_LATELY) > now;
    if store.audit(SystemScope, LOOKED_AT)?.iter().any(lately) {
        return Ok(None);
    }
    Ok(Some(Sudo::because(store, now, SERVER, what, None, "once an hour")?))
}

/// Whether a dead letter was opened so long ago that it may have expired.
fn overdue_letters(kernel: &Kernel) -> Result<bool> {
    let Some(after) = kernel.letter_expiry() else { return Ok(false) };
    let oldest = kernel.engine().backlog()?.oldest_letter;
    Ok(oldest.is_some_and(|opened| opened.plus(after) <= kernel.engine().clock().now()))
}

/// Ends the dead letters of all tenants that nobody resolved in time.
fn expire_letters(kernel: &Kernel, sudo: &Sudo) -> Result<()> {
    for tenant in kernel.store().tenants(sudo)? {
        let expired = gc::end_letters(kernel, &tenant)?;
        if expired > 0 {
            tracing::info!(%tenant, expired, "dead letters expired");
        }
    }
    Ok(())
}

/// Promotes ready candidates for every tenant that has learning configured.
fn learn(config: &Config, kernel: &Kernel, sudo: &Sudo) -> Result<()> {
    for tenant in kernel.store().tenants(sudo)? {
        if !config.learns(&tenant) {
            continue;
        }
        for done in kernel.promote_ready(&Scope::of(tenant.clone()), false)? {
            match done.why {
                None => tracing::info!(%tenant, phrase = done.phrase, target = done.target, "a phrase was learned"),
                Some(why) => {
                    tracing::info!(%tenant, phrase = done.phrase, target = done.target, why, "a phrase was not learned");
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may stop at the first thing that is not as expected")]

    use std::sync::Arc;

    use brain_core::{SeededRandom, TenantId, Timestamp, VirtualClock};
    use brain_kernel::{Actor, KernelConfig, Mode, Request};
    use brain_store::MemoryStore;

    use super::*;
    use crate::system::ProcessLiveness;

    const SAID: &str = "people worth ringing back";

    fn kernel(clock: &Arc<VirtualClock>) -> Arc<Kernel> {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/trades");
        let registry = brain_registry::load(&[folder]).map(|loaded| Arc::new(loaded.registry));
        let registry = registry.unwrap_or_else(|report| panic!("{}", report.render(false)));
        let random = Box::new(SeededRandom::new(7));
        let (store, alone) = (Arc::new(MemoryStore::new()), Arc::new(ProcessLiveness));
        Kernel::start(&KernelConfig::default(), registry, store, clock.clone(), random, alone).unwrap()
    }

    /// Five people make the request and correct it.
    async fn is_said(kernel: &Kernel, clock: &VirtualClock, tenant: &TenantId) {
        for who in ["ann", "bob", "kim", "lee", "max"] {
            clock.advance(Millis(10));
            let actor = Actor { name: who.into(), id: None, approver: false, permissions: None, tier: None };
            let scope = Scope::of(tenant.clone());
            let request = Request { actor: actor.clone(), ..Request::say(scope.clone(), SAID, Mode::EnqueueAndWait) };
            let run = kernel.handle(&request).await.unwrap().run;
            kernel.correct(&scope, &actor, run, None, Some("leads.list_by_stage"), "").unwrap();
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_is_ready_is_learned_where_the_configuration_says_so() {
        let clock = Arc::new(VirtualClock::new(Timestamp::from_millis(1_772_442_000_000)));
        let kernel = kernel(&clock);
        let tenants: [TenantId; 2] = ["acme", "other"].map(|name| name.parse().unwrap());
        for tenant in &tenants {
            is_said(&kernel, &clock, tenant).await;
        }
        clock.advance(Millis(25 * 60 * 60 * 1000));
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "tenants: {acme: {learn: true}}").unwrap();
        let taught = || tenants.each_ref().map(|tenant| kernel.taught(&Scope::of(tenant.clone())).unwrap().len());
        assert!(once(&Settings::default(), &kernel).is_empty(), "without a word from anybody nothing is done");
        assert_eq!(taught(), [0, 0]);
        let settings = Settings::resolve(Some(file.path()), Vec::new()).unwrap();
        let done = once(&settings, &kernel);
        assert!(matches!(done.as_slice(), [("learning", Ok(()))]), "{done:?}");
        assert_eq!(taught(), [1, 0]);
        let audit = kernel.store().audit(SystemScope, 50).unwrap();
        assert!(audit.iter().any(|row| row.who == SERVER && row.what == "learn"));
        assert!(audit.iter().any(|row| row.what == "promote" && row.detail.contains(SAID)));
        kernel.engine().stop();
    }
}
