//! How scopes end: which jobs they wait for, what they undo, and what becomes a dead letter.

use std::collections::BTreeSet;

use brain_core::{Failure, planted};
use brain_lang::plan::{OnFailure, Place};

use super::{Decision, Machine, Need};
use crate::fibers::{Armed, Wait};
use crate::job::{Happened, JobId, JobStatus, ScopeId};
use crate::scope::{End, Opener, Phase, Stop};
use crate::{Event, State, StepState};

impl Machine<'_> {
    /// Stops a scope and everything below it. Jobs that may have happened and whose answer is no longer awaited become
    /// dead letters first, so that they outlive the scope. A scope that is already stopping keeps the stronger stop.
    pub(super) fn stop(&self, state: &State, scope: ScopeId, stop: Stop, failure: Option<Failure>) -> Decision {
        self.stop_after(state, None, scope, stop, failure)
    }

    /// [`Machine::stop`] after events of the same decision have ended `job`.
    pub(super) fn stop_after(
        &self,
        state: &State,
        ended: Option<JobId>,
        scope: ScopeId,
        stop: Stop,
        failure: Option<Failure>,
    ) -> Decision {
        match state.scope(scope).phase {
            Phase::Stopping(already) if already >= stop && !planted("cancel-replaces") => return Vec::new(),
            Phase::Compensating | Phase::Ended(_) => return Vec::new(),
            _ => {}
        }
        let mut events = self.doubts_of(state, scope);
        events.retain(|event| event.job() != ended);
        events.push(Event::ScopeStopped { scope, stop, failure });
        events
    }

    /// Dead letters for jobs of a scope that may have happened and whose answers nobody awaits once it is stopped.
    fn doubts_of(&self, state: &State, scope: ScopeId) -> Decision {
        let inside = state.jobs.iter().filter(|(id, _)| state.is_within(id.scope, scope) && !id.undo);
        let doubtful = inside.filter_map(|(&id, job)| {
            let message = match job.status {
                JobStatus::Delegated { child: false, .. } => {
                    "Another system was working on it when the run was stopped."
                }
                JobStatus::Ready | JobStatus::Retrying { .. } | JobStatus::Offered if job.unsettled => {
                    "An attempt whose outcome is unknown was about to be repeated when the run was stopped."
                }
                _ => return None,
            };
            Some(self.doubt(id, job.attempt, message))
        });
        doubtful.collect()
    }

    /// Forces a stopping scope to its end: it no longer waits for people, workers or other engines.
    pub(super) fn force(&self, state: &State, scope: ScopeId) -> Decision {
        let mut events = Vec::new();
        for (&id, job) in state.jobs.iter().filter(|(id, _)| state.is_within(id.scope, scope)) {
            let stuck = match job.status {
                JobStatus::Leased { .. } | JobStatus::Delegated { .. } => {
                    self.doubt(id, job.attempt, "The stop was forced while the answer was outstanding.")
                }
                JobStatus::Ready | JobStatus::Offered | JobStatus::Held { .. } | JobStatus::Retrying { .. }
                    if id.undo || job.unsettled =>
                {
                    if matches!(job.status, JobStatus::Ready) && id.undo {
                        continue;
                    }
                    let happened = if job.unsettled { Happened::Maybe } else { Happened::No };
                    let message = "The stop was forced before this was undone.";
                    let failure = Failure::business("not_taken_back", message);
                    Event::JobStuck { job: id, attempt: job.attempt, failure, happened }
                }
                _ => continue,
            };
            events.push(stuck);
        }
        // Stop undos that run steps of their own.
        let undoing = (0..state.scopes.len() as ScopeId)
            .filter(|id| state.scope(*id).is_undo() && state.scope(*id).phase == Phase::Running)
            .filter(|id| state.is_within(*id, scope));
        for id in undoing {
            events.push(Event::ScopeStopped { scope: id, stop: Stop::Cancel, failure: None });
        }
        for id in (0..state.scopes.len() as ScopeId).filter(|id| state.is_within(*id, scope)) {
            let inner = state.scope(id);
            if inner.is_winding_down() && !inner.forced {
                events.push(Event::StopForced { scope: id });
            }
        }
        events
    }

    /// What a scope needs next, beyond the needs of its fibers and jobs.
    pub(super) fn next_of_scope(&self, state: &State, id: ScopeId, later: &BTreeSet<JobId>) -> Option<Need> {
        let scope = state.scope(id);
        match scope.phase {
            Phase::Running => {
                // Other scopes end with their last fiber.
                (id == 0 && scope.fibers == 0 && self.is_idle(state)).then_some(Need::Proceed(0))
            }
            Phase::Stopping(_) => {
                let inner = (id + 1..state.scopes.len() as ScopeId)
                    .any(|inner| state.scope(inner).is_winding_down() && state.is_within(inner, id));
                let awaited = state.jobs_governed_by(id).any(|job| !state.jobs[&job].status.is_stuck());
                (!inner && !awaited).then_some(Need::Proceed(id))
            }
            Phase::Compensating => {
                let mut waits = false;
                for job in state.jobs_governed_by(id) {
                    // One undo at a time, in order; an undo that waits for a person does not block the rest.
                    if !state.waits_for_person(job) {
                        return None;
                    }
                    waits = true;
                }
                if let Some(undo) = self.next_undo(state, id) {
                    return (!later.contains(&undo)).then_some(Need::Start(undo, 1));
                }
                (!waits || scope.forced).then_some(Need::Proceed(id))
            }
            Phase::New | Phase::Ended(_) => None,
        }
    }

    fn is_idle(&self, state: &State) -> bool {
        state.jobs.is_empty() && !state.scopes.iter().any(|scope| scope.is_winding_down())
    }

    /// Decides how a scope goes on when [`Need::Proceed`] asks for it.
    pub fn proceed(&self, state: &State, id: ScopeId) -> Decision {
        let end = match state.scope(id).phase {
            Phase::Running => match self.not_done(state, id) {
                Some(failure) => return self.stop(state, id, Stop::Fail, Some(failure)),
                None => End::Completed,
            },
            Phase::Stopping(Stop::Fail) => End::Failed,
            Phase::Stopping(Stop::Cancel) => End::Cancelled,
            Phase::Stopping(Stop::Compensate) => return vec![Event::CompensationStarted { scope: id }],
            // Undos whose own steps wait for a person end first, so that their dead letters are kept.
            Phase::Compensating if state.jobs_governed_by(id).any(|job| state.jobs[&job].status.is_growing()) => {
                return self.force(state, id);
            }
            Phase::Compensating if self.is_undone(state, id) => End::Compensated,
            Phase::Compensating => End::Failed,
            Phase::New | Phase::Ended(_) => return Vec::new(),
        };
        if id == 0 {
            return vec![Event::RunEnded { end }];
        }
        let mut events = vec![Event::ScopeEnded { scope: id, end }];
        let scope = state.scope(id);
        let failure = scope.failure.clone().unwrap_or_else(|| Failure::business("cancelled", "It was stopped."));
        match scope.opener {
            Opener::Job(undo) => {
                let attempt = state.jobs.get(&undo).map_or(1, |job| job.attempt);
                // What it did itself, and what its finished steps did, has happened; what its steps in doubt did may have.
                let inline = *state.step(self.code, undo.at()).call(undo.undo).place == Place::Inline;
                let half = !inline
                    || state.done.iter().any(|job| state.is_within(job.scope, id))
                    || state.has_doubt_within(id);
                let happened = if half { Happened::Maybe } else { Happened::No };
                events.push(Event::JobStuck { job: undo, attempt, failure, happened });
            }
            // A cancelled scope has no waiting fiber; a failed scope needs a route for its error.
            Opener::Fiber { fiber, .. } if end != End::Cancelled => {
                events.extend(self.rethrow(state, id, fiber, end, failure))
            }
            _ => {}
        }
        events
    }

    /// Why a scope whose failed steps became dead letters is not complete: a person gave up some of them.
    fn not_done(&self, state: &State, id: ScopeId) -> Option<Failure> {
        let program = state.program(self.code, id);
        let failed = state.scope(id).steps.iter().filter(|(_, step)| **step == StepState::Failed);
        let failed = failed.map(|(step, _)| program.step(*step)).filter(|step| step.on_failure == OnFailure::Letter);
        let ids: Vec<&str> = failed.map(|step| step.id.as_str()).collect();
        let (verb, plural) = if ids.len() == 1 { ("was", "") } else { ("were", "s") };
        (!ids.is_empty())
            .then(|| Failure::business("not_done", format!("Step{plural} {} {verb} not done.", ids.join(", "))))
    }

    /// Routes the failure of a block: to the error arm of its fiber, or to the enclosing scope, which stops.
    fn rethrow(&self, state: &State, id: ScopeId, number: u32, end: End, failure: Failure) -> Decision {
        let Some(fiber) = state.fibers.get(&number) else { return Vec::new() };
        let Wait::Armed(arms) = &fiber.wait else { return Vec::new() };
        let caught = arms.iter().any(|arm| match arm {
            Armed::Error(code) => code.as_ref().is_none_or(|code| *code == failure.code),
            _ => false,
        });
        if !caught {
            let stop = if end == End::Compensated { Stop::Compensate } else { Stop::Fail };
            return self.stop(state, state.catcher(self.code, fiber.scope), stop, Some(failure));
        }
        // Stop the blocks for other items of the same list.
        let sibling = |other: &ScopeId| {
            let scope = state.scope(*other);
            *other != id
                && scope.phase == Phase::Running
                && matches!(scope.opener, Opener::Fiber { fiber, .. } if fiber == number)
        };
        let siblings = (0..state.scopes.len() as ScopeId).filter(sibling);
        siblings.flat_map(|other| self.stop(state, other, Stop::Cancel, None)).collect()
    }

    /// The next job of a scope to undo: the last one done that has an undo and was not undone yet.
    fn next_undo(&self, state: &State, scope: ScopeId) -> Option<JobId> {
        let mut last = state.done.iter().rev().find(|job| self.is_to_undo(state, scope, **job))?;
        if planted("undo-forward") {
            last = state.done.iter().find(|job| self.is_to_undo(state, scope, **job))?;
        }
        Some(JobId { undo: true, ..*last })
    }

    fn is_to_undo(&self, state: &State, scope: ScopeId, job: JobId) -> bool {
        let undo = JobId { undo: true, ..job };
        state.step(self.code, job.at()).undo.is_some()
            && !state.undone.contains(&job)
            && !state.not_undone.contains(&job)
            && !state.jobs.contains_key(&undo)
            && self.is_part_of(state, job.scope, scope)
    }

    /// Whether a scope's work is undone with another: it lies within it and is not itself part of an undo.
    fn is_part_of(&self, state: &State, inner: ScopeId, outer: ScopeId) -> bool {
        state.outward(inner).find(|id| *id == outer || state.scope(*id).is_undo()) == Some(outer)
    }

    pub(super) fn is_next_undo(&self, state: &State, job: JobId) -> bool {
        let mut compensating =
            (0..state.scopes.len() as ScopeId).filter(|id| state.scope(*id).phase == Phase::Compensating);
        compensating.any(|id| self.next_undo(state, id) == Some(job))
    }

    /// Whether everything in a scope that has an undo was undone and nothing is in doubt.
    fn is_undone(&self, state: &State, scope: ScopeId) -> bool {
        let within = |job: &JobId| state.is_within(job.scope, scope);
        // The undo took effect; only its answer is unusable.
        let open = |job: &JobId| within(job) && !(job.undo && state.undone.contains(&job.forward()));
        !state.not_undone.iter().any(within) && !state.left.keys().any(open) && !state.jobs.keys().any(open)
    }
}
