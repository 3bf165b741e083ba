//! Assigns free slots to waiting jobs, and makes the calls whose start is durable.

use brain_core::{TenantId, Timestamp};
use brain_store::{Claim, Scope, SystemScope};

use super::live::Work;
use super::messages::{Action, HandoverAction, StepOutput};
use super::{ANY, CLAIM, Core, MAX_CALLS, PEEK, REFILL};
use crate::shards::shard_of;

impl Core {
    /// Starts waiting jobs as long as slots are free.
    pub(super) fn call_next(&mut self, now: Timestamp, output: &mut StepOutput) {
        for _ in 0..MAX_CALLS {
            let called = self.flow().next(now);
            let Some((tenant, run)) = called else {
                let hungry = self.flow().hungry();
                if let Some(tenant) = hungry {
                    self.refill_tenant(now, &tenant);
                    continue;
                }
                break;
            };
            let (own, shards) = self.shard;
            let scope = Scope::of(tenant);
            if shard_of(run, shards) != own {
                output.actions.push(Action::Slot(scope, run));
            } else if self.enqueue(&scope, run, Work::Slot).is_some() {
                self.decide(now, run, output);
            }
        }
        let look_at = self.flow().look_at(now);
        output.actions.extend(look_at.map(Action::LookAt));
    }

    /// Fetches queued runs that are not in memory: other nodes queued them, or this one had too many.
    pub(super) fn refill(&mut self, now: Timestamp) {
        if self.flow().is_paused() {
            return;
        }
        match self.store.queued_tenants(SystemScope) {
            Ok(tenants) if self.flow().has_room() => {
                tenants.iter().for_each(|tenant| self.refill_tenant(now, tenant));
            }
            // Even a full node must learn which tenants wait; otherwise its next free slot goes only to tenants it
            // already knows. A few runs per tenant suffice, and other nodes may still claim them.
            Ok(tenants) => {
                let claim = Claim { node: self.node, now, until: now };
                for tenant in &tenants {
                    if !self.flow().knows(tenant, now) {
                        self.fetch(&claim, tenant, PEEK);
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "the queue could not be read; will retry"),
        }
    }

    fn refill_tenant(&mut self, now: Timestamp, tenant: &TenantId) {
        self.fetch(&Claim { node: self.node, now, until: now.plus(CLAIM) }, tenant, REFILL);
    }

    fn fetch(&mut self, claim: &Claim, tenant: &TenantId, limit: usize) {
        let except = self.flow().used_up(tenant, claim.now);
        match self.store.queued(SystemScope, claim, tenant, &except, limit) {
            Ok(runs) => {
                let full = runs.len() == limit;
                // They come before all that are in memory: in the store's order.
                let mut flow = self.flow();
                for (n, run) in runs.into_iter().enumerate() {
                    flow.wait(tenant, run, i64::MIN + n as i64, ANY);
                }
                flow.has_more(tenant, full);
            }
            Err(error) => tracing::warn!(%error, "the queue could not be read; will retry"),
        }
    }

    /// Makes the calls whose start is durable.
    pub(super) fn hand_over(&mut self, output: &mut StepOutput) {
        for handover in self.calls.drain(..) {
            output.actions.push(Action::Perform(Box::new(HandoverAction(handover))));
        }
    }
}
