//! Runs the same core by hand on a virtual clock: no threads, no sleeping. For scenarios, tests and simulation.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::task::{Context, Poll, Waker};

use brain_core::{Clock, Failure, Millis, NodeId, Random, RunId, Timestamp, VirtualClock};
use brain_store::{Claim, RunRow, Scope, Store, StoreError, SystemScope};
use brain_vm::State;

use crate::core::{Action, Core, CoreInput};
use crate::data::RunData;
use crate::engine::Engine;
use crate::flow::{FlowConfig, InUse};
use crate::host::{CheckAnswer, Host, JobContext, JobOutcome, Outside};
use crate::hub::Hub;
use crate::node::{HEARTBEAT, Keeper, Liveness};
use crate::shell::{GRACE, tell_committed};

/// Something that is done outside, and when it counts as lost.
struct Task {
    work: Pin<Box<dyn Future<Output = CoreInput> + Send>>,
    until: Timestamp,
    lost: Option<CoreInput>,
}

/// Steps after which a driver says that something never ends.
const MAX_PUMPS: usize = 100_000;

/// An engine and what moves it.
pub struct Driver {
    engine: Arc<Engine>,
    core: Core,
    store: Arc<dyn Store>,
    outside: Arc<dyn Outside>,
    clock: Arc<VirtualClock>,
    hub: Arc<Hub>,
    inputs: Receiver<CoreInput>,
    send: Sender<CoreInput>,
    tasks: Vec<Task>,
    /// When a rate lets those go on that wait for it.
    look_at: Option<Timestamp>,
    /// Runs to look at again, as the deciding thread keeps them.
    alarms: BTreeMap<(Timestamp, RunId), Scope>,
    keeper: Keeper,
    /// When the node says next that it lives.
    heartbeat_at: Timestamp,
}

/// Nodes of a virtual world are known by their leases only.
struct NothingIsKnown;

impl Liveness for NothingIsKnown {
    fn own(&self) -> String {
        "driver".into()
    }

