//! Nodes: heartbeats, leases, and take-over of the runs of dead nodes.

use std::sync::Arc;

use brain_core::{Clock, Millis, NodeId, RunId, TenantId};
use brain_store::{Claim, NodeRow, Scope, Store, StoreError, SystemScope};

use crate::core::{CLAIM, CoreInput};
use crate::flow::{Share, Uses};

/// Detects dead processes before their lease ends.
pub trait Liveness: Send + Sync {
    /// A text by which a later process can identify this one.
    fn own(&self) -> String;

    /// Whether the process with this text is certainly dead. `false` if that cannot be determined.
    fn is_gone(&self, other: &str) -> bool;
}

/// Length of a node's lease. Its runs may be taken over after that.
pub(crate) const LEASE: Millis = Millis(15_000);
/// Interval of lease renewals.
pub(crate) const HEARTBEAT: Millis = Millis(5_000);
/// How far ahead timers are fetched: more than the interval between two polls.
const AHEAD: Millis = Millis(2_000);
/// How long a node without runs stays in the store after its lease. A process that was suspended may resume and own
/// runs before its next heartbeat; if it then dies, its runs are found because the node is still known.
const REMEMBERED: Millis = Millis(600_000);
/// Runs per query. Runs that are already in the inbox are dropped there, so finding them again costs only the read.
const BATCH: usize = 10_000;

/// Maintains one node: its heartbeat, due runs, and the runs of dead nodes.
pub(crate) struct Keeper {
    pub(crate) node: NodeId,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) liveness: Arc<dyn Liveness>,
    /// Whether this process also works on other nodes' runs. A short-lived process gets no share of limits.
    pub(crate) keep: bool,
    /// The last run whose inbox was checked.
    pub(crate) looked: Option<(TenantId, RunId)>,
}

/// Appended to the liveness text of nodes without a share of limits: short-lived processes and paused ones. The slots
/// that such a node still uses follow as JSON.
const NO_SHARE: &str = " no-share";

/// The liveness text of a node itself, and what it uses if it has no share of limits.
fn liveness(text: &str) -> (&str, Option<Uses>) {
    match text.split_once(NO_SHARE) {
        Some((own, uses)) => (own, Some(serde_json::from_str(uses.trim()).unwrap_or_default())),
        None => (text, None),
    }
}

impl Keeper {
    /// Renews the lease. A node that rests leaves its share of limits to the others, except the slots that it uses.
    pub(crate) fn heartbeat(&self, rests: Option<&Uses>) -> Result<(), StoreError> {
        let mut own = self.liveness.own();
        if rests.is_some() || !self.keep {
            own.push_str(NO_SHARE);
        }
        if let Some(uses) = rests.filter(|uses| !uses.is_empty()) {
            own = format!("{own} {}", serde_json::json!(uses));
        }
        self.store.heartbeat(SystemScope, self.node, self.clock.now(), LEASE, &own)
    }

    /// Sends all work found in the store to the core. Due runs and runs of dead nodes are looked up only with `poll`.
    /// Returns whether there was more than one query returns. `leases`: see [`Keeper::orphans`].
    pub(crate) fn look(&mut self, poll: bool, leases: bool, send: &dyn Fn(CoreInput)) -> Result<bool, StoreError> {
        let mut more = false;
        if poll {
            more |= self.orphans(leases, send)? >= BATCH;
            more |= self.due(send)? >= BATCH;
        }
        more |= self.signalled(send)? >= BATCH;
        let (share, elsewhere) = self.share()?;
        send(CoreInput::Look(share, elsewhere));
        Ok(more)
    }

    /// This node's share of limits that apply over all nodes, and what nodes without a share use of them.
    fn share(&self) -> Result<(Share, Uses), StoreError> {
        let (mut alive, mut elsewhere) = (Vec::new(), Uses::new());
        for row in self.store.nodes(SystemScope, self.clock.now())? {
            let works = match liveness(&row.liveness).1 {
                _ if row.id == self.node => true,
                _ if row.lapsed.is_some() => false,
                None => true,
                Some(uses) => {
                    for (limit, count) in uses {
                        *elsewhere.entry(limit).or_default() += count;
                    }
                    false
                }
            };
            if works {
                alive.push(row.id);
            }
        }
        alive.sort_unstable();
        let rank = alive.iter().position(|node| *node == self.node).unwrap_or(0);
        Ok((Share { rank: rank as u32, nodes: (alive.len() as u32).max(1) }, elsewhere))
    }

    /// The claim that hides fetched runs from other nodes for a while.
    fn claim(&self) -> Claim {
        let now = self.clock.now();
        Claim { node: self.node, now, until: now.plus(CLAIM) }
    }

    /// Sends due runs.
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

