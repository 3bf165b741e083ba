//! Tells those who wait for a run that something became durable.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use brain_core::{RunId, RunStatus};
use serde_json::Value;
use tokio::sync::{Notify, oneshot};

use crate::happening::{Observers, Slow};
use crate::run_state::RunState;

/// What became durable about a run.
#[derive(Clone, Debug)]
pub struct RunNews {
    /// The run.
    pub run: RunId,
    /// Its status.
    pub status: RunStatus,
    /// Whether it goes no further by itself: it is over, or it waits for a person.
    pub at_rest: bool,
    /// Whether workers have something new to take.
    pub offered: bool,
    /// What the one who asked is told besides.
    pub answer: Value,
    /// Everything that is known of the run, where this process has it in memory.
    pub state: Option<Arc<RunState>>,
}

impl RunNews {
    /// Where a run stands, and nothing else.
    pub fn of(run: RunId, status: RunStatus) -> Self {
        Self { run, status, at_rest: false, offered: false, answer: Value::Null, state: None }
    }
}

/// Who waits for which run, and how much is under way outside.
#[derive(Default)]
pub(crate) struct Hub {
    waiting: Mutex<HashMap<RunId, Vec<oneshot::Sender<RunNews>>>>,
    outside: AtomicUsize,
    /// The last write did not get through.
    unwritten: AtomicBool,
    commits: AtomicUsize,
    offers: Notify,
    changes: Notify,
    /// Who hears what happens to runs.
    pub(crate) observers: Observers,
}

impl Hub {
    pub(crate) fn new(slow: Slow) -> Self {
        Self { observers: Observers::new(slow), ..Self::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RunId, Vec<oneshot::Sender<RunNews>>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A commit or a heartbeat got through, or it did not.
    pub(crate) fn wrote(&self, through: bool) {
        self.unwritten.store(!through, Ordering::Relaxed);
    }

    /// Whether the last write got through.
    pub(crate) fn can_write(&self) -> bool {
        !self.unwritten.load(Ordering::Relaxed)
    }

    /// An outside job began.
    pub(crate) fn job_began(&self) {
        self.outside.fetch_add(1, Ordering::Relaxed);
    }

    /// An outside job is over, one way or the other.
    pub(crate) fn job_over(&self) {
        self.outside.fetch_sub(1, Ordering::Relaxed);
    }

    /// Outside jobs under way.
    pub(crate) fn outside_jobs(&self) -> usize {
        self.outside.load(Ordering::Relaxed)
    }

    /// Something was sent to the store.
    pub(crate) fn commit_began(&self) {
        self.commits.fetch_add(1, Ordering::Relaxed);
    }

    /// The store said what became of it.
    pub(crate) fn commit_over(&self) {
        self.commits.fetch_sub(1, Ordering::Relaxed);
    }

    /// Commits that may be written, or may have been, without this process knowing.
    pub(crate) fn commits_open(&self) -> usize {
        self.commits.load(Ordering::Relaxed)
    }

    /// The next time this run comes to rest.
    pub(crate) fn wait(&self, run: RunId) -> oneshot::Receiver<RunNews> {
        let (send, receive) = oneshot::channel();
        let mut waiting = self.lock();
        let list = waiting.entry(run).or_default();
        // Callers that gave up are forgotten when the next one comes.
        list.retain(|sender| !sender.is_closed());
        list.push(send);
        receive
    }

    /// Another process may have moved what somebody waits for here: they look for themselves.
    pub(crate) fn look_again(&self) {
        self.lock().clear();
        self.offers.notify_waiters();
        self.changes.notify_waiters();
    }

    /// Workers may have something new to take.
    pub(crate) fn offers(&self) -> &Notify {
        &self.offers
    }

    /// Something became durable, here or perhaps elsewhere.
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
