//! Slots are shared by weight: no waiting tenant is passed over for one that has more than its share.
//!
//! Two checks. The first follows every turn of every node, even during faults: if a run of one tenant waited for a slot
//! before and after the turn, no tenant with more use per weight may have been given one. That is exact, but it trusts
//! the node's own figures. The second trusts only rows and calls: while a run that any node may take is queued, each
//! node may give a bounded number of slots to others. It requires a calm world with agreeing clocks; a node that is
//! dead, suspended or cannot read is exempt.

use std::collections::{BTreeMap, BTreeSet};

use brain_core::TenantId;
use brain_engine::InUse;
use brain_store::Scope;
use brain_vm::JobStatus;

use crate::world::World;

/// Rounds of a calm world within which a node must have found and served every waiting tenant. It polls every second or
/// third round.
const ROUNDS: u32 = 6;

/// The weights of tenants, and what was observed.
#[derive(Default)]
pub(crate) struct Fairness {
    pub(crate) weights: BTreeMap<TenantId, u32>,
    pub(crate) slots: usize,
    /// How often a node had to choose between tenants.
    pub(crate) choices: u64,
    pub(crate) problems: Vec<String>,
    /// Slots that a node has given to others since it last served a waiting tenant.
    passed_over: BTreeMap<(String, TenantId), u32>,
}

impl Fairness {
    pub(crate) fn new(weights: BTreeMap<TenantId, u32>, slots: usize) -> Self {
        Self { weights, slots, ..Self::default() }
    }

    /// Checks one turn of a node: each tenant's use before and after it, and whose jobs it started.
    pub(crate) fn turn(&mut self, node: &str, before: &[InUse], started: &[TenantId], after: &[InUse]) {
        let waited: BTreeSet<&TenantId> = before.iter().filter(|one| one.waiting > 0).map(|one| &one.tenant).collect();
        let served: BTreeSet<&TenantId> = started.iter().collect();
        if waited.is_empty() || served.is_empty() {
            return;
        }
        self.choices += 1;
        let usage = |one: &InUse, less: u32| {
            u64::from(one.running.saturating_sub(less)) * 1_000 / u64::from(weight(&self.weights, &one.tenant))
        };
        let mut problems = Vec::new();
        for waits in after.iter().filter(|one| one.waiting > 0 && waited.contains(&one.tenant)) {
            for other in after.iter().filter(|one| one.tenant != waits.tenant && served.contains(&one.tenant)) {
                // The tenant that was served last used one slot less before.
                if usage(other, 1) > usage(waits, 0) {
                    let (who, whom) = (&waits.tenant, &other.tenant);
                    problems.push(format!(
                        "{node} is not fair: `{who}` waits with {} calls under way, and `{whom}` is given its {}.",
                        waits.running, other.running
                    ));
                }
            }
        }
        self.problems.extend(problems);
    }

    /// Checks one round of a calm world: the calls that were made, in order, and who waits after it.
    fn round(&mut self, made: &[(String, TenantId)], waiting: &BTreeSet<TenantId>) {
        self.passed_over.retain(|(_, tenant), _| waiting.contains(tenant));
        for (node, served) in made {
            self.passed_over.remove(&(node.clone(), served.clone()));
            for waits in waiting.iter().filter(|waits| *waits != served) {
                let times = self.passed_over.entry((node.clone(), waits.clone())).or_default();
                *times += 1;
                let ratio = weight(&self.weights, served).div_ceil(weight(&self.weights, waits));
                let bound = ROUNDS * ratio * u32::try_from(self.slots).unwrap_or(u32::MAX);
                if *times == bound + 1 {
                    self.problems.push(format!("`{waits}` waits while {node} serves others {times} times"));
                }
            }
        }
    }
}

fn weight(weights: &BTreeMap<TenantId, u32>, tenant: &TenantId) -> u32 {
    weights.get(tenant).copied().unwrap_or(1)
}

/// Checks a round.
pub(crate) fn round(world: &mut World) {
    let made = std::mem::take(&mut world.outside.seen().made);
    // A node whose clock is far ahead treats the others as dead and keeps taking over their runs.
    if !world.calm || !world.clocks_agree() {
        return;
    }
    let scopes = world.scopes.clone();
    let waiting = scopes.iter().filter(|scope| waits(world, scope)).map(|scope| scope.tenant().clone()).collect();
    world.fairness.round(&made, &waiting);
}

/// Whether a tenant has a run that any node with a free slot could continue.
fn waits(world: &mut World, scope: &Scope) -> bool {
    let rows = world.disk.base.runs(scope, None, 1_000, None).map(|page| page.items).unwrap_or_default();
    let for_a_node = rows.into_iter().filter(|row| {
        let schedule = &row.schedule;
        schedule.owner.is_none() && schedule.queued.as_ref().is_some_and(|place| place.limit == "node")
    });
    for_a_node.into_iter().any(|row| {
        let Some(state) = world.state_of(scope, row.id) else { return false };
        let (Some(code), Some(machine)) = (&state.code, &state.state) else { return false };
        // The row names the limit that it waited for first; the limited tool may be another one.
        let mut ready = machine.jobs.iter().filter(|(_, job)| job.status == JobStatus::Ready);
        ready.all(|(id, _)| machine.step(code, id.at()).tool.name != "t.check")
    })
}
