//! The data of a run: its input and the results of its steps. Like the state, it is a fold of the log.

use std::collections::BTreeMap;

use brain_core::{Digest, Failure, Timestamp};
use brain_lang::plan::{Args, ToolRef};
use brain_vm::{Code, Event, Happened, JobId, JobStatus, Phase, State, StepId, StepMap, pairs};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::input::RunInput;
use crate::log::{LogEntry, PipeEvent};

/// The data of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunData {
    /// The input.
    pub input: RunInput,
    /// When the run started.
    pub started: Timestamp,
    /// Results merged so far.
    pub state: Map<String, Value>,
    /// The result of each finished step; a list for `foreach`.
    pub steps: BTreeMap<String, Value>,
    /// The lists of open and finished `foreach` steps.
    #[serde(with = "pairs")]
    pub items: BTreeMap<StepId, Vec<Value>>,
    /// Arguments of jobs in progress or done, for checks and undo.
    #[serde(with = "pairs")]
    pub args: BTreeMap<JobId, Value>,
    /// Results of finished jobs, for undo.
    #[serde(with = "pairs")]
    pub results: BTreeMap<JobId, Value>,
    /// Complete results of jobs that wait for a reviewer, another engine or the steps they added.
    #[serde(with = "pairs")]
    pub pending: BTreeMap<JobId, Value>,
    /// The jobs that added steps, with their tools, by the path of those steps.
    pub fragments: BTreeMap<String, (JobId, ToolRef)>,
    /// The accounts that open jobs were charged to.
    #[serde(with = "pairs", default, skip_serializing_if = "BTreeMap::is_empty")]
    pub charged: BTreeMap<JobId, Vec<String>>,
    /// Failed attempts of open jobs, for their dead letters.
    #[serde(with = "pairs", default)]
    pub attempts: BTreeMap<JobId, Vec<FailedAttempt>>,
    /// For each migration the arguments of the jobs whose steps it dropped, for their receipts.
    #[serde(skip)]
    pub dropped: Vec<BTreeMap<JobId, Value>>,
}

/// One attempt of a job that failed, kept until the job ends: a dead letter shows them all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedAttempt {
    /// The attempt; the first is 1.
    pub attempt: u32,
    /// When its outcome was written.
    pub at: Timestamp,
    /// Why.
    pub failure: Failure,
}

/// Maximum number of failed attempts kept per job: the latest.
const MAX_ATTEMPTS_KEPT: usize = 50;

impl RunData {
    /// Whether a run in this state has settled: it has ended, waits for a person, or an external system works on it. A
    /// child run counts as its own work.
    pub fn is_at_rest(&self, state: &State) -> bool {
        let rests = |job: &brain_vm::Job| match job.status {
            JobStatus::Delegated { child, .. } => !child,
            JobStatus::Growing { .. } => true,
            ref status => status.is_for_person(),
        };
        let open = state.jobs.values().filter(|job| !job.status.is_growing()).count();
        state.is_ended() || state.phase() == Phase::New || (open > 0 && state.jobs.values().all(rests))
    }

    /// Folds the payload of a machine event. The state is the one after the event.
    pub(crate) fn apply(&mut self, code: &Code, state: &State, event: &Event, payload: Option<&Value>, at: Timestamp) {
        let result = || payload.map_or(Value::Null, |payload| payload["result"]["data"].clone());
        if let Some(job) = event.job() {
            self.take_args(code, state, job, payload);
        }
        match event {
            Event::RunStarted { .. } => self.started = at,
            Event::StepSkipped { at } | Event::StepBypassed { at, .. } => {
                self.steps.insert(state.step_path(code, *at), Value::Null);
            }
            Event::EachOpened { at, count } => {
                let items = payload.and_then(|payload| payload["items"].as_array().cloned()).unwrap_or_default();
                self.items.insert(*at, items);
                let nulls = vec![Value::Null; *count as usize];
                self.steps.insert(state.step_path(code, *at), Value::Array(nulls));
            }
            Event::JobDelegated { job, .. } => self.take_result(*job, payload),
            // It has happened: the values for an undo are kept, whatever the reviewer decides.
            Event::ReviewAsked { job, .. } => {
                self.take_result(*job, payload);
                self.results.insert(*job, result());
            }
            Event::ScopeOpened { job, .. } => {
                self.take_result(*job, payload);
                if let Some(JobStatus::Growing { scope }) = state.jobs.get(job).map(|job| &job.status) {
                    let tool = state.step(code, job.at()).call(job.undo).tool.clone();
                    self.fragments.insert(state.path(code, *scope), (*job, tool));
                }
                self.results.insert(*job, result());
                // Later steps inside the fragment see the result like that of any other step.
                self.merge(&result());
            }
            Event::JobDone { job, .. } => {
                // An undo works on what the call answered, not on what a reviewer made of it.
                let answered = self.results.get(job).cloned().filter(|_| self.pending.contains_key(job));
                self.pending.remove(job);
                self.finish(code, state, *job, result());
                self.results.extend(answered.map(|answer| (*job, answer)));
            }
            // The answer is useless to later steps, but an undo may need it.
            Event::JobDoneBadly { job, .. } => {
                self.pending.remove(job);
                self.finish(code, state, *job, Value::Null);
                self.results.insert(*job, result());
            }
            Event::JobFailed { job, .. } | Event::JobDismissed { job } => {
                let done = self.results.get(job).cloned();
                self.finish(code, state, *job, Value::Null);
                // A rejected call that happened can still be undone.
                self.results.extend(done.filter(|_| state.done.contains(job)).map(|result| (*job, result)));
            }
            Event::JobStuck { job, happened: Happened::No, attempt, failure } => {
                // It costs nothing; another attempt is charged again.
                self.charged.remove(job);
                self.failed_attempt(*job, *attempt, failure, at);
            }
            Event::JobRetrying { job, attempt, failure, .. }
            | Event::JobStuck { job, attempt, failure, .. }
            | Event::JobChecking { job, attempt, failure }
            | Event::CheckPostponed { job, attempt, failure: Some(failure), .. } => {
                self.failed_attempt(*job, *attempt, failure, at);
            }
            Event::RunEnded { .. } => self.attempts.clear(),
            _ => {}
        }
    }

