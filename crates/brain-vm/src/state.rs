//! The state of a run: a fold of its events. Applying an event never fails and reads nothing but the state and the
//! code.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use brain_core::{Failure, FailureClass, RunStatus, Timestamp, planted};
use brain_lang::plan::OnFailure;
use serde::{Deserialize, Serialize};

use crate::fibers::{Armed, Fiber, Wait};
use crate::job::{Happened, Job, JobId, JobStatus, ScopeId, StepId, pairs};
use crate::scope::{End, Opener, Phase, Scope, StepState, Stop};
use crate::{Code, Event};

/// The state of a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct State {
    /// The deadline of the run.
    pub deadline: Option<Timestamp>,
    /// All scopes so far; the first is the run itself.
    pub scopes: Vec<Scope>,
    /// All live fibers.
    pub fibers: BTreeMap<u32, Fiber>,
    /// The number of the next fiber.
    pub next_fiber: u32,
    /// Jobs that have not ended.
    #[serde(with = "pairs")]
    pub jobs: BTreeMap<JobId, Job>,
    /// The number of the latest job.
    pub last_job: u32,
    /// Jobs that had their effect, in order. Compensation undoes them in reverse.
    pub done: Vec<JobId>,
    /// Jobs undone so far.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub undone: BTreeSet<JobId>,
    /// Jobs whose undo was given up: their effect stays.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub not_undone: BTreeSet<JobId>,
    /// Dead letters that outlived their scope: jobs that may have happened, and undos that are still due.
    #[serde(default, with = "pairs", skip_serializing_if = "BTreeMap::is_empty")]
    pub left: BTreeMap<JobId, Job>,
    /// Number of jobs started, without undos.
    pub started: u32,
    /// Number of steps of all programs of the run, for progress.
    pub planned: u32,
    /// Whether an atomic batch was rolled back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rolled_back: bool,
    /// Fibers that were released and have not moved yet. Empty between events.
    #[serde(skip)]
    pub(crate) moving: VecDeque<u32>,
}

impl State {
    /// A run of this program that has not started.
    pub fn new(code: &Code) -> Self {
        Self {
            deadline: None,
            scopes: vec![Scope::new(None, Opener::Run, 0)],
            fibers: BTreeMap::new(),
            next_fiber: 0,
            jobs: BTreeMap::new(),
            last_job: 0,
            done: Vec::new(),
            undone: BTreeSet::new(),
            not_undone: BTreeSet::new(),
            left: BTreeMap::new(),
            started: 0,
            planned: code.root().steps.len() as u32,
            rolled_back: false,
            moving: VecDeque::new(),
        }
    }

    /// The phase of the run.
    pub fn phase(&self) -> Phase {
        self.scopes[0].phase
    }

    /// Why the run stopped, if it did.
    pub fn failure(&self) -> Option<&Failure> {
        self.scopes[0].failure.as_ref()
    }

    /// Whether the run is over.
    pub fn is_ended(&self) -> bool {
        matches!(self.phase(), Phase::Ended(_))
    }

    /// The status that people see.
    pub fn status(&self) -> RunStatus {
        match self.phase() {
            Phase::Ended(End::Completed) => RunStatus::Completed,
            Phase::Ended(End::Failed) => RunStatus::Failed,
            Phase::Ended(End::Cancelled) => RunStatus::Cancelled,
            Phase::Ended(End::Compensated) => RunStatus::Compensated,
            Phase::Compensating => RunStatus::Compensating,
            Phase::Stopping(_) => RunStatus::Stopping,
            Phase::New | Phase::Running => {
                // A job that injected steps has the status of those steps.
                let mut open = self.jobs.values().filter(|job| !job.status.is_growing());
                let mut waits = self.fibers.values().any(|fiber| matches!(fiber.wait, Wait::Armed(_)));
                let mut delegated = false;
                if open.any(|job| match job.status {
                    JobStatus::Ready | JobStatus::Running | JobStatus::Checking { .. } | JobStatus::Leased { .. } => {
                        true
                    }
                    JobStatus::Delegated { .. } => {
                        delegated = true;
                        false
                    }
                    _ => {
                        waits = true;
                        false
                    }
                }) {
                    return RunStatus::Running;
                }
                match (delegated, waits) {
                    (true, _) => RunStatus::Delegated,
                    (_, true) => RunStatus::Waiting,
                    _ => RunStatus::Running,
                }
            }
        }
    }

