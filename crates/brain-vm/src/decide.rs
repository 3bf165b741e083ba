//! Decides what the machine needs next and what an input means. Deciding returns events and never changes the state.

mod outcome;
mod stop;

use std::collections::BTreeSet;

use brain_core::{Digest, Failure, Millis, Timestamp, planted};
use brain_lang::plan::{Idempotency, Place};

use crate::fibers::{Armed, Wait};
use crate::job::{Happened, JobId, JobStatus, ScopeId, StepId};
use crate::scope::{Opener, Phase, Stop};
use crate::{Code, Event, Op, State, Stray, Trigger};

/// Maximum time between the decision to start a call and the call itself.
pub const MAX_DELAY: Millis = Millis(5_000);
/// How long after its timeout a call counts as lost.
pub const GRACE: Millis = Millis(5_000);

/// What the machine needs from the engine before it can go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// The value of a step's condition.
    Condition(StepId),
    /// The list of a step's `foreach`.
    Items(StepId),
    /// The current time, to arm the wait of this fiber.
    Arm(u32),
    /// The outcome of this job, in this attempt.
    Start(JobId, u32),
    /// The result of this job, now that the steps it injected have ended.
    Close(JobId, u32),
    /// Nothing: [`Machine::proceed`] decides how this scope goes on.
    Proceed(ScopeId),
}

/// What happened outside the machine.
#[derive(Clone, PartialEq, Debug)]
pub enum Input {
    /// The run may start.
    Start,
    /// A condition has this value.
    Condition(StepId, bool),
    /// The list has this many items.
    Items(StepId, u32),
    /// The wait of this fiber begins.
    Arm(u32),
    /// A message with this name arrived.
    Message(String),
    /// An external job is about to be handed over.
    Handed(JobId, u32),
    /// A step is skipped because of another step of its scope.
    Bypass(StepId, u16),
    /// A job injects steps; the digest identifies their program.
    Inject(JobId, u32, Digest),
    /// A job is offered to workers.
    Offer(JobId),
    /// A worker leases a job until this time.
    Lease(JobId, Timestamp),
    /// A worker extends its lease until this time.
    Extend(JobId, u32, Timestamp),
    /// An attempt was delegated to another engine, with a deadline for the answer, or to a child run.
    Delegated(JobId, u32, Option<Timestamp>, Delegate),
    /// A job needs an approval before it starts; the request expires at this time.
    Hold(JobId, Option<Timestamp>),
    /// Somebody approved a held job.
    Grant(JobId),
    /// Somebody refused a held job, or the result of a reviewed one.
    Deny(JobId, Failure),
    /// A result needs a person's review.
    Review(JobId, u32),
    /// An atomic batch must not be committed.
    RollBack,
    /// An attempt succeeded.
    Done(JobId, u32),
    /// An attempt took effect, but its answer cannot be used.
    DoneBadly(JobId, u32, Failure),
    /// An attempt failed and had no effect.
    Failed(JobId, u32, Failure),
    /// The run's own rules or limits prevented the attempt, so it was not made.
    Refused(JobId, u32, Failure),
    /// An attempt may or may not have taken effect.
    Unknown(JobId, u32, Failure),
    /// A part of an attempt took effect: the child run that was to undo a run ended before it had undone everything.
    Half(JobId, u32, Failure),
    /// The check tool, called at this time, found that the call had no effect.
    DidNotHappen(JobId, u32, Timestamp),
    /// A person retries a stuck job.
    Retry(JobId),
    /// A person dismisses a stuck job: the run goes on without it.
    Dismiss(JobId),
    /// A person abandons a stuck job: `on_failure` decides.
    Abandon(JobId, Failure),
    /// A scope (0 is the run) must stop: it reached a limit, or an expression of its plan is broken.
    Halt(ScopeId, Failure),
    /// Something arrived that the run does not wait for.
    Stray(Stray),
    /// Somebody cancels the run. A second cancel forces it: the run stops waiting for people, workers and other
    /// engines.
    Cancel,
    /// Time has passed.
    Tick,
}

