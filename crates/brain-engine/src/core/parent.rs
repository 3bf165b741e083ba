//! Reports the end of a child run to its parent.

use brain_core::{Digest, Failure, JobKey, RunId, Timestamp};
use brain_lang::plan::{Args, PlanStep};
use brain_registry::ToolResult;
use brain_store::{Runs, Scope, SignalRow, Store, StoreError};
use brain_vm::{Code, End, Happened, JobId, JobStatus, Phase, State, StepId};
use serde_json::{Value, json};

use super::Submission;
use super::live::Live;
use crate::Host;
use crate::log::NewEvent;
use crate::turn::Finished;

/// The code of a step whose child ended with unknown outcomes.
pub(crate) const CHILD_IN_DOUBT: &str = "child_in_doubt";

/// The code of a step whose child run failed.
pub const CHILD_FAILED: &str = "child_failed";

/// Maximum number of child runs that one step starts in sequence.
const MAX_CHILDREN: u32 = 100;

/// Maximum number of records that one sentence names.
const MAX_RECORDS: usize = 10;

/// Maximum number of sentences about what an undo leaves.
const MAX_STAYS: usize = 100;

/// Whether a run has calls in doubt that outlive it.
pub(super) fn has_doubts(state: &State) -> bool {
    state.left.values().any(|job| job.status == (JobStatus::Stuck { happened: Happened::Maybe }))
}

/// Puts the end of a child run into the inbox of its parent, in the same commit; and, if calls in doubt outlived the
/// child, once more when the last of them is settled.
pub(super) fn tell_parent(
    now: Timestamp,
    run: RunId,
    live: &Live,
    new_row: Option<&Submission>,
    finished: &Finished,
    host: &dyn Host,
) -> Option<SignalRow> {
    let request = new_row.map_or_else(|| live.row.as_ref().map(|row| &row.request), |new| Some(&new.request))?;
    let parent = request.get("parent")?;
    let state = live.state.as_ref()?;
    let ends = finished.events.iter().any(NewEvent::is_end);
    let settles = !ends && state.is_ended() && finished.had_doubts && !has_doubts(state);
    if !ends && !settles {
        return None;
    }
    // An undo that leaves out what it could not even plan is not complete.
    let failed = request.get("undo_of").and_then(|undo| undo["failed"].as_array()).filter(|list| !list.is_empty());
    let body = match state.phase() {
        Phase::Ended(End::Completed) if failed.is_none() => {
            let mut data = json!({"run_id": run, "status": "completed", "result": live.data.state});
            if let Some(undo) = request.get("undo_of") {
                // What this undo leaves, and what the undos that it started say they left.
                let below = live.data.results.values().map(|result| &result["not_undone"]);
                let all = std::iter::once(&undo["stays"]).chain(below).filter_map(Value::as_array).flatten();
                data["not_undone"] = all.take(MAX_STAYS).cloned().collect();
            }
            json!({"job": parent["job"], "result": {"success": true, "data": data}})
        }
        _ => {
            let own = match state.phase() {
                Phase::Ended(End::Completed) => None,
                _ => Some(state.failure().map_or("It was cancelled.", |failure| failure.message.as_str())),
            };
            let others = failed.into_iter().flatten().filter_map(Value::as_str);
            let why: Vec<&str> = own.into_iter().chain(others).collect();
            let mut message = format!("The child run {run} ended {}: {}", state.status(), why.join(" "));
            if let (Some(undo), Some(code)) = (request.get("undo_of"), &live.code) {
                let stays = not_undone(undo, code, state);
                if !stays.is_empty() {
                    message = format!("{message} Not undone: {}.", stays.join(", "));
                }
            }
            if has_doubts(state) {
                let message = format!("{message} Some of its outcomes are unknown: it has open dead letters.");
                json!({"job": parent["job"], "unknown": Failure::business(CHILD_IN_DOUBT, message)})
            } else {
                let mut body = json!({"job": parent["job"], "failure": Failure::business(CHILD_FAILED, message)});
                if left_something(live, state, host) {
                    body["did"] = json!(ToolResult::ok(json!({"run_id": run, "status": state.status()})));
                }
                body
            }
        }
    };
    let waiting = parent["run"].as_str()?.parse().ok()?;
    let id = if ends { child_signal(run) } else { format!("{} settled", child_signal(run)) };
    Some(SignalRow { run: waiting, id, at: now, body })
}

