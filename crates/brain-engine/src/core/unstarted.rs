//! Runs that have not started: unanswered questions and undecided plans. They end when they are cancelled or expire.

use brain_core::{RunStatus, Timestamp};
use brain_store::RunSchedule;
use brain_vm::Input;
use serde_json::json;

use super::TurnInput;
use crate::log::{NewEvent, PipeEvent};

/// Ends a run that has not started, if it has expired or is cancelled. A run with a machine gets a stop; one
/// without gets its final status here. Returns the event with the reason, unless the log already has one.
pub(super) fn end(
    status: &mut RunStatus,
    schedule: &mut RunSchedule,
    inputs: &mut Vec<TurnInput>,
    has_machine: bool,
    now: Timestamp,
) -> Option<NewEvent> {
    if status.is_over() || *status == RunStatus::Parked {
        return None;
    }
    let has = |wanted: &Input| inputs.iter().any(|one| matches!(one, TurnInput::Input(input, _) if input == wanted));
    let expired = has(&Input::Tick) && schedule.wake_at.is_some_and(|at| at <= now);
    let cancelled = has(&Input::Cancel);
    if !expired && !cancelled {
        return None;
    }
    let event = if expired && !cancelled {
        inputs.push(TurnInput::Input(Input::Cancel, None));
        let data = json!({"was": status, "until": schedule.wake_at});
        Some(NewEvent::pipe(PipeEvent::Expired, data, None))
    } else {
        Some(NewEvent::pipe(PipeEvent::Cancelled, json!({"was": status}), None))
    };
    if !has_machine {
        *status = RunStatus::Cancelled;
        schedule.wake_at = None;
    }
    event
}
