//! Kernel worlds: the nodes are whole kernels with the real host, toolbox and packs. Only the faults of the store, the
//! external systems and the people are simulated.

mod asks;
mod check;
mod clients;
mod node;
mod operators;
mod outside;
mod pack;
mod people;
mod probe;
mod workers;
mod wrap;

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use brain_core::{Clock, Digest, JobKey, Millis, RecordId, RunId, TenantId, Timestamp, VirtualClock};
use brain_engine::{Receipt, RunState};
use brain_kernel::Kernel;
use brain_store::{Member, RecordRow, Scope, Store, SystemScope, Write};
use serde_json::json;

use crate::bug::Bug;
use crate::dice::Dice;
use crate::listing::{BEGINNING, Listing};
use crate::store::Disk;
use crate::{Options, Tally, base_store};
use asks::Ask;
use clients::Client;
use node::Node;
use outside::Systems;
use workers::Worker;

const NODES: usize = 3;
/// Time limit of a calm world, longer than every timeout in it.
const CALM: Millis = Millis(600_000);
/// Maximum number of events of a run, far more than any needs.
const MAX_EVENTS: u64 = 3_000;
/// Maximum clock skew, in milliseconds.
const SKEW: i64 = 1_500;

/// A slot for a node.
enum Slot {
    Up(Box<Node>),
    /// No node; a new one starts at this time.
    Down(Timestamp),
}

/// A place that only one of two tools may take.
fn place(number: u64) -> RecordId {
    RecordId::from_digest(Digest::of(&number.to_be_bytes()))
}

/// Runs that retention erased or deleted.
#[derive(Default)]
struct Gone {
    runs: BTreeMap<RunId, (Arc<RunState>, Timestamp)>,
    problems: Vec<String>,
}

/// A kernel world.
pub(crate) struct World {
    options: Options,
    dice: Dice,
    /// Decides who is cancelled while it starts a child run.
    ambush: Dice,
    listing: Listing,
    disk: Arc<Disk>,
    systems: Arc<Systems>,
    scopes: Vec<Scope>,
    clients: Vec<Client>,
    asks: Vec<Ask>,
    workers: Vec<Worker>,
    /// How often a worker's answer for an attempt was accepted.
    taken: BTreeMap<(JobKey, u32), u32>,
    /// Runs that were migrated to the newer pack, with their receipts before.
    moved: Vec<(RunId, Vec<Receipt>)>,
    problems: Vec<String>,
    /// Whether faults have stopped.
    calm: bool,
    /// Whether new nodes have the newer pack.
    newer: bool,
    tally: Tally,
    truth: Arc<VirtualClock>,
    slots: Vec<Slot>,
    named: u64,
    /// Reads the rows without faults and changes nothing.
    observer: Arc<Kernel>,
    states: BTreeMap<RunId, Arc<RunState>>,
    /// Runs right before they were erased or deleted, and when that was.
    over: Arc<Mutex<Gone>>,
    /// The feed position of each tenant's reader.
    followed: BTreeMap<TenantId, check::Followed>,
    /// Keys of jobs that some run knows.
    known: std::collections::BTreeSet<String>,
    _folder: Option<tempfile::TempDir>,
}

impl World {
    pub(crate) fn new(seed: u64, options: &Options, listing: Listing) -> Self {
        let mut dice = Dice::new(seed, "kernel world");
        let truth = Arc::new(VirtualClock::new(BEGINNING));
        let (base, folder) = base_store(options);
        let disk = Disk::new(seed, base.clone(), listing.clone(), truth.clone(), options);
        let systems = Systems::new(seed, truth.clone(), listing.clone(), options.bug);
        let scopes: Vec<Scope> = crate::tenants(options, seed).into_iter().map(Scope::of).collect();
        let clients = (0..dice.between(4, 9)).map(|number| {
            let scope = scopes[dice.below(2) as usize].clone();
            let at = BEGINNING.plus(Millis(dice.below(20_000)));
            Client::new(number, scope, at, &mut dice)
        });
        let clients = clients.collect();
        for scope in &scopes {
            make_places(base.as_ref(), scope);
        }
        let observer = probe::observer(base, &systems, truth.clone());
        let over = Arc::new(Mutex::new(Gone::default()));
        drop(disk.farewell.set(farewell(&observer, &truth, &listing, &over)));
        Self {
            options: options.clone(),
            newer: dice.one_in(6),
            dice,
            ambush: Dice::new(seed, "ambush"),
            listing,
            disk,
            systems,
            scopes,
            clients,
            asks: Vec::new(),
            workers: (0..2).map(|_| Worker::default()).collect(),
            taken: BTreeMap::new(),
            moved: Vec::new(),
            problems: Vec::new(),
            calm: false,
            tally: Tally::default(),
            truth,
            slots: (0..NODES).map(|_| Slot::Down(BEGINNING)).collect(),
            named: 0,
            observer,
            states: BTreeMap::new(),
            over,
            followed: BTreeMap::new(),
            known: std::collections::BTreeSet::new(),
            _folder: folder,
        }
    }

