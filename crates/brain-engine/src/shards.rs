//! Which deciding thread a run belongs to. Each has a part of the runs, chosen by their ids; limits and queues of
//! outside jobs are shared.

use std::sync::mpsc::Sender;

use brain_core::RunId;
use brain_store::Outcome;

use crate::core::CoreInput;

/// The inputs of all deciding threads of a node.
#[derive(Clone)]
pub(crate) struct Shards {
    all: Vec<Sender<CoreInput>>,
    own: usize,
}

impl Shards {
    /// Seen from this one of them.
    pub(crate) fn new(all: Vec<Sender<CoreInput>>, own: usize) -> Self {
        Self { all, own }
    }

    /// The input of the thread that this belongs to.
    pub(crate) fn own(&self) -> Sender<CoreInput> {
        self.all[self.own].clone()
    }

    /// Wakes every thread with an input that does nothing.
    pub(crate) fn wake_all(&self) {
        for send in &self.all {
            drop(send.send(CoreInput::Committed(0, Ok(Outcome::Committed))));
        }
    }

    /// Gives an input to the thread that decides about its run; what is about no run goes to the first.
    pub(crate) fn send(&self, input: CoreInput) {
        let shard = input.run().map_or(0, |run| shard_of(run, self.all.len()));
        drop(self.all[shard].send(input));
    }
}

/// The number of the shard that a run belongs to. The last bytes of an id are random.
pub(crate) fn shard_of(run: RunId, shards: usize) -> usize {
    let bytes = *run.as_uuid().as_bytes();
    usize::from(bytes[15]) % shards.max(1)
}
