//! Who of those that wait for a slot starts now, and the calls whose start is durable.

use brain_core::{TenantId, Timestamp};
use brain_store::{Claim, Scope, StoreError, SystemScope};

use super::live::Work;
use super::messages::{Action, HandoverAction, StepOutput};
use super::{BACK_OFF, CLAIM, Core, MAX_CALLS, PEEK, REFILL};
use crate::host::JobContext;
use crate::turn::Handover;

impl Core {
    /// Lets those start that have waited for a slot, as far as there are any.
    pub(super) fn call_next(&mut self, now: Timestamp, output: &mut StepOutput) {
        for _ in 0..MAX_CALLS {
            let Some((tenant, run)) = self.flow.next(now) else {
                if let Some(tenant) = self.flow.hungry() {
                    self.refill_tenant(now, &tenant);
                    continue;
                }
                break;
            };
            self.flow.call(Some(run));
            if self.enqueue(now, &Scope::of(tenant), run, Work::Slot, output).is_some() {
                self.decide(now, run, output);
            }
            self.flow.call(None);
        }
        if let Some(at) = self.flow.look_at(now) {
            output.actions.push(Action::LookAt(at));
        }
    }

    /// Fetches runs that wait for a slot and that this node has not at hand: others queued them, or it had too many.
    pub(super) fn refill(&mut self, now: Timestamp) {
        if self.flow.is_paused() {
            return;
        }
        match self.store.queued_tenants(SystemScope) {
            Ok(tenants) if self.flow.has_room() => {
                tenants.iter().for_each(|tenant| self.refill_tenant(now, tenant));
            }
            // A full node must know who waits, or its next slot goes to those that it knows. A few of each are enough,
            // and others may take them meanwhile.
            Ok(tenants) => {
                let claim = Claim { node: self.node, now, until: now };
                for tenant in &tenants {
                    if !self.flow.knows(tenant, now) {
                        self.fetch(&claim, tenant, PEEK);
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "the store could not be asked who waits; asking again"),
        }
    }

    fn refill_tenant(&mut self, now: Timestamp, tenant: &TenantId) {
        self.fetch(&Claim { node: self.node, now, until: now.plus(CLAIM) }, tenant, REFILL);
    }

    fn fetch(&mut self, claim: &Claim, tenant: &TenantId, limit: usize) {
        let except = self.flow.used_up(tenant, claim.now);
        match self.store.queued(SystemScope, claim, tenant, &except, limit) {
            Ok(runs) => {
                let full = runs.len() == limit;
                // They come before all that are at hand: in the store's order.
                for (n, run) in runs.into_iter().enumerate() {
                    self.flow.wait(tenant, run, i64::MIN + n as i64, "any");
                }
                self.flow.has_more(tenant, full);
            }
            Err(error) => tracing::warn!(%error, "the store could not be asked who waits; asking again"),
        }
    }

    /// Whether a call may be made now. Time may have passed since its start was decided: the commit was slow, the
    /// process stood still. If another node has meanwhile given this one up, it may have found that the call did not
    /// happen, and have made it. With a key that does no harm; otherwise this node looks first.
    fn may_call(&self, handover: &Handover) -> Result<bool, StoreError> {
        if handover.repeatable {
            return Ok(true);
        }
        let row = self.store.run(&handover.context.scope, handover.context.run)?;
        Ok(row.is_some_and(|row| row.schedule.owner == Some(self.node) && row.schedule.fence == handover.fence))
    }

    /// Makes the calls whose start is durable.
    pub(super) fn hand_over(&mut self, now: Timestamp, output: &mut StepOutput) {
        while let Some(handover) = self.calls.pop_front() {
            match self.may_call(&handover) {
                Ok(true) => output.actions.push(Action::Perform(Box::new(HandoverAction(handover)))),
                Ok(false) => {
                    let JobContext { run, job, attempt, .. } = handover.context;
                    tracing::info!(%run, "a call is not made: another node has taken its run over");
                    self.in_hand.remove(&(run, job, attempt));
                    self.flow.release((run, job, attempt), false);
                }
                Err(_) => {
                    let context = &handover.context;
                    output.actions.push(Action::WakeAt(context.scope.clone(), context.run, now.plus(BACK_OFF)));
                    self.calls.push_front(handover);
                    return;
                }
            }
        }
    }
}