    fn now(&self) -> Timestamp {
        self.truth.now()
    }

    /// Runs the world; returns the violated invariants and the counts.
    pub(crate) fn live(mut self) -> (Vec<String>, Tally) {
        for round in 0..self.dice.between(100, 200) {
            let wait = match self.dice.below(20) {
                0 => self.dice.between(1_000, 6_000),
                1..=5 => self.dice.between(200, 1_000),
                _ => self.dice.between(1, 150),
            };
            self.pass(Millis(wait));
            self.break_something();
            self.operate();
            let turns = self.dice.between(1, 6);
            self.round(turns, true);
            if round % 8 == 0 {
                self.compare_memories();
                self.follow_feeds();
                check::on_the_way(&mut self);
            }
            if !self.problems.is_empty() {
                return self.end();
            }
        }
        self.calm_down();
        let since = self.now();
        while self.now() < since.plus(CALM) {
            self.pass(Millis(700));
            self.operate();
            self.round(60, true);
            if self.is_over() || self.is_endless() || !self.problems.is_empty() {
                break;
            }
        }
        // Nodes may have answers in hand after the last run has ended, for two reasons. A node that lost a run to another
        // may still make a call that it had decided on, up to the maximum delay. A node whose commit was written but not
        // acknowledged finds that out when it decides again, after its back-off. After this time, the longest that a call
        // can take, no node may wait for an answer.
        let last = self.now().plus(brain_vm::MAX_DELAY).plus(pack::TIMEOUT).plus(brain_vm::GRACE);
        while self.now() < last {
            self.pass(Millis(1_500));
            self.turn_nodes(40, true);
            self.take_answers();
        }
        self.compare_memories();
        self.follow_feeds();
        check::all(&mut self);
        if self.problems.is_empty() {
            self.probe();
        }
        self.end()
    }

    fn end(mut self) -> (Vec<String>, Tally) {
        self.tally.refused = self.disk.refused.load(Ordering::Relaxed);
        self.tally.calls = self.systems.seen().calls;
        self.tally.bad_commits = self.disk.bad_commits.load(Ordering::Relaxed);
        (self.problems, self.tally)
    }

    fn pass(&mut self, by: Millis) {
        self.truth.advance(by);
        self.listing.set_time(self.now());
        self.disk.release(self.now());
        self.systems.land(self.now());
    }

    /// One round, in which everybody acts a little.
    fn round(&mut self, turns: u64, keeps: bool) {
        self.serve_clients();
        self.live_with_people();
        self.let_work();
        self.turn_nodes(turns, keeps && self.options.bug != Some(Bug::NoKeeper));
        self.take_answers();
    }

    fn turn_nodes(&mut self, turns: u64, keeps: bool) {
        let now = self.now();
        let first = self.dice.below(NODES as u64) as usize;
        for place in (0..NODES).map(|place| (place + first) % NODES) {
            if let Slot::Down(until) = self.slots[place]
                && until <= now
            {
                self.slots[place] = Slot::Up(Box::new(self.new_node(now)));
            }
            let Slot::Up(node) = &mut self.slots[place] else { continue };
            node.work(now, turns, keeps);
            // Answers are processed while the node exists.
            if node.is_dead() {
                self.bury(place);
            }
        }
    }

    fn new_node(&mut self, now: Timestamp) -> Node {
        self.named += 1;
        let name = format!("n{}", self.named);
        let skew = if self.calm { 0 } else { self.dice.between(0, 2 * SKEW as u64) as i64 - SKEW };
        let newer = self.newer;
        self.listing
            .note(&name, |_| format!("starts, its clock {skew} ms ahead{}", if newer { ", newer" } else { "" }));
        Node::new(name, self.dice.seed(), now, skew, newer, (&self.disk, &self.systems, self.options.bug))
    }

