//! Receipts: the immutable record of every attempt, derived from the log.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::sync::Arc;

use brain_core::{Failure, JobKey, RunId, Timestamp, planted};
use brain_lang::plan::{Place, PlanStep};
use brain_store::LogRow;
use brain_vm::{Code, Event, EventError, Happened, JobId, Program, State};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::actor::Folded;
use crate::checkpoint::{Checkpoint, archived};
use crate::data::{Moved, RunData, renumber};
use crate::log::{LogEntry, PipeEvent, entries};

/// The outcome of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReceiptStatus {
    /// It succeeded.
    Succeeded,
    /// It failed; another attempt may follow.
    Failed,
    /// It is unknown whether it happened.
    InDoubt,
    /// It happened, but its answer could not be used.
    DoneBadly,
    /// It would have succeeded, but its batch was not committed.
    RolledBack,
}

impl ReceiptStatus {
    /// The spelling in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::InDoubt => "in_doubt",
            Self::DoneBadly => "done_badly",
            Self::RolledBack => "rolled_back",
        }
    }
}

/// The record of one attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// The key of the job: the same for all attempts.
    pub key: JobKey,
    /// The job within the run.
    pub job: JobId,
    /// The step's name.
    pub step: String,
    /// The name of the tool.
    pub tool: String,
    /// Counted from 1.
    pub attempt: u32,
    /// The outcome.
    pub status: ReceiptStatus,
    /// When it was handed over, or decided in process.
    pub started_at: Timestamp,
    /// When its outcome was durable.
    pub finished_at: Timestamp,
    /// The arguments, unless they were erased.
    pub args: Value,
    /// The whole result, unless it was erased.
    pub result: Value,
    /// The error, if it failed.
    pub failure: Option<Failure>,
    /// When the next attempt may start, if one follows.
    pub retry_at: Option<Timestamp>,
    /// Whether a migration dropped the step: `job` is then its number in the program before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dropped: bool,
}

impl Receipt {
    /// Whether the call is known to have taken effect.
    pub fn happened(&self) -> bool {
        matches!(self.status, ReceiptStatus::Succeeded | ReceiptStatus::DoneBadly)
    }
}

/// The receipts since the last checkpoint of a run.
pub(crate) fn receipts_since_checkpoint<R: Borrow<LogRow>>(
    run: RunId,
    folded: &Folded,
    rows: &[R],
) -> Result<Vec<Receipt>, EventError> {
    let from = Checkpoint::last(rows).map_or(0, |entry| entry.seq);
    let since: Vec<&LogRow> = rows.iter().map(Borrow::borrow).filter(|row: &&LogRow| row.seq >= from).collect();
    read_receipts(run, &folded.code, &folded.state, &folded.data, &folded.earlier, &since)
}

