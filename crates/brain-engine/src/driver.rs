//! Runs the same core by hand on a virtual clock, without threads or sleeping. For scenarios, tests and simulation.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use brain_core::{Clock, Millis, NodeId, Random, RunId, Timestamp, VirtualClock};
use brain_store::{Claim, RunRow, Scope, Store, StoreError, SystemScope};
use brain_vm::State;

use crate::core::{Core, CoreInput};
use crate::data::RunData;
use crate::engine::Engine;
use crate::flow::{Flow, FlowConfig, InUse};
use crate::host::{Host, Outside};
use crate::inbox::Inbox;
use crate::node::{HEARTBEAT, Keeper, Liveness};
use crate::performer::{Lost, Performer, Tasks, Work};
use crate::run_state::Programs;
use crate::shards::Shards;
use crate::watchers::Hub;

/// An external task and its deadline.
struct Task {
    work: Work,
    until: Timestamp,
    lost: Option<Box<dyn FnOnce(Lost) -> CoreInput + Send>>,
}

/// Tasks that are polled by hand.
struct ByHand {
    clock: Arc<VirtualClock>,
    send: Sender<CoreInput>,
    list: Vec<Task>,
}

impl Tasks for ByHand {
    fn spawn(&mut self, work: Work, limit: Millis, lost: Box<dyn FnOnce(Lost) -> CoreInput + Send>) {
        self.list.push(Task { work, until: self.clock.now().plus(limit), lost: Some(lost) });
    }

    fn blocking<R: Send + 'static>(
        &self,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Pin<Box<dyn Future<Output = Option<R>> + Send>> {
        Box::pin(async move { Some(work()) })
    }
}

impl ByHand {
    /// Polls everything; returns whether anything finished.
    fn poll(&mut self) -> bool {
        let now = self.clock.now();
        let mut context = Context::from_waker(Waker::noop());
        let mut done = Vec::new();
        self.list.retain_mut(|task| match task.work.as_mut().poll(&mut context) {
            Poll::Ready(input) => {
                done.push(input);
                false
            }
            Poll::Pending if task.until <= now => {
                done.extend(task.lost.take().map(|lost| lost(Lost::Late)));
                false
            }
            Poll::Pending => true,
        });
        let moved = !done.is_empty();
        for input in done {
            drop(self.send.send(input));
        }
        moved
    }
}

/// Maximum number of steps before a driver panics.
const MAX_PUMPS: usize = 100_000;

/// An engine and the driver that moves it.
pub struct Driver {
    engine: Arc<Engine>,
    performer: Performer<ByHand>,
    clock: Arc<VirtualClock>,
    keeper: Keeper,
    /// When the next heartbeat is due.
    heartbeat_at: Timestamp,
}

/// In a virtual world, nodes are known only by their leases.
struct LeasesOnly;

impl Liveness for LeasesOnly {
    fn own(&self) -> String {
        "driver".into()
    }

    fn is_gone(&self, _: &str) -> bool {
        false
    }
}

/// A lease that never expires.
const FOR_EVER: Millis = Millis(1 << 45);

impl Driver {
    /// A node on this store. Another driver on the same store is another node.
    pub fn new(
        store: Arc<dyn Store>,
        host: Arc<dyn Host>,
        outside: Arc<dyn Outside>,
        clock: Arc<VirtualClock>,
        random: Box<dyn Random>,
    ) -> Self {
        Self::with_flow(store, host, outside, clock, random, FlowConfig::default())
    }

    /// A node with this flow configuration. It counts as alive until it is taken over by hand.
    pub fn with_flow(
        store: Arc<dyn Store>,
        host: Arc<dyn Host>,
        outside: Arc<dyn Outside>,
        clock: Arc<VirtualClock>,
        random: Box<dyn Random>,
        flow: FlowConfig,
    ) -> Self {
        let driver = Self::on_lease(store, host, outside, clock, random, flow);
        let now = driver.clock.now();
        drop(driver.performer.store.heartbeat(SystemScope, driver.engine.node(), now, FOR_EVER, "driver"));
        driver
    }

    /// A node with a real lease: it must [`Driver::keep`], or others take over its runs.
    pub fn on_lease(
        store: Arc<dyn Store>,
        host: Arc<dyn Host>,
        outside: Arc<dyn Outside>,
        clock: Arc<VirtualClock>,
        mut random: Box<dyn Random>,
        flow: FlowConfig,
    ) -> Self {
        let node = NodeId::generate(clock.now(), random.as_mut());
        let (send, inputs) = channel();
        let hub = Arc::new(Hub::default());
        let programs = Arc::new(Programs::default());
        let shards = Shards::new(vec![send.clone()], 0);
        let of_engine = (shards.clone(), programs.clone());
        let engine = Engine::by_hand(node, store.clone(), clock.clone(), hub.clone(), of_engine);
        let inbox = Inbox::new(flow.clone());
        let flow = Arc::new(Mutex::new(Flow::new(flow)));
        let core = Core::new(node, store.clone(), host, random, flow, programs.clone(), (0, 1));
        let keeper = Keeper {
            node,
            store: store.clone(),
            clock: clock.clone(),
            liveness: Arc::new(LeasesOnly),
            keep: true,
            looked: None,
        };
        let tasks = ByHand { clock: clock.clone(), send, list: Vec::new() };
        let of_clock = clock.clone();
        let performer =
            Performer::new(node, core, store, programs, outside, of_clock, hub, inputs, shards, inbox, tasks);
        let heartbeat_at = clock.now();
        Self { engine, performer, clock, keeper, heartbeat_at }
    }

