//! Reports the end of a child run to its parent.

use brain_core::{Failure, JobKey, RunId, Timestamp};
use brain_store::{Runs, Scope, SignalRow, Store, StoreError};
use brain_vm::{End, Happened, JobStatus, Phase};
use serde_json::json;

use super::Submission;
use super::live::Live;
use crate::log::NewEvent;
use crate::turn::Finished;

/// The code of a step whose child ended with unknown outcomes.
pub(crate) const CHILD_IN_DOUBT: &str = "child_in_doubt";

/// Maximum number of child runs that one step starts in sequence.
const MAX_CHILDREN: u32 = 100;

/// Puts the end of a child run into the inbox of its parent, in the same commit.
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
                let message = format!("{message} Some of its outcomes are unknown: it has open dead letters.");
                json!({"job": parent["job"], "unknown": Failure::business(CHILD_IN_DOUBT, message)})
            } else {
                json!({"job": parent["job"], "failure": Failure::business("child_failed", message)})
            }
        }
    };
    let waiting = parent["run"].as_str()?.parse().ok()?;
    Some(SignalRow { run: waiting, id: signal_id(run), at: now, body })
}

/// The latest child run of a job.
pub(crate) fn last_child(store: &dyn Runs, scope: &Scope, job: JobKey) -> Result<Option<RunId>, StoreError> {
    let mut last = None;
    for round in 1..=MAX_CHILDREN {
        let Some((child, _)) = store.by_key(scope, &key_of(job, round))? else { break };
        last = Some(child);
    }
    Ok(last)
}

fn key_of(job: JobKey, round: u32) -> String {
    if round == 1 { format!("child {job}") } else { format!("child {job} {round}") }
}

fn signal_id(child: RunId) -> String {
    format!("child {child}")
}

/// The idempotency key under which a step starts its child run. A repeated call finds the same child. Once the child
/// has ended and its parent has processed the result, the next call gets a new key, which happens only after a person's
/// retry.
pub fn child_key(store: &dyn Store, scope: &Scope, parent: RunId, job: JobKey) -> Result<String, StoreError> {
    let mut key = key_of(job, 1);
    for round in 2..=MAX_CHILDREN {
        let Some((child, _)) = store.by_key(scope, &key)? else { break };
        let over = store.run(scope, child)?.is_some_and(|row| row.status.is_over());
        // The end of the child is in the parent's inbox until the parent has processed it.
        if !over || store.signals(scope, parent)?.iter().any(|signal| signal.id == signal_id(child)) {
            break;
        }
        key = key_of(job, round);
    }
    Ok(key)
}
