//! A node of the world: a driver with its own clock, which may be suspended or die.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use brain_core::{Millis, SeededRandom, TenantId, Timestamp, VirtualClock};
use brain_engine::{Driver, Engine, FlowConfig};

use crate::check::fairness::Fairness;
use crate::host::SimHost;
use crate::outside::{ExternalWorld, NodeOutside};
use crate::store::{Disk, NodeStore};

/// Interval at which a node polls for work, as the keeper thread does.
const POLL: Millis = Millis(1_000);
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) driver: Driver,
    clock: Arc<VirtualClock>,
    /// How far its clock is ahead, in milliseconds.
    pub(crate) skew: i64,
    /// It does nothing before this time.
    pub(crate) paused_until: Timestamp,
    keep_at: Timestamp,
    /// Whether its first heartbeat succeeded; it gets no requests before.
    pub(crate) ready: bool,
    dead: Arc<AtomicBool>,
    /// The tenants whose jobs it has started since the last check.
    started: Arc<Mutex<Vec<TenantId>>>,
}

impl Node {
    #[expect(clippy::too_many_arguments, reason = "a node is made in one place, from all that it is part of")]
    pub(crate) fn new(
        name: String,
        seed: u64,
        now: Timestamp,
        skew: i64,
        disk: &Arc<Disk>,
        outside: &Arc<ExternalWorld>,
        host: &Arc<SimHost>,
        flow: FlowConfig,
    ) -> Self {
        let started = Arc::default();
        let dead = Arc::new(AtomicBool::new(false));
        let clock = Arc::new(VirtualClock::new(shifted(now, skew)));
        let store = Arc::new(NodeStore {
            disk: disk.clone(),
            node: name.clone(),
            dead: dead.clone(),
            started: Arc::clone(&started),
        });
        let outside = Arc::new(NodeOutside::new(outside, &name, &dead));
        let random = Box::new(SeededRandom::new(seed));
        let driver = Driver::on_lease(store, host.clone(), outside, clock.clone(), random, flow);
        Self { name, driver, clock, skew, paused_until: now, keep_at: now, ready: false, dead, started }
    }

    pub(crate) fn engine(&self) -> &Arc<Engine> {
        self.driver.engine()
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.dead.load(Ordering::SeqCst)
    }

    /// Kills the node: everything in its memory is lost.
    pub(crate) fn kill(&self) {
        self.dead.store(true, Ordering::SeqCst);
    }

    /// Performs one round of work, unless the node is suspended. `keeps` says whether it also does the work of the keeper thread.
    pub(crate) fn work(&mut self, now: Timestamp, turns: u64, keeps: bool, fairness: &mut Fairness) {
        self.clock.set(shifted(now, self.skew));
        if self.is_dead() || now < self.paused_until {
            return;
        }
        if now >= self.keep_at && (keeps || !self.ready) {
            self.keep_at = now.plus(POLL);
            self.ready |= self.driver.keep().is_ok();
        }
        for _ in 0..turns {
            let before = self.driver.in_use();
            if self.is_dead() || !self.driver.turn() {
                return;
            }
            let started = std::mem::take(&mut *self.started.lock().unwrap_or_else(PoisonError::into_inner));
            fairness.turn(&self.name, &before, &started, &self.driver.in_use());
        }
    }
}

fn shifted(now: Timestamp, by: i64) -> Timestamp {
    Timestamp::from_millis(now.as_millis() + by)
}
