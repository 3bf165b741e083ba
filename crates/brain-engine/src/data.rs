//! What a run has come to know: its input and the results of its steps. Like the state, it is a fold of the log.

use std::collections::BTreeMap;
use std::sync::Arc;

use brain_core::{Digest, Timestamp};
use brain_lang::plan::ToolRef;
use brain_store::LogRow;
use brain_vm::{Event, EventError, JobId, JobStatus, Phase, Program, State, StepMap};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::checkpoint::Checkpoint;
use crate::engine::EngineError;
use crate::log::{LogEntry, PipeEvent, entries};

/// What a run has come to know.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    #[serde(with = "pairs")]
    pub args: BTreeMap<JobId, Value>,
    /// Results of jobs that are done, for undo.
    #[serde(with = "pairs")]
    pub results: BTreeMap<JobId, Value>,
    /// Whole results of jobs that somebody else goes on with first: reviewers, other engines, the steps they brought.
    #[serde(with = "pairs")]
    pub pending: BTreeMap<JobId, Value>,
    /// The jobs that brought steps along and their tools, by the path of those steps.
    pub fragments: BTreeMap<String, (JobId, ToolRef)>,
}

/// A map whose keys are no texts, as a list of pairs: JSON has no other form for it.
mod pairs {
    use std::collections::BTreeMap;

    use brain_vm::JobId;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::Value;

    pub(super) fn serialize<S: Serializer>(map: &BTreeMap<JobId, Value>, serializer: S) -> Result<S::Ok, S::Error> {
        map.iter().collect::<Vec<_>>().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<JobId, Value>, D::Error> {
        Ok(Vec::<(JobId, Value)>::deserialize(deserializer)?.into_iter().collect())
    }
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

    /// The same in another program: steps have other names and numbers there.
    pub(crate) fn migrate(&mut self, map: &StepMap, steps: &BTreeMap<u16, u16>) {
        for (old, new) in map {
            if let (Some(result), Some(new)) = (self.steps.remove(old), new) {
                self.steps.insert(new.clone(), result);
            }
        }
        let items = std::mem::take(&mut self.items);
        self.items = items.into_iter().filter_map(|(step, list)| Some((*steps.get(&step)?, list))).collect();
        for jobs in [&mut self.args, &mut self.results, &mut self.pending] {
            let old = std::mem::take(jobs);
            let moved = old.into_iter().filter_map(|(id, value)| {
                let step = *steps.get(&id.step)?;
                Some((JobId { step, ..id }, value))
            });
            *jobs = moved.collect();
        }
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

/// What a log comes to.
pub(crate) struct Folded {
    pub(crate) state: State,
    pub(crate) data: RunData,
    /// How many events it has.
    pub(crate) seq: u64,
    /// The programs that the run had before it was moved to the present one, each with the event that ended it.
    pub(crate) earlier: Vec<(u64, Arc<Program>)>,
    /// The fragments it has grown by, in order: their programs and their paths.
    pub(crate) fragments: Vec<(Digest, String)>,
}

/// Folds a whole log: the state and the data of the run, and nothing executed again. The program is the present one: if
/// the run was moved, the fold begins with the first; if it was compacted, with where it stood then. It grows by the fragments that the log names. `load` gives
/// programs by their hashes.
pub(crate) fn fold(
    program: &mut Arc<Program>,
    rows: &[LogRow],
    load: &mut dyn FnMut(Digest) -> Result<Arc<Program>, EngineError>,
    unreadable: impl Fn(EventError) -> EngineError,
) -> Result<Folded, EngineError> {
    let broken =
        |entry: &LogEntry<'_>| unreadable(EventError::Unknown { number: entry.number, version: entry.version });
    let from = Checkpoint::last(rows).map_or(0, |entry| entry.seq);
    let after = |entry: &LogEntry<'_>| entry.seq >= from;
    if let Some(entry) = entries(rows).filter(after).find(|entry| entry.is(PipeEvent::Migrated)) {
        let moved = Moved::read(&entry).ok_or_else(|| broken(&entry))?;
        *program = load(moved.from)?;
    }
    let mut folded = Folded {
        state: State::new(program),
        data: RunData::default(),
        seq: 0,
        earlier: Vec::new(),
        fragments: Vec::new(),
    };
    for entry in entries(rows) {
        match entry.machine().map_err(&unreadable)? {
            // What was before is in the checkpoint.
            Some(_) if entry.seq < from => {}
            None if entry.seq < from && entry.is(PipeEvent::Migrated) => {}
            None if entry.seq == from && entry.is(PipeEvent::Checkpoint) => {
                let point = Checkpoint::read(&entry).ok_or_else(|| broken(&entry))?;
                *program = load(point.program)?;
                for (hash, path) in &point.fragments {
                    Arc::make_mut(program).grow(load(*hash)?.as_ref(), path);
                }
                folded.data = point.data(entry.payload);
                (folded.state, folded.fragments) = (point.state, point.fragments);
            }
            Some(event) => {
                if let Event::StepsInjected { fragment: hash, path, .. } = &event {
                    Arc::make_mut(program).grow(load(*hash)?.as_ref(), path);
                    folded.fragments.push((*hash, path.clone()));
                }
                folded.state.apply(program, &event);
                folded.data.apply(program, &event, entry.payload, entry.at);
            }
            None if entry.is(PipeEvent::Migrated) => {
                let moved = Moved::read(&entry).ok_or_else(|| broken(&entry))?;
                let before = std::mem::replace(program, load(moved.to)?);
                folded.earlier.push((entry.seq, before));
                folded.data.migrate(&moved.map, &moved.steps);
                if let Some(input) = entry.payload.and_then(|payload| payload.get("input")) {
                    folded.data.input = input.clone();
                }
                folded.state = moved.state;
            }
            None => folded.data.apply_pipe(&entry),
        }
        folded.seq = entry.seq + 1;
    }
    Ok(folded)
}

/// What the event of a migration says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Moved {
    /// The program the run had.
    pub from: Digest,
    /// The program it has from then on.
    pub to: Digest,
    /// Who moved it.
    pub by: String,
    /// Steps with other names.
    pub map: StepMap,
    /// The steps that had begun: their old numbers and their new ones.
    pub steps: BTreeMap<u16, u16>,
    /// Where it stood in the new program.
    pub state: State,
}

impl Moved {
    pub(crate) fn read(entry: &LogEntry<'_>) -> Option<Self> {
        serde_json::from_value(entry.data.clone()).ok()
    }
}