    /// The next time at which the run can move without an input, if any.
    pub fn wake_at(&self) -> Option<Timestamp> {
        if self.is_ended() {
            return None;
        }
        let jobs = self.jobs.values().filter_map(|job| match job.status {
            JobStatus::Retrying { at } => Some(at),
            JobStatus::Leased { until } => Some(until),
            JobStatus::Delegated { until, .. } | JobStatus::Held { until } => until,
            JobStatus::Checking { again } => again,
            _ => None,
        });
        let timers = self.fibers.values().filter_map(Fiber::timer);
        let deadline = if self.phase() == Phase::Running { self.deadline } else { None };
        jobs.chain(timers).chain(deadline).min()
    }

    /// Finished steps and steps in total.
    pub fn progress(&self) -> (usize, usize) {
        let done = |step: &StepState| matches!(step, StepState::Done | StepState::Skipped | StepState::Bypassed);
        (self.count_steps(done), self.planned as usize)
    }

    /// Number of steps, in all scopes, whose state fits.
    pub fn count_steps(&self, fits: impl Fn(&StepState) -> bool) -> usize {
        self.scopes.iter().map(|scope| scope.steps.values().filter(|step| fits(step)).count()).sum()
    }

    /// A job that has not ended, or that is a dead letter of an ended scope.
    pub fn job(&self, id: JobId) -> Option<&Job> {
        self.jobs.get(&id).or_else(|| self.left.get(&id))
    }

    /// Whether every number in a logged event refers to something. [`State::apply`] relies on this check.
    pub fn takes(&self, code: &Code, event: &Event) -> bool {
        let step = |at: StepId| {
            let scope = self.scopes.get(at.scope as usize);
            scope.is_some_and(|scope| usize::from(at.step) < code.program(scope.code).steps.len())
        };
        let fiber = |number: u32| self.fibers.contains_key(&number);
        let scope = |id: ScopeId| (id as usize) < self.scopes.len();
        match event {
            Event::ScopeOpened { job, code: hash, .. } => step(job.at()) && code.index_of(*hash).is_some(),
            Event::WaitArmed { fiber: number, .. } | Event::WaitWon { fiber: number, .. } => fiber(*number),
            Event::ScopeStopped { scope: id, .. }
            | Event::StopForced { scope: id }
            | Event::CompensationStarted { scope: id }
            | Event::ScopeEnded { scope: id, .. } => scope(*id),
            Event::ConditionMet { at }
            | Event::StepSkipped { at }
            | Event::EachOpened { at, .. }
            | Event::StepBypassed { at, .. } => step(*at),
            other => other.job().is_none_or(|job| step(job.at())),
        }
    }

