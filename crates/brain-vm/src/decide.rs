//! What happens next, and what an input means. Nothing here changes a state; the events that it returns do.

use std::collections::BTreeSet;

use brain_core::{Digest, Failure, FailureClass, Millis, Timestamp};
use brain_lang::plan::{Idempotency, OnFailure, Place, RetryPolicy};

use crate::state::{JobId, JobStatus, State, Stop, Wait};
use crate::{End, Event, Phase, Program};

/// What the machine needs before it can go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// The value of a step's condition.
    Condition(u16),
    /// The list of a step's `foreach`.
    Items(u16),
    /// This job, in this attempt.
    Start(JobId, u32),
    /// The result of this job: the steps that it brought along are over.
    Close(JobId, u32),
    /// Nothing: it can decide the next event itself.
    Nothing,
}

/// What happened outside the machine.
#[derive(Clone, PartialEq, Debug)]
pub enum Input {
    /// The run may start.
    Start,
    /// A condition has this value.
    Condition(u16, bool),
    /// A list has so many items.
    Items(u16, u32),
    /// An outside job is about to be handed over.
    Handed(JobId, u32),
    /// A step is left out because of another.
    Bypass(u16, u16),
    /// A job brought steps along: their program and path.
    Inject(JobId, u32, Digest, String),
    /// A job is offered to workers.
    Offer(JobId),
    /// A worker takes a job until then.
    Lease(JobId, Timestamp),
    /// A worker wants to keep a job until then.
    Extend(JobId, u32, Timestamp),
    /// An attempt was handed to another engine, which must answer until then.
    Delegated(JobId, u32, Option<Timestamp>),
    /// A job must be approved before it starts.
    Hold(JobId),
    /// Somebody approved a held job.
    Grant(JobId),
    /// Somebody refused a held job, or the result of a reviewed one.
    Deny(JobId, Failure),
    /// A result must be looked at.
    Review(JobId, u32),
    /// Nothing of an atomic batch is to be committed.
    RollBack,
    /// An attempt succeeded.
    Done(JobId, u32),
    /// An attempt failed.
    Failed(JobId, u32, Failure),
    /// An attempt may or may not have succeeded.
    Unknown(JobId, u32, Failure),
    /// The check tool said that it did not happen.
    DidNotHappen(JobId, u32),
    /// A person wants another attempt of a parked job.
    Retry(JobId),
    /// A person wants to go on without a parked job.
    Dismiss(JobId),
    /// A person gives a parked job up: `on_failure` decides.
    Abandon(JobId, Failure),
    /// The run must not go on: a bound was reached or an expression of its plan is broken.
    Halt(Failure),
    /// Something came that nobody waits for.
    Stray(String),
    /// Someone wants the run to end.
    Cancel,
    /// Time has passed.
    Tick,
}

/// Events, in order; empty if the input changes nothing.
pub type Decision = Vec<Event>;

/// The machine for one program.
#[derive(Clone, Copy)]
pub struct Machine<'p> {
    program: &'p Program,
}

impl<'p> Machine<'p> {
    /// The machine for a program.
    pub fn new(program: &'p Program) -> Self {
        Self { program }
    }

    /// What is needed next; `None` if only an input from outside can move the run.
    pub fn next(&self, state: &State) -> Option<Need> {
        self.next_but(state, &BTreeSet::new())
    }

    /// What is needed next if these jobs, which may start, do not start yet.
    pub fn next_but(&self, state: &State, later: &BTreeSet<JobId>) -> Option<Need> {
        match state.phase {
            Phase::New | Phase::Ended(_) => None,
            Phase::Running => {
                for fiber in state.fibers.values() {
                    match fiber.wait {
                        Wait::Condition(step) => return Some(Need::Condition(step)),
                        Wait::Items(step) => return Some(Need::Items(step)),
                        Wait::Return(fragment) => {
                            let job = state.fragments[usize::from(fragment)];
                            return Some(Need::Close(job, state.jobs.get(&job).map_or(1, |job| job.attempt)));
                        }
                        _ => {}
                    }
                }
                if let Some((&id, job)) =
                    state.jobs.iter().find(|(id, job)| job.status == JobStatus::Ready && !later.contains(*id))
                {
                    return Some(Need::Start(id, job.attempt + 1));
                }
                (state.fibers.is_empty() && state.jobs.is_empty()).then_some(Need::Nothing)
            }
            Phase::Stopping(_) => state.jobs.is_empty().then_some(Need::Nothing),
            Phase::Compensating => {
                if let Some((&id, job)) = state.jobs.iter().next() {
                    return (job.status == JobStatus::Ready && !later.contains(&id))
                        .then_some(Need::Start(id, job.attempt + 1));
                }
                match self.next_undo(state) {
                    Some(id) => (!later.contains(&id)).then_some(Need::Start(id, 1)),
                    None => Some(Need::Nothing),
                }
            }
        }
    }

