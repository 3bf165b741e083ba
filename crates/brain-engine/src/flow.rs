//! Decides which external jobs may start: slots, limits, and fairness between tenants.
//!
//! A job without a slot does not start: it stays ready, its run is durably queued, and any node with free slots may
//! take it. This module holds the node's part of that queue and its jobs in flight.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use brain_core::{Rate, RateMeter, RunId, TenantId, Timestamp};
use brain_vm::JobId;

/// A tenant may use this many times the slots that it leaves free (times its weight). A single tenant gets four fifths,
/// and the next one always finds some.
const GREED: usize = 4;
/// The queue of runs that wait for a slot of the node, or for tenants that go first.
const NODE: &str = "node";
/// Maximum number of queued runs per tenant in memory; the store has the rest.
const AT_HAND: usize = 1_024;

/// Concurrency and rate limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Maximum concurrency over all nodes.
    pub running: Option<u32>,
    /// Rate over all nodes.
    pub rate: Option<Rate>,
}

/// The limits of a tenant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TenantLimits {
    /// Its weight where tenants compete: twice the weight, twice the share.
    pub weight: u32,
    /// Its limits.
    pub limits: Limits,
}

impl Default for TenantLimits {
    fn default() -> Self {
        Self { weight: 1, limits: Limits::default() }
    }
}

/// How external jobs share the node.
#[derive(Clone, Debug)]
pub struct FlowConfig {
    /// Maximum number of concurrent external jobs on this node.
    pub slots: usize,
    /// Tenants with their own limits or weight.
    pub tenants: BTreeMap<TenantId, TenantLimits>,
    /// The limits of all other tenants.
    pub others: TenantLimits,
    /// Maximum number of waiting requests per tenant.
    pub waiting_of_tenant: usize,
    /// Maximum number of waiting requests in total.
    pub waiting: usize,
}

impl Default for FlowConfig {
    fn default() -> Self {
        Self {
            slots: 1_024,
            tenants: BTreeMap::new(),
            others: TenantLimits::default(),
            waiting_of_tenant: 2_048,
            waiting: 8_192,
        }
    }
}

impl FlowConfig {
    /// The limits of a tenant.
    pub fn tenant(&self, tenant: &TenantId) -> TenantLimits {
        self.tenants.get(tenant).copied().unwrap_or(self.others)
    }
}

/// A tenant's use of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InUse {
    /// The tenant.
    pub tenant: TenantId,
    /// Its external jobs in flight there, or about to be.
    pub running: u32,
    /// Its runs in memory that wait only for a slot of the node.
    pub waiting: usize,
}

/// This node's share of limits that apply over all nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Its rank among the live nodes.
    pub rank: u32,
    /// The number of live nodes.
    pub nodes: u32,
}

impl Share {
    /// The whole share.
    pub const ALONE: Self = Self { rank: 0, nodes: 1 };

    /// Its share of a number: all shares add up to the whole, and some may be zero.
    fn of(self, whole: u32) -> u32 {
        whole / self.nodes + u32::from(self.rank < whole % self.nodes)
    }
}

/// Slots in use, by limit: `tool NAME` or `tenant NAME`.
pub type Uses = BTreeMap<String, u32>;

/// Why a job does not start now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NoSlot {
    /// The exhausted limit: `node`, `tenant`, `tool NAME` or `pause`.
    pub(crate) limit: String,
}

/// One attempt of one job.
pub(crate) type Slot = (RunId, JobId, u32);

#[derive(Default)]
struct Used {
    running: u32,
    meter: RateMeter,
    limits: Limits,
    /// The slot counter at its last slot: ties go to the longest wait.
    served: u64,
}

impl Used {
    /// When another job may start in addition to those with a reserved slot; `None`: when a running one has ended.
    /// Nodes without a share use `elsewhere` slots of the limit; the other nodes share the rest.
    fn next_at(&self, share: Share, reserved: u32, elsewhere: u32, now: Timestamp) -> Option<Timestamp> {
        let full = |limit: u32| self.running + reserved >= share.of(limit.saturating_sub(elsewhere));
        if self.limits.running.is_some_and(full) {
            return None;
        }
        Some(self.limits.rate.map_or(now, |rate| self.meter.next_at(rate, share.nodes, now)))
    }

