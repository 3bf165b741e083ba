//! Scopes: activations of a piece of program. The run is the root; loop rounds, items of a block's list and injected
//! steps are its descendants. Stopping and compensating act on a scope and everything below it.

use std::collections::BTreeMap;

use brain_core::{Failure, planted};
use brain_lang::plan::OnFailure;
use serde::{Deserialize, Serialize};

use crate::job::{Happened, Job, JobId, JobStatus, ScopeId};
use crate::{Code, Program, State, StepId};

/// How a scope ends once none of its jobs is under way, weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// It failed.
    Fail,
    /// Someone cancelled it.
    Cancel,
    /// Its finished jobs are undone first.
    Compensate,
}

/// How a run or another scope ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// Everything was done.
    Completed,
    /// Something failed; finished jobs stay unless they are listed as undone.
    Failed,
    /// Somebody cancelled it; finished jobs stay.
    Cancelled,
    /// Something failed, and every finished job was undone.
    Compensated,
}

/// The phase of a scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Not started. Only the run itself can be in this phase.
    New,
    /// Its fibers move.
    Running,
    /// No new job starts; jobs under way are awaited.
    Stopping(Stop),
    /// Finished jobs are being undone.
    Compensating,
    /// It is over.
    Ended(End),
}

/// What opened a scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opener {
    /// The start of the run.
    Run,
    /// This job injected steps.
    Job(JobId),
    /// This fiber waits for a block of its program, for one item if there is a list.
    Fiber {
        /// The fiber.
        fiber: u32,
        /// The item, or 0.
        item: u32,
    },
}

/// The state of a step in a scope. Steps without an entry are pending.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// Not reached.
    Pending,
    /// Reached.
    Active,
    /// Reached; one job or block runs per item.
    Each {
        /// Number of items.
        count: u32,
        /// The next item to start.
        next: u32,
        /// Number of finished items.
        finished: u32,
    },
    /// Finished.
    Done,
    /// Its condition did not hold.
    Skipped,
    /// A step whose result it uses failed or was skipped.
    Bypassed,
    /// It failed.
    Failed,
}

impl StepState {
    /// Whether the state is final.
    pub fn is_over(&self) -> bool {
        matches!(self, Self::Done | Self::Skipped | Self::Bypassed | Self::Failed)
    }
}

/// One activation of a piece of program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Scope {
    /// The enclosing scope; `None` for the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ScopeId>,
    /// What opened it.
    pub opener: Opener,
    /// How many scopes the same job opened before: a repeated undo has steps of its own, with keys of their own.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub repeat: u32,
    /// The program it runs, as an index into [`Code`].
    pub code: u16,
    /// Its current phase.
    pub phase: Phase,
    /// Whether it stopped waiting for people, workers and other engines on its way to its end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forced: bool,
    /// Whether it has compensated.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub took_back: bool,
    /// Number of fibers in it.
    pub fibers: u32,
    /// Number of fibers that have arrived at each join.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub joins: BTreeMap<u16, u16>,
    /// States of the steps reached so far.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub steps: BTreeMap<u16, StepState>,
    /// Why it stopped, if a failure stopped it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Scope {
    pub(crate) fn new(parent: Option<ScopeId>, opener: Opener, code: u16) -> Self {
        Self {
            parent,
            opener,
            repeat: 0,
            code,
            phase: if parent.is_some() { Phase::Running } else { Phase::New },
            forced: false,
            took_back: false,
            fibers: 0,
            joins: BTreeMap::new(),
            steps: BTreeMap::new(),
            failure: None,
        }
    }

    /// Whether the scope belongs to an undo. Compensation does not undo the jobs of an undo.
    pub fn is_undo(&self) -> bool {
        matches!(self.opener, Opener::Job(job) if job.undo)
    }

    /// Whether a failure in it stops this scope rather than the enclosing one.
    pub(crate) fn catches(&self) -> bool {
        !matches!(self.opener, Opener::Job(job) if !job.undo)
    }

    /// Whether it is stopping or compensating.
    pub(crate) fn is_winding_down(&self) -> bool {
        matches!(self.phase, Phase::Stopping(_) | Phase::Compensating)
    }
}

impl State {
    /// The scope with an id that this run's events named.
    pub fn scope(&self, id: ScopeId) -> &Scope {
        &self.scopes[id as usize]
    }

    pub(crate) fn scope_mut(&mut self, id: ScopeId) -> &mut Scope {
        &mut self.scopes[id as usize]
    }