    /// Folds one event.
    pub fn apply(&mut self, code: &Code, event: &Event) {
        match event {
            Event::RunStarted { deadline } => {
                self.scope_mut(0).phase = Phase::Running;
                self.deadline = *deadline;
                self.spawn(0, 0);
            }
            Event::ConditionMet { at } => self.release(*at, &Wait::Condition(at.step)),
            Event::StepSkipped { at } => {
                self.set_step(*at, StepState::Skipped);
                self.skip(code, *at);
            }
            Event::StepBypassed { at, .. } => {
                self.set_step(*at, StepState::Bypassed);
                self.skip(code, *at);
            }
            Event::EachOpened { at, count } => self.open_each(code, *at, *count),
            Event::WaitArmed { fiber, timers } => self.arm(code, *fiber, timers),
            Event::WaitWon { fiber, arm } => self.win(code, *fiber, *arm),
            Event::JobStarted { job, attempt, lands_until } => {
                let open = self.put_job(*job, *attempt, JobStatus::Running);
                open.lands_until = Some(*lands_until);
            }
            Event::JobDone { job, .. } => self.finish_job(code, *job, true),
            Event::JobDoneBadly { job, attempt, failure } => self.done_badly(code, *job, *attempt, failure.class),
            Event::JobRetrying { job, attempt, failure, at, unsettled } => {
                let open = self.put_job(*job, *attempt, JobStatus::Retrying { at: *at });
                open.blocked += u32::from(!failure.counts());
                open.unsettled = *unsettled;
            }
            Event::JobFailed { job, .. } => self.fail_job(code, *job),
            Event::JobStuck { job, attempt, happened, .. } => {
                let status = JobStatus::Stuck { happened: *happened };
                if let Some(left) = self.left.get_mut(job) {
                    left.status = status;
                } else if job.undo && !self.is_compensating(job.scope) {
                    self.leave_undo(*job, *attempt, status);
                } else {
                    if self.jobs.get(job).is_some_and(|job| job.status.is_growing()) {
                        // The steps that it injected failed, so it is not done after all.
                        self.done.retain(|done| done != job);
                    }
                    self.put_job(*job, *attempt, status);
                    self.pass_letter(code, *job);
                }
            }
            Event::JobReopened { job } => {
                if let Some(open) = self.jobs.get_mut(job) {
                    if open.status == (JobStatus::Stuck { happened: Happened::Yes }) {
                        // It will be done and recorded again.
                        if job.undo {
                            self.undone.remove(&job.forward());
                        } else {
                            self.done.retain(|done| done != job);
                        }
                        open.unsettled = true;
                    }
                    open.status = JobStatus::Ready;
                }
            }
            Event::JobDismissed { job } => self.finish_job(code, *job, false),
            Event::JobChecking { job, attempt, .. } => {
                let open = self.put_job(*job, *attempt, JobStatus::Checking { again: None });
                open.unsettled = true;
            }
            Event::CheckPostponed { job, attempt, at, failure } => {
                let open = self.put_job(*job, *attempt, JobStatus::Checking { again: Some(*at) });
                // A check that ran resets the count of failed checks, even if its answer proves nothing yet.
                open.checks = if failure.is_some() { open.checks + 1 } else { 0 };
            }
            Event::CheckDenied { job, attempt } => {
                let open = self.put_job(*job, *attempt, JobStatus::Ready);
                open.unsettled = false;
            }
            Event::ScopeStopped { scope, stop, failure } => self.stop(*scope, *stop, failure.as_ref()),
            Event::StopForced { scope } => self.force(*scope),
            Event::CompensationStarted { scope } => {
                let scope = self.scope_mut(*scope);
                (scope.phase, scope.took_back) = (Phase::Compensating, true);
            }
            Event::ScopeEnded { scope, end } => self.end_scope(code, *scope, *end),
            Event::RunEnded { end } => {
                self.leave_letters(0);
                self.scope_mut(0).phase = Phase::Ended(*end);
                self.fibers.clear();
                self.jobs.clear();
            }
            Event::SignalIgnored { .. } => {}
            Event::ScopeOpened { job, attempt, code: hash } => {
                if let Some(number) = code.index_of(*hash) {
                    self.grow(code, *job, *attempt, number);
                }
            }
            // The bug: only jobs that have an entry can be offered.
            Event::JobOffered { job } if planted("offer-nothing") && !self.jobs.contains_key(job) => {}
            Event::JobOffered { job } => self.set_job(*job, JobStatus::Offered),
            Event::JobLeased { job, attempt, until } => {
                self.put_job(*job, *attempt, JobStatus::Leased { until: *until });
            }
            Event::LeaseExtended { job, until, .. } => self.set_job(*job, JobStatus::Leased { until: *until }),
            Event::JobDelegated { job, attempt, until, child } => {
                let open = self.put_job(*job, *attempt, JobStatus::Delegated { until: *until, child: *child });
                open.delegated = *attempt;
            }
            Event::JobHeld { job, until } => self.set_job(*job, JobStatus::Held { until: *until }),
            Event::JobGranted { job } => {
                if let Some(held) = self.jobs.get_mut(job) {
                    held.status = JobStatus::Ready;
                    held.granted = true;
                }
            }
            Event::ReviewAsked { job, attempt } => {
                self.note_done(*job);
                self.put_job(*job, *attempt, JobStatus::Reviewing);
            }
            Event::BatchRolledBack { failure } => {
                self.rolled_back = true;
                self.done.clear();
                let root = self.scope_mut(0);
                root.failure = root.failure.take().or_else(|| failure.clone());
            }
        }
        self.settle(code);
    }

