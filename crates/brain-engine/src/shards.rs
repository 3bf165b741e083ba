//! Assigns runs to deciding threads by their ids. Limits and queues of external jobs are shared between the threads.

use std::sync::mpsc::Sender;

use brain_core::RunId;
use brain_store::Outcome;

use crate::core::CoreInput;

/// The input channels of all deciding threads of a node.
#[derive(Clone)]
pub(crate) struct Shards {
    all: Vec<Sender<CoreInput>>,
    own: usize,
}

impl Shards {
    /// The channels, from the point of view of thread `own`.
    pub(crate) fn new(all: Vec<Sender<CoreInput>>, own: usize) -> Self {
        Self { all, own }
    }

    /// The channel of this thread.
    pub(crate) fn own(&self) -> Sender<CoreInput> {
        self.all[self.own].clone()
    }

    /// Wakes every thread with a no-op input.
    pub(crate) fn wake_all(&self) {
        for send in &self.all {
            drop(send.send(CoreInput::Committed(0, Ok(Outcome::Committed))));
        }
    }

    /// Sends an input to the thread of its run; inputs without a run go to the first thread.
    pub(crate) fn send(&self, input: CoreInput) {
        let shard = input.run().map_or(0, |run| shard_of(run, self.all.len()));
        drop(self.all[shard].send(input));
    }
}

/// The shard of a run. The last bytes of an id are random.
pub(crate) fn shard_of(run: RunId, shards: usize) -> usize {
    let bytes = *run.as_uuid().as_bytes();
    usize::from(bytes[15]) % shards.max(1)
}
