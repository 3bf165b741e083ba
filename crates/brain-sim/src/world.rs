//! The world: time passes in rounds; in each, everybody acts a little, and something may fail.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use brain_core::{Clock, JobKey, Millis, RunId, RunStatus, SeededRandom, Timestamp, VirtualClock};
use brain_engine::{Driver, Engine, FlowConfig, RunState, TenantLimits};
use brain_store::Scope;

use crate::bug::Bug;
use crate::check;
use crate::check::fairness::{self, Fairness};
use crate::clients::Client;
use crate::dice::Dice;
use crate::host::SimHost;
use crate::listing::{BEGINNING, Listing};
use crate::node::Node;
use crate::outside::{ExternalWorld, NodeOutside};
use crate::people::Ask;
use crate::store::Disk;
use crate::workers::Worker;
use crate::{Options, Tally, base_store, tenants};

const NODES: usize = 3;
/// Time limit of a calm world, longer than every timeout in it: leases, a delegation, a clock that was set ahead.
const CALM: Millis = Millis(400_000);
/// Maximum number of events of a run, far more than any needs.
const MAX_EVENTS: u64 = 2_000;
/// How long after it became calm the nodes agree on who is up: longer than a lease.
const SETTLED: Millis = Millis(20_000);
/// Maximum clock skew of an unchanged clock, in milliseconds.
const SKEW: i64 = 1_500;
/// Maximum clock skew of a clock that was set wrong, in milliseconds.
const JUMP: u64 = 120_000;

/// A slot for a node.
enum Slot {
    Up(Box<Node>),
    /// No node; a new one starts at this time.
    Down(Timestamp),
}

pub(crate) struct World {
    pub(crate) options: Options,
    pub(crate) dice: Dice,
    pub(crate) listing: Listing,
    pub(crate) disk: Arc<Disk>,
    pub(crate) outside: Arc<ExternalWorld>,
    pub(crate) host: Arc<SimHost>,
    pub(crate) scopes: Vec<Scope>,
    pub(crate) clients: Vec<Client>,
    pub(crate) asks: Vec<Ask>,
    pub(crate) workers: Vec<Worker>,
    /// How often a worker's answer for an attempt was accepted.
    pub(crate) taken: BTreeMap<(JobKey, u32), u32>,
    pub(crate) problems: Vec<String>,
    /// Whether faults have stopped.
    pub(crate) calm: bool,
    pub(crate) tally: Tally,
    pub(crate) fairness: Fairness,
    truth: Arc<VirtualClock>,
    slots: Vec<Slot>,
    named: u64,
    /// Reads the rows without faults and changes nothing.
    observer: Driver,
    states: BTreeMap<RunId, Arc<RunState>>,
    _folder: Option<tempfile::TempDir>,
}

/// Many requests of one tenant at once, and a few of another a little later.
fn flood(scopes: &[Scope], dice: &mut Dice) -> Vec<Client> {
    let at = BEGINNING.plus(Millis(dice.between(5_000, 150_000)));
    let many = dice.between(8, 16);
    let few = many + dice.between(2, 4);
    let one_of = |number: u64, dice: &mut Dice| {
        let (scope, later) = if number < many { (&scopes[0], 500) } else { (&scopes[1], 3_000) };
        let at = at.plus(Millis(dice.below(later)));
        Client::of_flood(100 + number, scope.clone(), at, dice)
    };
    (0..few).map(|number| one_of(number, dice)).collect()
}