    /// Puts a job into a status. Each attempt counts once, and the first attempt of a job counts against `max_steps`.
    fn put_job(&mut self, id: JobId, attempt: u32, status: JobStatus) -> &mut Job {
        let known = self.jobs.get(&id).is_some_and(|job| job.attempt > 0);
        if !known && !id.undo && attempt > 0 {
            self.started += 1;
        }
        let open = self.open_job(id);
        if attempt > open.attempt {
            open.checks = 0;
            open.lands_until = None;
        }
        (open.attempt, open.status) = (attempt, status);
        open
    }

    fn set_job(&mut self, id: JobId, status: JobStatus) {
        self.open_job(id).status = status;
    }

    /// The entry of a job, created if missing: the first undo of a step has none before it starts.
    pub(crate) fn open_job(&mut self, id: JobId) -> &mut Job {
        let last = &mut self.last_job;
        self.jobs.entry(id).or_insert_with(|| {
            *last += 1;
            Job {
                number: *last,
                attempt: 0,
                blocked: 0,
                granted: false,
                unsettled: false,
                checks: 0,
                delegated: 0,
                lands_until: None,
                status: JobStatus::Ready,
            }
        })
    }

    /// Records the effect of a job, once.
    fn note_done(&mut self, id: JobId) {
        let noted = self.jobs.get(&id).is_some_and(|job| job.status.is_noted());
        if !noted && !id.undo {
            self.done.push(id);
        }
    }

    fn grow(&mut self, code: &Code, job: JobId, attempt: u32, number: u16) {
        // The job's own effect is recorded before those of its injected steps, so it is undone after them.
        self.note_done(job);
        let scope = self.scopes.len() as ScopeId;
        let opener = Opener::Job(job);
        // Only a person's retry, or another attempt, makes a job open a second scope.
        let repeat = match attempt {
            1 => 0,
            _ => self.scopes.iter().filter(|scope| scope.opener == opener).count() as u32,
        };
        self.scopes.push(Scope { repeat, ..Scope::new(Some(job.scope), opener, number) });
        self.planned += code.program(number).steps.len() as u32;
        self.put_job(job, attempt, JobStatus::Growing { scope });
        self.spawn(scope, 0);
    }

    pub(crate) fn finish_job(&mut self, code: &Code, id: JobId, succeeded: bool) {
        if self.left.remove(&id).is_some() {
            self.settle_left(id, succeeded);
            return;
        }
        if succeeded {
            self.note_done(id);
        }
        let job = self.jobs.remove(&id);
        if id.undo {
            // A dismissed undo leaves the effect in place, unless it was undone already.
            if succeeded {
                self.undone.insert(id.forward());
            } else if !self.undone.contains(&id.forward()) {
                self.not_undone.insert(id.forward());
            }
            if let Some(JobStatus::Growing { scope }) = job.map(|job| job.status) {
                self.close(scope, End::Completed);
            }
            return;
        }
        if job.as_ref().is_none_or(|job| job.attempt == 0) {
            self.started += 1;
        }
        if let Some(JobStatus::Growing { scope }) = job.map(|job| job.status) {
            self.close(scope, End::Completed);
        }
        self.finish_item(code, id.at());
        // Later steps have continued without this one; record that it was not done.
        if !succeeded && self.is_left_as_letter(code, id) && !self.done.contains(&id) {
            self.set_step(id.at(), StepState::Failed);
        }
    }

    /// Moves on the fibers of steps that a stuck job holds up, if the steps after them do not wait for a person: its own,
    /// and those of the steps that injected it.
    fn pass_letter(&mut self, code: &Code, id: JobId) {
        let opener = |scope: ScopeId| if let Opener::Job(job) = self.scope(scope).opener { Some(job) } else { None };
        let held_up: Vec<JobId> = std::iter::once(id)
            .chain(self.outward(id.scope).filter_map(opener))
            .filter(|job| self.is_left_as_letter(code, *job) && self.waits_for_person(*job))
            .collect();
        for job in held_up {
            self.release(job.at(), &Wait::Job(job.step));
        }
    }