    fn bury(&mut self, place: usize) {
        self.tally.crashes += 1;
        let wait = if self.calm { 0 } else { self.dice.between(0, 20_000) };
        self.slots[place] = Slot::Down(self.now().plus(Millis(wait)));
    }

    fn break_something(&mut self) {
        for place in 0..NODES {
            let (dies, stands_still) = (self.dice.permille(6), self.dice.permille(8));
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
            }
        }
    }

    fn calm_down(&mut self) {
        self.listing.note("world", |_| "becomes calm".to_owned());
        self.calm = true;
        self.systems.calm();
        self.disk.calm();
        let now = self.now();
        for slot in &mut self.slots {
            match slot {
                Slot::Up(node) => {
                    node.paused_until = now;
                    if node.draining.is_none() {
                        node.kernel.engine().pause(false);
                    }
                }
                Slot::Down(until) => *until = now,
            }
        }
    }

    /// A random node that accepts requests.
    fn any_kernel(&mut self) -> Option<(String, Arc<Kernel>)> {
        let up: Vec<&Node> = self
            .slots
            .iter()
            .filter_map(|slot| match slot {
                Slot::Up(node) if node.ready && !node.is_dead() && node.draining.is_none() => Some(node.as_ref()),
                _ => None,
            })
            .collect();
        self.dice.pick(&up).map(|node| (node.name.clone(), node.kernel.clone()))
    }

    /// The runs of a tenant that have not ended.
    fn open_runs(&self, scope: &Scope) -> Vec<RunId> {
        let rows = self.disk.base.runs(scope, None, 1000, None).map_or(Vec::new(), |page| page.items);
        rows.iter().filter(|row| !row.status.is_over()).map(|row| row.id).collect()
    }

    /// The state of a run, folded from its log.
    fn state_of(&mut self, scope: &Scope, run: RunId) -> Option<Arc<RunState>> {
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

    fn gone(&self) -> MutexGuard<'_, Gone> {
        self.over.lock().unwrap_or_else(PoisonError::into_inner)
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
                        format!("{live:?} instead of {:?}", state.state)
                    } else if *data != state.data {
                        format!("{data:?} instead of {:?}", state.data)
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
            .flat_map(|scope| self.disk.base.runs(scope, None, 1000, None).map_or(Vec::new(), |page| page.items));
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
            && self.disk.base.signalled(SystemScope, None, 1).is_ok_and(|runs| runs.is_empty())
    }
}

/// Saves the state of a run before retention removes it, and checks that no decision was pending.
fn farewell(
    observer: &Arc<Kernel>,
    truth: &Arc<VirtualClock>,
    listing: &Listing,
    gone: &Arc<Mutex<Gone>>,
) -> crate::store::Farewell {
    let (observer, truth, listing, gone) = (observer.clone(), truth.clone(), listing.clone(), gone.clone());
    Box::new(move |scope, run| {
        let store = observer.store();
        let mut gone = gone.lock().unwrap_or_else(PoisonError::into_inner);
        for letter in store.dead_letters_of(scope, run).unwrap_or_default().iter().filter(|letter| letter.open) {
            let (name, step) = (listing.run(run), &letter.body["step"]);
            gone.problems.push(format!("{name} is removed although its dead letter of {step} is open"));
        }
        let whole = store.run(scope, run).ok().flatten().is_some_and(|row| !row.erased);
        if whole && let Ok(state) = observer.engine().run_state(scope, run) {
            gone.runs.insert(run, (Arc::new(state), truth.now()));
        } else if let Some((_, at)) = gone.runs.get_mut(&run) {
            *at = truth.now();
        }
    })
}

fn make_places(base: &dyn Store, scope: &Scope) {
    let row = |number| RecordRow {
        kind: "place".into(),
        id: place(number),
        revision: 1,
        state: None,
        created_at: BEGINNING,
        updated_at: BEGINNING,
        body: json!({"name": format!("place {number}")}),
    };
    let put = |number| Write::PutRecord { row: row(number), index: Vec::new(), text: None };
    let member = Member { scope: scope.clone(), preconditions: Vec::new(), writes: (0..2).map(put).collect() };
    drop(base.commit_now(vec![member]));
}