/// The steps that an undo was for and that it did not undo, with the records that they changed.
fn not_undone(undo: &Value, code: &Code, state: &State) -> Vec<String> {
    let steps = code.root().steps.iter().enumerate();
    let open = steps.filter(|(index, _)| {
        let job = StepId { scope: 0, step: *index as u16 }.job(0);
        !state.done.contains(&job) || state.undone.contains(&job)
    });
    let name = |(_, step): (usize, &PlanStep)| {
        let Args::Call(number) = step.args else { return None };
        let of = |name: &str| &undo[name][number as usize];
        let records = of("records").as_array().into_iter().flatten();
        let records = records.filter_map(|one| Some(format!(", {} {}", one["type"].as_str()?, one["id"].as_str()?)));
        let records: String = records.take(MAX_RECORDS).collect();
        Some(format!("`{}` (step {}{records})", of("tools").as_str()?, of("steps").as_str()?))
    };
    open.filter_map(name).take(MAX_STAYS).collect()
}

/// Whether a run that did not complete leaves changes behind that nobody undid and that no dead letter is about.
fn left_something(live: &Live, state: &State, host: &dyn Host) -> bool {
    let Some(code) = &live.code else { return false };
    let of_undo = |job: &JobId| state.outward(job.scope).any(|scope| state.scope(scope).is_undo());
    let settled = |job: &JobId| state.undone.contains(job) || state.not_undone.contains(job);
    let stays = |job: &&JobId| !state.rolled_back && !settled(job) && !of_undo(job);
    state.done.iter().filter(stays).any(|job| host.changes(&state.step(code, job.at()).tool))
}

/// The child runs of a job, first to last.
fn children_of(store: &dyn Runs, scope: &Scope, job: JobKey) -> Result<Vec<RunId>, StoreError> {
    let mut all = Vec::new();
    for round in 1..=MAX_CHILDREN {
        let found = store.by_key(scope, &key_of(job, round))?;
        let Some((child, _)) = found.filter(|(_, digest)| *digest != never_started()) else { break };
        all.push(child);
    }
    Ok(all)
}

/// The latest child run of a job.
pub fn last_child(store: &dyn Runs, scope: &Scope, job: JobKey) -> Result<Option<RunId>, StoreError> {
    Ok(children_of(store, scope, job)?.pop())
}

fn key_of(job: JobKey, round: u32) -> String {
    if round == 1 { format!("child {job}") } else { format!("child {job} {round}") }
}

/// The id of the signal that tells a parent how its child run ended.
pub fn child_signal(child: RunId) -> String {
    format!("child {child}")
}

/// The idempotency key under which a step starts its child run. A repeated call finds the same child. Once the child
/// has ended and its parent has processed the result, the next call gets a new key, which happens only after a person's
/// retry.
pub fn child_key(store: &dyn Store, scope: &Scope, parent: RunId, job: JobKey) -> Result<String, StoreError> {
    let mut key = key_of(job, 1);
    for round in 2..=MAX_CHILDREN {
        let Some((child, digest)) = store.by_key(scope, &key)? else { break };
        if digest == never_started() || is_awaited(store, scope, parent, child)? {
            break;
        }
        key = key_of(job, round);
    }
    Ok(key)
}

/// Whether the parent has yet to process the end of its child. Until it has, the signal stays in its inbox.
fn is_awaited(store: &dyn Store, scope: &Scope, parent: RunId, child: RunId) -> Result<bool, StoreError> {
    let over = store.run(scope, child)?.is_some_and(|row| row.status.is_over());
    Ok(!over || store.signals(scope, parent)?.iter().any(|signal| signal.id == child_signal(child)))
}

/// Whether a job's call has started its child run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChildStart {
    /// It has.
    Run(RunId),
    /// Not yet; it still can as long as this key is free.
    Free(String),
    /// It never will: another writer holds its key, to prevent the start.
    Never,
}

/// Whether the latest call of a job has started its child run; `waits` says whether the job waits for the end of that run.
pub(crate) fn child_start(
    store: &dyn Store,
    scope: &Scope,
    parent: RunId,
    job: JobKey,
    waits: bool,
) -> Result<ChildStart, StoreError> {
    let mut last = None;
    for round in 1..=MAX_CHILDREN {
        let key = key_of(job, round);
        match store.by_key(scope, &key)? {
            Some((_, digest)) if digest == never_started() => return Ok(ChildStart::Never),
            Some((child, _)) if waits && is_awaited(store, scope, parent, child)? => return Ok(ChildStart::Run(child)),
            Some((child, _)) => last = Some(child),
            None => return Ok(last.filter(|_| !waits).map_or(ChildStart::Free(key), ChildStart::Run)),
        }
    }
    Ok(ChildStart::Never)
}

/// A stopping parent claims the key of an unstarted child run under this digest, so that a late start is refused.
pub(crate) fn never_started() -> Digest {
    Digest::of(b"a child run that was never started")
}