    fn begin(&mut self, share: Share, now: Timestamp) {
        self.running += 1;
        if let Some(rate) = self.limits.rate {
            self.meter.use_one(rate, share.nodes, now);
        }
    }

    fn end(&mut self, share: Share, happened: bool) {
        self.running = self.running.saturating_sub(1);
        if let (false, Some(rate)) = (happened, self.limits.rate) {
            self.meter.give_back(rate, share.nodes);
        }
    }
}

/// The in-memory queue of one tenant: by limit, in order.
#[derive(Default)]
struct Waiting {
    by_limit: BTreeMap<String, BTreeSet<(i64, RunId)>>,
}

impl Waiting {
    fn len(&self) -> usize {
        self.by_limit.values().map(BTreeSet::len).sum()
    }

    fn take(&mut self, limit: &str, place: (i64, RunId)) {
        if let Some(places) = self.by_limit.get_mut(limit) {
            places.remove(&place);
            if places.is_empty() {
                self.by_limit.remove(limit);
            }
        }
    }

    fn remove(&mut self, run: RunId) {
        for places in self.by_limit.values_mut() {
            places.retain(|(_, one)| *one != run);
        }
        self.by_limit.retain(|_, places| !places.is_empty());
    }
}

/// The node's slots in use, and its queue.
pub(crate) struct Flow {
    config: FlowConfig,
    share: Share,
    /// Slots that nodes without a share use.
    elsewhere: Uses,
    paused: bool,
    running: HashMap<Slot, (TenantId, String)>,
    tenants: HashMap<TenantId, Used>,
    tools: HashMap<String, Used>,
    waiting: BTreeMap<TenantId, Waiting>,
    served: u64,
    /// Tenants with more queued runs in the store than in memory.
    more: BTreeSet<TenantId>,
    /// Runs that were called and have not started yet, each with the limit it waited for. They go before those that
    /// wait, and a slot is reserved for each. Otherwise many would be called for one slot of a tool, and the winner
    /// would be random.
    called: BTreeMap<RunId, (TenantId, String)>,
    /// How many slots are reserved per limit.
    reserved: HashMap<String, u32>,
}

impl Flow {
    pub(crate) fn new(config: FlowConfig) -> Self {
        Self {
            config,
            share: Share::ALONE,
            elsewhere: Uses::new(),
            paused: false,
            running: HashMap::new(),
            tenants: HashMap::new(),
            tools: HashMap::new(),
            waiting: BTreeMap::new(),
            served: 0,
            more: BTreeSet::new(),
            called: BTreeMap::new(),
            reserved: HashMap::new(),
        }
    }

    pub(crate) fn set_share(&mut self, share: Share, elsewhere: Uses) {
        self.share = share;
        self.elsewhere = elsewhere;
    }

    /// The slots of this node in use.
    pub(crate) fn uses(&self) -> Uses {
        let mut uses = Uses::new();
        for (tenant, tool) in self.running.values() {
            *uses.entry(format!("tool {tool}")).or_default() += 1;
            *uses.entry(format!("tenant {tenant}")).or_default() += 1;
        }
        uses
    }

    fn elsewhere(&self, kind: &str, name: &str) -> u32 {
        // Nearly always empty, and asked for every job.
        if self.elsewhere.is_empty() { 0 } else { self.elsewhere.get(&format!("{kind} {name}")).copied().unwrap_or(0) }
    }

    /// Pauses or resumes.
    pub(crate) fn pause(&mut self, paused: bool) {
        self.paused = paused;
    }

    /// The number of external jobs in flight.
    pub(crate) fn running(&self) -> usize {
        self.running.len()
    }

    /// Each tenant's use of this node.
    pub(crate) fn in_use(&self) -> Vec<InUse> {
        let known =
            self.tenants.keys().chain(self.waiting.keys()).chain(self.called.values().map(|(tenant, _)| tenant));
        let tenants: BTreeSet<&TenantId> = known.collect();
        let of = |tenant: &TenantId| InUse {
            tenant: tenant.clone(),
            running: self.busy_of(tenant) as u32,
            waiting: self.waiting.get(tenant).and_then(|it| it.by_limit.get(NODE)).map_or(0, BTreeSet::len),
        };
        tenants.into_iter().map(of).collect()
    }

