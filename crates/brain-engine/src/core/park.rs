//! Parks runs that cannot be read or whose writes the database rejects. Parked runs block nobody, and a person decides
//! about them.

use std::borrow::Borrow;

use brain_core::{RunId, RunStatus, Timestamp};
use brain_store::{LogRow, Member, Precondition, RunRow, RunSchedule, StoreError, Write};
use serde_json::json;

use super::Core;
use super::live::{InFlight, Live, Queued};
use super::messages::{Action, StepOutput};
use super::next::Next;
use crate::engine::EngineError;
use crate::log::{NewEvent, PipeEvent, pack};
use crate::watchers::RunNews;

/// The writes that set the status of a possibly unreadable run, with an event if its log can take one.
pub(crate) fn move_unread<R: Borrow<LogRow>>(
    row: &RunRow,
    log: Option<&[R]>,
    at: Timestamp,
    status: RunStatus,
    event: NewEvent,
) -> (Precondition, Vec<Write>) {
    let RunSchedule { seq, fence, priority, .. } = row.schedule;
    // Only a log as long as the row says can take another event.
    let end = log.map(|rows| rows.last().map_or(0, |last| last.borrow().seq + last.borrow().events.len() as u64));
    let appends = end == Some(seq);
    let schedule = RunSchedule { seq: seq + u64::from(appends), fence: fence + 1, priority, ..RunSchedule::default() };
    let mut writes = vec![Write::UpdateRun { run: row.id, status, at, schedule, program: None }];
    if appends {
        writes.push(Write::Append(pack(row.id, seq, at, vec![event]).into()));
    }
    // Withdraw its offers, so that no worker takes them.
    writes.push(Write::WithdrawAll(row.id));
    (Precondition::RunAt { run: row.id, seq, fence }, writes)
}

impl Core {
    /// Parks a run. Its work is kept until that is durable.
    pub(super) fn park<R: Borrow<LogRow>>(
        now: Timestamp,
        live: Live,
        row: &RunRow,
        log: Option<&[R]>,
        work: Vec<Queued>,
        why: &str,
    ) -> Next {
        let event = NewEvent::pipe(PipeEvent::Parked, json!({"why": why, "was": row.status}), None);
        let (precondition, writes) = move_unread(row, log, now, RunStatus::Parked, event);
        let member = Member { scope: live.scope.clone(), preconditions: vec![precondition], writes };
        let in_flight = Some(InFlight { work, parks: true, ..InFlight::default() });
        Next::Commit(Live { in_flight, ..live }, member)
    }

    /// The database rejected the writes of a run, and would reject them again. If a caller asked for them, the caller
    /// gets the error and the rest is decided without that request; a rejected new run leaves nothing. Otherwise the
    /// run would be decided and rejected forever, so it is parked.
    pub(super) fn turned_down(
        &mut self,
        now: Timestamp,
        run: RunId,
        live: Live,
        in_flight: InFlight,
        why: String,
        output: &mut StepOutput,
    ) -> Next {
        let work = in_flight.work;
        if work.iter().any(Queued::is_request) {
            return self.refuse(now, live, work, &EngineError::Refused(run, why), output);
        }
        tracing::error!(%run, why, "the database rejected the write for this run; the run is parked");
        let Some(row) = live.row.clone().filter(|_| !in_flight.parks) else {
            // Even parking is rejected: retry later, and keep everything until then.
            return self.again(now, live, work, Some(StoreError::Failed(why)), output);
        };
        // The state after the rejected turn is dropped.
        let Live { scope, queue, redecided, log, .. } = live;
        let before = Live { row: Some(row.clone()), queue, redecided, ..Live::empty(scope) };
        Self::park(now, before, &row, Some(&log), work, &why)
    }

    /// The run is parked: nothing of it stays in memory.
    pub(super) fn parked(&mut self, run: RunId, live: Live, work: Vec<Queued>, output: &mut StepOutput) -> Next {
        self.flow().forget(live.scope.tenant(), run);
        self.leave_parked(run, work.into_iter().chain(live.queue), output);
        output.actions.push(Action::Notify(RunNews { at_rest: true, ..RunNews::of(run, RunStatus::Parked) }));
        Next::Forget
    }

    /// Input for a parked run changes nothing. Calls whose answers are dropped here count as unknown when it is
    /// unparked.
    pub(super) fn leave_parked(&mut self, run: RunId, work: impl IntoIterator<Item = Queued>, output: &mut StepOutput) {
        for item in work {
            self.answered(run, std::slice::from_ref(&item));
            if let Some(reply) = item.reply {
                output.actions.push(Action::Reply(reply, Err(EngineError::Parked(run))));
            }
        }
    }
}
