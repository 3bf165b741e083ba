//! The complete state of one run, and how it is loaded from the store.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use brain_core::{Digest, JobKey, RunId};
use brain_lang::plan::{Place, PlanStep};
use brain_store::{Definitions, LogRow, OfferRow, RunRow, Scope, Store, StoreError};
use brain_vm::{Code, Event, EventError, JobId, JobStatus, Program, ScopeId, State, StepId};
use serde_json::Value;

use crate::actor::{Folded, fold};
use crate::core::PRIORITY_STEP;
use crate::data::{Moved, RunData};
use crate::engine::EngineError;
use crate::log::{PipeEvent, entries};
use crate::receipt::{Receipt, read_receipts};
use crate::turn::job_key;

/// Maximum number of cached programs.
const MAX_PROGRAMS: usize = 10_000;

/// A cache of programs by hash, shared by everything in the process that folds logs. Programs are immutable.
#[derive(Default)]
pub(crate) struct Programs {
    known: Mutex<HashMap<Digest, Arc<Program>>>,
}

impl Programs {
    /// A program, from the cache or the store.
    pub(crate) fn get(&self, store: &dyn Definitions, hash: Digest) -> Result<Arc<Program>, EngineError> {
        if let Some(known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&hash) {
            return Ok(known.clone());
        }
        let body = store.definition(hash)?.ok_or(EngineError::NoProgram(hash))?;
        let program = Arc::new(read_program(hash, body)?);
        self.cache(hash, &program);
        Ok(program)
    }

    /// Adds a program to the cache.
    pub(crate) fn cache(&self, hash: Digest, program: &Arc<Program>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_PROGRAMS && !known.contains_key(&hash) {
            known.clear();
        }
        known.entry(hash).or_insert_with(|| program.clone());
    }
}

/// Parses and checks a stored program.
fn read_program(hash: Digest, body: Value) -> Result<Program, EngineError> {
    let program: Program = serde_json::from_value(body).map_err(|_| EngineError::NoProgram(hash))?;
    program.check().map_err(|_| EngineError::NoProgram(hash))?;
    Ok(program)
}

/// Why a run could not be loaded, with the parts that could be read.
pub struct NotLoaded {
    pub(crate) error: EngineError,
    /// Its row, if it could be read.
    pub(crate) row: Option<Box<RunRow>>,
    /// Its log, if it could be read.
    pub(crate) log: Option<Vec<LogRow>>,
}

impl From<EngineError> for NotLoaded {
    fn from(error: EngineError) -> Self {
        Self { error, row: None, log: None }
    }
}

/// The complete state of one run.
#[derive(Debug)]
pub struct RunState {
    /// Its row.
    pub row: RunRow,
    /// Its log. Rows are shared with the commit that wrote them.
    pub log: Vec<Arc<LogRow>>,
    /// Its programs, if it has been planned.
    pub code: Option<Code>,
    /// The state of the machine, folded from the log.
    pub state: Option<State>,
    /// Its data, folded from the log.
    pub data: RunData,
    /// Its programs before each migration, each with the event that ended it.
    pub earlier: Vec<(u64, Arc<Program>)>,
}

impl RunState {
    /// Loads a run and folds its log. Row and log come from one snapshot of the store.
    pub(crate) fn load(store: &dyn Store, programs: &Programs, scope: &Scope, run: RunId) -> Result<Self, NotLoaded> {
        let found = match store.run_and_log(scope, run) {
            // A damaged log row affects only this run, and the run's own row may be readable.
            Err(StoreError::Unreadable(why)) => {
                let row = store.run(scope, run).ok().flatten().map(Box::new);
                return Err(NotLoaded { error: EngineError::Unreadable(run, why), row, log: None });
            }
            found => found.map_err(EngineError::from)?,
        };
        let (row, log) = found.ok_or(EngineError::NoSuchRun(run))?;
        if let Some(why) = row.unreadable() {
            let error = EngineError::Unreadable(run, format!("its request is damaged: {why}"));
            return Err(NotLoaded { error, row: Some(Box::new(row)), log: Some(log) });
        }
        let Some(hash) = row.program else {
            let log = log.into_iter().map(Arc::new).collect();
            return Ok(Self { row, log, code: None, state: None, data: RunData::default(), earlier: Vec::new() });
        };
        let unreadable = |error: EventError| EngineError::Unreadable(run, error.to_string());
        let folded = fold(hash, &log, &mut |hash| programs.get(store, hash), unreadable).and_then(|folded| {
            let (has, says) = (folded.seq, row.schedule.seq);
            if has == says {
                return Ok(folded);
            }
            Err(EngineError::Unreadable(run, format!("its log has {has} events, but its row says {says}")))
        });
        match folded {
            Ok(Folded { code, state, data, earlier, .. }) => {
                let log = log.into_iter().map(Arc::new).collect();
                Ok(Self { row, log, code: Some(code), state: Some(state), data, earlier })
            }
            Err(error) => Err(NotLoaded { error, row: Some(Box::new(row)), log: Some(log) }),
        }
    }