impl World {
    pub(crate) fn new(seed: u64, options: &Options, listing: Listing) -> Self {
        let mut dice = Dice::new(seed, "world");
        let truth = Arc::new(VirtualClock::new(BEGINNING));
        let (base, folder) = base_store(options);
        let disk = Disk::new(seed, base.clone(), listing.clone(), truth.clone(), options);
        let host = Arc::new(SimHost { seed, bug: options.bug });
        // Few slots, so that some runs have to wait.
        let slots = dice.between(1, 4) as usize;
        let outside = ExternalWorld::new(seed, truth.clone(), listing.clone(), host.clone(), options.bug, slots);
        let scopes: Vec<Scope> = tenants(options, seed).into_iter().map(Scope::of).collect();
        let nobody = Arc::new(NodeOutside::new(&outside, "-", &Arc::default()));
        let random = Box::new(SeededRandom::new(seed));
        let observer = Driver::on_lease(base, host.clone(), nobody, truth.clone(), random, FlowConfig::default());
        let clients = (0..dice.between(3, 7)).map(|number| {
            let scope = scopes[dice.below(2) as usize].clone();
            let at = BEGINNING.plus(Millis(dice.below(15_000)));
            Client::new(number, scope, at, &mut dice)
        });
        let mut clients: Vec<Client> = clients.collect();
        if dice.one_in(4) {
            clients.extend(flood(&scopes, &mut dice));
        }
        let weights = scopes.iter().map(|scope| (scope.tenant().clone(), dice.between(1, 3) as u32)).collect();
        let fairness = Fairness::new(weights, slots);
        let workers = (0..2).map(|_| Worker::default()).collect();
        Self {
            options: options.clone(),
            dice,
            listing,
            disk,
            outside,
            host,
            scopes,
            clients,
            asks: Vec::new(),
            workers,
            taken: BTreeMap::new(),
            problems: Vec::new(),
            calm: false,
            tally: Tally::default(),
            fairness,
            truth,
            slots: (0..NODES).map(|_| Slot::Down(BEGINNING)).collect(),
            named: 0,
            observer,
            states: BTreeMap::new(),
            _folder: folder,
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.truth.now()
    }

    /// Runs the world; returns the violated invariants and the counts.
    pub(crate) fn live(mut self) -> (Vec<String>, Tally) {
        for round in 0..self.dice.between(100, 220) {
            let wait = match self.dice.below(20) {
                0 => self.dice.between(1_000, 6_000),
                1..=5 => self.dice.between(200, 1_000),
                _ => self.dice.between(1, 150),
            };
            self.pass(Millis(wait));
            self.break_something();
            let turns = self.dice.between(1, 4);
            self.round(turns);
            if round % 8 == 0 {
                self.compare_memories();
            }
            if !self.problems.is_empty() {
                return self.end();
            }
        }
        self.calm_down();
        let since = self.now();
        while self.now() < since.plus(CALM) {
            self.pass(Millis(700));
            let settled = self.now() >= since.plus(SETTLED) && self.clocks_agree();
            self.outside.seen().settled = settled;
            self.round(40);
            if self.is_over() || self.is_endless() {
                break;
            }
        }
        self.compare_memories();
        check::all(&mut self);
        self.end()
    }

    fn end(mut self) -> (Vec<String>, Tally) {
        self.problems.append(&mut self.fairness.problems);
        self.tally.choices = self.fairness.choices;
        self.tally.refused = self.disk.refused.load(Ordering::Relaxed);
        self.tally.calls = self.outside.seen().calls;
        self.tally.bad_commits = self.disk.bad_commits.load(Ordering::Relaxed);
        (self.problems, self.tally)
    }

    fn pass(&mut self, by: Millis) {
        self.truth.advance(by);
        self.listing.set_time(self.now());
        self.disk.release(self.now());
    }

    /// One round, in which everybody acts a little.
    fn round(&mut self, turns: u64) {
        self.serve_clients();
        self.live_with_people();
        self.let_work();
        let now = self.now();
        let keeps = self.options.bug != Some(Bug::NoKeeper);
        let first = self.dice.below(NODES as u64) as usize;
        for place in (0..NODES).map(|place| (place + first) % NODES) {
            if let Slot::Down(until) = self.slots[place]
                && until <= now
            {
                self.slots[place] = Slot::Up(Box::new(self.new_node(now)));
            }
            let Slot::Up(node) = &mut self.slots[place] else { continue };
            node.work(now, turns, keeps, &mut self.fairness);
            if node.is_dead() {
                self.bury(place);
            }
        }
        self.take_answers();
        fairness::round(self);
    }

    /// Whether every node is up and no clock was set wrong.
    pub(crate) fn clocks_agree(&self) -> bool {
        self.slots.iter().all(|slot| matches!(slot, Slot::Up(node) if node.ready && node.skew.abs() <= SKEW))
    }

    /// The flow configuration of nodes.
    fn flow(&self) -> FlowConfig {
        let mut flow = FlowConfig { slots: self.fairness.slots, ..FlowConfig::default() };
        for (tenant, &weight) in &self.fairness.weights {
            flow.tenants.insert(tenant.clone(), TenantLimits { weight, ..TenantLimits::default() });
        }
        if self.options.bug == Some(Bug::Favourite)
            && let Some(mut first) = flow.tenants.first_entry()
        {
            first.get_mut().weight = 1_000;
        }
        flow
    }

    fn new_node(&mut self, now: Timestamp) -> Node {
        self.named += 1;
        let name = format!("n{}", self.named);
        // Initial clocks agree well enough for leases; wrong clocks come later.
        let skew = self.dice.between(0, 2 * SKEW as u64) as i64 - SKEW;
        self.listing.note(&name, |_| format!("starts, its clock {skew} ms ahead"));
        Node::new(name, self.dice.seed(), now, skew, &self.disk, &self.outside, &self.host, self.flow())
    }

    fn bury(&mut self, place: usize) {
        self.tally.crashes += 1;
        let wait = if self.calm { 0 } else { self.dice.between(0, 20_000) };
        self.slots[place] = Slot::Down(self.now().plus(Millis(wait)));
    }

    fn break_something(&mut self) {
        for place in 0..NODES {
            let (dies, stands_still, is_set) = (self.dice.permille(5), self.dice.permille(8), self.dice.permille(4));
            let now = self.now();
            let Slot::Up(node) = &mut self.slots[place] else { continue };
            let name = node.name.clone();
            if dies {
                node.kill();
                self.listing.note(&name, |_| "dies".to_owned());
                self.bury(place);
            } else if stands_still {
                let long = if self.dice.one_in(2) { (15_000, 60_000) } else { (500, 10_000) };
                let pause = self.dice.between(long.0, long.1);
                node.paused_until = now.plus(Millis(pause));
                self.tally.pauses += 1;
                self.listing.note(&name, |_| format!("pauses for {pause} ms"));
            } else if is_set {
                node.skew = self.dice.between(0, 2 * JUMP) as i64 - JUMP as i64;
                let skew = node.skew;
                self.listing.note(&name, |_| format!("has its clock set {skew} ms ahead"));
            }
        }
    }

    fn calm_down(&mut self) {
        self.listing.note("world", |_| "becomes calm".to_owned());
        self.calm = true;
        self.outside.calm();
        self.disk.calm();
        let now = self.now();
        for slot in &mut self.slots {
            match slot {
                Slot::Up(node) => node.paused_until = now,
                Slot::Down(until) => *until = now,
            }
        }
    }

    /// A node that accepts requests: this one, or any.
    pub(crate) fn any_engine(&mut self, wanted: Option<&str>) -> Option<(String, Arc<Engine>)> {
        let up: Vec<&Node> = self
            .slots
            .iter()
            .filter_map(|slot| match slot {
                Slot::Up(node) if node.ready && !node.is_dead() => Some(node.as_ref()),
                _ => None,
            })
            .filter(|node| wanted.is_none_or(|wanted| node.name == wanted))
            .collect();
        self.dice.pick(&up).map(|node| (node.name.clone(), node.engine().clone()))
    }

    /// The runs of a tenant that have not ended.
    pub(crate) fn open_runs(&self, scope: &Scope) -> Vec<RunId> {
        let rows = self.disk.base.runs(scope, None, 1000, None).map(|page| page.items).unwrap_or_default();
        // Open questions and undecided plans are handled elsewhere.
        let open =
            |status: RunStatus| !status.is_over() && !matches!(status, RunStatus::NeedsInput | RunStatus::Staged);
        rows.iter().filter(|row| open(row.status)).map(|row| row.id).collect()
    }

    /// The state of a run, folded from its log.
    pub(crate) fn state_of(&mut self, scope: &Scope, run: RunId) -> Option<Arc<RunState>> {
        let row = self.disk.base.run(scope, run).ok().flatten()?;
        if let Some(state) = self.states.get(&run)
            && state.row == row
        {
            return Some(state.clone());
        }
        match self.observer.engine().run_state(scope, run) {
            Ok(state) => {
                let state = Arc::new(state);
                self.states.insert(run, state.clone());
                Some(state)
            }
            Err(error) => {
                self.problems.push(format!("{} cannot be read: {error}", self.listing.run(run)));
                None
            }
        }
    }

    /// Replay equals live: compares each node's memory with the fold of the log.
    fn compare_memories(&mut self) {
        for scope in self.scopes.clone() {
            for run in self.open_runs(&scope) {
                let Some(state) = self.state_of(&scope, run) else { continue };
                for slot in &self.slots {
                    let Slot::Up(node) = slot else { continue };
                    let Some((row, live, data)) = node.driver.at_hand(run) else { continue };
                    // A node whose run was taken over may not know yet.
                    if (row.schedule.seq, row.schedule.fence) != (state.row.schedule.seq, state.row.schedule.fence) {
                        continue;
                    }
                    let what = if Some(live) != state.state.as_ref() {
                        format!("{:?} instead of {:?}", live, state.state)
                    } else if *data != state.data {
                        format!("{:?} instead of {:?}", data, state.data)
                    } else if row.status != state.row.status || row.schedule.owner != state.row.schedule.owner {
                        // The place in the queue may change without an event.
                        format!("{:?} instead of {:?}", row.schedule, state.row.schedule)
                    } else {
                        continue;
                    };
                    let name = self.listing.run(run);
                    self.problems.push(format!(
                        "{} has {name} in memory in a state that differs from its log: {what}",
                        node.name
                    ));
                }
            }
        }
    }

    /// Whether a run loops.
    fn is_endless(&mut self) -> bool {
        let rows = self
            .scopes
            .iter()
            .flat_map(|scope| self.disk.base.runs(scope, None, 1000, None).map(|page| page.items).unwrap_or_default());
        let endless = rows.filter(|row| row.schedule.seq > MAX_EVENTS).map(|row| row.id).next();
        if let Some(run) = endless {
            self.problems.push(format!("{} does not end", self.listing.run(run)));
        }
        endless.is_some()
    }

    fn is_over(&self) -> bool {
        self.asks.is_empty()
            && self.clients.iter().all(|client| !client.is_waiting())
            && self.scopes.iter().all(|scope| self.open_runs(scope).is_empty())
            && self.disk.base.signalled(brain_store::SystemScope, None, 1).is_ok_and(|runs| runs.is_empty())
    }
}
