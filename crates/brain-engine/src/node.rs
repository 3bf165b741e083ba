//! Nodes: how the living say so, and how the work of the dead is found.

use std::sync::Arc;

use brain_core::{Clock, Millis, NodeId, RunId, TenantId};
use brain_store::{Claim, NodeRow, Scope, Store, StoreError, SystemScope};

use crate::core::{CLAIM, CoreInput};
use crate::flow::Share;

/// Knows more about nodes than their heartbeats say.
pub trait Liveness: Send + Sync {
    /// What a later process can recognise this one by.
    fn own(&self) -> String;

    /// Whether a process that described itself so is certainly gone. `false` if that cannot be told.
    fn is_gone(&self, other: &str) -> bool;
}

/// How long a node's word is good for. Its runs may be taken over after that.
pub(crate) const LEASE: Millis = Millis(15_000);
/// How often it renews it.
pub(crate) const HEARTBEAT: Millis = Millis(5_000);
/// How far ahead timers are fetched: longer than the time between two looks.
const AHEAD: Millis = Millis(2_000);
/// How long a node that owns nothing is remembered after its lease. A process that only stood still goes on, and may
/// own runs before it says that it lives; if it dies at that moment, its runs are found because it is still known.
const REMEMBERED: Millis = Millis(600_000);
/// Runs looked up at a time. Those that are in the inbox already are dropped there, so a look that finds the same ones
/// again costs a read and nothing else.
const BATCH: usize = 10_000;

/// Looks after one node: its heartbeat, runs whose time has come, and the runs of dead nodes.
pub(crate) struct Keeper {
    pub(crate) node: NodeId,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) liveness: Arc<dyn Liveness>,
    /// Whether this process works for others too; one that ends soon has no part of shared limits.
    pub(crate) keep: bool,
    /// The last run whose inbox was looked at.
    pub(crate) looked: Option<(TenantId, RunId)>,
}

/// What nodes without a part of shared limits add to what they are recognised by: processes that end soon, and those that
/// are paused and have nothing under way.
const NO_SHARE: &str = " no-share";

impl Keeper {
    /// Says that this node lives. One that `rests` leaves its part of shared limits to the others.
    pub(crate) fn heartbeat(&self, rests: bool) -> Result<(), StoreError> {
        let own = format!("{}{}", self.liveness.own(), if self.keep && !rests { "" } else { NO_SHARE });
        self.store.heartbeat(SystemScope, self.node, self.clock.now(), LEASE, &own)
    }

    /// Everything that there may be to do; the dead and what is due are looked for only if `poll`. Whether there was more
    /// than one look takes.
    pub(crate) fn look(&mut self, poll: bool, send: &dyn Fn(CoreInput)) -> Result<bool, StoreError> {
        let mut more = false;
        if poll {
            more |= self.orphans(send)? >= BATCH;
            more |= self.due(send)? >= BATCH;
        }
        more |= self.signalled(send)? >= BATCH;
        send(CoreInput::Look(self.share()?));
        Ok(more)
    }

    /// This node's part of limits that hold over all nodes.
    fn share(&self) -> Result<Share, StoreError> {
        let works = |row: &NodeRow| row.lapsed.is_none() && !row.liveness.ends_with(NO_SHARE);
        let nodes = self.store.nodes(SystemScope, self.clock.now())?.into_iter();
        let mut alive: Vec<NodeId> = nodes.filter(|row| row.id == self.node || works(row)).map(|row| row.id).collect();
        alive.sort_unstable();
        let rank = alive.iter().position(|node| *node == self.node).unwrap_or(0);
        Ok(Share { rank: rank as u32, nodes: (alive.len() as u32).max(1) })
    }

    /// What this node is given to look at, others are not given for a while.
    fn claim(&self) -> Claim {
        let now = self.clock.now();
        Claim { node: self.node, now, until: now.plus(CLAIM) }
    }

    /// Runs whose time has come.
    pub(crate) fn due(&self, send: &dyn Fn(CoreInput)) -> Result<usize, StoreError> {
        let claim = self.claim();
        let due = self.store.due(SystemScope, &Claim { now: claim.now.plus(AHEAD), ..claim }, BATCH)?;
        let count = due.len();
        for (tenant, run, at) in due {
            let scope = Scope::of(tenant);
            send(if at <= claim.now { CoreInput::Wake(scope, run) } else { CoreInput::WakeAt(scope, run, at) });
        }
        Ok(count)
    }

    /// Runs with something in their inbox: whoever put it there may have died before it could say so.
    pub(crate) fn signalled(&mut self, send: &dyn Fn(CoreInput)) -> Result<usize, StoreError> {
        let signalled = self.store.signalled(SystemScope, self.looked.as_ref(), BATCH)?;
        let count = signalled.len();
        // Inboxes that nobody can empty yet must not hide those behind them.
        self.looked = if count == BATCH { signalled.last().cloned() } else { None };
        for (tenant, run) in signalled {
            send(CoreInput::Signal(Scope::of(tenant), run));
        }
        Ok(count)
    }

    /// Runs of nodes whose lease is over, or of which it is known that they are gone.
    pub(crate) fn orphans(&self, send: &dyn Fn(CoreInput)) -> Result<usize, StoreError> {
        let mut count = 0;
        for NodeRow { id: node, lapsed, liveness, .. } in self.store.nodes(SystemScope, self.clock.now())? {
            if node == self.node {
                continue;
            }
            let gone = self.liveness.is_gone(liveness.trim_end_matches(NO_SHARE));
            if lapsed.is_none() && !gone {
                continue;
            }
            let owned = self.store.owned_by(SystemScope, node, BATCH)?;
            if owned.is_empty() && (gone || lapsed.is_some_and(|ago| ago >= REMEMBERED)) {
                self.store.forget_node(SystemScope, node)?;
            }
            count += owned.len();
            for (tenant, run) in owned {
                send(CoreInput::TakeOver(Scope::of(tenant), run, node));
            }
        }
        Ok(count)
    }
}