    /// The run's own program, if it has been planned.
    pub fn program(&self) -> Option<&Arc<Program>> {
        self.code.as_ref().map(Code::root)
    }

    /// The plan step of a job.
    pub fn step(&self, job: JobId) -> Option<&PlanStep> {
        Some(self.state.as_ref()?.step(self.code.as_ref()?, job.at()))
    }

    /// A step with its full id, as of this event.
    pub fn step_at(&self, seq: u64, at: StepId) -> Option<(String, &PlanStep)> {
        if let Some((_, program)) = self.earlier.iter().find(|(until, _)| seq < *until) {
            let step = program.steps.get(usize::from(at.step))?;
            return Some((step.id.clone(), step));
        }
        let (code, state) = (self.code.as_ref()?, self.state.as_ref()?);
        Some((state.step_path(code, at), state.step(code, at)))
    }

    /// The path of a scope.
    pub fn scope_path(&self, scope: ScopeId) -> String {
        match (&self.state, &self.code) {
            (Some(state), Some(code)) => state.path(code, scope),
            _ => String::new(),
        }
    }

    /// The full id of a job's step.
    pub fn step_id(&self, job: JobId) -> String {
        match (&self.state, &self.code) {
            (Some(state), Some(code)) => state.step_path(code, job.at()),
            _ => String::new(),
        }
    }

    /// The jobs that are or were delegated, in the order of their events, by their present numbers. Those of steps that
    /// a migration dropped are left out.
    pub fn delegated_jobs(&self) -> Vec<JobId> {
        let mut jobs = Vec::new();
        for entry in entries(&self.log) {
            if let Ok(Some(Event::JobDelegated { job, .. })) = entry.machine() {
                jobs.push(job);
            } else if entry.is(PipeEvent::Migrated)
                && let Some(moved) = Moved::read(&entry)
            {
                let there = |job: JobId| Some(JobId { step: *moved.steps.get(&job.step)?, ..job });
                jobs = jobs.into_iter().filter_map(there).collect();
            }
        }
        jobs
    }

    /// The step that is or was delegated under this key.
    pub fn delegated_step(&self, key: JobKey) -> Option<&PlanStep> {
        let job = self.delegated_jobs().into_iter().find(|job| self.job_key(*job) == Some(key))?;
        self.step(job)
    }

    /// The job under this key that is open, or whose dead letter outlived its scope.
    pub fn open_job(&self, key: JobKey) -> Option<JobId> {
        let machine = self.state.as_ref()?;
        let mut open = machine.jobs.keys().chain(machine.left.keys());
        open.find(|job| self.job_key(**job) == Some(key)).copied()
    }

    /// The key of a job.
    pub fn job_key(&self, job: JobId) -> Option<JobKey> {
        Some(job_key(self.code.as_ref()?, self.state.as_ref()?, self.row.id, self.data.started, job))
    }

    /// The display name of a job: the id of its step, and for a list also the item, counted from 1.
    pub fn job_name(&self, job: JobId) -> String {
        let step = self.step_id(job);
        if self.data.items.contains_key(&job.at()) { format!("{step}[{}]", job.item + 1) } else { step }
    }

    /// The offers of the run's jobs to workers.
    pub(crate) fn offers(&self) -> Vec<OfferRow> {
        let (Some(code), Some(machine)) = (&self.code, &self.state) else { return Vec::new() };
        let offered = machine.jobs.iter().filter(|(_, job)| job.status == JobStatus::Offered);
        let order = self.row.updated_at.as_millis() - i64::from(self.row.schedule.priority) * PRIORITY_STEP;
        let offer = |id: JobId| match machine.step(code, id.at()).call(id.undo).place {
            Place::Worker { topic, .. } => {
                Some(OfferRow { key: self.job_key(id)?, run: self.row.id, topic: topic.clone(), order })
            }
            _ => None,
        };
        offered.filter_map(|(id, _)| offer(*id)).collect()
    }

    /// The receipts of the run.
    pub fn receipts(&self) -> Result<Vec<Receipt>, EventError> {
        match (&self.code, &self.state) {
            (Some(code), Some(state)) => read_receipts(self.row.id, code, state, &self.data, &self.earlier, &self.log),
            _ => Ok(Vec::new()),
        }
    }
}