    /// Whether nothing may start at all.
    pub(crate) fn is_paused(&self) -> bool {
        self.paused
    }

    /// Whether a run of this tenant in memory waits only for a slot of this node, or none could start.
    pub(crate) fn knows(&self, tenant: &TenantId, now: Timestamp) -> bool {
        let used_up = self.used_up(tenant, now);
        let Some(waiting) = self.waiting.get(tenant) else { return false };
        used_up.iter().any(|limit| limit == "tenant") || waiting.by_limit.keys().any(|limit| !used_up.contains(limit))
    }

    /// Whether a slot is free.
    pub(crate) fn has_room(&self) -> bool {
        !self.paused && self.busy() < self.config.slots
    }

    /// Slots in use or reserved.
    fn busy(&self) -> usize {
        self.running.len() + self.called.len()
    }

    /// Slots of a tenant in use or reserved.
    fn busy_of(&self, tenant: &TenantId) -> usize {
        let running = self.tenants.get(tenant).map_or(0, |used| used.running as usize);
        running + self.called.values().filter(|(of, _)| of == tenant).count()
    }

    fn used<'a>(tenants: &'a mut HashMap<TenantId, Used>, config: &FlowConfig, tenant: &TenantId) -> &'a mut Used {
        tenants
            .entry(tenant.clone())
            .or_insert_with(|| Used { limits: config.tenant(tenant).limits, ..Used::default() })
    }

    /// Whether the tenant may have one more of this node's slots.
    fn node_has_room(&self, tenant: &TenantId) -> bool {
        let free = self.config.slots.saturating_sub(self.busy());
        let running = self.busy_of(tenant);
        let weight = self.config.tenant(tenant).weight.max(1) as usize;
        running < free.saturating_mul(GREED).saturating_mul(weight)
    }

    /// Takes a slot for a job of this tool, or returns the exhausted limit.
    pub(crate) fn take(
        &mut self,
        now: Timestamp,
        tenant: &TenantId,
        tool: &str,
        limits: Limits,
        slot: Slot,
    ) -> Result<(), NoSlot> {
        let no = |limit: String| Err(NoSlot { limit });
        if self.paused {
            return no("pause".into());
        }
        let called = self.release_reserved_slot(slot.0);
        if !called && let Some(limit) = self.ahead(tenant, tool) {
            return no(limit);
        }
        if !self.node_has_room(tenant) || self.others_first(now, tenant) {
            return no(NODE.into());
        }
        let share = self.share;
        let (reserved, reserved_of_tool) = (self.reserved_for_tenant(tenant), self.reserved_for_tool(tool));
        let (elsewhere, tool_elsewhere) = (self.elsewhere("tenant", tenant.as_str()), self.elsewhere("tool", tool));
        let of_tenant = Self::used(&mut self.tenants, &self.config, tenant);
        if of_tenant.next_at(share, reserved, elsewhere, now).is_none_or(|at| at > now) {
            return no("tenant".into());
        }
        if limits != Limits::default() || self.tools.contains_key(tool) {
            let of_tool = self.tools.entry(tool.to_owned()).or_default();
            of_tool.limits = limits;
            if of_tool.next_at(share, reserved_of_tool, tool_elsewhere, now).is_none_or(|at| at > now) {
                return no(format!("tool {tool}"));
            }
            of_tool.begin(share, now);
        }
        of_tenant.begin(share, now);
        self.served += 1;
        of_tenant.served = self.served;
        self.running.insert(slot, (tenant.clone(), tool.to_owned()));
        Ok(())
    }

    /// Reserved slots of a tenant's own limit.
    fn reserved_for_tenant(&self, tenant: &TenantId) -> u32 {
        self.called.values().filter(|(of, _)| of == tenant).count() as u32
    }

    /// Reserved slots of a tool.
    fn reserved_for_tool(&self, tool: &str) -> u32 {
        if self.reserved.is_empty() { 0 } else { self.reserved.get(&format!("tool {tool}")).copied().unwrap_or(0) }
    }

    /// A tenant's use of this node, divided by its weight.
    fn usage(&self, tenant: &TenantId) -> u64 {
        let running = self.busy_of(tenant) as u64;
        running * 1_000 / u64::from(self.config.tenant(tenant).weight.max(1))
    }

    /// Whether a tenant with less weighted use has a run that could start now. Without this check, a fast tenant (a run
    /// that continues when its call has ended, a call for each of many items) would keep its slots forever.
    fn others_first(&self, now: Timestamp, tenant: &TenantId) -> bool {
        let usage = self.usage(tenant);
        let mut others = self.waiting.keys().filter(|other| *other != tenant && self.usage(other) < usage);
        others.any(|other| self.first_of(now, other).is_some())
    }

    /// The tenant's run that would start next, and its limit; `None` if none could start now.
    fn first_of(&self, now: Timestamp, tenant: &TenantId) -> Option<(String, (i64, RunId))> {
        if !self.node_has_room(tenant) {
            return None;
        }
        let used_up = self.used_up(tenant, now);
        if used_up.iter().any(|limit| limit == "tenant") {
            return None;
        }
        let by_limit = &self.waiting.get(tenant)?.by_limit;
        let free = by_limit.iter().filter(|(limit, _)| !used_up.contains(limit));
        let (first, limit) = free.filter_map(|(limit, places)| Some((*places.first()?, limit))).min()?;
        Some((limit.clone(), first))
    }

    /// The limit that earlier runs of this tenant wait for, if a new one would need it too.
    fn ahead(&self, tenant: &TenantId, tool: &str) -> Option<String> {
        let waiting = self.waiting.get(tenant)?;
        let for_tool = format!("tool {tool}");
        [NODE, "tenant", for_tool.as_str()]
            .into_iter()
            .find(|limit| waiting.by_limit.contains_key(*limit))
            .map(str::to_owned)
    }

    /// A job has ended, or (`happened` is false) its start was never committed.
    pub(crate) fn release(&mut self, slot: Slot, happened: bool) {
        let Some((tenant, tool)) = self.running.remove(&slot) else { return };
        if let Some(used) = self.tenants.get_mut(&tenant) {
            used.end(self.share, happened);
        }
        if let Some(used) = self.tools.get_mut(&tool) {
            used.end(self.share, happened);
        }
    }

    /// Queues a run for a slot.
    pub(crate) fn wait(&mut self, tenant: &TenantId, run: RunId, order: i64, limit: &str) {
        let waiting = self.waiting.entry(tenant.clone()).or_default();
        waiting.by_limit.entry(limit.to_owned()).or_default().insert((order, run));
        if waiting.len() > AT_HAND {
            // The store also has the last ones.
            let longest = waiting.by_limit.values_mut().max_by_key(|places| places.len());
            if let Some(places) = longest {
                places.pop_last();
                self.more.insert(tenant.clone());
            }
        }
    }

    /// Removes a run from the queue: it no longer waits, or another node took it.
    pub(crate) fn forget(&mut self, tenant: &TenantId, run: RunId) {
        if let Some(waiting) = self.waiting.get_mut(tenant) {
            waiting.remove(run);
            if waiting.by_limit.is_empty() {
                self.waiting.remove(tenant);
            }
        }
    }

    /// Exhausted limits: fetching runs that wait for them is useless now.
    pub(crate) fn used_up(&self, tenant: &TenantId, now: Timestamp) -> Vec<String> {
        let full = |used: &Used, reserved: u32, elsewhere: u32| {
            used.next_at(self.share, reserved, elsewhere, now).is_none_or(|at| at > now)
        };
        let tools = self.tools.iter();
        let tools = tools.filter(|(tool, used)| full(used, self.reserved_for_tool(tool), self.elsewhere("tool", tool)));
        let mut limits: Vec<String> = tools.map(|(tool, _)| format!("tool {tool}")).collect();
        let elsewhere = self.elsewhere("tenant", tenant.as_str());
        if self.tenants.get(tenant).is_some_and(|used| full(used, self.reserved_for_tenant(tenant), elsewhere)) {
            limits.push("tenant".into());
        }
        limits
    }

    /// Records whether the store has more queued runs of this tenant than memory.
    pub(crate) fn has_more(&mut self, tenant: &TenantId, more: bool) {
        if more {
            self.more.insert(tenant.clone());
        } else {
            self.more.remove(tenant);
        }
    }

    /// A tenant without runs in memory although slots are free and the store has more. Returned once.
    pub(crate) fn hungry(&mut self) -> Option<TenantId> {
        if !self.has_room() {
            return None;
        }
        let tenant = self.more.iter().find(|tenant| !self.waiting.contains_key(*tenant))?.clone();
        self.more.remove(&tenant);
        Some(tenant)
    }

    /// The next run: of the tenant with the least weighted use, the first one that could start now.
    pub(crate) fn next(&mut self, now: Timestamp) -> Option<(TenantId, RunId)> {
        if !self.has_room() {
            return None;
        }
        let mut tenants: Vec<&TenantId> = self.waiting.keys().collect();
        tenants.sort_by_key(|tenant| (self.usage(tenant), self.tenants.get(*tenant).map_or(0, |used| used.served)));
        let mut found = tenants.into_iter().filter_map(|tenant| Some((tenant.clone(), self.first_of(now, tenant)?)));
        let (tenant, (limit, place)) = found.next()?;
        if let Some(waiting) = self.waiting.get_mut(&tenant) {
            waiting.take(&limit, place);
            if waiting.by_limit.is_empty() {
                self.waiting.remove(&tenant);
            }
        }
        self.call(&tenant, place.1, &limit);
        Some((tenant, place.1))
    }

    /// Reserves a slot for a run until it is decided.
    pub(crate) fn call(&mut self, tenant: &TenantId, run: RunId, limit: &str) {
        self.release_reserved_slot(run);
        self.called.insert(run, (tenant.clone(), limit.to_owned()));
        *self.reserved.entry(limit.to_owned()).or_default() += 1;
    }

    /// Keeps the slot of a run that waits for a read: those who wait would overtake it otherwise. A run without a reserved
    /// slot gets none, because all slots may be in use.
    pub(crate) fn call_again(&mut self, tenant: &TenantId, run: RunId, limit: &str, was_called: bool) {
        if was_called {
            self.call(tenant, run, limit);
        }
    }

    /// Whether a slot is reserved for a run.
    pub(crate) fn is_called(&self, run: RunId) -> bool {
        self.called.contains_key(&run)
    }

    /// Frees the reserved slot of a run that was decided; returns whether it had one.
    pub(crate) fn release_reserved_slot(&mut self, run: RunId) -> bool {
        let Some((_, limit)) = self.called.remove(&run) else { return false };
        if let Some(reserved) = self.reserved.get_mut(&limit) {
            *reserved -= 1;
            if *reserved == 0 {
                self.reserved.remove(&limit);
            }
        }
        true
    }

    /// When a rate limit allows the next waiting job, if that is what it waits for.
    pub(crate) fn look_at(&self, now: Timestamp) -> Option<Timestamp> {
        let tools = self.tools.iter().filter(|(tool, _)| {
            let limit = format!("tool {tool}");
            self.waiting.values().any(|waiting| waiting.by_limit.contains_key(&limit))
        });
        let tenants = self.tenants.iter().filter(|(tenant, _)| self.waiting.contains_key(*tenant));
        tools
            .map(|(_, used)| used)
            .chain(tenants.map(|(_, used)| used))
            .filter_map(|used| used.next_at(self.share, 0, 0, now))
            .filter(|at| *at > now)
            .min()
    }
}

