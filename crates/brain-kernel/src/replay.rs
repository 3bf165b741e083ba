//! Rebuilds a run from its log and compares the result with what is stored. Nothing is executed.

use brain_core::{RunId, RunStatus, canonical_digest};
use brain_engine::log::entries;
use brain_engine::{PipeEvent, RunState};
use brain_store::Scope;

use crate::{Kernel, KernelError};

/// The outcome of a replay.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The run.
    pub run: RunId,
    /// Number of events in its log.
    pub events: usize,
    /// The status that the log gives.
    pub status: RunStatus,
    /// Digest of the state that the log gives.
    pub digest: String,
    /// Number of receipts.
    pub receipts: usize,
    /// Differences from the stored columns.
    pub differences: Vec<String>,
}

impl Kernel {
    /// Folds the log of a run and compares the result with the stored columns.
    pub fn replay(&self, scope: &Scope, run: RunId) -> Result<Replayed, KernelError> {
        let stored = self.engine().run_state(scope, run)?;
        let row = &stored.row;
        let mut differences = gaps(&stored);
        let events = entries(&stored.log).count();
        let (Some(_), Some(state)) = (&stored.code, &stored.state) else {
            let digest = canonical_digest(&serde_json::json!({"status": row.status})).to_string();
            return Ok(Replayed { run, events, status: row.status, digest, receipts: 0, differences });
        };
        let started = state.phase() != brain_vm::Phase::New;
        let status = if started { state.status() } else { row.status };
        if status != row.status {
            differences.push(format!("the log gives status `{status}`, the row says `{}`", row.status));
        }
        if started && state.wake_at() != row.schedule.wake_at {
            differences.push("the log gives a different wake-up time".into());
        }
        match row.program {
            Some(hash) if self.engine().program(hash)?.id().0 != hash => {
                differences.push("the stored program does not match its hash".into());
            }
            Some(_) => {}
            None => differences.push("the row names no program".into()),
        }
        let receipts = stored.receipts().map_err(|error| KernelError::Internal(error.to_string()))?.len();
        Ok(Replayed { run, events, status, digest: canonical_digest(state).to_string(), receipts, differences })
    }
}

/// Missing events, and a row that counts them differently.
fn gaps(stored: &RunState) -> Vec<String> {
    let mut differences = Vec::new();
    let events = entries(&stored.log).last().map_or(0, |entry| entry.seq + 1);
    if events != stored.row.schedule.seq {
        differences.push(format!("the log has {events} events, the row says {}", stored.row.schedule.seq));
    }
    // Compaction leaves gaps before the last checkpoint, never after it.
    let compacted = entries(&stored.log).filter(|entry| entry.is(PipeEvent::Checkpoint)).last();
    let from = compacted.map_or(0, |entry| entry.seq);
    for (expected, entry) in (from..).zip(entries(&stored.log).filter(|entry| entry.seq >= from)) {
        if entry.seq != expected {
            differences.push(format!("found event {} instead of {expected}", entry.seq));
            break;
        }
    }
    differences
}
