//! What follows from the outcome of an attempt: another attempt, a call of the check tool, a dead letter, or the end of
//! the step.

use brain_core::{Failure, FailureClass, Millis, Timestamp, planted};
use brain_lang::plan::{Idempotency, OnFailure, Place};

use super::{Decision, Delegate, Machine};
use crate::job::{Happened, JobId, JobStatus};
use crate::scope::{Phase, Stop};
use crate::{Event, State};

/// Lost leases after which a job becomes a dead letter. Restarting workers loses leases without a fault, so the limit
/// is higher than that of a usual retry policy.
const MAX_LOST_LEASES: u32 = 20;

impl Machine<'_> {
    /// Handles an attempt that failed without effect.
    pub(super) fn after_failure(
        &self,
        state: &State,
        job: JobId,
        attempt: u32,
        failure: Failure,
        now: Timestamp,
        noise: u64,
    ) -> Decision {
        let unsettled = state.job(job).is_some_and(|job| job.unsettled);
        // The refusal is about the last attempt. Whether an unanswered earlier attempt took effect stays open.
        let inline = *state.step(self.code, job.at()).call(job.undo).place == Place::Inline;
        // A result that waits for review is known to have happened.
        let reviewed = state.job(job).is_some_and(|job| job.status == JobStatus::Reviewing);
        let in_doubt = unsettled && !failure.settles && !inline && !reviewed;
        // An atomic batch never waits: it commits now or fails.
        if self.has_no_way_on(state, job) || self.code.root().atomic {
            return self.give_up_or_doubt(state, job, attempt, failure, in_doubt);
        }
        let forced = self.is_forced(state, job);
        if let Some(wait) = failure.retry_after.filter(|_| !failure.counts() && !forced) {
            return vec![Event::JobRetrying { job, attempt, failure, at: now.plus(wait), unsettled: in_doubt }];
        }
        let policy = state.step(self.code, job.at()).call(job.undo).retry;
        let counted = attempt - state.jobs.get(&job).map_or(0, |job| job.blocked).min(attempt);
        match failure.class {
            FailureClass::Transient if counted < policy.attempts && policy.covers(&failure.code) => {
                let wait = failure.retry_after.unwrap_or_else(|| policy.wait_before(counted + 1, noise));
                vec![Event::JobRetrying { job, attempt, failure, at: now.plus(wait), unsettled: in_doubt }]
            }
            FailureClass::Business => self.give_up_or_doubt(state, job, attempt, failure, in_doubt),
            FailureClass::Transient | FailureClass::Contract => {
                // A declared `on_failure` decides at once. Only with the default `stop` does a person get to look
                // before the run ends.
                if !in_doubt && !job.undo && state.step(self.code, job.at()).on_failure != OnFailure::Stop {
                    return self.give_up(state, job, attempt, failure);
                }
                let happened = if in_doubt { Happened::Maybe } else { Happened::No };
                vec![Event::JobStuck { job, attempt, failure, happened }]
            }
        }
    }

    /// Handles an attempt whose outcome is unknown: the tool's declared `idempotency` decides.
    pub(super) fn after_unknown(
        &self,
        state: &State,
        job: JobId,
        attempt: u32,
        failure: Failure,
        now: Timestamp,
        noise: u64,
    ) -> Decision {
        let stuck = |failure| vec![Event::JobStuck { job, attempt, failure, happened: Happened::Maybe }];
        let call = state.step(self.code, job.at()).call(job.undo);
        let checking = self.is_checking(state, job, attempt);
        let child = |job: &crate::Job| matches!(job.status, JobStatus::Delegated { child: true, .. });
        if state.jobs.get(&job).is_some_and(child) {
            // The child run has ended, so asking it again would give the same answer.
            return stuck(failure);
        }
        if let Some(check) = call.check.filter(|_| checking && !self.is_forced(state, job)) {
            // The check failed: its own retry policy decides whether to call it again.
            let asked = 1 + state.jobs.get(&job).map_or(0, |job| job.checks);
            let again = failure.class == FailureClass::Transient && check.retry.covers(&failure.code);
            if again && asked < check.retry.attempts {
                let wait = failure.retry_after.unwrap_or_else(|| check.retry.wait_before(asked + 1, noise));
                return vec![Event::CheckPostponed { job, attempt, at: now.plus(wait), failure: Some(failure) }];
            }
        }
        match call.place {
            Place::Outside(Idempotency::Check(_)) if !checking && call.check.is_some() => {
                vec![Event::JobChecking { job, attempt, failure }]
            }
            Place::Inline | Place::Worker { .. } | Place::Outside(Idempotency::Key)
                if !self.has_no_way_on(state, job) =>
            {
                let policy = call.retry;
                let counted = attempt - state.jobs.get(&job).map_or(0, |job| job.blocked).min(attempt);
                if counted >= policy.attempts {
                    return stuck(failure);
                }
                let failure = Failure { class: FailureClass::Transient, ..failure };
                let at = now.plus(policy.wait_before(counted + 1, noise));
                vec![Event::JobRetrying { job, attempt, failure, at, unsettled: true }]
            }
            _ => stuck(failure),
        }
    }

    /// Handles a check that found no effect: the attempt failed, and the retry policy of the call decides whether another
    /// follows. If the check was called while the effect could still land, it proves nothing, however late its answer
    /// arrived.
    pub(super) fn after_denial(
        &self,
        state: &State,
        job: JobId,
        attempt: u32,
        asked: Timestamp,
        now: Timestamp,
        noise: u64,
    ) -> Decision {
        let lands_until = state.jobs.get(&job).and_then(|job| job.lands_until);
        if let Some(at) = lands_until.filter(|at| *at > asked && !planted("hasty-check")) {
            return vec![Event::CheckPostponed { job, attempt, at: at.max(now), failure: None }];
        }
        if self.has_no_way_on(state, job) || self.is_forced(state, job) {
            let failure = Failure::business("not_done", "The call had not happened when the run was stopped.");
            return self.give_up(state, job, attempt, failure);
        }
        let message = "The call went unanswered, and the check found that it had not happened.";
        let failure = Failure::transient("not_done", message).settled();
        let mut events = vec![Event::CheckDenied { job, attempt }];
        let policy = state.step(self.code, job.at()).call(job.undo).retry;
        let counted = attempt - state.jobs.get(&job).map_or(0, |job| job.blocked).min(attempt);
        if counted < policy.attempts {
            let at = now.plus(policy.wait_before(counted + 1, noise));
            events.push(Event::JobRetrying { job, attempt, failure, at, unsettled: false });
        } else if !job.undo && state.step(self.code, job.at()).on_failure != OnFailure::Stop {
            events.extend(self.give_up(state, job, attempt, failure));
        } else {
            events.push(Event::JobStuck { job, attempt, failure, happened: Happened::No });
        }
        events
    }

    /// Handles an attempt that took effect but returned an unusable answer.
    pub(super) fn after_bad_answer(&self, state: &State, job: JobId, attempt: u32, failure: Failure) -> Decision {
        let mut events = vec![Event::JobDoneBadly { job, attempt, failure: failure.clone() }];
        if job.undo || state.phase_of(job) != Phase::Running {
            return events;
        }
        let stop = match state.step(self.code, job.at()).on_failure {
            OnFailure::Undo => Stop::Compensate,
            // A business rule rejected the answer, so a person has nothing to repair.
            OnFailure::Stop if failure.class == FailureClass::Business => Stop::Fail,
            OnFailure::Stop | OnFailure::Continue | OnFailure::Letter => return events,
        };
        events.extend(self.stop_after(state, Some(job), state.catcher(self.code, job.scope), stop, Some(failure)));
        events
    }

    /// Handles a delegated attempt. A run that is ending does not wait for another engine.
    pub(super) fn delegated(
        &self,
        state: &State,
        job: JobId,
        attempt: u32,
        until: Option<Timestamp>,
        to: Delegate,
    ) -> Decision {
        let child = to == Delegate::Child;
        let delegated = Event::JobDelegated { job, attempt, until, child };
        if self.is_forced(state, job) || (self.is_ending(state, job) && !child) {
            return vec![
                delegated,
                self.doubt(job, attempt, "Another system was working on it when the run was stopped."),
            ];
        }
        vec![delegated]
    }

    /// Handles an attempt in doubt whose child run was found: the answer of the child ends it.
    pub fn child_found(&self, state: &State, job: JobId, attempt: u32) -> Decision {
        self.delegated(state, job, attempt, None, Delegate::Child)
    }

    /// Handles an attempt in doubt that did not start its child run, and cannot start it any more.
    pub fn child_not_started(&self, state: &State, job: JobId, attempt: u32) -> Decision {
        let mut events = vec![Event::CheckDenied { job, attempt }];
        if self.has_no_way_on(state, job) {
            let message = "The child run had not been started when the run was stopped.";
            events.extend(self.give_up(state, job, attempt, Failure::business("not_done", message)));
        }
        events
    }

    /// Handles a delegated job whose deadline has passed.
    pub(super) fn delegation_ended(
        &self,
        state: &State,
        job: JobId,
        attempt: u32,
        child: bool,
        failure: Failure,
    ) -> Decision {
        let inline = *state.step(self.code, job.at()).call(job.undo).place == Place::Inline;
        if child || (inline && !self.is_ending(state, job)) {
            return self.give_up(state, job, attempt, failure);
        }
        // The other side accepted the call and never reported whether it was done.
        vec![Event::JobStuck { job, attempt, failure, happened: Happened::Maybe }]
    }

    /// Handles a lease that ended without an answer: the job is offered again, which does not count as a failed
    /// attempt.
    pub(super) fn lease_ended(&self, state: &State, job: JobId, attempt: u32, now: Timestamp) -> Decision {
        let message = "The worker did not answer before its lease ended.";
        let failure = Failure { retry_after: Some(Millis::default()), ..Failure::transient("lease_expired", message) };
        let policy = state.step(self.code, job.at()).call(job.undo).retry;
        if self.is_ending(state, job) || attempt >= policy.attempts.max(MAX_LOST_LEASES) {
            return vec![Event::JobStuck { job, attempt, failure, happened: Happened::Maybe }];
        }
        vec![Event::JobRetrying { job, attempt, failure, at: now, unsettled: true }, Event::JobReopened { job }]
    }

    pub(super) fn doubt(&self, job: JobId, attempt: u32, message: &str) -> Event {
        let failure = Failure::transient("outcome_unknown", message);
        Event::JobStuck { job, attempt, failure, happened: Happened::Maybe }
    }

    fn give_up_or_doubt(&self, state: &State, job: JobId, attempt: u32, failure: Failure, in_doubt: bool) -> Decision {
        if in_doubt {
            let message = format!("{} An earlier attempt went unanswered and may have taken effect.", failure.message);
            let failure = Failure { message, ..failure };
            return vec![Event::JobStuck { job, attempt, failure, happened: Happened::Maybe }];
        }
        self.give_up(state, job, attempt, failure)
    }

    /// Handles an undo by a child run that ended before everything was undone: a part of the effect has happened.
    pub(super) fn after_half(&self, job: JobId, attempt: u32, failure: Failure) -> Decision {
        vec![Event::JobStuck { job, attempt, failure, happened: Happened::Maybe }]
    }

    /// Ends a job that is not tried again: the step's `on_failure` decides. A failed undo becomes a dead letter, and
    /// the other undos go on.
    pub(super) fn give_up(&self, state: &State, job: JobId, attempt: u32, failure: Failure) -> Decision {
        if job.undo && planted("undo-gives-up") {
            let failed = Event::JobFailed { job, attempt, failure };
            return vec![failed, Event::RunEnded { end: crate::End::Failed }];
        }
        if job.undo || state.is_left_as_letter(self.code, job) {
            // A rejected result that waited for review has happened.
            let noted = !job.undo && state.job(job).is_some_and(|job| job.status.is_noted());
            let happened = if noted { Happened::Yes } else { Happened::No };
            return vec![Event::JobStuck { job, attempt, failure, happened }];
        }
        let mut events = vec![Event::JobFailed { job, attempt, failure: failure.clone() }];
        if state.phase_of(job) != Phase::Running {
            return events;
        }
        let stop = match state.step(self.code, job.at()).on_failure {
            OnFailure::Continue => return events,
            OnFailure::Stop | OnFailure::Letter => Stop::Fail,
            OnFailure::Undo => Stop::Compensate,
        };
        events.extend(self.stop_after(state, Some(job), state.catcher(self.code, job.scope), stop, Some(failure)));
        events
    }

    /// Handles a person's decision to abandon a stuck job.
    pub(super) fn abandon(&self, state: &State, job: JobId, attempt: u32, failure: Failure) -> Decision {
        let happened = state.job(job).is_some_and(|job| job.status == (JobStatus::Stuck { happened: Happened::Yes }));
        if job.undo || state.left.contains_key(&job) {
            return vec![Event::JobFailed { job, attempt, failure }];
        }
        let on_failure = state.step(self.code, job.at()).on_failure;
        if happened && matches!(on_failure, OnFailure::Continue | OnFailure::Letter) {
            return vec![Event::JobDismissed { job }];
        }
        if state.is_left_as_letter(self.code, job) {
            return vec![Event::JobFailed { job, attempt, failure }];
        }
        self.give_up(state, job, attempt, failure)
    }
}