/// All receipts of a run, in the order in which attempts ended, from the parts of its folded log. `earlier` are the
/// programs before each migration, each with the event that ended it.
pub(crate) fn read_receipts<R: Borrow<LogRow>>(
    run: RunId,
    code: &Code,
    state: &State,
    data: &RunData,
    earlier: &[(u64, Arc<Program>)],
    rows: &[R],
) -> Result<Vec<Receipt>, EventError> {
    let mut list: Vec<Receipt> = Vec::new();
    let mut started = Timestamp::default();
    let mut handed = BTreeMap::new();
    let mut artifacts_of: BTreeMap<JobId, Value> = BTreeMap::new();
    // Answered calls whose job goes on: injected steps are running, or a reviewer looks at the result.
    let mut answered: BTreeMap<JobId, Answered> = BTreeMap::new();
    // The receipts whose arguments are still to be filled in: data has them by the present number of the step.
    let mut open: Vec<usize> = Vec::new();
    let mut migrations = 0;
    let last = Checkpoint::last(rows);
    let from = last.map_or(0, |entry| entry.seq);
    if let Some(entry) = last
        && let Some(point) = Checkpoint::read(&entry)
    {
        started = point.started;
    }
    for entry in entries(rows) {
        let Some(event) = entry.machine()?.filter(|_| entry.seq >= from) else {
            if entry.is(PipeEvent::Archived) {
                list.extend(archived(&entry));
            }
            if let Some(moved) = Some(&entry).filter(|entry| entry.is(PipeEvent::Migrated)).and_then(Moved::read) {
                let there = |job: &JobId| Some(JobId { step: *moved.steps.get(&job.step)?, ..*job });
                let args = if entry.seq < from { None } else { data.dropped.get(migrations) };
                for (at, receipt) in list.iter_mut().enumerate().filter(|(_, receipt)| !receipt.dropped) {
                    match there(&receipt.job) {
                        Some(job) => receipt.job = job,
                        None => {
                            receipt.dropped = true;
                            if let Some(args) =
                                args.and_then(|args| args.get(&receipt.job)).filter(|_| open.contains(&at))
                            {
                                receipt.args = args.clone();
                            }
                        }
                    }
                }
                if planted("moved-receipts") {
                    list.clear();
                    open.clear();
                }
                if entry.seq < from {
                    continue;
                }
                migrations += 1;
                let there = |((job, attempt), at)| Some(((there(&job)?, attempt), at));
                handed = handed.into_iter().filter_map(there).collect();
                renumber(&mut artifacts_of, &moved.steps);
                renumber(&mut answered, &moved.steps);
            }
            continue;
        };
        let before = earlier.iter().find(|(until, _)| entry.seq < *until).map(|(_, program)| program);
        let step_of = |job: JobId| match before {
            Some(program) => program.step(job.step),
            None => state.step(code, job.at()),
        };
        if let Event::RunStarted { .. } = event {
            started = entry.at;
        }
        let (job, attempt, status, failure, retry_at) = match event {
            Event::JobStarted { job, attempt, .. } | Event::JobLeased { job, attempt, .. } => {
                handed.insert((job, attempt), entry.at);
                continue;
            }
            Event::ScopeOpened { job, attempt, .. } => {
                handed.entry((job, attempt)).or_insert(entry.at);
                artifacts_of.insert(job, entry.payload.map_or(Value::Null, |it| it["result"]["artifacts"].clone()));
                answered.insert(job, Answered::new(attempt, &entry));
                continue;
            }
            Event::ReviewAsked { job, attempt } => {
                answered.insert(job, Answered::new(attempt, &entry));
                continue;
            }
            Event::BatchRolledBack { .. } => {
                for receipt in list.iter_mut().filter(|receipt| receipt.status == ReceiptStatus::Succeeded) {
                    receipt.status = ReceiptStatus::RolledBack;
                }
                continue;
            }
            Event::JobDone { job, attempt } => (job, attempt, ReceiptStatus::Succeeded, None, None),
            Event::JobDoneBadly { job, attempt, failure } => {
                (job, attempt, ReceiptStatus::DoneBadly, Some(failure), None)
            }
            Event::JobRetrying { job, attempt, failure, at, unsettled } => {
                let status = if unsettled { ReceiptStatus::InDoubt } else { ReceiptStatus::Failed };
                (job, attempt, status, Some(failure), Some(at))
            }
            // The call of a rejected result, or of one whose injected steps failed, has happened all the same.
            Event::JobFailed { job, attempt, failure } if is_deed(answered.get(&job), step_of(job), job) => {
                (job, attempt, ReceiptStatus::DoneBadly, Some(failure), None)
            }
            Event::JobFailed { job, attempt, failure } => (job, attempt, ReceiptStatus::Failed, Some(failure), None),
            Event::JobStuck { job, attempt, failure, happened } => {
                let status = match happened {
                    Happened::No => ReceiptStatus::Failed,
                    Happened::Maybe => ReceiptStatus::InDoubt,
                    Happened::Yes => ReceiptStatus::DoneBadly,
                };
                (job, attempt, status, Some(failure), None)
            }
            _ => continue,
        };
        let mut result = entry.payload.map_or(Value::Null, |payload| payload["result"].clone());
        if let Some(answer) = answered.remove(&job)
            && result.is_null()
            && status == ReceiptStatus::DoneBadly
        {
            result = answer.result;
        }
        if let (Some(artifacts), Some(map)) = (artifacts_of.remove(&job), result.as_object_mut())
            && !artifacts.is_null()
        {
            map.insert("artifacts".into(), artifacts);
        }
        // A migrated run had only its root scope.
        let step = step_of(job);
        let path = if before.is_some() { step.id.clone() } else { state.step_path(code, job.at()) };
        let scope = if before.is_some() { String::new() } else { state.path(code, job.scope) };
        open.push(list.len());
        list.push(Receipt {
            key: JobKey::derive(started, run, &scope, &step.id, job.item, job.undo),
            job,
            step: path,
            tool: step.call(job.undo).tool.name.clone(),
            attempt,
            status,
            started_at: handed.get(&(job, attempt)).copied().unwrap_or(entry.at),
            finished_at: entry.at,
            args: Value::Null,
            result,
            failure,
            retry_at,
            dropped: false,
        });
    }
    for at in open {
        let receipt = &mut list[at];
        if !receipt.dropped {
            receipt.args = data.args.get(&receipt.job).cloned().unwrap_or(Value::Null);
        }
    }
    if state.is_ended() {
        answered.retain(|job, answer| is_deed(Some(answer), state.step(code, job.at()), *job));
        for (job, Answered { attempt, at, result }) in answered {
            let step = state.step(code, job.at());
            let scope = state.path(code, job.scope);
            list.push(Receipt {
                key: JobKey::derive(started, run, &scope, &step.id, job.item, job.undo),
                job,
                step: state.step_path(code, job.at()),
                tool: step.call(job.undo).tool.name.clone(),
                attempt,
                status: ReceiptStatus::Succeeded,
                started_at: handed.get(&(job, attempt)).copied().unwrap_or(at),
                finished_at: at,
                args: data.args.get(&job).cloned().unwrap_or(Value::Null),
                result,
                failure: None,
                retry_at: None,
                dropped: false,
            });
        }
    }
    Ok(list)
}

/// An answer to a call whose job goes on.
struct Answered {
    attempt: u32,
    at: Timestamp,
    result: Value,
}

impl Answered {
    fn new(attempt: u32, entry: &LogEntry<'_>) -> Self {
        let result = entry.payload.map_or(Value::Null, |payload| payload["result"].clone());
        Self { attempt, at: entry.at, result }
    }
}

/// Whether an answered call had an effect of its own: an inline call that only injected steps had none.
fn is_deed(answered: Option<&Answered>, step: &PlanStep, job: JobId) -> bool {
    let inline = *step.call(job.undo).place == Place::Inline;
    answered.is_some_and(|answer| !inline || !answer.result["data"].is_null())
}
