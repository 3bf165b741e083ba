//! What happens next, and what an input means. Nothing here changes a state; the events that it returns do.

mod outcome;
mod stop;

use std::collections::BTreeSet;

use brain_core::{Digest, Failure, Millis, Timestamp, planted};
use brain_lang::plan::{Idempotency, Place};

use crate::fibers::{Armed, Wait};
use crate::job::{Happened, JobId, JobStatus, ScopeId, StepId};
use crate::scope::{Opener, Phase, Stop};
use crate::{Code, Event, Op, State, Stray, Trigger};

/// How long after its start was decided a call may be made at the latest.
pub const MAX_DELAY: Millis = Millis(5_000);
/// How much longer than its time-out a call may take before it counts as lost.
pub const GRACE: Millis = Millis(5_000);

/// What the machine needs before it can go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// The value of a step's condition.
    Condition(StepId),
    /// The list of a step's `foreach`.
    Items(StepId),
    /// The present, for the wait of this fiber.
    Arm(u32),
    /// This job, in this attempt.
    Start(JobId, u32),
    /// The result of this job: the steps that it brought along are over.
    Close(JobId, u32),
    /// Nothing: it can decide by itself what becomes of this scope.
    Proceed(ScopeId),
}

/// What happened outside the machine.
#[derive(Clone, PartialEq, Debug)]
pub enum Input {
    /// The run may start.
    Start,
    /// A condition has this value.
    Condition(StepId, bool),
    /// A list has so many items.
    Items(StepId, u32),
    /// The wait of this fiber begins.
    Arm(u32),
    /// A message of this name came.
    Message(String),
    /// An outside job is about to be handed over.
    Handed(JobId, u32),
    /// A step is left out because of another of its scope.
    Bypass(StepId, u16),
    /// A job brought steps along: the program of the steps.
    Inject(JobId, u32, Digest),
    /// A job is offered to workers.
    Offer(JobId),
    /// A worker takes a job until then.
    Lease(JobId, Timestamp),
    /// A worker wants to keep a job until then.
    Extend(JobId, u32, Timestamp),
    /// An attempt was handed to another engine, which must answer until then, or to a child run.
    Delegated(JobId, u32, Option<Timestamp>, Delegate),
    /// A job must be approved before it starts, until then.
    Hold(JobId, Option<Timestamp>),
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
    /// An attempt had its effect, but what came back cannot be used.
    DoneBadly(JobId, u32, Failure),
    /// An attempt failed: it had no effect.
    Failed(JobId, u32, Failure),
    /// An attempt was not made, because what the run itself says or may do does not allow it.
    Refused(JobId, u32, Failure),
    /// An attempt may or may not have had its effect.
    Unknown(JobId, u32, Failure),
    /// The check tool, asked at this moment, said that it did not happen.
    DidNotHappen(JobId, u32, Timestamp),
    /// A person wants another attempt of a stuck job.
    Retry(JobId),
    /// A person wants to go on without a stuck job.
    Dismiss(JobId),
    /// A person gives a stuck job up: `on_failure` decides.
    Abandon(JobId, Failure),
    /// A scope must not go on (the run is 0): a bound was reached or an expression of its plan is broken.
    Halt(ScopeId, Failure),
    /// Something came that nobody waits for.
    Stray(Stray),
    /// Someone wants the run to end. Said again while it is ending: without waiting for anybody.
    Cancel,
    /// Time has passed.
    Tick,
}

/// Who goes on with a delegated job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Delegate {
    /// A run of this engine.
    Child,
    /// Another engine.
    Other,
}

/// Events, in order; empty if the input changes nothing.
pub type Decision = Vec<Event>;

/// The machine for the code of one run.
#[derive(Clone, Copy)]
pub struct Machine<'c> {
    pub(crate) code: &'c Code,
}

impl<'c> Machine<'c> {
    /// The machine for a run's code.
    pub fn new(code: &'c Code) -> Self {
        Self { code }
    }

    /// What is needed next; `None` if only an input from outside can move the run.
    pub fn next(&self, state: &State) -> Option<Need> {
        self.next_but(state, &BTreeSet::new())
    }

