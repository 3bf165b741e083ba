//! Runs that undo, or undid, another run. They are numbered, so that no job is undone twice.

use std::collections::BTreeSet;

use brain_core::{JobKey, RunId, RunStatus};
use brain_engine::child_signal;
use brain_lang::plan::Args;
use brain_store::{Scope, SignalRow};
use brain_vm::{Happened, Job, JobId, JobStatus, Opener};
use serde::Deserialize;
use serde_json::Value;

use crate::error::KernelError;
use crate::intake::Parent;
use crate::kernel::Kernel;

/// Maximum number of attempts to undo one run.
const MAX_UNDOS: u32 = 100;

type Keys = BTreeSet<JobKey>;

/// One run that undoes another.
struct Undo {
    run: RunId,
    status: RunStatus,
    /// The jobs that it undoes, and those of them that it has undone.
    jobs: Vec<JobKey>,
    undone: Keys,
    /// The jobs that it may have undone.
    in_doubt: Keys,
    parent: Value,
}

/// Every run that undoes a certain run.
pub(super) struct Earlier {
    of: RunId,
    undos: Vec<Undo>,
}

impl Kernel {
    /// The runs that undo, or undid, this run.
    pub(super) fn earlier_undos(&self, scope: &Scope, of: RunId) -> Result<Earlier, KernelError> {
        let mut undos = Vec::new();
        for number in 0..MAX_UNDOS {
            let Some((run, _)) = self.store().by_key(scope, &key(of, number))? else { break };
            let Some(row) = self.store().run(scope, run)? else { continue };
            let jobs = self.host().whole(scope, row.request["undo_of"]["jobs"].clone());
            let jobs = Vec::<JobKey>::deserialize(jobs).unwrap_or_default();
            let (undone, in_doubt) = match row.status {
                RunStatus::Staged => Default::default(),
                _ => self.undone_by(scope, run, &jobs)?,
            };
            let parent = row.request["parent"].clone();
            undos.push(Undo { run, status: row.status, jobs, undone, in_doubt, parent });
        }
        Ok(Earlier { of, undos })
    }

    /// The jobs that an undo run has undone so far, and those whose undo has an unknown outcome.
    fn undone_by(&self, scope: &Scope, run: RunId, jobs: &[JobKey]) -> Result<(Keys, Keys), KernelError> {
        let state = self.engine().run_state(scope, run)?;
        let Some(machine) = state.state.as_ref().filter(|machine| !machine.rolled_back) else {
            return Ok((Keys::new(), Keys::new()));
        };
        let key = |job: &JobId| match state.step(*job)?.args {
            Args::Call(number) => jobs.get(number as usize).copied(),
            Args::Binding(_) => None,
        };
        // An undo that was itself undone does not count.
        let done = machine.done.iter().filter(|job| job.scope == 0 && !machine.undone.contains(job));
        let open = machine.jobs.iter().chain(&machine.left);
        let doubt = |(_, job): &(&JobId, &Job)| job.status == JobStatus::Stuck { happened: Happened::Maybe };
        // An injected step belongs to the step of the plan that injected it.
        let of_plan = |job: JobId| {
            let opener = |id| match machine.scope(id).opener {
                Opener::Job(job) if job.scope == 0 => Some(job),
                _ => None,
            };
            machine.outward(job.scope).find_map(opener).unwrap_or(job)
        };
        let in_doubt = open.filter(doubt).filter_map(|(job, _)| key(&of_plan(*job)));
        Ok((done.filter_map(key).collect(), in_doubt.collect()))
    }
}

impl Earlier {
    /// The idempotency key of the next undo.
    pub(super) fn key(&self) -> Result<String, KernelError> {
        let number = u32::try_from(self.undos.len()).unwrap_or(u32::MAX);
        if number >= MAX_UNDOS {
            return Err(KernelError::Conflict("undoing this has failed too often".into()));
        }
        Ok(key(self.of, number))
    }

    /// Whether a job has been undone.
    pub(super) fn has_undone(&self, job: JobKey) -> bool {
        self.undos.iter().any(|undo| undo.undone.contains(&job))
    }

    /// The run that may have undone a job.
    pub(super) fn may_have_undone(&self, job: JobKey) -> Option<RunId> {
        self.undos.iter().find(|undo| undo.in_doubt.contains(&job)).map(|undo| undo.run)
    }

    /// The last run that undid something.
    pub(super) fn last_done(&self) -> Option<RunId> {
        self.undos.iter().rev().find(|undo| !undo.undone.is_empty()).map(|undo| undo.run)
    }

    /// A run that is not over and undoes one of these jobs.
    pub(super) fn open_over(&self, jobs: &[JobKey]) -> Option<(RunId, RunStatus)> {
        let open =
            self.undos.iter().find(|undo| !undo.status.is_over() && undo.jobs.iter().any(|job| jobs.contains(job)));
        open.map(|undo| (undo.run, undo.status))
    }

    /// The run that is already staged to undo exactly these jobs. Another one that is open is a conflict.
    pub(super) fn staged(&self, jobs: &[JobKey]) -> Result<Option<RunId>, KernelError> {
        let same = self.undos.iter().find(|undo| undo.status == RunStatus::Staged && undo.jobs == jobs);
        if let Some(same) = same {
            return Ok(Some(same.run));
        }
        match self.open_over(jobs) {
            Some((run, RunStatus::Staged)) => {
                let message =
                    format!("run {run} is waiting for approval and would undo some of it; approve or cancel it first");
                Err(KernelError::Conflict(message))
            }
            Some((run, _)) => Err(KernelError::Conflict(format!("run {run} is already undoing this"))),
            None => Ok(None),
        }
    }

    /// The undo that this very step waits for: it is under way, or its end is still in the inbox of the parent.
    pub(super) fn under_way_for(&self, parent: &Parent, inbox: &[SignalRow]) -> Option<RunId> {
        let (run, job) = (parent.run.to_string(), parent.job.to_string());
        let own = |undo: &&Undo| undo.parent["run"] == *run && undo.parent["job"] == *job;
        let open =
            |undo: &&Undo| !undo.status.is_over() || inbox.iter().any(|signal| signal.id == child_signal(undo.run));
        self.undos.iter().filter(own).find(open).map(|undo| undo.run)
    }
}

/// Callers' keys contain no spaces, so a space marks the kernel's own keys.
fn key(of: RunId, number: u32) -> String {
    format!("undo {of} {number}")
}