    fn failed_attempt(&mut self, job: JobId, attempt: u32, failure: &Failure, at: Timestamp) {
        let list = self.attempts.entry(job).or_default();
        if list.len() >= MAX_ATTEMPTS_KEPT {
            list.remove(0);
        }
        list.push(FailedAttempt { attempt, at, failure: failure.clone() });
    }

    /// The arguments of a job, if the run's input already contains them, as it does for direct calls. The log does not
    /// repeat them.
    pub(crate) fn given_args(&self, code: &Code, state: &State, job: JobId) -> Option<&Value> {
        match state.step(code, job.at()).args {
            Args::Call(number) if job.scope == 0 && !job.undo => self.input.calls().get(number as usize),
            _ => None,
        }
    }

    fn take_args(&mut self, code: &Code, state: &State, job: JobId, payload: Option<&Value>) {
        if let Some(args) = payload.and_then(|payload| payload.get("args")) {
            self.args.insert(job, args.clone());
        } else if !self.args.contains_key(&job)
            && let Some(args) = self.given_args(code, state, job)
        {
            self.args.insert(job, args.clone());
        }
        let charged = payload.and_then(|payload| serde_json::from_value(payload.get("charged")?.clone()).ok());
        self.charged.extend(charged.map(|accounts| (job, accounts)));
    }

    fn take_result(&mut self, job: JobId, payload: Option<&Value>) {
        if let Some(result) = payload.and_then(|payload| payload.get("result")) {
            self.pending.insert(job, result.clone());
        }
    }

    fn merge(&mut self, data: &Value) {
        if let Value::Object(fields) = data {
            for (name, value) in fields {
                self.state.insert(name.clone(), value.clone());
            }
        }
    }

    fn finish(&mut self, code: &Code, state: &State, job: JobId, data: Value) {
        self.attempts.remove(&job);
        self.charged.remove(&job);
        if job.undo {
            return;
        }
        self.merge(&data);
        let path = state.step_path(code, job.at());
        if state.step(code, job.at()).foreach.is_some() {
            if let Some(Value::Array(list)) = self.steps.get_mut(&path)
                && let Some(slot) = list.get_mut(job.item as usize)
            {
                *slot = data.clone();
            }
        } else {
            self.steps.insert(path, data.clone());
        }
        self.results.insert(job, data);
    }

    /// Translates the data to another program, with its step names and numbers.
    pub(crate) fn migrate(&mut self, map: &StepMap, steps: &BTreeMap<u16, u16>) {
        for (old, new) in map {
            if let (Some(result), Some(new)) = (self.steps.remove(old), new) {
                self.steps.insert(new.clone(), result);
            }
        }
        let items = std::mem::take(&mut self.items);
        let moved = |at: StepId| Some(StepId { step: *steps.get(&at.step)?, ..at });
        self.items = items.into_iter().filter_map(|(at, list)| Some((moved(at)?, list))).collect();
        let is_dropped = |id: &JobId| !steps.contains_key(&id.step);
        self.dropped
            .push(self.args.iter().filter(|(id, _)| is_dropped(id)).map(|(id, args)| (*id, args.clone())).collect());
        for jobs in [&mut self.args, &mut self.results, &mut self.pending] {
            renumber(jobs, steps);
        }
        renumber(&mut self.charged, steps);
        renumber(&mut self.attempts, steps);
    }

    /// Folds an event of the pipe. Fails if this build cannot read the input of the run.
    pub(crate) fn apply_pipe(&mut self, entry: &LogEntry<'_>) -> Result<(), serde_json::Error> {
        if entry.is(PipeEvent::Planned)
            && let Some(input) = entry.payload.and_then(|payload| payload.get("input"))
        {
            self.input = RunInput::deserialize(input)?;
        }
        Ok(())
    }
}

/// Moves what is kept by job to the numbers that the steps have in another program.
pub(crate) fn renumber<T>(jobs: &mut BTreeMap<JobId, T>, steps: &BTreeMap<u16, u16>) {
    let old = std::mem::take(jobs);
    jobs.extend(old.into_iter().filter_map(|(id, value)| Some((JobId { step: *steps.get(&id.step)?, ..id }, value))));
}

/// The data of a migration event.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Moved {
    /// The previous program.
    pub from: Digest,
    /// The new program.
    pub to: Digest,
    /// Who migrated it.
    pub by: String,
    /// Renamed steps.
    pub map: StepMap,
    /// The steps that had started: their old and new numbers.
    pub steps: BTreeMap<u16, u16>,
    /// The state in the new program.
    pub state: State,
}

impl Moved {
    pub(crate) fn read(entry: &LogEntry<'_>) -> Option<Self> {
        entry.read()
    }
}
