//! Runs that cannot be read are set aside, visibly: they hold up nobody, and a person decides what becomes of them.

use brain_core::{RunId, Timestamp};
use brain_store::{LogRow, Member, Precondition, RunRow, RunSchedule, Scope, Write};
use serde_json::json;

use super::{Core, StepOutput};
use crate::log::{NewEvent, PipeEvent, pack};

/// The status of a run that was set aside.
pub const PARKED: &str = "parked";

/// The writes that move a run which may not be readable to a status, with an event that says so if its log takes one.
pub(crate) fn move_unread(
    row: &RunRow,
    log: Option<&[LogRow]>,
    at: Timestamp,
    status: &str,
    event: NewEvent,
) -> (Precondition, Vec<Write>) {
    let RunSchedule { seq, fence, priority, .. } = row.schedule;
    // Only a log that is as long as the row says takes another event.
    let end = log.map(|rows| rows.last().map_or(0, |last| last.seq + last.events.len() as u64));
    let appends = end == Some(seq);
    let schedule = RunSchedule { seq: seq + u64::from(appends), fence: fence + 1, priority, ..RunSchedule::default() };
    let mut writes = vec![Write::UpdateRun { run: row.id, status: status.to_owned(), at, schedule, program: None }];
    if appends {
        writes.push(Write::Append(pack(row.id, seq, at, vec![event])));
    }
    (Precondition::RunAt { run: row.id, seq, fence }, writes)
}

impl Core {
    /// Sets a run aside that cannot be read.
    pub(super) fn park(&mut self, now: Timestamp, scope: &Scope, run: RunId, why: &str, output: &mut StepOutput) {
        tracing::error!(%run, why, "this run cannot be read and is set aside");
        let Ok(Some(row)) = self.store.run(scope, run) else { return };
        if row.status == PARKED {
            return;
        }
        let log = self.store.log(scope, run).ok();
        let event = NewEvent::pipe(PipeEvent::Parked, json!({"why": why, "was": row.status}), None);
        let (precondition, writes) = move_unread(&row, log.as_deref(), now, PARKED, event);
        // Nobody waits for this commit: if it fails, the run is found again.
        self.next_commit += 1;
        let member = Member { scope: scope.clone(), preconditions: vec![precondition], writes };
        output.commits.push((self.next_commit, member));
        self.unreadable.remove(&run);
    }
}
