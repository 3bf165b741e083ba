//! What a run has come to know: its input and the results of its steps. Like the state, it is a fold of the log.

use std::collections::BTreeMap;

use brain_core::Timestamp;
use brain_store::LogRow;
use brain_vm::{Event, EventError, JobId, Program, State};
use serde_json::{Map, Value};

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
}

impl RunData {
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
            Event::JobStarted { job, .. } => self.take_args(*job, payload),
            Event::JobDone { job, .. } => {
                self.take_args(*job, payload);
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

    fn finish(&mut self, program: &Program, job: JobId, data: Value) {
        if job.undo {
            return;
        }
        if let Value::Object(fields) = &data {
            for (name, value) in fields {
                self.state.insert(name.clone(), value.clone());
            }
        }
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

/// Folds a whole log: the state and the data of the run, and nothing executed again.
pub(crate) fn fold(program: &Program, rows: &[LogRow]) -> Result<(State, RunData, u64), EventError> {
    let mut state = State::new(program);
    let mut data = RunData::default();
    let mut seq = 0;
    for entry in entries(rows) {
        match entry.machine()? {
            Some(event) => {
                state.apply(program, &event);
                data.apply(program, &event, entry.payload, entry.at);
            }
            None => data.apply_pipe(&entry),
        }
        seq = entry.seq + 1;
    }
    Ok((state, data, seq))
}
