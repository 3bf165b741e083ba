//! Seeded simulation of the whole engine. Everything in a world follows from one number: the requests, the faults of
//! the store, which node dies or is suspended, whose clock jumps, the fate of every call, the decisions of people.
//!
//! Several nodes ([`brain_engine::Driver`], each with its own clock) share one store. First everything that can fail
//! may fail; then the world becomes calm, people answer everything, and every run must end. The invariants are in
//! `check`: no accepted run is lost, nothing happens twice, no run is stuck, and every log folds to the state that the
//! store and the nodes have.

mod bug;
mod check;
mod clients;
mod dice;
mod host;
mod kernel;
mod listing;
mod node;
mod outside;
mod people;
mod plans;
mod store;
mod workers;
mod world;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use brain_core::TenantId;
use brain_store::{MemoryStore, PostgresStore, SqliteStore, Store};

pub use bug::Bug;
pub use listing::Line;

/// The setup of a world, besides its seed.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// A planted bug that the simulation must detect.
    pub bug: Option<Bug>,
    /// Whether to record a listing of what happens.
    pub listing: bool,
    /// Whether the nodes are whole kernels.
    pub kernel: bool,
    /// Whether to use a SQLite file instead of memory.
    pub sqlite: bool,
    /// The URL of a PostgreSQL database to use instead. Every world has its own tenants there.
    pub postgres: Option<String>,
}

/// The result of a world.
#[derive(Clone, Debug)]
pub struct Lived {
    /// Its seed.
    pub seed: u64,
    /// Violated invariants; empty if all is well.
    pub problems: Vec<String>,
    /// The listing, if it was requested.
    pub lines: Vec<Line>,
    /// Counts of what happened.
    pub tally: Tally,
}

/// Counts, to verify that worlds are eventful.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Runs that exist at the end.
    pub runs: u64,
    /// Events in their logs.
    pub events: u64,
    /// External calls made.
    pub calls: u64,
    /// Nodes that died.
    pub crashes: u64,
    /// Nodes that were suspended.
    pub pauses: u64,
    /// Runs that were taken over.
    pub taken_over: u64,
    /// Commits that failed, came late or were cut off.
    pub bad_commits: u64,
    /// Members of commits that were rejected.
    pub refused: u64,
    /// How often a node had to choose between tenants.
    pub choices: u64,
    /// Runs that retention erased, deleted or compacted.
    pub swept: u64,
    /// Runs that were migrated to a newer pack.
    pub moved: u64,
    /// Nodes that were replaced gracefully.
    pub restarts: u64,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.runs += other.runs;
        self.events += other.events;
        self.calls += other.calls;
        self.crashes += other.crashes;
        self.pauses += other.pauses;
        self.taken_over += other.taken_over;
        self.bad_commits += other.bad_commits;
        self.refused += other.refused;
        self.choices += other.choices;
        self.swept += other.swept;
        self.moved += other.moved;
        self.restarts += other.restarts;
    }
}

/// Runs the world of a seed.
pub fn live(seed: u64, options: &Options) -> Lived {
    let listing = listing::Listing::new(options.listing);
    plant(options.bug);
    let lived = catch_unwind(AssertUnwindSafe(|| match options.kernel {
        true => kernel::World::new(seed, options, listing.clone()).live(),
        false => world::World::new(seed, options, listing.clone()).live(),
    }));
    plant(None);
    let (problems, tally) = lived.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        (vec![format!("it panicked: {}", text.unwrap_or_default())], Tally::default())
    });
    Lived { seed, problems, lines: listing.lines(), tally }
}

/// Runs the worlds of these seeds on all cores until `enough` of them have problems. Returns those, by seed, the number
/// of worlds, and the sum of their counts.
pub fn live_all(from: u64, seeds: u64, enough: usize, options: &Options) -> (Vec<Lived>, u64, Tally) {
    let next = AtomicU64::new(0);
    let found = Mutex::new((Vec::new(), 0, Tally::default()));
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    // Nodes serve all tenants of a database, so two worlds at a time would work on each other's runs.
    let threads = if options.postgres.is_some() { 1 } else { cores };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= seeds || found.lock().unwrap_or_else(PoisonError::into_inner).0.len() >= enough {
                        return;
                    }
                    let lived = live(from + number, options);
                    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                    found.1 += 1;
                    found.2 += lived.tally;
                    if !lived.problems.is_empty() {
                        found.0.push(lived);
                    }
                }
            });
        }
    });
    let (mut failed, lived, tally) = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.sort_by_key(|lived| lived.seed);
    (failed, lived, tally)
}

#[cfg(feature = "planted-bugs")]
fn plant(bug: Option<Bug>) {
    brain_core::plant(bug.filter(|bug| bug.is_hooked()).map(Bug::name));
}

#[cfg(not(feature = "planted-bugs"))]
fn plant(bug: Option<Bug>) {
    if let Some(bug) = bug.filter(|bug| bug.is_hooked()) {
        panic!("`{}` can only be planted in a build with the feature `planted-bugs`", bug.name());
    }
}

/// The store of a world, without faults. The returned folder must outlive it.
fn base_store(options: &Options) -> (Arc<dyn Store>, Option<tempfile::TempDir>) {
    if let Some(url) = &options.postgres {
        return (postgres(url), None);
    }
    if options.sqlite {
        let folder = tempfile::tempdir().expect("a folder for the rows can be made");
        let store = SqliteStore::open(&folder.path().join("sim.db")).expect("a new file can be opened");
        return (Arc::new(store), Some(folder));
    }
    (Arc::new(MemoryStore::new()), None)
}

fn postgres(url: &str) -> Arc<dyn Store> {
    let store = PostgresStore::connect(url).expect("the database can be reached");
    Arc::new(store)
}

/// The two tenants of a world.
fn tenants(options: &Options, seed: u64) -> Vec<TenantId> {
    let own = if options.postgres.is_some() { format!("-{seed}") } else { String::new() };
    ["one", "two"].iter().filter_map(|name| format!("{name}{own}").parse::<TenantId>().ok()).collect()
}