    /// Sends runs with pending signals: the sender may have died before it notified anyone.
    pub(crate) fn signalled(&mut self, send: &dyn Fn(CoreInput)) -> Result<usize, StoreError> {
        let signalled = self.store.signalled(SystemScope, self.looked.as_ref(), BATCH)?;
        let count = signalled.len();
        // Inboxes that cannot be emptied yet must not hide those after them.
        self.looked = if count == BATCH { signalled.last().cloned() } else { None };
        for (tenant, run) in signalled {
            send(CoreInput::Signal(Scope::of(tenant), run));
        }
        Ok(count)
    }

    /// Sends runs of nodes whose process is known to be dead and, if `leases` says that leases can be trusted, of those
    /// whose lease has ended. After an outage of the store, live nodes have not been able to renew theirs.
    pub(crate) fn orphans(&self, leases: bool, send: &dyn Fn(CoreInput)) -> Result<usize, StoreError> {
        let mut count = 0;
        for NodeRow { id: node, lapsed, liveness: described, .. } in self.store.nodes(SystemScope, self.clock.now())? {
            if node == self.node {
                continue;
            }
            let gone = self.liveness.is_gone(liveness(&described).0);
            if !(gone || (leases && lapsed.is_some())) {
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

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use brain_core::{RunStatus, VirtualClock};
    use brain_store::conformance::sample;
    use brain_store::{Member, MemoryStore, RunSchedule, Write};

    use super::*;

    struct Nobody;

    impl Liveness for Nobody {
        fn own(&self) -> String {
            String::new()
        }

        fn is_gone(&self, _: &str) -> bool {
            false
        }
    }

    #[test]
    fn more_timers_than_one_query_returns_are_all_found() {
        let (store, scope) = (Arc::new(MemoryStore::new()), sample::scope("default"));
        let count = BATCH + 7;
        let due = |n: usize| {
            let mut row = sample::run(&scope, n as u64);
            row.schedule = RunSchedule { wake_at: Some(sample::at(0)), ..RunSchedule::default() };
            Write::NewRun(Box::new(row))
        };
        let member = Member { scope: scope.clone(), preconditions: Vec::new(), writes: (0..count).map(due).collect() };
        brain_store::Commit::commit_now(store.as_ref(), vec![member]).expect("it is written");
        let clock = Arc::new(VirtualClock::new(sample::at(1_000)));
        let node = NodeId::generate(sample::at(0), &mut brain_core::SeededRandom::new(1));
        let shared: Arc<dyn Store> = store.clone();
        let mut keeper = Keeper { node, store: shared, clock, liveness: Arc::new(Nobody), keep: true, looked: None };
        let mut found = std::collections::BTreeSet::new();
        for (round, more) in [(BATCH, true), (7, false)] {
            let woken = RefCell::new(Vec::new());
            let send = |input: CoreInput| {
                if let CoreInput::Wake(_, run) = input {
                    woken.borrow_mut().push(run);
                }
            };
            assert_eq!(keeper.look(true, true, &send).expect("the store answers"), more);
            let woken = woken.into_inner();
            assert_eq!(woken.len(), round);
            // Each is decided, so that its timer is over.
            let decided = |run: &RunId| Write::UpdateRun {
                run: *run,
                status: RunStatus::Waiting,
                at: sample::at(2_000),
                schedule: RunSchedule::default(),
                program: None,
            };
            let writes = woken.iter().map(decided).collect();
            let member = Member { scope: scope.clone(), preconditions: Vec::new(), writes };
            brain_store::Commit::commit_now(store.as_ref(), vec![member]).expect("it is written");
            found.extend(woken);
        }
        assert_eq!(found.len(), count, "each is woken");
    }

    #[test]
    fn runs_are_taken_over_only_while_leases_can_be_trusted() {
        let (store, scope) = (Arc::new(MemoryStore::new()), sample::scope("default"));
        let id = |seed| NodeId::generate(sample::at(0), &mut brain_core::SeededRandom::new(seed));
        let (mine, other) = (id(1), id(2));
        let mut row = sample::run(&scope, 1);
        row.schedule = RunSchedule { owner: Some(other), ..RunSchedule::default() };
        let member = Member { scope, preconditions: Vec::new(), writes: vec![Write::NewRun(Box::new(row))] };
        brain_store::Commit::commit_now(store.as_ref(), vec![member]).expect("it is written");
        brain_store::Scheduling::heartbeat(store.as_ref(), SystemScope, other, sample::at(0), LEASE, "")
            .expect("it is written");
        let clock = Arc::new(VirtualClock::new(sample::at(0).plus(Millis(2 * LEASE.0))));
        let shared: Arc<dyn Store> = store;
        let keeper = Keeper { node: mine, store: shared, clock, liveness: Arc::new(Nobody), keep: true, looked: None };
        assert_eq!(keeper.orphans(false, &|_| panic!("nothing is taken over")).expect("the store answers"), 0);
        let taken = RefCell::new(0);
        let send = |input: CoreInput| *taken.borrow_mut() += u32::from(matches!(input, CoreInput::TakeOver(..)));
        assert_eq!(keeper.orphans(true, &send).expect("the store answers"), 1);
        assert_eq!(taken.into_inner(), 1);
    }
}