#[cfg(test)]
mod tests {
    use brain_core::SeededRandom;

    use super::*;

    fn tenant(name: &str) -> TenantId {
        name.parse().expect("a name")
    }

    fn slot(n: u64) -> Slot {
        let run = RunId::generate(Timestamp::from_millis(1), &mut SeededRandom::new(n));
        (run, JobId { scope: 0, step: 0, item: 0, undo: false }, 1)
    }

    fn flow(slots: usize) -> Flow {
        Flow::new(FlowConfig { slots, ..FlowConfig::default() })
    }

    const NOW: Timestamp = Timestamp::from_millis(1_000_000);

    #[test]
    fn one_tenant_never_takes_everything() {
        let mut flow = flow(100);
        let (flood, other) = (tenant("flood"), tenant("other"));
        let taken = (0..1_000).filter(|n| flow.take(NOW, &flood, "t", Limits::default(), slot(*n)).is_ok()).count();
        assert_eq!(taken, 80);
        assert_eq!(flow.take(NOW, &other, "t", Limits::default(), slot(5_000)), Ok(()));
    }

    #[test]
    fn slots_go_by_weight() {
        let mut config = FlowConfig { slots: 30, ..FlowConfig::default() };
        config.tenants.insert(tenant("heavy"), TenantLimits { weight: 2, ..TenantLimits::default() });
        let mut flow = Flow::new(config);
        let (heavy, light) = (tenant("heavy"), tenant("light"));
        for n in 0..100 {
            flow.wait(&heavy, slot(n).0, n as i64, "node");
            flow.wait(&light, slot(1_000 + n).0, n as i64, "node");
        }
        let mut count = (0, 0);
        while let Some((who, run)) = flow.next(NOW) {
            flow.take(NOW, &who, "t", Limits::default(), (run, slot(0).1, 1)).expect("it was called");
            if who == heavy { count.0 += 1 } else { count.1 += 1 }
        }
        assert!((1.7..=2.3).contains(&(f64::from(count.0) / f64::from(count.1))), "{count:?}");
    }

