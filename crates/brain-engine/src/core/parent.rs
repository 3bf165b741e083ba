//! What a child run tells the run that waits for it.

use brain_core::{Failure, RunId, Timestamp};
use brain_store::SignalRow;
use brain_vm::{End, Happened, JobStatus, Phase};
use serde_json::json;

use super::Submission;
use super::live::Live;
use crate::log::NewEvent;
use crate::turn::Finished;

/// The end of a child run goes into the inbox of the run that waits for it, in the same commit.
pub(super) fn tell_parent(
    now: Timestamp,
    run: RunId,
    live: &Live,
    new_row: Option<&Submission>,
    finished: &Finished,
) -> Option<SignalRow> {
    let request = new_row.map_or_else(|| live.row.as_ref().map(|row| &row.request), |new| Some(&new.request))?;
    let parent = request.get("parent")?;
    if !finished.events.iter().any(NewEvent::is_end) {
        return None;
    }
    let state = live.state.as_ref()?;
    let body = match state.phase() {
        Phase::Ended(End::Completed) => {
            let data = json!({"run_id": run, "status": "completed", "result": live.data.state});
            json!({"job": parent["job"], "result": {"success": true, "data": data}})
        }
        _ => {
            let why = state.failure().map_or_else(|| "It was cancelled.".to_owned(), |f| f.message.clone());
            let message = format!("The child run {run} ended {}: {why}", state.status());
            if state.left.values().any(|job| job.status == (JobStatus::Stuck { happened: Happened::Maybe })) {
                let message = format!("{message} Some of what it did is in doubt: it has open dead letters.");
                json!({"job": parent["job"], "unknown": Failure::business("child_in_doubt", message)})
            } else {
                json!({"job": parent["job"], "failure": Failure::business("child_failed", message)})
            }
        }
    };
    let waiting = parent["run"].as_str()?.parse().ok()?;
    Some(SignalRow { run: waiting, id: format!("child {run}"), at: now, body })
}