    /// The enclosing scopes, innermost (`id` itself) first.
    pub fn outward(&self, id: ScopeId) -> impl Iterator<Item = ScopeId> + '_ {
        std::iter::successors(Some(id), |id| self.scope(*id).parent)
    }

    /// Whether `inner` is `outer` or lies within it.
    pub(crate) fn is_within(&self, inner: ScopeId, outer: ScopeId) -> bool {
        // Scopes have higher numbers than the scopes they lie in.
        self.outward(inner).take_while(|id| *id >= outer).any(|id| id == outer)
    }

    /// Whether it is unknown if a job of a scope, or of one within it, happened.
    pub(crate) fn has_doubt_within(&self, outer: ScopeId) -> bool {
        let doubtful = |job: &Job| job.status == JobStatus::Stuck { happened: Happened::Maybe };
        let mut known = self.jobs.iter().chain(&self.left);
        known.any(|(id, job)| doubtful(job) && self.is_within(id.scope, outer))
    }

    /// Whether `outer` is `inner` or contains it.
    pub fn contains(&self, outer: ScopeId, inner: ScopeId) -> bool {
        self.is_within(inner, outer)
    }

    /// The scope that stops when something in this one fails.
    pub(crate) fn catcher(&self, code: &Code, id: ScopeId) -> ScopeId {
        let letter =
            |id: ScopeId| matches!(self.scope(id).opener, Opener::Job(job) if self.is_left_as_letter(code, job));
        self.outward(id).find(|id| self.scope(*id).catches() || letter(*id)).unwrap_or(0)
    }

    /// Whether a job that fails becomes a dead letter without stopping the steps after it.
    pub fn is_left_as_letter(&self, code: &Code, job: JobId) -> bool {
        let step = self.step(code, job.at());
        let one = step.on_failure == OnFailure::Letter && step.foreach.is_none();
        one && !job.undo && self.phase_of(job) == Phase::Running && !planted("undo-stops")
    }

    /// The scope whose phase decides what may happen to a job: the nearest one that is stopping or compensating, or the
    /// outermost. An undo goes on whatever the scopes around it do.
    pub(crate) fn governor(&self, job: JobId) -> ScopeId {
        let mut last = job.scope;
        for id in self.outward(job.scope) {
            last = id;
            let scope = self.scope(id);
            // An undo job is governed by the compensation that it belongs to.
            if scope.is_winding_down() || (scope.is_undo() && !job.undo) {
                break;
            }
        }
        last
    }

    /// The phase that decides what may happen to a job.
    pub fn phase_of(&self, job: JobId) -> Phase {
        self.scope(self.governor(job)).phase
    }

    /// The program of a scope.
    pub fn program<'c>(&self, code: &'c Code, id: ScopeId) -> &'c Program {
        code.program(self.scope(id).code)
    }

    /// The plan step of a job.
    pub fn step<'c>(&self, code: &'c Code, at: StepId) -> &'c brain_lang::plan::PlanStep {
        self.program(code, at.scope).step(at.step)
    }

    /// The state of a step.
    pub fn step_state(&self, at: StepId) -> &StepState {
        self.scope(at.scope).steps.get(&at.step).unwrap_or(&StepState::Pending)
    }

    /// The path of a scope for people: the ids of the steps that lead to it, with the item number for lists. Empty for
    /// the run.
    pub fn path(&self, code: &Code, id: ScopeId) -> String {
        let mut parts: Vec<String> = Vec::new();
        for id in self.outward(id) {
            let scope = self.scope(id);
            match scope.opener {
                Opener::Run => {}
                Opener::Job(job) => {
                    let step = self.step(code, job.at());
                    let item = if step.foreach.is_some() { format!("[{}]", job.item + 1) } else { String::new() };
                    let undo = if job.undo { ":undo" } else { "" };
                    let again = if scope.repeat == 0 { String::new() } else { format!("~{}", scope.repeat + 1) };
                    parts.push(format!("{}{item}{undo}{again}", step.id));
                }
                Opener::Fiber { item, .. } => parts.push(format!("#{id}[{}]", item + 1)),
            }
        }
        parts.reverse();
        parts.join("/")
    }

    /// The full id of a step: the path of its scope and its own id.
    pub fn step_path(&self, code: &Code, at: StepId) -> String {
        let id = &self.step(code, at).id;
        if at.scope == 0 { id.clone() } else { format!("{}/{id}", self.path(code, at.scope)) }
    }

    /// The step with this full id, if the run has reached its scope.
    pub fn find_step(&self, code: &Code, path: &str) -> Option<StepId> {
        let (inside, id) = path.rsplit_once('/').unwrap_or(("", path));
        (0..self.scopes.len() as ScopeId).filter(|scope| self.path(code, *scope) == inside).find_map(|scope| {
            let step = self.program(code, scope).step_index(id)?;
            Some(StepId { scope, step })
        })
    }
}