    #[test]
    fn whoever_uses_more_does_not_go_before_those_who_wait() {
        let mut flow = flow(3);
        let (busy, patient) = (tenant("busy"), tenant("patient"));
        for n in 0..3 {
            assert_eq!(flow.take(NOW, &busy, "t", Limits::default(), slot(n)), Ok(()));
        }
        flow.wait(&patient, slot(10).0, 1, NODE);
        // A call of a run has ended, and the run would start its next one.
        flow.release(slot(0), true);
        assert!(flow.take(NOW, &busy, "t", Limits::default(), slot(4)).is_err());
        assert_eq!(flow.next(NOW), Some((patient.clone(), slot(10).0)));
        assert_eq!(flow.take(NOW, &patient, "t", Limits::default(), slot(10)), Ok(()));
        flow.release(slot(1), true);
        assert_eq!(flow.take(NOW, &busy, "t", Limits::default(), slot(5)), Ok(()), "nobody else waits");
    }

    #[test]
    fn a_limit_of_a_tool_holds_for_all_and_lets_others_pass() {
        let mut flow = flow(100);
        let limits = Limits { running: Some(2), rate: None };
        let (a, b) = (tenant("a"), tenant("b"));
        assert_eq!(flow.take(NOW, &a, "slow", limits, slot(1)), Ok(()));
        assert_eq!(flow.take(NOW, &b, "slow", limits, slot(2)), Ok(()));
        let no = flow.take(NOW, &b, "slow", limits, slot(3)).expect_err("two at a time");
        assert_eq!(no.limit, "tool slow");
        flow.wait(&b, slot(3).0, 1, &no.limit);
        assert_eq!(flow.take(NOW, &b, "quick", Limits::default(), slot(4)), Ok(()));
        assert_eq!(flow.next(NOW), None);
        // A new run does not overtake.
        flow.release(slot(1), true);
        assert!(flow.take(NOW, &b, "slow", limits, slot(5)).is_err());
        assert_eq!(flow.next(NOW), Some((b, slot(3).0)));
    }