    /// What is needed next if these jobs, which may start, do not start yet.
    pub fn next_but(&self, state: &State, later: &BTreeSet<JobId>) -> Option<Need> {
        if matches!(state.phase(), Phase::New | Phase::Ended(_)) {
            return None;
        }
        for (&number, fiber) in &state.fibers {
            let at = |step: u16| StepId { scope: fiber.scope, step };
            match &fiber.wait {
                Wait::Condition(step) => return Some(Need::Condition(at(*step))),
                Wait::Items(step) => return Some(Need::Items(at(*step))),
                Wait::Arming => return Some(Need::Arm(number)),
                Wait::Armed(arms) => {
                    let list = arms.iter().find_map(|arm| match arm {
                        Armed::Scopes { step, .. } => Some(at(*step)),
                        _ => None,
                    });
                    if let Some(at) = list
                        && *state.step_state(at) == crate::StepState::Active
                    {
                        return Some(Need::Items(at));
                    }
                }
                _ => {}
            }
        }
        for (&id, job) in &state.jobs {
            let need = match job.status {
                JobStatus::Ready if !later.contains(&id) && self.may_start(state, id) => {
                    Need::Start(id, job.attempt + 1)
                }
                JobStatus::Stuck { .. } if planted("close-again") && self.brought(state, id) => {
                    Need::Close(id, job.attempt)
                }
                JobStatus::Growing { scope } if state.scope(scope).fibers == 0 && self.may_start(state, id) => {
                    let brought = state.scope(scope);
                    if brought.phase != Phase::Running {
                        continue;
                    }
                    Need::Close(id, job.attempt)
                }
                _ => continue,
            };
            return Some(need);
        }
        for id in 0..state.scopes.len() as ScopeId {
            if let Some(need) = self.next_of_scope(state, id, later) {
                return Some(need);
            }
        }
        None
    }

    /// Whether a job has brought steps along: where the planted mistake `close-again` is made.
    fn brought(&self, state: &State, job: JobId) -> bool {
        state.scopes.iter().any(|scope| scope.opener == Opener::Job(job))
    }

    /// Whether a job's scope lets it go on: its own way forward, or its turn on the way back.
    fn may_start(&self, state: &State, job: JobId) -> bool {
        match state.phase_of(job) {
            Phase::Running => !job.undo,
            Phase::Compensating => job.undo,
            _ => false,
        }
    }

    /// An attempt counts only if it is under way, or is being decided in this turn.
    fn expects(&self, state: &State, job: JobId, attempt: u32) -> bool {
        match state.job(job) {
            Some(open) => match open.status {
                JobStatus::Ready => open.attempt + 1 == attempt,
                JobStatus::Running | JobStatus::Checking { .. } => open.attempt == attempt,
                // A person may say how a call in doubt went, and an answer may come after all.
                JobStatus::Stuck { .. } => open.attempt == attempt,
                JobStatus::Leased { .. }
                | JobStatus::Delegated { .. }
                | JobStatus::Reviewing
                | JobStatus::Growing { .. } => open.attempt == attempt,
                JobStatus::Retrying { .. } | JobStatus::Offered | JobStatus::Held { .. } => false,
            },
            // The first undo of a step has no entry before it starts, and comes in its turn.
            None => job.undo && attempt == 1 && self.is_next_undo(state, job),
        }
    }