    /// What the machine decides by itself when [`Need::Nothing`] is asked for.
    pub fn proceed(&self, state: &State) -> Decision {
        match state.phase {
            Phase::Running => vec![Event::RunEnded { end: End::Completed }],
            Phase::Stopping(Stop::Fail) => vec![Event::RunEnded { end: End::Failed }],
            Phase::Stopping(Stop::Cancel) => vec![Event::RunEnded { end: End::Cancelled }],
            Phase::Stopping(Stop::Compensate) => vec![Event::CompensationStarted { failure: None }],
            Phase::Compensating => vec![Event::RunEnded { end: End::Compensated }],
            Phase::New | Phase::Ended(_) => Vec::new(),
        }
    }

    /// What an input means. `noise` is a random number, used for jitter only; what it led to is in the events.
    pub fn decide(&self, state: &State, input: Input, now: Timestamp, noise: u64) -> Decision {
        match input {
            Input::Start if state.phase == Phase::New => {
                vec![Event::RunStarted { deadline: self.program.timeout.map(|timeout| now.plus(timeout)) }]
            }
            Input::Condition(step, true) => vec![Event::ConditionMet { step }],
            Input::Condition(step, false) => vec![Event::StepSkipped { step }],
            Input::Items(step, count) => vec![Event::EachOpened { step, count }],
            Input::Handed(job, attempt) => vec![Event::JobStarted { job, attempt }],
            Input::Bypass(step, because) => vec![Event::StepBypassed { step, because }],
            Input::Inject(job, attempt, fragment, path) if self.expects(state, job, attempt) && !is_stopping(state) => {
                vec![Event::StepsInjected { job, attempt, fragment, path }]
            }
            // The run is about to stop: what was done counts, what would follow does not.
            Input::Inject(job, attempt, ..) if self.expects(state, job, attempt) => {
                vec![Event::JobDone { job, attempt }]
            }
            Input::Offer(job) => vec![Event::JobOffered { job }],
            Input::Lease(job, until) if has(state, job, |status| *status == JobStatus::Offered) => {
                vec![Event::JobLeased { job, attempt: state.jobs[&job].attempt + 1, until }]
            }
            Input::Extend(job, attempt, until)
                if has(state, job, |status| matches!(status, JobStatus::Leased { .. }))
                    && state.jobs[&job].attempt == attempt =>
            {
                vec![Event::LeaseExtended { job, attempt, until }]
            }
            Input::Delegated(job, attempt, until) if self.expects(state, job, attempt) => {
                vec![Event::JobDelegated { job, attempt, until }]
            }
            Input::Hold(job) => vec![Event::JobHeld { job }],
            Input::Grant(job) if has(state, job, |status| *status == JobStatus::Held) => {
                vec![Event::JobGranted { job }]
            }
            Input::Deny(job, failure)
                if has(state, job, |status| matches!(status, JobStatus::Held | JobStatus::Reviewing)) =>
            {
                let attempt = state.jobs[&job].attempt;
                self.give_up(state, job, attempt, failure)
            }
            // Taking back is not put before anyone again.
            Input::Review(job, attempt) if self.expects(state, job, attempt) && job.undo => {
                vec![Event::JobDone { job, attempt }]
            }
            Input::Review(job, attempt) if self.expects(state, job, attempt) => {
                vec![Event::ReviewAsked { job, attempt }]
            }
            Input::RollBack => vec![Event::BatchRolledBack { failure: state.failure.clone() }],
            Input::Done(job, attempt) if self.expects(state, job, attempt) => vec![Event::JobDone { job, attempt }],
            Input::Failed(job, attempt, failure) if self.expects(state, job, attempt) => {
                self.after_failure(state, job, attempt, failure, now, noise)
            }
            Input::Unknown(job, attempt, failure) if self.expects(state, job, attempt) => {
                self.after_unknown(state, job, attempt, failure, now, noise)
            }
            Input::DidNotHappen(job, attempt) if self.is_checking(state, job, attempt) => {
                if is_stopping(state) {
                    let failure = Failure::business("not_done", "The call had not happened when the run was stopped.");
                    return self.give_up(state, job, attempt, failure);
                }
                let failure = Failure::transient("did_not_happen", "The check found that the call had not happened.");
                vec![Event::JobRetrying { job, attempt, failure, at: now }, Event::JobReopened { job }]
            }
            Input::Retry(job) if self.is_parked(state, job) && !is_stopping(state) => vec![Event::JobReopened { job }],
            Input::Dismiss(job) if self.is_parked(state, job) => vec![Event::JobDismissed { job }],
            Input::Abandon(job, failure) if self.is_parked(state, job) => {
                let attempt = state.jobs[&job].attempt;
                self.give_up(state, job, attempt, failure)
            }
            Input::Cancel if !state.is_ended() && state.phase != Phase::Compensating => {
                vec![Event::StopDecided { stop: Stop::Cancel, failure: None }]
            }
            Input::Halt(failure) if !state.is_ended() => {
                vec![Event::StopDecided { stop: Stop::Fail, failure: Some(failure) }]
            }
            Input::Tick => self.tick(state, now),
            Input::Stray(what) => vec![Event::SignalIgnored { what }],
            ignored => vec![Event::SignalIgnored { what: describe(&ignored) }],
        }
    }