    /// Does once what the keeper thread of a node does every second: renews the lease when due, and looks for orphaned
    /// runs, due timers and inbox entries. [`Driver::turn`] processes what it finds. The first call must succeed before
    /// the node gets any work.
    pub fn keep(&mut self) -> Result<(), StoreError> {
        let now = self.clock.now();
        // A clock that was set back must not delay the heartbeat.
        if now >= self.heartbeat_at || self.heartbeat_at > now.plus(HEARTBEAT) {
            self.keeper.heartbeat(None)?;
            self.heartbeat_at = now.plus(HEARTBEAT);
        }
        // A paused node takes over no runs and fires no timers, as in a server.
        if self.engine.is_paused() {
            return Ok(());
        }
        let shards = &self.performer.shards;
        self.keeper.look(true, true, &|input| shards.send(input))?;
        Ok(())
    }

    /// The in-memory state of a run, or `None` while one of its commits is in flight. Folding the log must give the same
    /// state.
    pub fn at_hand(&self, run: RunId) -> Option<(&RunRow, &State, &RunData)> {
        self.performer.core.at_hand(run)
    }

    /// The number of calls and checks in flight.
    pub fn in_hand(&self) -> usize {
        self.performer.core.in_hand()
    }

    /// Each tenant's use of this node.
    pub fn in_use(&self) -> Vec<InUse> {
        self.performer.core.in_use()
    }

    /// The engine that this driver steps by hand.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Takes over every run of another node on this store.
    pub fn take_over(&mut self, dead: NodeId) {
        let owned = self.performer.store.owned_by(SystemScope, dead, usize::MAX >> 1).unwrap_or_default();
        for (tenant, run) in owned {
            self.performer.shards.send(CoreInput::TakeOver(Scope::of(tenant), run, dead));
        }
        self.pump();
    }

    /// Works until nothing more can happen at this time. Returns whether anything happened.
    pub fn pump(&mut self) -> bool {
        let mut moved = false;
        for _ in 0..MAX_PUMPS {
            if !self.turn() {
                return moved;
            }
            moved = true;
        }
        panic!("the engine did not settle after {MAX_PUMPS} steps");
    }

    /// One step of the core with the inputs since the last one. Returns whether there were any.
    pub fn turn(&mut self) -> bool {
        let polled = self.performer.tasks.poll();
        self.performer.step() || polled
    }

    /// Moves the clock forward, firing timers in order on the way.
    pub fn advance_to(&mut self, until: Timestamp) {
        self.pump();
        while let Some(at) = self.next_wake()
            && at <= until
        {
            if at > self.clock.now() {
                self.clock.advance(at.since(self.clock.now()));
            }
            if !self.wake_due() {
                break;
            }
        }
        if until > self.clock.now() {
            self.clock.advance(until.since(self.clock.now()));
        }
        // Timed-out calls, and what follows from them.
        while self.pump() && self.wake_due() {}
    }

    /// When something happens next: a timer, or an external event.
    fn next_wake(&self) -> Option<Timestamp> {
        let timer = self.performer.store.next_wake(SystemScope).ok().flatten();
        let outside = self.performer.outside.wakes_at().filter(|at| *at > self.clock.now());
        let lost = self.performer.tasks.list.iter().map(|task| task.until).min();
        [timer, outside, lost, self.performer.next_at()].into_iter().flatten().min()
    }

    fn wake_due(&mut self) -> bool {
        let now = self.clock.now();
        let claim = Claim { node: self.engine.node(), now, until: now };
        let due = self.performer.store.due(SystemScope, &claim, 1000).unwrap_or_default();
        for (tenant, run, _) in due {
            self.performer.shards.send(CoreInput::Wake(Scope::of(tenant), run));
        }
        self.pump()
    }

    /// Drives a future to its end. While it waits and nothing else can happen, the clock moves to the next timer or to
    /// `deadline`. `None` if the future is still pending then.
    pub fn block_on<T>(&mut self, future: impl Future<Output = T>, deadline: Option<Timestamp>) -> Option<T> {
        let mut future = pin!(future);
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..MAX_PUMPS {
            if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
                return Some(value);
            }
            if self.pump() {
                continue;
            }
            let wake = self.next_wake();
            let next = match (wake, deadline) {
                (Some(wake), Some(deadline)) => wake.min(deadline),
                (Some(wake), None) => wake,
                (None, Some(deadline)) => deadline,
                (None, None) => return None,
            };
            if deadline.is_some_and(|deadline| self.clock.now() >= deadline) {
                return None;
            }
            if next > self.clock.now() {
                self.clock.advance(next.since(self.clock.now()));
            }
            if wake.is_some_and(|wake| wake <= self.clock.now()) && !self.wake_due() {
                return None;
            }
        }
        panic!("a future did not end after {MAX_PUMPS} steps");
    }
}