    /// What an input means. `noise` is a random number, used for jitter only; what it led to is in the events.
    pub fn decide(&self, state: &State, input: Input, now: Timestamp, noise: u64) -> Decision {
        if let Some(decision) = self.about_left(state, &input) {
            return decision;
        }
        let has =
            |job: JobId, status: fn(&JobStatus) -> bool| state.jobs.get(&job).is_some_and(|job| status(&job.status));
        match input {
            Input::Start if state.phase() == Phase::New => {
                vec![Event::RunStarted { deadline: self.code.root().timeout.map(|timeout| now.plus(timeout)) }]
            }
            Input::Condition(at, true) => vec![Event::ConditionMet { at }],
            Input::Condition(at, false) => vec![Event::StepSkipped { at }],
            Input::Items(at, count) => vec![Event::EachOpened { at, count }],
            Input::Arm(fiber) => self.arm(state, fiber, now),
            Input::Message(name) => self.message(state, &name),
            Input::Handed(job, attempt) => {
                let timeout = state.step(self.code, job.at()).call(job.undo).timeout;
                let lands_until = now.plus(MAX_DELAY).plus(timeout).plus(GRACE);
                vec![Event::JobStarted { job, attempt, lands_until }]
            }
            Input::Bypass(at, because) => vec![Event::StepBypassed { at, because }],
            // Taking back with a tool that brings steps along: they run while everything else stands still.
            Input::Inject(job, attempt, code)
                if self.expects(state, job, attempt) && !self.has_no_way_on(state, job) =>
            {
                vec![Event::ScopeOpened { job, attempt, code }]
            }
            // The scope is about to end, or takes back what it did: what was done counts, what would follow does not.
            Input::Inject(job, attempt, ..) if self.expects(state, job, attempt) => {
                vec![Event::JobDone { job, attempt }]
            }
            // Nobody waits for a worker or an approver any more.
            Input::Offer(job) | Input::Hold(job, _) if self.is_forced(state, job) => {
                let attempt = state.jobs.get(&job).map_or(0, |job| job.attempt);
                let failure = Failure::business("not_taken_back", "Nobody was waited for any more.");
                vec![Event::JobStuck { job, attempt, failure, happened: Happened::No }]
            }
            Input::Offer(job) => vec![Event::JobOffered { job }],
            Input::Lease(job, until) if has(job, |status| *status == JobStatus::Offered) => {
                vec![Event::JobLeased { job, attempt: state.jobs[&job].attempt + 1, until }]
            }
            Input::Extend(job, attempt, until)
                if has(job, |status| matches!(status, JobStatus::Leased { .. }))
                    && state.jobs[&job].attempt == attempt
                    && !self.is_ending(state, job) =>
            {
                vec![Event::LeaseExtended { job, attempt, until }]
            }
            Input::Delegated(job, attempt, until, to)
                if self.expects(state, job, attempt) && !is_heard_again(state, job, attempt) =>
            {
                self.delegated(state, job, attempt, until, to)
            }
            Input::Hold(job, until) => vec![Event::JobHeld { job, until }],
            Input::Grant(job) if has(job, |status| matches!(status, JobStatus::Held { .. })) => {
                vec![Event::JobGranted { job }]
            }
            Input::Deny(job, failure)
                if has(job, |status| matches!(status, JobStatus::Held { .. } | JobStatus::Reviewing)) =>
            {
                let attempt = state.jobs[&job].attempt;
                self.give_up(state, job, attempt, failure)
            }
            // Neither taking back nor the result of a run that is about to end is put before anyone.
            Input::Review(job, attempt)
                if self.expects(state, job, attempt) && (job.undo || state.phase_of(job) != Phase::Running) =>
            {
                vec![Event::JobDone { job, attempt }]
            }
            Input::Review(job, attempt) if self.expects(state, job, attempt) => {
                vec![Event::ReviewAsked { job, attempt }]
            }
            Input::RollBack => vec![Event::BatchRolledBack { failure: state.failure().cloned() }],
            Input::Done(job, attempt) if self.expects(state, job, attempt) => vec![Event::JobDone { job, attempt }],
            Input::DoneBadly(job, attempt, failure)
                if self.expects(state, job, attempt) && !self.is_settled(state, job) =>
            {
                self.after_bad_answer(state, job, attempt, failure)
            }
            Input::Failed(job, attempt, failure)
                if self.expects(state, job, attempt) && !self.is_settled(state, job) =>
            {
                self.after_failure(state, job, attempt, failure, now, noise)
            }
            // Nobody outside said no: an earlier attempt may have had its effect all the same.
            Input::Refused(job, attempt, failure)
                if self.expects(state, job, attempt) && state.job(job).is_some_and(|job| job.unsettled) =>
            {
                let attempt = attempt - 1;
                vec![Event::JobStuck { job, attempt, failure, happened: Happened::Maybe }]
            }
            Input::Refused(job, attempt, failure) if self.expects(state, job, attempt) => {
                self.after_failure(state, job, attempt, failure, now, noise)
            }
            Input::Unknown(job, attempt, failure)
                if self.expects(state, job, attempt) && !self.is_settled(state, job) =>
            {
                self.after_unknown(state, job, attempt, failure, now, noise)
            }
            Input::DidNotHappen(job, attempt, asked) if self.is_checking(state, job, attempt) => {
                self.after_denial(state, job, attempt, asked, now)
            }
            Input::Retry(job) if self.may_retry(state, job) => vec![Event::JobReopened { job }],
            Input::Dismiss(job) if self.is_stuck(state, job) => vec![Event::JobDismissed { job }],
            Input::Abandon(job, failure) if self.is_stuck(state, job) => {
                let attempt = state.job(job).map_or(0, |job| job.attempt);
                self.abandon(state, job, attempt, failure)
            }
            Input::Cancel if !state.is_ended() => match state.phase() {
                Phase::New | Phase::Running => self.stop(state, 0, Stop::Cancel, None),
                Phase::Stopping(_) if planted("cancel-replaces") => self.stop(state, 0, Stop::Cancel, None),
                _ => self.force(state, 0),
            },
            Input::Halt(scope, failure) if !state.is_ended() => {
                let catcher = state.catcher(scope);
                match state.scope(catcher).phase {
                    Phase::New | Phase::Running => self.stop(state, catcher, Stop::Fail, Some(failure)),
                    _ => self.force(state, catcher),
                }
            }
            Input::Tick => self.tick(state, now),
            Input::Stray(code) => vec![Event::SignalIgnored { code, what: code.says().to_owned() }],
            ignored => vec![out_of_turn(&ignored)],
        }
    }