    #[test]
    fn one_is_called_for_one_slot_of_a_tool() {
        let mut flow = flow(100);
        let limits = Limits { running: Some(1), rate: None };
        let (flood, other) = (tenant("flood"), tenant("other"));
        assert_eq!(flow.take(NOW, &flood, "slow", limits, slot(1)), Ok(()));
        for n in 2..9 {
            flow.wait(&flood, slot(n).0, n as i64, "tool slow");
        }
        flow.wait(&other, slot(20).0, 20, "tool slow");
        flow.release(slot(1), true);
        // It is loaded first; its slot stays reserved.
        assert_eq!(flow.next(NOW), Some((other.clone(), slot(20).0)));
        assert_eq!(flow.next(NOW), None);
        assert!(flow.take(NOW, &tenant("new"), "slow", limits, slot(30)).is_err());
        assert_eq!(flow.take(NOW, &other, "slow", limits, slot(20)), Ok(()));
        flow.release(slot(20), true);
        assert_eq!(flow.next(NOW), Some((flood, slot(2).0)));
    }

    #[test]
    fn a_run_that_waits_for_a_read_keeps_its_slot_and_gets_no_other() {
        let limits = Limits { running: Some(1), rate: None };
        let a = tenant("a");
        for was_called in [true, false] {
            let mut flow = flow(100);
            let (first, second) = (slot(1), slot(2));
            if was_called {
                flow.wait(&a, second.0, 1, "tool slow");
                flow.tools.entry("slow".to_owned()).or_default().limits = limits;
                assert_eq!(flow.next(NOW), Some((a.clone(), second.0)));
            } else {
                assert_eq!(flow.take(NOW, &a, "slow", limits, first), Ok(()), "the only slot");
            }
            flow.release_reserved_slot(second.0);
            flow.call_again(&a, second.0, "tool slow", was_called);
            let reserved = if was_called { 1 } else { 0 };
            assert_eq!(flow.reserved_for_tool("slow"), reserved);
            let other = flow.take(NOW, &tenant("b"), "slow", limits, slot(3));
            assert!(other.is_err(), "the slot is in use or reserved");
            if !was_called {
                flow.release(first, true);
                assert_eq!(flow.take(NOW, &a, "slow", limits, slot(4)), Ok(()), "the slot is free again");
            }
        }
    }

