//! Notifies those who wait for a run when something became durable.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use brain_core::{RunId, RunStatus};
use serde_json::Value;
use tokio::sync::{Notify, oneshot};

use crate::operator_events::{Observers, Slow};
use crate::run_state::RunState;

/// What became durable about a run.
#[derive(Clone, Debug)]
pub struct RunNews {
    /// The run.
    pub run: RunId,
    /// Its status.
    pub status: RunStatus,
    /// Whether it has settled: it has ended, or waits for a person.
    pub at_rest: bool,
    /// Whether there are new offers for workers.
    pub offered: bool,
    /// An additional answer for the caller.
    pub answer: Value,
    /// The state of the run, if this process has it in memory.
    pub state: Option<Arc<RunState>>,
}

impl RunNews {
    /// News with a status only.
    pub fn of(run: RunId, status: RunStatus) -> Self {
        Self { run, status, at_rest: false, offered: false, answer: Value::Null, state: None }
    }
}

/// Waiters by run, and counters of work in flight.
#[derive(Default)]
pub(crate) struct Hub {
    waiting: Mutex<HashMap<RunId, Vec<oneshot::Sender<RunNews>>>>,
    outside: AtomicUsize,
    /// Whether the last write failed.
    unwritten: AtomicBool,
    commits: AtomicUsize,
    offers: Notify,
    changes: Notify,
    /// Observers of happenings.
    pub(crate) observers: Observers,
}

impl Hub {
    pub(crate) fn new(slow: Slow) -> Self {
        Self { observers: Observers::new(slow), ..Self::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RunId, Vec<oneshot::Sender<RunNews>>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records whether a commit or heartbeat reached the store.
    pub(crate) fn wrote(&self, through: bool) {
        self.unwritten.store(!through, Ordering::Relaxed);
    }

    /// Whether the last write reached the store.
    pub(crate) fn can_write(&self) -> bool {
        !self.unwritten.load(Ordering::Relaxed)
    }

    /// An external job started.
    pub(crate) fn job_began(&self) {
        self.outside.fetch_add(1, Ordering::Relaxed);
    }

    /// An external job ended.
    pub(crate) fn job_over(&self) {
        self.outside.fetch_sub(1, Ordering::Relaxed);
    }

    /// The number of external jobs in flight.
    pub(crate) fn outside_jobs(&self) -> usize {
        self.outside.load(Ordering::Relaxed)
    }

    /// A commit was sent to the store.
    pub(crate) fn commit_began(&self) {
        self.commits.fetch_add(1, Ordering::Relaxed);
    }

    /// The store reported the outcome of a commit.
    pub(crate) fn commit_over(&self) {
        self.commits.fetch_sub(1, Ordering::Relaxed);
    }

    /// Commits with an unknown outcome so far.
    pub(crate) fn commits_open(&self) -> usize {
        self.commits.load(Ordering::Relaxed)
    }

    /// The next time this run settles.
    pub(crate) fn wait(&self, run: RunId) -> oneshot::Receiver<RunNews> {
        let (send, receive) = oneshot::channel();
        let mut waiting = self.lock();
        let list = waiting.entry(run).or_default();
        // Remove waiters that gave up.
        list.retain(|sender| !sender.is_closed());
        list.push(send);
        receive
    }

    /// Wakes all waiters to check the store, because another process may have moved their run.
    pub(crate) fn look_again(&self) {
        self.lock().clear();
        self.offers.notify_waiters();
        self.changes.notify_waiters();
    }

    /// There may be new offers for workers.
    pub(crate) fn offers(&self) -> &Notify {
        &self.offers
    }

    /// Something became durable, here or possibly elsewhere.
    pub(crate) fn changes(&self) -> &Notify {
        &self.changes
    }

    pub(crate) fn tell(&self, news: &RunNews) {
        self.changes.notify_waiters();
        if news.offered {
            self.offers.notify_waiters();
        }
        if !news.at_rest {
            return;
        }
        let Some(list) = self.lock().remove(&news.run) else { return };
        for sender in list {
            drop(sender.send(news.clone()));
        }
    }
}