    fn is_gone(&self, _: &str) -> bool {
        false
    }
}

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

    /// A node that shares outside jobs out like this. It counts as alive until it is taken over by hand.
    pub fn with_flow(
        store: Arc<dyn Store>,
        host: Arc<dyn Host>,
        outside: Arc<dyn Outside>,
        clock: Arc<VirtualClock>,
        random: Box<dyn Random>,
        flow: FlowConfig,
    ) -> Self {
        let driver = Self::on_lease(store, host, outside, clock, random, flow);
        let for_ever = Timestamp::from_millis(i64::MAX);
        drop(driver.store.heartbeat(SystemScope, driver.engine.node(), for_ever, "driver"));
        driver
    }

    /// A node that lives by its lease: it must [`Driver::keep`], or others take its runs over.
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
        let engine = Engine::by_hand(node, store.clone(), clock.clone(), hub.clone(), send.clone());
        let core = Core::new(node, store.clone(), host, random, flow);
        let keeper = Keeper {
            node,
            store: store.clone(),
            clock: clock.clone(),
            liveness: Arc::new(NothingIsKnown),
            keep: true,
            looked: None,
        };
        let heartbeat_at = clock.now();
        let (tasks, alarms) = (Vec::new(), BTreeMap::new());
        Self {
            engine,
            core,
            store,
            outside,
            clock,
            hub,
            inputs,
            send,
            tasks,
            alarms,
            look_at: None,
            keeper,
            heartbeat_at,
        }
    }

    /// Does once what the keeping thread of a node does every second: says that the node lives when it is time to, and
    /// looks for runs of the dead, for runs whose time has come and into inboxes. What it finds is for
    /// [`Driver::turn`]. The first call must have succeeded before the node is given anything to do.
    pub fn keep(&mut self) -> Result<(), StoreError> {
        let now = self.clock.now();
        // A clock that was set back must not keep a node silent.
        if now >= self.heartbeat_at || self.heartbeat_at > now.plus(HEARTBEAT) {
            self.keeper.heartbeat()?;
            self.heartbeat_at = now.plus(HEARTBEAT);
        }
        let send = &self.send;
        self.keeper.look(true, &|input| drop(send.send(input)))?;
        Ok(())
    }

    /// A run as this node has it in memory, unless something of it is being committed: what its log must fold to.
    pub fn at_hand(&self, run: RunId) -> Option<(&RunRow, &State, &RunData)> {
        self.core.at_hand(run)
    }

    /// What each tenant has of this node.
    pub fn in_use(&self) -> Vec<InUse> {
        self.core.in_use()
    }

    /// The engine that this moves.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Takes over every run that another node on this store has left behind.
    pub fn take_over(&mut self, dead: NodeId) {
        let owned = self.store.owned_by(SystemScope, dead, usize::MAX >> 1).unwrap_or_default();
        for (tenant, run) in owned {
            drop(self.send.send(CoreInput::TakeOver(Scope::of(tenant), run, dead)));
        }
        self.pump();
    }

    /// Works until nothing more happens by itself at this moment. Returns whether anything did.
    pub fn pump(&mut self) -> bool {
        let mut moved = false;
        for _ in 0..MAX_PUMPS {
            if !self.turn() {
                return moved;
            }
            moved = true;
        }
        panic!("the engine did not come to rest after {MAX_PUMPS} steps");
    }

    /// One step of the core with everything that has come since the last one. Returns whether anything had.
    pub fn turn(&mut self) -> bool {
        let now = self.clock.now();
        let mut inputs: Vec<CoreInput> = self.inputs.try_iter().collect();
        while let Some(alarm) = self.alarms.first_entry()
            && alarm.key().0 <= now
        {
            let ((_, run), scope) = alarm.remove_entry();
            inputs.push(CoreInput::Wake(scope, run));
        }
        if self.look_at.is_some_and(|at| at <= now) {
            self.look_at = None;
            inputs.push(CoreInput::Call);
        }
        let polled = self.poll_tasks(now);
        if inputs.is_empty() && !polled {
            return false;
        }
        let output = self.core.step(now, inputs);
        if !output.commits.is_empty() {
            let (numbers, members): (Vec<u64>, Vec<_>) = output.commits.into_iter().unzip();
            let send = self.send.clone();
            self.store.commit(members, Box::new(move |result| tell_committed(&send, numbers, result)));
        }
        for action in output.actions {
            self.act(action, now);
        }
        true
    }

    fn act(&mut self, action: Action, now: Timestamp) {
        match action {
            Action::Reply(reply, result) => reply(result),
            Action::Notify(news) => self.hub.tell(&news),
            Action::WakeAt(scope, run, at) => drop(self.alarms.insert((at, run), scope)),
            Action::LookAt(at) => self.look_at = Some(self.look_at.map_or(at, |known| known.min(at))),
            Action::Signal(scope, run) => drop(self.send.send(CoreInput::Signal(scope, run))),
            Action::Perform(handover) => {
                let handover = handover.0;
                let JobContext { scope, run, job, attempt, timeout, .. } = handover.context.clone();
                let lost = JobOutcome::Unknown(Failure::transient("timeout", "No answer came in time."));
                let lost = Some(CoreInput::Job(scope.clone(), run, job, attempt, lost));
                let work = self.outside.perform(handover.call, handover.context);
                let work = Box::pin(async move { CoreInput::Job(scope, run, job, attempt, work.await) });
                self.tasks.push(Task { work, until: limit(now, timeout), lost });
            }
            Action::Check(check) => {
                let check = check.0;
                let JobContext { scope, run, job, attempt, timeout, .. } = check.context.clone();
                let lost = CheckAnswer::Unclear(Failure::transient("timeout", "The check gave no answer in time."));
                let lost = Some(CoreInput::Check(scope.clone(), run, job, attempt, lost));
                let work = self.outside.check(&check.tool, check.args, check.context);
                let work = Box::pin(async move { CoreInput::Check(scope, run, job, attempt, work.await) });
                self.tasks.push(Task { work, until: limit(now, timeout), lost });
            }
        }
    }

    fn poll_tasks(&mut self, now: Timestamp) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        let mut done = Vec::new();
        self.tasks.retain_mut(|task| match task.work.as_mut().poll(&mut context) {
            Poll::Ready(input) => {
                done.push(input);
                false
            }
            Poll::Pending if task.until <= now => {
                done.extend(task.lost.take());
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

    /// Moves the clock to a moment, waking what is due on the way, in order.
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
        // Calls that had no answer in time, and what follows from that.
        while self.pump() && self.wake_due() {}
    }

    /// When something happens next: a timer of a run, or something outside.
    fn next_wake(&self) -> Option<Timestamp> {
        let timer = self.store.next_wake(SystemScope).ok().flatten();
        let outside = self.outside.wakes_at().filter(|at| *at > self.clock.now());
        let alarm = self.alarms.keys().next().map(|(at, _)| *at);
        let lost = self.tasks.iter().map(|task| task.until).min();
        [timer, outside, alarm, lost, self.look_at].into_iter().flatten().min()
    }

    fn wake_due(&mut self) -> bool {
        let now = self.clock.now();
        let claim = Claim { node: self.engine.node(), now, until: now };
        let due = self.store.due(SystemScope, &claim, 1000).unwrap_or_default();
        for (tenant, run, _) in due {
            drop(self.send.send(CoreInput::Wake(Scope::of(tenant), run)));
        }
        self.pump()
    }

    /// Drives a future to its end. While it waits and nothing else can happen, time moves to the next thing that
    /// will: a timer of a run, or `deadline`. `None` if the future still waits then.
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

/// When a call counts as lost: some time after it should have given up by itself.
fn limit(now: Timestamp, timeout: Millis) -> Timestamp {
    now.plus(timeout).plus(Millis(u64::try_from(GRACE.as_millis()).unwrap_or(u64::MAX)))
}
