//! Integer keys for runs, jobs and incidents, for clients whose ids are numbers. A run gets its number when a key is
//! first needed.

use brain_core::{JobKey, Key, Keyed, RunId};
use brain_engine::RunState;
use brain_store::{DeadLetterRow, Member, Scope, Write};
use brain_vm::JobId;

use crate::{Kernel, KernelError};

/// The entity that a key identifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A run.
    Run(RunId),
    /// An unfinished job of a run.
    Job(RunId, JobKey),
    /// The dead letter of a job.
    Incident(RunId, JobKey),
}

impl Kernel {
    /// The key of a run. Blocks on the store.
    pub fn key_of_run(&self, scope: &Scope, run: RunId) -> Result<i64, KernelError> {
        self.key(scope, run, Keyed::Run)
    }

    /// The key of an unfinished job. Blocks on the store.
    pub fn key_of_job(&self, scope: &Scope, state: &RunState, job: JobId) -> Result<i64, KernelError> {
        self.key(scope, state.row.id, Keyed::Job(number_of(state, job)?))
    }

    /// The key of the incident for a dead letter. Blocks on the store.
    pub fn key_of_incident(&self, scope: &Scope, letter: &DeadLetterRow) -> Result<i64, KernelError> {
        self.key(scope, letter.run, Keyed::Incident(number_in(letter).ok_or_else(over)?))
    }

    /// The entity of a key, if it exists and belongs to this tenant. Blocks on the store.
    pub fn find_key(&self, scope: &Scope, key: i64) -> Result<Option<Found>, KernelError> {
        let Some(Key { run: number, of }) = Key::from_i64(key) else { return Ok(None) };
        let Some(run) = self.store().run_numbered(scope, number)? else { return Ok(None) };
        match of {
            Keyed::Run => Ok(Some(Found::Run(run))),
            Keyed::Job(wanted) => {
                let state = self.engine().run_state(scope, run)?;
                let Some((machine, code)) = state.state.as_ref().zip(state.code.as_ref()) else { return Ok(None) };
                let job = machine.jobs.iter().find(|(_, job)| job.number == wanted).map(|(id, _)| *id);
                let key = |job| brain_engine::job_key(code, machine, run, state.data.started, job);
                Ok(job.map(|job| Found::Job(run, key(job))))
            }
            Keyed::Incident(wanted) => {
                let letters = self.store().dead_letters_of(scope, run)?;
                let letter = letters.into_iter().find(|letter| number_in(letter) == Some(wanted));
                Ok(letter.map(|letter| Found::Incident(run, letter.id)))
            }
        }
    }

    fn key(&self, scope: &Scope, run: RunId, of: Keyed) -> Result<i64, KernelError> {
        let store = self.store();
        let number = match store.number_of(scope, run)? {
            Some(number) => number,
            None => {
                let writes = vec![Write::Number { run, number: None }];
                store.commit_now(vec![Member { scope: scope.clone(), preconditions: Vec::new(), writes }])?;
                store.number_of(scope, run)?.ok_or(KernelError::NoSuchRun(run))?
            }
        };
        let full = || KernelError::Refused(format!("No integer keys are left for run {run}."));
        Key { run: number, of }.to_i64().ok_or_else(full)
    }
}

fn number_of(state: &RunState, job: JobId) -> Result<u32, KernelError> {
    state.state.as_ref().and_then(|state| state.jobs.get(&job)).map(|job| job.number).ok_or_else(over)
}

fn number_in(letter: &DeadLetterRow) -> Option<u32> {
    letter.body["number"].as_u64().and_then(|number| u32::try_from(number).ok())
}

fn over() -> KernelError {
    KernelError::Refused("This step has ended and no longer has a key.".to_owned())
}