    /// A result counts only if that very attempt is under way (or is being decided in this turn).
    fn expects(&self, state: &State, job: JobId, attempt: u32) -> bool {
        match state.jobs.get(&job) {
            Some(open) => match open.status {
                JobStatus::Ready => open.attempt + 1 == attempt,
                JobStatus::Running | JobStatus::Checking => open.attempt == attempt,
                // A person may say how a call in doubt went.
                JobStatus::Parked { .. } => open.attempt == attempt,
                JobStatus::Leased { .. } | JobStatus::Delegated { .. } | JobStatus::Reviewing | JobStatus::Growing => {
                    open.attempt == attempt
                }
                JobStatus::Retrying { .. } | JobStatus::Offered | JobStatus::Held => false,
            },
            // The first undo of a step has no entry before it starts, and comes in its turn.
            None => state.phase == Phase::Compensating && attempt == 1 && self.next_undo(state) == Some(job),
        }
    }

    fn is_parked(&self, state: &State, job: JobId) -> bool {
        state.jobs.get(&job).is_some_and(|job| matches!(job.status, JobStatus::Parked { .. }))
    }

    fn is_checking(&self, state: &State, job: JobId, attempt: u32) -> bool {
        state.jobs.get(&job).is_some_and(|job| job.status == JobStatus::Checking && job.attempt == attempt)
    }

    fn after_failure(
        &self,
        state: &State,
        job: JobId,
        attempt: u32,
        failure: Failure,
        now: Timestamp,
        noise: u64,
    ) -> Decision {
        // An atomic batch waits for nothing and nobody: it happens now or not at all.
        if is_stopping(state) || self.program.atomic {
            return self.give_up(state, job, attempt, failure);
        }
        if let Some(wait) = failure.retry_after {
            return vec![Event::JobRetrying { job, attempt, failure, at: now.plus(wait) }];
        }
        let policy = self.policy(job);
        let counted = attempt - state.jobs.get(&job).map_or(0, |job| job.blocked).min(attempt);
        match failure.class {
            FailureClass::Transient if counted < policy.attempts && policy.covers(&failure.code) => {
                let at = now.plus(policy.wait_before(counted + 1, noise));
                vec![Event::JobRetrying { job, attempt, failure, at }]
            }
            FailureClass::Business => self.give_up(state, job, attempt, failure),
            FailureClass::Transient | FailureClass::Contract => {
                // The pack says what a failure of this step means; only where it says nothing but "stop" does a
                // person get a say before the run ends.
                if !job.undo && self.program.step(job.step).on_failure != OnFailure::Stop {
                    return self.give_up(state, job, attempt, failure);
                }
                vec![Event::JobParked { job, attempt, failure, in_doubt: false }]
            }
        }
    }

    fn after_unknown(
        &self,
        state: &State,
        job: JobId,
        attempt: u32,
        failure: Failure,
        now: Timestamp,
        noise: u64,
    ) -> Decision {
        let step = self.program.step(job.step);
        let place = if job.undo { step.undo.as_ref().map_or(&step.place, |undo| &undo.place) } else { &step.place };
        let checking = state.jobs.get(&job).is_some_and(|job| job.status == JobStatus::Checking);
        match place {
            Place::Inline | Place::Worker { .. } | Place::Outside(Idempotency::Key) => {
                let failure = Failure { class: FailureClass::Transient, ..failure };
                self.after_failure(state, job, attempt, failure, now, noise)
            }
            Place::Outside(Idempotency::Check(_)) if !checking && !job.undo && step.check.is_some() => {
                vec![Event::JobChecking { job, attempt, failure }]
            }
            Place::Outside(_) => vec![Event::JobParked { job, attempt, failure, in_doubt: true }],
        }
    }