/// Who continues a delegated job.
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

    /// What is needed next; `None` if the run waits for an input.
    pub fn next(&self, state: &State) -> Option<Need> {
        self.next_but(state, &BTreeSet::new())
    }

    /// Like [`Machine::next`], without starting the jobs in `later`.
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

    /// Whether a job has injected steps. Only the planted bug `close-again` needs it.
    fn brought(&self, state: &State, job: JobId) -> bool {
        state.scopes.iter().any(|scope| scope.opener == Opener::Job(job))
    }

    /// Whether the phase of a job's scope lets the job start: forward jobs while running, the next undo while
    /// compensating.
    fn may_start(&self, state: &State, job: JobId) -> bool {
        match state.phase_of(job) {
            Phase::Running => !job.undo,
            Phase::Compensating => job.undo,
            _ => false,
        }
    }

    /// Whether an outcome of this attempt is expected: it is under way, or is being decided in this turn.
    fn expects(&self, state: &State, job: JobId, attempt: u32) -> bool {
        match state.job(job) {
            Some(open) => match open.status {
                JobStatus::Ready => open.attempt + 1 == attempt,
                JobStatus::Running | JobStatus::Checking { .. } => open.attempt == attempt,
                // A person may settle a call in doubt, and its answer may still arrive.
                JobStatus::Stuck { .. } => open.attempt == attempt,
                JobStatus::Leased { .. }
                | JobStatus::Delegated { .. }
                | JobStatus::Reviewing
                | JobStatus::Growing { .. } => open.attempt == attempt,
                JobStatus::Retrying { .. } | JobStatus::Offered | JobStatus::Held { .. } => false,
            },
            // The first undo of a step has no entry before it starts; it is expected when it is next in order.
            None => job.undo && attempt == 1 && self.is_next_undo(state, job),
        }
    }

    /// Turns an input into events. `noise` is a random number for jitter; the events record what it led to.
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
            // An undo may inject steps: they run while the rest of the scope is stopped.
            Input::Inject(job, attempt, code)
                if self.expects(state, job, attempt) && !self.has_no_way_on(state, job) =>
            {
                vec![Event::ScopeOpened { job, attempt, code }]
            }
            // The scope is ending or compensating: the job's effect counts, its injected steps are dropped.
            Input::Inject(job, attempt, ..) if self.expects(state, job, attempt) => {
                vec![Event::JobDone { job, attempt }]
            }
            // A forced stop does not wait for workers or approvers.
            Input::Offer(job) | Input::Hold(job, _) if self.is_forced(state, job) => {
                let attempt = state.jobs.get(&job).map_or(0, |job| job.attempt);
                let failure = Failure::business("not_taken_back", "The stop was forced, so it was not undone.");
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
            // Undos, and results of a scope that is ending, skip the review.
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
            // The refusal is our own, so it says nothing about earlier attempts, which may have had their effect.
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
            Input::Half(job, attempt, failure) if self.expects(state, job, attempt) && !self.is_settled(state, job) => {
                self.after_half(job, attempt, failure)
            }
            Input::DidNotHappen(job, attempt, asked) if self.is_checking(state, job, attempt) => {
                self.after_denial(state, job, attempt, asked, now, noise)
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
                let catcher = state.catcher(self.code, scope);
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

    /// What an outcome means for a dead letter that outlived its scope: the outcome settles the letter and has no other
    /// consequence.
    fn about_left(&self, state: &State, input: &Input) -> Option<Decision> {
        let (job, attempt) = match input {
            Input::Done(job, attempt)
            | Input::DoneBadly(job, attempt, _)
            | Input::Inject(job, attempt, _)
            | Input::Review(job, attempt)
            | Input::Delegated(job, attempt, ..)
            | Input::Unknown(job, attempt, _)
            | Input::Half(job, attempt, _)
            | Input::Failed(job, attempt, _) => (*job, *attempt),
            _ => return None,
        };
        let left = state.left.get(&job)?;
        let ignored = || vec![out_of_turn(input)];
        if left.attempt != attempt {
            return Some(ignored());
        }
        Some(match input {
            // Another system still works on it, or the outcome is as unknown as before.
            Input::Delegated(..) | Input::Unknown(..) | Input::Half(..) => ignored(),
            Input::Failed(_, _, failure) if left.unsettled && !failure.settles => ignored(),
            // The effect is already known to have happened.
            Input::Failed(..) if left.status == (JobStatus::Stuck { happened: Happened::Yes }) => ignored(),
            // The failed undo stays a dead letter, now known not to have happened.
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

    /// The dead letter for a job that turns out to be done after its scope was compensated: nothing undoes it any more,
    /// so a person must know.
    fn done_too_late(&self, state: &State, job: JobId) -> Option<Event> {
        let undoable = !job.undo && state.step(self.code, job.at()).undo.is_some();
        let mut around = state.outward(job.scope).take_while(|id| !state.scope(*id).is_undo());
        if !undoable || state.is_compensating(job.scope) || !around.any(|id| state.scope(id).took_back) {
            return None;
        }
        let message = "It turned out to have happened, but only after the rest was undone, so it was not undone.";
        let failure = Failure::business("not_taken_back", message);
        Some(Event::JobStuck { job: JobId { undo: true, ..job }, attempt: 0, failure, happened: Happened::No })
    }

    /// Whether a person may retry a stuck job. Not allowed: a job whose effect has happened, unless the tool is
    /// idempotent; a job that the run no longer waits for; a retry that would repeat a step in doubt.
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

    /// A step in doubt among those that an earlier attempt of this job injected. A retry would repeat that step under
    /// the same key, so its dead letter must be decided first.
    pub fn doubt_within(&self, state: &State, job: JobId) -> Option<JobId> {
        let within = |id: ScopeId| state.scope(id).opener == Opener::Job(job);
        state.left.keys().copied().find(|left| state.outward(left.scope).any(within))
    }

    /// Whether a stuck job is known to have taken effect. Later failures do not change that.
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

    /// Whether a job gets no further attempt because its scope is ending or compensating.
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

    /// Whether the scope of a job is ending, or waits only for calls under way.
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

    /// Resumes every fiber that waits for the message.
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

    /// Resumes a fiber with the arm that came first, and stops the blocks of its other arms.
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
            let failure = Failure::business("run_timeout", "The run did not end within its time limit.");
            return self.stop(state, 0, Stop::Fail, Some(failure));
        }
        let mut events = Vec::new();
        for (&number, fiber) in &state.fibers {
            let Wait::Armed(arms) = &fiber.wait else { continue };
            let due = arms.iter().position(|arm| matches!(arm, Armed::Timer(at) if *at <= now));
            if let Some(arm) = due {
                // This may change what the other timers mean, so the next tick looks at them again.
                return self.won(state, number, arm);
            }
        }
        for (&id, job) in &state.jobs {
            let ended = match job.status {
                JobStatus::Retrying { at } if at <= now => vec![Event::JobReopened { job: id }],
                JobStatus::Checking { again: Some(at) } if at <= now => {
                    let failure =
                        Failure::transient("check_again", "The call may have taken effect since the last check.");
                    vec![Event::JobChecking { job: id, attempt: job.attempt, failure }]
                }
                JobStatus::Leased { until } if until <= now => self.lease_ended(state, id, job.attempt, now),
                JobStatus::Delegated { until: Some(until), child } if until <= now => {
                    let message = "The other side did not answer in time.";
                    let failure = Failure::business("delegation_timeout", message);
                    self.delegation_ended(state, id, job.attempt, child, failure)
                }
                JobStatus::Held { until: Some(until) } if until <= now => {
                    let message = "Nobody approved it in time.";
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

    /// Whether one more job would exceed `limit`. Undos do not count.
    pub fn is_exhausted(&self, state: &State, job: JobId, limit: u32) -> bool {
        let first = state.jobs.get(&job).is_none_or(|job| job.attempt == 0);
        // Offered jobs count as if workers had already taken them.
        let offered = |(id, job): &(&JobId, &crate::Job)| {
            !id.undo && job.attempt == 0 && job.status == JobStatus::Offered && !self.is_within_undo(state, **id)
        };
        let offered = state.jobs.iter().filter(offered).count() as u32;
        let full = state.started.saturating_add(offered) >= limit && !planted("no-hard-stop");
        !job.undo && first && full && !self.is_within_undo(state, job)
    }

    /// Whether a job belongs to an undo. `max_steps` does not limit undos.
    fn is_within_undo(&self, state: &State, job: JobId) -> bool {
        state.outward(job.scope).any(|id| state.scope(id).is_undo())
    }
}

/// Whether this very attempt of a stuck job was delegated before. The other side has answered since or run out of time,
/// and delegating again would loop.
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
        Input::Unknown(..) | Input::Half(..) => "a lost outcome",
        Input::DidNotHappen(..) => "the answer of a check",
        Input::Retry(_) => "a retry",
        Input::Dismiss(_) => "a dismissal",
        Input::Abandon(..) => "an abandonment",
        Input::Cancel => "a cancellation",
        Input::Halt(..) => "a halt",
        Input::Lease(..) => "a worker's request",
        Input::Extend(..) => "a lease extension",
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
