//! The outside world: it may or may not do what is asked, and may or may not answer. It remembers everything.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use brain_core::{Clock, Failure, JobKey, Millis, RunId, TenantId, Timestamp, VirtualClock};
use brain_engine::{CheckAnswer, HostFuture, JobContext, JobOutcome, Outside};
use brain_lang::plan::ToolRef;
use brain_registry::{ToolResult, ValidatedCall};
use brain_store::Scope;
use serde_json::{Value, json};

use crate::bug::Bug;
use crate::dice::Dice;
use crate::host::SimHost;
use crate::listing::Listing;

/// Identifies an effect: equal for every attempt, whatever key comes with it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Wish {
    pub(crate) run: RunId,
    pub(crate) step: String,
    pub(crate) item: u32,
    pub(crate) undo: bool,
}

/// What the world has seen of one effect.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deeds {
    /// The name of its tool, which determines how it may be repeated.
    pub(crate) tool: String,
    pub(crate) effects: u32,
    /// Number of calls whose outcome is unknown without their answer.
    pub(crate) open_calls: u32,
    /// The distinct arguments.
    pub(crate) args: BTreeSet<String>,
}

/// A child run that a call requests.
pub(crate) struct Order {
    pub(crate) scope: Scope,
    pub(crate) parent: RunId,
    pub(crate) job: JobKey,
    pub(crate) node: String,
    pub(crate) answer: Arc<Mutex<Option<JobOutcome>>>,
}

#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) deeds: BTreeMap<Wish, Deeds>,
    pub(crate) calls: u64,
    pub(crate) orders: Vec<Order>,
    /// Whether a node had more calls under way than slots.
    pub(crate) too_many: bool,
    /// Whether the limit of a tool must hold: the same nodes have been up for a while, and their clocks agree.
    pub(crate) settled: bool,
    /// Maximum number of concurrent calls of the limited tool in that time.
    pub(crate) checks: usize,
    /// Calls since the last check: the node and the tenant of each.
    pub(crate) made: Vec<(String, TenantId)>,
    /// Keys with an effect.
    keys: BTreeSet<JobKey>,
}

/// The outside world, shared by all nodes.
pub(crate) struct ExternalWorld {
    pub(crate) host: Arc<SimHost>,
    pub(crate) seen: Mutex<Seen>,
    dice: Mutex<(Dice, bool)>,
    truth: Arc<VirtualClock>,
    listing: Listing,
    bug: Option<Bug>,
    /// Maximum number of calls under way per node.
    slots: usize,
    /// Cloned by each call of the limited tool; its reference count is their number.
    checking: Arc<()>,
}

/// The outside world as one node reaches it.
pub(crate) struct NodeOutside {
    world: Arc<ExternalWorld>,
    node: String,
    dead: Arc<AtomicBool>,
    /// Cloned by each call that this node waits for; its reference count is their number.
    under_way: Arc<()>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallFate {
    Done,
    /// Not done; a retry may succeed.
    Busy,
    /// Not done, and refused for good.
    Refused,
    /// Done, with an answer that the tool does not declare.
    Lie,
    /// Not done: the connection breaks before.
    LostBefore,
    /// Done, but the connection breaks.
    LostAfter,
    /// Done, without any answer.
    Silence,
    /// Not done, without any answer.
    Void,
}

impl CallFate {
    fn happens(self) -> bool {
        matches!(self, Self::Done | Self::Lie | Self::LostAfter | Self::Silence)
    }
}

/// A value that becomes available at a time.
struct At<T> {
    when: Timestamp,
    truth: Arc<VirtualClock>,
    value: Option<T>,
}

impl<T: Unpin> Future for At<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<T> {
        if self.truth.now() < self.when {
            return Poll::Pending;
        }
        self.value.take().map_or(Poll::Pending, Poll::Ready)
    }
}

impl ExternalWorld {
    pub(crate) fn new(
        seed: u64,
        truth: Arc<VirtualClock>,
        listing: Listing,
        host: Arc<SimHost>,
        bug: Option<Bug>,
        slots: usize,
    ) -> Arc<Self> {
        let dice = Mutex::new((Dice::new(seed, "outside"), true));
        Arc::new(Self { host, seen: Mutex::default(), dice, truth, listing, bug, slots, checking: Arc::default() })
    }

    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on every call is done and answered.
    pub(crate) fn calm(&self) {
        self.dice.lock().unwrap_or_else(PoisonError::into_inner).1 = false;
    }

    fn fate(&self) -> (CallFate, Millis) {
        let mut dice = self.dice.lock().unwrap_or_else(PoisonError::into_inner);
        let (dice, faulty) = &mut *dice;
        if !*faulty {
            return (CallFate::Done, Millis(dice.between(1, 100)));
        }
        let fate = match dice.below(100) {
            0..=9 => CallFate::Busy,
            10..=12 => CallFate::Refused,
            13..=15 => CallFate::Lie,
            16..=23 => CallFate::LostBefore,
            24..=31 => CallFate::LostAfter,
            32..=35 => CallFate::Silence,
            36..=38 => CallFate::Void,
            _ => CallFate::Done,
        };
        let wait = if dice.one_in(4) { dice.between(500, 5_000) } else { dice.between(1, 300) };
        (fate, Millis(wait))
    }

