//! Nodes: how the living say so, and how the work of the dead is found.

use std::sync::Arc;

use brain_core::{Clock, Millis, NodeId};
use brain_store::{Claim, Scope, Store, StoreError, SystemScope};

use crate::core::CoreInput;

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
/// How long a node that owns nothing is remembered after its lease. A process that only stood still goes on, and may
/// own runs before it says that it lives; if it dies at that moment, its runs are found because it is still known.
const REMEMBERED: Millis = Millis(600_000);
/// How long what a node was given to look at is not given to others.
const CLAIM: Millis = Millis(5_000);
/// Runs looked up at a time.
const BATCH: usize = 256;

/// Looks after one node: its heartbeat, runs whose time has come, and the runs of dead nodes.
pub(crate) struct Keeper {
    pub(crate) node: NodeId,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) liveness: Arc<dyn Liveness>,
}

impl Keeper {
    pub(crate) fn heartbeat(&self) -> Result<(), StoreError> {
        self.store.heartbeat(SystemScope, self.node, self.clock.now().plus(LEASE), &self.liveness.own())
    }

    /// What this node is given to look at, others are not given for a while.
    fn claim(&self) -> Claim {
        let now = self.clock.now();
        Claim { node: self.node, now, until: now.plus(CLAIM) }
    }

    /// Looks once for everything that is to be done: runs of the dead, runs whose time has come, inboxes.
    pub(crate) fn look(&self, send: &dyn Fn(CoreInput)) -> Result<usize, StoreError> {
        Ok(self.orphans(send)? + self.due(send)? + self.signalled(send)?)
    }

    /// Runs whose time has come.
    pub(crate) fn due(&self, send: &dyn Fn(CoreInput)) -> Result<usize, StoreError> {
        let due = self.store.due(SystemScope, &self.claim(), BATCH)?;
        let count = due.len();
        for (tenant, run, _) in due {
            send(CoreInput::Wake(Scope::of(tenant), run));
        }
        Ok(count)
    }

    /// Runs with something in their inbox: whoever put it there may have died before it could say so.
    pub(crate) fn signalled(&self, send: &dyn Fn(CoreInput)) -> Result<usize, StoreError> {
        let signalled = self.store.signalled(SystemScope, None, BATCH)?;
        let count = signalled.len();
        for (tenant, run) in signalled {
            send(CoreInput::Signal(Scope::of(tenant), run));
        }
        Ok(count)
    }

    /// Runs of nodes whose lease is over, or of which it is known that they are gone.
    pub(crate) fn orphans(&self, send: &dyn Fn(CoreInput)) -> Result<usize, StoreError> {
        let now = self.clock.now();
        let mut count = 0;
        for (node, until, liveness) in self.store.nodes(SystemScope)? {
            if node == self.node {
                continue;
            }
            let gone = self.liveness.is_gone(&liveness);
            if until > now && !gone {
                continue;
            }
            let owned = self.store.owned_by(SystemScope, node, BATCH)?;
            if owned.is_empty() && (gone || until.plus(REMEMBERED) <= now) {
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
