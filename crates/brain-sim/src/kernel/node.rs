//! A node of a kernel world: a real kernel with its real host and toolbox, driven by hand on its own clock.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use brain_core::{Millis, SeededRandom, Timestamp, VirtualClock};
use brain_engine::{Driver, FlowConfig};
use brain_kernel::{Expiry, Kernel};
use brain_tools::{Toolbox, ToolboxConfig};

use super::outside::{Reached, Systems};
use super::{pack, wrap};
use crate::bug::Bug;
use crate::store::{Disk, NodeStore};

/// Interval at which a node polls for work, as the keeper thread does.
const POLL: Millis = Millis(1_000);

pub(super) struct Node {
    pub(super) name: String,
    pub(super) driver: Driver,
    pub(super) kernel: Arc<Kernel>,
    clock: Arc<VirtualClock>,
    /// How far its clock is ahead, in milliseconds.
    pub(super) skew: i64,
    /// It does nothing before this time.
    pub(super) paused_until: Timestamp,
    keep_at: Timestamp,
    /// Whether its first heartbeat succeeded; it gets no requests before.
    pub(super) ready: bool,
    /// Since when it accepts nothing new and waits for calls under way.
    pub(super) draining: Option<Timestamp>,
    dead: Arc<AtomicBool>,
}

impl Node {
    pub(super) fn new(
        name: String,
        seed: u64,
        now: Timestamp,
        skew: i64,
        newer: bool,
        (disk, systems, bug): (&Arc<Disk>, &Arc<Systems>, Option<Bug>),
    ) -> Self {
        let dead = Arc::new(AtomicBool::new(false));
        let clock = Arc::new(VirtualClock::new(shifted(now, skew)));
        let started = Arc::new(Mutex::default());
        let store = Arc::new(NodeStore { disk: disk.clone(), node: name.clone(), dead: dead.clone(), started });
        let carrier = Arc::new(Reached { systems: systems.clone(), node: name.clone(), dead: dead.clone() });
        let registry = pack::registry(newer).clone();
        let toolbox = Arc::new(Toolbox::carried_by(registry.clone(), &ToolboxConfig::default(), carrier));
        let expiry = Expiry { questions: Millis(60_000), staged: Millis(40_000), letters: Some(Millis(25_000)) };
        let flow = FlowConfig { slots: 8, ..FlowConfig::default() };
        let random = Box::new(SeededRandom::new(seed));
        let (kernel, driver) =
            Kernel::by_hand(registry, toolbox, store, clock.clone(), random, flow, expiry, &|host, outside| {
                wrap::wrap(bug, host, outside)
            })
            .expect("a checked pack makes a kernel");
        Self { name, driver, kernel, clock, skew, paused_until: now, keep_at: now, ready: false, draining: None, dead }
    }

    pub(super) fn is_dead(&self) -> bool {
        self.dead.load(Ordering::SeqCst)
    }

    /// Kills the node: everything in its memory is lost.
    pub(super) fn kill(&self) {
        self.dead.store(true, Ordering::SeqCst);
    }

    /// Performs one round of work, unless the node is suspended. `keeps` says whether it also does the work of the keeper thread.
    pub(super) fn work(&mut self, now: Timestamp, turns: u64, keeps: bool) {
        self.clock.set(shifted(now, self.skew));
        if self.is_dead() || now < self.paused_until {
            return;
        }
        if now >= self.keep_at && (keeps || !self.ready) {
            self.keep_at = now.plus(POLL);
            self.ready |= self.driver.keep().is_ok();
        }
        for _ in 0..turns {
            if self.is_dead() || !self.driver.turn() {
                return;
            }
        }
    }
}

fn shifted(now: Timestamp, by: i64) -> Timestamp {
    Timestamp::from_millis(now.as_millis() + by)
}