    /// What an outcome means for a dead letter that outlived its scope: it is settled, one way or the other, and nothing
    /// follows from that.
    fn about_left(&self, state: &State, input: &Input) -> Option<Decision> {
        let (job, attempt) = match input {
            Input::Done(job, attempt)
            | Input::DoneBadly(job, attempt, _)
            | Input::Inject(job, attempt, _)
            | Input::Review(job, attempt)
            | Input::Delegated(job, attempt, ..)
            | Input::Unknown(job, attempt, _)
            | Input::Failed(job, attempt, _) => (*job, *attempt),
            _ => return None,
        };
        let left = state.left.get(&job)?;
        let ignored = || vec![out_of_turn(input)];
        if left.attempt != attempt {
            return Some(ignored());
        }
        Some(match input {
            // Another system still works on it, or nobody knows more than before.
            Input::Delegated(..) | Input::Unknown(..) => ignored(),
            Input::Failed(_, _, failure) if left.unsettled && !failure.settles => ignored(),
            // It is known to have happened.
            Input::Failed(..) if left.status == (JobStatus::Stuck { happened: Happened::Yes }) => ignored(),
            // What was not taken back stays with a person, who knows now that it was not.
            Input::Failed(_, _, failure) if job.undo => {
                let (failure, happened) = (failure.clone(), Happened::No);
                vec![Event::JobStuck { job, attempt, failure, happened }]
            }
            Input::Failed(_, _, failure) => vec![Event::JobFailed { job, attempt, failure: failure.clone() }],
            _ => {
                let mut events = vec![Event::JobDone { job, attempt }];
                events.extend(self.done_too_late(state, job));
                events
            }
        })
    }

    /// A job that turns out to be done after everything around it was taken back: nobody takes it back any more, so a
    /// letter says so.
    fn done_too_late(&self, state: &State, job: JobId) -> Option<Event> {
        let undoable = !job.undo && state.step(self.code, job.at()).undo.is_some();
        let mut around = state.outward(job.scope).take_while(|id| !state.scope(*id).is_undo());
        if !undoable || state.takes_back(job.scope) || !around.any(|id| state.scope(id).took_back) {
            return None;
        }
        let message = "It turned out to be done when the rest had been taken back, so it was not taken back.";
        let failure = Failure::business("not_taken_back", message);
        Some(Event::JobStuck { job: JobId { undo: true, ..job }, attempt: 0, failure, happened: Happened::No })
    }

    /// Whether a person may have a stuck job tried again: not what has happened, unless whoever does it recognises a
    /// repetition, not what nobody waits for, and nothing that would repeat a step in doubt.
    pub fn may_retry(&self, state: &State, job: JobId) -> bool {
        state.jobs.get(&job).is_some_and(|open| match open.status {
            JobStatus::Stuck { .. } if self.doubt_within(state, job).is_some() => false,
            JobStatus::Stuck { happened: Happened::Yes } => {
                let place = state.step(self.code, job.at()).call(job.undo).place;
                let grew = state.scopes.iter().any(|scope| scope.opener == Opener::Job(job));
                let repeatable = matches!(place, Place::Worker { .. } | Place::Outside(Idempotency::Key));
                repeatable && !grew && self.may_start(state, job)
            }
            JobStatus::Stuck { .. } => self.may_start(state, job),
            _ => false,
        })
    }

