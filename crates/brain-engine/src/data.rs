//! What a run has come to know: its input and the results of its steps. Like the state, it is a fold of the log.

use std::collections::BTreeMap;
use std::sync::Arc;

use brain_core::{Digest, Timestamp};
use brain_lang::plan::ToolRef;
use brain_store::LogRow;
use brain_vm::{Event, EventError, JobId, JobStatus, Phase, Program, State};
use serde_json::{Map, Value};

use crate::engine::EngineError;
use crate::log::{LogEntry, PipeEvent, entries};

/// What a run has come to know.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunData {
    /// What the request brought along: slots, calls, context.
    pub input: Value,
    /// When the run started.
    pub started: Timestamp,
    /// Results merged so far.
    pub state: Map<String, Value>,
    /// The result of each finished step; a list for `foreach`.
    pub steps: BTreeMap<String, Value>,
    /// The lists of open and finished `foreach` steps.
    pub items: BTreeMap<u16, Vec<Value>>,
    /// Arguments of jobs that are under way or done, for checks and undo.
    pub args: BTreeMap<JobId, Value>,
    /// Results of jobs that are done, for undo.
    pub results: BTreeMap<JobId, Value>,
    /// Whole results of jobs that somebody else goes on with first: reviewers, other engines, the steps they brought.
    pub pending: BTreeMap<JobId, Value>,
    /// The jobs that brought steps along and their tools, by the path of those steps.
    pub fragments: BTreeMap<String, (JobId, ToolRef)>,
}

impl RunData {
    /// Whether a run in this state goes no further by itself soon: it is over, waits for a person, or another system
    /// works on it. A child run counts as its own work.
    pub fn is_at_rest(&self, state: &State) -> bool {
        let rests = |(id, job): (&JobId, &brain_vm::Job)| match job.status {
            JobStatus::Delegated { .. } => self.pending.get(id).is_none_or(|it| it["delegate"]["child_run"].is_null()),
            JobStatus::Growing => true,
            ref status => status.is_for_person(),
        };
        let open = state.jobs.values().filter(|job| job.status != JobStatus::Growing).count();
        state.is_ended() || state.phase == Phase::New || (open > 0 && state.jobs.iter().all(rests))
    }

    /// Takes in the payload of a machine event.
    pub(crate) fn apply(&mut self, program: &Program, event: &Event, payload: Option<&Value>, at: Timestamp) {
        match event {
            Event::RunStarted { .. } => self.started = at,
            Event::StepSkipped { step } => {
                self.steps.insert(program.step(*step).id.clone(), Value::Null);
            }
            Event::EachOpened { step, count } => {
                let items = payload.and_then(|payload| payload["items"].as_array().cloned()).unwrap_or_default();
                self.items.insert(*step, items);
                let nulls = vec![Value::Null; *count as usize];
                self.steps.insert(program.step(*step).id.clone(), Value::Array(nulls));
            }
            Event::JobStarted { job, .. } | Event::JobOffered { job } | Event::JobHeld { job } => {
                self.take_args(*job, payload);
            }
            Event::JobDelegated { job, .. } | Event::ReviewAsked { job, .. } => self.take_result(*job, payload),
            Event::StepsInjected { job, path, .. } => {
                self.take_result(*job, payload);
                self.fragments.insert(path.clone(), (*job, program.step(job.step).tool.clone()));
                // Steps that follow inside the fragment see the result as that of any other step.
                let data = payload.map_or(Value::Null, |payload| payload["result"]["data"].clone());
                self.merge(&data);
            }
            Event::StepBypassed { step, .. } => {
                self.steps.insert(program.step(*step).id.clone(), Value::Null);
            }
            Event::JobDone { job, .. } => {
                self.take_args(*job, payload);
                self.pending.remove(job);
                let data = payload.map_or(Value::Null, |payload| payload["result"]["data"].clone());
                self.finish(program, *job, data);
            }
            Event::JobFailed { job, .. } | Event::JobDismissed { job } => self.finish(program, *job, Value::Null),
            _ => {}
        }
    }

    fn take_args(&mut self, job: JobId, payload: Option<&Value>) {
        if let Some(args) = payload.and_then(|payload| payload.get("args")) {
            self.args.insert(job, args.clone());
        }
    }

    fn take_result(&mut self, job: JobId, payload: Option<&Value>) {
        self.take_args(job, payload);
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

    fn finish(&mut self, program: &Program, job: JobId, data: Value) {
        if job.undo {
            return;
        }
        self.merge(&data);
        let step = program.step(job.step);
        if step.foreach.is_some() {
            if let Some(Value::Array(list)) = self.steps.get_mut(&step.id)
                && let Some(slot) = list.get_mut(job.item as usize)
            {
                *slot = data.clone();
            }
        } else {
            self.steps.insert(step.id.clone(), data.clone());
        }
        self.results.insert(job, data);
    }

    /// Takes in an event of the pipe.
    fn apply_pipe(&mut self, entry: &LogEntry<'_>) {
        if entry.is(PipeEvent::Planned)
            && let Some(input) = entry.payload.and_then(|payload| payload.get("input"))
        {
            self.input = input.clone();
        }
    }
}

/// Folds a whole log: the state and the data of the run, and nothing executed again. The program grows by the
/// fragments that the log names; `fragment` gives their programs.
pub(crate) fn fold(
    program: &mut Arc<Program>,
    rows: &[LogRow],
    fragment: &mut dyn FnMut(Digest) -> Result<Arc<Program>, EngineError>,
    unreadable: impl Fn(EventError) -> EngineError,
) -> Result<(State, RunData, u64), EngineError> {
    let mut state = State::new(program);
    let mut data = RunData::default();
    let mut seq = 0;
    for entry in entries(rows) {
        match entry.machine().map_err(&unreadable)? {
            Some(event) => {
                if let Event::StepsInjected { fragment: hash, path, .. } = &event {
                    Arc::make_mut(program).grow(fragment(*hash)?.as_ref(), path);
                }
                state.apply(program, &event);
                data.apply(program, &event, entry.payload, entry.at);
            }
            None => data.apply_pipe(&entry),
        }
        seq = entry.seq + 1;
    }
    Ok((state, data, seq))
}
