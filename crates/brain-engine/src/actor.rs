//! Folds a log into a state. A run is the first kind of actor; other kinds have other events but share the log, commit
//! and feed.

use std::borrow::Borrow;
use std::sync::Arc;

use brain_core::Digest;
use brain_store::LogRow;
use brain_vm::{Code, Event, EventError, Program, State};

use serde::Deserialize as _;

use crate::checkpoint::Checkpoint;
use crate::data::{Moved, RunData};
use crate::engine::EngineError;
use crate::input::RunInput;
use crate::log::{LogEntry, PipeEvent, entries};

/// Something whose state is a fold of its log.
pub trait Actor {
    /// Why an entry cannot be folded.
    type Error;

    /// Folds the next entry. Nothing is evaluated or executed: all decisions are in the entry.
    fn take(&mut self, entry: &LogEntry<'_>) -> Result<(), Self::Error>;
}

/// Folds a log into an actor; returns the number of events.
pub fn replay<A: Actor, R: Borrow<LogRow>>(actor: &mut A, rows: &[R]) -> Result<u64, A::Error> {
    let mut seq = 0;
    for entry in entries(rows) {
        actor.take(&entry)?;
        seq = entry.seq + 1;
    }
    Ok(seq)
}

/// The folded log of a run.
pub(crate) struct Folded {
    /// The programs that the run executes now.
    pub(crate) code: Code,
    pub(crate) state: State,
    pub(crate) data: RunData,
    /// The number of events.
    pub(crate) seq: u64,
    /// The programs that the run had before each migration, each with the event that ended it.
    pub(crate) earlier: Vec<(u64, Arc<Program>)>,
}

/// A run while its log is folded.
struct RunActor<'l, U> {
    folded: Folded,
    /// The last checkpoint, which contains everything before it.
    from: u64,
    /// Loads programs by hash.
    load: &'l mut dyn FnMut(Digest) -> Result<Arc<Program>, EngineError>,
    unreadable: U,
}

impl<U: Fn(EventError) -> EngineError> RunActor<'_, U> {
    fn malformed(&self, entry: &LogEntry<'_>, reason: &str) -> EngineError {
        (self.unreadable)(EventError::Malformed { number: entry.number, reason: reason.to_owned() })
    }
}

impl<U: Fn(EventError) -> EngineError> Actor for RunActor<'_, U> {
    type Error = EngineError;

    fn take(&mut self, entry: &LogEntry<'_>) -> Result<(), EngineError> {
        match entry.machine().map_err(&self.unreadable)? {
            Some(_) if entry.seq < self.from => {}
            None if entry.seq < self.from && entry.is(PipeEvent::Migrated) => {}
            None if entry.seq == self.from && entry.is(PipeEvent::Checkpoint) => {
                let point =
                    Checkpoint::read(entry).ok_or_else(|| self.malformed(entry, "it is not a valid checkpoint"))?;
                self.folded.data = point.data(entry.payload);
                self.folded.code = Code::new(point.program, (self.load)(point.program)?);
                for hash in &point.fragments {
                    self.folded.code.add(*hash, &(self.load)(*hash)?);
                }
                self.folded.state = point.state;
            }
            Some(event) => {
                if let Event::ScopeOpened { code: hash, .. } = &event {
                    self.folded.code.add(*hash, &(self.load)(*hash)?);
                }
                if !self.folded.state.takes(&self.folded.code, &event) {
                    return Err(self.malformed(entry, "it refers to something that the run does not have"));
                }
                let Folded { code, state, data, .. } = &mut self.folded;
                state.apply(code, &event);
                data.apply(code, state, &event, entry.payload, entry.at);
            }
            None if entry.is(PipeEvent::Migrated) => {
                let moved = Moved::read(entry).ok_or_else(|| self.malformed(entry, "it is not a valid migration"))?;
                let now = Code::new(moved.to, (self.load)(moved.to)?);
                let input = entry.payload.and_then(|payload| payload.get("input")).map(RunInput::deserialize);
                let input = input.transpose().map_err(|error| self.malformed(entry, &error.to_string()))?;
                let folded = &mut self.folded;
                let before = std::mem::replace(&mut folded.code, now);
                folded.earlier.push((entry.seq, before.root().clone()));
                folded.data.migrate(&moved.map, &moved.steps);
                if let Some(input) = input {
                    folded.data.input = input;
                }
                folded.state = moved.state;
            }
            None => {
                let read = self.folded.data.apply_pipe(entry);
                read.map_err(|error| self.malformed(entry, &error.to_string()))?;
            }
        }
        Ok(())
    }
}

/// Folds the whole log of a run. `hash` is the current program. The fold of a migrated run starts with its first
/// program, that of a compacted run with its last checkpoint.
pub(crate) fn fold<R: Borrow<LogRow>>(
    hash: Digest,
    rows: &[R],
    load: &mut dyn FnMut(Digest) -> Result<Arc<Program>, EngineError>,
    unreadable: impl Fn(EventError) -> EngineError,
) -> Result<Folded, EngineError> {
    let from = Checkpoint::last(rows).map_or(0, |entry| entry.seq);
    let mut first = hash;
    let moves = entries(rows).filter(|entry| entry.seq >= from && entry.is(PipeEvent::Migrated));
    if let Some(entry) = moves.into_iter().next() {
        let reason = "it is not a valid migration".to_owned();
        let moved = Moved::read(&entry);
        first = moved.ok_or_else(|| unreadable(EventError::Malformed { number: entry.number, reason }))?.from;
    }
    let code = Code::new(first, load(first)?);
    let state = State::new(&code);
    let folded = Folded { code, state, data: RunData::default(), seq: 0, earlier: Vec::new() };
    let mut run = RunActor { folded, from, load, unreadable };
    let seq = replay(&mut run, rows)?;
    Ok(Folded { seq, ..run.folded })
}