    /// Whether only a person moves this job on: it is a dead letter, or every job that it injected waits for a person. A
    /// scope that is ending moves on by itself.
    pub fn waits_for_person(&self, id: JobId) -> bool {
        let Some(job) = self.jobs.get(&id) else { return false };
        let JobStatus::Growing { scope } = job.status else { return job.status.is_stuck() };
        let ending = |id: &ScopeId| self.scope(*id).is_winding_down() && self.is_within(*id, scope);
        if (scope..self.scopes.len() as ScopeId).any(|id| ending(&id)) {
            return false;
        }
        let mut inside = self.jobs.iter().filter(|(job, _)| self.is_within(job.scope, scope)).peekable();
        let waits = |job: &Job| job.status.is_stuck() || job.status.is_growing();
        inside.peek().is_some() && inside.all(|(_, job)| waits(job))
    }

    /// Settles a dead letter that outlived its scope.
    fn settle_left(&mut self, id: JobId, happened: bool) {
        if id.undo && happened {
            self.not_undone.remove(&id.forward());
            self.undone.insert(id.forward());
        } else if happened {
            self.done.push(id);
        }
    }

    /// Records an effect whose answer is unusable: the job counts as done, then as failed.
    fn done_badly(&mut self, code: &Code, id: JobId, attempt: u32, class: FailureClass) {
        self.note_done(id);
        if let Some(JobStatus::Growing { scope }) = self.jobs.get(&id).map(|job| job.status.clone()) {
            self.close(scope, End::Completed);
        }
        if id.undo {
            // The undo took effect; a person must find out what the answer should have contained.
            self.undone.insert(id.forward());
            self.put_job(id, attempt, JobStatus::Stuck { happened: Happened::Yes });
            return;
        }
        let running = self.phase_of(id) == Phase::Running;
        match self.step(code, id.at()).on_failure {
            OnFailure::Continue if running => self.continue_without(code, id),
            OnFailure::Stop if running && class != FailureClass::Business => {
                self.put_job(id, attempt, JobStatus::Stuck { happened: Happened::Yes });
            }
            OnFailure::Letter if running => {
                self.put_job(id, attempt, JobStatus::Stuck { happened: Happened::Yes });
                self.pass_letter(code, id);
            }
            _ => {
                self.jobs.remove(&id);
                self.set_step(id.at(), StepState::Failed);
            }
        }
    }

    fn fail_job(&mut self, code: &Code, id: JobId) {
        if self.left.remove(&id).is_some() {
            return;
        }
        if id.undo {
            if let Some(JobStatus::Growing { scope }) = self.jobs.remove(&id).map(|job| job.status) {
                self.close(scope, End::Failed);
            }
            if !self.undone.contains(&id.forward()) {
                self.not_undone.insert(id.forward());
            }
            return;
        }
        let running = self.phase_of(id) == Phase::Running;
        if running && self.step(code, id.at()).on_failure == OnFailure::Continue {
            self.continue_without(code, id);
            return;
        }
        self.jobs.remove(&id);
        self.set_step(id.at(), StepState::Failed);
    }

    /// Marks a step as failed when the plan tolerates its failure.
    fn continue_without(&mut self, code: &Code, id: JobId) {
        if self.jobs.remove(&id).is_none_or(|job| job.attempt == 0) {
            self.started += 1;
        }
        self.finish_item(code, id.at());
        if *self.step_state(id.at()) == StepState::Done && self.step(code, id.at()).foreach.is_none() {
            self.set_step(id.at(), StepState::Failed);
        }
    }

    fn finish_item(&mut self, code: &Code, at: StepId) {
        if let Some(StepState::Each { count, finished, .. }) = self.scope_mut(at.scope).steps.get_mut(&at.step) {
            *finished += 1;
            if finished < count {
                // A scope that is ending starts nothing new.
                if self.phase_of(at.job(0)) == Phase::Running {
                    self.open_items(code, at);
                }
                return;
            }
            self.set_step(at, StepState::Done);
            self.release(at, &Wait::Each(at.step));
        } else {
            self.set_step(at, StepState::Done);
            self.release(at, &Wait::Job(at.step));
        }
    }

    pub(crate) fn set_step(&mut self, at: StepId, state: StepState) {
        self.scope_mut(at.scope).steps.insert(at.step, state);
    }