    /// Nobody retries this job any more: the step's `on_failure` decides.
    fn give_up(&self, state: &State, job: JobId, attempt: u32, failure: Failure) -> Decision {
        let mut events = vec![Event::JobFailed { job, attempt, failure: failure.clone() }];
        if job.undo {
            // Taking back failed for a business reason: the run ends failed, with everything on record.
            events.push(Event::StopDecided { stop: Stop::Fail, failure: Some(failure) });
            return events;
        }
        if is_stopping(state) {
            return events;
        }
        match self.program.step(job.step).on_failure {
            OnFailure::Continue => {}
            OnFailure::Stop => events.push(Event::StopDecided { stop: Stop::Fail, failure: Some(failure) }),
            OnFailure::Undo => events.push(Event::StopDecided { stop: Stop::Compensate, failure: Some(failure) }),
        }
        events
    }

    fn tick(&self, state: &State, now: Timestamp) -> Decision {
        if state.phase == Phase::Running && state.deadline.is_some_and(|deadline| deadline <= now) {
            let failure = Failure::business("run_timeout", "The run did not end within the time its plan allows.");
            return vec![Event::StopDecided { stop: Stop::Fail, failure: Some(failure) }];
        }
        let mut events = Vec::new();
        for (&id, job) in &state.jobs {
            match job.status {
                JobStatus::Retrying { at } if at <= now => events.push(Event::JobReopened { job: id }),
                JobStatus::Leased { until } if until <= now => {
                    events.extend(self.lease_ended(state, id, job.attempt, now));
                }
                JobStatus::Delegated { until: Some(until) } if until <= now => {
                    let failure =
                        Failure::business("delegation_timeout", "The other side did not answer within its time.");
                    // What one of these leads to may change what the others mean: they are looked at again.
                    if events.is_empty() {
                        return self.give_up(state, id, job.attempt, failure);
                    }
                }
                _ => {}
            }
        }
        events
    }

    /// A worker did not answer in time: the job is offered again, which does not count as a failed attempt.
    fn lease_ended(&self, state: &State, job: JobId, attempt: u32, now: Timestamp) -> Decision {
        let message = "The worker did not answer before its lease ended.";
        if is_stopping(state) {
            return self.give_up(state, job, attempt, Failure::business("lease_expired", message));
        }
        let failure = Failure { retry_after: Some(Millis::default()), ..Failure::transient("lease_expired", message) };
        vec![Event::JobRetrying { job, attempt, failure, at: now }, Event::JobReopened { job }]
    }

    fn policy(&self, job: JobId) -> &'p RetryPolicy {
        let step = self.program.step(job.step);
        match &step.undo {
            Some(undo) if job.undo => &undo.retry,
            _ => &step.retry,
        }
    }

    /// The next step to take back: the last one done that can be and has not been.
    fn next_undo(&self, state: &State) -> Option<JobId> {
        let last = state
            .done
            .iter()
            .rev()
            .find(|job| self.program.step(job.step).undo.is_some() && !state.undone.contains(job))?;
        Some(JobId { undo: true, ..*last })
    }

    /// Whether one more job would go past the hard stop.
    pub fn is_exhausted(&self, state: &State, job: JobId) -> bool {
        let first = state.jobs.get(&job).is_none_or(|job| job.attempt == 0);
        !job.undo && first && state.started >= self.program.max_steps
    }
}

fn has(state: &State, job: JobId, status: impl Fn(&JobStatus) -> bool) -> bool {
    state.jobs.get(&job).is_some_and(|job| status(&job.status))
}

fn is_stopping(state: &State) -> bool {
    matches!(state.phase, Phase::Stopping(_))
}

fn describe(input: &Input) -> String {
    match input {
        Input::Start => "start",
        Input::Done(..) => "a completion",
        Input::Failed(..) => "a failure",
        Input::Unknown(..) => "a lost outcome",
        Input::DidNotHappen(..) => "the answer of a check",
        Input::Retry(_) => "a retry",
        Input::Dismiss(_) => "a dismissal",
        Input::Abandon(..) => "an abandonment",
        Input::Cancel => "a cancellation",
        Input::Halt(_) => "a halt",
        Input::Lease(..) => "a worker's request",
        Input::Extend(..) => "a worker's wish for more time",
        Input::Grant(_) => "an approval",
        Input::Deny(..) => "a refusal",
        Input::Inject(..) | Input::Delegated(..) | Input::Review(..) => "a completion",
        Input::Bypass(..) | Input::Offer(_) | Input::Hold(_) | Input::RollBack => "a stray input",
        Input::Stray(_) => "something",
        Input::Condition(..) | Input::Items(..) | Input::Handed(..) | Input::Tick => "a stray input",
    }
    .to_owned()
}