    fn at<T: Unpin + Send + 'static>(&self, wait: Millis, value: T) -> HostFuture<T> {
        Box::pin(At { when: self.truth.now().plus(wait), truth: self.truth.clone(), value: Some(value) })
    }

    /// The effect of one call. A repeated key has no second effect.
    fn act(&self, node: &str, call: &ValidatedCall, job: &JobContext, key: JobKey, fate: CallFate) {
        let tool = call.tool().def.name.trim_start_matches("t.").to_owned();
        let mut seen = self.seen();
        seen.calls += 1;
        let fresh = !fate.happens() || tool != "key" || seen.keys.insert(key);
        let wish = Wish { run: job.run, step: job.step.clone(), item: job.job.item, undo: job.job.undo };
        let deeds = seen.deeds.entry(wish).or_default();
        deeds.tool.clone_from(&tool);
        deeds.args.insert(call.args().to_string());
        deeds.effects += u32::from(fate.happens() && fresh);
        deeds.open_calls += u32::from(!matches!(fate, CallFate::Busy | CallFate::Refused));
        drop(seen);
        self.listing.note(node, |listing| {
            let undo = if job.job.undo { " undo" } else { "" };
            let (run, step) = (listing.run(job.run), &job.step);
            let (item, attempt) = (job.job.item, job.attempt);
            format!("calls {tool}{undo} for {run} {step}[{item}]#{attempt}: {fate:?}")
        });
    }
}

impl Outside for NodeOutside {
    fn perform(&self, call: ValidatedCall, job: JobContext) -> HostFuture<JobOutcome> {
        let slot = self.under_way.clone();
        let limited = (call.tool().def.name == "t.check").then(|| self.world.checking.clone());
        let mut seen = self.world.seen();
        seen.too_many |= Arc::strong_count(&slot) - 1 > self.world.slots;
        if seen.settled && limited.is_some() {
            seen.checks = seen.checks.max(Arc::strong_count(&self.world.checking) - 1);
        }
        seen.made.push((self.node.clone(), job.scope.tenant().clone()));
        drop(seen);
        let work = self.call(&call, &job);
        Box::pin(async move {
            let outcome = work.await;
            drop((slot, limited));
            outcome
        })
    }

    fn check(&self, _: &ToolRef, _: Value, job: JobContext) -> HostFuture<CheckAnswer> {
        self.look(&job)
    }
}

impl NodeOutside {
    fn call(&self, call: &ValidatedCall, job: &JobContext) -> HostFuture<JobOutcome> {
        if self.dead.load(Ordering::SeqCst) {
            return Box::pin(std::future::pending());
        }
        let world = &self.world;
        if call.tool().def.name == "t.child" {
            return self.order(job);
        }
        let key = match world.bug {
            Some(Bug::NewKeys) => JobKey::derive(job.started, job.run, "", &job.step, job.attempt, job.job.undo),
            _ => job.key,
        };
        let (mut fate, wait) = world.fate();
        world.act(&self.node, call, job, key, fate);
        if world.bug == Some(Bug::BlindRetry) && matches!(fate, CallFate::LostBefore | CallFate::LostAfter) {
            fate = CallFate::Done;
            world.act(&self.node, call, job, key, fate);
        }
        let outcome = match fate {
            CallFate::Done => {
                let data = json!({"said": call.args()["text"]});
                JobOutcome::Done(world.host.result(job, data, false))
            }
            CallFate::Busy => JobOutcome::Failed(Failure::transient("busy", "busy")),
            CallFate::Refused => JobOutcome::Failed(Failure::business("refused", "no")),
            CallFate::Lie => JobOutcome::Failed(Failure::contract("bad_result", "That is not what was declared.")),
            CallFate::LostBefore | CallFate::LostAfter => JobOutcome::Unknown(Failure::transient("lost", "cut")),
            CallFate::Silence | CallFate::Void => return Box::pin(std::future::pending()),
        };
        world.at(wait, outcome)
    }

    fn look(&self, job: &JobContext) -> HostFuture<CheckAnswer> {
        if self.dead.load(Ordering::SeqCst) {
            return Box::pin(std::future::pending());
        }
        let world = &self.world;
        let wish = Wish { run: job.run, step: job.step.clone(), item: job.job.item, undo: job.job.undo };
        let happened = world.seen().deeds.get(&wish).is_some_and(|deeds| deeds.effects > 0);
        let happened = happened && world.bug != Some(Bug::WrongCheck);
        let (fate, wait) = world.fate();
        let answer = match fate {
            CallFate::Silence => return Box::pin(std::future::pending()),
            CallFate::LostBefore => CheckAnswer::Unclear(Failure::transient("lost", "cut")),
            _ if happened => CheckAnswer::Happened(ToolResult::ok(json!({"found": true}))),
            _ => CheckAnswer::DidNot,
        };
        world.listing.note(&self.node, |listing| {
            let what = if happened { "happened" } else { "did not happen" };
            format!("checks {} {}#{}: {what} ({fate:?})", listing.run(job.run), job.step, job.attempt)
        });
        world.at(wait, answer)
    }
}

impl NodeOutside {
    pub(crate) fn new(world: &Arc<ExternalWorld>, node: &str, dead: &Arc<AtomicBool>) -> Self {
        Self { world: world.clone(), node: node.to_owned(), dead: dead.clone(), under_way: Arc::default() }
    }

    /// A child run that the step waits for. A client submits it under the key of the job.
    fn order(&self, job: &JobContext) -> HostFuture<JobOutcome> {
        let answer = Arc::new(Mutex::new(None));
        let order = Order {
            scope: job.scope.clone(),
            parent: job.run,
            job: job.key,
            node: self.node.clone(),
            answer: answer.clone(),
        };
        self.world.seen().orders.push(order);
        Box::pin(std::future::poll_fn(move |_| {
            answer.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Poll::Pending, Poll::Ready)
        }))
    }
}
