//! Compaction of long runs: one event archives the receipts since the last checkpoint, another stores the state of the
//! run, and the events before them are deleted together with the previous checkpoint. Every receipt is archived once,
//! so a log grows with the work done and not with the number of compactions.
//!
//! The events themselves hold no domain values: only the state, and receipts with digests in place of their values. The
//! values are payloads, so receipts remain verifiable after payloads are erased.

use std::borrow::Borrow;

use brain_core::{Digest, Timestamp, canonical_digest};
use brain_store::{LogEvent, LogRow, Member, Precondition, RunRow, Scope, Store, StoreError, Write};
use brain_vm::State;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::actor::{Folded, fold};
use crate::data::RunData;
use crate::engine::EngineError;
use crate::log::{LogEntry, NewEvent, PipeEvent, entries, pack};
use crate::receipt::{Receipt, receipts_since_checkpoint};
use crate::retention::written;
use crate::run_state::Programs;

/// The data of the event.
#[derive(Serialize, Deserialize)]
pub(crate) struct Checkpoint {
    /// The program of the run.
    pub(crate) program: Digest,
    /// The other programs it executes: those of steps that results added.
    pub(crate) fragments: Vec<Digest>,
    /// The state of the run.
    pub(crate) state: State,
    /// When it started.
    pub(crate) started: Timestamp,
    /// How many events this one replaces.
    pub(crate) events: u64,
    /// The digest of the replaced log.
    pub(crate) log: Digest,
}

/// The receipts between two checkpoints, with digests in place of values.
#[derive(Serialize, Deserialize)]
struct Archive {
    receipts: Vec<Receipt>,
}

/// The receipts of an archive, with their values unless those were erased.
pub(crate) fn archived(entry: &LogEntry<'_>) -> Vec<Receipt> {
    let Some(Archive { mut receipts }) = entry.read() else { return Vec::new() };
    let values = entry.payload.and_then(|payload| payload["values"].as_array()).into_iter().flatten();
    for (receipt, value) in receipts.iter_mut().zip(values) {
        (receipt.args, receipt.result) = (value[0].clone(), value[1].clone());
    }
    receipts
}

impl Checkpoint {
    pub(crate) fn read(entry: &LogEntry<'_>) -> Option<Self> {
        entry.read()
    }

    /// The last checkpoint of a log, if it was compacted.
    pub(crate) fn last<R: Borrow<LogRow>>(rows: &[R]) -> Option<LogEntry<'_>> {
        entries(rows).filter(|entry| entry.is(PipeEvent::Checkpoint)).last()
    }

    /// The data of the run; if it was erased, as much as the event itself has.
    pub(crate) fn data(&self, payload: Option<&Value>) -> RunData {
        let stored = payload.and_then(|payload| serde_json::from_value(payload["data"].clone()).ok());
        stored.unwrap_or_else(|| RunData { started: self.started, ..RunData::default() })
    }
}

/// The content that the digest of a log covers.
fn content(row: &LogRow) -> Value {
    let event = |event: &LogEvent| json!([event.number, event.version, event.data.get(), event.payload]);
    json!([row.events.iter().map(event).collect::<Vec<_>>(), row.payloads])
}

/// The digest that replaces a value of a receipt.
fn digest_of(value: &Value) -> Value {
    if value.is_null() { Value::Null } else { json!({"erased": canonical_digest(value)}) }
}

/// Compacts a run whose log has at least `long` events. `false` if there is nothing to compact, or the run changed
/// concurrently.
pub(crate) fn compact(
    store: &dyn Store,
    scope: &Scope,
    row: &RunRow,
    now: Timestamp,
    long: u64,
    dry_run: bool,
) -> Result<bool, StoreError> {
    let Some(hash) = row.program else { return Ok(false) };
    let log = store.log(scope, row.id)?;
    // Rows with pipe events stay; rows with only machine events and earlier checkpoints are deleted.
    let only_machine = |row: &&LogRow| row.events.iter().all(|event| brain_vm::VM_EVENTS.contains(&event.number));
    let goes = |row: &&LogRow| {
        only_machine(row) || row.events.iter().all(|event| event.number == PipeEvent::Checkpoint as u16)
    };
    let seqs: Vec<u64> = log.iter().filter(goes).map(|row| row.seq).collect();
    let count: u64 = log.iter().filter(only_machine).map(|row| row.events.len() as u64).sum();
    if count < long {
        return Ok(false);
    }
    let programs = Programs::default();
    let mut load = |hash: Digest| programs.get(store, hash);
    let unreadable = |error: brain_vm::EventError| EngineError::Unreadable(row.id, error.to_string());
    let folded = fold(hash, &log, &mut load, unreadable).and_then(|folded| {
        let list = receipts_since_checkpoint(row.id, &folded, &log).map_err(unreadable)?;
        Ok((folded, list))
    });
    let (Folded { code, state, data, seq, .. }, list) = match folded {
        Ok(folded) => folded,
        Err(EngineError::Store(error)) => return Err(error),
        // An unreadable run is parked when someone works on it; compaction just skips it.
        Err(_) => return Ok(false),
    };
    if seq != row.schedule.seq || dry_run {
        return Ok(seq == row.schedule.seq);
    }
    let values: Vec<Value> = list.iter().map(|receipt| json!([receipt.args, receipt.result])).collect();
    let receipts = list
        .into_iter()
        .map(|one| Receipt { args: digest_of(&one.args), result: digest_of(&one.result), ..one })
        .collect();
    let digest = canonical_digest(&log.iter().map(content).collect::<Vec<_>>());
    let started = data.started;
    let fragments = code.hashes().skip(1).collect();
    let point = Checkpoint { program: hash, fragments, state, started, events: count, log: digest };
    let archive = NewEvent::pipe(PipeEvent::Archived, Archive { receipts }, Some(json!({"values": values})));
    let checkpoint = NewEvent::pipe(PipeEvent::Checkpoint, &point, Some(json!({"data": data})));
    let mut schedule = row.schedule.clone();
    schedule.seq += 2;
    let member = Member {
        scope: scope.clone(),
        preconditions: vec![Precondition::RunAt { run: row.id, seq, fence: row.schedule.fence }],
        writes: vec![
            Write::UpdateRun { run: row.id, status: row.status, at: row.updated_at, schedule, program: None },
            Write::Append(pack(row.id, seq, now, vec![archive]).into()),
            Write::Append(pack(row.id, seq + 1, now, vec![checkpoint]).into()),
            Write::DropLog { run: row.id, seqs },
        ],
    };
    written(store, row.id, member)
}