    /// Stops new work in a scope. Jobs under way stay. Other jobs are dropped, except those that may have happened:
    /// they become dead letters, or are awaited if the scope compensates.
    fn stop(&mut self, id: ScopeId, stop: Stop, failure: Option<&Failure>) {
        for inner in id + 1..self.scopes.len() as ScopeId {
            let absorbed = stop == Stop::Compensate || matches!(self.scope(inner).phase, Phase::Stopping(_));
            if absorbed
                && self.scope(inner).is_winding_down()
                && self.is_within(inner, id)
                && !self.scope(inner).is_undo()
            {
                self.scope_mut(inner).phase = Phase::Running;
            }
        }
        let scope = self.scope_mut(id);
        scope.phase = Phase::Stopping(stop);
        scope.failure = scope.failure.take().or_else(|| failure.cloned());
        let fibers: Vec<u32> = self.fibers_within(id).collect();
        for fiber in fibers {
            self.drop_fiber(fiber);
        }
        let jobs: Vec<JobId> = self.jobs_governed_by(id).collect();
        for job in jobs {
            let open = &self.jobs[&job];
            let stays = match open.status {
                JobStatus::Delegated { child, .. } => child,
                JobStatus::Stuck { happened: Happened::Maybe } => true,
                ref status => status.is_out(),
            };
            if !stays {
                self.jobs.remove(&job);
            }
        }
        if stop != Stop::Compensate {
            self.leave_letters(id);
        }
    }

    /// Forces the end of a scope: it no longer waits for people, workers or other engines.
    fn force(&mut self, id: ScopeId) {
        self.scope_mut(id).forced = true;
        self.leave_letters(id);
    }

    /// Moves the dead letters of a scope to [`State::left`], so that they outlive it.
    fn leave_letters(&mut self, id: ScopeId) {
        let stuck: Vec<JobId> = self.jobs_governed_by(id).filter(|job| self.jobs[job].status.is_stuck()).collect();
        for id in stuck {
            let Some(job) = self.jobs.remove(&id) else { continue };
            if id.undo && !self.undone.contains(&id.forward()) {
                self.not_undone.insert(id.forward());
            }
            if id.undo || job.status == (JobStatus::Stuck { happened: Happened::Maybe }) {
                self.left.insert(id, job);
            }
        }
    }

    /// Whether a scope, or one around it, is compensating.
    pub(crate) fn is_compensating(&self, id: ScopeId) -> bool {
        self.outward(id).any(|id| self.scope(id).phase == Phase::Compensating)
    }

    /// Leaves an undo as a dead letter for a job that turned out to be done after compensation had ended.
    fn leave_undo(&mut self, undo: JobId, attempt: u32, status: JobStatus) {
        self.put_job(undo, attempt, status);
        self.not_undone.insert(undo.forward());
        if let Some(job) = self.jobs.remove(&undo) {
            self.left.insert(undo, job);
        }
    }

    /// The jobs that this scope governs: those in it and below it, except below scopes that are ending by themselves.
    pub(crate) fn jobs_governed_by(&self, id: ScopeId) -> impl Iterator<Item = JobId> + '_ {
        self.jobs.keys().copied().filter(move |job| self.governor(*job) == id)
    }

    /// Ends a scope other than the run.
    fn end_scope(&mut self, code: &Code, id: ScopeId, end: End) {
        self.leave_letters(id);
        let (opener, failure) = (self.scope(id).opener, self.scope(id).failure.clone());
        self.close(id, end);
        let Opener::Fiber { fiber, .. } = opener else { return };
        let Some(Wait::Armed(arms)) = self.fibers.get(&fiber).map(|fiber| &fiber.wait) else { return };
        // A failed scope sends its fiber to the arm for that error; the machine checked that the arm exists.
        let Some(failure) = failure.filter(|_| end != End::Cancelled) else { return };
        let route = arms.iter().position(|arm| match arm {
            Armed::Error(code) => code.as_ref().is_none_or(|code| *code == failure.code),
            _ => false,
        });
        if let Some(arm) = route {
            self.win(code, fiber, arm as u8);
        }
    }

    /// Marks a scope as ended and drops the data that only mattered while it ran.
    pub(crate) fn close(&mut self, id: ScopeId, end: End) {
        let scope = self.scope_mut(id);
        scope.phase = Phase::Ended(end);
        scope.joins = BTreeMap::new();
    }
}
