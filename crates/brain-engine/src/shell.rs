//! The threads around the core: some decide, one keeps the node alive; Tokio runs external work.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use brain_core::Millis;

use crate::core::CoreInput;
use crate::flow::Uses;
use crate::node::{HEARTBEAT, Keeper};
use crate::performer::{Lost, Performer, Tasks, Work};
use crate::watchers::Hub;

/// Minimum interval between two reactions to notifications of other processes.
const BREATH: Duration = Duration::from_millis(20);
/// Minimum interval between two wake-ups of those who wait for changes by other processes.
const TELL: Duration = Duration::from_millis(250);
/// Delay before the next poll when the last one returned a full page.
const SOON: Duration = Duration::from_millis(200);
/// Interval of polling the store for due runs: the safety net for the timers in memory.
const POLL: Duration = Duration::from_millis(1000);

/// Runs tasks on a Tokio runtime.
pub(crate) struct TokioTasks {
    pub(crate) runtime: tokio::runtime::Handle,
    /// Where answers are sent.
    pub(crate) send: Sender<CoreInput>,
}

impl Tasks for TokioTasks {
    fn spawn(&mut self, work: Work, limit: Millis, lost: Box<dyn FnOnce(Lost) -> CoreInput + Send>) {
        let send = self.send.clone();
        // A task of its own, so that a panic in a tool fails only that job.
        let task = self.runtime.spawn(async move { tokio::time::timeout(limit.as_std(), work).await });
        self.runtime.spawn(async move {
            let input = match task.await {
                Ok(Ok(input)) => input,
                Ok(Err(_)) => lost(Lost::Late),
                Err(error) => {
                    tracing::error!(%error, "an external task panicked");
                    lost(Lost::Panicked)
                }
            };
            drop(send.send(input));
        });
    }

    fn blocking<R: Send + 'static>(
        &self,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Pin<Box<dyn Future<Output = Option<R>> + Send>> {
        let task = self.runtime.spawn_blocking(work);
        Box::pin(async move { task.await.ok() })
    }
}

/// A deciding thread: takes inputs, decides them as one batch, submits the batch to the store, and goes on while the
/// store commits. `stop` ends it.
pub(crate) fn decide_forever(mut performer: Performer<TokioTasks>, stop: &Arc<AtomicBool>) {
    while !stop.load(Ordering::Relaxed) {
        if !performer.has_some() {
            let pause = performer.next_at().map_or(POLL, |at| at.since(performer.clock.now()).as_std().min(POLL));
            match performer.inputs.recv_timeout(pause) {
                Ok(input) => performer.arrived(input),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        performer.step();
    }
}

/// Messages to the keeper thread.
pub(crate) enum KeeperNews {
    /// Another process may have changed something.
    Changed,
    /// The thread must end.
    Stop,
}

/// The keeper thread of the node. While `paused`, it only renews the lease.
pub(crate) fn keep_forever(
    mut keeper: Keeper,
    hub: &Hub,
    send: &dyn Fn(CoreInput),
    news: &Receiver<KeeperNews>,
    paused: &AtomicBool,
    uses: &dyn Fn() -> Uses,
) {
    let mut heartbeat = Instant::now();
    let mut notified = Instant::now();
    let mut polled: Option<Instant> = None;
    let rests = || paused.load(Ordering::Relaxed).then(uses);
    let mut rested = rests();
    let mut pause = POLL - BREATH;
    // Whether the last heartbeat failed, and when one succeeded again.
    let (mut failed, mut recovered): (bool, Option<Instant>) = (false, None);
    loop {
        if !paused.load(Ordering::Relaxed) {
            let poll = polled.is_none_or(|at| at.elapsed() >= POLL);
            if poll {
                polled = Some(Instant::now());
            }
            // After an outage, other nodes get the time to renew their leases too.
            let leases = !failed && recovered.is_none_or(|at| at.elapsed() >= HEARTBEAT.as_std());
            match keeper.look(poll, leases, send) {
                // The page was full, so poll again soon.
                Ok(true) => (polled, pause) = (None, SOON),
                Ok(false) => pause = POLL - BREATH,
                Err(error) => {
                    pause = POLL - BREATH;
                    tracing::warn!(%error, "polling the store for work failed; retrying");
                }
            }
        }
        if notified.elapsed() >= TELL {
            notified = Instant::now();
            hub.look_again();
        }
        // Jobs under way still count against limits.
        let now_rests = rests();
        let beat_due = heartbeat.elapsed() >= if failed { SOON } else { HEARTBEAT.as_std() };
        if beat_due || now_rests != rested {
            heartbeat = Instant::now();
            let beat = keeper.heartbeat(now_rests.as_ref());
            rested = now_rests;
            hub.wrote(beat.is_ok());
            if failed && beat.is_ok() {
                recovered = Some(Instant::now());
            }
            // It is retried soon, and reported once.
            if let Err(error) = &beat
                && !failed
            {
                tracing::warn!(%error, "renewing the lease failed; retrying");
            }
            failed = beat.is_err();
        }
        std::thread::sleep(BREATH);
        match news.recv_timeout(pause) {
            Ok(KeeperNews::Changed) | Err(RecvTimeoutError::Timeout) => {}
            Ok(KeeperNews::Stop) | Err(RecvTimeoutError::Disconnected) => return,
        }
        while let Ok(more) = news.try_recv() {
            if matches!(more, KeeperNews::Stop) {
                return;
            }
        }
    }
}
