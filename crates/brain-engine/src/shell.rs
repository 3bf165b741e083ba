//! The threads around the core: some decide, one looks after the node; Tokio does what is outside.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use brain_core::Millis;

use crate::core::CoreInput;
use crate::hub::Hub;
use crate::node::{HEARTBEAT, Keeper};
use crate::performer::{Lost, Performer, Tasks, Work};

/// News from other processes are looked at this often at most.
const BREATH: Duration = Duration::from_millis(20);
/// Those who wait here for what other processes do look for themselves this often at most.
const TELL: Duration = Duration::from_millis(250);
/// How soon the store is asked again when it had more than one look takes.
const SOON: Duration = Duration::from_millis(200);
/// How often the store is asked for runs whose time has come: the safety net behind the timers in memory.
const POLL: Duration = Duration::from_millis(1000);

/// Work on a Tokio runtime.
pub(crate) struct TokioTasks {
    pub(crate) runtime: tokio::runtime::Handle,
    /// Where the answers go.
    pub(crate) send: Sender<CoreInput>,
}

impl Tasks for TokioTasks {
    fn spawn(&mut self, work: Work, limit: Millis, lost: Box<dyn FnOnce(Lost) -> CoreInput + Send>) {
        let send = self.send.clone();
        // A task of its own, so that a panic in a tool is that job's failure and nobody else's.
        let task = self.runtime.spawn(async move { tokio::time::timeout(limit.as_std(), work).await });
        self.runtime.spawn(async move {
            let input = match task.await {
                Ok(Ok(input)) => input,
                Ok(Err(_)) => lost(Lost::Late),
                Err(error) => {
                    tracing::error!(%error, "an outside task panicked");
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

/// A deciding thread: takes what has come, decides it as one batch, hands the batch to the store, and goes on while
/// the disk works. `stop` ends it.
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

/// What the thread that looks after the node is told.
pub(crate) enum KeeperNews {
    /// Another process may have changed something.
    Heard,
    /// It is over.
    Stop,
}

/// The thread that looks after the node. `paused`: it says that it is alive and does nothing else.
pub(crate) fn keep_forever(
    mut keeper: Keeper,
    hub: &Hub,
    send: &dyn Fn(CoreInput),
    news: &Receiver<KeeperNews>,
    paused: &AtomicBool,
) {
    let mut heartbeat = Instant::now();
    let mut told = Instant::now();
    let mut polled: Option<Instant> = None;
    let mut rested = paused.load(Ordering::Relaxed);
    let mut pause = POLL - BREATH;
    loop {
        if !paused.load(Ordering::Relaxed) {
            let poll = polled.is_none_or(|at| at.elapsed() >= POLL);
            if poll {
                polled = Some(Instant::now());
            }
            match keeper.look(poll, send) {
                // There is more than one look takes: the next one comes soon.
                Ok(true) => (polled, pause) = (None, SOON),
                Ok(false) => pause = POLL - BREATH,
                Err(error) => {
                    pause = POLL - BREATH;
                    tracing::warn!(%error, "the store could not be asked for work; asking again");
                }
            }
        }
        if told.elapsed() >= TELL {
            told = Instant::now();
            hub.look_again();
        }
        // What is under way still counts against limits.
        let rests = paused.load(Ordering::Relaxed) && hub.outside_jobs() == 0;
        if heartbeat.elapsed() >= HEARTBEAT.as_std() || rests != rested {
            heartbeat = Instant::now();
            rested = rests;
            let beat = keeper.heartbeat(rests);
            hub.wrote(beat.is_ok());
            if let Err(error) = beat {
                tracing::warn!(%error, "the heartbeat could not be written");
            }
        }
        std::thread::sleep(BREATH);
        match news.recv_timeout(pause) {
            Ok(KeeperNews::Heard) | Err(RecvTimeoutError::Timeout) => {}
            Ok(KeeperNews::Stop) | Err(RecvTimeoutError::Disconnected) => return,
        }
        while let Ok(more) = news.try_recv() {
            if matches!(more, KeeperNews::Stop) {
                return;
            }
        }
    }
}
