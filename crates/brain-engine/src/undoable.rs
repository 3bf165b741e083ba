//! Until when the effects of a run can be undone. Retention skips a run until then, because an undo needs the original
//! arguments and results.

use std::collections::HashMap;

use brain_core::{Digest, Millis, Timestamp};
use brain_store::{Definitions, LogRow, RunRow, StoreError};
use brain_vm::{Code, State};
use serde_json::Value;

use crate::actor::{Folded, fold};
use crate::engine::EngineError;
use crate::receipt::{ReceiptStatus, read_receipts};
use crate::run_state::Programs;

/// Caches of programs and tools, for one sweep.
#[derive(Default)]
pub(crate) struct Undoable {
    programs: Programs,
    /// How long after the call each tool may be undone, if it is limited.
    until: HashMap<Digest, Option<Millis>>,
}

impl Undoable {
    /// The latest deadline for undoing an effect of the run; `None` if there is no deadline. A tool that may be undone
    /// at any time does not delay retention.
    pub(crate) fn deadline(
        &mut self,
        store: &dyn Definitions,
        row: &RunRow,
        log: &[LogRow],
    ) -> Result<Option<Timestamp>, StoreError> {
        let Some(hash) = row.program else { return Ok(None) };
        let Some(Folded { code, state, data, earlier, .. }) = self.folded(store, row, hash, log)? else {
            return Ok(None);
        };
        if !self.any(store, &code)? {
            return Ok(None);
        }
        let Ok(receipts) = read_receipts(row.id, &code, &state, &data, &earlier, log) else { return Ok(None) };
        let mut last = None;
        for receipt in receipts.iter().filter(|receipt| receipt.status == ReceiptStatus::Succeeded) {
            if receipt.job.undo
                || receipt.dropped
                || state.undone.contains(&receipt.job)
                || !has_step(&state, &code, receipt.job)
            {
                continue;
            }
            let tool = state.step(&code, receipt.job.at()).tool.hash;
            if let Some(until) = self.until(store, tool)? {
                last = last.max(Some(receipt.finished_at.plus(until)));
            }
        }
        Ok(last)
    }

    /// The folded run; `None` if it cannot be read, which does not delay retention.
    fn folded(
        &self,
        store: &dyn Definitions,
        row: &RunRow,
        hash: Digest,
        log: &[LogRow],
    ) -> Result<Option<Folded>, StoreError> {
        let mut load = |hash: Digest| self.programs.get(store, hash);
        match fold(hash, log, &mut load, |error| EngineError::Unreadable(row.id, error.to_string())) {
            Ok(folded) => Ok(Some(folded)),
            Err(EngineError::Store(error)) => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// Whether any tool of the run's programs has a deadline.
    fn any(&mut self, store: &dyn Definitions, code: &Code) -> Result<bool, StoreError> {
        for hash in code.hashes().collect::<Vec<_>>() {
            let Ok(program) = self.programs.get(store, hash) else { continue };
            for step in &program.steps {
                if self.until(store, step.tool.hash)?.is_some() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn until(&mut self, store: &dyn Definitions, tool: Digest) -> Result<Option<Millis>, StoreError> {
        if let Some(known) = self.until.get(&tool) {
            return Ok(*known);
        }
        let body = store.definition(tool)?.unwrap_or(Value::Null);
        let until = serde_json::from_value::<Option<Millis>>(body["undo"]["until"].clone()).ok().flatten();
        self.until.insert(tool, until);
        Ok(until)
    }
}

/// Whether the run still has the step of a job: a migration may have dropped it.
fn has_step(state: &State, code: &Code, job: brain_vm::JobId) -> bool {
    let scope = state.scopes.get(job.scope as usize);
    scope.is_some_and(|scope| usize::from(job.step) < code.program(scope.code).steps.len())
}