    /// A step in doubt that an earlier attempt of this job brought along. Another attempt would do that step again under
    /// the same key, so its letter is decided first.
    pub fn doubt_within(&self, state: &State, job: JobId) -> Option<JobId> {
        let within = |id: ScopeId| state.scope(id).opener == Opener::Job(job);
        state.left.keys().copied().find(|left| state.outward(left.scope).any(within))
    }

    /// Whether a stuck job is known to have had its effect, so that no later failure changes that.
    fn is_settled(&self, state: &State, job: JobId) -> bool {
        state.jobs.get(&job).is_some_and(|job| job.status == (JobStatus::Stuck { happened: Happened::Yes }))
    }

    fn is_stuck(&self, state: &State, job: JobId) -> bool {
        state.job(job).is_some_and(|job| job.status.is_stuck())
    }

    fn is_checking(&self, state: &State, job: JobId, attempt: u32) -> bool {
        let checking = |status: &JobStatus| matches!(status, JobStatus::Checking { .. });
        state.jobs.get(&job).is_some_and(|job| checking(&job.status) && job.attempt == attempt)
    }

    /// Whether no further attempt of a job can follow: its scope is about to end, or takes back what it has done.
    fn has_no_way_on(&self, state: &State, job: JobId) -> bool {
        match state.phase_of(job) {
            Phase::Running => false,
            Phase::Compensating => !job.undo,
            _ => true,
        }
    }

    fn is_forced(&self, state: &State, job: JobId) -> bool {
        state.scope(state.governor(job)).forced
    }

    /// Whether the scope of a job does not wait for others any more, or waits only for what is under way.
    fn is_ending(&self, state: &State, job: JobId) -> bool {
        self.has_no_way_on(state, job) || self.is_forced(state, job)
    }

    fn arm(&self, state: &State, number: u32, now: Timestamp) -> Decision {
        let Some(fiber) = state.fibers.get(&number).filter(|fiber| fiber.wait == Wait::Arming) else {
            return Vec::new();
        };
        let Op::Await(arms) = &state.program(self.code, fiber.scope).code[fiber.pc as usize] else { return Vec::new() };
        let timers =
            arms.iter().filter_map(|arm| if let Trigger::Timer(after) = arm.on { Some(now.plus(after)) } else { None });
        vec![Event::WaitArmed { fiber: number, timers: timers.collect() }]
    }

    /// Every fiber that waits for the message goes on.
    fn message(&self, state: &State, name: &str) -> Decision {
        let mut events = Vec::new();
        for (&number, fiber) in &state.fibers {
            let Wait::Armed(arms) = &fiber.wait else { continue };
            let waits = |arm: &Armed| matches!(arm, Armed::Message(wanted) if wanted == name);
            if let Some(arm) = arms.iter().position(waits) {
                events.extend(self.won(state, number, arm));
            }
        }
        if events.is_empty() {
            let code = Stray::Unheard;
            events.push(Event::SignalIgnored { code, what: code.says().to_owned() });
        }
        events
    }

    /// The first thing that a fiber waited for came; blocks that it also waited for are stopped.
    fn won(&self, state: &State, number: u32, arm: usize) -> Decision {
        let mut events = vec![Event::WaitWon { fiber: number, arm: arm as u8 }];
        let opened = |scope: &crate::Scope| {
            scope.phase == Phase::Running && matches!(scope.opener, Opener::Fiber { fiber, .. } if fiber == number)
        };
        for id in (0..state.scopes.len() as ScopeId).filter(|id| opened(state.scope(*id))) {
            events.extend(self.stop(state, id, Stop::Cancel, None));
        }
        events
    }