    #[test]
    fn a_rate_says_when_to_look_again() {
        let mut flow = flow(100);
        let limits = Limits { running: None, rate: Some("2/s".parse().expect("a rate")) };
        let a = tenant("a");
        for n in 0..2 {
            assert_eq!(flow.take(NOW, &a, "t", limits, slot(n)), Ok(()));
        }
        assert!(flow.take(NOW, &a, "t", limits, slot(3)).is_err());
        flow.wait(&a, slot(3).0, 1, "tool t");
        let at = flow.look_at(NOW).expect("a time");
        assert_eq!(at.as_millis(), NOW.as_millis() + 500);
        assert_eq!((flow.next(NOW), flow.next(at)), (None, Some((a, slot(3).0))));
    }

    #[test]
    fn nodes_share_a_limit() {
        let parts = |whole, nodes| (0..nodes).map(|rank| Share { rank, nodes }.of(whole)).collect::<Vec<_>>();
        assert_eq!(parts(1, 2), [1, 0]);
        assert_eq!(parts(10, 3), [4, 3, 3]);
        assert_eq!(parts(7, 1), [7]);
    }

    #[test]
    fn what_a_node_without_a_share_uses_is_not_used_twice() {
        let limits = Limits { running: Some(3), rate: None };
        let mut resting = Flow::new(FlowConfig::default());
        let a = tenant("a");
        assert_eq!(resting.take(NOW, &a, "t", limits, slot(0)), Ok(()));
        let mut flow = Flow::new(FlowConfig::default());
        flow.set_share(Share::ALONE, resting.uses());
        for n in 1..3 {
            assert_eq!(flow.take(NOW, &a, "t", limits, slot(n)), Ok(()), "the other two are free");
        }
        assert_eq!(flow.take(NOW, &a, "t", limits, slot(3)), Err(NoSlot { limit: "tool t".into() }));
        assert_eq!(flow.take(NOW, &a, "other", limits, slot(4)), Ok(()), "only this tool is in use elsewhere");
        resting.release(slot(0), true);
        flow.set_share(Share::ALONE, resting.uses());
        assert_eq!(flow.take(NOW, &a, "t", limits, slot(3)), Ok(()));
    }
}
