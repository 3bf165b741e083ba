//! The listing of a world: one line per event, for debugging a seed.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use brain_core::{Millis, RunId, Timestamp};

/// One line of the listing.
#[derive(Clone, Debug)]
pub struct Line {
    /// Time since the start of the world.
    pub after: Millis,
    /// The subject of the event.
    pub who: String,
    /// What happened.
    pub what: String,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, millis) = (self.after.0 / 1000, self.after.0 % 1000);
        write!(f, "{seconds:>5}.{millis:03}  {:<8} {}", self.who, self.what)
    }
}

/// The time at which every world starts.
pub(crate) const BEGINNING: Timestamp = Timestamp::from_millis(1_800_000_000_000);

#[derive(Clone)]
pub(crate) struct Listing(Arc<Mutex<Inner>>);

struct Inner {
    on: bool,
    now: Timestamp,
    lines: Vec<Line>,
    names: BTreeMap<RunId, String>,
}

impl Listing {
    pub(crate) fn new(on: bool) -> Self {
        let (lines, names) = (Vec::new(), BTreeMap::new());
        Self(Arc::new(Mutex::new(Inner { on, now: BEGINNING, lines, names })))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_time(&self, now: Timestamp) {
        self.lock().now = now;
    }

    /// Adds a line. The text is built only if the listing is on.
    pub(crate) fn note(&self, who: &str, what: impl FnOnce(&Self) -> String) {
        if !self.lock().on {
            return;
        }
        let what = what(self);
        let mut inner = self.lock();
        let line = Line { after: inner.now.since(BEGINNING), who: who.to_owned(), what };
        inner.lines.push(line);
    }

    /// Gives a run a readable name.
    pub(crate) fn name(&self, run: RunId, name: String) {
        self.lock().names.insert(run, name);
    }

    /// The name of a run.
    pub(crate) fn run(&self, run: RunId) -> String {
        self.lock().names.get(&run).cloned().unwrap_or_else(|| run.to_string())
    }

    pub(crate) fn lines(&self) -> Vec<Line> {
        self.lock().lines.clone()
    }
}