    fn tick(&self, state: &State, now: Timestamp) -> Decision {
        if state.phase() == Phase::Running && state.deadline.is_some_and(|deadline| deadline <= now) {
            let failure = Failure::business("run_timeout", "The run did not end within the time its plan allows.");
            return self.stop(state, 0, Stop::Fail, Some(failure));
        }
        let mut events = Vec::new();
        for (&number, fiber) in &state.fibers {
            let Wait::Armed(arms) = &fiber.wait else { continue };
            let due = arms.iter().position(|arm| matches!(arm, Armed::Timer(at) if *at <= now));
            if let Some(arm) = due {
                // What one of these leads to may change what the others mean: they are looked at again.
                return self.won(state, number, arm);
            }
        }
        for (&id, job) in &state.jobs {
            let ended = match job.status {
                JobStatus::Retrying { at } if at <= now => vec![Event::JobReopened { job: id }],
                JobStatus::Checking { again: Some(at) } if at <= now => {
                    let failure =
                        Failure::transient("check_again", "The call may have landed since it was last checked.");
                    vec![Event::JobChecking { job: id, attempt: job.attempt, failure }]
                }
                JobStatus::Leased { until } if until <= now => self.lease_ended(state, id, job.attempt, now),
                JobStatus::Delegated { until: Some(until), child } if until <= now => {
                    let message = "The other side did not answer within its time.";
                    let failure = Failure::business("delegation_timeout", message);
                    self.delegation_ended(state, id, job.attempt, child, failure)
                }
                JobStatus::Held { until: Some(until) } if until <= now => {
                    let message = "Nobody approved it within its time.";
                    self.give_up(state, id, job.attempt, Failure::business("approval_expired", message))
                }
                _ => continue,
            };
            let plain = matches!(ended.as_slice(), [Event::JobReopened { .. } | Event::JobChecking { .. }]);
            if !plain && !events.is_empty() {
                continue;
            }
            events.extend(ended);
            if !plain {
                return events;
            }
        }
        events
    }

    /// Whether one more job would be more than this many. What takes something back does not count.
    pub fn is_exhausted(&self, state: &State, job: JobId, limit: u32) -> bool {
        let first = state.jobs.get(&job).is_none_or(|job| job.attempt == 0);
        // What workers have not taken yet will count when they do.
        let offered = |(id, job): &(&JobId, &crate::Job)| {
            !id.undo && job.attempt == 0 && job.status == JobStatus::Offered && !self.is_within_undo(state, **id)
        };
        let offered = state.jobs.iter().filter(offered).count() as u32;
        let full = state.started.saturating_add(offered) >= limit && !planted("no-hard-stop");
        !job.undo && first && full && !self.is_within_undo(state, job)
    }

    /// Whether a job is part of taking something back. The hard stop does not keep anyone from that.
    fn is_within_undo(&self, state: &State, job: JobId) -> bool {
        state.outward(job.scope).any(|id| state.scope(id).is_undo())
    }
}

/// Whether a job that waits for a person was handed over by this very attempt before: whoever it was handed to has answered
/// since, or had too little time, and waiting anew would have no end.
fn is_heard_again(state: &State, job: JobId, attempt: u32) -> bool {
    state.job(job).is_some_and(|open| open.delegated == attempt && open.status.is_stuck())
}

fn out_of_turn(input: &Input) -> Event {
    Event::SignalIgnored { code: Stray::OutOfTurn, what: describe(input).to_owned() }
}

fn describe(input: &Input) -> &'static str {
    match input {
        Input::Start => "start",
        Input::Done(..) | Input::DoneBadly(..) | Input::Inject(..) | Input::Delegated(..) | Input::Review(..) => {
            "a completion"
        }
        Input::Failed(..) | Input::Refused(..) => "a failure",
        Input::Unknown(..) => "a lost outcome",
        Input::DidNotHappen(..) => "the answer of a check",
        Input::Retry(_) => "a retry",
        Input::Dismiss(_) => "a dismissal",
        Input::Abandon(..) => "an abandonment",
        Input::Cancel => "a cancellation",
        Input::Halt(..) => "a halt",
        Input::Lease(..) => "a worker's request",
        Input::Extend(..) => "a worker's wish for more time",
        Input::Grant(_) => "an approval",
        Input::Deny(..) => "a refusal",
        Input::Message(_) => "a message",
        Input::Stray(_) => "something",
        Input::Condition(..)
        | Input::Items(..)
        | Input::Arm(_)
        | Input::Handed(..)
        | Input::Bypass(..)
        | Input::Offer(_)
        | Input::Hold(..)
        | Input::RollBack
        | Input::Tick => "a stray input",
    }
}
