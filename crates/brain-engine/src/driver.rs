//! Runs the same core by hand on a virtual clock: no threads, no sleeping. For scenarios, tests and simulation.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::task::{Context, Poll, Waker};

use brain_core::{Clock, NodeId, Random, Timestamp, VirtualClock};
use brain_store::{Claim, Store, SystemScope};

use crate::core::{Action, Core, CoreInput};
use crate::engine::Engine;
use crate::flow::FlowConfig;
use crate::host::{Host, Outside};
use crate::hub::Hub;
use crate::shell::tell_committed;

type Task = Pin<Box<dyn Future<Output = CoreInput> + Send>>;

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

    /// A node that shares outside jobs out like this.
    pub fn with_flow(
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
        drop(store.heartbeat(SystemScope, node, Timestamp::from_millis(i64::MAX), "driver"));
        Self { engine, core, store, outside, clock, hub, inputs, send, tasks: Vec::new(), look_at: None }
    }

    /// The engine that this moves.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Takes over every run that another node on this store has left behind.
    pub fn take_over(&mut self, dead: NodeId) {
        let owned = self.store.owned_by(SystemScope, dead, usize::MAX >> 1).unwrap_or_default();
        for (tenant, run) in owned {
            drop(self.send.send(CoreInput::TakeOver(brain_store::Scope::of(tenant), run, dead)));
        }
        self.pump();
    }

    /// Works until nothing more happens by itself at this moment. Returns whether anything did.
    pub fn pump(&mut self) -> bool {
        let mut moved = false;
        for _ in 0..MAX_PUMPS {
            let inputs: Vec<CoreInput> = self.inputs.try_iter().collect();
            let polled = self.poll_tasks();
            if inputs.is_empty() && !polled {
                return moved;
            }
            moved = true;
            let output = self.core.step(self.clock.now(), inputs);
            if !output.commits.is_empty() {
                let (numbers, members): (Vec<u64>, Vec<_>) = output.commits.into_iter().unzip();
                let send = self.send.clone();
                self.store.commit(members, Box::new(move |result| tell_committed(&send, numbers, result)));
            }
            for action in output.actions {
                match action {
                    Action::Reply(reply, result) => reply(result),
                    Action::Notify(news) => self.hub.tell(&news),
                    Action::WakeAt(..) => {} // the store knows
                    Action::Signal(scope, run) => drop(self.send.send(CoreInput::Signal(scope, run))),
                    Action::LookAt(at) => self.look_at = Some(self.look_at.map_or(at, |known| known.min(at))),
                    Action::Perform(handover) => {
                        let handover = handover.0;
                        let context = handover.context.clone();
                        let work = self.outside.perform(handover.call, handover.context);
                        self.tasks.push(Box::pin(async move {
                            let outcome = work.await;
                            CoreInput::Job(context.scope, context.run, context.job, context.attempt, outcome)
                        }));
                    }
                    Action::Check(check) => {
                        let check = check.0;
                        let context = check.context.clone();
                        let work = self.outside.check(&check.tool, check.args, check.context);
                        self.tasks.push(Box::pin(async move {
                            let answer = work.await;
                            CoreInput::Check(context.scope, context.run, context.job, context.attempt, answer)
                        }));
                    }
                }
            }
        }
        panic!("the engine did not come to rest after {MAX_PUMPS} steps");
    }

    fn poll_tasks(&mut self) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        let mut done = Vec::new();
        self.tasks.retain_mut(|task| match task.as_mut().poll(&mut context) {
            Poll::Ready(input) => {
                done.push(input);
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
        [timer, outside, self.look_at].into_iter().flatten().min()
    }

    fn wake_due(&mut self) -> bool {
        let now = self.clock.now();
        if self.look_at.is_some_and(|at| at <= now) {
            self.look_at = None;
            drop(self.send.send(CoreInput::Call));
        }
        let claim = Claim { node: self.engine.node(), now, until: now };
        let due = self.store.due(SystemScope, &claim, 1000).unwrap_or_default();
        for (tenant, run, _) in due {
            drop(self.send.send(CoreInput::Wake(brain_store::Scope::of(tenant), run)));
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
